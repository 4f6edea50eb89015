"""Goal: the data folder says what is there, whoever wrote it, and what a queue manager is doing.

Method: folders made by hand; a lock held by this process and by a child that dies.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ternmq
from ternmq.base.ini import IniError
from ternmq.base.limits import SOCKET_PATH_BYTES_MAX
from ternmq.ports.disk import DiskLocked
from ternmq.remote.local.folder_lock import lock_holder
from ternmq.remote.local.folder_lookup import data_folder, default_name, find, places, socket_path
from ternmq.runtime.starting import log_parameters
from ternmq.server.folder import data_folder as changes
from ternmq.server.folder.creating import Creation, create, delete
from ternmq.server.folder.status_file import status_of, write_status

HOLD = """
import fcntl, os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(file, fcntl.LOCK_EX)
os.pwrite(file, b"process %d\\n" % os.getpid(), 0)
print("held", flush=True)
sys.stdin.read()
"""


def test_data_folder_when_variables_are_set_then_the_first_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path / "one"))
    monkeypatch.setenv("MQ_OVERRIDE_DATA_PATH", str(tmp_path / "two"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "three"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert data_folder() == str(tmp_path / "one")
    monkeypatch.setenv("TERNMQ_DATA", "")
    assert data_folder() == str(tmp_path / "two")
    monkeypatch.delenv("MQ_OVERRIDE_DATA_PATH")
    assert data_folder() == str(tmp_path / "three" / "ternmq")
    monkeypatch.setenv("XDG_DATA_HOME", "relative is not allowed")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_folder() == str(tmp_path / ".local" / "share" / "ternmq")


def test_places_when_folder_or_stanza_is_missing_then_the_folder_decides(tmp_path: Path) -> None:
    data = str(tmp_path)
    changes.make_data_folder(data)
    (tmp_path / "qmgrs" / "QM!EMBEDDED").mkdir()
    (tmp_path / "qmgrs" / "QM1").mkdir()
    (tmp_path / "qmgrs" / ".creating-QM9").mkdir()
    (tmp_path / "elsewhere").mkdir()
    changes.register(data, "QM1", "QM1", "Installation1", "", True)
    changes.register(data, "GONE", "GONE", "Installation1", "", False)
    changes.register(data, "AWAY", "AWAY", "Installation1", str(tmp_path / "elsewhere"), False)
    assert [place.name for place in places(data)] == ["AWAY", "QM.EMBEDDED", "QM1"]
    assert default_name(data) == "QM1"
    assert changes.sweep_leftovers(data) == [".creating-QM9"]
    assert changes.unregister(data, "QM1")
    assert not changes.unregister(data, "QM1")
    assert default_name(data) == ""
    assert [place.name for place in places(data)] == ["AWAY", "QM.EMBEDDED", "QM1"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("QueueManager:\n   Directory=QM1\n", "Name="),
        ("QueueManager:\n   Name=QM#1\n", "QM#1"),
        ("QueueManager:\n   Name=QM1\n   Directory=../../etc\n", "is not a folder name"),
        ("QueueManager:\n   Name=QM1\n   Directory=..\n", "is not a folder name"),
    ],
)
def test_register_when_it_cannot_be_then_file_line_and_reason(
    tmp_path: Path, text: str, why: str
) -> None:
    (tmp_path / "mqs.ini").write_text(text)
    with pytest.raises(IniError, match=why) as fault:
        places(str(tmp_path))
    assert fault.value.file == str(tmp_path / "mqs.ini")


def test_file_when_replaced_then_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "file"
    changes.replace_file(str(path), "one\n")
    changes.replace_file(str(path), "two\n")
    assert path.read_text() == "two\n"
    assert os.listdir(tmp_path) == ["file"]


def test_status_when_the_holder_lives_or_has_died_then_reported(tmp_path: Path) -> None:
    folder = str(tmp_path)
    assert status_of(str(tmp_path / "none")).state == "Status not available"
    assert status_of(folder).state == "Ended normally"
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    with child.stdin, child.stdout:
        child.stdout.readline()
        assert lock_holder(folder) == child.pid
        assert status_of(folder)[:3] == ("Running", child.pid, False)  # an embedded one is silent
        values = {"state": "Quiescing", "pid": child.pid}
        (tmp_path / "status").write_text(json.dumps(values))
        assert status_of(folder).state == "Quiescing"
        values["host"] = "another machine"
        (tmp_path / "status").write_text(json.dumps(values))
        assert status_of(folder).state == "Running elsewhere"
        del values["host"]
        (tmp_path / "status").write_text(json.dumps(values))
        child.kill()
        child.wait()
    assert lock_holder(folder) == 0
    assert status_of(folder).state == "Ended unexpectedly"
    write_status(folder, "Ended immediately")
    assert status_of(folder).state == "Ended immediately"
    (tmp_path / "status").write_text("{ torn")
    assert status_of(folder).state == "Ended normally"


def test_status_when_asked_then_the_lock_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("process 1\n")
    status_of(str(tmp_path))
    descriptor = os.open(tmp_path / "lock", os.O_RDWR)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(descriptor)


def test_socket_path_when_it_fits_then_in_the_folder(tmp_path: Path) -> None:
    short = str(tmp_path)
    assert socket_path(short) == os.path.join(short, "local.sock")
    long = os.path.join(short, "x" * SOCKET_PATH_BYTES_MAX)
    os.mkdir(long)
    (Path(long) / "local.sock.path").write_text("/run/somewhere.sock\n")
    assert socket_path(long) == "/run/somewhere.sock"


def test_delete_when_somebody_has_the_folder_then_refused_and_whole(tmp_path: Path) -> None:
    data = str(tmp_path)
    asked = Creation("QM1", log_parameters("circular", 2, 1, 32, False))
    create(data, asked)
    place = find(data, "QM1")
    with ternmq.embedded(tmp_path, "QM1") as qmgr:
        with pytest.raises(DiskLocked):
            delete(data, place)
        qmgr.put("SYSTEM.DEFAULT.LOCAL.QUEUE", "still here")
    delete(data, place)
    assert places(data) == []
    assert os.listdir(tmp_path / "qmgrs") == []
