"""MQPUT and MQPUT1 to a topic: what may refuse the publication as a whole, and its way to the
subscriptions that match.

Nothing is put before every queue was asked. A publication that nothing is logged for, and that all
queues take, goes by `_put_plain`; every other by `Publication`, a long one in bounded steps.
"""

from __future__ import annotations

import struct
from typing import Final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.limits import PRIORITY_MAX
from ternmq.base.reasons import (
    MQRC_HOBJ_ERROR,
    MQRC_MISSING_REPLY_TO_Q,
    MQRC_MSG_NOT_ALLOWED_IN_GROUP,
    MQRC_MSG_TOO_BIG_FOR_Q_MGR,
    MQRC_NO_SUBS_MATCHED,
    MQRC_PRIORITY_EXCEEDS_MAXIMUM,
    MQRC_PROPERTIES_TOO_BIG,
    MQRC_PUT_INHIBITED,
    MQRC_SEGMENTATION_NOT_ALLOWED,
)
from ternmq.codec.mqi.mqmd import MSG_FLAGS_AT, REPORT_AT
from ternmq.codec.property_area import COUNT_MAX, property_bytes, property_count
from ternmq.codec.publication_area import OWN_PROPERTIES_MAX, published_properties
from ternmq.kernel.acceptance import BACKLOG_BUFFERS, relieve
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.delivery import hand_over, serve
from ternmq.kernel.ending import abandon
from ternmq.kernel.events import INHIBIT, PERFORMANCE
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering import was_copied
from ternmq.kernel.metering_topics import was_delivered, was_sent
from ternmq.kernel.objects import cap_of, lowest_cap
from ternmq.kernel.put import unit_for
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.transmission import with_reply_place
from ternmq.pubsub.delivery_plan import Delivery, DeliveryPlan
from ternmq.pubsub.delivery_planning import plan_of
from ternmq.pubsub.multicast import check_put
from ternmq.pubsub.opening import refuse_if_disabled
from ternmq.pubsub.publication import STEP_COPIES, LongPublication, Publication, deliver
from ternmq.pubsub.publish_subscribe import PublishSubscribe, TopicInUse
from ternmq.pubsub.queued.subscriber import subscriber_of
from ternmq.store.catalog import Definition
from ternmq.store.copying import NANOSECONDS_A_TENTH
from ternmq.values.entry import REPORTS, ZERO_ID, Entry
from ternmq.values.put_form import check_level

_LONG: Final = struct.Struct("<i")
_NO_FLAGS: Final = bytes(4)
_IN_GROUP: Final = (
    mq.MQMF_MSG_IN_GROUP | mq.MQMF_LAST_MSG_IN_GROUP | mq.MQMF_SEGMENT | mq.MQMF_LAST_SEGMENT
)
_REPLIES: Final = (
    mq.MQRO_EXCEPTION_WITH_FULL_DATA
    | mq.MQRO_EXPIRATION_WITH_FULL_DATA
    | mq.MQRO_COA_WITH_FULL_DATA
    | mq.MQRO_COD_WITH_FULL_DATA
    | mq.MQRO_PAN
    | mq.MQRO_NAN
    | mq.MQRO_ACTIVITY
)


def publish(
    pubsub: PublishSubscribe,
    connection: Connection,
    handle: Handle,
    request: PutRequest,
    data: bytes,
) -> Entry | None:
    """MQPUT on a handle of a topic; None: parked, or goes on later."""
    kernel = pubsub.kernel
    topic = handle.topic
    if not isinstance(topic, TopicInUse) or handle.connection is not connection:
        raise mq_error(MQRC_HOBJ_ERROR, verb="MQPUT", object=handle.resolved_name)
    under_way = connection.undertaking
    if under_way is not None:
        if isinstance(under_way, LongPublication) and under_way.is_of(handle, request, data):
            return _done(topic, under_way.go_on())
        if not abandon(kernel, connection):
            return None
    kernel.refuse_if_ending(request.options & mq.MQPMO_FAIL_IF_QUIESCING != 0, "MQPUT")
    refuse_if_disabled(pubsub, "MQPUT")
    plan = plan_of(pubsub, connection, topic, request.level)
    if plan is None:
        return None
    if plan.attributes.multicast != mq.MQMC_DISABLED:
        check_put(handle, plan.attributes, request, topic.object_name or topic.topic_string)
    check_publication(kernel, connection, handle.via, topic, plan, request, data)
    return _publish(pubsub, connection, handle, topic, plan, request, data)


def _publish(
    pubsub: PublishSubscribe,
    connection: Connection,
    handle: Handle,
    topic: TopicInUse,
    plan: DeliveryPlan,
    request: PutRequest,
    data: bytes,
) -> Entry | None:
    published = _as_published(pubsub.kernel, handle, plan, request, data)
    options = request.options
    rows = plan.rows
    chooses = plan.selects or options & mq.MQPMO_NOT_OWN_SUBS != 0
    if chooses and (plan.is_special or len(plan.candidates) <= STEP_COPIES):
        handles = pubsub.handles if options & mq.MQPMO_NOT_OWN_SUBS else None
        rows = plan.choose(published, connection, handles)
        chooses = False
    elif chooses:
        rows = plan.candidates  # too many for one step: each is asked when its turn comes
    own = topic.own_subscriber
    if own is not None:
        rows = [one for one in rows if subscriber_of(one.subscription) != own]
    if not rows and options & mq.MQPMO_WARN_IF_NO_SUBS_MATCHED:
        connection.warning = MQRC_NO_SUBS_MATCHED
    if (
        plan.is_plain
        and not request.syncpoint
        and not options & (mq.MQPMO_RETAIN | mq.MQPMO_SUPPRESS_REPLYTO)
        and not (published.persistent and plan.is_logged)
        and not published.flags & REPORTS
        and len(rows) <= STEP_COPIES
        and _all_take(rows, published.length)
    ):
        _put_plain(pubsub, connection, topic, plan, rows, published)
        if pubsub.kernel.measured:
            was_delivered(pubsub.kernel, handle, published, len(rows))
        return _done(topic, published)
    unit = unit_for(pubsub.kernel, connection, request)
    publication = Publication(pubsub, handle, topic, plan, request, published, rows)
    publication.chooses = chooses
    return _done(topic, deliver(publication, unit))


def _done(topic: TopicInUse, published: Entry | None) -> Entry | None:
    if published is not None:
        topic.published += 1
        topic.last_ns = published.put_ns
    return published


# ---- what may refuse it as a whole


def check_publication(
    kernel: Kernel,
    connection: Connection,
    via: list[Definition],
    topic: TopicInUse,
    plan: DeliveryPlan,
    request: PutRequest,
    data: bytes,
) -> None:
    """What a publication is refused for, whoever matches; `via` has the alias that leads to the
    topic."""
    name = topic.object_name or topic.topic_string
    check_level(int(request.level), "MQPUT")
    if not plan.attributes.publish or via:
        _refuse_if_inhibited(kernel, connection, via, topic, plan, name)
    if request.base[MSG_FLAGS_AT : MSG_FLAGS_AT + 4] != _NO_FLAGS:
        _refuse_flags(name, request)
    if request.options & mq.MQPMO_SUPPRESS_REPLYTO:
        report: int = _LONG.unpack_from(request.base, REPORT_AT)[0]
        if report & _REPLIES:
            detail = "MQPMO_SUPPRESS_REPLYTO with a report that needs ReplyToQ"
            raise mq_error(MQRC_MISSING_REPLY_TO_Q, verb="MQPUT", object=name, detail=detail)
    if len(data) > kernel.max_length:
        detail = f"{len(data)} bytes, MAXMSGL({kernel.max_length})"
        raise mq_error(MQRC_MSG_TOO_BIG_FOR_Q_MGR, verb="MQPUT", object=kernel.name, detail=detail)
    if request.properties:
        _check_properties(kernel, request.properties)


def _check_properties(kernel: Kernel, area: bytes) -> None:
    if kernel.max_properties >= 0:
        found = property_bytes(area)
        if found > kernel.max_properties:
            detail = f"{found} bytes of properties, MAXPROPL({kernel.max_properties})"
            raise mq_error(MQRC_PROPERTIES_TOO_BIG, verb="MQPUT", object=kernel.name, detail=detail)
    if property_count(area) > COUNT_MAX - OWN_PROPERTIES_MAX:
        detail = f"{property_count(area)} properties leave no room for those of a publication"
        raise mq_error(MQRC_PROPERTIES_TOO_BIG, verb="MQPUT", object=kernel.name, detail=detail)


def _refuse_if_inhibited(
    kernel: Kernel,
    connection: Connection,
    via: list[Definition],
    topic: TopicInUse,
    plan: DeliveryPlan,
    name: str,
) -> None:
    """PUB(DISABLED) of the topic, PUT(DISABLED) of an alias queue that leads to it."""
    for alias in via:
        if alias.number("put") != 0:
            refusal = mq_error(MQRC_PUT_INHIBITED, verb="MQPUT", object=alias.name)
            if kernel.events & INHIBIT:
                kernel.event_sink.refused(connection, refusal, alias.name, "")
            raise refusal
    if not plan.attributes.publish:
        if kernel.events & INHIBIT:
            names = plan.attributes.names
            kernel.event_sink.topic_inhibited(connection, topic.topic_string, names)
        detail = f"topic {topic.topic_string} is PUB(DISABLED)"
        raise mq_error(MQRC_PUT_INHIBITED, verb="MQPUT", object=name, detail=detail)


def _refuse_flags(name: str, request: PutRequest) -> None:
    flags: int = _LONG.unpack_from(request.base, MSG_FLAGS_AT)[0]
    if flags & _IN_GROUP:
        detail = "publications are in no group and no segments"
        raise mq_error(MQRC_MSG_NOT_ALLOWED_IN_GROUP, verb="MQPUT", object=name, detail=detail)
    if flags & mq.MQMF_SEGMENTATION_ALLOWED:
        detail = "publications are not split: put without MQMF_SEGMENTATION_ALLOWED"
        raise mq_error(MQRC_SEGMENTATION_NOT_ALLOWED, verb="MQPUT", object=name, detail=detail)


# ---- the message as it is published


def _as_published(
    kernel: Kernel, handle: Handle, plan: DeliveryPlan, request: PutRequest, data: bytes
) -> Entry:
    """Defaults are those of the topic or, as IBM MQ has it for queues, of the alias queue that was
    named."""
    attributes = plan.attributes
    expiry = lowest_cap(request.expiry, attributes.cap_expiry)
    persistence = request.persistence
    if persistence == mq.MQPER_PERSISTENCE_AS_TOPIC_DEF:
        persistence = attributes.default_persistence
        if handle.via:
            persistence = handle.via[0].number("default_persistence")
    priority = request.priority
    if priority == mq.MQPRI_PRIORITY_AS_TOPIC_DEF:
        priority = attributes.default_priority
        if handle.via:
            priority = handle.via[0].number("default_priority")
    if priority > PRIORITY_MAX:
        handle.connection.warning = MQRC_PRIORITY_EXCEEDS_MAXIMUM
    if handle.via:
        expiry = lowest_cap(expiry, cap_of(handle.via[0]))
    now_ns: i64 = kernel.clock.now_ns()
    expiry_at: i64 = 0
    if expiry >= 0:
        expiry_at = now_ns + expiry * NANOSECONDS_A_TENTH
    base = request.resolved_base(priority, persistence)
    if request.replies_unplaced:
        base = request.placed_base(with_reply_place(kernel, base))
    msg_id = request.msg_id
    return Entry(
        0,
        min(priority, PRIORITY_MAX),
        request.flags | persistence,
        now_ns,
        expiry_at,
        kernel.new_id() if msg_id == ZERO_ID else msg_id,
        kernel.new_id() if request.new_correl_id else request.correl_id,
        ZERO_ID,
        base,
        data,
        len(data),
        request.properties,
    )


# ---- the short way


def _all_take(rows: list[Delivery], length: i64) -> bool:
    """Whether all queues take a copy without further ado. The questions are those of `check_queue`
    and `is_behind`; `Publication` asks these for the reason."""
    for one in rows:
        local = one.local
        if local is None or local.put_inhibited or local.held_by is not None:
            return False
        queue = local.queue
        held = queue.plain_bytes + queue.persistent_bytes
        if (
            queue.clearing_before
            or queue.damaged
            or queue.stream is not None
            or local.triggered
            or local.deleted
            or length > local.max_length
            or queue.available + queue.swept_alive + queue.uncommitted_puts >= local.max_depth
            or queue.file_bytes + held + length + _AREA_BYTES > local.max_bytes
            or held > BACKLOG_BUFFERS * (queue.plain_limit + queue.persistent_limit)
        ):
            return False
    return True


_AREA_BYTES: Final = 1 << 17  # more than any property area is likely to have


def _put_plain(
    pubsub: PublishSubscribe,
    connection: Connection,
    topic: TopicInUse,
    plan: DeliveryPlan,
    rows: list[Delivery],
    published: Entry,
) -> None:
    """Put all copies. None of them is logged, so nothing can part them."""
    kernel = pubsub.kernel
    _make_styles(pubsub, topic, plan, published)
    watches = kernel.measured != 0 or kernel.events & PERFORMANCE != 0
    now_ns = published.put_ns
    expiry_at = published.expiry_at
    data = published.data
    length = published.length
    for one in rows:
        local = one.local
        if local is None:
            continue
        style = one.style
        correl_id = one.correl_id
        copy = Entry(
            0,
            style.priority,
            0,
            now_ns,
            expiry_at,
            kernel.new_id(),
            published.correl_id if correl_id is None else correl_id,
            ZERO_ID,
            style.base,
            data,
            length,
            style.area,
        )
        subscription = one.subscription
        subscription.messages += 1
        subscription.last_ns = now_ns
        queue = local.queue
        queue.idle_checkpoints = 0
        if local.watched:
            local.watch.last_put_ns = now_ns
        if local.waiters.count and hand_over(kernel, connection, local, copy):
            if watches:
                _note_handed_over(kernel, one, copy)
            continue
        copy.number = queue.next_number
        copy.queue_id = queue.queue_id
        queue.next_number += 1
        queue.reveal(copy, 0)
        if watches:
            _note(kernel, one, copy)
        if local.waiters.count:
            serve(kernel, local, copy)
        if queue.plain_bytes > queue.plain_limit:
            relieve(kernel, queue)


def _make_styles(
    pubsub: PublishSubscribe, topic: TopicInUse, plan: DeliveryPlan, published: Entry
) -> None:
    area = published_properties(published.properties)
    for style in plan.styles:
        style.make_base(published.base, published.priority, pubsub.origin, True)
        style.make_area(area, topic.topic_string, 0, plan.level)


def _note(kernel: Kernel, one: Delivery, copy: Entry) -> None:
    local = one.local
    if local is None:
        return
    if kernel.events & PERFORMANCE:
        kernel.event_sink.was_put(local)
    if kernel.measured:
        was_copied(kernel, local, copy)
        was_sent(kernel, copy)


def _note_handed_over(kernel: Kernel, one: Delivery, copy: Entry) -> None:
    _note(kernel, one, copy)
    local = one.local
    if local is not None and kernel.events & PERFORMANCE:
        kernel.event_sink.was_got(local)
