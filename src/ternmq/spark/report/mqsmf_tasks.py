"""Reports of accounting and of the channel initiator as MQSMF prints them: TASK, CHINIT.

TASK prints a task under its head, then each queue that it used, whose name ends every line. CHINIT
prints the channels of the channel initiator and its four kinds of tasks, dispatchers, adapters, SSL
and name server, each task on a line and the sum of them (Summ) below.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING, Final

from ternmq.spark.frames.functions import f
from ternmq.spark.pipeline.task_tables import (
    OWN_VERBS,
    VERBS,
    is_ours,
    kind_name,
    program_name,
    queues_of_tasks,
    total,
)
from ternmq.spark.report.mqsmf_lines import (
    fact,
    interval,
    local,
    local_moment,
    mean,
    some,
    text,
    written,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_RECORD: Final = ["Record_File", "Record_Position"]
# Label of a verb and the columns of its count, elapsed and CPU time.
QUEUE_VERBS: Final = (
    ("Open", "Open"),
    ("Close", "Close"),
    ("Get", "Get"),
    ("Put", "Put"),
    ("Put1", "Put1"),
    ("Inq", "Inq"),
    ("Set", "Set"),
    ("Callback", "CallBack"),
)
TASK_VERBS: Final = (
    ("Commit", "Commit"),
    ("Backout", "Backout"),
    ("Prepare", "Prepare"),
    ("Subscribe", "Subscribe"),
    ("Subscription request", "SubReq"),
    ("MQCTL", "MQCTL"),
    ("Other", "Other_MQI"),
)
TASK_SECTIONS: Final = ("DSP", "ADP", "SSL", "DNS")
TASK_NAMES: Final[Mapping[str, str]] = {"DSP": "DISP", "ADP": "ADAP", "SSL": "SSL", "DNS": "DNS"}


def verb(label: str, name: str, about: Column | None = None) -> list[Column]:
    """How often, and how long each time."""
    count = f"{name}_Count"
    return [
        fact(f"{label} count", some(count), "", about),
        fact(f"{label} avg elapsed time", mean(f"{name}_ET_US", count), "uS", about),
        fact(f"{label} avg CPU time", mean(f"{name}_CT_US", count), "uS", about),
    ]


def queue_text() -> Column:
    """What a task did with one queue."""
    queue = f.col("Open_Name")
    puts = f.when(f.col("Total_Valid_Puts") > 0, f.col("Total_Bytes_Put"))
    gets = f.when(f.col("Total_Valid_Gets") > 0, f.col("Total_Bytes_Get"))
    waited = f.when(f.col("Total_Time_On_Queue_US") > 0, f.col("Total_Time_On_Queue_US"))
    got = f.nullif(f.col("Total_Valid_Gets"), f.lit(0))
    return text(
        fact("Open name", queue),
        fact("Queue type:", f.col("Queue"), "", queue),
        fact("Queue indexed by", f.upper("Index"), "", queue),
        fact("Base name", f.when(f.col("Base_Name") != queue, f.col("Base_Name")), "", queue),
        fact("First opened", local_moment("Open"), "", queue),
        fact("Last closed", local_moment("Close"), "", queue),
        fact("Page set ID", f.col("Pageset_ID"), "", queue),
        fact("Buffer pool", f.col("BufferPool_ID"), "", queue),
        fact("CF structure", f.nullif(f.col("CF_Structure"), f.lit("")), "", queue),
        fact("Current opens", f.col("Use_Count"), "", queue),
        fact("Total requests", total(VERBS, "_Count"), "", queue),
        *(line for label, name in QUEUE_VERBS for line in verb(label, name, queue)),
        fact("Put + put1 valid count", some("Total_Valid_Puts"), "", queue),
        fact("Put size maximum", some("Put_Max_Msg_Size"), "bytes", queue),
        fact("Put size minimum", some("Put_Min_Msg_Size"), "bytes", queue),
        fact("Put size average", floored(puts / f.col("Total_Valid_Puts")), "bytes", queue),
        fact("Put to waiting getter", some("Put_Waiting_Getter_Count"), "", queue),
        fact("Put persistent", some("Put_Persistent_Count"), "", queue),
        fact("Messages streamed", some("Streamed_Msgs"), "", queue),
        fact("Messages published", some("Published_Count"), "", queue),
        fact("Get valid count", some("Total_Valid_Gets"), "", queue),
        fact("Get size maximum", some("Get_Max_Msg_Size"), "bytes", queue),
        fact("Get size minimum", some("Get_Min_Msg_Size"), "bytes", queue),
        fact("Get size average", floored(gets / f.col("Total_Valid_Gets")), "bytes", queue),
        fact("Get any", some("Get_Dest_Any_Count"), "", queue),
        fact("Get specific", some("Get_Dest_Specific_Count"), "", queue),
        fact("Get messages skipped", some("Get_Messages_Skipped_Count"), "", queue),
        fact("Get messages expired", some("Get_Messages_Expired_Count"), "", queue),
        fact("Get persistent", some("Get_Persistent_Count"), "", queue),
        fact("Time on queue maximum", some("Max_Time_On_Queue_US"), "uS", queue),
        fact("Time on queue minimum", some("Min_Time_On_Queue_US"), "uS", queue),
        fact("Time on queue average", floored(waited / got), "uS", queue),
        fact("Maximum depth", some("Max_Depth"), "", queue),
        fact("Total queue elapsed time", total(VERBS, "_ET_US"), "uS", queue),
        fact("Total queue CPU used", total(VERBS, "_CT_US"), "uS", queue),
    )


def floored(value: Column) -> Column:
    return f.round(value).cast("bigint")


def task(wtid: DataFrame, wtas: DataFrame, wq: DataFrame) -> DataFrame:
    """Each task of each record, with its queues below it."""
    queues = (
        queues_of_tasks(wtas, wq)
        .withColumn("queue_text", queue_text())
        .groupBy(
            f.col("task_file").alias("Record_File"),
            f.col("task_position").alias("Record_Position"),
        )
        .agg(
            f.array_join(
                f.transform(
                    f.array_sort(f.collect_list(f.struct("Open_Name", "Open", "queue_text"))),
                    lambda one: one["queue_text"],
                ),
                "\n",
            ).alias("queues"),
            f.sum(total(VERBS, "_CT_US")).alias("queue_cpu_us"),
        )
    )
    # As MQSMF has them for z/OS; programs of ours are neither TSO nor cut at eight letters.
    kind = f.when(is_ours(), kind_name()).otherwise(f.col("Appl_Type"))
    program = program_name()
    who = wtid.where(f.col("Record_Subtype") == 1).select(
        *_RECORD, "Appl_Type", "Connection_Name", "Operator_ID", "Channel_Name",
        "Channel_Connection_Name", "Correl_CHAR", kind.alias("kind"), program.alias("program"),
    )  # fmt: skip
    joined = wtas.join(who, _RECORD, "left").join(queues, _RECORD, "left")
    return joined.withColumn("text", task_text())


def task_text() -> Column:
    """The task itself, then what is known of its queues."""
    begun = f.unix_micros("WTAS_Interval_Start")
    ended = f.unix_micros("WTAS_Interval_End")
    channel = f.nullif(f.col("Channel_Name"), f.lit(""))
    return text(
        f.lit(""),
        written(),
        f.when(
            ended > 0,
            f.format_string("From %s to %s, duration %.6f seconds.",
                            local(begun), local(ended), (ended - begun) / 1e6),
        ),
        f.format_string(
            "%s %s Jobname:%s Userid:%s",
            "QMgr",
            f.coalesce("kind", f.lit("?")),
            f.coalesce("program", f.lit("")),
            f.coalesce("Operator_ID", f.lit("")),
        ),
        f.when(
            channel.isNotNull(),
            f.format_string("Channel:%s Connection:%s", channel, "Channel_Connection_Name"),
        ),
        fact("Start time", local_moment("Start_Time")),
        fact("Total CPU", total(OWN_VERBS, "_CT_US") + f.coalesce("queue_cpu_us", f.lit(0)), "uS"),
        *(line for label, name in TASK_VERBS for line in verb(label, name)),
        fact("Log write count", some("Journal_Write_Count")),
        fact(
            "Log write avg elapsed time",
            mean("Journal_Write_ET_US", "Journal_Write_Count"),
            "uS",
        ),
        fact("Log write bytes", some("Journal_Write_Bytes")),
        fact("Log force count", some("Journal_Forced_Write_Count")),
        fact(
            "Log force avg elapsed time",
            mean("Journal_Forced_Write_ET_US", "Journal_Forced_Write_Count"),
            "uS",
        ),
        fact("Suspend count", some("Task_Suspend_Count")),
        fact("Suspend avg elapsed time", mean("Task_Suspend_Time_US", "Task_Suspend_Count"), "uS"),
        fact("Longest latch wait", some("Max_Latch_Wait_Time_US"), "uS"),
        fact("Pages old", some("Get_Pages_Old")),
        fact("Pages new", some("Get_Pages_New")),
        f.col("queues"),
    )  # fmt: skip


def chinit(sections: Mapping[str, DataFrame]) -> DataFrame:
    """The channel initiator: its channels, then its tasks by kind."""
    of_kinds = (task_lines(sections, kind) for kind in TASK_SECTIONS)
    tasks = reduce(lambda one, other: one.unionByName(other), of_kinds)
    below = tasks.groupBy(*_RECORD).agg(
        f.array_join(
            f.transform(
                f.array_sort(f.collect_list(f.struct("place", "lines"))), lambda one: one["lines"]
            ),
            "\n",
        ).alias("tasks")
    )
    joined = sections["QCCT"].join(below, _RECORD, "left")
    return joined.withColumn(
        "text",
        text(
            f.lit(""),
            written(),
            interval(),
            dotted("Peak number used of current channels", "Current_Chl_High_Water"),
            dotted("Peak number used of active channels", "Active_Chl_High_Water"),
            dotted("MAXCHL. Max allowed current channels", "Current_Chl_Max"),
            dotted("ACTCHL. Max allowed active channels", "Active_Chl_Max"),
            dotted("TCPCHL. Max allowed TCP/IP channels", "Max_TCP_Chl"),
            dotted("LU62CHL. Max allowed LU62 channels", "Max_LU62_Chl"),
            dotted("31-bit storage used", "Storage_Usage_31", "MB"),
            dotted("64-bit storage limit", "Storage_Limit_64", "MB"),
            dotted("64-bit storage used", "Storage_Usage_64", "MB"),
            f.col("tasks"),
        ),
    )


def dotted(label: str, name: str, unit: str = "") -> Column:
    """A label, dots and a number."""
    end = f" {unit}" if unit else ""
    return f.when(f.col(name).isNotNull(), f.format_string(f"{label:.<47}%5d{end}", name))


def task_lines(sections: Mapping[str, DataFrame], kind: str) -> DataFrame:
    """The tasks of one kind, in a record: their heading, a line each, and Summ."""
    frame = sections[f"QCT{kind}"]
    name = TASK_NAMES[kind]
    longest = f"Max_{kind}_Request_Duration_US"
    moment = f"Max_{kind}_Request_Time"
    has_longest = longest in frame.columns
    head = 'Task,Type,Requests,Busy %,   CPU used, CPU %,"avg CPU","avg ET"'
    units = "    ,    ,        ,      ,    Seconds,      , uSeconds,uSeconds"
    if has_longest:
        head, units = f"{head}, longest,date,time", f"{units},uSeconds,    ,    "
    row = task_line(f.format_string("%4d", "Task_Index"), name)
    if has_longest:
        at = f.coalesce(local_moment(moment), f.lit(","))
        row = f.concat(row, f.format_string(",%8d,%s", longest, at))
    channels = f.lit(None).cast("bigint")
    if kind == "DSP":
        channels = f.col("Task_Channel_Count")
        row = f.concat(row, f.format_string(" number of channels on this TCB: %d", channels))
    summed = frame.groupBy(*_RECORD).agg(
        f.array_join(
            f.transform(
                f.array_sort(f.collect_list(f.struct("Task_Index", row.alias("line")))),
                lambda one: one["line"],
            ),
            "\n",
        ).alias("rows"),
        f.count(f.lit(1)).alias("tasks"),
        *(f.sum(c).alias(c) for c in SUMMED),
        f.max("Interval_Duration_US").alias("Interval_Duration_US"),
    )
    end = task_line(f.lit("Summ"), name, f.col("tasks"))
    return summed.select(
        *_RECORD,
        f.lit(TASK_SECTIONS.index(kind)).alias("place"),
        text(f.lit(head), f.lit(units), f.col("rows"), end).alias("lines"),
    )


SUMMED: Final = ("Request_Count", "Task_CPU_Time_US", "Task_Elapsed_Time_US")


def task_line(first: Column, name: str, tasks: Column | None = None) -> Column:
    """Requests, how busy, and the cost of each; of several tasks the mean of how busy."""
    length = f.col("Interval_Duration_US") * (tasks if tasks is not None else f.lit(1))
    requests = f.greatest(f.col("Request_Count"), f.lit(1))
    return f.format_string(
        f"%s,{name:>4},%8d,%6.1f,%11.6f,%6.1f,%9.0f,%8.0f",
        first,
        "Request_Count",
        f.when(length > 0, f.col("Task_Elapsed_Time_US") / length * 100).otherwise(0.0),
        f.col("Task_CPU_Time_US") / 1e6,
        f.when(length > 0, f.col("Task_CPU_Time_US") / length * 100).otherwise(0.0),
        f.col("Task_CPU_Time_US") / requests,
        f.col("Task_Elapsed_Time_US") / requests,
    )
