"""Goal: whatever call on the disk the machine of a sending or a receiving channel stops at, each
message arrives exactly once and in order, and both ends agree on the number of the last one.

Method: one end of the channel is a queue manager on a simulated disk, which is stopped at each call
that it makes on the disk, with writes lost or kept; the other end is a few lines of the test that
remember what a partner would. After the restart both resynchronize as agents do, and go on.
"""

from __future__ import annotations

import pytest

from ternmq import QueueManager
from ternmq.base import constants as mq
from ternmq.channel import agent
from ternmq.channel.channel_state import NO_LUWID
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.testing import crash_everywhere
from tests.unit.kernel.channel_rig import CHANNEL, LUWIDS, End, bodies

pytestmark = pytest.mark.core

PAD = bytes(3000)
BATCHES = [2, 3, 1, 2]
NAMES = [b"%04d" % number for number in range(sum(BATCHES))]


class Receiver:
    """The partner of a sender that is tested. It commits a batch when it is asked to confirm."""

    def __init__(self) -> None:
        self.came: list[bytes] = []
        self.sequence = 0
        self.luwid = NO_LUWID
        self.number = 0  # of the next LUWID

    def run(self, qmgr: QueueManager) -> None:
        """The sender works until its queue is empty."""
        end = End(qmgr, is_sender=True, partner="QM2", xmitq="QM2")
        state = end.start()
        if state.is_in_doubt:
            assert state.in_doubt_sequence - state.last_sequence == state.in_doubt_messages
            if state.in_doubt_luwid == self.luwid:
                end.run(agent.COMMIT, in_doubt=True)
                assert self.sequence == state.in_doubt_sequence
            else:
                assert state.last_luwid == self.luwid
                end.run(agent.BACK_OUT, in_doubt=True)
        else:
            assert (state.last_luwid, state.last_sequence) == (self.luwid, self.sequence)
        while self._batch(end):
            pass

    def _batch(self, end: End) -> bool:
        came: list[bytes] = []
        size = BATCHES[self.number % len(BATCHES)]
        luwid = LUWIDS[self.number]
        self.number += 1
        while len(came) < size:
            message = end.run(agent.GET).message
            if message is None:
                break
            came.append(message[mq.MQXQH_CURRENT_LENGTH :][:4])
        if not came:
            return False
        sequence = self.sequence + len(came)
        end.run(agent.PREPARE, luwid=luwid, sequence=sequence, messages=len(came))
        self.came += came
        self.sequence = sequence
        self.luwid = luwid
        end.run(agent.COMMIT, luwid=luwid, sequence=sequence, messages=len(came))
        return True


class Sending:
    """A queue manager that sends, in many lives."""

    def __init__(self, checkpoints: bool) -> None:
        self.checkpoints = checkpoints
        self.partner = Receiver()

    def prepare(self, qmgr: QueueManager) -> None:
        qmgr.mqsc(
            "DEFINE QLOCAL(QM2) USAGE(XMITQ) DEFPSIST(YES)\n"
            "DEFINE QREMOTE(T) RNAME(T) RQMNAME(QM2) DEFPSIST(YES)\n"
            f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SDR) CONNAME('x') XMITQ(QM2)\n"
        )
        with qmgr.queue("T") as queue:
            for name in NAMES:
                queue.put(name + PAD)

    def run(self, qmgr: QueueManager) -> None:
        self.partner = Receiver()
        self.partner.run(qmgr)
        if self.checkpoints:
            qmgr.checkpoint()

    def check(self, qmgr: QueueManager) -> None:
        if self.checkpoints:
            qmgr.checkpoint()
        self.partner.run(qmgr)
        assert self.partner.came == NAMES
        with qmgr.queue("QM2") as queue:
            assert queue.depth == 0


@pytest.mark.parametrize("checkpoints", [False, True])
def test_sender_when_it_stops_anywhere_then_each_message_is_sent_once(checkpoints: bool) -> None:
    sending = Sending(checkpoints)
    looked = crash_everywhere(sending.run, sending.check, prepare=sending.prepare)
    assert looked > 20


class Sender:
    """The partner of a receiver that is tested: what it has sent is in doubt until it is told."""

    def __init__(self) -> None:
        self.left = list(NAMES)
        self.sequence = 0
        self.luwid = NO_LUWID
        self.number = 0
        self.in_doubt: tuple[bytes, int, int] | None = None  # LUWID, last number, messages

    def run(self, qmgr: QueueManager) -> None:
        end = End(qmgr, is_sender=False, partner="QM2")
        state = end.start()
        if self.in_doubt is not None:
            luwid, _, _ = self.in_doubt
            if state.last_luwid == luwid:
                self._confirmed()
            self.in_doubt = None
        assert (state.last_luwid, state.last_sequence) == (self.luwid, self.sequence)
        while self.left:
            size = min(BATCHES[self.number % len(BATCHES)], len(self.left))
            luwid = LUWIDS[self.number]
            self.number += 1
            for name in self.left[:size]:
                placed = end.run(agent.PLACE, message=on_the_wire(name))
                assert placed.outcome == agent.PLACED
            self.in_doubt = (luwid, self.sequence + size, size)
            end.run(agent.COMMIT, luwid=luwid, sequence=self.sequence + size, messages=size)
            self._confirmed()

    def _confirmed(self) -> None:
        assert self.in_doubt is not None
        self.luwid, self.sequence, count = self.in_doubt
        del self.left[:count]
        self.in_doubt = None


def on_the_wire(name: bytes) -> bytes:
    md = Descriptor(version=1, msg_id=name.ljust(24), persistence=1, priority=0, user_id="bob")
    return TransmissionHeader(remote_queue="T", remote_qmgr="QM1", descriptor=md).pack() + (
        name + PAD
    )


class Receiving:
    """A queue manager that receives, in many lives."""

    def __init__(self, checkpoints: bool) -> None:
        self.checkpoints = checkpoints
        self.partner = Sender()

    def prepare(self, qmgr: QueueManager) -> None:
        qmgr.mqsc(f"DEFINE QLOCAL(T)\nDEFINE CHANNEL({CHANNEL}) CHLTYPE(RCVR)\n")

    def run(self, qmgr: QueueManager) -> None:
        self.partner = Sender()
        self.partner.run(qmgr)
        if self.checkpoints:
            qmgr.checkpoint()

    def check(self, qmgr: QueueManager) -> None:
        if self.checkpoints:
            qmgr.checkpoint()
        self.partner.run(qmgr)
        assert [one[:4] for one in bodies(qmgr, "T")] == NAMES


@pytest.mark.parametrize("checkpoints", [False, True])
def test_receiver_when_it_stops_anywhere_then_each_message_is_put_once(checkpoints: bool) -> None:
    receiving = Receiving(checkpoints)
    looked = crash_everywhere(receiving.run, receiving.check, prepare=receiving.prepare)
    assert looked > 20
