"""The configuration of a queue manager as MQSC that makes it again: what dmpmqcfg prints.

It asks with DISPLAY and writes DEFINE ... REPLACE, ALTER QMGR, SET CHLAUTH and SET AUTHREC. What
cannot be set (dates, depths, positions of cursors) and what is never shown (passwords) stands in
comments. Texts are quoted, so blanks, lower case and quotes come back as they were. Dynamic queues
are left out: they belong to who opened them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, final

from ternmq.admin.commands.channel_rules import IDENTIFY
from ternmq.admin.commands.display import SECRET, Column
from ternmq.admin.commands.filters import fits_name
from ternmq.base import attributes as schema
from ternmq.base import object_types as types
from ternmq.base.attributes import BY_NAME, Attribute, Value
from ternmq.values.command import Answer, Item

Ask = Callable[[str], list[Answer]]

# What -t names, in the order in which it is dumped, with the DISPLAY that finds it.
KINDS: Final[dict[str, str]] = {
    "qmgr": "QMGR",
    "queue": "QUEUE",
    "namelist": "NAMELIST",
    "process": "PROCESS",
    "channel": "CHANNEL",
    "clntconn": "CHANNEL",
    "authinfo": "AUTHINFO",
    "lstr": "LISTENER",
    "srvc": "SERVICE",
    "comminfo": "COMMINFO",
    "topic": "TOPIC",
}
CURSOR_KIND: Final = "cursor"  # which -t can name as well, of our own
SORTS: Final = ("all", "object", "sub", "chlauth", "authrec")  # what -x names
_QUOTED: Final = (schema.TEXT, schema.NAME, schema.HEX, schema.LIST)
_DYNAMIC: Final = ("PERMDYN", "TEMPDYN")
_ALWAYS: Final = ("TRPTYPE", "TOPICSTR")  # DEFINE of some types must have it


@final
class DumpChoice:
    """What is wanted of the configuration, and how."""

    def __init__(
        self,
        sort: str = "all",
        kind: str = "all",
        name: str = "*",
        every_attribute: bool = False,
        one_line: bool = False,
    ) -> None:
        self.sort = sort
        self.kind = kind
        self.name = name
        self.every_attribute = every_attribute
        self.one_line = one_line

    def wants(self, sort: str) -> bool:
        """Whether -x asks for objects, subscriptions, rules or authority records."""
        return self.sort in ("all", sort) and (self.kind == "all" or sort == "object")


def quoted(text: str) -> str:
    """A text for MQSC."""
    return "'" + (text.replace("'", "''") or " ") + "'"


def dump_lines(ask: Ask, choice: DumpChoice) -> Iterator[str]:
    """The script, line by line."""
    if choice.wants("object"):
        for kind, noun in KINDS.items():
            if choice.kind in ("all", kind):
                yield from _object_lines(ask, choice, kind, noun)
        yield from _cursor_lines(ask, choice)
    if choice.wants("sub"):
        yield from _object_lines(ask, choice, "sub", "SUB")
    if choice.wants("chlauth"):
        for answer in _found(ask, f"DISPLAY CHLAUTH({quoted(choice.name)}) ALL"):
            yield from _written(_rule_parts(answer), choice)
    if choice.wants("authrec"):
        for answer in records(ask, choice):
            yield from _written(_record_parts(answer), choice)


def records(ask: Ask, choice: DumpChoice) -> list[Answer]:
    """The authority records that are wanted."""
    found = _found(ask, "DISPLAY AUTHREC ALL")
    return [one for one in found if fits_name(choice.name, str(one["PROFILE"]))]


def _found(ask: Ask, text: str) -> list[Answer]:
    return [answer for answer in ask(text) if answer.ok and answer.items]


def _object_lines(ask: Ask, choice: DumpChoice, kind: str, noun: str) -> Iterator[str]:
    if noun == "QMGR":
        for answer in _found(ask, "DISPLAY QMGR ALL"):
            yield from _written(_object_parts(answer, types.BY_NOUN[noun], choice, {}), choice)
        return
    lenders: dict[int, dict[str, Value]] = {}
    later: list[Answer] = []
    how = "SUBTYPE(ADMIN) DISTYPE(DEFINED) " if noun == "SUB" else ""  # not those of applications
    for answer in _found(ask, f"DISPLAY {noun}({quoted(choice.name)}) {how}ALL"):
        object_type = _object_type(answer, noun)
        if (object_type.bit == types.CLNTCONN) != (kind == "clntconn"):
            continue
        if object_type.bit == types.LOCAL and answer["DEFTYPE"] in _DYNAMIC:
            continue
        if answer[object_type.name_keyword] != object_type.default_object:
            later.append(answer)
            continue
        # Others take from it what they do not say themselves: it comes first, and whole.
        lenders[object_type.bit] = answer.attributes()
        yield from _written(_object_parts(answer, object_type, choice, {}), choice)
    for answer in later:
        object_type = _object_type(answer, noun)
        if object_type.bit not in lenders:
            text = f"DISPLAY {noun}({quoted(object_type.default_object)}) ALL"
            found = _found(ask, text)
            lenders[object_type.bit] = found[0].attributes() if found else {}
        lender = lenders[object_type.bit]
        yield from _written(_object_parts(answer, object_type, choice, lender), choice)


def _written(parts: list[str], choice: DumpChoice) -> Iterator[str]:
    """A command: on one line, or a parameter to a line."""
    if choice.one_line:
        yield " ".join([part for part in parts if not part.startswith("*")])
        return
    last = len(parts) - 1
    for place, part in enumerate(parts):
        indented = part
        if place:
            indented = f"*  {part[1:]}" if part.startswith("*") else f"   {part}"
        yield indented if place == last else f"{indented} +"


# ---- objects


def _object_type(answer: Answer, noun: str) -> types.ObjectType:
    for keyword in ("CHLTYPE", "AUTHTYPE", "TYPE"):
        kind = types.BY_NOUN.get(str(answer.get(keyword)))
        if kind is not None:
            return kind
    return types.BY_NOUN[noun]


def _object_parts(
    answer: Answer, kind: types.ObjectType, choice: DumpChoice, lender: dict[str, Value]
) -> list[str]:
    """The command for an object. What it would get anyway is left out, unless all is wanted; of an
    object without lender only the queue manager's is known."""
    rows = BY_NAME[kind.bit]
    is_qmgr = kind.bit == types.QMGR
    if is_qmgr:
        parts = ["ALTER QMGR"]
    else:
        verb = kind.group if kind.group in ("CHANNEL", "AUTHINFO") else kind.noun
        parts = [f"DEFINE {verb}({quoted(str(answer[kind.name_keyword]))})"]
        if verb != kind.noun:
            parts.append(f"{kind.type_keyword}({kind.noun})")
    for item in answer.items:
        row = rows.get(item.keyword)
        if row is None or item.keyword in (kind.name_keyword, kind.type_keyword):
            continue
        text = _setting(row, item)
        if row.shown_only or item.value == SECRET:
            if choice.every_attribute:
                parts.append(f"*{text}")
        elif choice.every_attribute or not _is_usual(row, item, is_qmgr, lender):
            parts.append(text)
    parts.append("FORCE" if is_qmgr else "REPLACE")
    return parts


def _is_usual(row: Attribute, item: Item, is_qmgr: bool, lender: dict[str, Value]) -> bool:
    """Whether a new object has this value by default."""
    usual = Column(row).item(row.default)
    if usual.keyword != item.keyword or usual.value != item.value:
        return False
    lent = item.keyword in lender and lender[item.keyword] == item.value
    return (is_qmgr or lent) and item.keyword not in _ALWAYS


def _setting(row: Attribute, item: Item) -> str:
    return item.keyword if item.bare else f"{item.keyword}({_value(row, item.value)})"


def _value(row: Attribute, value: Value) -> str:
    if row.kind == schema.LIST and "," in str(value):
        return ",".join([quoted(one) for one in str(value).split(",")])
    return quoted(str(value)) if row.kind in _QUOTED else str(value)


# ---- cursors, rules and records


def _cursor_lines(ask: Ask, choice: DumpChoice) -> Iterator[str]:
    if choice.kind in ("all", CURSOR_KIND):
        for answer in _found(ask, f"DISPLAY CURSOR({quoted(choice.name)}) ALL"):
            yield from _written(_cursor_parts(answer, choice), choice)


def _cursor_parts(answer: Answer, choice: DumpChoice) -> list[str]:
    """A cursor without its position, which belongs to the messages and not to the definition."""
    parts = [
        f"DEFINE CURSOR({quoted(str(answer['CURSOR']))})",
        f"QUEUE({quoted(str(answer['QUEUE']))})",
    ]
    if answer["EXPIRY"]:
        parts.append(f"EXPIRY({answer['EXPIRY']})")
    if choice.every_attribute:
        keywords = ("POSITION", "INCARN", "USERID", "CRDATE", "CRTIME", "ALTDATE", "ALTTIME")
        parts.extend([f"*{keyword}({answer[keyword]})" for keyword in keywords])
    parts.append("REPLACE")
    return parts


def _rule_parts(answer: Answer) -> list[str]:
    rows = BY_NAME[types.CHLAUTH]
    parts = [f"SET CHLAUTH({quoted(str(answer['CHLAUTH']))})", f"TYPE({answer['TYPE']})"]
    for item in answer.items:
        row = rows.get(item.keyword)
        if row is None or item.keyword in ("CHLAUTH", "TYPE"):
            continue
        if row.shown_only:
            parts.append(f"*{_setting(row, item)}")
        elif item.keyword not in IDENTIFY or item.value != "":
            parts.append(_setting(row, item))
    parts.append("ACTION(REPLACE)")
    return parts


def _record_parts(answer: Answer) -> list[str]:
    return [
        "SET AUTHREC",
        f"PROFILE({quoted(str(answer['PROFILE']))})",
        f"{answer['ENTTYPE']}({quoted(str(answer['ENTITY']))})",
        f"OBJTYPE({answer['OBJTYPE']})",
        f"AUTHADD({answer['AUTHLIST']})",
    ]
