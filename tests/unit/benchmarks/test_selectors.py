"""Goal: the benchmark of selectors compares like with like, and says what its rival did not do.

Method: the messages looked at one by one; a program that pretends to be Artemis; a PATH without
the toolchains.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import rival_artemis, rival_tools
from benchmarks.bench_memory import peak_growth
from benchmarks.bench_selectors import figure, limited
from benchmarks.brokers import Missing
from benchmarks.contest import Contest
from benchmarks.figures import AT_MOST, Goal
from benchmarks.rival_artemis import Artemis, answer_of, time_of
from benchmarks.selector_messages import Sample, by_correl_id, samples

PRETENDED = """
import sys
print("ready", flush=True)
answers = {"first": '{"ms": null}', "status": '{"depth": 5, "pages": 71, "heap": 9}'}
for line in sys.stdin:
    if line.strip() not in answers:
        sys.exit("Exception: no order " + line.strip())
    print(answers[line.strip()], flush=True)
"""
FAILING = """
import sys
sys.exit("Exception in thread main: the disk is full\\n\\tat one.place(Of.java)")
"""


def is_wanted(row: Sample) -> bool:
    """SELECTOR in Python."""
    found = row.properties
    return found["colour"] == "red" and float(found["size"]) > 90 and found["fragile"] is False


def pretend(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, program: str) -> Artemis:
    """A process with this program in the place of Java's."""
    monkeypatch.setattr(rival_artemis, "HEAP", "-u")
    monkeypatch.setattr(rival_artemis, "artemis_select", lambda: [sys.executable, "-c", program])
    return Artemis("paged", tmp_path, tmp_path / "messages", "TRUE", 1.0)


def test_samples_then_the_last_alone_matches_and_each_has_five_properties_and_its_own_id() -> None:
    rows = samples(1_000)
    assert [number for number, row in enumerate(rows) if is_wanted(row)] == [999]
    assert {tuple(type(value) for value in row.properties.values()) for row in rows} == {
        (str, int, float, bool, str)
    }
    assert len({row.correl_id for row in rows}) == 1_000
    assert samples(1_000) == rows


def test_sample_as_a_line_then_java_can_read_its_cells() -> None:
    row = Sample(
        bytes(23) + b"\xab",
        {"colour": "red", "size": 4, "weight": 2.5, "fragile": True, "customer": "C1"},
    )
    text = "ID:" + "00" * 23 + "ab"
    assert row.line.split("\t") == [text, "red", "4", "2.5", "true", "C1"]
    assert by_correl_id(row) == f"JMSCorrelationID = '{text}'"


def test_answer_of_when_a_time_is_null_then_none_and_as_a_time_refused() -> None:
    answer = answer_of('{"get_ms": null, "pair_ms": 1.25}')
    assert answer == {"get_ms": None, "pair_ms": 1.25}
    assert time_of("second", answer, "pair_ms") == 1.25
    with pytest.raises(RuntimeError, match="found nothing at second"):
        time_of("second", answer, "get_ms")


@pytest.mark.parametrize("line", ["SLF4J(W): No providers", "[1]", ""])
def test_answer_of_when_the_line_is_no_answer_then_refused(line: str) -> None:
    with pytest.raises(RuntimeError, match="did not answer with"):
        answer_of(line)


def test_artemis_when_it_ends_before_it_is_ready_then_missing_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Missing, match=r"does not start: .*the disk is full"):
        pretend(monkeypatch, tmp_path, FAILING)


def test_artemis_when_it_ends_at_an_order_then_the_order_and_its_reason_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        pretend(monkeypatch, tmp_path, PRETENDED) as rival,
        pytest.raises(RuntimeError, match="ended at second: Exception: no order second"),
    ):
        rival.ask("second")


def test_limited_when_artemis_finds_nothing_then_said_and_no_ratio(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, tmp_path, PRETENDED).close()

    class Held:
        def first(self) -> float:
            return 7.0

    reported = limited(Held(), tmp_path, tmp_path / "messages")  # type: ignore[arg-type]
    assert (reported.value, reported.baseline_value, reported.ratio) == (7.0, None, None)
    assert reported.met() is None
    assert reported.note.startswith("it found nothing within 10 s: 71 pages;")


def test_figure_when_the_rival_took_no_part_then_ours_alone_and_its_goal() -> None:
    contest = Contest({"ours": lambda: 250.0}).run(1)
    reported = figure("first get", contest, "ActiveMQ Artemis", Goal(AT_MOST, 300.0))
    seen = (reported.value, reported.baseline, reported.baseline_value, reported.ratio)
    assert seen == (250.0, "", None, None)
    assert reported.met()


def test_peak_growth_when_memory_is_given_back_then_it_is_counted() -> None:
    size = 64 << 20

    def work() -> None:
        bytearray(b"x") * size

    assert 0.9 * size < peak_growth(work) < 2 * size


@pytest.mark.parametrize("absent", ["java", "javac"])
def test_artemis_select_when_a_program_is_missing_then_it_is_named(
    absent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for program in {"java", "javac"} - {absent}:
        (tmp_path / program).write_text("#!/bin/sh\n")
        (tmp_path / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Missing, match=f"there is no {absent} "):
        rival_tools.artemis_select.__wrapped__()


def test_artemis_select_when_the_source_is_newer_then_it_is_made_again(tmp_path: Path) -> None:
    made, source = tmp_path / "made", tmp_path / "source"
    source.touch()
    assert rival_tools.is_older(made, source)
    made.touch()
    assert not rival_tools.is_older(made, source)
