"""Names of objects: which are valid, how they stand in a structure, and how they become file names.

A name has 1 to 48 of the characters A-Z a-z 0-9 . / _ %. In a file name a dot is written ! and a
slash &, which no name contains: so each name has one file name and each file name at most one name,
and no name leads out of its folder.
"""

from __future__ import annotations

from typing import Final

from ternmq.base.errors import check
from ternmq.base.limits import OBJECT_NAME_BYTES_MAX

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_NAME: Final = frozenset(_LETTERS + "0123456789./_%")
NAME_RULE: Final = f"a name has 1 to {OBJECT_NAME_BYTES_MAX} characters A-Z a-z 0-9 . / _ %"
_FILE_NAME: Final = frozenset(_LETTERS + "0123456789!&_%")


def is_name(name: str, bytes_max: int = OBJECT_NAME_BYTES_MAX) -> bool:
    """Whether an object may have this name (for a channel, give its shorter limit)."""
    return 0 < len(name) <= bytes_max and _NAME.issuperset(name)


def bare_name(text: str) -> str:
    """A name without what fills its field up: blanks, or the NULs of a C program."""
    return text.rstrip(" \0")


def fits_field(name: str) -> bool:
    """Whether a field of a structure can hold it: it has the room, and a NUL would end it."""
    if len(name) > OBJECT_NAME_BYTES_MAX or "\0" in name:
        return False
    return name.isascii() or len(name.encode("utf-8", "replace")) <= OBJECT_NAME_BYTES_MAX


def control_character(text: str) -> str:
    """The first character that would break the line which shows it, or is not a character at all
    (a surrogate); "" if it has neither. Descriptions and the like go into listings, logs and
    scripts that are run again."""
    if text.isprintable():
        return ""
    for one in text:
        if one < " " and one != "\t":
            return one
        code = ord(one)
        if 0x7F <= code <= 0x9F or code in (0x2028, 0x2029) or 0xD800 <= code <= 0xDFFF:
            return one
    return ""


def pad(name: str, length: int = OBJECT_NAME_BYTES_MAX) -> bytes:
    """The name as a field of a structure: filled up with blanks. It must be ASCII and fit."""
    check(len(name) <= length and name.isascii(), f"{name!r} is not a name of {length} bytes")
    return name.encode("ascii").ljust(length)


def trim(field: bytes) -> str:
    """The name in a field of a structure: up to the first NUL, without the blanks at its end."""
    return field.split(b"\0", 1)[0].rstrip(b" ").decode("ascii", "replace")


def file_name(name: str) -> str:
    """The name of the file or folder for an object. The object name must be valid."""
    check(is_name(name), f"{name!r} is not an object name")
    return name.replace(".", "!").replace("/", "&")


def name_of_file(file: str) -> str | None:
    """The object whose file or folder has this name; None if it is that of no object."""
    if not 0 < len(file) <= OBJECT_NAME_BYTES_MAX or not _FILE_NAME.issuperset(file):
        return None
    return file.replace("!", ".").replace("&", "/")


def name_fault(name: str) -> str:
    """What is wrong with a name that no object can have."""
    return f"not a valid name: '{name:.60}', {NAME_RULE}"
