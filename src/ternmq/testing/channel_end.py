"""One end of a message channel in a simulated world: an agent that ships, driven over a simulated
link, whose wants are carried out by the steps that ship on a queue manager with a simulated disk.

Only socket and timers are simulated. An `Observer` sees every frame and every want, before and
after; a test that strikes faults at a step of the protocol derives from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ternmq.base.errors import MQError, RemoteProtocolError
from ternmq.channel.agent import COMMIT, RETRY, Agent, End, Want
from ternmq.ports.effect import Wakeable
from ternmq.testing.channel_hands import Hands
from ternmq.testing.sim_network import SimLink
from ternmq.wire.fap.segment import Segment
from ternmq.wire.fap.segment_reader import SegmentReader

if TYPE_CHECKING:
    from ternmq.testing.channel_node import ChannelDefinition, ChannelNode

BYTES_MAX: Final = 1 << 20  # of a frame


class Observer:
    """Sees what happens at the ends of channels; lets all of it happen."""

    def dials(self, end: ChannelEnd) -> None:
        """An end is about to call its partner."""

    def accepted(self, end: ChannelEnd) -> None:
        """A partner's call has been taken."""

    def sending(self, end: ChannelEnd, data: bytes) -> bytes:
        """A frame is about to be sent; the bytes that are sent of it."""
        return data

    def arrived(self, end: ChannelEnd, one: Segment) -> None:
        """A frame has come, and the agent has taken it."""

    def begins(self, end: ChannelEnd, want: Want) -> None:
        """The engine is about to begin with a want."""

    def worked(self, end: ChannelEnd, want: Want) -> None:
        """The engine has done it in memory; the log may not be forced."""

    def done(self, end: ChannelEnd, want: Want) -> None:
        """It is done and forced; the agent does not know yet."""

    def ended(self, end: ChannelEnd) -> None:
        """The agent has ended, and what it held is settled."""


class ChannelEnd:
    """An agent, its link, and the connection by which its wants are carried out. As the driver of
    the network does, it hands nothing over while a want is under way: what happens meanwhile is
    kept, and comes after it; and it goes on while the commit of a batch that was received is
    forced, but holds back what the agent says."""

    def __init__(
        self,
        owner: ChannelNode,
        channel: ChannelDefinition,
        agent: Agent,
        link: SimLink,
        calls: bool,
    ) -> None:
        self.owner = owner
        self.channel = channel
        self.calls = calls  # and was not called
        self.sends = channel.sends
        self.node = owner.node
        self.world = owner.world
        self.agent = agent
        self.link = link
        self.name = f"{owner.node.name}/{agent.settings.name}#{link.number}"
        self.life = owner.node.life
        self.is_dropped = False
        self.hands = Hands(owner.node, channel, agent)
        self._reader = SegmentReader(BYTES_MAX)
        self._running: Want | None = None
        self._lost = ""  # why, until the agent knows
        self._is_lost = False
        self._stop = 0
        self._timer = 0  # number of the timer that counts
        self._watch: Watch | None = None
        self._is_ending = False
        self._holds = False  # what the agent says, until a commit is forced
        link.on_bytes = self._take
        link.on_end = lambda: self.lose("the connection is lost")

    @property
    def is_alive(self) -> bool:
        return not self.is_dropped and self.node.is_up and self.node.life == self.life

    @property
    def is_idle(self) -> bool:
        """Nothing is under way."""
        agent = self.agent
        is_free = not self._running and not self._holds
        return self.is_alive and agent.end is None and agent.want is None and is_free

    @property
    def is_busy(self) -> bool:
        """Something is under way, or a batch is open."""
        return self.is_alive and (not self.is_idle or self.agent.current_messages > 0)

    # ---- what happens

    def start(self, first: bytes = b"") -> None:
        """The link is there; an acceptor has read the first bytes."""
        self.agent.start(self.node.now_ns())
        self._reader.feed(first)
        self.pump()

    def stop(self, mode: int) -> None:
        """STOP CHANNEL."""
        self._stop = mode
        self.pump()

    def lose(self, why: str) -> None:
        """The connection is gone."""
        if self.mark_lost(why):
            self.pump()

    def mark_lost(self, why: str) -> bool:
        """The same, to be handed over when this end goes on; False if it knows already."""
        if self._is_lost:
            return False
        self._is_lost = True
        self._lost = why
        return True

    def receive(self, one: Segment) -> None:
        """A frame comes that was not sent."""
        if self.is_alive and self.agent.end is None and self._running is None:
            self.agent.received(one, self.node.now_ns())
            self.pump()
        elif self.is_alive and self.agent.end is None:
            self.world.after(0.001, lambda: self.receive(one))

    def _take(self, data: bytes) -> None:
        if self.is_alive and not self._is_ending:
            self._reader.feed(data)
            self.pump()

    # ---- what follows

    def pump(self) -> None:
        """Go on until there is nothing to do but to wait."""
        agent = self.agent
        while self.is_alive and not self._is_ending:
            agent.notices.clear()
            self._send()
            if agent.end is not None:
                if not self._holds:
                    self._end()
                return
            if self._running is not None or not self.is_alive:
                return
            if self._hand_over():
                continue
            if self._receive():
                # What follows takes a moment, so that a fault can come between.
                self.world.after(0.0, self.pump)
                return
            if agent.want is None:
                self._wait()
                return
            self._run(agent.want, self._done)

    def _hand_over(self) -> bool:
        """What happened beside the frames goes to the agent, one thing at a time."""
        agent = self.agent
        now_ns = self.node.now_ns()
        if self._stop:
            mode, self._stop = self._stop, 0
            self.world.note(f"{self.name} is stopped")
            agent.stop(mode, now_ns)
            return True
        if self._lost and not self._has_frame():
            why, self._lost = self._lost, ""
            self.world.note(f"{self.name}: {why}")
            agent.lost(why, now_ns)
            return True
        if agent.deadline_ns and now_ns >= agent.deadline_ns:
            agent.tick(now_ns)
            return True
        return False

    def _has_frame(self) -> bool:
        return self._reader.kept_bytes > 0 and self._reader.missing == 0 and not self.agent.is_full

    def _receive(self) -> bool:
        """Hand the next frame over; False if none has come whole, or it has enough of them."""
        if self.agent.is_full:
            return False
        try:
            one = self._reader.next()
            if one is None:
                return False
            self.world.note(f"{self.name} < {one.header.type:02x} {one.header.flags_1:02x}")
            self.agent.received(one, self.node.now_ns())
        except RemoteProtocolError as wrong:
            self._give_up(str(wrong))
            return True
        self.owner.observer.arrived(self, one)
        return True

    def _give_up(self, why: str) -> None:
        """The partner has sent what cannot be."""
        self.world.note(f"{self.name}: {why}")
        if self.agent.end is None:
            self.agent.end = End(RETRY, "AMQ9504E", (why,))
        self.agent.want = None

    def _send(self) -> None:
        if self._holds:
            return
        for frame in self.agent.take_segments():
            data = self.owner.observer.sending(self, frame)
            if data and self.is_alive and self.link.is_open:
                self.link.send(data)

    def _wait(self) -> None:
        """Nothing is to be done: come back when there is."""
        self._timer += 1
        number = self._timer
        due_ns = int(self.agent.deadline_ns)
        if due_ns:
            # Clocks go on a little when they are looked at: no earlier than the deadline.
            left_s = max(due_ns - self.node.now_ns(), 0) / 1e9 + 1e-6
            self.world.after(left_s, lambda: self._ring(number))
        if self.agent.watches and self._watch is None:
            self._watch = Watch(self)
            if not self.hands.watch(self._watch):
                self._watch.wake()

    def _ring(self, number: int) -> None:
        if self._timer == number:
            self.pump()

    def message_there(self, watch: Watch) -> None:
        """The transmission queue may have a message."""
        if self._watch is watch:
            self._watch = None
            if self.is_alive and self.agent.end is None and self.agent.watches:
                self.agent.message_there(self.node.now_ns())
                self.pump()

    # ---- wants

    def _run(self, want: Want, ended: Callable[[Want, Exception | None], None]) -> None:
        self._running = want
        observer = self.owner.observer
        observer.begins(self, want)
        if not self.is_alive:
            return
        goes_on = want.kind == COMMIT and not self.sends and not self._holds

        def worked() -> None:
            observer.worked(self, want)
            if goes_on and self.is_alive:
                self._holds = True
                self.world.after(0.0, lambda: self._answer(want, None, ended))

        def end(value: Any, error: Exception | None) -> None:
            if not self.is_alive:
                return
            if error is None:
                observer.done(self, want)
            # An answer takes a moment, so that no agent runs inside a step.
            if goes_on and self._holds:
                self.world.after(0.0, lambda: self._let_go(error))
            else:
                self.world.after(0.0, lambda: self._answer(want, error, ended))

        self.node.run(self.hands.carry_out(want, worked), end)

    def _let_go(self, error: Exception | None) -> None:
        """The commit is forced, or never will be."""
        if self.is_alive:
            self._holds = False
            if error is not None:
                self.agent.out = []
                self._give_up(str(error))
            self.pump()

    def _answer(
        self,
        want: Want,
        error: Exception | None,
        ended: Callable[[Want, Exception | None], None],
    ) -> None:
        if self.is_alive:
            self._running = None
            self.agent.want = None
            ended(want, error)

    def _done(self, want: Want, error: Exception | None) -> None:
        now_ns = self.node.now_ns()
        if error is None:
            self.agent.done(want, now_ns)
        elif isinstance(error, MQError):
            self.world.note(f"{self.name}: want {want.kind} fails: {error.reason}")
            self.agent.failed(want, error, now_ns)
        else:
            self._give_up(str(error))
        self.pump()

    # ---- the end

    def _end(self) -> None:
        """The agent has ended: the link is closed, what it wants last is done, the connection to
        the queue manager ends."""
        self._is_ending = True
        self._timer += 1
        self.link.close()
        end = self.agent.end
        assert end is not None
        self.world.note(f"{self.name} ends: {end.kind} {end.message_id} {end.status}")
        if self._watch is not None:
            self._watch = None
            self.hands.stop_watching()
        last = self.agent.want
        if last is not None:
            self._run(last, lambda want, error: self._leave())
        else:
            self._leave()

    def _leave(self) -> None:
        self.node.run(self.hands.leave(), lambda value, error: self._drop())

    def _drop(self) -> None:
        if not self.is_dropped and self.node.life == self.life:
            self.is_dropped = True
            self.owner.observer.ended(self)
            self.owner.dropped(self)


class Watch(Wakeable):
    """Waits for a message on the transmission queue."""

    def __init__(self, end: ChannelEnd) -> None:
        self.end = end

    def wake(self) -> None:
        self.end.world.after(0.0, lambda: self.end.message_there(self))
