"""Reports on internal faults: AMQ<process>.<number>.FDC in the errors folder.

Written when something happens that no code foresaw: an exception that does not answer a verb, an
invariant that does not hold, a force that failed. A report has a box with who, where and what, the
Python stack, the recent trace if trace is on, and the versions of what runs. It holds neither
messages nor passwords. A fault that repeats gets a report every REPEAT_S seconds at most.
"""

from __future__ import annotations

import os
import platform
import re
import sys
import time
import traceback
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ternmq.base.build import build_info
from ternmq.base.message_table import message_line
from ternmq.server.error_log.error_log import ErrorLog
from ternmq.server.error_log.log_entry import Origin

REPEAT_S: Final = 60.0
REPORTS_MAX: Final = 100  # of one process: a fault in a loop must not fill the disk
_WIDTH: Final = 77
_MODE: Final = 0o644  # whatever the umask lets through
_FRAME: Final = re.compile(r".*/ternmq/")


class FaultReports:
    """Writes the reports of one process."""

    def __init__(
        self, folder: str | os.PathLike[str], origin: Origin, log: ErrorLog | None
    ) -> None:
        self.folder = Path(folder)
        self.origin = origin
        self.log = log
        self.written = 0
        self._last: dict[str, float] = {}

    def write(
        self, error: BaseException, *, doing: str = "", recent: Sequence[str] = ()
    ) -> Path | None:
        """Report an exception; where the report is, None if there is one of this fault already or
        it could not be written."""
        probe = probe_id(error)
        now = time.monotonic()
        last = self._last.get(probe)
        if (last is not None and now - last < REPEAT_S) or self.written >= REPORTS_MAX:
            return None
        self._last[probe] = now
        path = self._write_file(report_text(self.origin, error, probe, self.written, doing, recent))
        if self.log is not None:
            text = f"{type(error).__name__}: {error}"
            self.log.write("AMQ6118S", (text, path.name if path else ""), module=where(error)[0])
            self.log.write(
                "AMQ6184W", (self.origin.qmgr, os.getpid(), path.name if path else "none")
            )
        return path

    def _write_file(self, text: str) -> Path | None:
        try:
            self.folder.mkdir(0o755, parents=True, exist_ok=True)
            while True:
                path = self.folder / f"AMQ{os.getpid():05d}.{self.written}.FDC"
                self.written += 1
                if not path.exists():  # of an earlier process with this number
                    break
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            handle = os.open(path, flags, _MODE)
            with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
        except OSError:
            return None
        return path


def where(error: BaseException) -> tuple[str, str, int]:
    """File inside the package, function and line where the exception was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return ("unknown", "unknown", 0)
    last = frames[-1]
    return (_FRAME.sub("", last.filename), last.name, last.lineno or 0)


def probe_id(error: BaseException) -> str:
    """The same for the same kind of fault at the same place, whatever its line is by now."""
    file, function, _ = where(error)
    letters = (file.replace("/", "") + "XX")[:2].upper()
    number = zlib.crc32(f"{file} {function} {type(error).__name__}".encode()) % 1_000_000
    return f"{letters}{number:06d}"


def report_text(
    origin: Origin,
    error: BaseException,
    probe: str,
    number: int,
    doing: str,
    recent: Sequence[str],
) -> str:
    """The whole report."""
    file, function, line = where(error)
    build = build_info()
    now = datetime.now(UTC)
    described = f"{type(error).__name__}: {error}"
    rows = [
        ("Date/Time", now.astimezone().strftime("%a %B %d %Y %H:%M:%S %Z")),
        ("UTC Time", f"{now.timestamp():.6f}"),
        ("Host Name", f"{origin.host} ({platform.system()} {platform.release()})"),
        ("Product Long Name", "TernMQ"),
        ("Vendor", "TernMQ"),
        ("Installation Name", origin.installation),
        ("Version", origin.vrmf),
        ("Build", str(build)),
        ("Python", platform.python_version()),
        ("Probe Id", probe),
        ("Component", function),
        ("SCCS Info", file),
        ("Line Number", str(line)),
        ("UserID", origin.user),
        ("Program Name", origin.program),
        ("Arguments", " ".join(sys.argv[1:])),
        ("Process", str(os.getpid())),
        ("QueueManager", origin.qmgr),
        ("While", doing),
        ("Major Errorcode", type(error).__name__),
        ("Probe Type", "MSGAMQ6118"),
        ("Probe Severity", "2"),
        ("Probe Description", message_line("AMQ6118S", (described, ""))),
        ("FDCSequenceNumber", str(number)),
    ]
    edge = f"+{'-' * _WIDTH}+"
    empty = _boxed("")
    lines = [edge, empty, _boxed("TernMQ First Failure Symptom Report"), _boxed("=" * 35), empty]
    for name, value in rows:
        lines += _row(name, value)
    lines += [empty, edge, "", "Function Stack"]
    for frame in traceback.extract_tb(error.__traceback__):
        lines.append(f"{_FRAME.sub('', frame.filename)}:{frame.lineno} {frame.name}")
    lines += ["", "Exceptions"]
    # Without source lines: those of an application's own code are not ours to copy.
    for one in traceback.TracebackException.from_exception(
        error, lookup_lines=False
    ).format_exception_only():
        lines.append(one.rstrip())
    lines += ["", "Trace History", *(recent or ["trace was off"]), ""]
    return "\n".join(lines)


def _boxed(text: str) -> str:
    return f"| {text}".ljust(_WIDTH + 1) + "|"


def _row(name: str, value: str) -> list[str]:
    head = f"{name.ljust(18)}:- "
    room = _WIDTH - len(head) - 2
    value = " ".join(value.split())
    parts = [value[at : at + room] for at in range(0, len(value), room)] or [""]
    rest = [_boxed(" " * len(head) + part) for part in parts[1:]]
    return [_boxed(head + parts[0]), *rest]
