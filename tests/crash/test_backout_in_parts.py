"""Goal (P2): a backout that takes several steps is right over a crash, although others take and
commit what has come back before it is done. Method: an engine driven step by step, power lost after
each part.
"""

import pytest

from ternmq.kernel.connection import Connection
from ternmq.kernel.ending import BACKOUT_STEP_CHANGES, back_out
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.testing.crash_walk import nothing_kept
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_disk import SimDisk

pytestmark = [pytest.mark.core, pytest.mark.promise("P2")]

MESSAGES = 2 * BACKOUT_STEP_CHANGES + 40


def body(number: int) -> bytes:
    return b"%04d" % number


def all_got() -> tuple[Machine, Connection]:
    """A unit of work that has got every message of the queue."""
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, 3, 2, 64, False))
    machine = Machine(disk)
    machine.define("A")
    filler = machine.connect()
    for number in range(MESSAGES):
        machine.put("A", body(number), link=filler, sync=True)
    machine.commit(filler)
    link = machine.connect()
    for number in range(MESSAGES):
        entry = machine.get("A", link=link, sync=True)
        assert entry is not None
        assert bytes(entry.data) == body(number)
    return machine, link


def found(machine: Machine) -> list[bytes]:
    assert isinstance(machine.disk, SimDisk)
    return Machine(nothing_kept(machine.disk)).drain_at_once("A")


@pytest.mark.parametrize("parts", [1, 2, 3])
def test_backout_when_others_take_what_came_back_then_a_restart_knows(parts: int) -> None:
    machine, link = all_got()
    left = [body(number) for number in range(MESSAGES)]
    for part in range(1, parts + 1):
        back_out(machine.kernel, link)
        assert link.again == (part * BACKOUT_STEP_CHANGES < MESSAGES)
        entry = machine.get("A")  # outside any unit of work: acknowledged, so it is gone for good
        assert entry is not None
        left.remove(bytes(entry.data))
        assert entry.backout_count == 1
    assert found(machine) == left


def test_backout_when_the_power_goes_between_its_parts_then_all_come_back_once() -> None:
    machine, link = all_got()
    back_out(machine.kernel, link)
    machine.force(int(link.durable_at))
    assert found(machine) == [body(number) for number in range(MESSAGES)]
    machine.back_out(link)
    assert found(machine) == [body(number) for number in range(MESSAGES)]
