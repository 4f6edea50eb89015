"""Goal: rates and costs of a run's points are those of the whole intervals in their windows.

Method: served tables made here, a second an interval, with figures that can be added up by hand.
"""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from ternmq.spark.pipeline.perf_tables import BYTES, GETS, LOG_BYTES, PUTS, Window, figures

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

BEGIN = datetime(2026, 11, 16, 10, 0, 0, tzinfo=UTC)
KEYS = "queue_manager string, interval_start timestamp, interval_s double"


def at(seconds: float) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


def window(number: int, first: float, last: float, counts: str, **more: Any) -> Window:
    begin = BEGIN.timestamp()
    # Measured from the interval before to the one after.
    around = {"from_s": begin + first - 1, "to_s": begin + last + 1}
    given = {"counted": "PERF.REPLY", "cost_of_putters": False, **around, **more}
    return Window(number, begin + first, begin + last, counts=counts, **given)


@pytest.fixture(scope="module")
def tables(spark: "SparkSession") -> "dict[str, DataFrame]":
    seconds = range(10)
    intervals = [("PERF", at(n), 1.0) for n in seconds]
    queues = [
        (*interval, name, 100 + n, 200 + n, 2e6)
        for n, interval in enumerate(intervals)
        for name in ("PERF.REPLY.01", "PERF.REPLY.02", "PERF.REPLYING.01")
    ]
    log = [(*interval, 5e6) for interval in intervals]
    # Stretches of two long tasks, which end some milliseconds after the interval; and a short one.
    tasks = [
        ("PERF", at(n + 0.004), at(n + 1.018), puts, cpu)
        for n in seconds
        for puts, cpu in ((0, 1000), (50, 3000))
    ]
    tasks.append(("PERF", at(3.40), at(3.41), 1, 500))
    tasks.append(("OTHER", at(3.40), at(3.41), 1, 70_000))
    traffic = "queue string, gets long, puts long, get_bytes_per_s double"
    about = "queue_manager string, interval_start timestamp, interval_end timestamp"
    return {
        "queues": spark.createDataFrame(queues, f"{KEYS}, {traffic}"),
        "log": spark.createDataFrame(log, f"{KEYS}, log_bytes_per_s double"),
        "tasks": spark.createDataFrame(tasks, f"{about}, puts long, cpu_us long"),
    }


def test_figures_are_those_of_whole_intervals(
    spark: "SparkSession", tables: "dict[str, DataFrame]"
) -> None:
    windows = [
        window(0, 2.5, 5.9, GETS),  # of 3 and 4
        window(1, 2.5, 5.9, PUTS, cost_of_putters=True),
        window(2, 2.5, 5.9, BYTES),
        window(3, 2.5, 5.9, LOG_BYTES),
        window(4, 6.2, 7.8, GETS),  # no interval is whole
        window(5, 8.0, 9.0, GETS, counted="PERF.NOTHING"),
    ]
    found = {one.number: one for one in figures(spark, windows, tables)}
    assert sorted(found) == [0, 1, 2, 3, 4, 5]
    gets = 2 * (103 + 104)
    assert found[0].intervals == 2
    assert [found[n].done for n in (0, 1, 5)] == [
        2 * sum(100 + n for n in range(2, 7)),
        2 * sum(200 + n for n in range(2, 7)),
        None,
    ]
    assert found[4] == (4, 0, None, None, 2 * sum(100 + n for n in (6, 7, 8)))
    assert found[0].rate == pytest.approx(gets / 2)
    assert found[0].cost == pytest.approx((2 * 4000 + 500) / gets)
    puts = 2 * (203 + 204)
    assert found[1].rate == pytest.approx(puts / 2)
    assert found[1].cost == pytest.approx((2 * 3000 + 500) / puts)
    assert found[2].rate == pytest.approx(4.0)
    assert found[3].rate == pytest.approx(5.0)
    assert found[3].cost == pytest.approx((2 * 4000 + 500) / 10)
    assert (found[5].rate, found[5].cost) == (None, None)


def test_without_windows_nothing_is_asked(
    spark: "SparkSession", tables: "dict[str, DataFrame]"
) -> None:
    assert figures(spark, [], {}) == []
