"""Bodies of messages as text, by their CCSID, a column at a time.

Three kinds of character sets: UTF-8, whose bytes are already what Arrow has; those with one byte a
character (ASCII's family and EBCDIC), which are looked up in a table for all bytes at once; and the
others, message by message. A body that is not text in its character set has null for its text.
"""

from __future__ import annotations

import codecs
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ternmq.base.errors import MQError
from ternmq.codec import charset
from ternmq.codec.mqi.layout import byte_order

UTF8: Final = 1208
ASCII: Final = 367
_SUBSTITUTE: Final = "\x1a"
Ints = np.ndarray[Any, np.dtype[Any]]


class Table(NamedTuple):
    """A character set with one byte a character."""

    characters: str  # of all 256 bytes; SUB where a byte is not a character
    utf8: Ints  # the character as a byte of UTF-8, where that is one
    lengths: Ints  # bytes of the character in UTF-8
    undefined: Ints  # whether the byte is not a character


def texts(bodies: pa.Array, ccsids: Ints, encodings: Ints, wanted: Ints) -> pa.Array:
    """The text of those bodies that are wanted, null for the others."""
    if not wanted.any():
        return pa.nulls(len(bodies), pa.string())
    known = np.where(ccsids <= 0, UTF8, ccsids)
    orders = encodings & 0xF
    first = int(np.argmax(wanted))
    same = (known == known[first]) & (orders == orders[first])
    if wanted.all() and same.all():  # as it nearly always is
        return decoded(bodies, int(known[first]), int(encodings[first]))
    parts: list[pa.Array] = []
    places: list[Ints] = []
    left = wanted.copy()
    while left.any():
        first = int(np.argmax(left))
        group = left & (known == known[first]) & (orders == orders[first])
        rows = np.flatnonzero(group)
        parts.append(decoded(bodies.take(pa.array(rows)), int(known[first]), int(encodings[first])))
        places.append(rows)
        left &= ~group
    rest = np.flatnonzero(~wanted)
    parts.append(pa.nulls(len(rest), pa.string()))
    places.append(rest)
    order = np.argsort(np.concatenate(places), kind="stable")
    return pa.concat_arrays(parts).take(pa.array(order))


def decoded(bodies: pa.Array, ccsid: int, encoding: int) -> pa.Array:
    """The text of bodies in one character set."""
    if ccsid in (UTF8, ASCII):
        try:
            return bodies.cast(pa.string())
        except pa.ArrowInvalid:
            return one_by_one(bodies, UTF8, encoding)
    if not charset.is_known(ccsid):
        return pa.nulls(len(bodies), pa.string())
    table = table_of(ccsid)
    if table is None:
        return one_by_one(bodies, ccsid, encoding)
    return looked_up(bodies, table) if bodies.null_count == 0 else one_by_one(bodies, ccsid, 0)


def looked_up(bodies: pa.Array, table: Table) -> pa.Array:
    """Text in a character set with one byte a character."""
    _, offset_buffer, value_buffer = bodies.buffers()
    count = len(bodies)
    offsets = np.frombuffer(offset_buffer, np.int32)[bodies.offset : bodies.offset + count + 1]
    first, last = int(offsets[0]), int(offsets[-1])
    if value_buffer is None or last == first:
        return bodies.cast(pa.string())
    data = np.frombuffer(value_buffer, np.uint8)[first:last]
    begins = offsets - first
    lengths = table.lengths[data]
    if lengths.max() == 1:
        found = from_buffers(count, begins, pa.py_buffer(table.utf8[data]))
    else:
        ends = np.cumsum(lengths, dtype=np.int64)
        moved = np.concatenate(([0], ends))[begins]
        text = codecs.charmap_decode(data.tobytes(), "strict", table.characters)[0]
        found = from_buffers(count, moved, pa.py_buffer(text.encode()))
    undefined = table.undefined[data]
    if not undefined.any():
        return found
    before = np.concatenate(([0], np.cumsum(undefined)))[begins]
    return pc.if_else(pa.array(before[1:] > before[:-1]), pa.scalar(None, pa.string()), found)


def from_buffers(count: int, offsets: Ints, data: pa.Buffer) -> pa.Array:
    buffers = [None, pa.py_buffer(np.ascontiguousarray(offsets, np.int32)), data]
    return pa.Array.from_buffers(pa.string(), count, buffers)


def one_by_one(bodies: pa.Array, ccsid: int, encoding: int) -> pa.Array:
    """Text in any character set; for those in which bytes are not characters."""
    order = byte_order(encoding)
    return pa.array([text_of(body, ccsid, order) for body in bodies.to_pylist()], pa.string())


def text_of(body: bytes | None, ccsid: int, order: str) -> str | None:
    """The text of one body; None if it is not text."""
    if body is None:
        return None
    try:
        text = charset.decode(body, ccsid, order)
        text.encode()  # invalid bytes have come out as surrogates
    except (MQError, ValueError):
        return None
    return text


@lru_cache(maxsize=64)
def table_of(ccsid: int) -> Table | None:
    """The table of a character set; None if its characters are not one byte each."""
    if charset.is_wide(ccsid):
        return None
    pairs = bytes(byte for one in range(256) for other in range(256) for byte in (one, other))
    try:
        characters = [charset.decode(bytes((byte,)), ccsid) for byte in range(256)]
        if "".join(characters[byte] for byte in pairs) != charset.decode(pairs, ccsid):
            return None  # some pair is one character
    except ValueError:
        return (
            None  # some byte is not a character, and cannot be kept as a surrogate (of CCSID 424)
        )
    undefined = ["\ud800" <= one <= "\udfff" for one in characters]
    sound = [_SUBSTITUTE if wrong else one for one, wrong in zip(characters, undefined)]
    return Table(
        "".join(sound),
        np.array([one.encode()[0] for one in sound], np.uint8),
        np.array([len(one.encode()) for one in sound], np.uint8),
        np.array(undefined, np.bool_),
    )
