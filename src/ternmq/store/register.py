"""The register: how far each queue's state journal was forced, kept outside the journal. A journal
that was cut off looks whole by itself, and a missing one as if the queue never had any.

Two files, `queues/register.1` and `queues/register.2`, of which one counts. Batches of rows, each
on a multiple of 512 bytes, little-endian:

    batch
         0  8 bytes  "TERNREGI"
         8  u32      CRC-32C of bytes 12 to the end of the rows, begun with that of the batch before
        12  u32      rows
        16  u64      number of the batch: 1 for the first in the file, then one more each
        24  u64      zero
        32           rows, of 40 bytes each; zeros to a multiple of 512
    row
         0  u64      queue; 0 is the catalog
         8  u64      journal LSN: a batch of its journal with this LSN was forced; 0 = it has none,
                     2^63 = its files are behind the log for ever, whatever they say
        16  u64      image LSN: the record that its last media image begins with; 0 = it has none
        24  u64      media LSN: where the log has to be read from to bring that image up to date
        32  i64      when that image was made, ns since 1970 UTC

Later rows win. Validity: which file counts, how many of its batches, and the CRC of the last one
are in the CHECKPOINT record that the control file names; bytes after those batches mean
nothing. So a file that is cut, old or exchanged is found. Ordering: journals are forced before the
batch that names them, that before the CHECKPOINT record. A file that has grown too long is
rewritten under the other name, because the last checkpoint still refers to this one.
"""

from __future__ import annotations

from contextlib import suppress
from struct import Struct
from typing import Final, final

from ternmq.base.checksum import crc32c
from ternmq.base.errors import IntegrityError
from ternmq.ports.disk import Disk, parent_dir, write_all

REGISTER_PATHS: Final = ("queues/register.1", "queues/register.2")
CATALOG_ROW: Final = 0
BEHIND_LSN: Final = 1 << 63
REWRITE_FLOOR_BYTES: Final = 1 << 16  # a smaller file is not worth a rewrite

_SECTOR_BYTES: Final = 512
_MAGIC: Final = b"TERNREGI"
_HEAD: Final = Struct("<8sI")
_REST: Final = Struct("<IQQ")  # after the CRC
_ROW: Final = Struct("<QQQQq")
_HEAD_BYTES: Final = 32


@final
class RegisterRow:
    """What is known of one queue outside its own files."""

    __slots__ = ("image_lsn", "image_ns", "journal_lsn", "media_lsn")

    def __init__(self, journal_lsn: int, image_lsn: int, media_lsn: int, image_ns: int) -> None:
        self.journal_lsn = journal_lsn
        self.image_lsn = image_lsn
        self.media_lsn = media_lsn
        self.image_ns = image_ns

    def note_image(self, image_lsn: int, media_lsn: int, image_ns: int) -> None:
        """A media image was made; one that is older than what is known changes nothing."""
        if image_lsn > self.image_lsn:
            self.image_lsn = image_lsn
            self.media_lsn = media_lsn
            self.image_ns = image_ns

    def copy(self) -> RegisterRow:
        """As it is now."""
        return RegisterRow(self.journal_lsn, self.image_lsn, self.media_lsn, self.image_ns)


@final
class RegisterPosition:
    """Which file counts and how much of it; `file` -1 if no file counts yet."""

    __slots__ = ("batches", "crc", "file", "offset")

    def __init__(self, file: int, batches: int, crc: int, offset: int) -> None:
        self.file = file
        self.batches = batches
        self.crc = crc
        self.offset = offset

    def statement(self) -> list[int]:
        """What a CHECKPOINT record says of it."""
        return [self.file, self.batches, self.crc]


def no_register() -> RegisterPosition:
    """Where one is before its first batch."""
    return RegisterPosition(-1, 0, 0, 0)


def should_rewrite_register(position: RegisterPosition, queues: int) -> bool:
    """Whether the next batch is better the first of a new file."""
    if position.file < 0:
        return True
    return position.offset > REWRITE_FLOOR_BYTES and position.offset > 2 * _ROW.size * queues


def append_register(
    disk: Disk, position: RegisterPosition, rows: list[tuple[int, RegisterRow]]
) -> RegisterPosition:
    """Force one more batch; the position behind it."""
    batch, after = _pack_batch(position, rows)
    file = disk.open(REGISTER_PATHS[position.file])
    try:
        write_all(file, position.offset, [batch])
        file.datasync()
    finally:
        file.close()
    return after


def rewrite_register(
    disk: Disk, position: RegisterPosition, rows: list[tuple[int, RegisterRow]]
) -> RegisterPosition:
    """Force a new file with these rows alone; the other one stays as it is."""
    batch, after = _pack_batch(RegisterPosition(1 if position.file == 0 else 0, 0, 0, 0), rows)
    path = REGISTER_PATHS[after.file]
    file = disk.create(path)
    try:
        write_all(file, 0, [batch])
        file.datasync()
    finally:
        file.close()
    disk.sync_dir(parent_dir(path))
    return after


def load_register(
    disk: Disk, statement: list[int]
) -> tuple[RegisterPosition, dict[int, RegisterRow]]:
    """The part of the register that a checkpoint refers to; IntegrityError if it is not there."""
    number, batches, crc = statement
    rows: dict[int, RegisterRow] = {}
    if number < 0:
        return no_register(), rows
    if number >= len(REGISTER_PATHS):
        raise IntegrityError(f"there is no register {number}")
    path = REGISTER_PATHS[number]
    try:
        file = disk.open(path)
    except FileNotFoundError as error:
        raise IntegrityError(f"{path} is missing") from error
    try:
        content = file.pread(0, file.size())
    finally:
        file.close()
    position = RegisterPosition(number, 0, 0, 0)
    while position.batches < batches:
        _take_batch(path, content, position, rows)
    if position.crc != crc:
        raise IntegrityError(f"{path} is not the one that the last checkpoint wrote")
    return position, rows


def newest_journal(disk: Disk) -> tuple[str, int]:
    """The highest journal LSN that either file has, also behind what the last checkpoint refers
    to, and the file. A batch there belongs to the file as long as the checksums go on."""
    newest = 0
    where = ""
    for path in REGISTER_PATHS:
        if not disk.exists(path):
            continue
        file = disk.open(path)
        try:
            content = file.pread(0, file.size())
        finally:
            file.close()
        position = RegisterPosition(0, 0, 0, 0)
        rows: dict[int, RegisterRow] = {}
        with suppress(IntegrityError):  # here it ends, or is damaged; others report that
            while position.offset < len(content):
                _take_batch(path, content, position, rows)
        for row in rows.values():
            if newest < row.journal_lsn < BEHIND_LSN:
                newest = row.journal_lsn
                where = path
    return where, newest


def _pack_batch(
    position: RegisterPosition, rows: list[tuple[int, RegisterRow]]
) -> tuple[bytes, RegisterPosition]:
    parts = [_REST.pack(len(rows), position.batches + 1, 0)]
    for queue_id, row in rows:
        parts.append(
            _ROW.pack(queue_id, row.journal_lsn, row.image_lsn, row.media_lsn, row.image_ns)
        )
    rest = b"".join(parts)
    crc = crc32c(rest, position.crc)
    batch = _HEAD.pack(_MAGIC, crc) + rest
    batch += bytes(-len(batch) % _SECTOR_BYTES)
    after = RegisterPosition(position.file, position.batches + 1, crc, position.offset + len(batch))
    return batch, after


def _take_batch(
    path: str, content: bytes, position: RegisterPosition, rows: dict[int, RegisterRow]
) -> None:
    """Read the batch at the position and move the position behind it."""
    at = position.offset
    if len(content) - at < _HEAD_BYTES or content[at : at + 8] != _MAGIC:
        raise _damaged(path, at, f"batch {position.batches + 1} is not there")
    crc: int = _HEAD.unpack_from(content, at)[1]
    count, number, _ = _REST.unpack_from(content, at + _HEAD.size)
    end = at + _HEAD_BYTES + count * _ROW.size
    if number != position.batches + 1 or end > len(content):
        raise _damaged(path, at, f"batch {number} of {count} rows does not fit here")
    if crc32c(content[at + _HEAD.size : end], position.crc) != crc:
        raise _damaged(path, at, f"batch {number} fails its checksum")
    for queue_id, journal, image, media, ns in _ROW.iter_unpack(content[at + _HEAD_BYTES : end]):
        rows[queue_id] = RegisterRow(journal, image, media, ns)
    position.batches = number
    position.crc = crc
    position.offset = at + (end - at + _SECTOR_BYTES - 1) // _SECTOR_BYTES * _SECTOR_BYTES


def _damaged(path: str, offset: int, what: str) -> IntegrityError:
    return IntegrityError(f"{path} is damaged at offset {offset}: {what}")
