"""The tail copy: makes the rewriting of the log's tail at restart safe.

Restart writes the part of the log that the control file does not prove once more, in place and
with the same bytes, and forces it. A crash in that moment may leave anything in a write that was
not forced, so a piece first goes to `log/tail` and is forced there; at the next start it is put in
place again. The file is made with the log and keeps its size, so that a full disk does not matter.

    offset size  field
         0    8  "TERNTAIL"
         8    4  CRC-32C of bytes 12..56
        12    4  version, 2
        16   16  identity of the log
        32    8  LSN of the piece
        40    8  its length
        48    4  CRC-32C of the piece
        52    4  zero
        56    -  zeros to 4096
      4096    -  the piece

Validity. Magic, version, identity and both checksums hold. A valid piece is put in place if it
starts at or after the proven LSN; before that it is a trace of an earlier start.
"""

from __future__ import annotations

from struct import Struct
from typing import Final

from ternmq.base.checksum import crc32c
from ternmq.log.control import Control
from ternmq.log.record import BLOCK_BYTES, LOG_VERSION
from ternmq.ports.disk import Disk, parent_dir, write_all, write_zeros

TAIL_PATH: Final = "log/tail"

_PIECE_BYTES_MAX: Final = 1 << 20
_MAGIC: Final = b"TERNTAIL"
_HEAD: Final = Struct("<8sI")
_BODY: Final = Struct("<I16sQQII")
_BODY_OFFSET: Final = 12


def piece_bytes(control: Control) -> int:
    """How much of the tail is rewritten at a time."""
    return min(_PIECE_BYTES_MAX, control.parameters.extent_bytes)


def create_tail_copy(disk: Disk, control: Control) -> None:
    """Make the file at its full size."""
    file = disk.create(TAIL_PATH)
    try:
        write_zeros(file, 0, BLOCK_BYTES + piece_bytes(control))
        file.datasync()
    finally:
        file.close()
    disk.sync_dir(parent_dir(TAIL_PATH))


def save_tail_copy(disk: Disk, control: Control, lsn: int, piece: bytes) -> None:
    """Write and force a piece."""
    if not disk.exists(TAIL_PATH):
        create_tail_copy(disk, control)
    body = _BODY.pack(LOG_VERSION, control.identity, lsn, len(piece), crc32c(piece), 0)
    header = _HEAD.pack(_MAGIC, crc32c(body)) + body
    header += bytes(BLOCK_BYTES - len(header))
    file = disk.open(TAIL_PATH)
    try:
        write_all(file, 0, [header, piece])
        file.datasync()
    finally:
        file.close()


def load_tail_copy(disk: Disk, control: Control) -> tuple[int, bytes] | None:
    """The piece that the last restart was writing, with its LSN; None if there is no valid one."""
    try:
        file = disk.open(TAIL_PATH)
    except FileNotFoundError:
        return None
    try:
        header = file.pread(0, _BODY_OFFSET + _BODY.size)
        if len(header) < _BODY_OFFSET + _BODY.size:
            return None
        magic, crc = _HEAD.unpack_from(header, 0)
        if magic != _MAGIC or crc32c(header[_BODY_OFFSET:]) != crc:
            return None
        version, identity, lsn, length, piece_crc, _ = _BODY.unpack_from(header, _BODY_OFFSET)
        if version != LOG_VERSION or identity != control.identity or length > _PIECE_BYTES_MAX:
            return None
        piece = file.pread(BLOCK_BYTES, length)
    finally:
        file.close()
    if len(piece) != length or crc32c(piece) != piece_crc or lsn < control.forced_lsn:
        return None
    return lsn, piece
