"""ASYNC_MESSAGE for message after message of one handle: what does not change is kept, so that most
messages are a few parts in a row.

    segment header (36), version, handle                         kept while the length is the same
    number on the handle, number on the conversation             i32 each
    length, segment, selection, reason, length, whole length     kept while the length is the same
    MsgToken (16)
    status, length of the name, name; the MQMD up to its MsgId   kept while the base is the same
    MsgId, CorrelId
    the rest of the MQMD                                         kept while the put time is the same
    data, filling to a multiple of four
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64

from ternmq.base.ids import put_stamp
from ternmq.codec.mqi.mqmd import BYTES_1, BYTES_2, MSG_FLAGS_AT, PUT_DATE_AT
from ternmq.network.clients.byte_form import Form, token
from ternmq.network.clients.notifications import PUSHED
from ternmq.values.entry import OWN_DATE, ZERO_ID, Entry
from ternmq.values.group_status import wire_status
from ternmq.wire.fap.segment import TSHM_BYTES
from ternmq.wire.fap.vocabulary import ASYNC_MESSAGE

LITTLE_HEAD: Final = struct.Struct("<iiiiiHHiii16sHB")
BIG_HEAD: Final = struct.Struct(">iiiiiHHiii16sHB")
_INDEX_AT: Final = 8  # in that
_LENGTH_AT: Final = 16
_TOKEN_AT: Final = 36
_STATUS_AT: Final = 52
_NO_TOKEN: Final = bytes(16)
_LITTLE_PAIR: Final = struct.Struct("<ii")
_BIG_PAIR: Final = struct.Struct(">ii")


@final
class Push:
    """The segments of messages that go out to one partner as they are on their queue."""

    def __init__(
        self, form: Form, conversation: int, handle: int, selection: int, name: bytes
    ) -> None:
        self.form = form
        self.selection = selection
        self._conversation = conversation
        self._handle = handle
        self._name_bytes = len(name)
        self._name = name + bytes(-(len(name) + 3) % 4)
        self._pair = _LITTLE_PAIR if form.is_little else _BIG_PAIR
        self._length: i64 = -1
        self._size: i64 = 0  # of the segment of a message of that length
        self._before = b""
        self._between = b""
        self._filling = b""
        self._base = b""
        self._up_to_id = b""
        self._up_to_date = b""
        self._behind_date = b""
        self._stamp = b""
        self._behind_ids = b""

    def add(
        self, out: list[bytes], entry: Entry, index: int, global_index: int, bytes_max: i64
    ) -> i64:
        """Add the segment of a message; return its size; 0: it has to be made in another way."""
        if entry.expiry_at or entry.flags & OWN_DATE or entry.backout_count:
            return 0
        if entry.group_id != ZERO_ID:
            return 0
        if entry.length != self._length:
            self._prepare_length(int(entry.length))
        size = self._size
        if size > bytes_max:
            return 0
        if entry.base is not self._base:
            self._prepare_base(entry.base)
        stamp = put_stamp(int(entry.put_ns))
        if stamp is not self._stamp:
            self._stamp = stamp
            self._behind_ids = self._up_to_date + self.form.digits(stamp) + self._behind_date
        out.append(self._before)
        out.append(self._pair.pack(index, global_index))
        out.append(self._between)
        out.append(token(entry))
        out.append(self._up_to_id)
        out.append(entry.msg_id)
        out.append(entry.correl_id)
        out.append(self._behind_ids)
        out.append(entry.data)
        if self._filling:
            out.append(self._filling)
        return size

    def _prepare_length(self, length: int) -> None:
        head = self._head(length)
        size = len(head) + len(self._name) + BYTES_2 + length
        filling = -size & 3  # see `aligned`
        form = self.form
        self._length = length
        self._size = TSHM_BYTES + size + filling
        start = form.head(True, self._conversation, PUSHED, ASYNC_MESSAGE, size + filling)
        self._before = start + head[:_INDEX_AT]
        self._between = head[_LENGTH_AT:_TOKEN_AT]
        self._filling = bytes(filling)

    def _head(self, length: int, status: int = 1) -> bytes:
        codec = LITTLE_HEAD if self.form.is_little else BIG_HEAD
        return codec.pack(
            1,
            self._handle,
            0,
            0,
            length,
            0,
            self.selection,
            0,
            length,
            length,
            _NO_TOKEN,
            status,
            self._name_bytes,
        )

    def _prepare_base(self, base: bytes) -> None:
        own = self.form.base(base)
        self._base = base
        head = self._head(0, wire_status(base[MSG_FLAGS_AT]))
        self._up_to_id = head[_STATUS_AT:] + self._name + own[:48]
        self._up_to_date = bytes(4) + own[100:PUT_DATE_AT]
        self._behind_date = own[320:BYTES_1] + ZERO_ID + own[348:BYTES_2]
        self._stamp = b""
