"""MQGMO_COMPLETE_MSG: the segments of a logical message are got, or browsed, as one message.

A search has found the first segment, and the index of groups says that all are there. They are
taken in one unit of work: the application's, or an inner one outside syncpoint. A long message goes
on in steps; if a segment is gone by then, what was taken is put back, and the search begins again.
The descriptor is that of the first segment, the properties are its properties. Segments that are
not alike in CodedCharSetId or Encoding are not joined: the message ends before the first of them,
with a warning.
"""

from __future__ import annotations

import struct
from typing import Final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_INCONSISTENT_CCSIDS,
    MQRC_INCONSISTENT_ENCODINGS,
    MQRC_INVALID_MSG_UNDER_CURSOR,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_SYNCPOINT_LIMIT_REACHED,
    MQRC_TRUNCATED_MSG_ACCEPTED,
    MQRC_TRUNCATED_MSG_FAILED,
    MQRC_UOW_NOT_AVAILABLE,
)
from ternmq.codec.mqi.mqmd import CCSID_AT, ENCODING_AT, FORMAT_AT, OFFSET_AT
from ternmq.kernel.browse import is_locked, release_lock
from ternmq.kernel.ending import abandon, commit_unit
from ternmq.kernel.get import was_taken
from ternmq.kernel.group_offers import has_message, is_covered
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.logical_order import entry_of, note_message
from ternmq.kernel.logical_place import flags_of, key_in_group
from ternmq.kernel.metering import was_browsed
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.property_options import fits_buffer
from ternmq.kernel.requests import Assembly, GetCall
from ternmq.kernel.undertaking import Undertaking
from ternmq.log.record import BLOCK_BYTES
from ternmq.store.group_index import Group
from ternmq.store.group_member import OFFSET_BITS
from ternmq.store.queue import Queue
from ternmq.txn.reserves import (
    CHANGE_RESERVE,
    COMPENSATE_ONE,
    PUT_RECORD_OVERHEAD,
    RETURN_RESERVE,
    UNIT_RESERVE,
)
from ternmq.txn.unit import UnitOfWork
from ternmq.values.entry import GETTING, GONE, PERSISTENT, REPORTS, Entry

STEP_MESSAGES: Final = 256
_GET_RECORD: Final = 40 + 16 + 8
_STEP_BYTES: Final = STEP_MESSAGES * (_GET_RECORD + CHANGE_RESERVE) + BLOCK_BYTES  # of log
_TAIL: Final = struct.Struct("<iii")  # Offset, MsgFlags, OriginalLength


def is_assembled(kernel: Kernel, call: GetCall, local: LocalQueue) -> bool:
    """Whether this step of a get is used up: by the next segments of its message, or by undoing
    what a verb before it has left."""
    connection = call.connection
    assembly = call.assembly
    undertaking = connection.undertaking
    if undertaking is not None and (assembly is None or assembly.undertaking is not undertaking):
        if call.beside and not (undertaking.beside and undertaking.is_given_up):
            connection.again = True  # a verb that is under way goes on first
            return True
        if not abandon(kernel, connection):
            return True
    if assembly is None:
        return False
    if assembly.error is not None:
        fail(kernel, call, assembly.error)
    else:
        _go_on(kernel, call, local, assembly)
    return True


def is_under_way(call: GetCall) -> bool:
    """Whether a get has taken segments that are still its own: another verb of the connection may
    have undone that."""
    assembly = call.assembly
    undertaking = None if assembly is None else assembly.undertaking
    return undertaking is not None and call.connection.undertaking is undertaking


def fail(kernel: Kernel, call: GetCall, refusal: MQError) -> None:
    """A step of the get was refused, because gets are inhibited now, say: what was taken goes back,
    in steps of its own, and then the verb fails. Its unit of work goes on without it."""
    assembly = call.assembly
    if assembly is None:
        raise refusal
    if assembly.error is None:
        assembly.error = refusal
    if call.reserved > 0:
        kernel.coordinator.space.release(int(call.reserved))
        call.reserved = 0
    if not is_under_way(call) or abandon(kernel, call.connection):
        call.assembly = None
        raise assembly.error


def begin(kernel: Kernel, call: GetCall, local: LocalQueue, first: Entry) -> None:
    """A get has found a segment: answer it with the whole message."""
    queue = local.queue
    key = key_in_group(first)
    number = key >> OFFSET_BITS
    groups = queue.groups
    group = None if groups is None else groups.find(first.group_id)
    if key != number << OFFSET_BITS:
        detail = "the segment under the cursor is not the first of its message"
        name = call.handle.resolved_name
        raise mq_error(MQRC_INVALID_MSG_UNDER_CURSOR, verb="MQGET", object=name, detail=detail)
    if group is None or is_covered(group, first) or not has_message(call, queue, group, number):
        call.reason = MQRC_NO_MSG_AVAILABLE
        return
    assembly = Assembly(first.group_id, key, group.message_length(number))
    if not fits_buffer(call, first):
        accepts = call.request.options & mq.MQGMO_ACCEPT_TRUNCATED_MSG
        assembly.reason = MQRC_TRUNCATED_MSG_ACCEPTED if accepts else MQRC_TRUNCATED_MSG_FAILED
    assembly.takes = not call.browse and assembly.reason != MQRC_TRUNCATED_MSG_FAILED
    if assembly.takes and not _may_take(kernel, call, local, group, assembly, first):
        return
    call.assembly = assembly
    _go_on(kernel, call, local, assembly)


def _may_take(
    kernel: Kernel, call: GetCall, local: LocalQueue, group: Group, assembly: Assembly, first: Entry
) -> bool:
    """Whether all segments can be taken; False: parked until the log has room."""
    count = group.parts[int(assembly.next_key >> OFFSET_BITS)].count
    request = call.request
    is_persistent = first.flags & PERSISTENT != 0
    is_inside = request.syncpoint or (request.syncpoint_if_persistent and is_persistent)
    reports = i64(first.flags & REPORTS != 0 and kernel.reports.confirms(local, first))
    unit = _unit_for(kernel, call, is_inside, is_persistent, count, reports)
    coordinator = kernel.coordinator
    records = count * (_GET_RECORD + CHANGE_RESERVE) + BLOCK_BYTES * (2 + count // STEP_MESSAGES)
    back: i64 = 0
    if call.reserved >= 0:
        back = RETURN_RESERVE + count * COMPENSATE_ONE
        if not is_inside:
            each = PUT_RECORD_OVERHEAD + CHANGE_RESERVE
            area_bytes: i64 = len(first.properties)
            back = RETURN_RESERVE + UNIT_RESERVE + count * each + assembly.length + area_bytes
    if not coordinator.space.fits(int(records), int(UNIT_RESERVE + back)):
        kernel.make_room(call.connection, "MQGET", local.name, 0)
        return False
    if back:
        coordinator.space.reserve(int(back))
        call.reserved = back
    undertaking = Undertaking(unit, not is_inside)
    undertaking.beside = call.beside
    if count > STEP_MESSAGES:
        coordinator.space.reserve(int(records))
        undertaking.reserved = records
    assembly.undertaking = undertaking
    call.connection.undertaking = undertaking
    return True


def _unit_for(
    kernel: Kernel, call: GetCall, is_inside: bool, is_persistent: bool, count: i64, reports: i64
) -> UnitOfWork:
    """The unit of work that takes the segments and the COD report, if there is one. MAXUMSGS counts
    the report in the application's unit; in an inner one it must not be why there is none."""
    connection = call.connection
    if is_inside:
        unit = kernel.unit_of(connection, "MQGET")
    else:
        own = connection.unit
        if is_persistent and own is not None and own.changes and count > 1:
            detail = "segments of a persistent message need a unit of work, and another one is open"
            raise mq_error(
                MQRC_UOW_NOT_AVAILABLE,
                verb="MQGET",
                object=call.handle.resolved_name,
                detail=f"{detail}: get inside syncpoint, or commit first",
            )
        unit = kernel.coordinator.begin()
        unit.copies = reports
    if unit.uncommitted + count + reports > kernel.max_uncommitted:
        raise mq_error(
            MQRC_SYNCPOINT_LIMIT_REACHED,
            verb="MQGET",
            object=kernel.name,
            detail=f"{count} segments and {reports} reports, MAXUMSGS({kernel.max_uncommitted})",
        )
    return unit


def _go_on(kernel: Kernel, call: GetCall, local: LocalQueue, assembly: Assembly) -> None:
    """The next segments."""
    connection = call.connection
    queue = local.queue
    groups = queue.groups
    group = None if groups is None else groups.find(assembly.group_id)
    undertaking = assembly.undertaking
    if undertaking is not None and not is_under_way(call):
        _begin_again(kernel, call)
        return
    if undertaking is not None and undertaking.unit.backed_out_by:
        _begin_again(kernel, call)
        if not undertaking.is_inner:
            why = undertaking.unit.backed_out_by
            raise mq_error(MQRC_BACKED_OUT, comp=mq.MQCC_FAILED, verb="MQGET", detail=why)
        return
    if undertaking is not None and undertaking.reserved:
        share = min(undertaking.reserved, _STEP_BYTES)
        kernel.coordinator.space.release(int(share))
        undertaking.reserved -= share
    last = len(assembly.entries) + STEP_MESSAGES
    while not assembly.is_whole:
        if len(assembly.entries) == last:
            connection.again = True
            return
        entry = None if group is None else _next(kernel, call, queue, group, assembly)
        if entry is None:
            if connection.park is None:
                _begin_again(kernel, call)
            return
        if not _add(kernel, call, queue, assembly, entry):
            break
    _finish(kernel, call, local, assembly)


def _next(
    kernel: Kernel, call: GetCall, queue: Queue, group: Group, assembly: Assembly
) -> Entry | None:
    """The next segment; None: it is gone, others have locked it since the first step, or the
    connection is parked until it is read."""
    member = group.at(assembly.next_key)
    entry = None if member is None else entry_of(kernel, call, queue, group, member)
    if entry is not None and queue.locks and is_locked(queue, entry, call.handle):
        return None
    return entry


def _add(kernel: Kernel, call: GetCall, queue: Queue, assembly: Assembly, entry: Entry) -> bool:
    """One more segment; False: the message ends before it."""
    entries = assembly.entries
    if entries:
        warning = _difference(entries[-1], entry)
        if warning:
            assembly.warning = warning
            return False
    flags = flags_of(entry)
    assembly.next_key += entry.length
    assembly.collected += entry.length
    assembly.is_whole = flags & mq.MQMF_LAST_SEGMENT != 0
    assembly.durable_at = max(assembly.durable_at, entry.visible_lsn)
    entries.append(entry)
    undertaking = assembly.undertaking
    if undertaking is None:
        # What does not fit the buffer need not be read, unless it is taken.
        return assembly.reason == 0 or assembly.collected < call.request.buffer_length
    if queue.locks and int(entry.number) in queue.locks:
        release_lock(kernel, call.handle)  # nobody else can have the message
    if queue.fetched:
        queue.forget_fetched(entry)
    durable_at = kernel.coordinator.get(undertaking.unit, queue, entry)
    assembly.durable_at = max(assembly.durable_at, durable_at)
    return True


def _difference(before: Entry, entry: Entry) -> i64:
    """The warning for two segments that cannot be joined. Where the format changes, the first one
    ends with a header, which describes the second."""
    one, other = before.base, entry.base
    if one[FORMAT_AT : FORMAT_AT + 8] != other[FORMAT_AT : FORMAT_AT + 8]:
        return 0
    if one[CCSID_AT : CCSID_AT + 4] != other[CCSID_AT : CCSID_AT + 4]:
        return MQRC_INCONSISTENT_CCSIDS
    if one[ENCODING_AT : ENCODING_AT + 4] != other[ENCODING_AT : ENCODING_AT + 4]:
        return MQRC_INCONSISTENT_ENCODINGS
    return 0


def _begin_again(kernel: Kernel, call: GetCall) -> None:
    """A segment is gone: others have it, the log was full, or another verb has undone the get. What
    was taken goes back, and the search begins again."""
    takes_back = is_under_way(call)
    call.assembly = None
    if call.reserved > 0:
        kernel.coordinator.space.release(int(call.reserved))
        call.reserved = 0
    if takes_back:
        abandon(kernel, call.connection)  # the rest of it in the next step
    call.connection.again = True


def _finish(kernel: Kernel, call: GetCall, local: LocalQueue, assembly: Assembly) -> None:
    connection = call.connection
    whole = _joined(assembly)
    undertaking = assembly.undertaking
    if undertaking is not None and whole.flags & REPORTS:
        if not kernel.reports.of_whole(call, local, undertaking.unit, whole):
            return  # until the queue for its report is loaded, say
    call.assembly = None
    if undertaking is not None:
        connection.undertaking = None
        if undertaking.reserved:
            kernel.coordinator.space.release(int(undertaking.reserved))
            undertaking.reserved = 0
        whole.state = GONE
        if undertaking.is_inner:
            commit_unit(kernel, connection, undertaking.unit)
        else:
            whole.state = GETTING
            whole.unit_id = undertaking.unit.unit_id
        call.parts = assembly.entries
        was_taken(kernel, call.handle, local, whole, call.request)
        if call.handle.context is whole:
            call.handle.context = assembly.entries[0]  # it does not keep the data
    else:
        call.handle.context = None  # after a browse there is no context to pass
        if kernel.measured:
            was_browsed(kernel, call, local, whole, assembly.reason)
    connection.depends_on(assembly.durable_at)
    connection.log_tries = 0
    call.entry = whole
    call.reason = assembly.reason
    if assembly.reason != MQRC_TRUNCATED_MSG_FAILED:
        note_message(call, whole)
    if assembly.warning:
        call.warning = assembly.warning


def _joined(assembly: Assembly) -> Entry:
    """The message: the first segment's descriptor and properties, and the data of all."""
    entries = assembly.entries
    first = entries[0]
    length = assembly.collected if assembly.warning else assembly.length
    flags = flags_of(first)
    if not assembly.warning:
        flags |= mq.MQMF_LAST_SEGMENT
    fields = _TAIL.pack(0, int(flags), int(length))
    whole = Entry(
        first.number,
        first.priority,
        first.flags,
        first.put_ns,
        first.expiry_at,
        first.msg_id,
        first.correl_id,
        first.group_id,
        first.base[:OFFSET_AT] + fields,
        b"".join([entry.data for entry in entries]),
        length,
        first.properties,
    )
    whole.queue_id = first.queue_id
    whole.lane = first.lane
    whole.sequence = first.sequence
    whole.backout_count = first.backout_count
    return whole
