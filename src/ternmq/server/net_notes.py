"""NOTIFICATION: what the queue manager says of a handle or conversation by itself, and the header
of such segments."""

from __future__ import annotations

import struct
from typing import Final

from ternmq.server.net_conversation import Conversation
from ternmq.wire.fap_segment import TSHM, Header
from ternmq.wire.fap_vocabulary import FIRST, NOTIFICATION

PUSHED: Final = 1  # the request number of what answers none
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
