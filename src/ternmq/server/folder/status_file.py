"""What a queue manager is doing, as dspmq shows it: the lock of its folder and a small file say it.

The process that runs a queue manager holds the lock and writes `status` at each change. A file that
says running while no process holds the lock was left by a process that died: it ended unexpectedly.
Looking never takes the lock, so that it blocks no process. A standby (strmqm -x) holds a lock of
its own, beside that of the active instance, until it takes over.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
from typing import Any, Final, NamedTuple

from ternmq.ports.disk import FULL_ERRORS
from ternmq.remote.local.folder_lock import (
    STANDBY_LOCK,
    STATUS_FILE,
    is_refused,
    lock_holder,
    read_status,
)

STARTING: Final = "Starting"
RUNNING: Final = "Running"
RUNNING_ELSEWHERE: Final = "Running elsewhere"  # on another machine that shares the folder
QUIESCING: Final = "Quiescing"
ENDING_IMMEDIATELY: Final = "Ending immediately"
ENDING_PREEMPTIVELY: Final = "Ending preemptively"
ENDED_NORMALLY: Final = "Ended normally"
ENDED_IMMEDIATELY: Final = "Ended immediately"
ENDED_PREEMPTIVELY: Final = "Ended preemptively"
ENDED_UNEXPECTEDLY: Final = "Ended unexpectedly"
NOT_AVAILABLE: Final = "Status not available"
ENDING: Final = (QUIESCING, ENDING_IMMEDIATELY, ENDING_PREEMPTIVELY)
_ENDED: Final = (ENDED_NORMALLY, ENDED_IMMEDIATELY, ENDED_PREEMPTIVELY)
_STATUS_BYTES: Final = 512
_MODE: Final = 0o644  # whatever the umask lets through


class Status(NamedTuple):
    """One look at a queue manager."""

    state: str
    pid: int = 0  # of the process that runs it
    foreground: bool = False
    permits_standby: bool = False  # strmqm -x
    switches: bool = False  # it ended, and a standby is to go on (endmqm -s)
    host: str = ""  # where it runs, or ran

    @property
    def is_up(self) -> bool:
        """Whether some process has it."""
        return self.pid != 0


def write_status(folder: str, state: str, **more: Any) -> None:
    """Publish the state; a reader finds the old file or the new one."""
    path = os.path.join(folder, STATUS_FILE)
    values = {"state": state, "pid": os.getpid(), "host": socket.gethostname(), **more}
    data = json.dumps(values).encode().ljust(_STATUS_BYTES - 1) + b"\n"
    temporary = f"{path}.new"
    try:
        _write(temporary, os.O_CREAT | os.O_TRUNC, data)
        os.rename(temporary, path)
    except OSError as error:
        if error.errno not in FULL_ERRORS:
            raise
        # A full disk must not keep a queue manager from starting. The file has always the same
        # size, so there is room in its place; and if there is none, the lock says enough.
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        with contextlib.suppress(OSError):
            _write(path, 0, data)


def _write(path: str, flags: int, data: bytes) -> None:
    flags |= os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(path, flags, _MODE)
    try:
        written = os.pwrite(descriptor, data, 0)
        if written < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None
    finally:
        os.close(descriptor)


def status_of(folder: str) -> Status:
    """What the queue manager of this folder is doing."""
    if not os.path.isdir(folder):
        return Status(NOT_AVAILABLE)
    values = read_status(folder)
    state = str(values.get("state", ""))
    host = str(values.get("host", ""))
    permits = bool(values.get("standby"))
    if host not in ("", socket.gethostname()) and is_refused(folder):
        return Status(RUNNING_ELSEWHERE, -1, permits_standby=permits, host=host)
    holder = lock_holder(folder)
    if holder:
        mine = values.get("pid") == holder
        if not mine:
            # Another process than the one that wrote has it: an embedded one, or one that begins.
            state = STARTING if holder == standby_of(folder) else RUNNING
        foreground = bool(values.get("foreground"))
        return Status(state or RUNNING, holder, foreground, permits and mine, host=host)
    if not state:
        return Status(ENDED_NORMALLY)  # made, and never run by a process of its own
    switches = bool(values.get("switch"))
    return Status(state if state in _ENDED else ENDED_UNEXPECTEDLY, switches=switches, host=host)


def standby_of(folder: str) -> int:
    """The process that stands by on this machine; 0 if none does."""
    return lock_holder(folder, STANDBY_LOCK)
