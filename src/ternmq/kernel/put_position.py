"""Where a put stands in its group and its logical message: the rules for GroupId, MsgSeqNumber,
Offset, MsgFlags and OriginalLength, and what a handle remembers of its last put.

A handle remembers a group or logical message that is not complete. MQPMO_LOGICAL_ORDER goes on from
there; without the option the descriptor says where the message belongs, and the handle remembers
that. MQBACK takes a handle back to what it remembered before the unit of work.
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.limits import SEGMENT_OFFSET_BYTES_MAX, SEQUENCE_NUMBER_MAX
from ternmq.base.reasons import (
    MQRC_INCOMPLETE_GROUP,
    MQRC_INCOMPLETE_MSG,
    MQRC_INCONSISTENT_PERSISTENCE,
    MQRC_INCONSISTENT_UOW,
    MQRC_MSG_FLAGS_ERROR,
    MQRC_MSG_SEQ_NUMBER_ERROR,
    MQRC_OFFSET_ERROR,
    MQRC_ORIGINAL_LENGTH_ERROR,
    MQRC_SEGMENT_LENGTH_ZERO,
)
from ternmq.codec.mqi.mqmd import GROUP_ID_AT, MSG_SEQ_NUMBER_AT, MSG_TYPE_AT
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.requests import PutRequest
from ternmq.txn.unit import Restore, UnitOfWork
from ternmq.values.entry import ZERO_ID

IN_GROUP: Final = mq.MQMF_MSG_IN_GROUP | mq.MQMF_LAST_MSG_IN_GROUP
SEGMENT: Final = mq.MQMF_SEGMENT | mq.MQMF_LAST_SEGMENT
_KNOWN: Final = IN_GROUP | SEGMENT | mq.MQMF_SEGMENTATION_ALLOWED
_FIELDS: Final = struct.Struct("<iiii")  # MsgSeqNumber, Offset, MsgFlags, OriginalLength
_LONG: Final = struct.Struct("<i")


@final
class PutPosition:
    """A group or logical message that the last put of a handle has left incomplete."""

    __slots__ = (
        "group_id",
        "in_group",
        "in_message",
        "is_logical",
        "next_offset",
        "persistence",
        "sequence",
        "syncpoint",
    )

    def __init__(self, place: Place, request: PutRequest, length: i64) -> None:
        flags = place.flags
        self.in_message = flags & SEGMENT != 0 and flags & mq.MQMF_LAST_SEGMENT == 0
        is_last = flags & mq.MQMF_LAST_MSG_IN_GROUP != 0 and not self.in_message
        self.in_group = flags & IN_GROUP != 0 and not is_last
        self.group_id = place.group_id
        self.sequence: i64 = place.sequence
        self.next_offset: i64 = place.offset + length
        self.persistence: i64 = place.persistence
        self.syncpoint = request.syncpoint
        self.is_logical = request.options & mq.MQPMO_LOGICAL_ORDER != 0

    @property
    def warning(self) -> i64:
        """What a close reports: the message counts more than its group."""
        if not self.is_logical:
            return 0
        return MQRC_INCOMPLETE_MSG if self.in_message else MQRC_INCOMPLETE_GROUP


@final
class Place:
    """Where one message belongs, as it is stored."""

    __slots__ = (
        "flags",
        "group_id",
        "offset",
        "original_length",
        "persistence",
        "sequence",
        "warning",
    )

    def __init__(self, persistence: i64) -> None:
        self.group_id = ZERO_ID
        self.sequence: i64 = 1
        self.offset: i64 = 0
        self.flags: i64 = 0
        self.original_length: i64 = mq.MQOL_UNDEFINED
        self.persistence: i64 = persistence
        self.warning: i64 = 0

    def base(self, base: bytes) -> bytes:
        """A descriptor with these fields."""
        fields = _FIELDS.pack(
            int(self.sequence), int(self.offset), int(self.flags), int(self.original_length)
        )
        return base[:GROUP_ID_AT] + self.group_id + fields


@final
class _Before(Restore):
    """What a handle remembered before the unit of work that is now backed out."""

    def __init__(self, handle: Handle) -> None:
        self.handle = handle
        self.position = handle.position

    def restore(self) -> None:
        self.handle.position = self.position


def place_of(
    kernel: Kernel, handle: Handle, request: PutRequest, length: i64, persistence: i64
) -> Place:
    """Where the message belongs; the reason if it cannot be put there. `length` is its data's."""
    base = request.base
    sequence, offset, flags, original = _FIELDS.unpack_from(base, MSG_SEQ_NUMBER_AT)
    _check_flags(handle, flags)
    place = Place(persistence)
    position = handle.position
    if request.options & mq.MQPMO_LOGICAL_ORDER:
        if position is not None:
            _check_goes_on(handle, position, request, flags, persistence)
        _follow(kernel, place, position, flags)
    else:
        place.sequence = sequence
        place.offset = offset
        if flags & _KNOWN:
            given = request.group_id
            place.group_id = kernel.new_id() if given == ZERO_ID else given
        if position is not None and position.is_logical:
            place.warning = _deviation(position, request, place, flags)
    if flags & mq.MQMF_LAST_MSG_IN_GROUP:
        flags |= mq.MQMF_MSG_IN_GROUP
    if flags & mq.MQMF_LAST_SEGMENT:
        flags |= mq.MQMF_SEGMENT
    place.flags = flags
    if flags & SEGMENT:
        place.original_length = _checked_segment(handle, place, base, length, original)
    return place


def _check_flags(handle: Handle, flags: int) -> None:
    """Flags that only a later queue manager knows may pass here, on a transmission queue."""
    if not flags & mq.MQMF_ACCEPT_UNSUP_IF_XMIT_MASK or handle.route is not None:
        return
    local = handle.local
    if local is None or local.definition.number("usage") != mq.MQUS_TRANSMISSION:
        detail = f"MsgFlags 0x{flags & 0xFFFFFFFF:08X}; 0x{flags & 0xFF000:X} is for other versions"
        raise _refusal(MQRC_MSG_FLAGS_ERROR, handle, f"{detail} of MQ: leave it out")


def _check_goes_on(
    handle: Handle, position: PutPosition, request: PutRequest, flags: int, persistence: i64
) -> None:
    """In logical order, a put has to go on with what is incomplete."""
    is_segment = flags & SEGMENT != 0
    in_group = flags & IN_GROUP != 0
    if position.in_message and (not is_segment or in_group != position.in_group):
        detail = f"the message at Offset {position.next_offset} lacks its last segment"
        raise _refusal(MQRC_INCOMPLETE_MSG, handle, detail)
    if position.in_group and not in_group:
        detail = f"the group lacks a last message after MsgSeqNumber {position.sequence}"
        raise _refusal(MQRC_INCOMPLETE_GROUP, handle, detail)
    if persistence != position.persistence:
        detail = f"persistence {persistence} after {position.persistence}; all of a group are alike"
        raise _refusal(MQRC_INCONSISTENT_PERSISTENCE, handle, detail)
    if request.syncpoint != position.syncpoint:
        inside = "inside" if position.syncpoint else "outside"
        detail = f"the group was begun {inside} syncpoint; put all of it so"
        raise _refusal(MQRC_INCONSISTENT_UOW, handle, detail)


def _follow(kernel: Kernel, place: Place, position: PutPosition | None, flags: int) -> None:
    """The next place in logical order."""
    if position is None:
        if flags & _KNOWN:
            place.group_id = kernel.new_id()
        return
    place.group_id = position.group_id
    place.sequence = position.sequence
    if position.in_message:
        place.offset = position.next_offset
    elif position.sequence >= SEQUENCE_NUMBER_MAX:
        detail = f"a group has at most {SEQUENCE_NUMBER_MAX} messages"
        raise mq_error(MQRC_MSG_SEQ_NUMBER_ERROR, verb="MQPUT", detail=detail)
    else:
        place.sequence = position.sequence + 1


def _deviation(position: PutPosition, request: PutRequest, place: Place, flags: int) -> i64:
    """The warning for a put that says its own place and leaves something incomplete; 0 if it is the
    very one that would come next."""
    is_segment = flags & SEGMENT != 0
    is_same = place.group_id == position.group_id
    if position.in_message:
        if (
            not (is_segment and is_same)
            or place.sequence != position.sequence
            or place.offset != position.next_offset
        ):
            return MQRC_INCOMPLETE_MSG
    elif not is_same or place.sequence != position.sequence + 1 or not flags & IN_GROUP:
        return MQRC_INCOMPLETE_GROUP
    if place.persistence != position.persistence:
        return MQRC_INCONSISTENT_PERSISTENCE
    return 0 if request.syncpoint == position.syncpoint else MQRC_INCONSISTENT_UOW


def _checked_segment(handle: Handle, place: Place, base: bytes, length: i64, original: i64) -> i64:
    """OriginalLength of a segment: of a report, the application says how long the message was that
    it is about; of others, it is the length of the data."""
    is_last = place.flags & mq.MQMF_LAST_SEGMENT != 0
    if length == 0 and not is_last:
        detail = "only the last segment of a message may have no data"
        raise _refusal(MQRC_SEGMENT_LENGTH_ZERO, handle, detail)
    if place.offset + length > SEGMENT_OFFSET_BYTES_MAX:
        detail = f"Offset {place.offset} and {length} bytes; a message has at most"
        raise _refusal(MQRC_OFFSET_ERROR, handle, f"{detail} {SEGMENT_OFFSET_BYTES_MAX}")
    if _LONG.unpack_from(base, MSG_TYPE_AT)[0] != mq.MQMT_REPORT:
        return length
    if original < length or original < (0 if is_last else 1):
        detail = f"OriginalLength {original} of a report segment with {length} bytes of data"
        raise _refusal(MQRC_ORIGINAL_LENGTH_ERROR, handle, detail)
    return original


def _refusal(reason: int, handle: Handle, detail: str) -> MQError:
    name = handle.resolved_name
    return mq_error(reason, comp=mq.MQCC_FAILED, verb="MQPUT", object=name, detail=detail)


def was_placed(
    connection: Connection, handle: Handle, request: PutRequest, place: Place, length: i64
) -> None:
    """The message is put: the handle remembers what is incomplete now."""
    unit = connection.unit
    if unit is not None:
        _note_before(unit, handle, request.syncpoint)
    position = PutPosition(place, request, length)
    handle.position = position if position.in_message or position.in_group else None
    if place.warning:
        connection.warning = place.warning


def _note_before(unit: UnitOfWork, handle: Handle, is_inside: bool) -> None:
    """A put inside the unit is undone by its backout, and so is what the handle remembers of it. A
    put outside it stays."""
    restores = unit.restores
    if is_inside:
        if restores is None:
            restores = []
            unit.restores = restores
        for one in restores:
            if isinstance(one, _Before) and one.handle is handle:
                return
        restores.append(_Before(handle))
    elif restores is not None:
        unit.restores = [
            one for one in restores if not isinstance(one, _Before) or one.handle is not handle
        ]
