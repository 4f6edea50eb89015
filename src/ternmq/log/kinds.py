"""The numbers of the kinds of log records. `txn.families` has what each of them is."""

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

# Numbers that no version has written. SCRATCHPAD is for channels.
RESERVED: Final = (SCRATCHPAD, CARRIED)
