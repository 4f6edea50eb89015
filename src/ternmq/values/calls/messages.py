"""MQPUT and MQPUT1 as calls.

They do not travel as JSON: each protocol has a form of its own for them. A plain put has a method
of its own on a transport and makes no call, and so has every get; MQPUT1 is always a call.
"""

from __future__ import annotations

from typing import final

from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.values.calls.call import Call
from ternmq.values.calls.objects import settle_names
from ternmq.values.entry import Entry
from ternmq.values.handle import ObjectHandle
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


@final
class Put(PutCall):
    """MQPUT."""

    def __init__(self, handle: ObjectHandle, form: PutForm, data: bytes) -> None:
        super().__init__("put", "MQPUT", form, data)
        self.handle = handle


@final
class Put1(PutCall):
    """MQPUT1: open, put, close."""

    def __init__(self, od: ObjectDescriptor, form: PutForm, data: bytes) -> None:
        super().__init__("put1", "MQPUT1", form, data)
        settle_names(od)
        self.od = od
