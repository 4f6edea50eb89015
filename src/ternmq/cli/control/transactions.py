"""Units of work in doubt, as dspmqtrn and rsvmqtrn name them.

A transaction's number is made of its XID, so that it stays the same however many others come and
go between looking and deciding. An XID is written as `formatID:gtrid:bqual`, the last two in
hexadecimal.
"""

from __future__ import annotations

import zlib

from ternmq.values.xid import XID


def number_of(xid: XID) -> str:
    """What operators call it: `0,123456789`."""
    packed = (
        xid.format_id.to_bytes(4, "big", signed=True) + xid.global_id + b"/" + xid.branch_qualifier
    )
    return f"0,{zlib.crc32(packed)}"


def written(xid: XID) -> str:
    """An XID in one word."""
    return f"{xid.format_id}:{xid.global_id.hex()}:{xid.branch_qualifier.hex()}"


def read(word: str) -> XID:
    """The XID of a word; ValueError if the word is not one."""
    parts = word.split(":")
    if len(parts) != 3:
        raise ValueError(f"{word!r} is not an XID: formatID:gtrid:bqual")
    return XID(int(parts[0]), bytes.fromhex(parts[1]), bytes.fromhex(parts[2]))
