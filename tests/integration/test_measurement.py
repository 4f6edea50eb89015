"""Goal: a queue manager of its own process measures as qm.ini says, and the commands show it.

Method: a real process in a data folder; records, messages and metrics read by the real commands.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import ternmq
from ternmq.cli.__main__ import main
from ternmq.outlets.smf_data_sets import data_sets
from ternmq.outlets.smf_log_streams import read_log_stream
from ternmq.remote.local.folder_lookup import find
from ternmq.server.folder.status_file import status_of
from tests.battery.places import until

STANZAS = """
SystemParameters:
   STATIME=0.01
   SMFSTAT=1,5
SMFDestination:
   Name=MAN
SMFDestination:
   Name=ZLOG
   Type=LogStream
   Compress=Yes
SMFDestination:
   Name=MEM
   Type=Memory
Metrics:
   Enabled=No
   Queues=APP.*
"""


def run(*words: str, status: int = 0) -> str:
    """A command in this process, which saves seconds; its output."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        assert main(list(words)) == status
    return output.getvalue()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the queue manager QM1, which runs."""
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    run("crtmqm", "-lp", "2", "-ls", "1", "-lf", "32", "QM1")
    found = Path(find(str(tmp_path), "QM1").folder)
    with open(found / "qm.ini", "a", encoding="utf-8") as ini:
        ini.write(STANZAS)
    run("strmqm", "--metrics-port", "0", "QM1")
    pid = status_of(str(found)).pid
    yield found
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    until(lambda: not status_of(str(found)).pid)


def metrics_port(folder: Path) -> int:
    text = (folder / "errors" / "AMQERR01.LOG").read_text(encoding="utf-8")
    found = re.search(r"AMQ7995I: Metrics are served on port (\d+)", text)
    assert found is not None
    return int(found[1])


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_measurement_when_a_queue_manager_runs_then_all_of_it_is_there(folder: Path) -> None:
    with ternmq.connect("QM1") as qmgr:
        for text in (
            "DEFINE QLOCAL(APP.ORDERS)",
            "ALTER QMGR STATQ(ON) STATMQI(ON)",
        ):
            assert all(one.ok for one in qmgr.mqsc(text)), text
        with qmgr.queue("APP.ORDERS") as queue:
            for _ in range(5):
                queue.put(b"0123456789")
            queue.get()
        url = f"http://127.0.0.1:{metrics_port(folder)}/metrics"
        with urllib.request.urlopen(url) as answer:
            text = answer.read().decode()
        labels = r'\{.*queue="APP.ORDERS".*\}'
        assert re.search(rf"^ibmmq_queue_mqput_mqput1_count{labels} 5$", text, re.MULTILINE)
        assert re.search(rf"^ibmmq_queue_depth{labels} 4$", text, re.MULTILINE)
        assert "SYSTEM.ADMIN" not in text
        assert all(one.ok for one in qmgr.mqsc("RESET QMGR TYPE(STATISTICS)"))
    shown = ""
    while "APP.ORDERS" not in shown:  # put by the housekeeper
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            main(["amqsmon", "-m", "QM1", "-t", "statistics", "-q", "APP.ORDERS", "-w", "5"])
        shown = output.getvalue()
    assert "  PutCount: [5, 0]\n" in shown
    assert "  PutBytes: [50, 0]\n" in shown
    assert "  GetCount: [1, 0]\n" in shown
    run("endmqm", "-w", "QM1")
    (path,) = data_sets(str(folder / "smf" / "MAN"), "MAN")
    rows = [json.loads(line) for line in run("smf", "json", "--quiet", path).splitlines()]
    queues = [one["values"] for one in rows if one["section"] == "QQST"]
    orders = [one for one in queues if one["qqstqnam"] == "APP.ORDERS"]
    assert sum(one["qqstputs"] for one in orders) == 5
    assert sum(one["qqstputb"] for one in orders) == 50
    assert sum(one["qqstgets"] for one in orders) == 1
    assert orders[-1]["qqstdpth"] == 4
    records = b"".join(one for _, one in read_log_stream(str(folder / "smf" / "ZLOG")))
    assert records == Path(path).read_bytes()


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_stream_when_followed_by_a_command_then_records_come_as_they_are_written(
    folder: Path,
) -> None:
    command = [sys.executable, "-m", "ternmq.cli", "smf", "follow", "-m", "QM1", "--from", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as follower:
        assert follower.stdout is not None
        head = follower.stdout.read(6)
        assert head[5] == 115
        follower.terminate()
        follower.stdout.read()
    status = json.loads(run("smf", "status", "-m", "QM1", "--json"))
    assert [one["name"] for one in status] == ["MAN", "ZLOG", "MEM"]
    assert run("smf", "switch", "-m", "QM1", "-n", "MAN").startswith("MAN: ")
    assert "lost 0 records" in run("smf", "status", "-m", "QM1")
