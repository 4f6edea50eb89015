"""A local queue in use: what every put and get looks at, without a dictionary in between.

Made when somebody opens the queue, dropped with its messages when the queue is unloaded or deleted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.attributes import LOCAL
from ternmq.base.errors import check
from ternmq.base.counters import QueueFigures
from ternmq.kernel.events import QueueCounts
from ternmq.kernel.waiters import Waiters
from ternmq.kernel.watch import Watch
from ternmq.store.catalog import Definition, configure
from ternmq.store.queue import Queue

if TYPE_CHECKING:
    from ternmq.kernel.connection import Handle

MEGABYTE: Final = 1 << 20
FILE_MEGABYTES_DEFAULT: Final = 2_088_960
_TRIGGER_TERMS: Final = (
    "trigger_type",
    "trigger_depth",
    "trigger_priority",
    "initiation_queue",
    "process",
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
        self.triggered = False  # a put may have to make a trigger message
        self.triggered_ns: i64 = now_ns  # when that was done last; at first, when it was loaded
        self.trigger_terms = ""  # what triggering depends on, to see whether it was altered
        self.figures: QueueFigures | None = None  # of this interval; None: nothing counted yet
        self.reported = False  # STATQ is on
        self.handles: list[Handle] = []
        self.open_input: i64 = 0
        self.open_output: i64 = 0
        self.exclusive = False
        self.held_by: Handle | None = None  # of a command that lets nobody else in
        self.deleted = False
        self.creator: Handle | None = None  # of a dynamic queue: the handle whose MQOPEN made it
        self.put_inhibited = False
        self.get_inhibited = False
        self.max_depth: i64 = 0
        self.max_length: i64 = 0
        self.max_bytes: i64 = 0
        self.default_priority: i64 = 0
        self.default_persistence: i64 = 0
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
        megabytes = definition.number("max_file_megabytes")
        self.max_bytes = (FILE_MEGABYTES_DEFAULT if megabytes < 0 else megabytes) * MEGABYTE
        self.triggered = is_triggered(definition)
        self.trigger_terms = trigger_terms(definition) if self.triggered else ""
        configure(self.queue, definition)

    @property
    def in_use(self) -> bool:
        """Somebody has it open."""
        return len(self.handles) > 0


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
