"""Message properties: a bag of names and values, and how it travels in an MQRFH2.

A property without a folder of its own stands in the folder `usr`; `dt` says its type. Our queue
manager has no message handles of its own yet: a handle is a bag in this process, written ahead of
the data of a put and read from ahead of the data of a get.

What is set is checked when it is set (property_names, `typed`), so that every message made here
can be read. What is read was perhaps written by others: codec.properties says what becomes of it,
and nothing of it can make a get fail.
"""

from __future__ import annotations

import itertools
import re
import struct
import weakref
from typing import Any, Final, NamedTuple
from xml.sax.saxutils import escape

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_HMSG_ERROR,
    MQRC_MIXED_CONTENT_NOT_ALLOWED,
    MQRC_PROP_VALUE_NOT_CONVERTED,
    MQRC_PROPERTIES_TOO_BIG,
    MQRC_PROPERTY_NOT_AVAILABLE,
    MQRC_PROPERTY_TYPE_ERROR,
)
from ternmq.codec.headers.mqrfh import RulesHeader2
from ternmq.codec.mqi.layout import byte_order
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.properties import FOLDERS, PARTS_MAX, is_of_type, take_apart
from ternmq.compat.property_names import check_name

_TYPES: Final = {
    mq.MQTYPE_BOOLEAN: "boolean",
    mq.MQTYPE_BYTE_STRING: "bin.hex",
    mq.MQTYPE_INT8: "i1",
    mq.MQTYPE_INT16: "i2",
    mq.MQTYPE_INT32: "i4",
    mq.MQTYPE_INT64: "i8",
    mq.MQTYPE_FLOAT32: "r4",
    mq.MQTYPE_FLOAT64: "r8",
    mq.MQTYPE_STRING: "",
}
_BY_NAME: Final = {name: kind for kind, name in _TYPES.items()} | {"string": mq.MQTYPE_STRING}
_BITS: Final = {
    mq.MQTYPE_INT8: 8,
    mq.MQTYPE_INT16: 16,
    mq.MQTYPE_INT32: 32,
    mq.MQTYPE_INT64: 64,
}
_FLOATS: Final = (mq.MQTYPE_FLOAT32, mq.MQTYPE_FLOAT64)
_NO_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REALS: Final = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_ELEMENTS_MAX: Final = PARTS_MAX - 64  # the header and the folders count, too
_FEW: Final = 3  # properties that are never too many: a name has at most 2048 parts
_RETURN: Final = {"\r": "&#13;"}  # as it is, it would be read as the end of a line


class Property(NamedTuple):
    """A value and its MQTYPE."""

    value: Any
    kind: int


def typed(value: Any, kind: int) -> Property:
    """A value as one of a type; TypeError and ValueError as Python's own conversions raise them."""
    if kind in _BITS:
        return Property(_integer(int(value), kind), kind)
    if kind in _FLOATS:
        return Property(_real(float(value), kind), kind)
    if kind == mq.MQTYPE_BOOLEAN:
        return Property(bool(value), kind)
    if kind == mq.MQTYPE_BYTE_STRING:
        return Property(bytes(value), kind)
    if kind == mq.MQTYPE_NULL:
        return Property(None, kind)
    if kind == mq.MQTYPE_STRING:
        return Property(value.decode("utf-8") if isinstance(value, bytes) else str(value), kind)
    raise mq_error(MQRC_PROPERTY_TYPE_ERROR, detail=f"there is no type {kind}")


def _integer(value: int, kind: int) -> int:
    highest = (1 << (_BITS[kind] - 1)) - 1
    if not -highest - 1 <= value <= highest:
        raise ValueError(f"{value} has no room in {_BITS[kind]} bits; use a longer type")
    return value


def _real(value: float, kind: int) -> float:
    """As the type has it: one of 32 bits is rounded to them."""
    if kind == mq.MQTYPE_FLOAT64:
        return value
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError as error:
        raise ValueError(f"{value} has no room in 32 bits; use MQTYPE_FLOAT64") from error
    return rounded


def _settable(name: str, value: Any, kind: int) -> Property:
    """The property, if a message can carry it; else MQRC_PROPERTY_TYPE_ERROR says why."""
    try:
        one = typed(value, kind)
    except (ValueError, OverflowError) as error:
        detail = f"{name} cannot be of type {kind}: {error}"
        raise mq_error(MQRC_PROPERTY_TYPE_ERROR, verb="MQSETMP", detail=detail) from error
    found = _NO_XML.search(one.value) if isinstance(one.value, str) else None
    if found is not None:
        detail = (
            f"{name} has the character U+{ord(found.group()):04X}, which no string of an MQRFH2 can"
            " have; set it as MQTYPE_BYTE_STRING"
        )
        raise mq_error(MQRC_PROPERTY_TYPE_ERROR, verb="MQSETMP", detail=detail)
    return one


class PropertyBag:
    """The properties of one message handle, in their order."""

    def __init__(self) -> None:
        self.found: dict[str, Property] = {}
        self._at = 0  # where an inquiry for the next one goes on

    def set(self, name: str, value: Any, kind: int) -> None:
        """MQSETMP."""
        plain = check_name(name)
        self._refuse_mixed(plain)
        one = _settable(plain, value, kind)
        if plain not in self.found and len(self.found) >= _FEW:
            self._refuse_too_many(plain)
        self.found[plain] = one

    def _refuse_too_many(self, name: str) -> None:
        """A get would leave properties in the data if there were more."""
        elements = sum(other.count(".") + 1 for other in (*self.found, name))
        if elements > _ELEMENTS_MAX:
            detail = f"{name} would be one of {elements} elements; {_ELEMENTS_MAX} are the most"
            raise mq_error(MQRC_PROPERTIES_TOO_BIG, verb="MQSETMP", detail=detail)

    def _refuse_mixed(self, name: str) -> None:
        """A name is that of a value or of a group."""
        for other in self.found:
            if other.startswith(f"{name}.") or name.startswith(f"{other}."):
                detail = f"{name} beside {other}: one would be a value and a group; rename it"
                raise mq_error(MQRC_MIXED_CONTENT_NOT_ALLOWED, verb="MQSETMP", detail=detail)

    def inquire(self, name: str, options: int, kind: int) -> tuple[str, Property]:
        """MQINQMP: by name, or the next one if the name ends with %."""
        found = self._next(name, options) if name.endswith("%") else name.removeprefix("usr.")
        if found not in self.found:
            raise mq_error(MQRC_PROPERTY_NOT_AVAILABLE, verb="MQINQMP", detail=f"name {name!r}")
        one = self.found[found]
        if kind in (mq.MQTYPE_AS_SET, one.kind):
            return found, one
        if not options & mq.MQIMPO_CONVERT_TYPE:
            detail = f"{name} is of type {one.kind}, not {kind}"
            raise mq_error(MQRC_PROPERTY_TYPE_ERROR, verb="MQINQMP", detail=detail)
        try:
            return found, typed(one.value, kind)
        except (TypeError, ValueError, OverflowError) as error:
            detail = f"{name}: {error}"
            raise mq_error(MQRC_PROP_VALUE_NOT_CONVERTED, verb="MQINQMP", detail=detail) from error

    def _next(self, name: str, options: int) -> str:
        prefix = name[:-1].removeprefix("usr.")
        names = [one for one in self.found if one.startswith(prefix)]
        if not options & mq.MQIMPO_INQ_NEXT:
            self._at = 0
        self._at += 1
        return names[self._at - 1] if self._at <= len(names) else ""

    def delete(self, name: str) -> None:
        """MQDLTMP."""
        if self.found.pop(name.removeprefix("usr."), None) is None:
            raise mq_error(MQRC_PROPERTY_NOT_AVAILABLE, verb="MQDLTMP", detail=f"name {name!r}")

    # ---- folders

    def folders(self) -> list[str]:
        """The properties as folders of an MQRFH2."""
        trees: dict[str, list[str]] = {}
        for name, one in self.found.items():
            first, _, rest = name.partition(".")
            folder = first if rest and first in FOLDERS else "usr"
            inside = rest if rest and first in FOLDERS else name
            trees.setdefault(folder, []).append(_element(inside.split("."), one))
        return [f"<{name}>{''.join(parts)}</{name}>" for name, parts in trees.items()]

    def take(self, name: str, kind: str, text: str | None) -> None:
        """A property of a message: name, `dt` and text."""
        self.found[name] = _read(kind, text)


def _element(path: list[str], one: Property) -> str:
    dt = _TYPES.get(one.kind, "")
    attribute = f' dt="{dt}"' if dt else ""
    if one.kind == mq.MQTYPE_NULL:
        attribute = ' xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    text = _written(one)
    for name in reversed(path):
        text = f"<{name}{attribute}>{text}</{name}>"
        attribute = ""
    return text


def _written(one: Property) -> str:
    if one.value is None:
        return ""
    if isinstance(one.value, bool):
        return "1" if one.value else "0"
    if isinstance(one.value, bytes):
        return one.value.hex().upper()
    if isinstance(one.value, float):
        return _REALS.get(str(one.value), str(one.value))
    return escape(str(one.value), _RETURN)


def _read(kind: str, text: str | None) -> Property:
    """A value that does not fit its type is a string, as it stands: whoever wrote it, it must not
    keep the message from being got."""
    if text is None:
        return Property(None, mq.MQTYPE_NULL)
    number = _BY_NAME.get(kind, mq.MQTYPE_STRING)
    if number == mq.MQTYPE_STRING:
        return Property(text, number)
    stripped = text.strip()
    if not is_of_type(kind, stripped):
        return Property(text, mq.MQTYPE_STRING)
    if number == mq.MQTYPE_BOOLEAN:
        return Property(stripped in ("1", "true"), number)
    if number == mq.MQTYPE_BYTE_STRING:
        return Property(bytes.fromhex(stripped), number)
    if number in _FLOATS:
        return Property(float(stripped), number)
    return Property(int(stripped), number)


# ---- handles

_numbers: Final = itertools.count(1)
_bags: Final[weakref.WeakValueDictionary[int, PropertyBag]] = weakref.WeakValueDictionary()


class HandleNumber(int):
    """A message handle: a number that keeps its bag. pymqi has no way to delete a handle, so a bag
    lives as long as somebody has its number, in an MQPMO say."""

    bag: PropertyBag


def create_handle() -> int:
    """MQCRTMH."""
    number = HandleNumber(next(_numbers))
    number.bag = PropertyBag()
    _bags[int(number)] = number.bag
    return number


def delete_handle(handle: int) -> None:
    """MQDLTMH."""
    bag_of(handle, "MQDLTMH")
    del _bags[int(handle)]


def bag_of(handle: object, verb: str) -> PropertyBag:
    """The bag of a handle; MQRC_HMSG_ERROR if there is none."""
    bag = _bags.get(handle) if isinstance(handle, int) else None
    if bag is None:
        raise mq_error(MQRC_HMSG_ERROR, verb=verb, detail=f"message handle {handle!r}")
    return bag


# ---- messages


def with_properties(bag: PropertyBag, md: Descriptor, data: bytes) -> bytes:
    """The data with the properties ahead of it; the descriptor is told."""
    if not bag.found:
        return data
    header = RulesHeader2(
        encoding=md.encoding, ccsid=md.ccsid or 1208, format=md.format, folders=bag.folders()
    )
    md.format = mq.MQFMT_RF_HEADER_2
    md.ccsid = 1208
    md.encoding = mq.MQENC_NATIVE
    return header.pack(byte_order(md.encoding)) + data


def without_properties(md: Descriptor, data: bytes, bag: PropertyBag) -> bytes:
    """The data without the headers that hold properties, which go into the bag; the descriptor is
    told. What cannot be read stays as it is."""
    if md.format.rstrip() != mq.MQFMT_RF_HEADER_2.rstrip():
        return data
    apart = take_apart(data, md.encoding, md.ccsid)
    if apart is None:
        return data
    for name, kind, text in apart.properties:
        bag.take(name, kind, text)
    md.format = apart.format.decode("utf-8", "surrogateescape").rstrip()
    md.encoding = apart.encoding
    md.ccsid = apart.ccsid
    return apart.data
