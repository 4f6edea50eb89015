"""A message as an application gets it: bytes at once, everything else when asked for."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, final

from mypy_extensions import i64, mypyc_attr

from ternmq.base import constants as mq
from ternmq.base.ids import message_token
from ternmq.codec import charset
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.mqi.mqmd import (
    CCSID_AT,
    CORREL_ID_AT,
    ENCODING_AT,
    FORMAT_AT,
    GROUP_ID_AT,
    MSG_FLAGS_AT,
    MSG_ID_AT,
    PRIORITY_AT,
    Descriptor,
)
from ternmq.values.entry import OWN_DATE, PERSISTENT, Entry, packed_descriptor
from ternmq.values.group_status import group_status, segment_status, segmentation

if TYPE_CHECKING:
    from ternmq.codec.conversion_service import ConversionService
    from ternmq.values.message_properties import MessageProperties

_TENTH_NS = 100_000_000
PERSISTENCE_AT: Final = PRIORITY_AT + 4
_PAIR: Final = struct.Struct("<ii")
_LONG: Final = struct.Struct("<i")
# Properties of publications.
TOPIC_STRING: Final = "mqps.Top"
SUBSCRIPTION_USER_DATA: Final = "mqps.Sud"
IS_RETAINED: Final = "mqps.Ret"
_TOKEN: Final = struct.Struct(">IBBIHI")


@mypyc_attr(acyclic=True)
@final
class Message:
    """Data and descriptor of one message."""

    __slots__ = (
        "_area",
        "_backout_count",
        "_base",
        "_descriptor",
        "_entry",
        "_got_ns",
        "_length",
        "_properties",
        "_token",
        "data",
        "truncated",
        "warning",
    )

    def __init__(
        self,
        entry: Entry | None,
        data: bytes,
        truncated: bool,
        got_ns: i64,
        base: bytes = b"",
        token: bytes = b"",
        length: i64 = 0,
        area: bytes = b"",
    ) -> None:
        self.data = data
        self.truncated = truncated  # `data` is shorter than the message; see `length`
        # A reason code: why the data could not be converted, or that a group was left incomplete.
        self.warning = 0
        # One from the network is what travels, its whole descriptor and its token, until the
        # application reads more than its data.
        self._entry = entry
        self._token = token
        self._base = base if entry is None else entry.base
        self._length: i64 = length if entry is None else entry.length
        self._got_ns: i64 = got_ns
        self._backout_count: i64 = -1 if entry is None else entry.backout_count
        self._descriptor: Descriptor | None = None
        self._area = area if entry is None else entry.properties
        self._properties: MessageProperties | None = None

    def _whole(self) -> Entry:
        """What the message is beside its data."""
        entry = self._entry
        if entry is None:
            entry = entry_of(self._base, self._token, self.data, self._length)
            self._entry = entry
            self._backout_count = entry.backout_count
        return entry

    @property
    def descriptor(self) -> Descriptor:
        """The MQMD; Expiry is what was left when the message was got."""
        descriptor = self._descriptor
        if descriptor is None:
            entry = self._whole()
            descriptor = Descriptor.unpack(packed_descriptor(entry))
            descriptor.backout_count = int(self._backout_count)
            descriptor.ccsid = _i32(self._base, CCSID_AT)
            descriptor.encoding = _i32(self._base, ENCODING_AT)
            if entry.expiry_at:
                left = (int(entry.expiry_at) - int(self._got_ns)) // _TENTH_NS
                descriptor.expiry = max(left, 1)
            self._descriptor = descriptor
        return descriptor

    @property
    def property_area(self) -> bytes:
        """Its properties as the queue manager keeps them (docs/internals/format/property_area.md);
        empty if none came beside the data."""
        return self._area

    @property
    def properties(self) -> MessageProperties:
        """Names and values of its properties, which cannot be changed; read when asked for. Where
        they came in an MQRFH2 in the data, they are here, too."""
        found = self._properties
        if found is None:
            area = self._area
            if not area:
                area = _area_in_data(self.data, self._base)
            found = _reader()(area)
            self._properties = found
        return found

    @property
    def topic(self) -> str:
        """The topic string that it was published to; empty if it was put to a queue."""
        return str(self.properties.get(TOPIC_STRING, ""))

    @property
    def subscription_user_data(self) -> str:
        """The user data of the subscription that it came by; empty if that has none."""
        return str(self.properties.get(SUBSCRIPTION_USER_DATA, ""))

    @property
    def is_retained(self) -> bool:
        """Whether it was published before the subscription was made, and kept for it."""
        return self.properties.get(IS_RETAINED, False) in (True, "1", 1)

    @property
    def msg_id(self) -> bytes:
        """MsgId, 24 bytes."""
        return self._whole().msg_id

    @property
    def correl_id(self) -> bytes:
        """CorrelId, 24 bytes."""
        return self._whole().correl_id

    @property
    def reply_to(self) -> str:
        """The queue that a reply is put to (ReplyToQ); "" if the message does not ask for one."""
        return self.descriptor.reply_to_queue.rstrip(" ")

    @property
    def group_id(self) -> bytes:
        """GroupId, 24 bytes."""
        return self._whole().group_id

    @property
    def group_status(self) -> str:
        """GroupStatus of MQGMO: G in a group, L the last message of one, blank in none."""
        return group_status(_i32(self._base, MSG_FLAGS_AT))

    @property
    def segment_status(self) -> str:
        """SegmentStatus of MQGMO: S a segment, L the last one of its message, blank for none."""
        return segment_status(_i32(self._base, MSG_FLAGS_AT))

    @property
    def segmentation(self) -> str:
        """Segmentation of MQGMO: A if the message may be split, else blank."""
        return segmentation(_i32(self._base, MSG_FLAGS_AT))

    @property
    def token(self) -> bytes:
        """MsgToken, 16 bytes: names this message on its queue."""
        entry = self._whole()
        return message_token(
            int(entry.queue_id), int(entry.lane), int(entry.sequence), int(entry.number)
        )

    @property
    def sequence(self) -> int:
        """The message's stream number on its queue."""
        return int(self._whole().sequence)

    @property
    def length(self) -> int:
        """Bytes of the whole message, also where `data` is cut."""
        return int(self._length)

    @property
    def priority(self) -> int:
        """0 to 9."""
        return int(self._whole().priority)

    @property
    def persistent(self) -> bool:
        """Whether it was put to survive a restart. A publication keeps that also on the managed
        queue of a non-durable subscription, where it is not logged."""
        entry = self._entry
        base = self._base if entry is None else entry.base
        return base[PERSISTENCE_AT] == mq.MQPER_PERSISTENT

    @property
    def backout_count(self) -> int:
        """How often it was got and backed out before."""
        self._whole()
        return int(self._backout_count)

    @property
    def put_time(self) -> datetime | None:
        """When it was put, in UTC, as its context says."""
        entry = self._whole()
        if entry.flags & OWN_DATE:
            return self.descriptor.put_datetime
        return datetime.fromtimestamp(int(entry.put_ns) / 1e9, UTC)

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
        """The data as JSON; json.JSONDecodeError, a ValueError, names the message that is not."""
        try:
            return json.loads(self.text)
        except json.JSONDecodeError as error:
            fault = f"{self!r} is not JSON: {error.msg}"
            raise json.JSONDecodeError(fault, error.doc, error.pos) from None

    def report_descriptor(self, feedback: int) -> Descriptor:
        """The descriptor of a report on this message that an application makes, MQFB_PAN or
        MQFB_NAN say, as the message's Report options want it. Put it on the message's ReplyToQ."""
        from ternmq.values.report_descriptor import report_descriptor  # few make reports

        return report_descriptor(self.descriptor, feedback, int(self.length))

    def convert(
        self,
        ccsid: int,
        encoding: int,
        length_max: int = -1,
        accepts_cut: bool = False,
        service: ConversionService | None = None,
    ) -> None:
        """Turn the data into another character set and encoding, as MQGMO_CONVERT does; see
        `warning`. What would then be longer than `length_max` stays as it is, or is cut if that is
        accepted; negative: it may have any length."""
        # Inside the function: few programs convert, and the formats are many.
        from ternmq.codec.conversion import convert_for_buffer

        self._whole()  # it has the descriptor as it came
        limit = length_max if length_max >= 0 else 1 << 62
        target = (ccsid, encoding)
        made = convert_for_buffer(self.data, self._base, target, limit, accepts_cut, service)
        self.data = made.data
        self._base = made.base
        # That it is cut counts more, and `truncated` says it.
        self.warning = 0 if made.is_cut else made.warning
        if made.is_cut:
            self.truncated = True
            # As in IBM MQ it is the length before the conversion, but not less than what came.
            self._length = max(int(self._length), len(made.data))
        elif not self.truncated:
            self._length = len(made.data)
        self._descriptor = None

    def __len__(self) -> int:
        return len(self.data)

    def __bytes__(self) -> bytes:
        return self.data

    def __repr__(self) -> str:
        shown = self.data[:40]
        more = "..." if len(self.data) > 40 else ""
        return f"<Message {self.length} bytes {shown!r}{more} MsgId {self.msg_id.hex()}>"


def entry_of(base: bytes, token: bytes, data: bytes, length: i64) -> Entry:
    """A message that came with its whole descriptor, in canonical form."""
    priority, persistence = _PAIR.unpack_from(base, PRIORITY_AT)
    entry = Entry(
        0,
        priority,
        OWN_DATE | (PERSISTENT if persistence == mq.MQPER_PERSISTENT else 0),
        0,
        0,
        base[MSG_ID_AT : MSG_ID_AT + 24],
        base[CORREL_ID_AT : CORREL_ID_AT + 24],
        base[GROUP_ID_AT : GROUP_ID_AT + 24],
        base,
        data,
        length,
    )
    queue, lane, high, low, number_high, number_low = _TOKEN.unpack(token)
    entry.queue_id = queue
    entry.lane = lane
    entry.sequence = high << 32 | low
    entry.number = number_high << 32 | number_low
    entry.backout_count = _LONG.unpack_from(base, CORREL_ID_AT + 24)[0]
    return entry


_properties_of: Callable[[bytes], MessageProperties] | None = None


def _reader() -> Callable[[bytes], MessageProperties]:
    """What reads properties. It is loaded when somebody looks, which few clients do, and kept: an
    import costs more than reading some of them."""
    global _properties_of
    reader = _properties_of
    if reader is None:
        from ternmq.values.message_properties import properties_of

        reader = properties_of
        _properties_of = reader
    return reader


def _area_in_data(data: bytes, base: bytes) -> bytes:
    """The area of an MQRFH2 in the data."""
    from ternmq.codec.property_header import split

    parts = split(data, base)
    return b"" if parts is None else parts.area


def _i32(base: bytes, at: int) -> int:
    return int.from_bytes(base[at : at + 4], "little", signed=True)
