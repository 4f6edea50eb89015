"""What deserves a look, in words: rules over the tables, one row for each case.

    polling         gets far above the messages that came of them
    missing index   gets by identifier that pass over many messages on a queue without an index
    selector scan   a selector scans a deep queue: many messages looked at for each that matches
    log bound       the log writer busy most of the interval, or tasks that waited for a buffer
    buffers short   a buffer pool that ran out of free buffers
    empty batches   a channel whose batches never fill, with many of them

A rule that does not apply, because a value is null or nothing happened, says nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.spark.frames.functions import f

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


GETS_PER_MESSAGE: Final = 10.0
GETS_MIN: Final = 100
SKIPPED_PER_GET: Final = 10.0
LOOKED_PER_MATCH: Final = 100.0
DEEP: Final = 1000
LOG_BUSY_SHARE: Final = 0.8
FREE_SHARE: Final = 0.05
BATCHES_MIN: Final = 100
BATCH_FILL_SHARE: Final = 0.1


def finding(table: DataFrame, rule: str, named: str, value: Column, words: Column) -> DataFrame:
    """Rows of a table as findings: about which object, with which value, in which words."""
    when = "interval_start" if "interval_start" in table.columns else None
    return table.select(
        f.col("queue_manager"),
        f.lit(rule).alias("rule"),
        f.col(named).cast("string").alias("object"),
        (f.col(when) if when else f.lit(None).cast("timestamp")).alias("interval_start"),
        value.cast("double").alias("value"),
        words.alias("words"),
    )


def counted(number: str | Column, noun: str) -> Column:
    """So many of something: 1 message, 2 messages."""
    value = f.col(number) if isinstance(number, str) else number
    return f.format_string("%d %s", value, f.when(value == 1, noun).otherwise(f"{noun}s"))


def polling(queue_use: DataFrame) -> DataFrame:
    """Queues whose readers ask much oftener than there is something."""
    asked = f.col("get_calls")
    often = (asked >= GETS_MIN) & (asked > GETS_PER_MESSAGE * f.col("gets"))
    words = f.format_string(
        "%s: %d gets for %s; a get that waits costs less than asking again",
        "queue",
        "get_calls",
        counted("gets", "message"),
    )
    value = asked / f.greatest(f.col("gets"), f.lit(1))
    return finding(queue_use.where(often), "polling", "queue", value, words)


def missing_index(queue_use: DataFrame) -> DataFrame:
    """Queues that are read by identifier and have no index for it."""
    skipped = f.col("skipped") - f.coalesce(f.col("selector_skipped"), f.lit(0))
    per_get = skipped / f.col("specific_gets")
    many = (f.col("specific_gets") > 0) & (per_get > SKIPPED_PER_GET) & (f.col("index") == "None")
    words = f.format_string(
        "%s: %s by identifier passed over %d messages; an index (INDXTYPE) finds them at once",
        "queue",
        counted("specific_gets", "get"),
        skipped,
    )
    return finding(queue_use.where(many), "missing index", "queue", per_get, words)


def selector_scan(queue_use: DataFrame) -> DataFrame:
    """Deep queues that selectors look through."""
    matched = f.col("selector_matched")
    looked = f.col("selector_skipped") + matched
    per_match = looked / f.greatest(matched, f.lit(1))
    many = (f.col("depth_high") >= DEEP) & (per_match > LOOKED_PER_MATCH)
    words = f.format_string(
        "%s: a selector scans a deep queue: %d gets looked at %d messages for %d that matched, %.0f"
        " for each, and it was %d deep; a CorrelId is found at once, a queue of their own needs no"
        " search. DISPLAY QSTATUS(%s) TYPE(HANDLE) SELECTOR SELLOOK SELMATCH shows whose it is (%d"
        " bytes)",
        "queue",
        "selector_gets",
        looked,
        matched,
        per_match,
        "depth_high",
        "queue",
        "selector_length",
    )
    chosen = queue_use.where((f.col("selector_gets") > 0) & many)
    return finding(chosen, "selector scan", "queue", per_match, words)


def log_bound(log: DataFrame) -> DataFrame:
    """Intervals in which the log was the limit."""
    share = f.greatest("busy_share", "writer_busy_share")
    busy = (share > LOG_BUSY_SHARE) | (f.col("waits_for_buffer") > 0)
    wrote = f.format_string("the log wrote during %.0f %% of the interval", share * 100)
    waits = f.col("waits_for_buffer")
    waited = f.concat(counted(waits, "request"), f.lit(" waited for a buffer"))
    words = f.concat_ws(", and ", f.when(share.isNotNull(), wrote), f.when(waits > 0, waited))
    return finding(log.where(busy), "log bound", "queue_manager", share, words)


def buffers_short(buffer_pools: DataFrame) -> DataFrame:
    """Buffer pools that are too small for what they hold."""
    short = (f.col("short_of_buffers") > 0) | (f.col("lowest_free_share") < FREE_SHARE)
    free, none = f.col("lowest_free_share"), f.col("short_of_buffers")
    pool = f.format_string("buffer pool %d of %d buffers", "buffer_pool", "buffers")
    low = f.format_string(" came down to %.1f %% free", free * 100)
    found_none = f.concat(f.lit("tasks found none "), counted(none, "time"))
    words = f.concat_ws(
        "; ",
        f.concat(pool, f.coalesce(f.when(free.isNotNull(), low), f.lit(""))),
        f.when(none > 0, found_none),
    )
    value = f.col("lowest_free_share")
    return finding(buffer_pools.where(short), "buffers short", "buffer_pool", value, words)


def empty_batches(channels: DataFrame) -> DataFrame:
    """Channels that end a batch for nearly every message."""
    fill = f.col("messages_per_batch") / f.col("batch_size")
    small = (f.col("batches") >= BATCHES_MIN) & (f.col("batch_size") > 1)
    words = f.format_string(
        "%s: %s in %d batches of up to %d; BATCHINT would fill them",
        "channel",
        counted("messages", "message"),
        "batches",
        "batch_size",
    )
    chosen = channels.where(small & (fill < BATCH_FILL_SHARE))
    return finding(chosen, "empty batches", "channel", fill, words)


def findings(
    queue_use: DataFrame, log: DataFrame, buffer_pools: DataFrame, channels: DataFrame
) -> DataFrame:
    """All of them in one table; a record that was in two dumps gives one."""
    return (
        polling(queue_use)
        .unionByName(missing_index(queue_use))
        .unionByName(selector_scan(queue_use))
        .unionByName(log_bound(log))
        .unionByName(buffers_short(buffer_pools))
        .unionByName(empty_batches(channels))
        .distinct()
    )
