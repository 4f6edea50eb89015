"""Queues that leave memory: what a message is, is then told by files alone."""

from __future__ import annotations

import pytest

from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_disk import SimDisk
from ternmq.values.xid import XID

pytestmark = pytest.mark.core


def test_prepared_message_without_a_number_when_committed_then_unloaded_with_one() -> None:
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, 3, 2, 64, False))
    machine = Machine(disk)
    machine.define("Q")
    xid = XID(1, b"x", b"")
    machine.put("Q", b"prepared", sync=True)
    machine.prepare(xid)
    machine.put("Q", b"before it")
    machine.checkpoint(full=True)  # the body goes to a segment, without a number
    machine.commit_prepared(xid)
    machine.close_handles()
    for _ in range(3):
        machine.checkpoint()
    assert machine.kernel.catalog.definitions["Q"].object_id not in machine.kernel.catalog.queues
    assert machine.drain("Q") == [b"before it", b"prepared"]
