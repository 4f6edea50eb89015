"""Charts as SVG, drawn here: lines over time, bars, histograms, small lines beside words.

Nothing is fetched and no library draws, so a page needs nothing but itself. Colours are variables
of the page's style, c1 to c8, which are others in the dark than in the light. What a pointer shows
comes from the JSON that each chart carries (see report_page.js): positions and texts.

Charts get few points: the caller has brought them down to a hundred or so. A value is of an
interval and is drawn in its middle. A line ends where nothing was measured.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from html import escape
from typing import Final, NamedTuple

from ternmq.spark.report.numbers import (
    COUNT,
    shown,
    shown_day,
    shown_interval,
    shown_moment,
    ticks,
    top_of,
)
from ternmq.spark.report.time_axis import GAP_SHARE, Part, axis_ticks, parts_of, place_of

COLOURS: Final = 8
WIDTH: Final = 640
# A chart is drawn in several widths, and the page shows the one that fits: over both columns, in
# one of them, on a phone.
WIDTHS: Final = (1320, WIDTH, 360)
MARKERS_MAX: Final = 24  # values of a line; of more a marker each would hide the line
HEIGHT: Final = 240
LEFT: Final = 58
RIGHT: Final = 12
TOP: Final = 10
BOTTOM: Final = 26
LETTER: Final = 6.4  # about the width of a letter below an axis
_SPARK_WIDTH: Final = 120
_SPARK_HEIGHT: Final = 26


class Series(NamedTuple):
    """One line of a chart, a value for each moment. `breaks` are the places where the line begins
    again because nothing was measured before; None: at every moment without a value."""

    name: str
    values: Sequence[float | None]
    area: bool = False
    colour: int = 0  # 0: by its place
    breaks: frozenset[int] | None = None


class Moments(NamedTuple):
    """The intervals that the values of a chart are of, in their order."""

    begun: Sequence[datetime]
    ended: Sequence[datetime]

    @property
    def first(self) -> datetime:
        return self.begun[0]

    @property
    def last(self) -> datetime:
        return max(self.ended)

    @property
    def middles(self) -> list[datetime]:
        """Where the values are drawn."""
        return [one + (other - one) / 2 for one, other in zip(self.begun, self.ended, strict=True)]

    def words(self, place: int) -> str:
        """From when to when."""
        return shown_interval(self.begun[place], self.ended[place], self.first, self.last)


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
    """Where values and moments are in the picture."""

    parts: tuple[Part, ...]
    highest: float
    width: int = WIDTH

    def x(self, moment: datetime) -> float:
        return self.at(place_of(self.parts, moment))

    def at(self, share: float) -> float:
        """A share of the room between the edges."""
        return round(LEFT + share * (self.width - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        room = HEIGHT - TOP - BOTTOM
        return round(TOP + room * (1 - max(value, 0.0) / self.highest), 1)  # zero is the floor


def lines(
    title: str,
    times: Sequence[datetime] | Moments,
    series: Sequence[Series],
    *,
    unit: str = COUNT,
    about: str = "",
    marks: Sequence[Mark] = (),
    ceiling: float = 0.0,
    wide: bool = False,
    is_named: bool = False,
) -> str:
    """Values over time. `ceiling` is the top of the axis where the values have a bound; `is_named`:
    also a line alone has its name in the picture."""
    moments = times if isinstance(times, Moments) else Moments(times, times)
    heights = ticks(max(ceiling, *(top_of(one.values) for one in series), 0.0))
    parts = parts_of(moments.begun, moments.ended)
    widths = WIDTHS if wide else WIDTHS[1:]
    frames = [Frame(parts, heights[-1], width) for width in widths]
    pictures = "".join(
        svg(title, picture(frame, heights, moments, series, unit, marks), frame.width)
        for frame in frames
    )
    carried = pointed(frames[0], moments, series, unit)
    legend = legend_of(series) if len(series) > 1 or is_named else ""
    return figure(title, about, f"{legend}{pictures}{carried}", wide=wide)


def picture(
    frame: Frame,
    heights: Sequence[float],
    moments: Moments,
    series: Sequence[Series],
    unit: str,
    marks: Sequence[Mark],
) -> list[str]:
    """The parts of a chart in one width."""
    parts = [*axes(frame, heights, moments, unit)]
    parts += [mark_line(frame, mark) for mark in marks]
    for place, one in enumerate(series):
        parts.append(curve(frame, moments.middles, one, colour_of(one, place)))
    parts.append(f'<line class="cross" y1="{TOP}" y2="{HEIGHT - BOTTOM}" x1="0" x2="0"/>')
    parts += [f'<circle class="dot c{colour_of(s, n)}" r="3.5"/>' for n, s in enumerate(series)]
    return parts


def colour_of(series: Series, place: int) -> int:
    return series.colour or place % COLOURS + 1


def axes(frame: Frame, heights: Sequence[float], moments: Moments, unit: str) -> list[str]:
    """Lines of the heights with their numbers; the moments below, and the zone they are in."""
    parts = [height_line(frame, height, unit) for height in heights]
    parts.append(tick_text(LEFT - 8, "UTC", "end"))
    begins = {part.first for part in frame.parts} if len(frame.parts) > 1 else set()
    taken = LEFT - 8.0  # up to where there is a text already
    for moment in axis_ticks(frame.parts, frame.width // 100):
        x, anchor = frame.x(moment), "middle"
        text = shown_moment(moment, moments.first, moments.last)
        if moment in begins:
            day = shown_day(moment, moments.first, moments.last)
            text, anchor = f"{day} {moment:%H:%M}", "start"
        left = x if anchor == "start" else x - len(text) * LETTER / 2
        if left >= taken + LETTER:
            parts.append(tick_text(x, text, anchor))
            taken = left + len(text) * LETTER
    return [*parts, *(gap_mark(frame, part) for part in frame.parts[:-1])]


def gap_mark(frame: Frame, part: Part) -> str:
    """Where the axis leaves out time in which nothing was measured."""
    x, width = frame.at(part.end), frame.at(part.end + GAP_SHARE) - frame.at(part.end)
    return (
        f'<rect class="gap" x="{x}" y="{TOP}" width="{width:.1f}" height="{HEIGHT - TOP - BOTTOM}">'
        "<title>nothing was measured here; the axis is not to scale</title></rect>"
    )


def tick_text(x: float, text: str, anchor: str = "middle") -> str:
    return f'<text class="tick" x="{x}" y="{HEIGHT - 8}" text-anchor="{anchor}">{text}</text>'


def height_line(frame: Frame, height: float, unit: str) -> str:
    y = frame.y(height)
    return (
        f'<line class="rule" x1="{LEFT}" x2="{frame.width - RIGHT}" y1="{y}" y2="{y}"/>'
        f'<text class="tick" x="{LEFT - 8}" y="{y + 4}" text-anchor="end">'
        f"{shown(height, unit)}</text>"
    )


def runs_of(series: Series) -> list[list[int]]:
    """Places with a value, in one list as long as nothing is missing between them."""
    runs: list[list[int]] = [[]]
    for place, value in enumerate(series.values):
        is_break = value is None if series.breaks is None else place in series.breaks
        if is_break and runs[-1]:
            runs.append([])
        if value is not None:
            runs[-1].append(place)
    return [run for run in runs if run]


def curve(frame: Frame, times: Sequence[datetime], series: Series, colour: int) -> str:
    """A line with gaps where nothing was measured, the area below it if asked for, and a marker at
    each value where there are few."""
    runs = [
        [(frame.x(times[n]), frame.y(series.values[n] or 0.0)) for n in run]
        for run in runs_of(series)
    ]
    path = "".join(path_of(run) for run in runs)
    parts = []
    if series.area:
        below = frame.y(0.0)
        area = "".join(f"{path_of(run)}L{run[-1][0]} {below}L{run[0][0]} {below}Z" for run in runs)
        parts.append(f'<path class="area c{colour}" d="{area}"/>')
    parts.append(f'<path class="line c{colour}" d="{path}"/>')
    points = [point for run in runs for point in run]
    if len(points) <= MARKERS_MAX:
        parts += [f'<circle class="point c{colour}" cx="{x}" cy="{y}" r="3"/>' for x, y in points]
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


def pointed(frame: Frame, moments: Moments, series: Sequence[Series], unit: str) -> str:
    """What the page's script needs to answer a pointer, by the places of the widest picture."""
    said = {
        "w": frame.width,
        "l": LEFT,
        "r": RIGHT,
        "x": [frame.x(moment) for moment in moments.middles],
        "t": [moments.words(place) for place in range(len(moments.begun))],
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
    """How many are between each two edges."""
    pictures = "".join(
        svg(title, columns_of(width, edges, counts, unit, colour), width) for width in WIDTHS[1:]
    )
    return figure(title, about, pictures)


def columns_of(
    width: int, edges: Sequence[float], counts: Sequence[float], unit: str, colour: int
) -> list[str]:
    """The parts of a histogram in one width."""
    heights = ticks(top_of(counts))
    frame = Frame((), heights[-1], width)
    room = (width - LEFT - RIGHT) / max(len(counts), 1)
    parts = [height_line(frame, height, COUNT) for height in heights]
    for place, count in enumerate(counts):
        y = frame.y(count)
        between = f"{shown(edges[place], unit)} to {shown(edges[place + 1], unit)}: {shown(count)}"
        parts.append(
            f'<rect class="column c{colour}" x="{LEFT + place * room + 1:.1f}" y="{y}" '
            f'width="{room - 2:.1f}" height="{HEIGHT - BOTTOM - y:.1f}" rx="2">'
            f"<title>{between}</title></rect>"
        )
    some = range(0, len(edges), max(1, len(edges) * 100 // width))
    return [*parts, *(tick_text(round(LEFT + n * room, 1), shown(edges[n], unit)) for n in some)]


def sparkline(
    values: Sequence[float | None], colour: int = 1, breaks: frozenset[int] = frozenset()
) -> str:
    """A line without axes, for a place beside words; it has the gaps of its chart."""
    known = [value for value in values if value is not None]
    if len(known) < 3:
        return ""
    highest = max(max(known), 1e-9)
    step = _SPARK_WIDTH / (len(values) - 1)
    runs = [
        [
            (round(n * step, 1), round(2 + (_SPARK_HEIGHT - 4) * (1 - value / highest), 1))
            for n in run
            if (value := values[n]) is not None
        ]
        for run in runs_of(Series("", values, breaks=breaks))
    ]
    path = "".join(path_of(run) for run in runs)
    floor = _SPARK_HEIGHT
    area = "".join(f"{path_of(run)}L{run[-1][0]} {floor}L{run[0][0]} {floor}Z" for run in runs)
    return (
        f'<svg class="spark" viewBox="0 0 {_SPARK_WIDTH} {_SPARK_HEIGHT}" '
        'preserveAspectRatio="none" aria-hidden="true">'
        f'<path class="area c{colour}" d="{area}"/><path class="line c{colour}" d="{path}"/></svg>'
    )


def svg(title: str, parts: Sequence[str], width: int = WIDTH) -> str:
    return (
        f'<svg class="chart w{width}" viewBox="0 0 {width} {HEIGHT}" role="img" '
        f'aria-label="{escape(title)}">{"".join(parts)}</svg>'
    )


def figure(title: str, about: str, inside: str, *, wide: bool = False) -> str:
    said = f"<p>{escape(about)}</p>" if about else ""
    kind = "card wide" if wide else "card"
    return (
        f'<figure class="{kind}"><figcaption><h3>{escape(title)}</h3>{said}</figcaption>'
        f"{inside}</figure>"
    )
