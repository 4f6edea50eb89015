"""Columns of Arrow as arrays of NumPy, and back, by their buffers: nothing is copied."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Mask = npt.NDArray[np.bool_]
_TYPES: Final = {
    "int8": np.int8, "int32": np.int32, "int64": np.int64, "double": np.float64,
    "uint64": np.uint64,
}  # fmt: skip


def bitmap(flags: Mask) -> Any:
    """Arrow's form of yes and no."""
    return pa.py_buffer(np.packbits(flags, bitorder="little"))


def array_of(values: npt.NDArray[Any], missing: Mask | None = None) -> Any:
    """An array of whole numbers, doubles, or yes and no; null where `missing` says so."""
    known = None if missing is None or not missing.any() else bitmap(~missing)
    if values.dtype == np.bool_:
        return pa.Array.from_buffers(pa.bool_(), len(values), [known, bitmap(values)])
    plain = np.ascontiguousarray(values)
    kind = pa.from_numpy_dtype(plain.dtype)
    return pa.Array.from_buffers(kind, len(plain), [known, pa.py_buffer(plain)])


def numbers_of(values: Any) -> npt.NDArray[Any]:
    """The numbers, or yes and no, of an array; 0 where it is null."""
    if values.null_count:
        values = pc.fill_null(values, False if pa.types.is_boolean(values.type) else 0)
    if not len(values):
        return np.zeros(0, bool if pa.types.is_boolean(values.type) else _TYPES[str(values.type)])
    if pa.types.is_boolean(values.type):
        return bits(values.buffers()[1], values.offset, len(values))
    plain = np.frombuffer(values.buffers()[1], _TYPES[str(values.type)])
    return plain[values.offset : values.offset + len(values)]


def is_known(values: Any) -> Mask:
    """Which values are not null."""
    if not values.null_count:
        return np.ones(len(values), bool)
    return numbers_of(values.is_valid())


def bits(buffer: Any, first: int, count: int) -> Mask:
    flags = np.unpackbits(np.frombuffer(buffer, np.uint8), bitorder="little")
    found: Mask = flags[first : first + count].astype(bool)
    return found
