"""Multicast at the queue manager: the bridge between groups and everybody else."""
