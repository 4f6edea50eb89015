"""The axis of time of a chart: to scale, but for long stretches in which nothing was measured.

Dumps of different days or years in one report would be dots at the edges of an axis to scale. A
gap that is longer than half of the time that was measured, and than GAP_INTERVALS intervals, takes
GAP_SHARE of the width instead, and the page marks it. Shorter gaps stay to scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from ternmq.spark.report.numbers import clock_ticks

GAP_INTERVALS: Final = 10
MEASURED_SHARE: Final = 0.5
GAP_SHARE: Final = 0.05  # of the width
PARTS_MAX: Final = 8


class Part(NamedTuple):
    """A stretch of time that is drawn to scale: from and to when, and where, as shares of all."""

    first: datetime
    last: datetime
    begin: float
    end: float

    def place(self, moment: datetime) -> float:
        span = (self.last - self.first).total_seconds()
        share = (moment - self.first).total_seconds() / span if span else 0.5
        return self.begin + min(max(share, 0.0), 1.0) * (self.end - self.begin)


def parts_of(begun: Sequence[datetime], ended: Sequence[datetime]) -> tuple[Part, ...]:
    """The parts of an axis for intervals in their order."""
    spans = [(one, max(one, other)) for one, other in zip(begun, ended, strict=True)]
    stretches = divided(spans)
    lengths = [(last - first).total_seconds() for first, last in stretches]
    room = 1.0 - GAP_SHARE * (len(stretches) - 1)
    total = sum(lengths)
    found: list[Part] = []
    at = 0.0
    for (first, last), length in zip(stretches, lengths, strict=True):
        # A short stretch among long ones is still seen.
        share = (0.5 / len(lengths) + 0.5 * length / total) if total else 1.0 / len(lengths)
        found.append(Part(first, last, at, at + room * share))
        at += room * share + GAP_SHARE
    return tuple(found)


def divided(spans: Sequence[tuple[datetime, datetime]]) -> list[tuple[datetime, datetime]]:
    """Stretches without long gaps in them; one if there would be too many."""
    measured = sum((last - first).total_seconds() for first, last in spans)
    longest = max((last - first).total_seconds() for first, last in spans)
    limit = max(MEASURED_SHARE * measured, GAP_INTERVALS * longest)
    found = [spans[0]]
    for first, last in spans[1:]:
        before = found[-1]
        if longest and (first - before[1]).total_seconds() > limit:
            found.append((first, last))
        else:
            found[-1] = (before[0], max(before[1], last))
    if len(found) > PARTS_MAX:
        return [(found[0][0], found[-1][1])]
    return found


def place_of(parts: Sequence[Part], moment: datetime) -> float:
    """Where a moment is, as a share of the width; one within a gap is at its beginning."""
    inside = [part for part in parts if part.first <= moment]
    return (inside[-1] if inside else parts[0]).place(moment)


def axis_ticks(parts: Sequence[Part], wanted: int) -> list[datetime]:
    """Whole moments within the parts; of several parts also where each begins."""
    found: list[datetime] = []
    for part in parts:
        own = max(1, round(wanted * (part.end - part.begin)))
        if len(parts) > 1:
            found.append(part.first)
            own -= 1
        if own:
            found += clock_ticks(part.first, part.last, own)
    return found
