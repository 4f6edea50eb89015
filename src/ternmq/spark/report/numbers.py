"""Numbers as reports show them: short, with their unit, and the steps of an axis.

A unit is one of the names below. It decides how a value is written and how an axis is divided.

    count    12,345   1.2 M         percent   37 %
    rate     840/s    12.3 k/s      bytes     4.2 MB
    us       730 µs   12.4 ms  3.1 s          bytes/s   18 MB/s
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

COUNT: Final = "count"
RATE: Final = "rate"
BYTES: Final = "bytes"
BYTE_RATE: Final = "bytes/s"
MICROSECONDS: Final = "us"
PERCENT: Final = "percent"
UNITS: Final = (COUNT, RATE, BYTES, BYTE_RATE, MICROSECONDS, PERCENT)

NOTHING: Final = "\u2013"
_LARGE: Final = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_TIMES: Final = ((60e6, "min"), (1e6, "s"), (1e3, "ms"), (1.0, "µs"))
# Steps of an axis of time, in seconds.
_CLOCK_STEPS: Final = (
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
    172_800, 604_800, 2_592_000,
)  # fmt: skip
DAY_S: Final = 86_400


def shown(value: float | None, unit: str = COUNT) -> str:
    """A value for eyes; a dash if there is none."""
    if value is None or not math.isfinite(value):
        return NOTHING
    if unit == MICROSECONDS:
        return shown_time(value)
    if unit == PERCENT:
        return f"{digits(value)} %"
    if unit in (BYTES, BYTE_RATE):
        number, prefix = scaled(value)
        ending = "B/s" if unit == BYTE_RATE else "B"
        return f"{number} {prefix}{ending}"
    if abs(value) < 1_000_000 and unit == COUNT:
        return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else digits(value)
    number, prefix = scaled(value)
    ending = "/s" if unit == RATE else ""
    return f"{number} {prefix}{ending}" if prefix else f"{number}{ending}"


def shown_time(us: float) -> str:
    """A duration, of microseconds."""
    for size, name in _TIMES:
        if abs(us) >= size:
            return f"{digits(us / size)} {name}"
    return "0" if us == 0 else f"{digits(us)} µs"


def scaled(value: float) -> tuple[str, str]:
    """Digits and the prefix of the unit."""
    for size, prefix in _LARGE:
        if abs(value) >= size:
            return digits(value / size), prefix
    return digits(value), ""


def digits(value: float) -> str:
    """About three digits, and no more than there are."""
    if value == 0:
        return "0"
    size = abs(value)
    places = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def top_of(values: Sequence[float | None]) -> float:
    """The highest that there is."""
    known = (value for value in values if value is not None and math.isfinite(value))
    return max(known, default=0.0)


def ticks(highest: float, wanted: int = 4) -> list[float]:
    """Where an axis from zero has its lines; the last is above the highest value."""
    if highest <= 0:
        return [0.0, 1.0]
    rough = highest / wanted
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough * 0.999)
    count = math.ceil(highest / step - 1e-9)
    return [step * n for n in range(count + 1)]


def clock_ticks(first: datetime, last: datetime, wanted: int = 6) -> list[datetime]:
    """Whole moments between two."""
    span = (last - first).total_seconds()
    step = next((s for s in _CLOCK_STEPS if span / s <= wanted), 0)
    if not step:  # years: so many of the longest
        step = math.ceil(span / wanted / _CLOCK_STEPS[-1]) * _CLOCK_STEPS[-1]
    midnight = first.replace(hour=0, minute=0, second=0, microsecond=0)
    behind = math.ceil((first - midnight).total_seconds() / step)
    count = math.floor((last - midnight).total_seconds() / step)
    return [midnight + timedelta(seconds=n * step) for n in range(behind, count + 1)]


def shown_moment(moment: datetime, first: datetime, last: datetime) -> str:
    """A moment on an axis: days where there are several, the year where two meet."""
    span_s = (last - first).total_seconds()
    is_midnight = moment.hour == moment.minute == moment.second == 0
    if is_midnight and (span_s > 2 * DAY_S or first.year != last.year):
        return shown_day(moment, first, last)
    return f"{moment:%H:%M:%S}" if span_s < 600 else f"{moment:%H:%M}"


def shown_day(moment: datetime, first: datetime, last: datetime) -> str:
    year = f" {moment.year}" if first.year != last.year else ""
    return f"{moment.day} {moment:%b}{year}"


def shown_time_of(moment: datetime, first: datetime, last: datetime) -> str:
    """A moment in words about a time: with its day where there are several, with its zone."""
    return f"{clock_of(moment, first, last)} UTC"


def clock_of(moment: datetime, first: datetime, last: datetime) -> str:
    time = f"{moment:%H:%M:%S}"
    if first.date() == last.date():
        return time
    return f"{shown_day(moment, first, last)} {time}"


def shown_interval(begun: datetime, ended: datetime, first: datetime, last: datetime) -> str:
    """From when to when something was measured, in words about a time."""
    if begun == ended:
        return shown_time_of(begun, first, last)
    end = f"{ended:%H:%M:%S}"
    if begun.date() != ended.date():
        end = clock_of(ended, first, last)
    return f"{clock_of(begun, first, last)} to {end} UTC"


def shown_period(first: datetime, last: datetime) -> str:
    """From when to when, each said once."""
    begun = f"{first.day} {first:%B %Y, %H:%M:%S}"
    if first.date() == last.date():
        return f"{begun} to {last:%H:%M:%S} UTC"
    return f"{begun} to {last.day} {last:%B %Y, %H:%M:%S} UTC"
