"""Numbers and names of IBM MQ's client protocol: segment types, flags, status and other codes.

One table a family. Encoders, decoders, negotiation and the trace take numbers and names from here.
Confidence: all from a public dissector unless a comment says otherwise; "guess" is what has not
been confirmed against IBM MQ.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq

# Segment types below 0x80: control flows and message channels.
INITIAL_DATA: Final = 0x01
RESYNC_DATA: Final = 0x02
RESET_DATA: Final = 0x03
MESSAGE_DATA: Final = 0x04
STATUS_DATA: Final = 0x05
SECURITY_DATA: Final = 0x06
PING_DATA: Final = 0x07
USERID_DATA: Final = 0x08
HEARTBEAT: Final = 0x09
CONAUTH_INFO: Final = 0x0A
RENEGOTIATE_DATA: Final = 0x0B
SOCKET_ACTION: Final = 0x0C
ASYNC_MESSAGE: Final = 0x0D
REQUEST_MSGS: Final = 0x0E
NOTIFICATION: Final = 0x0F

CHANNEL_TYPES: Final = (RESYNC_DATA, RESET_DATA, MESSAGE_DATA, SECURITY_DATA, PING_DATA)

# Calls; the type of the reply is REPLY more.
REPLY: Final = 0x10
MQCONN: Final = 0x81
MQDISC: Final = 0x82
MQOPEN: Final = 0x83
MQCLOSE: Final = 0x84
MQGET: Final = 0x85
# Of our own clients alone: two options that exclude each other say that a get takes properties
# beside the data, if its queue does not say otherwise.
PROPERTIES_APART: Final = mq.MQGMO_PROPERTIES_IN_HANDLE | mq.MQGMO_PROPERTIES_COMPATIBILITY
MQPUT: Final = 0x86
# Theirs too: an option that MQPMO does not have says that a property area stands before the data.
AREA_BEFORE_DATA: Final = 0x40000000
MQPUT1: Final = 0x87
MQSET: Final = 0x88
MQINQ: Final = 0x89
MQCMIT: Final = 0x8A
MQBACK: Final = 0x8B
SPI: Final = 0x8C
MQSTAT: Final = 0x8D
MQSUB: Final = 0x8E
MQSUBRQ: Final = 0x8F
XA_START: Final = 0xA1
XA_END: Final = 0xA2
XA_OPEN: Final = 0xA3
XA_CLOSE: Final = 0xA4
XA_PREPARE: Final = 0xA5
XA_COMMIT: Final = 0xA6
XA_ROLLBACK: Final = 0xA7
XA_FORGET: Final = 0xA8
XA_RECOVER: Final = 0xA9
XA_COMPLETE: Final = 0xAA

CONTROL_NAMES: Final[dict[int, str]] = {
    INITIAL_DATA: "INITIAL_DATA",
    RESYNC_DATA: "RESYNC_DATA",
    RESET_DATA: "RESET_DATA",
    MESSAGE_DATA: "MESSAGE_DATA",
    STATUS_DATA: "STATUS_DATA",
    SECURITY_DATA: "SECURITY_DATA",
    PING_DATA: "PING_DATA",
    USERID_DATA: "USERID_DATA",
    HEARTBEAT: "HEARTBEAT",
    CONAUTH_INFO: "CONAUTH_INFO",
    RENEGOTIATE_DATA: "RENEGOTIATE_DATA",
    SOCKET_ACTION: "SOCKET_ACTION",
    ASYNC_MESSAGE: "ASYNC_MESSAGE",
    REQUEST_MSGS: "REQUEST_MSGS",
    NOTIFICATION: "NOTIFICATION",
}
CALL_NAMES: Final[dict[int, str]] = {
    MQCONN: "MQCONN",
    MQDISC: "MQDISC",
    MQOPEN: "MQOPEN",
    MQCLOSE: "MQCLOSE",
    MQGET: "MQGET",
    MQPUT: "MQPUT",
    MQPUT1: "MQPUT1",
    MQSET: "MQSET",
    MQINQ: "MQINQ",
    MQCMIT: "MQCMIT",
    MQBACK: "MQBACK",
    SPI: "SPI",
    MQSTAT: "MQSTAT",
    MQSUB: "MQSUB",
    MQSUBRQ: "MQSUBRQ",
    XA_START: "XA_START",
    XA_END: "XA_END",
    XA_OPEN: "XA_OPEN",
    XA_CLOSE: "XA_CLOSE",
    XA_PREPARE: "XA_PREPARE",
    XA_COMMIT: "XA_COMMIT",
    XA_ROLLBACK: "XA_ROLLBACK",
    XA_FORGET: "XA_FORGET",
    XA_RECOVER: "XA_RECOVER",
    XA_COMPLETE: "XA_COMPLETE",
}
TYPE_NAMES: Final[dict[int, str]] = {
    **CONTROL_NAMES,
    **CALL_NAMES,
    **{type + REPLY: name + "_REPLY" for type, name in CALL_NAMES.items()},
}

# Control flags 1.
CONFIRM_REQUEST: Final = 0x01  # an answer is wanted
ERROR: Final = 0x02
REQUEST_CLOSE: Final = 0x04  # guess: asks the partner to close the channel
CLOSE_CHANNEL: Final = 0x08
FIRST: Final = 0x10
LAST: Final = 0x20
REQUEST_ACCEPTED: Final = 0x40  # guess: the positive answer to a request to confirm
DLQ_USED: Final = 0x80  # guess: the receiver had to use its dead-letter queue
FIRST_AND_LAST: Final = FIRST | LAST
FLAGS_1: Final[dict[int, str]] = {
    CONFIRM_REQUEST: "CONFIRM_REQUEST",
    ERROR: "ERROR",
    REQUEST_CLOSE: "REQUEST_CLOSE",
    CLOSE_CHANNEL: "CLOSE_CHANNEL",
    FIRST: "FIRST",
    LAST: "LAST",
    REQUEST_ACCEPTED: "REQUEST_ACCEPTED",
    DLQ_USED: "DLQ_USED",
}
HEADER_COMPRESSED: Final = 0x01
MESSAGE_COMPRESSED: Final = 0x02
FLAGS_2: Final[dict[int, str]] = {
    HEADER_COMPRESSED: "HDRCOMP",
    MESSAGE_COMPRESSED: "MSGCOMP",
    0x04: "CSH",  # meaning unknown
    0x08: "CMIT_INTERVAL",  # meaning unknown
}

# Capabilities in the initial data, three words of flags.
CAP_MESSAGE_SEQUENCE: Final = 0x01
CAP_CONVERSION: Final = 0x02
CAP_SPLIT_MESSAGE: Final = 0x04
CAP_REQUEST_INITIATION: Final = 0x08
CAP_REQUEST_SECURITY: Final = 0x10
CAP_MQI: Final = 0x20
CAPABILITIES_1: Final[dict[int, str]] = {
    CAP_MESSAGE_SEQUENCE: "MSG_SEQ",
    CAP_CONVERSION: "CONVERSION_CAPABLE",
    CAP_SPLIT_MESSAGE: "SPLIT_MESSAGE",
    CAP_REQUEST_INITIATION: "REQUEST_INITIATION",
    CAP_REQUEST_SECURITY: "REQUEST_SECURITY",
    CAP_MQI: "MQREQUEST",
    0x40: "SVRCONN_SECURITY",
    0x80: "RUNTIME",
}
CAP_DISTRIBUTION_LISTS: Final = 0x01
CAP_FAST_MESSAGES: Final = 0x02
CAP_RESPONDER_CONVERSION: Final = 0x04
CAP_PIPELINES: Final = 0x08  # guess, see `channel_flows`
CAP_XA: Final = 0x10
CAP_SPI: Final = 0x40
CAP_TRACE_ROUTE: Final = 0x80
CAPABILITIES_2: Final[dict[int, str]] = {
    CAP_DISTRIBUTION_LISTS: "DIST_LIST_CAPABLE",
    CAP_FAST_MESSAGES: "FAST_MESSAGES_REQUIRED",
    CAP_RESPONDER_CONVERSION: "RESPONDER_CONVERSION",
    CAP_PIPELINES: "DUAL_UOW",
    CAP_XA: "XAREQUEST",
    0x20: "XARUNTIME_APP",
    CAP_SPI: "SPIREQUEST",
    CAP_TRACE_ROUTE: "TRACE_ROUTE_CAPABLE",
}
CAP_PROPERTIES: Final = 0x01
CAP_PROPERTIES_SEPARATE: Final = 0x04
CAP_MULTIPLEX_SYNCGET: Final = 0x08  # MQGET segments on a shared socket, with one conversation
CAP_GENERATED_TAG: Final = 0x20
CAPABILITIES_3: Final[dict[int, str]] = {
    CAP_PROPERTIES: "MSG_PROP_CAPABLE",
    0x02: "MULTICAST_CAPABLE",
    CAP_PROPERTIES_SEPARATE: "MSG_PROP_INT_SEPARATE",
    CAP_MULTIPLEX_SYNCGET: "MULTIPLEX_SYNCGET",
    0x10: "PROT_ALGORITHMS",  # guess, from the name: password protection is negotiated
    CAP_GENERATED_TAG: "GEN_CONNTAG_CAP",
}

# Values of the initial data that a responder refused.
REFUSED_CCSID: Final = 0x01
REFUSED_ENCODING: Final = 0x02
REFUSED_TRANSMISSION_SIZE: Final = 0x04
REFUSED_FAP_LEVEL: Final = 0x08
REFUSED_MESSAGE_SIZE: Final = 0x10
REFUSED_BATCH_SIZE: Final = 0x20
REFUSED_SEQUENCE_WRAP: Final = 0x40
REFUSED_HEARTBEAT: Final = 0x80
REFUSALS_1: Final[dict[int, str]] = {
    REFUSED_CCSID: "CCSID",
    REFUSED_ENCODING: "ENCODING",
    REFUSED_TRANSMISSION_SIZE: "MAX_TRANSMISSION_SIZE",
    REFUSED_FAP_LEVEL: "FAP_LEVEL",
    REFUSED_MESSAGE_SIZE: "MAX_MSG_SIZE",
    REFUSED_BATCH_SIZE: "MAX_MSG_PER_BATCH",
    REFUSED_SEQUENCE_WRAP: "SEQ_WRAP_VALUE",
    REFUSED_HEARTBEAT: "HEARTBEAT_INTERVAL",
}
REFUSED_HEADER_COMPRESSION: Final = 0x01
REFUSED_MESSAGE_COMPRESSION: Final = 0x02
REFUSED_KEY_RESET: Final = 0x04
REFUSALS_2: Final[dict[int, str]] = {
    REFUSED_HEADER_COMPRESSION: "HDRCOMP_LIST",
    REFUSED_MESSAGE_COMPRESSION: "MSGCOMP_LIST",
    REFUSED_KEY_RESET: "SSL_RESET",
}

# Codes of STATUS_DATA.
NO_CHANNEL: Final = 1
CHANNEL_WRONG_TYPE: Final = 2
QM_UNAVAILABLE: Final = 3
MSG_SEQUENCE_ERROR: Final = 4
QM_TERMINATING: Final = 5
CAN_NOT_STORE: Final = 6
USER_CLOSED: Final = 7
TIMEOUT_EXPIRED: Final = 8
PROTOCOL_SEGMENT_TYPE: Final = 10
PROTOCOL_LENGTH_ERROR: Final = 11
PROTOCOL_INVALID_DATA: Final = 12
PROTOCOL_SEGMENT_ERROR: Final = 13
PROTOCOL_ID_ERROR: Final = 14
PROTOCOL_MSH_ERROR: Final = 15
PROTOCOL_GENERAL: Final = 16
BATCH_FAILURE: Final = 17
MESSAGE_LENGTH_ERROR: Final = 18
SEGMENT_NUMBER_ERROR: Final = 19
SECURITY_FAILURE: Final = 20
WRAP_VALUE_ERROR: Final = 21
CHANNEL_UNAVAILABLE: Final = 22
CLOSED_BY_EXIT: Final = 23
CIPHER_SPEC: Final = 24
PEER_NAME: Final = 25
SSL_CLIENT_CERTIFICATE: Final = 26
CONV_ID_ERROR: Final = 30
SOCKET_ACTION_TYPE: Final = 31
PASSWORD_PROTECTION: Final = 36
MAX_CONNS_LIMIT_REACHED: Final = 37
LUWID_MISMATCH: Final = 39
CCSID_NOT_SUPPORTED: Final = 240
FAP_LEVEL: Final = 242
NEGOTIATION_FAILED: Final = 243
STATUS_NAMES: Final[dict[int, str]] = {
    NO_CHANNEL: "NO_CHANNEL",
    CHANNEL_WRONG_TYPE: "CHANNEL_WRONG_TYPE",
    QM_UNAVAILABLE: "QM_UNAVAILABLE",
    MSG_SEQUENCE_ERROR: "MSG_SEQUENCE_ERROR",
    QM_TERMINATING: "QM_TERMINATING",
    CAN_NOT_STORE: "CAN_NOT_STORE",
    USER_CLOSED: "USER_CLOSED",
    TIMEOUT_EXPIRED: "TIMEOUT_EXPIRED",
    9: "TARGET_Q_UNKNOWN",
    PROTOCOL_SEGMENT_TYPE: "PROTOCOL_SEGMENT_TYPE",
    PROTOCOL_LENGTH_ERROR: "PROTOCOL_LENGTH_ERROR",
    PROTOCOL_INVALID_DATA: "PROTOCOL_INVALID_DATA",
    PROTOCOL_SEGMENT_ERROR: "PROTOCOL_SEGMENT_ERROR",
    PROTOCOL_ID_ERROR: "PROTOCOL_ID_ERROR",
    PROTOCOL_MSH_ERROR: "PROTOCOL_MSH_ERROR",
    PROTOCOL_GENERAL: "PROTOCOL_GENERAL",
    BATCH_FAILURE: "BATCH_FAILURE",
    MESSAGE_LENGTH_ERROR: "MESSAGE_LENGTH_ERROR",
    SEGMENT_NUMBER_ERROR: "SEGMENT_NUMBER_ERROR",
    SECURITY_FAILURE: "SECURITY_FAILURE",
    WRAP_VALUE_ERROR: "WRAP_VALUE_ERROR",
    CHANNEL_UNAVAILABLE: "CHANNEL_UNAVAILABLE",
    CLOSED_BY_EXIT: "CLOSED_BY_EXIT",
    CIPHER_SPEC: "CIPHER_SPEC",
    PEER_NAME: "PEER_NAME",
    SSL_CLIENT_CERTIFICATE: "SSL_CLIENT_CERTIFICATE",
    27: "RMT_RSRCS_IN_RECOVERY",
    28: "SSL_REFRESHING",
    29: "INVALID_HOBJ",
    CONV_ID_ERROR: "CONV_ID_ERROR",
    SOCKET_ACTION_TYPE: "SOCKET_ACTION_TYPE",
    32: "STANDBY_Q_MGR",
    # 36 to 40 and 255: from one open-source client only.
    PASSWORD_PROTECTION: "PASSWORD_PROTECTION",
    MAX_CONNS_LIMIT_REACHED: "MAX_CONNS_LIMIT_REACHED",
    38: "SSL_INVALID_RESET",
    LUWID_MISMATCH: "LUWID_MISMATCH",
    40: "CERT_NOT_SELECTED",
    CCSID_NOT_SUPPORTED: "CCSID_NOT_SUPPORTED",
    241: "ENCODING_INVALID",
    FAP_LEVEL: "FAP_LEVEL",
    NEGOTIATION_FAILED: "NEGOTIATION_FAILED",
    255: "COMMIT_INTERVAL",
}

# Actions on a shared socket.
ACTION_START: Final = 1
ACTION_END: Final = 2
ACTION_STARTED: Final = 8
ACTION_NAMES: Final[dict[int, str]] = {
    ACTION_START: "START",
    ACTION_END: "END",
    ACTION_STARTED: "STARTED",
}

# Codes of NOTIFICATION.
GET_INHIBITED: Final = 1
GET_ALLOWED: Final = 2
CONN_STATE: Final = 3
CONN_STATE_REPLY: Final = 4
Q_STATE: Final = 5
Q_STATE_REPLY: Final = 6
QM_QUIESCING: Final = 7
CHECK_MSG: Final = 11
STREAMING_FAILURE: Final = 14
STREAMING_TXN_PAUSED: Final = 16  # there is a message, and the client must ask for it
# Our own: a get outside of a unit of work shall not have happened, because who waited for it was
# cancelled. Sent only to a queue manager whose reply to MQCONN has FCNO_TAKES_BACK; it answers the
# get, if that is still waiting, and then with the same code: 1 if the get was undone.
TAKE_BACK: Final = 0x7E01
NOTIFICATION_NAMES: Final[dict[int, str]] = {
    GET_INHIBITED: "GET_INHIBITED",
    GET_ALLOWED: "GET_ALLOWED",
    CONN_STATE: "CONN_STATE",
    CONN_STATE_REPLY: "CONN_STATE_REPLY",
    Q_STATE: "Q_STATE",
    Q_STATE_REPLY: "Q_STATE_REPLY",
    QM_QUIESCING: "QM_QUIESCING",
    8: "TXN_ALLOWED",
    9: "TXN_REVOKE",
    10: "TXN_REVOKE_REPLY",
    CHECK_MSG: "CHECK_MSG",
    12: "BROWSE_FIRST",
    13: "MESSAGE_TOO_LARGE",
    STREAMING_FAILURE: "STREAMING_FAILURE",
    15: "CLIENT_ASYNC_EMPTY",
    STREAMING_TXN_PAUSED: "STREAMING_TXN_PAUSED",
    17: "RECONNECTION_COMPLETE",
    TAKE_BACK: "TAKE_BACK",
}

# Capabilities in FCNO; our own, in MQCONN and its reply.
FCNO_TAKES_BACK: Final = 0x40000000
FCNO_MULTICAST: Final = 0x20000000  # it can publish and receive by multicast
OWN_CLIENT: Final = "MQTC"  # how its product id begins

# Verbs of the system programming interface.
SPI_QUERY: Final = 1
SPI_PUT: Final = 2
SPI_GET: Final = 3
SPI_ACTIVATE: Final = 4
SPI_SYNCPOINT: Final = 5
SPI_RESERVE: Final = 6
SPI_SUBSCRIBE: Final = 7
SPI_UNSUBSCRIBE: Final = 8  # from one open-source client only
SPI_NOTIFY: Final = 11
SPI_OPEN: Final = 12
# Our own (see `extension`): served for our own client alone, and QUERY does not list it.
SPI_EXTENSION: Final = 0x7E02
SPI_NAMES: Final[dict[int, str]] = {
    SPI_QUERY: "QUERY",
    SPI_PUT: "PUT",
    SPI_GET: "GET",
    SPI_ACTIVATE: "ACTIVATE",
    SPI_SYNCPOINT: "SYNCPOINT",
    SPI_RESERVE: "RESERVE",
    SPI_SUBSCRIBE: "SUBSCRIBE",
    SPI_UNSUBSCRIBE: "UNSUBSCRIBE",
    SPI_NOTIFY: "NOTIFY",
    SPI_OPEN: "OPEN",
    SPI_EXTENSION: "EXTENSION",
}

# Options of LSD, beside those of the MQSD; seen from IBM's Java client, the names are ours.
LSD_SHARED: Final = 0x10 | 0x40  # both, for shared subscriptions of JMS 2.0
LSD_NAMED: Final = 0x40000000  # for all that have a name
LSD_OPTIONS: Final[dict[int, str]] = {0x10: "SHARED", 0x40: "SHARED_TOO", LSD_NAMED: "NAMED"}

# Flags of an XA call.
TMJOIN: Final = 0x00200000
TMENDRSCAN: Final = 0x00800000
TMSTARTRSCAN: Final = 0x01000000
TMSUSPEND: Final = 0x02000000
TMRESUME: Final = 0x08000000
TMONEPHASE: Final = 0x40000000
XA_FLAGS: Final[dict[int, str]] = {
    TMJOIN: "TMJOIN",
    TMENDRSCAN: "TMENDRSCAN",
    TMSTARTRSCAN: "TMSTARTRSCAN",
    TMSUSPEND: "TMSUSPEND",
    0x04000000: "TMSUCCESS",
    TMRESUME: "TMRESUME",
    0x20000000: "TMFAIL",
    TMONEPHASE: "TMONEPHASE",
}

# Flags of REQUEST_MSGS; 0x04 was seen, its meaning is not known.
STREAM: Final = 0x01  # messages as they come, without an end
LOOKS_AGAIN: Final = 0x02  # the wait of a get is over, and it asks whether there is anything
SYNCHRONOUS: Final = 0x08  # for an MQGET: with all of those of IBM's client, and nothing else
SELECTION: Final = 0x10


@final
class Named:
    """How the trace shows the number of a field: by the name of a code, or of each flag in it."""

    def __init__(self, names: dict[int, str], is_flags: bool) -> None:
        self.names: Final = names
        self.is_flags: Final = is_flags

    def show(self, value: int) -> str:
        """The names for a number; empty if it has none."""
        return flag_names(value, self.names) if self.is_flags else self.names.get(value, "")


def flag_names(value: int, names: dict[int, str]) -> str:
    """The names of the flags in a word, joined by "+"; flags without a name in hexadecimal."""
    found = [name for flag, name in names.items() if value & flag]
    rest = value
    for flag in names:
        rest &= ~flag
    if rest:
        found.append(f"0x{rest:X}")
    return "+".join(found)


def type_name(type: int) -> str:
    """The name of a segment type, or its number."""
    return TYPE_NAMES.get(type, f"0x{type:02X}")


def is_call(type: int) -> bool:
    """Whether a segment of this type begins with the header of a call: MQI calls and replies."""
    return 0x81 <= type <= 0x8F or 0x91 <= type <= 0x9F


def can_split(type: int) -> bool:
    """Whether FIRST and LAST say how segments of this type are put together."""
    # Other types came with FIRST alone or neither flag, each in one segment. Nothing is known of
    # XA calls that need more than one, so they stand for themselves too.
    return is_call(type) or type == ASYNC_MESSAGE
