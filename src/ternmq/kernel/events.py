"""Where the kernel reports what instrumentation events are about.

`Kernel.events` has a bit for each kind that is switched on, so that a verb pays one test of a
number while none is. What an event contains and where it is put is not the kernel's: `EventSink` is
what it calls, and `admin.events` what answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64, mypyc_attr

from ternmq.base import constants as mq
from ternmq.base.attributes import BY_NAME, Value
from ternmq.base.errors import MQError
from ternmq.base.object_types import NAMELIST, QMGR, SUB, TOPIC

if TYPE_CHECKING:
    from ternmq.channel.agent import End
    from ternmq.kernel.channel_instance import ChannelInstance
    from ternmq.kernel.connection import Connection
    from ternmq.kernel.kernel import Kernel
    from ternmq.kernel.objects import LocalQueue
    from ternmq.kernel.topic_sink import TopicRefusal
    from ternmq.security.chlauth import Partner
    from ternmq.store.catalog import Definition
    from ternmq.values.multicast_figures import MulticastFigures

AUTHORITY: Final = 1
INHIBIT: Final = 2
LOCAL_NAMES: Final = 4
REMOTE_NAMES: Final = 8
START_STOP: Final = 16
PERFORMANCE: Final = 32
CONFIGURATION: Final = 64
COMMAND: Final = 128
COMMAND_NOT_DISPLAY: Final = 256
LOGGER: Final = 512
CHANNEL: Final = 1024
TLS: Final = 2048

_OF_TOPICS: Final = TOPIC | SUB | NAMELIST

# The attribute of the queue manager that switches a kind on.
SWITCHES: Final[dict[str, int]] = {
    "AUTHOREV": AUTHORITY,
    "INHIBTEV": INHIBIT,
    "LOCALEV": LOCAL_NAMES,
    "REMOTEEV": REMOTE_NAMES,
    "STRSTPEV": START_STOP,
    "PERFMEV": PERFORMANCE,
    "CONFIGEV": CONFIGURATION,
    "CMDEV": COMMAND,
    "LOGGEREV": LOGGER,
    "CHLEV": CHANNEL,
    "SSLEV": TLS,
}


def events_on(attributes: dict[str, Value]) -> int:
    """The bits of the kinds that the queue manager's attributes switch on."""
    bits = 0
    for keyword, bit in SWITCHES.items():
        row = BY_NAME[QMGR].get(keyword)
        if row is None:
            continue
        value = attributes.get(row.name, row.default)
        if value == mq.MQEVR_NO_DISPLAY:
            bits |= COMMAND_NOT_DISPLAY
        elif value != mq.MQEVR_DISABLED:
            bits |= bit
    return bits


@final
class QueueCounts:
    """What performance events report of one queue since its last event, its last RESET QSTATS, or
    since it was loaded."""

    __slots__ = ("depth", "high_depth", "number", "served_from_ns", "since_ns")

    def __init__(self, number: i64, depth: i64, now_ns: i64) -> None:
        self.number: i64 = number  # of the next message then: later ones were put since
        self.depth: i64 = depth
        self.high_depth: i64 = depth  # kept while performance events are on
        self.since_ns: i64 = now_ns
        # when the service timer was started; 0 while it is off
        self.served_from_ns: i64 = now_ns if depth > 0 else 0


def report_stored(
    kernel: Kernel, connection: Connection, definition: Definition, before: dict[str, Value] | None
) -> None:
    """A definition is new (`before` is None) or has changed: configuration events report it."""
    if before is None:
        kernel.meter.figures.objects_created += 1
    else:
        kernel.meter.figures.objects_altered += 1
    kernel.may_account(definition)
    if definition.object_type & _OF_TOPICS:
        kernel.topics.changed(definition)
    if not kernel.events & CONFIGURATION:
        return
    if before is None:
        kernel.event_sink.created(connection, definition)
    else:
        kernel.event_sink.changed(connection, definition, before)


def report_deleted(kernel: Kernel, connection: Connection, definition: Definition) -> None:
    """A definition is gone."""
    kernel.meter.figures.objects_deleted += 1
    if definition.object_type & _OF_TOPICS:
        kernel.topics.deleted(definition)
    if kernel.events & CONFIGURATION:
        kernel.event_sink.deleted(connection, definition)


@mypyc_attr(allow_interpreted_subclasses=True)
class EventSink:
    """What the kernel reports. This one ignores it."""

    def __init__(self) -> None:
        self.due = False  # `after_step` has something to do

    def refused(self, connection: Connection, error: MQError, name: str, qmgr_name: str) -> None:
        """A verb was refused with one of the reasons that have an event; `name` is what the
        application asked for."""

    def not_authorized(
        self, connection: Connection, qualifier: int, object_type: int, name: str, options: int
    ) -> None:
        """A user may not do what was asked: `qualifier` is MQRQ_, `options` those of the open, or
        the number of the command."""

    def topic_not_authorized(self, connection: Connection, refusal: TopicRefusal) -> None:
        """The same about a topic."""

    def unknown_topic(self, connection: Connection, name: str) -> None:
        """A topic object was named that is not there."""

    def topic_inhibited(self, connection: Connection, topic_string: str, names: list[str]) -> None:
        """A publication was refused by PUB(DISABLED); the topic objects that were asked."""

    def multicast_status(
        self,
        connection: Connection,
        reason: int,
        topic_string: str,
        communication: str,
        figures: MulticastFigures,
        reliability: int,
    ) -> None:
        """A client has reported what it counted of a handle that is used by multicast; `reason`
        says whether it publishes or subscribes, `reliability` is a percentage."""

    def channel_blocked(
        self, qualifier: int, partner: Partner, user: str, application: str, warned: bool
    ) -> None:
        """A partner was refused by a rule of channel authentication, or would have been were it not
        in warning mode; `qualifier` is MQRQ_, `user` whom a BLOCKUSER rule refuses."""

    def tls_failed(
        self, qualifier: int, channel: str, address: str, ssl_peer: str, ssl_issuer: str
    ) -> None:
        """A channel did not start because of TLS; `qualifier` is MQRQ_."""

    def channel_started(self, instance: ChannelInstance) -> None:
        """A message channel has begun to run."""

    def channel_stopped(self, instance: ChannelInstance, qualifier: int, end: End) -> None:
        """One that had begun to run has ended; `qualifier` is MQRQ_CHANNEL_STOPPED_."""

    def channel_stopped_by_user(self, name: str) -> None:
        """STOP CHANNEL was carried out."""

    def channel_place(self, definition: Definition, waits: bool) -> None:
        """A channel waits for a place among the active ones, or has one after it has waited."""

    def channel_defined(
        self, name: str, channel_type: int, address: str, failed: int, feedback: int
    ) -> None:
        """A channel was defined because a partner called it; or could not be: `failed` is the
        reason, `feedback` that of the exit that suppressed it."""

    def was_put(self, local: LocalQueue) -> None:
        """A message has been put, in a unit of work or not."""

    def was_got(self, local: LocalQueue) -> None:
        """Messages have been taken, in a unit of work or not."""

    def was_full(self, local: LocalQueue) -> None:
        """A put found the queue full."""

    def created(self, connection: Connection, definition: Definition) -> None:
        """An object is new."""

    def changed(
        self,
        connection: Connection,
        definition: Definition,
        before: dict[str, Value],
        origin: int = 0,
    ) -> None:
        """An object has other attributes than before; `origin` is MQEVO_, 0 for a command."""

    def deleted(self, connection: Connection, definition: Definition) -> None:
        """An object is gone."""

    def queue_manager_changed(self, connection: Connection, before: dict[str, Value]) -> None:
        """The queue manager itself has other attributes than before."""

    def started(self, begun_as: int, host_name: str) -> None:
        """The queue manager can be used."""

    def stopping(self, qualifier: int) -> None:
        """It ends: MQRQ_Q_MGR_QUIESCING or MQRQ_Q_MGR_STOPPING."""

    def after_step(self) -> None:
        """A step is over: events that had to wait for their queue are put, a new log extent is
        reported."""
