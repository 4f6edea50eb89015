"""Where a selector finds the values of a message on a queue: its descriptor and its properties.

`Root.MQMD.Field` is a field of the descriptor. JMS names are synonyms of such fields, or of
properties in the folders jms and mcd (`property_synonyms`). Every other name is a property. What
each name of a selector means is decided once, when the handle is opened.
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.codec.property import PropertyValue
from ternmq.codec.property_area import WantedProperties
from ternmq.codec.property_synonyms import FIELDS, SYNONYMS, field_of
from ternmq.codec.selector.source import PropertySource
from ternmq.ports.clock import Clock
from ternmq.values.entry import PERSISTENT, ZERO_ID, Entry, packed_descriptor

_I32: Final = struct.Struct("<i")
_NS_A_MS: Final = 1_000_000
_NS_A_TENTH: Final = 100_000_000

# How a value is read.
PROPERTY: Final = 0
INTEGER: Final = 1  # of the shared descriptor
TEXT: Final = 2
BYTES: Final = 3
OWN: Final = 4  # of the message itself: of its whole descriptor
OWN_TEXT: Final = 5
OWN_BYTES: Final = 6
EXPIRY: Final = 7
MESSAGE_ID: Final = 8  # JMS names from here on
CORRELATION_ID: Final = 9
DELIVERY_MODE: Final = 10
TIMESTAMP: Final = 11
EXPIRATION: Final = 12
DELIVERY_COUNT: Final = 13
REDELIVERED: Final = 14
GROUP: Final = 15

# Fields that the shared descriptor does not have: each message has its own.
_OWN: Final = frozenset(("MsgId", "CorrelId", "BackoutCount", "PutDate", "PutTime", "GroupId"))
_BY_TYPE: Final = {
    mq.MQTYPE_INT32: (INTEGER, OWN),
    mq.MQTYPE_STRING: (TEXT, OWN_TEXT),
    mq.MQTYPE_BYTE_STRING: (BYTES, OWN_BYTES),
}
# JMS names whose value is made of the field, or the property, that they stand for (SYNONYMS).
_JMS: Final = {
    "JMSMessageID": MESSAGE_ID,
    "JMSCorrelationID": CORRELATION_ID,
    "JMSDeliveryMode": DELIVERY_MODE,
    "JMSTimestamp": TIMESTAMP,
    "JMSExpiration": EXPIRATION,
    "JMSRedelivered": REDELIVERED,
    "JMSXDeliveryCount": DELIVERY_COUNT,
    "JMSXGroupID": GROUP,
}


def _meaning(name: str) -> tuple[int, int, int, str]:
    """Of a name: how it is read, where in the descriptor, how many bytes, from which property."""
    synonym = SYNONYMS.get(name)
    folder_name = name if synonym is None or not synonym.properties else synonym.properties[0]
    if name in _JMS:
        way = _JMS[name]
        return way, 0, 0, folder_name if way in (CORRELATION_ID, GROUP) else ""
    field = field_of(name)
    if synonym is not None and len(synonym.fields) == 1:
        field = FIELDS[synonym.fields[0]]
    if field is None:
        return PROPERTY, 0, 0, folder_name
    if field.name == "Expiry":
        return EXPIRY, 0, 4, ""
    how = _BY_TYPE[field.type][1 if field.name in _OWN else 0]
    return how, field.at, field.size, ""


@final
class EntrySource(PropertySource):
    """The values of one message after another; `entry` is the one it looks at."""

    def __init__(self, names: list[str], entry: Entry, clock: Clock) -> None:
        self.entry = entry
        self.clock = clock
        self._how: list[int] = []
        self._at: list[int] = []  # in the descriptor; of a property, its place in `_properties`
        self._end: list[int] = []
        wanted: list[bytes] = []
        for name in names:
            how, at, length, folder_name = _meaning(name)
            if folder_name:
                packed = folder_name.encode("utf-8", "surrogatepass")
                if packed not in wanted:
                    wanted.append(packed)
                at = wanted.index(packed)
            self._how.append(how)
            self._at.append(at)
            self._end.append(at + length)
        self._properties = WantedProperties(wanted)

    def load(self, entry: Entry) -> None:
        """Look at this message from now on."""
        self.entry = entry
        self._properties.load(entry.properties)

    def value_at(self, index: i64) -> PropertyValue:
        how = self._how[index]
        entry = self.entry
        if how == PROPERTY:
            return self._properties.value(self._at[index])
        if how == INTEGER:
            number: int = _I32.unpack_from(entry.base, self._at[index])[0]
            return number
        if how >= MESSAGE_ID:
            return self._jms(how, entry, self._at[index])
        if how == EXPIRY:
            return _left(entry, self.clock)
        data = entry.base if how <= BYTES else packed_descriptor(entry)
        field = data[self._at[index] : self._end[index]]
        if how in (TEXT, OWN_TEXT):
            return field.rstrip(b" \0").decode("utf-8", "replace")
        if how == OWN:
            number = _I32.unpack(field)[0]
            return number
        return field

    def _jms(self, how: int, entry: Entry, slot: int) -> PropertyValue:
        if how == MESSAGE_ID:
            return f"ID:{entry.msg_id.hex()}"
        if how == CORRELATION_ID:
            return _identifier(self._properties.value(slot), entry.correl_id)
        if how == GROUP:
            return _identifier(self._properties.value(slot), entry.group_id)
        if how == DELIVERY_MODE:
            return "PERSISTENT" if entry.flags & PERSISTENT else "NON_PERSISTENT"
        if how == TIMESTAMP:
            return int(entry.put_ns) // _NS_A_MS
        if how == EXPIRATION:
            return int(entry.expiry_at) // _NS_A_MS
        if how == REDELIVERED:
            return entry.backout_count > 0
        return int(entry.backout_count) + 1


def _identifier(of_jms: PropertyValue, identifier: bytes) -> PropertyValue:
    """What JMS calls an identifier: the text that a JMS application gave, or the bytes as text. A
    text that begins with ID: stands for the bytes, so that the index finds the same messages."""
    if isinstance(of_jms, str) and not of_jms.startswith("ID:"):
        return of_jms
    return None if identifier == ZERO_ID else f"ID:{identifier.hex()}"


def _left(entry: Entry, clock: Clock) -> int:
    """Expiry: tenths of a second that are left."""
    if entry.expiry_at == 0:
        return mq.MQEI_UNLIMITED
    return max((int(entry.expiry_at) - clock.now_ns()) // _NS_A_TENTH, 1)
