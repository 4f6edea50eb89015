"""The page of `ternmq perf`: chapters and charts in the order of the report that the suite is from.

Each workload has its name and what it does, a chart of its rate and one of its cost, side by side,
and a table below them.
With an earlier run every chart shows both, in a band of the tolerance, and what left the band is
said in words at the top. The figures come ready; nothing is computed here but what is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Final, NamedTuple

from ternmq.spark.report.charts import sparkline
from ternmq.spark.report.numbers import NOTHING, digits
from ternmq.spark.report.page import (
    CHANGE,
    TEXT,
    Card,
    Change,
    Column,
    Section,
    Tile,
    cards,
    grid,
    page,
    percent,
    table,
    tiles,
)
from ternmq.spark.report.perf_charts import STYLE, Line, chart

TITLE: Final = "Regression suite"
RATE: Final = "rate"
COST: Final = "cost"
CARDS_MAX: Final = 12
DOUBTS_MAX: Final = 5


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
    doubts: Sequence[str] = ()  # figures that may not be right, in words


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
    tolerance = f"{story.tolerance * 100:g}\u00a0%"
    return (
        f"Beside {story.earlier}. Dashed lines and pale columns are the earlier run, bands"
        f" ± {tolerance}: the variation between runs that counts as none. Rings are figures that"
        " left the band."
    )


def summary(story: Story) -> str:
    """The first figure of each workload, and what changed."""
    some = [tile_of(sheet) for sheet in story.sheets if sheet.marks]
    doubts = [*story.doubts[:DOUBTS_MAX]]
    if len(story.doubts) > DOUBTS_MAX:
        doubts.append(f"and {len(story.doubts) - DOUBTS_MAX} other points")
    doubt_cards = [Card("Counted differently", words, level="warning") for words in doubts]
    if story.earlier:
        doubt_cards += cards_of(story)
    return tiles(some) + (cards(doubt_cards) if doubt_cards else "")


def tile_of(sheet: Sheet) -> Tile:
    best = sheet.marks[0]
    if sheet.cost_unit:  # of what has none, less is better
        best = max(sheet.marks, key=lambda mark: mark.rate.now or 0.0)
    series = f", {best.series}" if best.series else ""
    change = best.rate.change
    beside = "" if change is None else f"; {percent(change)}"
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
        words = f"Every figure is within {story.tolerance * 100:g}\u00a0%."
        shown.append(Card("Nothing changed", words, level="good"))
    if story.differences:
        words = "; ".join(story.differences)
        shown.append(Card("Not the same in both runs", words, level="warning"))
    return shown


def changed_card(sheet: Sheet, mark: Mark, figure: Figure, unit: str) -> Card:
    series = f", {mark.series}" if mark.series else ""
    words = (
        f"{sheet.x_name} {mark.x}{series}: {digits(figure.now or 0.0)} {unit},"
        f" was {digits(figure.before or 0.0)} ({percent(figure.change or 0.0)})."
    )
    level = "good" if figure.verdict == "better" else "warning"
    return Card(f"{sheet.title}: {figure.verdict}", words, level=level)


def sheet_of(sheet: Sheet, story: Story) -> str:
    """What it does, two charts and a table."""
    drawn = [drawing(sheet, RATE, story)]
    if sheet.cost_unit:
        drawn.append(drawing(sheet, COST, story))
    head = f'<h3 class="sheet">{escape(sheet.title)}</h3><p class="about">{escape(sheet.about)}</p>'
    return head + grid([*drawn, figures_table(sheet, bool(story.earlier))])


def drawing(sheet: Sheet, which: str, story: Story) -> str:
    labels = list(dict.fromkeys(mark.x for mark in sheet.marks))
    lines = [
        line_of(name, labels, [mark for mark in sheet.marks if mark.series == name], which)
        for name in dict.fromkeys(mark.series for mark in sheet.marks)
    ]
    unit = sheet.rate_unit if which == RATE else sheet.cost_unit
    name = which.capitalize() if sheet.cost_unit else "Memory"  # of what has no cost
    return chart(name, f"{unit}, by {sheet.x_name}", labels, lines, story.tolerance)


def line_of(name: str, labels: Iterable[str], marks: Sequence[Mark], which: str) -> Line:
    by_x: Mapping[str, Figure] = {
        mark.x: mark.rate if which == RATE else mark.cost for mark in marks
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
    for key, unit in ((RATE, sheet.rate_unit), (COST, sheet.cost_unit)):
        if not unit:
            continue
        columns.append(Column(key, unit, bar=key == RATE))
        if is_compared:
            columns.append(Column(f"{key}_before", "earlier"))
            columns.append(Column(f"{key}_change", "change", CHANGE))
    if sheet.cost_unit:
        columns.append(Column("applications", "of the applications"))
    columns.append(Column("source", "from", TEXT))
    return table("Figures", columns, [row_of(mark) for mark in sheet.marks])


def row_of(mark: Mark) -> dict[str, object]:
    return {
        "x": mark.x,
        "series": mark.series,
        "rate": mark.rate.now,
        "rate_before": mark.rate.before,
        "rate_change": Change(mark.rate.change, mark.rate.verdict),
        "cost": mark.cost.now,
        "cost_before": mark.cost.before,
        "cost_change": Change(mark.cost.change, mark.cost.verdict),
        "applications": mark.application_cost,
        "source": mark.source,
    }


def facts_of(story: Story) -> str:
    rows = [{"what": what, "value": value} for what, value in story.facts]
    columns = [Column("what", "", TEXT), Column("value", "", TEXT)]
    return table("The run and its machine", columns, rows)
