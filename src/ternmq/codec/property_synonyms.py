"""Properties that are fields of the MQMD: Root.MQMD.<Field>, and JMS names for them.

    name               MQTYPE   is, in this order
    JMSCorrelationID   STRING   jms.Cid; CorrelId as "ID:" and hex, unless it is MQCI_NONE
    JMSDeliveryMode    INT32    jms.Dlv; Persistence: 2 persistent, 1 not
    JMSDestination     STRING   jms.Dst
    JMSExpiration      INT64    jms.Exp; milliseconds of 1970 at which Expiry ends, 0 for never
    JMSMessageID       STRING   MsgId as "ID:" and hex
    JMSPriority        INT32    Priority; jms.Pri if that is MQPRI_PRIORITY_AS_Q_DEF
    JMSRedelivered     BOOLEAN  BackoutCount is not 0
    JMSReplyTo         STRING   jms.Rto; queue://ReplyToQMgr/ReplyToQ
    JMSTimestamp       INT64    jms.Tms; milliseconds of 1970 of PutDate and PutTime
    JMSType            STRING   mcd.Type; mcd://Msd/Set/Type?format=Fmt if there is Set or Fmt
    JMSXAppID          STRING   PutApplName
    JMSXDeliveryCount  INT32    BackoutCount + 1
    JMSXGroupID        STRING   jms.Gid; GroupId as "ID:" and hex, unless it is MQGI_NONE
    JMSXGroupSeq       INT32    jms.Seq; MsgSeqNumber of a message in a group
    JMSXUserID         STRING   UserIdentifier

A blank field is a property that is not there. JMSCorrelationID, JMSReplyTo, JMSType, JMSXGroupID
and JMSXGroupSeq can be set: field and folder then say the same. Other JMS names, JMS_IBM_* among
them, are not properties of the MQI. Fields of the MQMD are never in an MQRFH2.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_BUFFER_LENGTH_ERROR, MQRC_PROPERTY_TYPE_ERROR
from ternmq.codec.mqi.layout import BYTES, CHARS
from ternmq.codec.mqi.mqmd import LAYOUT, Descriptor
from ternmq.codec.property import Property, PropertyValue
from ternmq.codec.property_names import name_error
from ternmq.codec.property_types import checked_value, type_name

ROOT_PREFIX: Final = "Root.MQMD."
_MS_PER_TENTH: Final = 100
_ID: Final = "ID:"
_ID_BYTES: Final = 24
_FIRST_AT: Final = 8  # behind eye-catcher and version

# Fields of the MQMD in their order: the name in C, the name here.
_NAMES: Final = (
    ("Report", "report"),
    ("MsgType", "msg_type"),
    ("Expiry", "expiry"),
    ("Feedback", "feedback"),
    ("Encoding", "encoding"),
    ("CodedCharSetId", "ccsid"),
    ("Format", "format"),
    ("Priority", "priority"),
    ("Persistence", "persistence"),
    ("MsgId", "msg_id"),
    ("CorrelId", "correl_id"),
    ("BackoutCount", "backout_count"),
    ("ReplyToQ", "reply_to_queue"),
    ("ReplyToQMgr", "reply_to_qmgr"),
    ("UserIdentifier", "user_id"),
    ("AccountingToken", "accounting_token"),
    ("ApplIdentityData", "appl_identity_data"),
    ("PutApplType", "put_appl_type"),
    ("PutApplName", "put_appl_name"),
    ("PutDate", "put_date"),
    ("PutTime", "put_time"),
    ("ApplOriginData", "appl_origin_data"),
    ("GroupId", "group_id"),
    ("MsgSeqNumber", "msg_seq_number"),
    ("Offset", "offset"),
    ("MsgFlags", "msg_flags"),
    ("OriginalLength", "original_length"),
)


@final
class MQMDField:
    """A field of the MQMD as a property."""

    __slots__ = ("at", "attribute", "name", "size", "type")

    def __init__(self, name: str, attribute: str) -> None:
        self.name = name
        self.attribute = attribute
        place = [field.name for field in LAYOUT.fields].index(attribute)
        row = LAYOUT.fields[place]
        self.at = _FIRST_AT + sum(field.size for field in LAYOUT.fields[:place])  # canonical form
        self.size = row.size
        self.type = mq.MQTYPE_INT32
        if row.kind == CHARS:
            self.type = mq.MQTYPE_STRING
        elif row.kind == BYTES:
            self.type = mq.MQTYPE_BYTE_STRING


FIELDS: Final[dict[str, MQMDField]] = {name: MQMDField(name, field) for name, field in _NAMES}

# JMS name: MQTYPE, the fields of the MQMD and the properties of folders that it stands for.
_ROWS: Final[dict[str, tuple[int, tuple[str, ...], tuple[str, ...]]]] = {
    "JMSCorrelationID": (mq.MQTYPE_STRING, ("CorrelId",), ("jms.Cid",)),
    "JMSDeliveryMode": (mq.MQTYPE_INT32, ("Persistence",), ("jms.Dlv",)),
    "JMSDestination": (mq.MQTYPE_STRING, (), ("jms.Dst",)),
    "JMSExpiration": (mq.MQTYPE_INT64, ("Expiry",), ("jms.Exp",)),
    "JMSMessageID": (mq.MQTYPE_STRING, ("MsgId",), ()),
    "JMSPriority": (mq.MQTYPE_INT32, ("Priority",), ("jms.Pri",)),
    "JMSRedelivered": (mq.MQTYPE_BOOLEAN, ("BackoutCount",), ()),
    "JMSReplyTo": (mq.MQTYPE_STRING, ("ReplyToQ", "ReplyToQMgr"), ("jms.Rto",)),
    "JMSTimestamp": (mq.MQTYPE_INT64, ("PutDate", "PutTime"), ("jms.Tms",)),
    "JMSType": (mq.MQTYPE_STRING, (), ("mcd.Type", "mcd.Set", "mcd.Fmt")),
    "JMSXAppID": (mq.MQTYPE_STRING, ("PutApplName",), ()),
    "JMSXDeliveryCount": (mq.MQTYPE_INT32, ("BackoutCount",), ()),
    "JMSXGroupID": (mq.MQTYPE_STRING, ("GroupId",), ("jms.Gid",)),
    "JMSXGroupSeq": (mq.MQTYPE_INT32, ("MsgSeqNumber",), ("jms.Seq",)),
    "JMSXUserID": (mq.MQTYPE_STRING, ("UserIdentifier",), ()),
}
# Names for what a copy says about its publication (`pubsub.publication_properties`).
PUBLICATION_NAMES: Final[dict[str, str]] = {
    "MQTopicString": "mqps.Top",
    "MQSubUserData": "mqps.Sud",
    "MQIsRetained": "mqps.Ret",
    "MQPubOptions": "mqps.Pub",
    "MQPubLevel": "mqps.Pbl",
    "MQPubTime": "mqpse.Pts",
    "MQPubSeqNum": "mqpse.Seq",
    "MQPubStrIntData": "mqpse.Sid",
    "MQPubFormat": "mqpse.Pfmt",
}
SETTABLE: Final = ("JMSCorrelationID", "JMSReplyTo", "JMSType", "JMSXGroupID", "JMSXGroupSeq")


@final
class Synonym:
    """A JMS name."""

    __slots__ = ("fields", "name", "properties", "type")

    def __init__(
        self, name: str, type: int, fields: tuple[str, ...], properties: tuple[str, ...]
    ) -> None:
        self.name = name
        self.type = type
        self.fields = fields
        self.properties = properties


SYNONYMS: Final[dict[str, Synonym]] = {
    name: Synonym(name, row[0], row[1], row[2]) for name, row in _ROWS.items()
}
# The folders' properties that a field of the MQMD takes the place of when it is set.
PROPERTIES_OF_FIELD: Final[dict[str, str]] = {
    field: one.properties[0] for one in SYNONYMS.values() if one.properties for field in one.fields
}


def is_descriptor_name(name: str) -> bool:
    """Whether a name is one of a field of the MQMD, or a JMS name."""
    return name.startswith(ROOT_PREFIX) or name in SYNONYMS


# ---- reading


def field_of(name: str) -> MQMDField | None:
    """The field of `Root.MQMD.<Field>`; None if the MQMD has no such field."""
    return FIELDS.get(name.removeprefix(ROOT_PREFIX)) if name.startswith(ROOT_PREFIX) else None


def field_value(descriptor: Descriptor, field: MQMDField) -> PropertyValue:
    """The value of a field; characters without the blanks at their end."""
    value: int | str | bytes = getattr(descriptor, field.attribute)
    return value


def jms_value(
    name: str, descriptor: Descriptor, folders: dict[str, PropertyValue], now_ms: int = 0
) -> PropertyValue:
    """The value of a JMS name, by the descriptor and by the properties jms.* and mcd.* of a
    message; None if the message has no such value. `now_ms` is when Expiry was read."""
    synonym = SYNONYMS[name]
    if name == "JMSType":
        return _jms_type(folders)
    if synonym.properties and name != "JMSPriority":
        found = folders.get(synonym.properties[0])
        if found is not None:
            return found
    value = _by_descriptor(name, descriptor, now_ms)
    return folders.get("jms.Pri") if value is None and name == "JMSPriority" else value


def _by_descriptor(name: str, descriptor: Descriptor, now_ms: int) -> PropertyValue:
    if name in ("JMSMessageID", "JMSCorrelationID", "JMSXGroupID"):
        raw = field_value(descriptor, FIELDS[SYNONYMS[name].fields[0]])
        return id_text(raw) if isinstance(raw, bytes) else None
    if name in ("JMSXAppID", "JMSXUserID"):
        return field_value(descriptor, FIELDS[SYNONYMS[name].fields[0]]) or None
    if name in ("JMSExpiration", "JMSTimestamp"):
        return _time(name, descriptor, now_ms)
    if name == "JMSReplyTo":
        queue = descriptor.reply_to_queue
        return f"queue://{descriptor.reply_to_qmgr}/{queue}" if queue else None
    if name == "JMSRedelivered":
        return descriptor.backout_count > 0
    if name == "JMSXDeliveryCount":
        return descriptor.backout_count + 1
    return _number(name, descriptor)


def _number(name: str, descriptor: Descriptor) -> PropertyValue:
    if name == "JMSDeliveryMode":
        persistence = descriptor.persistence
        if persistence not in (mq.MQPER_PERSISTENT, mq.MQPER_NOT_PERSISTENT):
            return None
        return 2 if persistence == mq.MQPER_PERSISTENT else 1
    if name == "JMSPriority":
        return descriptor.priority if descriptor.priority >= 0 else None
    if name == "JMSXGroupSeq" and descriptor.group_id.strip(b"\0"):
        return descriptor.msg_seq_number
    return None  # JMSDestination is in folder jms only


def _time(name: str, descriptor: Descriptor, now_ms: int) -> int | None:
    put = descriptor.put_datetime
    put_ms = 0 if put is None else int(put.timestamp() * 1000 + 0.5)
    if name == "JMSTimestamp":
        return put_ms or None
    if descriptor.expiry == mq.MQEI_UNLIMITED:
        return 0
    begun = now_ms or put_ms
    return begun + descriptor.expiry * _MS_PER_TENTH if begun else None


def _jms_type(folders: dict[str, PropertyValue]) -> str | None:
    kind = _text(folders, "mcd.Type")
    group = _text(folders, "mcd.Set")
    format = _text(folders, "mcd.Fmt")
    if not group and not format:
        return kind or None
    end = f"?format={format}" if format else ""
    return f"mcd://{_text(folders, 'mcd.Msd')}/{group}/{kind}{end}"


def _text(folders: dict[str, PropertyValue], name: str) -> str:
    value = folders.get(name)
    return value if isinstance(value, str) else ""


def id_text(raw: bytes) -> str | None:
    """An identifier as JMS has it; None for one that is all zeros."""
    return f"{_ID}{raw.hex()}" if raw.strip(b"\0") else None


def id_bytes(text: str) -> bytes:
    """The 24 bytes of an identifier of JMS: hex digits behind "ID:", else the first of its text."""
    raw = text.encode("utf-8", "surrogateescape")
    if text.startswith(_ID):
        try:
            raw = bytes.fromhex(text[len(_ID) :])
        except ValueError:
            pass  # an application may begin its own identifiers with ID:, too
    return raw[:_ID_BYTES].ljust(_ID_BYTES, b"\0")


# ---- setting


def set_field(descriptor: Descriptor, name: str, type: int, value: object) -> MQMDField:
    """Set the field of `Root.MQMD.<Field>`; an error says what is wrong with name, type, value."""
    field = field_of(name)
    if field is None:
        raise name_error(name, "is not a field of the MQMD that can be set; see its C declaration")
    _check_type(name, type, field.type)
    checked = checked_value(name, type, value)
    length = field.size
    if isinstance(checked, str):
        length = len(checked.encode("utf-8", "surrogateescape"))
    elif isinstance(checked, bytes):
        length = len(checked)
        checked = checked.ljust(field.size, b"\0")
    if length > field.size:
        detail = f"{name} has {field.size} bytes, and {length} were given"
        raise mq_error(MQRC_BUFFER_LENGTH_ERROR, verb="MQSETMP", detail=detail)
    setattr(descriptor, field.attribute, checked)
    return field


def set_jms(
    descriptor: Descriptor, name: str, type: int, value: object
) -> tuple[list[str], list[Property]]:
    """Set the fields of a JMS name that can be set; returns them, and the properties of folders
    that say the same."""
    _check_type(name, type, SYNONYMS[name].type)
    checked = checked_value(name, type, value)
    if isinstance(checked, int):
        descriptor.msg_seq_number = checked
        return ["MsgSeqNumber"], [Property("jms.Seq", type, checked)]
    assert isinstance(checked, str)
    if name == "JMSType":
        return [], _type_properties(checked)
    folder = [Property(SYNONYMS[name].properties[0], mq.MQTYPE_STRING, checked)]
    if name == "JMSCorrelationID":
        descriptor.correl_id = id_bytes(checked)
        return ["CorrelId"], folder
    if name == "JMSXGroupID":
        descriptor.group_id = id_bytes(checked)
        descriptor.msg_flags |= mq.MQMF_MSG_IN_GROUP
        return ["GroupId", "MsgFlags"], folder
    return _set_reply_to(descriptor, checked), folder


def _set_reply_to(descriptor: Descriptor, uri: str) -> list[str]:
    if not uri.startswith("queue://"):
        return []
    manager, _, queue = uri.removeprefix("queue://").partition("?")[0].partition("/")
    set_field(descriptor, f"{ROOT_PREFIX}ReplyToQ", mq.MQTYPE_STRING, queue)
    set_field(descriptor, f"{ROOT_PREFIX}ReplyToQMgr", mq.MQTYPE_STRING, manager)
    return ["ReplyToQ", "ReplyToQMgr"]


def _type_properties(text: str) -> list[Property]:
    if not text.startswith("mcd://"):
        return [Property("mcd.Type", mq.MQTYPE_STRING, text)]
    path, _, query = text.removeprefix("mcd://").partition("?")
    parts = [*path.split("/", 2), "", ""]
    format = query.removeprefix("format=") if query.startswith("format=") else ""
    values = {"mcd.Msd": parts[0], "mcd.Set": parts[1], "mcd.Type": parts[2], "mcd.Fmt": format}
    return [Property(name, mq.MQTYPE_STRING, value) for name, value in values.items() if value]


def _check_type(name: str, type: int, wanted: int) -> None:
    if type != wanted:
        detail = f"property {name} is of type {type_name(wanted)}, not {type_name(type)}"
        raise mq_error(MQRC_PROPERTY_TYPE_ERROR, verb="MQSETMP", detail=detail)
