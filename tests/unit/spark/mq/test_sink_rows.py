"""Goal: rows become the messages that their columns describe; what cannot be is refused by name.
Method: Arrow batches of one or two rows, descriptors unpacked by the codec, properties read back by
the source's own reader; no Spark."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.pandas.types import from_arrow_schema

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.spark.mq.message_schema import KAFKA_NAMES, NAMES
from ternmq.spark.mq.property_columns import bytes_of, without_header
from ternmq.spark.mq.sink_columns import CONTEXT, FIELDS, LEFT_ASIDE, shape_of
from ternmq.spark.mq.sink_options import SinkOptions
from ternmq.spark.mq.sink_properties import folders_of
from ternmq.spark.mq.sink_rows import Puts, Rows, Target

MAP = pa.map_(pa.string(), pa.string())
WHEN = datetime(2026, 11, 16, 9, 8, 7, 650000, UTC)
# Two values of each field: one that is no default, and one as long as can be.
VALUES: dict[str, tuple[Any, Any]] = {
    "msg_id": (b"m", b"M" * 24),
    "correl_id": (b"c", b"C" * 24),
    "group_id": (b"g", b"G" * 24),
    "msg_seq_number": (2, 999_999_999),
    "offset": (0, 4096),
    "msg_flags": (mq.MQMF_MSG_IN_GROUP, mq.MQMF_MSG_IN_GROUP | mq.MQMF_SEGMENT),
    "original_length": (-1, 70_000),
    "msg_type": (mq.MQMT_REPLY, mq.MQMT_APPL_FIRST),
    "format": ("MQADMIN", "ABCDEFGH"),
    "encoding": (273, 785),
    "ccsid": (37, 500),
    "priority": (0, 9),
    "persistence": (0, 2),
    "expiry": (1, 1 << 30),
    "report": (mq.MQRO_PASS_CORREL_ID, mq.MQRO_DISCARD_MSG),
    "feedback": (1, mq.MQFB_APPL_LAST),
    "reply_to_q": ("Q", "R" * 48),
    "reply_to_qmgr": ("QM", "S" * 48),
    "user_identifier": ("ann", "U" * 12),
    "accounting_token": (b"\x01\x02", b"T" * 32),
    "appl_identity_data": ("id", "I" * 32),
    "put_appl_type": (6, 28),
    "put_appl_name": ("app", "P" * 28),
    "appl_origin_data": ("o", "OOOO"),
}
ATTRIBUTES = {"reply_to_q": "reply_to_queue", "user_identifier": "user_id"}
KINDS = {"int": pa.int32(), "string": pa.string(), "binary": pa.binary()}


def batch_of(columns: dict[str, pa.Array]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))


def puts_of(
    batch: pa.RecordBatch, queue: str = "Q", *, is_kafka: bool = False, has_context: bool = False
) -> list[Puts]:
    shape = shape_of(from_arrow_schema(batch.schema), is_kafka, has_context)
    return list(Rows(shape, queue).puts(batch))


def only(
    batch: pa.RecordBatch, *, has_context: bool = False
) -> tuple[list[Descriptor], list[bytes]]:
    (puts,) = puts_of(batch, has_context=has_context)
    assert puts.lengths.tolist() == [len(body) for body in puts.bodies]
    return [Descriptor.unpack(one) for one in puts.descriptors], puts.bodies


def test_rows_when_there_is_only_text_then_utf8_string_persistent() -> None:
    (md, other), bodies = only(batch_of({"value": pa.array(["grün", None])}))
    assert bodies == ["grün".encode(), b""]
    assert (md.format, md.ccsid, md.persistence) == (mq.MQFMT_STRING, 1208, mq.MQPER_PERSISTENT)
    assert (md.priority, md.expiry, md.msg_id) == (-1, -1, bytes(24))
    assert other == md


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary()], ids=str)
def test_rows_when_bytes_are_a_slice_then_only_its_rows(kind: pa.DataType) -> None:
    whole = pa.array([b"zero", b"one", b"", None, b"four"], kind)
    (md, *_), bodies = only(batch_of({"body": whole}).slice(1, 3))
    assert bodies == [b"one", b"", b""]
    assert (md.format, md.ccsid) == (mq.MQFMT_NONE, 0)


@pytest.mark.parametrize("field", FIELDS + CONTEXT, ids=lambda field: field.column)
def test_rows_when_a_column_fills_a_field_then_it_is_there_and_null_is_the_usual(
    field: Any,
) -> None:
    given = pa.array([*VALUES[field.column], None], KINDS[field.kind])
    columns = {"body": pa.array([b"1", b"2", b"3"], pa.binary()), field.column: given}
    if field.column in ("group_id", "msg_seq_number", "offset", "original_length"):
        columns["msg_flags"] = pa.array([*VALUES["msg_flags"], 0], pa.int32())
    mds, _ = only(batch_of(columns), has_context=True)
    name = ATTRIBUTES.get(field.column, field.column)
    size = field.size if field.kind == "binary" else 0
    reported = [value.ljust(size, b"\0") if size else value for value in VALUES[field.column]]
    usual = Descriptor(persistence=mq.MQPER_PERSISTENT)
    assert [getattr(md, name) for md in mds] == [*reported, getattr(usual, name)]


def test_rows_when_context_is_not_asked_for_then_left_aside() -> None:
    columns = {"body": pa.array(["x"]), "user_identifier": pa.array(["ann"])}
    (md,), _ = only(batch_of(columns))
    assert md.user_id == ""


def test_rows_when_the_time_is_given_then_date_and_time_in_utc() -> None:
    times = pa.array([WHEN, None], pa.timestamp("us", "UTC"))
    columns = {"body": pa.array(["x", "y"]), "put_timestamp": times}
    (md, none), _ = only(batch_of(columns), has_context=True)
    assert (md.put_date, md.put_time) == ("20261116", "09080765")
    assert (none.put_date, none.put_time) == ("", "")


def test_rows_when_text_has_a_ccsid_column_then_it_is_reported() -> None:
    columns = {"body": pa.array(["é"]), "ccsid": pa.array([500], pa.int32())}
    (md,), bodies = only(batch_of(columns))
    assert (md.ccsid, bodies) == (1208, ["é".encode()])


def test_rows_when_a_group_has_no_flags_then_the_message_is_of_the_group() -> None:
    columns = {
        "body": pa.array(["a", "b"]),
        "group_id": pa.array([b"G", None], pa.binary()),
        "msg_seq_number": pa.array([7, 7], pa.int32()),
    }
    (grouped, alone), _ = only(batch_of(columns))
    assert (grouped.msg_flags, grouped.msg_seq_number) == (mq.MQMF_MSG_IN_GROUP, 7)
    assert (alone.msg_flags, alone.msg_seq_number, alone.group_id) == (0, 1, bytes(24))


def test_rows_when_they_name_queues_then_each_gets_its_own_in_order() -> None:
    columns = {"body": pa.array(["1", "2", "3"]), "queue": pa.array(["B", "A", "B"])}
    found = puts_of(batch_of(columns), queue="")
    assert [(puts.target.name, puts.bodies) for puts in found] == [
        ("B", [b"1", b"3"]),
        ("A", [b"2"]),
    ]
    assert [puts.target.name for puts in puts_of(batch_of(columns), queue="Q")] == ["Q"]
    missing = {"body": pa.array(["1"]), "queue": pa.array([None], pa.string())}
    with pytest.raises(ValueError, match="column queue is null"):
        puts_of(batch_of(missing), queue="")
    for name in ("", " ", "X" * 49):
        wrong = {"body": pa.array(["1"]), "queue": pa.array([name])}
        refused = f"column queue is '{name}', which is not a queue's name"
        with pytest.raises(ValueError, match=refused):
            puts_of(batch_of(wrong), queue="")


def test_rows_when_they_name_topics_then_each_is_published_on_its_own() -> None:
    columns = {"body": pa.array(["1", "2"]), "topic": pa.array(["a/b", "a b"])}
    both = {**columns, "queue": pa.array(["Q", "Q"])}
    for given in (columns, both):
        found = puts_of(batch_of(given), queue="")
        assert [puts.target for puts in found] == [Target("a/b", True), Target("a b", True)]
    (puts,) = puts_of(batch_of(both), queue="Q")
    assert puts.target == Target("Q", False)
    for wrong, text in (([None, "a"], "is null: a message needs a topic"), (["", "a"], "has 0")):
        named = {**columns, "topic": pa.array(wrong, pa.string())}
        with pytest.raises(ValueError, match=text):
            puts_of(batch_of(named), queue="")


def test_rows_when_published_again_then_the_properties_of_the_first_publication_are_left_out() -> (
    None
):
    kept = {"body": pa.array(["1"]), "properties": pa.array([[("colour", "red")]], MAP)}
    more = [("mqps.Top", "old"), ("mqps.Ret", "1"), ("colour", "red")]
    read = {**kept, "properties": pa.array([more], MAP), "topic": pa.array(["new"])}
    only = {**read, "properties": pa.array([more[:2]], MAP)}
    (first,), (again,) = puts_of(batch_of(kept)), puts_of(batch_of(read), queue="")
    assert first.bodies == again.bodies
    assert puts_of(batch_of(only), queue="")[0].bodies == [b"1"]


def test_rows_when_they_have_properties_then_the_reader_gives_them_back() -> None:
    given = {"colour": "red & <blue>", "jms.Dst": "queue:///Q", "count": "4", "none": None}
    columns = {
        "body": pa.array([b"data", b"plain"], pa.binary()),
        "format": pa.array(["MQSTR", None]),
        "ccsid": pa.array([500, 37], pa.int32()),
        "properties": pa.array([list(given.items()), []], MAP),
        "property_types": pa.array([[("count", "i4")], None], MAP),
    }
    (md, plain), bodies = only(batch_of(columns))
    assert (md.format, md.ccsid, md.encoding) == (mq.MQFMT_RF_HEADER_2, 1208, 546)
    read = without_header(bodies[0], md.encoding, md.ccsid)
    assert read is not None
    assert {name: value for name, _, value in read.properties} == given
    assert {name: kind for name, kind, _ in read.properties}["count"] == "i4"
    assert (read.body, read.format.strip(), read.ccsid) == (b"data", "MQSTR", 500)
    assert (plain.format, plain.ccsid, bodies[1]) == ("", 37, b"plain")


def test_rows_when_shaped_as_kafkas_then_key_topic_and_headers_count() -> None:
    header = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
    columns = {
        "key": pa.array([b"k"], pa.binary()),
        "value": pa.array([b"v"], pa.binary()),
        "topic": pa.array(["T"]),
        "offset": pa.array([1 << 40], pa.int64()),
        "headers": pa.array(
            [[{"key": "a", "value": b"1"}, {"key": "b", "value": b"\xff"}]], header
        ),
    }
    (puts,) = puts_of(batch_of(columns), queue="", is_kafka=True)
    md = Descriptor.unpack(puts.descriptors[0])
    assert (puts.target.name, md.correl_id) == ("T", b"k".ljust(24, b"\0"))
    read = without_header(puts.bodies[0], md.encoding, md.ccsid)
    assert read is not None
    assert read.properties == [("a", "string", "1"), ("b", "bin.hex", "FF")]
    assert [bytes_of(kind, value) for _, kind, value in read.properties] == [b"1", b"\xff"]
    assert read.body == b"v"


def test_columns_when_headers_are_of_another_type_then_named() -> None:
    columns = {"value": pa.array([b"v"], pa.binary()), "headers": pa.array([[("a", "1")]], MAP)}
    with pytest.raises(ValueError, match="column headers is of type map<string,string>; it is to"):
        puts_of(batch_of(columns), is_kafka=True)


WRONG: list[tuple[dict[str, pa.Array], str]] = [
    ({"text": pa.array(["x"])}, "neither a column body nor value"),
    ({"body": pa.array(["x"]), "value": pa.array(["x"])}, "columns body and value"),
    ({"body": pa.array([1])}, "column body is of type bigint"),
    ({"body": pa.array(["x"]), "correlid": pa.array([1])}, "is correl_id meant"),
    ({"body": pa.array(["x"]), "priority": pa.array(["1"])}, "column priority is of type string"),
    ({"body": pa.array(["x"]), "priority": pa.array([10])}, "column priority is 10"),
    ({"body": pa.array(["x"]), "report": pa.array([1 << 40])}, "column report is 1099511627776"),
    ({"body": pa.array(["x"]), "format": pa.array(["MQSTRINGS"])}, "value of 9 bytes; 8 fit"),
    (
        {
            "body": pa.array(["x"]),
            "properties": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int32())),
        },
        "column properties is of type map<string,int>; it is to be map<string,string>",
    ),
    (
        {"body": pa.array(["x"]), "properties": pa.array([[("a b", "c")]], MAP)},
        "column properties: a property of a message cannot have the name 'a b'",
    ),
]


@pytest.mark.parametrize(("columns", "said"), WRONG, ids=[said for _, said in WRONG])
def test_rows_when_a_column_cannot_be_then_named(columns: dict[str, pa.Array], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        puts_of(batch_of(columns))


HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (["a", "b", "a"], "column headers: the key 'a' is there twice"),
        ([None], "column headers: a key is null"),
        (["a b"], "column headers: a property of a message cannot have the name 'a b'"),
    ],
)
def test_rows_when_kafkas_headers_cannot_be_properties_then_named(
    keys: list[str | None], said: str
) -> None:
    headers = [[{"key": key, "value": b"1"} for key in keys]]
    columns = {"value": pa.array([b"v"], pa.binary()), "headers": pa.array(headers, HEADERS)}
    with pytest.raises(ValueError, match=said):
        puts_of(batch_of(columns), is_kafka=True)


@pytest.mark.parametrize(
    ("microseconds", "reported"),
    [
        (-62_135_596_800_000_000, ("00010101", "00000000")),
        (-2_208_988_800_000_001, ("18991231", "23595999")),
        (-1, ("19691231", "23595999")),
        (253_402_300_799_999_999, ("99991231", "23595999")),
        (-62_135_596_800_000_001, "is in the year 0000"),
        (253_402_300_800_000_000, "is in the year 10000"),
        ((1 << 63) - 1, "is in the year 294247"),
    ],
)
def test_rows_when_the_time_is_far_then_right_or_named(
    microseconds: int, reported: tuple[str, str] | str
) -> None:
    times = pa.array([microseconds], pa.int64()).cast(pa.timestamp("us", "UTC"))
    batch = batch_of({"body": pa.array(["x"]), "put_timestamp": times})
    if isinstance(reported, str):
        with pytest.raises(ValueError, match=f"column put_timestamp {reported}"):
            only(batch, has_context=True)
    else:
        (md,), _ = only(batch, has_context=True)
        assert (md.put_date, md.put_time) == reported


@pytest.mark.parametrize(
    ("kind", "fits", "too_much"),
    [
        ("i1", ["-128", "+127"], ["-129", "128"]),
        ("i2", ["-32768", "32767"], ["32768"]),
        ("i4", ["-2147483648", "2147483647"], ["2147483648", "9" * 50, "\u0663"]),
        ("i8", ["-9223372036854775808", "9223372036854775807"], ["9223372036854775808"]),
        ("r4", ["3.4028235e38", "-1e-400"], ["3.5e38", "-1e39"]),
        ("r8", ["1.7976931348623157e308"], ["1e309"]),
    ],
)
def test_properties_when_a_number_is_too_wide_for_its_type_then_named(
    kind: str, fits: list[str], too_much: list[str]
) -> None:
    for value in fits:
        assert folders_of({"a": value}, {"a": kind})
    for value in too_much:
        with pytest.raises(ValueError, match=f"property a of type {kind} is"):
            folders_of({"a": value}, {"a": kind})


NAMES_OF_XML = ["$a", "ns:a", "a.1", "a..b", "jms.1x", "a-b.c_d", "grün", "_", "usr.x"]
NO_NAMES = ["", "a b", "1a", "a/", "a><b", "a b='c'", "<a", "!--a--", "a&b", ".", "\u00d7"]


@pytest.mark.parametrize("name", NAMES_OF_XML)
def test_properties_when_the_source_could_have_given_the_name_then_it_comes_back(name: str) -> None:
    columns = {
        "body": pa.array([b"data"], pa.binary()),
        "properties": pa.array([[(name, "1")]], MAP),
    }
    (md,), (body,) = only(batch_of(columns))
    read = without_header(body, md.encoding, md.ccsid)
    assert read is not None
    assert [name for name, _, _ in read.properties] == [name.removeprefix("usr.")]


@pytest.mark.parametrize("name", NO_NAMES)
def test_properties_when_xml_has_no_such_name_then_named(name: str) -> None:
    with pytest.raises(ValueError, match="cannot have the name"):
        folders_of({name: "1"}, {})


def test_properties_when_the_value_does_not_fit_the_type_then_named() -> None:
    with pytest.raises(ValueError, match="property a of type i4 is 'x'"):
        folders_of({"a": "x"}, {"a": "i4"})
    with pytest.raises(ValueError, match="property a is of type 'money'"):
        folders_of({"a": "x"}, {"a": "money"})


def test_columns_when_the_source_gives_them_then_the_sink_takes_or_leaves_each() -> None:
    placed = {field.column for field in FIELDS + CONTEXT}
    others = {"body", "queue", "properties", "property_types", "put_timestamp"}
    assert placed | others | LEFT_ASIDE == set(NAMES)
    assert {"queue_manager", "incarnation", "seq", "backout_count", "text"} == LEFT_ASIDE
    assert {"key", "value", "topic", "headers"} <= set(KAFKA_NAMES)


OPTIONS: list[tuple[dict[str, str], bool, str]] = [
    ({"queues": "Q"}, True, "there is no option queues; is queue meant"),
    ({"queue": "no name!"}, True, "option queue is 'no name!'"),
    ({"delivery": "often"}, True, "option delivery is 'often'"),
    ({"owner": "me", "batchId": "1"}, True, "are for batches"),
    ({"owner": "me"}, False, "go together"),
    ({"owner": "m" * 49, "batchId": "1"}, False, "an owner has 1 to 48 bytes"),
    ({"owner": "me", "batchId": "1", "delivery": "at-least-once"}, False, "option owner is for"),
    ({"batchId": str(1 << 63), "owner": "me"}, False, "option batchId is"),
    ({"maxBytesPerUnit": "5"}, False, "option maxBytesPerUnit is '5'"),
]


@pytest.mark.parametrize(("given", "is_stream", "said"), OPTIONS, ids=[row[2] for row in OPTIONS])
def test_options_when_wrong_then_named(given: dict[str, str], is_stream: bool, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        SinkOptions(given, is_stream)


def test_options_when_spark_adds_its_own_then_taken() -> None:
    values = {"queue": "Q", "checkpointLocation": "/x", "path": "/data", "queueManager": "QM1"}
    assert SinkOptions(values, is_stream=True).is_exact
