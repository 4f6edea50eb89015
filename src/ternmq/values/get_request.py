"""Which message a get asks for, after the verb's arguments were checked.

A request may be used again and again; it is never changed. What differs from call to call is in the
connection.
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64, mypyc_attr

from ternmq.base import constants as mq
from ternmq.values.entry import PERSISTENT, ZERO_ID, Entry

_PAIR: Final = struct.Struct("<ii")
UNLIMITED_LENGTH: Final = 1 << 40

# Options that look at groups and logical messages.
GROUPING: Final = (
    mq.MQGMO_LOGICAL_ORDER
    | mq.MQGMO_ALL_MSGS_AVAILABLE
    | mq.MQGMO_ALL_SEGMENTS_AVAILABLE
    | mq.MQGMO_COMPLETE_MSG
)

# Messages that a get does not take, but ends with the reason SPARED when it finds one.
SPARES_PERSISTENT: Final = 1
SPARES_ALL: Final = 2
SPARED: Final = -1


@mypyc_attr(acyclic=True)
@final
class GetRequest:
    """Which message, and how. Ids of zeros, and -1, match everything."""

    __slots__ = (
        "apart",
        "buffer_length",
        "ccsid",
        "complete",
        "correl_id",
        "encoding",
        "extends",
        "group_id",
        "grouping",
        "msg_id",
        "msg_offset",
        "msg_sequence",
        "options",
        "passes",
        "plain",
        "spares",
        "syncpoint",
        "syncpoint_if_persistent",
        "token",
        "token_lane",
        "token_queue",
        "token_sequence",
        "wait_ms",
    )

    def __init__(self, options: i64) -> None:
        self.options: i64 = options
        self.msg_id = ZERO_ID
        self.correl_id = ZERO_ID
        self.group_id = ZERO_ID
        self.msg_sequence: i64 = -1
        self.msg_offset: i64 = -1
        self.token: i64 = -1  # the number of a message on this queue, and where it is if swept:
        self.token_queue: i64 = 0
        self.token_lane: i64 = 0
        self.token_sequence: i64 = 0
        self.wait_ms: i64 = 0  # 0: do not wait; -1: without end
        self.buffer_length: i64 = UNLIMITED_LENGTH
        self.ccsid: i64 = 0  # what MQGMO_CONVERT turns text into
        self.encoding: i64 = 0
        self.syncpoint = False
        self.syncpoint_if_persistent = False
        self.complete: bool = options & mq.MQGMO_COMPLETE_MSG != 0  # segments come as one message
        self.grouping: bool = options & GROUPING != 0  # its place in a group counts
        self.plain: bool = not self.grouping  # any message will do
        self.spares: i64 = 0  # messages that are not to be taken
        # Properties come beside the data unless options say otherwise, as to a handle.
        self.apart = False
        # The caller has version 1 of the MQMD: an MQMDE before the data says what that lacks.
        self.extends = False
        # Bytes of properties beside the data and of data that can travel together; 0: any number.
        self.passes: i64 = 0

    def spared(self, entry: Entry) -> bool:
        """Whether a message that was found is not to be taken."""
        return self.spares == SPARES_ALL or (
            self.spares == SPARES_PERSISTENT and entry.flags & PERSISTENT != 0
        )

    def with_ids(self, msg_id: bytes, correl_id: bytes) -> GetRequest:
        """A request for any message, narrowed to these identifiers."""
        other = GetRequest(self.options)
        other.msg_id = msg_id
        other.correl_id = correl_id
        other.wait_ms = self.wait_ms
        other.buffer_length = self.buffer_length
        other.ccsid = self.ccsid
        other.encoding = self.encoding
        other.syncpoint = self.syncpoint
        other.syncpoint_if_persistent = self.syncpoint_if_persistent
        other.apart = self.apart
        other.extends = self.extends
        other.passes = self.passes
        other.settle()
        return other

    def settle(self) -> None:
        """After the match fields were set."""
        self.plain = not self.grouping and not self.is_narrowed

    @property
    def is_narrowed(self) -> bool:
        """Whether a match field is set."""
        return not (
            self.msg_id == ZERO_ID
            and self.correl_id == ZERO_ID
            and self.group_id == ZERO_ID
            and self.msg_sequence < 0
            and self.msg_offset < 0
            and self.token < 0
        )

    def by_id(self) -> bool:
        """Whether an identifier narrows the search."""
        return self.msg_id != ZERO_ID or self.correl_id != ZERO_ID or self.group_id != ZERO_ID

    def wait_key(self) -> bytes:
        """The identifier that waiters are kept by; zeros for none."""
        if self.msg_id != ZERO_ID:
            return self.msg_id
        if self.correl_id != ZERO_ID:
            return self.correl_id
        return self.group_id

    def matches(self, entry: Entry) -> bool:
        """Whether a message is one of those asked for."""
        if self.plain:
            return True
        if self.msg_id != ZERO_ID and entry.msg_id != self.msg_id:
            return False
        if self.correl_id != ZERO_ID and entry.correl_id != self.correl_id:
            return False
        if self.group_id != ZERO_ID and entry.group_id != self.group_id:
            return False
        if self.token >= 0 and entry.number != self.token:
            return False
        if self.msg_sequence >= 0 or self.msg_offset >= 0:
            sequence, offset = _PAIR.unpack_from(entry.base, 348)
            if self.msg_sequence >= 0 and sequence != self.msg_sequence:
                return False
            if self.msg_offset >= 0 and offset != self.msg_offset:
                return False
        return True
