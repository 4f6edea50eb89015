"""Two agents joined in memory, each with an engine that is a few lists with syncpoint.

`Engine` keeps what a queue manager keeps: committed things survive `restart`, others do not. `Pair`
carries segments as bytes from one agent to the other, so that a link can be cut at any byte, and
runs wants, so that any of them can fail.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from ternmq.base.errors import MQError
from ternmq.base.object_types import RECEIVER, REQUESTER, SENDER
from ternmq.channel.agent import (
    BACK_OUT,
    BURIED,
    BURY,
    COMMIT,
    DISCARDED,
    GET,
    PLACE,
    PLACED,
    PREPARE,
    READ_STATE,
    RESET,
    TRY_AGAIN,
    Agent,
    End,
    Want,
)
from ternmq.channel.channel_state import NO_LUWID, ChannelState
from ternmq.channel.receiver import ReceivingAgent
from ternmq.channel.sender import SendingAgent
from ternmq.channel.settings import ChannelSettings
from ternmq.channel.transmission_message import is_persistent
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.wire.fap.dialogue import ACCEPTOR, INITIATOR
from ternmq.wire.fap.segment_reader import SegmentReader

SECOND: Final = 1_000_000_000


def message(data: bytes, persistent: bool = True, queue: str = "T") -> bytes:
    """A message as a transmission queue holds it."""
    descriptor = Descriptor(version=1, persistence=1 if persistent else 0)
    head = TransmissionHeader(remote_queue=queue, remote_qmgr="QMB", descriptor=descriptor)
    return head.pack() + data


def settings(kind: int, qmgr: str) -> ChannelSettings:
    """A channel's settings at one end."""
    made = ChannelSettings("QMA.QMB", kind, qmgr)
    made.qmgr_id = f"{qmgr}_2026-01-01_00.00.00"
    made.product_id = "MQMM09040000"
    made.ccsid = 1208
    made.address = "127.0.0.1(1414)"
    return made


class Engine:
    """What one queue manager keeps for one channel."""

    def __init__(self, is_sender: bool) -> None:
        self.is_sender = is_sender
        self.queue: list[bytes] = []  # the transmission queue, or the target
        self.dead_letters: list[tuple[bytes, int]] = []
        self.state = ChannelState("QMA.QMB", is_sender)
        self.prepared: tuple[bytes, int, list[bytes], list[tuple[bytes, int]]] | None = None
        self.most_in_doubt = 0
        self.unit: list[bytes] = []
        self.unit_buried: list[tuple[bytes, int]] = []
        self.has_dead_letter_queue = True
        self.full_for = 0  # so many attempts to put fail
        self.discarded: list[bytes] = []
        self.fast = False
        self.log: list[int] = []
        self._got: list[bytes] = []  # in the order of the queue, to put them back so

    def hold_in_doubt(self, luwid: bytes, sequence: int, message: bytes) -> None:
        """A batch of one message was sent before, and is in doubt."""
        self._got.append(message)
        self.prepared = (luwid, sequence, [message], [])

    def restart(self) -> None:
        """A crash: what is not committed or prepared is undone."""
        self._back_out()

    def _back_out(self) -> None:
        if self.is_sender:
            self._put_back(self.unit)
        self.unit = []
        self.unit_buried = []

    def _put_back(self, messages: list[bytes]) -> None:
        """Each to its old place, whatever was put back before."""
        places = {id(one): place for place, one in enumerate(self._got)}
        back = [*messages, *[one for one in self.queue if id(one) in places]]
        back.sort(key=lambda one: places[id(one)])
        self.queue[:] = [*back, *[one for one in self.queue if id(one) not in places]]

    def run(self, want: Want) -> None:
        """Carry a want out; MQError if it cannot be."""
        self.log.append(want.kind)
        kind = want.kind
        if kind == READ_STATE:
            want.state = self._state()
        elif kind == RESET:
            self.state.last_sequence = want.sequence
            self.state.reset_sequence = 0
        elif kind == GET:
            self._get(want)
        elif kind == PREPARE:
            assert self.prepared is None, "two batches in doubt"
            self.prepared = (want.luwid, want.sequence, self.unit, self.unit_buried)
            self.unit, self.unit_buried = [], []
        elif kind == COMMIT:
            self._commit(want)
        elif kind == BACK_OUT:
            self._backed_out(want)
        elif kind == BURY:
            self._bury(want)
        elif kind == PLACE:
            self._place(want)

    def _state(self) -> ChannelState:
        made = ChannelState("QMA.QMB", self.is_sender)
        made.last_sequence = self.state.last_sequence
        made.last_luwid = self.state.last_luwid
        made.reset_sequence = self.state.reset_sequence
        if self.prepared is not None:
            made.is_in_doubt = True
            made.in_doubt_luwid, made.in_doubt_sequence = self.prepared[:2]
            made.in_doubt_messages = len(self.prepared[2])
        return made

    def _get(self, want: Want) -> None:
        if not self.queue:
            return
        found = self.queue.pop(0)
        if not any(one is found for one in self._got):
            self._got.append(found)
        want.message = found
        want.is_fast = self.fast and len(found) >= 428 and not is_persistent(found)
        if not want.is_fast:
            self.unit.append(found)

    def _commit(self, want: Want) -> None:
        if self.prepared is not None and self.prepared[0] == want.luwid:
            luwid, sequence, _gone, buried = self.prepared
            assert want.sequence == sequence
            self.prepared = None
            self.dead_letters += buried
            self.state.last_luwid, self.state.last_sequence = luwid, sequence
            self.state.reset_sequence = 0
            return
        assert not want.in_doubt
        if self.is_sender:
            assert want.luwid == self.state.last_luwid
            self.unit = []
        else:
            assert want.luwid not in (NO_LUWID, self.state.last_luwid)
            self.queue += self.unit
            self.unit = []
            self.state.last_luwid, self.state.last_sequence = want.luwid, want.sequence
        self.dead_letters += self.unit_buried
        self.unit_buried = []

    def _backed_out(self, want: Want) -> None:
        if want.in_doubt:
            assert self.prepared is not None
            assert self.prepared[0] == want.luwid
            self._put_back(self.prepared[2])
            self.prepared = None
        else:
            self._back_out()

    def _bury(self, want: Want) -> None:
        if not self.has_dead_letter_queue:
            raise MQError(2, 2085)
        assert want.message is not None
        self.unit_buried.append((want.message, want.reason))

    def _place(self, want: Want) -> None:
        assert want.message is not None
        if self.full_for:
            self.full_for -= 1
            if not want.is_final:
                want.outcome, want.reason = TRY_AGAIN, 2053
                return
            if want.is_fast and not self.has_dead_letter_queue:
                self.discarded.append(want.message)
                want.outcome = DISCARDED
                return
            self._bury(want)
            want.outcome = BURIED
            return
        want.outcome = PLACED
        if want.is_fast:
            self.queue.append(want.message)
        else:
            self.unit.append(want.message)


class Cut(Exception):
    """The link was cut."""


class Pair:
    """Two agents, their engines and the link between them."""

    def __init__(
        self,
        left: ChannelSettings,
        right: ChannelSettings,
        engines: tuple[Engine, Engine] | None = None,
    ) -> None:
        self.agents: list[Agent] = [agent_of(left, INITIATOR), agent_of(right, ACCEPTOR)]
        sends = isinstance(self.agents[0], SendingAgent)
        self.engines = engines or (Engine(sends), Engine(not sends))
        self.readers = [SegmentReader(1 << 20), SegmentReader(1 << 20)]
        self.now = 1000 * SECOND
        self.carried: list[tuple[int, bytes]] = []
        self.bytes_left = -1  # so many bytes pass, then the link is cut; -1: all
        self.wants_left = -1  # the want after so many fails; -1: none
        self.crash_after = -1  # after so many wants the machine of that want fails; -1: none
        self.is_crashed = [False, False]
        self.is_cut = False
        self._pending: list[deque[bytes]] = [deque(), deque()]

    @property
    def sender(self) -> SendingAgent:
        found = [agent for agent in self.agents if isinstance(agent, SendingAgent)]
        return found[0]

    @property
    def receiver(self) -> ReceivingAgent:
        found = [agent for agent in self.agents if isinstance(agent, ReceivingAgent)]
        return found[0]

    def start(self) -> None:
        for agent in self.agents:
            agent.start(self.now)
        self.run()

    def run(self) -> None:
        """Until nothing happens by itself."""
        while self._step(0) | self._step(1):
            pass
        for agent in self.agents:
            if agent.end is not None:
                assert agent.deadline_ns == 0
                assert agent.want is None or agent.want.kind == BACK_OUT

    def _step(self, side: int) -> bool:
        agent = self.agents[side]
        if self.is_crashed[side]:
            return False
        moved = bool(agent.out)
        for data in agent.take_segments():
            self._carry(side, data)
        if agent.want is not None:
            self._want(side, agent, agent.want)
            moved = True
        if agent.end is not None and not self.is_cut and not agent.out:
            self.cut()
            moved = True
        while self._pending[side] and agent.end is None and agent.want is None:
            data = self._pending[side].popleft()
            if agent.takes_bytes:
                if len(data) == int.from_bytes(data[4:8], "big"):
                    agent.received_bytes(data, self.now)
                moved = True
                continue
            self.readers[side].feed(data)
            one = self.readers[side].next()
            if one is not None:
                agent.received(one, self.now)
            moved = True
        if self.is_cut and agent.end is None and agent.want is None:
            agent.lost("cut", self.now)
            moved = True
        return moved

    def _carry(self, side: int, data: bytes) -> None:
        if self.is_cut:
            return
        if 0 <= self.bytes_left < len(data):
            data = data[: self.bytes_left]
            self.bytes_left = -1
            self._deliver(side, data)
            self.cut()
            return
        if self.bytes_left >= 0:
            self.bytes_left -= len(data)
        self._deliver(side, data)

    def _deliver(self, side: int, data: bytes) -> None:
        self.carried.append((side, data))
        self._pending[1 - side].append(data)

    def _want(self, side: int, agent: Agent, want: Want) -> None:
        agent.want = None
        is_last = agent.end is not None
        if self.wants_left == 0 and not is_last:
            self.wants_left = -1
            agent.failed(want, MQError(2, 2195), self.now)
            return
        if self.wants_left > 0:
            self.wants_left -= 1
        try:
            self.engines[side].run(want)
        except MQError as error:
            agent.failed(want, error, self.now)
            return
        if self.crash_after == 0:
            self.crash_after = -1
            self.is_crashed[side] = True
            self.engines[side].restart()
            self.cut()
            return
        if self.crash_after > 0:
            self.crash_after -= 1
        if not is_last:
            agent.done(want, self.now)

    def cut(self) -> None:
        """What was sent still comes; nothing more is."""
        self.is_cut = True

    def put(self, *messages: bytes) -> None:
        """Messages on the transmission queue."""
        side = self.agents.index(self.sender)
        self.engines[side].queue += messages
        if self.sender.watches and self.sender.end is None:
            self.sender.message_there(self.now)

    def pass_time(self, seconds: float) -> None:
        """Deadlines come in their order."""
        until = self.now + int(seconds * SECOND)
        while True:
            due = [a.deadline_ns for a in self.agents if a.deadline_ns and a.end is None]
            if not due or min(due) > until:
                break
            self.now = max(self.now, min(due))
            for agent in self.agents:
                if agent.deadline_ns and agent.deadline_ns <= self.now and agent.end is None:
                    agent.tick(self.now)
            self.run()
        self.now = until

    @property
    def ends(self) -> list[End | None]:
        return [agent.end for agent in self.agents]


def agent_of(channel: ChannelSettings, role: int) -> Agent:
    if channel.kind in (RECEIVER, REQUESTER):
        return ReceivingAgent(channel, role)
    return SendingAgent(channel, role)


def sender_and_receiver() -> Pair:
    """The usual pair."""
    return Pair(settings(SENDER, "QMA"), settings(RECEIVER, "QMB"))
