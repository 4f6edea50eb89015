"""Goal: columns of messages say what the messages say: every field, properties, text.

Method: messages on a queue in memory, read as blocks; each column against the same message as the
client gives it, which unpacks descriptors by another way.
"""

import struct
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import ternmq
from ternmq import constants as mq
from ternmq.codec import charset
from ternmq.codec.headers.mqrfh import RulesHeader2
from ternmq.spark.mq.browse_read import columns_of
from ternmq.spark.mq.message_arrow import BatchMaker, arrow_schema, messages_of
from ternmq.spark.mq.message_schema import COLUMNS, KAFKA_COLUMNS, NAMES
from ternmq.spark.mq.message_text import table_of, texts
from ternmq.spark.mq.mq_options import SourceOptions
from ternmq.spark.mq.property_columns import properties_of, without_header

FIELDS = {
    "reply_to_q": "reply_to_queue",
    "user_identifier": "user_id",
}
FROM_ELSEWHERE = (
    *("queue_manager", "queue", "incarnation", "seq", "put_timestamp"),
    *("properties", "property_types", "body", "text"),
)


def rows_of(blocks: list[ternmq.StreamBlock], **given: str) -> list[dict[str, Any]]:
    options = SourceOptions({"queue": "ORDERS", **given}, True)
    batch = BatchMaker(options, "QM1").batch(messages_of(blocks, "ORDERS"))
    batch.validate(full=True)
    assert batch.schema == arrow_schema(options.columns)
    rows: list[dict[str, Any]] = batch.to_pylist()
    return rows


@pytest.fixture
def cursor(mq_qmgr: ternmq.QueueManager) -> ternmq.QueueCursor:
    mq_qmgr.define_queue("ORDERS")
    return mq_qmgr.cursor("SPARK", "ORDERS")


def headed(folders: list[str], body: bytes, order: str = "<", **fields: Any) -> bytes:
    return RulesHeader2(folders=folders, format="MQSTR", ccsid=1208, **fields).pack(order) + body


def test_columns_when_messages_have_every_field_set_then_they_are_those_of_the_descriptor(
    mq_qmgr: ternmq.QueueManager, cursor: ternmq.QueueCursor
) -> None:
    everything = ternmq.Descriptor(
        report=mq.MQRO_PASS_CORREL_ID,
        msg_type=mq.MQMT_REQUEST,
        expiry=6000,
        feedback=mq.MQFB_NONE,
        encoding=mq.MQENC_S390,
        ccsid=500,
        format="OWN",
        priority=3,
        persistence=mq.MQPER_PERSISTENT,
        msg_id=b"m" * 24,
        correl_id=b"c" * 24,
        reply_to_queue="REPLIES",
        reply_to_qmgr="QM2",
        group_id=b"g" * 24,
        msg_seq_number=4,
        offset=0,
        msg_flags=mq.MQMF_MSG_IN_GROUP,
    )
    with mq_qmgr.queue("ORDERS") as orders:
        orders.put(b"one", descriptor=everything)
        orders.put("zwei")
        orders.put(b"")
    found = cursor.read()
    rows = rows_of(found.blocks)
    assert len(rows) == 3
    # As the message was put, so that a range is the same range whenever it is read.
    assert [row.pop("expiry") for row in rows] == [6000, -1, -1]
    for row, message in zip(rows, found):
        descriptor = message.descriptor
        assert [*row, "expiry"] == [name for name in NAMES if name != "expiry"] + ["expiry"]
        for name in row.keys() - set(FROM_ELSEWHERE):
            assert row[name] == getattr(descriptor, FIELDS.get(name, name)), name
        assert message.put_time is not None
        assert abs((row["put_timestamp"] - message.put_time).total_seconds()) < 2e-6
        assert (row["queue_manager"], row["queue"]) == ("QM1", "ORDERS")
        assert (row["incarnation"], row["seq"]) == (found.incarnation, message.sequence)
        assert row["body"] == message.data
        assert row["properties"] == [] == row["property_types"]
    assert [row["text"] for row in rows] == [None, "zwei", None]


def test_columns_when_browsed_then_the_same_as_from_the_stream(
    mq_qmgr: ternmq.QueueManager, cursor: ternmq.QueueCursor
) -> None:
    with mq_qmgr.queue("ORDERS") as orders:
        for n in range(5):
            orders.put(f"message {n}", priority=n)
        browsed = sorted(orders.browse(), key=lambda message: message.sequence)
    options = SourceOptions({"queue": "ORDERS"}, False)
    batch = BatchMaker(options, "QM1").batch(columns_of(browsed, "ORDERS"))
    others = rows_of(cursor.read().blocks)
    for row, other in zip(batch.to_pylist(), others, strict=True):
        assert row.pop("incarnation") is None
        del other["incarnation"]
        stamp = other.pop("put_timestamp")
        assert abs((row.pop("put_timestamp") - stamp).total_seconds()) < 0.01
        assert row == other


def test_put_time_when_the_context_was_set_then_it_is_the_applications(
    mq_qmgr: ternmq.QueueManager, cursor: ternmq.QueueCursor
) -> None:
    dates = [("20240229", "23595999"), ("20230229", "00000000"), ("", "")]
    with mq_qmgr.queue("ORDERS", options=mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT) as orders:
        for date, time in dates:
            descriptor = ternmq.Descriptor(put_date=date, put_time=time)
            orders.put(b"", descriptor=descriptor, options=mq.MQPMO_SET_ALL_CONTEXT)
    stamps = [row["put_timestamp"] for row in rows_of(cursor.read().blocks)]
    assert stamps == [datetime(2024, 2, 29, 23, 59, 59, 990_000, UTC), None, None]


def test_properties_when_an_mqrfh2_is_before_the_data_then_they_are_maps(
    mq_qmgr: ternmq.QueueManager, cursor: ternmq.QueueCursor
) -> None:
    folders = [
        "<jms><Dst>queue:///ORDERS</Dst></jms>",
        "<usr><colour>r&amp;d</colour><size dt='i4'>4</size><none xsi:nil='true'/></usr>",
    ]
    descriptor = ternmq.Descriptor(format="MQHRF2", correl_id=b"k" * 24)
    with mq_qmgr.queue("ORDERS") as orders:
        orders.put(headed(folders, b"data"), descriptor=descriptor)
        orders.put("plain")
        orders.put(b"no header at all", descriptor=ternmq.Descriptor(format="MQHRF2"))
    blocks = cursor.read().blocks
    first, second, third = rows_of(blocks)
    assert dict(first["properties"]) == {
        "jms.Dst": "queue:///ORDERS",
        "colour": "r&d",
        "size": "4",
        "none": None,
    }
    assert dict(first["property_types"])["size"] == "i4"
    assert dict(first["property_types"])["colour"] == "string"
    assert (first["body"], first["format"], first["text"]) == (b"data", "MQSTR", "data")
    assert (second["body"], second["properties"]) == (b"plain", [])
    assert (third["body"], third["format"]) == (b"no header at all", "MQHRF2")
    whole = rows_of(blocks, includeProperties="false")
    assert whole[0]["body"].endswith(b"data")
    assert (whole[0]["format"], whole[0]["properties"]) == ("MQHRF2", None)
    kafka = rows_of(blocks, compat="kafka")
    assert list(kafka[0]) == [name for name, _ in KAFKA_COLUMNS]
    assert (kafka[0]["key"], kafka[1]["key"]) == (b"k" * 24, None)
    assert kafka[0]["headers"][1] == {"key": "colour", "value": b"r&d"}
    assert kafka[1]["headers"] is None
    assert [row["offset"] for row in kafka] == [first["seq"], second["seq"], third["seq"]]


def test_columns_when_some_are_asked_for_then_only_those(
    mq_qmgr: ternmq.QueueManager, cursor: ternmq.QueueCursor
) -> None:
    mq_qmgr.put("ORDERS", "text")
    (row,) = rows_of(cursor.read().blocks, columns="text,seq")
    assert row == {"text": "text", "seq": cursor.next - 1}


def test_blocks_when_only_part_was_asked_for_then_rows_are_that_part(
    mq_qmgr: ternmq.QueueManager, cursor: ternmq.QueueCursor
) -> None:
    with mq_qmgr.queue("ORDERS") as orders:
        for n in range(20):
            orders.put(f"message {n}")
    first = cursor.position
    with mq_qmgr.stream("ORDERS") as stream:
        parts = [stream.read(first + at, first + at + 5).blocks for at in (3, 8)]
    rows = rows_of([block for blocks in parts for block in blocks])
    assert [row["text"] for row in rows] == [f"message {n}" for n in range(3, 13)]


# ---- headers


def test_headers_of_kafka_when_a_property_is_bytes_then_they_are_those_bytes(
    mq_qmgr: ternmq.QueueManager, cursor: ternmq.QueueCursor
) -> None:
    folder = '<usr><a dt="bin.hex">00FF</a><b dt="bin.hex">none</b><c>00FF</c></usr>'
    descriptor = ternmq.Descriptor(format="MQHRF2")
    mq_qmgr.queue("ORDERS").put(headed([folder], b"data"), descriptor=descriptor)
    (row,) = rows_of(cursor.read().blocks, compat="kafka")
    assert [one["value"] for one in row["headers"]] == [b"\x00\xff", b"none", b"00FF"]


def test_header_when_big_endian_or_in_ebcdic_then_it_is_read() -> None:
    header = RulesHeader2(folders=["<usr><a>1</a></usr>"], format="MQSTR", ccsid=500, encoding=785)
    found = without_header(header.pack(">", 500) + b"\xf1", mq.MQENC_S390, 500)
    assert found is not None
    assert found.properties == [("a", "string", "1")]
    assert (found.body, found.format.rstrip(), found.ccsid) == (b"\xf1", "MQSTR", 500)


def test_header_when_it_has_folders_of_the_application_then_those_stay_in_the_body() -> None:
    data = headed(["<usr><a>1</a></usr>", "<mine><b>2</b></mine>"], b"rest")
    found = without_header(data, mq.MQENC_NATIVE, 1208)
    assert found is not None
    assert found.properties == [("a", "string", "1")]
    assert found.body == headed(["<mine><b>2</b></mine>"], b"rest")
    assert found.format.rstrip() == "MQHRF2"


@pytest.mark.parametrize(
    "folder",
    ["<usr><a>1</usr>", "<!DOCTYPE x [<!ENTITY a 'b'>]><usr><a>&a;</a></usr>", "<usr>", "usr"],
)
def test_folder_when_not_sound_then_nothing_is_guessed(folder: str) -> None:
    assert properties_of(folder) is None


def test_folder_when_elements_are_nested_then_names_have_dots() -> None:
    reported = "<mqps content='properties'><Top>a/b</Top><x><y dt='r8'>1.5</y></x></mqps>"
    assert properties_of(reported) == [("mqps.Top", "string", "a/b"), ("mqps.x.y", "r8", "1.5")]


# ---- text


def text_column(bodies: list[bytes], ccsids: list[int], encoding: int = 273) -> list[Any]:
    count = len(bodies)
    found = texts(
        pa.array(bodies, pa.binary()),
        np.array(ccsids, np.int32),
        np.full(count, encoding, np.int32),
        np.ones(count, np.bool_),
    )
    found.validate(full=True)
    values: list[Any] = found.to_pylist()
    return values


@pytest.mark.parametrize("ccsid", [37, 273, 500, 819, 850, 1047, 1140, 1208, 1252, 1200, 1386, 943])
def test_text_when_in_any_character_set_then_it_is_that_of_the_client(ccsid: int) -> None:
    words = ["", "Hello [world]!", "a" * 300, "abc", ""]
    if ccsid in (273, 500, 819, 850, 1047, 1140, 1208, 1252, 1200):
        words += ["Grüße aus Köln", "ß"]
    if ccsid in (1208, 1200, 1386, 943):
        words.append("日本")
    assert (
        text_column([charset.encode(word, ccsid) for word in words], [ccsid] * len(words)) == words
    )


def test_text_when_character_sets_are_mixed_then_each_row_has_its_own() -> None:
    words = ["one", "two", "drei", "vier", "fünf", "six"]
    sets = [1208, 500, 819, 500, 819, 1200]
    bodies = [charset.encode(word, ccsid) for word, ccsid in zip(words, sets)]
    assert text_column(bodies, sets) == words
    assert text_column([b"plain", b"\xf1"], [0, 99_999]) == ["plain", None]


def test_text_when_bytes_are_no_characters_then_null_and_the_others_stay() -> None:
    assert text_column([b"good", b"\xff\xfe", b"also"], [1208] * 3) == ["good", None, "also"]
    assert text_column([b"good", b"\x81", b"sch\xf6n"], [1252] * 3) == ["good", None, "schön"]
    assert text_column([b"a\0b\0", b"a"], [1200] * 2, mq.MQENC_NATIVE) == ["ab", None]


def test_tables_when_characters_take_more_bytes_then_there_is_none() -> None:
    assert all(table_of(ccsid) is not None for ccsid in (37, 437, 819, 1047, 1252))
    assert all(table_of(ccsid) is None for ccsid in (1208, 1200, 1386, 932, 33722))


def test_schema_when_in_arrow_then_heads_have_all_plain_columns() -> None:
    names = {name for name, _ in ternmq.HEAD_COLUMNS}
    for name, _ in COLUMNS:
        if name not in FROM_ELSEWHERE:
            assert FIELDS.get(name, name) in names
    assert struct.calcsize("<QQqqIBBHQI") + 364 == np.dtype(ternmq.HEAD_COLUMNS).itemsize
