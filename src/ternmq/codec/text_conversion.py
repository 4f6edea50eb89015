"""Text from one character set into another, as data conversion and MQXCNVC do it.

A character that the target lacks, and a byte that stands for no character in a set of one byte,
becomes the target's SUBSTITUTE (U+001A: 1A in ASCII, 3F in EBCDIC). Invalid bytes in a set of
several bytes are MQRC_DBCS_ERROR, in Unicode MQRC_NOT_CONVERTED. From EBCDIC to anything else NL
(15) becomes LF, as ConvEBCDICNewline=NL_TO_LF has it, IBM MQ's default; the way back gives 25,
EBCDIC's LF.
"""

from __future__ import annotations

import codecs
from typing import Final, final

from ternmq.base.reasons import (
    MQRC_CONVERTED_STRING_TOO_BIG,
    MQRC_DBCS_ERROR,
    MQRC_NOT_CONVERTED,
    MQRC_SOURCE_CCSID_ERROR,
    MQRC_TARGET_CCSID_ERROR,
)
from ternmq.codec import charset

# Structures, records and strings that are looked at in a message; more keep others waiting.
PARTS_MAX: Final = 16384
_SUBSTITUTE: Final = "\x1a"
_SUBSTITUTING: Final = "ternmq.substitute"
_NEW_LINE: Final = "\x85"
_WINDOWS: Final = range(1250, 1259)


def _substitute(error: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeEncodeError):
        return _SUBSTITUTE * (error.end - error.start), error.end
    raise error


codecs.register_error(_SUBSTITUTING, _substitute)

# By source and target, sets of one byte: what each byte becomes.
_translations: Final[dict[int, bytes]] = {}
_characters: Final[dict[int, str]] = {}  # of each byte of a set of one byte


@final
class ConversionError(Exception):
    """Data that cannot be converted; the reason is the warning of the get."""

    def __init__(self, reason: int) -> None:
        super().__init__(reason)
        self.reason = reason


@final
class Sets:
    """Source and target of a conversion: CCSIDs, and the byte order of wide characters."""

    __slots__ = ("source", "source_order", "target", "target_order")

    def __init__(self, source: int, source_order: str, target: int, target_order: str) -> None:
        self.source = source
        self.source_order = source_order
        self.target = target
        self.target_order = target_order

    def of(self, source: int) -> Sets:
        """The same for text in another set."""
        return Sets(source, self.source_order, self.target, self.target_order)

    @property
    def are_same(self) -> bool:
        """Whether text stays as it is."""
        if self.source != self.target:
            return False
        return self.source_order == self.target_order or not charset.is_wide(self.source)

    def check(self) -> None:
        """Both must be known."""
        if not charset.is_known(self.source):
            raise ConversionError(MQRC_SOURCE_CCSID_ERROR)
        if not charset.is_known(self.target):
            raise ConversionError(MQRC_TARGET_CCSID_ERROR)


def convert_text(data: bytes, sets: Sets) -> bytes:
    """The text in the target's set; ConversionError if that cannot be."""
    if sets.are_same:
        return data
    sets.check()
    table = _translation(sets.source, sets.target)
    if table is not None:
        return data.translate(table)
    return written(read(data, sets), sets)


def convert_field(data: bytes, sets: Sets) -> bytes:
    """The same for a field of fixed length: what follows a NUL and blanks at its end may be left
    out to make room; it is filled up with blanks."""
    if sets.are_same:
        return data
    sets.check()
    table = _translation(sets.source, sets.target)
    if table is not None:
        return data.translate(table)
    text = read(data, sets)
    if len(data) > 1:
        end = text.find("\0")
        text = (text if end < 0 else text[:end]).rstrip(" ")
    made = written(text, sets)
    if len(made) > len(data):
        raise ConversionError(MQRC_CONVERTED_STRING_TOO_BIG)
    return filled(made, len(data), sets)


def filled(data: bytes, size: int, sets: Sets) -> bytes:
    """Text of the target with blanks behind it, in so many bytes."""
    blank = charset.encode(" ", sets.target, sets.target_order)
    return data + blank * ((size - len(data)) // len(blank))


def read(data: bytes, sets: Sets) -> str:
    """The text of the source."""
    source = sets.source
    if charset.is_single_byte(source):
        text = codecs.charmap_decode(data, "strict", _characters_of(source))[0]
        return text if not _ends_lines(source, sets.target) else text.replace(_NEW_LINE, "\n")
    try:
        return charset.decode_with(data, source, sets.source_order, "strict")
    except UnicodeError:
        is_multi_byte = charset.is_multi_byte(source)
        raise ConversionError(MQRC_DBCS_ERROR if is_multi_byte else MQRC_NOT_CONVERTED) from None


def written(text: str, sets: Sets) -> bytes:
    """The text in the target's set."""
    return charset.encode_with(text, sets.target, sets.target_order, _SUBSTITUTING)


def whole_characters(data: bytes, ccsid: int, order: str) -> bytes:
    """Text that may be cut in the middle of its last character, without that."""
    if charset.is_single_byte(ccsid):
        return data
    for spare in range(4):
        try:
            charset.decode_with(data[: len(data) - spare], ccsid, order, "strict")
        except UnicodeError:
            continue
        return data[: len(data) - spare]
    return data


def _translation(source: int, target: int) -> bytes | None:
    """What each byte becomes; None if one of the sets has characters of several bytes."""
    key = source << 16 | target
    table = _translations.get(key)
    if table is None:
        if not charset.is_single_byte(source) or not charset.is_single_byte(target):
            return None
        text = _characters_of(source)
        if _ends_lines(source, target):
            text = text.replace(_NEW_LINE, "\n")
        table = charset.encode_with(text, target, ">", _SUBSTITUTING)
        _translations[key] = table
    return table


def _ends_lines(source: int, target: int) -> bool:
    """Whether NL becomes LF."""
    return charset.is_ebcdic(source) and not charset.is_ebcdic(target)


def _characters_of(ccsid: int) -> str:
    found = _characters.get(ccsid)
    if found is None:
        found = "".join([_character(byte, ccsid) for byte in range(256)])
        _characters[ccsid] = found
    return found


def _character(byte: int, ccsid: int) -> str:
    try:
        one = charset.decode_with(bytes((byte,)), ccsid, ">", "strict")
    except UnicodeError:
        # IBM's tables of Windows' sets have control characters where Python's have nothing.
        return chr(byte) if ccsid in _WINDOWS and 0x80 <= byte < 0xA0 else _SUBSTITUTE
    return one
