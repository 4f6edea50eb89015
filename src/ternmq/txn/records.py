"""The payloads of the log's records about messages and units of work.

All integers little endian. A message image is `store.image`'s: header, MQMD, data.

    PUT            u16 targets, u16 0, u32 0, then for each target u64 queue, u64 number, u64
    sequence, u64 flags; image.
                   One body, several targets: streamed copies, publications and distribution lists
                   share it. A sequence of 0 is given later, by COMMIT. Flags: bit 0 says that the
                   target has a copy, without the report options of the image's MQMD that make
                   messages, and with an expiry of its own in bits 32 to 63: tenths of a second
                   after the put, 0 is unlimited. The image is that of the first target.
    GET            u64 queue, u64 number
    PUT_GOT        u64 queue, u64 number, u64 sequence, u64 data length: handed to a waiting getter;
    there is no body,
                   because nothing of it is left to restore
    COMMIT         u32 puts, u32 0, then u64 queue, u64 number, u64 sequence for each persistent put
    COMPENSATE     u32 changes, u32 0, then u64 kind (1 put, 2 get) | backout count << 8, u64 queue,
    u64 number
    BACKOUT        empty: every change of the unit is compensated
    PREPARE        i32 format id, u16 length of the global id, u16 length of the owner, then global
    id, branch
                   qualifier, and the user who prepared it in UTF-8
    FORGET         as PREPARE
    HEURISTIC      u8 outcome (1 committed, 2 backed out), then as PREPARE: what an operator decided
    EXPIRED        u32 messages, u32 0, then u64 queue, u64 number
    QUEUE_CLEARED  u64 queue, u64 next number: all committed messages with lower numbers are gone
    OBJECT, OBJECT_DELETED, CHECKPOINT, RESTART   JSON in UTF-8
"""

from __future__ import annotations

import json
import struct
from typing import Final, final

from ternmq.base.errors import IntegrityError
from ternmq.txn.unit import XID

TARGET_HEAD: Final = struct.Struct("<HHI")
TARGET: Final = struct.Struct("<QQQQ")
ONE_TARGET: Final = struct.Struct("<HHIQQQQ")
PAIR: Final = struct.Struct("<QQ")
TRIPLE: Final = struct.Struct("<QQQ")
COUNT: Final = struct.Struct("<II")
XID_HEAD: Final = struct.Struct("<iHH")
COPY: Final = 1  # flag of a target


@final
class Target:
    """Where a logged message goes."""

    __slots__ = ("flags", "number", "queue_id", "sequence")

    def __init__(self, queue_id: int, number: int, sequence: int, flags: int) -> None:
        self.queue_id = queue_id
        self.number = number
        self.sequence = sequence
        self.flags = flags


def pack_put(queue_id: int, number: int, sequence: int) -> bytes:
    """The head of a PUT with one target."""
    return ONE_TARGET.pack(1, 0, 0, queue_id, number, sequence, 0)


def pack_puts(targets: list[tuple[int, int, int, int]]) -> bytes:
    """The head of a PUT with several targets, each with its flags."""
    parts = [TARGET_HEAD.pack(len(targets), 0, 0)]
    parts.extend([TARGET.pack(*target) for target in targets])
    return b"".join(parts)


def copy_flags(tenths: int) -> int:
    """The flags of a target that has a copy; its expiry in tenths of a second, -1: unlimited."""
    return COPY if tenths < 0 else COPY | max(tenths, 1) << 32


def copy_tenths(flags: int) -> int:
    """The expiry that such flags tell."""
    return flags >> 32 or -1


def unpack_put(payload: bytes) -> tuple[list[Target], int]:
    """Targets of a PUT, and where its image starts."""
    count = TARGET_HEAD.unpack_from(payload, 0)[0]
    end = TARGET_HEAD.size + count * TARGET.size
    if end > len(payload):
        raise IntegrityError(f"PUT record announces {count} targets in {len(payload)} bytes")
    targets = []
    for at in range(TARGET_HEAD.size, end, TARGET.size):
        queue_id, number, sequence, flags = TARGET.unpack_from(payload, at)
        targets.append(Target(queue_id, number, sequence, flags))
    return targets, end


def pack_get(queue_id: int, number: int) -> bytes:
    """A GET."""
    return PAIR.pack(queue_id, number)


def unpack_get(payload: bytes) -> tuple[int, int]:
    """Queue and number of a GET."""
    queue_id, number = PAIR.unpack(payload)
    return queue_id, number


def pack_put_got(queue_id: int, number: int, sequence: int, length: int) -> bytes:
    """A PUT_GOT."""
    return TARGET.pack(queue_id, number, sequence, length)


def pack_triples(rows: list[tuple[int, int, int]]) -> bytes:
    """COMMIT or COMPENSATE."""
    parts = [COUNT.pack(len(rows), 0)]
    parts.extend([TRIPLE.pack(a, b, c) for a, b, c in rows])
    return b"".join(parts)


def unpack_triples(payload: bytes) -> list[tuple[int, int, int]]:
    """The rows of COMMIT or COMPENSATE."""
    count = COUNT.unpack_from(payload, 0)[0]
    if len(payload) != COUNT.size + count * TRIPLE.size:
        raise IntegrityError(f"record announces {count} rows in {len(payload)} bytes")
    rows: list[tuple[int, int, int]] = []
    for a, b, c in TRIPLE.iter_unpack(payload[COUNT.size :]):
        rows.append((a, b, c))
    return rows


def pack_pairs(rows: list[tuple[int, int]]) -> bytes:
    """EXPIRED."""
    parts = [COUNT.pack(len(rows), 0)]
    parts.extend([PAIR.pack(a, b) for a, b in rows])
    return b"".join(parts)


def unpack_pairs(payload: bytes) -> list[tuple[int, int]]:
    """The rows of EXPIRED."""
    count = COUNT.unpack_from(payload, 0)[0]
    if len(payload) != COUNT.size + count * PAIR.size:
        raise IntegrityError(f"record announces {count} rows in {len(payload)} bytes")
    rows: list[tuple[int, int]] = []
    for a, b in PAIR.iter_unpack(payload[COUNT.size :]):
        rows.append((a, b))
    return rows


def pack_xid(xid: XID) -> bytes:
    """PREPARE or FORGET."""
    owner = xid.owner.encode("utf-8", "replace")
    head = XID_HEAD.pack(xid.format_id, len(xid.global_id), len(owner))
    return head + xid.global_id + xid.branch_qualifier + owner


def unpack_xid(payload: bytes) -> XID:
    """The XID of PREPARE or FORGET."""
    format_id, length, owner_length = XID_HEAD.unpack_from(payload, 0)
    start = XID_HEAD.size
    end = len(payload) - owner_length
    if start + length > end:
        raise IntegrityError(f"XID announces {length} and {owner_length} bytes in {len(payload)}")
    owner = payload[end:].decode("utf-8", "replace")
    return XID(format_id, payload[start : start + length], payload[start + length : end], owner)


def pack_json(value: dict[str, object]) -> bytes:
    """A record for few and readable facts."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode("utf-8")


def unpack_json(payload: bytes) -> dict[str, object]:
    """The facts of such a record."""
    value = json.loads(payload)
    if not isinstance(value, dict):
        raise IntegrityError("record is not a JSON object")
    return value


def compensation_kind(kind: int, backout_count: int) -> int:
    """Kind and new backout count in one integer."""
    return kind | backout_count << 8
