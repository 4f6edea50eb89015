"""A run of `ternmq perf` as text: a table a workload, in the order of the suite."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ternmq.base.words import count_text
from ternmq.perf.comparison import (
    BETTER,
    NEW,
    WORSE,
    Change,
    Compared,
    counted,
    differences,
    miscounted,
)
from ternmq.perf.record import Run
from ternmq.perf.suite import WORKLOADS
from ternmq.perf.workload import Workload

NOTHING: Final = "-"
MARKS: Final = {BETTER: "+", WORSE: "!"}


def number(value: float | None) -> str:
    """About four digits."""
    if value is None:
        return NOTHING
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def change(one: Change) -> str:
    """+3.1 %, and a mark if it is beyond the tolerance."""
    if one.verdict == NEW or one.share is None:
        return NOTHING
    return f"{one.share * 100:+.1f} %{MARKS.get(one.verdict, ' ')}"


def lines(points: list[Compared], run: Run, earlier: Run | None) -> Iterator[str]:
    """The whole run."""
    yield heading(run)
    chapter = ""
    for workload in WORKLOADS:
        own = [one for one in points if one.point.workload == workload.name]
        if not own:
            continue
        if workload.chapter != chapter:
            chapter = workload.chapter
            yield ""
            yield chapter.upper()
        yield ""
        yield f"{workload.title} ({workload.name})"
        yield from table(workload, own, earlier is not None)
    doubts = miscounted(one.point for one in points)
    if doubts or earlier is not None:
        yield ""
    for words in doubts:
        yield f"Counted differently: {words}."
    if earlier is not None:
        yield from ending(points, run, earlier)


def heading(run: Run) -> str:
    """Which run it is."""
    label = f"{run.label}, " if run.label else ""
    quick = "short run, " if run.quick else ""
    processors = count_text(int(run.machine.get("processors") or 0), "processor")
    return (
        f"{label}{run.begun}, {quick}TernMQ {run.version} ({run.build}), {processors},"
        f" {run.seconds:g} s a point"
    )


def table(workload: Workload, points: list[Compared], is_compared: bool) -> Iterator[str]:
    """The points of a workload, a line each."""
    has_series = any(one.point.series for one in points)
    has_cost = bool(workload.cost_unit)
    head = [workload.x_name, *([""] if has_series else []), workload.rate_unit]
    head += ["earlier", "change"] if is_compared else []
    if has_cost:
        head += [workload.cost_unit, *(["earlier", "change"] if is_compared else [])]
    rows = [head]
    for one in points:
        row = [one.point.x, *([one.point.series] if has_series else []), number(one.rate.now)]
        row += [number(one.rate.before), change(one.rate)] if is_compared else []
        if has_cost:
            row.append(number(one.cost.now))
            row += [number(one.cost.before), change(one.cost)] if is_compared else []
        rows.append(row)
    texts = 2 if has_series else 1
    widths = [max(len(row[at]) for row in rows) for at in range(len(head))]
    for row in rows:
        cells = [
            cell.ljust(width) if at < texts else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  " + "  ".join(cells).rstrip()


def ending(points: list[Compared], run: Run, earlier: Run) -> Iterator[str]:
    """What came of the comparison."""
    shown = counted(points)
    yield (
        f"Beside {earlier.label or earlier.begun}: {count_text(shown['within'], 'figure')} within"
        f" 6 %, {shown['better']} better (+), {shown['worse']} worse (!)."
    )
    for words in differences(run, earlier):
        yield f"Not the same in both runs: {words}."
