"""Accounting as people ask for it: tasks, what they did with queues, channels, who pays.

Each function takes DataFrames of sections as the source `mqsmf` gives them. The costs of a task are
those of its queues (WQ) and what it did without one (WTAS: commits, backouts, the rest). A record
is a task in an interval, so a long task has several.

Functions that a declarative pipeline calls add columns by `select("*", ...)`: `withColumn`, `drop`
and `applyInPandas` look their table up at once in Spark 4.3, and the pipeline would not know that
it must be made first.
"""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from ternmq.spark.tables_intervals import plus, ratio

VERBS: Final = ("Open", "Close", "Get", "Put", "Put1", "Inq", "Set", "CallBack")
OWN_VERBS: Final = ("Other_MQI", "Commit", "Backout", "Prepare", "Subscribe", "SubReq", "MQCTL")
# What makes a row one record of one task.
_RECORD: Final = ["Record_File", "Record_Position"]


def total(names: tuple[str, ...], ending: str) -> Column:
    """The sum of the columns of some verbs; what a level does not have is nothing."""
    zero = f.lit(0)
    return plus(*(f.coalesce(f.col(f"{name}{ending}"), zero) for name in names))


def queue_use(wq: DataFrame) -> DataFrame:
    """What tasks did with each queue: messages, calls, cost, time on queue (WQ)."""
    sums = wq.groupBy(
        f.col("QMgr").alias("queue_manager"),
        f.col("LPAR").alias("system"),
        f.col("Base_Name").alias("queue"),
    ).agg(
        f.try_sum("Total_Valid_Puts").alias("puts"),
        f.try_sum("Total_Valid_Gets").alias("gets"),
        f.try_sum("Get_Count").alias("get_calls"),
        f.try_sum("Get_Dest_Specific_Count").alias("specific_gets"),
        f.try_sum("Get_Messages_Skipped_Count").alias("skipped"),
        f.max("Index").alias("index"),
        f.try_sum(total(VERBS, "_Count")).alias("calls"),
        f.try_sum(total(VERBS, "_CT_US")).alias("cpu_us"),
        f.try_sum(total(VERBS, "_ET_US")).alias("elapsed_us"),
        f.try_sum("Total_Time_On_Queue_US").alias("time_on_queue_us"),
        f.max("Max_Time_On_Queue_US").alias("longest_on_queue_us"),
        f.max("Max_Depth").alias("depth_high"),
    )
    return sums.select(
        "*",
        ratio(f.col("time_on_queue_us"), f.col("gets")).alias("mean_time_on_queue_us"),
        ratio(f.col("cpu_us"), f.col("calls")).alias("cpu_us_per_call"),
        ratio(f.col("get_calls"), f.col("gets")).alias("gets_per_message"),
    )


def queues_of_tasks(wtas: DataFrame, wq: DataFrame) -> DataFrame:
    """WQ with `task_position`, where the record of the task is. A task with more queues than a
    record can hold tells the others in records of their own (116-2), which follow its own."""
    here = wq.where("Record_Subtype = 1").select(
        "*", f.col("Record_Position").alias("task_position")
    )
    more = wq.where("Record_Subtype = 2")
    told = wtas.select(
        "Record_File",
        f.col("Correl").alias("Correlation"),
        f.col("Record_Position").alias("task_position"),
    )
    nearest = (
        more.select("Record_File", "Correlation", "Record_Position")
        .distinct()
        .join(told, ["Record_File", "Correlation"])
        .where("task_position < Record_Position")
        .groupBy(*_RECORD)
        .agg(f.max("task_position").alias("task_position"))
    )
    return here.unionByName(more.join(nearest, _RECORD))


def tasks(wtid: DataFrame, wtas: DataFrame, wq: DataFrame) -> DataFrame:
    """A row for each task and interval: who, what it cost, where its time went, a transaction's
    cost. A transaction is a commit or backout; a task without any counts as one."""
    queues = (
        queues_of_tasks(wtas, wq)
        .groupBy("Record_File", f.col("task_position").alias("Record_Position"))
        .agg(
            f.try_sum(total(VERBS, "_CT_US")).alias("queue_cpu_us"),
            f.try_sum(total(VERBS, "_ET_US")).alias("queue_elapsed_us"),
            f.try_sum(total(VERBS, "_Count")).alias("queue_calls"),
            f.try_sum("Total_Valid_Puts").alias("puts"),
            f.try_sum("Total_Valid_Gets").alias("gets"),
        )
    )
    who = wtid.where("Record_Subtype = 1").select(
        *_RECORD,
        f.col("Appl_Type").alias("kind"),
        f.col("Connection_Name").alias("application"),
        f.col("Operator_ID").alias("user"),
        f.col("Channel_Name").alias("channel"),
        f.col("Correl_CHAR").alias("transaction_name"),
    )
    joined = wtas.join(who, _RECORD, "left").join(queues, _RECORD, "left")
    zero = f.lit(0)
    cpu = plus(total(OWN_VERBS, "_CT_US"), f.coalesce(f.col("queue_cpu_us"), zero))
    ended = f.greatest(plus("Commit_Count", "Backout_Count"), f.lit(1))
    return joined.select(
        f.col("QMgr").alias("queue_manager"),
        f.col("LPAR").alias("system"),
        f.col("Correl").alias("task"),
        f.col("WTAS_Interval_Start").alias("interval_start"),
        f.col("WTAS_Interval_End").alias("interval_end"),
        "kind",
        "application",
        "user",
        "channel",
        "transaction_name",
        f.coalesce(f.col("puts"), zero).alias("puts"),
        f.coalesce(f.col("gets"), zero).alias("gets"),
        f.col("Commit_Count").alias("commits"),
        f.col("Backout_Count").alias("backouts"),
        ended.alias("transactions"),
        plus(total(OWN_VERBS, "_Count"), f.coalesce(f.col("queue_calls"), zero)).alias("calls"),
        cpu.alias("cpu_us"),
        plus(total(OWN_VERBS, "_ET_US"), f.coalesce(f.col("queue_elapsed_us"), zero)).alias(
            "elapsed_us"
        ),
        (cpu / ended).alias("cpu_us_per_transaction"),
        f.col("Journal_Write_Bytes").alias("log_bytes"),
        f.col("Journal_Forced_Write_ET_US").alias("log_wait_us"),
        f.col("Task_Suspend_Time_US").alias("suspended_us"),
    )


def chargeback(all_tasks: DataFrame) -> DataFrame:
    """Who used how much: tasks by queue manager, kind, application and user."""
    sums = all_tasks.groupBy("queue_manager", "kind", "application", "user").agg(
        f.countDistinct("task").alias("tasks"),
        *(f.try_sum(name).alias(name) for name in ("transactions", "calls", "puts", "gets")),
        f.try_sum("cpu_us").alias("cpu_us"),
        f.try_sum("log_bytes").alias("log_bytes"),
    )
    each = f.col("cpu_us") / f.col("transactions")
    return sums.select("*", each.alias("cpu_us_per_transaction"))


def channels(qcst: DataFrame) -> DataFrame:
    """Rates, achieved batches and network time of channels (QCST)."""
    spent = f.unix_micros("Stop") / 1e6 - f.unix_micros("Start") / 1e6
    moved = plus("Bytes_Sent", "Bytes_Received")
    return qcst.select(
        f.col("QMgr").alias("queue_manager"),
        f.col("LPAR").alias("system"),
        f.col("Collection_Time").alias("collected"),
        f.col("Chl_Name").alias("channel"),
        f.col("Type").alias("type"),
        f.col("Status").alias("status"),
        f.col("Connection_Name").alias("connection"),
        f.col("Remote_QMgr_Or_App").alias("remote"),
        f.col("Msg_All_Count").alias("messages"),
        f.col("Batches").alias("batches"),
        f.col("BatchSize").alias("batch_size"),
        ratio(f.col("Msg_All_Count"), f.col("Batches")).alias("messages_per_batch"),
        ratio(f.col("Full_Batches"), f.col("Batches")).alias("full_share"),
        moved.alias("bytes"),
        ratio(moved, spent).alias("bytes_per_s"),
        f.col("Net_Time_Avg").alias("network_us"),
        f.col("XmitQ_Empty_Count").alias("queue_was_empty"),
        f.col("Put_Retry_Count").alias("put_retries"),
    )
