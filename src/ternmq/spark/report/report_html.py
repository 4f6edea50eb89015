"""`ternmq report html`: the page about queue managers, from the tables of a report.

The sections come from page_sections, one function each. What is missing is said at the foot of
the page, with what would bring it; what of dumps could not be read is said before all else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from ternmq.spark.report import report_data as data
from ternmq.spark.report.numbers import shown_period
from ternmq.spark.report.page import Card, Section, cards, grid, page, tiles
from ternmq.spark.report.page_parts import Maker
from ternmq.spark.report.page_sections import SECTIONS, findings
from ternmq.spark.report.point_lines import Period
from ternmq.spark.report.report_tables import NOT_READ, Tables
from ternmq.spark.smf.not_read import FILES_SHOWN, Rejected, by_file, more_files, rejected

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
    rejected: list[Rejected]


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
    lost = rejected(tables[NOT_READ]) if survey.has(NOT_READ) else []
    if period is None:
        empty = Section(
            "Nothing to show",
            "",
            f"There is no measurement with a time in {source or 'the tables'}.",
        )
        html = page(title or "Nothing", "", [*not_all(lost), empty])
        return ReportPage(html, title, None, 0, 0, [], lost)
    maker = Maker(tables, survey, period)
    made: list[Section] = []
    for name, section in SECTIONS:
        step(name)
        found = section(maker)
        if found is not None:
            made.insert(0 if section is findings else len(made), found)
    title = title or names_of(survey.managers)
    parts = [*not_all(lost), overview(maker), *made]
    missing = [words for name, words in REMEDIES.items() if not maker.has(name)]
    notes = [f"Made from {source}." if source else ""]
    if missing:
        notes.append("Not on this page, and what brings it: " + "; ".join(missing) + ".")
    html = page(title, shown_period(period.first, period.last), parts, [n for n in notes if n])
    named = [part.title for part in parts]
    anomalies = survey.rows.get("anomalies", 0)
    return ReportPage(html, title, period, maker.findings, anomalies, named, lost)


def names_of(managers: Sequence[str]) -> str:
    """The queue managers, for the heading."""
    some = ", ".join(managers[:5]) + (" and others" if len(managers) > 5 else "")
    return some or "Queue manager"


def not_all(lost: Sequence[Rejected]) -> list[Section]:
    """What of dumps could not be read; no section if everything was."""
    files = by_file(lost)
    if not files:
        return []
    some = [Card(one.file, one.words, level="warning") for one in files[:FILES_SHOWN]]
    if len(files) > FILES_SHOWN:
        some.append(Card(more_files(len(files)), "Not all could be read of them.", level="warning"))
    lead = "Some of what this page is made of could not be read, and is in none of its figures."
    return [Section("Not read", cards(some), lead)]


def overview(maker: Maker) -> Section:
    lead = " ".join(maker.words)
    charts = grid(maker.charts) if maker.charts else ""
    return Section("Overview", tiles(maker.tiles) + charts, lead)
