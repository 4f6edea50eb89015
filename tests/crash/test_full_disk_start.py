"""Goal (G19): a queue manager on a disk without a free byte is started, drained, ended and deleted,
by the real commands. Method: a small file system in memory, in a name space of its own, filled to
its last block between the commands.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ternmq.server import status
from ternmq.server.data_folder import replace_file

SCRIPT = r"""
set -u
mount -t tmpfs -o size=24m tmpfs "$DISK"
export TERNMQ_DATA="$DISK"
command() { "$PYTHON" -m ternmq.cli "$@" 2>&1; }
command crtmqm -lp 2 -ls 1 -lf 256 QF >/dev/null || exit 90
command strmqm QF >/dev/null || exit 91
echo "DEFINE QLOCAL(Q1) DEFPSIST(YES)" | command runmqsc QF >/dev/null
printf 'one\ntwo\n' | command amqsput Q1 QF >/dev/null
command endmqm -w QF >/dev/null || exit 92
cat /dev/zero > "$DISK/filler" 2>/dev/null
df --output=avail "$DISK" | tail -1
command strmqm QF; echo "started $?"
command dspmq -m QF
command amqsget Q1 QF; echo "drained $?"
command endmqm -w QF; echo "ended $?"
command dspmq -m QF
cat /dev/zero >> "$DISK/filler" 2>/dev/null
command dltmqm QF; echo "deleted $?"
ls -A "$DISK/qmgrs"
grep -c Name=QF "$DISK/mqs.ini"
"""


def can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    tried = ["unshare", "-Urm", "mount", "-t", "tmpfs", "tmpfs", "/tmp"]
    return subprocess.run(tried, check=False, capture_output=True).returncode == 0


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_disk_full_when_stopped_then_started_drained_ended_and_deleted(tmp_path: Path) -> None:
    if not can_mount():
        pytest.skip("no file system can be mounted here; not shown")
    disk = tmp_path / "disk"
    disk.mkdir()
    environment = {**os.environ, "DISK": str(disk), "PYTHON": sys.executable}
    ended = subprocess.run(
        ["unshare", "-Urm", "bash", "-c", SCRIPT],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        timeout=170,
    )
    told = ended.stdout.split("\n")
    assert told[0].strip() == "0", ended.stdout + ended.stderr
    assert "started 0" in told, ended.stdout
    assert "message <one>" in told
    assert "message <two>" in told
    for line in ("drained 0", "ended 0", "deleted 0"):
        assert line in told, ended.stdout
    assert any("STATUS(Running)" in line for line in told)
    assert any("STATUS(Ended normally)" in line for line in told)
    assert told[told.index("deleted 0") + 1 :] == ["0", ""], "something is left"


# ---- what the commands do, with a device that has no room


def fail_writes(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """No new block for files of a name; those that are there can be written in place."""
    real = os.pwrite

    def pwrite(descriptor: int, data: bytes, offset: int) -> int:
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        if path.endswith(name):
            raise OSError(28, "No space left on device")
        return real(descriptor, data, offset)

    monkeypatch.setattr(os, "pwrite", pwrite)


def test_status_when_the_disk_is_full_then_written_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status.write_status(str(tmp_path), status.RUNNING)
    size = (tmp_path / "status").stat().st_size
    fail_writes(monkeypatch, "status.new")
    status.write_status(str(tmp_path), status.ENDED_IMMEDIATELY, switch=True)
    assert status.status_of(str(tmp_path)).state == status.ENDED_IMMEDIATELY
    assert status.status_of(str(tmp_path)).switches
    assert (tmp_path / "status").stat().st_size == size
    assert not (tmp_path / "status.new").exists()


def test_status_when_there_is_no_room_at_all_then_nobody_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_writes(monkeypatch, "")
    status.write_status(str(tmp_path), status.RUNNING)
    assert not (tmp_path / "status").exists()


def test_new_file_when_the_disk_is_full_then_the_error_names_it_and_the_old_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mqs.ini"
    path.write_text("old")

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match=r"mqs\.ini\.new"):
        replace_file(str(path), "new and longer")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["mqs.ini"]
