"""STREAMQ to an alias of a topic: the copy of a message is a publication.

It is asked for with the other copies of the message and put with them, in one unit of work if they
are logged. As every copy of STREAMQ it has no reports, and an expiry of its own; its copies carry
the user of the queue manager.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.limits import PRIORITY_MAX
from ternmq.base.object_types import TOPIC
from ternmq.base.reasons import MQRC_UNKNOWN_ALIAS_BASE_Q
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.metering_topics import went_to_subscribers
from ternmq.kernel.put import defaults_of
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.topic_sink import StreamedPublication
from ternmq.pubsub.delivery_plan import DeliveryPlan
from ternmq.pubsub.delivery_planning import plan_of
from ternmq.pubsub.publication import Publication
from ternmq.pubsub.publish_subscribe import PublishSubscribe, TopicInUse
from ternmq.pubsub.publishing import check_publication
from ternmq.store.catalog import Definition
from ternmq.store.copying import NANOSECONDS_A_TENTH
from ternmq.txn.unit import UnitOfWork
from ternmq.values.entry import PERSISTENT, REPORTS, ZERO_ID, Entry
from ternmq.values.put_form import PUBLICATION_LEVEL_MAX


@final
class _Streamed(StreamedPublication):
    def __init__(self, publication: Publication) -> None:
        self._publication = publication

    def put(self, unit: UnitOfWork | None) -> None:
        before = 0 if unit is None else len(unit.changes)
        publication = self._publication
        publication.put(unit)
        kernel = publication.kernel
        if kernel.measured:
            published = publication.published
            is_persistent = published.flags & PERSISTENT != 0
            handle = publication.handle
            went_to_subscribers(kernel, handle, publication.sent, published.length, is_persistent)
        if unit is not None and len(unit.changes) > before:
            unit.copies += 1  # copies of STREAMQ do not count in MAXUMSGS


def ask_stream(
    pubsub: PublishSubscribe,
    connection: Connection,
    handle: Handle,
    alias: Definition,
    cap: i64,
    request: PutRequest,
    data: bytes,
    persistence: i64,
) -> StreamedPublication | None:
    """See TopicSink."""
    topic = _topic_of(pubsub, alias)
    plan = plan_of(pubsub, connection, topic, PUBLICATION_LEVEL_MAX)
    if plan is None:
        return None
    check_publication(pubsub.kernel, connection, [alias], topic, plan, request, data)
    published = _as_published(pubsub, handle, plan, cap, request, data, persistence)
    rows = plan.rows
    if plan.selects:
        rows = plan.choose(published, connection, None)
    publication = Publication(pubsub, handle, topic, plan, request, published, rows)
    if not publication.gather(0, len(rows)):
        return None
    unit = connection.unit if request.syncpoint else None
    if not publication.has_room(unit, len(data) + len(request.properties)):
        return None
    return _Streamed(publication)


def _topic_of(pubsub: PublishSubscribe, alias: Definition) -> TopicInUse:
    """The topic that an alias leads to."""
    name = alias.text("target")
    definition = pubsub.kernel.catalog.find(TOPIC, name)
    if definition is None:
        raise mq_error(MQRC_UNKNOWN_ALIAS_BASE_Q, verb="MQPUT", object=alias.name)
    topic_string = definition.text("topic_string")
    topic = pubsub.streamed.get(alias.name)
    if topic is None or topic.topic_string != topic_string:
        topic = TopicInUse(pubsub.tree.ensure(topic_string), topic_string, name)
        topic.user = pubsub.kernel.authority.owner or "mqm"
        pubsub.streamed[alias.name] = topic
    return topic


def _as_published(
    pubsub: PublishSubscribe,
    handle: Handle,
    plan: DeliveryPlan,
    cap: i64,
    request: PutRequest,
    data: bytes,
    persistence: i64,
) -> Entry:
    kernel = pubsub.kernel
    local = handle.local
    priority = request.priority
    if priority == mq.MQPRI_PRIORITY_AS_Q_DEF and local is not None:
        priority = defaults_of(handle, local, request)[1]
    now_ns: i64 = kernel.clock.now_ns()
    base = request.copied_base(request.resolved_base(priority, persistence), cap)
    return Entry(
        0,
        min(priority, PRIORITY_MAX),
        request.flags & ~REPORTS | persistence,
        now_ns,
        now_ns + cap * NANOSECONDS_A_TENTH if cap >= 0 else 0,
        kernel.new_id(),
        request.correl_id,
        ZERO_ID,
        base,
        data,
        len(data),
        request.properties,
    )
