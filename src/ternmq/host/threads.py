"""The transport of threads to a queue manager in this process: the checks of `mqi`, whose turn it
is, and the shell's waiting. For tasks it is `tasks`; `connection_session` has what both share."""

from __future__ import annotations

from threading import get_ident
from typing import Final

from ternmq.api.dropped import warn_dropped
from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.host.connection_session import Session, not_of_this_process
from ternmq.host.forcer import Gate
from ternmq.host.shell import Shell
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.ending import backed_out
from ternmq.kernel.get import cancel
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.verb_clock import MESSAGE
from ternmq.mqi.getting import check_open_for
from ternmq.mqi.got import get_verb, message_of
from ternmq.mqi.putting import check_open_for_output
from ternmq.mqi.sharing import BY_UNIT
from ternmq.mqi.steps import units
from ternmq.mqi.steps.step import Step
from ternmq.mqi.steps.table import ASIDE, BESIDE_UNIT, IN_UNIT, STEPS, step_of
from ternmq.values.calls import units as calls
from ternmq.values.calls.call import UNIT_ENDS, WAIT_PIECE_S, Call
from ternmq.values.calls.units import Disconnect
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.put_form import PutForm, foreign_form
from ternmq.values.transport import Transport

# These keep nothing between attempts.
_BEGIN: Final = units.Begin(calls.Begin())
_COMMIT: Final = units.Commit(calls.Commit())
_BACK_OUT: Final = units.BackOut(calls.BackOut())


class ThreadSession(Session):
    """One connection that threads use."""

    def __init__(self, shell: Shell, user: str, application: str, share: int = BY_UNIT) -> None:
        super().__init__(shell, user, application, share, get_ident())
        self._awaiting: Step | None = None  # while it waits

    # ---- measurement

    def start_clock(self) -> None:
        super().start_clock()
        self._cpu_ns = int(self.engine.clock.cpu_ns())

    def stop_clock(self) -> None:
        clock = self.link.clock
        if clock is None or clock.begun_ns == 0:  # accounting began in the middle of the verb
            return
        super().stop_clock()
        if clock.booked is not None:
            clock.booked.cpu_ns += self.engine.clock.cpu_ns() - self._cpu_ns
            clock.booked = None

    def await_more(self, link: Link, step: Step, left_s: float) -> bool:
        """Wait until there may be more, but no longer than a piece of the time that is left; False
        if there is nothing more to attempt."""
        shell = self.shell
        kernel = self.engine.kernel
        if left_s <= 0:
            with shell.lock:
                return step.time_is_over(kernel, link)
        gate = Gate(shell.make_lock())
        with shell.lock:
            waits = step.await_more(kernel, link, gate)
            self._awaiting = step
        if waits:
            clock = link.clock
            if clock is not None:
                clock.wait(MESSAGE, self.engine.clock.monotonic_ns())
            try:
                gate.wait(min(left_s, WAIT_PIECE_S))
            finally:
                if clock is not None:
                    clock.go_on(self.engine.clock.monotonic_ns())
                with shell.lock:
                    step.stop_awaiting(kernel, link, gate)
                    self._awaiting = None
        return True

    def interrupt(self, request: object) -> None:
        """From another thread: a wait for a message by this request, or for any of several queues,
        ends as if its time were over."""
        shell = self.shell
        with shell.lock:
            kernel = self.engine.kernel
            call = self.link.get_call
            if call is not None and call.waiting and call.request is request:
                cancel(kernel, call, MQRC_NO_MSG_AVAILABLE)
                kernel.outbox.wake(call.waker)
            step = self._awaiting
            if step is not None:
                step.interrupt(kernel)
            shell.flush()


class ThreadTransport(Transport):
    """A queue manager in this process, for threads."""

    def __init__(self, shell: Shell, user: str, application: str, share: int = BY_UNIT) -> None:
        super().__init__()
        self.shell = shell
        self.session = ThreadSession(shell, user, application, share)
        self.link = self.session.link

    # ---- the connection

    @property
    def in_unit(self) -> bool:
        return self.session.in_unit

    @property
    def qmgr_name(self) -> str:
        return self.session.engine.name

    @property
    def user(self) -> str:
        return self.link.user

    @property
    def connection_id(self) -> bytes:
        return self.link.tag

    @property
    def is_alive(self) -> bool:
        return self.link.connected

    @property
    def has_unit(self) -> bool:
        return self.session.in_unit or self.session.has_changes

    def has_handle(self, handle: ObjectHandle) -> bool:
        return self.link.connected and self.link.handles.get(handle.handle_id) is handle

    def consume_by(self, caller: int) -> None:
        self.session.consume_by(caller)

    def release(self) -> None:
        self.session.release()

    def put_form(self, md: Descriptor, options: int, verb: str) -> PutForm:
        return self.session.request_put(md, PutOptions(options=options), verb)

    def interrupt(self, request: object) -> None:
        self.session.interrupt(request)

    # ---- messages

    def put(self, handle: ObjectHandle, form: PutForm, data: bytes) -> bytes:
        if not isinstance(handle, Handle):
            raise not_of_this_process(handle, "MQPUT")
        if not isinstance(form, PutRequest):
            raise foreign_form("MQPUT")
        session = self.session
        session.begin(get_ident(), "MQPUT")
        try:
            check_open_for_output(handle, int(form.options), "MQPUT")
            return self.shell.put(self.link, handle, form, data).msg_id
        except MQError as refused:
            session.refuse("MQPUT", handle, refused.reason)
            raise
        finally:
            session.end()

    def get(self, handle: ObjectHandle, request: GetRequest) -> Message | None:
        if not isinstance(handle, Handle):
            raise not_of_this_process(handle, "MQGET")
        session = self.session
        session.begin(get_ident(), "MQGET")
        try:
            check_open_for(handle, int(request.options))
            if request.options & mq.MQGMO_UNLOCK:
                return message_of(session.engine.clock, session.unlocked(handle, request))
            call = self.shell.get(self.link, handle, request)
        except MQError as refused:
            session.refuse(get_verb(request), handle, refused.reason)
            raise
        finally:
            session.end()
        return message_of(session.engine.clock, call)

    # ---- calls

    def run(self, call: Call) -> None:
        row = STEPS[call.name]
        step = row.make(call)
        session = self.session
        if row.turn == ASIDE:
            self._run_aside(call, step)
            return
        if isinstance(call, Disconnect):
            self._disconnect(call, step)
            return
        if call.unit == UNIT_ENDS and row.turn == BESIDE_UNIT and not self.link.connected:
            session.before(call)  # its unit of work is gone with the connection
            return
        if row.turn == IN_UNIT:
            session.begin(get_ident(), step.verb)
        else:
            session.claim(get_ident(), step.verb)
        try:
            session.before(call)
            self.shell.run(self.link, step)
            if call.wait_s > 0 and call.lacks():
                self._wait(self.link, call, step)
            session.after(call)
            if step.got is not None:
                session.answered(step.got)
        except BaseException as failure:
            session.give_up(step, failure)
            raise
        finally:
            session.end()
        call.check_answer()

    # The same as `run` for these three, without a call and a step for each.

    def begin(self) -> None:
        session = self.session
        session.begin(get_ident(), "MQBEGIN")
        try:
            self.shell.run(self.link, _BEGIN)
            session.enter_unit()
        except MQError as refused:
            session.refuse("MQBEGIN", None, refused.reason)
            raise
        finally:
            session.end()

    def commit(self) -> None:
        session = self.session
        session.begin(get_ident(), "MQCMIT")
        try:
            session.in_unit = False
            self.shell.run(self.link, _COMMIT)
        except MQError as refused:
            session.refuse("MQCMIT", None, refused.reason)
            raise
        finally:
            session.end()

    def back_out(self) -> None:
        session = self.session
        if not self.link.connected:
            session.in_unit = False  # its unit of work is gone with the connection
            return
        session.claim(get_ident(), "MQBACK")
        try:
            session.in_unit = False
            self.shell.run(self.link, _BACK_OUT)
        except MQError as refused:
            session.refuse("MQBACK", None, refused.reason)
            raise
        finally:
            session.end()

    def _run_aside(self, call: Call, step: Step) -> None:
        link = self.session.aside(get_ident(), step.verb)
        try:
            self.shell.run(link, step)
            if call.wait_s > 0 and call.lacks():
                self._wait(link, call, step)
        except MQError as refused:
            self.session.refuse(step.verb, step.subject, refused.reason)
            raise

    def _wait(self, link: Link, call: Call, step: Step) -> None:
        """A call that has found nothing waits for more."""
        clock = self.shell.engine.clock
        deadline_s = clock.monotonic_ns() / 1e9 + call.wait_s
        while call.lacks():
            left_s = deadline_s - clock.monotonic_ns() / 1e9
            if not self.session.await_more(link, step, left_s):
                break
            self.shell.run(link, step)

    # ---- the end

    def end(self, vanished: bool) -> None:
        call = Disconnect(vanished)
        self._disconnect(call, step_of(call))

    def _disconnect(self, call: Disconnect, step: Step) -> None:
        if not self.link.connected:
            return
        if not call.vanished:
            self.session.check_turn(get_ident(), "MQDISC")
        self.session.before(call)
        self.shell.run(self.link, step)
        if call.backed_out_by and not call.vanished:
            raise backed_out("MQDISC", call.backed_out_by)

    @property
    def busy(self) -> bool:
        """A verb is under way."""
        return self.session.busy

    def __del__(self) -> None:
        # Inside the collector: no lock may be touched here. Queues hold the transport, too.
        link: Link | None = getattr(self, "link", None)  # missing if the connection was refused
        if link is not None and link.connected:
            self.shell.dropped.append(link)
            if self.warns:
                warn_dropped(self.qmgr_name, link.unit is not None)
