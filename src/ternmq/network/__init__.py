"""The queue manager's side of TCP."""
