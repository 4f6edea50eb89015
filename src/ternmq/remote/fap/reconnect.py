"""Automatic reconnection, but for the waiting: whether, how long, and what becomes of a verb.

    MQCNO_RECONNECT             to any queue manager that the definitions lead to
    MQCNO_RECONNECT_Q_MGR       to the same queue manager only, by its QMID
    MQCNO_RECONNECT_DISABLED    never
    none of them                as DEFRECON of the channel or DefRecon of mqclient.ini says

Handles are opened again under their old `Handle`; a temporary dynamic queue is made again by its
name; what was read ahead and not taken stays, browse cursors begin again. A unit of work is lost
with the connection: the verb that finds out, and every one until MQBACK, is MQRC_BACKED_OUT. What
was under way and may have happened or not is MQRC_CALL_INTERRUPTED: a put or a get outside of a
unit, a commit, a call of XA; the first get of a queue that is read ahead, and MQSTAT after puts
without an answer. Everything else is sent again. A get that was refused because the queue manager
ends has not happened.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_CALL_INTERRUPTED,
    MQRC_CONNECTION_BROKEN,
    MQRC_CONNECTION_STOPPING,
    MQRC_NOT_AUTHORIZED,
    MQRC_Q_MGR_STOPPING,
    MQRC_RECONNECT_FAILED,
    MQRC_RECONNECT_QMID_MISMATCH,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.remote.fap.client_channel import ClientChannel
from ternmq.remote.fap.client_conversation import ChannelEnded, Reply, Stream
from ternmq.remote.fap.client_ini import ClientSettings, Delay
from ternmq.remote.fap.endpoint import FapEndpoint
from ternmq.remote.fap.fap_verbs import TAKES_NOTHING, FapVerbs
from ternmq.remote.fap.frames import FapRequest
from ternmq.remote.fap.open_call import OpenState, checked_object, open_request
from ternmq.remote.fap.replies import checked
from ternmq.remote.remote_verbs import Exchange
from ternmq.values.handle import ObjectHandle
from ternmq.wire.fap.vocabulary import (
    MQBACK,
    MQCLOSE,
    MQCMIT,
    MQDISC,
    MQGET,
    MQPUT,
    MQPUT1,
    MQSTAT,
    QM_TERMINATING,
    REQUEST_MSGS,
    XA_COMMIT,
    XA_COMPLETE,
    XA_FORGET,
    XA_OPEN,
    XA_PREPARE,
    XA_RECOVER,
    XA_ROLLBACK,
    XA_START,
)

RECONNECTS: Final = mq.MQCNO_RECONNECT | mq.MQCNO_RECONNECT_Q_MGR
_SETTLED: Final = RECONNECTS | mq.MQCNO_RECONNECT_DISABLED
WORDS: Final[dict[str, int]] = {
    "yes": mq.MQCNO_RECONNECT,
    "queueManager": mq.MQCNO_RECONNECT_Q_MGR,
    "disabled": mq.MQCNO_RECONNECT_DISABLED,
    "no": mq.MQCNO_RECONNECT_DISABLED,
}
_TAKES_NOTHING: Final = TAKES_NOTHING | mq.MQGMO_SYNCPOINT  # or it comes back with its unit
_IN_UNIT: Final = (MQPUT, MQPUT1, MQGET, REQUEST_MSGS)
_XA_ENDS: Final = (XA_COMMIT, XA_ROLLBACK, XA_FORGET, XA_RECOVER, XA_COMPLETE)
_ENDS: Final = (MQRC_Q_MGR_STOPPING, MQRC_CONNECTION_STOPPING)
_HOPELESS: Final = (MQRC_NOT_AUTHORIZED, MQRC_UNKNOWN_OBJECT_NAME)
EventListener = Callable[[int], None]


class Plan(NamedTuple):
    """How to connect, now and again."""

    endpoints: tuple[FapEndpoint, ...]  # in the order to try them
    settings: ClientSettings
    reconnect: int = 0  # MQCNO_RECONNECT or _Q_MGR; 0 for never
    on_event: EventListener | None = None
    failed: Callable[[ClientChannel], None] | None = None  # a definition led nowhere

    def heard_by(self, listener: EventListener) -> Plan:
        """The same with one more that events are reported to."""
        before = self.on_event
        if before is None:
            return self._replace(on_event=listener)

        def both(reason: int) -> None:
            before(reason)
            listener(reason)

        return self._replace(on_event=both)

    def notify(self, reason: int) -> None:
        """An event for the application."""
        if self.on_event is not None:
            self.on_event(reason)


def reconnecting(options: int, channel: ClientChannel, settings: ClientSettings) -> int:
    """Which way to reconnect; 0 for never."""
    if options & _SETTLED:
        return options & RECONNECTS
    if settings.reconnect is not None and not channel.reconnect:
        return settings.reconnect & RECONNECTS
    return channel.reconnect & RECONNECTS


def pauses(delays: tuple[Delay, ...], total_s: float) -> Iterator[float]:
    """Seconds to wait before each try; ends when the time is over."""
    waited_s = 0.0
    index = 0
    while waited_s <= total_s:
        delay = delays[min(index, len(delays) - 1)]
        pause_s = (delay.ms + random.uniform(0, delay.random_ms)) / 1000
        yield pause_s
        waited_s += pause_s
        index += 1


def is_hopeless(error: MQError) -> bool:
    """Whether trying again makes no sense."""
    return error.reason in _HOPELESS


def refuse_end(plan: Plan, reply: Reply | None) -> None:
    """A queue manager that stops may say so in the answer to a verb: for a connection that comes
    back that is the end of it as well. One of several on a socket may be cut off by an operator,
    which is the end of it for every connection."""
    if reply is None or not reply.reason:
        return
    if reply.reason == MQRC_CONNECTION_BROKEN:
        raise EOFError("the queue manager has ended the connection")
    if plan.reconnect and reply.reason in _ENDS:
        raise ChannelEnded(QM_TERMINATING, 0)


def gave_up(verb: str, name: str, error: MQError | None) -> MQError:
    """MQRC_RECONNECT_FAILED, with what the last try said."""
    detail = "" if error is None else str(error)
    return mq_error(MQRC_RECONNECT_FAILED, verb=verb, object=name, detail=detail)


def check_same(plan: Plan, old: FapVerbs, fresh: FapVerbs) -> None:
    """MQCNO_RECONNECT_Q_MGR: it must be the very queue manager."""
    if plan.reconnect & mq.MQCNO_RECONNECT_Q_MGR and fresh.qmgr_id != old.qmgr_id:
        detail = f"{fresh.qmgr_id} answers, the connection was to {old.qmgr_id}"
        raise mq_error(MQRC_RECONNECT_QMID_MISMATCH, verb="MQCONN", object=old.name, detail=detail)


def restored(verbs: FapVerbs, fresh: FapVerbs) -> Exchange[None]:
    """Open again what was open, in the new conversation, and take that over."""
    numbers: dict[ObjectHandle, int] = {}
    for handle, state in verbs.states.items():
        if state.subscription in verbs.subscriptions:
            continue  # MQSUB opens it again
        reply = yield open_request(
            state.od, state.options, state.selector, state.records, state.topic
        )
        if reply.reason == MQRC_UNKNOWN_OBJECT_NAME and state.model:
            reply = yield _made_again(state)
        numbers[handle] = checked(reply, state.od.object_name).handle
    if verbs.subscriptions:
        from ternmq.remote.fap.topic_flows import subscribed_again  # few subscribe

        yield from subscribed_again(verbs, numbers)
    streams = verbs.conversation.streams
    old = {handle: streams.get(handle.handle_id) for handle in numbers}
    verbs.link.handles.clear()
    for handle, number in numbers.items():
        handle.handle_id = number
        verbs.link.handles[number] = handle
    _take_over(verbs, fresh)
    for handle, stream in old.items():
        if stream is not None:
            yield from _stream_again(verbs, handle, stream)
    if verbs.publishers or verbs.subscribers:
        from ternmq.remote.fap import multicast_flows

        yield from multicast_flows.joined_again(verbs)


def _made_again(state: OpenState) -> FapRequest:
    od = checked_object(
        ObjectDescriptor(
            object_name=state.model,
            object_qmgr_name=state.od.object_qmgr_name,
            dynamic_queue_name=state.od.object_name,
            alternate_user_id=state.od.alternate_user_id,
        )
    )
    return open_request(od, state.options, state.selector)


def _take_over(verbs: FapVerbs, fresh: FapVerbs) -> None:
    verbs.conversation = fresh.conversation
    verbs.name = fresh.name
    verbs.qmgr_id = fresh.qmgr_id
    verbs.link.tag = fresh.link.tag
    verbs.link.connected = True
    verbs.is_shared = fresh.is_shared
    verbs.has_get = fresh.has_get
    verbs.takes_back = fresh.takes_back
    verbs.takes_multicast = fresh.takes_multicast
    verbs.local_host = fresh.local_host
    verbs.has_xa_calls = fresh.has_xa_calls
    verbs.has_xa = False
    verbs.forget_ids()
    verbs.lost_puts = verbs.lost_puts or verbs.has_silent_puts
    verbs.has_silent_puts = False


def _stream_again(verbs: FapVerbs, handle: ObjectHandle, stream: Stream) -> Exchange[None]:
    stream.index = 0
    stream.consumed_bytes = 0
    if stream.is_armed:
        stream.was_interrupted = True
    verbs.conversation.streams[handle.handle_id] = stream
    if stream.is_armed:
        yield verbs.ahead_request(handle, stream)


def outcome(verbs: FapVerbs, request: FapRequest, verb: str) -> MQError | None:
    """The error of a verb that was under way; None: it is sent again."""
    was_in_unit = verbs.has_changes
    verbs.has_changes = False
    if request.type in (MQBACK, MQDISC):
        verbs.in_unit = False
        return None
    if request.type == XA_PREPARE:
        verbs.in_unit = False  # it is in doubt, or backed out
    elif was_in_unit and request.type in _XA_ENDS:
        verbs.lost_unit = True  # beside the one that the call is about
    elif was_in_unit and request.type != MQCMIT:
        verbs.lost_unit = True
        return mq_error(MQRC_BACKED_OUT, verb=verb, object=verbs.name, detail="reconnected")
    if request.type == MQCLOSE:
        return None
    if _may_have_happened(verbs, request):
        return mq_error(MQRC_CALL_INTERRUPTED, verb=verb, object=verbs.name)
    return None


def _may_have_happened(verbs: FapVerbs, request: FapRequest) -> bool:
    """Whether it is unknown if a call has changed something."""
    type = request.type
    if type in (MQPUT, MQPUT1):
        return not request.options & mq.MQPMO_SYNCPOINT  # of the first of a unit nothing is left
    if type == MQCMIT:
        return verbs.commits_changes
    if type in (MQGET, REQUEST_MSGS):
        return _may_have_taken(request)
    if type == MQSTAT and verbs.lost_puts:
        verbs.lost_puts = False
        return True
    return XA_START <= type <= XA_COMPLETE and type != XA_OPEN


def _may_have_taken(request: FapRequest) -> bool:
    """Whether a message may be lost that was on its way."""
    stream = request.stream
    if stream is not None:  # read ahead
        was_interrupted = stream.was_interrupted
        stream.was_interrupted = False
        return was_interrupted
    if not request.is_sent or not request.is_answered:
        return False
    options = request.options if request.get is None else int(request.get.options)
    return not options & _TAKES_NOTHING


def refuse_lost(verbs: FapVerbs, request: FapRequest, verb: str) -> None:
    """The unit of work is lost: only ending it is possible, and what does not belong to it."""
    if request.type in _IN_UNIT:
        raise mq_error(MQRC_BACKED_OUT, verb=verb, object=verbs.name, detail="reconnected")
