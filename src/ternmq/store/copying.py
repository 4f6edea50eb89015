"""The copy of a message for another queue: what it has otherwise than the original.

Identifiers, properties, data, context and persistence are the same, and the two share the bytes.
Report options that make a queue manager send messages are taken away, and the expiry is the copy's
own: never, or a number of tenths of a second after the put. Streaming queues make copies, and
replay of their records makes them again.
"""

from __future__ import annotations

import struct
from typing import Final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.values.entry import REPORTS, Entry

NANOSECONDS_A_TENTH: Final = 100_000_000
REPORTS_MADE: Final = (
    mq.MQRO_EXCEPTION_WITH_FULL_DATA
    | mq.MQRO_EXPIRATION_WITH_FULL_DATA
    | mq.MQRO_COA_WITH_FULL_DATA
    | mq.MQRO_COD_WITH_FULL_DATA
    | mq.MQRO_ACTIVITY
)
_REPORT_TO_EXPIRY: Final = struct.Struct("<iii")  # at 8 in the descriptor
_REPORT_AT: Final = 8
_FEEDBACK_AT: Final = 20


def copied_descriptor(base: bytes, tenths: i64) -> bytes:
    """The descriptor of the copy, with an expiry of so many tenths of a second (-1: unlimited);
    the very same bytes where nothing differs."""
    report, kind, expiry = _REPORT_TO_EXPIRY.unpack_from(base, _REPORT_AT)
    kept = report & ~REPORTS_MADE
    if kept == report and expiry == tenths:
        return base
    changed = _REPORT_TO_EXPIRY.pack(kept, kind, int(tenths))
    return base[:_REPORT_AT] + changed + base[_FEEDBACK_AT:]


def copy_of(entry: Entry, base: bytes, tenths: i64) -> Entry:
    """The copy of a message; `base` is its descriptor."""
    expiry_at: i64 = 0
    if tenths >= 0:
        expiry_at = entry.put_ns + tenths * NANOSECONDS_A_TENTH
    return Entry(
        0,
        entry.priority,
        entry.flags & ~REPORTS,
        entry.put_ns,
        expiry_at,
        entry.msg_id,
        entry.correl_id,
        entry.group_id,
        base,
        entry.data,
        entry.length,
        entry.properties,
    )


def tenths_of(entry: Entry) -> i64:
    """The expiry of a message that was put just now, in tenths of a second; -1: unlimited."""
    if entry.expiry_at == 0:
        return -1
    return (entry.expiry_at - entry.put_ns) // NANOSECONDS_A_TENTH
