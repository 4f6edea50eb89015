"""What a verification found: a verdict for each file, and one for the whole."""

from __future__ import annotations

import json
from typing import Any, Final, final

from ternmq.inspect.text import table

SOUND: Final = "sound"
DAMAGED: Final = "damaged"
MISSING: Final = "missing"
UNNEEDED: Final = "unneeded"  # whatever it holds, restart does not look
LEFTOVER: Final = "leftover"  # nothing names it; a crash or a deletion left it
UNKNOWN: Final = "unknown"  # not a file of a queue manager

EXIT_SOUND: Final = 0
EXIT_DAMAGED: Final = 10  # but it starts: restart repairs the damage, or confines it to a queue
EXIT_LOST: Final = 20  # it does not start


@final
class FileVerdict:
    """One file."""

    def __init__(self, path: str, what: str, verdict: str, detail: str, size: int) -> None:
        self.path = path
        self.what = what
        self.verdict = verdict
        self.detail = detail
        self.size = size

    def values(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "path": self.path,
            "what": self.what,
            "verdict": self.verdict,
            "detail": self.detail,
            "bytes": self.size,
        }


@final
class QueueVerdict:
    """One local queue as the next start would have it."""

    def __init__(self, name: str, depth: int, counted: int, detail: str) -> None:
        self.name = name
        self.depth = depth
        self.counted = counted  # messages that are there, one by one
        self.detail = detail  # why it cannot be used, if it cannot

    @property
    def is_sound(self) -> bool:
        return not self.detail and self.depth == self.counted

    def values(self) -> dict[str, Any]:
        """For JSON."""
        verdict = SOUND if self.is_sound else DAMAGED
        return {
            "name": self.name,
            "verdict": verdict,
            "depth": self.depth,
            "counted": self.counted,
            "detail": self.detail,
        }


@final
class Report:
    """All of it. `start_error` says why the queue manager would not start, if it would not."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.name = ""
        self.files: list[FileVerdict] = []
        self.queues: list[QueueVerdict] = []
        self.start_report: list[str] = []
        self.start_error = ""
        self._seen: dict[str, FileVerdict] = {}

    def add(self, path: str, what: str, verdict: str, detail: str, size: int) -> None:
        """A verdict about a file. A later one must not make it better."""
        known = self._seen.get(path)
        if known is None:
            known = FileVerdict(path, what, verdict, detail, size)
            self._seen[path] = known
            self.files.append(known)
        elif verdict in (DAMAGED, MISSING):
            known.detail = f"{known.detail}; {detail}" if known.verdict == verdict else detail
            known.verdict = verdict

    def knows(self, path: str) -> bool:
        """Whether there is a verdict about a file."""
        return path in self._seen

    @property
    def bad_files(self) -> list[FileVerdict]:
        return [one for one in self.files if one.verdict in (DAMAGED, MISSING)]

    @property
    def verdict(self) -> str:
        """The whole in a sentence."""
        if self.start_error:
            return f"It would not start: {self.start_error}"
        if self.exit_status == EXIT_DAMAGED:
            return "Damaged, but it would start: restart repairs what it can and confines the rest."
        return "Sound."

    @property
    def exit_status(self) -> int:
        """0 sound, 10 damaged, 20 it would not start."""
        if self.start_error:
            return EXIT_LOST
        is_sound = not self.bad_files and all(one.is_sound for one in self.queues)
        return EXIT_SOUND if is_sound else EXIT_DAMAGED


def report_json(report: Report) -> str:
    """One JSON object."""
    values = {
        "queue_manager": report.name,
        "folder": report.root,
        "verdict": report.verdict,
        "exit_status": report.exit_status,
        "files": [one.values() for one in report.files],
        "queues": [one.values() for one in report.queues],
        "start": report.start_report,
        "start_error": report.start_error,
    }
    return json.dumps(values, indent=2)


def report_lines(report: Report) -> list[str]:
    """For eyes: files, queues, what the start would say, the verdict."""
    lines = [f"Queue manager {report.name or '?'} in {report.root}", ""]
    lines += table(
        ("verdict", "bytes", "file", "what it is"),
        [(one.verdict, one.size, one.path, _about(one.what, one.detail)) for one in report.files],
    )
    if report.queues:
        lines.append("")
        lines += table(
            ("verdict", "depth", "counted", "queue", ""),
            [
                (one.values()["verdict"], one.depth, one.counted, one.name, one.detail)
                for one in report.queues
            ],
        )
    lines += ["", "What a start would say:", *(f"  {line}" for line in report.start_report)]
    bad = len(report.bad_files)
    lines += ["", f"{len(report.files)} files, {bad} of them damaged or missing. {report.verdict}"]
    return lines


def _about(what: str, detail: str) -> str:
    return f"{what}: {detail}" if detail else what
