"""How a channel ends for each code of STATUS_DATA, sent by either end, and for reason codes of the
engine: the message for the error log, and whether the initiator tries again.

Most ends are retried: what is wrong at the other end may be put right there, and nobody is asked to
start the channel here. What two definitions contradict each other about is not: only a change of a
definition helps, and START follows it.
"""

from __future__ import annotations

from typing import Final

from ternmq.channel.agent import NO_RETRY, RETRY
from ternmq.wire.fap import vocabulary as fap

# Of a code that the partner has sent.
RECEIVED: Final[dict[int, tuple[int, str]]] = {
    fap.NO_CHANNEL: (RETRY, "AMQ9520E"),
    fap.CHANNEL_WRONG_TYPE: (NO_RETRY, "AMQ9547E"),
    fap.QM_UNAVAILABLE: (RETRY, "AMQ9524E"),
    fap.MSG_SEQUENCE_ERROR: (RETRY, "AMQ9526E"),
    fap.QM_TERMINATING: (RETRY, "AMQ9525E"),
    fap.CAN_NOT_STORE: (RETRY, "AMQ9506E"),
    fap.USER_CLOSED: (RETRY, "AMQ9558E"),
    fap.TIMEOUT_EXPIRED: (RETRY, "AMQ9259E"),
    9: (RETRY, "AMQ9506E"),  # TARGET_Q_UNKNOWN
    fap.BATCH_FAILURE: (RETRY, "AMQ9506E"),
    fap.SECURITY_FAILURE: (NO_RETRY, "AMQ9503E"),
    fap.WRAP_VALUE_ERROR: (NO_RETRY, "AMQ9505E"),
    fap.CHANNEL_UNAVAILABLE: (RETRY, "AMQ9558E"),
    fap.CLOSED_BY_EXIT: (NO_RETRY, "AMQ9536E"),
    fap.CIPHER_SPEC: (NO_RETRY, "AMQ9641E"),
    fap.PEER_NAME: (NO_RETRY, "AMQ9643E"),
    fap.SSL_CLIENT_CERTIFICATE: (NO_RETRY, "AMQ9642E"),
    27: (RETRY, "AMQ9558E"),  # RMT_RSRCS_IN_RECOVERY
    28: (RETRY, "AMQ9558E"),  # SSL_REFRESHING
    32: (RETRY, "AMQ9524E"),  # STANDBY_Q_MGR
    fap.MAX_CONNS_LIMIT_REACHED: (RETRY, "AMQ9558E"),
    fap.CCSID_NOT_SUPPORTED: (NO_RETRY, "AMQ9541E"),
    241: (NO_RETRY, "AMQ9541E"),  # ENCODING_INVALID
    fap.FAP_LEVEL: (NO_RETRY, "AMQ9503E"),
    fap.NEGOTIATION_FAILED: (NO_RETRY, "AMQ9503E"),
}
# Of a code that this end sends, where that is not the same.
SENT: Final[dict[int, tuple[int, str]]] = {
    fap.NO_CHANNEL: (RETRY, "AMQ9519E"),
    fap.CHANNEL_WRONG_TYPE: (NO_RETRY, "AMQ9502E"),
    fap.USER_CLOSED: (RETRY, "AMQ9528I"),
    fap.CAN_NOT_STORE: (RETRY, "AMQ9511E"),
    fap.BATCH_FAILURE: (RETRY, "AMQ9540E"),
    fap.CIPHER_SPEC: (NO_RETRY, "AMQ9639E"),
    fap.PEER_NAME: (NO_RETRY, "AMQ9636E"),
    fap.SSL_CLIENT_CERTIFICATE: (NO_RETRY, "AMQ9637E"),
}
_PROTOCOL: Final = (RETRY, "AMQ9504E")


def end_of_received(code: int) -> tuple[int, str]:
    """Kind of the end and message for a code that came; one that is not known is an error too."""
    return RECEIVED.get(code, _PROTOCOL)


def end_of_sent(code: int) -> tuple[int, str]:
    """Kind of the end and message for a code that this end sends."""
    return SENT.get(code) or RECEIVED.get(code, _PROTOCOL)
