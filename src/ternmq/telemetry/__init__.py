"""Measurement: counters of intervals and tasks become SMF records, PCF messages and metrics."""
