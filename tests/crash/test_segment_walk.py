"""Goal (G24): wherever the power is lost, all segments of a message are there, or none; those of a
put that was answered are, those of a get that was answered are not.

Method: messages of several segments, put and got outside syncpoint and inside, on a small log; the
history of the disk is cut at every operation, with every fate of what was pending.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.kernel.get import get_returnable
from ternmq.kernel.returning import take_back
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.mqi.getting import get_request
from ternmq.mqi.putting import put_request
from ternmq.testing.chance import Chance
from ternmq.testing.machine import Machine, create
from ternmq.testing.operations import Mark
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.wreck import FATES, Wreck, any_fate
from ternmq.values.calls.messages import Get, Put
from ternmq.values.get_request import GetRequest

pytestmark = [
    pytest.mark.core,
    pytest.mark.walk,
    pytest.mark.promise("P1"),
    pytest.mark.promise("P2"),
]

SEGMENTS = 100  # records of several blocks of the log
LENGTH = 64


def asked(options: int) -> GetRequest:
    """A complete message."""
    gmo = GetOptions(options=options | mq.MQGMO_COMPLETE_MSG)
    return get_request(Descriptor(), gmo, 1 << 30)


class Workload:
    """Messages by their first byte, and which of them must or may be there from when on."""

    def __init__(self) -> None:
        self.disk = SimDisk()
        create(self.disk, LogParameters(CIRCULAR, 3, 2, 64, False))
        self.machine = Machine(self.disk)
        self.machine.define("A", max_message_length=LENGTH)
        self.begun = len(self.disk.history)
        self.put_at: dict[int, tuple[int, int]] = {}  # from when on it may, and must be there
        self.got_at: dict[int, tuple[int, int]] = {}  # from when on it may, and must be gone
        self.absent: dict[int, tuple[int, int]] = {}  # between these it may be gone

    @property
    def now(self) -> int:
        return len(self.disk.history)

    def put(self, number: int, options: int) -> None:
        machine = self.machine
        link = machine.connect()
        begun = self.now
        handle = machine.drive(machine.verbs.open(link, "A"))
        md = Descriptor(version=2, msg_flags=mq.MQMF_SEGMENTATION_ALLOWED, persistence=1)
        request = put_request(machine.kernel, link, md, PutOptions(options=options), "MQPUT")
        call = Put(handle, request, bytes([number]) * LENGTH * SEGMENTS)
        machine.drive(machine.verbs.run(link, call))
        if options == mq.MQPMO_SYNCPOINT:
            machine.commit(link)
        self.put_at[number] = (begun, self.now)

    def get(self, number: int, options: int) -> None:
        """The next message, which is this one."""
        machine = self.machine
        link = machine.connect()
        begun = self.now
        handle = machine.drive(machine.verbs.open(link, "A"))
        call = Get(handle, asked(options))
        machine.drive(machine.verbs.run(link, call))
        message = call.message
        assert message is not None
        assert message.data == bytes([number]) * LENGTH * SEGMENTS
        if options == mq.MQGMO_SYNCPOINT:
            machine.commit(link)
        self.got_at[number] = (begun, self.now)

    def return_unanswered(self, number: int) -> None:
        """Get it outside syncpoint, and then its getter is gone: it may be gone meanwhile."""
        machine = self.machine
        link = machine.connect()
        handle = machine.drive(machine.verbs.open(link, "A"))
        begun = self.now
        call = get_returnable(machine.kernel, link, handle, asked(mq.MQGMO_NO_SYNCPOINT))
        assert call.entry is not None
        assert call.entry.data[0] == number
        machine.force(int(link.durable_at))
        take_back(machine.kernel, call)
        machine.force(int(link.durable_at))
        self.absent[number] = (begun, self.now)

    def check(self, disk: SimDisk, at: int) -> None:
        """What is there after a power loss that left this disk."""
        counts: dict[int, int] = {}
        for entry in Machine(disk).look("A"):
            counts[entry.data[0]] = counts.get(entry.data[0], 0) + 1
        assert set(counts.values()) <= {SEGMENTS}
        for number, (may, must) in self.put_at.items():
            gone_may, gone_must = self.got_at.get(number, (1 << 60, 1 << 60))
            absent_from, absent_to = self.absent.get(number, (1 << 60, 0))
            if must <= at < gone_may and not absent_from <= at < absent_to:
                assert number in counts, f"message {number} is lost"
            if at < may or at >= gone_must:
                assert number not in counts, f"message {number} is there"


def wrecks(wreck: Wreck, seed: str) -> Iterator[SimDisk]:
    if wreck.is_settled:
        yield wreck.disk_of([])
        return
    for fate in FATES.values():
        yield wreck.disk_of([fate] * len(wreck.pending))
    chance = Chance(seed)
    yield wreck.disk(any_fate(chance), lambda: chance.random() < 0.5)


def walk(run: Workload) -> int:
    """Cut at every operation; how many restarts there were."""
    wreck = Wreck(run.disk)
    restarts = 0
    history = list(run.disk.history)
    for at, operation in enumerate(history):
        if at < run.begun or isinstance(operation, Mark):
            continue
        wreck.advance(at + 1)
        for disk in wrecks(wreck, f"{at}"):
            run.check(disk, at + 1)
            restarts += 1
    return restarts


def test_segmented_puts_when_the_power_is_lost_then_each_is_whole_or_not_there() -> None:
    run = Workload()
    run.put(1, mq.MQPMO_NO_SYNCPOINT)
    run.put(2, mq.MQPMO_SYNCPOINT)
    run.machine.checkpoint()
    assert walk(run) > 20


def test_complete_gets_when_the_power_is_lost_then_each_message_is_whole_or_gone() -> None:
    run = Workload()
    run.put(1, mq.MQPMO_NO_SYNCPOINT)
    run.put(2, mq.MQPMO_NO_SYNCPOINT)
    run.begun = run.now
    run.get(1, mq.MQGMO_NO_SYNCPOINT)
    run.machine.checkpoint()
    run.get(2, mq.MQGMO_SYNCPOINT)
    assert walk(run) > 20


def test_complete_get_when_taken_back_and_the_power_is_lost_then_the_message_is_whole() -> None:
    run = Workload()
    run.put(1, mq.MQPMO_NO_SYNCPOINT)
    run.begun = run.now
    run.return_unanswered(1)
    run.machine.checkpoint()
    run.get(1, mq.MQGMO_NO_SYNCPOINT)
    assert walk(run) > 20
