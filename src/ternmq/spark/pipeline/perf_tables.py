"""Rates and costs of the points of `ternmq perf`, from the served tables of its SMF records.

A point has a window, in which all tasks were at work. What counts are the statistics intervals that
are wholly inside; the first, which began a moment before the work, does not. A rate is what was
counted in them for each second of them. A cost is the CPU time of the tasks, by accounting, for
each of what was counted: a stretch of a task belongs to the intervals if its middle does, so that
the milliseconds between the ends of statistics and of accounting do not matter.

Beside that stands what was counted from the first to the last: all intervals between the moments at
which measuring began and ended, whole or not. That is to be what the applications have done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

MEGABYTE: Final = 1_000_000
# What is counted, as `perf.workload` names it.
GETS: Final = "gets"
PUTS: Final = "puts"
BYTES: Final = "bytes"
LOG_BYTES: Final = "log bytes"
NEEDED: Final = ("queues", "log", "tasks")


class Window(NamedTuple):
    """When a point was measured, and what counts."""

    number: int
    begin_s: float
    end_s: float
    counted: str  # the beginning of the names of the queues, without the dot
    counts: str
    cost_of_putters: bool
    from_s: float  # when measuring began and ended
    to_s: float


class Figures(NamedTuple):
    """What SMF says about a point; None where it says nothing."""

    number: int
    intervals: int
    rate: float | None
    cost: float | None
    done: int | None  # messages, from the first to the last


_WINDOW: Final = (
    "number int, begin_s double, end_s double, counted string, counts string,"
    " cost_of_putters boolean, from_s double, to_s double"
)


def windows_of(spark: SparkSession, windows: Sequence[Window]) -> DataFrame:
    """The windows as a table, with instants."""
    table = spark.createDataFrame([tuple(one) for one in windows], _WINDOW)
    return table.select(
        "*",
        *(
            f.timestamp_micros((f.col(f"{name}_s") * 1e6).cast("long")).alias(name)
            for name in ("begin", "end", "from", "to")
        ),
    )


def ended() -> Column:
    """When an interval ended."""
    micros = f.unix_micros("interval_start") + (f.col("interval_s") * 1e6).cast("long")
    return f.timestamp_micros(micros)


def intervals_of(windows: DataFrame, log: DataFrame) -> DataFrame:
    """The whole intervals of each window: the log has a row for each, whatever happened in it."""
    reported = log.select("queue_manager", "interval_start", "interval_s", ended().alias("ended"))
    inside = (reported["interval_start"] >= windows["begin"]) & (
        reported["ended"] <= windows["end"]
    )
    return reported.join(f.broadcast(windows), inside)


def amounts_of(intervals: DataFrame, queues: DataFrame, log: DataFrame) -> DataFrame:
    """What was counted in the intervals of each window: messages, or megabytes."""
    same = ["queue_manager", "interval_start"]
    keys = intervals.select(*same, "number", "counted", "counts")
    traffic = queues.select(
        *same,
        "queue",
        "gets",
        "puts",
        (f.col("get_bytes_per_s") * f.col("interval_s")).alias("bytes"),
    )
    of_queues = (
        traffic.join(f.broadcast(keys), same)
        .where(f.col("queue").startswith(f.concat("counted", f.lit("."))))
        .select(
            "number",
            f.when(f.col("counts") == PUTS, f.col("puts"))
            .when(f.col("counts") == BYTES, f.col("bytes") / MEGABYTE)
            .when(f.col("counts") == GETS, f.col("gets"))
            .alias("amount"),
        )
    )
    of_log = (
        log.select(*same, (f.col("log_bytes_per_s") * f.col("interval_s")).alias("bytes"))
        .join(f.broadcast(keys), same)
        .where(f.col("counts") == LOG_BYTES)
        .select("number", (f.col("bytes") / MEGABYTE).alias("amount"))
    )
    both = of_queues.unionByName(of_log)
    return both.groupBy("number").agg(f.sum("amount").cast("double").alias("amount"))


def totals_of(windows: DataFrame, queues: DataFrame) -> DataFrame:
    """Messages of the counted queues of each window, from the first to the last."""
    inside = (
        (queues["interval_start"] >= windows["from"])
        & (queues["interval_start"] < windows["to"])
        & queues["queue"].startswith(f.concat(windows["counted"], f.lit(".")))
    )
    messages = f.when(windows["counts"] == PUTS, queues["puts"]).otherwise(queues["gets"])
    return (
        queues.join(f.broadcast(windows), inside)
        .groupBy("number")
        .agg(f.sum(messages).cast("long").alias("done"))
    )


def used_of(spans: DataFrame, tasks: DataFrame) -> DataFrame:
    """CPU time of the tasks of each window."""
    middle = (f.unix_micros("interval_start") + f.unix_micros("interval_end")) / 2
    reported = tasks.select(
        "queue_manager",
        "puts",
        "cpu_us",
        f.timestamp_micros(middle.cast("long")).alias("middle"),
    )
    inside = (
        (reported["queue_manager"] == spans["queue_manager"])
        & (reported["middle"] >= spans["first"])
        & (reported["middle"] < spans["last"])
        & (~spans["cost_of_putters"] | (reported["puts"] > 0))
    )
    return (
        reported.join(f.broadcast(spans), inside)
        .groupBy("number")
        .agg(f.sum("cpu_us").alias("cpu_us"))
    )


def figures_table(windows: DataFrame, tables: Mapping[str, DataFrame]) -> DataFrame:
    """number, intervals, rate, cost and done of each window; without a whole interval there are
    0 intervals, no rate and no cost."""
    intervals = intervals_of(windows, tables["log"])
    spans = intervals.groupBy("number", "queue_manager", "cost_of_putters").agg(
        f.count("*").alias("intervals"),
        f.sum("interval_s").alias("seconds"),
        f.min("interval_start").alias("first"),
        f.max("ended").alias("last"),
    )
    amounts = amounts_of(intervals, tables["queues"], tables["log"])
    used = used_of(spans, tables["tasks"])
    return (
        totals_of(windows, tables["queues"])
        .join(spans, "number", "full")
        .join(amounts, "number", "left")
        .join(used, "number", "left")
        .select(
            "number",
            f.coalesce("intervals", f.lit(0)).alias("intervals"),
            (f.col("amount") / f.col("seconds")).alias("rate"),
            f.when(f.col("amount") > 0, f.col("cpu_us") / f.col("amount")).alias("cost"),
            "done",
        )
    )


def figures(
    spark: SparkSession, windows: Sequence[Window], tables: Mapping[str, DataFrame]
) -> list[Figures]:
    """The same as values, one for each window that SMF knows about."""
    if not windows:
        return []
    rows = figures_table(windows_of(spark, windows), tables).orderBy("number").collect()
    return [Figures(*(row[name] for name in Figures._fields)) for row in rows]
