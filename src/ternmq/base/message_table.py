"""The diagnostic messages: what an AMQ id means, and its text with what it is about filled in.

The rows are in data/messages.toml; `tools/generate_messages.py` makes `amq_table` and the page in
the docs of them. They are read at the first question, not at import.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, final

SEVERITIES: Final = "IWEST"  # information, warning, error, severe, the program ends
_NOTHING_TO_DO: Final = "None."
_NOT_IN_TABLE: Final = "Report the id to the maintainers: the table of messages lacks it."
_INSERT: Final = re.compile(r"%([1-9%])")


@final
class MessageRow:
    """One message of the table; %1 to %5 are still in its texts."""

    __slots__ = ("action", "explanation", "message_id", "text")

    def __init__(self, message_id: str, text: str, explanation: str, action: str) -> None:
        self.message_id = message_id
        self.text = text
        self.explanation = explanation or text
        self.action = action or (_NOTHING_TO_DO if message_id[-1] in "IW" else _NOT_IN_TABLE)

    @property
    def severity(self) -> str:
        """One letter of SEVERITIES."""
        return self.message_id[-1]


_by_number: Final[dict[str, MessageRow]] = {}


def _rows() -> dict[str, MessageRow]:
    if _by_number:
        return _by_number
    from ternmq.base.amq_table import TABLE

    rows: dict[str, MessageRow] = {}
    for line in TABLE.splitlines():
        message_id, text, explanation, action = (*line.split("\t"), "", "")[:4]
        rows[message_id[3:7]] = MessageRow(message_id, text, explanation, action)
    _by_number.update(rows)  # at once: another thread must not find a part of them
    return rows


def all_messages() -> list[MessageRow]:
    """Every row, by number."""
    rows = _rows()
    return [rows[number] for number in sorted(rows)]


def find_message(message_id: str) -> MessageRow | None:
    """The row of `AMQ8409I`, also asked for as `AMQ8409`, `amq8409` or `8409`."""
    number = message_id.upper().removeprefix("AMQ")[:4]
    return _rows().get(number)


def message_row(message_id: str) -> MessageRow:
    """The same; of an id that is not defined, a row that says so."""
    row = find_message(message_id)
    if row is None:
        return MessageRow(
            message_id, f"TernMQ was unable to display the message {message_id}.", "", ""
        )
    return row


def fill(text: str, inserts: Sequence[object]) -> str:
    """The text with its inserts; one that was not given is left out, %% is a percent sign."""

    def insert(match: re.Match[str]) -> str:
        if match[1] == "%":
            return "%"
        at = int(match[1]) - 1
        return str(inserts[at]) if at < len(inserts) else ""

    return _INSERT.sub(insert, text)


def message_text(message_id: str, inserts: Sequence[object] = ()) -> str:
    """What a message says, without its id."""
    return fill(message_row(message_id).text, inserts)


def message_line(message_id: str, inserts: Sequence[object] = ()) -> str:
    """The message as commands print it: `AMQ8006I: TernMQ queue created.`"""
    return f"{message_id}: {message_text(message_id, inserts)}"
