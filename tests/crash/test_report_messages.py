"""Goal: a crash leaves a message that was put, got or removed together with its report, or neither
of both.

Method: messages that ask for reports on a simulated disk; the history of disk operations is cut
after every one, with each fate of what was not forced.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_RESOURCE_PROBLEM
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.kernel.put import put
from ternmq.kernel.reports import NOT_REPORTED
from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.mqi.putting import put_request
from ternmq.testing.machine import Machine, create
from ternmq.testing.operations import Mark
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.wreck import FATES, Wreck

pytestmark = [pytest.mark.core, pytest.mark.walk, pytest.mark.promise("P1")]
COUNT = 12
FROM, REPORTS = "Q.FROM", "Q.REPORTS"
BODIES = [f"message {number:03} {'x' * 400}".encode() for number in range(COUNT)]
LOGS = pytest.mark.parametrize("log_type", [CIRCULAR, LINEAR])


def started(log_type: int, buffer_bytes: int = 0) -> Machine:
    disk = SimDisk()
    create(disk, LogParameters(log_type, 3, 2, 64, False))
    machine = Machine(disk)
    machine.define(FROM, buffer_bytes)
    machine.define(REPORTS)
    return machine


def put_asking(machine: Machine, data: bytes, report: int, expiry: int = -1) -> None:
    link = machine.link
    handle = machine.drive(machine.verbs.open(link, FROM))
    md = Descriptor(report=report, reply_to_queue=REPORTS, persistence=1, expiry=expiry)
    options = PutOptions(options=mq.MQPMO_NO_SYNCPOINT)
    request = put_request(machine.kernel, link, md, options, "MQPUT")
    while put(machine.kernel, link, handle, request, data) is None:
        machine.settle()
    machine.force(int(link.durable_at))
    machine.settle()


def expire(machine: Machine) -> None:
    """A minute later, everything that has expired goes."""
    machine.clock.advance(61)  # type: ignore[attr-defined]
    assert machine.browse(FROM) == []  # which loads the queue
    for _ in range(2):  # the first one loads the other
        machine.engine.begin_expiry_scan()
        while machine.engine.scan_expired(100):
            pass
        machine.settle()
    machine.force(int(machine.engine.log.end_lsn))


def wrecks(disk: SimDisk, begun: int) -> Iterator[tuple[int, SimDisk]]:
    """What may be left after a crash at each operation from a place in the history on."""
    for at in range(begun, len(disk.history)):
        if isinstance(disk.history[at], Mark):
            continue
        wreck = Wreck(disk)
        wreck.advance(at + 1)
        for fate in FATES.values():
            yield at, wreck.disk_of([fate] * len(wreck.pending))


@LOGS
@pytest.mark.parametrize("buffer_bytes", [0, 4096], ids=["in memory", "swept"])
def test_crash_at_every_operation_of_gets_then_each_message_or_its_report_is_there(
    log_type: int, buffer_bytes: int
) -> None:
    machine = started(log_type, buffer_bytes)
    for body in BODIES:
        put_asking(machine, body, mq.MQRO_COD_WITH_FULL_DATA)
    machine.checkpoint(full=True)
    disk = machine.disk
    assert isinstance(disk, SimDisk)
    begun = len(disk.history)
    assert machine.drain(FROM) == BODIES
    seen = set()
    for at, left in wrecks(disk, begun):
        after = Machine(left)
        reported = after.drain(REPORTS)
        assert reported + after.browse(FROM) == BODIES, at
        seen.add(len(reported))
    assert seen == set(range(COUNT + 1))


def test_crash_between_the_records_of_a_get_then_the_message_or_its_report_is_there() -> None:
    """The boundary of a block, where a write may be torn, comes to lie between any two records."""
    machine = started(CIRCULAR)
    disk = machine.disk
    assert isinstance(disk, SimDisk)
    for size in range(3_300, 3_700, 10):
        body = bytes(size)
        put_asking(machine, body, mq.MQRO_COD_WITH_FULL_DATA)
        begun = len(disk.history)
        assert machine.drain(FROM) == [body]
        for at, left in wrecks(disk, begun):
            after = Machine(left)
            assert after.drain(REPORTS) + after.browse(FROM) == [body], (size, at)
        assert machine.drain(REPORTS) == [body]


@LOGS
def test_crash_at_every_operation_of_puts_then_each_message_has_its_report(log_type: int) -> None:
    machine = started(log_type)
    machine.checkpoint(full=True)
    disk = machine.disk
    assert isinstance(disk, SimDisk)
    begun = len(disk.history)
    for body in BODIES:
        put_asking(machine, body, mq.MQRO_COA_WITH_FULL_DATA)
    seen = set()
    for at, left in wrecks(disk, begun):
        after = Machine(left)
        reported = after.drain(REPORTS)
        assert reported == after.drain(FROM) == BODIES[: len(reported)], at
        seen.add(len(reported))
    assert seen == set(range(COUNT + 1))


@LOGS
@pytest.mark.parametrize("buffer_bytes", [0, 4096], ids=["in memory", "swept"])
def test_crash_at_every_operation_of_an_expiry_scan_then_each_message_is_reported_once(
    log_type: int, buffer_bytes: int
) -> None:
    machine = started(log_type, buffer_bytes)
    for body in BODIES:
        put_asking(machine, body, mq.MQRO_EXPIRATION_WITH_FULL_DATA, 600)
    machine.checkpoint(full=True)
    disk = machine.disk
    assert isinstance(disk, SimDisk)
    begun = len(disk.history)
    expire(machine)
    places = 0
    for at, left in wrecks(disk, begun):
        after = Machine(left)
        expire(after)
        assert sorted(after.drain(REPORTS)) == BODIES, at
        assert after.drain(FROM) == []
        places += 1
    assert places > 0
    assert sorted(machine.drain(REPORTS)) == BODIES
    assert machine.drain(FROM) == []


def small() -> Machine:
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, 3, 2, 16, False))
    machine = Machine(disk)
    machine.define(FROM)
    machine.define(REPORTS)
    machine.checkpoint(full=True)
    machine.kernel.notices.take()
    return machine


def test_delivery_when_the_log_has_no_room_for_its_report_then_operators_know() -> None:
    machine = small()
    space = machine.engine.coordinator.space
    before = space.reserved
    large = bytes(130_000)
    put_asking(machine, large, mq.MQRO_COD_WITH_FULL_DATA)
    assert machine.drain(FROM) == [large]
    assert machine.drain(REPORTS) == []
    told = [one for one in machine.kernel.notices.take() if one.message_id == NOT_REPORTED]
    problem = MQRC_RESOURCE_PROBLEM
    assert [one.inserts for one in told] == [(REPORTS, "QM1", problem, "", problem)]
    machine.checkpoint()
    assert space.reserved == before


def test_arrival_when_the_log_has_no_room_for_its_report_then_the_put_is_refused() -> None:
    machine = small()
    with pytest.raises(MQError) as refused:
        put_asking(machine, bytes(140_000), mq.MQRO_COA_WITH_FULL_DATA)
    assert refused.value.reason == MQRC_RESOURCE_PROBLEM
    assert machine.drain(FROM) == machine.drain(REPORTS) == []


def test_expiration_when_the_log_gets_room_for_its_report_then_it_is_reported() -> None:
    machine = small()
    large = bytes(110_000)
    put_asking(machine, large, mq.MQRO_EXPIRATION_WITH_FULL_DATA, 600)
    expire(machine)
    machine.checkpoint()
    expire(machine)
    assert machine.drain(FROM) == []
    assert machine.drain(REPORTS) == [large]
