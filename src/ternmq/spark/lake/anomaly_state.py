"""What is kept of a queue between two batches of a stream, and how new observations meet it.

The state is the last observations of the queue, a column each, when they began, and since when each
rule's anomaly lasts. A queue of which nothing came for so long that its habit is forgotten leaves
the state.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from ternmq.spark.lake.anomaly_scores import RULES, Habit, Observed, run_starts, scored

Moments = npt.NDArray[np.int64]  # microseconds since 1970

_COLUMNS: Final = Observed._fields
# Numbers of 8 bytes, one after the other: PySpark 4.3 does not read back a state with arrays.
STATE: Final = ", ".join(f"{name} binary" for name in ("starts", *_COLUMNS, "since"))
_WHOLE: Final = "<i8"
_REAL: Final = "<f8"
# A queue without new observations leaves the state when the watermark is so much later.
FORGOTTEN_AFTER_US: Final = 7 * 86_400 * 1_000_000


class Known(NamedTuple):
    """A queue's observations, by rising time."""

    starts: Moments
    observed: Observed
    since: tuple[int, ...]  # for each rule since when it is anomalous; 0 is not

    @property
    def window_us(self) -> int:
        return int(self.observed.window_s[-1] * 1_000_000)


NOTHING: Final = Known(
    np.empty(0, np.int64), Observed(*(np.empty(0) for _ in _COLUMNS)), (0,) * len(RULES)
)


def first_time(arrived: pd.DataFrame, habit: Habit, silence: bool) -> pd.DataFrame:
    """All observations of a queue in a batch."""
    key = (arrived["queue_manager"].iloc[0], arrived["queue"].iloc[0])
    newest = int(arrived["newest"].iloc[0])
    fresh = fresh_of(arrived, NOTHING)
    if silence:
        fresh = filled(NOTHING, fresh, newest, habit)
    return judged(key, NOTHING, fresh, habit)[0]


def observed_again(
    key: Any, arrived: Iterator[pd.DataFrame], state: Any, habit: Habit, silence: bool
) -> pd.DataFrame:
    """Observations of a queue in one batch of a stream."""
    known = known_from(state)
    fresh = fresh_of(pd.concat(list(arrived)), known)
    if silence:
        fresh = filled(known, fresh, 0, habit)
    reported, known = judged(key, known, fresh, habit)
    keep(state, known, silence)
    return reported


def after_silence(key: Any, state: Any, habit: Habit, silence: bool) -> pd.DataFrame:
    """Time has gone on without this queue, as far as the watermark."""
    known = known_from(state)
    if not silence:
        state.remove()
        return judged(key, known, NOTHING, habit)[0]
    until = state.getCurrentWatermarkMs() * 1000 - known.window_us
    reported, known = judged(key, known, filled(known, NOTHING, until, habit), habit)
    if known.observed.puts.any():
        keep(state, known, silence)
    else:
        state.remove()
    return reported


def known_from(state: Any) -> Known:
    if not state.exists:
        return NOTHING
    starts, *columns, since = state.get
    observed = Observed(*(np.frombuffer(column, _REAL) for column in columns))
    lasting = np.frombuffer(since, _WHOLE).tolist()
    return Known(np.frombuffer(starts, _WHOLE), observed, tuple(lasting))


def keep(state: Any, known: Known, silence: bool) -> None:
    """Put it into the state, and say when it is to be looked at if nothing comes."""
    columns = [column.astype(_REAL).tobytes() for column in known.observed]
    since = np.array(known.since, _WHOLE).tobytes()
    state.update((known.starts.astype(_WHOLE).tobytes(), *columns, since))
    after_us = 2 * known.window_us if silence else FORGOTTEN_AFTER_US
    again_us = int(known.starts[-1]) + after_us
    # A time-out that the watermark has passed already is not allowed.
    state.setTimeoutTimestamp(max(again_us // 1000, state.getCurrentWatermarkMs() + 1))


def fresh_of(arrived: pd.DataFrame, known: Known) -> Known:
    """What has arrived, by rising time, without what is not later than the known."""
    starts = arrived["start_us"].to_numpy(np.int64)
    observed = Observed(*(arrived[name].to_numpy(np.float64, na_value=np.nan) for name in _COLUMNS))
    order = np.argsort(starts, kind="stable")
    starts = starts[order]
    last = known.starts[-1] if len(known.starts) else np.iinfo(np.int64).min
    is_new = np.concatenate([starts[:1] > last, (starts[1:] > starts[:-1]) & (starts[1:] > last)])
    chosen = order[is_new]
    return Known(starts[is_new], Observed(*(column[chosen] for column in observed)), known.since)


def filled(known: Known, fresh: Known, until: int, habit: Habit) -> Known:
    """With stretches in which nothing was put where rows are missing, before, between and after as
    far as one that begins at `until`; of a long gap no more than a habit takes."""
    starts = np.concatenate([known.starts[-1:], fresh.starts])
    if not len(starts):
        return fresh
    window_s = float(np.concatenate([known.observed.window_s[-1:], fresh.observed.window_s])[0])
    step = int(window_s * 1_000_000)
    ends = np.append(starts[1:], until + step)
    # All stretches of each gap at once: gap g has counts[g] of them, ending before ends[g].
    counts = np.clip((ends - starts) // step - 1, 0, habit.kept)
    gap = np.repeat(np.arange(len(counts)), counts)
    nth = np.arange(len(gap)) - np.repeat(np.cumsum(counts) - counts, counts)
    first = starts + ((ends - starts) // step - counts) * step
    missing = first[gap] + nth * step
    empty = np.full(len(missing), np.nan)
    nothing = Observed(np.full(len(missing), window_s), np.zeros(len(missing)), empty, empty, empty)
    both = np.concatenate([fresh.starts, missing])
    order = np.argsort(both, kind="stable")
    columns = (np.concatenate(pair)[order] for pair in zip(fresh.observed, nothing, strict=True))
    return Known(both[order], Observed(*columns), known.since)


def judged(key: Any, known: Known, fresh: Known, habit: Habit) -> tuple[pd.DataFrame, Known]:
    """The anomalies among the fresh observations, and what is known with them."""
    before = len(known.starts)
    starts = np.concatenate([known.starts, fresh.starts])
    pairs = zip(known.observed, fresh.observed, strict=True)
    observed = Observed(*(np.concatenate(pair) for pair in pairs))
    parts: list[pd.DataFrame] = []
    since: list[int] = []
    for n, scores in enumerate(scored(observed, habit, before)):
        flags = scores.is_anomalous[before:]
        began = run_starts(flags, fresh.starts, known.since[n])
        since.append(int(began[-1]) if len(began) else known.since[n])
        columns = {
            "rule": RULES[n],
            "start_us": fresh.starts[flags],
            "window_s": fresh.observed.window_s[flags],
            "since_us": began[flags],
            "value": scores.value[before:][flags],
            "expected": scores.expected[before:][flags],
            "score": scores.score[before:][flags],
        }
        parts.append(pd.DataFrame(columns))
    # Without the empty ones: pandas warns that their types will count one day.
    reported = pd.concat([part for part in parts if len(part)] or parts[:1])
    reported.insert(0, "queue_manager", key[0])
    reported.insert(1, "queue", key[1])
    first = max(0, len(starts) - habit.kept)
    return reported, Known(starts[first:], observed.after(first), tuple(since))
