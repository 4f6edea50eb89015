"""Anomalies: a queue that grows while served, a consumer that slows, a rate out of its habit.

    observations     what is known of a queue in a stretch of time; from statistics (the served
                     table queues), from messages (the lake), from exchanges
    anomalies        the observations that are out of habit, by the rules of anomalies_scores

Both work on a batch and on a stream. In a stream Spark's state holds the last observations of each
queue; `window_start` must rise for a queue, what comes late is passed over. The anomaly of a row
began at `since`; the row with `since = window_start` is its first, the one that is worth an event
(see anomalies_events).

Spark does not put this step behind an aggregation in one stream. So in a stream `of_messages` and
`of_exchanges` are written to a table first, and the table is read as a stream.

Where messages are counted, a stretch without a message has no row, but nothing was put in it.
`silence=True` says that of observations: missing stretches count as stretches in which nothing was
put, also those after the last, up to the newest of all queues. In a stream that is as far as its
watermark, and what comes more than `late` after others is passed over; without silence, what comes
30 days after others.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any, Final

import pandas as pd
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from ternmq.spark.lake.anomaly_scores import Habit
from ternmq.spark.lake.anomaly_state import STATE, after_silence, first_time, observed_again

KEYS: Final = ("queue_manager", "queue")
EVERY: Final = "1 minute"
LATE: Final = "1 minute"
LATE_AT_MOST: Final = "30 days"
# Clocks of queue managers differ by less; times of dumps may be those of an unknown time zone.
AHEAD: Final = "5 minutes"
AHEAD_IN_DUMPS: Final = "1 day"
# Times are numbers on their way through pandas, which has them in the session's zone: an hour comes
# twice there in autumn, and the watermark is in UTC.
RESULT: Final = (
    "queue_manager string, queue string, rule string, start_us long, window_s double, "
    "since_us long, value double, expected double, score double"
)

# The served table.
COLUMNS: Final = (
    "queue_manager string, queue string, rule string, window_start timestamp, window_s double, "
    "since timestamp, value double, expected double, score double, words string, seen_in string"
)


def of_queues(queues: DataFrame) -> DataFrame:
    """Observations from the served table queues, an interval each."""
    return queues.select(
        *KEYS,
        f.col("interval_start").alias("window_start"),
        f.col("interval_s").cast("double").alias("window_s"),
        f.col("puts").cast("double").alias("puts"),
        f.col("gets").cast("double").alias("gets"),
        f.col("depth").cast("double").alias("depth"),
        f.col("time_on_queue_us").cast("double").alias("took_us"),
    ).where("window_s > 0 and window_start is not null")


def not_ahead(rows: DataFrame, moment: str, by: str) -> DataFrame:
    """Without what is later than now by more than clocks, or zones, differ: one message from next
    year would make everything after it late, and every queue silent."""
    return rows.where(f.col(moment) <= f.current_timestamp() + f.expr(f"INTERVAL {by}"))


def of_messages(messages: DataFrame, every: str = EVERY, late: str = LATE) -> DataFrame:
    """Observations from messages: how many were put, in stretches of time that are over. A batch
    takes the newest message for now."""
    if messages.isStreaming:
        messages = messages.withWatermark("put_timestamp", late)
    counted = messages.groupBy(*KEYS, f.window("put_timestamp", every).alias("window")).agg(
        f.count(f.lit(1)).alias("puts"), f.max("put_timestamp").alias("latest")
    )
    if not messages.isStreaming:
        now = f.broadcast(counted.agg(f.max("latest").alias("now")))
        counted = counted.crossJoin(now).where("window.end <= now")
    return windowed(counted, f.col("puts"), f.lit(None))


def of_exchanges(exchanged: DataFrame, every: str = EVERY, late: str = LATE) -> DataFrame:
    """Observations from exchanges: the time that half of the replies took at most. A reply counts
    where it came: where its request was put, the slow ones would come too late to count."""
    answered = exchanged.where("latency_us is not null")
    if answered.isStreaming:
        answered = answered.withWatermark("replied_at", late)
    counted = answered.groupBy(
        "queue_manager",
        f.col("request_queue").alias("queue"),
        f.window("replied_at", every).alias("window"),
    ).agg(f.percentile_approx("latency_us", 0.5).cast("double").alias("took"))
    return windowed(counted, f.lit(None), f.col("took"))


def windowed(counted: DataFrame, puts: Column, took: Column) -> DataFrame:
    """Counts by window as observations; gets and depth are not known."""
    length = f.unix_micros("window.end") - f.unix_micros("window.start")
    return counted.select(
        *KEYS,
        f.col("window.start").alias("window_start"),
        (length / 1e6).alias("window_s"),
        puts.cast("double").alias("puts"),
        f.lit(None).cast("double").alias("gets"),
        f.lit(None).cast("double").alias("depth"),
        took.cast("double").alias("took_us"),
    )


def anomalies(
    observations: DataFrame, habit: Habit | None = None, *, silence: bool = False, late: str = LATE
) -> DataFrame:
    """What is out of habit: a row for each rule and stretch of time, with score and words."""
    habit = habit or Habit()
    if observations.isStreaming:
        found = in_stream(observations, habit, silence, late)
    else:
        found = in_batch(observations, habit, silence)
    reported = found.select(
        *KEYS,
        "rule",
        f.timestamp_micros("start_us").alias("window_start"),
        "window_s",
        f.timestamp_micros("since_us").alias("since"),
        "value",
        "expected",
        "score",
    )
    return reported.withColumn("words", words())


def all_anomalies(
    queues: DataFrame | None = None,
    messages: DataFrame | None = None,
    exchanged: DataFrame | None = None,
    habit: Habit | None = None,
) -> DataFrame:
    """Of the served tables that there are, in a batch; column seen_in says of which a row is."""
    found = [
        of_table(name, observe(table), habit)
        for name, observe, table in (
            ("queues", of_queues, queues),
            ("messages", of_messages, messages),
            ("exchanges", of_exchanges, exchanged),
        )
        if table is not None
    ]
    if not found:
        raise ValueError("anomalies are those of a table, and there is none")
    return reduce(DataFrame.unionByName, found)


def of_table(name: str, observed: DataFrame, habit: Habit | None = None) -> DataFrame:
    """What is out of habit in the observations of one of the tables. In a stream each needs a query
    of its own: a table of which nothing comes would hold up the time of the others."""
    found = anomalies(observed, habit, silence=name == "messages")
    return found.withColumn("seen_in", f.lit(name))


def in_batch(observations: DataFrame, habit: Habit, silence: bool) -> DataFrame:
    """Scored with all observations of each queue."""

    def score(arrived: pd.DataFrame) -> pd.DataFrame:
        return first_time(arrived, habit, silence)

    counted = with_number(observations)
    newest = counted.agg(f.max("start_us").alias("newest"))
    return counted.crossJoin(f.broadcast(newest)).groupBy(*KEYS).applyInPandas(score, RESULT)


def with_number(observations: DataFrame) -> DataFrame:
    return observations.select("*", f.unix_micros("window_start").alias("start_us"))


def in_stream(observations: DataFrame, habit: Habit, silence: bool, late: str) -> DataFrame:
    """Scored with what Spark's state holds of each queue. Only silence needs to know the time to
    the minute; without it, records of some systems may come weeks after those of others. (By the
    clock's time instead, Spark would make batches without end, also in a run that is to end.)"""
    return (
        with_number(observations.withWatermark("window_start", late if silence else LATE_AT_MOST))
        .groupBy(*KEYS)
        .applyInPandasWithState(
            Scoring(habit, silence), RESULT, STATE, "append", "EventTimeTimeout"
        )
    )


class Scoring:
    """The function of the stateful step."""

    def __init__(self, habit: Habit, silence: bool) -> None:
        self._habit: Final = habit
        self._silence: Final = silence

    def __call__(
        self, key: Any, arrived: Iterator[pd.DataFrame], state: Any
    ) -> Iterator[pd.DataFrame]:
        if state.hasTimedOut:
            reported = after_silence(key, state, self._habit, self._silence)
        else:
            reported = observed_again(key, arrived, state, self._habit, self._silence)
        if len(reported):
            yield reported


def words() -> Column:
    """The description for a person."""
    queue, value, expected = f.col("queue"), f.col("value"), f.col("expected")
    # Of three a minute nobody wants to read that 0.1 a second are usual.
    is_slow = expected < 1
    unit = f.when(is_slow, f.lit("minute")).otherwise(f.lit("second"))
    times = f.when(is_slow, f.lit(60.0)).otherwise(f.lit(1.0))
    now, usually = value * times, expected * times
    rate = f.format_string(
        "%s: %.1f puts a %s; %.1f are usual (score %.1f)", queue, now, unit, usually, "score"
    )
    behind = f.format_string(
        "%s: only %.1f gets a %s while messages wait; %.1f are usual (score %.1f)",
        queue,
        now,
        unit,
        usually,
        "score",
    )
    late = f.format_string(
        "%s: messages took %.1f ms; %.1f ms are usual (score %.1f)",
        queue,
        value / 1000,
        expected / 1000,
        "score",
    )
    grows = f.format_string(
        "%s: %.0f messages, up from %.0f, although messages are got (score %.1f)",
        queue,
        value,
        expected,
        "score",
    )
    slows = f.when(f.col("score") < 0, behind).otherwise(late)
    rule = f.col("rule")
    return (
        f.when(rule == "unusual rate", rate).when(rule == "consumer slows", slows).otherwise(grows)
    )
