"""Messages of a channel that are like the one before: what need not be read again."""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import CORREL_ID_AT, FORMAT_AT, MSG_ID_AT, PUT_DATE_AT
from ternmq.codec.property_header import may_be_split
from ternmq.kernel.channel_placing import Target
from ternmq.kernel.requests import PutRequest

# In a message: where MsgId, CorrelId and PutDate to PutTime are; and the formats of headers
# of ours.
_INNER_AT: Final = 104
_MSG_ID_AT: Final = _INNER_AT + MSG_ID_AT
_CORREL_ID_AT: Final = _INNER_AT + CORREL_ID_AT
_CORREL_ID_END: Final = _CORREL_ID_AT + 24
_DATE_AT: Final = _INNER_AT + PUT_DATE_AT
_DATE_BASE_END: Final = PUT_DATE_AT + 16
_DATE_END: Final = _DATE_AT + 16
_FORMAT_AT: Final = _INNER_AT + FORMAT_AT
_FOLLOWED: Final = (b"MQHMDE  ", b"MQHDIST ")


@final
class LastRead:
    """The message that was read last, and its request: most of those that follow on a channel
    differ from it in identifiers, time and data alone, and are not read field by field. Not one
    with headers behind its MQXQH."""

    __slots__ = ("_base", "fields", "qmgr", "queue", "request")

    def __init__(self) -> None:
        self.fields = b""
        self.queue = ""
        self.qmgr = ""
        self.request: PutRequest | None = None
        self._base = b""

    def note(self, message: bytes, target: Target) -> None:
        """It is the last one now, if others can be like it."""
        if target.reason or target.request.properties or may_be_split(target.request.base):
            return
        if message[_FORMAT_AT : _FORMAT_AT + 8] not in _FOLLOWED:
            self.fields = _equal_fields(message)
            self.queue = target.queue
            self.qmgr = target.qmgr
            self.request = target.request

    def target_of(self, message: bytes, body: bytes = b"") -> Target | None:
        """The destination of a message that is like the last one; None if it is not. What follows
        its MQXQH may come apart."""
        before = self.request
        date = message[_DATE_AT:_DATE_END]
        if before is None or not date.isdigit() or _equal_fields(message) != self.fields:
            return None
        base = before.base[:PUT_DATE_AT] + date + before.base[_DATE_BASE_END:]
        if base != self._base:
            self._base = base
        request = PutRequest(before.options, self._base, before.syncpoint)  # many share a base
        request.splits = False
        request.replies_unplaced = False
        request.msg_id = message[_MSG_ID_AT:_CORREL_ID_AT]
        request.correl_id = message[_CORREL_ID_AT:_CORREL_ID_END]
        request.priority = before.priority
        request.persistence = before.persistence
        request.expiry = before.expiry
        request.flags = before.flags
        data = body if body else message[mq.MQXQH_CURRENT_LENGTH :]
        return Target(self.queue, self.qmgr, request, data)


def _equal_fields(message: bytes) -> bytes:
    """What messages must have in common: all of the MQXQH but MsgId, CorrelId, PutDate, PutTime."""
    return (
        message[:_MSG_ID_AT]
        + message[_CORREL_ID_END:_DATE_AT]
        + message[_DATE_END : mq.MQXQH_CURRENT_LENGTH]
    )
