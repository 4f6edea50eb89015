"""What can be asked of a DISPLAY: keywords of attributes and status, and filters by them.

MQSC text is checked against it with the place of each fault, a `Command` that did not come as text
without one.
"""

from __future__ import annotations

from typing import Final

from ternmq.admin.command_table import CommandRow
from ternmq.admin.status.status_attributes import status_keywords
from ternmq.base import attributes as schema
from ternmq.base import object_types as types
from ternmq.base.attributes import Attribute
from ternmq.values.command import Filter

IDENTITIES: Final = ("TYPE", "CHLTYPE", "AUTHTYPE")  # shown beside the name of some objects
_LIST_OPERATORS: Final = ("CT", "EX", "CTG", "EXG", "CL")


def attributes_of_row(row: CommandRow) -> list[Attribute]:
    """The attributes of the objects that a command is about."""
    return [one for one in schema.ATTRIBUTES if one.types & row.types]


def displayable(row: CommandRow, kind: str) -> dict[str, str]:
    """Keywords that may be asked for; NOTRIGGER, say, means TRIGGER. `kind` is the TYPE of a
    status."""
    known: dict[str, str] = {}
    for attribute in attributes_of_row(row):
        known[attribute.keyword] = attribute.keyword
        if attribute.kind == schema.BARE:
            for word in attribute.words:
                known[word] = attribute.keyword
    kind = kind or ("ALL" if row.noun == "CONN" else "")
    known.update({keyword: keyword for keyword in status_keywords(row.noun, kind)})
    for synonym, keyword in schema.SYNONYMS.items():
        if keyword in known:
            known[synonym] = keyword
    if row.types:
        names = [kind.name_keyword for kind in types.OBJECT_TYPES if kind.bit & row.types]
        for keyword in (*IDENTITIES, *names):
            known.setdefault(keyword, keyword)
    if row.types & types.QUEUES:
        known["QTYPE"] = "TYPE"
    return known


def filter_fault(row: CommandRow, where: Filter) -> str:
    """What is wrong with a filter for the kind of value that its attribute has; "" if nothing."""
    operator = where.operator
    for attribute in attributes_of_row(row):
        if attribute.keyword != where.keyword:
            continue
        listed = attribute.kind in (schema.LIST, schema.WORDS)
        if operator in _LIST_OPERATORS and not listed:
            return f"{operator} is for lists, and {where.keyword} is not a list"
        if operator in ("LK", "NL") and not attribute.text:
            return f"{operator} is for texts, and {where.keyword} is not a text"
        if attribute.kind == schema.NUMBER and where.value not in attribute.words:
            if not where.value.removeprefix("-").isdecimal():
                return f"{where.keyword} is a number, not {where.value!r}"
        if attribute.kind in (schema.WORD, schema.BARE) and where.value not in attribute.words:
            return f"{where.keyword} is one of {', '.join(attribute.words)}, not {where.value!r}"
        return ""
    return ""
