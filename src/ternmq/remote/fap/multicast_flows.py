"""Multicast in a connection over MQ's client protocol: what MQOPEN and MQSUB do beside their flows,
and MQPUT and MQGET on handles that are used by multicast, which need none.

The queue manager says after MQOPEN of a topic or MQSUB whether the handle is used by multicast.
Publications then go from this process to the group, and come from the group to this process.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_BUFFER_LENGTH_ERROR,
    MQRC_GROUPING_NOT_ALLOWED,
    MQRC_NOT_OPEN_FOR_BROWSE,
    MQRC_OPTIONS_ERROR,
    MQRC_PERSISTENT_NOT_ALLOWED,
    MQRC_SEGMENTATION_NOT_ALLOWED,
    MQRC_SYNCPOINT_NOT_ALLOWED,
)
from ternmq.codec.charset import UTF8
from ternmq.codec.conversion import convert
from ternmq.codec.mqi.mqmd import ENCODING_AT, FORMAT_AT, Descriptor
from ternmq.codec.property_header import as_put, may_be_split, split
from ternmq.remote.fap.frames import FapRequest, own_id
from ternmq.remote.fap.replies import cut
from ternmq.remote.multicast.group_sockets import interface_of
from ternmq.remote.multicast.message_buffer import Received
from ternmq.remote.multicast.publisher import Publisher
from ternmq.remote.multicast.socket_thread import now_ms
from ternmq.remote.multicast.subscriber import Subscriber
from ternmq.remote.remote_verbs import Exchange, PackedPut
from ternmq.values.calls.topics import InquireMulticast, ReportMulticast, Subscribe
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.multicast_figures import MulticastFigures
from ternmq.wire.fap.vocabulary import REQUEST_MSGS
from ternmq.wire.multicast.publication import RETAINED, Publication

if TYPE_CHECKING:
    from ternmq.remote.fap.fap_verbs import FapVerbs

_BROWSES: Final = (
    mq.MQGMO_BROWSE_FIRST
    | mq.MQGMO_BROWSE_NEXT
    | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
    | mq.MQGMO_MSG_UNDER_CURSOR
    | mq.MQGMO_LOCK
    | mq.MQGMO_UNLOCK
)
_GROUPED: Final = mq.MQMF_MSG_IN_GROUP | mq.MQMF_LAST_MSG_IN_GROUP
_SEGMENTED: Final = mq.MQMF_SEGMENT | mq.MQMF_LAST_SEGMENT | mq.MQMF_SEGMENTATION_ALLOWED
_SETS: Final = mq.MQPMO_SET_IDENTITY_CONTEXT | mq.MQPMO_SET_ALL_CONTEXT
_UNKNOWN_HERE: Final = (
    mq.MQPMO_PASS_IDENTITY_CONTEXT | mq.MQPMO_PASS_ALL_CONTEXT | mq.MQPMO_WARN_IF_NO_SUBS_MATCHED
)
_PIECE_MS: Final = 1000  # of a wait: a lost connection is noticed


def own_number(verbs: FapVerbs) -> int:
    """The connection as publications name it (MQPMO_NOT_OWN_SUBS)."""
    return int.from_bytes(verbs.link.tag[-8:], "big")


# ---- MQOPEN, MQSUB, MQCLOSE


def opened(verbs: FapVerbs, handle: ObjectHandle) -> Exchange[None]:
    """After MQOPEN of a topic: publish by multicast, if it is so."""
    asked = InquireMulticast(handle, "MQOPEN")
    yield from verbs.run_by_name(asked)
    if asked.terms is not None:
        settings = verbs.multicast_settings
        interface = interface_of(settings, verbs.local_host)
        verbs.publishers[handle] = Publisher(asked.terms, interface, settings)


def subscribed(
    verbs: FapVerbs, call: Subscribe, handle: ObjectHandle, queue: ObjectHandle
) -> Exchange[None]:
    """After MQSUB: receive by multicast, if it is so."""
    asked = InquireMulticast(handle, "MQSUB")
    yield from verbs.run_by_name(asked)
    if asked.terms is not None:
        settings = verbs.multicast_settings
        interface = interface_of(settings, verbs.local_host)
        own = own_number(verbs)
        left(verbs, queue)
        verbs.subscribers[queue] = Subscriber(asked.terms, call, interface, settings, own)


def left(verbs: FapVerbs, handle: ObjectHandle) -> None:
    """A handle is closed, or made again."""
    publisher = verbs.publishers.pop(handle, None)
    if publisher is not None:
        publisher.close()
    subscriber = verbs.subscribers.pop(handle, None)
    if subscriber is not None:
        subscriber.close()


def joined_again(verbs: FapVerbs) -> Exchange[None]:
    """After a reconnection: the group has another key, and may be another one."""
    for topic in list(verbs.publishers):
        left(verbs, topic)
        yield from opened(verbs, topic)
    for queue, before in list(verbs.subscribers.items()):
        handle = before.call.subscription
        if handle is not None:
            yield from subscribed(verbs, before.call, handle, queue)
            after = verbs.subscribers.get(queue)
            if after is not None:
                after.buffer.take_over(before.buffer)


def reported(verbs: FapVerbs, handle: ObjectHandle, figures: MulticastFigures) -> Exchange[None]:
    """Report to the queue manager what an end has counted (MONINT)."""
    yield from verbs.run_by_name(ReportMulticast(handle, list(figures)))


# ---- MQPUT


def put(
    verbs: FapVerbs, publisher: Publisher, handle: ObjectHandle, form: PackedPut, data: bytes
) -> Exchange[bytes]:
    """MQPUT to the group; the MsgId."""
    figures = publisher.report()
    if figures is not None:
        yield from reported(verbs, handle, figures)
    options = int(form.options)
    descriptor = Descriptor.unpack(form.packed)
    _check_put(options, descriptor, data, publisher.terms.topic)
    area = form.properties
    if not area and may_be_split(form.packed):
        parts = split(data, form.packed)
        if parts is not None:
            area, data = parts.area, parts.data
            base = form.packed[:ENCODING_AT] + parts.fields + form.packed[FORMAT_AT + 8 :]
            descriptor = Descriptor.unpack(base)
    _complete(verbs, publisher, options, descriptor, own_id(options, form.packed))
    packed = descriptor.pack()
    terms = publisher.terms
    if terms.ccsid > 0 or terms.encoding >= 0:
        ccsid = terms.ccsid if terms.ccsid > 0 else descriptor.ccsid
        encoding = terms.encoding if terms.encoding >= 0 else descriptor.encoding
        made = convert(data, packed, ccsid, encoding, None, -1, False)
        if not made.warning:
            data, packed = made.data, made.base
    own = own_number(verbs) if options & mq.MQPMO_NOT_OWN_SUBS else 0
    flags = RETAINED if options & mq.MQPMO_RETAIN else 0
    publisher.publish(Publication(terms.topic, packed, area, data, int(form.level), flags, own))
    verbs.was_put1(descriptor, 0)
    return descriptor.msg_id


def _check_put(options: int, descriptor: Descriptor, data: bytes, topic: str) -> None:
    reason = 0
    if options & mq.MQPMO_SYNCPOINT:
        reason = MQRC_SYNCPOINT_NOT_ALLOWED
    elif descriptor.msg_flags & _GROUPED:
        reason = MQRC_GROUPING_NOT_ALLOWED
    elif descriptor.msg_flags & _SEGMENTED:
        reason = MQRC_SEGMENTATION_NOT_ALLOWED
    elif descriptor.persistence == mq.MQPER_PERSISTENT:
        reason = MQRC_PERSISTENT_NOT_ALLOWED
    elif options & _UNKNOWN_HERE:
        reason = MQRC_OPTIONS_ERROR
    elif not data:
        reason = MQRC_BUFFER_LENGTH_ERROR
    if reason:
        detail = "a publication by multicast"
        raise mq_error(reason, verb="MQPUT", object=topic[: mq.MQ_TOPIC_NAME_LENGTH], detail=detail)


def _complete(
    verbs: FapVerbs, publisher: Publisher, options: int, descriptor: Descriptor, msg_id: bytes
) -> None:
    """What the queue manager fills in of other publications."""
    descriptor.msg_id = msg_id or _new_id(verbs)
    if options & mq.MQPMO_NEW_CORREL_ID:
        descriptor.correl_id = _new_id(verbs)
    descriptor.persistence = mq.MQPER_NOT_PERSISTENT
    if descriptor.priority < 0:
        descriptor.priority = publisher.terms.priority
    if descriptor.ccsid == mq.MQCCSI_Q_MGR:
        descriptor.ccsid = UTF8
    if options & mq.MQPMO_SUPPRESS_REPLYTO:
        descriptor.reply_to_queue = descriptor.reply_to_qmgr = ""
    elif descriptor.reply_to_queue and not descriptor.reply_to_qmgr:
        descriptor.reply_to_qmgr = verbs.name
    if options & mq.MQPMO_SET_ALL_CONTEXT:
        return
    if not options & _SETS:
        descriptor.user_id = verbs.link.user[:12]
        descriptor.accounting_token = mq.MQACT_NONE
        descriptor.appl_identity_data = ""
    hundredths = time.time_ns() // 10_000_000
    now = time.gmtime(hundredths // 100)
    descriptor.put_appl_type = mq.MQAT_MCAST_PUBLISH
    descriptor.put_appl_name = verbs.application[: mq.MQ_APPL_NAME_LENGTH]
    descriptor.put_date = time.strftime("%Y%m%d", now)
    descriptor.put_time = time.strftime("%H%M%S", now) + f"{hundredths % 100:02}"
    descriptor.appl_origin_data = ""


def _new_id(verbs: FapVerbs) -> bytes:
    name = verbs.name.encode("ascii", "replace").ljust(12)[:12]
    return b"AMQ " + name + os.urandom(8)


# ---- MQGET


def get(
    verbs: FapVerbs, subscriber: Subscriber, handle: ObjectHandle, request: GetRequest
) -> Exchange[Message | None]:
    """MQGET of a publication that has come, or comes in time."""
    name = handle.resolved_name
    if request.options & _BROWSES:
        detail = "publications by multicast can only be got"
        raise mq_error(MQRC_NOT_OPEN_FOR_BROWSE, verb="MQGET", object=name, detail=detail)
    if request.options & mq.MQGMO_SYNCPOINT:
        detail = "a publication by multicast is got outside syncpoint"
        raise mq_error(MQRC_SYNCPOINT_NOT_ALLOWED, verb="MQGET", object=name, detail=detail)
    figures = subscriber.report()
    if figures is not None and subscriber.call.subscription is not None:
        yield from reported(verbs, subscriber.call.subscription, figures)
    wait_ms = int(request.wait_ms)
    until = now_ms() + wait_ms
    while True:
        buffer = subscriber.buffer
        seen = buffer.arrivals
        now = now_ms()
        found = buffer.find(request, now)
        if found is not None:
            return _taken(subscriber, found, request, name)
        left_ms = _PIECE_MS if wait_ms < 0 else until - now
        if wait_ms == 0 or left_ms <= 0:
            return None
        waiting = FapRequest(REQUEST_MSGS, handle, b"")
        waiting.is_answered = False
        waiting.buffer = buffer
        waiting.seen = seen
        waiting.wait_ms = min(left_ms, _PIECE_MS)
        yield waiting
        subscriber = verbs.subscribers.get(handle, subscriber)  # after a reconnection another one


def _taken(
    subscriber: Subscriber, found: Received, request: GetRequest, name: str
) -> Message | None:
    base, area, data = found.base, found.area, found.data
    options = int(request.options)
    if options & mq.MQGMO_NO_PROPERTIES:
        area = b""
    elif options & mq.MQGMO_PROPERTIES_FORCE_MQRFH2 or not request.apart:
        data, base = as_put(area, data, base)
        area = b""
    message = Message(None, data, False, 0, base, bytes(16), len(data), area)
    room = int(request.buffer_length)
    accepts = options & mq.MQGMO_ACCEPT_TRUNCATED_MSG != 0
    if len(data) > room:
        if not accepts:
            raise cut(message, request, name, room)
        message = Message(None, data[:room], True, 0, base, bytes(16), len(data), area)
    if options & mq.MQGMO_CONVERT:
        message.convert(int(request.ccsid), int(request.encoding), room, accepts)
    subscriber.buffer.take(found)
    return message
