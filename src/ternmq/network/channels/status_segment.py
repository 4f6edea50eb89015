"""STATUS_DATA by which the network itself refuses a partner, before or beside an agent."""

from __future__ import annotations

import struct

from ternmq.wire.fap.segment import Header, segment
from ternmq.wire.fap.vocabulary import CLOSE_CHANNEL, ERROR, STATUS_DATA


def status_segment(status: int, like: Header | None = None) -> bytes:
    """The last word on a socket, in the form of what came."""
    header = Header(STATUS_DATA, flags_1=ERROR | CLOSE_CHANNEL)
    if like is not None:
        header.order = like.order
        header.ccsid = like.ccsid
        header.encoding = like.encoding
        header.is_ebcdic = like.is_ebcdic
    return segment(header, struct.pack(f"{header.order}ii", 8, status))
