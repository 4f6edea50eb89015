"""The queue manager as one deterministic object."""
