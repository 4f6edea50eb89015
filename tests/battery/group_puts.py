"""Puts with MsgFlags and MQPMO options, and what the queue manager answers."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from ternmq import Descriptor, MQError, QueueManager
from ternmq import constants as mq
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.values.calls.messages import Put
from ternmq.values.calls.objects import Close, Open

LOGICAL = mq.MQPMO_LOGICAL_ORDER
IN_GROUP = mq.MQMF_MSG_IN_GROUP
LAST_IN_GROUP = mq.MQMF_LAST_MSG_IN_GROUP
SEGMENT = mq.MQMF_SEGMENT
LAST_SEGMENT = mq.MQMF_LAST_SEGMENT
ALLOWED = mq.MQMF_SEGMENTATION_ALLOWED


class Answer(NamedTuple):
    """What came back with a put."""

    group_id: bytes
    sequence: int
    offset: int
    warning: int


class Putter:
    """One handle of a connection of its own."""

    def __init__(self, qmgr: QueueManager, name: str = "A") -> None:
        self.connection = qmgr.connect()
        call = Open(ObjectDescriptor(object_name=name), mq.MQOO_OUTPUT)
        self.connection.transport.run(call)
        self.handle = call.opened()

    def put(self, data: bytes, flags: int = 0, options: int = LOGICAL, /, **fields: Any) -> Answer:
        """One put; fields are of the MQMD."""
        transport = self.connection.transport
        inside = mq.MQPMO_SYNCPOINT if transport.in_unit else mq.MQPMO_NO_SYNCPOINT
        if options & mq.MQPMO_NO_SYNCPOINT:
            inside = 0
        md = Descriptor(**{"version": 2, "msg_flags": flags, **fields})
        form = transport.put_form(md, options | inside, "MQPUT")
        call = Put(self.handle, form, data)
        transport.run(call)
        sequence = int.from_bytes(call.place[24:28], "little")
        offset = int.from_bytes(call.place[28:32], "little")
        return Answer(call.place[:24], sequence, offset, call.warning)

    def refused(self, data: bytes, flags: int = 0, options: int = LOGICAL, /, **fields: Any) -> int:
        """The reason of a put that fails."""
        with pytest.raises(MQError) as caught:
            self.put(data, flags, options, **fields)
        assert caught.value.comp == mq.MQCC_FAILED
        return caught.value.reason

    def close(self) -> int:
        """MQCLOSE: the reason of its warning."""
        transport = self.connection.transport
        call = Close(self.handle)
        transport.run(call)
        assert not transport.has_handle(self.handle)
        return call.warning
