"""The log control file: what the log is, and where restart begins. Two copies, `log/control.1` and
`log/control.2`, each in the first 512 bytes of its file. Little-endian:

    offset size  field
         0    8  "TERNCTL1"
         8    4  CRC-32C of bytes 12..512
        12    4  version, 2
        16   16  identity of the log
        32    8  generation, +1 at every save
        40    4  type: 0 circular, 1 linear
        44    4  primary files
        48    4  secondary files
        52    4  pages of a file
        56    4  copies, 1 or 2
        60    4  epoch, +1 at every start
        64    8  checkpoint LSN, 0 = none yet
        72    8  redo LSN: where restart begins to read
        80    8  proven LSN: everything below was forced when this was written
        88    8  padding between the last record below the proven LSN and that LSN
        96    8  oldest extent kept
       104    4  1 = clean stop: nothing was written after the proven LSN
       108    4  role: 0 = usual, 1 = backup, which only replays, 2 = a backup that was activated
       112    8  the CHECKPOINT record that the next three stand for: one that another queue manager
                 wrote and that was replayed here; 0 = none
       120    4  file of the register that counts at that checkpoint
       124    4  CRC-32C of its last batch
       128    8  its batches
       136    8  identifiers up to this number may have been given (base.ids)
       144    -  zeros

Validity. A copy is valid if magic, version and checksum hold and the numbers make sense; one of
another version whose checksum holds is refused, whatever the other copy says. The valid
copy with the higher generation counts; if none is valid the log cannot be opened.

Order. A save writes and forces one copy, then the other, beginning with the one that was not valid
or older when it was read, so that the newest valid copy is never the only one at risk. A copy that
is not there is made under another name, forced, and renamed. A save is done when both are forced;
only then may extents be released or records of a new epoch be written.
"""

from __future__ import annotations

from struct import Struct
from typing import Final, final

from ternmq.base.checksum import crc32c
from ternmq.base.errors import ForceFailed, check, other_format
from ternmq.log.parameters import LogParameters
from ternmq.log.record import (
    BLOCK_BYTES,
    FIRST_LSN,
    IDENTITY_BYTES,
    LOG_VERSION,
    LogDamaged,
    LogOfOtherFormat,
)
from ternmq.log.writer import LogWriter
from ternmq.ports.disk import Disk, parent_dir, write_all

USUAL: Final = 0
BACKUP: Final = 1
ACTIVATED: Final = 2

CONTROL_PATHS: Final = ["log/control.1", "log/control.2"]
SECTOR_BYTES: Final = 512

_MAGIC: Final = b"TERNCTL1"
_HEAD: Final = Struct("<8sI")
_BODY: Final = Struct("<I16sQ6I5QIIQIIQQ")
_BODY_OFFSET: Final = 12


@final
class Control:
    """The content of the control file. Change the fields, then `save`."""

    def __init__(self, parameters: LogParameters, identity: bytes) -> None:
        check(len(identity) == IDENTITY_BYTES, f"log identity of {len(identity)} bytes")
        self.parameters = parameters
        self.identity = identity
        self.generation = 0
        self.epoch = 0
        self.checkpoint_lsn = 0
        self.redo_lsn: int = FIRST_LSN
        self.forced_lsn: int = FIRST_LSN
        self.forced_gap = 0
        self.oldest_extent = 0
        self.is_clean_stop = False
        self.role: int = USUAL
        self.replayed_checkpoint = 0
        self.replayed_register: list[int] = [0, 0, 0]  # file, batches, CRC
        self.unique_below = 0
        # Indexes of the copies in the order they are to be written.
        self._order: list[int] = [0, 1]
        # A second try may succeed although what the first one wrote is lost.
        self._is_broken = False
        # Why a copy was not used when this was loaded.
        self.faults: list[str] = []

    def note_forced(self, writer: LogWriter) -> None:
        """Take over how far the log is known to be forced."""
        self.forced_lsn = writer.forced_lsn
        self.forced_gap = writer.forced_gap

    def note_checkpoint(self, checkpoint_lsn: int, redo_lsn: int) -> int:
        """Take over where restart begins. The extent given back is the first it needs: when this
        is saved, those before it may be released.
        """
        check(
            self.redo_lsn <= redo_lsn <= checkpoint_lsn < self.forced_lsn,
            f"checkpoint at LSN {checkpoint_lsn}, redo from {redo_lsn}, forced {self.forced_lsn}",
        )
        self.checkpoint_lsn = checkpoint_lsn
        self.redo_lsn = redo_lsn
        first = redo_lsn // self.parameters.extent_bytes
        if not self.parameters.is_linear:
            self.oldest_extent = first
        return first

    def save(self, disk: Disk) -> None:
        """Write and force both copies. ForceFailed if either cannot be: the process must stop."""
        if self._is_broken:
            raise ForceFailed("log control file: a force has failed before")
        self.generation += 1
        sector = encode_control(self)
        for index in self._order:
            try:
                _save_copy(disk, CONTROL_PATHS[index], sector)
            except OSError as error:
                self._is_broken = True
                raise ForceFailed(f"{CONTROL_PATHS[index]}: {error}") from error
        self._order = [0, 1]


def load_control(disk: Disk) -> Control:
    """The newest valid copy; LogDamaged if no copy is valid."""
    faults: list[str] = []
    best: Control | None = None
    best_index = 0
    for index, path in enumerate(CONTROL_PATHS):
        try:
            found = decode_control(_load_copy(disk, path))
        except LogOfOtherFormat:
            raise
        except LogDamaged as error:
            faults.append(f"{path}: {error}")
            continue
        except FileNotFoundError:
            faults.append(f"{path}: not there")
            continue
        if best is None or found.generation > best.generation:
            best = found
            best_index = index
    if best is None:
        raise LogDamaged("log control file: no valid copy; " + "; ".join(faults))
    best.faults = faults
    # ORDER: the copy that is not the best one is written first.
    best._order = [1 - best_index, best_index]
    return best


def encode_control(control: Control) -> bytes:
    """The sector of a copy."""
    parameters = control.parameters
    body = _BODY.pack(
        LOG_VERSION,
        control.identity,
        control.generation,
        parameters.kind,
        parameters.primary,
        parameters.secondary,
        parameters.pages,
        parameters.copies,
        control.epoch,
        control.checkpoint_lsn,
        control.redo_lsn,
        control.forced_lsn,
        control.forced_gap,
        control.oldest_extent,
        1 if control.is_clean_stop else 0,
        control.role,
        control.replayed_checkpoint,
        control.replayed_register[0],
        control.replayed_register[2],
        control.replayed_register[1],
        control.unique_below,
    )
    body += bytes(SECTOR_BYTES - _BODY_OFFSET - len(body))
    return _HEAD.pack(_MAGIC, crc32c(body)) + body


def decode_control(sector: bytes) -> Control:
    """The content of a copy; LogDamaged if it is not valid."""
    if len(sector) != SECTOR_BYTES:
        raise LogDamaged(f"{len(sector)} bytes instead of {SECTOR_BYTES}")
    magic, crc = _HEAD.unpack_from(sector, 0)
    if magic != _MAGIC:
        raise LogDamaged("not a log control file")
    if crc32c(sector[_BODY_OFFSET:]) != crc:
        raise LogDamaged("checksum is wrong")
    fields = _BODY.unpack_from(sector, _BODY_OFFSET)
    if fields[0] != LOG_VERSION:
        raise LogOfOtherFormat(other_format("the log", fields[0], LOG_VERSION))
    if fields[7] not in (1, 2):
        raise LogDamaged(f"{fields[7]} copies")
    try:
        parameters = LogParameters(fields[3], fields[4], fields[5], fields[6], fields[7] == 2)
    except ValueError as error:
        raise LogDamaged(str(error)) from error
    control = Control(parameters, fields[1])
    control.generation = fields[2]
    control.epoch = fields[8]
    control.checkpoint_lsn = fields[9]
    control.redo_lsn = fields[10]
    control.forced_lsn = fields[11]
    control.forced_gap = fields[12]
    control.oldest_extent = fields[13]
    control.is_clean_stop = fields[14] == 1
    control.role = fields[15]
    control.replayed_checkpoint = fields[16]
    control.replayed_register = [fields[17], fields[19], fields[18]]
    control.unique_below = fields[20]
    if control.redo_lsn > control.forced_lsn or control.forced_lsn % BLOCK_BYTES != 0:
        raise LogDamaged(f"redo LSN {control.redo_lsn}, proven LSN {control.forced_lsn}")
    return control


def _load_copy(disk: Disk, path: str) -> bytes:
    file = disk.open(path)
    try:
        return file.pread(0, SECTOR_BYTES)
    finally:
        file.close()


def _save_copy(disk: Disk, path: str, sector: bytes) -> None:
    is_new = not disk.exists(path)
    file = disk.create(f"{path}.new") if is_new else disk.open(path)
    try:
        write_all(file, 0, [sector])
        file.datasync()
    finally:
        file.close()
    if is_new:
        # A control file is there whole or not at all: it is what makes a log exist.
        disk.rename(f"{path}.new", path)
        disk.sync_dir(parent_dir(path))
