"""Goal: a crash while MOVE QLOCAL goes on leaves each message on exactly one of the two queues; a
second MOVE brings the rest.

Method: messages of many kinds on a simulated disk with a small log; the history of disk operations
of a MOVE is cut after every one, with each fate of what was not forced.
"""

from __future__ import annotations

import pytest

from ternmq.admin.commands import moving
from ternmq.admin.execute import mqsc_execution
from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.testing.machine import Machine, create
from ternmq.testing.operations import Mark
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.wreck import FATES, Wreck

pytestmark = [pytest.mark.core, pytest.mark.walk, pytest.mark.promise("P1")]
COUNT = 24
FROM, TO = "Q.FROM", "Q.TO"


def moved(machine: Machine) -> list[str]:
    machine.close_handles()
    execution = mqsc_execution(f"MOVE QLOCAL({FROM}) TOQLOCAL({TO}) TYPE(ADD)")
    link = machine.link
    while not execution.attempt(machine.kernel, link):
        machine.drive(machine.verbs.unpark(link))
        machine.force(int(machine.engine.log.end_lsn))  # as others do meanwhile
    machine.force(int(link.durable_at))
    return [one.message for one in execution.answers]


@pytest.mark.parametrize("log_type", [CIRCULAR, LINEAR])
@pytest.mark.parametrize("buffer_bytes", [0, 4096], ids=["in memory", "swept"])
def test_crash_at_every_operation_of_a_move_then_each_message_is_on_one_queue(
    log_type: int, buffer_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "STEP_MESSAGES", 7)
    disk = SimDisk()
    create(disk, LogParameters(log_type, 3, 2, 64, False))
    machine = Machine(disk)
    for name in (FROM, TO):
        machine.define(name, buffer_bytes)
    wanted = [f"message {number:03} {'x' * 400}".encode() for number in range(COUNT)]
    for body in wanted:
        machine.put(FROM, body)
    machine.checkpoint(full=True)
    begun = len(disk.history)
    assert moved(machine) == ["AMQ8990I"]
    ended = len(disk.history)
    places = 0
    for at in range(begun, ended):
        if isinstance(disk.history[at], Mark):
            continue
        wreck = Wreck(disk)
        wreck.advance(at + 1)
        for fate in FATES.values():
            pending = [fate] * len(wreck.pending)
            left = Machine(wreck.disk_of(pending)).drain(FROM)
            came = Machine(wreck.disk_of(pending)).drain(TO)
            assert came + left == wanted, at
            again = Machine(wreck.disk_of(pending))
            assert moved(again) == ["AMQ8990I"]
            assert again.drain(TO) == wanted
            places += 1
    assert places > 10
    assert machine.drain(TO) == wanted
    assert machine.drain(FROM) == []
