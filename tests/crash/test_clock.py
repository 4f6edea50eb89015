"""Goal (G22): a wall clock that somebody sets back takes no message and gives none twice; what
identifiers do then. Method: lives of a simulated queue manager whose clock is set back to where an
earlier one began. The walk over many seeds is tests/proof/clock_jumps.py.
"""

import time

import pytest

from ternmq.base.ids import UNIQUE_RESERVE
from ternmq.ports.clock import LATEST_NS
from ternmq.ports.os_clock import OsClock
from ternmq.testing import KEEPS, Simulation

pytestmark = pytest.mark.core


def two_lives(sim: Simulation) -> tuple[list[bytes], list[bytes]]:
    """The MsgIds of two lives that begin at the same time of the wall clock."""
    begin_ns = sim.clock.wall_ns
    qmgr = sim.start()
    qmgr.define_queue("Q", default_persistence="YES")
    first = [qmgr.put("Q", f"first {number}") for number in range(20)]
    sim.crash(KEEPS)
    sim.clock.wall_ns = begin_ns
    qmgr = sim.start()
    return first, [qmgr.put("Q", f"second {number}") for number in range(20)]


def test_clock_set_back_over_a_restart_then_nothing_is_lost_and_order_holds() -> None:
    with Simulation() as sim:
        two_lives(sim)
        sim.crash()
        qmgr = sim.start()
        with qmgr.queue("Q") as queue:
            assert [message.text for message in queue] == [
                f"{life} {number}" for life in ("first", "second") for number in range(20)
            ]


def test_clock_set_back_over_a_restart_then_no_identifier_is_given_twice() -> None:
    with Simulation() as sim:
        first, second = two_lives(sim)
        assert not set(first) & set(second)


def test_clock_set_back_again_and_again_then_no_identifier_is_given_twice() -> None:
    with Simulation() as sim:
        begin_ns = sim.clock.wall_ns
        given: list[bytes] = []
        for life in range(6):
            sim.clock.wall_ns = begin_ns - life * 1_000_000_000
            qmgr = sim.start()
            qmgr.define_queue("Q", replace=True)
            given += [qmgr.put("Q", "message") for _ in range(5)]
            if life % 2:
                qmgr.close()
            else:
                sim.crash()
        assert len(set(given)) == len(given)


def test_identifiers_run_low_then_a_checkpoint_allows_more_before_they_are_given() -> None:
    with Simulation() as sim:
        begin_ns = sim.clock.wall_ns
        qmgr = sim.start()
        qmgr.define_queue("Q")
        kernel = qmgr.started.shell.engine.kernel
        kernel.msg_counter += UNIQUE_RESERVE // 2 + 1
        qmgr.started.shell.engine.tick()
        qmgr.checkpoint()
        kernel.msg_counter += UNIQUE_RESERVE // 2
        last = qmgr.put("Q", "the last one")
        sim.crash()
        sim.clock.wall_ns = begin_ns
        assert sim.start().put("Q", "a later one") > last


@pytest.mark.parametrize(
    "wall_ns", [-(10**19), -1, LATEST_NS - 1, LATEST_NS + 1, (1 << 63) - 1, 10**19]
)
def test_clock_set_before_1970_or_beyond_2262_then_work_and_restart_go_on(wall_ns: int) -> None:
    with Simulation() as sim:
        qmgr = sim.start()
        qmgr.define_queue("Q", default_persistence="YES")
        qmgr.put("Q", "one")
        sim.clock.wall_ns = wall_ns
        with qmgr.queue("Q") as queue:
            queue.put("two", expiry=99_999_999.0)
            queue.put("three")
        qmgr.define_queue("R")
        qmgr.checkpoint()
        sim.crash()
        sim.clock.wall_ns = wall_ns
        qmgr = sim.start()
        with qmgr.queue("Q") as queue:
            assert [message.text for message in queue] == ["one", "two", "three"]
        assert "R" in qmgr.queue_names()


@pytest.mark.parametrize(("reported_ns", "seen_ns"), [(-5, 0), (7, 7), (1 << 63, LATEST_NS)])
def test_machines_clock_when_out_of_range_then_the_nearest_instant(
    reported_ns: int, seen_ns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: reported_ns)
    assert OsClock().now_ns() == seen_ns
