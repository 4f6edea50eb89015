"""Where a selector finds the values of a message on a queue: its descriptor and its properties.

`Root.MQMD.Field` is a field of the descriptor. JMS names are synonyms of such fields, or of
properties in the folders jms and mcd. Every other name is a property. What each name of a selector
means is decided once, when the handle is opened.
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.codec.mqi import mqmd
from ternmq.codec.property import PropertyValue
from ternmq.codec.property_area import find_value
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

# name: how, where in the descriptor, how many bytes
_FIELDS: Final[dict[str, tuple[int, int, int]]] = {
    "Root.MQMD.Report": (INTEGER, mqmd.REPORT_AT, 4),
    "Root.MQMD.MsgType": (INTEGER, mqmd.MSG_TYPE_AT, 4),
    "Root.MQMD.Expiry": (EXPIRY, 0, 4),
    "Root.MQMD.Feedback": (INTEGER, mqmd.FEEDBACK_AT, 4),
    "Root.MQMD.Encoding": (INTEGER, mqmd.ENCODING_AT, 4),
    "Root.MQMD.CodedCharSetId": (INTEGER, mqmd.CCSID_AT, 4),
    "Root.MQMD.Format": (TEXT, mqmd.FORMAT_AT, 8),
    "Root.MQMD.Priority": (INTEGER, mqmd.PRIORITY_AT, 4),
    "Root.MQMD.Persistence": (INTEGER, mqmd.PERSISTENCE_AT, 4),
    "Root.MQMD.MsgId": (OWN_BYTES, mqmd.MSG_ID_AT, 24),
    "Root.MQMD.CorrelId": (OWN_BYTES, mqmd.CORREL_ID_AT, 24),
    "Root.MQMD.BackoutCount": (OWN, mqmd.BACKOUT_COUNT_AT, 4),
    "Root.MQMD.ReplyToQ": (TEXT, mqmd.REPLY_TO_QUEUE_AT, 48),
    "Root.MQMD.ReplyToQMgr": (TEXT, mqmd.REPLY_TO_QMGR_AT, 48),
    "Root.MQMD.UserIdentifier": (TEXT, mqmd.USER_ID_AT, 12),
    "Root.MQMD.AccountingToken": (BYTES, mqmd.ACCOUNTING_TOKEN_AT, 32),
    "Root.MQMD.ApplIdentityData": (TEXT, mqmd.APPL_IDENTITY_DATA_AT, 32),
    "Root.MQMD.PutApplType": (INTEGER, mqmd.PUT_APPL_TYPE_AT, 4),
    "Root.MQMD.PutApplName": (TEXT, mqmd.PUT_APPL_NAME_AT, 28),
    "Root.MQMD.PutDate": (OWN_TEXT, mqmd.PUT_DATE_AT, 8),
    "Root.MQMD.PutTime": (OWN_TEXT, mqmd.PUT_TIME_AT, 8),
    "Root.MQMD.ApplOriginData": (TEXT, mqmd.APPL_ORIGIN_DATA_AT, 4),
    "Root.MQMD.GroupId": (OWN_BYTES, mqmd.GROUP_ID_AT, 24),
    "Root.MQMD.MsgSeqNumber": (INTEGER, mqmd.MSG_SEQ_NUMBER_AT, 4),
    "Root.MQMD.Offset": (INTEGER, mqmd.OFFSET_AT, 4),
    "Root.MQMD.MsgFlags": (INTEGER, mqmd.MSG_FLAGS_AT, 4),
    "Root.MQMD.OriginalLength": (INTEGER, mqmd.ORIGINAL_LENGTH_AT, 4),
    "JMSMessageID": (MESSAGE_ID, 0, 0),
    "JMSCorrelationID": (CORRELATION_ID, 0, 0),
    "JMSDeliveryMode": (DELIVERY_MODE, 0, 0),
    "JMSPriority": (INTEGER, mqmd.PRIORITY_AT, 4),
    "JMSTimestamp": (TIMESTAMP, 0, 0),
    "JMSExpiration": (EXPIRATION, 0, 0),
    "JMSRedelivered": (REDELIVERED, 0, 0),
    "JMSXDeliveryCount": (DELIVERY_COUNT, 0, 0),
    "JMSXGroupID": (GROUP, 0, 0),
    "JMSXGroupSeq": (INTEGER, mqmd.MSG_SEQ_NUMBER_AT, 4),
    "JMSXUserID": (TEXT, mqmd.USER_ID_AT, 12),
    "JMSXAppID": (TEXT, mqmd.PUT_APPL_NAME_AT, 28),
}
# JMS names of properties in folders.
_SYNONYMS: Final[dict[str, str]] = {
    "JMSType": "mcd.Type",
    "JMSReplyTo": "jms.Rto",
    "JMSDestination": "jms.Dst",
}
_CORRELATION: Final = b"jms.Cid"
_GROUP: Final = b"jms.Gid"


@final
class EntrySource(PropertySource):
    """The values of one message after another; `entry` is the one it looks at."""

    def __init__(self, names: list[str], entry: Entry, clock: Clock) -> None:
        self.entry = entry
        self.clock = clock
        self._how: list[int] = []
        self._at: list[int] = []
        self._end: list[int] = []
        self._names: list[bytes] = []
        for name in names:
            how, at, length = _FIELDS.get(name, (PROPERTY, 0, 0))
            self._how.append(how)
            self._at.append(at)
            self._end.append(at + length)
            self._names.append(_SYNONYMS.get(name, name).encode("utf-8", "surrogatepass"))

    def value_at(self, index: i64) -> PropertyValue:
        how = self._how[index]
        entry = self.entry
        if how == PROPERTY:
            return find_value(entry.properties, self._names[index])
        if how == INTEGER:
            number: int = _I32.unpack_from(entry.base, self._at[index])[0]
            return number
        if how >= MESSAGE_ID:
            return self._jms(how, entry)
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

    def _jms(self, how: int, entry: Entry) -> PropertyValue:
        if how == MESSAGE_ID:
            return f"ID:{entry.msg_id.hex()}"
        if how == CORRELATION_ID:
            return _identifier(find_value(entry.properties, _CORRELATION), entry.correl_id)
        if how == GROUP:
            return _identifier(find_value(entry.properties, _GROUP), entry.group_id)
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
