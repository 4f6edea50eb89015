"""Goal: runs are kept and compared by the rule of the report, 6 % up or down.

Method: records made here, saved and loaded; figures at, inside and beyond the bound.
"""

import json
from pathlib import Path

import pytest

from ternmq.perf.comparison import Change, compared, counted, differences
from ternmq.perf.record import FILE, Measured, NoRecord, Run, load, settled


def run_of(*points: Measured, build: str = "compiled") -> Run:
    settled(points)
    return Run(
        label="",
        begun="2026-11-16T10:00:00+00:00",
        build=build,
        version="0.1",
        seconds=5.0,
        quick=False,
        processes=1,
        machine={"processors": 2},
        points=list(points),
    )


def point(rate: float, cost: float | None, workload: str = "single", x: str = "2 KB") -> Measured:
    return Measured(workload, "", x, 9, "usual", smf_rate=rate, smf_cost=cost, intervals=3)


@pytest.mark.parametrize(
    ("now", "before", "less_is_better", "verdict"),
    [
        (106.0, 100.0, False, "within"),
        (94.0, 100.0, False, "within"),
        (106.1, 100.0, False, "better"),
        (93.9, 100.0, False, "worse"),
        (106.1, 100.0, True, "worse"),
        (93.9, 100.0, True, "better"),
        (100.0, None, False, ""),
        (None, 100.0, False, ""),
        (100.0, 0.0, False, ""),
    ],
)
def test_tolerance(
    now: float | None, before: float | None, less_is_better: bool, verdict: str
) -> None:
    assert Change(now, before, less_is_better).verdict == verdict


def test_points_are_found_again_in_the_earlier_run() -> None:
    now = run_of(point(120.0, 50.0), point(7.0, None, "footprint", "local socket"))
    before = run_of(
        point(7.0, None, "footprint", "SHARECNV(0)"),
        point(100.0, 51.0),
        point(6.0, None, "footprint", "local socket"),
    )
    first, second = compared(now, before)
    assert first.verdicts == ("better", "within")
    assert second.verdicts == ("worse", "")  # more memory is worse
    assert counted([first, second]) == {"within": 1, "better": 1, "worse": 1}


def test_without_an_earlier_run_nothing_is_said() -> None:
    (one,) = compared(run_of(point(1.0, 1.0)), None)
    assert one.verdicts == ("", "")


def test_smf_counts_more_than_what_applications_saw() -> None:
    reported = point(100.0, 50.0)
    reported.seen_rate, reported.seen_cost = 90.0, 60.0
    silent = Measured("single", "", "64 KB", 9, "usual", seen_rate=90.0, seen_cost=60.0)
    settled([reported, silent])
    assert (reported.rate, reported.cost, reported.source) == (100.0, 50.0, "smf")
    assert (silent.rate, silent.cost, silent.source) == (90.0, 60.0, "seen")


def test_what_the_log_wrote_only_smf_can_report() -> None:
    silent = Measured("log-bound", "", "1 KB", 3, "usual", counts="log bytes", seen_rate=90.0)
    settled([silent])
    assert (silent.rate, silent.source) == (None, "")


def test_what_makes_runs_hard_to_compare_is_reported() -> None:
    now, before = run_of(build="plain"), run_of()
    assert differences(now, before) == ["build: plain now, compiled before"]
    assert differences(now, now) == []


def test_record_survives_its_file(tmp_path: Path) -> None:
    run = run_of(point(120.0, 50.0))
    path = run.save(tmp_path)
    assert path == tmp_path / FILE
    assert load(tmp_path) == run
    assert load(path) == run


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "not a record"),
        ("[]", "of format 1"),
        ('{"format": 2}', "of format 1"),
        ('{"format": 1, "points": []}', "missing"),
        ('{"format": 1}', "points"),
    ],
)
def test_what_is_no_record_is_refused(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(NoRecord, match=why):
        load(tmp_path)


def test_missing_record_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(NoRecord, match=r"perf\.json cannot be read"):
        load(tmp_path)


def test_a_later_field_does_not_disturb(tmp_path: Path) -> None:
    path = run_of(point(1.0, 1.0)).save(tmp_path)
    values = json.loads(path.read_text(encoding="utf-8"))
    values["weather"] = "fair"
    values["points"][0]["mood"] = "good"
    path.write_text(json.dumps(values), encoding="utf-8")
    assert load(tmp_path).points[0].rate == 1.0
