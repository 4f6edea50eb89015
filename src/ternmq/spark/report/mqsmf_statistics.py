"""Reports of statistics as MQSMF prints them: QSTAT, QSTATCSV, MSGM, LOG, BUFF.

Each takes the DataFrame of a section and returns it with a column `text`, which is the report.
Letters after numbers of BUFF are those of the fields of QPST: RIO reads, STW set writes, TPW pages
written, WIO writes, IMW writes that were waited for, DWT and DMC thresholds reached, STL steals,
STLA steals that changed a chain, SOS found no buffer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.spark.frames.functions import Window, f
from ternmq.spark.report.mqsmf_lines import (
    counts,
    interval,
    local_moment,
    percent,
    said,
    some,
    text,
    whole_or_exact,
    written,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_CI_BYTES: Final = 4096
_RECORD: Final = ("Record_File", "Record_Position")
QUEUE_FACTS: Final = (
    ("High Depth", "Queue_Depth_High_Water", ""),
    ("Low Depth", "Queue_Depth_Low_Water", ""),
    ("Open for Output", "Output_Handles", ""),
    ("Open for Input", "Input_Handles", ""),
    ("Oldest Message", "Max_Age", "seconds"),
    ("Time on Queue short", "QTime_Short", "uS"),
    ("Time on Queue long", "QTime_Long", "uS"),
    ("Puts", "Put", ""),
    ("Puts persistent", "Put_P", ""),
    ("Puts non-persistent", "Put_NP", ""),
    ("Put bytes", "Put_Bytes", ""),
    ("Put1s", "Put1", ""),
    ("Put1 bytes", "Put1_Bytes", ""),
    ("Puts failed", "Put_Fail", ""),
    ("Puts to waiting getter", "Fast_Put_Messages", ""),
    ("Puts streamed", "Streamed", ""),
    ("Gets", "Get", ""),
    ("Gets persistent", "Get_P", ""),
    ("Gets non-persistent", "Get_NP", ""),
    ("Get bytes", "Get_Bytes", ""),
    ("Gets failed", "Get_Fail", ""),
    ("Gets without message", "Get_Fail_No_Msg", ""),
    ("Browses", "Browse", ""),
    ("Browse bytes", "Browse_Bytes", ""),
    ("Message length maximum", "Msg_Length_Max", "bytes"),
    ("Message length minimum", "Msg_Length_Min", "bytes"),
    ("Message length average", "Msg_Length_Ave", "bytes"),
    ("Opens", "Open", ""),
    ("Closes", "Close", ""),
    ("Expired", "Expired", ""),
    ("Puts rolled back", "Rollback_Put", ""),
    ("Gets rolled back", "Rollback_Get", ""),
)


def first_of_record(*order: str) -> Column:
    """Whether a row is the first of its record, which gets the head."""
    return f.row_number().over(Window.partitionBy(*_RECORD).orderBy(*order)) == 1


def headed(is_first: Column) -> list[Column]:
    """An empty line and the head, over the first row of a record."""
    return [f.when(is_first, f.lit("")), f.when(is_first, written()), f.when(is_first, interval())]


def qstat(qqst: DataFrame) -> DataFrame:
    """Each queue of each interval, with what its level has."""
    kind = f.when(f.col("Record") == "FULL", "COMPLETE RECORD").otherwise("PARTIAL RECORD")
    private = f.format_string(
        "> Disposition Private Pageset ID %-6d Bufferpool ID %d", "Pageset", "BufferPool"
    )
    shared = f.format_string(
        "> Disposition Shared QSG Name %-10s CF Struct Name %s", "QSG_Name", "Structure"
    )
    return qqst.withColumn(
        "text",
        text(
            *headed(first_of_record("Queue")),
            f.format_string("= Queue Name %-48s %-22s %s", "Queue", kind, written()),
            f.when(f.col("Queue_Disp") == "SHARED", shared).otherwise(private),
            said("Current Depth", f.col("Current_Depth")),
            *(said(label, some(name), unit) for label, name, unit in QUEUE_FACTS),
            said("Last put", local_moment("Last_Put")),
            said("Last get", local_moment("Last_Get")),
        ),
    )


CSV_COLUMNS: Final = (
    "Queue_Disp", "Record", "QSG_Name", "Structure", "Pageset", "BufferPool", "Current_Depth",
    *(name for _, name, _ in QUEUE_FACTS),
)  # fmt: skip


def csv_values() -> list[Column]:
    """The cells of a line of QSTATCSV."""
    return [
        f.col("LPAR"),
        f.col("QMgr"),
        f.date_format("Time", "yyyy/MM/dd").alias("Date"),
        f.date_format("Time", "HH:mm:ss").alias("Time"),
        f.col("MQ_Version"),
        whole_or_exact(f.col("Interval_Duration_US")).alias("Duration"),
        f.col("Queue"),
        *(f.col(name) for name in CSV_COLUMNS),
    ]


CSV_HEAD: Final = ",".join(
    ["LPAR", "QMgr", "Date", "Time", "VRM", "Duration", "Queue", *CSV_COLUMNS]
)


def qstatcsv(qqst: DataFrame) -> DataFrame:
    """The same as lines of a table."""
    return qqst.withColumn("text", f.to_csv(f.struct(*csv_values())))


def msgm(qmst: DataFrame) -> DataFrame:
    """Calls of the message manager."""
    return qmst.withColumn(
        "text",
        text(
            f.lit(""),
            written(),
            interval(),
            counts(
                ("MQOPENs", "Open"), ("MQCLOSEs", "Close"), ("MQGETs", "Get"), ("MQPUTs", "Put")
            ),
            counts(("MQPUT1s", "Put1"), ("MQINQs", "Inq"), ("MQINQLs", "Inql"), ("MQSETs", "Set")),
            counts(("MQSUBs", "Sub"), ("MQSUBRQs", "SubReq"), ("MQCBs", "CB"), ("MQCTLs", "CTL")),
            counts(
                ("MQSTATs", "Status"),
                ("Publish", "Pubs"),
                ("Close_all_H", "Close_Handles"),
                ("Endw", "Endw"),
            ),
            counts(("Put_Pers", "PersPuts"), ("Put_Nonpers", "NonPersPuts")),
        ),
    )


def log(qjst: DataFrame) -> DataFrame:
    """The log: requests, writes, rates, how long they took."""
    length = f.col("Interval_Duration_US")
    copies = f.when(f.col("IO_Count_2_1") + f.col("IO_Count_2_2") > 0, 2).otherwise(1)
    rate = f.col("Log_CI") / copies * _CI_BYTES / 1e6 / (length / 1e6)
    busy = f.col("IO_Total_Time_1_1_US") + f.col("IO_Total_Time_1_2_US")
    idle = f.col("Writer_Idle_Time")
    return qjst.withColumn(
        "text",
        text(
            f.lit(""),
            written(),
            interval(),
            counts(
                ("Write_Wait", "WRT_Request_Wait"),
                ("Write_Nowait", "WRT_Request_NoWait"),
                ("Write_Force", "WRT_Request_Force"),
                ("WTB", "Unavailable_Buffer_Count"),
            ),
            counts(
                ("Read_Stor", "Log_Read_Output_Buffer"),
                ("Read_Active", "Log_Read_Active_Log"),
                ("Read_Archive", "Log_Read_Archive_Log"),
                ("TVC", "Tape_Contention_Delays"),
            ),
            counts(
                ("BSDS_Reqs", "BSDS_Access"),
                ("CIs_Created", "Active_Log_CI"),
                ("BFWR", "Buffer_Writes"),
                ("CIs_Offload", "CI_Offloads"),
            ),
            counts(
                ("ALR", "Archive_Read"),
                ("ALW", "Archive_Write"),
                ("Checkpoints", "Checkpoints"),
                ("Delayed", "Read_Delayed"),
            ),
            counts(
                ("Write_Susp", "Log_Request_Suspends"),
                ("Write_Reqs", "Log_Writes"),
                ("CI_Writes", "Log_CI"),
                ("Write_Serl", "Log_CI_Serial"),
            ),
            counts(("Write_Thrsh", "Log_Write_Threshold"), ("Pagefix", "Log_Write_Buffer_Paged")),
            f.when(length > 0, f.format_string("Log write rate %.3f MB/s per copy", rate)),
            f.when(busy >= 0, f.format_string("Logger I/O busy %.1f%%", percent(busy, length))),
            # What idled longer than the interval, by two clocks, was not busy at all.
            f.when(
                idle > 0,
                f.format_string(
                    "Logger task busy %.1f%%", percent(f.greatest(length - idle, f.lit(0)), length)
                ),
            ),
            *(written_by(copy, kind) for copy in (1, 2) for kind in (1, 2)),
        ),
    )


def written_by(copy: int, kind: int) -> Column:
    """Writes of one copy of the log, of one page or of several."""
    end = f"{copy}_{kind}"
    pages = "1 page  " if kind == 1 else "2+ pages"
    count = f.col(f"IO_Count_{end}")
    line = f.format_string(
        f"Log {copy}, {pages}: writes %d, pages %d, mean %.0f uS, longest %d uS at %s on %s",
        count,
        f"IO_CI_{end}",
        f.col(f"IO_Total_Time_{end}_US") / count,
        f"IO_Max_Duration_{end}_US",
        f.coalesce(local_moment(f"IO_Max_Time_{end}"), f.lit("?")),
        f.coalesce(f.col(f"IO_Max_Log_ID_{end}"), f.lit("?")),
    )
    return f.when(count > 0, line)


def buff(qpst: DataFrame) -> DataFrame:
    """Buffer pools: how full, and what that made necessary."""
    size = f.col("Buffer_Count")
    now = percent(size - f.col("Current_Stealable"), size)
    high = percent(size - f.col("Lowest_Stealable"), size)
    pool = "BufferPool"
    return qpst.withColumn(
        "text",
        text(
            *headed(first_of_record("BufferPool")),
            f.format_string(
                "= BPool %2d, Size %8d,%%full now %3.0f, Highest %%full %3.0f, Disk reads %d",
                pool, "Buffer_Count", now, high, "DASD_Read",
            ),
            f.format_string(
                "> %02d Buffs %8d low %8d  now %8d getp %8d getn %8d",
                pool, "Buffer_Count", "Lowest_Stealable", "Current_Stealable",
                "Getp_Old_Requests", "Getp_New_Requests",
            ),
            f.format_string(
                "  %02d Rio   %8d STW %8d  TPW %8d WIO  %8d IMW  %8d",
                pool, "DASD_Read", "Set_Write_Pages", "Pages_Written", "DASD_Write", "Sync_Writes",
            ),
            f.format_string(
                "  %02d DWT   %8d DMC %8d  STL %8d STLA %8d SOS  %8d",
                pool, "Defer_Write_THold_Reached", "Sync_Write_THold_Reached", "Buffer_Steals",
                "Buffer_Steals_Hash_Changes", "Suspend_No_Buffers",
            ),
            f.when(
                f.col("LOC").isNotNull(),
                f.format_string(
                    "  %02d %s the bar   PAGECLAS %s", pool, "LOC",
                    f.when(f.col("FIX") == "Fixed", "FIXED4KB").otherwise("4KB"),
                ),
            ),
        ),
    )  # fmt: skip
