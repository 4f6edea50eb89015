"""State journal: which segments a queue has and which of their messages are dead; one file a queue.

Append-only, little-endian, CRC is CRC-32C. Each checkpoint that touches the queue appends one
batch. A batch begins on a multiple of 512 (a sector), so that a torn write cannot hurt what was
forced before it:

    batch header, 64 bytes
         0  8 bytes  "TERNSTAT"
         8  u32      version, 1
        12  u32      CRC of the body
        16  u64      batch number: 1 for the first in the file, then one more each
        24  u64      offset of this header in the file
        32  u64      bytes of the body
        40  20 B     zero
        60  u32      CRC of bytes 0 to 59
    body: entries, each on a multiple of 8 (zeros between); the first is QUEUE, the last MARK
    zeros to a multiple of 512
    seal, in a sector of its own (zeros until the batch is forced)
         0  8 bytes  "TERNSEAL"
         8  u64      batch number
        16  u64      offset of the batch header
        24  u32      CRC of the body
        28  32 B     zero
        60  u32      CRC of bytes 0 to 59
    zeros to a multiple of 512: there the next batch begins

    entry
         0  u32      CRC of bytes 4 to length
         4  u32      length of the entry, without the zeros after it
         8  u8       kind
         9  7 bytes  zero
        16  u64      lsn: the queue is as the log made it up to here (the same in the whole batch)
        24           payload, by kind:
           1 QUEUE          u64 queue id, u64 incarnation
           2 SEGMENT_ADDED  u64 segment number, u32 count, u32 flags, u64 first sequence, u64 last
                            sequence, i64 min expiry (0 none), u64 file bytes, u32 persistent count
                            (0 also if all of them are dead: after a crash the file is not needed),
                            u8 priority (255 mixed), 3 bytes zero; all its messages live
           3 SEGMENT_BITS   u64 segment number, u32 count, u32 number of pairs, then pairs of u32
                            ordinal, u32 backout count; then the dead bitmap of (count + 7) / 8
                            bytes: bit n % 8 of byte n / 8 is set if message n is dead. The bitmap
                            replaces the earlier one, a pair the earlier pair of its ordinal
           4 SEGMENT_GONE   u64 segment number
           5 COUNTERS       u64 next number, u64 next sequence, u64 next segment number
           6 MARK           u32 entries in the batch before this one, u32 zero
           7 STREAM         the queue's stream, see `stream_state`

Later entries win. Validity: a batch counts if header and body have their CRC and header number and
offset are the expected ones. Reading ends at the first place without such a batch. That is the end
of the journal, torn or not, unless something later proves that a batch was forced there: a seal of
this or a later batch, or the header of a later one (it was written only after the force of those
before). Then the file is damaged at that place, and so it is if the caller knows of an LSN that was
forced and the journal ends before it. Ordering: batch, datasync, (name: sync_dir,) seal; the
seal itself is not forced. `settle` rewrites a journal whose last batch has no seal, before the
caller relies on it. A rewrite is a new file with one batch that takes the name of the old one.
"""

from __future__ import annotations

import errno
import struct
from typing import Final, final

from ternmq.base.checksum import crc32c
from ternmq.base.errors import IntegrityError
from ternmq.ports.disk import Disk, DiskFile, parent_dir, write_all
from ternmq.store.stream.stream_state import check_stream

SECTOR_BYTES: Final = 512
BATCH_HEADER_BYTES: Final = 64
ENTRY_HEADER_BYTES: Final = 24
JOURNAL_VERSION: Final = 1
REWRITE_FLOOR_BYTES: Final = 1 << 16  # a smaller file is not worth a rewrite
PRIORITY_MIXED: Final = 255

QUEUE: Final = 1
SEGMENT_ADDED: Final = 2
SEGMENT_BITS: Final = 3
SEGMENT_GONE: Final = 4
COUNTERS: Final = 5
MARK: Final = 6
STREAM: Final = 7

_MAGIC: Final = b"TERNSTAT"
_SEAL_MAGIC: Final = b"TERNSEAL"
_HEADER: Final = struct.Struct("<8sIIQQQ20s")
_SEAL: Final = struct.Struct("<8sQQI32s")
_ENTRY: Final = struct.Struct("<IB7sQ")  # after the CRC
_CRC: Final = struct.Struct("<I")
_QUEUE: Final = struct.Struct("<QQ")
_ADDED: Final = struct.Struct("<QIIQQqQIB3s")
_BITS: Final = struct.Struct("<QII")
_GONE: Final = struct.Struct("<Q")
_COUNTERS: Final = struct.Struct("<QQQ")
_MARK: Final = struct.Struct("<II")
_SCAN_BYTES: Final = 1 << 20


@final
class SegmentState:
    """One segment as the journal describes it."""

    __slots__ = (
        "number",
        "count",
        "first_sequence",
        "last_sequence",
        "priority",
        "min_expiry",
        "flags",
        "file_bytes",
        "persistent",
        "dead",
        "backouts",
    )

    def __init__(
        self,
        number: int,
        count: int,
        first_sequence: int,
        last_sequence: int,
        priority: int,
        min_expiry: int,
        flags: int,
        file_bytes: int,
        persistent: int,
    ) -> None:
        self.number = number
        self.count = count
        self.first_sequence = first_sequence
        self.last_sequence = last_sequence
        self.priority = priority
        self.min_expiry = min_expiry
        self.flags = flags
        self.file_bytes = file_bytes
        self.persistent = persistent
        self.dead = bytes((count + 7) // 8)
        self.backouts: dict[int, int] = {}


@final
class JournalPosition:
    """Where the next batch goes."""

    __slots__ = ("offset", "batch_number")

    def __init__(self, offset: int, batch_number: int) -> None:
        self.offset = offset
        self.batch_number = batch_number


@final
class QueueState:
    """What the journal says at its last mark; lsn 0 if it has none."""

    __slots__ = (
        "queue_id",
        "incarnation",
        "lsn",
        "next_number",
        "next_sequence",
        "next_segment",
        "segments",
        "stream",
        "position",
        "last_offset",
        "is_sealed",
    )

    def __init__(self) -> None:
        self.queue_id = 0
        self.incarnation = 0
        self.lsn = 0
        self.next_number = 0
        self.next_sequence = 0
        self.next_segment = 0
        self.segments: dict[int, SegmentState] = {}
        self.stream = b""  # the payload of its last STREAM
        self.position = JournalPosition(0, 1)
        self.last_offset = 0  # of the last batch
        self.is_sealed = True  # the last batch is known to have been forced

    def whole_batch(self, lsn: int) -> StateBatch:
        """This state as one batch, for a rewrite."""
        batch = StateBatch(self.queue_id, self.incarnation, lsn)
        batch.counters(self.next_number, self.next_sequence, self.next_segment)
        batch.stream(self.stream)
        for state in self.segments.values():
            batch.segment_added(
                state.number,
                state.count,
                state.first_sequence,
                state.last_sequence,
                state.priority,
                state.min_expiry,
                state.flags,
                state.file_bytes,
                state.persistent,
            )
            backouts = list(state.backouts.items())
            if backouts or any(state.dead):
                batch.segment_bits(state.number, state.count, state.dead, backouts)
        return batch


@final
class StateBatch:
    """Collects the entries of one checkpoint of one queue."""

    __slots__ = ("lsn", "bytes", "_parts", "_entries")

    def __init__(self, queue_id: int, incarnation: int, lsn: int) -> None:
        self.lsn = lsn
        self.bytes = 0  # of the entries so far
        self._parts: list[bytes] = []
        self._entries = 0
        self._add(QUEUE, _QUEUE.pack(queue_id, incarnation))

    def segment_added(
        self,
        number: int,
        count: int,
        first_sequence: int,
        last_sequence: int,
        priority: int,
        min_expiry: int,
        flags: int,
        file_bytes: int = 0,
        persistent: int = 0,
    ) -> None:
        """A new segment, all of it alive."""
        payload = _ADDED.pack(
            number,
            count,
            flags,
            first_sequence,
            last_sequence,
            min_expiry,
            file_bytes,
            persistent,
            priority,
            b"",
        )
        self._add(SEGMENT_ADDED, payload)

    def segment_bits(
        self, number: int, count: int, dead: bytes, backouts: list[tuple[int, int]]
    ) -> None:
        """Which messages of a segment are dead, and the backout counts that changed."""
        if len(dead) != (count + 7) // 8:
            raise IntegrityError(f"segment {number}: bitmap of {len(dead)} bytes for {count}")
        parts = [_BITS.pack(number, count, len(backouts))]
        for ordinal, backout_count in backouts:
            parts.append(struct.pack("<II", ordinal, backout_count))
        parts.append(dead)
        self._add(SEGMENT_BITS, b"".join(parts))

    def segment_gone(self, number: int) -> None:
        """The segment holds nothing any more; its file may be unlinked once this is forced."""
        self._add(SEGMENT_GONE, _GONE.pack(number))

    def counters(self, next_number: int, next_sequence: int, next_segment: int) -> None:
        """The next number, sequence and segment number the queue will give."""
        self._add(COUNTERS, _COUNTERS.pack(next_number, next_sequence, next_segment))

    def stream(self, payload: bytes) -> None:
        """The queue's stream, if it has or had one."""
        if payload:
            self._add(STREAM, payload)

    def parts(self) -> list[bytes]:
        """The body of the batch, ended by its MARK."""
        mark = pack_entry(MARK, self.lsn, _MARK.pack(self._entries, 0))
        return [*self._parts, mark]

    def _add(self, kind: int, payload: bytes) -> None:
        entry = pack_entry(kind, self.lsn, payload)
        self._parts.append(entry)
        self._entries += 1
        self.bytes += len(entry)


def pack_entry(kind: int, lsn: int, payload: bytes) -> bytes:
    """One entry with the zeros after it."""
    length = ENTRY_HEADER_BYTES + len(payload)
    rest = _ENTRY.pack(length, kind, b"", lsn) + payload
    return _CRC.pack(crc32c(rest)) + rest + bytes(-length & 7)


def should_rewrite(size: int, live: int) -> bool:
    """Whether a journal of `size` bytes of which `live` still matter is to be rewritten."""
    return size > REWRITE_FLOOR_BYTES and size > 2 * live


def live_bytes(segment_count: int, message_count: int) -> int:
    """About what the state of a queue with so many segments and messages in them takes."""
    return 3 * SECTOR_BYTES + 136 * segment_count + message_count // 8


@final
class StateJournal:
    """The file operations; the caller keeps the position between appends."""

    @staticmethod
    def load(disk: Disk, path: str, proven_lsn: int = 0) -> QueueState:
        """The state at the last mark; empty if there is no file.

        `proven_lsn`: a mark of at least this LSN is known to have been forced.
        """
        state = QueueState()
        if disk.exists(path):
            file = disk.open(path)
            try:
                _load_batches(file, state)
            finally:
                file.close()
        if state.lsn < proven_lsn:
            raise _damaged(
                path, state.position.offset, f"it ends at LSN {state.lsn}, {proven_lsn} was forced"
            )
        return state

    @staticmethod
    def append(
        disk: Disk, path: str, parts: list[bytes], position: JournalPosition | None = None
    ) -> JournalPosition:
        """Write a batch and force it; without a position the end is looked for in the file."""
        if position is None:
            position = StateJournal.load(disk, path).position
        frame = _Frame(parts, position)
        file = disk.open(path) if disk.exists(path) else disk.create(path)
        try:
            if file.size() < position.offset:
                raise _damaged(path, file.size(), f"it ended at {position.offset} before")
            write_all(file, position.offset, frame.parts)
            file.datasync()
            if position.offset == 0:
                # Also where the file was there: a crash may have come between its name and this.
                disk.sync_dir(parent_dir(path))
            # ORDER: force before seal. The seal says that the batch was forced.
            write_all(file, frame.seal_offset, [frame.seal])
        finally:
            file.close()
        return frame.after

    @staticmethod
    def rewrite(disk: Disk, path: str, parts: list[bytes]) -> JournalPosition:
        """Put a journal with this one batch in the place of the present one."""
        frame = _Frame(parts, JournalPosition(0, 1))
        fresh = path + ".new"
        file = disk.create(fresh)
        try:
            write_all(file, 0, frame.parts)
            file.datasync()
            # ORDER: content before name, and both before the seal.
            disk.rename(fresh, path)
            disk.sync_dir(parent_dir(path))
            write_all(file, frame.seal_offset, [frame.seal])
        finally:
            file.close()
        return frame.after

    @staticmethod
    def settle(disk: Disk, path: str, state: QueueState) -> None:
        """Make sure that what `load` believed is on the disk, not only in the system's memory.

        Without a seal the last batch may not have been forced. It goes to a new file: writing
        it once more in place could spoil the only copy, if the machine stops in that moment.
        """
        if state.is_sealed:
            return
        try:
            state.position = StateJournal.rewrite(disk, path, state.whole_batch(state.lsn).parts())
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            # A full disk must not keep a queue manager from starting.
            file = disk.open(path)
            try:
                file.datasync()
            finally:
                file.close()
            disk.sync_dir(parent_dir(path))
            return
        state.last_offset = 0
        state.is_sealed = True


def _damaged(path: str, offset: int, what: str) -> IntegrityError:
    return IntegrityError(f"state journal {path} is damaged at offset {offset}: {what}")


def _sectors(length: int) -> int:
    return (length + SECTOR_BYTES - 1) // SECTOR_BYTES * SECTOR_BYTES


def _seal(batch_number: int, offset: int, body_crc: int) -> bytes:
    head = _SEAL.pack(_SEAL_MAGIC, batch_number, offset, body_crc, b"")
    return head + _CRC.pack(crc32c(head))


@final
class _Frame:
    """A batch ready to be written at a position: header, body, zeros to the end of the seal."""

    __slots__ = ("parts", "seal_offset", "seal", "after")

    def __init__(self, body: list[bytes], position: JournalPosition) -> None:
        length = 0
        crc = 0
        for part in body:
            length += len(part)
            crc = crc32c(part, crc)
        number = position.batch_number
        head = _HEADER.pack(_MAGIC, JOURNAL_VERSION, crc, number, position.offset, length, b"")
        used = BATCH_HEADER_BYTES + length
        self.seal_offset = position.offset + _sectors(used)
        self.seal = _seal(number, position.offset, crc)
        self.after = JournalPosition(self.seal_offset + SECTOR_BYTES, number + 1)
        zeros = bytes(self.after.offset - position.offset - used)
        self.parts: list[bytes] = [head + _CRC.pack(crc32c(head)), *body, zeros]


def _load_batches(file: DiskFile, state: QueueState) -> None:
    size = file.size()
    while _load_batch(file, size, state):
        pass
    _check_end(file, state.position)


def _load_batch(file: DiskFile, size: int, state: QueueState) -> bool:
    """Take the batch at the position into the state; False if no batch there counts."""
    at = state.position.offset
    block = file.pread(at, BATCH_HEADER_BYTES)
    if not _is_whole(block, _MAGIC):
        return False
    _, version, crc, number, offset, length, _ = _HEADER.unpack_from(block)
    if version != JOURNAL_VERSION:
        raise _damaged(file.path, at, f"format version {version} is not known here")
    if number != state.position.batch_number or offset != at:
        return False
    if length > size - at - BATCH_HEADER_BYTES:
        return False
    body = file.pread(at + BATCH_HEADER_BYTES, length)
    if len(body) != length or crc32c(body) != crc:
        return False
    _apply_body(file.path, at + BATCH_HEADER_BYTES, body, state)
    seal_offset = at + _sectors(BATCH_HEADER_BYTES + length)
    seal = file.pread(seal_offset, BATCH_HEADER_BYTES)
    state.is_sealed = seal == _seal(number, at, crc)
    state.last_offset = at
    state.position = JournalPosition(seal_offset + SECTOR_BYTES, number + 1)
    return True


def _is_whole(block: bytes, magic: bytes) -> bool:
    """Whether this is a header or seal that has its CRC."""
    if len(block) < BATCH_HEADER_BYTES or not block.startswith(magic):
        return False
    crc: int = _CRC.unpack_from(block, 60)[0]
    return crc32c(block[:60]) == crc


def _check_end(file: DiskFile, end: JournalPosition) -> None:
    """Refuse an end that something later in the file proves not to be one."""
    at = end.offset
    chunk = file.pread(at, _SCAN_BYTES)
    while chunk:
        for place in range(0, len(chunk), SECTOR_BYTES):
            block = chunk[place : place + BATCH_HEADER_BYTES]
            if _proves_force(block, at + place, end):
                raise _damaged(
                    file.path, end.offset, f"batch {end.batch_number} is not whole, yet was forced"
                )
        at += len(chunk)
        chunk = file.pread(at, _SCAN_BYTES)


def _proves_force(block: bytes, at: int, end: JournalPosition) -> bool:
    """A seal from the batch that should be at `end` on, or the header of a later batch."""
    if _is_whole(block, _SEAL_MAGIC):
        number: int = _SEAL.unpack_from(block)[1]
        return number >= end.batch_number
    if _is_whole(block, _MAGIC):
        _, _, _, header_number, offset, _, _ = _HEADER.unpack_from(block)
        return bool(header_number > end.batch_number and offset == at)
    return False


def _apply_body(path: str, start: int, body: bytes, state: QueueState) -> None:
    """Take all entries of a batch into the state. The body has its CRC: any fault is damage."""
    at = 0
    entries = 0
    kind = 0
    while at < len(body):
        present = len(body) - at
        if kind == MARK or present < ENTRY_HEADER_BYTES:
            raise _damaged(path, start + at, "bytes after the mark of a batch")
        length, kind, _, lsn = _ENTRY.unpack_from(body, at + 4)
        if length < ENTRY_HEADER_BYTES or length > present:
            raise _damaged(path, start + at, f"an entry of {length} bytes")
        if crc32c(body[at + 4 : at + length]) != _CRC.unpack_from(body, at)[0]:
            raise _damaged(path, start + at, "an entry fails its checksum")
        try:
            _apply(kind, lsn, body[at + ENTRY_HEADER_BYTES : at + length], entries, state)
        except (IntegrityError, struct.error) as error:
            raise _damaged(path, start + at, f"entry of kind {kind}: {error}") from error
        entries += 1
        at += (length + 7) & -8
    if kind != MARK:
        raise _damaged(path, start + at, "a batch without a mark")


def _apply(kind: int, lsn: int, payload: bytes, entries: int, state: QueueState) -> None:
    if kind == SEGMENT_BITS:
        _apply_bits(payload, state)
    elif kind == SEGMENT_ADDED:
        number, count, flags, first, last, expiry, size, persistent, priority, _ = _ADDED.unpack(
            payload
        )
        state.segments[number] = SegmentState(
            number, count, first, last, priority, expiry, flags, size, persistent
        )
    elif kind == SEGMENT_GONE:
        # A segment may come and go between two checkpoints, so it need not be known.
        state.segments.pop(_GONE.unpack(payload)[0], None)
    elif kind == STREAM:
        check_stream(payload)
        state.stream = payload
    elif kind == COUNTERS:
        state.next_number, state.next_sequence, state.next_segment = _COUNTERS.unpack(payload)
    elif kind == MARK:
        if _MARK.unpack(payload)[0] != entries:
            raise IntegrityError(f"{entries} entries came before it")
        state.lsn = lsn
    elif kind == QUEUE:
        queue_id, incarnation = _QUEUE.unpack(payload)
        if state.lsn and (queue_id, incarnation) != (state.queue_id, state.incarnation):
            raise IntegrityError(f"queue {queue_id} incarnation {incarnation} is another queue")
        state.queue_id, state.incarnation = queue_id, incarnation
    else:
        raise IntegrityError("not known here")


def _apply_bits(payload: bytes, state: QueueState) -> None:
    number, count, pairs = _BITS.unpack_from(payload)
    segment = state.segments.get(number)
    if segment is None or segment.count != count:
        raise IntegrityError(f"segment {number} of {count} messages is not there")
    bitmap_at = _BITS.size + 8 * pairs
    dead = payload[bitmap_at:]
    if len(dead) != len(segment.dead) or int.from_bytes(dead, "little") >> count:
        raise IntegrityError(f"segment {number} has {count} messages, not that bitmap")
    for at in range(_BITS.size, bitmap_at, 8):
        ordinal, backout_count = struct.unpack_from("<II", payload, at)
        if ordinal >= count:
            raise IntegrityError(f"segment {number} has no message {ordinal}")
        segment.backouts[ordinal] = backout_count
    segment.dead = dead
