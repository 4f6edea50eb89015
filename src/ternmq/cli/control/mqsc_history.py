"""The history of runmqsc: whole commands, in a file of the user, without passwords.

Nothing here keeps a command from running: a file that cannot be read or written is reported, and
the history lasts as long as the session.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final, final

from ternmq.base.attributes import ATTRIBUTES
from ternmq.cli.output import write_error

HISTORY_LINES: Final = 1000
_SECRETS: Final = sorted({row.keyword for row in ATTRIBUTES if row.secret})
_HAS_SECRET: Final = re.compile(rf"\b(?:{'|'.join(_SECRETS)})\s*\(", re.IGNORECASE)


def history_path() -> Path | None:
    """Where the lines of earlier runs are kept; None if the user has no home."""
    state = os.environ.get("XDG_STATE_HOME", "")
    try:
        folder = Path(state) if state else Path.home() / ".local" / "state"
    except RuntimeError:  # the system does not know this user
        return None
    return folder / "ternmq" / "runmqsc_history"


@final
class History:
    """That of readline, which Python must have."""

    def __init__(self) -> None:
        import readline

        self._path = history_path()
        readline.set_history_length(HISTORY_LINES)
        try:
            if self._path is not None and self._path.exists():
                readline.read_history_file(self._path)
        except OSError as problem:
            write_error(f"runmqsc: the history {self._path} cannot be read: {problem.strerror}")

    @property
    def length(self) -> int:
        """How many entries there are."""
        import readline

        return readline.get_current_history_length()

    def command_ended(self, first_entry: int, text: str) -> None:
        """What was typed since then is one command: one entry instead of one for each line, and
        none if it has a password. Without a text, the command was dropped, and lines stay."""
        import readline

        entries = [
            readline.get_history_item(place + 1) for place in range(first_entry, self.length)
        ]
        is_secret = _HAS_SECRET.search(" ".join([text, *[one or "" for one in entries]]))
        if not is_secret and (not text or len(entries) < 2):
            return
        for place in reversed(range(first_entry, self.length)):
            readline.remove_history_item(place)
        if not is_secret:
            readline.add_history(text)

    def keep(self) -> None:
        """For the next run; others may not read it."""
        import readline

        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
            readline.write_history_file(self._path)
        except OSError as problem:
            write_error(f"runmqsc: the history {self._path} cannot be kept: {problem.strerror}")
