"""Goal: one process at a time works with a folder, whatever somebody does to the lock file; and
what a queue manager makes is nobody else's to write, whatever the umask. Method: the real disk.
"""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ternmq
from ternmq.base.errors import MQError
from ternmq.inspect.folder import Folder
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.outlets.smf_data_sets import DataSets
from ternmq.ports.disk import DiskLocked
from ternmq.ports.os_disk import OsDisk
from ternmq.remote.local.folder_lock import lock_holder
from ternmq.server.error_log.error_log import ErrorLog
from ternmq.server.error_log.fault_report import FaultReports
from ternmq.server.error_log.log_entry import Origin
from ternmq.server.folder import data_folder
from ternmq.server.folder import status_file as status
from ternmq.server.folder.creating import Creation, create

WRITABLE = stat.S_IWGRP | stat.S_IWOTH


def test_lock_file_removed_then_a_second_instance_is_refused_all_the_same(tmp_path: Path) -> None:
    with ternmq.embedded(tmp_path, "QM1", create=True) as qmgr:
        root = tmp_path / "qmgrs" / "QM1"
        (root / "lock").unlink()
        with pytest.raises(ternmq.Unavailable, match="in use"):
            ternmq.embedded(tmp_path, "QM1")
        program = f"import ternmq; ternmq.embedded({str(tmp_path)!r}, 'QM1')"
        other = subprocess.run(
            [sys.executable, "-c", program], check=False, capture_output=True, text=True
        )
        assert "MQRC_Q_MGR_NOT_AVAILABLE" in other.stderr
        with pytest.raises(MQError, match="it is running"):
            Folder(root)
        assert status.status_of(str(root)).pid == os.getpid()
        qmgr.define_queue("A")
    with ternmq.embedded(tmp_path, "QM1") as again:
        assert "A" in again.queue_names()


def test_lock_file_replaced_then_a_second_instance_is_refused(tmp_path: Path) -> None:
    first = OsDisk(str(tmp_path))
    second = OsDisk(str(tmp_path))
    lock = first.lock("lock")
    (tmp_path / "lock").rename(tmp_path / "away")
    (tmp_path / "lock").write_text("process 1\n")
    with pytest.raises(DiskLocked):
        second.lock("lock")
    lock.release()
    second.lock("lock").release()
    first.close()
    second.close()


def test_lock_file_replaced_then_status_shows_the_running_process(tmp_path: Path) -> None:
    with ternmq.embedded(tmp_path, "QM1", create=True):
        root = tmp_path / "qmgrs" / "QM1"
        for text in ("", "process 1\n"):
            (root / "lock").unlink()
            (root / "lock").write_text(text)
            assert lock_holder(str(root)) == os.getpid()
    (root / "lock").unlink()
    with Folder(root):
        assert lock_holder(str(root)) == 0  # who looks at a folder does not run it


def test_lock_of_commands_then_nobody_else_can_take_it(tmp_path: Path) -> None:
    lock = tmp_path / data_folder.LOCK
    lock.touch(0o644)
    with data_folder.locked(str(tmp_path)):
        assert stat.S_IMODE(lock.stat().st_mode) == 0o600


def test_lock_when_a_tool_looks_at_the_folder_then_no_start_meanwhile(tmp_path: Path) -> None:
    ternmq.embedded(tmp_path, "QM1", create=True).close()
    (tmp_path / "qmgrs" / "QM1" / "lock").unlink()
    with Folder(tmp_path / "qmgrs" / "QM1"), pytest.raises(ternmq.Unavailable):
        ternmq.embedded(tmp_path, "QM1")
    ternmq.embedded(tmp_path, "QM1").close()


def test_lock_file_when_written_again_then_it_keeps_its_size_and_reports_its_holder(
    tmp_path: Path,
) -> None:
    disk = OsDisk(str(tmp_path))
    sizes = set()
    for _ in range(2):
        lock = disk.lock("lock")
        sizes.add((tmp_path / "lock").stat().st_size)
        assert lock_holder(str(tmp_path)) == os.getpid()
        with pytest.raises(DiskLocked, match=f"process {os.getpid()}$"):
            OsDisk(str(tmp_path)).lock("lock")
        lock.release()
    disk.close()
    assert len(sizes) == 1


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("no_umask")
def test_files_when_made_with_umask_0_then_nobody_else_can_write_them(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    create(data, Creation("QM1", LogParameters(CIRCULAR, 3, 2, 64, False)))
    folder = os.path.join(data, "qmgrs", "QM1")
    status.write_status(folder, status.RUNNING)
    origin = Origin("QM1", "1")
    log = ErrorLog(os.path.join(data, "errors", "deeper"), origin)
    reports = FaultReports(Path(folder) / "errors" / "more", origin, log)
    log.write("AMQ8004I", ("QM1",))
    assert reports.write(ValueError("a fault")) is not None
    assert data_folder.make_errors_folder(folder).endswith("errors")
    for path in [Path(data), *Path(data).rglob("*")]:
        mode = path.lstat().st_mode
        assert not mode & stat.S_IWOTH, f"{path} is {stat.filemode(mode)}"
        assert not mode & WRITABLE or path.suffix == ".LOG", f"{path} is {stat.filemode(mode)}"


@pytest.mark.usefixtures("no_umask")
def test_folders_above_when_made_with_umask_0_then_nobody_else_can_write_them(
    tmp_path: Path,
) -> None:
    data = tmp_path / "some" / "data"
    logs = tmp_path / "some" / "logs"
    asked = Creation("QM1", LogParameters(CIRCULAR, 3, 2, 64, False))
    asked.log_folder = str(logs)
    create(str(data), asked)
    ternmq.embedded(tmp_path / "other" / "data", "QM2", create=True).close()
    records = DataSets(str(tmp_path / "more" / "smf" / "set"), "SMF")
    records.write([b"x" * 100])
    records.close()
    for path in tmp_path.rglob("*"):
        mode = path.lstat().st_mode
        assert path.is_symlink() or not mode & stat.S_IWOTH, f"{path} is {stat.filemode(mode)}"
