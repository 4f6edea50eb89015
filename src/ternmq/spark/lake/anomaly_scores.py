"""How far a queue is out of its habit: arithmetic on columns of one queue, by rising time.

An observation is a stretch of time: puts, gets, depth at its end, and how long messages took. What
is not known is NaN and says nothing. A value is compared with the `length` observations before it,
by median and median deviation, which a few wild values do not move:

    score = (value - median) / spread,   spread = 1.4826 * MAD, but at least a floor

    rule             is anomalous if
    unusual rate     |score| of puts a second is `limit` or more, of the last stretch or of the
                     last `growing` together: by those also a queue that has few messages is seen
                     to fall silent. Floor: what a count of that size varies by chance, and 5 %
                     of the median
    consumer slows   the logarithm of the time that messages took has a score of `limit` or more
                     (floor 0.25: a factor of 3.5 with limit 5) while puts are as ever; or gets a
                     second one of -`limit` or less while more than usual is on the queue
    queue grows      in each of the last `growing` stretches messages were got, the queue is deeper
                     than in any of them and grew in four of five, by `growth_min` messages or
                     more; the score is the growth in units of what balanced puts and gets would
                     vary by chance, and that is `limit` or more. It has no habit: a queue that
                     has always grown is one that grows

Nothing is said of a rate or a time before there are `least` observations. Results depend only on
the last `Habit.kept` observations, so a stream that keeps these gives what a batch gives.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

RULES: Final = ("unusual rate", "consumer slows", "queue grows")
NORMAL: Final = 1.4826  # the standard deviation of a normal distribution in median deviations
RATE_SHARE: Final = 0.05
TIME_LOG: Final = 0.25
GREW_SHARE: Final = 0.8
_ROWS: Final = 8192  # compared at once: bounds what is held, 8 MB with the usual length


class Habit(NamedTuple):
    """How habits are taken and what is out of them."""

    length: int = 120  # observations that make a habit
    least: int = 12  # before there are so many, there is none
    limit: float = 5.0  # the score that is out of habit
    growing: int = 5  # stretches
    growth_min: float = 20.0  # messages

    @property
    def kept(self) -> int:
        """Observations that a later one may be compared with."""
        return self.length + self.growing


class Observed(NamedTuple):
    """Columns of one queue."""

    window_s: Numbers
    puts: Numbers
    gets: Numbers
    depth: Numbers
    took_us: Numbers

    def after(self, start: int) -> Observed:
        return Observed(*(column[start:] for column in self))


class Scores(NamedTuple):
    """Of one rule, a number for each observation; the score is NaN where nothing can be said."""

    value: Numbers
    expected: Numbers
    score: Numbers
    is_anomalous: Flags


def usual(values: Numbers, habit: Habit, first: int) -> tuple[Numbers, Numbers]:
    """Median and MAD of the observations before each from the `first` on; NaN where there are too
    few, and before."""
    padded = np.concatenate([np.full(habit.length, np.nan), values])
    windows = np.lib.stride_tricks.sliding_window_view(padded, habit.length)[: len(values)]
    medians = np.full(len(values), np.nan)
    deviations = np.full(len(values), np.nan)
    if np.isnan(values).all():
        return medians, deviations
    for start in range(first, len(values), _ROWS):
        rows = slice(start, start + _ROWS)
        part = windows[rows]
        medians[rows] = median(part)
        deviations[rows] = median(np.abs(part - medians[rows, None]))
    known = np.concatenate([[0], np.cumsum(~np.isnan(padded))])
    counts = known[habit.length : -1] - known[: len(values)]
    medians[counts < habit.least] = np.nan
    return medians, deviations


def median(rows: Numbers) -> Numbers:
    """The median of each row without its NaN; NaN of a row that has nothing else."""
    ordered = np.sort(rows, axis=1)  # NaN comes last
    count = np.sum(~np.isnan(rows), axis=1)
    low = np.maximum((count - 1) // 2, 0)[:, None]
    high = np.minimum(count // 2, rows.shape[1] - 1)[:, None]
    found: Numbers = np.take_along_axis(ordered, low, 1) + np.take_along_axis(ordered, high, 1)
    return np.where(count > 0, found[:, 0] / 2, np.nan)


def rates(counted: Numbers, window_s: Numbers, habit: Habit, first: int) -> Scores:
    """A number a second against its habit: that of the last stretch; or of the last few together,
    if they are further from it and the last one points there too."""
    now = rates_of(counted, window_s, habit, first)
    span = habit.growing
    lately = rates_of(trailing(counted, span), trailing(window_s, span), habit, first)
    points = np.sign(now.score) * lately.score
    further = (points > np.abs(now.score)) & (np.abs(now.score) >= habit.limit / 2)
    value, expected, score = (
        np.where(further, of_span, of_one)
        for of_span, of_one in zip(lately[:3], now[:3], strict=True)
    )
    return Scores(value, expected, score, np.abs(score) >= habit.limit)


def trailing(values: Numbers, span: int) -> Numbers:
    """The sum of each value and those before it, `span` in all; NaN where there are fewer."""
    padded = np.concatenate([np.full(span, np.nan), values])
    found: Numbers = np.lib.stride_tricks.sliding_window_view(padded, span).sum(axis=1)
    return found[1:]


def rates_of(counted: Numbers, window_s: Numbers, habit: Habit, first: int) -> Scores:
    """A number a second against its habit."""
    rate = counted / window_s
    expected, deviation = usual(rate, habit, first)
    by_chance = np.sqrt(np.maximum(expected, 1 / window_s) / window_s)
    spread = np.maximum(np.maximum(NORMAL * deviation, by_chance), RATE_SHARE * expected)
    score = (rate - expected) / spread
    return Scores(rate, expected, score, np.abs(score) >= habit.limit)


def slowing(observed: Observed, puts: Scores, habit: Habit, first: int) -> Scores:
    """Time that messages took, and gets that fall behind."""
    took = np.log(np.where(observed.took_us > 0, observed.took_us, np.nan))
    expected, deviation = usual(took, habit, first)
    score = (took - expected) / np.maximum(NORMAL * deviation, TIME_LOG)
    is_late = (score >= habit.limit) & ~(puts.score >= habit.limit)
    gets = rates(observed.gets, observed.window_s, habit, first)
    usual_depth, _ = usual(observed.depth, habit, first)
    is_behind = (gets.score <= -habit.limit) & (observed.depth > usual_depth) & ~is_late
    return Scores(
        np.where(is_behind, gets.value, observed.took_us),
        np.where(is_behind, gets.expected, np.exp(expected)),
        np.where(is_behind, gets.score, score),
        is_late | is_behind,
    )


def growing(observed: Observed, habit: Habit) -> Scores:
    """Depth that rises although messages are got."""
    count = len(observed.depth)
    span = habit.growing
    score, value, before = (np.full(count, np.nan) for _ in range(3))
    flags = np.zeros(count, dtype=np.bool_)
    if count > span:
        depths = np.lib.stride_tricks.sliding_window_view(observed.depth, span + 1)
        moved = np.lib.stride_tricks.sliding_window_view(observed.puts + observed.gets, span)[1:]
        least_got = np.lib.stride_tricks.sliding_window_view(observed.gets, span)[1:].min(axis=1)
        rise = depths[:, -1] - depths[:, 0]
        grew = np.mean(np.diff(depths, axis=1) > 0, axis=1) >= GREW_SHARE
        score[span:] = rise / np.sqrt(np.maximum(moved.sum(axis=1), 1.0))
        value[span:] = depths[:, -1]
        before[span:] = depths[:, 0]
        is_deepest = depths[:, -1] > depths[:, :-1].max(axis=1)
        steadily = grew & is_deepest & (least_got > 0) & (rise >= habit.growth_min)
        flags[span:] = steadily & (score[span:] >= habit.limit)
    return Scores(value, before, score, flags)


def scored(observed: Observed, habit: Habit, first: int = 0) -> tuple[Scores, Scores, Scores]:
    """By the order of RULES; right from the `first` observation on."""
    with np.errstate(invalid="ignore", divide="ignore"):
        puts = rates(observed.puts, observed.window_s, habit, first)
        return puts, slowing(observed, puts, habit, first), growing(observed, habit)


def run_starts(
    is_anomalous: Flags, starts: npt.NDArray[np.int64], since: int
) -> npt.NDArray[np.int64]:
    """For each observation when the anomaly it is part of began; 0 where there is none. `since` is
    what the observation before the first had."""
    began = is_anomalous & ~np.concatenate([[since != 0], is_anomalous[:-1]])
    latest = np.where(began, np.arange(len(starts)), -1)
    latest = np.maximum.accumulate(latest) if len(latest) else latest
    found = np.where(latest >= 0, starts[np.maximum(latest, 0)], since)
    return np.where(is_anomalous, found, 0).astype(np.int64)
