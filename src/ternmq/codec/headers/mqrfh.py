"""MQRFH: the rules-and-formatting header, version 1 (RulesHeader) and version 2 (RulesHeader2).

    at 0 eye-catcher "RFH ", 4 version, 8 length of the whole header, 12 encoding, 16 CCSID and
    20 format (c8) of what follows the header, 28 flags, then
    version 1:  32 one string of names and values, to the end
    version 2:  32 CCSID of the folders, 36 folders, each: length i32, then as many bytes of text

Integers and the fields of characters are in the encoding and CCSID that the header before it, or
the MQMD, gives. In version 1 the string is in that CCSID too. Strings are filled up with blanks to
a multiple of four bytes.

Validity: the header is all there; its length is at least that of the fixed part; every folder has a
length that is not negative, is a multiple of four and stays inside the header; the folders fill the
header exactly; their CCSID is one of 1208, 1200, 13488, 17584. Else MQRC_RFH_ERROR.
"""

from __future__ import annotations

from typing import ClassVar, Final, final

from ternmq.base.constants import (
    MQCCSI_INHERIT,
    MQCCSI_UNDEFINED,
    MQENC_NATIVE,
    MQRFH_STRUC_LENGTH_FIXED,
    MQRFH_STRUC_LENGTH_FIXED_2,
)
from ternmq.base.reasons import MQRC_RFH_ERROR
from ternmq.codec.charset import UTF8, decode, encode
from ternmq.codec.mqi.layout import LITTLE, Layout, chars, i32, read_chars
from ternmq.codec.mqi.structure import Structure

_HEAD: Final = (
    i32("structure_length"),
    i32("encoding"),
    i32("ccsid"),
    chars("format", 8),
    i32("flags"),
)
LAYOUT_1: Final = Layout("MQRFH", "RFH ", MQRC_RFH_ERROR, (1, 1), _HEAD)
LAYOUT_2: Final = Layout(
    "MQRFH2", "RFH ", MQRC_RFH_ERROR, (2, 2), (*_HEAD, i32("name_value_ccsid", 2))
)
FOLDER_CCSIDS: Final = (UTF8, 1200, 13488, 17584)


@final
class RulesHeader(Structure):
    """MQRFH version 1: one string of names and values ahead of the data."""

    LAYOUT: ClassVar[Layout] = LAYOUT_1

    def __init__(
        self,
        *,
        encoding: int = MQENC_NATIVE,
        ccsid: int = MQCCSI_UNDEFINED,
        format: str = "",
        flags: int = 0,
        name_values: str = "",
        version: int = 1,
    ) -> None:
        super().__init__(version=version)
        self.encoding = encoding
        self.ccsid = ccsid
        self.format = format
        self.flags = flags
        self.name_values = name_values
        self.structure_length = MQRFH_STRUC_LENGTH_FIXED

    def shown(self) -> dict[str, object]:
        shown = super().shown()
        del shown["structure_length"]
        shown["name_values"] = self.name_values
        return shown

    def size(self, native: bool = False) -> int:
        """The length of the whole header, as it was last read or written."""
        return self.structure_length

    def fill(self, data: bytes, offset: int, order: str, ccsid: int, native: bool) -> None:
        super().fill(data, offset, order, ccsid, native)
        body = _body(LAYOUT_1, data, offset, MQRFH_STRUC_LENGTH_FIXED, self.structure_length)
        self.name_values = read_chars(body, ccsid)

    def pack(self, order: str = LITTLE, ccsid: int = UTF8, native: bool = False) -> bytes:
        """The bytes of the whole header; sets `structure_length`."""
        body = _filled(self.name_values, ccsid, order)
        self.structure_length = MQRFH_STRUC_LENGTH_FIXED + len(body)
        return super().pack(order, ccsid, native) + body


@final
class RulesHeader2(Structure):
    """MQRFH2: folders such as `<usr><a>1</a></usr>` ahead of the data; each is kept as its text."""

    LAYOUT: ClassVar[Layout] = LAYOUT_2

    def __init__(
        self,
        *,
        encoding: int = MQENC_NATIVE,
        ccsid: int = MQCCSI_INHERIT,
        format: str = "",
        flags: int = 0,
        name_value_ccsid: int = UTF8,
        folders: list[str] | None = None,
        version: int = 2,
    ) -> None:
        super().__init__(version=version)
        self.encoding = encoding
        self.ccsid = ccsid
        self.format = format
        self.flags = flags
        self.name_value_ccsid = name_value_ccsid
        self.folders: list[str] = [] if folders is None else folders
        self.structure_length = MQRFH_STRUC_LENGTH_FIXED_2

    def shown(self) -> dict[str, object]:
        shown = super().shown()
        del shown["structure_length"]
        shown["folders"] = self.folders
        return shown

    def size(self, native: bool = False) -> int:
        """The length of the whole header, as it was last read or written."""
        return self.structure_length

    def folder(self, name: str) -> str:
        """The folder of that name with its tags; the empty string without one."""
        for folder in self.folders:
            if folder_name(folder) == name:
                return folder
        return ""

    def fill(self, data: bytes, offset: int, order: str, ccsid: int, native: bool) -> None:
        super().fill(data, offset, order, ccsid, native)
        body = _body(LAYOUT_2, data, offset, MQRFH_STRUC_LENGTH_FIXED_2, self.structure_length)
        self.folders = _read_folders(body, order, self.name_value_ccsid)

    def pack(self, order: str = LITTLE, ccsid: int = UTF8, native: bool = False) -> bytes:
        """The bytes of the whole header; sets `structure_length`."""
        _check_folder_ccsid(self.name_value_ccsid)
        parts: list[bytes] = []
        for folder in self.folders:
            text = _filled(folder, self.name_value_ccsid, order)
            parts.append(len(text).to_bytes(4, "little" if order == LITTLE else "big"))
            parts.append(text)
        body = b"".join(parts)
        self.structure_length = MQRFH_STRUC_LENGTH_FIXED_2 + len(body)
        return super().pack(order, ccsid, native) + body


def folder_name(folder: str) -> str:
    """The name in the first tag of a folder: "usr" of `<usr dt="x">...`; empty without one."""
    if not folder.startswith("<"):
        return ""
    for end, character in enumerate(folder):
        if character in " />\t\r\n":
            return folder[1:end]
    return ""


def _body(layout: Layout, data: bytes, offset: int, fixed: int, length: int) -> bytes:
    if length < fixed or length > len(data) - offset:
        left = len(data) - offset
        raise layout.error(f"the length field is {length}; {fixed} is the least, {left} are left")
    return data[offset + fixed : offset + length]


def _read_folders(body: bytes, order: str, ccsid: int) -> list[str]:
    _check_folder_ccsid(ccsid)
    folders: list[str] = []
    at = 0
    while at < len(body):
        if len(body) - at < 4:
            raise LAYOUT_2.error(f"{len(body) - at} bytes are left over after the folders")
        head = body[at : at + 4]
        length = int.from_bytes(head, "little" if order == LITTLE else "big", signed=True)
        at += 4
        if length < 0 or length % 4 or length > len(body) - at:
            raise LAYOUT_2.error(f"a folder has length {length}, {len(body) - at} bytes are left")
        folders.append(decode(body[at : at + length], ccsid, order).rstrip(" \0"))
        at += length
    return folders


def _check_folder_ccsid(ccsid: int) -> None:
    if ccsid not in FOLDER_CCSIDS:
        raise LAYOUT_2.error(f"CCSID {ccsid} is not one for folders")


def _filled(text: str, ccsid: int, order: str) -> bytes:
    data = encode(text, ccsid, order)
    blank = encode(" ", ccsid, order)
    return data + blank * (-len(data) % 4 // len(blank))
