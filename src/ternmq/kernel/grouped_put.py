"""MQPUT of a message in a group, of a segment, or of one that may be split into segments.

`put_one` does each message, with a request whose place is settled. A message that is split is
put as one: all limits are asked for all segments before the first; outside syncpoint an inner unit
of work keeps them together. A long one goes on in steps, between which others have their turn; if
its caller goes away, `ending` undoes what there is of it.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_RESOURCE_PROBLEM,
    MQRC_SEGMENTATION_NOT_ALLOWED,
    MQRC_SYNCPOINT_LIMIT_REACHED,
    MQRC_UOW_NOT_AVAILABLE,
)
from ternmq.codec.property_area import read_properties
from ternmq.kernel.acceptance import check_queue, check_room, is_behind
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.copies import copies_for_all
from ternmq.kernel.ending import abandon, commit_unit
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.put import defaults_of, put_one, queue_of
from ternmq.kernel.put_position import Place, place_of, was_placed
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.segmented_put import SegmentedPut
from ternmq.kernel.splitting import Pieces, pieces_of
from ternmq.kernel.transmission import segment_header_bytes
from ternmq.log.record import BLOCK_BYTES
from ternmq.txn.reserves import CHANGE_RESERVE, PUT_RECORD_OVERHEAD, UNIT_RESERVE
from ternmq.txn.unit import UnitOfWork
from ternmq.values.entry import PERSISTENT, ZERO_ID, Entry

STEP_MESSAGES: Final = 256
_SEGMENTS: Final = mq.MQMF_SEGMENT | mq.MQMF_LAST_SEGMENT


def put_grouped(
    kernel: Kernel, connection: Connection, handle: Handle, request: PutRequest, data: bytes
) -> Entry | None:
    """Put a message that is, or may become, more than a message by itself; None: try again."""
    connection.begin_verb()
    under_way = connection.undertaking
    if under_way is not None:
        if isinstance(under_way, SegmentedPut) and under_way.is_of(handle, request, data):
            return _go_on(kernel, connection, under_way)
        if not abandon(kernel, connection):
            return None
    local = queue_of(connection, handle)
    persistence, _priority = defaults_of(handle, local, request)
    place = place_of(kernel, handle, request, len(data), persistence)
    if place.flags & mq.MQMF_SEGMENTATION_ALLOWED:
        _check_properties(handle, request)
        pieces = pieces_of(kernel, handle, local, request, data)
        if pieces is not None:
            return _begin(kernel, connection, local, handle, request, data, place, pieces)
    settled = request.at_place(place.base(request.base), place.group_id, request.syncpoint)
    entry = put_one(kernel, connection, handle, settled, data)
    if entry is not None:
        was_placed(connection, handle, request, place, len(data))
    return entry


def _check_properties(handle: Handle, request: PutRequest) -> None:
    if not request.properties:
        return
    for one in read_properties(request.properties):
        if one.name.startswith("mq."):
            detail = f"property {one.name} is MQ's own, and such a message is not split: put it"
            raise mq_error(
                MQRC_SEGMENTATION_NOT_ALLOWED,
                verb="MQPUT",
                object=handle.resolved_name,
                detail=f"{detail} without MQMF_SEGMENTATION_ALLOWED",
            )


def _begin(
    kernel: Kernel,
    connection: Connection,
    local: LocalQueue,
    handle: Handle,
    request: PutRequest,
    data: bytes,
    place: Place,
    pieces: Pieces,
) -> Entry | None:
    """Ask everything for all segments, then put the first of them."""
    kernel.refuse_if_ending(request.options & mq.MQPMO_FAIL_IF_QUIESCING != 0, "MQPUT")
    unit = _unit_for(kernel, connection, handle, request, place, pieces)
    state = SegmentedPut(handle, request, data, place, pieces, unit)
    if not _has_room(kernel, connection, local, state):
        return None
    connection.log_tries = 0
    if place.persistence == PERSISTENT and pieces.count > STEP_MESSAGES:
        state.reserved = _log_bytes(state, pieces.count)
        kernel.coordinator.space.reserve(int(state.reserved))
    connection.undertaking = state
    return _go_on(kernel, connection, state)


def _unit_for(
    kernel: Kernel,
    connection: Connection,
    handle: Handle,
    request: PutRequest,
    place: Place,
    pieces: Pieces,
) -> UnitOfWork:
    """The unit of work that keeps the segments together: the application's, or an inner one."""
    if request.syncpoint:
        unit = kernel.unit_of(connection, "MQPUT")
    else:
        own = connection.unit
        if place.persistence == PERSISTENT and own is not None and own.changes:
            detail = "segments of a persistent message need a unit of work, and another one is open"
            raise mq_error(
                MQRC_UOW_NOT_AVAILABLE,
                verb="MQPUT",
                object=handle.resolved_name,
                detail=f"{detail}: put inside syncpoint, or commit first",
            )
        unit = kernel.coordinator.begin()
    if unit.uncommitted + pieces.count > kernel.max_uncommitted:
        raise mq_error(
            MQRC_SYNCPOINT_LIMIT_REACHED,
            verb="MQPUT",
            object=kernel.name,
            detail=f"{pieces.count} segments, MAXUMSGS({kernel.max_uncommitted})",
        )
    return unit


def _has_room(
    kernel: Kernel, connection: Connection, local: LocalQueue, state: SegmentedPut
) -> bool:
    """Whether queue, log, disk and the queues of copies take all segments; if that is a matter of
    time, the connection is parked."""
    handle = state.handle
    place = state.place
    pieces = state.pieces
    area_bytes: i64 = len(state.request.properties)
    longest = pieces.longest + segment_header_bytes(handle)
    check_queue(kernel, connection, local, handle.via, longest, area_bytes, place.persistence)
    check_room(kernel, local, pieces.count, pieces.length + area_bytes)
    if local.streams:
        copies = copies_for_all(kernel, connection, handle, local, state)
        if copies is None:
            return False
        state.copies = copies
    if place.persistence == PERSISTENT:
        coordinator = kernel.coordinator
        total = _log_bytes(state, pieces.count)
        if not coordinator.reserve.is_whole and not kernel.disk_takes(pieces.count, total):
            kernel.make_disk_room(connection, "MQPUT", local.name)
            return False
        if not coordinator.space.fits(int(total), UNIT_RESERVE):
            kernel.make_room(connection, "MQPUT", local.name, total)
            return False
    return not is_behind(kernel, connection, local, longest)


def _log_bytes(state: SegmentedPut, count: i64) -> i64:
    """What so many segments from the next one on may take of the log, with their shares of the
    unit's end; between steps the log may be forced, which fills a block."""
    pieces = state.pieces
    begin = pieces.end_of(state.next - 1)
    total = pieces.end_of(state.next + count - 1) - begin
    each: i64 = PUT_RECORD_OVERHEAD + CHANGE_RESERVE + segment_header_bytes(state.handle)
    if state.copies:
        targets: i64 = len(state.copies)
        total *= 1 + targets
        each += targets * (PUT_RECORD_OVERHEAD + CHANGE_RESERVE + mq.MQXQH_CURRENT_LENGTH)
        each += targets * mq.MQMDE_LENGTH_2
    if state.next == 0:
        # An MQRFH2 may be longer than the area that it is made from.
        total += pieces.longest if state.request.properties else 0
    steps = (count + STEP_MESSAGES - 1) // STEP_MESSAGES
    return total + count * each + (steps + 1) * 2 * BLOCK_BYTES


def _go_on(kernel: Kernel, connection: Connection, state: SegmentedPut) -> Entry | None:
    """The next segments; the first one's entry when all are put."""
    if state.error is None:
        own = connection.unit
        connection.unit = state.unit
        try:
            _put_some(kernel, connection, state)
        except MQError as error:
            state.error = _reported(state, error)
        finally:
            connection.unit = own
    if state.error is not None:
        if not abandon(kernel, connection):
            return None
        raise state.error
    if state.next < state.pieces.count:
        if connection.park is None:
            connection.again = True
        return None
    warning = connection.warning
    connection.undertaking = None
    if state.is_inner:
        commit_unit(kernel, connection, state.unit)
    connection.warning = warning
    was_placed(connection, state.handle, state.request, state.place, state.pieces.length)
    return state.entry


def _reported(state: SegmentedPut, error: MQError) -> MQError:
    """Why the put fails: an inner unit of work that was backed out is not the application's."""
    why = state.unit.backed_out_by
    if not state.is_inner or not why:
        return error
    name = state.handle.resolved_name
    return mq_error(MQRC_RESOURCE_PROBLEM, verb="MQPUT", object=name, detail=why)


def _put_some(kernel: Kernel, connection: Connection, state: SegmentedPut) -> None:
    pieces = state.pieces
    last = min(state.next + STEP_MESSAGES, pieces.count)
    if state.reserved:
        left: i64 = 0
        if last < pieces.count:
            left = min(state.reserved, _rest_bytes(state, last))
        kernel.coordinator.space.release(int(state.reserved - left))
        state.reserved = left
    whole = memoryview(state.data)
    while state.next < last:
        number = state.next
        request = _piece_request(state, number)
        piece = bytes(whole[pieces.end_of(number - 1) : pieces.end_of(number)])
        entry = put_one(kernel, connection, state.handle, request, piece)
        if entry is None:
            return
        if number == 0:
            state.entry = entry
        state.next += 1


def _rest_bytes(state: SegmentedPut, first: i64) -> i64:
    """Log space for the segments from this one on."""
    number = state.next
    state.next = first
    total = _log_bytes(state, state.pieces.count - first)
    state.next = number
    return total


def _piece_request(state: SegmentedPut, number: i64) -> PutRequest:
    """The request of one segment."""
    pieces = state.pieces
    whole = state.place
    place = Place(whole.persistence)
    place.group_id = whole.group_id
    place.sequence = whole.sequence
    place.offset = whole.offset + pieces.end_of(number - 1)
    place.flags = whole.flags | mq.MQMF_SEGMENT
    if number < pieces.count - 1:
        place.flags &= ~mq.MQMF_LAST_SEGMENT
    elif not whole.flags & _SEGMENTS:
        place.flags |= mq.MQMF_LAST_SEGMENT
    place.original_length = pieces.end_of(number) - pieces.end_of(number - 1)
    request = state.request
    base = place.base(pieces.base_of(number, request.base))
    made = request.at_place(base, place.group_id, True)
    made.copies = state.copies
    if number:
        made.properties = b""
        made.msg_id = ZERO_ID  # each segment has its own
    return made
