"""A message as an application gets it: bytes at once, everything else when asked for."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, final

from mypy_extensions import i64, mypyc_attr

from ternmq.base.ids import message_token
from ternmq.codec import charset
from ternmq.codec.layout import BIG, LITTLE
from ternmq.codec.mqmd import CCSID_AT, ENCODING_AT, FORMAT_AT, Descriptor
from ternmq.mqi.conversion import convert
from ternmq.store.entry import OWN_DATE, PERSISTENT, Entry, packed_descriptor

_TENTH_NS = 100_000_000


@mypyc_attr(acyclic=True)
@final
class Message:
    """Data and descriptor of one message."""

    __slots__ = (
        "_backout_count",
        "_base",
        "_descriptor",
        "_entry",
        "_got_ns",
        "data",
        "truncated",
        "warning",
    )

    def __init__(self, entry: Entry, data: bytes, truncated: bool, got_ns: i64) -> None:
        self.data = data
        self.truncated = truncated  # `data` is shorter than the message; see `length`
        self.warning = 0  # a reason code: why the data could not be converted
        self._entry = entry
        self._base = entry.base
        self._got_ns: i64 = got_ns
        self._backout_count: i64 = entry.backout_count
        self._descriptor: Descriptor | None = None

    @property
    def descriptor(self) -> Descriptor:
        """The MQMD; Expiry is what was left when the message was got."""
        descriptor = self._descriptor
        if descriptor is None:
            descriptor = Descriptor.unpack(packed_descriptor(self._entry))
            descriptor.backout_count = int(self._backout_count)
            descriptor.ccsid = _i32(self._base, CCSID_AT)
            descriptor.encoding = _i32(self._base, ENCODING_AT)
            if self._entry.expiry_at:
                left = (int(self._entry.expiry_at) - int(self._got_ns)) // _TENTH_NS
                descriptor.expiry = max(left, 1)
            self._descriptor = descriptor
        return descriptor

    @property
    def msg_id(self) -> bytes:
        """MsgId, 24 bytes."""
        return self._entry.msg_id

    @property
    def correl_id(self) -> bytes:
        """CorrelId, 24 bytes."""
        return self._entry.correl_id

    @property
    def group_id(self) -> bytes:
        """GroupId, 24 bytes."""
        return self._entry.group_id

    @property
    def token(self) -> bytes:
        """MsgToken, 16 bytes: names this message on its queue."""
        entry = self._entry
        return message_token(
            int(entry.queue_id), int(entry.lane), int(entry.sequence), int(entry.number)
        )

    @property
    def sequence(self) -> int:
        """The message's stream number on its queue."""
        return int(self._entry.sequence)

    @property
    def length(self) -> int:
        """Bytes of the whole message, also where `data` is cut."""
        return int(self._entry.length)

    @property
    def priority(self) -> int:
        """0 to 9."""
        return int(self._entry.priority)

    @property
    def persistent(self) -> bool:
        """Whether it survives a restart."""
        return self._entry.flags & PERSISTENT != 0

    @property
    def backout_count(self) -> int:
        """How often it was got and backed out before."""
        return int(self._backout_count)

    @property
    def put_time(self) -> datetime | None:
        """When it was put, in UTC, as its context says."""
        if self._entry.flags & OWN_DATE:
            return self.descriptor.put_datetime
        return datetime.fromtimestamp(int(self._entry.put_ns) / 1e9, UTC)

    @property
    def format(self) -> str:
        """What the data is, such as MQSTR; empty for plain bytes."""
        return self._base[FORMAT_AT : FORMAT_AT + 8].rstrip(b" \0").decode("ascii", "replace")

    @property
    def text(self) -> str:
        """The data as text, by the message's own character set."""
        ccsid = _i32(self._base, CCSID_AT)
        encoding = _i32(self._base, ENCODING_AT)
        order = LITTLE if encoding & 0xF == 2 else BIG
        if ccsid <= 0:
            ccsid = 1208
        return charset.decode(self.data, ccsid, order)

    def json(self) -> Any:
        """The data as JSON."""
        return json.loads(self.text)

    def convert(self, ccsid: int, encoding: int) -> None:
        """Turn the data into another character set, as MQGMO_CONVERT does; see `warning`."""
        converted = convert(self.data, self._base, ccsid, encoding)
        self.data = converted.data
        self._base = converted.base
        self.warning = converted.warning
        self._descriptor = None

    def __len__(self) -> int:
        return len(self.data)

    def __bytes__(self) -> bytes:
        return self.data

    def __repr__(self) -> str:
        shown = self.data[:40]
        more = "..." if len(self.data) > 40 else ""
        return f"<Message {self.length} bytes {shown!r}{more} MsgId {self._entry.msg_id.hex()}>"


def _i32(base: bytes, at: int) -> int:
    return int.from_bytes(base[at : at + 4], "little", signed=True)
