"""Goal (G24): work that goes on leaves no descriptor and no thread behind, and its verbs never fail
for another reason than a full resource. Method: a few seconds of `soak`; `make soak MINUTES=30`
is the long one, which also measures the slope of the memory.
"""

from pathlib import Path

import pytest

from tests.proof.soak import Result, Samples, judge, soak

pytestmark = pytest.mark.core


@pytest.mark.timeout(60)
def test_soak_when_short_then_nothing_is_left_behind(tmp_path: Path) -> None:
    result = soak(str(tmp_path), 6.0, 2.0)
    assert result.problems == []
    assert result.messages > 500
    assert result.units > 20


def test_slope_then_that_of_the_line_through_the_points() -> None:
    samples = Samples([0.0, 1.0, 2.0, 3.0], [10.0, 12.0, 14.0, 16.0])
    assert samples.slope_kib_in_ten_minutes() == pytest.approx(1200.0)
    assert Samples([1.0], [5.0]).slope_kib_in_ten_minutes() == 0.0


def test_judge_when_something_grows_then_it_is_reported() -> None:
    result = Result(600.0, 1, 1, 0, 2000.0, (10, 30), (3, 4), [])
    judge(result)
    assert len(result.problems) == 3
    short = Result(10.0, 1, 1, 0, 2000.0, (10, 10), (3, 3), [])
    judge(short)
    assert short.problems == []
