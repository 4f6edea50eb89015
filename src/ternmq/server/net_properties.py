"""Message properties in an MQRFH2: whether a message has any, and the message without them.

A folder of an MQRFH2 holds properties if MQ gives it to them (jms, mcd, usr, mqext, mqps, mqpss) or
says content='properties'. Other folders belong to the application and stay.
"""

from __future__ import annotations

import re
import struct
from typing import Final

from ternmq.codec.charset import decode, encode
from ternmq.codec.layout import byte_order
from ternmq.codec.mqmd import ENCODING_AT, FORMAT_AT

_RFH2_FORMAT: Final = b"MQHRF2  "
_HEAD_BYTES: Final = 36
_FOLDERS: Final = frozenset(
    ("jms", "mcd", "usr", "mqext", "mqps", "mqpss", "mq", "mqema", "mq_usr", "sib", "sib_usr")
)
_NAME: Final = re.compile(r"\s*<\s*([A-Za-z_][\w.\-]*)([^>]*)>")
_CONTENT: Final = re.compile(r"content\s*=\s*(['\"])properties\1")
_PAIR: Final = struct.Struct("<ii")


def has_properties(base: bytes) -> bool:
    """Whether the data may begin with properties."""
    return base[FORMAT_AT : FORMAT_AT + 8] == _RFH2_FORMAT


def without_properties(data: bytes, base: bytes) -> tuple[bytes, bytes]:
    """Data and descriptor's base without the properties; as they are if the header is not
    sound."""
    encoding, ccsid = _PAIR.unpack_from(base, ENCODING_AT)
    order = byte_order(encoding)
    if len(data) < _HEAD_BYTES:
        return data, base
    version, length, inner_encoding, inner_ccsid = struct.unpack_from(f"{order}iiii", data, 4)
    inner_format = data[20:28]
    _flags, name_ccsid = struct.unpack_from(f"{order}ii", data, 28)
    if version != 2 or not _HEAD_BYTES <= length <= len(data):
        return data, base
    kept: list[bytes] = []
    at = _HEAD_BYTES
    while at < length:
        if length - at < 4:
            return data, base
        size: int = struct.unpack_from(f"{order}i", data, at)[0]
        if not 0 <= size <= length - at - 4:
            return data, base
        folder = data[at + 4 : at + 4 + size]
        if not _is_properties(folder, name_ccsid):
            kept.append(data[at : at + 4 + size])
        at += 4 + size
    if kept:
        folders = b"".join(kept)
        head = data[:8] + struct.pack(f"{order}i", _HEAD_BYTES + len(folders))
        return head + data[12:_HEAD_BYTES] + folders + data[length:], base
    return data[length:], _inner_base(base, inner_encoding, inner_ccsid, ccsid, inner_format)


def _is_properties(folder: bytes, ccsid: int) -> bool:
    return is_property_folder(decode(folder, ccsid if ccsid > 0 else 1208))


def is_property_folder(folder: str) -> bool:
    """Whether a folder holds properties, by its first tag."""
    found = _NAME.match(folder)
    if found is None:
        return False
    return found.group(1) in _FOLDERS or _CONTENT.search(found.group(2)) is not None


def _inner_base(base: bytes, encoding: int, ccsid: int, outer_ccsid: int, format: bytes) -> bytes:
    """The descriptor of what the header said comes behind it; CCSIDs of 0 and below name the
    header's own."""
    if ccsid <= 0:
        ccsid = outer_ccsid
    name = format
    if not format.isascii():  # a header in EBCDIC
        name = encode(decode(format, outer_ccsid), 1208)
    return base[:ENCODING_AT] + _PAIR.pack(encoding, ccsid) + name + base[FORMAT_AT + 8 :]
