"""Goal: what an administrator types in the first hour, by habit or by mistake, is answered with
what to do next.

Method: control commands in this process on a data folder of their own; a clock that jumps for what
is written after seconds.
"""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from ternmq.cli.__main__ import run
from ternmq.cli.commands import BY_NAME
from ternmq.cli.control import endmqm
from ternmq.server import host as modes
from ternmq.server.folder.data_folder import Place


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    return tmp_path


def create(name: str) -> None:
    assert run(BY_NAME["crtmqm"], ["-lp", "3", "-lf", "64", name]) == 0


@pytest.mark.parametrize(
    ("command", "arguments", "status"),
    [
        ("strmqm", ["SHOPS"], 16),
        ("endmqm", ["SHOPS"], 16),
        ("dltmqm", ["SHOPS"], 16),
        ("runmqsc", ["SHOPS"], 20),
        ("dspmqaut", ["-m", "SHOPS", "-t", "qmgr", "-p", "app"], 72),
    ],
)
def test_command_when_the_queue_manager_is_mistyped_then_the_folder_and_a_similar_name(
    data: Path,
    command: str,
    arguments: list[str],
    status: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    create("SHOP")
    capsys.readouterr()
    assert run(BY_NAME[command], arguments) == status
    assert capsys.readouterr().err.splitlines() == [
        "AMQ8118E: TernMQ queue manager does not exist.",
        f"there is none in {data}. Did you mean SHOP?",
    ]


def test_command_when_no_queue_manager_is_the_default_then_what_to_name(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    create("QM1")
    capsys.readouterr()
    assert run(BY_NAME["strmqm"], []) == 16
    assert capsys.readouterr().err.splitlines()[1] == (
        f"no default queue manager in {data}, name one; dspmq lists them"
    )


def test_new_queue_manager_then_its_folder_for_certificates_is_there(data: Path) -> None:
    create("QM1")
    folder = data / "qmgrs" / "QM1" / "ssl"
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ("Q_FULL", "Did you mean MQRC_Q_FULL?"),
        ("99999", "mqrc -R lists reason codes, mqrc -M messages."),
    ],
)
def test_mqrc_when_the_name_is_not_known_then_a_similar_one(
    wrong: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(BY_NAME["mqrc"], [wrong]) == 1
    text = f"mqrc: no reason code and no message is named {wrong}. {hint}"
    assert capsys.readouterr().err.strip() == text


@pytest.mark.parametrize(("mode", "explained"), [(modes.QUIESCING, 1), (modes.IMMEDIATE, 0)])
def test_endmqm_when_applications_stay_then_it_says_how_to_end_without_them(
    mode: str,
    explained: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = iter(range(20))
    left = [True] * 10
    monkeypatch.setattr(endmqm, "_is_there", lambda place, pid, switches: bool(left and left.pop()))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(now)))
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    options = SimpleNamespace(tp=0, s=False, r=False)
    place = Place("QM1", "QM1")
    assert endmqm._wait(place, options, mode, 1) == 0  # type: ignore[arg-type]
    text = capsys.readouterr().out
    assert text.count("Waiting for queue manager 'QM1' to end.") == 11
    assert text.count("endmqm -i, in another window, ends without waiting for them.") == explained
