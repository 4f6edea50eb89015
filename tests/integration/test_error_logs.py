"""Goal: what a running queue manager tells is in its error logs, whatever ends it; trace can be
switched on and off while it runs.

Method: a real process with a JSON log beside the usual one, killed and started again.
"""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import ternmq
from ternmq.cli.__main__ import main
from ternmq.remote.local.folder_lookup import find
from ternmq.server.folder.status_file import status_of
from tests.battery.places import until

STANZA = """
DiagnosticMessages:
   Service=File
   Name=ship
   Format=json
   Severities=all
   ExcludeMessage=5024
"""


def pid(data: Path) -> int:
    return status_of(find(str(data), "QM1").folder).pid


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    assert main(["crtmqm", "-lp", "2", "-ls", "1", "-lf", "32", "QM1"]) == 0
    with (tmp_path / "qmgrs" / "QM1" / "qm.ini").open("a") as ini:
        ini.write(STANZA)
    yield tmp_path
    if pid(tmp_path):
        os.kill(pid(tmp_path), signal.SIGKILL)
        until(lambda: not pid(tmp_path))


def ids(data: Path) -> list[str]:
    text = (data / "qmgrs" / "QM1" / "errors" / "AMQERR01.LOG").read_text()
    return re.findall(r"^(AMQ[0-9]{4}[IWEST]): ", text, re.MULTILINE)


def test_entries_survive_a_kill_and_the_next_start_adds_its_own(data: Path) -> None:
    assert main(["strmqm", "QM1"]) == 0
    os.kill(pid(data), signal.SIGKILL)
    until(lambda: not pid(data))
    assert "AMQ8003I" in ids(data)
    assert main(["strmqm", "QM1"]) == 0
    assert main(["endmqm", "-i", "QM1"]) == 0
    reported = ids(data)
    assert reported.count("AMQ8003I") == 2
    assert reported.count("AMQ8004I") == 1
    assert reported[-1] == "AMQ8004I"
    assert reported[:5] == ["AMQ6206I", "AMQ7229I", "AMQ7230I", "AMQ7232I", "AMQ6287I"]
    assert reported.count("AMQ6206I") == 3  # two starts and an end
    lines = (data / "qmgrs" / "QM1" / "errors" / "AMQERR01.json").read_text().splitlines()
    shipped = [json.loads(line) for line in lines]
    assert [one["ibm_messageId"] for one in shipped] == [
        one for one in reported if one != "AMQ5024I"
    ]
    assert {one["ibm_serverName"] for one in shipped} == {"QM1"}
    assert not list((data / "qmgrs" / "QM1" / "errors").glob("*.FDC"))


def test_a_stanza_that_cannot_be_stops_the_start(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ini = data / "qmgrs" / "QM1" / "qm.ini"
    ini.write_text(ini.read_text().replace("Format=json", "Format=xml"))
    assert main(["strmqm", "QM1"]) != 0
    output = capsys.readouterr()
    line = 1 + ini.read_text().splitlines().index("   Format=xml")
    assert f"line {line}" in output.out + output.err


def test_trace_is_switched_on_and_off_while_it_runs(data: Path) -> None:
    assert main(["strmqm", "QM1"]) == 0
    assert main(["strmqtrc", "-m", "QM1", "-t", "api"]) == 0
    folder = data / "trace"

    def work() -> bool:
        with ternmq.connect("QM1") as connection:
            connection.put("SYSTEM.DEFAULT.LOCAL.QUEUE", "traced")
        return any(folder.glob("AMQ*.TRC"))

    until(work)
    assert main(["endmqtrc", "-a"]) == 0
    (file,) = folder.glob("AMQ*.TRC")

    def is_quiet() -> bool:
        before = file.stat().st_size
        work()
        return file.stat().st_size == before

    until(is_quiet)
    assert '"verb": "MQPUT1"' in file.read_text()
    assert main(["endmqm", "-i", "QM1"]) == 0
