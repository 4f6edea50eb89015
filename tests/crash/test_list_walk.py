"""Goal: wherever a put to a distribution list is cut off, all destinations have the message or none
(inside syncpoint always; outside, where they share a log record), and all have it once it was
acknowledged.

Method: units of work with puts to lists, committed and backed out, and puts outside, with
checkpoints between; the history of the disk is cut at operations, with every fate of what was
pending, and restarted.
"""

from __future__ import annotations

from collections import Counter

import pytest

from ternmq.base import constants as mq
from ternmq.codec.mqi.list_records import Destination, PutRecord
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.mqi.putting import put_request
from ternmq.testing.chance import Chance
from ternmq.testing.machine import Machine, create
from ternmq.testing.operations import Mark
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.wreck import FATES, Wreck, any_fate
from ternmq.values.calls.lists import Put1List

pytestmark = [
    pytest.mark.core,
    pytest.mark.walk,
    pytest.mark.promise("P1"),
    pytest.mark.promise("P2"),
]

QUEUES = ["A", "B", "C", "D"]
TO = [Destination(name) for name in QUEUES]
FIELDS = mq.MQPMRF_MSG_ID | mq.MQPMRF_FEEDBACK


class Round:
    """A put to all queues: when it began, when it was acknowledged, and what becomes of it."""

    def __init__(self, name: bytes, begun: int, lasts: bool) -> None:
        self.name = name
        self.begun = begun
        self.lasts = lasts
        self.done = 0


class Lists:
    """A workload of such puts."""

    def __init__(self, seed: int) -> None:
        self.chance = Chance(f"lists/{seed}")
        self.disk = SimDisk()
        create(self.disk, LogParameters(CIRCULAR, 3, 2, 64, False))
        self.machine = Machine(self.disk)
        for name in QUEUES:
            self.machine.define(name)
        self.begun = len(self.disk.history)
        self.rounds: list[Round] = []

    def put(self, name: bytes, sync: int) -> None:
        machine = self.machine
        md = Descriptor(persistence=mq.MQPER_PERSISTENT)
        request = put_request(machine.kernel, machine.link, md, PutOptions(options=sync), "MQPUT1")
        records = [PutRecord(name + b"/" + one.encode(), feedback=66_000) for one in QUEUES]
        call = Put1List(ObjectDescriptor(), TO, request, name * 50, FIELDS, records)
        machine.drive(machine.verbs.run(machine.link, call))
        assert call.found().known == len(QUEUES)

    def go(self, rounds: int) -> None:
        for number in range(rounds):
            name = b"round %03d" % number
            how = self.chance.choice(["inside", "backed out", "outside"])
            made = Round(name, len(self.disk.history), how != "backed out")
            self.rounds.append(made)
            if how == "outside":
                self.put(name, mq.MQPMO_NO_SYNCPOINT)
            else:
                self.put(name, mq.MQPMO_SYNCPOINT)
                if how == "inside":
                    self.machine.commit()
                else:
                    self.machine.back_out()
            made.done = len(self.disk.history)
            if self.chance.random() < 0.2:
                self.machine.checkpoint()


def check(run: Lists, disk: SimDisk, at: int) -> None:
    """What a restart finds after the operation `at`."""
    machine = Machine(disk)
    found: Counter[bytes] = Counter()
    for name in QUEUES:
        for entry in machine.take_all(name):
            tag = bytes(entry.data)[:9]
            assert entry.msg_id == (tag + b"/" + name.encode()).ljust(24, b"\0")
            assert entry.base[20:24] == (66_000).to_bytes(4, "little")
            found[tag] += 1
    for one in run.rounds:
        count = found.pop(one.name, 0)
        assert count in (0, len(QUEUES)), f"{one.name!r} is on {count} queues"
        if not one.lasts or one.begun > at:
            assert count == 0, f"{one.name!r} came back"
        elif one.done <= at:
            assert count == len(QUEUES), f"{one.name!r} is lost"
    assert not found


@pytest.mark.parametrize("seed", range(3))
def test_put_to_a_list_when_cut_off_then_all_queues_have_it_or_none(seed: int) -> None:
    run = Lists(seed)
    run.go(12)
    wreck = Wreck(run.disk)
    chance = Chance(f"fates/{seed}")
    restarts = places = 0
    for at, operation in enumerate(run.disk.history):
        if at < run.begun or isinstance(operation, Mark):
            continue
        wreck.advance(at + 1)
        places += 1
        if places % 5 != seed:
            continue
        fates = [[fate] * len(wreck.pending) for fate in FATES.values()]
        disks = [wreck.disk_of(one) for one in fates] if not wreck.is_settled else []
        disks.append(wreck.disk(any_fate(chance), lambda: chance.random() < 0.5))
        for disk in disks:
            check(run, disk, at)
            restarts += 1
    assert restarts > 20
