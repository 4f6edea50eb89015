"""The properties of a message as an application sees them: a read-only mapping of names to Python
values, made from the property area at the first access.

`area_of` makes an area of a mapping: str is MQTYPE_STRING, bool BOOLEAN, int INT64, float FLOAT64,
bytes BYTE_STRING and None NULL; `property_types` has classes for the other types.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any, Final, final

from mypy_extensions import i64

from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_MIXED_CONTENT_NOT_ALLOWED,
    MQRC_PROPERTIES_TOO_BIG,
    MQRC_PROPERTY_NAME_ERROR,
    MQRC_PROPERTY_TYPE_ERROR,
)
from ternmq.codec.property import Property, PropertyValue
from ternmq.codec.property_area import (
    COUNT_MAX,
    EntryHeads,
    add_packed,
    find_entry,
    find_property,
    joined_area,
    pack_area,
    read_properties,
    read_values,
    value_of_entry,
)
from ternmq.codec.property_names import Hierarchy, checked_name
from ternmq.codec.property_types import shown
from ternmq.values.property_types import TYPES

_USER_FOLDER: Final = "usr."
_SIZE_MAX: Final = (1 << 32) - 1  # of an index
HEADS_MAX: Final = 256
ASKS_MAX: Final = 8  # so many values are cheaper found one by one than with all others
_HEADS: Final[dict[str, EntryHeads]] = {}  # of names that were checked: few programs have many


@final
class MessageProperties:
    """The properties of one message; of several with one name, the first."""

    __slots__ = ("_area", "_asks", "_values")

    def __init__(self, area: bytes) -> None:
        self._area = area
        self._values: dict[str, PropertyValue] | None = None  # all of them, once somebody needs it
        self._asks: i64 = 0

    def _read(self) -> dict[str, PropertyValue]:
        values = self._values
        if values is None:
            values = read_values(self._area)
            self._values = values
        return values

    def typed(self, name: str) -> Property:
        """The property with its type and the fields of its MQPD; KeyError without one."""
        one = find_property(self._area, self._own_name(name))
        if one is None:
            raise KeyError(name)
        return one

    def _own_name(self, name: str) -> str:
        """A name without the folder usr; but an element of that folder may begin like it."""
        if not name.startswith(_USER_FOLDER) or name in self._read():
            return name
        return name[len(_USER_FOLDER) :]

    def in_order(self) -> list[Property]:
        """All of them, in their order."""
        found: dict[str, Property] = {}
        for one in read_properties(self._area):
            found.setdefault(one.name, one)
        return [*found.values()]

    def get(self, name: str, default: PropertyValue = None) -> PropertyValue:
        """The value of a property, or the default."""
        try:
            return self[name]
        except KeyError:
            return default

    def as_dict(self) -> dict[str, PropertyValue]:
        """Names and values, in their order."""
        return self._read().copy()

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._read().keys()

    def values(self) -> ValuesView[PropertyValue]:
        """The values."""
        return self.as_dict().values()

    def items(self) -> ItemsView[str, PropertyValue]:
        """Names and values."""
        return self.as_dict().items()

    def __getitem__(self, name: str) -> PropertyValue:
        if name.startswith(_USER_FOLDER):
            name = self._own_name(name)
        values = self._values
        if values is not None:
            return values[name]
        if self._asks >= ASKS_MAX:
            return self._read()[name]
        self._asks += 1
        try:
            at = find_entry(self._area, name.encode("utf-8"))
        except UnicodeEncodeError:
            raise KeyError(name) from None
        if at < 0:
            raise KeyError(name)
        return value_of_entry(self._area, at)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._own_name(name) in self._read()

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __bool__(self) -> bool:
        return len(self._read()) > 0

    def __eq__(self, other: object) -> bool:
        if isinstance(other, MessageProperties):
            return self.as_dict() == other.as_dict()
        return isinstance(other, Mapping) and self.as_dict() == dict(other)

    def __hash__(self) -> int:
        return hash(self._area)

    def __repr__(self) -> str:
        return f"<MessageProperties {self.as_dict()!r}>"


Mapping.register(MessageProperties)
Given = MessageProperties | Mapping[str, PropertyValue]


def area_of(properties: Given) -> bytes:
    """The area of properties that were given to a put; those of another message go on as they are,
    without the headers that they came in."""
    if isinstance(properties, MessageProperties):
        return pack_area(properties.in_order())
    given: Any = properties  # a user's: names and values may be anything
    if isinstance(given, dict):
        area = _area_of_usual(given)
        if area:
            return area
    found = [_property(name, value) for name, value in given.items()]
    if len(found) > COUNT_MAX:
        detail = f"{len(found)} properties; {COUNT_MAX} are the most"
        raise mq_error(MQRC_PROPERTIES_TOO_BIG, verb="MQPUT", detail=detail)
    _refuse_mixed(found)
    try:
        return pack_area(found)
    except (UnicodeEncodeError, ValueError) as error:
        raise mq_error(MQRC_PROPERTY_TYPE_ERROR, verb="MQPUT", detail=str(error)) from error


def properties_of(area: bytes) -> MessageProperties:
    """The properties of a message that has this area."""
    return MessageProperties(area)


def _area_of_usual(given: dict[Any, Any]) -> bytes:
    """The area of properties with plain names and values of the usual types; empty if there are
    others, or something is wrong: then they are looked at with care."""
    parts: list[bytes] = [b"", b"", b""]
    size: i64 = 0
    for name, value in given.items():
        heads = _HEADS.get(name)
        if heads is None:
            heads = _heads_of(name)
            if heads is None:
                return b""
        try:
            added = add_packed(parts, heads, value)
        except UnicodeEncodeError:
            return b""
        if added == 0:
            return b""
        size += added
    if size == 0 or size > _SIZE_MAX or len(given) > COUNT_MAX:
        return b""
    return joined_area(parts, len(given), int(size), True)


def _heads_of(name: object) -> EntryHeads | None:
    """The heads of a name in folder usr, from now on kept; None for any other."""
    if not isinstance(name, str) or "." in name:
        return None
    try:
        heads = EntryHeads(checked_name(name, True))
    except (MQError, UnicodeEncodeError):
        return None
    if len(_HEADS) >= HEADS_MAX:
        _HEADS.clear()
    _HEADS[name] = heads
    return heads


def _refuse_mixed(found: list[Property]) -> None:
    """A name that is a value and a group, as no element of an MQRFH2 can be."""
    hierarchy = Hierarchy()
    for one in found:
        if "." not in one.name:  # in folder usr, which has no groups
            continue
        clash = hierarchy.clash(one.name)
        if clash:
            detail = f"{shown(one.name)} beside {shown(clash)}: one would be a value and a group"
            raise mq_error(
                MQRC_MIXED_CONTENT_NOT_ALLOWED, verb="MQPUT", detail=f"{detail}; rename it"
            )
        hierarchy.add(one.name)


def _property(name: object, value: object) -> Property:
    if not isinstance(name, str) or not name.removeprefix(_USER_FOLDER):
        detail = f"{name!r}: a property name is text that is not empty"
        raise mq_error(MQRC_PROPERTY_NAME_ERROR, verb="MQPUT", detail=detail)
    plain = checked_name(name, True)
    if isinstance(value, (bytearray, memoryview)):
        value = bytes(value)
    kind = TYPES.get(type(value), 0)
    if kind == 0 or not (value is None or isinstance(value, (bool, int, float, str, bytes))):
        detail = f"{plain} is {value!r}; a property is str, bool, int, float, bytes or None"
        raise mq_error(MQRC_PROPERTY_TYPE_ERROR, verb="MQPUT", detail=detail)
    return Property(plain, kind, value)
