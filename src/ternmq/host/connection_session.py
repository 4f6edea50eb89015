"""One connection, whichever way its caller waits: whose turn it is, its unit of work, its errors.

A connection is used by one caller at a time, a thread or a task. Unless MQCNO options say
otherwise, a unit of work belongs to the caller that began it: anything else is
MQRC_CALL_IN_PROGRESS. `threads`, `tasks` and `jobs` are the drivers that stand on this.
"""

from __future__ import annotations

import os

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_CALL_IN_PROGRESS,
    MQRC_HCONN_ERROR,
    MQRC_HOBJ_ERROR,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_NO_MSG_LOCKED,
    MQRC_TRUNCATED_MSG_FAILED,
    MQRC_UOW_IN_PROGRESS,
)
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.host.shell import Shell
from ternmq.kernel.browse import unlock
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.ending import refuse_if_backed_out
from ternmq.kernel.get import BROWSE_OPTIONS, get_returnable, resume
from ternmq.kernel.property_options import as_delivered
from ternmq.kernel.refusals import BROWSE, refused
from ternmq.kernel.requests import GetCall, PutRequest
from ternmq.kernel.resolve import check_handle
from ternmq.kernel.verb_clock import MESSAGE
from ternmq.mqi.getting import get_request
from ternmq.mqi.putting import put_request
from ternmq.mqi.sharing import ALONE, BY_UNIT
from ternmq.ports.effect import Wakeable
from ternmq.values.calls.call import UNIT_BEGINS, UNIT_ENDS, UNIT_LEAVES, Call
from ternmq.values.entry import Entry
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message


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
                shell.flush()  # a refused one may have made an event, for which somebody waits
        self.link.process_id = os.getpid()
        self.link.connect_options = share
        self._cpu_ns = 0  # of the thread, when the verb began

    # ---- whose turn

    def begin(self, caller: int, verb: str) -> None:
        """Take the connection for a verb of `caller`, a thread or task."""
        link = self.link
        if self._busy or self._owner != caller or not link.connected:
            self._change_owner(caller, verb)
        unit = link.unit
        if unit is not None and unit.backed_out_by:
            refuse_if_backed_out(link, verb)
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
            raise mq_error(MQRC_HCONN_ERROR, verb=verb, object=self.engine.name)
        unit = link.unit
        if self._owner != caller:
            if self._share == BY_UNIT and (self.in_unit or (unit is not None and unit.changes)):
                raise mq_error(
                    MQRC_CALL_IN_PROGRESS,
                    verb=verb,
                    object=self.engine.name,
                    detail="the unit of work of another thread or task",
                )
            self._owner = caller

    def check_turn(self, caller: int, verb: str) -> None:
        """Whether the caller may use the connection now."""
        if self._share == ALONE and self._owner != caller:
            raise mq_error(
                MQRC_HCONN_ERROR,
                verb=verb,
                object=self.engine.name,
                detail="MQCNO_HANDLE_SHARE_NONE: the connection is its maker's alone",
            )
        if self._busy:
            raise mq_error(MQRC_CALL_IN_PROGRESS, verb=verb, object=self.engine.name)

    def enter_unit(self) -> None:
        """After MQBEGIN: puts and gets are inside syncpoint. A second one has nothing of its own to
        end: whoever ends it would end the first."""
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
        """Whether there is work that has neither been committed nor backed out."""
        unit = self.link.unit
        return unit is not None and len(unit.changes) > 0

    def aside(self) -> Link:
        """A link of the same user for what needs no turn: a verb may be under way, and what that
        leaves in its own link must stay."""
        link = self.link
        if not link.connected:
            raise mq_error(MQRC_HCONN_ERROR, object=self.engine.name)
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

    def refuse(self, verb: str, handle: Handle | None) -> None:
        """A verb was refused: that is counted, if anything is."""
        kernel = self.engine.kernel
        if kernel.measured:
            with self.shell.lock:
                refused(kernel, self.link, verb, handle)

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
        """With the lock: a get waits for a message; who is woken when there is one."""
        return waiter

    def attempt_get(
        self, handle: Handle, request: GetRequest, call: GetCall | None, waiter: Wakeable | None
    ) -> GetCall:
        """Begin a get that can be taken back, or go on with one; `attempt` for gets."""
        shell = self.shell
        link = self.link
        shell.lock.acquire()
        try:
            if call is None:
                call = get_returnable(self.engine.kernel, link, handle, request)
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

    # ---- answers

    def unlocked(self, handle: Handle, request: GetRequest) -> GetCall:
        """MQGET with MQGMO_UNLOCK."""
        call = GetCall(self.link, handle, request)
        with self.shell.lock:
            check_handle(self.link, handle, "MQGET")
            if not unlock(self.engine.kernel, handle):
                call.reason = MQRC_NO_MSG_LOCKED
        return call

    def message(self, call: GetCall) -> Message | None:
        """What a get answers: the message, None if there is none, or the error that says why."""
        entry = call.entry
        if entry is not None and entry.properties:
            entry = as_delivered(call, entry)
        if entry is not None and call.reason == 0:
            got_ns = self.engine.clock.now_ns() if entry.expiry_at else 0
            message = Message(entry, entry.data, False, got_ns)
            if call.request.options & mq.MQGMO_CONVERT:
                request = call.request
                limit = int(request.buffer_length)
                message.convert(int(request.ccsid), int(request.encoding), limit)
            return message
        if call.reason in (0, MQRC_NO_MSG_AVAILABLE):  # 0: an unlock
            return None
        return self._explain(call, entry)

    def _explain(self, call: GetCall, entry: Entry | None) -> Message:
        """The cut message of a warning, or the error that says why there is none."""
        name = call.handle.resolved_name
        if entry is None:
            raise mq_error(int(call.reason), verb="MQGET", object=name)
        limit = call.request.buffer_length
        cut = Message(entry, entry.data[:limit], True, self.engine.clock.now_ns())
        if call.reason == MQRC_TRUNCATED_MSG_FAILED:
            raise mq_error(
                MQRC_TRUNCATED_MSG_FAILED,
                verb="MQGET",
                object=name,
                detail=f"{entry.length} bytes, the buffer has {limit}",
                result=cut,
            )
        return cut


def not_of_this_process(given: ObjectHandle, verb: str) -> MQError:
    """A put or get with a handle, or a form, that another transport has made."""
    return mq_error(MQRC_HOBJ_ERROR, verb=verb, detail=f"handle {given.handle_id}")


def get_verb(request: GetRequest) -> str:
    """What is counted if it is refused."""
    return BROWSE if request.options & BROWSE_OPTIONS else "MQGET"


def request_get(
    md: Descriptor, gmo: GetOptions, buffer_length: int, apart: bool = False
) -> GetRequest:
    """Check match fields and options once; the result may be used for any number of gets."""
    return get_request(md, gmo, buffer_length, apart)
