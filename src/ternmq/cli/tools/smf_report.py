"""ternmq smf report: the reports of MQSMF over SMF dumps, made by Spark."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write, write_json
from ternmq.cli.tools.progress_steps import Steps
from ternmq.cli.tools.report_command import is_missing
from ternmq.cli.tools.spark_command import in_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ternmq.spark.report.mqsmf_text import Report, Sections

ABOUT: Final = """\
Reports of SMF dumps, laid out as MQSMF of SupportPac MP1B lays them out.

  QSTAT     queues, each interval            LOG      the log
  QSTATCSV  the same as CSV                  MSGM     calls
  TASK      tasks and their queues           BUFF     buffer pools
  ALL       all of them, into --output       CHINIT   channel initiator
"""
NAMES: Final = ("QSTAT", "QSTATCSV", "TASK", "LOG", "MSGM", "BUFF", "CHINIT")
ALL: Final = "ALL"
BAD_ARGUMENTS: Final = 36


def main(argv: list[str]) -> int:
    """Run the command; `argv` begins with the word report."""
    line = CommandLine("ternmq smf report", ABOUT, BAD_ARGUMENTS)
    line.add_argument("report", type=str.upper, choices=(*NAMES, ALL), metavar="REPORT")
    line.add_argument("files", metavar="FILE", nargs="+", help="dumps, folders or patterns")
    line.add_argument("-o", "--output", metavar="FOLDER", help="a file for each report, in there")
    line.add_argument("--master", default="", help="of Spark; local[*] if left out")
    line.add_argument("--quiet", action="store_true", help="do not show progress")
    line.add_json()
    asked = line.parse_args(argv[1:])
    if asked.report == ALL and asked.output is None:
        line.error("all reports need a folder: --output FOLDER")
    missing = [name for name in asked.files if is_missing(name)]
    if missing:
        line.error(f"{missing[0]}: there is no such file or folder")
    return in_spark(
        "ternmq smf report", asked.master, asked.quiet, lambda spark: _print(spark, asked)
    )


def _print(spark: SparkSession, asked: argparse.Namespace) -> int:
    """Read the dumps once; each report on standard output or in its file."""
    from ternmq.spark.report.mqsmf_text import REPORTS, read

    files = [name if "://" in name else os.path.abspath(name) for name in asked.files]
    reports = [REPORTS[name] for name in (NAMES if asked.report == ALL else (asked.report,))]
    with (
        Steps("report", len(reports) + 1, quiet=asked.quiet) as steps,
        tempfile.TemporaryDirectory(prefix="ternmq-report-") as folder,
    ):
        steps.next("reading the dumps")
        sections = read(spark, files, f"{folder}/sections", reports)
        made = [found for report in reports if (found := _one(report, sections, asked, steps))]
    if asked.json and asked.output is not None:
        write_json(made)
    return 0


def _one(
    report: Report, sections: Sections, asked: argparse.Namespace, steps: Steps
) -> dict[str, object]:
    """One report; what is known of its file, if it went into one."""
    from ternmq.spark.report.mqsmf_text import lines, objects

    steps.next(report.name)
    found = objects(report, sections) if asked.json else lines(report, sections)
    if asked.output is None:
        for line in found:
            write(line)
        return {}
    path = Path(asked.output).absolute() / f"{report.name}{_ending(report, asked)}"
    count = _written(path, found)
    if not asked.json:
        write(f"{report.name:<9} {count:>8} lines  {path}")
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
