"""ternmq pipeline: from SMF dumps and queues to tables, by Spark Declarative Pipelines."""

from __future__ import annotations

import argparse
import json
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write, write_error, write_json, write_now
from ternmq.cli.tools.progress_steps import Steps
from ternmq.cli.tools.spark_command import in_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ternmq.spark.pipeline.following import Update
    from ternmq.spark.pipeline.project import Project
    from ternmq.spark.pipeline.triggered_run import Step
    from ternmq.spark.smf.not_read import Rejected

ABOUT: Final = """\
From SMF dumps and queues to tables in Parquet, by a Spark Declarative Pipeline.

  init     make a project: its settings and definitions
  dry-run  look whether it would run
  run      read what is new and bring the tables up to date
  follow   go on reading until interrupted
"""
NAME: Final = "ternmq pipeline"
OK: Final = 0
BAD_ARGUMENTS: Final = 36
FAILED: Final = 71
_ENDING: Final = (signal.SIGINT, signal.SIGTERM)


def main(argv: list[str]) -> int:
    """Run the command."""
    line = _line()
    asked = line.parse_args(argv)
    if asked.action == "init":
        return _init(line, asked)
    return _run(asked)


def _line() -> CommandLine:
    line = CommandLine(NAME, ABOUT, BAD_ARGUMENTS)
    line.add_argument(
        "action",
        choices=("init", "dry-run", "run", "follow"),
        help="make a project; check it; take what is new; go on taking it",
    )
    line.add_argument("project", metavar="PROJECT", nargs="?", default=".", help="its folder (.)")
    line.add_argument("--smf", metavar="PATH", default="", help="init: dumps to read")
    line.add_argument("--sections", metavar="NAMES", default="", help="init: served, all, or names")
    line.add_argument("--queue", metavar="QUEUE", default="", help="init: messages of this queue")
    line.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="init: any other setting: mq.channel=APP, spark.ternmq.mq.channel=APP",
    )
    line.add_argument("--warehouse", metavar="PATH", default="", help="init: where tables go")
    line.add_argument(
        "--events",
        metavar="QUEUE",
        default="",
        help="init, follow: where anomalies are raised as events, or none"
        " (SYSTEM.ADMIN.ANOMALY.EVENT if messages are read)",
    )
    line.add_argument("--refresh", metavar="TABLES", default="", help="run: only these")
    line.add_argument("--full-refresh", metavar="TABLES", default="", help="run: rebuild these")
    line.add_argument("--full-refresh-all", action="store_true", help="run: rebuild all")
    line.add_argument(
        "--every", metavar="SECONDS", type=_seconds, default=10.0, help="follow: look so often (10)"
    )
    line.add_argument("--master", default="", help="of Spark; local[*] if left out")
    line.add_argument("--quiet", action="store_true", help="do not show progress")
    line.add_json()
    return line


def _init(line: CommandLine, asked: argparse.Namespace) -> int:
    from ternmq.spark.errors import SparkError
    from ternmq.spark.pipeline.project import create
    from ternmq.spark.pipeline.settings import PREFIX, fault_of_key

    settings = {"smf.path": asked.smf, "smf.sections": asked.sections, "mq.queue": asked.queue}
    settings["warehouse"] = asked.warehouse
    settings["events.queue"] = asked.events
    for pair in asked.set:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            line.error(f"--set {pair}: it is KEY=VALUE")
        key = key.removeprefix(PREFIX)
        fault = fault_of_key(key)
        if fault:
            line.error(f"--set {pair}: {fault}")
        settings[key] = value
    if asked.smf and "://" not in asked.smf:
        settings["smf.path"] = str(Path(asked.smf).absolute())
    folder = Path(asked.project).absolute()
    reported = {key: value for key, value in settings.items() if value}
    if not {"smf.path", "mq.queue"} & reported.keys():
        line.error("what is to be read? --smf PATH, --queue QUEUE or both")
    try:
        spec = create(folder, folder.name, reported)
    except SparkError as error:
        write_error(f"{NAME}: {error}")
        return FAILED
    if asked.json:
        write_json({"project": str(folder), "spec": str(spec), "settings": reported})
    else:
        write(f"{spec} is there; next: ternmq pipeline run {asked.project}")
    return OK


def _run(asked: argparse.Namespace) -> int:
    from ternmq.spark.errors import SparkError
    from ternmq.spark.pipeline.project import find
    from ternmq.spark.pipeline.settings import PREFIX

    try:
        project = find(Path(asked.project))
        if asked.events:
            reported = {f"{PREFIX}events.queue": asked.events}
            project = project._replace(configuration={**project.configuration, **reported})
        _ = project.settings.kinds
    except SparkError as error:
        write_error(f"{NAME}: {error}")
        return FAILED
    work = _Follow(asked, project).done if asked.action == "follow" else _Run(asked, project).done
    return in_spark(NAME, asked.master, asked.quiet, work)


@final
class _Run:
    """What is done once Spark runs."""

    def __init__(self, asked: argparse.Namespace, project: Project) -> None:
        self._asked: Final = asked
        self._project: Final = project
        self._steps: Steps | None = None

    def done(self, spark: SparkSession) -> int:
        from ternmq.spark.pipeline.flows import flows
        from ternmq.spark.pipeline.triggered_run import Choice, run
        from ternmq.spark.pipeline_rejects import rejected

        asked = self._asked
        choice = Choice(
            _names(asked.refresh),
            _names(asked.full_refresh),
            asked.full_refresh_all,
            asked.action == "dry-run",
        )
        total = len(flows(spark, self._project.settings))
        with Steps("pipeline", total, quiet=asked.quiet) as self._steps:
            states = run(spark, self._project, choice, self._notified)
        if choice.is_dry:
            self._report(states, {}, [])
        else:
            self._report(states, self._rows(spark), rejected(spark, self._project.settings))
        return OK

    def _notified(self, step: Step) -> None:
        if self._steps is not None and step.state == "COMPLETED":
            self._steps.next(step.table)

    def _rows(self, spark: SparkSession) -> dict[str, int]:
        from ternmq.spark.pipeline.served_tables import counts

        return counts(spark, self._project.settings.warehouse)

    def _report(self, states: dict[str, str], rows: dict[str, int], lost: list[Rejected]) -> None:
        from ternmq.spark.pipeline_rejects import sentences

        warehouse = self._project.settings.warehouse
        if self._asked.json:
            found = [one._asdict() for one in lost]
            reported = {"warehouse": warehouse, "states": states, "rows": rows, "rejected": found}
            write_json(reported)
            return
        if self._asked.action == "dry-run":
            write(f"{self._project.spec}: nothing is wrong with it")
            return
        for name, count in rows.items():
            write(f"{name.ljust(14)}{count:>10}")
        write(f"tables: {warehouse}")
        for line in sentences(lost):
            write_error(f"{NAME}: {line}")


@final
class _Follow:
    """Going on until a signal."""

    def __init__(self, asked: argparse.Namespace, project: Project) -> None:
        self._asked: Final = asked
        self._project: Final = project
        self._is_over = False
        self._trouble = ""
        self._rows = ""

    def done(self, spark: SparkSession) -> int:
        from ternmq.spark.pipeline.following import follow

        before = [signal.signal(each, self._end) for each in _ENDING]
        if not self._asked.quiet:
            settings = self._project.settings
            events = f"; events: {settings.events_queue}" if settings.events_queue else ""
            write_error(f"{NAME}: following; tables: {settings.warehouse}{events}")
        try:
            follow(
                spark,
                self._project,
                every_s=self._asked.every,
                is_over=lambda: self._is_over,
                notify=self._notified,
            )
        finally:
            for each, old in zip(_ENDING, before):
                signal.signal(each, old)
        return OK

    def _end(self, number: int, frame: object) -> None:
        self._is_over = True

    def _notified(self, update: Update) -> None:
        if update.trouble != self._trouble:
            self._trouble = update.trouble
            now = f"events wait: {update.trouble}" if update.trouble else "events go on"
            write_error(f"{NAME}: {now}")
        if self._asked.json:
            reported = {"rows": update.rows, "views": update.views, "trouble": update.trouble}
            write_now(json.dumps(reported))
        elif not self._asked.quiet:
            rows = ", ".join(f"{name} {count}" for name, count in sorted(update.rows.items()))
            if rows != self._rows:
                self._rows = rows
                write_now(f"read so far: {rows}")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds")
    return seconds


def _names(text: str) -> Sequence[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
