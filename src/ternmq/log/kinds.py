"""The kinds of log records. Payloads belong to `txn`; SCRATCHPAD is reserved for channels."""

from __future__ import annotations

from typing import Final

PUT: Final = 1
GET: Final = 2
PUT_GOT: Final = 3
COMMIT: Final = 4
BACKOUT: Final = 5
COMPENSATE: Final = 6
PREPARE: Final = 7
FORGET: Final = 8
CHECKPOINT: Final = 9
OBJECT: Final = 10
OBJECT_DELETED: Final = 11
QUEUE_CLEARED: Final = 12
EXPIRED: Final = 13
RESTART: Final = 14
CURSOR: Final = 15
SCRATCHPAD: Final = 16
LEDGER: Final = 17
STREAM_NUMBERS: Final = 18
MEDIA_IMAGE: Final = 19
CARRIED: Final = 20
HEURISTIC: Final = 21

KIND_NAMES: Final[dict[int, str]] = {
    PUT: "PUT",
    GET: "GET",
    PUT_GOT: "PUT_GOT",
    COMMIT: "COMMIT",
    BACKOUT: "BACKOUT",
    COMPENSATE: "COMPENSATE",
    PREPARE: "PREPARE",
    FORGET: "FORGET",
    CHECKPOINT: "CHECKPOINT",
    OBJECT: "OBJECT",
    OBJECT_DELETED: "OBJECT_DELETED",
    QUEUE_CLEARED: "QUEUE_CLEARED",
    EXPIRED: "EXPIRED",
    RESTART: "RESTART",
    CURSOR: "CURSOR",
    SCRATCHPAD: "SCRATCHPAD",
    LEDGER: "LEDGER",
    STREAM_NUMBERS: "STREAM_NUMBERS",
    MEDIA_IMAGE: "MEDIA_IMAGE",
    CARRIED: "CARRIED",
    HEURISTIC: "HEURISTIC",
}


def kind_name(kind: int) -> str:
    """The name of a kind, also of one that a later version may have written."""
    return KIND_NAMES.get(kind, f"KIND_{kind}")
