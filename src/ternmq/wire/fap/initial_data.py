"""INITIAL_DATA: what each side says of itself before anything else, the "ID" structure.

    at   0  eye-catcher "ID  "                      at 102  values refused, 2 u8        level 9
         4  FAP level u8                               103  reserved u8
         5  capabilities 1 u8                          104  header compressions, 2 u8
         6  capabilities 1 refused u8                  106  message compressions, 16 u8
         7  values refused, 1 u8                       122  reserved u16
         8  reserved u16                               124  TLS key reset count u32
        10  messages in a batch u16                    128  conversations of a socket i32
        12  bytes of a segment u32                     132  capabilities 3 u8
        16  bytes of a message u32                     133  capabilities 3 refused u8
        20  sequence wrap u32                          134  reserved u16
        24  channel name c20                           136  process u32
        44  capabilities 2 u8            level 4       140  thread u32
        45  capabilities 2 refused u8                  144  trace u32
        46  CCSID u16                                  148  product c12
        48  queue manager name c48                     160  queue manager id c48
        96  heartbeat interval u32, s                  208  password protections, 10 u16  level 11
       100  bytes behind this field u16                228  random 12 bytes

The level says how long it is: 44, 102, 208 or 240 bytes. A reader goes by the length that is there:
partners are known that send more than their level has. Bytes behind the last field are kept.

Validity: at least 44 bytes, and the eye-catcher. The count of bytes behind it is not believed:
queue managers send 0, and IBM's Java client that goes down to level 10 keeps level 13's.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import LocalProtocolError, MQError
from ternmq.wire.fap.part import (
    Cursor,
    Fixed,
    Output,
    Row,
    Values,
    chars,
    eye,
    i32,
    raw,
    u8,
    u16,
    u32,
)
from ternmq.wire.fap.segment import Header, Segment, SegmentError
from ternmq.wire.fap.vocabulary import (
    CAPABILITIES_1,
    CAPABILITIES_2,
    CAPABILITIES_3,
    PROTOCOL_ID_ERROR,
    REFUSALS_1,
    REFUSALS_2,
    Named,
)

# What a level adds: the lowest level that has the rows, and the rows.
_PARTS: Final[list[tuple[int, Fixed]]] = [
    (
        1,
        Fixed(
            eye("ID  "),
            u8("fap_level"),
            u8("capabilities_1", names=Named(CAPABILITIES_1, True)),
            u8("refused_capabilities_1", names=Named(CAPABILITIES_1, True)),
            u8("refused_1", names=Named(REFUSALS_1, True)),
            u16("reserved"),
            u16("batch_messages_max"),
            u32("segment_bytes_max"),
            u32("message_bytes_max"),
            u32("sequence_wrap"),
            chars("channel_name", 20),
        ),
    ),
    (
        4,
        Fixed(
            u8("capabilities_2", names=Named(CAPABILITIES_2, True)),
            u8("refused_capabilities_2", names=Named(CAPABILITIES_2, True)),
            u16("ccsid"),
            chars("qmgr_name", 48),
            u32("heartbeat_s"),
            u16("extended_length"),
        ),
    ),
    (
        9,
        Fixed(
            u8("refused_2", names=Named(REFUSALS_2, True)),
            u8("reserved_1"),
            raw("header_compressions", 2),
            raw("message_compressions", 16),
            u16("reserved_2"),
            u32("key_reset_count"),
            i32("conversations_max"),
            u8("capabilities_3", names=Named(CAPABILITIES_3, True)),
            u8("refused_capabilities_3", names=Named(CAPABILITIES_3, True)),
            u16("reserved_3"),
            u32("process_id"),
            u32("thread_id"),
            u32("trace_id"),
            chars("product_id", 12),
            chars("qmgr_id", 48),
        ),
    ),
    (11, Fixed(*(u16(f"protection_{n}", 0xFFFF) for n in range(10)), raw("random", 12))),
]
LEVEL_SHARING: Final = 9
LEVEL_PASSWORD_PROTECTION: Final = 11
HEADER_COMPRESSIONS_MAX: Final = 2
MESSAGE_COMPRESSIONS_MAX: Final = 16
NO_COMPRESSION_KIND: Final = 0xFF  # no entry, in a list of compressions
NO_COMPRESSION_2: Final = b"\x00\xff"
NO_COMPRESSION_16: Final = b"\x00" + b"\xff" * 15
PROTECTION_NONE: Final = 0
PROTECTION_UNUSED: Final = 0xFFFF
_PROTECTION: Final = "protection_"


def compression_bytes(kinds: list[int], entries: int) -> bytes:
    """A list of compressions, the preferred one first; an empty one says that there is none."""
    listed = (kinds or [mq.MQCOMPRESS_NONE])[:entries]
    return bytes(listed) + bytes([NO_COMPRESSION_KIND]) * (entries - len(listed))


def compressions_in(data: bytes) -> list[int]:
    """A list of a partner; what it has that is not known here stays, and agrees with nothing."""
    return [one for one in data if one != NO_COMPRESSION_KIND] or [mq.MQCOMPRESS_NONE]


def initial_data_rows() -> list[Row]:
    """Every row of the table, for the trace."""
    return [row for _level, part in _PARTS for row in part.rows()]


def bytes_of_level(fap_level: int) -> int:
    """How long the initial data of a level are."""
    return sum(part.size for level, part in _PARTS if level <= fap_level or level == 1)


@final
class InitialData:
    """What one side says of itself. A new one is a client's, without the names."""

    def __init__(self, fap_level: int) -> None:
        self.fap_level = fap_level
        self.capabilities_1 = 0
        self.refused_capabilities_1 = 0
        self.refused_1 = 0
        self.reserved = 0
        self.batch_messages_max = 0
        self.segment_bytes_max = 0
        self.message_bytes_max = 0
        self.sequence_wrap = 0
        self.channel_name = ""
        self.capabilities_2 = 0
        self.refused_capabilities_2 = 0
        self.ccsid = 0
        self.qmgr_name = ""
        self.heartbeat_s = 0
        self.extended_length = 0
        self.refused_2 = 0
        self.reserved_1 = 0
        self.header_compressions = NO_COMPRESSION_2
        self.message_compressions = NO_COMPRESSION_16
        self.reserved_2 = 0
        self.key_reset_count = 0
        self.conversations_max = 0
        self.capabilities_3 = 0
        self.refused_capabilities_3 = 0
        self.reserved_3 = 0
        self.process_id = 0
        self.thread_id = 0
        self.trace_id = 0
        self.product_id = ""
        self.qmgr_id = ""
        self.protections = [PROTECTION_NONE]  # algorithms for a password, best first
        self.random = bytes(12)
        self.has_bytes = bytes_of_level(fap_level)  # how many it has, or had when it was read
        self.rest = b""

    def values(self) -> Values:
        """Every field by name, but what its length leaves out."""
        found: Values = {}
        size = 0
        for _level, part in _PARTS:
            size += part.size
            if size <= self.has_bytes:
                for row in part.rows()[1 if size == part.size else 0 :]:
                    found[row.name] = self._get(row.name)
        return found

    def _get(self, name: str) -> int | str | bytes:
        if name.startswith(_PROTECTION):
            number = int(name[len(_PROTECTION) :])
            more = number < len(self.protections)
            return self.protections[number] if more else PROTECTION_UNUSED
        value: int | str | bytes = getattr(self, name)
        return value

    def copy(self) -> InitialData:
        """Another one with the same fields."""
        made = InitialData(self.fap_level)
        made.set(self.values())
        made.has_bytes = self.has_bytes
        made.rest = self.rest
        return made

    def set(self, values: Values) -> None:
        """Take these fields."""
        slots: list[int] = []
        for name, value in values.items():
            if not name.startswith(_PROTECTION):
                setattr(self, name, value)
            elif value != PROTECTION_UNUSED:
                slots.append(value)
        self.protections = slots

    @property
    def is_refusal(self) -> bool:
        """Whether it refuses anything of what the partner said."""
        refused = self.refused_1 | self.refused_2 | self.refused_capabilities_1
        return refused | self.refused_capabilities_2 | self.refused_capabilities_3 != 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, InitialData):
            return NotImplemented
        return self.values() == other.values() and self.rest == other.rest

    def __hash__(self) -> int:
        return hash((self.fap_level, self.channel_name))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.values().items())
        return f"InitialData({shown})"


def read_initial_data(one: Segment) -> InitialData:
    """The initial data that a segment holds."""
    header = one.header
    cursor = Cursor(one.data, one.body_at, header.order, header.text_ccsid, 0, False)
    values: Values = {}
    try:
        for level, part in _PARTS:
            if level > 1 and cursor.left < part.size:
                break
            part.read(cursor, values)
    except (SegmentError, MQError, UnicodeError) as error:
        raise SegmentError(f"INITIAL_DATA: {error}", PROTOCOL_ID_ERROR) from error
    made = InitialData(values["fap_level"])
    made.set(values)
    made.has_bytes = one.body_bytes - cursor.left
    made.rest = cursor.data[cursor.at :]
    return made


def write_initial_data(header: Header, data: InitialData) -> bytes:
    """The body of a segment with this header."""
    out = Output(header.order, header.text_ccsid, 0)
    values = data.values()
    size = 0
    try:
        for _level, part in _PARTS:
            size += part.size
            if size <= data.has_bytes:
                part.write(out, values)
    except (MQError, struct.error, UnicodeError) as error:
        raise LocalProtocolError(f"INITIAL_DATA: {error}") from error
    return bytes(out.data) + data.rest
