"""Lines of a chart, from the rows of a query: a value for each stretch of time and name.

A row has the number of its bucket and the true times of the intervals in it, as `measured` or
`counted` give them. A line breaks where an interval is missing, and where it was not measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ternmq.spark.frames.functions import f
from ternmq.spark.report.charts import Moments, sparkline
from ternmq.spark.report.numbers import shown_interval

if TYPE_CHECKING:
    from pyspark.sql import Column

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
LAST_MICROS: Final = 253_000_000_000_000_000  # in the year 9987
GAP_SHARE: Final = 0.5  # of an interval: later than that after the one before, one is missing


class Period(NamedTuple):
    """From when to when, and how long a bucket is."""

    first: datetime
    last: datetime
    step_s: int

    def bucket(self, when: str) -> Column:
        """The number of the bucket of a moment."""
        return f.floor(f.unix_micros(f.col(when)) / (self.step_s * 1_000_000)).alias("bucket")

    @property
    def micros(self) -> tuple[int, int]:
        """The first and the last, as numbers, which no zone changes."""
        first, last = ((one - _EPOCH) // timedelta(microseconds=1) for one in self[:2])
        return first, last + self.step_s * 1_000_000

    def measured(self) -> list[Column]:
        """The true times of the intervals in a bucket."""
        begun = f.unix_micros("interval_start")
        length = f.coalesce(f.col("interval_s"), f.lit(0.0))
        return [
            f.min(begun).alias("begun"),
            f.max(begun + length * 1e6).alias("ended"),
            f.max(length).alias("length"),
        ]

    def counted(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Rows about what happened in a bucket, with its times."""
        step = self.step_s * 1_000_000
        return [
            {**row, "begun": n * step, "ended": (n + 1) * step, "length": float(self.step_s)}
            for row in rows
            if (n := row["bucket"]) is not None
        ]


class Lines(NamedTuple):
    """Values of several things over the same moments."""

    moments: Moments
    values: dict[str, list[float | None]]
    breaks: dict[str, frozenset[int]]
    spans: dict[str, dict[int, tuple[datetime, datetime]]]  # of each value its own interval

    def __bool__(self) -> bool:
        return bool(self.moments.begun)

    def words(self, name: str, place: int) -> str:
        """From when to when a value of a line was measured."""
        begun, ended = self.spans[name][place]
        return shown_interval(begun, ended, self.moments.first, self.moments.last)

    def mean(self, name: str) -> float | None:
        """The mean of a line over the time that it was measured; None if it was not."""
        known = [
            (value, (ended - begun).total_seconds())
            for place, (begun, ended) in self.spans[name].items()
            if (value := self.values[name][place]) is not None
        ]
        spent = sum(length for _, length in known)
        return sum(value * length for value, length in known) / spent if spent else None

    def means(self) -> dict[str, float | None]:
        """The mean of each line."""
        return {name: self.mean(name) for name in self.values}

    def small(self, name: str, colour: int) -> str:
        """A small picture of one line."""
        if name not in self.values:
            return ""
        return sparkline(self.values[name], colour, self.breaks[name])

    def only(self, names: Sequence[str]) -> Lines:
        """Some of them."""
        kept = [name for name in names if name in self.values]
        return Lines(
            self.moments,
            {name: self.values[name] for name in kept},
            {name: self.breaks[name] for name in kept},
            {name: self.spans[name] for name in kept},
        )

    def renamed(self, labels: Mapping[str, str]) -> Lines:
        """Those that have a label, under it."""
        found = self.only(list(labels))
        return Lines(
            found.moments,
            {labels[name]: values for name, values in found.values.items()},
            {labels[name]: breaks for name, breaks in found.breaks.items()},
            {labels[name]: spans for name, spans in found.spans.items()},
        )


def moment_of(micros: float) -> datetime:
    """A moment; one that is beyond what an axis can show, from a damaged record, is the last."""
    return _EPOCH + timedelta(microseconds=int(min(micros, LAST_MICROS)))


def float_of(value: Any) -> float | None:
    if value is None or not math.isfinite(value):
        return None
    return float(value)


def lines_by(rows: Iterable[Mapping[str, Any]], key: str, value: str) -> Lines:
    """Rows with a bucket, their times, a key and a value, as a line for each key."""
    dated = [row for row in rows if row["bucket"] is not None]
    buckets = sorted({row["bucket"] for row in dated})
    place = {bucket: n for n, bucket in enumerate(buckets)}
    begun = [min(r["begun"] for r in some) for some in by_bucket(dated, buckets)]
    ended = [max(r["ended"] for r in some) for some in by_bucket(dated, buckets)]
    values: dict[str, list[float | None]] = {}
    breaks: dict[str, frozenset[int]] = {}
    spans: dict[str, dict[int, tuple[datetime, datetime]]] = {}
    for name in dict.fromkeys(row[key] for row in dated):
        own = sorted((row for row in dated if row[key] == name), key=lambda row: int(row["bucket"]))
        line: list[float | None] = [None] * len(buckets)
        for row in own:
            line[place[row["bucket"]]] = float_of(row[value])
        values[name] = line
        spans[name] = {
            place[row["bucket"]]: (moment_of(row["begun"]), moment_of(row["ended"])) for row in own
        }
        breaks[name] = frozenset(place[bucket] for bucket in gaps(own, value))
    moments = Moments([moment_of(n) for n in begun], [moment_of(n) for n in ended])
    return Lines(moments, values, breaks, spans)


def by_bucket(
    rows: Sequence[Mapping[str, Any]], buckets: Sequence[int]
) -> list[list[Mapping[str, Any]]]:
    found: dict[int, list[Mapping[str, Any]]] = {bucket: [] for bucket in buckets}
    for row in rows:
        found[row["bucket"]].append(row)
    return list(found.values())


def gaps(own: Sequence[Mapping[str, Any]], value: str) -> Iterable[int]:
    """Buckets of one line before which something is missing."""
    is_missing = False
    before: Mapping[str, Any] | None = None
    for row in own:
        if before is not None:
            length = max(row["length"] or 0.0, before["length"] or 0.0)
            is_missing |= row["begun"] - before["ended"] > GAP_SHARE * length * 1e6
        before = row
        if float_of(row[value]) is None:
            is_missing = True
        elif is_missing:
            yield row["bucket"]
            is_missing = False
