"""Goal: whatever a workload does with messages that ask for reports, each report is there exactly
once for what happened, and for nothing that did not.

Method: random puts, gets, units of work that are committed or backed out, and expiry scans, on a
small log and small buffers, so that messages are swept and the oldest unit is backed out; then a
restart, and all that is left is counted.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

import pytest

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_RESOURCE_PROBLEM,
    MQRC_SYNCPOINT_LIMIT_REACHED,
)
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.kernel.connection import Connection
from ternmq.kernel.put import put
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.mqi.putting import put_request
from ternmq.testing.chance import Chance
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_disk import SimDisk
from ternmq.values.entry import Entry

pytestmark = [pytest.mark.core, pytest.mark.promise("P1")]
SEEDS: Final = int(os.environ.get("CRASH_SEEDS", "1")) * 30
STEPS: Final = 250
PASSING: Final = (MQRC_BACKED_OUT, MQRC_RESOURCE_PROBLEM, MQRC_SYNCPOINT_LIMIT_REACHED)
KINDS: Final = (mq.MQRO_COA, mq.MQRO_COD, mq.MQRO_EXPIRATION)
WORK, REPLIES = "WORK", "REPLIES"


class Run:
    """One workload, and what it has to leave."""

    def __init__(self, seed: int, lazy: bool) -> None:
        self.chance = Chance(seed)
        self.deep = seed % 2 == 1
        self.disk = SimDisk()
        create(self.disk, LogParameters(CIRCULAR, 3, 2, 16, False))
        self.machine = Machine(self.disk, self.chance if lazy else None)
        self.machine.define(WORK, 4096)
        self.machine.define(REPLIES, 4096)
        self.links = [self.machine.connect() for _ in range(3)]
        self.asked: dict[int, int] = {}  # of each message that was put: its options
        self.got: set[int] = set()
        self.open_puts: dict[int, dict[int, int]] = {}  # by connection: in its unit of work
        self.open_gets: dict[int, set[int]] = {}
        self.reports: list[tuple[int, int]] = []
        self.next = 0

    def go(self) -> None:
        # In every second run the queue grows: then more of it is swept, and expires there.
        fifth = self.put if self.deep else self.get
        steps = (self.put, self.put, self.put, self.get, fifth, self.end, self.expire)
        for _ in range(STEPS):
            link = self.chance.choice(self.links)
            self.attempt(self.chance.choice(steps), link)
        for link in self.links:
            self.attempt(self.end, link)

    def attempt(self, step: Callable[[Connection], None], link: Connection) -> None:
        """A step may be refused for want of log space: then nothing was done."""
        try:
            step(link)
        except MQError as error:
            if error.reason not in PASSING:
                raise
            if error.reason == MQRC_BACKED_OUT:
                self.forget_unit(link)

    def put(self, link: Connection) -> None:
        number = self.next
        self.next += 1
        report = 0
        for kind in KINDS:
            report |= kind * self.chance.choice((0, 1, 3, 7))
        sync = self.chance.random() < 0.5
        md = Descriptor(report=report, persistence=1)
        if report:
            md.reply_to_queue = REPLIES
        if self.chance.random() < 0.3:
            md.expiry = 600
        md.correl_id = number.to_bytes(24, "big")
        md.report |= mq.MQRO_PASS_CORREL_ID
        options = mq.MQPMO_SYNCPOINT if sync else mq.MQPMO_NO_SYNCPOINT
        machine = self.machine
        handle = machine.drive(machine.verbs.open(link, WORK))
        request = put_request(machine.kernel, link, md, PutOptions(options=options), "MQPUT")
        data = bytes(self.chance.randrange(3000))
        while put(machine.kernel, link, handle, request, data) is None:
            assert link.park is not None
            machine.settle()
        machine.force(int(link.durable_at))
        machine.dawdle()
        if sync:
            self.open_puts.setdefault(link.connection_id, {})[number] = report
        else:
            self.asked[number] = report

    def get(self, link: Connection) -> None:
        sync = self.chance.random() < 0.5
        entry = self.machine.get(WORK, link=link, sync=sync)
        if entry is not None:
            if sync:
                self.open_gets.setdefault(link.connection_id, set()).add(number_of(entry))
            else:
                self.got.add(number_of(entry))

    def end(self, link: Connection) -> None:
        if self.chance.random() < 0.6:
            self.machine.commit(link)
            self.asked.update(self.open_puts.get(link.connection_id, {}))
            self.got |= self.open_gets.get(link.connection_id, set())
        else:
            self.machine.back_out(link)
        self.forget_unit(link)

    def forget_unit(self, link: Connection) -> None:
        self.open_puts.pop(link.connection_id, None)
        self.open_gets.pop(link.connection_id, None)

    def expire(self, link: Connection) -> None:
        machine = self.machine
        machine.clock.advance(self.chance.choice((1, 30, 70)))  # type: ignore[attr-defined]
        machine.engine.begin_expiry_scan()
        while machine.engine.scan_expired(100):
            pass
        machine.dawdle()
        if self.chance.random() < 0.3:
            entry = machine.get(REPLIES, link=link)
            if entry is not None:
                self.reports.append(report_of(entry))

    def check(self) -> None:
        """After a crash, all of it is there, once."""
        machine = self.machine
        machine.settle()
        machine.force(int(machine.engine.log.end_lsn))
        after = Machine(self.disk.survivor())
        after.browse(WORK)
        for _ in range(2):
            after.engine.begin_expiry_scan()
            while after.engine.scan_expired(100):
                pass
            after.settle()
        left = {number_of(one) for one in after.look(WORK)}
        found = self.reports + [report_of(one) for one in after.take_all(REPLIES)]
        assert len(found) == len(set(found))
        assert self.got <= set(self.asked)
        assert left <= set(self.asked) - self.got
        expired = set(self.asked) - self.got - left
        wanted = set()
        for feedback, option, numbers in (
            (mq.MQFB_COA, mq.MQRO_COA, set(self.asked)),
            (mq.MQFB_COD, mq.MQRO_COD, self.got),
            (mq.MQFB_EXPIRATION, mq.MQRO_EXPIRATION, expired),
        ):
            wanted |= {(feedback, one) for one in numbers if self.asked[one] & option}
        assert set(found) == wanted


def number_of(entry: Entry) -> int:
    return int.from_bytes(entry.correl_id, "big")


def report_of(entry: Entry) -> tuple[int, int]:
    return Descriptor.unpack(entry.base).feedback, number_of(entry)


@pytest.mark.parametrize("lazy", [False, True], ids=["at once", "lazy"])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_workload_with_reports_then_each_is_there_once_for_what_happened(
    seed: int, lazy: bool
) -> None:
    run = Run(seed, lazy)
    run.go()
    run.check()
    assert run.got
