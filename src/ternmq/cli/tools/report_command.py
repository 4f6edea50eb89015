"""ternmq report: a page about queue managers, from the pipeline's warehouse or from SMF dumps."""

from __future__ import annotations

import argparse
import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ternmq.base.words import count_text
from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write, write_error, write_json
from ternmq.cli.tools.dump_contents import contents
from ternmq.cli.tools.progress_steps import Steps
from ternmq.cli.tools.spark_command import has_arrow, in_spark, without_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ternmq.spark.report.report_html import ReportPage

    TablesOf = Callable[[list[str], Steps], contextlib.AbstractContextManager[dict[str, DataFrame]]]

ABOUT: Final = """\
A page about queue managers that any browser opens: rates, depths, latency, who did how much, and
what deserves a look. One file, nothing is fetched.

  html   WAREHOUSE: the folder that `ternmq pipeline run` filled
         DUMP...:   SMF dumps, ours or those of z/OS
"""
OK: Final = 0
NOTHING: Final = 10  # there is no row with a moment in it
BAD_ARGUMENTS: Final = 36
PAGE: Final = "report.html"
STEPS: Final = 11  # tables, a look at them, and each section


def main(argv: list[str]) -> int:
    """Run the command."""
    line = _line()
    asked = line.parse_args(argv)
    missing = [name for name in asked.sources if is_missing(name)]
    if missing:
        line.error(f"{missing[0]}: there is no such file or folder")
    output = Path(asked.output).absolute()
    if output.is_dir() or not output.parent.is_dir():
        line.error(f"--output {asked.output}: that is not a file in an existing folder")
    try:
        is_small = not asked.master and has_arrow() and _is_small(_sources(asked))
    except (OSError, ValueError) as error:
        line.error(str(error))
    if is_small:
        return without_spark("ternmq report", lambda: _made(_small_tables, asked))
    return in_spark(
        "ternmq report",
        asked.master,
        asked.quiet,
        lambda spark: _made(partial(_tables, spark), asked),
    )


def _sources(asked: argparse.Namespace) -> list[str]:
    return [os.path.abspath(s) if "://" not in s else s for s in asked.sources]


def _is_small(sources: list[str]) -> bool:
    from ternmq.spark.report import report_tables, small_tables

    if len(sources) == 1 and report_tables.is_warehouse(sources[0]):
        return small_tables.is_small_warehouse(sources[0])
    return small_tables.are_small_dumps(sources)


def _made(tables_of: TablesOf, asked: argparse.Namespace) -> int:
    """Make the page and write it."""
    from ternmq.spark.report.report_tables import between

    with (
        Steps("report", STEPS, quiet=asked.quiet) as steps,
        tables_of(_sources(asked), steps) as tables,
    ):
        page = _page(between(tables, asked.since, asked.until, asked.manager), asked, steps)
    path = Path(asked.output).absolute()
    path.write_text(page.html, encoding="utf-8")
    _report(page, path, asked)
    return OK if page.period is not None else NOTHING


def _line() -> CommandLine:
    line = CommandLine("ternmq report", ABOUT, BAD_ARGUMENTS)
    line.add_argument("action", choices=("html",), help="the form of the page")
    line.add_argument("sources", metavar="PATH", nargs="+", help="a warehouse, or SMF dumps")
    line.add_argument("-o", "--output", default=PAGE, metavar="FILE", help=f"the page ({PAGE})")
    line.add_argument("-m", dest="manager", metavar="QMGR", default="", help="only this one")
    line.add_argument("--since", type=_moment, metavar="TIME", help="2026-11-16T11:00, in UTC")
    line.add_argument("--until", type=_moment, metavar="TIME", help="up to but not including")
    line.add_argument("--title", default="", help="of the page; the queue managers if left out")
    line.add_argument("--master", default="", help="use Spark, on this; little is read without")
    line.add_argument("--quiet", action="store_true", help="do not show progress")
    line.add_json()
    return line


def _moment(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError as wrong:
        raise argparse.ArgumentTypeError(f"{text} is not a time; 2026-11-16T11:00 is") from wrong
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def is_missing(source: str) -> bool:
    """Whether a path of this machine is not there; patterns and URIs are for Spark to find."""
    return (
        "://" not in source and not any(c in source for c in "*?[") and not os.path.exists(source)
    )


@contextlib.contextmanager
def _small_tables(sources: list[str], steps: Steps) -> Iterator[dict[str, DataFrame]]:
    from ternmq.spark.report import report_tables, small_tables

    if len(sources) == 1 and report_tables.is_warehouse(sources[0]):
        steps.next("reading the tables")
        yield small_tables.of_small_warehouse(sources[0])
    else:
        steps.next("reading the dumps")
        yield small_tables.of_small_dumps(sources)


@contextlib.contextmanager
def _tables(
    spark: SparkSession, sources: list[str], steps: Steps
) -> Iterator[dict[str, DataFrame]]:
    from ternmq.spark.report import report_tables

    with tempfile.TemporaryDirectory(prefix="ternmq-report-") as folder:
        if len(sources) == 1 and report_tables.is_warehouse(sources[0]):
            steps.next("reading the tables")
            yield report_tables.of_warehouse(spark, sources[0])
        else:
            steps.next("reading the dumps")
            yield report_tables.of_dumps(spark, sources, f"{folder}/sections")


def _page(tables: dict[str, DataFrame], asked: argparse.Namespace, steps: Steps) -> ReportPage:
    from ternmq.spark.report.report_html import html_page

    names = [os.path.basename(source.rstrip("/")) or source for source in asked.sources]
    source = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return html_page(tables, asked.title, step=steps.next, source=source)


def _why(asked: argparse.Namespace) -> str:
    """What there is instead of what a page is made of."""
    if asked.since or asked.until or asked.manager:
        return " of that time and queue manager"
    sources = _sources(asked)
    if len(sources) == 1 and Path(sources[0]).is_dir():
        return f": {sources[0]} has neither tables of a pipeline nor records with a time"
    return f": {contents(sources)}" if _are_local(sources) else ""


def _are_local(sources: list[str]) -> bool:
    return not any("://" in source for source in sources)


def _report(page: ReportPage, path: Path, asked: argparse.Namespace) -> None:
    from ternmq.spark.smf.not_read import sentences

    period = page.period
    if asked.json:
        write_json(
            {
                "page": str(path),
                "bytes": path.stat().st_size,
                "title": page.title,
                "from": period.first.isoformat() if period else None,
                "to": period.last.isoformat() if period else None,
                "sections": page.sections,
                "findings": page.findings,
                "anomalies": page.anomalies,
                "rejected": [one._asdict() for one in page.rejected],
            }
        )
        return
    if period is None:
        write_error(f"ternmq report: there is nothing to show{_why(asked)}")
    for line in sentences(page.rejected):
        write_error(f"ternmq report: {line}")
    found = f"{count_text(page.findings, 'finding')}, {count_text(page.anomalies, 'anomaly')}"
    write(f"{path} ({path.stat().st_size / 1000:.0f} KB, {found})")
