"""Protocols between applications and queue managers: bytes to values and back, no I/O."""
