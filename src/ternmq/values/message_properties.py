"""The properties of a message as an application sees them: a read-only mapping of names to Python
values, made from the property area at the first access.

`area_of` makes an area of a mapping: str is MQTYPE_STRING, bool BOOLEAN, int INT64, float FLOAT64,
bytes BYTE_STRING and None NULL; `property_types` has classes for the other types.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any, Final, final

from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_MIXED_CONTENT_NOT_ALLOWED,
    MQRC_PROPERTY_NAME_ERROR,
    MQRC_PROPERTY_TYPE_ERROR,
)
from ternmq.codec.property import Property, PropertyValue
from ternmq.codec.property_area import find_property, pack_area, read_properties
from ternmq.codec.property_names import Hierarchy, checked_name
from ternmq.codec.property_types import shown
from ternmq.values.property_types import TYPES

_USER_FOLDER: Final = "usr."


@final
class MessageProperties:
    """The properties of one message; of several with one name, the first."""

    __slots__ = ("_area", "_found")

    def __init__(self, area: bytes) -> None:
        self._area = area
        self._found: dict[str, Property] | None = None

    def _read(self) -> dict[str, Property]:
        found = self._found
        if found is None:
            found = {}
            for one in read_properties(self._area):
                found.setdefault(one.name, one)
            self._found = found
        return found

    def typed(self, name: str) -> Property:
        """The property with its type and the fields of its MQPD; KeyError without one."""
        one = find_property(self._area, name.removeprefix(_USER_FOLDER))
        if one is None:
            raise KeyError(name)
        return one

    def in_order(self) -> list[Property]:
        """All of them, in their order."""
        return [*self._read().values()]

    def get(self, name: str, default: PropertyValue = None) -> PropertyValue:
        """The value of a property, or the default."""
        one = find_property(self._area, name.removeprefix(_USER_FOLDER))
        return default if one is None else one.value

    def as_dict(self) -> dict[str, PropertyValue]:
        """Names and values, in their order."""
        return {name: one.value for name, one in self._read().items()}

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
        return self.typed(name).value

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.removeprefix(_USER_FOLDER) in self._read()

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
    found = [_property(name, value) for name, value in given.items()]
    _refuse_mixed(found)
    try:
        return pack_area(found)
    except (UnicodeEncodeError, ValueError) as error:
        raise mq_error(MQRC_PROPERTY_TYPE_ERROR, verb="MQPUT", detail=str(error)) from error


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
