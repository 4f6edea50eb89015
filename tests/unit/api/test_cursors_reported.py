"""What is told of a cursor is true after a crash: whoever asks waits until the log says so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ternmq.admin.execute import mqsc_execution
from ternmq.kernel.cursors import EARLIEST, advance_cursor, define_cursor
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.mqi.steps.streams import OpenCursor
from ternmq.store.stream.named_cursor import StreamCursor
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_disk import SimDisk
from ternmq.values.calls.streams import CursorOpen

pytestmark = pytest.mark.core


def begun() -> Machine:
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, 3, 2, 64, False))
    machine = Machine(disk)
    machine.define("Q")
    machine.put("Q", b"1")
    return machine


@pytest.mark.parametrize(
    "command", ["", "DISPLAY CURSOR(C)", "DEFINE CURSOR(C) QUEUE(Q) REPLACE"], ids=str
)
def test_cursor_when_its_change_is_not_forced_then_its_caller_waits(command: str) -> None:
    machine = begun()
    kernel = machine.kernel
    mine, other = machine.connect(), machine.connect()
    changes: list[Callable[[], StreamCursor | None]] = [
        lambda: define_cursor(kernel, mine, "C", "Q", EARLIEST),
        lambda: advance_cursor(kernel, mine, "C", 2),
    ]
    for change in changes:
        assert change() is not None
        end = int(mine.durable_at)
        assert end > machine.engine.log.forced_lsn
        machine.put("Q", b"2", link=other, persistent=False)
        step = mqsc_execution(command) if command else OpenCursor(CursorOpen("C", "Q", EARLIEST))
        assert step.attempt(kernel, other)
        assert other.durable_at >= end
        machine.force(end)
