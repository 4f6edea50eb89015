"""NOTIFICATION: what the queue manager says of a handle or conversation by itself, and the header
of such segments."""

from __future__ import annotations

import struct
from typing import Final

from ternmq.base.reasons import MQRC_GET_INHIBITED, MQRC_Q_MGR_QUIESCING
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.kernel.connection import Handle
from ternmq.network.clients.conversation import Conversation
from ternmq.network.clients.message_selection import Selection
from ternmq.wire.fap.flow import write_body
from ternmq.wire.fap.segment import TSHM, Header
from ternmq.wire.fap.vocabulary import (
    ASYNC_MESSAGE,
    FIRST,
    GET_INHIBITED,
    NOTIFICATION,
    QM_QUIESCING,
    STREAMING_FAILURE,
)

PUSHED: Final = 1  # the request number of what answers none
_CODES: Final[dict[int, int]] = {
    MQRC_Q_MGR_QUIESCING: QM_QUIESCING,
    MQRC_GET_INHIBITED: GET_INHIBITED,
}
_LITTLE_NOTE: Final = struct.Struct("<iiii")
_BIG_NOTE: Final = struct.Struct(">iiii")


def note_header(conversation: Conversation, type: int, number: int) -> Header:
    """The header of what the queue manager says by itself."""
    form = conversation.form
    return Header(
        type,
        variant=TSHM,
        is_ebcdic=form.is_ebcdic,
        conversation=conversation.number,
        request=number,
        order=form.order,
        encoding=form.encoding,
        ccsid=form.ccsid,
    )


def notify(conversation: Conversation, handle: int, code: int, value: int, number: int) -> None:
    """NOTIFICATION."""
    header = note_header(conversation, NOTIFICATION, number)
    header.flags_1 = FIRST
    codec = _LITTLE_NOTE if conversation.form.is_little else _BIG_NOTE
    conversation.line.write_call(header, codec.pack(1, handle, code, value))


def notify_refusal(conversation: Conversation, handle: int, reason: int) -> None:
    """No messages can be sent, for this reason."""
    code = _CODES.get(reason, STREAMING_FAILURE)
    notify(conversation, handle, code, reason, PUSHED)


def push_nothing(
    conversation: Conversation, handle: Handle, index: int, selection: Selection
) -> int:
    """A message of nothing, as the answer to MQGMO_UNLOCK; its bytes."""
    header = note_header(conversation, ASYNC_MESSAGE, PUSHED)
    descriptor = Descriptor(version=selection.version)
    values = {
        "handle": handle.handle_id,
        "message_index": index,
        "global_message_index": conversation.global_index,
        "selection_index": selection.index,
        "resolved_queue_name": handle.resolved_name,
        "descriptor": descriptor,
    }
    body = write_body(header, values, conversation.line.fap_level)
    conversation.line.write_call(header, body)
    return descriptor.size()
