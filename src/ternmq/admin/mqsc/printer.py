"""Answers and summaries as MQSC prints them. Other tools read this, so the layout is fixed.

an echo        number of the command in six columns, " : ", its line; further lines without
               number
a message      AMQnnnnS: text
an object      its message, then its attributes in two columns: three blanks, the first, the
               second from column 44 on. One of 40 or more characters has a line for itself.
               ATTR(value), ATTR( ) without value, a bare word as it is. Control
               characters in a value, which may be an application's name, are shown as \\xnn
a fault        its message, the command up to the fault, what is wrong
"""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from ternmq.admin.mqsc.parser import SYNTAX_MESSAGES
from ternmq.base.attributes import Value
from ternmq.base.message_table import message_line, message_text
from ternmq.base.visible_text import visible_in_line
from ternmq.values.command import Answer, Item

_INDENT: Final = "   "
_FIRST_COLUMN: Final = 40
_WIDTH: Final = 96
_LISTED: Final = ("NAMES",)  # one to a line
_ON_NEW_LINE: Final = ("ADDRLIST", "USERLIST")


def item_text(item: Item) -> str:
    """One attribute."""
    if item.bare:
        return item.keyword
    value = visible_in_line(item.value) if isinstance(item.value, str) else item.value
    return f"{item.keyword}({value})" if value != "" else f"{item.keyword}( )"


def _list_lines(item: Item) -> list[str]:
    """A list of names, one below the other."""
    parts = str(item.value).split(",")
    blank = " " * len(item.keyword)
    lines = [f"{_INDENT}{item.keyword}({parts[0]}"]
    lines += [f"{_INDENT}{blank},{part}" for part in parts[1:]]
    lines[-1] += ")"
    return lines


def item_lines(items: list[Item]) -> list[str]:
    """Attributes in two columns."""
    lines: list[str] = []
    first = ""
    for item in items:
        text = item_text(item)
        listed = item.keyword in _LISTED and "," in str(item.value)
        if first and not listed and len(text) < _FIRST_COLUMN:
            if item.keyword not in _ON_NEW_LINE:
                lines.append(f"{_INDENT}{first:<40}{text}")
                first = ""
                continue
        if first:
            lines.append(_INDENT + first)
            first = ""
        if listed:
            lines.extend(_list_lines(item))
        elif len(text) >= _FIRST_COLUMN:
            lines.append(_INDENT + text)
        else:
            first = text
    if first:
        lines.append(_INDENT + first)
    return lines


def answer_lines(answer: Answer) -> list[str]:
    """One answer."""
    lines = [message_line(answer.message, answer.inserts)]
    if answer.message in SYNTAX_MESSAGES and len(answer.inserts) > 2:
        lines.append(str(answer.inserts[1]))
        why = str(answer.inserts[2])
        lines.extend(_explained(why if why.endswith("?") else f"{why}."))
        return lines
    if answer.detail:
        lines.extend(_explained(answer.detail))
    lines.extend(item_lines(answer.items))
    return lines


def _explained(text: str) -> list[str]:
    """Words for people, on as many lines as they take."""
    return wrap(text, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)


def answer_json(answer: Answer) -> dict[str, object]:
    """One answer for programs."""
    attributes: dict[str, Value] = answer.attributes()
    values: dict[str, object] = {
        "message": answer.message,
        "text": message_text(answer.message, answer.inserts),
        "completionCode": answer.comp,
        "reasonCode": answer.reason,
    }
    if answer.message in SYNTAX_MESSAGES and len(answer.inserts) > 2:
        values["segment"] = answer.inserts[1]
        values["detail"] = answer.inserts[2]
    elif answer.detail:
        values["detail"] = answer.detail
    if attributes:
        values["attributes"] = attributes
    return values


def echo_lines(number: int, lines: list[str]) -> list[str]:
    """The text of a command; a number of 0 is a line that is not a command."""
    first = f"{number:>6} : " if number else "       : "
    result: list[str] = []
    for line in lines:
        result.append((first + line).rstrip())
        first = "       : "
    return result


def summary_lines(read: int, faulty: int, failed: int) -> list[str]:
    """The end: how many commands were read, could not be understood, could not be done."""
    return [
        _count(read, "No MQSC commands", "One MQSC command", "MQSC commands") + " read.",
        _count(faulty, "No commands have", "One command has", "commands have") + " a syntax error.",
        "All valid MQSC commands were processed."
        if not failed
        else _count(failed, "", "One valid MQSC command", "valid MQSC commands")
        + " could not be processed.",
    ]


def _count(number: int, none: str, one: str, more: str) -> str:
    if number == 0:
        return none
    return one if number == 1 else f"{number} {more}"
