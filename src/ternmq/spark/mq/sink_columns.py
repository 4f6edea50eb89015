"""Which columns of a DataFrame the sink `mq` puts, and where each goes in the message.

    body, or value    the data: binary as it is, string in UTF-8 with format MQSTR; null: no data
    queue             where to, unless option queue says it for all rows
    topic             or the topic string to publish on, unless option topic says it; it counts
                      before queue, so that what was read from a topic can be published as it is
    properties        map of strings, with property_types an MQRFH2 ahead of the data
    FIELDS            fields of the MQMD, as the source names them; null: the usual value
    CONTEXT           who put the message and when: with option context=all, else left aside
    LEFT_ASIDE        columns of the source that a put cannot have; so a DataFrame that was read can
                      be written as it is

With compat=kafka: value, key (the CorrelId), topic (the queue) and headers (the properties). Any
other column is refused: a name that is misspelt would silently be lost.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final, NamedTuple

from pyspark.sql.types import (
    BinaryType,
    DataType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructType,
    TimestampType,
)

from ternmq.codec.mqi import mqmd
from ternmq.spark.mq.message_schema import KAFKA_NAMES, NAMES, PROPERTY, TOPIC

INTEGER: Final = "int"
CHARACTERS: Final = "string"
BYTES: Final = "binary"


class Field(NamedTuple):
    """A field of the MQMD that a column fills."""

    column: str
    kind: str
    at: int
    size: int


FIELDS: Final = (
    Field("msg_id", BYTES, mqmd.MSG_ID_AT, 24),
    Field("correl_id", BYTES, mqmd.CORREL_ID_AT, 24),
    Field("group_id", BYTES, mqmd.GROUP_ID_AT, 24),
    Field("msg_seq_number", INTEGER, mqmd.MSG_SEQ_NUMBER_AT, 4),
    Field("offset", INTEGER, mqmd.OFFSET_AT, 4),
    Field("msg_flags", INTEGER, mqmd.MSG_FLAGS_AT, 4),
    Field("original_length", INTEGER, mqmd.ORIGINAL_LENGTH_AT, 4),
    Field("msg_type", INTEGER, mqmd.MSG_TYPE_AT, 4),
    Field("format", CHARACTERS, mqmd.FORMAT_AT, 8),
    Field("encoding", INTEGER, mqmd.ENCODING_AT, 4),
    Field("ccsid", INTEGER, mqmd.CCSID_AT, 4),
    Field("priority", INTEGER, mqmd.PRIORITY_AT, 4),
    Field("persistence", INTEGER, mqmd.PERSISTENCE_AT, 4),
    Field("expiry", INTEGER, mqmd.EXPIRY_AT, 4),
    Field("report", INTEGER, mqmd.REPORT_AT, 4),
    Field("feedback", INTEGER, mqmd.FEEDBACK_AT, 4),
    Field("reply_to_q", CHARACTERS, mqmd.REPLY_TO_QUEUE_AT, 48),
    Field("reply_to_qmgr", CHARACTERS, mqmd.REPLY_TO_QMGR_AT, 48),
)
PUT_TIMESTAMP: Final = "put_timestamp"
CONTEXT: Final = (
    Field("user_identifier", CHARACTERS, mqmd.USER_ID_AT, 12),
    Field("accounting_token", BYTES, mqmd.ACCOUNTING_TOKEN_AT, 32),
    Field("appl_identity_data", CHARACTERS, mqmd.APPL_IDENTITY_DATA_AT, 32),
    Field("put_appl_type", INTEGER, mqmd.PUT_APPL_TYPE_AT, 4),
    Field("put_appl_name", CHARACTERS, mqmd.PUT_APPL_NAME_AT, 28),
    Field("appl_origin_data", CHARACTERS, mqmd.APPL_ORIGIN_DATA_AT, 4),
)
_TAKEN: Final = frozenset(field.column for field in FIELDS)
_CONTEXT: Final = frozenset((PUT_TIMESTAMP, *(field.column for field in CONTEXT)))
_OTHERS: Final = frozenset(("body", "value", "queue", "properties", "property_types"))
LEFT_ASIDE: Final = frozenset(NAMES) - _TAKEN - _CONTEXT - _OTHERS
_KAFKA: Final = ("value", "key", "topic", "headers")
_STRINGS: Final = "map<string,string>"
_HEADERS: Final = "array<struct<key:string,value:binary>>"
_KINDS: Final[dict[str, tuple[type[DataType], ...]]] = {
    INTEGER: (IntegerType, ShortType, LongType),
    CHARACTERS: (StringType,),
    BYTES: (BinaryType,),
}


class Shape(NamedTuple):
    """What a DataFrame has for the sink: names of its columns, empty or none where there is
    none."""

    body: str
    is_text: bool
    queue: str
    topic: str
    properties: str
    property_types: str
    headers: str
    fields: tuple[Field, ...]
    timestamp: str


def shape_of(schema: StructType, is_kafka: bool, has_context: bool) -> Shape:
    """The columns, checked; ValueError names the one that is wrong."""
    types = {field.name: field.dataType for field in schema.fields}
    refuse_unknown(list(types), is_kafka)
    body = body_of(types)
    fields = [field for field in FIELDS if field.column in types]
    if is_kafka:
        fields = [Field("key", BYTES, mqmd.CORREL_ID_AT, 24)] if "key" in types else []
    elif has_context:
        fields += [field for field in CONTEXT if field.column in types]
    for field in fields:
        check_type(types, field.column, _KINDS[field.kind], field.kind)
    queue, topic = ("topic", "") if is_kafka else ("queue", TOPIC)
    for name in (queue, topic):
        check_type(types, name, (StringType,), CHARACTERS)
    for name in ("properties", "property_types"):
        check_whole_type(types, name, _STRINGS)
    if is_kafka:
        check_whole_type(types, "headers", _HEADERS)
    check_type(types, PUT_TIMESTAMP, (TimestampType,), "timestamp")
    return Shape(
        body,
        isinstance(types[body], StringType),
        queue if queue in types else "",
        topic if topic in types else "",
        "properties" if "properties" in types else "",
        "property_types" if "property_types" in types else "",
        "headers" if is_kafka and "headers" in types else "",
        tuple(fields),
        PUT_TIMESTAMP if has_context and PUT_TIMESTAMP in types else "",
    )


def body_of(types: dict[str, DataType]) -> str:
    """The column that has the data."""
    if "body" in types and "value" in types:
        raise ValueError("there are columns body and value; one of them is the data of a message")
    name = "body" if "body" in types else "value"
    if name not in types:
        raise ValueError(
            "there is neither a column body nor value: one of them has the data of a message"
        )
    check_type(types, name, (BinaryType, StringType), "binary or string")
    return name


def refuse_unknown(names: list[str], is_kafka: bool) -> None:
    known = frozenset(_KAFKA + KAFKA_NAMES) if is_kafka else frozenset(NAMES) | _OTHERS | {TOPIC}
    known |= {PROPERTY}  # left aside: it says what column properties says
    for name in names:
        if name in known:
            continue
        near = get_close_matches(name, sorted(known), 1)
        hint = f"; is {near[0]} meant?" if near else "; drop it, or put it into properties"
        raise ValueError(f"a message has no column {name}{hint}")


def check_whole_type(types: dict[str, DataType], name: str, given: str) -> None:
    """A column that has others inside."""
    if name in types and types[name].simpleString() != given:
        raise ValueError(
            f"column {name} is of type {types[name].simpleString()}; it is to be {given}"
        )


def check_type(
    types: dict[str, DataType], name: str, kinds: tuple[type[DataType], ...], given: str
) -> None:
    if name in types and not isinstance(types[name], kinds):
        found = types[name].simpleString()
        raise ValueError(f"column {name} is of type {found}; it is to be {given}")
