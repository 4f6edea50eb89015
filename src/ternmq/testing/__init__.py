"""Simulation and doubles: a queue manager on a disk that forgets, with a clock that a test turns.

Users test their applications with it, and this project proves its promises with it; see
docs/testing-with-simulation.md.
"""
