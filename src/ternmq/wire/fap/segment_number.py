"""Numbers at known places of a segment, for those who read every message: compiled, a few byte
loads instead of a call of `struct` with its tuple."""

from __future__ import annotations

from mypy_extensions import i64


def u32_big(data: bytes, at: i64) -> i64:
    """Four bytes, high byte first; they must be there."""
    return data[at] << 24 | data[at + 1] << 16 | data[at + 2] << 8 | data[at + 3]


def u32_little(data: bytes, at: i64) -> i64:
    """Four bytes, low byte first; they must be there."""
    return data[at + 3] << 24 | data[at + 2] << 16 | data[at + 1] << 8 | data[at]


def i32(data: bytes, at: i64, is_little: bool) -> i64:
    """MQLONG; its bytes must be there."""
    value = u32_little(data, at) if is_little else u32_big(data, at)
    return value - (1 << 32) if value >= 1 << 31 else value
