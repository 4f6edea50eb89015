"""How many sockets there may be: the process's limit of open files (RLIMIT_NOFILE) less a reserve.

The reserve is for what the queue manager must always be able to open: every file of the
log, the files that the disk keeps open, and some others (catalog, journals, error logs, listeners).
`LOCAL_SPARE` more may come by the local socket, so that control commands reach a queue
manager that is full.
"""

from __future__ import annotations

import resource
from typing import Final

from ternmq.base.limits import DESCRIPTORS_OTHER, SESSIONS_MAX
from ternmq.log.parameters import LogParameters
from ternmq.ports.os_disk import kept_open_max

LOCAL_SPARE: Final = 16


def open_files_max() -> int:
    """The process's limit."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = SESSIONS_MAX * 2
    return most if soft == resource.RLIM_INFINITY else min(int(soft), most)


def reserve(limit: int, log: LogParameters) -> int:
    """What sockets must leave."""
    log_files = (log.primary + log.secondary) * log.copies
    return kept_open_max(limit) + log_files + DESCRIPTORS_OTHER


def sockets_max(limit: int, log: LogParameters) -> int:
    """How many sockets there may be in all. Where the log alone takes most of a small limit, some
    there must be."""
    return min(max(limit - reserve(limit, log), limit // 8), SESSIONS_MAX)
