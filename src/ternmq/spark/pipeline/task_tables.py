"""Accounting as people ask for it: tasks, what they did with queues, channels, who pays.

Each function takes DataFrames of sections as the source `mqsmf` gives them. The costs of a task are
those of its queues (WQ) and what it did without one (WTAS: commits, backouts, the rest). A record
is a task in an interval, so a long task has several.

A dump may be there twice, or two may overlap. A task in an interval, and a queue of it, count once:
they have a correlator of the queue manager's own and the times of the interval, which no other has.

Functions that a declarative pipeline calls add columns by `select("*", ...)`: `withColumn`, `drop`
and `applyInPandas` look their table up at once in Spark 4.3, and the pipeline would not know that
it must be made first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.spark.frames.functions import Window, f
from ternmq.spark.pipeline.interval_tables import plus, ratio

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

VERBS: Final = ("Open", "Close", "Get", "Put", "Put1", "Inq", "Set", "CallBack")
OWN_VERBS: Final = (
    "Other_MQI", "Commit", "Backout", "Prepare", "Subscribe", "SubReq", "MQCTL", "MQSTAT",
)  # fmt: skip
# What makes a row one record of one task, as it was read; and whatever dump it was read from.
_RECORD: Final = ["Record_File", "Record_Position"]
_TASK: Final = ["LPAR", "QMgr", "Correl", "WTAS_Interval_Start", "WTAS_Interval_End", "Time"]
# The same of a queue of a task. What was counted is in it for queues opened in the same instant.
_QUEUE: Final = [
    "LPAR", "QMgr", "Correlation", "Time", "Open_Name", "Base_Name", "Open", "Close",
    "Open_Count", "Get_Count", "Put_Count", "Put1_Count",
]  # fmt: skip


def total(names: tuple[str, ...], ending: str) -> Column:
    """The sum of the columns of some verbs; what a level does not have is nothing."""
    zero = f.lit(0)
    return plus(*(f.coalesce(f.col(f"{name}{ending}"), zero) for name in names))


def selecting(name: str) -> Column:
    """What was counted of queues that tasks got from by a selector."""
    return f.when(f.col("Select_Count") > 0, f.col(name))


def queue_use(wq: DataFrame) -> DataFrame:
    """What tasks did with each queue: messages, calls, cost, time on queue (WQ)."""
    sums = (
        wq.dropDuplicates(_QUEUE)
        .groupBy(
            f.col("QMgr").alias("queue_manager"),
            f.col("LPAR").alias("system"),
            f.col("Base_Name").alias("queue"),
        )
        .agg(
            f.try_sum("Total_Valid_Puts").alias("puts"),
            f.try_sum("Published_Count").alias("published"),
            f.try_sum("Total_Valid_Gets").alias("gets"),
            f.try_sum("Get_Count").alias("get_calls"),
            f.try_sum(plus("Get_Dest_Specific_Count", "Get_Browse_Specific_Count")).alias(
                "specific_gets"
            ),
            f.try_sum("Get_Messages_Skipped_Count").alias("skipped"),
            f.try_sum("Select_Count").alias("selector_gets"),
            f.try_sum(selecting("Get_Messages_Skipped_Count")).alias("selector_skipped"),
            f.try_sum(selecting("Total_Valid_Gets")).alias("selector_matched"),
            f.max("Select_Max_Length").alias("selector_length"),
            f.max_by("Index", f.struct("Time", "Index")).alias("index"),
            f.try_sum(total(VERBS, "_Count")).alias("calls"),
            f.try_sum(total(VERBS, "_CT_US")).alias("cpu_us"),
            f.try_sum(total(VERBS, "_ET_US")).alias("elapsed_us"),
            f.try_sum("Total_Time_On_Queue_US").alias("time_on_queue_us"),
            f.max("Max_Time_On_Queue_US").alias("longest_on_queue_us"),
            f.max("Max_Depth").alias("depth_high"),
        )
    )
    return sums.select(
        "*",
        ratio(f.col("time_on_queue_us"), f.col("gets")).alias("mean_time_on_queue_us"),
        ratio(f.col("cpu_us"), f.col("calls")).alias("cpu_us_per_call"),
        ratio(f.col("get_calls"), f.col("gets")).alias("gets_per_message"),
    )


def queues_of_tasks(wtas: DataFrame, wq: DataFrame) -> DataFrame:
    """WQ with `task_file` and `task_position`, where the record of the task is. A task with more
    queues than a record can hold has the others in records of their own (116-2), which follow its
    own: the last that came before, in the same dump or, at its end, in the one before."""
    here = wq.where(f.col("Record_Subtype") == 1).select(
        "*",
        f.col("Record_File").alias("task_file"),
        f.col("Record_Position").alias("task_position"),
    )
    more = wq.where(f.col("Record_Subtype") == 2)
    place = ["LPAR", "QMgr", "Correlation", "Time", *_RECORD]
    reported = wtas.select(
        "LPAR", "QMgr", f.col("Correl").alias("Correlation"), "Time", *_RECORD,
        f.struct(*_RECORD).alias("task"),
    )  # fmt: skip
    asked = more.select(*place).distinct().select("*", f.lit(None).alias("task"))
    before = Window.partitionBy("LPAR", "QMgr", "Correlation").orderBy("Time", *_RECORD)
    last = f.last("task", ignorenulls=True).over(before)
    nearest = (
        reported.unionByName(asked)
        .select(*_RECORD, f.col("task").isNull().alias("is_asked"), last.alias("last"))
        .where(f.col("is_asked") & f.col("last").isNotNull())
        .select(
            *_RECORD,
            f.col("last.Record_File").alias("task_file"),
            f.col("last.Record_Position").alias("task_position"),
        )
    )
    return here.unionByName(more.join(nearest, _RECORD))


def transaction_name() -> Column:
    """Of CICS the transaction, of IMS the PSB, out of the thread cross-reference: behind four bytes
    that number the thread or region. Other systems have none; what they put there is no name."""
    behind = f.substring("Correl_CHAR", 5, 8)
    name = f.when(f.col("Appl_Type") == "CICS", f.substring(behind, 1, 4)).when(
        f.col("Appl_Type").startswith("IMS"), behind
    )
    return f.nullif(f.rtrim(name), f.lit(""))


def program_bytes() -> Column:
    """What a task of ours has in its network identifier and thread cross-reference, as digits: the
    name of its program in UTF-8, filled with zeros."""
    digits = f.concat(f.col("NID"), f.col("Correl_HEX"))
    return f.regexp_replace(digits, "(00)+$", "")


def is_ours() -> Column:
    """Whether a task is of a TernMQ queue manager: its program begins as its job name does. On z/OS
    names are in EBCDIC, and batch programs have none there."""
    begins = f.startswith(program_bytes(), f.hex(f.col("Connection_Name")))
    return f.coalesce(begins & (f.length("Connection_Name") > 0), f.lit(False))


def program_name() -> Column:
    """The name of the program; of z/OS that of the job, of eight letters at most."""
    whole = f.decode(f.unhex(f.when(is_ours(), program_bytes())), "UTF-8")
    return f.coalesce(whole, f.col("Connection_Name"))


def kind_name() -> Column:
    """What kind of program it is. z/OS has one number for batch and TSO; ours are neither."""
    kind = f.col("Appl_Type")
    return (
        f.when(is_ours() & (kind == "TSO"), "Local program")
        .when(is_ours() & (kind == "CHIN"), "Client program")
        .when(kind == "TSO", "Batch or TSO")
        .when(kind == "CHIN", "Channel initiator")
        .when(kind == "Cmd Svr", "Command server")
        .when(kind == "IMS Ctl", "IMS control region")
        .when(kind == "RRS", "RRS batch")
        .when(kind == "IGQ", "Intra-group queuing")
        .otherwise(kind)
    )


def tasks(wtid: DataFrame, wtas: DataFrame, wq: DataFrame) -> DataFrame:
    """A row for each task and interval: who, what it cost, where its time went, a transaction's
    cost. A transaction is a commit or backout; a task without any has no cost of one."""
    queues = (
        queues_of_tasks(wtas, wq)
        .groupBy(
            f.col("task_file").alias("Record_File"),
            f.col("task_position").alias("Record_Position"),
        )
        .agg(
            f.try_sum(total(VERBS, "_CT_US")).alias("queue_cpu_us"),
            f.try_sum(total(VERBS, "_ET_US")).alias("queue_elapsed_us"),
            f.try_sum(total(VERBS, "_Count")).alias("queue_calls"),
            f.try_sum("Total_Valid_Puts").alias("puts"),
            f.try_sum("Total_Valid_Gets").alias("gets"),
        )
    )
    who = wtid.where(f.col("Record_Subtype") == 1).select(
        *_RECORD,
        kind_name().alias("kind"),
        program_name().alias("application"),
        f.col("Operator_ID").alias("user"),
        f.col("Channel_Name").alias("channel"),
        transaction_name().alias("transaction_name"),
    )
    own = wtas.dropDuplicates(_TASK)
    joined = own.join(who, _RECORD, "left").join(queues, _RECORD, "left")
    zero = f.lit(0)
    cpu = plus(total(OWN_VERBS, "_CT_US"), f.coalesce(f.col("queue_cpu_us"), zero))
    ended = plus("Commit_Count", "Backout_Count")
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
        ratio(cpu, ended).alias("cpu_us_per_transaction"),
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
    each = ratio(f.col("cpu_us"), f.col("transactions"))
    return sums.select("*", each.alias("cpu_us_per_transaction"))


def channels(qcst: DataFrame) -> DataFrame:
    """Rates, achieved batches and network time of channels (QCST). What is counted is that of the
    interval: a rate is over as much of it as the channel was there."""
    begun = f.greatest("Start", "Interval_Start")
    ended = f.coalesce("Stop", "Collection_Time")
    spent = (f.unix_micros(ended) - f.unix_micros(begun)) / 1e6
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
        f.col("Start").alias("started"),
        f.col("Msg_All_Count").alias("messages"),
        ratio(f.col("Msg_All_Count"), spent).alias("messages_per_s"),
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
