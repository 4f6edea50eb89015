"""Goal: trace tells who did what and how long it took, only what is wanted, and never data; without
it nothing is written. A fault leaves a report.

Method: a queue manager that a thread serves on a socket; the commands strmqtrc, endmqtrc and
dspmqtrc on its data folder.
"""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.cli.control import dspmqtrc, endmqtrc, strmqtrc
from ternmq.mqi.steps.table import STEPS, StepRow
from ternmq.remote.local.folder_lookup import Place
from ternmq.server.error_log.error_log import ErrorLog
from ternmq.server.error_log.fault_report import FaultReports
from ternmq.server.error_log.log_entry import Origin
from ternmq.server.process import Process
from ternmq.server.settings.trace_settings import read_settings
from ternmq.server.trace import Trace
from tests.unit.api.served import Served

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    with Served(tmp_path) as one:
        host = one.host
        assert host is not None
        host.trace = Trace(str(tmp_path), "QM1")
        yield one
    host.trace.close()  # after the last session has left


def look(served: Served) -> Trace:
    """The queue manager looks at the settings, as it does every second."""
    host = served.host
    assert host is not None
    assert host.trace is not None
    host.trace.look()
    return host.trace


def records(data: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for file in sorted((data / "trace").glob("*.TRC*")):
        found += [json.loads(line) for line in file.read_text().splitlines()]
    return found


def work(served: Served) -> None:
    with served.connect(application="worker") as connection:
        connection.define_queue("Q")
        with connection.queue("Q") as queue:
            queue.put("a secret")
            queue.get()
        with pytest.raises(ternmq.ObjectUnknown):
            connection.queue("NONE")


def test_what_is_off_writes_nothing(served: Served, tmp_path: Path) -> None:
    assert not look(served).on
    work(served)
    assert records(tmp_path) == []


def test_verbs_are_reported_with_who_and_how_long(
    served: Served, tmp_path: Path, capsys: Capture
) -> None:
    assert strmqtrc.main(["-m", "QM1"]) == 0
    assert capsys.readouterr().out == "Trace is on for QM1.\n"
    assert look(served).on
    work(served)
    served.close()  # the session has left by then
    reported = records(tmp_path)
    verbs = [record["verb"] for record in reported if record["component"] == "api"]
    assert {"MQOPEN", "MQPUT", "MQGET", "MQCLOSE", "MQDISC"} <= set(verbs)
    (put,) = [record for record in reported if record["verb"] == "MQPUT"]
    assert (put["object"], put["application"], put["reason"]) == ("Q", "worker", 0)
    assert put["us"] >= 0
    (failed,) = [record for record in reported if record.get("reason") == 2085]
    assert (failed["verb"], failed["object"]) == ("MQOPEN", "NONE")
    assert [record["verb"] for record in reported if record["component"] == "comms"] == [
        "begins",
        "ends",
    ]
    assert "a secret" not in json.dumps(reported)


def test_a_long_get_is_reported_with_all_its_bytes(served: Served, tmp_path: Path) -> None:
    assert strmqtrc.main(["-m", "QM1"]) == 0
    assert look(served).on
    with served.connect() as connection:
        connection.define_queue("Q")
        with connection.queue("Q") as queue:
            for length in (1_000, 100_000):  # the second one is written in two parts
                queue.put(bytes(length))
                queue.get()
    short, long = (one["received"] for one in records(tmp_path) if one["verb"] == "MQGET")
    assert long - short == 99_000


def test_only_what_is_wanted(served: Served, tmp_path: Path) -> None:
    strmqtrc.main(["-m", "QM1", "-t", "api", "-v", "mqput,MQGET"])
    look(served)
    work(served)
    assert [record["verb"] for record in records(tmp_path)] == ["MQPUT", "MQGET"]


def test_components_can_be_left_out(served: Served, tmp_path: Path) -> None:
    strmqtrc.main(["-t", "all", "-x", "api", "-x", "comms"])
    look(served)
    work(served)
    served.close()
    assert {record["component"] for record in records(tmp_path)} == {"commands"}


def test_it_ends(served: Served, tmp_path: Path, capsys: Capture) -> None:
    strmqtrc.main(["-m", "QM1"])
    strmqtrc.main([])
    look(served)
    assert endmqtrc.main(["-m", "QM1"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Trace is still on for *."
    assert look(served).on
    assert endmqtrc.main(["-a"]) == 0
    assert not look(served).on
    work(served)
    assert records(tmp_path) == []
    assert read_settings(str(tmp_path)) == {}


def test_a_long_file_becomes_the_older_of_two(served: Served, tmp_path: Path) -> None:
    strmqtrc.main(["-m", "QM1", "-l", "1"])
    trace = look(served)
    assert trace._wanted is not None
    trace._wanted.file_bytes = 2000
    for _ in range(3):
        work_again(served)
    served.close()  # nothing is written any more
    names = sorted(file.name for file in (tmp_path / "trace").iterdir() if "TRC" in file.name)
    assert len(names) == 2
    assert all((tmp_path / "trace" / name).stat().st_size < 4000 for name in names)


def work_again(served: Served) -> None:
    with served.connect() as connection, connection.queue("SYSTEM.DEFAULT.LOCAL.QUEUE") as queue:
        for _ in range(5):
            queue.put("x")


def test_a_queue_manager_that_is_not_there(served: Served) -> None:
    assert strmqtrc.main(["-m", "NONE"]) == 58
    assert not look(served).on


@pytest.mark.parametrize("option", ["-t", "-x"])
def test_a_component_that_is_not_there(served: Served, option: str) -> None:
    with pytest.raises(SystemExit) as end:
        strmqtrc.main([option, "house"])
    assert end.value.code == 36
    assert not look(served).on


def test_formatted_for_people(served: Served, tmp_path: Path, capsys: Capture) -> None:
    strmqtrc.main(["-m", "QM1"])
    look(served)
    work(served)
    served.close()
    (file,) = (tmp_path / "trace").glob("*.TRC")
    with file.open("a") as out:
        out.write('{"cut')
    capsys.readouterr()
    assert dspmqtrc.main([str(file)]) == 0
    assert "no record of a trace" in capsys.readouterr().err
    lines = file.with_suffix(".FMT").read_text().splitlines()
    assert lines[0].startswith("Time (UTC)")
    assert any(" MQPUT " in line and " Q " in line for line in lines)
    assert dspmqtrc.main(["-s", str(file)]) == 0
    assert any(
        line.split()[:3] == ["api", "MQPUT", "1"] for line in capsys.readouterr().out.splitlines()
    )
    assert dspmqtrc.main([str(tmp_path / "none")]) == 1


def test_a_fault_of_ours_leaves_a_report_and_the_others_go_on(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = served.host
    assert host is not None
    origin = Origin("QM1", "1.0")
    errors = tmp_path / "errors"
    host.faults = FaultReports(errors, origin, ErrorLog(errors, origin))

    def fail(call: object) -> Any:
        raise ZeroDivisionError("planted")

    monkeypatch.setitem(STEPS, "log_status", StepRow(fail, STEPS["log_status"].turn))
    with served.connect() as connection:
        with pytest.raises(ternmq.MQError) as raised:
            connection.log_status()
        assert raised.value.reason == 2195
        assert connection.qmgr_attributes()
    (report,) = errors.glob("*.FDC")
    assert "ZeroDivisionError: planted" in report.read_text()
    assert "AMQ6118S" in (errors / "AMQERR01.LOG").read_text()


def test_a_thread_that_fails_stops_the_queue_manager(served: Served, tmp_path: Path) -> None:
    host = served.host
    assert host is not None
    origin = Origin("QM1", "1.0")
    host.faults = FaultReports(tmp_path / "errors", origin, None)
    process = Process(Place("QM1", str(served.folder)), lambda line: None, False)
    try:
        raise ZeroDivisionError("planted")
    except ZeroDivisionError as error:
        fault = threading.ExceptHookArgs((type(error), error, error.__traceback__, None))
    process._thread_failed(host, fault)
    assert len(list((tmp_path / "errors").glob("*.FDC"))) == 1
    broken = host.engine.error_for("MQPUT")
    assert broken is not None
    assert "ZeroDivisionError" in str(broken)
