"""The second part of a workload's messages: small properties, large ones, or those of an MQRFH2.

Data that `body_of` makes says in its head which kind of second part goes with it, so a put and a
checker need nothing but the data. The checker compares an area byte by byte; where an application
put an MQRFH2, the message as put must come back byte by byte, as PROPCTL(V6COMPAT) gives it.
"""

from __future__ import annotations

from functools import cache
from typing import Final, final
from zlib import crc32

from ternmq.base import constants as mq
from ternmq.codec.headers.mqrfh import RulesHeader2
from ternmq.codec.mqi.mqmd import FORMAT_AT
from ternmq.codec.property import Property
from ternmq.codec.property_area import pack_area, read_properties
from ternmq.codec.property_header import as_put
from ternmq.values.entry import Entry

NOTHING: Final = 0
SMALL: Final = 1
LARGE: Final = 2
HEADER: Final = 3
MARK: Final = b"+"  # between the size and the kind in the head of data
_FORMAT: Final = b"MQHRF2  "


@final
class Beside:
    """What is put beside the data: an area of properties, or an MQRFH2 in front of it."""

    __slots__ = ("area", "header", "properties")

    def __init__(self, properties: list[Property], area: bytes, header: bytes) -> None:
        self.properties = properties
        self.area = area
        self.header = header


_ALONE: Final = Beside([], b"", b"")


def kind_for(name: str) -> int:
    """Four of ten messages have a second part; the name decides."""
    return (SMALL, SMALL, LARGE, HEADER, *([NOTHING] * 6))[crc32(name.encode("ascii")) % 10]


@cache
def beside(name: str, kind: int) -> Beside:
    """The second part of a message of that name."""
    number = crc32(name.encode("ascii")) & 0x7FFFFFFF
    properties = [
        Property("number", mq.MQTYPE_INT32, number),
        Property("name", mq.MQTYPE_STRING, name),
    ]
    if kind == NOTHING:
        return _ALONE
    if kind == HEADER:
        usr = f"<usr><number dt='i4'>{number}</number><name>{name}</name></usr>"
        header = RulesHeader2(format="MQSTR", ccsid=1208, folders=["<mcd></mcd>", usr]).pack()
        return Beside(properties, b"", header)
    if kind == LARGE:
        properties += [
            Property("mine.text", mq.MQTYPE_STRING, f"{name} \u00e4\u20ac " * 60),
            Property("bytes", mq.MQTYPE_BYTE_STRING, bytes(range(256))),
            Property("nothing", mq.MQTYPE_NULL, None),
            Property("real", mq.MQTYPE_FLOAT64, number / 7, mq.MQPD_SUPPORT_OPTIONAL, 1, 4),
        ]
    return Beside(properties, pack_area(properties), b"")


def beside_of(data: bytes) -> Beside:
    """What goes with data; nothing if its head does not say."""
    name, _, rest = data[:100].partition(b" ")
    size, mark, kind = rest.partition(b" ")[0].partition(MARK)
    if not mark or not size.isdigit() or not kind.isdigit():
        return _ALONE
    return beside(name.decode("ascii"), int(kind))


def complaint(entry: Entry) -> str:
    """How the second part of a message differs from what was put; empty if it does not."""
    put = beside_of(entry.data)
    found = entry.properties
    if not put.header:
        return "" if found == put.area else f"properties {found!r}, not {put.area!r}"
    pairs = [(one.name, one.value) for one in read_properties(found)]
    if pairs != [(one.name, one.value) for one in put.properties]:
        return f"properties {pairs}"
    data, base = as_put(found, entry.data, entry.base, original_only=True)
    if data != put.header + entry.data or base[FORMAT_AT : FORMAT_AT + 8] != _FORMAT:
        return f"as put it would be {data[:200]!r}"
    return ""


def complaint_after_travel(entry: Entry) -> str:
    """The same for a message that came over a channel, where properties travel as an MQRFH2: names
    and values must be what they were."""
    put = beside_of(entry.data)
    pairs = {one.name: one.value for one in read_properties(entry.properties)}
    wanted = {one.name: one.value for one in put.properties}  # folders change their order
    return "" if pairs == wanted else f"properties {pairs}, not {wanted}"
