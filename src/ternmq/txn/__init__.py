"""Atomicity: units of work, their records, restart and checkpoint."""
