"""Goal: traced calls are bounded, and a connection is asked about once for each change.

Method: an engine in memory and a sink that counts questions.
"""

from __future__ import annotations

import pytest

import ternmq
from ternmq.kernel import call_trace
from ternmq.kernel.call_trace import PUT, trace
from ternmq.kernel.connection import Connection
from ternmq.kernel.meter import MeasureSink


class Sink(MeasureSink):
    """Traces applications with an even number."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def is_traced(self, connection: Connection) -> bool:
        self.asked.append(connection.connection_id)
        return connection.connection_id % 2 == 0


def test_calls_when_kept_then_bounded_and_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_trace, "CALLS_MAX", 3)
    with ternmq.memory("QM1") as qmgr:
        shell = qmgr.started.shell
        kernel = shell.engine.kernel
        with shell.lock:
            meter = kernel.meter
            meter.sink = Sink()
            meter.traced_since_ns = int(kernel.clock.now_ns()) + 1
            even = Connection(10, bytes(24), "user", "even")
            odd = Connection(11, bytes(24), "user", "odd")
            for _ in range(5):
                trace(kernel, even, PUT)
                trace(kernel, odd, PUT)
            assert meter.sink.asked == [10, 11]
            assert [one.connection for one in meter.traced_calls] == [even] * 3
            assert meter.traces_lost == 2
            meter.trace_version += 1
            trace(kernel, odd, PUT)
            assert meter.sink.asked == [10, 11, 11]
            meter.traced_calls = []
            meter.sink = shell.engine.collector
