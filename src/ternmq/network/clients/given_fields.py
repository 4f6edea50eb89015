"""The descriptor in the reply to a put: what the queue manager made of it, and what it leaves as
the client gave it."""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import (
    BYTES_2,
    ENCODING_AT,
    FORMAT_AT,
    MSG_FLAGS_AT,
    ORIGINAL_LENGTH_AT,
)

_SEGMENT: Final = mq.MQMF_SEGMENT | mq.MQMF_LAST_SEGMENT


def as_given(base: bytes, given: bytes) -> bytes:
    """A descriptor with those fields of the data that the client gave: the queue has others for a
    message whose properties were split off. MsgFlags are the client's, too, and so is
    OriginalLength if the message was not a segment when it was put."""
    own = given[MSG_FLAGS_AT:BYTES_2]
    if own[0] & _SEGMENT:
        own = own[:4] + base[ORIGINAL_LENGTH_AT:BYTES_2]
    fields = given[ENCODING_AT : FORMAT_AT + 8]
    return base[:ENCODING_AT] + fields + base[FORMAT_AT + 8 : MSG_FLAGS_AT] + own
