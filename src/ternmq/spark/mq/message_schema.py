"""The columns of a message in Spark, the same for every queue, and the view for users of Kafka.

    COLUMNS         what `spark.read.format("mq")` gives: where a message is, its MQMD field by
                    field, its properties, its data
    KAFKA_COLUMNS   the same as Kafka's source names it (option compat=kafka)

`(queue_manager, queue, incarnation, seq)` names a message for ever: seq is its stream number, and
a queue that is deleted and defined again has another incarnation. A message that was browsed or
drained from a queue without a stream has the number too, but no incarnation (null).

With option topic there is a column `topic` beside the queue, which is that of the subscription. A
column `property` is there beside them if option propertyColumns asks for it (property_fields).

format, encoding and ccsid are those of the body. Where includeProperties takes an MQRFH2 away from
the data, they are what that header says of the data behind it. text is the body in Unicode if the
format is MQSTR (option convert), null where it cannot be read so. property_types has the words of
MQRFH2: string, boolean, bin.hex, i1, i2, i4, i8, r4, r8. expiry is what the message was put with;
of one that was browsed or drained it is what was left.
"""

from __future__ import annotations

from typing import Final

COLUMNS: Final[tuple[tuple[str, str], ...]] = (
    ("queue_manager", "string"),
    ("queue", "string"),
    ("incarnation", "long"),
    ("seq", "long"),
    ("msg_id", "binary"),
    ("correl_id", "binary"),
    ("group_id", "binary"),
    ("msg_seq_number", "int"),
    ("offset", "int"),
    ("msg_flags", "int"),
    ("original_length", "int"),
    ("msg_type", "int"),
    ("format", "string"),
    ("encoding", "int"),
    ("ccsid", "int"),
    ("priority", "int"),
    ("persistence", "int"),
    ("expiry", "int"),
    ("report", "int"),
    ("feedback", "int"),
    ("backout_count", "int"),
    ("reply_to_q", "string"),
    ("reply_to_qmgr", "string"),
    ("user_identifier", "string"),
    ("accounting_token", "binary"),
    ("appl_identity_data", "string"),
    ("put_appl_type", "int"),
    ("put_appl_name", "string"),
    ("appl_origin_data", "string"),
    ("put_timestamp", "timestamp"),
    ("properties", "map<string,string>"),
    ("property_types", "map<string,string>"),
    ("body", "binary"),
    ("text", "string"),
)
KAFKA_COLUMNS: Final[tuple[tuple[str, str], ...]] = (
    ("key", "binary"),  # the CorrelId; null where there is none
    ("value", "binary"),  # the body
    ("topic", "string"),  # the queue; with option topic the string that was published to
    ("partition", "int"),  # 0: a queue is one sequence
    ("offset", "long"),  # the stream number
    ("timestamp", "timestamp"),  # put_timestamp
    ("timestampType", "int"),  # 0: the time of creation
    ("headers", "array<struct<key:string,value:binary>>"),  # the properties
)
TOPIC: Final = "topic"  # the string that was published to, with option topic alone
TOPIC_COLUMNS: Final = (*COLUMNS[:2], (TOPIC, "string"), *COLUMNS[2:])
PROPERTY: Final = "property"
NAMES: Final = tuple(name for name, _ in COLUMNS)
KAFKA_NAMES: Final = tuple(name for name, _ in KAFKA_COLUMNS)


def ddl(columns: tuple[tuple[str, str], ...] = COLUMNS) -> str:
    """A schema in Spark's words."""
    return ", ".join(f"`{name}` {kind}" for name, kind in columns)


def columns_named(given: str, columns: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Those columns that a user asked for, in the user's order; all if none are named."""
    known = {name.lower(): (name, kind) for name, kind in columns}
    wanted = [name.strip() for name in given.split(",") if name.strip()]
    for name in wanted:
        if name.lower() not in known:
            raise ValueError(f"option columns: there is no column {name}")
    return tuple(dict.fromkeys(known[name.lower()] for name in wanted)) or columns
