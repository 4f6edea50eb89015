"""Goal: a fault that nobody foresaw leaves a report and tells the error log, once.

Method: exceptions raised here, reports read back from a temporary folder.
"""

import os
from pathlib import Path

import pytest

from ternmq.server.error_log.error_log import ErrorLog
from ternmq.server.error_log.fault_report import FaultReports, probe_id
from ternmq.server.error_log.log_entry import Origin


def raised(text: str = "it broke") -> Exception:
    try:
        raise ZeroDivisionError(text)
    except ZeroDivisionError as error:
        return error


@pytest.fixture
def reports(tmp_path: Path) -> FaultReports:
    origin = Origin("QM1", "0.1.0.dev0")
    return FaultReports(tmp_path, origin, ErrorLog(tmp_path, origin))


def test_a_report_says_who_where_and_what(reports: FaultReports, tmp_path: Path) -> None:
    path = reports.write(raised(), doing="MQPUT", recent=["01:02:03 MQPUT begins"])
    assert path == tmp_path / f"AMQ{os.getpid():05d}.0.FDC"
    text = path.read_text()
    box = [line for line in text.splitlines() if line.startswith(("|", "+"))]
    assert {len(line) for line in box} == {79}
    for part in (
        "QueueManager      :- QM1",
        "Component         :- raised",
        "While             :- MQPUT",
    ):
        assert part in text
    assert "ZeroDivisionError: it broke" in text
    assert "test_fault_report.py" in text
    assert "01:02:03 MQPUT begins" in text


def test_the_error_log_names_the_report(reports: FaultReports, tmp_path: Path) -> None:
    path = reports.write(raised())
    assert path is not None
    text = (tmp_path / "AMQERR01.LOG").read_text()
    assert "AMQ6118S: An internal TernMQ error has occurred (ZeroDivisionError: it" in text
    assert path.name in text


def test_a_fault_that_repeats_gets_one_report(reports: FaultReports, tmp_path: Path) -> None:
    assert reports.write(raised("first")) is not None
    assert reports.write(raised("second")) is None
    assert len(list(tmp_path.glob("*.FDC"))) == 1


def test_another_fault_gets_another_report(reports: FaultReports) -> None:
    try:
        raise LookupError("other")
    except LookupError as error:
        other = error
    assert probe_id(other) != probe_id(raised())
    assert reports.write(raised()) is not None
    second = reports.write(other)
    assert second is not None
    assert second.name.endswith(".1.FDC")


def test_a_report_never_replaces_one_of_an_earlier_process(
    reports: FaultReports, tmp_path: Path
) -> None:
    old = tmp_path / f"AMQ{os.getpid():05d}.0.FDC"
    old.write_text("old")
    path = reports.write(raised())
    assert path is not None
    assert path.name.endswith(".1.FDC")
    assert old.read_text() == "old"


def test_without_a_place_for_it_nothing_else_fails(tmp_path: Path) -> None:
    (tmp_path / "errors").write_text("a file where the folder should be")
    origin = Origin("QM1", "1.0")
    assert FaultReports(tmp_path / "errors", origin, None).write(raised()) is None
