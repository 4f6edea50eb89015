"""A partner made of bytes, for one agent: says what no agent of ours would say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ternmq.base.object_types import RECEIVER, SENDER
from ternmq.channel.agent import Agent
from ternmq.channel.channel_state import NO_LUWID
from ternmq.channel.opening import answered, wishes
from ternmq.channel.receiver import ReceivingAgent
from ternmq.channel.sender import SendingAgent
from ternmq.channel.settings import ChannelSettings
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.channel_flows import ChannelWriter, Status, read_status
from ternmq.wire.fap.dialogue import ACCEPTOR, INITIATOR
from ternmq.wire.fap.initial_data import InitialData, read_initial_data, write_initial_data
from ternmq.wire.fap.segment import Header, Segment, read_segment, segment
from tests.unit.channel.model import SECOND, Engine, settings

WRITER: Final = ChannelWriter(1208)


class Raw:
    """One agent with its engine; the partner is the test."""

    def __init__(self, agent: Agent, engine: Engine, partner: ChannelSettings) -> None:
        self.agent = agent
        self.engine = engine
        self.partner = partner
        self.now = 5 * SECOND
        self.heard: list[Segment] = []
        agent.start(self.now)
        self.run()

    def run(self) -> None:
        """Wants are carried out; what was sent is kept."""
        agent = self.agent
        while True:
            self.heard += [read_segment(data) for data in agent.take_segments()]
            want = agent.want
            if want is None:
                return
            agent.want = None
            self.engine.run(want)
            if agent.end is None:
                agent.done(want, self.now)

    def say(self, data: bytes) -> None:
        """A segment to the agent."""
        if self.agent.end is None:
            self.agent.received(read_segment(data), self.now)
            self.run()

    def tick(self, seconds: float) -> None:
        """Time passes."""
        self.now += int(seconds * SECOND)
        self.agent.tick(self.now)
        self.run()

    def initial(self, data: InitialData, flags: int = fap.CONFIRM_REQUEST) -> None:
        header = Header(fap.INITIAL_DATA, flags_1=flags)
        self.say(segment(header, write_initial_data(header, data)))

    def take(self) -> list[Segment]:
        """What was heard since."""
        found, self.heard = self.heard, []
        return found

    def types(self) -> list[int]:
        return [one.header.type for one in self.heard]

    def last_status(self) -> Status:
        assert self.heard[-1].header.type == fap.STATUS_DATA
        return read_status(self.heard[-1])


def raw_to_receiver(
    channel: ChannelSettings | None = None, batch: int = 50, is_fast: bool = False
) -> Raw:
    """A receiver that has agreed with a raw sender and is resynchronized."""
    own = channel or settings(RECEIVER, "QMB")
    own.is_fast = is_fast
    partner = settings(SENDER, "QMA")
    partner.batch_messages = batch
    partner.is_fast = is_fast
    raw = Raw(ReceivingAgent(own, ACCEPTOR), Engine(False), partner)
    raw.initial(wishes(partner, False))
    if raw.heard and raw.heard[-1].header.flags_1 & fap.ERROR:
        answer = read_initial_data(raw.heard[-1])
        again = wishes(partner, False)
        again.batch_messages_max = answer.batch_messages_max
        again.message_bytes_max = answer.message_bytes_max
        again.heartbeat_s = answer.heartbeat_s
        again.segment_bytes_max = answer.segment_bytes_max
        again.capabilities_2 &= ~answer.refused_capabilities_2
        raw.initial(again)
    raw.take()
    raw.say(WRITER.resync(fap.CONFIRM_REQUEST, 0, NO_LUWID))
    return raw


def raw_to_sender(channel: ChannelSettings | None = None, *queue: bytes) -> Raw:
    """A sender that has agreed with a raw receiver, which has committed nothing."""
    own = channel or settings(SENDER, "QMA")
    partner = settings(RECEIVER, "QMB")
    partner.pipelines = own.pipelines
    engine = Engine(True)
    engine.queue = list(queue)
    raw = Raw(SendingAgent(own, INITIATOR), engine, partner)
    asked = read_initial_data(raw.heard[-1])
    made, _again = answered(partner, asked, raw.heard[-1].header)
    raw.take()
    raw.initial(made, 0)
    assert raw.types() == [fap.RESYNC_DATA]
    raw.take()
    raw.say(WRITER.resync(fap.REQUEST_ACCEPTED, 0, NO_LUWID))
    return raw


def pieces(message: bytes, sequence: int, luwid: bytes, size: int = 32748) -> Iterator[bytes]:
    """Segments of a message."""
    yield from WRITER.pieces(message, sequence, luwid, 0, size)
