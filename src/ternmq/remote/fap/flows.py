"""The calls of the API as flows of MQ's client protocol: one table, one function for each call.

A call that has no row goes by its name to a queue manager of ours (SPI EXTENSION). To one of IBM's,
commands go as escaped PCF; anything else is MQRC_FUNCTION_NOT_SUPPORTED.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_CALL_INTERRUPTED,
    MQRC_FUNCTION_NOT_SUPPORTED,
    MQRC_HOBJ_ERROR,
    MQRC_OBJECT_STRING_ERROR,
    MQRC_READ_AHEAD_MSGS,
    MQRC_SELECTOR_NOT_FOR_TYPE,
    MQRC_UOW_IN_PROGRESS,
)
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.charv import read_charv
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.codec.mqi.mqsts import Status
from ternmq.mqi.options import check_close
from ternmq.remote.fap.frames import LONG, FapRequest, furnished, table_body
from ternmq.remote.fap.open_call import (
    RESOLVED_BYTES_MAX,
    OpenState,
    checked_object,
    first_options,
    inquired,
    is_elsewhere,
    not_applicable,
    open_request,
    resolved_string,
    set_values,
    topic_behind,
)
from ternmq.remote.fap.replies import checked, committed, lost_with_connection
from ternmq.remote.remote_verbs import Exchange, PackedPut
from ternmq.values.calls.administration import InquirePuts, RunCommands
from ternmq.values.calls.call import Call
from ternmq.values.calls.messages import Put1, PutDeferred
from ternmq.values.calls.objects import Close, Inquire, Open, SetAttributes, Widen
from ternmq.values.calls.units import EndPrepared, Forget, Prepare, Recover
from ternmq.values.character_lengths import character_bytes
from ternmq.values.handle import ObjectHandle
from ternmq.values.put_form import foreign_form
from ternmq.wire.fap.vocabulary import (
    MQBACK,
    MQCLOSE,
    MQCMIT,
    MQINQ,
    MQPUT1,
    MQSET,
    MQSTAT,
    SPI,
    SPI_PUT,
)

if TYPE_CHECKING:
    from ternmq.remote.fap.fap_verbs import FapVerbs
    from ternmq.remote.multicast.publisher import Publisher
    from ternmq.remote.multicast.subscriber import Subscriber
    from ternmq.values.get_request import GetRequest
    from ternmq.values.message import Message

Flow = Callable[["FapVerbs", Any], Exchange[None]]


def run(verbs: FapVerbs, call: Call) -> Exchange[None]:
    """A call, by its flow or by its name."""
    flow = FLOWS.get(call.name)
    if verbs.subscribers and call.name == "await_messages":
        _refuse_to_await(verbs, call)
    if flow is not None:
        yield from flow(verbs, call)
    elif verbs.takes_back:
        yield from verbs.run_by_name(call)
    elif isinstance(call, RunCommands):
        from ternmq.remote.fap import commands  # for queue managers of IBM's alone

        yield from commands.run(verbs, call)
    else:
        raise mq_error(
            MQRC_FUNCTION_NOT_SUPPORTED,
            verb=call.verb,
            object=verbs.name,
            detail="the queue manager is not one of TernMQ",
        )


def _refuse_to_await(verbs: FapVerbs, call: Call) -> None:
    """What comes by multicast does not come to the queue manager, which cannot be asked then."""
    from ternmq.values.calls.awaiting import AwaitMessages

    if isinstance(call, AwaitMessages) and any(one in verbs.subscribers for one in call.handles):
        detail = "some of the queues receive by multicast"
        raise mq_error(MQRC_FUNCTION_NOT_SUPPORTED, verb=call.verb, detail=detail)


# ---- objects


def _open(verbs: FapVerbs, call: Open) -> Exchange[None]:
    options = call.options
    if call.as_needed:
        options = first_options(options, call.exclusive)
    described = checked_object(call.od)
    asked = described.object_name
    topic = _checked_string(call.object_string, call.verb)
    reply = yield open_request(described, options, call.selector, b"", topic)
    if is_elsewhere(call, reply.reason):
        options = mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING
        reply = yield open_request(described, options)
    checked(reply, asked)
    values = reply.values()
    handle = ObjectHandle(reply.handle, options)
    answered = values["object"]
    handle.resolved_name = answered.resolved_queue_name or answered.object_name
    described.object_name = answered.object_name
    verbs.link.handles[reply.handle] = handle
    state = OpenState(described, options, values.get("fopa", {}), call.selector)
    state.topic = topic
    call.resolved_string = resolved_string(values)
    if answered.object_name != asked:
        state.model = asked
    verbs.states[handle] = state
    call.handle = handle
    call.resolved_name = _resolved_name(answered, handle.resolved_name)
    call.resolved_qmgr = str(answered.resolved_qmgr_name)
    call.target_name = call.resolved_name  # the reply of a put says it, if it differs
    call.target_qmgr = call.resolved_qmgr
    call.renamed = answered.object_name != asked
    if verbs.takes_multicast and described.object_type == mq.MQOT_TOPIC:
        if not options & mq.MQOO_NO_MULTICAST:
            yield from _used_by_multicast(verbs, handle)


def _used_by_multicast(verbs: FapVerbs, handle: ObjectHandle) -> Exchange[None]:
    """Ask whether a topic is published to by multicast; if that cannot be, it is not open."""
    from ternmq.remote.fap import multicast_flows  # few publish

    try:
        yield from multicast_flows.opened(verbs, handle)
    except MQError:
        yield from _close(verbs, Close(handle))
        raise


def multicast_put(
    verbs: FapVerbs, publisher: Publisher, handle: ObjectHandle, form: PackedPut, data: bytes
) -> Exchange[bytes]:
    """MQPUT to a group."""
    from ternmq.remote.fap import multicast_flows

    return (yield from multicast_flows.put(verbs, publisher, handle, form, data))


def multicast_get(
    verbs: FapVerbs, subscriber: Subscriber, handle: ObjectHandle, request: GetRequest
) -> Exchange[Message | None]:
    """MQGET of what came from a group."""
    from ternmq.remote.fap import multicast_flows

    return (yield from multicast_flows.get(verbs, subscriber, handle, request))


def multicast_left(verbs: FapVerbs, handle: ObjectHandle) -> None:
    """A handle that may be used by multicast is closed."""
    from ternmq.remote.fap import multicast_flows

    multicast_flows.left(verbs, handle)


def _resolved_name(answered: ObjectDescriptor, name: str) -> str:
    """ResolvedQName: an alias queue that leads to a topic has none."""
    leads_to_topic = answered.resolved_type == mq.MQOT_TOPIC
    return "" if leads_to_topic and answered.object_type == mq.MQOT_Q else name


def _checked_string(text: str, verb: str) -> str:
    if not text:
        return ""
    from ternmq.values.topic_string import checked_string  # few publish

    return checked_string(text, verb)


def _widen(verbs: FapVerbs, call: Widen) -> Exchange[None]:
    """A queue manager of ours adds options to the handle. MQ has no flow for that: at one of IBM's
    another handle is opened, for to open both again as one could lose a cursor, exclusive input or
    a dynamic queue, and would bind puts to a cluster's queue to the instance here."""
    state = verbs.states.get(call.handle)
    if state is None:
        raise mq_error(MQRC_HOBJ_ERROR, verb=call.verb, object=call.handle.resolved_name)
    if verbs.takes_back:
        yield from verbs.run_by_name(call)
        state.options = call.allowed
        return
    named = ObjectDescriptor(
        object_name=state.od.object_name, object_qmgr_name=state.od.object_qmgr_name
    )
    other = Open(named, call.options)
    yield from _open(verbs, other)
    call.handle = other.opened()


def _close(verbs: FapVerbs, call: Close) -> Exchange[None]:
    handle, options = call.handle, call.options
    check_close(options)
    name = handle.resolved_name
    stream = verbs.conversation.streams.get(handle.handle_id)
    if options & mq.MQCO_QUIESCE and stream is not None and stream.messages:
        raise mq_error(MQRC_READ_AHEAD_MSGS, verb="MQCLOSE", object=name)
    yield from verbs.return_unread(handle)
    body = LONG.pack(options & ~(mq.MQCO_QUIESCE | mq.MQCO_IMMEDIATE))
    call.warning = checked((yield FapRequest(MQCLOSE, handle, body)), name).reason
    verbs.drop(handle)


def _inquire(verbs: FapVerbs, call: Inquire) -> Exchange[None]:
    handle, selectors = call.handle, call.selectors
    integers = [one for one in selectors if one < mq.MQCA_FIRST]
    lengths = [character_bytes(one) for one in selectors if one >= mq.MQCA_FIRST]
    values = {
        "selectors": selectors,
        "integer_count": len(integers),
        "character_length": sum(lengths),
    }
    request = FapRequest(MQINQ, handle, table_body(MQINQ, values))
    request.area = 4 * len(integers) + sum(lengths)
    reply = checked((yield request), handle.resolved_name)
    call.values = inquired(selectors, reply.values())
    if reply.reason == MQRC_SELECTOR_NOT_FOR_TYPE:
        call.inapplicable = not_applicable(selectors, call.values)


def _set(verbs: FapVerbs, call: SetAttributes) -> Exchange[None]:
    body = table_body(MQSET, set_values(call.values))
    checked((yield FapRequest(MQSET, call.handle, body)), call.handle.resolved_name)


# ---- puts


def _put1(verbs: FapVerbs, call: Put1) -> Exchange[None]:
    form = call.form
    if not isinstance(form, PackedPut):
        raise foreign_form(call.verb)
    packed, data, more = furnished(form, call.data, verbs.takes_back)
    described = checked_object(call.od, call.verb)
    framing = verbs.conversation.framing
    if len(data) > framing.message_bytes_max:
        raise framing.too_long(len(data), "MQPUT1", described.object_name)
    options = int(form.options) & ~mq.MQPMO_ASYNC_RESPONSE | more
    behind = b""
    if call.object_string:
        behind = topic_behind(described, _checked_string(call.object_string, call.verb))
    puts = framing.put_body(packed, options, b"", form.context, int(form.level))
    body = described.pack() + behind + puts
    request = FapRequest(MQPUT1, None, body + LONG.pack(len(data)), data)
    request.options = options
    reply = checked((yield request), described.object_name)
    if options & mq.MQPMO_SYNCPOINT:
        verbs.has_changes = True
    descriptor: Descriptor = reply.values()["descriptor"]
    verbs.was_put1(descriptor, reply.reason)
    call.msg_id = descriptor.msg_id
    call.warning = reply.reason


def _subscribe(verbs: FapVerbs, call: Call) -> Exchange[None]:
    from ternmq.remote.fap import topic_flows  # few subscribe

    yield from topic_flows.subscribe(verbs, call)


def _request_publications(verbs: FapVerbs, call: Call) -> Exchange[None]:
    from ternmq.remote.fap import topic_flows  # few subscribe

    yield from topic_flows.request_publications(verbs, call)


def _open_list(verbs: FapVerbs, call: Call) -> Exchange[None]:
    from ternmq.remote.fap import list_flows  # few use lists

    yield from list_flows.open_list(verbs, call)


def _put_list(verbs: FapVerbs, call: Call) -> Exchange[None]:
    from ternmq.remote.fap import list_flows  # few use lists

    yield from list_flows.put_list(verbs, call)


def _signed(number: int) -> int:
    """The lower 32 bits as a signed number."""
    low = number & 0xFFFFFFFF
    return low - (1 << 32) if low >> 31 else low


def _put_deferred(verbs: FapVerbs, call: PutDeferred) -> Exchange[None]:
    """SPI PUT, as IBM's Java client does it: it is answered, whatever the options say."""
    form = call.form
    name = call.handle.resolved_name
    if not isinstance(form, PackedPut):
        raise foreign_form(call.verb)
    packed, data, more = furnished(form, call.data, verbs.takes_back)
    framing = verbs.conversation.framing
    if len(data) > framing.message_bytes_max:
        raise framing.too_long(len(data), "MQPUT", name)
    options = int(form.options) & ~mq.MQPMO_ASYNC_RESPONSE | more
    values = {
        "verb": SPI_PUT,
        "reply_bytes_max": 0,
        "descriptor": Descriptor.unpack(packed),
        "options": PutOptions(options=options, context=form.context, version=1),
        "sppi": {
            "version": 3,
            "length": 32 + len(data),
            "delay_high": call.delay_ms >> 32,
            "delay_low": _signed(call.delay_ms),
            "data": data,
        },
    }
    answer = yield FapRequest(SPI, call.handle, table_body(SPI, values))
    reply = checked(answer, name, call.verb)
    if options & mq.MQPMO_SYNCPOINT:
        verbs.has_changes = True
    descriptor: Descriptor = reply.values()["descriptor"]
    verbs.was_put1(descriptor, reply.reason)
    call.msg_id = descriptor.msg_id


def _status(verbs: FapVerbs, call: InquirePuts) -> Exchange[None]:
    if verbs.lost_puts:
        verbs.lost_puts = False
        detail = "puts without an answer were under way when the connection was lost"
        raise mq_error(MQRC_CALL_INTERRUPTED, verb="MQSTAT", object=verbs.name, detail=detail)
    asked = Status()
    if verbs.takes_back:  # one of ours: there is room for a topic string
        asked.object_string.buffer_size = RESOLVED_BYTES_MAX
    body = table_body(MQSTAT, {"status_type": mq.MQSTAT_TYPE_ASYNC_ERROR, "status": asked})
    reply = checked((yield FapRequest(MQSTAT, None, body)), verbs.name)
    verbs.has_silent_puts = False
    values = reply.values()
    found: Status = values["status"]
    behind = values.get("status_following", b"")
    data = bytes(found.size()) + behind
    wrong = MQRC_OBJECT_STRING_ERROR
    found.topic_string = read_charv(found.object_string, data, 0, UTF8, wrong, len(behind))
    call.found = found


# ---- units of work


def _begin(verbs: FapVerbs, call: Call) -> Exchange[None]:
    """Nothing travels; what is done from now on is inside syncpoint."""
    if verbs.in_unit:
        raise mq_error(MQRC_UOW_IN_PROGRESS, verb="MQBEGIN", object=verbs.name)
    yield from ()
    verbs.in_unit = True


def _commit(verbs: FapVerbs, call: Call) -> Exchange[None]:
    verbs.in_unit = False
    verbs.commits_changes = verbs.has_changes
    verbs.has_changes = False
    if verbs.lost_unit:
        verbs.lost_unit = False
        raise lost_with_connection("MQCMIT", verbs.name)
    reply = yield FapRequest(MQCMIT, None, b"")
    verbs.has_silent_puts = False
    committed(reply, verbs.name)


def _back_out(verbs: FapVerbs, call: Call) -> Exchange[None]:
    verbs.in_unit = False
    verbs.has_changes = False
    verbs.lost_unit = False
    checked((yield FapRequest(MQBACK, None, b"")), verbs.name)


def _prepare(verbs: FapVerbs, call: Prepare) -> Exchange[None]:
    from ternmq.remote.fap import xa_calls  # for transaction managers alone

    call.prepared = yield from xa_calls.prepare(verbs, call.xid)
    verbs.in_unit = False
    verbs.has_changes = False


def _end_prepared(verbs: FapVerbs, call: EndPrepared) -> Exchange[None]:
    from ternmq.remote.fap import xa_calls  # for transaction managers alone

    if call.heuristic and verbs.takes_back:
        yield from verbs.run_by_name(call)
    else:
        yield from xa_calls.end_prepared(verbs, call.xid, call.commit, call.heuristic)


def _recover(verbs: FapVerbs, call: Recover) -> Exchange[None]:
    from ternmq.remote.fap import xa_calls  # for transaction managers alone

    call.xids = yield from xa_calls.recover(verbs)


def _forget(verbs: FapVerbs, call: Forget) -> Exchange[None]:
    from ternmq.remote.fap import xa_calls  # for transaction managers alone

    yield from xa_calls.forget(verbs, call.xid)


FLOWS: Final[dict[str, Flow]] = {
    "back_out": _back_out,
    "begin": _begin,
    "close": _close,
    "commit": _commit,
    "end_prepared": _end_prepared,
    "forget": _forget,
    "inquire": _inquire,
    "open": _open,
    "open_list": _open_list,
    "prepare": _prepare,
    "put1": _put1,
    "put_deferred": _put_deferred,
    "put1_list": _put_list,
    "put_list": _put_list,
    "recover": _recover,
    "request_publications": _request_publications,
    "set": _set,
    "status": _status,
    "subscribe": _subscribe,
    "widen": _widen,
}
