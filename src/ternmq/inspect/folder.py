"""The folder of one queue manager, held while it is looked at: nobody can start it meanwhile.

A tool is given the queue manager's own folder, or the data folder and a name. The lock is taken
shared and only for reading, so several can look at once and nothing is written.
"""

from __future__ import annotations

import fcntl
import os
from types import TracebackType
from typing import Final, final

from ternmq.base.errors import mq_error
from ternmq.base.names import file_name
from ternmq.base.reasons import MQRC_Q_MGR_NAME_ERROR, MQRC_Q_MGR_NOT_AVAILABLE
from ternmq.inspect.overlay import Overlay
from ternmq.log.extents import FOLDERS

LOCK_PATH: Final = "lock"
_HOLDER_BYTES_MAX: Final = 200


def find_root(path: str | os.PathLike[str], name: str | None = None) -> str:
    """The queue manager's own folder; MQRC_Q_MGR_NAME_ERROR if there is none, or several."""
    folder = os.fspath(path)
    if name is None and os.path.isdir(os.path.join(folder, "log")):
        return folder
    above = os.path.join(folder, "qmgrs")
    known = sorted(os.listdir(above)) if os.path.isdir(above) else []
    wanted = known if name is None else [one for one in known if one == file_name(name)]
    if len(wanted) != 1:
        there = ", ".join(known) or "none"
        raise mq_error(
            MQRC_Q_MGR_NAME_ERROR,
            verb="inspect",
            object=name or "",
            detail=f"queue managers in {folder}: {there}",
        )
    return os.path.join(above, wanted[0])


@final
class Folder:
    """A queue manager that is down, and stays so until `close`."""

    def __init__(self, path: str | os.PathLike[str], name: str | None = None) -> None:
        self.root = find_root(path, name)
        self._overlays: list[Overlay] = []
        self._lock = self._hold()

    def overlay(self, copy: int = 0) -> Overlay:
        """A view of the folder; with `copy` 1 or 2 the log is that copy alone."""
        moved = {FOLDERS[0]: FOLDERS[1]} if copy == 2 else {}
        overlay = Overlay(self.root, moved)
        self._overlays.append(overlay)
        return overlay

    def close(self) -> None:
        """Let it be started again."""
        for overlay in self._overlays:
            overlay.close()
        self._overlays = []
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _hold(self) -> int:
        try:
            lock = os.open(os.path.join(self.root, LOCK_PATH), os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return -1  # it was never started here: a copy, say
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(lock, _HOLDER_BYTES_MAX, 0).decode("utf-8", "replace").strip()
            os.close(lock)
            raise mq_error(
                MQRC_Q_MGR_NOT_AVAILABLE,
                verb="inspect",
                object=os.path.basename(self.root),
                detail=f"it is running ({holder or 'somewhere'}); this is for one that is down",
            ) from error
        return lock
