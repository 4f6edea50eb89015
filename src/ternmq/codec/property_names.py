"""Names of message properties: what MQSETMP allows, how names match a pattern, which clash.

A name is one or more parts joined by dots, at most 4095 characters. Each part is an identifier as
Java has it, without characters beyond U+FFFF. A name without a dot is in folder usr, and `usr.`
before it says the same; any other has its folder as first part (property_folders).

With MQCMHO_VALIDATE, and with MQCMHO_DEFAULT_VALIDATION, MQRC_PROPERTY_NAME_ERROR refuses

- a part that is empty or not an identifier, and more than one dot in a name that begins with `mq`
  (in any case) but not with `mq_usr`; groups in folder usr;
- the words of selection strings, alone or behind `usr.`;
- names that begin with `JMS` or `usr.JMS`, but for the synonyms that can be set, and names in
  `Body.` or `Root.` but for Root.MQMD (both property_synonyms).

MQCMHO_NO_VALIDATION allows all that an element of an MQRFH2 can be named. A name that is both a
value and a group is MQRC_MIXED_CONTENT_NOT_ALLOWED (`Hierarchy`). The prefixes mcd, jms, usr, mq,
sib, wmq, Root, Body and Properties are reserved, but MQ sets no others than these apart.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_PROPERTY_NAME_ERROR, MQRC_PROPERTY_NAME_LENGTH_ERR
from ternmq.codec.identifiers import KEYWORDS, wrong_in_identifier
from ternmq.codec.property_folders import FOLDER_USER, NAME_LENGTH_MAX, folder_of, is_element
from ternmq.codec.property_types import shown

USER_PREFIX: Final = "usr."
WILDCARD: Final = "%"
_LAST_CHARACTER: Final = "\uffff"  # that a name can have
_PART_RULE: Final = "use letters, digits, _ and $, and no digit first"


def plain_name(name: str) -> str:
    """The name under which a property is kept: without `usr.`."""
    while name.startswith(USER_PREFIX):
        name = name[len(USER_PREFIX) :]
    return name


def check_length(name: str, verb: str) -> None:
    """MQRC_PROPERTY_NAME_LENGTH_ERR for a name that is too long, an error for one of no length."""
    if len(name) > NAME_LENGTH_MAX:
        detail = f"the name has {len(name)} characters; {NAME_LENGTH_MAX} are the most"
        raise mq_error(MQRC_PROPERTY_NAME_LENGTH_ERR, verb=verb, detail=detail)
    if not name:
        raise name_error(name, "is empty; give one", verb)


def checked_name(name: str, validates: bool) -> str:
    """The name under which a property is kept; MQRC_PROPERTY_NAME_ERROR says what is wrong."""
    check_length(name, "MQSETMP")
    plain = plain_name(name)
    parts = plain.split(".")
    for part in parts:
        if not part:
            raise name_error(name, "has an empty part; put characters before and after each dot")
        if not is_element(part):
            raise name_error(name, f"has the part {shown(part)}; {_PART_RULE}")
    if validates:
        _validate(name, plain, parts)
    return plain


def _validate(name: str, plain: str, parts: list[str]) -> None:
    for part in parts:
        if not is_identifier(part):
            raise name_error(name, f"has the part {shown(part)}; {_PART_RULE}")
    if plain.upper() in KEYWORDS:
        raise name_error(name, "is a word of selection strings; choose another")
    if plain.startswith("JMS"):
        raise name_error(name, "begins with JMS; only some names of JMS exist, and few can be set")
    if parts[0] in ("Body", "Root"):
        raise name_error(name, f"begins with {parts[0]}; only Root.MQMD can be set")
    first = parts[0].lower()
    if first.startswith("mq") and not first.startswith("mq_usr") and len(parts) > 2:
        raise name_error(name, "begins with mq and has more than one dot; mq_usr may have more")
    if plain != name and (len(parts) > 1 or name.startswith("usr.usr.")):
        raise name_error(name, "has a group in folder usr; leave `usr.` out")


def is_identifier(part: str) -> bool:
    """Whether a part of a name is an identifier of Java, of characters up to U+FFFF."""
    return part != "" and max(part) <= _LAST_CHARACTER and wrong_in_identifier(part) < 0


def name_error(name: str, text: str, verb: str = "MQSETMP") -> MQError:
    """MQRC_PROPERTY_NAME_ERROR for a name."""
    return mq_error(MQRC_PROPERTY_NAME_ERROR, verb=verb, detail=f"name {shown(name)} {text}")


def name_matches(name: str, pattern: str) -> bool:
    """Whether a property's name is one that MQINQMP asks for: `%` at the end is any characters,
    dots too, and `usr.%` is all of folder usr."""
    wild = pattern.endswith(WILDCARD)
    if pattern.startswith(USER_PREFIX):
        if folder_of(name) != FOLDER_USER:
            return False
        pattern = plain_name(pattern)
    return name.startswith(pattern[:-1]) if wild else name == pattern


@final
class Hierarchy:
    """The names of a handle as a tree: which are values, and which are groups."""

    def __init__(self) -> None:
        self._values: dict[str, int] = {}
        self._groups: dict[str, int] = {}
        self.elements = 0  # of an MQRFH2, without its folders

    def has(self, name: str) -> bool:
        """Whether there is a property of that name."""
        return name in self._values

    def clash(self, name: str) -> str:
        """The name of a property that would make this one a value and a group; "" if there is
        none."""
        if name in self._groups:
            return next(other for other in self._values if other.startswith(f"{name}."))
        for group in _groups_of(name):
            if group in self._values:
                return group
        return ""

    def add(self, name: str) -> None:
        """A property of that name was added."""
        self._values[name] = self._values.get(name, 0) + 1
        self.elements += name.count(".") or 1
        for group in _groups_of(name):
            self._groups[group] = self._groups.get(group, 0) + 1

    def remove(self, name: str) -> None:
        """One property of that name is gone."""
        _count_down(self._values, name)
        self.elements -= name.count(".") or 1
        for group in _groups_of(name):
            _count_down(self._groups, group)


def _count_down(counts: dict[str, int], name: str) -> None:
    left = counts[name] - 1
    if left:
        counts[name] = left
    else:
        del counts[name]


def _groups_of(name: str) -> list[str]:
    """The groups that a name is in; its folder is not one."""
    groups: list[str] = []
    at = name.find(".", name.find(".") + 1)
    while at > 0:
        groups.append(name[:at])
        at = name.find(".", at + 1)
    return groups
