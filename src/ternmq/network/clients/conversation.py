"""One conversation of a partner: one connection of the queue manager, served one call at a time.

A call that has nothing to wait for is answered before the next bytes are looked at; one that has is
a `Call`, which is called when it may go on, and what comes meanwhile on its conversation queues. If
the socket is lost, waits end, a step that has begun is done, and the unit of work is backed out.
An unforeseen exception in a call ends here, as MQRC_UNEXPECTED_ERROR for its caller.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, RemoteProtocolError, mq_error
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_CONNECTION_BROKEN,
    MQRC_UNEXPECTED_ERROR,
)
from ternmq.host.jobs import Job, LoopVerbs, Turns
from ternmq.kernel.connection import Handle
from ternmq.kernel.requests import GetCall
from ternmq.mqi.steps.step import Step
from ternmq.mqi.steps.units import Disconnect
from ternmq.network.clients.byte_form import Form
from ternmq.network.clients.held_cancel import HeldCancel
from ternmq.network.clients.silent_puts import AsyncPuts
from ternmq.network.clients.unreadable_call import refuse_unreadable
from ternmq.values.calls import units
from ternmq.values.xid import XID
from ternmq.wire.fap.dialogue import (
    COMPLETED,
    CONNECTED,
    CONNECTING,
    CUT,
    ENDED,
    FAILED,
    LEAVES,
    LEFT,
    STOP_CONN,
    Dialogue,
)
from ternmq.wire.fap.flow import read_body, write_body
from ternmq.wire.fap.part import REST, Values
from ternmq.wire.fap.segment import Header, Segment, StructureError
from ternmq.wire.fap.vocabulary import (
    MQCONN,
    MQDISC,
    NOTIFICATION,
    PROTOCOL_GENERAL,
    REPLY,
    XA_COMPLETE,
    XA_START,
    type_name,
)

if TYPE_CHECKING:
    from ternmq.network.clients.consumers import Consumer
    from ternmq.network.clients.get_call import GetPlan
    from ternmq.network.clients.put_call import PutPlan
    from ternmq.network.clients.segment_line import Line


class Guarded(Job):
    """A job of a conversation: what goes wrong in it goes to its caller alone."""

    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation.turns)
        self.conversation = conversation

    def run(self) -> None:
        """Go on."""
        raise NotImplementedError

    def refuse(self, error: MQError) -> None:
        """It did not do what was asked."""
        raise NotImplementedError

    def go_on(self) -> None:
        try:
            self.run()
        except MQError as error:
            self._report_error(error)
        except RemoteProtocolError as wrong:
            self.conversation.line.protocol_error(wrong)
            self.drop()
        except Exception as fault:
            self._report_error(self.conversation.fault(fault, self.doing()))

    def forced(self, error: MQError | None) -> None:
        if error is None:
            self.go_on()
        else:
            self._report_error(error)

    def _report_error(self, error: MQError) -> None:
        """Refuse it; if even that cannot be said, the partner is cut off."""
        try:
            self.count_refusal(error.reason)
            self.refuse(error)
        except Exception as fault:
            self.conversation.cut_off(fault, self.doing())
            self.drop()

    def drop(self) -> None:
        """It ends without an answer."""

    def count_refusal(self, reason: int) -> None:
        """A call is refused: for statistics and accounting."""

    def doing(self) -> str:
        """What it is, for a report."""
        return type(self).__name__


class Call(Guarded):
    """A call that is not answered yet."""

    def __init__(self, conversation: Conversation, header: Header, values: Values) -> None:
        super().__init__(conversation)
        self.header = header
        self.values = values
        self.is_done = False  # but for the force
        conversation.begin(self)

    def doing(self) -> str:
        return f"a call {type_name(self.header.type)}"

    def go_on(self) -> None:
        if self.conversation.call is self:  # else it was abandoned
            super().go_on()

    def is_gone(self) -> bool:
        return self.conversation.call is not self

    def count_refusal(self, reason: int) -> None:
        verbs = self.conversation.verbs
        if verbs is not None:
            verbs.refuse(self.verb(), self.subject(), reason)

    def verb(self) -> str:
        """Which call of the MQI it is."""
        return type_name(self.header.type)

    def subject(self) -> Handle | None:
        """The open object that it is about."""
        return None

    def attempt(self) -> bool:
        """As much as can be done now; False: the connection is parked or goes on later."""
        raise NotImplementedError

    def finish(self) -> None:
        """Make the answer: set its values."""

    def run(self) -> None:
        conversation = self.conversation
        if not self.is_done:
            verbs = conversation.connected()
            if not self.attempt():
                verbs.park(self)
                return
            self.is_done = True
            if verbs.must_wait(self, int(verbs.link.durable_at)):
                return
        elif self.awaits_force():
            return
        if not self.can_answer():
            return
        self.finish()
        self.answer()

    def has_room(self) -> bool:
        """Whether the reply can be written; if not, the call goes on when it can."""
        return self.conversation.line.can_write(self)

    def can_answer(self) -> bool:
        """Whether the reply can be written; if not, the call goes on when it can. One that
        its client will not read ends here."""
        line = self.conversation.line
        if line.is_closing or not self.has_room():
            if line.is_closing or line.is_stopping:
                self.abandon()
                self.drop()
            return False
        return True

    def answer(self) -> None:
        """Send the reply."""
        conversation = self.conversation
        conversation.reply(self.header, self.values)
        conversation.end(self)

    def refuse(self, error: MQError) -> None:
        values = self.values
        values["comp"] = error.comp
        values["reason"] = error.reason
        self.give_up()
        self.answer()

    def drop(self) -> None:
        self.conversation.end(self)

    def give_up(self) -> None:
        """Before it is refused: set what a failed call answers."""

    def cancel(self, reason: int) -> bool:
        """If it waits for a message, it ends with this reason; False: it does not."""
        return False

    def abandon(self) -> bool:
        """The partner has gone: True if that ends it, False if it must be gone on with."""
        return False


class StepCall(Call):
    """A call that is one step of the client's verbs."""

    def __init__(
        self, conversation: Conversation, header: Header, values: Values, step: Step
    ) -> None:
        self.step = step
        super().__init__(conversation, header, values)

    def attempt(self) -> bool:
        return self.conversation.connected().attempt(self.step)

    def verb(self) -> str:
        return self.step.verb

    def subject(self) -> Handle | None:
        return self.step.subject


class Leaving(Guarded):
    """The partner has gone, or has said that it goes: its unit of work ends, and the connection."""

    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation)
        self.step = Disconnect(units.Disconnect(vanished=True))

    def run(self) -> None:
        conversation = self.conversation
        verbs = conversation.verbs
        if verbs is not None and verbs.link.connected:
            if not verbs.attempt(self.step):
                verbs.park(self)
                return
            if int(verbs.link.durable_at) > verbs.log.forced_lsn:
                verbs.loop_shell.order(int(verbs.link.durable_at))
        conversation.left()

    def refuse(self, error: MQError) -> None:
        self.conversation.left()  # the queue manager ends, and backs out by itself


class Branches:
    """The branch of a transaction that a conversation works for, and how far it is."""

    def __init__(self) -> None:
        self.current: XID | None = None  # between xa_start and xa_end
        self.ended: XID | None = None  # its work is done, and the unit still the connection's


class Conversation:
    """A partner's connection."""

    def __init__(self, line: Line, number: int, form: Form, dialogue: Dialogue) -> None:
        self.line = line
        self.turns: Turns = line.turns
        self.number = number
        self.form = form
        self.is_shared = False
        self.is_silent = False  # asynchronous puts have no reply
        self.dialogue = dialogue
        self.verbs: LoopVerbs | None = None
        self.call: Call | None = None  # under way
        self.waiting: deque[Segment] = deque()
        self.waiting_bytes = 0
        self.serving = False
        self.leaving: Leaving | None = None
        self.user_id = ""  # of USERID_DATA
        self.csp_user = ""
        self.csp_password: str | None = None
        self.consumers: dict[int, Consumer] = {}
        self.is_started = True  # whether consumers are served; CONN_STATE says
        self.was_controlled = False  # by MQCTL, which says whether they are
        self.are_held = False  # consumers, while the unit of work ends
        self.held_cancel = HeldCancel(line.turns.clock)
        self.plans: dict[bytes, PutPlan] = {}
        self.plan: PutPlan | None = None  # the last one
        self.get_plans: dict[bytes, GetPlan] = {}
        self.get_plan: GetPlan | None = None
        self.async_puts = AsyncPuts()
        self.unit_fails = False  # its application does not know yet that it must not be committed
        self.branches = Branches()
        self.scan: list[XID] | None = None  # what xa_recover has not returned yet
        self.is_own_client = False  # it may take a get back
        self.returnable: GetCall | None = None  # one that it still may
        self.returnable_at = 0  # where its answer ends, in what was written
        self.global_index = 0  # of the last message that was sent by itself

    # ---- what comes

    def take(self, one: Segment) -> None:
        """A segment, or a whole call of several."""
        if self.is_own_client and one.header.type == NOTIFICATION:
            if self.line.take_back_if_asked(self, one):
                return
        if self.line.is_congested():
            self.line.stall()
        elif self._has_its_turn(one):
            self._serve(one)
            return
        self.waiting.append(one)
        self.waiting_bytes += one.body_bytes
        self.line.check_waiting(self)

    def _has_its_turn(self, one: Segment) -> bool:
        """Whether nothing is under way before it, or it is what ends the wait of that."""
        if self.call is not None:
            return self.line.is_urgent(self, one)
        return self.dialogue.state != CONNECTING and not self.waiting

    def _serve(self, one: Segment) -> None:
        if not self.form.is_of(one.header):  # partners are known that change theirs on the way
            self.form = Form(one.header)
            self.forget_plans()
        try:
            self.line.serve(self, one)
        except MQError as error:
            self._report_error(one, error)
        except StructureError as unreadable:
            self._report_unreadable(one, unreadable)
        except RemoteProtocolError as wrong:
            self.line.protocol_error(wrong)
        except Exception as fault:
            self._report_error(one, self.fault(fault, type_name(one.header.type)))
        if self.are_held and self.call is None:
            self.release_consumers()

    def _report_error(self, one: Segment, error: MQError) -> None:
        """Refuse a call; if even that cannot be said, the partner is cut off."""
        try:
            if self.verbs is not None:
                self.verbs.refuse(type_name(one.header.type), None)
            self.refuse_call(one, error)
        except RemoteProtocolError as wrong:
            self.line.protocol_error(wrong)
        except Exception as fault:
            self.cut_off(fault, type_name(one.header.type))

    def _report_unreadable(self, one: Segment, unreadable: StructureError) -> None:
        try:
            refuse_unreadable(self, one, unreadable)
        except Exception as fault:
            self.cut_off(fault, type_name(one.header.type))

    def cut_off(self, error: Exception, doing: str) -> None:
        """A fault of ours that leaves nothing to say."""
        self.fault(error, doing)
        self.line.close_with(PROTOCOL_GENERAL)

    def serve_waiting(self) -> None:
        """What came while a call was under way."""
        if self.serving:
            return
        self.serving = True
        try:
            while self.waiting and self.call is None and self.dialogue.state != CONNECTING:
                if self.line.is_congested():
                    self.line.stall()
                    break
                one = self.waiting.popleft()
                self.waiting_bytes -= one.body_bytes
                if self.dialogue.state != ENDED:
                    self._serve(one)
        finally:
            self.serving = False
        self.line.check_waiting(self)

    def connected(self) -> LoopVerbs:
        """The verbs; MQRC_HCONN_ERROR if there is no connection."""
        verbs = self.verbs
        if verbs is None:
            raise self.line.out_of_order("a call before MQCONN")
        return verbs

    def handle(self, handle_id: int, verb: str) -> Handle:
        """An open handle."""
        return self.connected().handle(handle_id, verb)

    def read(self, one: Segment) -> Values:
        """The values of a call."""
        return self.read_all(one)[0]

    def read_all(self, one: Segment) -> tuple[Values, bytes]:
        """The values of a call, and what stands behind them."""
        values = read_body(one, self.line.fap_level).values
        values.pop("call_length", None)
        rest: bytes = values.pop(REST, b"")
        values["comp"] = mq.MQCC_OK
        values["reason"] = 0
        return values, rest

    # ---- what goes

    def reply(self, header: Header, values: Values) -> None:
        """The answer to a call."""
        answer = header.answer(header.type + REPLY)
        self.line.write_call(answer, write_body(answer, values, self.line.fap_level))

    def send(self, header: Header, values: Values) -> None:
        """A segment that answers none."""
        self.line.write_call(header, write_body(header, values, self.line.fap_level))

    def refuse_call(self, one: Segment, error: MQError) -> None:
        """Before there was a `Call` for it."""
        header = one.header
        if not 0x81 <= header.type <= 0x8F:
            if XA_START <= header.type <= XA_COMPLETE:
                self.line.refuse_xa(self, header, error)
            else:
                self.line.refuse_other(self, one, error)
            return
        values = self.read(one)
        values["comp"] = error.comp
        values["reason"] = error.reason
        self.line.prepare_refusal(header.type, values)
        if header.type == MQCONN and self.dialogue.state == CONNECTING:
            self.dialogue.say(MQCONN + REPLY, detail=FAILED)
        self.reply(header, values)

    def fault(self, error: BaseException, doing: str) -> MQError:
        """A fault of ours: it is reported, its caller gets an error, the others go on."""
        self.line.report(error, doing)
        detail = f"{type(error).__name__}: {error}"
        return mq_error(MQRC_UNEXPECTED_ERROR, detail=detail)

    # ---- calls

    def begin(self, call: Call) -> None:
        """A call is under way."""
        if self.returnable is not None:
            self.settle_get()
        self.call = call
        verbs = self.verbs
        if verbs is not None and verbs.link.clock is not None:
            verbs.start_clock()
        self.turns.loop_shell.begin_verb()
        self.line.call_begins()

    def end(self, call: Call) -> None:
        """It is answered."""
        if self.call is not call:
            return
        self.call = None
        verbs = self.verbs
        if verbs is not None and verbs.link.clock is not None:
            verbs.stop_clock()
        self.turns.loop_shell.end_verb()
        self.line.call_ends()
        if self.are_held:
            self.release_consumers()
        if self.leaving is not None:
            self.leaving.go_on()
        elif self.waiting:
            self.serve_waiting()

    def refused_aside(self, error: MQError) -> None:
        """Something was refused that is not a call of the application: if it was the first to find
        that the queue manager had backed out the unit of work, the commit must say so."""
        if error.reason == MQRC_BACKED_OUT:
            self.unit_fails = True

    def settle_get(self) -> None:
        """The message of the last get is the client's for good, unless it could not be sent."""
        call = self.returnable
        if call is not None:
            self.returnable = None
            if self.line.has_left(self.returnable_at):
                self.connected().answered(call)
            else:
                self.connected().take_back(call)

    def connect(self, verbs: LoopVerbs) -> None:
        """MQCONN is done."""
        self.verbs = verbs
        self.held_cancel.drop()
        self.dialogue.say(MQCONN + REPLY, detail=COMPLETED)
        self.line.recognize()

    # ---- the end

    def leave(self) -> None:
        """The partner has gone without a word, or the queue manager ends."""
        if self.dialogue.state == CUT:
            self.dialogue.say(LEAVES)
        if self.leaving is not None or self.dialogue.state == ENDED:
            return
        self.waiting.clear()
        self.waiting_bytes = 0
        self.settle_get()
        self.stop_consumers()
        self.leaving = Leaving(self)
        call = self.call
        if call is None:
            if self.dialogue.state != CONNECTING:
                self.leaving.go_on()
        elif call.abandon():
            self.end(call)

    def stop_consumers(self) -> None:
        """Messages that were not sent go back to their queues."""
        for consumer in list(self.consumers.values()):
            consumer.stop()
        self.consumers.clear()

    def hold_consumers(self) -> None:
        """The unit of work ends: messages that were got in it and not sent go back first, so that
        its end is about those that the client has."""
        self.are_held = True
        for consumer in self.consumers.values():
            consumer.hold()

    def release_consumers(self) -> None:
        """It has ended: who asked before, and has nothing yet, goes on."""
        self.are_held = False
        for consumer in self.consumers.values():
            if consumer.asks:
                self.turns.post(consumer)

    def cancel_waits(self, reason: int) -> None:
        """Gets that wait for a message end; streams go on. Of a client that reads ahead we may not
        know where its get waits: where no other does, it is where the last one ended empty."""
        is_ended = self.call is not None and self.call.cancel(reason)
        waiting = [one for one in self.consumers.values() if one.waits_for_get]
        known = [one for one in waiting if not one.ahead.lingers]
        for consumer in known or waiting:
            consumer.cancel(reason)
        if not is_ended and not known:
            self.held_cancel.hold(reason)

    def forget_plans(self) -> None:
        """Handles are closed: what was kept for them goes."""
        self.plans.clear()
        self.plan = None
        self.get_plans.clear()
        self.get_plan = None

    def cut(self) -> None:
        """STOP CONN: the connection ends as if its application had died. Its user gets an error at
        the next call; others on the socket are left alone."""
        if self.leaving is not None or self.dialogue.state != CONNECTED:
            return
        self.dialogue.say(STOP_CONN)
        error = mq_error(MQRC_CONNECTION_BROKEN, detail="STOP CONN")
        self.settle_get()
        for consumer in list(self.consumers.values()):
            consumer.notify(error.reason)
        self.stop_consumers()
        self.leaving = Leaving(self)
        call = self.call
        if call is None:
            self.leaving.go_on()
        elif call.abandon():
            call.refuse(error)

    def left(self) -> None:
        """The connection has ended."""
        self.leaving = None
        if self.dialogue.state != CUT:
            self.gone()
            return
        self.verbs = None
        self.forget_plans()
        self.line.disconnected(self)
        self.serve_waiting()

    def gone(self) -> None:
        """Nothing is left of it."""
        self.dialogue.say(LEFT)
        self.leaving = None
        self.forget_plans()
        self.line.conversation_ended(self)

    def disconnected(self) -> None:
        """MQDISC is done."""
        self.verbs = None
        self.dialogue.say(MQDISC + REPLY, detail=COMPLETED)
        self.forget_plans()
        self.line.disconnected(self)

    def option(self, values: Values, name: str) -> int:
        """An integer of a request."""
        value: Any = values.get(name, 0)
        return int(value)
