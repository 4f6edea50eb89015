"""Message properties in MQRFH2 headers: what they say, and the data without them.

A header is a fixed part of 36 bytes (mqrfh) and folders, each a length and text like XML:

    <usr><colour>red</colour><size dt='i4'>4</size></usr>
    <jms><Dst>queue:///ORDERS</Dst></jms>

A folder holds properties if MQ gives it to them or it says content='properties'. Others belong to
the application and stay in the data. property_folders has the folders, property_types the values.

The one rule for invalid content, for every reader of properties: what cannot be read stays in the
data, byte by byte, and nothing fails.

- A header is valid if its StrucId, version and lengths hold together and the CCSID of its folders
  is 1208, 1200, 13488 or 17584. Else it is data, and so is what follows it.
- A folder that is invalid (property_folders) stays, in a header that is otherwise the same.
- A value that does not fit its `dt` is a string.
- Of a message, 8192 headers, folders and elements are looked at. A header or folder that has more
  stays, and what follows it: no message may keep all others waiting.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.codec.charset import UTF8, decode, encode, is_known, is_wide
from ternmq.codec.headers.mqrfh import FOLDER_CCSIDS, RulesHeader2
from ternmq.codec.mqi.layout import byte_order
from ternmq.codec.property import Property
from ternmq.codec.property_folders import (
    PARTS_MAX,
    Element,
    FolderReader,
    folders_of,
    is_jms_folder,
    is_property_folder,
    property_of,
)

FORMAT: Final = b"MQHRF2  "
_HEAD_BYTES: Final = 36
_STRUC_ID: Final = b"RFH "


@final
class Apart:
    """A message's properties, and its data without them."""

    __slots__ = (
        "ccsid",
        "data",
        "descriptors",
        "encoding",
        "end",
        "format",
        "is_for_jms",
        "kept",
        "properties",
    )

    def __init__(self) -> None:
        self.properties: list[Element] = []  # as they are in the folders: name, dt, text
        # Support, context and copy options of those that say them, by their place in the list.
        self.descriptors: dict[int, tuple[int, int, int]] = {}
        self.is_for_jms = False  # one of the folders is of those that PROPCTL(COMPAT) asks for
        self.data = b""
        self.format = FORMAT  # of the data: 8 bytes
        self.encoding = 0
        self.ccsid = 0
        self.end = 0  # where in the message the headers that were read end
        self.kept = 0  # bytes of the header, at the front of the data, that stayed of the last one

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
    """One valid header."""

    __slots__ = ("ccsid", "encoding", "end", "folder_ccsid", "format", "order", "parts")

    def __init__(self) -> None:
        self.end = 0
        self.order = ""
        self.folder_ccsid = 0
        self.parts: list[bytes] = []  # folders, each with its length
        self.format = b""  # of what follows
        self.encoding = 0
        self.ccsid = 0


def take_apart(data: bytes, encoding: int, ccsid: int) -> Apart | None:
    """Properties and data of a message that begins with an MQRFH2, in this encoding and CCSID;
    None if all of it is data."""
    apart = Apart()
    left = PARTS_MAX
    format = FORMAT
    at = 0
    while format == FORMAT:
        header = _read_header(data, at, encoding, ccsid, left)
        if header is None:
            break
        left -= 1 + len(header.parts)
        kept: list[bytes] = []
        for part in header.parts:
            left_after = _take_folder(apart, part, header, left)
            if left_after < 0:
                kept.append(part)
            left = left_after if left_after >= 0 else ~left_after
        if kept:
            if len(kept) == len(header.parts):
                break
            folders = b"".join(kept)
            length = struct.pack(f"{header.order}i", _HEAD_BYTES + len(folders))
            head = data[at : at + 8] + length + data[at + 12 : at + _HEAD_BYTES]
            apart.data = b"".join((head, folders, data[header.end :]))
            apart.encoding = encoding
            apart.ccsid = ccsid
            apart.end = header.end
            apart.kept = _HEAD_BYTES + len(folders)
            return apart
        at = header.end
        format = header.format
        encoding = header.encoding
        ccsid = header.ccsid
    if at == 0:
        return None
    apart.data = data[at:]
    apart.format = format
    apart.encoding = encoding
    apart.ccsid = ccsid
    apart.end = at
    return apart


def _take_folder(apart: Apart, part: bytes, header: _Header, left: int) -> int:
    """Take the properties of a folder, of at most so many elements: how many more may be read. If
    the folder is data, that number is inverted (~)."""
    if left <= 0:
        return ~left
    text = decode(part[4:], header.folder_ccsid, header.order).rstrip(" \0")
    if not is_property_folder(text):
        return ~left
    reader = FolderReader(text, left)
    found = reader.read()
    left = max(reader.elements_left, 0)
    if found is None:
        return ~left
    first = len(apart.properties)
    for at, descriptor in reader.descriptors.items():
        apart.descriptors[first + at] = descriptor
    apart.properties += found
    apart.is_for_jms = apart.is_for_jms or is_jms_folder(text)
    return left


def _read_header(data: bytes, at: int, encoding: int, ccsid: int, parts_max: int) -> _Header | None:
    """The header at this place; None if it is invalid or has too many folders."""
    if len(data) - at < _HEAD_BYTES or parts_max <= 0:
        return None
    order = byte_order(encoding)
    outer_ccsid = ccsid if ccsid > 0 else 1208
    version, length, inner_encoding, inner_ccsid = struct.unpack_from(f"{order}iiii", data, at + 4)
    folder_ccsid: int = struct.unpack_from(f"{order}i", data, at + 32)[0]
    if (
        characters(data[at : at + 4], outer_ccsid) != _STRUC_ID
        or version != 2
        or not _HEAD_BYTES <= length <= len(data) - at
        or folder_ccsid not in FOLDER_CCSIDS
    ):
        return None
    header = _Header()
    header.end = at + length
    header.order = order
    header.folder_ccsid = folder_ccsid
    header.format = characters(data[at + 20 : at + 28], outer_ccsid)
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


def characters(field: bytes, ccsid: int) -> bytes:
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
