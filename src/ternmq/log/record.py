"""Log records: the stream of bytes that extents hold.

Addresses. An LSN is a byte address in an endless stream; 0 means none and the first LSN is 4096.
The stream is cut into blocks of 4096 bytes. Records start at multiples of 8 and may span blocks and
extents. All numbers are little-endian.

    offset size  field
         0    4  CRC-32C of bytes 4..length, begun with the CRC-32C of the log's identity
         4    4  length: header and payload, without the padding to a multiple of 8
         8    8  LSN of this record
        16    1  kind (kinds.py)
        17    1  flags: bit 0 = first record of a force batch; the others are zero
        18    2  gap: in the first record of a batch the bytes of padding before it, else zero
        20    4  epoch: the start of the queue manager that wrote it, counted from 1
        24    8  unit of work, 0 = none
        32    8  LSN of the previous record of the same unit of work, 0 = none
        40    -  payload

Batches. What one force writes is a batch. It starts on a fresh block, so that a torn write cannot
hurt what was forced before; the gap between the end of its last record and the next block is
zeros. The next batch says how long that gap is, so that zeros in place of lost records are not
taken for padding.

Validity. A record is valid at LSN p if its length is 40 to 40 + PAYLOAD_BYTES_MAX, its LSN is p,
its checksum holds, and undefined flags are zero. It follows the records before it if its epoch is
not lower than theirs and either bit 0 is clear, it starts where the last one ended and its gap is
zero; or bit 0 is set, p is a multiple of 4096, and its gap is the number of zero bytes between the
last end and p. The identity in the checksum keeps records of another log, and records that were
smuggled into a message body, from being believed.
"""

from __future__ import annotations

from struct import Struct
from typing import Final, final

from ternmq.base.checksum import crc32c
from ternmq.base.errors import IntegrityError, name_by_package

# Of control file, extents, tail copy and records; 1 had no properties beside the data.
LOG_VERSION: Final = 2
BLOCK_BYTES: Final = 4096
FIRST_LSN: Final = 4096
HEADER_BYTES: Final = 40
IDENTITY_BYTES: Final = 16
# A message of 100 MiB with its descriptor, properties and targets.
PAYLOAD_BYTES_MAX: Final = (100 << 20) + (64 << 10)
FIRST_OF_BATCH: Final = 1

HEADER: Final = Struct("<IIQBBHIQQ")
CHECKED_HEADER: Final = Struct("<IQBBHIQQ")
CHECKSUM: Final = Struct("<I")


class LogDamaged(IntegrityError):
    """The log cannot be read where it must be readable; the text names file, offset and LSN."""


class LogOfOtherFormat(LogDamaged):
    """The log was written by another build, in a format that this one does not read."""


name_by_package(LogDamaged)
name_by_package(LogOfOtherFormat)


@final
class LogRecord:
    """One record as read. `end_lsn` is where the next record of its batch would start."""

    def __init__(
        self,
        kind: int,
        flags: int,
        lsn: int,
        epoch: int,
        uow: int,
        previous: int,
        gap: int,
        payload: bytes,
    ) -> None:
        self.kind = kind
        self.flags = flags
        self.lsn = lsn
        self.epoch = epoch
        self.uow = uow
        self.previous = previous
        self.gap = gap
        self.payload = payload
        self.end_lsn = (lsn + HEADER_BYTES + len(payload) + 7) & -8


def block_end(lsn: int) -> int:
    """The start of the first block at or after an LSN."""
    return (lsn + 4095) & -4096


def record_space(payload_bytes: int) -> int:
    """The bytes of the log that a record with such a payload takes, without batch padding."""
    return (HEADER_BYTES + payload_bytes + 7) & -8


def checksum_seed(identity: bytes) -> int:
    """What the checksum of every record of this log begins with."""
    return crc32c(identity)


def header_length(buffer: bytes, offset: int, lsn: int) -> int:
    """The length a header claims if it may be one for this LSN, else 0. Nothing is proven yet."""
    header = HEADER.unpack_from(buffer, offset)
    length: int = header[1]
    if header[2] != lsn or length < HEADER_BYTES or length > HEADER_BYTES + PAYLOAD_BYTES_MAX:
        return 0
    return length


def decode_record(buffer: bytes, offset: int, length: int, seed: int) -> LogRecord | None:
    """The record whose bytes are at this offset, or None if its checksum or flags are wrong."""
    crc, _, lsn, kind, flags, gap, epoch, uow, previous = HEADER.unpack_from(buffer, offset)
    end = offset + length
    if flags > FIRST_OF_BATCH or crc32c(buffer[offset + 4 : end], seed) != crc:
        return None
    payload = buffer[offset + HEADER_BYTES : end]
    return LogRecord(kind, flags, lsn, epoch, uow, previous, gap, payload)
