"""Goal (P8): a full circular log backs out the oldest unit of work and tells its owner, never a
prepared one; other work goes on; commit and backout always fit; when nothing helps, new work is
refused and nothing is lost. Method: an engine on a log of a few blocks, driven verb by verb.
"""

from collections.abc import Callable

import pytest

from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_BACKED_OUT, MQRC_RESOURCE_PROBLEM
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.testing.machine import Machine, create
from ternmq.testing.model import name_of
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.workload import Workload
from ternmq.values.xid import XID

pytestmark = [pytest.mark.core, pytest.mark.promise("P8")]

CAPACITY = 5 * 16 * 4096


def small(primary: int = 3, secondary: int = 2, pages: int = 16) -> Machine:
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, primary, secondary, pages, False))
    machine = Machine(disk)
    machine.define("A", 20_000)
    machine.define("B", 20_000)
    return machine


def churn(machine: Machine, times_the_log: int) -> None:
    """Other work, several times what the log holds."""
    end = machine.engine.log.end_lsn + times_the_log * CAPACITY
    number = 0
    while machine.engine.log.end_lsn < end:
        machine.put("B", b"b%d " % number + bytes(2000))
        entry = machine.get("B")
        assert entry is not None
        assert name_of(entry.data) == f"b{number}"
        number += 1


def restarted(machine: Machine) -> Machine:
    assert isinstance(machine.disk, SimDisk)
    return Machine(machine.disk.survivor())


def names(machine: Machine, queue: str) -> list[str]:
    return [name_of(data) for data in machine.drain(queue)]


def test_long_unit_of_work_when_the_log_is_full_then_backed_out_and_reported() -> None:
    machine = small()
    machine.put("A", b"got ")
    owner = machine.connect()
    machine.put("A", b"put ", link=owner, sync=True)
    got = machine.get("A", link=owner, sync=True)
    assert got is not None
    churn(machine, 3)
    assert machine.engine.keeper.victims == 1
    verbs: list[Callable[[], object]] = [
        lambda: machine.put("A", b"late ", link=owner, sync=True),
        lambda: machine.get("A", link=owner, sync=True),
        lambda: machine.get("B", link=owner, sync=True),  # which is empty
    ]
    for verb in verbs + verbs:
        with pytest.raises(MQError) as caught:
            verb()
        assert caught.value.reason == MQRC_BACKED_OUT
        assert "log" in caught.value.detail
    machine.back_out(owner)
    machine.put("A", b"anew ", link=owner, sync=True)
    machine.commit(owner)
    assert names(restarted(machine), "A") == ["got", "anew"]
    assert names(machine, "A") == ["got", "anew"]


def test_commit_of_a_unit_that_was_backed_out_then_reported_and_nothing_of_it_is_there() -> None:
    machine = small()
    owner = machine.connect()
    machine.put("A", b"put ", link=owner, sync=True)
    churn(machine, 3)
    with pytest.raises(MQError) as caught:
        machine.commit(owner)
    assert caught.value.reason == MQRC_BACKED_OUT
    assert names(machine, "A") == []
    assert names(restarted(machine), "A") == []


def test_backout_of_a_unit_that_was_backed_out_then_no_error() -> None:
    machine = small()
    owner = machine.connect()
    machine.put("A", b"put ", link=owner, sync=True)
    churn(machine, 3)
    machine.back_out(owner)
    machine.put("A", b"anew ", link=owner, sync=True)
    machine.commit(owner)
    assert names(machine, "A") == ["anew"]


def test_unit_larger_than_the_log_then_its_own_put_is_notified() -> None:
    machine = small()
    owner = machine.connect()

    def put_for_ever() -> None:
        while True:
            machine.put("A", bytes(4000), link=owner, sync=True)

    with pytest.raises(MQError) as caught:
        put_for_ever()
    assert caught.value.reason == MQRC_BACKED_OUT
    machine.back_out(owner)
    machine.put("A", b"anew ", link=owner, sync=True)
    machine.commit(owner)
    assert names(machine, "A") == ["anew"]
    assert machine.kernel.locals["A"].queue.uncommitted_puts == 0
    assert machine.engine.coordinator.in_log.count == 0


def test_getter_that_waits_in_a_unit_when_that_is_backed_out_then_reported() -> None:
    machine = small()
    owner = machine.connect()
    machine.put("B", b"put ", link=owner, sync=True)
    call = machine.get_call("A", owner, sync=True, wait_ms=-1)
    assert "A" in [one.handle.resolved_name for one in machine.kernel.waiting.values()]
    churn(machine, 3)
    assert machine.engine.keeper.victims == 1
    machine.put("A", b"wake ")
    assert not machine.kernel.waiting
    assert call.error is not None
    assert call.error.reason == MQRC_BACKED_OUT
    assert names(machine, "A") == ["wake"]


def test_prepared_unit_when_the_log_is_full_then_never_backed_out() -> None:
    machine = small()
    machine.put("A", b"got ")
    xid = XID(1, b"first", b"branch")
    owner = machine.connect()
    for number in range(5):
        machine.put("A", b"put%d " % number + bytes(1500), link=owner, sync=True)
    assert machine.get("A", link=owner, sync=True) is not None
    machine.prepare(xid, owner)
    churn(machine, 6)
    assert machine.engine.keeper.victims == 0
    for again in (machine, restarted(machine)):
        assert list(again.engine.coordinator.prepared) == [xid.key]
        assert names(again, "A") == []
        churn(again, 2)
    again = restarted(machine)
    machine.commit_prepared(xid)
    assert names(machine, "A") == [f"put{number}" for number in range(5)]
    again.back_out_prepared(xid)
    assert names(again, "A") == ["got"]


def test_many_prepared_units_then_the_log_is_still_reused_and_every_commit_fits() -> None:
    machine = small()
    xids: list[XID] = []

    def prepare_for_ever() -> None:
        while True:
            owner = machine.connect()
            machine.put("A", b"a%d " % len(xids) + bytes(700), link=owner, sync=True)
            xid = XID(1, b"x%d" % len(xids), b"")
            machine.prepare(xid, owner)
            xids.append(xid)

    with pytest.raises(MQError) as caught:
        prepare_for_ever()
    assert caught.value.reason in (MQRC_RESOURCE_PROBLEM, MQRC_BACKED_OUT)
    assert len(xids) > 15
    for link in list(machine.kernel.connections.values()):
        machine.back_out(link)
    # Some give their room back; then the log goes round and round, whatever the others hold.
    while len(xids) > 10:
        machine.back_out_prepared(xids.pop())
    churn(machine, 4)
    again = restarted(machine)
    assert len(again.engine.coordinator.prepared) == len(xids)
    for xid in xids:
        machine.commit_prepared(xid)
    assert names(machine, "A") == [f"a{number}" for number in range(len(xids))]
    for xid in xids:
        again.back_out_prepared(xid)
    assert names(again, "A") == []


def test_message_larger_than_the_log_then_refused_and_nothing_is_lost() -> None:
    machine = small()
    machine.put("A", b"kept ")
    with pytest.raises(MQError) as caught:
        machine.put("A", bytes(400_000))
    assert caught.value.reason == MQRC_RESOURCE_PROBLEM
    machine.put("A", b"more ")
    assert names(restarted(machine), "A") == ["kept", "more"]
    churn(machine, 2)


def test_big_prepared_unit_when_backed_out_in_steps_then_checkpoints_between_hold() -> None:
    """More changes than one step undoes; its first record has left the log long ago."""
    machine = small(pages=64)
    owner = machine.connect()
    for number in range(600):
        machine.put("A", b"a%d " % number, link=owner, sync=True)
    xid = XID(1, b"big", b"")
    machine.prepare(xid, owner)
    while machine.engine.keeper.control.redo_lsn < 4 * 64 * 4096:
        churn(machine, 1)
        machine.checkpoint(full=True)
    steps = 0

    def between() -> None:
        nonlocal steps
        steps += 1
        machine.stepped = lambda: None  # type: ignore[method-assign]
        machine.engine.keeper.begin(True, False)
        machine.settle()
        found = restarted(machine)
        assert not found.engine.coordinator.prepared
        assert names(found, "A") == []
        machine.stepped = between  # type: ignore[method-assign]

    machine.stepped = between  # type: ignore[method-assign]
    machine.back_out_prepared(xid)
    machine.stepped = lambda: None  # type: ignore[method-assign]
    assert steps >= 3
    churn(machine, 2)
    assert names(restarted(machine), "A") == []


@pytest.mark.parametrize("pages", [6, 8, 12])
def test_smallest_logs_when_worked_hard_then_never_overrun(pages: int) -> None:
    for seed in range(6):
        parameters = LogParameters(CIRCULAR, 2 + seed % 2, seed % 3, pages, False)
        run = Workload(seed, parameters, lazy=seed % 2 == 1)
        run.go(150)


def test_start_again_and_again_without_work_then_the_log_does_not_fill() -> None:
    machine = small()
    owner = machine.connect()
    machine.put("A", b"kept ")
    for _ in range(150):
        machine.put("A", b"lost ", link=owner, sync=True)
        machine.force(machine.engine.log.end_lsn)
        machine = restarted(machine)
        owner = machine.connect()
        machine.force(machine.engine.log.end_lsn)
    assert names(machine, "A") == ["kept"]
