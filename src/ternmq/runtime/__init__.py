"""A queue manager in this process: start, stop, backup."""
