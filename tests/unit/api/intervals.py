"""Ends the intervals of statistics and accounting when a test wants it, not when time is over."""

from __future__ import annotations

from ternmq.host.shell import Shell
from ternmq.outlets.measurement import Measurement
from ternmq.telemetry.collector import Turn


def end_intervals(shell: Shell) -> None:
    """As if STATIME, ACCTIME, STATINT and ACCTINT were over now; figures are delivered."""
    collector = shell.engine.collector
    clock = shell.engine.clock
    with shell.lock:
        statistics = [one for one, schedule in collector._statistics.items() if schedule.is_on]
        tasks = [one for one, schedule in collector._accounting.items() if schedule.is_on]
        turn = Turn(int(clock.now_ns()), collector._settings)
        collector._end(turn, statistics, tasks, int(clock.monotonic_ns()))
    shell.deliver(wait=True)
    for destination in collector.destinations:
        if isinstance(destination, Measurement):
            assert destination.drain()
