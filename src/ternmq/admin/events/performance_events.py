"""Performance events: queue depth high, low and full; service interval high and OK.

The rules of enabling, which change the queue's attributes as events are made:

    event              made when, if its attribute is on                     then
    Queue Depth High   a put leaves QDEPTHHI percent of MAXDEPTH or more     high off; low, full on
    Queue Depth Low    a get leaves QDEPTHLO percent of MAXDEPTH or less     low off; high, full on
    Queue Full         a put finds MAXDEPTH messages                         full off; low on
    Service High       a put or get comes later than QSVCINT after the       QSVCIEV(OK)
                       service timer was started, and QSVCIEV(HIGH)
    Service OK         a get comes within QSVCINT, and QSVCIEV(OK)           QSVCIEV(HIGH)

The service timer starts at a put to an empty queue and after a get that leaves messages; a get that
leaves none stops it. Each event resets the counts that it reports. The changed attributes are in
force and shown at once; they reach the disk with the catalog's next checkpoint, not with a log
record of their own. The event queues themselves have no performance events.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.events.event_put import EVENT_QUEUES, PERFORMANCE_EVENTS, EventQueues
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.base.attributes import BY_NAME
from ternmq.base.object_types import LOCAL
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.kernel.events import QueueCounts
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue

_NANOSECONDS_A_MS: Final = 1_000_000
_NANOSECONDS_A_S: Final = 1_000_000_000
_COUNT_MAX: Final = 2**31 - 1


def _name_of(keyword: str) -> str:
    row = BY_NAME[LOCAL].get(keyword)
    return "" if row is None else row.name


HIGH_EVENT: Final = _name_of("QDPHIEV")
LOW_EVENT: Final = _name_of("QDPLOEV")
FULL_EVENT: Final = _name_of("QDPMAXEV")
SERVICE_EVENT: Final = _name_of("QSVCIEV")


@final
class PerformanceEvents:
    """Makes them; called only while PERFMEV is on."""

    def __init__(self, kernel: Kernel, queues: EventQueues) -> None:
        self._kernel = kernel
        self._queues = queues

    def was_put(self, local: LocalQueue) -> None:
        """After a put, in a unit of work or not."""
        if local.name in EVENT_QUEUES:
            return
        depth = int(local.queue.depth)
        counts = local.counts
        if depth > counts.high_depth:
            counts.high_depth = depth
        now_ns = int(self._kernel.clock.monotonic_ns())
        self._check_service(local, now_ns, False)
        if depth <= 1 or counts.served_from_ns == 0:
            counts.served_from_ns = now_ns
        limit = local.definition.number("depth_high") * int(local.max_depth)
        if _number(local, HIGH_EVENT) and depth * 100 >= limit:
            self._switch(local, {HIGH_EVENT: 0, LOW_EVENT: 1, FULL_EVENT: 1})
            self._event(local, rc.MQRC_Q_DEPTH_HIGH)

    def was_got(self, local: LocalQueue) -> None:
        """After a get, in a unit of work or not."""
        if local.name in EVENT_QUEUES:
            return
        depth = int(local.queue.depth)
        counts = local.counts
        now_ns = int(self._kernel.clock.monotonic_ns())
        self._check_service(local, now_ns, True)
        counts.served_from_ns = now_ns if depth > 0 else 0
        limit = local.definition.number("depth_low") * int(local.max_depth)
        if _number(local, LOW_EVENT) and depth * 100 <= limit:
            self._switch(local, {LOW_EVENT: 0, HIGH_EVENT: 1, FULL_EVENT: 1})
            self._event(local, rc.MQRC_Q_DEPTH_LOW)

    def was_full(self, local: LocalQueue) -> None:
        """A put was refused for MAXDEPTH."""
        if local.name not in EVENT_QUEUES and _number(local, FULL_EVENT):
            self._switch(local, {FULL_EVENT: 0, LOW_EVENT: 1})
            self._event(local, rc.MQRC_Q_FULL)

    def _check_service(self, local: LocalQueue, now_ns: int, is_get: bool) -> None:
        wanted = _number(local, SERVICE_EVENT)
        started_ns = int(local.counts.served_from_ns)
        if wanted == mq.MQQSIE_NONE or started_ns == 0:
            return
        interval_ns = local.definition.number("service_interval") * _NANOSECONDS_A_MS
        late = now_ns - started_ns > interval_ns
        if late and wanted == mq.MQQSIE_HIGH:
            self._switch(local, {SERVICE_EVENT: mq.MQQSIE_OK})
            self._event(local, rc.MQRC_Q_SERVICE_INTERVAL_HIGH)
        elif not late and is_get and wanted == mq.MQQSIE_OK:
            self._switch(local, {SERVICE_EVENT: mq.MQQSIE_HIGH})
            self._event(local, rc.MQRC_Q_SERVICE_INTERVAL_OK)

    def _switch(self, local: LocalQueue, changes: dict[str, int]) -> None:
        for name, value in changes.items():
            local.definition.attributes[name] = value
        local.definition.touched()
        self._kernel.catalog.note_altered(local.definition)

    def _event(self, local: LocalQueue, reason: int) -> None:
        width = mq.MQ_Q_NAME_LENGTH
        statistics = reset_counts(self._kernel, local)
        parameters = [
            pcf.string(mq.MQCA_Q_MGR_NAME, self._kernel.name, mq.MQ_Q_MGR_NAME_LENGTH),
            pcf.string(mq.MQCA_BASE_OBJECT_NAME, local.name, width),
            pcf.integer(mq.MQIA_TIME_SINCE_RESET, statistics.seconds),
            pcf.integer(mq.MQIA_HIGH_Q_DEPTH, statistics.high_depth),
            pcf.integer(mq.MQIA_MSG_ENQ_COUNT, statistics.enqueued),
            pcf.integer(mq.MQIA_MSG_DEQ_COUNT, statistics.dequeued),
        ]
        event = PCFMessage(
            mq.MQCFT_EVENT,
            mq.MQCMD_PERFM_EVENT,
            parameters,
            comp=mq.MQCC_WARNING,
            reason=reason,
        )
        self._queues.put(PERFORMANCE_EVENTS, event)


def _number(local: LocalQueue, name: str) -> int:
    value = local.definition.attributes.get(name, 0)
    return value if isinstance(value, int) else 0


@final
class QueueStatistics:
    """What happened on a queue since its counts were last reset."""

    __slots__ = ("dequeued", "enqueued", "high_depth", "seconds")

    def __init__(self, seconds: int, high_depth: int, enqueued: int, dequeued: int) -> None:
        self.seconds = min(seconds, _COUNT_MAX)
        self.high_depth = high_depth
        self.enqueued = min(enqueued, _COUNT_MAX)
        self.dequeued = min(max(dequeued, 0), _COUNT_MAX)


def reset_counts(kernel: Kernel, local: LocalQueue) -> QueueStatistics:
    """The counts up to now, which are reset: for performance events and RESET QSTATS.

    Nothing is counted on the way: the numbers that messages have, and the depth, give all but the
    highest depth. That is followed while performance events are on; else it is that of now or of
    the last reset.
    """
    queue = local.queue
    counts = local.counts
    now_ns = int(kernel.clock.monotonic_ns())
    depth = int(queue.depth)
    put = int(queue.next_number - counts.number)
    statistics = QueueStatistics(
        (now_ns - int(counts.since_ns)) // _NANOSECONDS_A_S,
        max(int(counts.high_depth), depth),
        put,
        put + int(counts.depth) - depth,
    )
    fresh = QueueCounts(queue.next_number, queue.depth, now_ns)
    fresh.served_from_ns = counts.served_from_ns
    local.counts = fresh
    return statistics
