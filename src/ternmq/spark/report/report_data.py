"""What a report shows, out of its tables: Spark brings rows down to points, few enough for a page.

Time is divided into buckets of one length, at most POINTS_MAX of them and none shorter than the
intervals that were measured. Every function here is a query with a small answer; nothing of the
size of the data is collected. Moments leave Spark as numbers, so that no zone of this machine gets
in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import Any, Final, NamedTuple

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as f

from ternmq.spark.report.report_tables import MOMENTS, Tables

POINTS_MAX: Final = 120
ROWS_MAX: Final = 500  # of a table; one more is asked for, so that the page can say so
ALIKE_MAX: Final = 10  # findings of one rule that are listed one by one
DEEPEST: Final = 8  # of queues that are looked at although others are busier
_STEPS: Final = (
    1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200,
    86_400, 604_800,
)  # fmt: skip
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# A message says itself when it was put; what is beyond this no axis can show.
_LAST_MICROS: Final = 253_000_000_000_000_000
_OF_MESSAGES: Final = ("messages", "exchanges")
PERCENTILES: Final = (0.5, 0.95, 0.99)
_BINS: Final = 24


class Period(NamedTuple):
    """From when to when, and how long a bucket is."""

    first: datetime
    last: datetime
    step_s: int

    def bucket(self, when: str) -> Column:
        """The number of the bucket of a moment."""
        return f.floor(f.unix_micros(f.col(when)) / (self.step_s * 1_000_000)).alias("bucket")

    @property
    def micros(self) -> tuple[int, int]:
        """The first and the last, as Spark compares them without a zone."""
        first, last = ((one - _EPOCH) // timedelta(microseconds=1) for one in self[:2])
        return first, last + self.step_s * 1_000_000

    def moment(self, bucket: int) -> datetime:
        """When a bucket begins."""
        return _EPOCH + timedelta(seconds=bucket * self.step_s)


class Lines(NamedTuple):
    """Values of several things over the same moments."""

    times: list[datetime]
    values: dict[str, list[float | None]]

    def __bool__(self) -> bool:
        return bool(self.times)


class Survey(NamedTuple):
    """What there is, by one look at all tables."""

    rows: dict[str, int]
    managers: list[str]
    period: Period | None

    def has(self, name: str) -> bool:
        return self.rows.get(name, 0) > 0

    def named(self, *keys: str) -> Column:
        """The name of an object, with its queue manager only where there are several."""
        parts = [f.col(key) for key in keys]
        if len(self.managers) > 1:
            parts = [f.col("queue_manager"), *parts]
        return f.concat_ws(" \u00b7 ", *parts).alias("name")


def survey_of(tables: Tables) -> Survey:
    """How many rows, of which queue managers, about which time: one query for all tables."""
    looks = [look_at(name, table) for name, table in tables.items()]
    if not looks:
        return Survey({}, [], None)
    found = reduce(DataFrame.unionByName, looks).collect()
    managers = {name for row in found for name in row["managers"] if name}
    rows = {row["name"]: row["rows"] for row in found}
    dated = [row for row in found if row["first"] is not None]
    # Measured times decide, where there are any: a message may be of any age.
    measured = [row for row in dated if row["name"] not in _OF_MESSAGES]
    return Survey(rows, sorted(managers), period_of(measured or dated))


def look_at(name: str, table: DataFrame) -> DataFrame:
    when = MOMENTS.get(name, "")
    moment = f.lit(None).cast("bigint")
    if when:
        micros = f.unix_micros(when)
        moment = f.when(micros.between(0, _LAST_MICROS), micros)
    length = f.lit(0.0)
    if "interval_s" in table.columns:
        length = f.coalesce(f.col("interval_s"), length)
    manager = f.col("queue_manager") if "queue_manager" in table.columns else f.lit(None)
    return table.select(
        f.lit(name).alias("name"),
        f.count(f.lit(1)).alias("rows"),
        f.min(moment).alias("first"),
        f.max(moment + length * 1e6).alias("last"),
        f.percentile_approx(length, 0.5).cast("double").alias("length"),
        f.collect_set(manager.cast("string")).alias("managers"),
    )


def period_of(found: Sequence[Row]) -> Period | None:
    """The time that tables are about; None if none has a moment."""
    if not found:
        return None
    first = min(row["first"] for row in found)
    last = max(row["last"] for row in found)
    length_s = max(row["length"] or 0.0 for row in found)
    wanted = max((last - first) / 1e6 / POINTS_MAX, length_s * 0.98, 1.0)
    step = next((s for s in _STEPS if s >= wanted), math.ceil(wanted))
    return Period(moment_of(first), moment_of(last), step)


def moment_of(micros: float) -> datetime:
    return _EPOCH + timedelta(microseconds=int(micros))


def lines_of(period: Period, rows: Iterable[Row], names: Sequence[str]) -> Lines:
    """Rows with a bucket and a value for each name, as lines."""
    ordered = sorted(dated(rows), key=lambda row: int(row["bucket"]))
    times = [period.moment(row["bucket"]) for row in ordered]
    return Lines(times, {name: [float_of(row[name]) for row in ordered] for name in names})


def lines_by(period: Period, rows: Iterable[Row], key: str, value: str) -> Lines:
    """Rows with a bucket, a key and a value, as a line for each key."""
    found = {(row[key], row["bucket"]): float_of(row[value]) for row in dated(rows)}
    buckets = sorted({bucket for _, bucket in found})
    keys = list(dict.fromkeys(name for name, _ in found))
    values = {name: [found.get((name, bucket)) for bucket in buckets] for name in keys}
    return Lines([period.moment(bucket) for bucket in buckets], values)


def dated(rows: Iterable[Row]) -> list[Row]:
    """Those of which it is known when."""
    return [row for row in rows if row["bucket"] is not None]


def float_of(value: Any) -> float | None:
    if value is None or not math.isfinite(value):
        return None
    return float(value)


def message_rates(queues: DataFrame, period: Period) -> Lines:
    """Messages put and got in a second, over all queues."""
    intervals = queues.groupBy(
        period.bucket("interval_start"), "queue_manager", "interval_start"
    ).agg(
        f.sum("puts").alias("puts"),
        f.sum("gets").alias("gets"),
        f.max("interval_s").alias("length"),
    )
    length = f.nullif(f.sum("length"), f.lit(0.0))
    managers = intervals.groupBy("bucket", "queue_manager").agg(
        (f.sum("puts") / length).alias("put"),
        (f.sum("gets") / length).alias("got"),
    )
    rows = managers.groupBy("bucket").agg(f.sum("put").alias("put"), f.sum("got").alias("got"))
    return lines_of(period, rows.collect(), ("put", "got"))


def queue_rows(queues: DataFrame, name: Column) -> list[dict[str, Any]]:
    """Each queue over the whole time, the busiest first; of very many the busiest and the deepest.
    `all_puts` of each is what was put to all, also to those that are not among them."""
    waited = f.col("time_on_queue_us") * f.col("gets")
    known = f.when(f.col("time_on_queue_us").isNotNull(), f.col("gets"))
    everywhere = Window.partitionBy(f.lit(0))
    by_traffic = (f.desc(f.col("puts") + f.col("gets")), f.desc("deepest"), f.asc("name"))
    by_depth = (f.desc_nulls_last("deepest"), f.asc("name"))
    rows = (
        queues.withColumn("name", name)
        .groupBy("name")
        .agg(
            f.coalesce(f.sum("puts"), f.lit(0)).alias("puts"),
            f.coalesce(f.sum("gets"), f.lit(0)).alias("gets"),
            f.max("puts_per_s").alias("busiest"),
            f.max(f.greatest("depth_high", "depth")).alias("deepest"),
            f.max_by("depth", "interval_start").alias("depth"),
            (f.sum(waited) / f.nullif(f.sum(known), f.lit(0))).alias("waited"),
            f.max("oldest_s").alias("oldest_s"),
            f.sum("gets_without_message").alias("empty"),
            f.sum("expired").alias("expired"),
            f.sum("backed_out").alias("backed_out"),
            f.max("readers").alias("readers"),
            f.max("writers").alias("writers"),
        )
        .select(
            "*",
            f.sum("puts").over(everywhere).alias("all_puts"),
            f.row_number().over(everywhere.orderBy(*by_traffic)).alias("place"),
            f.row_number().over(everywhere.orderBy(*by_depth)).alias("depth_place"),
        )
        .where((f.col("place") <= ROWS_MAX + 1) | (f.col("depth_place") <= DEEPEST))
    )
    return [row.asDict() for row in rows.orderBy("place").collect()]


def queue_lines(
    queues: DataFrame, name: Column, period: Period, names: Sequence[str]
) -> tuple[Lines, Lines]:
    """Depth and time on queue of some queues over time: the highest of each bucket."""
    rows = (
        queues.withColumn("name", name)
        .where(f.col("name").isin(list(names)))
        .groupBy(period.bucket("interval_start"), "name")
        .agg(
            f.max(f.greatest("depth_high", "depth")).alias("depth"),
            f.max("time_on_queue_us").alias("waited"),
        )
        .collect()
    )
    return lines_by(period, rows, "name", "depth"), lines_by(period, rows, "name", "waited")


def mean_of(name: str) -> Column:
    """The mean of rates of intervals, long ones counting for more: the last is often short."""
    length = f.when(f.col(name).isNotNull(), f.col("interval_s"))
    weighed = f.sum(f.col(name) * f.col("interval_s")) / f.nullif(f.sum(length), f.lit(0.0))
    return weighed.alias(name)


def means(table: DataFrame, period: Period, columns: Sequence[str]) -> Lines:
    """Some columns over time: the mean of each bucket by queue manager, these added up."""
    managers = table.groupBy(period.bucket("interval_start"), "queue_manager").agg(
        *(mean_of(name) for name in columns)
    )
    rows = managers.groupBy("bucket").agg(*(f.sum(name).alias(name) for name in columns))
    return lines_of(period, rows.collect(), columns)


LOG_ADDED: Final = ("log_bytes_per_s", "forces_per_s")
LOG_HIGHEST: Final = ("mean_io_us_1_1", "mean_io_us_1_2", "longest_io_us", "busy_share")


def log_lines(log: DataFrame, period: Period) -> Lines:
    """What logs wrote, added up; how long that took at most."""
    managers = log.groupBy(period.bucket("interval_start"), "queue_manager").agg(
        *(mean_of(name) for name in LOG_ADDED),
        *(f.max(name).alias(name) for name in LOG_HIGHEST),
    )
    rows = managers.groupBy("bucket").agg(
        *(f.sum(name).alias(name) for name in LOG_ADDED),
        *(f.max(name).alias(name) for name in LOG_HIGHEST),
    )
    return lines_of(period, rows.collect(), (*LOG_ADDED, *LOG_HIGHEST))


def pool_lines(buffer_pools: DataFrame, name: Column, period: Period) -> Lines:
    """How full each buffer pool became, in percent."""
    table = buffer_pools.withColumn("name", name)
    rows = table.groupBy(period.bucket("interval_start"), "name").agg(
        ((1 - f.min("lowest_free_share")) * 100).alias("full")
    )
    return lines_by(period, rows.collect(), "name", "full")


def pool_rows(buffer_pools: DataFrame, name: Column) -> list[dict[str, Any]]:
    """Each buffer pool over the whole time."""
    rows = (
        buffer_pools.withColumn("name", name)
        .groupBy("name")
        .agg(
            f.max("buffers").alias("buffers"),
            ((1 - f.min("lowest_free_share")) * 100).alias("full"),
            f.avg("reads_per_s").alias("reads"),
            f.avg("pages_written_per_s").alias("writes"),
            f.sum("short_of_buffers").alias("short"),
        )
        .orderBy(f.desc("full"), "name")
    )
    return [row.asDict() for row in rows.limit(ROWS_MAX + 1).collect()]


def page_set_rows(page_sets: DataFrame, name: Column) -> list[dict[str, Any]]:
    """Each page set over the whole time."""
    rows = (
        page_sets.withColumn("name", name)
        .groupBy("name")
        .agg(
            f.max_by("pages", "interval_start").alias("pages"),
            f.max("percent_full").alias("full"),
            f.sum("times_full").alias("times_full"),
            f.sum("expansions").alias("expansions"),
            f.max("mean_write_us").alias("write"),
            f.max("mean_read_us").alias("read"),
        )
        .orderBy(f.desc("full"), "name")
    )
    return [row.asDict() for row in rows.limit(ROWS_MAX + 1).collect()]


def user_rows(chargeback: DataFrame) -> list[dict[str, Any]]:
    """Who used how much, the most first."""
    rows = chargeback.withColumn("messages", f.col("puts") + f.col("gets")).orderBy(
        f.desc("cpu_us"), f.desc("messages"), "application", "user"
    )
    return [row.asDict() for row in rows.limit(ROWS_MAX + 1).collect()]


def use_rows(queue_use: DataFrame, name: Column) -> list[dict[str, Any]]:
    """Queues by what was spent on them."""
    rows = queue_use.withColumn("name", name).orderBy(f.desc("cpu_us"), f.desc("calls"), "name")
    return [row.asDict() for row in rows.limit(ROWS_MAX + 1).collect()]


def channel_rows(channels: DataFrame, name: Column) -> list[dict[str, Any]]:
    """Each channel over the whole time."""
    rows = (
        channels.withColumn("name", name)
        .groupBy("name", "type", "connection")
        .agg(
            f.sum("messages").alias("messages"),
            f.sum("bytes").alias("bytes"),
            f.sum("batches").alias("batches"),
            (f.sum("messages") / f.nullif(f.sum("batches"), f.lit(0))).alias("fill"),
            f.max("batch_size").alias("batch_size"),
            f.max("bytes_per_s").alias("fastest"),
            f.max("network_us").alias("network_us"),
            f.max_by("status", "collected").alias("status"),
        )
        .orderBy(f.desc("bytes"), "name")
    )
    return [row.asDict() for row in rows.limit(ROWS_MAX + 1).collect()]


def finding_rows(findings: DataFrame) -> list[dict[str, Any]]:
    """What was found, each thing once, in the words of its latest time. Of one rule the most
    frequent; `alike` says of how many."""
    of_rule = Window.partitionBy("rule")
    rows = (
        findings.groupBy("queue_manager", "rule", "object")
        .agg(
            f.count(f.lit(1)).alias("times"),
            f.unix_micros(f.max("interval_start")).alias("last"),
            f.coalesce(f.max_by("words", "interval_start"), f.max("words")).alias("words"),
        )
        .select(
            "*",
            f.count(f.lit(1)).over(of_rule).alias("alike"),
            f.row_number().over(of_rule.orderBy(f.desc("times"), "object")).alias("place"),
        )
        .where(f.col("place") <= ALIKE_MAX)
        .orderBy("rule", "place")
    )
    return [row.asDict() for row in rows.limit(ROWS_MAX + 1).collect()]


def anomaly_rows(anomalies: DataFrame) -> list[dict[str, Any]]:
    """What was out of its habit, the worst first."""
    rows = anomalies.withColumn("at", f.unix_micros("window_start")).orderBy(
        f.abs("score").desc_nulls_last(), "queue", "window_start"
    )
    kept = rows.select(
        "queue_manager", "queue", "rule", "at", "value", "expected", "score", "words"
    )
    return [row.asDict() for row in kept.limit(ROWS_MAX).collect()]


def latency_lines(exchanges: DataFrame, period: Period) -> Lines:
    """Half, 95 and 99 of a hundred replies came within so many microseconds."""
    found = f.percentile_approx("latency_us", list(PERCENTILES))
    rows = (
        exchanges.where("latency_us is not null")
        .where(f.unix_micros("requested_at").between(*period.micros))
        .groupBy(period.bucket("requested_at"))
        .agg(found.alias("p"))
        .select("bucket", *(f.col("p")[n].alias(label(p)) for n, p in enumerate(PERCENTILES)))
    )
    return lines_of(period, rows.collect(), [label(p) for p in PERCENTILES])


def label(percentile: float) -> str:
    return f"{percentile * 100:.0f} %"


def latency_rows(exchanges: DataFrame, named: Callable[..., Column]) -> list[dict[str, Any]]:
    """Replies by the queue of their requests. Where requests and replies lie on one queue, it is
    one that receives copies: then by the queue that the requests want their replies on, which
    is all that is known of where they were put."""
    found = f.percentile_approx("latency_us", list(PERCENTILES))
    where = ["queue_manager", "request_queue"]
    same = f.col("reply_queue") == f.col("request_queue")
    copies = exchanges.where(same).select(*where, f.lit(True).alias("is_copy")).distinct()
    wanted = f.when(f.col("is_copy"), f.nullif(f.col("reply_to_q"), f.lit("")))
    rows = (
        exchanges.join(f.broadcast(copies), where, "left")
        .withColumn("asked_on", f.coalesce(wanted, "request_queue"))
        .withColumn("name", named("asked_on"))
        .groupBy("name", "is_copy")
        .agg(
            f.count(f.lit(1)).alias("requests"),
            f.count("latency_us").alias("answered"),
            found.alias("p"),
            f.max("latency_us").alias("longest"),
            f.min("request_queue").alias("found_on"),
        )
        .select(
            "name",
            "is_copy",
            "found_on",
            "requests",
            "answered",
            f.sum("answered").over(Window.partitionBy(f.lit(0))).alias("all_answered"),
            "longest",
            *(f.col("p")[n].alias(label(p)) for n, p in enumerate(PERCENTILES)),
        )
        .orderBy(f.desc("requests"), "name")
    )
    return [row.asDict() for row in rows.limit(ROWS_MAX + 1).collect()]


def latency_histogram(exchanges: DataFrame) -> tuple[list[float], list[float]]:
    """Edges and counts; what took longer than nearly all is in the last."""
    known = exchanges.where("latency_us is not null")
    found = known.select(f.percentile_approx("latency_us", 0.995)).first()
    top = float(found[0]) if found is not None and found[0] is not None else 0.0
    if top <= 0:
        return [], []
    width = top / _BINS
    # Below zero a reply can be when the clocks of two queue managers differ.
    place = f.floor(f.col("latency_us") / width).cast("int")
    place = f.greatest(f.least(place, f.lit(_BINS - 1)), f.lit(0)).alias("place")
    counted = {int(row["place"]): row["count"] for row in known.groupBy(place).count().collect()}
    edges = [width * n for n in range(_BINS + 1)]
    return edges, [float(counted.get(n, 0)) for n in range(_BINS)]


def lake_rows(messages: DataFrame, name: Column) -> list[dict[str, Any]]:
    """What the lake holds of each queue. Bodies are not looked at: they are most of the lake."""
    rows = (
        messages.withColumn("name", name)
        .groupBy("name")
        .agg(
            f.count(f.lit(1)).alias("messages"),
            f.unix_micros(f.min("put_timestamp")).alias("first"),
            f.unix_micros(f.max("put_timestamp")).alias("last"),
        )
        .orderBy(f.desc("messages"), "name")
    )
    return [row.asDict() for row in rows.limit(ROWS_MAX + 1).collect()]
