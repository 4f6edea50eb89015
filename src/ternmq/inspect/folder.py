"""The folder of one queue manager, held while it is looked at: it cannot be started meanwhile.

A tool is given the queue manager's own folder, or the data folder and a name. The lock is taken
shared and only for reading, so several can look at once and nothing is written.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import Final, final

from ternmq.base.errors import mq_error
from ternmq.base.names import file_name
from ternmq.base.reasons import MQRC_Q_MGR_NAME_ERROR, MQRC_Q_MGR_NOT_AVAILABLE
from ternmq.inspect.overlay import Overlay
from ternmq.log.extents import FOLDERS
from ternmq.ports.os_disk import NO_FOLDER_LOCKS

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


def _share(descriptor: int) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError as error:
        if error.errno not in NO_FOLDER_LOCKS:
            raise


@final
class Folder:
    """A queue manager that is down, and stays so until `close`."""

    def __init__(self, path: str | os.PathLike[str], name: str | None = None) -> None:
        self.root = find_root(path, name)
        self._overlays: list[Overlay] = []
        self._held = self._hold()

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
        self._release(self._held)

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _hold(self) -> list[int]:
        """Shared locks: of the folder, and of the file if it was ever started here."""
        held: list[int] = []
        path = os.path.join(self.root, LOCK_PATH)
        try:
            held.append(os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
            with contextlib.suppress(FileNotFoundError):
                held.append(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
            for descriptor in held:
                _share(descriptor)
        except BlockingIOError as error:
            holder = os.pread(held[1], _HOLDER_BYTES_MAX, 0) if len(held) > 1 else b""
            self._release(held)
            text = holder.decode("utf-8", "replace").strip()
            raise mq_error(
                MQRC_Q_MGR_NOT_AVAILABLE,
                verb="inspect",
                object=os.path.basename(self.root),
                detail=f"it is running ({text or 'somewhere'}); this is for one that is down",
            ) from error
        except BaseException:
            self._release(held)
            raise
        return held

    @staticmethod
    def _release(held: list[int]) -> None:
        while held:
            os.close(held.pop())
