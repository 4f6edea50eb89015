"""The control commands, one file each, and what they share."""
