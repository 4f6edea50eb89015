"""The parameters of a command that did not come as MQSC text, where the parser has checked them:
from PCF, from the API, over the local binding. Attributes are checked where they are set.
"""

from __future__ import annotations

from typing import Final

from ternmq.admin.command_table import BARE, FILTER, NAME, NUMBER, CommandRow
from ternmq.admin.displayable import displayable, filter_fault
from ternmq.base import object_types as types
from ternmq.base.command_reasons import (
    MQRCCF_ATTR_VALUE_ERROR,
    MQRCCF_CFST_PARM_ID_ERROR,
    MQRCCF_PARM_MISSING,
    MQRCCF_PARM_SYNTAX_ERROR,
)
from ternmq.base.errors import MQError, mq_error
from ternmq.values.command import OPERATORS, Command

_TYPES: Final = ("CHLTYPE", "AUTHTYPE")
_DIGITS_MAX: Final = 10


def check_parameters(command: Command, row: CommandRow) -> None:
    """A reason with keyword and value for what is missing, unknown or wrong; words are folded."""
    for keyword, value in list(command.given.items()):
        kind = row.parameters.get(keyword)
        if kind is None:
            _check_attribute(command, row, keyword, value)
        elif kind == NUMBER:
            if not value.isdecimal() or len(value) > _DIGITS_MAX:
                detail = f"{keyword} is a number of up to {_DIGITS_MAX} digits, not {value[:80]!r}"
                raise _error(command, MQRCCF_ATTR_VALUE_ERROR, detail)
        elif kind not in (BARE, FILTER, NAME):
            word = value.upper()
            if word not in kind.split("|"):
                detail = f"{keyword} is one of {kind.replace('|', ', ')}, not {value!r}"
                raise _error(command, MQRCCF_ATTR_VALUE_ERROR, detail)
            command.given[keyword] = word
    if row.action == "DISPLAY":
        _check_wanted(command, row)
    for needed in row.required:
        words = needed.split("/")
        lent = "LIKE" in command.given and "TOPICSTR" in words
        if not lent and not any(word in command.given for word in words):
            raise _error(command, MQRCCF_PARM_MISSING, f"{' or '.join(words)} must be given")


def _check_wanted(command: Command, row: CommandRow) -> None:
    """Keywords that are asked for and filtered by, as the parser takes them from text."""
    known = displayable(row, command.given.get("TYPE", ""))
    wanted: list[str] = []
    for given in command.wanted:
        keyword = given.upper()
        kind = row.parameters.get(keyword, "")
        if kind == BARE:
            command.given[keyword] = ""
        elif keyword in known or keyword == "ALL" or kind == FILTER:
            wanted.append(known.get(keyword, keyword))
        else:
            detail = f"{row.noun} has no attribute {given}"
            raise _error(command, MQRCCF_PARM_SYNTAX_ERROR, detail)
    command.wanted = wanted
    where = command.where
    if where is None:
        return
    if where.keyword.upper() not in known:
        raise _error(command, MQRCCF_PARM_SYNTAX_ERROR, f"no attribute {where.keyword}")
    where.keyword = known[where.keyword.upper()]
    fault = filter_fault(row, where)
    if where.operator not in OPERATORS:
        fault = f"the operator is one of {', '.join(OPERATORS)}, not {where.operator}"
    if fault:
        raise _error(command, MQRCCF_PARM_SYNTAX_ERROR, fault)


def _check_attribute(command: Command, row: CommandRow, keyword: str, value: str) -> None:
    """What is not a parameter may be an attribute, if the command is about objects."""
    if keyword in _TYPES and row.types:
        kind = types.BY_NOUN.get(value.upper())
        if kind is None or not kind.bit & row.types:
            raise _error(command, MQRCCF_ATTR_VALUE_ERROR, f"{keyword} does not know {value!r}")
        command.given[keyword] = kind.noun
    elif not row.types or row.action == "DISPLAY":
        detail = f"{row.action} {row.noun} has no parameter {keyword}"
        raise _error(command, MQRCCF_CFST_PARM_ID_ERROR, detail)


def _error(command: Command, reason: int, detail: str) -> MQError:
    verb = f"{command.action} {command.noun}"
    return mq_error(reason, verb=verb, object=command.name, detail=detail)
