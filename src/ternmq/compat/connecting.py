"""MQCONN and MQCONNX as both libraries call them: from MQCD and MQSCO to `ternmq.connect`."""

from __future__ import annotations

import ctypes
from typing import Any, Final

import ternmq
from ternmq.base import constants as mq
from ternmq.compat.attachments import Attachment, attach
from ternmq.compat.calls import text_of
from ternmq.compat.structure import MQOpts

# Which way to connect follows from what is given, so these say nothing more.
_BINDINGS: Final = (
    mq.MQCNO_CLIENT_BINDING
    | mq.MQCNO_LOCAL_BINDING
    | mq.MQCNO_SHARED_BINDING
    | mq.MQCNO_ISOLATED_BINDING
    | mq.MQCNO_FASTPATH_BINDING
)
# Defaults of an MQCD.
_HEARTBEAT_S: Final = 300
_SHARING: Final = 10


def connect(
    name: object,
    *,
    options: int = 0,
    cd: MQOpts | None = None,
    sco: MQOpts | None = None,
    user: object = None,
    password: object = None,
    more: dict[str, Any] | None = None,
) -> int:
    """Connect, through the channel of an MQCD or on this machine; the connection's handle."""
    arguments: dict[str, Any] = dict(more or {})
    if user:
        arguments["user"] = text_of(user)
        arguments["password"] = text_of(password or "")
    options &= ~_BINDINGS
    if options:
        arguments["options"] = options
    is_client = cd is not None and bool(text_of(cd.ConnectionName))
    if cd is not None and is_client:
        arguments |= channel_arguments(cd, sco)
    connection = ternmq.connect(text_of(name or ""), **arguments)
    return attach(Attachment(connection, is_client))


def channel_arguments(cd: MQOpts, sco: MQOpts | None) -> dict[str, Any]:
    """What an MQCD and an MQSCO say about the way to the queue manager."""
    found: dict[str, Any] = {
        "channel": text_of(cd.ChannelName),
        "conn": text_of(cd.ConnectionName),
    }
    if cd.HeartbeatInterval != _HEARTBEAT_S:
        found["heartbeat"] = cd.HeartbeatInterval
    if cd.SharingConversations != _SHARING:
        found["sharing"] = cd.SharingConversations
    cipher = text_of(cd.SSLCipherSpec)
    if cipher:
        found["cipher"] = cipher
        found |= _tls_arguments(cd, sco)
    return found


def _tls_arguments(cd: MQOpts, sco: MQOpts | None) -> dict[str, Any]:
    """What goes with a CipherSpec."""
    peer_name = cd.SSLPeerNamePtr
    if isinstance(peer_name, int) and peer_name:
        peer_name = ctypes.string_at(peer_name, cd.SSLPeerNameLength)
    given = {
        "peer_name": text_of(peer_name or b""),
        "certificate_label": text_of(cd.CertificateLabel),
    }
    if sco is not None:
        given["key_repository"] = text_of(sco.KeyRepository)
        given["key_password"] = text_of(getattr(sco, "KeyRepoPassword", 0) or b"")
        given["certificate_label"] = text_of(sco.CertificateLabel) or given["certificate_label"]
    return {name: value for name, value in given.items() if value}
