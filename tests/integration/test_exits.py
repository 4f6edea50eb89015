"""Goal: a running queue manager converts with the exits in its folder, for clients of the local
socket; one that fails, or that others could change, is in the error log.

Method: a real process, with three files in its folder for exits.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.cli.__main__ import main
from ternmq.remote.local.folder_lookup import find
from ternmq.server.folder.status_file import status_of
from tests.battery.places import until

FILES = {
    "SWAP.py": "def convert(mqdxp):\n    return mqdxp.data[::-1] + mqdxp.text(b'\\xc1')\n",
    "FAILS.py": "def convert(mqdxp):\n    raise KeyError('missing')\n",
    "OPEN.py": "def convert(mqdxp):\n    return b''\n",
}


def pid(data: Path) -> int:
    return status_of(find(str(data), "QM1").folder).pid


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    assert main(["crtmqm", "-lp", "2", "-ls", "1", "-lf", "32", "QM1"]) == 0
    exits = tmp_path / "qmgrs" / "QM1" / "exits"
    exits.mkdir(0o700)
    for name, text in FILES.items():
        (exits / name).write_text(text)
        (exits / name).chmod(0o666 if name == "OPEN.py" else 0o600)
    yield tmp_path
    if pid(tmp_path):
        os.kill(pid(tmp_path), signal.SIGKILL)
        until(lambda: not pid(tmp_path))


def test_exits_when_the_queue_manager_runs_then_gets_use_them(data: Path) -> None:
    assert main(["strmqm", "QM1"]) == 0
    with ternmq.connect("QM1") as connection:
        connection.define_queue("A")
        answers = []
        with connection.queue("A") as queue:
            for name in ("SWAP", "FAILS", "OPEN"):
                md = ternmq.Descriptor(format=name, ccsid=500, encoding=273)
                queue.put(b"\1\2", descriptor=md)
                message = queue.get(options=mq.MQGMO_CONVERT)
                answers.append((message.data, message.warning, message.descriptor.ccsid))
    assert main(["endmqm", "-i", "QM1"]) == 0
    assert answers == [
        (b"\2\1A", 0, 1208),
        (b"\1\2", mq.MQRC_NOT_CONVERTED, 500),
        (b"\1\2", mq.MQRC_FORMAT_ERROR, 500),
    ]
    text = (data / "qmgrs" / "QM1" / "errors" / "AMQERR01.LOG").read_text()
    text = " ".join(text.split())  # long lines are broken
    assert re.search(r"AMQ6175E: [^:]*OPEN\.py could not be loaded", text)
    assert re.search(r"AMQ6299E: [^:]* format FAILS failed: KeyError", text)
