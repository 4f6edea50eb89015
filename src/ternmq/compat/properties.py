"""Message properties: a bag of names and values, and how it travels in an MQRFH2.

A property without a folder of its own stands in the folder `usr`; `dt` says its type. Our queue
manager has no message handles of its own yet: a handle is a bag in this process, written ahead of
the data of a put and read from ahead of the data of a get.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_HMSG_ERROR,
    MQRC_PROP_VALUE_NOT_CONVERTED,
    MQRC_PROPERTY_NAME_ERROR,
    MQRC_PROPERTY_NOT_AVAILABLE,
    MQRC_PROPERTY_TYPE_ERROR,
)
from ternmq.codec.layout import byte_order
from ternmq.codec.mqmd import Descriptor
from ternmq.codec.mqrfh import RulesHeader2, folder_name

FOLDERS: Final = ("mcd", "jms", "mqext", "mqps", "mq_usr", "sib", "sib_usr", "sib_context", "usr")
_NIL: Final = "{http://www.w3.org/2001/XMLSchema-instance}nil"
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
_INTEGERS: Final = (mq.MQTYPE_INT8, mq.MQTYPE_INT16, mq.MQTYPE_INT32, mq.MQTYPE_INT64)
_FLOATS: Final = (mq.MQTYPE_FLOAT32, mq.MQTYPE_FLOAT64)


class Property(NamedTuple):
    """A value and its MQTYPE."""

    value: Any
    kind: int


def typed(value: Any, kind: int) -> Property:
    """A value as one of a type; TypeError and ValueError as Python's own conversions raise them."""
    if kind in _INTEGERS:
        return Property(int(value), kind)
    if kind in _FLOATS:
        return Property(float(value), kind)
    if kind == mq.MQTYPE_BOOLEAN:
        return Property(bool(value), kind)
    if kind == mq.MQTYPE_BYTE_STRING:
        return Property(bytes(value), kind)
    if kind == mq.MQTYPE_NULL:
        return Property(None, kind)
    if kind == mq.MQTYPE_STRING:
        return Property(value.decode("utf-8") if isinstance(value, bytes) else str(value), kind)
    raise mq_error(MQRC_PROPERTY_TYPE_ERROR, detail=f"type {kind}")


class PropertyBag:
    """The properties of one message handle, in their order."""

    def __init__(self) -> None:
        self.found: dict[str, Property] = {}
        self._at = 0  # where an inquiry for the next one goes on

    def set(self, name: str, value: Any, kind: int) -> None:
        """MQSETMP."""
        if not name or name.endswith(".") or "%" in name:
            raise mq_error(MQRC_PROPERTY_NAME_ERROR, verb="MQSETMP", detail=f"name {name!r}")
        self.found[name.removeprefix("usr.")] = typed(value, kind)

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
        except (TypeError, ValueError) as error:
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

    def take(self, folder: str) -> None:
        """The properties of a folder."""
        root = _parsed(folder)
        prefix = "" if root.tag == "usr" else f"{root.tag}."
        for name, element in _leaves(root, prefix):
            self.found[name] = _value(element)


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
    return escape(str(one.value))


def _parsed(folder: str) -> ElementTree.Element:
    try:
        return ElementTree.fromstring(folder)
    except ElementTree.ParseError:
        # A null is written with a prefix that the folder does not declare.
        declared = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
        name = folder_name(folder)
        return ElementTree.fromstring(folder.replace(f"<{name}", f"<{name} {declared}", 1))


def _leaves(element: ElementTree.Element, prefix: str) -> Iterator[tuple[str, ElementTree.Element]]:
    for child in element:
        name = f"{prefix}{child.tag}"
        if len(child):
            yield from _leaves(child, f"{name}.")
        else:
            yield name, child


def _value(element: ElementTree.Element) -> Property:
    text = element.text or ""
    kind = _BY_NAME.get(element.get("dt", ""), mq.MQTYPE_STRING)
    if element.get(_NIL) == "true":
        return Property(None, mq.MQTYPE_NULL)
    if kind == mq.MQTYPE_BOOLEAN:
        return Property(text.strip() in ("1", "true"), kind)
    if kind == mq.MQTYPE_BYTE_STRING:
        return Property(bytes.fromhex(text), kind)
    return typed(text, kind)


# ---- handles

_numbers: Final = itertools.count(1)
_bags: Final[dict[int, PropertyBag]] = {}


def create_handle() -> int:
    """MQCRTMH."""
    number = next(_numbers)
    _bags[number] = PropertyBag()
    return number


def delete_handle(handle: int) -> None:
    """MQDLTMH."""
    bag_of(handle, "MQDLTMH")
    del _bags[handle]


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


def without_properties(md: Descriptor, data: bytes, bag: PropertyBag | None) -> bytes:
    """The data without the headers that hold properties, which go into the bag; the descriptor is
    told. Other folders stay. What cannot be read stays as it is."""
    while md.format == mq.MQFMT_RF_HEADER_2:
        order = byte_order(md.encoding)
        try:
            header = RulesHeader2.unpack(data, order=order, ccsid=1208)
        except MQError:
            return data
        theirs = [one for one in header.folders if not _is_of_properties(one)]
        if bag is not None:
            for folder in header.folders:
                if _is_of_properties(folder):
                    bag.take(folder)
        rest = data[header.size() :]
        if theirs:
            header.folders = theirs
            return header.pack(order) + rest
        data = rest
        md.format, md.ccsid, md.encoding = header.format, _ccsid(header, md), header.encoding
    return data


def _ccsid(header: RulesHeader2, md: Descriptor) -> int:
    return md.ccsid if header.ccsid == mq.MQCCSI_INHERIT else header.ccsid


def _is_of_properties(folder: str) -> bool:
    head = folder.partition(">")[0]
    return folder_name(folder) in FOLDERS or "content='properties'" in head.replace('"', "'")
