"""Media images and recovery from a linear log."""
