"""What agents must know of a message as it is on a transmission queue: whether it is one, whether
it is persistent, how long it counts on a channel."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.codec.charset import is_ascii_based
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.mqi.mqmd import PERSISTENCE_AT
from ternmq.wire.fap.segment_number import i32

HEADER_BYTES: Final = mq.MQXQH_CURRENT_LENGTH
_DESCRIPTOR_AT: Final = 104
_VERSION_AT: Final = 4


def is_transmission_message(message: bytes) -> bool:
    """Whether the bytes begin with an MQXQH and the MQMD in it."""
    if len(message) < HEADER_BYTES or message[:4] != mq.MQXQH_STRUC_ID:
        return False
    if message[_DESCRIPTOR_AT : _DESCRIPTOR_AT + 4] != mq.MQMD_STRUC_ID:
        return False
    return i32(message, _VERSION_AT, True) == 1 or i32(message, _VERSION_AT, False) == 1


def is_persistent(message: bytes) -> bool:
    """Whether the MQMD in the MQXQH says so; the byte order does not matter for 0."""
    at: i64 = _DESCRIPTOR_AT + PERSISTENCE_AT
    return i32(message, at, True) != mq.MQPER_NOT_PERSISTENT


def with_own_header(message: bytes, order: str, ccsid: int) -> bytes:
    """The message whose MQXQH is in this machine's byte order and character set, from the ones of
    a partner; MQError if it cannot be read or converted. MQMDE and what follows is described by the
    MQMD, and stays."""
    if order == LITTLE and is_ascii_based(ccsid):
        return message
    header = TransmissionHeader.unpack(message, 0, order, ccsid)
    return header.pack() + message[HEADER_BYTES:]


def with_persistence(message: bytes, persistent: bool) -> bytes:
    """The message whose MQMD in its MQXQH says that it is persistent, or that it is not.

    A program that makes its own MQXQH may say one thing there and another in the MQMD of the
    transmission queue. By that one the message is kept, got and lost."""
    if is_persistent(message) == persistent:
        return message
    at = _DESCRIPTOR_AT + PERSISTENCE_AT
    value = mq.MQPER_PERSISTENT if persistent else mq.MQPER_NOT_PERSISTENT
    return message[:at] + value.to_bytes(4, "little") + message[at + 4 :]


def channel_bytes(message: bytes) -> i64:
    """How long the message is on a channel: MQXQH does not count."""
    size: i64 = len(message)
    return size - HEADER_BYTES
