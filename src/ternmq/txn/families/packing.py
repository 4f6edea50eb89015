"""Pieces of payload that several families of log records share: rows of numbers, XIDs and JSON.

All integers little endian.
"""

from __future__ import annotations

import json
import struct
from typing import Final

from ternmq.base.errors import IntegrityError, check

PAIR: Final = struct.Struct("<QQ")
TRIPLE: Final = struct.Struct("<QQQ")
COUNT: Final = struct.Struct("<II")


def unpack_pair(payload: bytes) -> tuple[int, int]:
    """Two numbers: a queue, and one that belongs to it."""
    queue_id, number = PAIR.unpack(payload)
    return queue_id, number


def pack_pairs(rows: list[tuple[int, int]]) -> bytes:
    """Their number, and rows of two."""
    parts = [COUNT.pack(len(rows), 0)]
    parts.extend([PAIR.pack(a, b) for a, b in rows])
    return b"".join(parts)


def unpack_pairs(payload: bytes) -> list[tuple[int, int]]:
    """The rows of two."""
    count = COUNT.unpack_from(payload, 0)[0]
    if len(payload) != COUNT.size + count * PAIR.size:
        raise IntegrityError(f"record announces {count} rows in {len(payload)} bytes")
    rows: list[tuple[int, int]] = []
    for a, b in PAIR.iter_unpack(payload[COUNT.size :]):
        rows.append((a, b))
    return rows


def pack_triples(rows: list[tuple[int, int, int]]) -> bytes:
    """Their number, and rows of three."""
    parts = [COUNT.pack(len(rows), 0)]
    parts.extend([TRIPLE.pack(a, b, c) for a, b, c in rows])
    return b"".join(parts)


def unpack_triples(payload: bytes) -> list[tuple[int, int, int]]:
    """The rows of three."""
    count = COUNT.unpack_from(payload, 0)[0]
    if len(payload) != COUNT.size + count * TRIPLE.size:
        raise IntegrityError(f"record announces {count} rows in {len(payload)} bytes")
    rows: list[tuple[int, int, int]] = []
    for a, b, c in TRIPLE.iter_unpack(payload[COUNT.size :]):
        rows.append((a, b, c))
    return rows


def pack_json(value: dict[str, object]) -> bytes:
    """A record for few and readable facts."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode("utf-8")


def unpack_json(payload: bytes) -> dict[str, object]:
    """The facts of such a record."""
    value = json.loads(payload)
    if not isinstance(value, dict):
        raise IntegrityError("record is not a JSON object")
    return value


def integer_of(value: object) -> int:
    """A number out of a record's JSON."""
    check(isinstance(value, int), f"{value!r} is not a number")
    return value if isinstance(value, int) else 0
