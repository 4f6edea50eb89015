"""Measurement: what intervals and tasks are told to, and in which form it leaves."""
