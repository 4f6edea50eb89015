"""Message properties in MQRFH2 headers: what they say, and the data without them.

A header is a fixed part of 36 bytes (mqrfh) and folders, each a length and text like XML:

    <usr><colour>red</colour><size dt='i4'>4</size></usr>
    <jms><Dst>queue:///ORDERS</Dst></jms>

A folder holds properties if MQ gives it to them or it says content='properties'. Others belong to
the application and stay in the data. property_folders has the folders, property_types the values.

The one rule for content that is not sound, for every reader of properties: what cannot be read
stays in the data, byte by byte, and nothing fails.

- A header is sound if its StrucId, version and lengths hold together and the CCSID of its folders
  is 1208, 1200, 13488 or 17584. Else it is data, and so is what follows it.
- A folder that is not sound (property_folders) stays, in a header that is otherwise the same.
- A value that does not fit its `dt` is a string.
- Of a message, 8192 headers, folders and elements are looked at. A header or folder that has more
  stays, and what follows it: nobody's message may keep all others waiting.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.codec.charset import UTF8, decode, encode, is_known, is_wide
from ternmq.codec.headers.mqrfh import FOLDER_CCSIDS, RulesHeader2
from ternmq.codec.mqi.layout import byte_order
from ternmq.codec.mqi.mqmd import ENCODING_AT, FORMAT_AT
from ternmq.codec.property import Property
from ternmq.codec.property_folders import (
    PARTS_MAX,
    Element,
    FolderReader,
    folders_of,
    is_property_folder,
    property_of,
)

FORMAT: Final = b"MQHRF2  "
# How far headers are looked at in a step under the engine's lock.
STEP_BYTES_MAX: Final = 64 * 1024
_HEAD_BYTES: Final = 36
_STRUC_ID: Final = b"RFH "
_THIRD_OF_FORMAT: Final = 0x52  # what tells MQHRF2 from most other formats
_PAIR: Final = struct.Struct("<ii")


@final
class Apart:
    """A message's properties, and its data without them."""

    __slots__ = ("ccsid", "data", "descriptors", "encoding", "format", "properties")

    def __init__(
        self,
        properties: list[Element],
        descriptors: dict[int, tuple[int, int, int]],
        data: bytes,
        format: bytes,
        encoding: int,
        ccsid: int,
    ) -> None:
        self.properties = properties  # as they are in the folders: name, dt, text
        self.descriptors = descriptors  # support, context, copy options of those that say them
        self.data = data
        self.format = format  # of the data: 8 bytes
        self.encoding = encoding
        self.ccsid = ccsid

    def typed_properties(self) -> list[Property]:
        """The properties with their types, values and descriptors."""
        typed: list[Property] = []
        for at, element in enumerate(self.properties):
            descriptor = self.descriptors.get(at) if self.descriptors else None
            if descriptor is None:
                typed.append(property_of(element))
            else:
                typed.append(property_of(element, descriptor))
        return typed


@final
class _Header:
    """One sound header."""

    __slots__ = ("ccsid", "encoding", "end", "folder_ccsid", "format", "order", "parts")

    def __init__(self) -> None:
        self.end = 0
        self.order = ""
        self.folder_ccsid = 0
        self.parts: list[bytes] = []  # folders, each with its length
        self.format = b""  # of what follows
        self.encoding = 0
        self.ccsid = 0


def has_properties(base: bytes) -> bool:
    """Whether the data of a message with that descriptor may begin with properties."""
    if base[FORMAT_AT + 3] != _THIRD_OF_FORMAT:
        return False
    return base[FORMAT_AT : FORMAT_AT + 8] == FORMAT


def take_apart(data: bytes, encoding: int, ccsid: int, end_max: int = 0) -> Apart | None:
    """Properties and data of a message that begins with an MQRFH2, in this encoding and CCSID;
    None if all of it is data. With `end_max`, headers that end behind it are data."""
    collected = _Collected()
    format = FORMAT
    at = 0
    while format == FORMAT:
        header = _read_header(data, at, encoding, ccsid, end_max or len(data), collected.left)
        if header is None:
            break
        collected.left -= 1 + len(header.parts)
        kept = [part for part in header.parts if not collected.take(part, header)]
        if kept:
            if len(kept) == len(header.parts):
                break
            folders = b"".join(kept)
            length = struct.pack(f"{header.order}i", _HEAD_BYTES + len(folders))
            head = data[at : at + 8] + length + data[at + 12 : at + _HEAD_BYTES]
            whole = b"".join((head, folders, data[header.end :]))
            return collected.apart(whole, FORMAT, encoding, ccsid)
        at = header.end
        format = header.format
        encoding = header.encoding
        ccsid = header.ccsid
    if at == 0:
        return None
    return collected.apart(data[at:], format, encoding, ccsid)


@final
class _Collected:
    """The properties of the headers of a message, and how many parts may still be looked at."""

    __slots__ = ("descriptors", "left", "properties")

    def __init__(self) -> None:
        self.properties: list[Element] = []
        self.descriptors: dict[int, tuple[int, int, int]] = {}
        self.left = PARTS_MAX

    def take(self, part: bytes, header: _Header) -> bool:
        """Take the properties of a folder; False if it is data."""
        if self.left <= 0:
            return False
        text = decode(part[4:], header.folder_ccsid, header.order).rstrip(" \0")
        if not is_property_folder(text):
            return False
        reader = FolderReader(text, self.left)
        found = reader.read()
        self.left = reader.elements_left
        if found is None:
            return False
        for at, descriptor in reader.descriptors.items():
            self.descriptors[len(self.properties) + at] = descriptor
        self.properties += found
        return True

    def apart(self, data: bytes, format: bytes, encoding: int, ccsid: int) -> Apart:
        return Apart(self.properties, self.descriptors, data, format, encoding, ccsid)


def without_properties(data: bytes, base: bytes) -> tuple[bytes, bytes]:
    """Data and descriptor of a message without its properties; as they are if it has none."""
    encoding, ccsid = _PAIR.unpack_from(base, ENCODING_AT)
    apart = take_apart(data, encoding, ccsid)
    if apart is None:
        return data, base
    packed = _PAIR.pack(apart.encoding, apart.ccsid)
    return apart.data, base[:ENCODING_AT] + packed + apart.format + base[FORMAT_AT + 8 :]


def length_without_properties(data: bytes, base: bytes) -> int:
    """The length of the data without its properties. Headers that end behind what a step looks at
    count as data."""
    encoding, ccsid = _PAIR.unpack_from(base, ENCODING_AT)
    apart = take_apart(data, encoding, ccsid, STEP_BYTES_MAX)
    return len(data) if apart is None else len(apart.data)


def _read_header(
    data: bytes, at: int, encoding: int, ccsid: int, end_max: int, parts_max: int
) -> _Header | None:
    """The header at this place; None if it is not sound, ends too late or has too many folders."""
    if len(data) - at < _HEAD_BYTES or parts_max <= 0:
        return None
    order = byte_order(encoding)
    outer_ccsid = ccsid if ccsid > 0 else 1208
    version, length, inner_encoding, inner_ccsid = struct.unpack_from(f"{order}iiii", data, at + 4)
    folder_ccsid: int = struct.unpack_from(f"{order}i", data, at + 32)[0]
    if (
        _characters(data[at : at + 4], outer_ccsid) != _STRUC_ID
        or version != 2
        or not _HEAD_BYTES <= length <= min(end_max, len(data)) - at
        or folder_ccsid not in FOLDER_CCSIDS
    ):
        return None
    header = _Header()
    header.end = at + length
    header.order = order
    header.folder_ccsid = folder_ccsid
    header.format = _characters(data[at + 20 : at + 28], outer_ccsid)
    header.encoding = inner_encoding
    header.ccsid = inner_ccsid if inner_ccsid > 0 else ccsid
    at += _HEAD_BYTES
    while at < header.end:
        if header.end - at < 4:
            return None
        size: int = struct.unpack_from(f"{order}i", data, at)[0]
        if size < 0 or size % 4 or size > header.end - at - 4:
            return None
        if len(header.parts) >= parts_max:
            return None
        header.parts.append(data[at : at + 4 + size])
        at += 4 + size
    return header


def _characters(field: bytes, ccsid: int) -> bytes:
    """A field of characters as the descriptor has it; as it is if that cannot be."""
    if field.isascii() or not is_known(ccsid) or is_wide(ccsid):
        return field
    try:
        packed = encode(decode(field, ccsid), 1208)
    except MQError:  # a byte below 0x80 that stands for nothing in its set
        return field
    return packed if len(packed) == len(field) else field


def mqrfh2_of(properties: list[Property], format: str, encoding: int, ccsid: int) -> bytes:
    """An MQRFH2 of these properties, in MQENC_NATIVE and UTF-8, ahead of data of that format,
    encoding and CCSID."""
    header = RulesHeader2(
        encoding=encoding, ccsid=ccsid or UTF8, format=format, folders=folders_of(properties)
    )
    return header.pack(byte_order(mq.MQENC_NATIVE))
