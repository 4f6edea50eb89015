"""Goal: lines show what was measured, when it was measured, and break where it was not.

Method: rows as queries return them, with a missing interval, a value that is null and intervals of
two queue managers that begin at other seconds; then spikes and axes by known values.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ternmq.spark.report.charts import Moments, Series, lines, runs_of
from ternmq.spark.report.point_lines import LAST_MICROS, Lines, lines_by, moment_of
from ternmq.spark.report.spikes import spike_of
from ternmq.spark.report.time_axis import GAP_SHARE, parts_of, place_of

FIRST = datetime(2026, 9, 21, 14, 14, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def row(name: str, n: int, value: float | None, late_s: float = 0.0) -> dict[str, Any]:
    """A minute of one line, in a bucket of its own."""
    begun = FIRST + timedelta(minutes=n, seconds=late_s)
    micros = (begun - EPOCH) // timedelta(microseconds=1)
    return {
        "bucket": n, "name": name, "value": value, "begun": micros, "ended": micros + 60e6,
        "length": 60.0,
    }  # fmt: skip


def found(*rows: dict[str, Any]) -> Lines:
    return lines_by(rows, "name", "value")


def drawn(some: Lines, name: str) -> list[list[int]]:
    return runs_of(Series(name, some.values[name], breaks=some.breaks[name]))


def test_line_when_an_interval_is_missing_then_it_breaks() -> None:
    some = found(*(row("QM1", n, 1.0) for n in (0, 1, 4, 5)))
    assert drawn(some, "QM1") == [[0, 1], [2, 3]]


def test_line_when_another_has_more_intervals_then_only_its_own_gaps_count() -> None:
    some = found(
        *(row("QM1", n, 1.0) for n in range(6)),
        *(row("QM2", n, 2.0, late_s=3.0) for n in (0, 1, 4, 5)),
        {**row("QM3", 0, 1.0), "ended": row("QM3", 2, 1.0)["begun"]},  # of two minutes
        row("QM3", 2, 1.0),
    )
    assert drawn(some, "QM1") == [[0, 1, 2, 3, 4, 5]]
    assert drawn(some, "QM2") == [[0, 1], [4, 5]]
    assert drawn(some, "QM3") == [[0, 2]]  # nothing is missing between them


def test_line_when_a_value_was_not_measured_then_it_breaks() -> None:
    some = found(row("QM1", 0, 1.0), row("QM1", 1, None), row("QM1", 2, 1.0))
    assert drawn(some, "QM1") == [[0], [2]]


def test_times_when_in_words_then_those_of_the_interval_itself() -> None:
    some = found(row("QM1", 0, 1.0), row("QM2", 0, 2.0, late_s=3.0))
    assert some.words("QM1", 0) == "14:14:00 to 14:15:00 UTC"
    assert some.words("QM2", 0) == "14:14:03 to 14:15:03 UTC"


def test_mean_when_intervals_differ_then_long_ones_count_for_more() -> None:
    short = {**row("QM1", 0, 90.0), "ended": row("QM1", 0, 0)["begun"] + 30e6}
    some = found(short, row("QM1", 1, 0.0))
    assert some.mean("QM1") == pytest.approx(30.0)
    assert found(row("QM1", 0, None)).mean("QM1") is None


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ([21_000.0, 21_500.0, 1_500_000.0, 20_000.0], 2),
        ([21_000.0, None, 22_000.0, 1_500_000.0], 3),
        ([21_000.0, 1_500_000.0], None),  # nobody knows which is usual
        ([20.0, 20.0, 300.0], None),  # nobody waits for 300 µs
        ([200_000.0, 210_000.0, 900_000.0], None),
        ([1_500_000.0, 1_500_000.0, 1_500_000.0], None),
        ([], None),
    ],
)
def test_latency_when_it_is_many_times_the_usual_then_it_is_a_spike(
    values: list[float | None], place: int | None
) -> None:
    spike = spike_of(values)
    assert (spike.place if spike else None) == place


def moments(*minutes: float) -> Moments:
    begun = [FIRST + timedelta(minutes=n) for n in minutes]
    return Moments(begun, [one + timedelta(minutes=1) for one in begun])


def test_axis_when_dumps_are_of_other_days_then_the_gap_is_short_and_marked() -> None:
    some = moments(*range(10), *range(5000, 5010))
    parts = parts_of(some.begun, some.ended)
    assert len(parts) == 2
    assert parts[1].begin - parts[0].end == pytest.approx(GAP_SHARE)
    assert place_of(parts, some.begun[9]) == pytest.approx(0.95 / 2 * 0.9)
    html = lines("Rate", some, [Series("QM1", [1.0] * 20, breaks=frozenset({10}))])
    assert html.count('class="gap"') == 2  # in each width
    assert "24 Sep" not in html.partition('class="gap"')[0].partition("<svg")[0]


def test_axis_when_a_few_intervals_are_missing_then_it_is_to_scale() -> None:
    some = moments(*range(10), *range(15, 30))
    (only,) = parts_of(some.begun, some.ended)
    assert (only.begin, only.end) == (0.0, 1.0)


def test_moment_when_it_is_beyond_every_axis_then_it_is_the_last() -> None:
    assert moment_of(1e18) == moment_of(LAST_MICROS)
    assert moment_of(1e18).year == 9987
