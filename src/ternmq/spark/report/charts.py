"""Charts as SVG, drawn here: lines over time, bars, histograms, small lines beside words.

Nothing is fetched and no library draws, so a page needs nothing but itself. Colours are variables
of the page's style, c1 to c8, which are others in the dark than in the light. What a pointer shows
comes from the JSON that each chart carries (see report_page.js): positions and texts.

Charts get few points: the caller has let Spark bring them down to a hundred or so.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from html import escape
from typing import Final, NamedTuple

from ternmq.spark.report.numbers import (
    COUNT,
    clock_ticks,
    shown,
    shown_moment,
    ticks,
    top_of,
)

COLOURS: Final = 8
WIDTH: Final = 640
WIDE: Final = 1320  # of a chart over both columns
HEIGHT: Final = 240
LEFT: Final = 58
RIGHT: Final = 12
TOP: Final = 10
BOTTOM: Final = 26
_SPARK_WIDTH: Final = 120
_SPARK_HEIGHT: Final = 26


class Series(NamedTuple):
    """One line of a chart, a value for each moment."""

    name: str
    values: Sequence[float | None]
    area: bool = False
    colour: int = 0  # 0: by its place


class Bar(NamedTuple):
    """One bar: what it is of, how long, and more words."""

    label: str
    value: float
    note: str = ""


class Mark(NamedTuple):
    """A moment that deserves a look."""

    at: datetime
    words: str


class Frame(NamedTuple):
    """Where values and moments lie in the picture."""

    first: datetime
    span_s: float
    highest: float
    width: int = WIDTH

    def x(self, moment: datetime) -> float:
        share = (moment - self.first).total_seconds() / self.span_s if self.span_s else 0.5
        return round(LEFT + share * (self.width - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        room = HEIGHT - TOP - BOTTOM
        return round(TOP + room * (1 - max(value, 0.0) / self.highest), 1)  # zero is the floor


def lines(
    title: str,
    times: Sequence[datetime],
    series: Sequence[Series],
    *,
    unit: str = COUNT,
    about: str = "",
    marks: Sequence[Mark] = (),
    ceiling: float = 0.0,
    wide: bool = False,
) -> str:
    """Values over time. `ceiling` is the top of the axis where the values have a bound."""
    heights = ticks(max(ceiling, *(top_of(one.values) for one in series), 0.0))
    span = (times[-1] - times[0]).total_seconds()
    frame = Frame(times[0], span, heights[-1], WIDE if wide else WIDTH)
    parts = [*axes(frame, heights, times, unit)]
    parts += [mark_line(frame, mark) for mark in marks]
    for place, one in enumerate(series):
        parts.append(curve(frame, times, one, colour_of(one, place)))
    parts.append(f'<line class="cross" y1="{TOP}" y2="{HEIGHT - BOTTOM}" x1="0" x2="0"/>')
    parts += [f'<circle class="dot c{colour_of(s, n)}" r="3.5"/>' for n, s in enumerate(series)]
    picture = svg(title, parts, frame.width)
    carried = pointed(frame, times, series, unit)
    legend = legend_of(series) if len(series) > 1 else ""
    return figure(title, about, f"{legend}{picture}{carried}", wide=wide)


def colour_of(series: Series, place: int) -> int:
    return series.colour or place % COLOURS + 1


def axes(frame: Frame, heights: Sequence[float], times: Sequence[datetime], unit: str) -> list[str]:
    """Lines of the heights with their numbers, and the moments below."""
    parts = [height_line(frame, height, unit) for height in heights]
    for moment in clock_ticks(times[0], times[-1], frame.width // 100):
        text = shown_moment(moment, frame.span_s)
        parts.append(
            f'<text class="tick" x="{frame.x(moment)}" y="{HEIGHT - 8}" text-anchor="middle">'
            f"{text}</text>"
        )
    return parts


def height_line(frame: Frame, height: float, unit: str) -> str:
    y = frame.y(height)
    return (
        f'<line class="rule" x1="{LEFT}" x2="{frame.width - RIGHT}" y1="{y}" y2="{y}"/>'
        f'<text class="tick" x="{LEFT - 8}" y="{y + 4}" text-anchor="end">'
        f"{shown(height, unit)}</text>"
    )


def curve(frame: Frame, times: Sequence[datetime], series: Series, colour: int) -> str:
    """A line with gaps where there is no value, and the area below it if asked for."""
    runs: list[list[tuple[float, float]]] = [[]]
    for moment, value in zip(times, series.values, strict=True):
        if value is not None:
            runs[-1].append((frame.x(moment), frame.y(value)))
        elif runs[-1]:
            runs.append([])
    drawn = [run for run in runs if run]
    path = "".join(path_of(run) for run in drawn)
    parts = []
    if series.area:
        below = frame.y(0.0)
        area = "".join(f"{path_of(run)}L{run[-1][0]} {below}L{run[0][0]} {below}Z" for run in drawn)
        parts.append(f'<path class="area c{colour}" d="{area}"/>')
    parts.append(f'<path class="line c{colour}" d="{path}"/>')
    return f'<g class="series">{"".join(parts)}</g>'


def path_of(points: Sequence[tuple[float, float]]) -> str:
    if len(points) == 1:  # a point alone is a dot: the line's round ends make it
        x, y = points[0]
        return f"M{x} {y}h0.01"
    return "M" + "L".join(f"{x} {y}" for x, y in points)


def mark_line(frame: Frame, mark: Mark) -> str:
    x = frame.x(mark.at)
    words = escape(mark.words)
    return (
        f'<g class="mark"><title>{words}</title>'
        f'<line x1="{x}" x2="{x}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
        f'<circle cx="{x}" cy="{TOP}" r="4"/></g>'
    )


def pointed(frame: Frame, times: Sequence[datetime], series: Sequence[Series], unit: str) -> str:
    """What the page's script needs to answer a pointer."""
    said = {
        "x": [frame.x(moment) for moment in times],
        "t": [f"{moment.day} {moment:%b %H:%M:%S}" for moment in times],
        "s": [
            {
                "n": one.name,
                "c": colour_of(one, place),
                "y": [None if value is None else frame.y(value) for value in one.values],
                "v": [shown(value, unit) for value in one.values],
            }
            for place, one in enumerate(series)
        ],
    }
    text = json.dumps(said, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" class="points">{text}</script>'


def legend_of(series: Sequence[Series]) -> str:
    items = "".join(
        f'<button type="button" class="key c{colour_of(one, place)}" aria-pressed="true">'
        f"<i></i>{escape(one.name)}</button>"
        for place, one in enumerate(series)
    )
    return f'<div class="legend">{items}</div>'


def bars(
    title: str, rows: Sequence[Bar], *, unit: str = COUNT, about: str = "", colour: int = 1
) -> str:
    """Bars with their words beside them, the longest first as given."""
    highest = top_of([row.value for row in rows]) or 1.0
    items = "".join(bar_row(row, highest, unit) for row in rows)
    return figure(title, about, f'<ol class="bars c{colour}">{items}</ol>')


def bar_row(row: Bar, highest: float, unit: str) -> str:
    share = max(row.value / highest * 100, 0.4)
    note = f'<span class="note">{escape(row.note)}</span>' if row.note else ""
    return (
        f'<li><span class="label" title="{escape(row.label)}">{escape(row.label)}</span>'
        f'<span class="track"><i style="width:{share:.1f}%"></i></span>'
        f'<span class="amount">{shown(row.value, unit)}</span>{note}</li>'
    )


def histogram(
    title: str,
    edges: Sequence[float],
    counts: Sequence[float],
    *,
    unit: str,
    about: str = "",
    colour: int = 1,
) -> str:
    """How many lie between each two edges."""
    heights = ticks(top_of(counts))
    frame = Frame(datetime.min, 0, heights[-1])
    room = (WIDTH - LEFT - RIGHT) / max(len(counts), 1)
    parts = [height_line(frame, height, COUNT) for height in heights]
    for place, count in enumerate(counts):
        y = frame.y(count)
        between = f"{shown(edges[place], unit)} to {shown(edges[place + 1], unit)}: {shown(count)}"
        parts.append(
            f'<rect class="column c{colour}" x="{LEFT + place * room + 1:.1f}" y="{y}" '
            f'width="{room - 2:.1f}" height="{HEIGHT - BOTTOM - y:.1f}" rx="2">'
            f"<title>{between}</title></rect>"
        )
    parts += [
        f'<text class="tick" x="{LEFT + place * room:.1f}" y="{HEIGHT - 8}" '
        f'text-anchor="middle">{shown(edges[place], unit)}</text>'
        for place in range(0, len(edges), max(1, len(edges) // 6))
    ]
    return figure(title, about, svg(title, parts))


def sparkline(values: Sequence[float | None], colour: int = 1) -> str:
    """A line without axes, for a place beside words."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return ""
    highest = max(max(known), 1e-9)
    step = _SPARK_WIDTH / (len(values) - 1)
    points = [
        (round(n * step, 1), round(2 + (_SPARK_HEIGHT - 4) * (1 - value / highest), 1))
        for n, value in enumerate(values)
        if value is not None
    ]
    path = path_of(points)
    area = f"{path}L{points[-1][0]} {_SPARK_HEIGHT}L{points[0][0]} {_SPARK_HEIGHT}Z"
    return (
        f'<svg class="spark" viewBox="0 0 {_SPARK_WIDTH} {_SPARK_HEIGHT}" '
        'preserveAspectRatio="none" aria-hidden="true">'
        f'<path class="area c{colour}" d="{area}"/><path class="line c{colour}" d="{path}"/></svg>'
    )


def svg(title: str, parts: Sequence[str], width: int = WIDTH) -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {width} {HEIGHT}" role="img" '
        f'aria-label="{escape(title)}">{"".join(parts)}</svg>'
    )


def figure(title: str, about: str, inside: str, *, wide: bool = False) -> str:
    said = f"<p>{escape(about)}</p>" if about else ""
    kind = "card wide" if wide else "card"
    return (
        f'<figure class="{kind}"><figcaption><h3>{escape(title)}</h3>{said}</figcaption>'
        f"{inside}</figure>"
    )
