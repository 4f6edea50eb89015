"""One message in memory, and the doubly linked chain that orders messages of one priority.

The descriptor stays packed: `base` is a canonical MQMD version 2 (364 bytes, little endian) that
many messages of one handle share; the fields that differ from message to message stand beside it
and are laid over it by `packed_descriptor` only when somebody asks. Called by the queue, the units
of work and the kernel.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64, mypyc_attr

from ternmq.base.ids import put_stamp

if TYPE_CHECKING:
    from ternmq.store.segment import Segment

PUTTING: Final = 0  # put in a unit of work that has not ended
AVAILABLE: Final = 1
GETTING: Final = 2  # got in a unit of work that has not ended
GONE: Final = 3

NOWHERE: Final = 0  # in no list of its lane
IN_FRONT: Final = 1
IN_REAR: Final = 2
ASTRAY: Final = 3

PERSISTENT: Final = 1
OWN_DATE: Final = 2  # the base carries PutDate and PutTime of its own (context was set or passed)

ZERO_ID: Final = bytes(24)

_DATE_AT: Final = 304
_I32: Final = struct.Struct("<i")


# Not watched by the garbage collector, which would look at every message of a deep queue again and
# again. The only cycles are the links of a chain, and who owns a chain undoes them (`__del__`).
@mypyc_attr(acyclic=True)
@final
class Entry:
    """A message of one queue: its keys, its packed descriptor, and its body or where the body
    lies."""

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
    ) -> None:
        # What others' steps touch comes first: compiled, fields lie in this order, and on a deep
        # queue it is cache lines that a get by identifier pays for.
        self.prev: Entry | None = None
        self.next: Entry | None = None
        self.sequence: i64 = 0
        self.state: i64 = PUTTING
        self.place: i64 = NOWHERE
        self.msg_id = msg_id
        self.correl_id = correl_id
        self.data = data
        self.length: i64 = length
        self.lane: i64 = 0
        self.flags: i64 = flags
        self.cursors: i64 = 0
        self.unit_id: i64 = 0
        self.expiry_at: i64 = expiry_at
        self.visible_lsn: i64 = 0
        self.base = base
        self.group_id = group_id
        self.segment: Segment | None = None
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
        return self.length + 364


@final
class Chain:
    """Messages in order of their sequence; removal anywhere costs the same."""

    __slots__ = ("bytes", "count", "head", "tail")

    def __init__(self) -> None:
        self.head: Entry | None = None
        self.tail: Entry | None = None
        self.count: i64 = 0
        self.bytes: i64 = 0  # of data, for the sweeper

    def __del__(self) -> None:
        entry = self.head
        self.head = None
        self.tail = None
        while entry is not None:
            after = entry.next
            entry.prev = None
            entry.next = None
            entry = after

    def append(self, entry: Entry) -> None:
        """Add at the tail: the entry has the highest sequence."""
        tail = self.tail
        entry.prev = tail
        entry.next = None
        if tail is None:
            self.head = entry
        else:
            tail.next = entry
        self.tail = entry
        self.count += 1
        self.bytes += entry.length

    def prepend(self, entry: Entry) -> None:
        """Add before the head: the entry has the lowest sequence."""
        head = self.head
        entry.next = head
        entry.prev = None
        if head is None:
            self.tail = entry
        else:
            head.prev = entry
        self.head = entry
        self.count += 1
        self.bytes += entry.length

    def insert(self, entry: Entry) -> None:
        """Put back in its place by sequence; what comes back mostly belongs near the head, and what
        restart makes visible again at the tail."""
        tail = self.tail
        if tail is None or tail.sequence < entry.sequence:
            self.append(entry)
            return
        after = self.head
        while after is not None and after.sequence < entry.sequence:
            after = after.next
        if after is None:
            self.append(entry)
            return
        before = after.prev
        entry.prev = before
        entry.next = after
        after.prev = entry
        if before is None:
            self.head = entry
        else:
            before.next = entry
        self.count += 1
        self.bytes += entry.length

    def remove(self, entry: Entry) -> None:
        """Take out of the chain; the entry's own links are cleared."""
        before = entry.prev
        after = entry.next
        if before is None:
            self.head = after
        else:
            before.next = after
            entry.prev = None
        if after is None:
            self.tail = before
        else:
            after.prev = before
            entry.next = None
        self.count -= 1
        self.bytes -= entry.length

    def join(self, other: Chain) -> None:
        """Move all of `other` behind the tail."""
        first = other.head
        if first is None:
            return
        tail = self.tail
        if tail is None:
            self.head = first
        else:
            tail.next = first
            first.prev = tail
        self.tail = other.tail
        self.count += other.count
        self.bytes += other.bytes
        other.head = None
        other.tail = None
        other.count = 0
        other.bytes = 0


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
