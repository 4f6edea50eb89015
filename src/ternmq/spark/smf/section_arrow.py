"""Fields of many sections at once: from bytes one below the other to Arrow's columns.

Each function takes a matrix of bytes, a row for each section, and works on whole columns; none has
a loop over rows, but for text beyond ASCII, which is decoded once for each different value.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ternmq.codec.smf.clock_values import UNITS_US, UNIX_EPOCH_TOD
from ternmq.codec.smf.section_layout import EBCDIC

Bytes = NDArray[np.uint8]
Longs = NDArray[np.int64]
Mask = NDArray[np.bool_]

STAMP_TYPE: Final = pa.timestamp("us", "UTC")
LOCAL_STAMP_TYPE: Final = pa.timestamp("us")
ARROW_TYPES: Final[dict[str, Any]] = {
    "long": pa.int64(),
    "timestamp": STAMP_TYPE,
    "timestamp_ntz": LOCAL_STAMP_TYPE,
    "date": pa.date32(),
    "string": pa.string(),
    "binary": pa.binary(),
}

_EPOCH_US: Final = UNIX_EPOCH_TOD // UNITS_US
_BLANK: Final = 0x20
_ASCII_MAX: Final = 0x7F
_LATIN: Final[Bytes] = np.frombuffer(bytes(range(256)).decode(EBCDIC).encode("latin-1"), np.uint8)
_SHOWN: Final[Bytes] = np.array(
    [code if code < 128 and chr(code).isprintable() else ord(".") for code in _LATIN.tolist()],
    np.uint8,
)
_HEX: Final[Bytes] = np.frombuffer(
    b"".join(b"%02X" % value for value in range(256)), np.uint8
).reshape(256, 2)


def validity(present: Mask | None) -> Any:
    """Arrow's bitmap of what is there; None if everything is."""
    if present is None or present.all():
        return None
    return pa.py_buffer(np.packbits(present, bitorder="little"))


def fixed(values: NDArray[Any], arrow_type: Any, present: Mask | None = None) -> Any:
    """An array of values of a fixed width, which are those of the type already."""
    plain = np.ascontiguousarray(values)
    return pa.Array.from_buffers(arrow_type, len(plain), [validity(present), pa.py_buffer(plain)])


def big_endian(cells: Bytes, is_signed: bool) -> NDArray[Any]:
    """Numbers as they are in the record, of 1, 2, 4 or 8 bytes."""
    size = cells.shape[1]
    kind = f">{'i' if is_signed else 'u'}{size}"
    return np.ascontiguousarray(cells).view(kind).reshape(len(cells))


def longs(cells: Bytes, is_signed: bool, unset: int = -1) -> Any:
    """Numbers; null where they are what stands for nothing. Unsigned ones beyond a bigint are the
    negative numbers of the same bits."""
    raw = big_endian(cells, is_signed)
    present: Mask | None = raw != unset if unset >= 0 else None
    return fixed(raw.astype(np.int64), pa.int64(), present)


def is_filled(cells: Bytes) -> Mask:
    """Which rows have anything but zeros."""
    filled: Mask = np.any(cells, axis=1)
    return filled


def clock_us(cells: Bytes) -> Longs:
    """Clock values in microseconds."""
    units: Longs = (big_endian(cells, False).astype(np.uint64) // np.uint64(UNITS_US)).astype(
        np.int64
    )
    return units


def stamps(cells: Bytes) -> Any:
    """Clock values as points in time; null where they are not set."""
    units = clock_us(cells)
    return fixed(units - _EPOCH_US, STAMP_TYPE, is_filled(cells))


def clock_moments(cells: Bytes) -> Longs:
    """Clock values in microseconds after 1970."""
    moments: Longs = clock_us(cells) - _EPOCH_US
    return moments


def durations(cells: Bytes) -> Any:
    """Clock values as durations, in microseconds."""
    return fixed(clock_us(cells), pa.int64())


def joined(codes: Bytes, ends: Longs, present: Mask | None) -> Any:
    """Strings of which each row has the first so many ASCII codes."""
    width = codes.shape[1]
    offsets = np.zeros(len(codes) + 1, np.int32)
    np.cumsum(ends, out=offsets[1:])
    data = codes[np.arange(width) < ends[:, None]]
    return pa.Array.from_buffers(
        pa.string(),
        len(codes),
        [validity(present), pa.py_buffer(offsets), pa.py_buffer(data)],
    )


def last_other(codes: Bytes, code: int) -> Longs:
    """Behind the last code of each row that is not this one; 0 if there is none."""
    other = codes != code
    ends: Longs = codes.shape[1] - np.argmax(other[:, ::-1], axis=1)
    return np.where(other.any(axis=1), ends, 0)


def texts(cells: Bytes) -> Any:
    """EBCDIC without the blanks at its end; null where nothing was filled in."""
    filled = is_filled(cells)
    codes = _LATIN[cells]
    if int(codes.max(initial=0)) > _ASCII_MAX:
        return pa.array([text_of(bytes(row)) for row in cells.tolist()], pa.string())
    ends = last_other(codes, _BLANK)
    # Text that ends with zeros instead of blanks.
    rows = np.arange(len(codes))
    padded = (ends > 0) & (codes[rows, np.maximum(ends, 1) - 1] == 0)
    if padded.any():
        ends = np.where(padded, last_other(codes, 0), ends)
    return joined(codes, np.where(filled, ends, 0), filled)


def text_of(raw: bytes) -> str | None:
    """The same for one text that has more than ASCII."""
    if not any(raw):
        return None
    return raw.decode(EBCDIC).rstrip(" ").rstrip("\0")


def shown(cells: Bytes) -> Any:
    """Bytes that may be text: a dot for what cannot be printed."""
    codes = _SHOWN[cells]
    return joined(codes, last_other(codes, _BLANK), None)


def hexadecimal(cells: Bytes) -> Any:
    """Bytes as hexadecimal digits."""
    rows, width = cells.shape
    data = np.ascontiguousarray(_HEX[cells])
    offsets = np.arange(rows + 1, dtype=np.int32) * np.int32(2 * width)
    return pa.Array.from_buffers(
        pa.string(), rows, [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    )


def worded(numbers: NDArray[Any], words: dict[int, str]) -> Any:
    """Words for numbers; the digits of a number that has none."""
    different, places = np.unique(numbers, return_inverse=True)
    names = pa.array([words.get(int(n), str(int(n))) for n in different], pa.string())
    return names.take(pa.array(places.astype(np.int32)))


def chosen(condition: Mask, on: str, off: str) -> Any:
    """One of two words."""
    return pa.array([off, on], pa.string()).take(pa.array(condition.astype(np.int32)))


def repeated(value: str, times: int) -> Any:
    """The same string in every row."""
    raw = value.encode()
    offsets = np.arange(times + 1, dtype=np.int32) * np.int32(len(raw))
    return pa.Array.from_buffers(
        pa.string(), times, [None, pa.py_buffer(offsets), pa.py_buffer(raw * times)]
    )


def gathered(buffer: Bytes, at: Longs, size: int) -> Bytes:
    """A matrix of the `size` bytes at each place, all of which must be within the buffer; zeros if
    not even one would be."""
    if not len(at) or len(buffer) < size:
        return np.zeros((len(at), size), np.uint8)
    # Every place of the buffer as if an item began there: taking items copies whole ones.
    places = np.ndarray((len(buffer) - size + 1,), f"V{size}", buffer, strides=(1,))
    taken: Bytes = places[at].view(np.uint8).reshape(len(at), size)
    return taken
