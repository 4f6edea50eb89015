"""What a queue manager is doing, as dspmq tells it: the lock of its folder and a small file say it.

The process that runs a queue manager holds the lock and writes `status` at each change. A file that
says running while nobody holds the lock was left by a process that died: it ended unexpectedly.
Looking never takes the lock, so that it is in nobody's way.
"""

from __future__ import annotations

import fcntl
import json
import os
from typing import Any, Final, NamedTuple

from ternmq.client.local_folder import LOCK_PATH

STATUS_FILE: Final = "status"
STARTING: Final = "Starting"
RUNNING: Final = "Running"
QUIESCING: Final = "Quiescing"
ENDING_IMMEDIATELY: Final = "Ending immediately"
ENDING_PREEMPTIVELY: Final = "Ending preemptively"
ENDED_NORMALLY: Final = "Ended normally"
ENDED_IMMEDIATELY: Final = "Ended immediately"
ENDED_PREEMPTIVELY: Final = "Ended preemptively"
ENDED_UNEXPECTEDLY: Final = "Ended unexpectedly"
NOT_AVAILABLE: Final = "Status not available"
_ENDED: Final = (ENDED_NORMALLY, ENDED_IMMEDIATELY, ENDED_PREEMPTIVELY)
_PROC_LOCKS: Final = "/proc/locks"


class Status(NamedTuple):
    """One look at a queue manager."""

    state: str
    pid: int = 0  # of the process that runs it
    foreground: bool = False

    @property
    def is_up(self) -> bool:
        """Whether some process has it."""
        return self.pid != 0


def write_status(folder: str, state: str, **more: Any) -> None:
    """Tell the world; a reader finds the old file or the new one."""
    path = os.path.join(folder, STATUS_FILE)
    temporary = f"{path}.new"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump({"state": state, "pid": os.getpid(), **more}, file)
    os.rename(temporary, path)


def status_of(folder: str) -> Status:
    """What the queue manager of this folder is doing."""
    if not os.path.isdir(folder):
        return Status(NOT_AVAILABLE)
    told = _told(folder)
    state = str(told.get("state", ""))
    holder = lock_holder(folder)
    if holder:
        if state in _ENDED or told.get("pid") != holder:
            # Another process than the one that told has it: an embedded one, or one that begins.
            state = RUNNING if not told or told.get("pid") != holder else state
        return Status(state or RUNNING, holder, bool(told.get("foreground")))
    if not state:
        return Status(ENDED_NORMALLY)  # made, and never run by a process of its own
    return Status(state if state in _ENDED else ENDED_UNEXPECTEDLY)


def _told(folder: str) -> dict[str, Any]:
    try:
        with open(os.path.join(folder, STATUS_FILE), encoding="utf-8") as file:
            told = json.load(file)
    except (FileNotFoundError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def lock_holder(folder: str) -> int:
    """The process that has the folder; 0 if none has."""
    path = os.path.join(folder, LOCK_PATH)
    try:
        with open(path, "rb") as file:
            words = file.read(200).split()
            inode = os.fstat(file.fileno()).st_ino
            pid = int(words[1]) if len(words) == 2 and words[1].isdigit() else 0
            held = _is_locked(inode, pid)
            if held is None:
                held = _refuses(file.fileno())
    except (FileNotFoundError, PermissionError):
        return 0
    return (pid or -1) if held else 0


def _is_locked(inode: int, pid: int) -> bool | None:
    """What the kernel's table of locks says; None if there is no such table here."""
    try:
        with open(_PROC_LOCKS, encoding="ascii") as file:
            for line in file:
                fields = line.split()
                if len(fields) > 5 and fields[1] == "FLOCK":
                    if fields[5].rpartition(":")[2] == str(inode) and int(fields[4]) == pid:
                        return True
    except OSError:
        return None
    return False


def _refuses(descriptor: int) -> bool:
    """Whether a lock is refused; a look that takes it, for an instant, where nothing else tells."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False
