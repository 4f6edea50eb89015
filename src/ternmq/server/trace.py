"""The trace of a running queue manager: JSON lines in <data>/trace/AMQ<process>.0.TRC.

While it is off, code that could trace tests `on` and goes on. A record says who, what and how long;
never the data of a message, a password or the text of a command. The last records are also
kept in memory for reports on faults.
"""

from __future__ import annotations

import json
import os
from collections import deque
from datetime import UTC, datetime
from typing import Final, TextIO

from ternmq.network.edge.network_host import CallTrace
from ternmq.ports.os_disk import make_folders
from ternmq.server.settings.trace_settings import (
    FOLDER,
    TraceWanted,
    read_settings,
    settings_path,
    wanted_by,
)

RECENT_MAX: Final = 200


class Trace(CallTrace):
    """What one process writes down about one queue manager."""

    def __init__(self, data: str, qmgr: str) -> None:
        super().__init__()
        self.recent: deque[str] = deque(maxlen=RECENT_MAX)
        self.lost = 0
        self._data = data
        self._qmgr = qmgr
        self._wanted: TraceWanted | None = None
        self._seen: tuple[int, int] | None = None
        self._file: TextIO | None = None
        self._bytes = 0

    def look(self) -> None:
        """See whether the settings have changed; called from time to time."""
        try:
            found = os.stat(settings_path(self._data))
            seen: tuple[int, int] | None = (found.st_mtime_ns, found.st_ino)
        except OSError:
            seen = None
        if seen == self._seen:
            return
        self._seen = seen
        self._wanted = wanted_by(read_settings(self._data), self._qmgr)
        self.on = self._wanted is not None
        if not self.on:
            self.close()

    def wants(self, component: str, verb: str = "") -> bool:
        """Whether this is to be written; asked only while the trace is on."""
        wanted = self._wanted
        if wanted is None or component not in wanted.components:
            return False
        return not wanted.verbs or not verb or verb in wanted.verbs

    def record(self, component: str, verb: str, **facts: object) -> None:
        if not self.wants(component, verb):
            return
        line = json.dumps(
            {
                "time": datetime.now(UTC).isoformat(timespec="microseconds"),
                "qmgr": self._qmgr,
                "process": os.getpid(),
                "component": component,
                "verb": verb,
                **facts,
            },
            ensure_ascii=False,
        )
        self.recent.append(line)
        try:
            self._append(f"{line}\n")
        except OSError:
            self.lost += 1  # a trace that cannot be written stops nothing

    def _append(self, line: str) -> None:
        wanted = self._wanted
        limit = 0 if wanted is None else wanted.file_bytes
        if self._file is not None and limit and self._bytes + len(line) > limit:
            self.close()
            os.replace(self.path, f"{self.path}.old")
        if self._file is None:
            make_folders(os.path.dirname(self.path))
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            handle = os.open(self.path, flags, 0o644)
            self._file = open(handle, "a", encoding="utf-8", buffering=1)  # noqa: SIM115
            self._bytes = os.path.getsize(self.path)
        self._file.write(line)
        self._bytes += len(line)

    @property
    def path(self) -> str:
        """The file that is written."""
        return os.path.join(self._data, FOLDER, f"AMQ{os.getpid()}.0.TRC")

    def close(self) -> None:
        """Let the file go; it is opened again when there is something to write."""
        if self._file is not None:
            self._file.close()
            self._file = None
