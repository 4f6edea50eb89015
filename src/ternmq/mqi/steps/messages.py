"""MQPUT, MQPUT1 and MQGET as steps.

The fast paths (`Shell.try_put`, `Shell.get`, `Session.attempt_get`) make no step: they call the
same functions of the kernel.
"""

from __future__ import annotations

from typing import final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.deferred_put import put_deferred
from ternmq.kernel.get import cancel, get_returnable, resume
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.put import put
from ternmq.kernel.requests import GetCall, PutRequest
from ternmq.kernel.resolve import close
from ternmq.mqi.getting import check_open_for
from ternmq.mqi.got import get_verb, message_of, unlocked
from ternmq.mqi.put_data import without_headers
from ternmq.mqi.putting import check_open_for_output, put1_open_options
from ternmq.mqi.steps.objects import open_object
from ternmq.mqi.steps.step import Step
from ternmq.ports.effect import Wakeable
from ternmq.values.calls import messages as calls
from ternmq.values.entry import place_in_group
from ternmq.values.put_form import PutForm, foreign_form


def put_request(form: PutForm, verb: str) -> PutRequest:
    """A checked request: in process, a form is always one."""
    if isinstance(form, PutRequest):
        return form
    raise foreign_form(verb)


def parts_of(call: calls.PutCall) -> tuple[PutRequest, bytes] | None:
    """Request and body of a put whose data may begin with properties; None for any other. A step is
    made before the engine's lock is taken."""
    form = call.form
    if isinstance(form, PutRequest) and form.splits:
        return without_headers(form, call.data)
    return None


@final
class Put(Step):
    """MQPUT."""

    def __init__(self, call: calls.Put) -> None:
        super().__init__(call.verb)
        self.is_plain = True
        self.call = call
        self._parts = parts_of(call)

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        call = self.call
        handle = self.about(link, call.handle)
        check_open_for_output(handle, int(call.form.options), self.verb)
        request, data = self._parts or (put_request(call.form, self.verb), call.data)
        entry = put(kernel, link, handle, request, data)
        if entry is None:
            return False
        call.entry = entry
        call.msg_id = entry.msg_id
        call.place = place_in_group(entry)
        call.warning = int(link.warning)
        return True


@final
class Put1(Step):
    """MQPUT1: open, put, close. What was opened is closed whatever becomes of the put."""

    def __init__(self, call: calls.Put1) -> None:
        super().__init__(call.verb)
        self.call = call
        self._parts = parts_of(call)
        self._durable_at = 0  # what the answer depends on, over the parts
        self._is_put = False  # well or not
        self._error: MQError | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        handle = self.subject
        if handle is None:
            options = put1_open_options(int(self.call.form.options))
            handle = open_object(
                kernel, link, self.call.od, options, self.verb, "", self.call.object_string
            )
            if handle is None:
                return False
            self.subject = handle
            self._durable_at = int(link.durable_at)
        if not self._is_put and not self._put(kernel, link, handle):
            return False
        if not close(kernel, handle, 0):
            return False
        link.depends_on(self._durable_at)
        if self._error is not None:
            raise self._error
        link.warning = self.call.warning
        return True

    def _put(self, kernel: Kernel, link: Link, handle: Handle) -> bool:
        call = self.call
        try:
            check_open_for_output(handle, int(call.form.options), self.verb)
            request, data = self._parts or (put_request(call.form, self.verb), call.data)
            entry = put(kernel, link, handle, request, data)
        except MQError as error:
            self._error = error
        else:
            if entry is None:
                return False
            call.entry = entry
            call.msg_id = entry.msg_id
            call.place = place_in_group(entry)
            call.warning = int(link.warning)
            self._durable_at = max(self._durable_at, int(link.durable_at))
        self._is_put = True
        return True


@final
class PutDeferred(Step):
    """MQPUT with a delivery delay."""

    def __init__(self, call: calls.PutDeferred) -> None:
        super().__init__(call.verb)
        self.call = call
        self._parts = parts_of(call)

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        call = self.call
        handle = self.about(link, call.handle)
        check_open_for_output(handle, int(call.form.options), self.verb)
        request, data = self._parts or (put_request(call.form, self.verb), call.data)
        entry = put_deferred(kernel, link, handle, request, data, call.delay_ms)
        if entry is None:
            return False
        call.entry = entry
        call.msg_id = entry.msg_id
        call.warning = int(link.warning)
        return True


@final
class Get(Step):
    """MQGET. One that waits is done, and `lacks` a message: its driver waits and attempts it
    again."""

    def __init__(self, call: calls.Get) -> None:
        super().__init__(call.verb)
        self.counts_as = get_verb(call.request)
        self.is_plain = True
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        call = self.call
        got = self.got
        if got is None:
            got = self._begin(kernel, link)
            self.got = got
        elif not call.is_waiting:
            resume(kernel, got)
        elif got.error is not None:
            raise got.error
        call.is_waiting = got.waiting
        if got.waiting:
            return True
        if link.park is not None or (got.entry is None and link.again):
            return False
        try:
            call.message = message_of(kernel.clock, got)
        except MQError as error:
            call.error = error
        return True

    def _begin(self, kernel: Kernel, link: Link) -> GetCall:
        request = self.call.request
        handle = self.about(link, self.call.handle)
        check_open_for(handle, int(request.options))
        if request.options & mq.MQGMO_UNLOCK:
            link.begin_verb()
            return unlocked(kernel, link, handle, request)
        return get_returnable(kernel, link, handle, request)

    # ---- waiting

    def await_more(self, kernel: Kernel, link: Link, waker: Wakeable) -> bool:
        got = self.got
        if got is None or not got.waiting:
            return False
        got.waker = waker
        link.get_call = got
        return True

    def stop_awaiting(self, kernel: Kernel, link: Link, waker: Wakeable) -> None:
        link.get_call = None
        if self.got is not None:
            self.got.waker = None

    def time_is_over(self, kernel: Kernel, link: Link) -> bool:
        if self.got is not None:
            cancel(kernel, self.got, MQRC_NO_MSG_AVAILABLE)
        return True
