"""Goal: each request meets its replies, in a batch and in a stream, and one that has none is told.

Method: messages with known times; the stream reads them in two runs, and its rows must be those of
the batch as far as time has gone on.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ternmq.base.constants import MQMT_REPLY, MQMT_REQUEST, MQRO_PASS_CORREL_ID
from tests.unit.spark.message_rows import at, messages, msg_id, run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


def request(number: int, seconds: float, **reported: Any) -> dict[str, Any]:
    row = {"queue": "REQUESTS", "msg_type": MQMT_REQUEST, "msg_id": msg_id(number)}
    return {**row, "put_timestamp": at(seconds), "body": b"?", **reported}


def reply(to: int, seconds: float) -> dict[str, Any]:
    row = {"queue": "REPLIES", "msg_type": MQMT_REPLY, "msg_id": msg_id(1000 + to)}
    return {**row, "correl_id": msg_id(to), "put_timestamp": at(seconds), "body": b"!!"}


def reported(frame: "DataFrame") -> set[tuple[int, int | None]]:
    """Request and microseconds to the reply."""
    rows = frame.select("msg_id", "latency_us").collect()
    return {(int.from_bytes(row["msg_id"], "big"), row["latency_us"]) for row in rows}


EARLY = [
    request(1, 0.0),
    reply(1, 0.5),
    reply(1, 0.7),
    request(2, 1.0, report=MQRO_PASS_CORREL_ID, correl_id=msg_id(77)),
    reply(77, 2.0),
    request(3, 3.0),
    request(4, 4.0),
    {"queue": "REPLIES", "msg_type": 8, "correl_id": msg_id(3), "put_timestamp": at(5.0)},
]
# It passes an identifier that it has not; so does somebody's reply.
NAMELESS = [
    request(7, 5.0, report=MQRO_PASS_CORREL_ID, correl_id=msg_id(0)),
    reply(0, 6.0),
]
LATER = [reply(4, 20.0), request(5, 600.0), request(6, 900.0)]


def test_exchanges_when_in_a_batch_then_requests_have_their_replies_or_none(
    spark: "SparkSession",
) -> None:
    from ternmq.spark.lake.exchanges import exchanges, latencies

    frame = exchanges(messages(spark, EARLY + NAMELESS + LATER), within="10 seconds")
    second = 1_000_000
    assert reported(frame) == {
        (1, second // 2),
        (1, 700_000),
        (2, second),
        (3, None),
        (4, None),  # its reply came too late
        (5, None),
        (6, None),
        (7, None),
    }
    row = frame.where("request_seq = 0").orderBy("latency_us").first()
    assert row is not None
    assert (row["request_queue"], row["reply_queue"]) == ("REQUESTS", "REPLIES")
    assert (row["request_bytes"], row["reply_bytes"]) == (1, 2)
    first = latencies(frame, "1 hour").orderBy("window_start").first()
    assert first is not None
    assert (first["exchanges"], first["answered"], first["longest_us"]) == (6, 3, second)


def test_exchanges_when_streamed_then_unanswered_requests_are_reported_once_time_has_passed(
    spark: "SparkSession", tmp_path: Path
) -> None:
    """Also if there are only requests any more: time goes on with them."""
    from ternmq.spark.lake.exchanges import exchanges
    from ternmq.spark.lake.lake_table import lake, lake_stream

    lake_folder = str(tmp_path / "lake")
    for rows in (EARLY, LATER):
        lake(messages(spark, rows)).coalesce(1).write.mode("append").parquet(lake_folder)
        stream = lake_stream(spark, lake_folder)
        run(exchanges(stream, within="10 seconds", late="1 minute"), str(tmp_path))
    found = reported(spark.read.parquet(str(tmp_path / "table")))
    assert found == {(1, 500_000), (1, 700_000), (2, 1_000_000), (3, None), (4, None), (5, None)}
