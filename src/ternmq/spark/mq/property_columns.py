"""Message properties as the source returns them: name, type and value of each, and the body
without their headers. `codec.properties` decides what is a property, and what stays in the body
because it cannot be read.
"""

from __future__ import annotations

from typing import NamedTuple

from ternmq.codec.properties import FORMAT as FORMAT
from ternmq.codec.properties import take_apart
from ternmq.codec.property_area import read_properties
from ternmq.codec.property_folders import Element as Element
from ternmq.codec.property_folders import read_folder
from ternmq.codec.property_header import as_text

properties_of = read_folder


def properties_in(area: bytes) -> list[Element]:
    """The properties of a property area."""
    return [(one.name, *as_text(one)) for one in read_properties(area)]


class Headed(NamedTuple):
    """A message whose data began with an MQRFH2."""

    properties: list[Element]
    body: bytes
    format: str
    encoding: int
    ccsid: int


def without_header(data: bytes, encoding: int, ccsid: int) -> Headed | None:
    """The properties of a message and what is behind them; None if there is no valid header."""
    apart = take_apart(data, encoding, ccsid)
    if apart is None:
        return None
    format = apart.format.decode("utf-8", "surrogateescape")
    return Headed(apart.properties, apart.data, format, apart.encoding, apart.ccsid)


def bytes_of(kind: str, value: str | None) -> bytes | None:
    """A value as Kafka's headers have it: bytes as they are, all else as text."""
    if value is None:
        return None
    if kind == "bin.hex":
        try:
            return bytes.fromhex(value)
        except ValueError:
            pass  # it is not bytes, whatever its type says
    return value.encode()
