"""A connection and its object handles: who, what is open, and the one unit of work.

What a verb leaves for the shell is here as well, so that the hot path makes no objects for it:
`durable_at`, the LSN to be forced before the answer leaves; `park`, the effect to wait for before
the verb is tried again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.base.accounts import TaskAccount, TaskQueueAccount
from ternmq.codec.conversion_service import ConversionService
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.verb_clock import VerbClock
from ternmq.store.catalog import Definition
from ternmq.store.cursor import Cursor
from ternmq.txn.unit import UnitOfWork
from ternmq.values.entry import Entry
from ternmq.values.handle import ObjectHandle

if TYPE_CHECKING:
    from ternmq.kernel.held_messages import HeldMessage
    from ternmq.kernel.logical_place import LogicalOrder
    from ternmq.kernel.put_position import PutPosition
    from ternmq.kernel.requests import GetCall
    from ternmq.kernel.selection import HandleSelection
    from ternmq.kernel.topic_sink import OpenSubscription, OpenTopic
    from ternmq.kernel.transmission import Route
    from ternmq.kernel.undertaking import Undertaking
    from ternmq.kernel.waiters import Alert
    from ternmq.ports.effect import Effect


_NONE_ON_THE_WAY: Final[list[Definition]] = []  # one for all handles: nothing is ever added to it


@final
class Handle(ObjectHandle):
    """An open object."""

    __slots__ = (
        "account",
        "accounted_in",
        "alert",
        "connection",
        "context",
        "copies_refused",
        "cursor",
        "definition",
        "header_bytes",
        "input",
        "is_put1",
        "local",
        "locked",
        "logical",
        "members",
        "object_type",
        "opened_ns",
        "position",
        "put_inhibited_by",
        "route",
        "selection",
        "subscription",
        "topic",
        "via",
    )

    def __init__(self, connection: Connection, handle_id: int, options: i64) -> None:
        super().__init__(handle_id, options)
        self.connection = connection
        self.input: int = 0  # MQOO_INPUT_SHARED, MQOO_INPUT_EXCLUSIVE or 0, as it was at the open
        self.object_type: int = 1
        self.local: LocalQueue | None = None
        self.definition: Definition | None = None  # what was named: an alias, say
        self.via: list[Definition] = _NONE_ON_THE_WAY  # aliases, each with its own inhibits
        self.route: Route | None = None  # to another queue manager, by the local queue
        self.header_bytes: i64 = 0  # that each message gets on the way
        self.cursor: Cursor | None = None
        self.locked: i64 = 0  # number of the message under a browse lock of this handle
        self.topic: OpenTopic | None = None  # instead of a queue
        self.subscription: OpenSubscription | None = None  # of an Hsub
        self.selection: HandleSelection | None = None  # which messages its gets see; all without
        self.logical: LogicalOrder | None = None  # where its gets and browses are in groups
        self.alert: Alert | None = None  # see `alerts`
        self.context: Entry | None = None  # saved for put with pass context
        # A group or logical message that its puts have left incomplete; see `put_position`.
        self.position: PutPosition | None = None
        self.is_put1 = False  # opened by MQPUT1, for one put
        self.opened_ns: i64 = 0  # Unix time, if its connection was accounted for then
        # where what is done with it is accounted, and of which account of the connection that is
        self.account: TaskQueueAccount | None = None
        self.accounted_in: TaskAccount | None = None
        # of a distribution list: a handle for each destination, None for one that was not opened
        self.members: list[Handle | None] | None = None
        # by streaming queue: the reason that was reported last
        self.copies_refused: dict[str, int] | None = None

    @property
    def key(self) -> int:
        """A number that no other handle of the queue manager has."""
        return self.connection.connection_id << 32 | self.handle_id


@final
class Connection:
    """One application's link to the queue manager."""

    def __init__(self, connection_id: int, tag: bytes, user: str, application: str) -> None:
        self.connection_id = connection_id
        self.tag = tag  # 24 bytes, as DISPLAY CONN shows it
        self.user = user
        self.application = application
        self.privileged = True  # no authority is asked for (see `authority`)
        # who it is, for DISPLAY CONN; 0 and "" where it is not known
        self.process_id = 0
        self.thread_id = 0
        self.channel_name = ""
        self.connection_name = ""  # where a client comes from
        self.connect_options = 0  # MQCNO_
        self.context = b""  # identity and origin context, packed (see `context`)
        # of the message whose command it carries out, packed; nothing if it acts for itself
        self.command_descriptor = b""
        self.handles: dict[int, Handle] = {}
        self.next_handle = 2
        self.lists = 0  # handles of distribution lists, which do not count: their members do
        self.streams: dict[str, Handle] = {}  # by the name it was asked for: open to be read
        self.unit: UnitOfWork | None = None
        self.get_call: GetCall | None = None  # a get that has not ended
        self.undertaking: Undertaking | None = None  # a verb of several messages, not ended yet
        self.held: list[HeldMessage] | None = None  # to be put when it ends
        self.connected = True
        self.takes_multicast = False  # a client that said so
        self.started_ns: i64 = 0  # Unix time
        # while the connection is accounted for; the clock is the shell's
        self.account: TaskAccount | None = None
        self.clock: VerbClock | None = None
        # whether its calls are traced, and by which subscriptions that was found (`call_trace`)
        self.is_traced = False
        self.trace_version: i64 = 0
        self.conversion: ConversionService | None = None  # what its gets convert with
        # for the shell
        self.durable_at: i64 = 0
        self.park: Effect | None = None
        self.again = False  # more to do: step once more
        self.warning: i64 = 0
        self.data_length: i64 = 0
        self.log_tries: i64 = 0

    def begin_verb(self) -> None:
        """Forget what the last verb left."""
        self.durable_at = 0
        self.park = None
        self.again = False
        self.warning = 0

    def depends_on(self, lsn: i64) -> None:
        """The answer must not leave before the log is forced up to here."""
        if lsn > self.durable_at:
            self.durable_at = lsn
