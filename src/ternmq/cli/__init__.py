"""The control commands: one file each, one table of all, the entry `ternmq`."""
