"""What a put or a get asks for, after the verb's arguments were checked; and a get in progress.

Built by `mqi` from MQMD, MQPMO and MQGMO, or once by a client that repeats itself: a request may be
used again and again. The kernel reads it and never changes it; what differs from call to call is in
the connection.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64, mypyc_attr

from ternmq.codec.mqi.mqmd import ENCODING_AT, FORMAT_AT, MSG_FLAGS_AT
from ternmq.codec.property_header import may_be_split
from ternmq.kernel.group_offers import is_awaited, is_offered
from ternmq.store.copying import copied_descriptor
from ternmq.store.cursor import Cursor
from ternmq.store.segment_format import CORREL_ID, GROUP_ID, MSG_ID
from ternmq.values.entry import REPORTS, ZERO_ID, Entry
from ternmq.values.get_request import GetRequest
from ternmq.values.put_form import PutForm, check_level

if TYPE_CHECKING:
    from ternmq.base.errors import MQError
    from ternmq.kernel.connection import Connection, Handle
    from ternmq.kernel.logical_place import LogicalPlace
    from ternmq.kernel.own_messages import OwnSearch
    from ternmq.kernel.seeking import Seek
    from ternmq.kernel.streaming import CopyTarget
    from ternmq.kernel.undertaking import Undertaking
    from ternmq.ports.effect import Effect, Wakeable
    from ternmq.txn.unit import Change

_PAIR: Final = struct.Struct("<ii")
REPLY_QUEUE_AT: Final = 100  # in the descriptor
REPLY_QMGR_AT: Final = 148
_BLANK: Final = 32
# The options for COA, COD and expiration reports: where in the descriptor, and which bits there.
_CONFIRM_AT: Final = 9
_CONFIRM_BITS: Final = 0x3F
_EXPIRATION_AT: Final = 10
_EXPIRATION_BITS: Final = 0xE0
_NO_FLAGS: Final = bytes(4)


@mypyc_attr(acyclic=True)
@final
class PutRequest(PutForm):
    """A message to put, but for its data."""

    __slots__ = (
        "_copied",
        "_copied_of",
        "_copied_tenths",
        "_key",
        "_origin",
        "_payload",
        "_payload_fields",
        "_placed",
        "_resolved",
        "base",
        "copies",
        "correl_id",
        "expiry",
        "flags",
        "group_id",
        "grouped",
        "msg_id",
        "new_correl_id",
        "new_group_id",
        "persistence",
        "priority",
        "properties",
        "replies_unplaced",
        "splits",
        "syncpoint",
        "user_context",
    )

    def __init__(self, options: i64, base: bytes, syncpoint: bool) -> None:
        super().__init__(options)
        self.base = base
        self.syncpoint = syncpoint
        # It names a queue for replies and no queue manager: the queue manager fills that in.
        self.replies_unplaced = base[REPLY_QUEUE_AT] > _BLANK and base[REPLY_QMGR_AT] <= _BLANK
        # It has MsgFlags: where it belongs is to be settled first (`put_position`).
        self.grouped = base[MSG_FLAGS_AT : MSG_FLAGS_AT + 4] != _NO_FLAGS
        self.copies: list[CopyTarget] | None = None  # who gets copies, if that is settled, too
        # The data may begin with properties, or others are passed on: see `put_parts`.
        self.splits = may_be_split(base)
        self.properties = b""  # an area
        self.user_context = b""  # an area, of the message whose context is passed on
        self.msg_id = ZERO_ID  # zeros: a new one is made
        self.correl_id = ZERO_ID
        self.group_id = ZERO_ID
        self.new_correl_id = False
        self.new_group_id = False
        self.priority: i64 = -1
        self.persistence: i64 = 2
        self.expiry: i64 = -1  # tenths of a second
        self.flags: i64 = 0  # OWN_DATE, REPORTS
        if base[_CONFIRM_AT] & _CONFIRM_BITS or base[_EXPIRATION_AT] & _EXPIRATION_BITS:
            self.flags = REPORTS
        self._key: i64 = -1
        self._resolved = b""
        self._placed = b""
        self._copied = b""
        self._copied_of = b""
        self._copied_tenths: i64 = -1
        self._origin: PutRequest | None = None  # whose base it shares
        self._payload: PutRequest | None = None  # the last one for data without its headers
        self._payload_fields = b""

    def resolved_base(self, priority: i64, persistence: i64) -> bytes:
        """The base with the priority and persistence that the queue decided; the last answer is
        kept."""
        origin = self._origin
        if origin is not None:
            return origin.resolved_base(priority, persistence)
        key = priority * 4 + persistence
        if key != self._key:
            base = self.base
            self._resolved = base[:40] + _PAIR.pack(int(priority), int(persistence)) + base[48:]
            self._key = key
        return self._resolved

    def placed_base(self, base: bytes) -> bytes:
        """The base with its place for replies: the one that the last message had, if it is equal,
        so that messages share it."""
        origin = self._origin
        if origin is not None:
            return origin.placed_base(base)
        if base != self._placed:
            self._placed = base
        return self._placed

    def copied_base(self, base: bytes, tenths: i64) -> bytes:
        """The descriptor of a copy with that expiry; the last answer is kept."""
        origin = self._origin
        if origin is not None:
            return origin.copied_base(base, tenths)
        if base is not self._copied_of or tenths != self._copied_tenths:
            self._copied = copied_descriptor(base, tenths)
            self._copied_of = base
            self._copied_tenths = tenths
        return self._copied

    def with_ids(self, msg_id: bytes, correl_id: bytes) -> PutRequest:
        """The same with other identifiers, which the base does not hold."""
        other = self._copy(self.base)
        other.msg_id = msg_id
        other.correl_id = correl_id
        other._origin = self
        return other

    def with_properties(self, area: bytes) -> PutRequest:
        """The same with properties."""
        other = self.with_ids(self.msg_id, self.correl_id)
        other.properties = area
        return other

    def with_level(self, level: int) -> PutRequest:
        """The same for a publication of this level."""
        check_level(level, "MQPUT")
        other = self.with_ids(self.msg_id, self.correl_id)
        other.level = level
        return other

    def with_parts(self, area: bytes, fields: bytes) -> PutRequest:
        """The same for the body alone, with its Encoding, CCSID and Format, and for the properties
        that were split off. Messages with equal fields share a base."""
        keeper = self if self._origin is None else self._origin
        payload = keeper._payload
        if payload is None or keeper._payload_fields != fields:
            base = self.base
            payload = keeper._copy(base[:ENCODING_AT] + fields + base[FORMAT_AT + 8 :])
            payload.splits = False
            payload.user_context = b""
            keeper._payload = payload
            keeper._payload_fields = fields
        other = payload.with_ids(self.msg_id, self.correl_id)
        other.properties = area
        return other

    def with_group(self, base: bytes, group_id: bytes, is_new: bool) -> PutRequest:
        """The same with another descriptor, and its GroupId; `is_new`: one is made at the put."""
        other = self._copy(base)
        other.msg_id = self.msg_id
        other.correl_id = self.correl_id
        other.group_id = group_id
        other.new_group_id = is_new
        return other

    def at_place(self, base: bytes, group_id: bytes, syncpoint: bool) -> PutRequest:
        """The same with its place in a group or logical message, in a unit of work or not."""
        other = self.with_group(base, group_id, False)
        other.splits = False
        other.syncpoint = syncpoint
        return other

    def _copy(self, base: bytes) -> PutRequest:
        other = PutRequest(self.options, base, self.syncpoint)
        other.splits = self.splits
        other.properties = self.properties
        other.user_context = self.user_context
        other.group_id = self.group_id
        other.new_correl_id = self.new_correl_id
        other.new_group_id = self.new_group_id
        other.priority = self.priority
        other.persistence = self.persistence
        other.expiry = self.expiry
        other.flags = self.flags
        other.level = self.level
        return other


@final
class Assembly:
    """The segments of a logical message that a get has so far (see `complete_get`)."""

    __slots__ = (
        "collected",
        "durable_at",
        "entries",
        "error",
        "group_id",
        "is_whole",
        "length",
        "next_key",
        "reason",
        "takes",
        "undertaking",
        "warning",
    )

    def __init__(self, group_id: bytes, key: i64, length: i64) -> None:
        self.group_id = group_id
        self.next_key: i64 = key  # of the next segment
        self.length: i64 = length  # of the whole message
        self.entries: list[Entry] = []
        self.collected: i64 = 0  # bytes in them
        self.is_whole = False  # the last one is there
        self.error: MQError | None = None  # why what was taken goes back
        self.takes = False  # they leave their queue
        self.undertaking: Undertaking | None = None
        self.durable_at: i64 = 0
        self.reason: i64 = 0
        self.warning: i64 = 0


@final
class GetCall:
    """A get in progress: it may wait for a message, for a segment, or for its next step."""

    __slots__ = (
        "assembly",
        "beside",
        "browse",
        "connection",
        "deadline_ns",
        "durable_at",
        "entry",
        "error",
        "fetch",
        "handle",
        "looking",
        "missed",
        "now_ns",
        "own_search",
        "parts",
        "passed_place",
        "place_before",
        "reason",
        "reports",
        "request",
        "reserved",
        "seek",
        "waiting",
        "waker",
        "walk",
        "warning",
    )

    def __init__(self, connection: Connection, handle: Handle, request: GetRequest) -> None:
        self.connection = connection
        self.handle = handle
        self.request = request
        self.browse = False
        self.beside = False  # of a consumer: other verbs of its connection go on meanwhile
        self.deadline_ns: i64 = 0  # 0: none
        # What the answer depends on if another verb's step served it: the connection may be in a
        # verb of its own by the time that the answer is read.
        self.durable_at: i64 = 0
        self.entry: Entry | None = None  # the message, once there is one
        self.reason: i64 = 0  # or why there is no message; a warning may come with one
        self.warning: i64 = 0  # a reason that comes with a whole message
        self.error: MQError | None = None  # what went wrong while another verb served it
        # Log space for taking the get back: -1 if it never is, then none is set aside.
        self.reserved: i64 = -1
        # The puts of its COD report and of copies of that, which go back with it.
        self.reports: list[Change] | None = None
        self.waiting = False
        self.waker: Wakeable | None = None
        self.walk: Cursor | None = None  # how far a long search has come
        self.seek: Seek | None = None  # the same for one by identifier
        self.fetch: Effect | None = None  # what was last read for it
        self.own_search: OwnSearch | None = None  # how far it is among its own unit's puts
        self.looking = False  # its search goes on in another step, and then it would wait
        self.missed = False  # meanwhile a message came that it may have passed
        # Of a get that looks at groups: when it looked, the last group that it passed over, and the
        # handle's group before the message was got (see `logical_order`).
        self.now_ns: i64 = 0
        self.passed_place: i64 = 0
        self.place_before: LogicalPlace | None = None
        # Of a get of a complete message: what it has so far, and the segments that it has taken.
        self.assembly: Assembly | None = None
        self.parts: list[Entry] | None = None

    @property
    def takes_any(self) -> bool:
        """Whether any message will do."""
        return self.request.plain and self.handle.selection is None

    def by_id(self) -> bool:
        """Whether an identifier narrows the search: the request's, or one that the selection string
        requires."""
        if self.request.by_id():
            return True
        selection = self.handle.selection
        return selection is not None and selection.key_kind >= 0

    def wait_key(self) -> bytes:
        """The identifier that waiters are kept by; zeros for none. What completes a group need not
        have the identifier of its first message."""
        return ZERO_ID if self.request.grouping else self.key()[1]

    def key(self) -> tuple[i64, bytes]:
        """That identifier, and of which kind it is; zeros without one."""
        request = self.request
        if request.msg_id != ZERO_ID:
            return MSG_ID, request.msg_id
        if request.correl_id != ZERO_ID:
            return CORREL_ID, request.correl_id
        selection = self.handle.selection
        if selection is not None and selection.key_kind >= 0:
            return selection.key_kind, selection.key
        return GROUP_ID, request.group_id

    def matches(self, entry: Entry) -> bool:
        """Whether a message is one of those asked for: by the request, and by the selection string
        that the handle was opened with."""
        if not self.request.matches(entry):
            return False
        if self.request.grouping and not is_offered(self, entry):
            return False
        selection = self.handle.selection
        return selection is None or selection.matches(entry)

    def is_concerned(self, entry: Entry) -> bool:
        """Whether a waiting get looks again because this message has come."""
        return is_awaited(self, entry) if self.request.grouping else self.matches(entry)
