"""Goal: the expiry task runs every EXPRYINT seconds, in bounded steps, on queues in memory and on
those that are not; CAPEXPRY makes a saw-tooth of a queue that nobody reads.

Method: a queue manager on a simulated disk, whose time passes second by second.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

import ternmq
from ternmq.testing import Simulation

pytestmark = pytest.mark.core


def depth(qmgr: ternmq.QueueManager, name: str) -> int:
    with qmgr.queue(name) as queue:
        return queue.depth


def in_memory(qmgr: ternmq.QueueManager, name: str) -> bool:
    catalog = qmgr.started.shell.engine.kernel.catalog
    return catalog.definitions[name].object_id in catalog.queues


def test_task_then_it_runs_at_its_interval_and_not_between() -> None:
    with Simulation() as simulation:
        qmgr = simulation.start()
        qmgr.alter_qmgr(expiry_interval_s=60)
        qmgr.define_queue("A", cap_expiry=100)
        simulation.pass_time(61)  # from here on each minute
        for _ in range(3):
            qmgr.put("A", "short")
        simulation.pass_time(50)
        assert depth(qmgr, "A") == 3
        simulation.pass_time(12)
        assert depth(qmgr, "A") == 0
        qmgr.alter_qmgr(expiry_interval_s="OFF")
        qmgr.put("A", "short")
        simulation.pass_time(200)
        assert depth(qmgr, "A") == 1


def test_interval_when_it_is_made_shorter_then_it_counts_at_once() -> None:
    with Simulation() as simulation:
        qmgr = simulation.start()
        qmgr.alter_qmgr(expiry_interval_s=10_000)
        qmgr.define_queue("A", cap_expiry=10)
        qmgr.put("A", "short")
        simulation.pass_time(3)
        qmgr.alter_qmgr(expiry_interval_s=5)
        simulation.pass_time(7)
        assert depth(qmgr, "A") == 0


@pytest.mark.parametrize("by_restart", [True, False])
def test_queue_that_is_not_in_memory_then_its_expired_messages_go_as_well(by_restart: bool) -> None:
    with Simulation() as simulation:
        qmgr = simulation.start()
        qmgr.alter_qmgr(expiry_interval_s=60)
        for name in ("SHORT", "LONG"):
            qmgr.define_queue(name)
        for name, expiry in (("SHORT", 30), ("LONG", 100_000)):
            with qmgr.queue(name) as queue:
                queue.put("x", persistent=True, expiry=expiry)
                queue.put("stays", persistent=True)
        for _ in range(4):
            qmgr.checkpoint()
        assert not in_memory(qmgr, "SHORT")
        if by_restart:
            simulation.stop()
            qmgr = simulation.start()
        assert not in_memory(qmgr, "SHORT")
        simulation.pass_time(130)
        assert in_memory(qmgr, "SHORT")
        assert not in_memory(qmgr, "LONG")
        assert (depth(qmgr, "SHORT"), depth(qmgr, "LONG")) == (1, 2)


def test_copies_with_a_cap_then_their_queue_is_a_saw_tooth_and_the_original_grows() -> None:
    with Simulation() as simulation:
        qmgr = simulation.start()
        qmgr.alter_qmgr(expiry_interval_s=20)
        qmgr.define_queue("COPIES", cap_expiry=600, persistent_buffer=1 << 16)
        qmgr.define_queue("A", stream_queue="COPIES", persistent_buffer=1 << 16)
        depths = []
        with qmgr.queue("A") as queue:
            for second in range(140):
                queue.put(bytes(2_000), persistent=second % 2 == 0)
                simulation.pass_time(1)
                depths.append(depth(qmgr, "COPIES"))
            assert queue.depth == 140
        assert depths[59] == 60
        falls = [at for at in range(1, 140) if depths[at] < depths[at - 1]]
        assert [after - before for before, after in pairwise(falls)] == [20] * (len(falls) - 1)
        assert len(falls) >= 3
        assert all(depths[at - 1] - depths[at] == 19 for at in falls[1:])  # 20 gone, one put
