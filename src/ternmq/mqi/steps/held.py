"""A message that is put when its connection ends (`kernel.held_messages`), as IBM's classes for JMS
ask for it with SPI PUT and ACTIVATE."""

from __future__ import annotations

from typing import final

from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.held_messages import hold, settle_held
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.requests import PutRequest
from ternmq.mqi.put_data import without_headers
from ternmq.mqi.putting import check_open_for_output
from ternmq.mqi.steps.step import Step
from ternmq.values.calls import messages as calls


@final
class PutHeld(Step):
    """MQPUT for the end of the connection."""

    def __init__(self, call: calls.Put, request: PutRequest) -> None:
        super().__init__(call.verb)
        self.call = call
        self._request = request
        self._data = call.data
        if request.splits:
            self._request, self._data = without_headers(request, call.data)

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        call = self.call
        handle = self.about(link, call.handle)
        check_open_for_output(handle, int(call.form.options), self.verb)
        entry = hold(kernel, link, handle, self._request, self._data)
        call.entry = entry
        call.msg_id = entry.msg_id
        return True


@final
class SettleHeld(Step):
    """Put it now, or drop it."""

    def __init__(self, msg_id: bytes, is_put: bool) -> None:
        super().__init__("MQPUT")
        self.msg_id = msg_id
        self.is_put = is_put

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        settle_held(kernel, link, self.msg_id, self.is_put)
        return True
