"""Goal: no message can stop a query: what cannot be read is left as it is, or is null.

Method: messages as a broken or hostile application puts them, made into columns without Spark.
"""

import pyarrow as pa
import pytest

import ternmq
from ternmq.codec.headers.mqrfh import RulesHeader2
from ternmq.spark.mq.message_text import decoded
from ternmq.spark.mq.property_columns import properties_of
from ternmq.spark.mq.sink import job_owner
from ternmq.spark.mq.sink_properties import folders_of
from ternmq.values.batch import check_owner
from tests.unit.spark.mq.test_message_arrow import rows_of


def test_header_when_its_format_is_no_text_then_the_message_is_read(
    mq_qmgr: ternmq.QueueManager,
) -> None:
    mq_qmgr.define_queue("ORDERS")
    cursor = mq_qmgr.cursor("C", "ORDERS")
    header = bytearray(RulesHeader2(folders=["<usr><a>1</a></usr>"], ccsid=1208).pack())
    header[20:28] = b"\xff\xfe\x80\xc3(\xa0\xa1 "
    with mq_qmgr.queue("ORDERS") as orders:
        orders.put(bytes(header) + b"data", descriptor=ternmq.Descriptor(format="MQHRF2"))
        orders.put(b"next")
    rows = rows_of(cursor.read().blocks)
    assert [row["body"] for row in rows] == [b"data", b"next"]
    assert rows[0]["properties"] == [("a", "1")]


@pytest.mark.parametrize("ccsid", [424, 437, 500, 932, 954, 1047, 1200, 1208, 5488, 99999])
def test_text_when_bytes_are_no_characters_then_null_or_text_and_never_an_error(ccsid: int) -> None:
    bodies = pa.array([b"", b"\xff", bytes(range(256)), b"\x0eAB\x0f", b"A"], pa.binary())
    for encoding in (273, 546):
        assert len(decoded(bodies, ccsid, encoding)) == len(bodies)


@pytest.mark.parametrize(
    ("name", "value"), [("a", "x\x01y"), ("a", "\ufffe"), ("1a", "1"), ("a", "x\0")]
)
def test_property_when_xml_cannot_have_it_then_it_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(ValueError, match="property"):
        folders_of({name: value}, {})


@pytest.mark.parametrize("value", ["a\r\nb", "\r", " a ", "<&>]]>", "\x85", "\U0001f600", ""])
def test_property_when_written_then_it_is_read_as_it_was(value: str) -> None:
    (folder,) = folders_of({"a": value}, {})
    assert properties_of(folder) == [("a", "string", value)]


def test_property_name_when_it_begins_with_any_letter_then_it_is_taken() -> None:
    (folder,) = folders_of({"ärger": "1"}, {})
    assert properties_of(folder) == [("ärger", "string", "1")]


@pytest.mark.parametrize("user", ["ann", "service-account-of-the-analytics-department", "ü" * 30])
def test_job_when_its_user_has_any_name_then_the_ledger_takes_its_owner(user: str) -> None:
    check_owner(job_owner(user))
    assert job_owner(user) == job_owner(user) != job_owner(f"{user}2")
