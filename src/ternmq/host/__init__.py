"""Runs the verbs of one engine: the lock, forces, effects; for threads, tasks and server jobs."""
