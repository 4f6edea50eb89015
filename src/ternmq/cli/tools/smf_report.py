"""ternmq smf report: the reports of MQSMF over SMF dumps."""

from __future__ import annotations

import argparse
import itertools
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ternmq.base.words import count_text
from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write, write_error, write_json
from ternmq.cli.tools.dump_contents import contents
from ternmq.cli.tools.progress_steps import Steps
from ternmq.cli.tools.report_command import is_missing
from ternmq.cli.tools.spark_command import has_arrow, in_spark, without_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ternmq.spark.report.mqsmf_text import Report, Sections

    SectionsOf = Callable[[list[str], str, Sequence[Report]], Sections]

ABOUT: Final = """\
Reports of SMF dumps, laid out as MQSMF of SupportPac MP1B lays them out.

  QSTAT     queues, each interval            LOG      the log
  QSTATCSV  the same as CSV                  MSGM     calls
  TASK      tasks and their queues           BUFF     buffer pools
  ALL       all of them, into --output       CHINIT   channel initiator
"""
NAMES: Final = ("QSTAT", "QSTATCSV", "TASK", "LOG", "MSGM", "BUFF", "CHINIT")
ALL: Final = "ALL"
NAME: Final = "ternmq smf report"
NOTHING: Final = 10  # the dumps lack the records that the reports need
BAD_ARGUMENTS: Final = 36


def main(argv: list[str]) -> int:
    """Run the command; `argv` begins with the word report."""
    line = CommandLine(NAME, ABOUT, BAD_ARGUMENTS)
    line.add_argument("report", type=str.upper, choices=(*NAMES, ALL), metavar="REPORT")
    line.add_argument("files", metavar="FILE", nargs="+", help="dumps, folders or patterns")
    line.add_argument("-o", "--output", metavar="FOLDER", help="a file for each report, in there")
    line.add_argument("--master", default="", help="use Spark, on this; little is read without")
    line.add_argument("--quiet", action="store_true", help="do not show progress")
    line.add_json()
    asked = line.parse_args(argv[1:])
    if asked.report == ALL and asked.output is None:
        line.error("all reports need a folder: --output FOLDER")
    missing = [name for name in asked.files if is_missing(name)]
    if missing:
        line.error(f"{missing[0]}: there is no such file or folder")
    files = [name if "://" in name else os.path.abspath(name) for name in asked.files]
    try:
        is_small = not asked.master and has_arrow() and _are_small(files)
    except (OSError, ValueError) as error:
        line.error(str(error))
    if is_small:
        return without_spark(NAME, lambda: _print(_small_sections, files, asked))
    return in_spark(
        NAME,
        asked.master,
        asked.quiet,
        lambda spark: _print(partial(_sections, spark), files, asked),
    )


def _are_small(files: list[str]) -> bool:
    from ternmq.spark.report.small_tables import are_small_dumps

    return are_small_dumps(files)


def _small_sections(files: list[str], folder: str, reports: Sequence[Report]) -> Sections:
    from ternmq.spark.report.mqsmf_text import sections_for
    from ternmq.spark.report.small_tables import sections_here

    return sections_here(files, sections_for(reports))


def _sections(
    spark: SparkSession, files: list[str], folder: str, reports: Sequence[Report]
) -> Sections:
    from ternmq.spark.report.mqsmf_text import read

    return read(spark, files, folder, reports)


def _print(read: SectionsOf, files: list[str], asked: argparse.Namespace) -> int:
    """Read the dumps once; each report on standard output or in its file."""
    from ternmq.spark.report.mqsmf_text import REPORTS
    from ternmq.spark.smf.not_read import rejected, sentences
    from ternmq.spark.smf.section_columns import REJECTS

    reports = [REPORTS[name] for name in (NAMES if asked.report == ALL else (asked.report,))]
    with (
        Steps("report", len(reports) + 1, quiet=asked.quiet) as steps,
        tempfile.TemporaryDirectory(prefix="ternmq-report-") as folder,
    ):
        steps.next("reading the dumps")
        sections = read(files, f"{folder}/sections", reports)
        lost = rejected(sections[REJECTS])
        made = [_one(report, sections, asked, steps) for report in reports]
    if asked.json and asked.output is not None:
        found = [one._asdict() for one in lost]
        write_json([{**one, "rejected": found} for one in made if one["lines"]])
    for line in sentences(lost):
        write_error(f"{NAME}: {line}")
    empty = [report for report, one in zip(reports, made, strict=True) if not one["lines"]]
    if empty:
        _explain(empty, files)
    return NOTHING if len(empty) == len(reports) else 0


def _explain(empty: Sequence[Report], files: list[str]) -> None:
    """Say which records reports need, and which there are."""
    from ternmq.spark.report.mqsmf_text import needs

    for report in empty:
        write_error(f"{NAME}: {report.name} has nothing to show: it needs {needs(report)}")
    write_error(f"{NAME}: {contents(files)}")


def _one(
    report: Report, sections: Sections, asked: argparse.Namespace, steps: Steps
) -> dict[str, object]:
    """One report; its file, if it went into one, and how many lines it has. A report without
    lines has no file."""
    from ternmq.spark.report.mqsmf_text import lines, objects

    steps.next(report.name)
    found = objects(report, sections) if asked.json else lines(report, sections)
    first = next(found, None)
    if first is None:
        return {"report": report.name, "lines": 0}
    found = itertools.chain([first], found)
    if asked.output is None:
        count = 0
        for count, line in enumerate(found, 1):  # noqa: B007
            write(line)
        return {"report": report.name, "lines": count}
    path = Path(asked.output).absolute() / f"{report.name}{_ending(report, asked)}"
    count = _written(path, found)
    if not asked.json:
        write(f"{report.name:<9} {count_text(count, 'line'):>14}  {path}")
    return {"report": report.name, "file": str(path), "lines": count}


def _ending(report: Report, asked: argparse.Namespace) -> str:
    if asked.json:
        return ".json"
    return ".csv" if report.name == "QSTATCSV" else ".txt"


def _written(path: Path, found: Iterator[str]) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for count, line in enumerate(found, 1):  # noqa: B007
            file.write(f"{line}\n")
    return count
