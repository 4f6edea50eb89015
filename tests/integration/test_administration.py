"""Goal: commands to a running queue manager: from scripts, from programs, and what they start.

Method: a real process in a data folder of its own; runmqsc and dmpmqcfg as they are called.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import ternmq
from ternmq.cli.__main__ import main
from ternmq.remote.local.folder_lookup import find
from ternmq.server.folder.status_file import status_of
from tests.battery.places import until

SMALL = ["-lp", "2", "-ls", "1", "-lf", "32"]


def run(*words: str, status: int = 0) -> str:
    """A command in this process, which saves seconds; its output."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        assert main(list(words)) == status
    return output.getvalue()


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data folder with the queue managers QM1 and QM2, which run."""
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    pids = []
    for name in ("QM1", "QM2"):
        run("crtmqm", *SMALL, "-oa", "UserExternal", name)  # users that no machine has
        run("strmqm", name)
        pids.append(status_of(find(str(tmp_path), name).folder).pid)
    yield tmp_path
    for name, pid in zip(("QM1", "QM2"), pids, strict=True):
        os.kill(pid, signal.SIGKILL)
        until(lambda name=name: not status_of(find(str(tmp_path), name).folder).pid)  # type: ignore[misc]


def script(folder: Path, text: str) -> str:
    path = folder / "script.mqsc"
    path.write_text(text, encoding="utf-8")
    return str(path)


def without_comments(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("*")]


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_dump_when_replayed_into_another_then_it_dumps_the_same(data: Path) -> None:
    everything = Path(__file__).parent.parent / "unit" / "admin" / "one_of_everything.mqsc"
    run("runmqsc", "-e", "-f", str(everything), "QM1")
    dumped = run("dmpmqcfg", "-m", "QM1", "-a")
    run("runmqsc", "-e", "-f", script(data, dumped), "QM2")
    assert without_comments(run("dmpmqcfg", "-m", "QM2", "-a")) == without_comments(dumped)


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_application_when_stopped_then_cut_off_and_backed_out(data: Path) -> None:
    run("runmqsc", "-e", "-f", script(data, "DEFINE QLOCAL(A)"), "QM1")
    victim = ternmq.connect("QM1", application="victim")
    victim.begin()
    victim.put("A", "never committed")
    with ternmq.connect("QM1") as admin:
        (shown,) = admin.mqsc("DIS CONN(*) WHERE(APPLTAG EQ 'victim') ALL")
        assert (shown["UOWSTATE"], shown["PID"]) == ("ACTIVE", os.getpid())
        (handle,) = admin.mqsc("DIS QS(A) CURDEPTH UNCOM")
        assert (handle["CURDEPTH"], handle["UNCOM"]) == (1, "YES")
        (answer,) = admin.mqsc(f"STOP CONN({shown['CONN']})")
        assert answer.message == "AMQ8457I"
        until(lambda: not admin.mqsc("DIS CONN(*) WHERE(APPLTAG EQ 'victim')")[0].ok)
        assert admin.mqsc("DIS QS(A) CURDEPTH")[0]["CURDEPTH"] == 0
    with pytest.raises(ternmq.Unavailable):
        victim.put("A", "too late")


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_status_when_running_then_it_says_where(data: Path) -> None:
    with ternmq.connect("QM1") as admin:
        (shown,) = admin.mqsc("DIS QMSTATUS ALL")
    assert shown["STATUS"] == "RUNNING"
    assert shown["DATPATH"] == str(data / "qmgrs" / "QM1")
    assert Path(str(shown["LOGPATH"])).is_dir()
    for size, use in (("DATFSSZ", "DATFSUSE"), ("LOGFSSZ", "LOGFSUSE"), ("QMFSSZ", "QMFSUSE")):
        assert int(shown[size]) > 0
        assert 0 <= int(shown[use]) <= 100
    assert shown["CMDSERV"] == "RUNNING"
