"""The records of distribution lists: MQOR, MQRR and MQPMR, which have no eye-catcher.

    MQOR    ObjectName c48, ObjectQMgrName c48: one destination
    MQRR    CompCode i32, Reason i32: what became of one
    MQPMR   the fields that PutMsgRecFields names, in this order: MsgId b24, CorrelId b24,
            GroupId b24, Feedback i32, AccountingToken b32

They stand in arrays, at offsets that MQOD, MQPMO and MQDH have. Integers are in the byte order, and
characters in the CCSID, that the caller gives.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

from ternmq.base import constants as mq
from ternmq.codec.charset import encode
from ternmq.codec.mqi.layout import read_chars

NAME_BYTES: Final = 48
OBJECT_RECORD_BYTES: Final = 2 * NAME_BYTES
RESPONSE_RECORD_BYTES: Final = 8
_ID_BYTES: Final = 24
_TOKEN_BYTES: Final = 32
PUT_RECORD_FIELDS: Final = (
    mq.MQPMRF_MSG_ID
    | mq.MQPMRF_CORREL_ID
    | mq.MQPMRF_GROUP_ID
    | mq.MQPMRF_FEEDBACK
    | mq.MQPMRF_ACCOUNTING_TOKEN
)
_SIZES: Final = (
    (mq.MQPMRF_MSG_ID, _ID_BYTES),
    (mq.MQPMRF_CORREL_ID, _ID_BYTES),
    (mq.MQPMRF_GROUP_ID, _ID_BYTES),
    (mq.MQPMRF_FEEDBACK, 4),
    (mq.MQPMRF_ACCOUNTING_TOKEN, _TOKEN_BYTES),
)


class Destination(NamedTuple):
    """A queue of a distribution list: its name and that of its queue manager, or nothing."""

    queue: str
    qmgr: str = ""


class PutRecord(NamedTuple):
    """What the message of one destination has for itself."""

    msg_id: bytes = mq.MQMI_NONE
    correl_id: bytes = mq.MQCI_NONE
    group_id: bytes = mq.MQGI_NONE
    feedback: int = mq.MQFB_NONE
    accounting_token: bytes = mq.MQACT_NONE


def whole_record(record: PutRecord) -> PutRecord:
    """A record whose fields have their full length; ValueError for one that is too long."""
    return PutRecord(
        _whole(record.msg_id, _ID_BYTES),
        _whole(record.correl_id, _ID_BYTES),
        _whole(record.group_id, _ID_BYTES),
        record.feedback,
        _whole(record.accounting_token, _TOKEN_BYTES),
    )


def _whole(value: bytes, size: int) -> bytes:
    if len(value) > size:
        raise ValueError(f"an identifier of {len(value)} bytes, {size} fit")
    return value if len(value) == size else value.ljust(size, b"\0")


# ---- MQOR


def pack_destinations(destinations: list[Destination], ccsid: int) -> bytes:
    """An array of MQOR."""
    parts: list[bytes] = []
    blank = encode(" ", ccsid)
    for one in destinations:
        parts.append(encode(one.queue, ccsid)[:NAME_BYTES].ljust(NAME_BYTES, blank))
        parts.append(encode(one.qmgr, ccsid)[:NAME_BYTES].ljust(NAME_BYTES, blank))
    return b"".join(parts)


def unpack_destinations(data: bytes, at: int, count: int, ccsid: int) -> list[Destination]:
    """So many MQOR, all of which are there."""
    found: list[Destination] = []
    for _ in range(count):
        middle = at + NAME_BYTES
        queue = read_chars(data[at:middle], ccsid)
        at = middle + NAME_BYTES
        found.append(Destination(queue, read_chars(data[middle:at], ccsid)))
    return found


# ---- MQRR


def pack_responses(results: list[tuple[int, int]], order: str) -> bytes:
    """An array of MQRR."""
    pair = struct.Struct(order + "ii")
    return b"".join([pair.pack(comp, reason) for comp, reason in results])


def unpack_responses(data: bytes, at: int, count: int, order: str) -> list[tuple[int, int]]:
    """So many MQRR, all of which are there."""
    pair = struct.Struct(order + "ii")
    found: list[tuple[int, int]] = []
    for number in range(count):
        comp, reason = pair.unpack_from(data, at + number * RESPONSE_RECORD_BYTES)
        found.append((comp, reason))
    return found


# ---- MQPMR


def put_record_bytes(fields: int) -> int:
    """The length of an MQPMR with these fields (MQPMRF)."""
    size = 0
    for flag, length in _SIZES:
        if fields & flag:
            size += length
    return size


def pack_put_records(records: list[PutRecord], fields: int, order: str) -> bytes:
    """An array of MQPMR with these fields."""
    parts: list[bytes] = []
    for one in records:
        if fields & mq.MQPMRF_MSG_ID:
            parts.append(_whole(one.msg_id, _ID_BYTES))
        if fields & mq.MQPMRF_CORREL_ID:
            parts.append(_whole(one.correl_id, _ID_BYTES))
        if fields & mq.MQPMRF_GROUP_ID:
            parts.append(_whole(one.group_id, _ID_BYTES))
        if fields & mq.MQPMRF_FEEDBACK:
            parts.append(struct.pack(order + "i", one.feedback))
        if fields & mq.MQPMRF_ACCOUNTING_TOKEN:
            parts.append(_whole(one.accounting_token, _TOKEN_BYTES))
    return b"".join(parts)


def unpack_put_records(
    data: bytes, at: int, count: int, fields: int, order: str
) -> list[PutRecord]:
    """So many MQPMR with these fields, all of which are there; the other fields are empty."""
    found: list[PutRecord] = []
    for _ in range(count):
        msg_id, correl_id, group_id = mq.MQMI_NONE, mq.MQCI_NONE, mq.MQGI_NONE
        feedback, token = mq.MQFB_NONE, mq.MQACT_NONE
        if fields & mq.MQPMRF_MSG_ID:
            msg_id = data[at : at + _ID_BYTES]
            at += _ID_BYTES
        if fields & mq.MQPMRF_CORREL_ID:
            correl_id = data[at : at + _ID_BYTES]
            at += _ID_BYTES
        if fields & mq.MQPMRF_GROUP_ID:
            group_id = data[at : at + _ID_BYTES]
            at += _ID_BYTES
        if fields & mq.MQPMRF_FEEDBACK:
            feedback = struct.unpack_from(order + "i", data, at)[0]
            at += 4
        if fields & mq.MQPMRF_ACCOUNTING_TOKEN:
            token = data[at : at + _TOKEN_BYTES]
            at += _TOKEN_BYTES
        found.append(PutRecord(msg_id, correl_id, group_id, feedback, token))
    return found
