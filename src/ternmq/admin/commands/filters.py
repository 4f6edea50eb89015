"""Which objects a DISPLAY shows: generic names, and WHERE with its operators.

A value fits a filter as MQ has it: numbers are compared as numbers, words and texts as texts; LK
and NL take a generic text; CT and EX ask whether a list has an entry, CTG and EXG whether it has
one that begins so. An object without the attribute does not fit.
"""

from __future__ import annotations

from typing import Final

from ternmq.base.attributes import Value
from ternmq.values.command import Filter

_DIGITS_MAX: Final = 18
_BEYOND: Final = 999_999_999_999_999_999


def fits_name(pattern: str, name: str) -> bool:
    """Whether a name is the one, or begins as a generic one does."""
    if pattern.endswith("*"):
        return name.startswith(pattern[:-1])
    return name == pattern


def fits(where: Filter, value: Value) -> bool:
    """Whether a value fits the filter."""
    operator = where.operator
    if operator in ("CT", "EX", "CTG", "EXG", "CL"):
        entries = str(value).split(",") if value != "" else []
        pattern = where.value
        if operator in ("CTG", "EXG") and not pattern.endswith("*"):
            pattern += "*"
        found = any(fits_name(pattern, entry) for entry in entries)
        return not found if operator in ("EX", "EXG") else found
    if operator == "LK" or operator == "NL":
        return fits_name(where.value, str(value)) == (operator == "LK")
    if isinstance(value, int) and _is_number(where.value):
        return _compared(operator, value, _number(where.value))
    text = str(value)
    wanted = where.value.rstrip(" ")
    return _compared(operator, (text > wanted) - (text < wanted), 0)


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def _number(text: str) -> int:
    """A number; of one that is beyond all that an attribute can be, one that is so too."""
    if len(text) <= _DIGITS_MAX:
        return int(text)
    return -_BEYOND if text.startswith("-") else _BEYOND


def _compared(operator: str, left: int, right: int) -> bool:
    if operator == "EQ":
        return left == right
    if operator == "NE":
        return left != right
    if operator == "LT":
        return left < right
    if operator == "GT":
        return left > right
    if operator == "LE":
        return left <= right
    return left >= right
