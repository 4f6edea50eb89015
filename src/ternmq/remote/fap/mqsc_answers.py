"""Answers of MQSC as text, made `Answer` again: what escaped commands come back as.

The layout is the printer's (see `admin.mqsc.printer`): the message, then attributes in two columns,
the second from column 44 on.
"""

from __future__ import annotations

import re
from typing import Final

from ternmq.admin.mqsc.parser import SYNTAX_MESSAGES
from ternmq.base.attributes import Value
from ternmq.base.message_table import find_message
from ternmq.values.command import Answer, Item

_INDENT: Final = "   "
_SECOND_AT: Final = 43
_MESSAGE: Final = re.compile(r"(AMQ\d{4}[A-Z]): (.*)", re.DOTALL)
_ATTRIBUTE: Final = re.compile(r"([A-Z][A-Z0-9]*)\((.*)\)$", re.DOTALL)
_WORD: Final = re.compile(r"[A-Z][A-Z0-9]*$")
_NUMBER: Final = re.compile(r"-?(0|[1-9]\d*)$")
_INSERT: Final = re.compile(r"%(\d)")


def answer_of_text(text: str, comp: int, reason: int) -> Answer:
    """One answer."""
    lines = text.split("\n")
    found = _MESSAGE.match(lines[0])
    if found is None:
        answer = Answer("", (), comp=comp, reason=reason)
        answer.detail = text
        return answer
    name = found.group(1)
    inserts = _inserts(name, found.group(2))
    if name in SYNTAX_MESSAGES and len(lines) > 2:
        first = inserts[0] if inserts else ""
        inserts = (first, lines[1], _joined(lines[2:]).removesuffix("."))
        return Answer(name, inserts, comp=comp, reason=reason)
    answer = Answer(name, inserts, comp=comp, reason=reason)
    rest = lines[1:]
    items = _items(rest)
    if items is None:
        answer.detail = _joined(rest)
    else:
        answer.items = items
    return answer


def _joined(lines: list[str]) -> str:
    return " ".join(one.strip() for one in lines)


def _inserts(name: str, text: str) -> tuple[Value, ...]:
    """What stands in a message for %1, %2 ...; nothing if it reads otherwise."""
    row = find_message(name)
    if row is None:
        return ()
    parts = _INSERT.split(row.text)
    pattern = ""
    numbers: list[int] = []
    for index, part in enumerate(parts):
        if index % 2:
            numbers.append(int(part))
            pattern += "(.*)"
        else:
            pattern += re.escape(part)
    found = re.fullmatch(pattern, text, re.DOTALL)
    if found is None or not numbers:
        return ()
    values: dict[int, str] = dict(zip(numbers, found.groups(), strict=True))
    return tuple(values.get(number, "") for number in range(1, max(numbers) + 1))


def _items(lines: list[str]) -> list[Item] | None:
    """Attributes; None if the lines are words for people."""
    items: list[Item] = []
    texts = _texts(lines)
    for text in texts:
        found = _ATTRIBUTE.match(text)
        if found is not None:
            items.append(Item(found.group(1), _value(found.group(2))))
        elif _WORD.match(text):
            items.append(Item(text, "", True))
        else:
            return None
    return items


def _texts(lines: list[str]) -> list[str]:
    texts: list[str] = []
    for line in lines:
        if not line.startswith(_INDENT):
            texts.append(line)  # of no attribute
        elif texts and line.lstrip().startswith(",") and not texts[-1].endswith(")"):
            texts[-1] += line.strip()  # a list goes on
        elif len(line) > _SECOND_AT and line[_SECOND_AT - 1] == " " and line[_SECOND_AT] != " ":
            texts += [line[:_SECOND_AT].strip(), line[_SECOND_AT:].strip()]
        else:
            texts.append(line.strip())
    return texts


def _value(text: str) -> Value:
    if text == " ":
        return ""
    return int(text) if _NUMBER.match(text) else text
