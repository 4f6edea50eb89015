"""Records about messages: put, got, expired, cleared, and the numbers they may have.

All integers little endian. A message image is `store.image`'s: header, MQMD, data.

    PUT            u16 targets, u16 0, u32 0, then for each target u64 queue, u64 number, u64
    sequence, u64 flags; image.
                   One body, several targets: streamed copies, publications and distribution lists
                   share it. A sequence of 0 is given later, by COMMIT. Flags: bit 0 says that the
                   target has a copy, without the report options of the image's MQMD that make
                   messages, and with an expiry of its own in bits 32 to 63: tenths of a second
                   after the put, 0 is unlimited. The image is that of the first target.
    GET            u64 queue, u64 number
    PUT_GOT        u64 queue, u64 number, u64 sequence, u64 data length: handed to a waiting getter;
    there is no body,
                   because nothing of it is left to restore
    EXPIRED        u32 messages, u32 0, then u64 queue, u64 number
    QUEUE_CLEARED  u64 queue, u64 next number: all committed messages with lower numbers are gone
    STREAM_NUMBERS u64 queue, u64 bound: stream numbers below it may have been given, also to
                   messages that the log does not tell of
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base.errors import IntegrityError
from ternmq.log.record import LogRecord
from ternmq.store.copying import copied_descriptor, copy_of
from ternmq.store.segment import ALIVE, DEAD
from ternmq.txn.families.describing import Names, Values, describe_message
from ternmq.txn.families.message_history import MessageHistory
from ternmq.txn.families.packing import PAIR, pack_pairs, unpack_pair, unpack_pairs
from ternmq.txn.families.record_kind import MessageRecordKind
from ternmq.txn.redo import Redo
from ternmq.values.entry import GONE, Entry
from ternmq.values.entry_image import entry_from_image

TARGET_HEAD: Final = struct.Struct("<HHI")
TARGET: Final = struct.Struct("<QQQQ")
ONE_TARGET: Final = struct.Struct("<HHIQQQQ")
COPY: Final = 1  # flag of a target
_FLAG_BITS: Final = 0xFFFFFFFF  # of a target; above them is an expiry


# ---- PUT


@final
class Target:
    """Where a logged message goes."""

    __slots__ = ("flags", "number", "queue_id", "sequence")

    def __init__(self, queue_id: int, number: int, sequence: int, flags: int) -> None:
        self.queue_id = queue_id
        self.number = number
        self.sequence = sequence
        self.flags = flags


def pack_put(queue_id: int, number: int, sequence: int) -> bytes:
    """The head of a PUT with one target."""
    return ONE_TARGET.pack(1, 0, 0, queue_id, number, sequence, 0)


def pack_puts(targets: list[tuple[int, int, int, int]]) -> bytes:
    """The head of a PUT with several targets, each with its flags."""
    parts = [TARGET_HEAD.pack(len(targets), 0, 0)]
    parts.extend([TARGET.pack(*target) for target in targets])
    return b"".join(parts)


def copy_flags(tenths: int) -> int:
    """The flags of a target that has a copy; its expiry in tenths of a second, -1: unlimited."""
    return COPY if tenths < 0 else COPY | max(tenths, 1) << 32


def copy_tenths(flags: int) -> int:
    """The expiry in such flags."""
    return flags >> 32 or -1


def unpack_put(payload: bytes) -> tuple[list[Target], int]:
    """Targets of a PUT, and where its image starts."""
    count = TARGET_HEAD.unpack_from(payload, 0)[0]
    end = TARGET_HEAD.size + count * TARGET.size
    if end > len(payload):
        raise IntegrityError(f"PUT record announces {count} targets in {len(payload)} bytes")
    targets = []
    for at in range(TARGET_HEAD.size, end, TARGET.size):
        queue_id, number, sequence, flags = TARGET.unpack_from(payload, at)
        targets.append(Target(queue_id, number, sequence, flags))
    return targets, end


@final
class PutKind(MessageRecordKind):
    """A message on one queue or several."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        targets, start = unpack_put(record.payload)
        shared: bytes | None = None
        for target in targets:
            queue = redo.queue(target.queue_id)
            if queue is None:
                continue
            if target.number >= queue.next_number:
                queue.next_number = target.number + 1
            if record.lsn < queue.state_lsn and redo.lives_in_segment(queue, target.number):
                pending = queue.undecided.pop(target.number, None)
                if pending is not None and record.uow:
                    redo.putting(redo.unit(record.uow, record.lsn), queue, pending)
                continue
            entry = _entry(record, start, target.flags)
            if shared is None:
                shared = entry.data
            entry.data = shared  # one body for all copies, as it was when they were put
            entry.number = target.number
            entry.queue_id = target.queue_id
            redo.in_log.add(entry, record.lsn)
            if record.uow == 0:
                redo.reveal(queue, entry, target.sequence, record.end_lsn)
            else:
                entry.sequence = 0
                redo.putting(redo.unit(record.uow, record.lsn), queue, entry)

    def queues(self, record: LogRecord) -> list[int]:
        # Inside a unit of work the journal learns nothing before the commit.
        return [one.queue_id for one in unpack_put(record.payload)[0]] if record.uow == 0 else []

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        targets, at = unpack_put(record.payload)
        rows = []
        for target in targets:
            row = names.place(target.queue_id, target.number)
            row["sequence"] = target.sequence
            row["flags"] = target.flags & _FLAG_BITS
            if target.flags & COPY:
                tenths = copy_tenths(target.flags)
                row["copy"] = True
                row["expiry_tenths"] = "unlimited" if tenths < 0 else tenths
            rows.append(row)
        return {"targets": rows, "message": describe_message(record.payload[at:], data_bytes)}

    def follow(self, record: LogRecord, history: MessageHistory) -> None:
        targets, at = unpack_put(record.payload)
        image = record.payload[at:]
        for one in targets:
            history.put(
                record.lsn, record.uow, one.queue_id, one.number, one.sequence, one.flags, image
            )


def _entry(record: LogRecord, start: int, flags: int) -> Entry:
    """The message of a PUT as one of its targets has it."""
    entry = entry_from_image(record.payload, start)
    if flags & COPY:
        tenths = copy_tenths(flags)
        return copy_of(entry, copied_descriptor(entry.base, tenths), tenths)
    return entry


# ---- GET


def pack_get(queue_id: int, number: int) -> bytes:
    """A GET."""
    return PAIR.pack(queue_id, number)


@final
class GetKind(MessageRecordKind):
    """A message left its queue, for good or in a unit of work."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        queue_id, number = unpack_pair(record.payload)
        if record.uow == 0:
            redo.remove(queue_id, number, record.lsn)
            return
        queue = redo.queue(queue_id)
        if queue is not None:
            redo.getting(redo.unit(record.uow, record.lsn), queue, number)

    def queues(self, record: LogRecord) -> list[int]:
        return [unpack_pair(record.payload)[0]]

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        queue_id, number = unpack_pair(record.payload)
        return {"message_at": names.place(queue_id, number)}

    def follow(self, record: LogRecord, history: MessageHistory) -> None:
        queue_id, number = unpack_pair(record.payload)
        history.got(record.uow, queue_id, number)


# ---- PUT_GOT


def pack_put_got(queue_id: int, number: int, sequence: int, length: int) -> bytes:
    """A PUT_GOT."""
    return TARGET.pack(queue_id, number, sequence, length)


@final
class PutGotKind(MessageRecordKind):
    """A message that was never on its queue: only its numbers are used up."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        queue_id, number, sequence, _ = TARGET.unpack(record.payload)
        queue = redo.queue(queue_id)
        if queue is not None:
            queue.next_number = max(queue.next_number, number + 1)
            queue.next_sequence = max(queue.next_sequence, sequence + 1)

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        queue_id, number, sequence, length = TARGET.unpack(record.payload)
        place = names.place(queue_id, number)
        place["sequence"] = sequence
        return {"message_at": place, "data_length": length}


# ---- EXPIRED


def pack_expired(rows: list[tuple[int, int]]) -> bytes:
    """An EXPIRED: queue and number of each message."""
    return pack_pairs(rows)


@final
class ExpiredKind(MessageRecordKind):
    """Messages that were too old."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        for queue_id, number in unpack_pairs(record.payload):
            redo.remove(queue_id, number, record.lsn)

    def queues(self, record: LogRecord) -> list[int]:
        return [queue_id for queue_id, _ in unpack_pairs(record.payload)]

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        rows = unpack_pairs(record.payload)
        return {"messages": [names.place(queue_id, number) for queue_id, number in rows]}

    def follow(self, record: LogRecord, history: MessageHistory) -> None:
        for queue_id, number in unpack_pairs(record.payload):
            history.expired(queue_id, number)


# ---- QUEUE_CLEARED


def pack_cleared(queue_id: int, next_number: int) -> bytes:
    """A QUEUE_CLEARED."""
    return PAIR.pack(queue_id, next_number)


@final
class QueueClearedKind(MessageRecordKind):
    """All committed messages of a queue with lower numbers are gone."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        queue_id, next_number = unpack_pair(record.payload)
        queue = redo.queue(queue_id)
        if queue is None:
            return
        for entry in list(queue.number_index().values()):
            if entry.number < next_number:
                redo.in_log.remove(entry)
                queue.take(entry, GONE)
        for segment in list(queue.segments.values()):
            if segment.swept:
                for ordinal in range(len(segment.numbers)):
                    if segment.numbers[ordinal] < next_number and segment.states[ordinal] == ALIVE:
                        segment.mark(ordinal, DEAD)
                        queue.swept_alive -= 1
                if segment.empty:
                    queue.retire(segment)

    def queues(self, record: LogRecord) -> list[int]:
        return [unpack_pair(record.payload)[0]]

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        queue_id, before = unpack_pair(record.payload)
        return {"queue": names.of(queue_id), "queue_id": queue_id, "numbers_below": before}

    def follow(self, record: LogRecord, history: MessageHistory) -> None:
        queue_id, before = unpack_pair(record.payload)
        history.cleared(queue_id, before)


# ---- STREAM_NUMBERS


def pack_numbers(queue_id: int, bound: int) -> bytes:
    """A STREAM_NUMBERS."""
    return PAIR.pack(queue_id, bound)


@final
class StreamNumbersKind(MessageRecordKind):
    """Stream numbers that a queue does not give again."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        queue_id, bound = unpack_pair(record.payload)
        queue = redo.queue(queue_id)
        if queue is not None and record.lsn >= queue.state_lsn:
            queue.numbering.reserved = max(queue.numbering.reserved, bound)

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        queue_id, bound = unpack_pair(record.payload)
        return {"queue": names.of(queue_id), "queue_id": queue_id, "reserved_below": bound}
