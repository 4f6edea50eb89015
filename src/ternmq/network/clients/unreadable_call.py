"""The answer to a call with a structure that cannot be read: a wrong eye-catcher, an unknown
version. The call itself goes back, which has the layout of its answer up to the message data;
completion code, reason and handles in it say that it failed. Otherwise the client, and all that
share its socket, would lose their connections.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from ternmq.base.errors import MQError
from ternmq.wire.fap.call_flows import CALL_HEADER_BYTES
from ternmq.wire.fap.segment import TSH_BYTES, Segment, StructureError
from ternmq.wire.fap.vocabulary import MQCONN, MQOPEN, MQSUB, REPLY, SPI, type_name

if TYPE_CHECKING:
    from ternmq.network.clients.conversation import Conversation

_NO_HANDLE: Final = -1
_HANDLE_AT: Final = CALL_HEADER_BYTES - 4
_SPI_BYTES: Final = CALL_HEADER_BYTES + 12  # the answer of a failed one may end behind its header


def refuse_unreadable(conversation: Conversation, one: Segment, unreadable: StructureError) -> None:
    """Refuse a call for one of its structures. What is not a call, and MQCONN, which has made no
    connection, end the partner's connections as before."""
    is_call = MQCONN < one.header.type <= 0x8F and one.body_bytes >= CALL_HEADER_BYTES
    if conversation.verbs is None or not is_call:
        conversation.line.protocol_error(unreadable)
        return
    send_back(conversation, one, unreadable.error)


def send_back(conversation: Conversation, one: Segment, error: MQError) -> None:
    """Refuse a call whose structure cannot be read."""
    header = one.header
    conversation.connected().refuse(type_name(header.type), None, error.reason)
    body = bytearray(one.body)
    if header.type == SPI:
        del body[_SPI_BYTES:]
    struct.pack_into(">I", body, 0, TSH_BYTES + len(body))
    struct.pack_into(f"{header.order}ii", body, 4, error.comp, error.reason)
    if header.type in (MQOPEN, MQSUB):
        struct.pack_into(f"{header.order}i", body, _HANDLE_AT, _NO_HANDLE)
    if header.type == MQSUB:  # it has two
        struct.pack_into(f"{header.order}i", body, CALL_HEADER_BYTES, _NO_HANDLE)
    conversation.line.write_call(header.answer(header.type + REPLY), bytes(body))
