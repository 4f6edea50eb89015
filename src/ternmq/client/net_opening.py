"""The first words of a client to a queue manager, without I/O: initial data, identity, MQCONN.

    client                                   queue manager
    INITIAL_DATA, what it wishes         ->
                                         <-  INITIAL_DATA with ERROR: other values
    INITIAL_DATA with those              ->
                                         <-  INITIAL_DATA: agreed
    USERID_DATA (not answered)           ->
    CONAUTH_INFO, if there is a password ->
                                         <-  STATUS_DATA
    MQCONN                               ->
                                         <-  MQCONN_REPLY

Another conversation of the same socket begins with SOCKET_ACTION START and its answer, and goes on
at USERID_DATA. STATUS_DATA with ERROR, at any time, is the end. FAP level 10 is offered: there is
no scrambling of passwords there, which is what TLS is for.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Final, NamedTuple

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, RemoteProtocolError, mq_error
from ternmq.base.product import VERSION
from ternmq.base.reasons import (
    MQRC_CHANNEL_CONFIG_ERROR,
    MQRC_CHANNEL_NOT_AVAILABLE,
    MQRC_MAX_CONNS_LIMIT_REACHED,
    MQRC_NOT_AUTHORIZED,
    MQRC_PASSWORD_PROTECTION_ERROR,
    MQRC_Q_MGR_NOT_AVAILABLE,
    MQRC_SSL_INITIALIZATION_ERROR,
    MQRC_SSL_PEER_NAME_MISMATCH,
    MQRC_STANDBY_Q_MGR,
    MQRC_UNKNOWN_CHANNEL_NAME,
)
from ternmq.base.user_names import carried_name
from ternmq.client.net_channel import ClientChannel
from ternmq.client.net_conversation import ChannelEnded, Conversation
from ternmq.client.net_replies import checked
from ternmq.client.net_request import FAP_LEVEL, NetRequest, table_body, whole_body
from ternmq.client.net_verbs import FapVerbs
from ternmq.client.remote_verbs import Exchange
from ternmq.wire import fap_vocabulary as fap
from ternmq.wire.fap_flow import read_body
from ternmq.wire.fap_initial_data import InitialData, read_initial_data, write_initial_data
from ternmq.wire.fap_negotiation import (
    ROUNDS_MAX,
    SEGMENT_BYTES_USUAL,
    Agreement,
    accepted,
    revised,
)
from ternmq.wire.fap_segment import TSHM, Header, Segment, segment

_CAPABILITIES_1: Final = fap.CAP_MQI | fap.CAP_SPLIT_MESSAGE | fap.CAP_CONVERSION
_CAPABILITIES_2: Final = fap.CAP_SPI | fap.CAP_XA | fap.CAP_DISTRIBUTION_LISTS
_CAPABILITIES_3: Final = fap.CAP_MULTIPLEX_SYNCGET
_UTF_8: Final = 1208
_CONNECTX: Final = 3  # the options of MQCONN: there is an MQCNO
_PROTOCOL: Final = (10, 11, 12, 13, 14, 16, 18)  # it could not make sense of what it got
_CLOSED_BY_EXIT: Final = 23
_STANDBY: Final = 32
_NO_CERTIFICATE: Final = 40
WINDOW_BYTES_USUAL: Final = 4 << 20  # of read-ahead

# What a refusal means to the application that connects, as IBM's clients have it; all others are
# MQRC_Q_MGR_NOT_AVAILABLE.
_REASONS: Final[dict[int, int]] = {
    fap.NO_CHANNEL: MQRC_UNKNOWN_CHANNEL_NAME,
    fap.CHANNEL_WRONG_TYPE: MQRC_CHANNEL_CONFIG_ERROR,
    **dict.fromkeys(_PROTOCOL, MQRC_CHANNEL_CONFIG_ERROR),
    fap.SECURITY_FAILURE: MQRC_NOT_AUTHORIZED,
    fap.CHANNEL_UNAVAILABLE: MQRC_CHANNEL_NOT_AVAILABLE,
    fap.CIPHER_SPEC: MQRC_SSL_INITIALIZATION_ERROR,
    fap.PEER_NAME: MQRC_SSL_PEER_NAME_MISMATCH,
    fap.SSL_CLIENT_CERTIFICATE: MQRC_SSL_INITIALIZATION_ERROR,
    _CLOSED_BY_EXIT: MQRC_CHANNEL_NOT_AVAILABLE,
    _STANDBY: MQRC_STANDBY_Q_MGR,
    _NO_CERTIFICATE: MQRC_SSL_INITIALIZATION_ERROR,
    fap.PASSWORD_PROTECTION: MQRC_PASSWORD_PROTECTION_ERROR,
    fap.MAX_CONNS_LIMIT_REACHED: MQRC_MAX_CONNS_LIMIT_REACHED,
    fap.FAP_LEVEL: MQRC_CHANNEL_CONFIG_ERROR,
    fap.NEGOTIATION_FAILED: MQRC_CHANNEL_CONFIG_ERROR,
}


class Who(NamedTuple):
    """Who connects, to what, and how."""

    qmgr_name: str
    user: str  # of the operating system
    csp_user: str
    password: str | None
    application: str
    options: int = 0  # MQCNO
    window_bytes: int = WINDOW_BYTES_USUAL


class Met(NamedTuple):
    """What is known of the queue manager after the initial data."""

    agreement: Agreement
    qmgr_name: str
    qmgr_id: str


def refused(ended: ChannelEnded, channel: ClientChannel, place: str) -> MQError:
    """Why a queue manager did not let an application in."""
    name = fap.STATUS_NAMES.get(ended.status, str(ended.status))
    reason = _REASONS.get(ended.status, MQRC_Q_MGR_NOT_AVAILABLE)
    if 2000 < ended.value < 3000:
        reason = ended.value
    detail = f"{place} refuses channel {channel.name}: {name}"
    return mq_error(reason, verb="MQCONN", object=channel.name, detail=detail)


def product_id() -> str:
    """How the client calls itself: four letters, then version, release, modification and fix."""
    numbers = [int(one) for one in VERSION.split(".")[:3]]
    return fap.OWN_CLIENT + "".join(f"{one:02d}" for one in (*numbers, 0))


def wishes(channel: ClientChannel, qmgr_name: str) -> InitialData:
    """What the client would like."""
    data = InitialData(FAP_LEVEL)
    data.capabilities_1 = _CAPABILITIES_1
    data.capabilities_2 = _CAPABILITIES_2
    data.capabilities_3 = _CAPABILITIES_3
    data.segment_bytes_max = SEGMENT_BYTES_USUAL
    data.message_bytes_max = channel.message_bytes_max
    data.channel_name = channel.name
    data.ccsid = _UTF_8
    data.qmgr_name = qmgr_name.lstrip("*")[: mq.MQ_Q_MGR_NAME_LENGTH]
    data.heartbeat_s = channel.heartbeat_s
    data.conversations_max = channel.sharing
    data.product_id = product_id()
    data.process_id = os.getpid() & 0xFFFFFFFF
    return data


def meeting(channel: ClientChannel, qmgr_name: str) -> Generator[bytes, Segment, Met]:
    """The exchange of initial data: yields what to send, gets what came."""
    own = wishes(channel, qmgr_name)
    flags = fap.CONFIRM_REQUEST | fap.FIRST_AND_LAST
    header = Header(fap.INITIAL_DATA, flags_1=flags)
    for _round in range(ROUNDS_MAX):
        one = yield segment(header, write_initial_data(header, own))
        type = one.header.type
        if type == fap.STATUS_DATA:
            values = read_body(one, FAP_LEVEL).values
            raise ChannelEnded(values.get("code", 0), values.get("value", 0))
        if type != fap.INITIAL_DATA:
            raise RemoteProtocolError(f"{fap.type_name(type)} answers the initial data")
        answered = read_initial_data(one)
        if not one.header.flags_1 & fap.ERROR:
            return Met(accepted(own, answered), answered.qmgr_name, answered.qmgr_id)
        own = revised(own, answered)
        if own.conversations_max:
            header = Header(fap.INITIAL_DATA, flags_1=flags, variant=TSHM, conversation=1)
    raise RemoteProtocolError("the initial data go round and round")


def connecting(
    conversation: Conversation, met: Met, who: Who, is_first: bool
) -> Exchange[FapVerbs]:
    """From a conversation to a connection."""
    agreement = met.agreement
    if not is_first:
        yield started(conversation)
    yield identified(who)
    if who.password is not None:
        reply = yield authenticated(who)
        if reply.type != fap.STATUS_DATA:
            raise RemoteProtocolError(f"{fap.type_name(reply.type)} answers CONAUTH_INFO")
    values = {
        "qmgr_name": who.qmgr_name,
        "appl_name": who.application.encode("utf-8")[:28].decode("utf-8", "ignore"),
        "appl_type": mq.MQAT_UNIX if os.name == "posix" else mq.MQAT_WINDOWS_NT,
        "options": _CONNECTX,
        "x_options": who.options,
        "fcno": {"capabilities": fap.FCNO_TAKES_BACK},
    }
    body = table_body(fap.MQCONN, values)
    reply = checked((yield NetRequest(fap.MQCONN, None, body)), who.qmgr_name)
    told = reply.values()
    fcno = told.get("fcno", {})
    tag: bytes = fcno.get("connection_tag", b"")[:24]
    name = str(told["qmgr_name"]) or met.qmgr_name
    has_get = agreement.has_shared_get or not agreement.is_shared
    user = who.csp_user or who.user
    verbs = FapVerbs(conversation, name, tag, user, agreement.is_shared, has_get)
    verbs.takes_back = fcno.get("capabilities", 0) & fap.FCNO_TAKES_BACK != 0
    verbs.has_xa_calls = agreement.has_xa
    verbs.qmgr_id = met.qmgr_id
    verbs.window_bytes = who.window_bytes
    return verbs


def started(conversation: Conversation) -> NetRequest:
    """Another conversation of a socket."""
    return _action(conversation, fap.ACTION_START)


def ended_segment(conversation: Conversation) -> bytes:
    """A conversation of a shared socket ends."""
    return _action(conversation, fap.ACTION_END).encoded(conversation)


def _action(conversation: Conversation, action: int) -> NetRequest:
    values = {"conversation": conversation.number, "action": action}
    if action == fap.ACTION_START:
        values["parameter_1"] = 1
        values["parameter_2"] = 1
    request = NetRequest(fap.SOCKET_ACTION, None, whole_body(fap.SOCKET_ACTION, values))
    return request


def identified(who: Who) -> NetRequest:
    """USERID_DATA: who the client runs as."""
    values = {
        "user_id": carried_name(who.user),
        "long_user_id": who.user,
        "security_id": bytes(40),
    }
    request = NetRequest(fap.USERID_DATA, None, whole_body(fap.USERID_DATA, values))
    request.is_answered = False
    return request


def authenticated(who: Who) -> NetRequest:
    """CONAUTH_INFO: user and password."""
    password = (who.password or "").encode("utf-8")
    user = who.csp_user.encode("utf-8")
    values = {
        "user_id_max": len(user),
        "password_max": len(password),
        "user_id": who.csp_user,
        "password": password,
    }
    return NetRequest(fap.CONAUTH_INFO, None, whole_body(fap.CONAUTH_INFO, values))
