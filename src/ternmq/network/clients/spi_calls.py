"""The calls of the system programming interface that IBM's Java clients make: what there is
(QUERY), identifiers for puts that are not answered (RESERVE), opens and subscriptions as JMS does
them (OPEN, SUBSCRIBE), puts with a delivery delay or for the end of the connection (PUT and
ACTIVATE, in `spi_put`), and the end of another connection's waits (NOTIFY), without which closing
would last as long as they do. The other verbs are not offered, and refused with
MQRC_FUNCTION_NOT_SUPPORTED.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_FUNCTION_NOT_SUPPORTED,
    MQRC_NOT_AUTHORIZED,
    MQRC_OPTIONS_ERROR,
    MQRC_XWAIT_CANCELED,
)
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.network.clients.conversation import Conversation
from ternmq.network.clients.extension_flow import extension_call
from ternmq.network.clients.list_calls import open_list
from ternmq.network.clients.object_calls import OpenCall
from ternmq.network.clients.spi_put import spi_activate, spi_put
from ternmq.network.clients.topic_calls import spi_subscribe
from ternmq.wire.fap.call_flows import CALL_HEADER_BYTES
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import Segment
from ternmq.wire.fap.segment_number import i32
from ternmq.wire.fap.vocabulary import (
    SPI,
    SPI_ACTIVATE,
    SPI_EXTENSION,
    SPI_NOTIFY,
    SPI_OPEN,
    SPI_PUT,
    SPI_QUERY,
    SPI_RESERVE,
    SPI_SUBSCRIBE,
)

_SAVES_CONTEXT: Final = 1 | 2  # identity, origin
_INPUT: Final = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_INPUT_SHARED | mq.MQOO_INPUT_EXCLUSIVE
_CANCELS_WAITS: Final = 1  # of NOTIFY
_STEPS: Final = (SPI_PUT, SPI_ACTIVATE, SPI_SUBSCRIBE)
_OFFERED: Final = {  # the newest version of what a request says
    SPI_QUERY: 1,
    SPI_PUT: 3,
    SPI_ACTIVATE: 1,
    SPI_RESERVE: 1,
    SPI_SUBSCRIBE: 1,
    SPI_OPEN: 1,
    SPI_NOTIFY: 1,
}
_VERBS_MAX: Final = 12
_ENTRY_BYTES: Final = 20
_TAG_BYTES: Final = 24
_COUNTER_AT: Final = 20  # in a tag: the last four bytes count
_SPOO_BYTES: Final = 12
_NAME_END: Final = 8  # the eye-catcher and four characters of the name
_UNIQUE_AT: Final = 16


def spi_call(conversation: Conversation, one: Segment) -> None:
    """SPI."""
    values = conversation.read(one)
    verb: int = values["verb"]
    if verb == SPI_OPEN:
        od: ObjectDescriptor = values["object"]
        lpoo: Values = values["lpoo"]
        values["spoo"] = {"length": _SPOO_BYTES + _size_of(lpoo) + od.size()}
        options: int = lpoo["options"]
        if lpoo["lpi_options"] & _SAVES_CONTEXT and options & _INPUT:
            options |= mq.MQOO_SAVE_ALL_CONTEXT  # for messages that it moves to a backout queue
        if od.version >= mq.MQOD_VERSION_2 and od.records_present:
            values["spoo"]["length"] += len(values.get("object_following", b""))
            open_list(conversation, one.header, values, od, options)
            return
        OpenCall(conversation, one.header, values, od, options, lpoo).go_on()
        return
    if verb in _STEPS:
        _begin(conversation, one, values, verb)
        return
    if verb == SPI_EXTENSION and conversation.is_own_client:
        extension_call(conversation, one, values)
        return
    if verb == SPI_QUERY:
        _query(values)
    elif verb == SPI_RESERVE:
        _reserve(conversation, values)
    elif verb == SPI_NOTIFY:
        _notify(conversation, values)
    else:
        _refuse(values, mq_error(MQRC_FUNCTION_NOT_SUPPORTED, detail=f"SPI verb {verb}"))
    conversation.reply(one.header, values)


def _begin(conversation: Conversation, one: Segment, values: Values, verb: int) -> None:
    """A verb that is a step."""
    if verb == SPI_PUT:
        spi_put(conversation, one, values)
    elif verb == SPI_ACTIVATE:
        spi_activate(conversation, one, values)
    else:
        spi_subscribe(conversation, one, values)


def _size_of(lpoo: Values) -> int:
    return 88 if lpoo["version"] >= 2 else 32


def _query(values: Values) -> None:
    verbs = [
        {
            "verb": number,
            "in_out_version": 1,
            "in_version": _OFFERED[number],
            "out_version": 1,
            "flags": 1,
        }
        if number in _OFFERED
        else {}
        for number in range(1, _VERBS_MAX + 1)
    ]
    values["spqo"] = {"length": 16 + _ENTRY_BYTES * _VERBS_MAX, "verbs": verbs}


def _reserve(conversation: Conversation, values: Values) -> None:
    """Message identifiers of this queue manager: the client counts up the last four bytes.

    The Java client takes none whose last eight bytes are not (nearly) zero, so the unique number
    stands where others have most of the queue manager's name.
    """
    kernel = conversation.connected().engine.kernel
    with conversation.connected().shell.lock:
        stem = kernel.new_id()
    tag = stem[:_NAME_END] + stem[_UNIQUE_AT:]
    values["spro"] = {
        "reservation": values["spri"]["reservation"],
        "increment_offset": _COUNTER_AT,
        "tag": tag.ljust(_TAG_BYTES, b"\0"),
    }


# ---- ending the waits of another connection


def is_notify(conversation: Conversation, one: Segment) -> bool:
    """NOTIFY does not wait for its turn: it may be what ends the call under way."""
    at = one.body_at + CALL_HEADER_BYTES
    if one.header.type != SPI or len(one.data) < at + 4:
        return False
    return bool(i32(one.data, at, conversation.form.is_little) == SPI_NOTIFY)


def _notify(conversation: Conversation, values: Values) -> None:
    """Gets that a connection of the same user waits in end with the reason that is given."""
    given: Values = values["spni"]
    if given["options"] != _CANCELS_WAITS or given["reason"] != MQRC_XWAIT_CANCELED:
        _refuse(values, mq_error(MQRC_OPTIONS_ERROR, verb="SPI NOTIFY", detail=f"{given}"))
        return
    user = conversation.connected().link.user
    for socket in conversation.line.socket.host.sockets:
        for other in list(socket.line.conversations.values()):
            verbs = other.verbs
            if verbs is None or verbs.link.tag != given["connection_id"]:
                continue
            if verbs.link.user == user:
                other.cancel_waits(given["reason"])
            else:
                detail = "a connection of another user"
                _refuse(values, mq_error(MQRC_NOT_AUTHORIZED, verb="SPI NOTIFY", detail=detail))
            return


def _refuse(values: Values, error: MQError) -> None:
    values["comp"] = error.comp
    values["reason"] = error.reason
