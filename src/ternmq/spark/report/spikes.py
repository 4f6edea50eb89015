"""Latency spikes: a stretch of time in which something took many times as long as usual.

    times      at least TIMES as long as the median of all other stretches
    beyond     and at least BEYOND_US longer
    others     there are at least OTHERS_MIN others, to know what is usual

So 1.5 s among stretches of 21 ms is a spike, and 300 µs among stretches of 20 µs is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Final, NamedTuple

TIMES: Final = 10.0
BEYOND_US: Final = 100_000.0
OTHERS_MIN: Final = 2


class Spike(NamedTuple):
    """The highest of the values that are far above the others."""

    place: int
    value: float
    usual: float
    times: int  # how many values are far above the usual


def spike_of(values: Sequence[float | None]) -> Spike | None:
    """The spike in the values of one line, in microseconds; None if there is none."""
    known = [value for value in values if value is not None]
    if len(known) <= OTHERS_MIN:
        return None
    highest = max(known)
    usual = median(sorted(known)[:-1])
    if not is_spike(highest, usual):
        return None
    return Spike(values.index(highest), highest, usual, sum(is_spike(v, usual) for v in known))


def is_spike(value: float, usual: float) -> bool:
    return value >= TIMES * usual and value - usual >= BEYOND_US
