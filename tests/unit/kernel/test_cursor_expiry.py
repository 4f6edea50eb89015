"""Goal: a cursor with EXPIRY that nobody uses goes, and what it kept with it; one that is used, or
has no EXPIRY, stays; a restart forgets neither the cursor nor its EXPIRY.

Method: a machine in one thread on a simulated disk, whose clock the test moves.
"""

from __future__ import annotations

import pytest

from ternmq.kernel.cursors import EARLIEST, advance_cursor, define_cursor
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_clock import SimClock
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.wreck import FATES, last_of

pytestmark = pytest.mark.core

MINUTE_S = 60


def begun(*cursors: tuple[str, int]) -> Machine:
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, 3, 2, 64, False))
    machine = Machine(disk)
    machine.define("Q")
    machine.put("Q", b"1")
    link = machine.connect()
    for name, expiry_m in cursors:
        assert define_cursor(machine.kernel, link, name, "Q", EARLIEST, expiry_m) is not None
        machine.settle()
    machine.force(int(link.durable_at))
    return machine


def crashed(machine: Machine) -> Machine:
    disk = machine.disk
    assert isinstance(disk, SimDisk)
    wreck = last_of(disk)
    return Machine(wreck.disk_of([FATES["dropped"]] * len(wreck.pending)))


def pass_minutes(machine: Machine, minutes: int) -> None:
    """Each with its tick, as in a queue manager that runs."""
    clock = machine.clock
    assert isinstance(clock, SimClock)
    for _ in range(minutes):
        clock.advance(MINUTE_S)
        machine.engine.tick()
        machine.settle()


def names(machine: Machine) -> list[str]:
    return sorted(machine.kernel.catalog.cursors.by_name)


def test_cursor_when_nobody_uses_it_for_its_time_then_it_goes_with_its_stream() -> None:
    machine = begun(("SHORT", 10))
    queue = machine.kernel.locals["Q"].queue
    pass_minutes(machine, 9)
    assert names(machine) == ["SHORT"]
    pass_minutes(machine, 3)
    assert names(machine) == []
    assert queue.stream is None
    reported = [one for one in machine.kernel.notices.take() if one.message_id == "AMQ8980I"]
    assert [one.inserts for one in reported] == [("SHORT", "Q", 10)]


def test_cursor_when_it_is_used_or_never_expires_then_it_stays() -> None:
    machine = begun(("USED", 10), ("FOREVER", 0))
    link = machine.connect()
    for _ in range(5):
        pass_minutes(machine, 8)
        assert advance_cursor(machine.kernel, link, "USED", 0) is not None
    pass_minutes(machine, 30)
    assert names(machine) == ["FOREVER"]
    assert machine.kernel.locals["Q"].queue.stream is not None


@pytest.mark.parametrize("how", ["log", "checkpoint"])
def test_cursor_when_the_queue_manager_restarts_then_its_time_begins_again(how: str) -> None:
    machine = begun(("SHORT", 10), ("FOREVER", 0))
    pass_minutes(machine, 8)
    if how == "checkpoint":
        machine.checkpoint()
    again = crashed(machine)
    pass_minutes(again, 8)
    assert names(again) == ["FOREVER", "SHORT"]
    pass_minutes(again, 4)
    assert names(again) == ["FOREVER"]
    again.checkpoint()
    assert names(crashed(again)) == ["FOREVER"]


def test_cursor_when_somebody_sets_the_clock_then_it_stays() -> None:
    machine = begun(("SHORT", 10))
    clock = machine.clock
    assert isinstance(clock, SimClock)
    clock.jump(1_000_000)
    pass_minutes(machine, 5)
    assert names(machine) == ["SHORT"]
