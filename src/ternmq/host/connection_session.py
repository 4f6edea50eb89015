"""One connection, whichever way its caller waits: whose turn it is, its unit of work, its errors.

A connection is used by one caller at a time, a thread or a task. Unless MQCNO options say
otherwise, a unit of work belongs to the caller that began it: anything else is
MQRC_CALL_IN_PROGRESS. `threads`, `tasks` and `jobs` are the drivers that stand on this.
"""

from __future__ import annotations

import os

from ternmq.base.errors import (
    CONNECTION_ENDED,
    UNIT_OF_ANOTHER,
    USED_BY_ANOTHER,
    MQError,
    mq_error,
)
from ternmq.base.reasons import (
    MQRC_CALL_IN_PROGRESS,
    MQRC_HCONN_ERROR,
    MQRC_HOBJ_ERROR,
    MQRC_UOW_IN_PROGRESS,
)
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.host.shell import Shell
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.get import get_returnable, resume
from ternmq.kernel.kernel import RUNNING
from ternmq.kernel.refusals import refused
from ternmq.kernel.requests import GetCall, PutRequest
from ternmq.kernel.returning import answered, take_back
from ternmq.kernel.verb_clock import MESSAGE
from ternmq.mqi.got import unlocked
from ternmq.mqi.putting import put_request
from ternmq.mqi.sharing import ALONE, BY_UNIT, CONSUMED, not_its_turn
from ternmq.mqi.steps.step import Step
from ternmq.ports.effect import Wakeable
from ternmq.values.calls.call import UNIT_BEGINS, UNIT_ENDS, UNIT_LEAVES, Call
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle


class Session:
    """What the verbs of one connection share."""

    def __init__(self, shell: Shell, user: str, application: str, share: int, caller: int) -> None:
        self.shell = shell
        self.engine = shell.engine
        self.in_unit = False  # puts and gets are inside syncpoint unless they say otherwise
        self._busy = False
        self._share = share
        # the thread or task that used the connection last
        self._owner: int = caller if share == ALONE else 0
        shell.engine.kernel.authority.learn(user)  # outside the lock: it may ask the system
        with shell.lock:
            try:
                self.link: Link = shell.engine.connect(user, application)
            finally:
                shell.flush()  # a refused one may have put an event that a get waits for
        self.link.process_id = os.getpid()
        self.link.connect_options = share
        self._before = (share, 0)  # while callbacks are started: who may use it otherwise
        self._cpu_ns = 0  # of the thread, when the verb began

    # ---- whose turn

    def begin(self, caller: int, verb: str) -> None:
        """Take the connection for a verb of `caller`, a thread or task."""
        link = self.link
        if self._busy or self._owner != caller or not link.connected:
            self._change_owner(caller, verb)
        self._busy = True
        if link.clock is not None:
            self.start_clock()

    def claim(self, caller: int, verb: str) -> None:
        """The same for what does not belong to the unit of work, or ends it."""
        self._change_owner(caller, verb)
        self._busy = True
        if self.link.clock is not None:
            self.start_clock()

    def _change_owner(self, caller: int, verb: str) -> None:
        link = self.link
        self.check_turn(caller, verb)
        if not link.connected:
            raise mq_error(
                MQRC_HCONN_ERROR, verb=verb, object=self.engine.name, detail=CONNECTION_ENDED
            )
        if self._owner != caller:
            if self._share == BY_UNIT and self._owner and (self.in_unit or self.has_changes):
                raise mq_error(
                    MQRC_CALL_IN_PROGRESS,
                    verb=verb,
                    object=self.engine.name,
                    detail=UNIT_OF_ANOTHER,
                )
            self._owner = caller

    def check_turn(self, caller: int, verb: str) -> None:
        """Whether the caller may use the connection now."""
        if self._owner != caller and self._share in (ALONE, CONSUMED):
            raise not_its_turn(self._share, verb, self.engine.name)
        if self._busy:
            raise mq_error(
                MQRC_CALL_IN_PROGRESS, verb=verb, object=self.engine.name, detail=USED_BY_ANOTHER
            )

    def consume_by(self, caller: int) -> None:
        """MQCTL has started callbacks, which `caller` runs: others are refused until `release`."""
        self._change_owner(self._owner, "MQCTL")
        self._before = (self._share, self._owner)
        self._share = CONSUMED
        self._owner = caller

    def check_consumed(self, caller: int, verb: str) -> None:
        """MQRC_HCONN_ASYNC_ACTIVE if callbacks are started, which another caller runs."""
        if self._share == CONSUMED and self._owner != caller:
            raise not_its_turn(CONSUMED, verb, self.engine.name)

    def release(self) -> None:
        """The callbacks have ended. Their unit of work, if one is open, is the next caller's."""
        share, owner = self._before
        if self._share == CONSUMED:
            self._share = share
            self._owner = owner if share == ALONE else 0

    def enter_unit(self) -> None:
        """After MQBEGIN: puts and gets are inside syncpoint. A second one has nothing of its own to
        end: its MQCMIT or MQBACK would end the first."""
        if self.in_unit:
            raise mq_error(MQRC_UOW_IN_PROGRESS, verb="MQBEGIN", object=self.engine.name)
        self.in_unit = True

    @property
    def busy(self) -> bool:
        """A verb is under way."""
        return self._busy

    def end(self) -> None:
        """Give the connection back."""
        self._busy = False
        if self.link.clock is not None:
            self.stop_clock()

    @property
    def has_changes(self) -> bool:
        """Whether there is work that the application has neither committed nor backed out, though
        the queue manager may have."""
        unit = self.link.unit
        return unit is not None and (len(unit.changes) > 0 or unit.backed_out_by != "")

    def aside(self, caller: int, verb: str) -> Link:
        """A link of the same user for what needs no turn: a verb may be under way, and what that
        leaves in its own link must stay."""
        link = self.link
        if not link.connected:
            raise mq_error(MQRC_HCONN_ERROR, object=self.engine.name)
        self.check_consumed(caller, verb)
        side = Link(link.connection_id, link.tag, link.user, link.application)
        side.privileged = link.privileged
        side.process_id = link.process_id
        side.channel_name = link.channel_name
        side.connection_name = link.connection_name
        side.handles = link.handles
        return side

    # ---- units of work

    def before(self, call: Call) -> None:
        """A call is about to be tried."""
        if call.unit == UNIT_ENDS:
            self.in_unit = False

    def after(self, call: Call) -> None:
        """It is done."""
        if call.unit == UNIT_BEGINS:
            self.enter_unit()
        elif call.unit == UNIT_LEAVES:
            self.in_unit = False

    # ---- measurement

    def start_clock(self) -> None:
        """A verb begins, and the connection has an account."""
        clock = self.link.clock
        if clock is not None:
            clock.begin(self.engine.clock.monotonic_ns(), None)

    def stop_clock(self) -> None:
        """It is over."""
        clock = self.link.clock
        account = self.link.account
        if clock is not None and account is not None:
            clock.end(self.engine.clock.monotonic_ns(), account.other)

    def go_on(self) -> None:
        """What the verb waited for, if it did, is there."""
        clock = self.link.clock
        if clock is not None and clock.waits_for:
            clock.go_on(self.engine.clock.monotonic_ns())

    def refuse(self, verb: str, handle: Handle | None, reason: int = 0) -> None:
        """A verb was refused: that is counted, if anything is."""
        kernel = self.engine.kernel
        if kernel.measured:
            with self.shell.lock:
                refused(kernel, self.link, verb, handle, reason)

    def give_up(self, step: Step, failure: BaseException) -> None:
        """A step has raised, or its caller is gone: nothing was got, and a refusal is counted."""
        if step.got is not None:
            self.take_back(step.got)
        if isinstance(failure, MQError):
            self.refuse(step.counts_as, step.subject, failure.reason)

    # ---- handles and requests

    def handle(self, handle_id: int, verb: str) -> Handle:
        """An open handle of this connection."""
        handle = self.link.handles.get(handle_id)
        if handle is None:
            raise mq_error(MQRC_HOBJ_ERROR, verb=verb, detail=f"handle {handle_id}")
        return handle

    def request_put(self, md: Descriptor, pmo: PutOptions, verb: str = "MQPUT") -> PutRequest:
        """Check descriptor and options once; the result may be used for any number of puts."""
        return put_request(self.engine.kernel, self.link, md, pmo, verb)

    # ---- gets

    def waker_of(self, call: GetCall, waiter: Wakeable | None) -> Wakeable | None:
        """With the lock: a get waits for a message; what is woken when there is one."""
        return waiter

    def attempt_get(
        self,
        handle: Handle,
        request: GetRequest,
        call: GetCall | None,
        waiter: Wakeable | None,
        beside: bool = False,
    ) -> GetCall:
        """Begin a get that can be taken back, or go on with one; `attempt` for gets. `beside`: it
        is a consumer's, and other verbs of the connection go on while it waits."""
        shell = self.shell
        link = self.link
        shell.lock.acquire()
        try:
            if call is None:
                call = get_returnable(self.engine.kernel, link, handle, request, beside)
            else:
                resume(self.engine.kernel, call)
            if call.waiting:
                call.waker = self.waker_of(call, waiter)
                clock = link.clock
                if clock is not None:
                    clock.wait(MESSAGE, self.engine.clock.monotonic_ns())
            if link.durable_at or link.unit is not None:
                self.engine.after_step()
            call.durable_at = link.durable_at
            outbox = self.engine.outbox
            if outbox.woken or outbox.effects:
                shell.flush()
        except BaseException as failure:
            shell.failed(failure, "MQGET")
            raise
        finally:
            shell.lock.release()
        return call

    def answered(self, call: GetCall) -> None:
        """The message of a get is its caller's for good."""
        if call.reserved > 0:
            with self.shell.lock:
                answered(self.engine.kernel, call)

    def take_back(self, call: GetCall) -> None:
        """A get has not happened: its message is on the queue again."""
        shell = self.shell
        with shell.lock:
            call.waker = None
            self.link.get_call = None
            take_back(self.engine.kernel, call)
            shell.settle()
        durable_at = self.link.durable_at
        # One that stops forces everything at its end; one that is broken, nothing any more.
        if durable_at > self.engine.log.forced_lsn and self.engine.kernel.status == RUNNING:
            self.order_force(int(durable_at))

    def order_force(self, lsn: int) -> None:
        """Have the log forced up to here, without waiting. A thread leaves it to the next force."""

    def unlocked(self, handle: Handle, request: GetRequest) -> GetCall:
        """MQGET with MQGMO_UNLOCK."""
        with self.shell.lock:
            call = unlocked(self.engine.kernel, self.link, handle, request)
            self.shell.flush()
            return call


def not_of_this_process(given: ObjectHandle, verb: str) -> MQError:
    """A put or get with a handle that another transport has made."""
    return mq_error(MQRC_HOBJ_ERROR, verb=verb, detail=f"handle {given.handle_id}")
