"""A backup queue manager in a data folder: made as a copy, fed with extents of the log, activated
when it is needed. The steps in between (shipping files, deciding when) are the operator's.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from typing import final

from ternmq.base.errors import mq_error
from ternmq.base.names import file_name, is_name
from ternmq.base.reasons import (
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_Q_MGR_NAME_ERROR,
    MQRC_Q_MGR_NOT_AVAILABLE,
)
from ternmq.engine.backup import (
    BackupReport,
    activate_backup,
    make_backup,
    replay_backup,
)
from ternmq.log.archive import take_extent
from ternmq.log.control import BACKUP, USUAL, Control, load_control
from ternmq.log.record import LogDamaged
from ternmq.ports.disk import DiskLock, DiskLocked
from ternmq.ports.os_disk import OsDisk, make_root
from ternmq.runtime.starting import LOCK_PATH

Path = str | os.PathLike[str]


def _folder(path: Path, name: str) -> str:
    if not is_name(name):
        raise mq_error(MQRC_Q_MGR_NAME_ERROR, object=name)
    return os.path.join(os.fspath(path), "qmgrs", file_name(name))


@final
class Held:
    """A folder, locked while something is done to it."""

    def __init__(self, folder: str, name: str, verb: str) -> None:
        self.disk = OsDisk(folder)
        try:
            self._lock: DiskLock = self.disk.lock(LOCK_PATH)
        except DiskLocked as locked:
            self.disk.close()
            raise mq_error(
                MQRC_Q_MGR_NOT_AVAILABLE,
                verb=verb,
                object=name,
                detail=f"its data folder is in use: {locked}",
            ) from locked

    def __enter__(self) -> OsDisk:
        return self.disk

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        self.disk.close()


def replay_in_place(folder: str, name: str) -> BackupReport:
    """strmqm -r: a copy of a queue manager becomes a backup, if it is not one yet, and replays what
    is in its log. One that was activated is refused."""
    with Held(folder, name, "replay") as disk:
        if load_control(disk).role == USUAL:
            make_backup(disk)
        return replay_backup(disk)


def activate_in_place(folder: str, name: str) -> None:
    """strmqm -a."""
    with Held(folder, name, "activate") as disk:
        activate_backup(disk)


def is_backup(folder: str) -> bool:
    """Whether it is one that was not activated; False if its files cannot be read."""
    disk = OsDisk(folder)
    try:
        return load_control(disk).role == BACKUP
    except (LogDamaged, OSError):
        return False
    finally:
        disk.close()


@final
class Backup:
    """The backup queue manager `name` that lives in the data folder `path`."""

    def __init__(self, path: Path, name: str = "QM1") -> None:
        self.name = name
        self.folder = _folder(path, name)
        if not os.path.isdir(self.folder):
            raise mq_error(MQRC_Q_MGR_NAME_ERROR, object=name, detail=f"none in {os.fspath(path)}")

    @staticmethod
    def create(source: Path, target: Path, name: str = "QM1") -> Backup:
        """Copy a queue manager that is stopped, with its log, to another data folder, as a
        backup."""
        verb = "create backup"
        there, here = _folder(source, name), _folder(target, name)
        if not os.path.isdir(there):
            detail = f"none in {os.fspath(source)}"
            raise mq_error(MQRC_Q_MGR_NAME_ERROR, verb=verb, object=name, detail=detail)
        if os.path.exists(here):
            raise mq_error(MQRC_OBJECT_ALREADY_EXISTS, verb=verb, object=name, detail=here)
        with Held(there, name, verb):
            make_root(os.path.dirname(here))
            shutil.copytree(there, here, ignore=shutil.ignore_patterns(LOCK_PATH))
            os.sync()
        with Held(here, name, verb) as disk:
            make_backup(disk)
        return Backup(target, name)

    def replay(self, extents: Iterable[Path] = ()) -> BackupReport:
        """Take in extents of the other one's log (`log_extents().archivable` names them) and
        replay what has come (strmqm -r). Give all since the last time, in any order."""
        with Held(self.folder, self.name, "replay") as disk:
            control = load_control(disk)
            for extent in extents:
                self._take(disk, control, os.path.abspath(os.fspath(extent)))
            return replay_backup(disk)

    def _take(self, disk: OsDisk, control: Control, extent: str) -> None:
        folder, name = os.path.split(extent)
        place = OsDisk(folder)
        try:
            source = place.open(name)
            try:
                take_extent(disk, control, name, source)
            finally:
                source.close()
        finally:
            place.close()

    def activate(self) -> None:
        """It may be started from now on (strmqm -a), and replays no more."""
        with Held(self.folder, self.name, "activate") as disk:
            activate_backup(disk)
