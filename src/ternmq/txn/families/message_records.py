"""Records about messages: put, got, expired, cleared, and the numbers they may have.

All integers little endian. A message image is `codec.message_image`'s: header, MQMD, properties,
data.

    PUT            u32 targets, u32 0, then each target; image.
                   A target is u64 queue, u64 number, u64 sequence, u32 flags, u32 expiry, and then
                   what is its own, in this order and only if its flag says so:
                       bit 1   24 bytes CorrelId
                       bit 2   u8 priority
                       bit 3   u8 persistence
                       bit 4   32 bytes AccountingToken
                       bit 5   u32 length, property area of that length
                       bit 6   24 bytes MsgId
                       bit 7   24 bytes GroupId
                       bit 8   i32 Feedback
                       bit 10  76 bytes UserIdentifier, AccountingToken, ApplIdentityData
                   One body, several targets: streamed copies, publications and distribution lists
                   share it. A sequence of 0 is given later, by COMMIT. Bit 0 of the flags: the
                   target has a copy, without the report options of the image's MQMD that make
                   messages, and with an expiry of its own: tenths of a second after the put, 0 is
                   unlimited. Bit 9: such an expiry alone. All else is as in the image, which is
                   that of the first target.
    GET            u64 queue, u64 number
    PUT_GOT        u64 queue, u64 number, u64 sequence, u64 data length: handed to a waiting getter;
    there is no body,
                   because nothing of it is left to restore
    EXPIRED        u32 messages, u32 0, then u64 queue, u64 number
    QUEUE_CLEARED  u64 queue, u64 next number: all committed messages with lower numbers are gone
    STREAM_NUMBERS u64 queue, u64 bound: stream numbers below it may have been given, also to
                   messages that the log does not have
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import mypyc_attr

from ternmq.base.errors import IntegrityError
from ternmq.codec.message_image import ID_BYTES, pack_header
from ternmq.log.record import LogRecord
from ternmq.store.copying import NANOSECONDS_A_TENTH, copied_descriptor, copy_of, tenths_of
from ternmq.store.segment import ALIVE, DEAD
from ternmq.txn.families.describing import (
    Names,
    Values,
    describe_message,
    describe_properties,
)
from ternmq.txn.families.message_history import MessageHistory
from ternmq.txn.families.packing import PAIR, pack_pairs, unpack_pair, unpack_pairs
from ternmq.txn.families.record_kind import MessageRecordKind
from ternmq.txn.redo import Redo
from ternmq.values.entry import GONE, PERSISTENT, Entry, packed_descriptor
from ternmq.values.entry_image import entry_from_image

TARGET_HEAD: Final = struct.Struct("<II")
TARGET: Final = struct.Struct("<QQQII")
ONE_TARGET: Final = struct.Struct("<IIQQQII")
TARGETS_MAX: Final = 0xFFFFFFFF
# Flags of a target.
COPY: Final = 1
OWN_CORREL_ID: Final = 2
OWN_PRIORITY: Final = 4
OWN_PERSISTENCE: Final = 8
OWN_TOKEN: Final = 16
OWN_PROPERTIES: Final = 32
OWN_MSG_ID: Final = 64
OWN_GROUP_ID: Final = 128
OWN_FEEDBACK: Final = 256
OWN_EXPIRY: Final = 512
OWN_IDENTITY: Final = 1024
_OWN_IDS: Final = OWN_MSG_ID | OWN_GROUP_ID | OWN_FEEDBACK | OWN_IDENTITY
_OWN: Final = OWN_CORREL_ID | OWN_PRIORITY | OWN_PERSISTENCE | OWN_TOKEN | OWN_PROPERTIES | _OWN_IDS
_KNOWN: Final = COPY | _OWN | OWN_EXPIRY
IDENTITY_BYTES: Final = 76
OWN_BYTES_MAX: Final = 3 * ID_BYTES + 2 + IDENTITY_BYTES + 4  # of a target, but for properties
_GOT: Final = struct.Struct("<QQQQ")
_LENGTH: Final = struct.Struct("<I")
_LONG: Final = struct.Struct("<i")
# In the MQMD.
_FEEDBACK_AT: Final = 20
_PRIORITY_AT: Final = 40
_PERSISTENCE_AT: Final = 44
_IDENTITY_AT: Final = 196
_TOKEN_AT: Final = 208
_TOKEN_END: Final = 240
_IDENTITY_END: Final = _IDENTITY_AT + IDENTITY_BYTES


# ---- PUT


@mypyc_attr(acyclic=True)
@final
class Target:
    """Where a logged message goes, and what it has otherwise than the image there."""

    __slots__ = (
        "correl_id",
        "expiry",
        "feedback",
        "flags",
        "group_id",
        "identity",
        "msg_id",
        "number",
        "persistence",
        "priority",
        "properties",
        "queue_id",
        "sequence",
        "token",
    )

    def __init__(
        self, queue_id: int, number: int, sequence: int, flags: int = 0, expiry: int = 0
    ) -> None:
        self.queue_id = queue_id
        self.number = number
        self.sequence = sequence
        self.flags = flags
        self.expiry = expiry  # of a copy, or its own: tenths of a second, 0 is unlimited
        # What follows counts if its flag is set.
        self.correl_id = b""
        self.priority = 0
        self.persistence = 0
        self.token = b""
        self.properties = b""
        self.msg_id = b""
        self.group_id = b""
        self.feedback = 0
        self.identity = b""

    def become_copy(self, tenths: int) -> None:
        """The target has a copy, with that expiry in tenths of a second; -1: unlimited."""
        self.flags |= COPY
        self.expiry = 0 if tenths < 0 else max(tenths, 1)

    @property
    def tenths(self) -> int:
        """The expiry of a copy; -1: unlimited."""
        return self.expiry or -1

    def differ(self, entry: Entry, first: Entry) -> None:
        """Note what the message of this target has otherwise than that of the first."""
        if entry.correl_id is not first.correl_id and entry.correl_id != first.correl_id:
            self.flags |= OWN_CORREL_ID
            self.correl_id = entry.correl_id
        if entry.priority != first.priority:
            self.flags |= OWN_PRIORITY
            self.priority = int(entry.priority)
        if (entry.flags ^ first.flags) & PERSISTENT:
            self.flags |= OWN_PERSISTENCE
            self.persistence = int(entry.flags & PERSISTENT)
        if entry.base is not first.base:
            self._differ_in_base(entry.base, first.base)
        if entry.properties is not first.properties and entry.properties != first.properties:
            self.flags |= OWN_PROPERTIES
            self.properties = entry.properties
        if entry.msg_id is not first.msg_id and entry.msg_id != first.msg_id:
            self.flags |= OWN_MSG_ID
            self.msg_id = entry.msg_id
        if entry.group_id is not first.group_id and entry.group_id != first.group_id:
            self.flags |= OWN_GROUP_ID
            self.group_id = entry.group_id

    def _differ_in_base(self, base: bytes, first: bytes) -> None:
        identity = base[_IDENTITY_AT:_IDENTITY_END]
        if identity != first[_IDENTITY_AT:_IDENTITY_END]:
            if (
                base[_IDENTITY_AT:_TOKEN_AT] == first[_IDENTITY_AT:_TOKEN_AT]
                and base[_TOKEN_END:_IDENTITY_END] == first[_TOKEN_END:_IDENTITY_END]
            ):
                self.flags |= OWN_TOKEN
                self.token = base[_TOKEN_AT:_TOKEN_END]
            else:
                self.flags |= OWN_IDENTITY
                self.identity = identity
        if base[_FEEDBACK_AT : _FEEDBACK_AT + 4] != first[_FEEDBACK_AT : _FEEDBACK_AT + 4]:
            self.flags |= OWN_FEEDBACK
            self.feedback = _LONG.unpack_from(base, _FEEDBACK_AT)[0]

    def expire(self, entry: Entry, first: Entry) -> None:
        """Note the expiry of a message that is not a copy, if the first has another."""
        if entry.expiry_at != first.expiry_at:
            self.flags |= OWN_EXPIRY
            self.expiry = 0 if entry.expiry_at == 0 else max(int(tenths_of(entry)), 1)

    def pack(self) -> bytes:
        """Its bytes."""
        flags = self.flags
        head = TARGET.pack(self.queue_id, self.number, self.sequence, flags, self.expiry)
        if not flags & _OWN:
            return head
        parts = [head]
        if flags & OWN_CORREL_ID:
            parts.append(self.correl_id)
        if flags & OWN_PRIORITY:
            parts.append(bytes((self.priority,)))
        if flags & OWN_PERSISTENCE:
            parts.append(bytes((self.persistence,)))
        if flags & OWN_TOKEN:
            parts.append(self.token)
        if flags & OWN_PROPERTIES:
            parts.append(_LENGTH.pack(len(self.properties)))
            parts.append(self.properties)
        if flags & _OWN_IDS:
            self._pack_ids(parts)
        return b"".join(parts)

    def _pack_ids(self, parts: list[bytes]) -> None:
        flags = self.flags
        if flags & OWN_MSG_ID:
            parts.append(self.msg_id)
        if flags & OWN_GROUP_ID:
            parts.append(self.group_id)
        if flags & OWN_FEEDBACK:
            parts.append(_LONG.pack(self.feedback))
        if flags & OWN_IDENTITY:
            parts.append(self.identity)

    def take_own(self, payload: bytes, at: int) -> int:
        """Read what is its own; where the next target begins."""
        flags = self.flags
        if flags & OWN_CORREL_ID:
            self.correl_id = _cut(payload, at, ID_BYTES)
            at += ID_BYTES
        if flags & OWN_PRIORITY:
            self.priority = _cut(payload, at, 1)[0]
            at += 1
        if flags & OWN_PERSISTENCE:
            self.persistence = _cut(payload, at, 1)[0]
            at += 1
        if flags & OWN_TOKEN:
            self.token = _cut(payload, at, _TOKEN_END - _TOKEN_AT)
            at += _TOKEN_END - _TOKEN_AT
        if flags & OWN_PROPERTIES:
            length: int = _LENGTH.unpack(_cut(payload, at, 4))[0]
            self.properties = _cut(payload, at + 4, length)
            at += 4 + length
        if flags & _OWN_IDS:
            at = self._take_ids(payload, at)
        return at

    def _take_ids(self, payload: bytes, at: int) -> int:
        if self.flags & OWN_MSG_ID:
            self.msg_id = _cut(payload, at, ID_BYTES)
            at += ID_BYTES
        if self.flags & OWN_GROUP_ID:
            self.group_id = _cut(payload, at, ID_BYTES)
            at += ID_BYTES
        if self.flags & OWN_FEEDBACK:
            self.feedback = _LONG.unpack(_cut(payload, at, 4))[0]
            at += 4
        if self.flags & OWN_IDENTITY:
            self.identity = _cut(payload, at, IDENTITY_BYTES)
            at += IDENTITY_BYTES
        return at

    def apply(self, entry: Entry) -> Entry:
        """The message of the image as this target has it."""
        if self.flags == 0:
            return entry
        if self.flags & COPY:
            entry = copy_of(entry, copied_descriptor(entry.base, self.tenths), self.tenths)
        if self.flags & OWN_CORREL_ID:
            entry.correl_id = self.correl_id
        if self.flags & OWN_PRIORITY:
            entry.priority = self.priority
            entry.base = _with_long(entry.base, _PRIORITY_AT, self.priority)
        if self.flags & OWN_PERSISTENCE:
            entry.flags = entry.flags & ~PERSISTENT | self.persistence
            entry.base = _with_long(entry.base, _PERSISTENCE_AT, self.persistence)
        if self.flags & OWN_TOKEN:
            entry.base = entry.base[:_TOKEN_AT] + self.token + entry.base[_TOKEN_END:]
        if self.flags & OWN_PROPERTIES:
            entry.properties = self.properties
        if self.flags & (_OWN_IDS | OWN_EXPIRY):
            self._apply_ids(entry)
        return entry

    def _apply_ids(self, entry: Entry) -> None:
        if self.flags & OWN_MSG_ID:
            entry.msg_id = self.msg_id
        if self.flags & OWN_GROUP_ID:
            entry.group_id = self.group_id
        if self.flags & OWN_FEEDBACK:
            entry.base = _with_long(entry.base, _FEEDBACK_AT, self.feedback)
        if self.flags & OWN_IDENTITY:
            entry.base = entry.base[:_IDENTITY_AT] + self.identity + entry.base[_IDENTITY_END:]
        if self.flags & OWN_EXPIRY:
            after_ns = self.expiry * NANOSECONDS_A_TENTH
            entry.expiry_at = entry.put_ns + after_ns if self.expiry else 0


def _cut(payload: bytes, at: int, length: int) -> bytes:
    """So many bytes of a record that must have them."""
    if at + length > len(payload):
        raise IntegrityError(f"PUT record of {len(payload)} bytes ends inside a target at {at}")
    return payload[at : at + length]


def _with_long(base: bytes, at: int, value: int) -> bytes:
    return base[:at] + _LONG.pack(value) + base[at + 4 :]


def pack_put(queue_id: int, number: int, sequence: int) -> bytes:
    """The head of a PUT with one target."""
    return ONE_TARGET.pack(1, 0, queue_id, number, sequence, 0, 0)


def pack_puts(targets: list[Target]) -> bytes:
    """The head of a PUT with several targets."""
    parts = [TARGET_HEAD.pack(len(targets), 0)]
    parts.extend([target.pack() for target in targets])
    return b"".join(parts)


def unpack_put(payload: bytes) -> tuple[list[Target], int]:
    """Targets of a PUT, and where its image starts."""
    count, zero = TARGET_HEAD.unpack_from(payload, 0)
    at: int = TARGET_HEAD.size
    if zero or at + count * TARGET.size > len(payload):
        raise IntegrityError(f"PUT record announces {count} targets in {len(payload)} bytes")
    targets: list[Target] = []
    for _ in range(count):
        if at + TARGET.size > len(payload):
            raise IntegrityError(f"PUT record ends inside its {count} targets")
        queue_id, number, sequence, flags, expiry = TARGET.unpack_from(payload, at)
        target = Target(queue_id, number, sequence, flags, expiry)
        at += TARGET.size
        if flags & ~_KNOWN:
            raise IntegrityError(f"PUT record has a target with flags {flags}, which are not known")
        if flags & _OWN:
            at = target.take_own(payload, at)
        targets.append(target)
    return targets, at


def image_at(target: Target, image: bytes) -> bytes:
    """The image of the message as one of its targets has it."""
    entry = target.apply(entry_from_image(image))
    header = pack_header(
        target.number,
        target.sequence,
        int(entry.put_ns),
        int(entry.expiry_at),
        int(entry.length),
        int(entry.priority),
        int(entry.flags),
        int(entry.backout_count),
        0,
        len(entry.properties),
    )
    return b"".join((header, packed_descriptor(entry), entry.properties, entry.data))


@final
class PutKind(MessageRecordKind):
    """A message on one queue or several."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        targets, start = unpack_put(record.payload)
        shared: bytes | None = None
        properties = b""
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
            entry = target.apply(entry_from_image(record.payload, start))
            if shared is None:
                shared = entry.data
                properties = entry.properties
            entry.data = shared  # one body for all copies, as it was when they were put
            if not target.flags & OWN_PROPERTIES:
                entry.properties = properties
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
            row["flags"] = target.flags
            if target.flags & COPY:
                row["copy"] = True
            if target.flags & (COPY | OWN_EXPIRY):
                row["expiry_tenths"] = target.expiry or "unlimited"
            if target.flags & _OWN:
                _describe_own(target, row)
            rows.append(row)
        return {"targets": rows, "message": describe_message(record.payload[at:], data_bytes)}

    def follow(self, record: LogRecord, history: MessageHistory) -> None:
        targets, at = unpack_put(record.payload)
        image = record.payload[at:]
        for one in targets:
            own = image_at(one, image) if one.flags else image
            history.put(record.lsn, record.uow, one.queue_id, one.number, own)


def _describe_own(target: Target, row: Values) -> None:
    """What a target has otherwise than the image."""
    if target.flags & OWN_CORREL_ID:
        row["correl_id"] = target.correl_id.hex()
    if target.flags & OWN_PRIORITY:
        row["priority"] = target.priority
    if target.flags & OWN_PERSISTENCE:
        row["persistence"] = target.persistence
    if target.flags & OWN_TOKEN:
        row["accounting_token"] = target.token.hex()
    if target.flags & OWN_PROPERTIES:
        row["properties"] = describe_properties(target.properties)
    if target.flags & OWN_MSG_ID:
        row["msg_id"] = target.msg_id.hex()
    if target.flags & OWN_GROUP_ID:
        row["group_id"] = target.group_id.hex()
    if target.flags & OWN_FEEDBACK:
        row["feedback"] = target.feedback
    if target.flags & OWN_IDENTITY:
        row["user_id"] = target.identity[:12].decode("utf-8", "replace").rstrip()


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
    return _GOT.pack(queue_id, number, sequence, length)


@final
class PutGotKind(MessageRecordKind):
    """A message that was never on its queue: only its numbers are used up."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        queue_id, number, sequence, _ = _GOT.unpack(record.payload)
        queue = redo.queue(queue_id)
        if queue is not None:
            queue.next_number = max(queue.next_number, number + 1)
            queue.next_sequence = max(queue.next_sequence, sequence + 1)

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        queue_id, number, sequence, length = _GOT.unpack(record.payload)
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
                        queue.forget_member(segment, ordinal)
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
