"""Goal: what is out of habit is told, once for each stretch, and what is not is not; a stream says
what a batch says; events are on the queue once.

Method: queues whose figures are made up, some with one thing wrong; streams that get them in
pieces; a queue manager for the events.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.spark.message_rows import at, finished, messages, run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

    from ternmq.spark.lake.anomaly_scores import Observed

pytestmark = pytest.mark.spark


# ---- arithmetic


def observed(count: int, **columns: Any) -> "Observed":
    import numpy as np

    from ternmq.spark.lake.anomaly_scores import Observed

    usual = {"window_s": 60.0, "puts": 600.0, "gets": 600.0, "depth": 3.0, "took_us": 1000.0}
    found: dict[str, np.ndarray[Any, np.dtype[np.float64]]] = {}
    for name, value in {**usual, **columns}.items():
        found[name] = np.broadcast_to(np.asarray(value, np.float64), count).copy()
    return Observed(**found)


def flagged(seen: "Observed") -> dict[str, list[int]]:
    from ternmq.spark.lake.anomaly_scores import RULES, Habit, scored

    scores = scored(seen, Habit())
    found = {rule: one.is_anomalous.nonzero()[0].tolist() for rule, one in zip(RULES, scores)}
    return {rule: places for rule, places in found.items() if places}


def changed(count: int, usual: float, **at_places: float) -> list[float]:
    """The usual value but at places: p40=9000."""
    values = [usual] * count
    for place, value in at_places.items():
        values[int(place[1:])] = value
    return values


def test_rules_when_one_thing_is_wrong_then_that_rule_alone_reports() -> None:
    nan = float("nan")
    for seen, wanted in (
        (observed(60), {}),
        (observed(60, puts=changed(60, 600, p40=9000)), {"unusual rate": [40]}),
        (observed(60, puts=changed(60, 600, p40=0)), {"unusual rate": [40]}),
        (observed(60, puts=changed(60, 600, p5=9000)), {}),  # there is no habit yet
        (observed(60, puts=changed(60, 600, p40=640)), {}),
        (observed(60, took_us=changed(60, 1000, p50=9000)), {"consumer slows": [50]}),
        (observed(60, took_us=changed(60, 1000, p50=2500)), {}),
        (observed(60, gets=changed(60, 600, p50=100), depth=changed(60, 3, p50=503)),
         {"consumer slows": [50]}),
        (observed(60, gets=changed(60, 600, p50=100)), {}),  # and nothing waits
        (observed(60, puts=nan, gets=nan, depth=nan, took_us=nan), {}),
        (observed(0), {}),
        (observed(1), {}),
    ):  # fmt: skip
        assert flagged(seen) == wanted


def test_queue_when_it_grows_while_served_then_it_is_reported_and_a_batch_load_is_not() -> None:
    steady = [3.0] * 30 + [3.0 + 120 * n for n in range(10)]
    assert flagged(observed(40, puts=720.0, depth=steady)) == {"queue grows": list(range(34, 40))}
    assert flagged(observed(40, puts=720.0, gets=0.0, depth=steady)) == {}  # nobody serves it
    loaded = [3.0] * 30 + [5000.0 - 500 * n for n in range(10)]
    assert flagged(observed(40, depth=loaded)) == {}


def test_silence_when_few_messages_are_usual_then_several_stretches_report() -> None:
    assert flagged(observed(40, puts=[10.0] * 30 + [0.0] * 10)) == {
        "unusual rate": [33, 34, 35, 36, 37, 38, 39]
    }


def test_false_alarms_when_counts_vary_by_chance_then_they_are_rare() -> None:
    import numpy as np

    chance = np.random.default_rng(7)
    alarms = 0
    for mean in (0.5, 10.0, 1000.0):
        puts = chance.poisson(mean, 5000)
        took = chance.lognormal(7.0, 0.3, 5000)
        alarms += sum(map(len, flagged(observed(5000, puts=puts, took_us=took)).values()))
    assert alarms <= 6  # of 15,000


def test_scores_when_continued_from_what_is_kept_then_they_are_the_same() -> None:
    import numpy as np

    from ternmq.spark.lake.anomaly_scores import Habit, scored

    habit = Habit(length=30, growing=4)
    chance = np.random.default_rng(3)
    seen = observed(300, **{name: chance.poisson(50, 300) for name in ("puts", "gets", "depth")})
    whole = scored(seen, habit)
    for cut in (1, 37, 200):
        first = max(0, cut - habit.kept)
        for now, then in zip(scored(seen.after(first), habit, cut - first), whole):
            for column, wanted in zip(now, then):
                assert np.array_equal(column[cut - first :], wanted[cut:], equal_nan=True)


def test_gaps_when_filled_then_nothing_was_put_in_them_and_long_ones_are_short() -> None:
    import numpy as np

    from ternmq.spark.lake.anomaly_scores import Habit
    from ternmq.spark.lake.anomaly_state import NOTHING, Known, filled

    minute = 60_000_000
    places = [0, 1, 4, 5]
    fresh = Known(np.array(places) * minute, observed(4), NOTHING.since)
    habit = Habit(length=8, growing=2)
    found = filled(NOTHING, fresh, 7 * minute, habit)
    assert (found.starts // minute).tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert found.observed.puts.tolist() == [600, 600, 0, 0, 600, 600, 0, 0]
    far = filled(NOTHING, fresh, 1000 * minute, habit)
    assert (far.starts // minute).tolist()[6:] == list(range(991, 1001))
    later = Known(np.array([9]) * minute, observed(1), NOTHING.since)
    assert (filled(fresh, later, 0, habit).starts // minute).tolist() == [6, 7, 8, 9]


# ---- Spark


def table_of_queues(spark: "SparkSession") -> "DataFrame":
    """An hour of four queues, as the served table has them."""
    return spark.range(0, 240).selectExpr(
        "'QM1' AS queue_manager",
        "element_at(array('CALM', 'BURST', 'SLOW', 'GROWS'), cast(id % 4 + 1 AS int)) AS queue",
        f"timestamp'{at(0):%Y-%m-%d %H:%M:%S}' + make_dt_interval(0, 0, cast(id / 4 AS int))"
        " AS interval_start",
        "cast(id / 4 AS int) AS n",
        "60.0D AS interval_s",
        "IF(id % 4 = 1 AND id >= 160 AND id < 168, 9000, 600 + id % 7) AS puts",
        "IF(id % 4 = 3 AND id >= 120, 480, 600 + id % 7) AS gets",
        "IF(id % 4 = 3 AND id >= 120, (cast(id / 4 AS int) - 29) * 120, 3) AS depth",
        "IF(id % 4 = 2 AND id >= 200, 90000, 1000 + id % 50) AS time_on_queue_us",
    )


def rows_of(frame: "DataFrame") -> "list[Row]":
    return frame.orderBy("queue", "rule", "window_start").collect()


@pytest.fixture(scope="module")
def batch(spark: "SparkSession") -> "list[Row]":
    from ternmq.spark.lake.anomaly_tables import anomalies, of_queues

    return rows_of(anomalies(of_queues(table_of_queues(spark))))


def test_table_when_in_a_batch_then_each_queue_has_its_anomaly_and_its_words(
    batch: "list[Row]",
) -> None:
    found: dict[tuple[str, str], list[Row]] = {}
    for row in batch:
        found.setdefault((row["queue"], row["rule"]), []).append(row)
    assert {key: len(rows) for key, rows in found.items()} == {
        ("BURST", "unusual rate"): 2,
        ("SLOW", "consumer slows"): 10,
        ("GROWS", "queue grows"): 27,
    }
    burst = found["BURST", "unusual rate"]
    assert burst[0]["words"].startswith("BURST: 150.0 puts a second; 10.")
    assert {row["since"] for row in burst} == {burst[0]["window_start"]}
    assert burst[0]["window_start"] == at(40 * 60).replace(tzinfo=None)
    assert found["SLOW", "consumer slows"][0]["words"].startswith(
        "SLOW: messages took 90.0 ms; 1.0"
    )
    grows = found["GROWS", "queue grows"][0]["words"]
    assert grows.startswith("GROWS: 480 messages, up from 3, although")


def test_table_when_streamed_in_pieces_then_it_says_what_a_batch_says_and_silence(
    spark: "SparkSession", batch: "list[Row]", tmp_path: Path
) -> None:
    from ternmq.spark.lake.anomaly_tables import anomalies, of_queues

    table = table_of_queues(spark)
    for piece in range(3):
        part = table.where(f"n >= {piece * 20} AND n < {piece * 20 + 20}").coalesce(1)
        part.write.mode("append").parquet(str(tmp_path / "queues"))
    stream = spark.readStream.schema(table.schema).option("maxFilesPerTrigger", 1)
    queues = stream.parquet(str(tmp_path / "queues"))
    run(anomalies(of_queues(queues)), str(tmp_path))
    assert rows_of(spark.read.parquet(str(tmp_path / "table"))) == batch


def test_messages_when_they_stop_then_a_batch_and_a_stream_report_the_silence(
    spark: "SparkSession", tmp_path: Path
) -> None:
    from ternmq.spark.lake.anomaly_tables import all_anomalies, anomalies, of_messages

    counted = of_messages(
        messages(
            spark,
            [
                {"queue": queue, "put_timestamp": at(10 + 60 * minute + second)}
                for minute in range(40)
                for queue, until in (("STOPS", 25), ("GOES", 40))
                if minute < until
                for second in range(0, 60 if minute < 39 else 6, 3)
            ],
        )
    ).cache()
    # The last minute is not over: few messages are no sign in it.
    silent = {("STOPS", minute) for minute in range(27, 39)}

    def reported(frame: "DataFrame") -> set[tuple[str, int]]:
        rows = frame.where("rule = 'unusual rate' AND score < 0").collect()
        begin = at(10).replace(tzinfo=None)
        return {(r["queue"], int((r["window_start"] - begin).total_seconds() / 60)) for r in rows}

    assert reported(anomalies(counted, silence=True)) == silent
    for part in ("minute(window_start) < 20", "minute(window_start) >= 20"):
        counted.where(part).coalesce(1).write.mode("append").parquet(str(tmp_path / "counted"))
    stream = spark.readStream.schema(counted.schema).option("maxFilesPerTrigger", 1)
    run(anomalies(stream.parquet(str(tmp_path / "counted")), silence=True), str(tmp_path))
    # As far as the watermark, which is a minute behind, and a stretch for what may still come.
    seen = reported(spark.read.parquet(str(tmp_path / "table")))
    assert seen == {(queue, minute) for queue, minute in silent if minute < 37}
    with pytest.raises(ValueError, match="there is none"):
        all_anomalies()


def test_rows_when_they_are_late_or_to_come_then_they_count_where_they_should(
    spark: "SparkSession",
) -> None:
    from ternmq.spark.lake.anomaly_tables import not_ahead, of_exchanges

    exchanged = spark.createDataFrame(
        [("QM1", "ASKED", at(10), at(10 + 600), 600_000_000), ("QM1", "ASKED", at(10), None, None)],
        "queue_manager string, request_queue string, requested_at timestamp,"
        " replied_at timestamp, latency_us long",
    )
    (slow,) = of_exchanges(exchanged).collect()
    # With the others that came then: with those that were asked then it would be too late.
    assert (slow["window_start"], slow["took_us"]) == (at(610).replace(tzinfo=None), 600_000_000)
    times = spark.sql("SELECT current_timestamp() + make_dt_interval(0, id) AS t FROM range(-2, 3)")
    assert not_ahead(times, "t", "90 minutes").count() == 4


@pytest.fixture
def target() -> Iterator[Any]:
    from tests.unit.api.networked import in_memory

    served = in_memory()
    yield served
    served.close()


def test_events_when_raised_from_a_stream_then_each_anomaly_is_on_the_queue_once(
    spark: "SparkSession", batch: "list[Row]", target: Any, tmp_path: Path
) -> None:
    from ternmq.admin.events.event_text import event_json
    from ternmq.spark.lake.anomaly_events import raise_events
    from ternmq.spark.mq.mq_source import register
    from tests.unit.api.networked import CHANNEL

    register(spark)
    way = {"queueManager": "QM1", "connName": target.conn, "channel": CHANNEL}
    table = spark.createDataFrame(batch)
    table.coalesce(1).write.parquet(str(tmp_path / "anomalies"))
    connection = target.connect()
    connection.define_queue("ANOMALIES")
    for _ in range(2):
        stream = spark.readStream.schema(table.schema).parquet(str(tmp_path / "anomalies"))
        place = str(tmp_path / "checkpoint")
        finished(partial(raise_events, stream, "ANOMALIES", way, place))
    with connection.queue("ANOMALIES") as queue:
        put = list(queue)
    connection.disconnect()
    events = [event_json("ANOMALIES", "QM1", one.descriptor, one.data) for one in put]
    reported: list[Any] = [event["eventData"] for event in events]
    assert {one.format for one in put} == {"MQEVENT"}
    assert sorted((one["baseObjectName"], one["anomalyRule"]) for one in reported) == [
        ("BURST", "unusual rate"),
        ("GROWS", "queue grows"),
        ("SLOW", "consumer slows"),
    ]
    burst = next(one for one in reported if one["baseObjectName"] == "BURST")
    assert burst["anomalySince"] == "2026-11-02T00:39:50Z"
    assert burst["anomalyValue"] == 150_000
    assert burst["anomalyText"].startswith("BURST: 150.0 puts a second")
