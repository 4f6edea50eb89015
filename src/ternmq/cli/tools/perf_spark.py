"""The half of `ternmq perf` that needs Spark: SMF records become rates and costs, and a page."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

from ternmq.base.words import count_text
from ternmq.cli.tools.progress_steps import Steps
from ternmq.perf.comparison import (
    TOLERANCE,
    Change,
    Compared,
    compared,
    differences,
    miscounted,
)
from ternmq.perf.record import Run, settled
from ternmq.perf.suite import WORKLOADS
from ternmq.perf.workload import Workload
from ternmq.spark.errors import SparkError
from ternmq.spark.java import find_java
from ternmq.spark.report.perf_page import Figure, Mark, Sheet, Story, page_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ternmq.spark.pipeline.project import Project

PAGE: Final = "perf.html"


def check() -> None:
    """That Spark could run, before anything is measured for it. SparkError with the remedy."""
    find_java()


@final
class Figuring:
    """What Spark does for a run: the pipeline reads its records, and its points get figures."""

    def __init__(self, record: Run, folder: Path, quiet: bool) -> None:
        self._record: Final = record
        self._folder: Final = folder.resolve()
        self._is_quiet: Final = quiet

    def done(self, spark: SparkSession) -> int:
        """The points have their rates and costs, and the record is saved."""
        from ternmq.spark.pipeline.perf_tables import Window, figures

        points = self._record.points
        windows = [
            Window(
                number,
                one.begin_s,
                one.end_s,
                one.counted,
                one.counts,
                one.cost_of_putters,
                one.from_s,
                one.to_s,
            )
            for number, one in enumerate(points)
            if one.counted
        ]
        if windows:
            for found in figures(spark, windows, self._tables(spark)):
                point = points[found.number]
                point.intervals = found.intervals
                point.smf_rate, point.smf_cost = found.rate, found.cost
                point.smf_done = found.done
        settled(points)
        self._record.save(self._folder)
        return 0

    def _tables(self, spark: SparkSession) -> dict[str, DataFrame]:
        """The served tables of the run: those that are needed, and what they are made of."""
        from ternmq.spark.pipeline import served_tables as served
        from ternmq.spark.pipeline.flows import flows
        from ternmq.spark.pipeline.perf_tables import NEEDED
        from ternmq.spark.pipeline.triggered_run import COMPLETED, Choice, run

        project = self._project()
        wanted = set(NEEDED)
        for flow in reversed(flows(spark, project.settings)):
            if flow.name in wanted:
                wanted.update(flow.reads)
        with Steps("pipeline", len(wanted), quiet=self._is_quiet) as steps:
            run(
                spark,
                project,
                Choice(refresh=tuple(sorted(wanted))),
                notify=lambda step: steps.next(step.table) if step.state == COMPLETED else None,
            )
        return {name: served.table(spark, project.settings.warehouse, name) for name in NEEDED}

    def _project(self) -> Project:
        """The pipeline of the run, made when it is asked for first. It holds nothing that is not
        in the records, so one that is not whole, or was moved with its run, is recreated."""
        from ternmq.spark.pipeline.project import create, find

        folder, smf = self._folder / "pipeline", self._folder / "smf"
        if not any(smf.glob("*.dat")):
            raise SparkError(f"there are no SMF records in {smf}, and so no rates and costs by SMF")
        try:
            project = find(folder)
            if project.settings.smf.get("path") == str(smf):
                return project
        except SparkError:
            pass  # there is none yet, or one that was not finished
        shutil.rmtree(folder, ignore_errors=True)
        create(folder, "ternmq perf", {"smf.path": str(smf)})
        return find(folder)


def write_page(record: Run, earlier: Run | None, folder: Path) -> Path:
    """The page of a run, beside an earlier one if there is one."""
    points = compared(record, earlier)
    sheets = [
        _sheet(workload, own)
        for workload in WORKLOADS
        if (own := [one for one in points if one.point.workload == workload.name])
    ]
    story = Story(
        _period(record),
        sheets,
        _facts(record),
        "" if earlier is None else (earlier.label or f"the run of {earlier.begun}"),
        [] if earlier is None else differences(record, earlier),
        TOLERANCE,
        miscounted(record.points),
    )
    path = folder / PAGE
    path.write_text(page_of(story), encoding="utf-8")
    return path


def _sheet(workload: Workload, points: list[Compared]) -> Sheet:
    marks = [
        Mark(
            one.point.x,
            one.point.series,
            _figure(one.rate),
            _figure(one.cost),
            one.point.application_cost,
            _source(one),
        )
        for one in points
    ]
    return Sheet(
        workload.chapter,
        workload.title,
        workload.about,
        workload.x_name,
        workload.rate_unit,
        workload.cost_unit,
        marks,
    )


def _figure(change: Change) -> Figure:
    return Figure(change.now, change.before, change.verdict)


def _source(one: Compared) -> str:
    if not one.point.source:
        return ""
    if one.point.source != "smf":
        return "applications and system" if one.point.cost is not None else "system"
    return f"SMF, {count_text(one.point.intervals, 'interval')}"


def _period(record: Run) -> str:
    begun = datetime.fromisoformat(record.begun)
    label = f"{record.label}, " if record.label else ""
    return f"{label}{begun.day} {begun:%B %Y, %H:%M} UTC, TernMQ {record.version}, {record.build}"


def _facts(record: Run) -> list[tuple[str, str]]:
    machine = record.machine
    return [
        ("begun", record.begun),
        ("took", f"{record.took_s:.0f} s"),
        ("points", f"{len(record.points)}{' (a short run)' if record.quick else ''}"),
        ("seconds a point", f"{record.seconds:g}"),
        ("TernMQ", f"{record.version}, {record.build}"),
        (
            "processes of applications",
            f"{record.processes} that ask, {record.processes} that serve",
        ),
        ("processors", str(machine.get("processors"))),
        ("system", f"{machine.get('system')} {machine.get('release')}, {machine.get('machine')}"),
        ("Python", str(machine.get("python"))),
        ("counted alike by SMF and by the applications", _alike(record)),
        ("measured meanwhile", "statistics class 1 to 5, accounting class 3 and 4, unless said"),
    ]


def _alike(record: Run) -> str:
    both = sum(one.smf_done is not None for one in record.points)
    return f"{both - len(miscounted(record.points))} of {count_text(both, 'point')}"
