"""The MQ headers that stand in front of a message's application data, one behind the other.

The descriptor's Format names the first header, each header that of the next. They are MQDLH and
MQXQH, whose lengths are fixed, and those of one shape: MQMDE, MQIIH, MQCIH and all whose format
begins with MQH have StrucId, Version, StrucLength, Encoding, CodedCharSetId and Format in front.
"""

from __future__ import annotations

import struct
from typing import Final

from ternmq.base import constants as mq
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.layout import byte_order
from ternmq.codec.mqi.mqmd import ENCODING_AT, FORMAT_AT
from ternmq.codec.properties import characters

_PAIR: Final = struct.Struct("<ii")
_LEAST: Final = 28  # up to the end of Format
_CHAIN_MAX: Final = 32
# Where Encoding stands, and the length.
_FIXED: Final[dict[bytes, tuple[int, int]]] = {
    b"MQDEAD  ": (108, mq.MQDLH_LENGTH_1),
    b"MQXMIT  ": (128, mq.MQXQH_LENGTH_1),
}
_OF_ONE_SHAPE: Final = (b"MQIMS   ", b"MQCICS  ")
_FAMILY: Final = b"MQH"


def headers_length(data: bytes, base: bytes) -> int:
    """How many bytes of the data are headers; `base` is the packed descriptor. What is no sound
    header, and all behind it, is application data."""
    encoding, ccsid = _PAIR.unpack_from(base, ENCODING_AT)
    format = base[FORMAT_AT : FORMAT_AT + 8]
    at = 0
    for _ in range(_CHAIN_MAX):
        fixed = _FIXED.get(format)
        if fixed is None and not (format in _OF_ONE_SHAPE or format.startswith(_FAMILY)):
            break
        if len(data) - at < _LEAST:
            break
        order = byte_order(encoding)
        if fixed is None:
            fields_at = 12
            length = struct.unpack_from(f"{order}i", data, at + 8)[0]
        else:
            fields_at, length = fixed
        if not fields_at + 16 <= length <= len(data) - at:
            break
        encoding, next_ccsid, text = struct.unpack_from(f"{order}ii8s", data, at + fields_at)
        format = characters(text, ccsid if ccsid > 0 else UTF8)
        if next_ccsid > 0:
            ccsid = next_ccsid
        at += length
    return at
