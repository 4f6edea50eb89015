"""Message properties in MQRFH2 headers: what they say, and the data without them.

A header is a fixed part of 36 bytes (mqrfh) and folders, each a length and text like XML:

    <usr><colour>red</colour><size dt='i4'>4</size></usr>
    <jms><Dst>queue:///ORDERS</Dst></jms>

A folder holds properties if MQ gives it to them or it says content='properties'. Others belong to
the application and stay in the data. A property of folder usr has its plain name, one of another
folder `folder.name`; elements inside elements are joined by dots. `dt` is its type, string without
one; xsi:nil='true' is a null.

The one rule for content that is not sound, for every reader of properties: what cannot be read
stays in the data, byte by byte, and nothing fails.

- A header is sound if its StrucId, version and lengths hold together and the CCSID of its folders
  is 1208, 1200, 13488 or 17584. Else it is data, and so is what follows it.
- A folder is sound if it is well-formed, without declarations, and has text in leaves only. Else
  this folder stays, in a header that is otherwise the same.
- A value that does not fit its `dt` is a string (`is_of_type`).
- Of a message, 8192 headers, folders and elements are looked at. A header or folder that has more
  stays, and what follows it: nobody's message may keep all others waiting.
"""

from __future__ import annotations

import re
import struct
from typing import Final, final
from xml.parsers import expat

from ternmq.base.errors import MQError
from ternmq.codec.charset import decode, encode, is_known, is_wide
from ternmq.codec.headers.mqrfh import FOLDER_CCSIDS
from ternmq.codec.mqi.layout import byte_order

FORMAT: Final = b"MQHRF2  "
FOLDER_USER: Final = "usr"
STRING: Final = "string"
# One list for all readers and writers. IBM's, and mqpse and mqpss of publish/subscribe.
FOLDERS: Final = frozenset(
    (
        *("usr", "jms", "mcd", "mqext", "mqps", "mqpse", "mqpss", "mq", "mqema", "mq_usr"),
        *("sib", "sib_usr", "sib_context", "ibm", "mq_svc", "mqtt"),
    )
)
JMS_FOLDERS: Final = ("mcd", "jms", "usr", "mqext")  # what PROPCTL(COMPAT) asks for
MARKS: Final = ("context", "copy", "sr", "sx")  # attributes that make the MQPD of a property
NAME_LENGTH_MAX: Final = 4095  # MQ_MAX_PROPERTY_NAME_LENGTH
PARTS_MAX: Final = 8192  # headers, folders and elements of a message
_HEAD_BYTES: Final = 36
_STRUC_ID: Final = b"RFH "
# Names may take more room than their folder, for each has its groups in front.
_NAMES_FACTOR: Final = 8
_NAMES_LEAST: Final = 64 * 1024
_NAME: Final = re.compile(r"\s*<\s*([A-Za-z_][\w.\-]*)([^>]*)>")
_CONTENT: Final = re.compile(r"content\s*=\s*(['\"])properties\1")
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,40}")
_REAL: Final = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|NaN|-?Infinity|-?INF"
)
_BOOLEAN: Final = ("0", "1", "true", "false")
_HEX: Final = re.compile(r"(?:[0-9A-Fa-f]{2})*")
_HIGHEST: Final = {f"i{size}": (1 << (8 * size - 1)) - 1 for size in (1, 2, 4, 8)}
_REALS: Final = ("r4", "r8")

Property = tuple[str, str, str | None]  # name, type, value


@final
class Apart:
    """A message's properties, and its data without them."""

    __slots__ = (
        "ccsid",
        "data",
        "encoding",
        "end",
        "format",
        "is_for_jms",
        "kept",
        "marks",
        "properties",
    )

    def __init__(self, properties: list[Property]) -> None:
        self.properties = properties
        self.marks: dict[int, dict[str, str]] = {}  # attributes of elements, by place in the list
        self.is_for_jms = False  # one of the folders is of those that PROPCTL(COMPAT) asks for
        self.data = b""
        self.format = FORMAT  # of the data: 8 bytes
        self.encoding = 0
        self.ccsid = 0
        self.end = 0  # where in the message the headers that were read end
        self.kept = 0  # bytes of the header, at the front of the data, that stayed of the last one


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


def take_apart(data: bytes, encoding: int, ccsid: int) -> Apart | None:
    """Properties and data of a message that begins with an MQRFH2, in this encoding and CCSID;
    None if all of it is data."""
    apart = Apart([])
    format = FORMAT
    at = 0
    left = PARTS_MAX
    while format == FORMAT:
        header = _read_header(data, at, encoding, ccsid, left)
        if header is None:
            break
        left -= 1 + len(header.parts)
        kept: list[bytes] = []
        for part in header.parts:
            is_read = False
            if left > 0:
                text = decode(part[4:], header.folder_ccsid, header.order).rstrip(" \0")
                if is_property_folder(text):
                    reader = _FolderReader(len(text) * _NAMES_FACTOR + _NAMES_LEAST, left)
                    is_read = _add_folder(apart, reader, text)
                    left = reader.elements_left
            if not is_read:
                kept.append(part)
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


def _add_folder(apart: Apart, reader: _FolderReader, text: str) -> bool:
    """Add what a folder has; False if it is not sound."""
    found = reader.read(text)
    if found is None:
        return False
    first = len(apart.properties)
    for place, attributes in reader.marks.items():
        apart.marks[first + place] = attributes
    apart.properties += found
    name = _NAME.match(text)
    if name is not None and name.group(1) in JMS_FOLDERS:
        apart.is_for_jms = True
    return True


def _read_header(data: bytes, at: int, encoding: int, ccsid: int, parts_max: int) -> _Header | None:
    """The header at this place; None if it is not sound or has too many folders."""
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


# ---- folders


def is_property_folder(folder: str) -> bool:
    """Whether a folder holds properties, by its first tag."""
    found = _NAME.match(folder)
    if found is None:
        return False
    return found.group(1) in FOLDERS or _CONTENT.search(found.group(2)) is not None


def read_folder(folder: str) -> list[Property] | None:
    """The properties of one folder; None if it is not sound."""
    return _FolderReader(len(folder) * _NAMES_FACTOR + _NAMES_LEAST, PARTS_MAX).read(folder)


@final
class _FolderReader:
    """Collects the leaves of a folder as the parser meets them; ValueError ends it."""

    def __init__(self, names_max: int, elements_max: int) -> None:
        # Without namespaces: folders say xsi:nil and do not say what xsi is.
        self.parser = expat.ParserCreate("UTF-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._begin
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.found: list[Property] = []
        self.marks: dict[int, dict[str, str]] = {}  # by place in that list
        self.elements_left = elements_max
        self._names_left = names_max
        self._path: list[str] = []
        self._path_length = 0
        self._parts: list[str] = []
        self._kind = STRING
        self._is_nil = False
        self._is_leaf = False
        self._attributes: dict[str, str] = {}

    def read(self, folder: str) -> list[Property] | None:
        """The properties of the folder; None if it is not sound."""
        if "<!" in folder:  # declarations are not for folders, and could be bombs
            return None
        try:
            self.parser.Parse(folder.encode(), True)
        except (expat.ExpatError, ValueError):
            return None
        return self.found

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self._refuse_text()
        self.elements_left -= 1
        if self.elements_left < 0:
            raise ValueError("too many elements")
        self._path.append(name)
        self._path_length += len(name) + 1
        if self._path_length - len(self._path[0]) - 2 > NAME_LENGTH_MAX:  # without the folder
            raise ValueError("a name is too long")
        self._kind = attributes.get("dt", STRING)
        self._is_nil = attributes.get("xsi:nil") == "true"
        self._attributes = attributes
        self._is_leaf = len(self._path) > 1

    def _text(self, text: str) -> None:
        self._parts.append(text)

    def _end(self, name: str) -> None:
        if self._is_leaf:
            path = self._path[1:] if self._path[0] == FOLDER_USER else self._path
            value = None if self._is_nil else "".join(self._parts)
            self._parts.clear()
            self._names_left -= self._path_length
            if self._names_left < 0:
                raise ValueError("the names are too long")
            if self._attributes and not self._attributes.keys().isdisjoint(MARKS):
                self.marks[len(self.found)] = self._attributes
            self.found.append((".".join(path), self._kind, value))
        else:
            self._refuse_text()
        self._is_leaf = False
        self._path.pop()
        self._path_length -= len(name) + 1

    def _refuse_text(self) -> None:
        """Text beside elements belongs to no property."""
        if self._parts:
            if "".join(self._parts).strip():
                raise ValueError("text beside elements")
            self._parts.clear()


# ---- values


def is_of_type(kind: str, value: str) -> bool:
    """Whether a value is one of its `dt`; every text is a string, and one of an unknown type."""
    highest = _HIGHEST.get(kind, 0)
    if highest:
        return _INTEGER.fullmatch(value) is not None and -highest - 1 <= int(value) <= highest
    if kind in _REALS:
        return _REAL.fullmatch(value) is not None
    if kind == "boolean":
        return value in _BOOLEAN
    if kind == "bin.hex":
        return _HEX.fullmatch(value) is not None
    return True


def is_element(name: str) -> bool:
    """Whether a name can be that of an element; letters in it are those of any script."""
    found: list[str] = []
    parser = expat.ParserCreate("UTF-8")
    parser.StartElementHandler = lambda tag, attributes: found.append(tag)
    try:
        parser.Parse(f"<{name}/>".encode(), True)
    except (expat.ExpatError, ValueError):
        return False
    return found == [name]
