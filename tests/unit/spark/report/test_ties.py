"""Goal: a report is the same each time, also where rows have the same moment or the same rank.

Method: rows in one order and in the other, as Spark may bring them, and the same answer.
"""

from datetime import UTC, datetime
from typing import Any, cast

import pytest

pa = pytest.importorskip("pyarrow")

from ternmq.spark.frames.frame import Frame  # noqa: E402
from ternmq.spark.frames.functions import f, in_process  # noqa: E402
from ternmq.spark.report import report_data as data  # noqa: E402

MOMENT = datetime(2026, 9, 21, 14, 14, tzinfo=UTC)


def both_orders(rows: list[dict[str, Any]]) -> list[Any]:
    """The rows as frames, in two orders."""
    return [cast("Any", Frame.of(pa.Table.from_pylist(some))) for some in (rows, rows[::-1])]


def test_channel_when_two_rows_are_of_one_moment_then_its_status_is_always_the_same() -> None:
    numbers = dict.fromkeys(("messages", "bytes", "batches", "batch_size", "network_us"), 1)
    row = {"channel": "APP", "type": "SvrConn", "connection": "::1", "bytes_per_s": 1.0, **numbers}
    rows = [{**row, "collected": MOMENT, "status": status} for status in ("Inactive", "Running")]
    with in_process():
        found = [data.channel_rows(table, f.col("channel")) for table in both_orders(rows)]
    assert found[0] == found[1]
    assert found[0][0]["status"] == "Running"


def test_findings_when_they_are_as_frequent_then_their_order_is_always_the_same() -> None:
    row = {"rule": "polling", "object": "ORDERS", "interval_start": MOMENT, "value": 1.0}
    rows = [
        {**row, "queue_manager": manager, "words": words}
        for manager, words in (("QM2", "more"), ("QM1", "often"), ("QM1", "oftener"))
    ]
    with in_process():
        found = [data.finding_rows(table) for table in both_orders(rows)]
    assert found[0] == found[1]
    assert [(one["queue_manager"], one["words"]) for one in found[0]] == [
        ("QM1", "oftener"),
        ("QM2", "more"),
    ]
