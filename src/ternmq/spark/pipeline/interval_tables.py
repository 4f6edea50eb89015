"""Statistics by interval, as people ask for them: queues, log, buffer pools, page sets, calls.

Each function takes a DataFrame of one section as the source `mqsmf` gives it and returns a table
with a row for each object and interval; nothing is collected, so that the same function serves a
batch, a pipeline and a stream. Rates are for each second of the interval; a rate of an interval
without length is null. A record that is in two dumps gives its rows twice: a query that adds
rows up takes them `once`, in a batch.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Final

from ternmq.spark.frames.functions import f

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


CI_BYTES: Final = 4096  # of a control interval of the log
LOG_KINDS: Final = ("1_1", "1_2", "2_1", "2_2")  # copy of the log, I/O of one CI or of several


def seconds() -> Column:
    """The length of an interval."""
    return f.col("Interval_Duration_US") / 1e6


def rate(column: str | Column) -> Column:
    """So many in a second."""
    value = f.col(column) if isinstance(column, str) else column
    return f.when(seconds() > 0, value / seconds())


def ratio(part: Column, whole: Column) -> Column:
    """A part of a whole; null if there is no whole."""
    return f.when(whole > 0, part / whole)


def plus(*columns: str | Column) -> Column:
    """A sum; null, not the end of the query, if a damaged record has numbers that are too large."""
    return reduce(f.try_add, (f.col(each) if isinstance(each, str) else each for each in columns))


def once(table: DataFrame) -> DataFrame:
    """A table without rows that are there twice, which are those of a record that was in two dumps:
    object and interval (of a channel, when it was started) are the same in no two others."""
    return table.distinct()


def interval_keys() -> list[Column]:
    """Whose interval it is, and when."""
    return [
        f.col("QMgr").alias("queue_manager"),
        f.col("LPAR").alias("system"),
        f.col("Interval_Start").alias("interval_start"),
        seconds().alias("interval_s"),
    ]


def queues(qqst: DataFrame) -> DataFrame:
    """Depth, growth, rates, failures and time on queue of each queue (QQST). A queue grows by what
    is put and stays: not by what is got, expires or is backed out."""
    puts = plus("Put", "Put1")
    came = puts.cast("double") + f.col("Rollback_Get")
    went = f.col("Get").cast("double") + f.col("Expired") + f.col("Rollback_Put")
    return qqst.select(
        *interval_keys(),
        f.col("Queue").alias("queue"),
        f.col("Current_Depth").alias("depth"),
        f.col("Queue_Depth_High_Water").alias("depth_high"),
        f.col("Queue_Depth_Low_Water").alias("depth_low"),
        puts.alias("puts"),
        f.col("Get").alias("gets"),
        rate(puts).alias("puts_per_s"),
        rate("Get").alias("gets_per_s"),
        rate(came - went).alias("growth_per_s"),
        rate(plus("Put_Bytes", "Put1_Bytes")).alias("put_bytes_per_s"),
        rate("Get_Bytes").alias("get_bytes_per_s"),
        ratio(plus("Put_P", "Put1_P"), puts).alias("persistent_share"),
        f.col("Get_Fail_No_Msg").alias("gets_without_message"),
        f.col("Expired").alias("expired"),
        plus("Rollback_Put", "Rollback_Get").alias("backed_out"),
        # Of no message it is unknown, not short.
        f.when((f.col("Get") > 0) | (f.col("QTime_Short") > 0), f.col("QTime_Short")).alias(
            "time_on_queue_us"
        ),
        f.col("Max_Age").alias("oldest_s"),
        f.col("Input_Handles").alias("readers"),
        f.col("Output_Handles").alias("writers"),
    )


def calls(qmst: DataFrame) -> DataFrame:
    """Calls of the queue manager as a whole (QMST)."""
    return qmst.select(
        *interval_keys(),
        *(rate(name).alias(f"{name.lower()}_per_s") for name in ("Open", "Close", "Get", "Put")),
        rate("Put1").alias("put1_per_s"),
        rate("PersPuts").alias("persistent_puts_per_s"),
        rate("NonPersPuts").alias("nonpersistent_puts_per_s"),
        rate(plus("PersPutBytes", "NonPersPutBytes")).alias("put_bytes_per_s"),
        rate("Sub").alias("subscribes_per_s"),
        rate("Pubs").alias("published_per_s"),
    )


def log(qjst: DataFrame) -> DataFrame:
    """What the log wrote, how long that took, and who waited for it (QJST). Bytes and writes are
    those of one copy, as people state a log's rate; the record counts those of both together."""
    # Both copies are written at once: the slower one holds the log up. What the writer did not idle
    # is more than its I/O; a queue manager that does not count it says 0.
    busy_us = f.greatest(
        plus("IO_Total_Time_1_1_US", "IO_Total_Time_1_2_US"),
        plus("IO_Total_Time_2_1_US", "IO_Total_Time_2_2_US"),
    )
    length, idle = f.col("Interval_Duration_US"), f.col("Writer_Idle_Time")
    worked = f.when((idle > 0) & (idle <= length), length - idle)
    means = [
        ratio(f.col(f"IO_Total_Time_{kind}_US"), f.col(f"IO_Count_{kind}")).alias(
            f"mean_io_us_{kind}"
        )
        for kind in LOG_KINDS
    ]
    copies = f.when(plus("IO_Count_2_1", "IO_Count_2_2") > 0, 2).otherwise(1)
    longest = f.greatest(*(f.col(f"IO_Max_Duration_{kind}_US") for kind in LOG_KINDS))
    return qjst.select(
        *interval_keys(),
        rate(f.col("Log_CI") / copies * float(CI_BYTES)).alias("log_bytes_per_s"),
        rate(f.col("Log_Writes") / copies).alias("writes_per_s"),
        rate("WRT_Request_Force").alias("forces_per_s"),
        *means,
        f.nullif(longest, f.lit(0)).alias("longest_io_us"),  # of no write it is unknown
        ratio(busy_us, length).alias("busy_share"),
        ratio(worked, length).alias("writer_busy_share"),
        f.col("Unavailable_Buffer_Count").alias("waits_for_buffer"),
        f.col("Log_Read_Archive_Log").alias("archive_reads"),
        f.col("Checkpoints").alias("checkpoints"),
        copies.alias("copies"),
    )


def buffer_pools(qpst: DataFrame) -> DataFrame:
    """How full buffer pools were, and what that cost (QPST)."""
    return qpst.select(
        *interval_keys(),
        f.col("BufferPool").alias("buffer_pool"),
        f.col("Buffer_Count").alias("buffers"),
        ratio(f.col("Lowest_Stealable"), f.col("Buffer_Count")).alias("lowest_free_share"),
        rate("DASD_Read").alias("reads_per_s"),
        rate("Pages_Written").alias("pages_written_per_s"),
        ratio(f.col("DASD_Read"), f.col("Getp_Old_Requests")).alias("read_share"),
        f.col("Defer_Write_THold_Reached").alias("deferred_writing"),
        f.col("Sync_Write_THold_Reached").alias("synchronous_writing"),
        f.col("Suspend_No_Buffers").alias("short_of_buffers"),
    )


def page_sets(qis1: DataFrame) -> DataFrame:
    """How full page sets were, and how quick (QIS1)."""
    total = f.col("Total_Pages")
    used = total.cast("double") - f.col("Unused_Pages")
    return qis1.select(
        *interval_keys(),
        f.col("Pageset").alias("page_set"),
        f.col("BufferPool").alias("buffer_pool"),
        total.alias("pages"),
        (ratio(used, total) * 100).alias("percent_full"),
        f.col("Full_Count").alias("times_full"),
        f.col("Expansions").alias("expansions"),
        ratio(f.col("Page_Write_IO_Time_US"), f.col("Page_Write_IO")).alias("mean_write_us"),
        ratio(f.col("Pages_Read_IO_Time_US"), f.col("Pages_Read_IO")).alias("mean_read_us"),
    )
