"""Who has a queue manager's folder: by its lock, and by what its process wrote to `status`.

Looking never takes the lock, so that it blocks no process. `server/folder/status_file` writes the
file and has its words; a queue manager inside a program (embedded) has the lock and writes none.
"""

from __future__ import annotations

import fcntl
import json
import os
from typing import Any, Final

from ternmq.remote.local.folder_lookup import LOCK_PATH

STATUS_FILE: Final = "status"
STANDBY_LOCK: Final = "standby"  # in a queue manager's folder: a standby holds this
_PROC_LOCKS: Final = "/proc/locks"


def embedding_process(folder: str) -> int:
    """The process of the program that has the queue manager of this folder inside it; 0 if none
    has, or a process of its own runs it. -1 if the system does not tell which."""
    try:
        holder = lock_holder(folder)
        is_own = holder in (read_status(folder).get("pid"), lock_holder(folder, STANDBY_LOCK))
    except OSError:
        return 0  # there is no folder, or none for this user to look into
    return 0 if is_own else holder


def read_status(folder: str) -> dict[str, Any]:
    """What is in the file; nothing if there is none, or none that can be read."""
    try:
        with open(os.path.join(folder, STATUS_FILE), encoding="utf-8") as file:
            values = json.load(file)
    except (FileNotFoundError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}


def is_refused(folder: str) -> bool:
    """Whether a process has the folder, on whichever machine."""
    try:
        with open(os.path.join(folder, LOCK_PATH), "rb") as file:
            return _refuses(file.fileno())
    except (FileNotFoundError, PermissionError):
        return False


def lock_holder(folder: str, lock: str = LOCK_PATH) -> int:
    """The process that has the folder, or another lock in it; 0 if none has."""
    path = os.path.join(folder, lock)
    try:
        with open(path, "rb") as file:
            words = file.read(200).split()
            inode = os.fstat(file.fileno()).st_ino
            pid = int(words[1]) if len(words) == 2 and words[1].isdigit() else 0
            holders = _holders(inode)
            if holders is None:
                return (pid or -1) if _refuses(file.fileno()) else 0
    except PermissionError:
        return 0
    except FileNotFoundError:
        return _folder_holder(folder, lock)
    if pid in holders:
        return pid
    return holders[0] if holders and pid == 0 else _folder_holder(folder, lock)


def _folder_holder(folder: str, lock: str) -> int:
    """The lock file may have been removed or replaced; the process of the queue manager
    has locked the folder, too."""
    holders = _holders(os.stat(folder).st_ino) if lock == LOCK_PATH else None
    return holders[0] if holders else 0


def _holders(inode: int) -> list[int] | None:
    """The processes that have a file for themselves by the kernel's table of locks; None if there
    is no such table. Tools that look at a folder share it."""
    found: list[int] = []
    try:
        with open(_PROC_LOCKS, encoding="ascii") as file:
            for line in file:
                fields = line.split()
                if len(fields) > 5 and fields[1] == "FLOCK" and fields[3] == "WRITE":
                    if fields[5].rpartition(":")[2] == str(inode):
                        found.append(int(fields[4]))
    except OSError:
        return None
    return found


def _refuses(descriptor: int) -> bool:
    """Whether a lock is refused. This takes it for an instant, where no other way exists."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False
