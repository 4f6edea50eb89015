"""The initiator's side of a dialogue, without I/O: initial data, identity, MQCONN.

The tables of `wire.fap.dialogue` say which segment comes next and what an answer means; this is
what the client writes into each of them, and what it makes of the answers. FAP level 10 is offered:
there is no scrambling of passwords there, which is what TLS is for.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import TYPE_CHECKING, Final, NamedTuple

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, NotAuthorized, RemoteProtocolError, mq_error
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
from ternmq.remote.fap.client_channel import ClientChannel, MulticastSettings
from ternmq.remote.fap.client_conversation import ChannelEnded, Conversation, Reply
from ternmq.remote.fap.fap_verbs import FapVerbs
from ternmq.remote.fap.frames import FAP_LEVEL, FapRequest, table_body, whole_body
from ternmq.remote.fap.replies import checked
from ternmq.remote.remote_verbs import Exchange
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.dialogue import (
    AGREE,
    COMPLETED,
    FAILED,
    HAS_PASSWORD,
    INITIATOR,
    OPENING,
    REPORT_REASON,
    REPORT_WHY,
    SOCKET,
    TAKE_OVER,
    Dialogue,
)
from ternmq.wire.fap.flow import read_body
from ternmq.wire.fap.initial_data import (
    HEADER_COMPRESSIONS_MAX,
    MESSAGE_COMPRESSIONS_MAX,
    InitialData,
    compression_bytes,
    read_initial_data,
    write_initial_data,
)
from ternmq.wire.fap.negotiation import (
    ROUNDS_MAX,
    SEGMENT_BYTES_USUAL,
    Agreement,
    accepted,
    revised,
)
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import TSHM, Header, Segment, segment

if TYPE_CHECKING:
    from ternmq.remote.fap.client_exits import SocketExits
    from ternmq.wire.fap.segment_compression import SegmentCompression

_CAPABILITIES_1: Final = fap.CAP_MQI | fap.CAP_SPLIT_MESSAGE | fap.CAP_CONVERSION
_CAPABILITIES_2: Final = fap.CAP_SPI | fap.CAP_XA | fap.CAP_DISTRIBUTION_LISTS
_CAPABILITIES_3: Final = fap.CAP_MULTIPLEX_SYNCGET
_UTF_8: Final = 1208
_CONNECTX: Final = 3  # the options of MQCONN: there is an MQCNO
_PROTOCOL: Final = (10, 11, 12, 13, 14, 16, 18)  # it could not make sense of what it got
_CLOSED_BY_EXIT: Final = 23
_STANDBY: Final = 32
_NO_CERTIFICATE: Final = 40
LOG_SAYS_WHY: Final = "the error log of the queue manager says why"
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


# What the one who connects can do about a refusal.
_HINTS: Final[dict[int, str]] = {
    fap.NO_CHANNEL: "no server-connection channel has that name there; names are case-sensitive",
    fap.CHANNEL_WRONG_TYPE: "the channel is there, but is not of CHLTYPE(SVRCONN)",
    fap.CIPHER_SPEC: "cipher= must be SSLCIPH of the channel, and left out if that is blank",
    fap.PEER_NAME: "SSLPEER of the channel does not match the certificate that was sent",
    fap.SSL_CLIENT_CERTIFICATE: "the channel wants a certificate: add one to key_repository",
    fap.CHANNEL_UNAVAILABLE: "it is stopped there, or has MAXINST or MAXINSTC clients already",
}


class ConnectParameters(NamedTuple):
    """The user and application that connect, to what, and how."""

    qmgr_name: str
    user: str  # of the operating system
    csp_user: str
    password: str | None
    application: str
    options: int = 0  # MQCNO
    window_bytes: int = WINDOW_BYTES_USUAL
    multicast: MulticastSettings = MulticastSettings()


class Negotiated(NamedTuple):
    """What is known of the queue manager after the initial data."""

    agreement: Agreement
    qmgr_name: str
    qmgr_id: str
    last_words: bytes = b""  # of security exits, to be sent before anything else


def refused(ended: ChannelEnded, channel: ClientChannel, place: str) -> MQError:
    """Why a queue manager did not let an application in."""
    name = fap.STATUS_NAMES.get(ended.status, str(ended.status))
    reason = _REASONS.get(ended.status, MQRC_Q_MGR_NOT_AVAILABLE)
    if 2000 < ended.value < 3000:
        reason = ended.value
    detail = f"{place} refuses channel {channel.name}: {name}"
    hint = LOG_SAYS_WHY if reason == MQRC_NOT_AUTHORIZED else _HINTS.get(ended.status, "")
    if hint:
        detail += f", {hint}"
    return mq_error(reason, verb="MQCONN", object=channel.name, detail=detail)


def way_of(channel: ClientChannel, place: str) -> str:
    """By what a connection is tried."""
    return f"channel {channel.name} at {place}"


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
    if channel.header_compression or channel.message_compression:
        _wish_compressions(channel, data)
    return data


def _wish_compressions(channel: ClientChannel, data: InitialData) -> None:
    # few clients need it
    from ternmq.wire.fap.compression import available_headers, available_messages
    from ternmq.wire.fap.compression_lists import named

    headers = named(channel.header_compression, available_headers())
    data.header_compressions = compression_bytes(headers, HEADER_COMPRESSIONS_MAX)
    messages = named(channel.message_compression, available_messages())
    data.message_compressions = compression_bytes(messages, MESSAGE_COMPRESSIONS_MAX)


def compression_of(agreement: Agreement) -> SegmentCompression | None:
    """What compresses the segments of a socket, if that is agreed."""
    if not agreement.is_compressed:
        return None
    from ternmq.wire.fap.segment_compression import SegmentCompression

    return SegmentCompression(
        agreement.header_compressions, agreement.message_compressions, agreement.segment_bytes_max
    )


def exits_of(channel: ClientChannel, qmgr_name: str) -> SocketExits | None:
    """The exits of a socket, if the channel has any."""
    if channel.exits.is_empty:
        return None
    from ternmq.remote.fap.client_exits import SocketExits  # few clients need them

    return SocketExits(channel, qmgr_name)


def meeting(
    channel: ClientChannel, qmgr_name: str, exits: SocketExits | None = None
) -> Generator[bytes, Segment, Negotiated]:
    """The exchange of initial data, and of what security exits say: yields what to send, gets what
    came."""
    own = wishes(channel, qmgr_name)
    if exits is not None:
        exits.begin()
        if exits.has_security:
            own.capabilities_1 |= fap.CAP_REQUEST_SECURITY
    dialogue = Dialogue(SOCKET, INITIATOR, OPENING)
    for number in range(ROUNDS_MAX):
        row = dialogue.next()
        if row is None:
            break
        header = Header(row.type, flags_1=row.flags)
        if number and own.conversations_max:
            header.variant = TSHM
            header.conversation = 1
        one = yield segment(header, write_initial_data(header, own))
        action = dialogue.came(one.header.type, one.header.flags_1).action
        if action == REPORT_WHY:
            values = read_body(one, FAP_LEVEL).values
            raise ChannelEnded(values.get("code", 0), values.get("value", 0))
        answered = read_initial_data(one)
        if action == AGREE:
            agreement = accepted(own, answered)
            made = Negotiated(agreement, answered.qmgr_name, answered.qmgr_id)
            if exits is None:
                return made
            has_talk = answered.capabilities_1 & fap.CAP_REQUEST_SECURITY != 0
            rest = yield from exits.talking(agreement, answered.qmgr_name, has_talk)
            return made._replace(last_words=rest)
        own = revised(own, answered)
    raise RemoteProtocolError("the initial data go round and round")


def connecting(
    conversation: Conversation, negotiated: Negotiated, parameters: ConnectParameters, way: str
) -> Exchange[FapVerbs]:
    """From a conversation to a connection; `way` is channel and host, for errors."""
    dialogue = conversation.dialogue
    facts = 0 if parameters.password is None else HAS_PASSWORD
    while (row := dialogue.next(facts)) is not None:
        request = _request(conversation, parameters, row.type)
        request.is_answered = dialogue.is_listening(facts)
        reply: Reply | None = yield request
        if reply is None:
            continue
        detail = FAILED if reply.failed else COMPLETED
        action = dialogue.came(reply.type, detail=detail).action
        if action == REPORT_REASON:
            _check_connected(reply, parameters.qmgr_name, way)
        if action == TAKE_OVER:
            return _verbs(conversation, negotiated, parameters, reply.values())
    raise RemoteProtocolError("the dialogue ended before MQCONN was answered")


def _check_connected(reply: Reply, qmgr_name: str, way: str) -> None:
    """A client learns no more than that it was refused, and what it asked for itself; its
    administrator can read why."""
    try:
        checked(reply, qmgr_name)
    except MQError as error:
        asked = f"queue manager {qmgr_name}" if qmgr_name else "the queue manager there"
        why = LOG_SAYS_WHY if isinstance(error, NotAuthorized) else error.detail
        error.detail = f"{asked} was asked for by {way}" + (f"; {why}" if why else "")
        raise


def _verbs(
    conversation: Conversation,
    negotiated: Negotiated,
    parameters: ConnectParameters,
    values: Values,
) -> FapVerbs:
    """The connection that a reply to MQCONN describes."""
    agreement = negotiated.agreement
    fcno = values.get("fcno", {})
    tag: bytes = fcno.get("connection_tag", b"")[:24]
    name = str(values["qmgr_name"]) or negotiated.qmgr_name
    has_get = agreement.has_shared_get or not agreement.is_shared
    user = parameters.csp_user or parameters.user
    verbs = FapVerbs(conversation, name, tag, user, agreement.is_shared, has_get)
    verbs.takes_back = fcno.get("capabilities", 0) & fap.FCNO_TAKES_BACK != 0
    verbs.takes_multicast = fcno.get("capabilities", 0) & fap.FCNO_MULTICAST != 0
    verbs.multicast_settings = parameters.multicast
    verbs.application = parameters.application
    verbs.has_xa_calls = agreement.has_xa
    verbs.qmgr_id = negotiated.qmgr_id
    verbs.window_bytes = parameters.window_bytes
    return verbs


# ---- what is in each segment


def _request(conversation: Conversation, parameters: ConnectParameters, type: int) -> FapRequest:
    if type == fap.SOCKET_ACTION:
        return _action(conversation, fap.ACTION_START)
    if type == fap.USERID_DATA:
        return identified(parameters)
    return authenticated(parameters) if type == fap.CONAUTH_INFO else _connect(parameters)


def ended_segment(conversation: Conversation) -> bytes:
    """A conversation of a shared socket ends."""
    conversation.dialogue.say(fap.SOCKET_ACTION, detail=fap.ACTION_END)
    return _action(conversation, fap.ACTION_END).encoded(conversation)


def _action(conversation: Conversation, action: int) -> FapRequest:
    values = {"conversation": conversation.number, "action": action}
    if action == fap.ACTION_START:
        values["parameter_1"] = 1
        values["parameter_2"] = 1
    return FapRequest(fap.SOCKET_ACTION, None, whole_body(fap.SOCKET_ACTION, values))


def identified(parameters: ConnectParameters) -> FapRequest:
    """USERID_DATA: who the client runs as."""
    values = {
        "user_id": carried_name(parameters.user),
        "long_user_id": parameters.user,
        "security_id": bytes(40),
    }
    return FapRequest(fap.USERID_DATA, None, whole_body(fap.USERID_DATA, values))


def authenticated(parameters: ConnectParameters) -> FapRequest:
    """CONAUTH_INFO: user and password."""
    password = (parameters.password or "").encode("utf-8")
    user = parameters.csp_user.encode("utf-8")
    values = {
        "user_id_max": len(user),
        "password_max": len(password),
        "user_id": parameters.csp_user,
        "password": password,
    }
    return FapRequest(fap.CONAUTH_INFO, None, whole_body(fap.CONAUTH_INFO, values))


def _connect(parameters: ConnectParameters) -> FapRequest:
    """MQCONN: to which queue manager, for which application."""
    values = {
        "qmgr_name": parameters.qmgr_name,
        "appl_name": parameters.application.encode("utf-8")[:28].decode("utf-8", "ignore"),
        "appl_type": mq.MQAT_UNIX if os.name == "posix" else mq.MQAT_WINDOWS_NT,
        "options": _CONNECTX,
        "x_options": parameters.options,
        "fcno": {"capabilities": fap.FCNO_TAKES_BACK | fap.FCNO_MULTICAST},
    }
    return FapRequest(fap.MQCONN, None, table_body(fap.MQCONN, values))
