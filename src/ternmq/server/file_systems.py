"""How large the file systems of a queue manager are, and how full: what DISPLAY QMSTATUS shows.

Asking may take long where a file system is remote: it is never done with the engine's lock. The
server asks now and then and leaves the figures with what else the shell knows.
"""

from __future__ import annotations

import os
from typing import Final

INTERVAL_S: Final = 10.0
_MEGABYTE: Final = 1 << 20
# Keywords of size in megabytes and of use in percent, and the folder below the queue manager's.
_ROWS: Final = (
    ("DATFSSZ", "DATFSUSE", "queues"),
    ("LOGFSSZ", "LOGFSUSE", os.path.join("log", "active")),
    ("QMFSSZ", "QMFSUSE", ""),
)


def file_systems(folder: str) -> dict[str, str]:
    """The figures; nothing for one that cannot be asked."""
    found: dict[str, str] = {}
    for size, use, below in _ROWS:
        try:
            status = os.statvfs(os.path.join(folder, below))
        except OSError:
            continue
        total = status.f_blocks * status.f_frsize
        usable = total - (status.f_bfree - status.f_bavail) * status.f_frsize
        free = status.f_bavail * status.f_frsize
        found[size] = str(total // _MEGABYTE)
        found[use] = str(round(100 * (usable - free) / usable) if usable else 0)
    return found
