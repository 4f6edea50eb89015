"""Connections to a queue manager in another process."""
