"""MQGMO_CONVERT: message data into the character set that the application asks for.

The built-in formats are converted: MQSTR, which is text, and PCF (MQADMIN, MQEVENT, MQPCF), whose
numbers change their byte order too, up to 16384 structures. The data of other formats is the
application's, so it comes as it is, with the warning MQRC_FORMAT_ERROR. What cannot be converted
comes as it is as well, with MQRC_NOT_CONVERTED.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import (
    MQRC_FORMAT_ERROR,
    MQRC_NOT_CONVERTED,
    MQRC_SOURCE_CCSID_ERROR,
    MQRC_TARGET_CCSID_ERROR,
)
from ternmq.codec import charset
from ternmq.codec.mqi.layout import byte_order
from ternmq.codec.mqi.mqmd import CCSID_AT, ENCODING_AT, FORMAT_AT
from ternmq.codec.pcf.parameter import Parameter, PCFError
from ternmq.codec.pcf.structures import unpack_pcf

_PCF_FORMATS: Final = (mq.MQFMT_ADMIN, mq.MQFMT_EVENT, mq.MQFMT_PCF)
_I32: Final = struct.Struct("<i")
PCF_PARTS_MAX: Final = 16384  # structures; more would keep others waiting for the conversion


@final
class Converted:
    """The data, the descriptor's base that goes with it, and a warning or 0."""

    __slots__ = ("base", "data", "warning")

    def __init__(self, data: bytes, base: bytes, warning: int) -> None:
        self.data = data
        self.base = base
        self.warning = warning


def convert(data: bytes, base: bytes, ccsid: int, encoding: int) -> Converted:
    """Convert what can be converted; nothing is lost where it cannot."""
    have = _I32.unpack_from(base, CCSID_AT)[0]
    have_encoding = _I32.unpack_from(base, ENCODING_AT)[0]
    name = base[FORMAT_AT : FORMAT_AT + 8].rstrip(b" \0").decode("ascii", "replace")
    is_pcf = name in _PCF_FORMATS
    same_order = byte_order(have_encoding) == byte_order(encoding)
    if have == ccsid and (same_order or not (is_pcf or charset.is_wide(ccsid))):
        return Converted(data, base, 0)
    if name != mq.MQFMT_STRING and not is_pcf:
        return Converted(data, base, MQRC_FORMAT_ERROR)
    if not charset.is_known(have):
        return Converted(data, base, MQRC_SOURCE_CCSID_ERROR)
    if not charset.is_known(ccsid):
        return Converted(data, base, MQRC_TARGET_CCSID_ERROR)
    try:
        if is_pcf:
            message = unpack_pcf(data, byte_order(have_encoding), have, PCF_PARTS_MAX)
            _forget_own_sets(message.parameters)
            turned = message.pack(byte_order(encoding), ccsid)
        else:
            text = charset.decode(data, have, byte_order(have_encoding))
            turned = charset.encode(text, ccsid, byte_order(encoding))
    except PCFError:
        return Converted(data, base, MQRC_FORMAT_ERROR)
    except (MQError, UnicodeError):
        return Converted(data, base, MQRC_NOT_CONVERTED)
    changed = base[:ENCODING_AT] + _I32.pack(encoding) + _I32.pack(ccsid) + base[FORMAT_AT:]
    return Converted(turned, changed, 0)


def _forget_own_sets(parameters: list[Parameter]) -> None:
    """All strings will be in the set of the descriptor."""
    for one in parameters:
        one.ccsid = 0
        _forget_own_sets(one.members)
