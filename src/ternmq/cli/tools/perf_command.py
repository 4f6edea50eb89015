"""ternmq perf: the regression suite of IBM's performance reports, on a queue manager of ours."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from ternmq.base.errors import MQError
from ternmq.base.words import count_text
from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write, write_error, write_json, write_lines
from ternmq.cli.tools.perf_text import lines
from ternmq.cli.tools.progress_steps import Steps
from ternmq.cli.tools.spark_command import in_spark
from ternmq.perf.comparison import WORSE, Compared, compared, counted, differences
from ternmq.perf.crew import ApplicationFailed
from ternmq.perf.queue_manager import QueueManagerFailed
from ternmq.perf.record import FILE, NoRecord, Run, load
from ternmq.perf.run import QUICK_SECONDS, SECONDS, Wish, run
from ternmq.perf.suite import WORKLOADS, chosen
from ternmq.spark.errors import SparkError

ABOUT: Final = """\
Run the regression suite: a queue manager and its applications, in processes of their own that this
command starts and ends. SMF records are collected, the pipeline makes rates and costs of them, and
a page shows them beside an earlier run.

  list                      the workloads
  run                       measure, then make the tables and the page
  report FOLDER             make tables and page again from what a run has collected
  compare FOLDER EARLIER    a run beside an earlier one; exit status 1 if a figure is worse by
                            more than 6 %
"""
NAME: Final = "ternmq perf"
ACTIONS: Final = {"list": 0, "run": 0, "report": 1, "compare": 2}  # and how many folders they take
OK: Final = 0
IS_WORSE: Final = 1
BAD_ARGUMENTS: Final = 36
FAILED: Final = 71
SECONDS_MIN: Final = 0.1
PROCESSES_MAX: Final = 64


def main(argv: list[str]) -> int:
    """Run the command."""
    line = _line()
    asked = line.parse_args(argv)
    _check(asked, line)
    try:
        if asked.action == "list":
            return _list(asked.json)
        if asked.action == "run":
            return _run(asked, line)
        if asked.action == "report":
            return _report(asked, load(asked.folders[0]), asked.folders[0])
        return _compare(load(asked.folders[0]), load(asked.folders[1]), asked.json)
    except (NoRecord, SparkError, QueueManagerFailed, ApplicationFailed) as error:
        write_error(f"{NAME}: {error}")
    except (MQError, OSError) as error:
        write_error(f"{NAME}: {error}")
    except KeyboardInterrupt:
        write_error(f"{NAME}: interrupted")
    return FAILED


def _line() -> CommandLine:
    line = CommandLine(NAME, ABOUT, BAD_ARGUMENTS)
    line.add_argument(
        "action",
        choices=tuple(ACTIONS),
        help="list points; run them; make the page; compare two runs",
    )
    line.add_argument("folders", metavar="FOLDER", nargs="*", type=Path, help="of runs")
    line.add_argument(
        "--only", action="append", metavar="NAME", help="run: this workload, or those that begin so"
    )
    line.add_argument("--quick", action="store_true", help="run: few points, short ones")
    line.add_argument("--seconds", type=float, default=0.0, help="run: so long a point")
    line.add_argument(
        "--processes", type=int, default=1, help="run: of applications on each side (1)"
    )
    line.add_argument("--label", default="", help="run: a name for it")
    line.add_argument("-o", "--output", metavar="FOLDER", type=Path, help="run: where it goes")
    line.add_argument("--keep", action="store_true", help="run: the queue manager's folder too")
    line.add_argument(
        "--no-page", action="store_true", help="run: measure only, without Spark and page"
    )
    line.add_argument("--master", default="", help="of Spark; local[*] if left out")
    line.add_argument("--quiet", action="store_true", help="do not show progress")
    line.add_argument(
        "--with", dest="earlier", metavar="EARLIER", type=Path, help="run, report: beside this run"
    )
    line.add_json()
    return line


def _check(asked: argparse.Namespace, line: CommandLine) -> None:
    wanted = ACTIONS[asked.action]
    if len(asked.folders) != wanted:
        line.error(
            f"{asked.action} takes {count_text(wanted, 'folder') if wanted else 'no folders'}"
        )
    if asked.seconds and asked.seconds < SECONDS_MIN:
        line.error(f"--seconds is {SECONDS_MIN} or more, not {asked.seconds:g}")
    if not 1 <= asked.processes <= PROCESSES_MAX:
        line.error(f"--processes is 1 to {PROCESSES_MAX}, not {asked.processes}")


def _list(as_json: bool) -> int:
    if as_json:
        write_json([_workload_json(name) for name in (one.name for one in WORKLOADS)])
        return OK
    chapter = ""
    width = max(len(one.name) for one in WORKLOADS)
    for one in WORKLOADS:
        if one.chapter != chapter:
            chapter = one.chapter
            write(chapter)
        count = f"{count_text(len(one.points), 'point')}, {len(one.chosen(True))} of a short run"
        write(f"  {one.name:{width}}  {one.title} ({count})")
    return OK


def _workload_json(name: str) -> dict[str, Any]:
    (one,) = [each for each in WORKLOADS if each.name == name]
    return {
        "name": one.name,
        "chapter": one.chapter,
        "title": one.title,
        "about": one.about,
        "points": len(one.points),
        "quick_points": len(one.chosen(True)),
        "rate_unit": one.rate_unit,
        "cost_unit": one.cost_unit,
    }


def _run(asked: argparse.Namespace, line: CommandLine) -> int:
    try:
        workloads = chosen(asked.only or [])
    except ValueError as wrong:
        line.error(str(wrong))
    if asked.earlier is not None:
        load(asked.earlier)  # a wrong name is reported before the work, not after it
    if not asked.no_page:
        from ternmq.cli.tools.perf_spark import check

        check()
    folder = asked.output or Path("ternmq-perf", datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ"))
    if (folder / FILE).exists():
        line.error(f"there is a run in {folder} already")
    wish = Wish(
        workloads,
        folder,
        asked.seconds or (QUICK_SECONDS if asked.quick else SECONDS),
        asked.quick,
        asked.processes,
        asked.label,
        asked.keep,
    )
    try:
        with Steps(NAME, wish.steps, quiet=asked.quiet) as steps:
            record = run(wish, steps.next)
    except BaseException:
        _report_kept(folder)
        raise
    return _report(asked, record, folder)


def _report_kept(folder: Path) -> None:
    """After a run that did not come to its end: what there is of it."""
    try:
        count = len(load(folder).points)
    except NoRecord:
        return
    points = count_text(count, "point")
    write_error(f"{NAME}: the run has not come to its end; {folder / FILE} has {points} of it")


def _report(asked: argparse.Namespace, record: Run, folder: Path) -> int:
    """Tables and page, unless only the measuring was wanted; then the text."""
    earlier = load(asked.earlier) if asked.earlier is not None else None
    page: Path | None = None
    if not asked.no_page:
        from ternmq.cli.tools.perf_spark import Figuring, write_page

        work = Figuring(record, folder, asked.quiet)
        status = in_spark(NAME, asked.master, asked.quiet, work.done)
        if status:
            return status
        page = write_page(record, earlier, folder)
    points = compared(record, earlier)
    if asked.json:
        write_json(_as_json(record, earlier, points, folder, page))
        return OK
    write_lines(lines(points, record, earlier))
    write()
    write(f"Saved in {folder / FILE}.")
    if page is not None:
        write(f"The page to open: {page.absolute()}")
    return OK


def _compare(record: Run, earlier: Run, as_json: bool) -> int:
    points = compared(record, earlier)
    if as_json:
        write_json(_as_json(record, earlier, points))
    else:
        write_lines(lines(points, record, earlier))
    return IS_WORSE if any(WORSE in one.verdicts for one in points) else OK


def _as_json(
    record: Run,
    earlier: Run | None,
    points: list[Compared],
    folder: Path | None = None,
    page: Path | None = None,
) -> dict[str, Any]:
    values = record.to_json()
    if folder is not None:
        values["folder"] = str(folder)
    if page is not None:
        values["page"] = str(page.absolute())
    if earlier is not None:
        values["compared"] = {
            "with": earlier.label or earlier.begun,
            "figures": counted(points),
            "differences": differences(record, earlier),
            "points": [
                {
                    "workload": one.point.workload,
                    "series": one.point.series,
                    "x": one.point.x,
                    "rate_change": one.rate.share,
                    "rate_verdict": one.rate.verdict,
                    "cost_change": one.cost.share,
                    "cost_verdict": one.cost.verdict,
                }
                for one in points
            ],
        }
    return values
