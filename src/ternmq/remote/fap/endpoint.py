"""What threads and tasks share when they reach for a queue manager: settings, and what went wrong.

A reason says what to look at: the host (2538), TLS (2393), the channel's name (2540) or its
definition (2539), the queue manager (2059) or the connection that was there (2009). The text names
host and channel.
"""

from __future__ import annotations

import os
import ssl
from typing import Final, NamedTuple

from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_CONNECTION_BROKEN,
    MQRC_CONNECTION_QUIESCING,
    MQRC_HOST_NOT_AVAILABLE,
    MQRC_Q_MGR_NOT_AVAILABLE,
    MQRC_Q_MGR_STOPPING,
    MQRC_SSL_INITIALIZATION_ERROR,
)
from ternmq.remote.fap.client_channel import Address, ClientChannel
from ternmq.remote.fap.client_conversation import ChannelEnded
from ternmq.remote.fap.client_dialogue import ConnectParameters
from ternmq.wire.fap import vocabulary as fap

CONNECT_S_USUAL: Final = 30.0
_OPEN_REASONS: Final[dict[int, int]] = {
    fap.QM_TERMINATING: MQRC_Q_MGR_STOPPING,
    fap.QM_UNAVAILABLE: MQRC_Q_MGR_STOPPING,
    fap.CHANNEL_UNAVAILABLE: MQRC_CONNECTION_QUIESCING,
}


class TlsSettings(NamedTuple):
    """Where keys and certificates are."""

    key_repository: str = ""  # MQSSLKEYR
    password: str = ""
    is_host_named: bool = False  # OutboundSNI=HOSTNAME


class FapEndpoint(NamedTuple):
    """How to get to a queue manager, and as whom."""

    channel: ClientChannel
    parameters: ConnectParameters
    tls: TlsSettings = TlsSettings()
    connect_s: float = CONNECT_S_USUAL
    is_shared: bool = True  # its socket may be another connection's too

    def key(self, address: Address) -> tuple[object, ...]:
        """Connections with the same key may share a socket."""
        parameters = self.parameters
        identity = (parameters.user, parameters.csp_user, parameters.password, parameters.qmgr_name)
        return (os.getpid(), address, self.channel, self.tls, identity)


_NOT_TLS: Final = ("WRONG_VERSION_NUMBER", "UNEXPECTED_EOF_WHILE_READING")


def unreachable(channel: ClientChannel, address: Address, error: BaseException) -> MQError:
    """The address does not answer."""
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    detail = f"{address} cannot be reached for channel {channel.name}: {why or repr(error)}"
    if isinstance(error, ConnectionRefusedError):
        detail += ", check the port and that a listener runs there: DISPLAY LSSTATUS(*)"
    return mq_error(MQRC_HOST_NOT_AVAILABLE, verb="MQCONN", object=channel.name, detail=detail)


def tls_failed(channel: ClientChannel, address: Address, error: BaseException) -> MQError:
    """TLS did not come about."""
    import ssl  # only where it was used

    closed = (ConnectionError, EOFError, ssl.SSLEOFError, ssl.SSLZeroReturnError)
    why = getattr(error, "verify_message", "") or getattr(error, "reason", "") or str(error)
    detail = f"TLS with {address} for channel {channel.name} ({channel.cipher}): {why}"
    if why in _NOT_TLS or isinstance(error, closed):
        detail += (
            ", the other end may not speak TLS, or has no certificate: check the port, SSLCIPH of "
            "its channel and its error log"
        )
    return mq_error(
        MQRC_SSL_INITIALIZATION_ERROR, verb="MQCONN", object=channel.name, detail=detail
    )


def went_away(channel: ClientChannel, address: Address, error: BaseException) -> MQError:
    """The queue manager was there, but the first words came to nothing."""
    detail = f"{address} went away while channel {channel.name} was being opened: {error}"
    if channel.cipher == "" and isinstance(error, (EOFError, ConnectionResetError)):
        detail += "; does the channel want TLS?"
    return mq_error(MQRC_Q_MGR_NOT_AVAILABLE, verb="MQCONN", object=channel.name, detail=detail)


def broken_reason(error: BaseException) -> int:
    """The reason for a connection that was lost."""
    if isinstance(error, ChannelEnded):
        return _OPEN_REASONS.get(error.status, MQRC_CONNECTION_BROKEN)
    return error.reason if isinstance(error, MQError) else MQRC_CONNECTION_BROKEN


def broken_detail(error: BaseException, channel: ClientChannel, address: Address) -> str:
    """The same in words."""
    why = str(error)
    if isinstance(error, ChannelEnded):
        why = fap.STATUS_NAMES.get(error.status, str(error.status))
    elif isinstance(error, ssl.SSLError):
        why = error.reason or why
    return f"channel {channel.name} to {address}: {why}"
