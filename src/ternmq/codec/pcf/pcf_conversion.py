"""PCF into another byte order and character set, structure by structure, as bytes.

Strings become longer or shorter as their characters do, and the lengths follow; all strings of a
list get the length of the longest, filled with blanks. A string that names its own CCSID is in the
target's afterwards and says so; one that has that of the descriptor (0) still has. `parameter` has
the structures. What is invalid is MQRC_FORMAT_ERROR.
"""

from __future__ import annotations

import struct
from typing import Final

from ternmq.base.reasons import MQRC_FORMAT_ERROR, MQRC_SOURCE_CCSID_ERROR
from ternmq.codec.pcf.parameter import (
    CFBF,
    CFBS,
    CFGR,
    CFIF,
    CFIL,
    CFIL64,
    CFIN,
    CFIN64,
    CFSF,
    CFSL,
    CFST,
)
from ternmq.codec.pcf.structures import HEADER_BYTES
from ternmq.codec.text_conversion import PARTS_MAX, ConversionError, Sets, convert_text, filled

# What follows the integers of a structure: nothing, integers of 8 bytes, text, texts, bytes.
_INTEGERS: Final = 0
_LONG_INTEGERS: Final = 1
_TEXT: Final = 2
_TEXTS: Final = 3
_BYTES: Final = 4
# Of each structure: its integers of 4 bytes (0: all of it), what follows them, and which of the
# integers has the length of a string.
_STRUCTURES: Final[dict[int, tuple[int, int, int]]] = {
    CFIN: (4, _INTEGERS, 0),
    CFIF: (5, _INTEGERS, 0),
    CFGR: (4, _INTEGERS, 0),
    CFIL: (0, _INTEGERS, 0),
    CFIN64: (4, _LONG_INTEGERS, 0),
    CFIL64: (4, _LONG_INTEGERS, 0),
    CFST: (5, _TEXT, 4),
    CFSF: (6, _TEXT, 5),
    CFSL: (6, _TEXTS, 5),
    CFBS: (4, _BYTES, 3),
    CFBF: (5, _BYTES, 4),
}


def convert_pcf(data: bytes, sets: Sets) -> bytes:
    """The whole message; ConversionError if it cannot be converted."""
    if len(data) < HEADER_BYTES:
        raise ConversionError(MQRC_FORMAT_ERROR)
    source_order = sets.source_order
    head = struct.unpack_from(source_order + "9i", data)
    if head[1] != HEADER_BYTES:
        raise ConversionError(MQRC_FORMAT_ERROR)
    made = [struct.pack(sets.target_order + "9i", *head)]
    at = HEADER_BYTES
    end = len(data)
    left = PARTS_MAX
    while at < end:
        if end - at < 16:
            raise ConversionError(MQRC_FORMAT_ERROR)
        kind, length = struct.unpack_from(source_order + "2i", data, at)
        if length < 16 or length > end - at or length % 4:
            raise ConversionError(MQRC_FORMAT_ERROR)
        left -= 1
        if kind == CFSL and length >= 24:
            left -= max(struct.unpack_from(source_order + "i", data, at + 16)[0], 0)
        if left < 0:
            raise ConversionError(MQRC_FORMAT_ERROR)
        made.append(_structure(kind, data[at : at + length], sets))
        at += length
    return b"".join(made)


def _structure(kind: int, data: bytes, sets: Sets) -> bytes:
    row = _STRUCTURES.get(kind)
    if row is None:
        raise ConversionError(MQRC_FORMAT_ERROR)
    count, tail, length_word = row
    if count == 0:
        count = len(data) // 4
    if len(data) < 4 * count:
        raise ConversionError(MQRC_FORMAT_ERROR)
    words: list[int] = list(struct.unpack_from(f"{sets.source_order}{count}i", data))
    rest = data[4 * count :]
    if tail == _LONG_INTEGERS:
        rest = _long_integers(rest, sets)
    elif tail == _BYTES:
        _check_length(words[length_word], rest)
    elif tail == _TEXT:
        rest = _text(words, length_word, rest, sets)
    elif tail == _TEXTS:
        rest = _texts(words, rest, sets)
    elif rest:
        raise ConversionError(MQRC_FORMAT_ERROR)
    words[1] = 4 * count + len(rest)
    return struct.pack(f"{sets.target_order}{count}i", *words) + rest


def _long_integers(data: bytes, sets: Sets) -> bytes:
    if len(data) % 8:
        raise ConversionError(MQRC_FORMAT_ERROR)
    numbers = struct.unpack(f"{sets.source_order}{len(data) // 8}q", data)
    return struct.pack(f"{sets.target_order}{len(numbers)}q", *numbers)


def _check_length(length: int, data: bytes) -> None:
    if not 0 <= length <= len(data) <= length + 3:
        raise ConversionError(MQRC_FORMAT_ERROR)


def _text(words: list[int], length_word: int, data: bytes, sets: Sets) -> bytes:
    length = words[length_word]
    _check_length(length, data)
    made = convert_text(data[:length], _sets_of(words, length_word - 1, sets))
    words[length_word] = len(made)
    return made + bytes(-len(made) % 4)


def _texts(words: list[int], data: bytes, sets: Sets) -> bytes:
    count = words[4]
    length = words[5]
    if count < 0 or length < 0:
        raise ConversionError(MQRC_FORMAT_ERROR)
    _check_length(count * length, data)
    own = _sets_of(words, 3, sets)
    if own.are_same:
        return data
    made = [convert_text(data[length * n : length * (n + 1)], own) for n in range(count)]
    words[5] = max([len(one) for one in made], default=0)
    body = b"".join([filled(one, words[5], own) for one in made])
    return body + bytes(-len(body) % 4)


def _sets_of(words: list[int], word: int, sets: Sets) -> Sets:
    """For a string with that CCSID, which is then the target's."""
    ccsid = words[word]
    if ccsid == 0:
        if sets.source < 0:  # MQCCSI_EMBEDDED: each string must say it
            raise ConversionError(MQRC_SOURCE_CCSID_ERROR)
        return sets
    words[word] = sets.target
    return sets.of(ccsid)
