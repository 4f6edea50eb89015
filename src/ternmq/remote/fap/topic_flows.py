"""MQSUB and MQSUBRQ by MQ's client protocol, and how a subscription is made again after a
reconnection: with its name it is resumed, without one it is made new."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.limits import TOPIC_STRING_CHARACTERS_MAX
from ternmq.base.names import fits_field
from ternmq.base.reasons import (
    MQRC_NOT_OPEN_FOR_INQUIRE,
    MQRC_OBJECT_STRING_ERROR,
    MQRC_SELECTION_STRING_ERROR,
    MQRC_SUB_NAME_ERROR,
    MQRC_SUB_USER_DATA_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.charv import CharV, read_charv, write_charv
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.remote.fap import multicast_flows
from ternmq.remote.fap.flows import run
from ternmq.remote.fap.frames import FapRequest, table_body
from ternmq.remote.fap.open_call import OpenState
from ternmq.remote.fap.replies import checked
from ternmq.remote.remote_verbs import Exchange
from ternmq.values.calls.call import Call
from ternmq.values.calls.objects import Close, Inquire
from ternmq.values.calls.topics import RequestPublications, Subscribe
from ternmq.values.handle import ObjectHandle
from ternmq.values.topic_string import checked_string
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.vocabulary import MQSUB, MQSUBRQ

if TYPE_CHECKING:
    from ternmq.remote.fap.fap_verbs import FapVerbs

_BYTES_MAX: Final = 4 * TOPIC_STRING_CHARACTERS_MAX
_NOT_BY_MULTICAST: Final = mq.MQSO_DURABLE | mq.MQSO_NO_MULTICAST
_USES: Final = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_BROWSE | mq.MQOO_INQUIRE


def subscribe(verbs: FapVerbs, call: Call) -> Exchange[None]:
    """MQSUB."""
    assert isinstance(call, Subscribe)
    reply = checked((yield subscribe_request(call)), call.sd.object_name)
    values = reply.values()
    call.warning = reply.reason
    _take_descriptor(call, values)
    given = call.destination.handle_id != mq.MQHO_NONE
    queue = call.destination
    if not given:
        queue = ObjectHandle(reply.handle, _USES)
        defaults = yield from _inquired(verbs, queue)
        verbs.link.handles[queue.handle_id] = queue
    handle = ObjectHandle(int(values["subscription_handle"]), 0)
    handle.resolved_name = call.sub_name
    verbs.link.handles[handle.handle_id] = handle
    call.queue = queue
    call.subscription = handle
    verbs.subscriptions[handle] = call
    if not given:
        od = ObjectDescriptor(object_name=queue.resolved_name)
        ahead = read_ahead_options(call.sd.options)
        state = OpenState(od, _USES | ahead, {"default_read_ahead": defaults}, "")
        state.subscription = handle
        verbs.states[queue] = state
        if verbs.takes_multicast and not call.sd.options & _NOT_BY_MULTICAST:
            yield from _received_by_multicast(verbs, call, handle, queue)


def _received_by_multicast(
    verbs: FapVerbs, call: Subscribe, handle: ObjectHandle, queue: ObjectHandle
) -> Exchange[None]:
    """Ask whether a subscription receives by multicast; if that cannot be, it is removed."""
    try:
        yield from multicast_flows.subscribed(verbs, call, handle, queue)
    except MQError:
        for one in (handle, queue):
            yield from run(verbs, Close(one))
        raise


def _inquired(verbs: FapVerbs, queue: ObjectHandle) -> Exchange[int]:
    """The queue's name, which the reply does not have, and whether it is read ahead. A queue that
    was provided once may be open for gets alone: then both stay unknown."""
    asked = Inquire(queue, [mq.MQCA_Q_NAME, mq.MQIA_DEF_READ_AHEAD])
    try:
        yield from run(verbs, asked)
    except MQError as error:
        if error.reason != MQRC_NOT_OPEN_FOR_INQUIRE:
            raise
        return mq.MQREADA_NO
    queue.resolved_name = str(asked.values[0])
    return int(asked.values[1])


def read_ahead_options(options: int) -> int:
    """MQOO options that the MQSO options of a subscription mean for its queue."""
    if options & mq.MQSO_READ_AHEAD:
        return mq.MQOO_READ_AHEAD
    return mq.MQOO_NO_READ_AHEAD if options & mq.MQSO_NO_READ_AHEAD else 0


def subscribe_request(call: Subscribe, is_again: bool = False) -> FapRequest:
    """MQSUB, the first or again: then a subscription with a name may be there."""
    sd = _copied(call)
    if is_again and call.sub_name:
        sd.options = sd.options & ~mq.MQSO_ALTER | mq.MQSO_CREATE | mq.MQSO_RESUME
    behind = b""
    texts = (
        (sd.object_string, checked_string(call.object_string, call.verb)),
        (sd.name, _short(call.sub_name, MQRC_SUB_NAME_ERROR)),
        (sd.user_data, _short(call.user_data, MQRC_SUB_USER_DATA_ERROR)),
        (sd.selection_string, call.selector),
    )
    for described, text in texts:
        data = write_charv(described, text, sd.size() + len(behind), UTF8)
        behind += data + bytes(-len(data) % 4)
    for described in (sd.user_data, sd.selection_string, sd.resolved_object_string):
        described.buffer_size = _BYTES_MAX
        described.ccsid = UTF8
    values: Values = {
        "subscription": sd,
        "subscription_following": behind,
    }
    return FapRequest(MQSUB, call.destination, table_body(MQSUB, values))


def _copied(call: Subscribe) -> SubscriptionDescriptor:
    given = call.sd
    if not fits_field(given.object_name):
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=call.verb, object=given.object_name)
    return SubscriptionDescriptor(
        options=given.options,
        object_name=given.object_name,
        alternate_user_id=given.alternate_user_id,
        alternate_security_id=given.alternate_security_id,
        expiry=given.expiry,
        correl_id=given.correl_id,
        publication_priority=given.publication_priority,
        publication_accounting_token=given.publication_accounting_token,
        publication_appl_identity_data=given.publication_appl_identity_data,
        level=given.level,
        version=given.version,
    )


def _short(text: str, wrong: int) -> str:
    if len(text) > TOPIC_STRING_CHARACTERS_MAX:
        detail = f"{len(text)} characters, {TOPIC_STRING_CHARACTERS_MAX} are allowed"
        raise mq_error(wrong, verb="MQSUB", detail=detail)
    return text


def _take_descriptor(call: Subscribe, values: Values) -> None:
    found: SubscriptionDescriptor = values["subscription"]
    behind: bytes = values.get("subscription_following", b"")
    data = bytes(found.size()) + behind

    def text(described: CharV, wrong: int) -> str:
        return read_charv(described, data, 0, UTF8, wrong, len(behind))

    given = call.sd
    for field in _OUTPUT:
        setattr(given, field, getattr(found, field))
    call.user_data = text(found.user_data, MQRC_SUB_USER_DATA_ERROR)
    call.selector = text(found.selection_string, MQRC_SELECTION_STRING_ERROR)
    call.resolved_string = text(found.resolved_object_string, MQRC_OBJECT_STRING_ERROR)


_OUTPUT: Final = (
    "options",
    "expiry",
    "correl_id",
    "publication_priority",
    "publication_accounting_token",
    "publication_appl_identity_data",
    "level",
)


def request_publications(verbs: FapVerbs, call: Call) -> Exchange[None]:
    """MQSUBRQ."""
    assert isinstance(call, RequestPublications)
    body = table_body(MQSUBRQ, {"action": call.action, "options": call.options})
    reply = checked((yield FapRequest(MQSUBRQ, call.handle, body)), call.handle.resolved_name)
    call.publications = int(reply.values().get("publications", 0))


def subscribed_again(verbs: FapVerbs, numbers: dict[ObjectHandle, int]) -> Exchange[None]:
    """After a reconnection: make or resume each subscription; adds the new numbers of handles."""
    for handle, call in verbs.subscriptions.items():
        request = subscribe_request(call, is_again=True)
        if call.destination in numbers:
            request.handle = ObjectHandle(numbers[call.destination], 0)
        reply = checked((yield request), call.sub_name)
        values = reply.values()
        numbers[handle] = int(values["subscription_handle"])
        if call.queue is not None and call.queue not in numbers:
            numbers[call.queue] = reply.handle
