"""Goal (G22): a wall clock that somebody sets back takes no message and gives none twice; what
identifiers do then. Method: lives of a simulated queue manager whose clock is set back to where an
earlier one began. The walk over many seeds is tests/proof/clock_jumps.py.
"""

import pytest

from ternmq.base.ids import UNIQUE_RESERVE
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
