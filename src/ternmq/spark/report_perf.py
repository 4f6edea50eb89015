"""The page of `ternmq perf`: chapters and charts in the order of the report that the suite is from.

Each workload has a chart of its rate and one of its cost, side by side, and a table below them.
With an earlier run every chart shows both, in a band of the tolerance, and what left the band is
said in words at the top. The figures come ready; nothing is computed here but what is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from ternmq.spark.report_charts import sparkline
from ternmq.spark.report_numbers import NOTHING, digits
from ternmq.spark.report_page import (
    TEXT,
    Card,
    Column,
    Section,
    Tile,
    cards,
    grid,
    page,
    table,
    tiles,
)
from ternmq.spark.report_perf_charts import STYLE, Line, chart

TITLE: Final = "Regression suite"
CARDS_MAX: Final = 12


class Figure(NamedTuple):
    """A rate or a cost of a point."""

    now: float | None
    before: float | None = None
    verdict: str = ""  # within, better, worse; nothing if there is nothing to compare with

    @property
    def change(self) -> float | None:
        """In per cent."""
        if self.now is None or not self.before:
            return None
        return (self.now / self.before - 1) * 100


class Mark(NamedTuple):
    """One point."""

    x: str
    series: str
    rate: Figure
    cost: Figure
    application_cost: float | None = None
    source: str = ""


class Sheet(NamedTuple):
    """One workload."""

    chapter: str
    title: str
    about: str
    x_name: str
    rate_unit: str
    cost_unit: str  # empty: it has no cost
    marks: Sequence[Mark]


class Story(NamedTuple):
    """What a page is about."""

    period: str
    sheets: Sequence[Sheet]
    facts: Sequence[tuple[str, str]]  # about the run and its machine
    earlier: str = ""  # what the earlier run is called
    differences: Sequence[str] = ()
    tolerance: float = 0.06


def page_of(story: Story) -> str:
    """The whole file."""
    sections = [Section("Summary", STYLE + summary(story), lead_of(story))]
    for chapter in dict.fromkeys(sheet.chapter for sheet in story.sheets):
        own = [sheet for sheet in story.sheets if sheet.chapter == chapter]
        inside = "".join(sheet_of(sheet, story) for sheet in own)
        sections.append(Section(chapter, inside))
    sections.append(Section("How it was measured", facts_of(story), MEASURED))
    return page(TITLE, story.period, sections, NOTES)


MEASURED: Final = (
    "Rates are what statistics counted in whole intervals of a second; costs are the CPU time that"
    " accounting gives to the tasks, for each transaction. Where no records are written, rates are"
    " the applications' own and costs those of the queue manager's process."
)
NOTES: Final = (
    "Workloads and their order are those of the regression appendix of IBM's performance reports"
    " for MQ for z/OS; the figures are of this machine and compare only with other runs on it.",
)


def lead_of(story: Story) -> str:
    if not story.earlier:
        return "There is no earlier run beside this one."
    percent = f"{story.tolerance * 100:g} %"
    return (
        f"Beside {story.earlier}. Dashed lines and whiskers are the earlier run, bands ± {percent}:"
        " the variation between runs that counts as none. Rings are figures that left the band."
    )


def summary(story: Story) -> str:
    """The first figure of each workload, and what changed."""
    some = [tile_of(sheet) for sheet in story.sheets if sheet.marks]
    inside = tiles(some)
    if story.earlier:
        inside += cards(cards_of(story))
    return inside


def tile_of(sheet: Sheet) -> Tile:
    best = max(sheet.marks, key=lambda mark: mark.rate.now or 0.0)
    series = f", {best.series}" if best.series else ""
    change = best.rate.change
    beside = "" if change is None else f"; {change:+.1f} %"
    note = f"{sheet.rate_unit}, {best.x}{series}{beside}"
    value = NOTHING if best.rate.now is None else digits(best.rate.now)
    curve = sparkline([mark.rate.now for mark in sheet.marks if mark.series == best.series])
    return Tile(sheet.title, value, note, curve)


def cards_of(story: Story) -> list[Card]:
    """What left the band, the worst first; then what makes the runs hard to compare."""
    left = [
        (abs(figure.change or 0.0), sheet, mark, figure, unit)
        for sheet in story.sheets
        for mark in sheet.marks
        for figure, unit in ((mark.rate, sheet.rate_unit), (mark.cost, sheet.cost_unit))
        if figure.verdict in ("better", "worse")
    ]
    left.sort(key=lambda one: (one[3].verdict != "worse", -one[0]))
    found = [changed_card(sheet, mark, figure, unit) for _, sheet, mark, figure, unit in left]
    shown = found[:CARDS_MAX]
    if len(found) > CARDS_MAX:
        shown.append(Card("And more", f"{len(found) - CARDS_MAX} others left the band."))
    if not found:
        percent = f"{story.tolerance * 100:g} %"
        shown.append(Card("Nothing changed", f"Every figure is within {percent}.", level="good"))
    if story.differences:
        words = "; ".join(story.differences)
        shown.append(Card("Not the same in both runs", words, level="warning"))
    return shown


def changed_card(sheet: Sheet, mark: Mark, figure: Figure, unit: str) -> Card:
    series = f", {mark.series}" if mark.series else ""
    words = (
        f"{sheet.x_name} {mark.x}{series}: {digits(figure.now or 0.0)} {unit},"
        f" was {digits(figure.before or 0.0)} ({figure.change or 0.0:+.1f} %)."
    )
    level = "good" if figure.verdict == "better" else "warning"
    return Card(f"{sheet.title}: {figure.verdict}", words, level=level)


def sheet_of(sheet: Sheet, story: Story) -> str:
    """Two charts and a table."""
    drawn = [drawing(sheet, "rate", sheet.rate_unit, story.tolerance)]
    if sheet.cost_unit:
        drawn.append(drawing(sheet, "cost", sheet.cost_unit, story.tolerance))
    return grid([*drawn, figures_table(sheet, bool(story.earlier))])


def drawing(sheet: Sheet, which: str, unit: str, tolerance: float) -> str:
    labels = list(dict.fromkeys(mark.x for mark in sheet.marks))
    lines = [
        line_of(name, labels, [mark for mark in sheet.marks if mark.series == name], which)
        for name in dict.fromkeys(mark.series for mark in sheet.marks)
    ]
    about = sheet.about if which == "rate" else f"By {sheet.x_name}."
    return chart(f"{sheet.title}: {unit}", about, labels, lines, tolerance)


def line_of(name: str, labels: Iterable[str], marks: Sequence[Mark], which: str) -> Line:
    by_x: Mapping[str, Figure] = {
        mark.x: mark.rate if which == "rate" else mark.cost for mark in marks
    }
    own = [by_x.get(label, Figure(None)) for label in labels]
    return Line(
        name or which,
        [figure.now for figure in own],
        [figure.before for figure in own],
        [figure.verdict for figure in own],
    )


def figures_table(sheet: Sheet, is_compared: bool) -> str:
    columns = [Column("x", sheet.x_name, TEXT)]
    if any(mark.series for mark in sheet.marks):
        columns.append(Column("series", "", TEXT))
    for key, unit in (("rate", sheet.rate_unit), ("cost", sheet.cost_unit)):
        if not unit:
            continue
        columns.append(Column(key, unit, bar=key == "rate"))
        if is_compared:
            columns.append(Column(f"{key}_before", "earlier"))
            columns.append(Column(f"{key}_change", "change", TEXT))
    if sheet.cost_unit:
        columns.append(Column("applications", "of the applications"))
    columns.append(Column("source", "from", TEXT))
    return table(sheet.title, columns, [row_of(mark) for mark in sheet.marks])


def row_of(mark: Mark) -> dict[str, object]:
    return {
        "x": mark.x,
        "series": mark.series,
        "rate": mark.rate.now,
        "rate_before": mark.rate.before,
        "rate_change": change_text(mark.rate),
        "cost": mark.cost.now,
        "cost_before": mark.cost.before,
        "cost_change": change_text(mark.cost),
        "applications": mark.application_cost,
        "source": mark.source,
    }


def change_text(figure: Figure) -> str:
    if figure.change is None:
        return ""
    said = "" if figure.verdict == "within" else f" {figure.verdict}"
    return f"{figure.change:+.1f} %{said}"


def facts_of(story: Story) -> str:
    rows = [{"what": what, "value": value} for what, value in story.facts]
    columns = [Column("what", "", TEXT), Column("value", "", TEXT)]
    return table("The run and its machine", columns, rows)
