"""STATUS_DATA by which the network itself ends a socket: why, in the form of the partner."""

from __future__ import annotations

import struct

from ternmq.wire.fap.segment import TSHM, Header, segment
from ternmq.wire.fap.vocabulary import CLOSE_CHANNEL, ERROR, STATUS_DATA


def status_segment(status: int, like: Header | None = None, conversation: int = -1) -> bytes:
    """The last word on a socket, in the form of what came; for a conversation, if one is given."""
    header = Header(STATUS_DATA, flags_1=ERROR | CLOSE_CHANNEL)
    if like is not None:
        header.order = like.order
        header.ccsid = like.ccsid
        header.encoding = like.encoding
        header.is_ebcdic = like.is_ebcdic
    if conversation >= 0:
        header.variant = TSHM
        header.conversation = conversation
    return segment(header, struct.pack(f"{header.order}ii", 8, status))
