"""Two queue managers on simulated disks with a channel between them, whose wants the test carries
out itself: no agent, no socket."""

from __future__ import annotations

from ternmq.base.object_types import SENDER
from ternmq.channel import agent
from ternmq.channel.agent import Want
from ternmq.channel.channel_state import ChannelState
from ternmq.channel.settings import ChannelSettings
from ternmq.kernel.channel_work import ChannelWork
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.mqi.steps.channel_receiving import receiving_step
from ternmq.mqi.steps.channel_sending import sending_step
from ternmq.runtime.embedded import QueueManager
from ternmq.testing import Simulation

CHANNEL = "QMA.TO.QMB"
LUWIDS = [number.to_bytes(8, "big") for number in range(1, 100)]


class End:
    """One end of a running channel."""

    def __init__(
        self,
        qmgr: QueueManager,
        *,
        is_sender: bool,
        partner: str,
        xmitq: str = "",
        channel: str = CHANNEL,
        user: str = "mqm",
    ) -> None:
        self.qmgr = qmgr
        self.is_sender = is_sender
        self.shell = qmgr.started.shell
        self.kernel: Kernel = self.shell.engine.kernel
        self.link: Connection = self.shell.engine.connect(user, "channel")
        definition = self.kernel.catalog.find(SENDER, channel)
        assert definition is not None
        settings = ChannelSettings(channel, definition.object_type, qmgr.name)
        self.work = ChannelWork(definition, settings, xmitq, "127.0.0.1(1414)")
        self.work.partner_qmgr = partner

    def run(self, kind: int, **given: object) -> Want:
        want = Want(kind)
        for name, value in given.items():
            assert hasattr(want, name), name
            setattr(want, name, value)
        self.carry_out(want)
        return want

    def carry_out(self, want: Want) -> None:
        make = sending_step if self.is_sender else receiving_step
        step = make(self.work, want)
        self.shell.run(self.link, step)
        step.before_travel()

    def start(self) -> ChannelState:
        state = self.run(agent.READ_STATE).state
        assert state is not None
        return state

    def end(self, vanished: bool = True) -> None:
        """The connection ends, as a driver ends it."""
        from ternmq.mqi.steps.units import Disconnect
        from ternmq.values.calls.units import Disconnect as Call

        call = Call()
        call.vanished = vanished
        self.shell.run(self.link, Disconnect(call))


class Pair:
    """QMA sends to QMB."""

    LOG_FILE_PAGES = 256

    def __init__(self, attributes: str = "", receiver: str = "") -> None:
        self.left = Simulation("QMA", log_file_pages=self.LOG_FILE_PAGES)
        self.right = Simulation("QMB", log_file_pages=self.LOG_FILE_PAGES)
        self.qma = self.left.start()
        self.qmb = self.right.start()
        self.receiver_attributes = receiver
        answers = self.qma.mqsc(
            "DEFINE QLOCAL(QMB) USAGE(XMITQ) DEFPSIST(YES)\n"
            "DEFINE QREMOTE(TARGET) RNAME(TARGET) RQMNAME(QMB) DEFPSIST(YES)\n"
            f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SDR) CONNAME('127.0.0.1(1414)') XMITQ(QMB) "
            f"{attributes}\n"
            "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)\n"
        )
        answers += self.qmb.mqsc(
            "DEFINE QLOCAL(TARGET) DEFPSIST(YES)\n"
            f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(RCVR) {receiver}\n"
            "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)\n"
        )
        assert all(one.ok for one in answers), answers
        self.open()

    def open(self) -> None:
        """Both ends run."""
        self.sender = End(self.qma, is_sender=True, partner="QMB", xmitq="QMB")
        self.receiver = End(self.qmb, is_sender=False, partner="QMA")

    def start(self) -> tuple[ChannelState, ChannelState]:
        return self.sender.start(), self.receiver.start()

    def put(self, *bodies: bytes, **given: object) -> None:
        with self.qma.queue("TARGET") as queue:
            for body in bodies:
                queue.put(body, **given)  # type: ignore[arg-type]

    def send(self, count: int, *, is_fast: bool = False) -> list[Want]:
        """So many messages go over; what became of each at the receiver."""
        placed: list[Want] = []
        for _ in range(count):
            got = self.sender.run(agent.GET, is_fast=is_fast)
            assert got.message is not None
            assert got.reason == 0
            placed.append(self.receiver.run(agent.PLACE, message=got.message, is_fast=got.is_fast))
        return placed

    def batch(self, count: int, sequence: int, luwid: bytes) -> None:
        """A whole batch of messages under syncpoint; the last one has this number."""
        self.send(count)
        self.sender.run(agent.PREPARE, luwid=luwid, sequence=sequence, messages=count)
        self.receiver.run(agent.COMMIT, luwid=luwid, sequence=sequence, messages=count)
        self.sender.run(agent.COMMIT, luwid=luwid, sequence=sequence, messages=count)

    def restart(self, *, crash: bool = True) -> None:
        """Both machines stop and start again."""
        for side in (self.left, self.right):
            if crash:
                side.crash()
            else:
                side.kill()
        self.qma = self.left.start()
        self.qmb = self.right.start()
        self.open()


def depth(qmgr: QueueManager, name: str) -> int:
    with qmgr.queue(name) as queue:
        return queue.depth


def bodies(qmgr: QueueManager, name: str) -> list[bytes]:
    """The messages of a queue, which are got."""
    with qmgr.queue(name) as queue:
        return [message.data for message in queue]


def notices(qmgr: QueueManager) -> list[str]:
    return [one.message_id for one in qmgr.started.shell.engine.kernel.notices.waiting]
