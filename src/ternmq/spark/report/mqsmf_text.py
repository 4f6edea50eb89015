"""`ternmq smf report`: the reports of MQSMF over dumps, printed as they come.

    QSTAT     queues, each interval            LOG      the log
    QSTATCSV  the same as CSV                  MSGM     calls of the message manager
    TASK      tasks and their queues           BUFF     buffer pools
                                               CHINIT   channel initiator and its tasks

The layout of QSTAT, TASK and CHINIT is that of the samples that IBM has published; fields that
later levels added follow in the same style. Of LOG, MSGM and BUFF there was no such sample to go
by: they have the same head, and names of fields as people know them from MQSMF.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from ternmq.codec.smf.record import KINDS
from ternmq.spark.frames.functions import f
from ternmq.spark.report import mqsmf_statistics as statistics
from ternmq.spark.report import mqsmf_tasks as tasks
from ternmq.spark.report.mqsmf_lines import ordered
from ternmq.spark.report.report_tables import sections_of
from ternmq.spark.smf.section_columns import REJECTS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Sections = Mapping[str, "DataFrame"]


class Report(NamedTuple):
    """One report."""

    name: str
    about: str
    sections: tuple[str, ...]
    made: Callable[[Sections], DataFrame]
    within: tuple[str, ...] = ()  # what orders the rows of one record
    head: str = ""  # a line before all others
    trace: str = ""  # what makes a queue manager write the records it needs


_MADE: Final = ("text", "queues", "tasks", "kind", "program")  # columns that no section has
_CONTROLS: Final = r"[\x00-\x09\x0b-\x1f\x7f-\x9f]"
_BASIC: Final = "START TRACE(STAT) CLASS(1)"
_QUEUES: Final = "START TRACE(STAT) CLASS(5), and STATQ(ON)"
_CHINIT: Final = ("QCCT", *(f"QCT{kind}" for kind in tasks.TASK_SECTIONS))
REPORTS: Final[dict[str, Report]] = {
    each.name: each
    for each in (
        Report(
            "QSTAT",
            "queues",
            ("QQST",),
            lambda s: statistics.qstat(s["QQST"]),
            ("Queue",),
            trace=_QUEUES,
        ),
        Report(
            "QSTATCSV",
            "queues as CSV",
            ("QQST",),
            lambda s: statistics.qstatcsv(s["QQST"]),
            ("Queue",),
            statistics.CSV_HEAD,
            _QUEUES,
        ),
        Report(
            "TASK",
            "tasks and their queues",
            ("WTID", "WTAS", "WQ"),
            lambda s: tasks.task(s["WTID"], s["WTAS"], s["WQ"]),
            trace="START TRACE(ACCTG) CLASS(3)",
        ),
        Report("LOG", "the log", ("QJST",), lambda s: statistics.log(s["QJST"]), trace=_BASIC),
        Report("MSGM", "calls", ("QMST",), lambda s: statistics.msgm(s["QMST"]), trace=_BASIC),
        Report(
            "BUFF",
            "buffer pools",
            ("QPST",),
            lambda s: statistics.buff(s["QPST"]),
            ("BufferPool",),
            trace=_BASIC,
        ),
        Report(
            "CHINIT", "channel initiator", _CHINIT, tasks.chinit, trace="START TRACE(STAT) CLASS(4)"
        ),
    )
}


def sections_for(reports: Sequence[Report]) -> tuple[str, ...]:
    """The sections that some reports need, and what could not be read."""
    needed = dict.fromkeys(name for report in reports for name in report.sections)
    return (*needed, REJECTS)


def needs(report: Report) -> str:
    """The records that have what a report is made of, and what brings them."""
    main = report.sections[1] if report.name == "TASK" else report.sections[0]
    kinds = [row.name for row in KINDS.values() if main in [name for _, name in row.sections]]
    return f"records {' or '.join(kinds)}, which {report.trace} brings"


def read(
    spark: SparkSession, dumps: Sequence[str], folder: str, reports: Sequence[Report]
) -> Sections:
    """What reports need of dumps, read once; `folder` must stay while the sections are used."""
    return sections_of(spark, dumps, folder, sections_for(reports))


def lines(report: Report, sections: Sections) -> Iterator[str]:
    """The report, line by line. Rows come from Spark a partition at a time."""
    # Names come from a file of unknown origin, and lines go to a terminal.
    shown = f.regexp_replace("text", _CONTROLS, "?").alias("text")
    made = report.made(sections).orderBy(*ordered(*report.within)).select(shown)
    for number, row in enumerate(made.toLocalIterator()):
        if report.head and not number:
            yield report.head
        yield from row["text"].split("\n")


def objects(report: Report, sections: Sections) -> Iterator[str]:
    """The rows of the report as JSON, one on a line, with every column of what it is made of."""
    made = report.made(sections).orderBy(*ordered(*report.within))
    columns = [
        name for name in made.columns if name not in ("text", "queues", "tasks", "kind", "program")
    ]
    for row in made.select(f.to_json(f.struct(*columns)).alias("json")).toLocalIterator():
        yield row["json"]
