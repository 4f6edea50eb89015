"""MQPUT, MQPUT1 and MQGET as calls.

They do not travel by name and JSON: each protocol has a form of its own for them. A plain put or
get has a method of its own on a transport and makes no call; MQPUT1 is always a call.
"""

from __future__ import annotations

from math import inf
from typing import final

from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_SELECTOR_INVALID_FOR_TYPE
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.values.calls.call import Call
from ternmq.values.calls.objects import settle_names
from ternmq.values.entry import Entry
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.put_form import PutForm


class PutCall(Call):
    """What both puts have."""

    def __init__(self, name: str, verb: str, form: PutForm, data: bytes) -> None:
        super().__init__(name, verb)
        self.form = form
        self.data = data
        self.msg_id = b""
        self.entry: Entry | None = None  # the message as it was put; only where the queue is
        self.warning = 0  # a reason that comes with MQCC_WARNING
        # GroupId to OriginalLength as the message was put, of an MQMD; empty if not known
        self.place = b""


@final
class Put(PutCall):
    """MQPUT."""

    def __init__(self, handle: ObjectHandle, form: PutForm, data: bytes) -> None:
        super().__init__("put", "MQPUT", form, data)
        self.handle = handle


def selection_of_put1(name: str) -> MQError:
    """An MQPUT1 with a SelectionString."""
    detail = "MQPUT1 gets nothing that a selection string could choose; leave SelectionString out"
    return mq_error(MQRC_SELECTOR_INVALID_FOR_TYPE, verb="MQPUT1", object=name, detail=detail)


@final
class Put1(PutCall):
    """MQPUT1: open, put, close."""

    def __init__(
        self, od: ObjectDescriptor, form: PutForm, data: bytes, object_string: str = ""
    ) -> None:
        super().__init__("put1", "MQPUT1", form, data)
        self.object_string = object_string  # of a topic
        if od.selection_string.length:
            raise selection_of_put1(od.object_name)
        settle_names(od)
        self.od = od


@final
class PutDeferred(PutCall):
    """MQPUT of a message that is delivered when so many milliseconds are over."""

    def __init__(self, handle: ObjectHandle, form: PutForm, data: bytes, delay_ms: int) -> None:
        super().__init__("put_deferred", "MQPUT", form, data)
        self.handle = handle
        self.delay_ms = delay_ms


@final
class Get(Call):
    """MQGET, also one that browses or unlocks. The request says all that is asked for: options,
    what to match, how long to wait, the buffer, what to convert to."""

    def __init__(self, handle: ObjectHandle, request: GetRequest) -> None:
        super().__init__("get", "MQGET")
        self.handle = handle
        self.request = request
        self.wait_s = inf if request.wait_ms < 0 else int(request.wait_ms) / 1000
        self.message: Message | None = None  # None: no message
        self.error: MQError | None = None  # why not; an answer, so the log is forced before it
        self.is_waiting = False

    def lacks(self) -> bool:
        return self.is_waiting

    def check_answer(self) -> None:
        if self.error is not None:
            raise self.error
