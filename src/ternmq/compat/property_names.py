"""Names of message properties: what IBM MQ allows, checked when a property is set.

A name is one or more parts, joined by dots. Each part is an identifier as Java has it, of letters,
digits and underscores, and the name of an element of XML, for that is how it travels: so no `$`,
and no letter beyond U+FFFF. Some names are MQ's own, or words of selection strings.
"""

from __future__ import annotations

from typing import Final

from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_PROPERTY_NAME_ERROR, MQRC_PROPERTY_NAME_LENGTH_ERR
from ternmq.codec.properties import FOLDERS, NAME_LENGTH_MAX, is_element

_USER: Final = "usr."
_WORDS: Final = frozenset(
    ("NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE")
)


def check_name(name: str) -> str:
    """The name without `usr.`, under which the property is kept; MQRC_PROPERTY_NAME_ERROR says
    what is wrong with it."""
    if len(name) > NAME_LENGTH_MAX:
        detail = f"{len(name)} characters; a name has at most {NAME_LENGTH_MAX}"
        raise mq_error(MQRC_PROPERTY_NAME_LENGTH_ERR, verb="MQSETMP", detail=detail)
    plain = name.removeprefix(_USER)
    parts = plain.split(".")
    for part in parts:
        if not part:
            raise _refused(name, "has an empty part; put one dot between parts")
        if not part.isidentifier() or not is_element(part):
            raise _refused(
                name, f"has the part {part!r}; use letters, digits and _, a letter first"
            )
    _refuse_reserved(name, plain, parts)
    return plain


def _refuse_reserved(name: str, plain: str, parts: list[str]) -> None:
    if plain.upper() in _WORDS:
        raise _refused(name, "is a word of selection strings; choose another")
    if plain.startswith("JMS"):
        raise _refused(name, "is reserved for JMS, whose properties cannot be set yet")
    if parts[0] in ("Body", "Root") or plain.startswith(("Body", "Root")):
        raise _refused(name, "begins with Body or Root; set fields of the MQMD in the MQMD")
    first = parts[0].lower()
    if first.startswith("mq") and not first.startswith("mq_usr") and len(parts) > 2:
        raise _refused(name, "begins with mq and has more than one dot")
    if plain != name and len(parts) > 1 and parts[0] in FOLDERS:
        raise _refused(name, f"has folder {parts[0]} inside folder usr; leave out `usr.`")


def _refused(name: str, text: str) -> MQError:
    shown = name if len(name) <= 64 else f"{name[:64]}..."
    return mq_error(MQRC_PROPERTY_NAME_ERROR, verb="MQSETMP", detail=f"name {shown!r} {text}")
