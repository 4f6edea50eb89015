"""A page of a report: one file of HTML that needs nothing else, in the light and in the dark.

Style and script are beside this file and go into the page; nothing is fetched when it is opened. A
page is a heading, sections with a name each, and in them tiles, charts (report_charts), cards of
words and tables that can be sorted and searched. Everything that is not made here is escaped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from html import escape
from importlib.resources import files
from typing import Final, NamedTuple

from ternmq.spark.report.numbers import COUNT, NOTHING, shown, top_of

TEXT: Final = "text"
SPARK: Final = "spark"  # a cell that is a small chart
CHANGE: Final = "change"  # per cent and a verdict
ROWS_MAX: Final = 500
SEARCH_FROM: Final = 10
_NO_WORD: Final = re.compile(r"[^a-z0-9]+")


class Tile(NamedTuple):
    """One figure that is seen first."""

    label: str
    value: str
    note: str = ""
    spark: str = ""


class Card(NamedTuple):
    """One thing in words."""

    title: str
    words: str
    note: str = ""
    level: str = "notice"  # or warning, good


class Column(NamedTuple):
    """One column of a table."""

    key: str
    heading: str
    unit: str = COUNT  # of report_numbers, or TEXT, SPARK, CHANGE
    bar: bool = False


class Change(NamedTuple):
    """The value of a cell that says by how much something changed."""

    percent: float | None
    verdict: str = ""  # better and worse are seen from afar


class Section(NamedTuple):
    """A part of the page with its place in the list of parts."""

    title: str
    inside: str
    lead: str = ""


def tiles(some: Sequence[Tile]) -> str:
    """Figures side by side."""
    items = "".join(
        f'<div class="tile"><span class="label">{escape(tile.label)}</span>'
        f"<strong>{escape(tile.value)}</strong>"
        f'<span class="note">{escape(tile.note)}</span>{tile.spark}</div>'
        for tile in some
    )
    return f'<div class="tiles">{items}</div>'


def grid(some: Sequence[str]) -> str:
    """Charts and tables side by side."""
    return f'<div class="grid">{"".join(some)}</div>'


def cards(some: Sequence[Card]) -> str:
    """Words, one thing after the other."""
    items = "".join(
        f'<li class="{escape(card.level)}"><h3>{escape(card.title)}</h3>'
        f"<p>{escape(card.words)}</p>{small(card.note)}</li>"
        for card in some
    )
    return f'<ul class="cards">{items}</ul>'


def small(text: str) -> str:
    return f"<small>{escape(text)}</small>" if text else ""


def table(title: str, columns: Sequence[Column], rows: Sequence[Mapping[str, object]]) -> str:
    """Rows that can be sorted by each column, and searched when there are many."""
    highest = {
        column.key: top_of([number(row.get(column.key)) for row in rows]) or 1.0
        for column in columns
        if column.bar
    }
    head = "".join(heading(column) for column in columns)
    body = "".join(
        f"<tr>{''.join(cell(column, row, highest) for column in columns)}</tr>"
        for row in rows[:ROWS_MAX]
    )
    search = ""
    if len(rows) > SEARCH_FROM:
        search = f'<input type="search" placeholder="search {escape(title.lower())}">'
    cut = ""
    if len(rows) > ROWS_MAX:
        cut = f'<p class="cut">The first {ROWS_MAX} rows; there are more.</p>'
    return (
        f'<div class="card wide table"><div class="bar"><h3>{escape(title)}</h3>{search}</div>'
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        f"</div>{cut}</div>"
    )


def heading(column: Column) -> str:
    kind = "t" if column.unit in (TEXT, SPARK) else "n"
    if column.unit == SPARK:
        return f'<th class="{kind}">{escape(column.heading)}</th>'
    return (
        f'<th class="{kind}" data-key="{escape(column.key)}" aria-sort="none">'
        f'<button type="button">{escape(column.heading)}</button></th>'
    )


def cell(column: Column, row: Mapping[str, object], highest: Mapping[str, float]) -> str:
    value = row.get(column.key)
    if column.unit == SPARK:
        return f"<td>{value or ''}</td>"
    if column.unit == TEXT:
        return f'<td class="t">{escape(NOTHING if value in (None, "") else str(value))}</td>'
    if isinstance(value, Change):
        return change_cell(value)
    amount = number(value)
    sort = "" if amount is None else f' data-v="{amount:.15g}"'
    share = ""
    if column.bar and amount is not None:
        share = f' style="--share:{max(amount, 0) / highest[column.key] * 100:.1f}%"'
    kind = "n share" if share else "n"
    return f'<td class="{kind}"{sort}{share}>{shown(amount, column.unit)}</td>'


def change_cell(change: Change) -> str:
    if change.percent is None:
        return '<td class="n"></td>'
    said = "" if change.verdict in ("", "within") else f" {change.verdict}"
    return (
        f'<td class="n {escape(change.verdict)}" data-v="{change.percent:.15g}">'
        f"{escape(percent(change.percent))}{escape(said)}</td>"
    )


def percent(share: float) -> str:
    """+3.1 %, never broken over two lines."""
    return f"{share:+.1f}\u00a0%"


def number(value: object) -> float | None:
    """A value of a row as a number, if it is one."""
    if not isinstance(value, (int, float, Decimal)) or not math.isfinite(value):
        return None
    return float(value)


def part(title: str) -> str:
    """The name of a section in the page's address."""
    return _NO_WORD.sub("-", title.lower()).strip("-")


def page(title: str, period: str, sections: Sequence[Section], notes: Sequence[str] = ()) -> str:
    """The whole file."""
    links = "".join(f'<a href="#{part(s.title)}">{escape(s.title)}</a>' for s in sections)
    inside = "".join(section_of(section) for section in sections)
    feet = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{beside('report_page.css')}</style></head>\n<body>"
        f'<header><div class="head"><div><p class="eyebrow">TernMQ report</p>'
        f'<h1>{escape(title)}</h1><p class="period">{escape(period)}</p></div>'
        '<button type="button" id="shade" title="light or dark" aria-label="light or dark">'
        f"</button></div><nav>{links}</nav></header>\n<main>{inside}</main>\n"
        f'<footer>{feet}</footer><div id="tip" hidden></div>'
        f"<script>{beside('report_page.js')}</script></body></html>\n"
    )


def section_of(section: Section) -> str:
    lead = f'<p class="lead">{escape(section.lead)}</p>' if section.lead else ""
    return (
        f'<section id="{part(section.title)}"><h2>{escape(section.title)}</h2>{lead}'
        f"{section.inside}</section>\n"
    )


def beside(name: str) -> str:
    """A file of the package `ternmq.spark`."""
    return files("ternmq.spark").joinpath(name).read_text(encoding="utf-8")
