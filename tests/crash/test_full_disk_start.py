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

from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE, MQRC_Q_SPACE_NOT_AVAILABLE
from ternmq.server.folder import status_file as status
from ternmq.server.folder.data_folder import replace_file

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


# A disk that the puts of the queue manager have filled, and a full log besides.
OWN_PUTS = r"""
set -u
mount -t tmpfs -o size=9m tmpfs "$DISK"
export TERNMQ_DATA="$DISK"
command() { "$PYTHON" -m ternmq.cli "$@" 2>&1; }
command crtmqm -lp 2 -ls 1 -lf 64 QF >/dev/null || exit 90
command strmqm QF >/dev/null || exit 91
echo "DEFINE QLOCAL(Q1) DEFPSIST(YES) MAXDEPTH(999999)" | command runmqsc QF >/dev/null
"$PYTHON" -c "$WORK" put; "$PYTHON" -c "$WORK" put
process=$(tr -dc 0-9 < "$DISK/qmgrs/QF/lock")
kill -9 $process; while kill -0 $process 2>/dev/null; do sleep 0.1; done
cat /dev/zero > "$DISK/filler" 2>/dev/null
df --output=avail "$DISK" | tail -1
command strmqm QF >/dev/null; echo "started $?"
"$PYTHON" -c "$WORK" get 500
"$PYTHON" -c "$WORK" put
command endmqm -w QF >/dev/null; echo "ended $?"
command strmqm QF >/dev/null; echo "started $?"
"$PYTHON" -c "$WORK" units
"$PYTHON" -c "$WORK" put
command endmqm -w QF >/dev/null; echo "ended $?"
command dltmqm QF >/dev/null; echo "deleted $?"
ls -A "$DISK/qmgrs"
"""
WORK = r"""
import sys, ternmq
verb, most = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
count, reason, numbers = 0, 0, []
with ternmq.connect("QF") as link, link.queue("Q1") as queue:
    try:
        while count < most:
            if verb == "put":
                queue.put(b"%d " % count + bytes(2000), persistent=True)
            else:
                numbers.append(int(queue.get(syncpoint=verb == "units").data.split()[0]))
                if verb == "units" and count % 50 == 0:
                    link.commit()
            count += 1
    except ternmq.MQError as error:
        reason = error.reason
    if verb == "units":
        link.commit()
print(verb, count, reason)
if numbers:  # each run of puts counts from 0
    lengths, before = [], numbers[0] - 1
    for number in numbers:
        assert number in (before + 1, 0), f"{number} after {before}: lost or doubled"
        if number == 0:
            lengths.append(before + 1)
        before = number
    print("runs", numbers[0], *lengths, before + 1)
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
    output = ended.stdout.split("\n")
    assert output[0].strip() == "0", ended.stdout + ended.stderr
    assert "started 0" in output, ended.stdout
    assert "message <one>" in output
    assert "message <two>" in output
    for line in ("drained 0", "ended 0", "deleted 0"):
        assert line in output, ended.stdout
    assert any("STATUS(Running)" in line for line in output)
    assert any("STATUS(Ended normally)" in line for line in output)
    assert output[output.index("deleted 0") + 1 :] == ["0", ""], "something is left"


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_disk_filled_by_puts_then_killed_started_drained_and_deleted(tmp_path: Path) -> None:
    if not can_mount():
        pytest.skip("no file system can be mounted here; not shown")
    disk = tmp_path / "disk"
    disk.mkdir()
    environment = {**os.environ, "DISK": str(disk), "PYTHON": sys.executable, "WORK": WORK}
    ended = subprocess.run(
        ["unshare", "-Urm", "bash", "-c", OWN_PUTS],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        timeout=170,
    )
    output = ended.stdout + ended.stderr
    lines = [line.split() for line in ended.stdout.splitlines()]
    puts = int(lines[0][1]) + int(lines[1][1])
    assert puts > 1000, output
    assert lines[0][2] == lines[1][2] == str(MQRC_Q_SPACE_NOT_AVAILABLE), output
    assert lines[2:5] == [["0"], ["started", "0"], ["get", "500", "0"]], output
    more = int(lines[6][1])  # what the gets have freed may be used again
    assert lines[7:9] == [["ended", "0"], ["started", "0"]], output
    assert lines[9] == ["units", str(puts - 500 + more), str(MQRC_NO_MSG_AVAILABLE)], output
    runs = [count for count in (int(lines[0][1]), int(lines[1][1]), more) if count]
    assert lines[5] == ["runs", "0", "0", "500"], output
    assert lines[10] == ["runs", "500", *map(str, runs)], output
    assert int(lines[11][1]) > 500, output
    assert lines[12:] == [["ended", "0"], ["deleted", "0"]], "something is left"


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
