"""MQPUT and MQPUT1 as steps.

The fast path of a put (`host.shell.try_put`) makes no step: it calls the same kernel function.
"""

from __future__ import annotations

from typing import final

from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_PMO_ERROR
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.put import put
from ternmq.kernel.put_parts import in_parts
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.resolve import close
from ternmq.mqi.putting import check_open_for_output, put1_open_options
from ternmq.mqi.steps.objects import open_object
from ternmq.mqi.steps.step import Step
from ternmq.values.calls import messages as calls
from ternmq.values.put_form import PutForm


def put_request(form: PutForm, verb: str) -> PutRequest:
    """A checked request: in process, a form is always one."""
    if isinstance(form, PutRequest):
        return form
    raise mq_error(MQRC_PMO_ERROR, verb=verb, detail="the form belongs to another transport")


@final
class Put(Step):
    """MQPUT."""

    def __init__(self, call: calls.Put) -> None:
        super().__init__(call.verb)
        self.is_plain = True
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        call = self.call
        handle = self.about(link, call.handle)
        check_open_for_output(handle, int(call.form.options), self.verb)
        request = put_request(call.form, self.verb)
        data = call.data
        if request.splits:
            request, data = in_parts(request, data)
        entry = put(kernel, link, handle, request, data)
        if entry is None:
            return False
        call.entry = entry
        call.msg_id = entry.msg_id
        call.warning = int(link.warning)
        return True


@final
class Put1(Step):
    """MQPUT1: open, put, close. What was opened is closed whatever becomes of the put."""

    def __init__(self, call: calls.Put1) -> None:
        super().__init__(call.verb)
        self.call = call
        self._durable_at = 0  # what the answer depends on, over the parts
        self._is_put = False  # well or not
        self._error: MQError | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        handle = self.subject
        if handle is None:
            options = put1_open_options(int(self.call.form.options))
            handle = open_object(kernel, link, self.call.od, options, self.verb)
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
            request = put_request(call.form, self.verb)
            data = call.data
            if request.splits:
                request, data = in_parts(request, data)
            entry = put(kernel, link, handle, request, data)
        except MQError as error:
            self._error = error
        else:
            if entry is None:
                return False
            call.entry = entry
            call.msg_id = entry.msg_id
            call.warning = int(link.warning)
            self._durable_at = max(self._durable_at, int(link.durable_at))
        self._is_put = True
        return True
