"""Benchmarks: each module measures one thing beside its baseline; `run.py` prints them all."""
