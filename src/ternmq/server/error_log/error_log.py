"""The error log of a queue manager: AMQERR01.LOG to AMQERR03.LOG and their JSON twins.

An entry is written with one call to the end of the newest file and is then with the operating
system, so the end of the process loses none. A file that an entry would make too long becomes the
second, the second the third, the third goes. Several processes may write: the one that rotates
holds a lock on the folder. A log that cannot be written stops nothing; what is lost is counted.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from ternmq.base.message_table import SEVERITIES
from ternmq.server.error_log.log_entry import LogEntry, Origin
from ternmq.server.error_log.syslog import datagram, send
from ternmq.server.settings.log_settings import JSON, SYSLOG, LogService, error_log_services

FILES: Final = 3


class ErrorLog:
    """Where one process logs what happened to one queue manager, or to none in particular."""

    def __init__(
        self,
        folder: str | os.PathLike[str],
        origin: Origin,
        services: list[LogService] | None = None,
    ) -> None:
        self.folder = Path(folder)
        self.origin = origin
        self.services = error_log_services(None) if services is None else services
        self.lost = 0
        self._last_written: dict[
            tuple[str, str], float
        ] = {}  # when a suppressed message was last written

    def write(
        self,
        message_id: str,
        inserts: Sequence[object] = (),
        *,
        remote_host: str = "",
        module: str = "",
    ) -> None:
        """Write an entry to every service that wants it."""
        entry = LogEntry(self.origin, message_id, inserts, remote_host=remote_host, module=module)
        for service in self.services:
            if self._wanted(service, entry):
                self._append(service, entry)

    def _wanted(self, service: LogService, entry: LogEntry) -> bool:
        number = entry.message_id[3:7]
        if SEVERITIES.index(entry.severity) not in service.severities or number in service.excluded:
            return False
        if number not in service.suppressed:
            return True
        now = time.monotonic()
        key = (service.name, number)
        last = self._last_written.get(key)
        if last is not None and now - last < service.suppress_s:
            return False
        self._last_written[key] = now
        return True

    def _append(self, service: LogService, entry: LogEntry) -> None:
        if service.format == SYSLOG:
            try:
                send(service.address, datagram(entry, service.ident))
            except OSError:
                self.lost += 1
            return
        text = entry.as_json() if service.format == JSON else entry.as_text()
        data = text.encode("utf-8", "replace")
        folder = Path(service.folder) if service.folder else self.folder
        try:
            folder.mkdir(0o755, parents=True, exist_ok=True)
            with _locked(folder):
                path = folder / service.file_name(1)
                if path.exists() and path.stat().st_size + len(data) > service.size_max:
                    self._rotate(folder, service)
                _append_bytes(path, data)
        except OSError:
            self.lost += 1

    def _rotate(self, folder: Path, service: LogService) -> None:
        for number in range(FILES - 1, 0, -1):
            path = folder / service.file_name(number)
            if path.exists():
                path.replace(folder / service.file_name(number + 1))


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _append_bytes(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o664)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
    finally:
        os.close(handle)
