"""The driver of one agent: its segments, its wants, its deadline, and its end.

Everything happens in `_pump`, which goes on until there is nothing to do but to wait: for bytes,
for the engine, for room in the socket, for time or for a message on the transmission queue. It has
a budget, so that a channel with much to do leaves other sockets their turn. While a step is under
way nothing else is handed to the agent: what happens meanwhile is kept, and comes after it.

A batch that was received is forced while the next one comes: its answer, and all that the agent
says after it, is held until then. Of a long batch the log is forced as it comes.

An agent with exits is *away* while one of its methods runs in the thread of its exits. Nothing of
it is looked at then; what happens is handed over when it is back. STOP CHANNEL MODE(TERMINATE) does
not wait for that: the channel ends without its agent.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from mypy_extensions import mypyc_attr

from ternmq.base.errors import MQError, RemoteProtocolError
from ternmq.base.names import is_name
from ternmq.channel.agent import BACK_OUT, COMMIT, GET, NORMAL, PLACE, RETRY, Agent, End, Want
from ternmq.host.jobs import Job, Turns
from ternmq.kernel.channel_instance import TERMINATE
from ternmq.mqi.steps.step import Step
from ternmq.mqi.steps.units import Disconnect
from ternmq.network.channels.channel_socket import WRITE_BYTES, ChannelSocket
from ternmq.network.channels.driver_waits import DriverDeadline, HeldAnswer, MessageWatch, Stall
from ternmq.network.channels.engine_side import EngineSide
from ternmq.network.edge.exit_thread import ExitThread
from ternmq.network.edge.status_segment import status_segment
from ternmq.values.calls import units
from ternmq.wire.fap.segment import Segment, SegmentError
from ternmq.wire.fap.vocabulary import PROTOCOL_GENERAL, PROTOCOL_ID_ERROR

STEPS_A_TURN: Final = 128  # wants and segments of one channel, before others have their turn
AHEAD_BYTES: Final = 1_048_576  # of a batch that are in the log's buffer, before they are forced
PARTS_A_WRITE: Final = 64  # else what was written leaves when there is nothing else to do


@mypyc_attr(allow_interpreted_subclasses=True)
class DriverOwner:
    """Who made the driver."""

    def notice(self, driver: AgentDriver, message_id: str, inserts: tuple[object, ...]) -> None:
        """Something for the error log."""
        raise NotImplementedError

    def changed(self, driver: AgentDriver) -> None:
        """The status or the substate of the agent is another one."""
        raise NotImplementedError

    def keys_used(self, driver: AgentDriver) -> None:
        """As many bytes have passed as one key of TLS may serve."""
        raise NotImplementedError

    def ended(self, driver: AgentDriver, end: End) -> None:
        """The agent has ended, and the engine has nothing of it any more."""
        raise NotImplementedError

    def fault(self, error: BaseException, doing: str) -> None:
        """An unforeseen exception was raised."""
        raise NotImplementedError


class AgentDriver(Job):
    """Runs one agent on one socket. A ping needs nothing of the engine."""

    def __init__(
        self,
        turns: Turns,
        owner: DriverOwner,
        agent: Agent,
        socket: ChannelSocket,
        engine: EngineSide | None,
    ) -> None:
        super().__init__(turns)
        self.owner = owner
        self.agent = agent
        agent.sends_parts = True
        self.socket = socket
        self.engine = engine
        self.stop_mode = 0  # how it was asked to stop last
        self.key_bytes_max = 0  # that one key of TLS may serve; 0: any number
        self.is_ending = False
        self._is_over = False
        self._step: Step | None = None  # of the want that is under way
        self._awaits_force = False
        self._stop_wanted = 0  # to be handed to the agent
        self._was_lost = False  # the agent knows that the socket is gone
        self._leaving: Disconnect | None = None
        self._deadline = DriverDeadline(self)
        self._watch = MessageWatch(self)
        self._stall = Stall(self)
        self._answer = HeldAnswer(self)
        self._segment_bytes_max = 0
        self._status = (agent.status, agent.substate)
        self._is_inside = False
        self._is_wanted = False
        self._partner_qmgr = ""
        self._exit_thread: ExitThread | None = None
        if agent.has_exits:
            self._exit_thread = ExitThread(turns.loop, f"exits of {agent.settings.name}")
        self._is_away = False
        self._has_message = False  # one has come while the agent was away
        self._answer_error: MQError | None = None  # likewise: the force of its batch has failed
        self._abandoned: End | None = None  # it has ended without its agent, which is away

    # ---- what happens

    def begin(self, first: Segment | None = None) -> None:
        """The socket is there; of one that was called, the first segment has come. In a turn."""
        self.socket.driver = self
        self._guard(lambda: self._start(first), "the start of a channel")
        self._pump_guarded()

    def _start(self, first: Segment | None) -> None:
        self._call_agent(partial(self._start_agent, first))

    def _start_agent(self, first: Segment | None) -> None:
        self.agent.start(self.now_ns())
        if first is not None and self.agent.end is None:
            self.agent.received(first, self.now_ns())

    # ---- an agent with exits

    def _call_agent(self, action: Callable[[], None]) -> None:
        """Call the agent; with exits, in their thread."""
        thread = self._exit_thread
        if thread is None:
            action()
            self._allow()
            return
        if self.agent.out:
            self._send()
        self._is_away = True
        thread.run(action, self._came_back)

    def _agent_is_away(self) -> bool:
        return self._is_away

    def _came_back(self, error: BaseException | None) -> None:
        self.turns.begin()
        try:
            self._is_away = False
            if self._abandoned is None and not self._is_over:
                self._guard(partial(self._take_back, error), "an exit of a channel")
            self._pump_guarded()
        finally:
            self.turns.settle()

    def _take_back(self, error: BaseException | None) -> None:
        if error is not None:
            raise error
        self._allow()
        if self._answer_error is not None:
            self._answer_failed(self._answer_error)

    def _abandon(self) -> None:
        """The agent is away, and is not waited for. Its exits hear of the end if they return."""
        thread = self._exit_thread
        if thread is None or self._abandoned is not None:
            return
        self._abandoned = End(NORMAL, "AMQ9528I", (self.agent.settings.name,))
        self.is_ending = True
        self._watch.end()
        self.turns.not_at(self._deadline)
        self.turns.not_at(self._stall)
        thread.run(partial(self.agent.stop, TERMINATE, self.now_ns()), _ignore)

    def heard(self) -> None:
        """Bytes have come. In a turn."""
        self._pump_guarded()

    def socket_lost(self) -> None:
        """The socket is gone. In a turn."""
        self._pump_guarded()

    def stop(self, mode: int) -> None:
        """STOP CHANNEL, or the end of the queue manager; in a turn. A stricter mode may follow."""
        self.stop_mode = mode
        self._stop_wanted = mode
        if mode == TERMINATE:
            self.socket.abort()
            if self._is_away:
                self._abandon()
        self._pump_guarded()

    def time_has_come(self) -> None:
        """The agent's deadline."""
        self._pump_guarded()

    def message_there(self) -> None:
        """The transmission queue may have a message."""
        self._has_message = True
        self._pump_guarded()

    def go_on(self) -> None:
        self._pump_guarded()

    def forced(self, error: MQError | None) -> None:
        if error is not None:
            self._awaits_force = False
            self._guard(lambda: self._failed(error), "a force for a channel")
        self._pump_guarded()

    def answer_forced(self, error: MQError | None) -> None:
        """The batch whose answer was held is on disk, or never will be."""
        if error is not None and self._is_away:
            self._answer_error = error
        elif error is not None:
            self._answer_failed(error)
        self._pump_guarded()

    def _answer_failed(self, error: MQError) -> None:
        self._answer.lsn = 0
        self.agent.out = []
        self._give_up(End(RETRY, "AMQ9540E", (self.agent.settings.name, error.reason)))

    def is_gone(self) -> bool:
        return self._is_over

    def now_ns(self) -> int:
        """For the agent."""
        return int(self.turns.clock.monotonic_ns())

    # ---- what follows

    def _guard(self, action: Callable[[], None], doing: str) -> None:
        """A fault in a channel ends that channel, and nothing else."""
        try:
            action()
        except RemoteProtocolError as wrong:
            self._refuse(wrong)
        except Exception as fault:
            self.owner.fault(fault, doing)
            name = self.agent.settings.name
            self._give_up(End(RETRY, "AMQ9999E", (name, self.socket.peer.address)))

    def _refuse(self, wrong: RemoteProtocolError) -> None:
        """The partner has sent what cannot be."""
        status = wrong.status if isinstance(wrong, SegmentError) else PROTOCOL_GENERAL
        if self.agent.end is None:
            self.agent.out.append(status_segment(status))
        inserts = (self.agent.settings.name, f"{self.socket.peer.address}: {wrong}")
        self._give_up(End(RETRY, "AMQ9504E", inserts, status))

    def _give_up(self, end: End) -> None:
        """The agent cannot go on: what it has not committed is backed out with its connection."""
        if self.agent.end is None:
            self.agent.end = end
        self.agent.want = None
        self._awaits_force = False
        self._step_over()

    def _pump_guarded(self) -> None:
        if self._is_over:
            return
        if self._abandoned is not None:
            if self._leave():
                self._over()
            return
        if self._agent_is_away():
            return
        if self._is_inside:  # what follows from it has come back here
            self._is_wanted = True
            return
        self._is_inside = True
        try:
            self._guard(self._pump, "a channel")
            if not self._agent_is_away():
                self._pumped()
        finally:
            self._is_inside = False
        if self._agent_is_away():
            self._is_wanted = False  # it looks again when it is back
            return
        if self._is_wanted:
            self._is_wanted = False
            self.wake()
        if not self._is_over:
            self._publish()
            self._count_key_bytes()

    def _count_key_bytes(self) -> None:
        most = self.key_bytes_max
        if most and self.socket.carried_bytes >= most and self.agent.end is None:
            self.key_bytes_max = 0
            self.owner.keys_used(self)

    def _pumped(self) -> None:
        if self.agent.out:
            self._send()
        if self.agent.end is not None and not self._is_over:
            self._guard(self._end, "the end of a channel")

    def _pump(self) -> None:
        agent = self.agent
        left = STEPS_A_TURN
        while not self._agent_is_away() and agent.end is None:
            if len(agent.out) >= PARTS_A_WRITE:
                self._send()
            if self._awaits_force and self.awaits_force():
                return
            if left <= 0:
                self.turns.later(self)
                return
            left -= 1
            if self._step is None and (self._hand_over() or self._receive()):
                continue
            want = agent.want
            if want is None:
                self._wait()
                return
            if not self._carry_out(want):
                return

    def _hand_over(self) -> bool:
        """What happened beside the segments goes to the agent, one thing at a time."""
        agent = self.agent
        now_ns = self.now_ns()
        if self._stop_wanted:
            mode, self._stop_wanted = self._stop_wanted, 0
            self._call_agent(partial(agent.stop, mode, now_ns))
            return True
        if self._has_message:
            self._has_message = False
            if agent.watches:
                self._call_agent(partial(agent.message_there, now_ns))
            return True
        if self.socket.is_lost and not self._was_lost and not self.socket.has_segment:
            self._was_lost = True
            self._call_agent(partial(agent.lost, self.socket.lost_because, now_ns))
            return True
        if agent.deadline_ns and now_ns >= agent.deadline_ns:
            self._call_agent(partial(agent.tick, now_ns))
            return True
        return False

    def _receive(self) -> bool:
        """Hand the next segment over; False if none has come whole, or it has enough of them."""
        if self.agent.is_full or self._is_owed_answers():
            return False
        if self.agent.takes_bytes:
            data = self.socket.next_bytes()
            if data is None:
                return False
            self._call_agent(partial(self.agent.received_bytes, data, self.now_ns()))
        else:
            one = self.socket.next_segment()
            if one is None:
                return False
            self._received(one)
        if not self.socket.is_reading:
            self.socket.read_or_not()
        return True

    def _is_owed_answers(self) -> bool:
        """Whether the partner asks (HEARTBEAT, PING_DATA) and reads no answers: it has to read
        before it is heard again. What may be unsent otherwise is a message, and what came before
        the socket was full."""
        sock = self.socket
        if len(self.agent.out) >= PARTS_A_WRITE and self._answer.awaits_force():
            return True
        if sock.is_writable or sock.is_lost:
            return False
        return sock.unsent_bytes() > 2 * (WRITE_BYTES + int(self.agent.message_bytes_max))

    def _received(self, one: Segment) -> None:
        if self._exit_thread is not None:
            self._call_agent(partial(self.agent.received, one, self.now_ns()))
            return
        self.agent.received(one, self.now_ns())
        self._allow()

    def _allow(self) -> None:
        self._check_partner()
        agreed = self.agent.segment_bytes_max
        if agreed != self._segment_bytes_max:
            self._segment_bytes_max = agreed
            self.socket.allow(agreed)

    def _check_partner(self) -> None:
        """What a partner says it is becomes a part of records and messages."""
        name = self.agent.partner_qmgr
        if name != self._partner_qmgr:
            self._partner_qmgr = name
            if not is_name(name):
                text = f"INITIAL_DATA: {name!a} is not the name of a queue manager"
                raise SegmentError(text, PROTOCOL_ID_ERROR)

    def _send(self) -> None:
        if self._answer.awaits_force():
            return
        out = self.agent.out
        self.agent.out = []
        self.socket.write(out)

    def _wait(self) -> None:
        """Nothing is to be done: have the driver woken when there is."""
        agent = self.agent
        due_ns = int(agent.deadline_ns)
        armed_ns = self._deadline.due_ns
        # Deadlines move with every segment: an earlier one that is armed looks again by itself.
        if due_ns and (not armed_ns or armed_ns > due_ns):
            self.turns.not_at(self._deadline)
            self.turns.at(self._deadline, due_ns)
        if agent.watches:
            self._watch.begin()

    # ---- wants

    def _engine(self) -> EngineSide:
        engine = self.engine
        if engine is None:
            raise RuntimeError("an agent without an engine wants something of it")
        return engine

    def _begin_step(self, want: Want) -> Step:
        step = self._engine().step(want, self.agent.partner_qmgr)
        self._step = step
        self.turns.loop_shell.begin_verb()
        return step

    def _carry_out(self, want: Want) -> bool:
        """Go on with what the agent wants; False if that must be waited for."""
        if self._awaits_force:
            self._awaits_force = False
            self._done(want)
            return True
        step = self._step
        if step is None:
            if want.kind == GET and not self.socket.is_lost and not self.socket.may_send(self):
                self._stall.begin()
                self._wait()
                return False
            step = self._begin_step(want)
        verbs = self._engine().verbs
        try:
            if want.kind != BACK_OUT:
                verbs.begin_call("MQGET" if want.kind == GET else "MQPUT")
            if not verbs.attempt(step):
                verbs.park(self)
                return False
        except MQError as error:
            self._failed(error)
            return True
        # ORDER: what a commit lets the agent say leaves once the log is forced. One batch may wait
        # for that; the next one is not taken as committed before.
        holds = want.kind == COMMIT and not self._answer.awaits_force()
        waiter = self._answer if holds else self
        if verbs.must_wait(waiter, int(verbs.link.durable_at)) and not holds:
            self._awaits_force = True
            return False
        if want.kind == PLACE and int(verbs.log.buffered_bytes) >= AHEAD_BYTES:
            verbs.loop_shell.order_ahead(int(verbs.log.end_lsn))
        self._done(want)
        return True

    def _done(self, want: Want) -> None:
        if self._step is not None:
            self._step.before_travel()  # without the lock: a conversion may call exits
        self._step_over()
        self.agent.want = None
        if self._exit_thread is not None:
            self._call_agent(partial(self.agent.done, want, self.now_ns()))
            return
        self.agent.done(want, self.now_ns())

    def _failed(self, error: MQError) -> None:
        want = self.agent.want
        self._step_over()
        self.agent.want = None
        if want is not None and self.agent.end is None:
            self._call_agent(partial(self.agent.failed, want, error, self.now_ns()))

    def _step_over(self) -> None:
        if self._step is not None:
            self._step = None
            self.turns.loop_shell.end_verb()

    # ---- the end

    def _end(self) -> None:
        """The last segments leave, what is not committed is backed out, the connection ends."""
        if self._answer.awaits_force():
            return
        if not self.is_ending:
            self.is_ending = True
            self._send()
            if self.stop_mode == TERMINATE:
                self.socket.abort()
            else:
                self.socket.close()
            self._watch.end()
            self.turns.not_at(self._deadline)
            self.turns.not_at(self._stall)
        if self._awaits_force and self.awaits_force():
            return
        want = self.agent.want
        if want is not None and self._leaving is None and not self._carry_out_last(want):
            return
        if self._leave():
            self._over()

    def _carry_out_last(self, want: Want) -> bool:
        """BACK_OUT. The agent has ended and is not interested in the result."""
        engine = self.engine
        if engine is None:
            return True
        step = self._step or self._begin_step(want)
        try:
            if not engine.verbs.attempt(step):
                engine.verbs.park(self)
                return False
        except MQError:
            pass  # the queue manager ends, and backs out by itself
        self._step_over()
        self.agent.want = None
        return True

    def _leave(self) -> bool:
        """The connection to the engine ends, and with it what was not committed."""
        if self.engine is None or not self.engine.verbs.link.connected:
            return True
        verbs = self.engine.verbs
        if self._leaving is None:
            self._leaving = Disconnect(units.Disconnect(vanished=True))
        try:
            if not verbs.attempt(self._leaving):
                verbs.park(self)
                return False
        except MQError:
            return True
        if int(verbs.link.durable_at) > verbs.log.forced_lsn:
            verbs.loop_shell.order(int(verbs.link.durable_at))
        return True

    def _over(self) -> None:
        self._is_over = True
        end = self._abandoned or self.agent.end
        assert end is not None
        if not self._is_away:
            self._publish()
        if self._exit_thread is not None:
            self._exit_thread.end()
        self.owner.ended(self, end)

    def _publish(self) -> None:
        notices = self.agent.notices
        if notices:
            self.agent.notices = []
            for message_id, inserts in notices:
                self.owner.notice(self, message_id, inserts)
        found = (self.agent.status, self.agent.substate)
        if found != self._status:
            self._status = found
            self.owner.changed(self)


def _ignore(error: BaseException | None) -> None:
    """The channel has ended."""
