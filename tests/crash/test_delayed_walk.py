"""Goal: whatever call on the disk the machine stops at, a message with a delivery delay is
delivered exactly once: one whose put was answered is never lost, none comes twice, and none that
was got comes again.

Method: an application puts messages with delays, outside syncpoint and inside, lets them become
due, and gets some; it is stopped at each call that it makes on the disk, with writes lost or kept.
After the restart all delays are over. And the log of a delivery is cut at every eighth
byte: so the machine also stops between any two of its records.
"""

from __future__ import annotations

import pytest

from ternmq import QueueManager
from ternmq.testing import Simulation, crash_everywhere
from ternmq.testing.operations import Write
from ternmq.testing.sim_clock import SimClock
from ternmq.testing.wreck import Wreck, front, kept

pytestmark = pytest.mark.core

PAD = bytes(3000)


class Shop:
    """An application, and what it was answered."""

    def __init__(self) -> None:
        self.put: list[bytes] = []  # answered
        self.got: list[bytes] = []
        self.tried = 0

    def run(self, qmgr: QueueManager) -> None:
        self.__init__()  # type: ignore[misc]
        with qmgr.queue("A") as queue:
            self._send(qmgr, 3)
            with qmgr.unit_of_work():
                names = [self._name() for _ in range(2)]
                for one in names:
                    queue.put(one + PAD, persistent=True, delay=2)
            self.put += names
            later(qmgr, 3)
            qmgr.checkpoint()
            self._take(qmgr, 2)
            self._send(qmgr, 2)
            later(qmgr, 3)
            self._take(qmgr, 1)

    def _name(self) -> bytes:
        self.tried += 1
        return b"%04d" % self.tried

    def _send(self, qmgr: QueueManager, count: int) -> None:
        with qmgr.queue("A") as queue:
            for _ in range(count):
                name = self._name()
                queue.put(name + PAD, persistent=True, delay=2)
                self.put.append(name)

    def _take(self, qmgr: QueueManager, count: int) -> None:
        with qmgr.queue("A") as queue:
            for _ in range(count):
                self.got.append(queue.get().data[:4])

    def check(self, qmgr: QueueManager) -> None:
        later(qmgr, 10)
        later(qmgr, 1)
        with qmgr.queue("SYSTEM.DDELAY.LOCAL.QUEUE") as staged:
            assert staged.depth == 0
        with qmgr.queue("A") as queue:
            found = [message.data[:4] for message in queue]
        assert len(set(found)) == len(found), "twice"
        assert not set(found) & set(self.got), "got, and there again"
        missing = set(self.put) - set(found) - set(self.got)
        # A get that the machine stopped in may have taken the next one.
        assert len(missing) <= 1, f"lost: {missing}"
        if missing and self.got:
            assert missing <= {min(set(self.put) - set(self.got))}


def later(qmgr: QueueManager, seconds: int) -> None:
    """So much time passes, and the queue manager does what is due."""
    shell = qmgr.started.shell
    clock = shell.engine.clock
    assert isinstance(clock, SimClock)
    clock.advance(seconds)
    with shell.lock:
        shell.engine.tick()
        shell.settle()
    while shell.run_effects() or _step(qmgr):
        pass


def _step(qmgr: QueueManager) -> bool:
    shell = qmgr.started.shell
    with shell.lock:
        more = shell.engine.delayed.step()
        shell.settle()
        return more or len(shell.engine.outbox.effects) > 0


def prepare(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")


def test_machine_when_it_stops_anywhere_then_each_message_is_delivered_once() -> None:
    shop = Shop()
    assert crash_everywhere(shop.run, shop.check, prepare=prepare) > 60


def test_log_when_it_is_cut_between_any_records_then_each_message_is_delivered_once() -> None:
    names = [b"first", b"second"]
    with Simulation() as simulation:
        qmgr = simulation.start()
        prepare(qmgr)
        with qmgr.queue("A") as queue:
            for name in names:
                queue.put(name, persistent=True, delay=2)
        simulation.settle()
        later(qmgr, 3)
        disk = simulation.disk
        shell = qmgr.started.shell
        before = len(disk.history)
        assert shell.engine.log.end_lsn > shell.engine.log.forced_lsn
        shell.forcer.force(int(shell.engine.log.end_lsn))
        place = next(
            at for at in range(before, len(disk.history)) if isinstance(disk.history[at], Write)
        )
        wreck = Wreck(disk).advance(place + 1)
        write = disk.history[place]
        assert isinstance(write, Write)
        size = len(write.data)
        assert size > 1000
        for count in range(0, size + 8, 8):
            simulation.qmgr = None
            fates = [kept] * (len(wreck.pending) - 1) + [front(count)]
            simulation.disk = wreck.disk_of(fates)
            qmgr = simulation.start()
            later(qmgr, 1)
            with qmgr.queue("A") as queue:
                assert [message.data for message in queue] == names, f"{count} of {size} bytes"
            with qmgr.queue("SYSTEM.DDELAY.LOCAL.QUEUE") as staged:
                assert staged.depth == 0
