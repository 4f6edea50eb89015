"""Extent files: where the stream of records is on disk.

An extent holds LogFilePages blocks of the stream: extent number = LSN // extent bytes, and the byte
at an LSN is at 4096 + LSN % extent bytes of its file. Files are `log/active/S%07d.LOG`, with a
second copy in `log/active2` if the log is dual. The name's number is the extent number in a linear
log; in a circular log it is a slot (primaries first, then secondaries) that holds one extent after
another. The first 4096 bytes are the header, twice, at 0 and at 2048. Little-endian:

    offset size  field
         0    8  "TERNLOG1"
         8    4  CRC-32C of bytes 12..52
        12    4  version, 2
        16   16  identity of the log
        32    8  extent number
        40    8  extent bytes
        48    4  slot
        52    -  zeros to 2048

Validity. A header copy is valid if magic, version, checksum, identity, extent bytes and slot hold
(and in a linear log the extent number is the slot). The highest number of any valid header copy of
a slot, in either copy of the log, is the extent that the slot holds. Where two slots have the same
number, one of them was given up when it was new (a disk was full) and has zeros: the other counts.

Order. A file is made whole (header, real zeros to its end), forced, and its name forced, before
the extent counts as prepared. A slot is reused only when no record in it is needed; its new header
is forced before any record of the new extent is written. So records beyond the end of the log that
no header leads to are damage, never the trace of a crash.
"""

from __future__ import annotations

from struct import Struct
from typing import Final, final

from ternmq.base.checksum import crc32c
from ternmq.log.control import Control
from ternmq.log.record import BLOCK_BYTES, LOG_VERSION, LogDamaged
from ternmq.ports.disk import Disk, DiskFile

FOLDERS: Final = ["log/active", "log/active2"]
SECOND_HEADER_OFFSET: Final = 2048
NO_EXTENT: Final = -1

_MAGIC: Final = b"TERNLOG1"
_HEAD: Final = Struct("<8sI")
_BODY: Final = Struct("<I16sQQI")
_BODY_OFFSET: Final = 12
_HEADER_BYTES: Final = 52
_PIECE_BYTES: Final = 1 << 20


def extent_path(copy: int, slot: int) -> str:
    """The file of a slot in a copy (0 or 1) of the log."""
    return f"{FOLDERS[copy]}/S{slot:07d}.LOG"


def slot_of_name(name: str) -> int:
    """The slot a file name stands for, or -1."""
    digits = name[1:-4]
    if name[:1] != "S" or name[-4:] != ".LOG" or len(digits) < 7:
        return -1
    if not (digits.isascii() and digits.isdigit()):
        return -1
    slot = int(digits)
    return slot if f"{slot:07d}" == digits else -1


@final
class ExtentTable:
    """Which file holds which extent, and the open files. Shared by `files` and `reader`."""

    def __init__(self, disk: Disk, control: Control) -> None:
        self.disk = disk
        self.parameters = control.parameters
        self.identity = control.identity
        self.extent_bytes = control.parameters.extent_bytes
        self.copies = control.parameters.copies
        # Extent number -> slot, of extents that are kept.
        self.slots: dict[int, int] = {}
        # For each copy the slots that have a file there.
        self.present: list[set[int]] = [set() for _ in range(self.copies)]
        self._files: list[dict[int, DiskFile]] = [{} for _ in range(self.copies)]

    def load(self, oldest: int) -> None:
        """Find the extents from `oldest` on by their headers."""
        numbers: dict[int, int] = {}
        for copy in range(self.copies):
            for name in self.disk.list(FOLDERS[copy]):
                slot = slot_of_name(name)
                if slot < 0 or (self.parameters.is_linear and slot < oldest):
                    continue
                self.present[copy].add(slot)
                number = self._header_number(copy, slot)
                numbers[slot] = max(numbers.get(slot, NO_EXTENT), number)
        for slot, number in sorted(numbers.items()):
            if number < oldest:
                continue
            other = self.slots.get(number)
            if other is None or self._has_no_records(other):
                self.slots[number] = slot
            elif not self._has_no_records(slot):
                raise LogDamaged(f"log extent {number} is in two slots, {slot} and {other}")

    def _has_no_records(self, slot: int) -> bool:
        """Whether the file of a slot is as new: it was made for an extent that another slot holds,
        because it could not be made in the other copy, or its name could not be forced."""
        for copy in range(self.copies):
            if slot not in self.present[copy]:
                continue
            for at in range(0, self.extent_bytes, _PIECE_BYTES):
                if self.read_file(copy, slot, BLOCK_BYTES + at, _PIECE_BYTES).strip(b"\0"):
                    return False
        return True

    def paths(self) -> list[str]:
        """The files of all extents that are kept."""
        slots = sorted(self.slots.values())
        return [extent_path(copy, slot) for copy in range(self.copies) for slot in slots]

    def is_whole(self, copy: int, slot: int) -> bool:
        """Whether a copy has the file of a slot in its full size."""
        file = self.file(copy, slot)
        return file is not None and file.size() == BLOCK_BYTES + self.extent_bytes

    def is_ready(self, extent: int) -> bool:
        """Whether an extent has a header and a whole file in every copy."""
        slot = self.slots.get(extent)
        if slot is None:
            return False
        return all(self.is_whole(copy, slot) for copy in range(self.copies))

    def first_not_ready(self, start: int) -> int:
        """The first extent at or after this one that has to be prepared."""
        while self.is_ready(start):
            start += 1
        return start

    def free_slot(self) -> int:
        """The lowest slot of a circular log that holds no extent in use, or -1."""
        taken = set(self.slots.values())
        for slot in range(self.parameters.slots):
            if slot not in taken:
                return slot
        return -1

    def file(self, copy: int, slot: int) -> DiskFile | None:
        """The open file of a slot; None if the slot has no file."""
        files = self._files[copy]
        file = files.get(slot)
        if file is None and slot in self.present[copy]:
            file = self.disk.open(extent_path(copy, slot))
            files[slot] = file
        return file

    def adopt(self, copy: int, slot: int, file: DiskFile) -> None:
        """Take over the open file of a slot that was made just now."""
        self.close_slot(copy, slot)
        self._files[copy][slot] = file
        self.present[copy].add(slot)

    def close_slot(self, copy: int, slot: int) -> None:
        file = self._files[copy].pop(slot, None)
        if file is not None:
            file.close()

    def close(self) -> None:
        for files in self._files:
            for file in files.values():
                file.close()
            files.clear()

    def place(self, copy: int, lsn: int) -> str:
        """File and offset of an LSN, for error texts."""
        slot = self.slots.get(lsn // self.extent_bytes)
        offset = BLOCK_BYTES + lsn % self.extent_bytes
        if slot is None:
            return f"{FOLDERS[copy]}: extent {lsn // self.extent_bytes} missing, LSN {lsn}"
        return f"{extent_path(copy, slot)} offset {offset}, LSN {lsn}"

    def read(self, copy: int, lsn: int, length: int) -> bytes:
        """Bytes of the stream from one copy; short where an extent or the end of a file is.

        The files are opened for this alone, so another thread may write the log meanwhile.
        """
        parts: list[bytes] = []
        while length > 0:
            slot = self.slots.get(lsn // self.extent_bytes)
            if slot is None or slot not in self.present[copy]:
                break
            within = lsn % self.extent_bytes
            count = min(length, self.extent_bytes - within)
            data = self.read_file(copy, slot, BLOCK_BYTES + within, count)
            parts.append(data)
            if len(data) < count:
                break
            lsn += count
            length -= count
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def read_file(self, copy: int, slot: int, offset: int, count: int) -> bytes:
        """Bytes of the file of a slot. In a dual log what cannot be read counts as missing."""
        try:
            file = self.disk.open(extent_path(copy, slot))
            try:
                return file.pread(offset, count)
            finally:
                file.close()
        except OSError:
            if self.copies == 1:
                raise
            return b""

    def header(self, extent: int, slot: int) -> bytes:
        """The header block of an extent: the same header twice."""
        body = _BODY.pack(LOG_VERSION, self.identity, extent, self.extent_bytes, slot)
        header = _HEAD.pack(_MAGIC, crc32c(body)) + body
        half = header + bytes(SECOND_HEADER_OFFSET - len(header))
        return half + half

    def halves_to_write(self, file: DiskFile, header: bytes) -> list[int]:
        """Offsets of the two headers of a file; first the one that is not right, if any."""
        if file.pread(0, len(header)) == header:
            return [SECOND_HEADER_OFFSET, 0]
        return [0, SECOND_HEADER_OFFSET]

    def _header_number(self, copy: int, slot: int) -> int:
        return self.number_in(self.read_file(copy, slot, 0, BLOCK_BYTES), slot)

    def number_in(self, block: bytes, slot: int) -> int:
        """The extent that the header block of a file for this slot names, else NO_EXTENT."""
        first = self._decode_header(block, 0, slot)
        return max(first, self._decode_header(block, SECOND_HEADER_OFFSET, slot))

    def _decode_header(self, block: bytes, offset: int, slot: int) -> int:
        """The extent number of a valid header copy, else NO_EXTENT."""
        if len(block) < offset + _HEADER_BYTES:
            return NO_EXTENT
        magic, crc = _HEAD.unpack_from(block, offset)
        body = block[offset + _BODY_OFFSET : offset + _HEADER_BYTES]
        if magic != _MAGIC or crc32c(body) != crc:
            return NO_EXTENT
        version, identity, extent, size, held_in = _BODY.unpack(body)
        number: int = extent
        if version != LOG_VERSION or identity != self.identity or size != self.extent_bytes:
            return NO_EXTENT
        if held_in != slot or (self.parameters.is_linear and number != slot):
            return NO_EXTENT
        return number
