"""One way from the body of any segment to its values, and back: finds the table and drives it.

`read_body` and `write_body` are for every type but INITIAL_DATA, which is there before the rest is
known and has its own file. Values are by name in a dict; `is_packed` leaves structures as bytes.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base.constants import MQCC_FAILED
from ternmq.base.errors import LocalProtocolError, MQError
from ternmq.base.reasons import MQRC_OBJECT_STRING_ERROR
from ternmq.codec.mqi.charv import CharV, read_charv
from ternmq.wire.fap.call_flows import CALL_FLOWS, CALL_HEADER, output_area
from ternmq.wire.fap.control_flows import CONTROL_FLOWS
from ternmq.wire.fap.part import REST, Cursor, Output, Part, Values, write_parts
from ternmq.wire.fap.segment import TSH_BYTES, Header, Segment, SegmentError, StructureError
from ternmq.wire.fap.spi_flows import (
    SPI_HEADER,
    SPI_REPLIES,
    SPI_REQUESTS,
    XA_FLOWS,
    XA_HEADER,
)
from ternmq.wire.fap.vocabulary import (
    CHANNEL_TYPES,
    INITIAL_DATA,
    PROTOCOL_INVALID_DATA,
    PROTOCOL_SEGMENT_TYPE,
    REPLY,
    SPI,
    TYPE_NAMES,
    is_call,
    type_name,
)


@final
class Body:
    """The values of a body, and what is needed to find more in it."""

    __slots__ = ("ccsid", "data", "secrets", "starts", "type", "values")

    def __init__(self, type: int, values: Values, cursor: Cursor) -> None:
        self.type = type
        self.values = values
        self.data = cursor.data
        self.starts = cursor.starts
        self.secrets = cursor.secrets
        self.ccsid = cursor.ccsid

    def string(self, of: str, described: CharV, bytes_max: int) -> str:
        """A string of variable length that the structure `of` describes.

        That its offset counts from the start of the structure is a guess.
        """
        try:
            return read_charv(
                described,
                self.data,
                self.starts[of],
                self.ccsid,
                MQRC_OBJECT_STRING_ERROR,
                bytes_max,
            )
        except (MQError, UnicodeError, KeyError) as error:
            raise SegmentError(
                f"{type_name(self.type)}: a string of {of} is not there: {described!r}",
                PROTOCOL_INVALID_DATA,
            ) from error


_TABLES: Final[dict[int, list[Part]]] = {}
for _type in TYPE_NAMES:
    if _type == INITIAL_DATA or _type in CHANNEL_TYPES:
        continue
    if _type in CONTROL_FLOWS:
        _TABLES[_type] = CONTROL_FLOWS[_type]
    elif _type in (SPI, SPI + REPLY):
        _TABLES[_type] = [*CALL_HEADER, SPI_HEADER]
    elif is_call(_type):
        _TABLES[_type] = [*CALL_HEADER, *CALL_FLOWS[_type]]
    else:
        _TABLES[_type] = [*XA_HEADER, *XA_FLOWS.get(_type, [])]


def body_table(type: int) -> list[Part]:
    """The parts of a body, as far as the type alone says (the verb of SPI says more)."""
    table = _TABLES.get(type)
    if table is None and type in CHANNEL_TYPES:
        # Only traces of message channels need these: a client does not.
        from ternmq.wire.fap.channel_flows import CHANNEL_FLOWS

        table = CHANNEL_FLOWS[type]
    if table is None:
        raise SegmentError(f"{type_name(type)}: no body is known", PROTOCOL_SEGMENT_TYPE)
    return table


def verb_table(type: int, values: Values) -> list[Part]:
    """The parts that the verb of an SPI call adds; none if its layout is not known."""
    if type == SPI:
        return SPI_REQUESTS.get(values.get("verb", 0), [])
    if type == SPI + REPLY:
        return SPI_REPLIES.get(values.get("verb", 0), [])
    return []


def read_body(one: Segment, fap_level: int, *, is_packed: bool = False) -> Body:
    """The body of a segment, or of a call put together from several."""
    header = one.header
    cursor = Cursor(one.data, one.body_at, header.order, header.text_ccsid, fap_level, is_packed)
    cursor.is_cut = one.is_cut
    values: Values = {}
    try:
        for part in body_table(header.type):
            if not cursor.left and _ends_early(header.type, values):
                break
            part.read(cursor, values)
        for part in verb_table(header.type, values):
            if not cursor.left and _ends_early(header.type, values):
                break
            part.read(cursor, values)
    except SegmentError as error:
        raise SegmentError(f"{type_name(header.type)}: {error}", error.status) from error
    except MQError as wrong:
        raise StructureError(f"{type_name(header.type)}: {wrong}", wrong) from wrong
    except UnicodeError as text:
        raise SegmentError(f"{type_name(header.type)}: {text}", PROTOCOL_INVALID_DATA) from text
    if cursor.left:
        values[REST] = cursor.data[cursor.at :]
    return Body(header.type, values, cursor)


def _ends_early(type: int, values: Values) -> bool:
    # Whether the reply to a call that failed has a body is not known for every call: it need not.
    return 0x91 <= type <= 0x9F and values.get("comp", 0) == MQCC_FAILED


def write_body(header: Header, values: Values, fap_level: int) -> bytes:
    """The body of a segment with this header. What is not given has its default; `call_length`,
    counts and lengths follow from the rest."""
    type = header.type
    out = Output(header.order, header.text_ccsid, fap_level)
    given = dict(values)
    try:
        table = [*body_table(type), *verb_table(type, given)]
        write_parts(table, out, given)
    except (MQError, struct.error, UnicodeError, TypeError) as error:
        raise LocalProtocolError(f"{type_name(type)}: {error}") from error
    out.data += given.get(REST, b"")
    if type >= 0x80 and "call_length" not in given:
        own = TSH_BYTES if type & REPLY else header.size
        length = own + len(out.data) + output_area(type, given)
        struct.pack_into(">I", out.data, 0, length & 0xFFFFFFFF)
    return bytes(out.data)
