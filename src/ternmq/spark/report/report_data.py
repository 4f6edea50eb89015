"""What a report shows, out of its tables: queries whose answers are points, few enough for a page.

Time is divided into buckets of one length, so that about POINTS_MAX of them have an interval that
was measured: as long as there are not more intervals, each is a point. Every function here is a
query with a small answer; nothing of the size of the data is collected. Moments leave a query as
numbers, so that no zone of this machine gets in. Queue managers are not added up: each has its own
line.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ternmq.spark.frames.functions import Window, f
from ternmq.spark.report.point_lines import LAST_MICROS, Lines, Period, lines_by, moment_of
from ternmq.spark.report.report_tables import MOMENTS, Tables
from ternmq.spark.report.spikes import BEYOND_US, TIMES

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row

POINTS_MAX: Final = 120
EVENT_POINTS_MAX: Final = 60
ROWS_MAX: Final = 500  # of a table; one more is asked for, so that the page can say so
ALIKE_MAX: Final = 10  # findings of one rule that are listed one by one
DEEPEST: Final = 8  # of queues that are looked at although others are busier
JUMPS_MAX: Final = (
    40  # queues that are looked at because their messages stayed much longer at times
)
_STEPS: Final = (
    1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200,
    86_400, 604_800,
)  # fmt: skip
_OF_MESSAGES: Final = ("messages", "exchanges")
PERCENTILES: Final = (0.5, 0.95, 0.99)
ACCURACY: Final = 1_000_000  # of percentiles: Spark's are exact for up to so many values
_BINS: Final = 24


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

    def manager(self) -> Column:
        """The queue manager alone."""
        return f.col("queue_manager")


def survey_of(tables: Tables) -> Survey:
    """How many rows, of which queue managers, about which time: one query for all tables."""
    looks = [look_at(name, table) for name, table in tables.items()]
    if not looks:
        return Survey({}, [], None)
    found = reduce(lambda one, other: one.unionByName(other), looks).collect()
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
        moment = f.when(micros.between(0, LAST_MICROS), micros)
    length = f.lit(0.0)
    if "interval_s" in table.columns:
        length = f.coalesce(f.col("interval_s"), length)
    manager = f.col("queue_manager") if "queue_manager" in table.columns else f.lit(None)
    return table.select(
        f.lit(name).alias("name"),
        f.count(f.lit(1)).alias("rows"),
        f.min(moment).alias("first"),
        f.max(moment + length * 1e6).alias("last"),
        f.countDistinct(moment).alias("moments"),
        f.percentile_approx(length, 0.5, ACCURACY).cast("double").alias("length"),
        f.collect_set(manager.cast("string")).alias("managers"),
    )


def period_of(found: Sequence[Row]) -> Period | None:
    """The time that tables are about; None if none has a moment."""
    if not found:
        return None
    first = min(row["first"] for row in found)
    last = max(row["last"] for row in found)
    # Buckets without an interval have no point: long gaps do not make others coarse.
    span_s = (last - first) / 1e6
    measured_s = max((row["moments"] * row["length"] for row in found if row["length"]), default=0)
    drawn_s = min(span_s, measured_s) if measured_s else span_s
    return Period(moment_of(first), moment_of(last), step_of(drawn_s, POINTS_MAX))


def step_of(span_s: float, points: int) -> int:
    """How long a bucket is, so that there are about so many in a time."""
    wanted = max(span_s / points, 1.0)
    return next((step for step in _STEPS if step >= wanted), math.ceil(wanted))


def for_events(period: Period) -> Period:
    """The same time in longer buckets, for what happens one by one and is measured in none."""
    span_s = (period.last - period.first).total_seconds()
    return period._replace(step_s=max(period.step_s, step_of(span_s, EVENT_POINTS_MAX)))


def latest(value: str, when: str) -> Column:
    """The value of the latest row; of several of that moment the highest, so that a report is the
    same each time."""
    return f.max_by(value, f.struct(when, value))


def by_manager(rows: Iterable[Mapping[str, Any]], values: Sequence[str]) -> dict[str, Lines]:
    """Lines of each value, one for each queue manager."""
    some = list(rows)
    return {value: lines_by(some, "queue_manager", value) for value in values}


class Rates(NamedTuple):
    """Messages of one queue manager: how many, and how many in a second over its intervals."""

    manager: str
    puts: int
    put_rate: float | None
    got_rate: float | None


def message_rates(queues: DataFrame, period: Period) -> tuple[list[Rates], dict[str, Lines]]:
    """Messages put and got in a second, over all queues of each queue manager."""
    intervals = queues.groupBy(
        period.bucket("interval_start"), "queue_manager", "interval_start"
    ).agg(
        f.try_sum("puts").alias("puts"),
        f.try_sum("gets").alias("gets"),
        f.max("interval_s").alias("interval_s"),
    )
    spent = f.nullif(f.try_sum("interval_s"), f.lit(0.0))
    rows = (
        intervals.groupBy("bucket", "queue_manager")
        .agg(
            (f.try_sum("puts") / spent).alias("put"),
            (f.try_sum("gets") / spent).alias("got"),
            f.try_sum("puts").alias("puts"),
            f.try_sum("gets").alias("gets"),
            f.try_sum("interval_s").alias("spent"),
            *period.measured(),
        )
        .orderBy("queue_manager", "bucket")
    )
    found = [row.asDict() for row in rows.collect()]
    names = dict.fromkeys(row["queue_manager"] for row in found)
    totals = [rates_of(name, [r for r in found if r["queue_manager"] == name]) for name in names]
    return totals, by_manager(found, ("put", "got"))


def rates_of(manager: str, rows: Sequence[Mapping[str, Any]]) -> Rates:
    """The sums of one queue manager; a rate of no time is unknown."""
    puts, gets = (sum(row[name] or 0 for row in rows) for name in ("puts", "gets"))
    spent = sum(row["spent"] or 0.0 for row in rows)
    return Rates(manager, puts, puts / spent if spent else None, gets / spent if spent else None)


def queue_rows(queues: DataFrame, name: Column) -> list[dict[str, Any]]:
    """Each queue over the whole time, the busiest first; of very many the busiest, the deepest and
    those that may have a spike, by whose `jump` messages stayed longer at times. What was not
    measured is null."""
    # Numbers of a damaged record may be of any size: as doubles, or unknown, never too large.
    waited = f.col("time_on_queue_us").cast("double") * f.col("gets")
    known = f.when(f.col("time_on_queue_us").isNotNull(), f.col("gets"))
    everywhere = Window.partitionBy(f.lit(0))
    none = f.lit(0)
    traffic = f.try_add(f.coalesce(f.col("puts"), none), f.coalesce(f.col("gets"), none))
    by_traffic = (f.desc(traffic), f.desc("deepest"), f.asc("name"))
    by_depth = (f.desc_nulls_last("deepest"), f.asc("name"))
    by_jump = (f.desc_nulls_last("jump"), f.asc("name"))
    shortest, longest = f.min("time_on_queue_us"), f.max("time_on_queue_us")
    jump = longest.cast("double") - shortest
    is_jump = (longest >= shortest * TIMES) & (jump >= BEYOND_US)
    rows = (
        queues.withColumn("name", name)
        .groupBy("name")
        .agg(
            f.try_sum("puts").alias("puts"),
            f.try_sum("gets").alias("gets"),
            f.max("puts_per_s").alias("busiest"),
            f.max(f.greatest("depth_high", "depth")).alias("deepest"),
            latest("depth", "interval_start").alias("depth"),
            (f.try_sum(waited) / f.nullif(f.try_sum(known), f.lit(0))).alias("waited"),
            f.when(is_jump, jump).alias("jump"),
            f.max("oldest_s").alias("oldest_s"),
            f.try_sum("gets_without_message").alias("empty"),
            f.try_sum("expired").alias("expired"),
            f.try_sum("backed_out").alias("backed_out"),
            f.max("readers").alias("readers"),
            f.max("writers").alias("writers"),
        )
        .select(
            "*",
            f.row_number().over(everywhere.orderBy(*by_traffic)).alias("place"),
            f.row_number().over(everywhere.orderBy(*by_depth)).alias("depth_place"),
            f.row_number().over(everywhere.orderBy(*by_jump)).alias("jump_place"),
        )
        .where(
            (f.col("place") <= ROWS_MAX + 1)
            | (f.col("depth_place") <= DEEPEST)
            | (f.col("jump").isNotNull() & (f.col("jump_place") <= JUMPS_MAX))
        )
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
            *period.measured(),
        )
        .orderBy("name", "bucket")
    )
    found = [row.asDict() for row in rows.collect()]
    return lines_by(found, "name", "depth"), lines_by(found, "name", "waited")


def mean_of(name: str) -> Column:
    """The mean of rates of intervals, long ones counting for more: the last is often short."""
    length = f.when(f.col(name).isNotNull(), f.col("interval_s"))
    weighed = f.try_sum(f.col(name) * f.col("interval_s")) / f.nullif(f.try_sum(length), f.lit(0.0))
    return weighed.alias(name)


def means(table: DataFrame, period: Period, columns: Sequence[str]) -> dict[str, Lines]:
    """Some columns over time: the mean of each bucket, a line for each queue manager."""
    rows = (
        table.groupBy(period.bucket("interval_start"), "queue_manager")
        .agg(*(mean_of(name) for name in columns), *period.measured())
        .orderBy("queue_manager", "bucket")
    )
    return by_manager([row.asDict() for row in rows.collect()], columns)


LOG_ADDED: Final = ("log_bytes_per_s", "forces_per_s")
LOG_HIGHEST: Final = ("mean_io_us_1_1", "mean_io_us_1_2", "longest_io_us", "busy_percent")


def log_lines(log: DataFrame, period: Period) -> dict[str, Lines]:
    """What logs wrote; how long that took at most. A line for each queue manager."""
    rows = (
        log.withColumn("busy_percent", f.col("busy_share") * 100)
        .groupBy(period.bucket("interval_start"), "queue_manager")
        .agg(
            *(mean_of(name) for name in LOG_ADDED),
            *(f.max(name).alias(name) for name in LOG_HIGHEST),
            *period.measured(),
        )
        .orderBy("queue_manager", "bucket")
    )
    return by_manager([row.asDict() for row in rows.collect()], (*LOG_ADDED, *LOG_HIGHEST))


def pool_lines(buffer_pools: DataFrame, name: Column, period: Period) -> Lines:
    """How full each buffer pool became, in percent."""
    table = buffer_pools.withColumn("name", name)
    rows = (
        table.groupBy(period.bucket("interval_start"), "name")
        .agg(((1 - f.min("lowest_free_share")) * 100).alias("full"), *period.measured())
        .orderBy("name", "bucket")
    )
    return lines_by([row.asDict() for row in rows.collect()], "name", "full")


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
            f.try_sum("short_of_buffers").alias("short"),
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
            latest("pages", "interval_start").alias("pages"),
            f.max("percent_full").alias("full"),
            f.try_sum("times_full").alias("times_full"),
            f.try_sum("expansions").alias("expansions"),
            f.max("mean_write_us").alias("write"),
            f.max("mean_read_us").alias("read"),
        )
        .orderBy(f.desc("full"), "name")
    )
    return [row.asDict() for row in rows.limit(ROWS_MAX + 1).collect()]


def user_rows(chargeback: DataFrame) -> list[dict[str, Any]]:
    """Who used how much, the most first."""
    rows = chargeback.withColumn("messages", f.try_add(f.col("puts"), f.col("gets"))).orderBy(
        f.desc("cpu_us"), f.desc("messages"), "application", "user", "kind", "queue_manager"
    )
    return [row.asDict() for row in rows.limit(ROWS_MAX + 1).collect()]


class Costs(NamedTuple):
    """What all applications used; `in_transactions`: what those used that have transactions."""

    cpu_us: int
    in_transactions: int
    transactions: int
    messages: int


def costs(chargeback: DataFrame) -> Costs:
    """Sums over all applications, not only those that a page lists."""
    ended = f.col("transactions")
    found = chargeback.select(
        f.try_sum("cpu_us").alias("cpu_us"),
        f.try_sum(f.when(ended > 0, f.col("cpu_us"))).alias("in_transactions"),
        f.try_sum("transactions").alias("transactions"),
        f.try_sum(f.try_add(f.col("puts"), f.col("gets"))).alias("messages"),
    ).first()
    row = {} if found is None else found.asDict()
    return Costs(*(row.get(name) or 0 for name in Costs._fields))


def use_rows(queue_use: DataFrame, name: Column) -> list[dict[str, Any]]:
    """Queues by what was spent on them."""
    longest = f.when(f.col("gets") > 0, f.col("longest_on_queue_us"))
    used = queue_use.withColumn("name", name).withColumn("longest_on_queue_us", longest)
    rows = used.orderBy(f.desc("cpu_us"), f.desc("calls"), "name", "system")
    return [row.asDict() for row in rows.limit(ROWS_MAX + 1).collect()]


def channel_rows(channels: DataFrame, name: Column) -> list[dict[str, Any]]:
    """Each channel over the whole time. Channels of clients have no batches, and no network time
    was measured where it is 0."""
    batches = f.when(f.col("type") != "SvrConn", f.col("batches"))
    rows = (
        channels.withColumn("name", name)
        .groupBy("name", "type", "connection")
        .agg(
            f.try_sum("messages").alias("messages"),
            f.try_sum("bytes").alias("bytes"),
            f.try_sum(batches).alias("batches"),
            (f.try_sum("messages") / f.nullif(f.try_sum("batches"), f.lit(0))).alias("fill"),
            f.max("batch_size").alias("batch_size"),
            f.max("bytes_per_s").alias("fastest"),
            f.nullif(f.max("network_us"), f.lit(0)).alias("network_us"),
            latest("status", "collected").alias("status"),
        )
        .orderBy(f.desc("bytes"), "name", "type", "connection")
    )
    return [row.asDict() for row in rows.limit(ROWS_MAX + 1).collect()]


def finding_rows(findings: DataFrame) -> list[dict[str, Any]]:
    """What was found, each thing once, in the words of its latest time. Of one rule the most
    frequent; `alike` says of how many."""
    of_rule = Window.partitionBy("rule")
    by_times = (f.desc("times"), "object", "queue_manager")
    rows = (
        findings.groupBy("queue_manager", "rule", "object")
        .agg(
            f.count(f.lit(1)).alias("times"),
            f.unix_micros(f.max("interval_start")).alias("last"),
            latest("words", "interval_start").alias("words"),
        )
        .select(
            "*",
            f.count(f.lit(1)).over(of_rule).alias("alike"),
            f.row_number().over(of_rule.orderBy(*by_times)).alias("place"),
        )
        .where(f.col("place") <= ALIKE_MAX)
        .orderBy("rule", "place")
    )
    return [row.asDict() for row in rows.limit(ROWS_MAX + 1).collect()]


def anomaly_rows(anomalies: DataFrame) -> list[dict[str, Any]]:
    """What was out of its habit, the worst first."""
    rows = anomalies.withColumn("at", f.unix_micros("window_start")).orderBy(
        f.abs("score").desc_nulls_last(), "queue", "window_start", "queue_manager", "rule"
    )
    kept = rows.select(
        "queue_manager", "queue", "rule", "at", "value", "expected", "score", "words"
    )
    return [row.asDict() for row in kept.limit(ROWS_MAX).collect()]


def percentiles(wanted: Sequence[float] = PERCENTILES) -> Column:
    """Percentiles of latency; exact for up to ACCURACY replies."""
    return f.percentile_approx("latency_us", list(wanted), ACCURACY)


def latency_lines(exchanges: DataFrame, name: Column, period: Period) -> dict[str, Lines]:
    """Percentiles of the latency of replies over time, a line for each name."""
    rows = (
        exchanges.where(f.col("latency_us").isNotNull())
        .where(f.unix_micros("requested_at").between(*period.micros))
        .withColumn("name", name)
        .groupBy(period.bucket("requested_at"), "name")
        .agg(percentiles().alias("p"))
        .select(
            "bucket", "name", *(f.col("p")[n].alias(label(p)) for n, p in enumerate(PERCENTILES))
        )
        .orderBy("name", "bucket")
    )
    found = period.counted([row.asDict() for row in rows.collect()])
    return {label(p): lines_by(found, "name", label(p)) for p in PERCENTILES}


def label(percentile: float) -> str:
    """Median, 99th percentile."""
    return "Median" if percentile == 0.5 else f"{percentile * 100:.0f}th percentile"


def latency_rows(exchanges: DataFrame, named: Callable[..., Column]) -> list[dict[str, Any]]:
    """Replies by the queue of their requests. Where requests and replies are on one queue, it is
    one that receives copies: then by the queue that the requests want their replies on, which
    is all that is known of where they were put."""
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
            percentiles().alias("p"),
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
        .orderBy(f.desc("requests"), "name", "is_copy")
    )
    return [row.asDict() for row in rows.limit(ROWS_MAX + 1).collect()]


def latency_histogram(exchanges: DataFrame) -> tuple[list[float], list[float]]:
    """Edges and counts; what took longer than nearly all is in the last."""
    known = exchanges.where(f.col("latency_us").isNotNull())
    found = known.select(f.percentile_approx("latency_us", 0.995, ACCURACY).alias("top")).first()
    top = float(found["top"]) if found is not None and found["top"] is not None else 0.0
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
