"""Strings of variable length (MQCHARV): a description inside a structure, the bytes elsewhere.

    ptr (4 or 8 bytes), offset i32, buffer size i32, length i32, CCSID i32

The offset counts from the start of the structure that holds the description; on the wire ptr is 0
and the bytes follow the structure. A length of -1 means: up to a NUL. A CCSID of -3 means that of
the application, which is the one of the connection.
"""

from __future__ import annotations

from typing import final

from ternmq.base.constants import MQCCSI_APPL, MQVS_NULL_TERMINATED
from ternmq.base.errors import mq_error
from ternmq.codec.charset import decode, encode


@final
class CharV:
    """Where a string of variable length is: at `offset` from the start of its structure."""

    def __init__(
        self,
        *,
        ptr: int = 0,
        offset: int = 0,
        buffer_size: int = 0,
        length: int = 0,
        ccsid: int = MQCCSI_APPL,
    ) -> None:
        self.ptr = ptr
        self.offset = offset
        self.buffer_size = buffer_size
        self.length = length
        self.ccsid = ccsid

    def as_tuple(self) -> tuple[int, int, int, int, int]:
        return (self.ptr, self.offset, self.buffer_size, self.length, self.ccsid)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CharV) and self.as_tuple() == other.as_tuple()

    def __hash__(self) -> int:
        return hash(self.as_tuple())

    def __repr__(self) -> str:
        where = f"ptr={self.ptr}, offset={self.offset}, buffer_size={self.buffer_size}"
        return f"CharV({where}, length={self.length}, ccsid={self.ccsid})"


def read_charv(
    described: CharV, data: bytes, start: int, ccsid: int, reason: int, bytes_max: int
) -> str:
    """The string that belongs to a structure at `start` of the data.

    `ccsid` is that of the application; `reason` what to raise if the string is not all there or is
    longer than `bytes_max`.
    """
    length = described.length
    if length == 0 or described.offset == 0:
        return ""
    begin = start + described.offset
    if described.offset < 0 or length < MQVS_NULL_TERMINATED or begin > len(data):
        raise mq_error(reason, detail=f"offset {described.offset}, length {length}")
    if length == MQVS_NULL_TERMINATED:
        end = data.find(b"\0", begin)
        length = len(data) - begin if end < 0 else end - begin
    if length > min(bytes_max, len(data) - begin):
        detail = f"{length} bytes at {begin}, {len(data)} are present, {bytes_max} allowed"
        raise mq_error(reason, detail=detail)
    own = ccsid if described.ccsid == MQCCSI_APPL else described.ccsid
    return decode(data[begin : begin + length], own)


def write_charv(described: CharV, text: str, offset: int, ccsid: int) -> bytes:
    """Describe a string that will stand at `offset` from its structure, and give its bytes."""
    data = encode(text, ccsid)
    described.ptr = 0
    described.offset = offset if data else 0
    described.length = len(data)
    described.ccsid = ccsid
    return data


def rightmost(text: str, size: int, ccsid: int) -> bytes:
    """As many whole characters from the end of a text as a buffer takes. So ResObjectString is
    cut."""
    low = 0
    high = len(text)
    while low < high:  # the first character that is returned
        middle = (low + high) // 2
        if len(encode(text[middle:], ccsid)) <= size:
            high = middle
        else:
            low = middle + 1
    return encode(text[low:], ccsid)
