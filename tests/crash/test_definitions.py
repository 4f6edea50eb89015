"""Goal: a crash in the middle of object changes, at the first start or at the saving of the catalog
leaves each object old or new, never half, and those that were answered as they were answered.

Method: a script of changes to objects of many types on a simulated disk with a small log; its
history of operations is cut after every one, with each fate of what was not forced.
"""

from __future__ import annotations

from typing import Any

import pytest

from ternmq.admin.commands import objects
from ternmq.admin.default_objects import default_objects
from ternmq.base import object_types as types
from ternmq.base.attributes import Value
from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.testing.machine import Machine, create
from ternmq.testing.operations import Mark
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.wreck import FATES, Wreck

pytestmark = [pytest.mark.core, pytest.mark.promise("P1")]

State = dict[tuple[str, str], dict[str, Value]]
SCRIPT: list[tuple[str, int, str, dict[str, Any]]] = [
    ("define", types.LOCAL, "Q", {"MAXDEPTH": 7}),
    ("define", types.REMOTE, "R", {"RNAME": "Q", "RQMNAME": "QM2"}),
    ("define", types.SENDER, "TO.QM2", {"CONNAME": "host(1414)", "XMITQ": "QM2"}),
    ("define", types.CLNTCONN, "TO.QM2", {"CONNAME": "host(1414)"}),
    ("alter", types.SENDER, "TO.QM2", {"BATCHSZ": 9, "DESCR": "grüße"}),
    ("checkpoint", 0, "", {}),
    ("define", types.NAMELIST, "N", {"NAMES": ",".join(f"NAME.{one}" for one in range(200))}),
    ("define", types.TOPIC, "T", {"TOPICSTR": "/".join(["level"] * 100)}),
    ("delete", types.SENDER, "TO.QM2", {}),
    ("define", types.SENDER, "TO.QM2", {"CONNAME": "other(1414)", "XMITQ": "QM3"}),
    ("alter", types.NAMELIST, "N", {"NAMES": "ONE"}),
    ("delete", types.LOCAL, "Q", {}),
    ("qmgr", 0, "", {"DESCR": "new", "MAXHANDS": 5}),
    ("checkpoint", 0, "", {}),
    ("delete", types.TOPIC, "T", {}),
    ("define", types.PROCESS, "P", {"APPLICID": "x" * 256}),
    ("qmgr", 0, "", {"DESCR": ""}),
]


def state_of(machine: Machine) -> State:
    catalog = machine.kernel.catalog
    state: State = {
        (types.SPACE_OF[one.object_type], one.name): dict(one.attributes)
        for one in catalog.all_definitions()
    }
    state["qmgr", ""] = dict(catalog.qmgr)
    return state


def carry_out(machine: Machine, action: str, bit: int, name: str, given: dict[str, Any]) -> None:
    kernel, link = machine.kernel, machine.link
    if action == "checkpoint":
        machine.checkpoint(full=True)
        return
    if action == "define":
        assert objects.define(kernel, link, bit, name, given, False)
    elif action == "alter":
        assert objects.alter(kernel, link, bit, name, given)
    elif action == "delete":
        assert objects.delete(kernel, link, bit, name)
    else:
        assert objects.alter_queue_manager(kernel, link, given)
    machine.force(int(link.durable_at))


@pytest.mark.parametrize("log_type", [CIRCULAR, LINEAR])
def test_crash_at_every_operation_then_each_object_is_old_or_new(log_type: int) -> None:
    disk = SimDisk()
    create(disk, LogParameters(log_type, 3, 2, 64, False))
    machine = Machine(disk)
    machine.checkpoint(full=True)
    begun = len(disk.history)
    states = [state_of(machine)]
    answered: list[tuple[int, int]] = []  # how long the history was when a state was answered
    for step in SCRIPT:
        carry_out(machine, *step)
        states.append(state_of(machine))
        answered.append((len(disk.history), len(states) - 1))
    places = 0
    for at in range(begun, len(disk.history)):
        if isinstance(disk.history[at], Mark):
            continue
        wreck = Wreck(disk)
        wreck.advance(at + 1)
        least = max([number for length, number in answered if length <= at + 1], default=0)
        for fate in FATES.values():
            found = state_of(Machine(wreck.disk_of([fate] * len(wreck.pending))))
            assert found in states[least : least + 2], at
            places += 1
    assert places > 100


def test_crash_at_the_first_start_then_the_next_one_makes_the_rest() -> None:
    """No half set of default objects, and none twice."""
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, 3, 2, 64, False))
    begun = len(disk.history)
    machine = Machine(disk)
    machine.checkpoint(full=True)
    wanted = {(types.SPACE_OF[bit], name) for bit, name, _ in default_objects()}
    for at in range(begun, len(disk.history)):
        wreck = Wreck(disk)
        wreck.advance(at + 1)
        for fate in FATES.values():
            again = Machine(wreck.disk_of([fate] * len(wreck.pending)))
            assert set(state_of(again)) == wanted | {("qmgr", "")}
            numbers = [one.object_id for one in again.kernel.catalog.all_definitions()]
            assert len(set(numbers)) == len(numbers) == len(wanted)
