"""`ternmq report html`: the page about queue managers, from the tables of a report.

The sections come from page_sections, one function each. What is missing is said at the foot of
the page, with what would bring it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from ternmq.spark.report import report_data as data
from ternmq.spark.report.numbers import shown_period
from ternmq.spark.report.page import Section, grid, page, tiles
from ternmq.spark.report.page_parts import Maker
from ternmq.spark.report.page_sections import SECTIONS, findings
from ternmq.spark.report.point_lines import Period
from ternmq.spark.report.report_tables import Tables

# What would bring a section that is not there.
REMEDIES: Final[Mapping[str, str]] = {
    "queues": "queues: START TRACE(STAT) CLASS(5) and STATQ(ON)",
    "log": "the log: START TRACE(STAT) CLASS(1)",
    "chargeback": "applications: START TRACE(ACCTG) CLASS(3)",
    "exchanges": "latency of replies: a pipeline over messages (ternmq pipeline init)",
}


class ReportPage(NamedTuple):
    """The page and what it was made of."""

    html: str
    title: str
    period: Period | None
    findings: int
    anomalies: int
    sections: list[str]


def html_page(
    tables: Tables,
    title: str = "",
    *,
    step: Callable[[str], None] = lambda _: None,
    source: str = "",
) -> ReportPage:
    """The page. `step` is called with what comes next, so that a caller can show progress."""
    step("what there is")
    survey = data.survey_of(tables)
    period = survey.period
    if period is None:
        empty = Section(
            "Nothing to show",
            "",
            f"There is no measurement with a time in {source or 'the tables'}.",
        )
        return ReportPage(page(title or "Nothing", "", [empty]), title, None, 0, 0, [])
    maker = Maker(tables, survey, period)
    made: list[Section] = []
    for name, section in SECTIONS:
        step(name)
        found = section(maker)
        if found is not None:
            made.insert(0 if section is findings else len(made), found)
    title = title or names_of(survey.managers)
    parts = [overview(maker), *made]
    missing = [words for name, words in REMEDIES.items() if not maker.has(name)]
    notes = [f"Made from {source}." if source else ""]
    if missing:
        notes.append("Not on this page, and what brings it: " + "; ".join(missing) + ".")
    html = page(title, shown_period(period.first, period.last), parts, [n for n in notes if n])
    named = [part.title for part in parts]
    return ReportPage(html, title, period, maker.findings, survey.rows.get("anomalies", 0), named)


def names_of(managers: Sequence[str]) -> str:
    """The queue managers, for the heading."""
    some = ", ".join(managers[:5]) + (" and others" if len(managers) > 5 else "")
    return some or "Queue manager"


def overview(maker: Maker) -> Section:
    lead = " ".join(maker.words)
    charts = grid(maker.charts) if maker.charts else ""
    return Section("Overview", tiles(maker.tiles) + charts, lead)
