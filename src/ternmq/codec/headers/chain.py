"""The MQ headers that message data begins with: where each ends, and what it says of what follows.

The descriptor names the format of the first one, each header that of the next. A header is known by
its format and its StrucId; the chain ends at the first that is unknown or invalid.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base import constants as mq
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.layout import byte_order
from ternmq.codec.mqi.mqmd import ENCODING_AT, FORMAT_AT
from ternmq.codec.properties import characters

_PAIR: Final = struct.Struct("<ii")
_HEADERS_MAX: Final = 64
_LEAST: Final = 28

# By format: StrucId, where Encoding, CodedCharSetId and Format of what follows stand, and the
# length; 0: it stands at 8.
_KNOWN: Final[dict[bytes, tuple[bytes, int, int]]] = {
    b"MQCICS  ": (b"CIH ", 12, 0),
    b"MQDEAD  ": (b"DLH ", 108, mq.MQDLH_LENGTH_1),
    b"MQHDIST ": (b"DH  ", 12, 0),
    b"MQHEPCF ": (b"EPH ", 12, 0),
    b"MQHMDE  ": (b"MDE ", 12, 0),
    b"MQHREF  ": (b"RMH ", 12, 0),
    b"MQHRF   ": (b"RFH ", 12, 0),
    b"MQHRF2  ": (b"RFH ", 12, 0),
    b"MQHWIH  ": (b"WIH ", 12, 0),
    b"MQIMS   ": (b"IIH ", 12, 0),
    b"MQXMIT  ": (b"XQH ", 128, mq.MQXQH_LENGTH_1),
}


@final
class ChainedHeader:
    """One header in the data."""

    __slots__ = ("end", "fields")

    def __init__(self, end: int, fields: bytes) -> None:
        self.end = end
        self.fields = fields  # Encoding, CCSID and Format of what follows, as a descriptor has them


def headers_of(data: bytes, base: bytes) -> list[ChainedHeader]:
    """The headers at the beginning of data with that descriptor, in its canonical form."""
    found: list[ChainedHeader] = []
    encoding, ccsid = _PAIR.unpack_from(base, ENCODING_AT)
    format = base[FORMAT_AT : FORMAT_AT + 8]
    at = 0
    while len(found) < _HEADERS_MAX:
        known = _KNOWN.get(format)
        if known is None or len(data) - at < _LEAST:
            break
        struc_id, fields_at, length = known
        order = byte_order(encoding)
        text_ccsid = ccsid if ccsid > 0 else UTF8
        if characters(data[at : at + 4], text_ccsid) != struc_id:
            break
        if length == 0:
            length = struct.unpack_from(f"{order}i", data, at + 8)[0]
        if not fields_at + 16 <= length <= len(data) - at:
            break
        encoding, said, text = struct.unpack_from(f"{order}ii8s", data, at + fields_at)
        if said > 0:
            ccsid = said
        format = characters(text, text_ccsid)
        at += length
        found.append(ChainedHeader(at, _PAIR.pack(encoding, ccsid) + format))
    return found
