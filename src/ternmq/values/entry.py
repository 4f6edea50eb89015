"""One message in memory, in its two parts: properties (`property_area`) and body.

The descriptor stays packed: `base` is a canonical MQMD version 2 (364 bytes, little endian) that
many messages of one handle share; the fields that differ from message to message stand beside it
and are laid over it only by `packed_descriptor`, on demand. Called by the queue, the units
of work and the kernel.
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64, mypyc_attr

from ternmq.base.ids import put_stamp

PUTTING: Final = 0  # put in a unit of work that has not ended
AVAILABLE: Final = 1
GETTING: Final = 2  # got in a unit of work that has not ended
GONE: Final = 3
CANCELLED: Final = 4  # put and got in one unit of work: it never comes to its queue

# Where in its lane. Above NOWHERE: in the front or the rear list, the lane knows which.
ASTRAY: Final = -1
NOWHERE: Final = 0  # in no list of its lane

PERSISTENT: Final = 1
OWN_DATE: Final = 2  # the base carries PutDate and PutTime of its own (context was set or passed)
REPORTS: Final = 16  # its Report asks for a report that the queue manager makes (see `reports`)

ZERO_ID: Final = bytes(24)

_PERSISTENCE_AT: Final = 44
_DATE_AT: Final = 304
_I32: Final = struct.Struct("<i")


class Home:
    """A file that a message was swept to: the store's `Segment`."""

    __slots__ = ()


# Not watched by the garbage collector, which would look at every message of a deep queue again and
# again. The only cycles are the links of a chain, and the owner of a chain undoes them (`__del__`).
@mypyc_attr(acyclic=True)
@final
class Entry:
    """A message of one queue: its keys, its packed descriptor, and its body or where the body
    is."""

    __slots__ = (
        "backout_count",
        "base",
        "correl_id",
        "cursors",
        "data",
        "expiry_at",
        "flags",
        "group_id",
        "home_lsn",
        "lane",
        "length",
        "log_next",
        "log_prev",
        "msg_id",
        "next",
        "number",
        "ordinal",
        "place",
        "prev",
        "priority",
        "properties",
        "put_ns",
        "queue_id",
        "segment",
        "sequence",
        "state",
        "unit_id",
        "visible_lsn",
    )

    def __init__(
        self,
        number: i64,
        priority: i64,
        flags: i64,
        put_ns: i64,
        expiry_at: i64,
        msg_id: bytes,
        correl_id: bytes,
        group_id: bytes,
        base: bytes,
        data: bytes,
        length: i64,
        properties: bytes = b"",
    ) -> None:
        # What others' steps touch comes first: compiled, fields are in this order, and on a deep
        # queue a get by identifier pays for cache lines.
        self.prev: Entry | None = None
        self.next: Entry | None = None
        self.sequence: i64 = 0
        self.state: i64 = PUTTING
        self.place: i64 = NOWHERE
        self.msg_id = msg_id
        self.correl_id = correl_id
        self.data = data
        self.length: i64 = length  # of the body
        self.properties = properties  # its property area, empty without any
        self.lane: i64 = 0
        self.flags: i64 = flags
        self.cursors: i64 = 0
        self.unit_id: i64 = 0
        self.expiry_at: i64 = expiry_at
        self.visible_lsn: i64 = 0
        self.base = base
        self.group_id = group_id
        self.segment: Home | None = None
        self.number: i64 = number
        self.put_ns: i64 = put_ns
        self.priority: i64 = priority
        self.queue_id: i64 = 0
        self.home_lsn: i64 = 0
        self.ordinal: i64 = 0
        self.backout_count: i64 = 0
        self.log_prev: Entry | None = None
        self.log_next: Entry | None = None

    @property
    def persistent(self) -> bool:
        """Whether the message must survive a restart."""
        return self.flags & PERSISTENT != 0

    def memory_bytes(self) -> i64:
        """What the message counts in its queue's buffer."""
        return self.length + len(self.properties) + 364


def shows_persistent(entry: Entry) -> bool:
    """Whether its MQMD says MQPER_PERSISTENT. A copy of a persistent publication may be kept
    without being logged (`pubsub.delivery_plan`)."""
    return entry.base[_PERSISTENCE_AT] == PERSISTENT


def place_in_group(entry: Entry) -> bytes:
    """GroupId to OriginalLength of its MQMD."""
    return entry.group_id + entry.base[348:]


def packed_descriptor(entry: Entry) -> bytes:
    """The whole MQMD version 2 of a message: its own fields laid over its base."""
    base = entry.base
    when = base[304:320] if entry.flags & OWN_DATE else put_stamp(entry.put_ns)
    return b"".join(
        (
            base[:48],
            entry.msg_id,
            entry.correl_id,
            _I32.pack(int(entry.backout_count)),
            base[100:_DATE_AT],
            when,
            base[320:324],
            entry.group_id,
            base[348:],
        )
    )
