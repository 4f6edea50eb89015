"""The part of REQUEST_MSGS that says which messages are wanted, and how their MQMD is to come.

index u16, version of the MQMD u16, CCSID i32, encoding i32, MsgSeqNumber i32, Offset i32,
match options i32, then what these name: MsgId 24, CorrelId 24, GroupId 24, token 16
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.mqi.getting import get_request
from ternmq.values.entry import ZERO_ID
from ternmq.values.get_request import UNLIMITED_LENGTH, GetRequest
from ternmq.wire.fap.segment import SegmentError
from ternmq.wire.fap.vocabulary import PROTOCOL_LENGTH_ERROR

_SELECTION_BYTES: Final = 24
_LITTLE_SELECTION: Final = struct.Struct("<HHiiiii")
_BIG_SELECTION: Final = struct.Struct(">HHiiiii")
_BROWSE: Final = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT


@final
class Selection:
    """Which messages a client wants, and how their descriptor is to come."""

    def __init__(self) -> None:
        self.index = 0
        self.version = 1  # IBM's Java client begins with it, and says only what is another
        self.ccsid = 0
        self.encoding = 0
        self.msg_seq_number = 0
        self.offset = 0
        self.match_options = 0
        self.msg_id = ZERO_ID
        self.correl_id = ZERO_ID
        self.group_id = ZERO_ID
        self.message_token = bytes(16)

    def next_request(
        self,
        options: int,
        is_first: bool,
        endless: bool,
        wait_ms: int,
        length_max: int,
        apart: bool,
    ) -> GetRequest:
        """The request of a consumer: of two browse options the first holds for the first message
        only; `endless` waits until a message comes."""
        if options & _BROWSE == _BROWSE:
            options &= ~(mq.MQGMO_BROWSE_NEXT if is_first else mq.MQGMO_BROWSE_FIRST)
        if endless:
            options |= mq.MQGMO_WAIT
            wait_ms = mq.MQWI_UNLIMITED
        return self.request(options, wait_ms, length_max, apart)

    def request(
        self, options: int, wait_ms: int, length_max: int, apart: bool = False
    ) -> GetRequest:
        """The checked get that finds them."""
        md = Descriptor(
            ccsid=self.ccsid,
            encoding=self.encoding,
            msg_id=self.msg_id,
            correl_id=self.correl_id,
            group_id=self.group_id,
            msg_seq_number=self.msg_seq_number,
            offset=self.offset,
        )
        gmo = GetOptions(
            options=options,
            wait_interval=wait_ms,
            match_options=self.match_options,
            message_token=self.message_token,
        )
        length = UNLIMITED_LENGTH if length_max < 0 else length_max
        return get_request(md, gmo, length, apart)


def read_selection(data: bytes, at: int, end: int, is_little: bool) -> Selection:
    """The part of a request that says which messages."""
    if end - at < _SELECTION_BYTES:
        raise SegmentError("REQUEST_MSGS: its selection is cut", PROTOCOL_LENGTH_ERROR)
    made = Selection()
    codec = _LITTLE_SELECTION if is_little else _BIG_SELECTION
    fields = codec.unpack_from(data, at)
    made.index = fields[0]
    made.version = fields[1]
    made.ccsid = fields[2]
    made.encoding = fields[3]
    made.msg_seq_number = fields[4]
    made.offset = fields[5]
    matches: int = fields[6]
    made.match_options = matches
    at += _SELECTION_BYTES
    needed = 24 * bin(matches & 7).count("1") + (16 if matches & mq.MQMO_MATCH_MSG_TOKEN else 0)
    if end - at < needed:
        raise SegmentError("REQUEST_MSGS: its identifiers are cut", PROTOCOL_LENGTH_ERROR)
    if matches & mq.MQMO_MATCH_MSG_ID:
        made.msg_id = data[at : at + 24]
        at += 24
    if matches & mq.MQMO_MATCH_CORREL_ID:
        made.correl_id = data[at : at + 24]
        at += 24
    if matches & mq.MQMO_MATCH_GROUP_ID:
        made.group_id = data[at : at + 24]
        at += 24
    if matches & mq.MQMO_MATCH_MSG_TOKEN:
        made.message_token = data[at : at + 16]
    return made
