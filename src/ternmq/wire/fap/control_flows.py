"""Bodies of the flows that are not calls: identity, shared sockets, delivery of messages.

INITIAL_DATA has its own file; what only message channels send is in `channel_flows`.

    USERID_DATA       who the client runs as; not answered
    CONAUTH_INFO      user id and password (or token); answered by STATUS_DATA
    STATUS_DATA       no body: all is well; else length, code, and a value if the length has room
    HEARTBEAT         no body
    SOCKET_ACTION     a conversation of a shared socket starts or ends
    REQUEST_MSGS      the client asks for messages of a handle
    ASYNC_MESSAGE     one message: answer to that, or pushed
    NOTIFICATION      what happened to a handle or conversation

IBM's Java client asks for messages with CONFIRM_REQUEST in the header where it must have an answer
at once: CHECK_MSG on the request's own id, after the message if there is one. Without the flag the
message alone is the answer, on request id 1. A listener starts with NOTIFICATION
Q_STATE (value 16) for its handle and CONN_STATE (2), asks once without a wait, with flag 0x01, and
allows units of work by TXN_ALLOWED; to stop it sends CONN_STATE (0) with CONFIRM_REQUEST and waits
for an answer, CONN_STATE_REPLY by its name (guess).
"""

from __future__ import annotations

from typing import Final

from ternmq.base.constants import (
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_TOKEN,
)
from ternmq.codec.mqi.mqmd import LAYOUT as MQMD
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.wire.fap.part import (
    AtLeast,
    Data,
    Fixed,
    Flagged,
    Levels,
    Optional,
    Padding,
    Part,
    Struct,
    Text,
    chars,
    eye,
    i32,
    raw,
    u8,
    u16,
)
from ternmq.wire.fap.vocabulary import (
    ACTION_NAMES,
    ASYNC_MESSAGE,
    CONAUTH_INFO,
    HEARTBEAT,
    NOTIFICATION,
    NOTIFICATION_NAMES,
    RENEGOTIATE_DATA,
    REQUEST_MSGS,
    SELECTION,
    SOCKET_ACTION,
    STATUS_DATA,
    STATUS_NAMES,
    USERID_DATA,
    Named,
)

FAP_LEVEL_TOKENS: Final = 17

CONTROL_FLOWS: Final[dict[int, list[Part]]] = {
    STATUS_DATA: [
        Optional(Fixed(i32("length", 8), i32("code", names=Named(STATUS_NAMES, False)))),
        AtLeast("length", 12, Fixed(i32("value"))),
    ],
    USERID_DATA: [
        Fixed(eye("UID "), chars("user_id", 12), chars("password", 12, is_secret=True)),
        # From FAP level 5. The queue manager goes by the long user id where there is one.
        Optional(Fixed(chars("long_user_id", 64), raw("security_id", 40))),
    ],
    HEARTBEAT: [],  # guess: the dissector knows no body
    CONAUTH_INFO: [
        Fixed(
            eye("CAUT"),
            i32("authentication", 1),
            i32("user_id_max"),
            i32("password_max"),
            i32("user_id_length"),
            i32("password_length"),
        ),
        # Two more lengths; that the second is the token's as sent, and that it follows the
        # password, is a guess after the order of the two before.
        Levels(FAP_LEVEL_TOKENS, Fixed(i32("token_max"), i32("token_length"))),
        Text("user_id", "user_id_length"),
        Data("password", "password_length", is_secret=True),
        Levels(FAP_LEVEL_TOKENS, Data("token", "token_length", is_secret=True)),
    ],
    RENEGOTIATE_DATA: [],  # a TLS key reset; opaque
    SOCKET_ACTION: [
        Fixed(
            i32("conversation"),
            i32("request"),
            i32("action", names=Named(ACTION_NAMES, False)),
            i32("parameter_1"),
            i32("parameter_2"),
        )
    ],
    ASYNC_MESSAGE: [
        Fixed(
            i32("version", 1),
            i32("handle"),
            i32("message_index"),
            i32("global_message_index"),
            i32("segment_length"),
            u16("segment_index"),
            u16("selection_index"),
            i32("reason"),
            # What was sent, then what the message has: IBM's Java client takes them so, where the
            # public dissector disagrees with itself.
            i32("actual_length"),
            i32("total_length"),
            raw("message_token", 16),
            u16("status", 1),
            u8("resolved_queue_length"),
        ),
        Text("resolved_queue_name", "resolved_queue_length"),
        Padding(("resolved_queue_length",), 3),
        Struct("descriptor", Descriptor, MQMD),
        Data("data", "segment_length"),
    ],
    REQUEST_MSGS: [
        Fixed(
            i32("version", 1),
            i32("handle"),
            i32("received_bytes"),
            i32("requested_bytes"),
            i32("message_bytes_max"),
            i32("get_options"),
            i32("wait_ms"),
            i32("queue_status"),
            i32("request_flags", names=Named({SELECTION: "SELECTION"}, True)),
            i32("global_message_index"),
        ),
        Flagged(
            "request_flags",
            SELECTION,
            Fixed(
                u16("selection_index"),
                u16("descriptor_version", 2),
                i32("ccsid"),
                i32("encoding"),
                i32("msg_seq_number"),
                i32("offset"),
                i32("match_options"),
            ),
        ),
        Flagged("match_options", MQMO_MATCH_MSG_ID, Fixed(raw("msg_id", 24))),
        Flagged("match_options", MQMO_MATCH_CORREL_ID, Fixed(raw("correl_id", 24))),
        Flagged("match_options", MQMO_MATCH_GROUP_ID, Fixed(raw("group_id", 24))),
        Flagged("match_options", MQMO_MATCH_MSG_TOKEN, Fixed(raw("message_token", 16))),
    ],
    NOTIFICATION: [
        Fixed(
            i32("version", 1),
            i32("handle"),
            i32("code", names=Named(NOTIFICATION_NAMES, False)),
            i32("value"),
        )
    ],
}
