"""Goal: `ternmq perf` says what there is, what came of runs, and what is wrong with a command.

Method: records of runs that were made here; nothing is measured (see integration/test_perf).
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ternmq.cli.tools.perf_command import BAD_ARGUMENTS, FAILED, IS_WORSE, OK, main
from ternmq.perf.crew import ApplicationFailed, Seen
from ternmq.perf.processes import Gauge
from ternmq.perf.queue_manager import QueueManagerFailed
from ternmq.perf.record import FILE, Measured, Run, load, settled
from ternmq.perf.suite import WORKLOADS


@pytest.fixture
def runs(tmp_path: Path) -> tuple[str, str, str]:
    """Three folders: a run, one that is as good, one that was better."""
    names = []
    for number, rate in enumerate((1000.0, 1050.0, 1200.0)):
        points = [
            Measured("single", "", "2 KB", 9, "usual", smf_rate=rate, smf_cost=40.0, intervals=4),
            Measured("footprint", "", "local socket", 500, "usual", seen_rate=7.5),
        ]
        settled(points)
        run = Run(
            f"run {number}", "2026-11-16T10:00:00+00:00", "plain", "0.1", 5.0, False, 1, {}, 9.0,
            points,
        )  # fmt: skip
        folder = tmp_path / str(number)
        folder.mkdir()
        run.save(folder)
        names.append(str(folder))
    return names[0], names[1], names[2]


def refused(*words: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    assert ended.value.code == BAD_ARGUMENTS


def test_list_names_every_workload(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == OK
    output = capsys.readouterr().out
    assert [one.name for one in WORKLOADS if f"  {one.name} " not in output] == []
    assert main(["list", "--json"]) == OK
    assert [one["name"] for one in json.loads(capsys.readouterr().out)] == [
        one.name for one in WORKLOADS
    ]


def test_compare_within_the_tolerance(
    runs: tuple[str, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", runs[0], runs[1]]) == OK
    output = capsys.readouterr().out
    assert "-4.8 %" in output
    assert "3 figures within 6 %, 0 better (+), 0 worse (!)" in output


def test_compare_beyond_it_ends_with_a_status(
    runs: tuple[str, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", runs[0], runs[2]]) == IS_WORSE
    assert "-16.7 %!" in capsys.readouterr().out
    assert main(["compare", runs[2], runs[0], "--json"]) == OK  # better is no fault
    values = json.loads(capsys.readouterr().out)["compared"]
    assert values["figures"] == {"within": 2, "better": 1, "worse": 0}
    assert values["points"][0]["rate_verdict"] == "better"


def test_report_without_page_shows_the_record(
    runs: tuple[str, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", runs[0], "--no-page", "--with", runs[1]]) == OK
    output = capsys.readouterr().out
    assert "PRIVATE QUEUE" in output
    assert "KB/connection" in output
    assert main(["report", runs[0], "--no-page", "--json"]) == OK
    assert json.loads(capsys.readouterr().out)["label"] == "run 0"


def test_wrong_words_are_refused(
    runs: tuple[str, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    refused("compare", runs[0])
    refused("list", runs[0])
    refused("run", "--seconds", "0.01")
    refused("run", "--processes", "0")
    refused("run", "--only", "dual", "--no-page")
    assert "there is no workload 'dual'" in capsys.readouterr().err
    refused("run", "--no-page", "-o", runs[0])
    assert "there is a run in" in capsys.readouterr().err


def test_folder_without_a_run_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(tmp_path), "--no-page"]) == FAILED
    assert "cannot be read" in capsys.readouterr().err
    assert main(["run", "--no-page", "--with", str(tmp_path)]) == FAILED


def test_missing_java_is_reported_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from ternmq.spark.errors import SparkError

    def none() -> None:
        raise SparkError("Spark needs Java 17 or newer")

    monkeypatch.setattr("ternmq.cli.tools.perf_spark.find_java", none)
    assert main(["run", "-o", str(tmp_path / "run")]) == FAILED
    assert "needs Java 17" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


class Ends:
    """A queue manager, or applications, of which the second point is too much."""

    place = None

    def __init__(self, *_: object) -> None:
        self.points = 0

    def __enter__(self) -> "Ends":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getattr__(self, name: str) -> Callable[..., object]:
        return lambda *_: None

    def close(self) -> None:
        """Nothing is held."""

    def gauge(self) -> Gauge:
        return Gauge(0.0, 1)

    def stop(self) -> int:
        return 7

    def go(self, seconds: float) -> Seen:
        self.points += 1
        if self.points > 1:
            raise self.error
        return Seen(0.0, seconds, 7, 7, seconds, 0.1)

    error: BaseException = ApplicationFailed("it has died")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ApplicationFailed("it has died"), "scaling: 5: it has died"),
        (KeyboardInterrupt(), "interrupted"),
        (OSError(28, "No space left on device"), "No space left on device"),
    ],
)
def test_run_that_does_not_come_to_its_end_keeps_what_it_has(
    error: BaseException,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(Ends, "error", error)
    monkeypatch.setattr("ternmq.perf.run.QueueManager", Ends)
    monkeypatch.setattr("ternmq.perf.run.Applications", Ends)
    folder = tmp_path / "run"
    words = ["--only", "scaling", "--quick", "--no-page", "--quiet", "-o", str(folder)]
    assert main(["run", *words]) == FAILED
    output = capsys.readouterr().err
    assert said in output
    assert f"{folder / FILE} has 1 point of it" in output
    assert [point.x for point in load(folder).points] == ["1"]


def test_report_without_records_is_reported(tmp_path: Path) -> None:
    from ternmq.cli.tools.perf_spark import Figuring
    from ternmq.spark.errors import SparkError

    run = Run("", "2026-11-16T10:00:00+00:00", "plain", "0.1", 5.0, False, 1, {}, 9.0, [])
    with pytest.raises(SparkError, match="there are no SMF records in"):
        Figuring(run, tmp_path, True)._project()


def test_run_that_could_not_even_begin_leaves_no_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def none(*_: object) -> Ends:
        raise QueueManagerFailed("crtmqm: No space left on device")

    monkeypatch.setattr("ternmq.perf.run.QueueManager", none)
    folder = tmp_path / "run"
    words = ["--only", "single", "--quick", "--no-page", "--quiet", "-o", str(folder)]
    assert main(["run", *words]) == FAILED
    assert capsys.readouterr().err == "ternmq perf: crtmqm: No space left on device\n"
    assert not (folder / FILE).exists()  # so that it can be tried again
