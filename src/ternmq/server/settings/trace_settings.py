"""What is to be traced: one small file in the data folder, which strmqtrc and endmqtrc change and
running queue managers look at.

    <data>/trace/settings.json   {"QM1": {"components": ["api"], "verbs": [], "file_bytes": 0}, ...}

The name `*` stands for every queue manager. The file is replaced whole, so that a reader finds
the old or the new one.
"""

from __future__ import annotations

import json
import os
from typing import Any, Final

from ternmq.ports.os_disk import make_folders

FOLDER: Final = "trace"
FILE: Final = "settings.json"
EVERY: Final = "*"

COMPONENTS: Final = {
    "api": "calls of applications: MQPUT, MQGET, MQOPEN and so on",
    "commands": "commands: MQSC, PCF, control",
    "comms": "connections that come and go",
    "log": "what the recovery log does, once a second",
    "messages": "messages to operators, also those that no error log keeps",
}


class TraceWanted:
    """What one queue manager is to trace."""

    def __init__(
        self,
        components: frozenset[str],
        verbs: frozenset[str] = frozenset(),
        file_bytes: int = 0,
    ) -> None:
        self.components = components
        self.verbs = verbs  # none: all of them
        self.file_bytes = file_bytes  # a file this long becomes the older of two; 0: no limit

    def to_json(self) -> dict[str, Any]:
        """As the file keeps it."""
        return {
            "components": sorted(self.components),
            "verbs": sorted(self.verbs),
            "file_bytes": self.file_bytes,
        }


def settings_path(data: str) -> str:
    """Where the file is."""
    return os.path.join(data, FOLDER, FILE)


def read_settings(data: str) -> dict[str, TraceWanted]:
    """By queue manager; nothing if the file is not there or is not one."""
    try:
        with open(settings_path(data), encoding="utf-8") as file:
            values = json.load(file)
        return {name: _wanted(value) for name, value in values.items()}
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        return {}


def _wanted(value: dict[str, Any]) -> TraceWanted:
    return TraceWanted(
        frozenset(map(str, value["components"])),
        frozenset(map(str, value["verbs"])),
        int(value["file_bytes"]),
    )


def write_settings(data: str, settings: dict[str, TraceWanted]) -> None:
    """Replace the file."""
    path = settings_path(data)
    make_folders(os.path.dirname(path))
    fresh = f"{path}.{os.getpid()}"
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    with open(handle, "w", encoding="utf-8") as file:
        json.dump({name: one.to_json() for name, one in settings.items()}, file, indent=2)
        file.write("\n")
    os.replace(fresh, path)


def wanted_by(settings: dict[str, TraceWanted], qmgr: str) -> TraceWanted | None:
    """What a queue manager is to trace: its own entry, else that for all."""
    return settings.get(qmgr) or settings.get(EVERY)
