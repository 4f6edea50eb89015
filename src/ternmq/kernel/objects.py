"""A local queue in use: what every put and get looks at, without a dictionary in between.

Made when the queue is opened, dropped with its messages when the queue is unloaded or deleted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.attributes import LOCAL
from ternmq.base.counters import QueueFigures
from ternmq.base.errors import check
from ternmq.base.object_types import ALIAS, REMOTE, TOPIC
from ternmq.base.reasons import (
    MQRC_ALIAS_BASE_Q_TYPE_ERROR,
    MQRC_UNKNOWN_ALIAS_BASE_Q,
)
from ternmq.kernel.events import QueueCounts
from ternmq.kernel.waiters import Waiters
from ternmq.kernel.watch import Watch
from ternmq.store.catalog import Catalog, Definition, configure
from ternmq.store.queue import Queue

if TYPE_CHECKING:
    from ternmq.kernel.connection import Handle
    from ternmq.kernel.streaming import StreamPlan

MEGABYTE: Final = 1 << 20
_CUSTOM_CAP: Final = re.compile(r"(?:^|\s)CAPEXPRY\(([^)]*)\)", re.IGNORECASE)
_CAP_DIGITS_MAX: Final = 9
FILE_MEGABYTES_DEFAULT: Final = 2_088_960
_TRIGGER_TERMS: Final = (
    "trigger_type",
    "trigger_depth",
    "trigger_priority",
    "initiation_queue",
    "process",
    "trigger_data",
    "get",
)


@final
class LocalQueue:
    """Definition, messages, open handles and waiters of one local queue."""

    def __init__(self, definition: Definition, queue: Queue, now_ns: int) -> None:
        check(definition.object_type == LOCAL, f"{definition.name} is not a local queue")
        self.definition = definition
        self.queue = queue
        self.name = definition.name
        self.temporary = definition.temporary
        self.waiters = Waiters()
        self.counts = QueueCounts(queue.next_number, queue.depth, now_ns)
        self.watched = False  # MONQ is on
        self.watch = Watch()
        self.figures: QueueFigures | None = None  # of this interval; None: nothing counted yet
        self.reported = False  # STATQ is on
        self.triggered = False  # a put may have to make a trigger message
        self.triggered_ns: i64 = now_ns  # when that was done last; at first, when it was loaded
        self.was_triggered = False  # since it was loaded
        self.trigger_terms = ""  # what triggering depends on, to see whether it was altered
        self.handles: list[Handle] = []
        self.selector_looked: i64 = 0  # by the selectors of handles that are closed
        self.selector_matched: i64 = 0
        self.open_input: i64 = 0
        self.open_output: i64 = 0
        self.exclusive = False
        self.held_by: Handle | None = None  # of a command that keeps other handles out
        self.deleted = False
        self.creator: Handle | None = None  # of a dynamic queue: the handle whose MQOPEN made it
        self.is_left = False  # its subscription is gone: it goes with its last handle
        self.put_inhibited = False
        self.get_inhibited = False
        self.max_depth: i64 = 0
        self.max_length: i64 = 0
        self.max_bytes: i64 = 0
        self.default_priority: i64 = 0
        self.default_persistence: i64 = 0
        self.cap_expiry: i64 = -1  # CAPEXPRY in tenths of a second; -1: no limit
        self.transmits = False  # USAGE(XMITQ)
        self.streams = False  # STREAMQ: its messages are copied
        self.stream_must = False
        self.stream_onward = False  # copies that it gets are copied, too
        self.stream_plan: StreamPlan | None = None  # see `streaming`
        self.shareable = True
        self.refresh()

    def refresh(self) -> None:
        """After the definition changed."""
        definition = self.definition
        self.put_inhibited = definition.number("put") != 0
        self.get_inhibited = definition.number("get") != 0
        self.max_depth = definition.number("max_depth")
        self.max_length = definition.number("max_message_length")
        self.default_priority = definition.number("default_priority")
        self.default_persistence = definition.number("default_persistence")
        self.shareable = definition.number("shareable") == mq.MQQA_SHAREABLE
        self.cap_expiry = cap_of(definition)
        self.transmits = definition.number("usage") == mq.MQUS_TRANSMISSION
        self.streams = definition.text("stream_queue") != ""
        self.stream_must = definition.number("stream_quality") == mq.MQST_MUST_DUP
        self.stream_onward = definition.number("stream_onward") != 0
        megabytes = definition.number("max_file_megabytes")
        self.max_bytes = (FILE_MEGABYTES_DEFAULT if megabytes < 0 else megabytes) * MEGABYTE
        self.triggered = is_triggered(definition)
        self.trigger_terms = trigger_terms(definition) if self.triggered else ""
        configure(self.queue, definition)

    @property
    def in_use(self) -> bool:
        """A handle has it open."""
        return len(self.handles) > 0


def cap_of(definition: Definition) -> i64:
    """CAPEXPRY of a queue of whatever type in tenths of a second, -1: no limit. What CUSTOM says of
    it comes first, as in IBM MQ."""
    cap = custom_cap(definition.text("custom"))
    return definition.number("cap_expiry") if cap < 0 else cap


def custom_cap(custom: str) -> i64:
    """CAPEXPRY in the text of CUSTOM; -1: it is not in there, 0: no number that it may be."""
    if not custom:
        return -1
    cap = _CUSTOM_CAP.search(custom)
    if cap is None:
        return -1
    digits = cap.group(1)
    return int(digits) if digits.isdecimal() and len(digits) <= _CAP_DIGITS_MAX else 0


def lowest_cap(first: i64, second: i64) -> i64:
    """The lower of two limits, either of which may be -1, none."""
    if first < 0:
        return second
    return first if second < 0 else min(first, second)


def is_triggered(definition: Definition) -> bool:
    """TRIGGER is on, for a type and an initiation queue."""
    return (
        definition.number("trigger") == mq.MQTC_ON
        and definition.number("trigger_type") != mq.MQTT_NONE
        and definition.text("initiation_queue") != ""
    )


def trigger_terms(definition: Definition) -> str:
    """All attributes of a queue that decide about triggering."""
    return " ".join(str(definition.attributes[name]) for name in _TRIGGER_TERMS)


def is_topic_alias(definition: Definition) -> bool:
    """An alias with TARGTYPE(TOPIC)."""
    return definition.object_type == ALIAS and definition.number("target_type") == mq.MQOT_TOPIC


def alias_fault(catalog: Catalog, alias: Definition) -> int:
    """Why an alias leads to no queue, as a reason; 0 if it leads to one. One that names a topic
    does not, also if there is a queue of the topic's name."""
    target = alias.text("target")
    if is_topic_alias(alias):
        is_known = catalog.find(TOPIC, target) is not None
        return MQRC_ALIAS_BASE_Q_TYPE_ERROR if is_known else MQRC_UNKNOWN_ALIAS_BASE_Q
    definition = catalog.definitions.get(target)
    if definition is None:
        return MQRC_UNKNOWN_ALIAS_BASE_Q
    return 0 if definition.object_type & (LOCAL | REMOTE) else MQRC_ALIAS_BASE_Q_TYPE_ERROR
