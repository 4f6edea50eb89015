"""Charts of the regression suite: a figure for each point of a workload, beside an earlier run.

The points of a workload have names (2 KB, 15 pairs), not moments. Many are a line, few are columns.
What an earlier run had is drawn as a dashed line, or as a pale column beside, in a band of the
tolerance: what is in the band has not changed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple

from ternmq.spark.report.charts import (
    BOTTOM,
    COLOURS,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    figure,
    path_of,
    svg,
)
from ternmq.spark.report.numbers import NOTHING, digits, ticks, top_of

AMOUNT_HEIGHT: Final = 12
LINE_FROM: Final = 5  # points; fewer are columns
STYLE: Final = """<style>
.band { fill: var(--c); fill-opacity: .12; stroke: none; }
.before { fill: none; stroke: var(--c); stroke-width: 1.4; stroke-opacity: .75; }
.before { stroke-dasharray: 4 4; }
.point { fill: var(--c); stroke: var(--card); stroke-width: 1.2; }
.amount { fill: var(--soft); font-size: 11.5px; font-weight: 600; }
.column.earlier { fill-opacity: .35; }
.limits { fill: var(--ink); fill-opacity: .1; stroke: none; }
.limit { stroke: var(--ink); stroke-width: 1.2; stroke-opacity: .6; stroke-dasharray: 4 3; }
h3.sheet { margin: 34px 0 0; font-size: 17px; }
.about { margin: 2px 0 12px; max-width: 90ch; color: var(--soft); }
.verdict { stroke-width: 2.2; fill: none; }
.verdict.better { stroke: var(--good); } .verdict.worse { stroke: var(--warning); }
</style>"""


class Line(NamedTuple):
    """One series of a chart: now and before, and what is to be said of each change."""

    name: str
    now: Sequence[float | None]
    before: Sequence[float | None]
    verdicts: Sequence[str]  # "", within, better, worse


class Room(NamedTuple):
    """Where points and values are in the picture."""

    points: int
    highest: float

    def x(self, place: float) -> float:
        return round(LEFT + (place + 0.5) * self.step, 1)

    @property
    def step(self) -> float:
        return (WIDTH - LEFT - RIGHT) / max(self.points, 1)

    def y(self, value: float) -> float:
        room = HEIGHT - TOP - BOTTOM
        return round(TOP + room * (1 - min(value / self.highest, 1.0)), 1)


def chart(
    title: str, about: str, labels: Sequence[str], lines: Sequence[Line], tolerance: float
) -> str:
    """A figure for each label and line, from zero on."""
    known = [value for line in lines for value in (*line.now, *line.before)]
    has_amounts = len(labels) < LINE_FROM and len(lines) == 1
    heights = ticks(top_of(known) * (1.12 if has_amounts else 1 + tolerance / 2))
    room = Room(len(labels), heights[-1])
    parts = [height_rule(room, height) for height in heights]
    every = max(1, len(labels) // 12)
    parts += [label_text(room, place, labels[place]) for place in range(0, len(labels), every)]
    for place, line in enumerate(lines):
        colour = place % COLOURS + 1
        if len(labels) >= LINE_FROM:
            inside = curve(room, line, tolerance)
        else:
            inside = columns(room, line, (place, len(lines)), tolerance)
        parts.append(f'<g class="series c{colour}">{inside}</g>')
    parts.append(f'<line class="cross" y1="{TOP}" y2="{HEIGHT - BOTTOM}" x1="0" x2="0"/>')
    parts += [f'<circle class="dot c{n % COLOURS + 1}" r="4"/>' for n in range(len(lines))]
    legend = legend_of(lines) if len(lines) > 1 else ""
    return figure(title, about, f"{legend}{svg(title, parts)}{pointed(room, labels, lines)}")


def height_rule(room: Room, height: float) -> str:
    y = room.y(height)
    text = f"{height:,.0f}" if height >= 10 or height == 0 else digits(height)
    return (
        f'<line class="rule" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>'
        f'<text class="tick" x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{text}</text>'
    )


def label_text(room: Room, place: int, label: str) -> str:
    return (
        f'<text class="tick" x="{room.x(place)}" y="{HEIGHT - 8}" text-anchor="middle">'
        f"{escape(label)}</text>"
    )


def places(room: Room, values: Sequence[float | None], factor: float) -> list[tuple[float, float]]:
    return [
        (room.x(place), room.y(value * factor))
        for place, value in enumerate(values)
        if value is not None
    ]


def curve(room: Room, line: Line, tolerance: float) -> str:
    """The band and the line of before, the line and the points of now."""
    parts = []
    if any(value is not None for value in line.before):
        above = places(room, line.before, 1 + tolerance)
        below = places(room, line.before, 1 - tolerance)
        outline = path_of(above + below[::-1])
        parts.append(f'<path class="band" d="{outline}Z"/>')
        parts.append(f'<path class="before" d="{path_of(places(room, line.before, 1.0))}"/>')
    now = places(room, line.now, 1.0)
    if now:
        parts.append(f'<path class="line" d="{path_of(now)}"/>')
    for place, value in enumerate(line.now):
        if value is not None:
            x, y = room.x(place), room.y(value)
            parts.append(f'<circle class="point" cx="{x}" cy="{y}" r="3"/>')
            parts.append(verdict_ring(line.verdicts[place], x, y))
    return "".join(parts)


def verdict_ring(verdict: str, x: float, y: float) -> str:
    if verdict not in ("better", "worse"):
        return ""
    return f'<circle class="verdict {verdict}" cx="{x:.1f}" cy="{y}" r="6.5"/>'


def columns(room: Room, line: Line, of: tuple[int, int], tolerance: float) -> str:
    """A column for each point; of several series side by side."""
    place_of, count = of
    width = min(room.step * 0.8 / count, 110.0)
    parts = []
    for place, (value, before) in enumerate(zip(line.now, line.before, strict=True)):
        left = room.x(place) + (place_of - count / 2) * width + 2
        wide = width - 4
        if before is not None:
            wide /= 2
            parts.append(column(room, "column earlier", left, wide, before))
            left += wide
        if value is not None:
            parts.append(column(room, "column", left, wide, value))
        if before is not None:
            parts.append(limits(room, left - wide, 2 * wide, before, tolerance))
        if value is not None:
            parts.append(verdict_ring(line.verdicts[place], left + wide / 2, room.y(value)))
            if count == 1:  # columns of very different heights: the number says what the eye cannot
                parts.append(amount_text(room, left + wide / 2, value, (before or 0.0), tolerance))
    return "".join(parts)


def column(room: Room, kind: str, left: float, width: float, value: float) -> str:
    y = room.y(value)
    return (
        f'<rect class="{kind}" x="{left:.1f}" y="{y}" width="{width:.1f}" '
        f'height="{HEIGHT - BOTTOM - y:.1f}" rx="2"/>'
    )


def amount_text(room: Room, x: float, value: float, before: float, tolerance: float) -> str:
    """A number above its column; above the band too, where it would be in it."""
    y = room.y(value) - 11
    if y - AMOUNT_HEIGHT < room.y(before * (1 - tolerance)):
        y = min(y, room.y(before * (1 + tolerance)) - 5)
    return (
        f'<text class="amount" x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{digits(value)}</text>'
    )


def limits(room: Room, left: float, width: float, before: float, tolerance: float) -> str:
    """The band of the tolerance over both columns, and where the earlier run was."""
    high, low = room.y(before * (1 + tolerance)), room.y(before * (1 - tolerance))
    return (
        f'<rect class="limits" x="{left:.1f}" y="{high}" width="{width:.1f}" '
        f'height="{low - high:.1f}"/><line class="limit" x1="{left:.1f}" '
        f'x2="{left + width:.1f}" y1="{room.y(before)}" y2="{room.y(before)}"/>'
    )


def legend_of(lines: Sequence[Line]) -> str:
    items = "".join(
        f'<button type="button" class="key c{place % COLOURS + 1}" aria-pressed="true">'
        f"<i></i>{escape(line.name)}</button>"
        for place, line in enumerate(lines)
    )
    return f'<div class="legend">{items}</div>'


def pointed(room: Room, labels: Sequence[str], lines: Sequence[Line]) -> str:
    """What the page's script needs to answer a pointer."""
    said = {
        "x": [room.x(place) for place in range(len(labels))],
        "t": list(labels),
        "s": [
            {
                "n": line.name,
                "c": number % COLOURS + 1,
                "y": [None if value is None else room.y(value) for value in line.now],
                "v": [
                    beside(now, before) for now, before in zip(line.now, line.before, strict=True)
                ],
            }
            for number, line in enumerate(lines)
        ],
    }
    text = json.dumps(said, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" class="points">{text}</script>'


def beside(now: float | None, before: float | None) -> str:
    """A figure, and what it was."""
    if now is None:
        return NOTHING
    if not before:
        return digits(now)
    return f"{digits(now)}  (was {digits(before)}, {(now / before - 1) * 100:+.1f} %)"
