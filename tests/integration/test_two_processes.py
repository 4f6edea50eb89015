"""Goal (G28): two processes on one data folder: the second is refused with a text that names
the first, in every order; one that was killed holds nothing. And what a restart reports, line
by line, as strmqm prints it. Method: real processes that open the folder and stay until told to
go.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import ternmq
from ternmq.base.reasons import MQRC_Q_MGR_NOT_AVAILABLE

pytestmark = [pytest.mark.core, pytest.mark.promise("P6")]

HOLDER = """
import sys
import ternmq
qmgr = ternmq.embedded(sys.argv[1], "QM1", create=True)
print("started", flush=True)
sys.stdin.readline()
qmgr.close()
"""
# One that is in the middle of a unit of work and of others that are in doubt.
WORKER = """
import os, signal, sys
import ternmq
qmgr = ternmq.embedded(sys.argv[1], "QM1", create=True)
qmgr.define_queue("Q")
with qmgr.queue("Q") as queue:
    queue.put(b"kept", persistent=True)
    other = qmgr.connect()
    with other.queue("Q") as also:
        other.begin()
        also.put(b"in doubt", persistent=True)
        other.prepare(ternmq.XID(1, b"x", b"y"))
    qmgr.begin()
    queue.put(b"lost", persistent=True)
    with qmgr.connect().queue("Q") as third:
        third.put(b"also kept", persistent=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


# A forked child has a copy of everything, and would write the same files.
FORKER = """
import os, sys, threading
import ternmq
qmgr = ternmq.embedded(sys.argv[1], "QM1", create=True)
qmgr.define_queue("Q")
queue = qmgr.queue("Q")
stop = threading.Event()
def busy():
    with qmgr.connect().queue("Q") as mine:
        while not stop.is_set():
            mine.put(b"parent", persistent=True)
            mine.get()
threads = [threading.Thread(target=busy, daemon=True) for _ in range(3)]
for thread in threads:
    thread.start()
refused = 0
for _ in range(20):
    child = os.fork()
    if child == 0:
        try:
            queue.put(b"child", persistent=True)
        except ternmq.Unavailable as error:
            os._exit(7 if "fork" in str(error) else 8)
        os._exit(9)
    refused += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
stop.set()
for thread in threads:
    thread.join()
print("refused", refused, "depth", queue.depth, flush=True)
reader, writer = os.pipe()
if os.fork() == 0:
    os.write(writer, b"!")  # it has given up what it has of its parent
    sys.stdin.readline()  # a child that outlives its parent must not keep the folder
    os._exit(0)
os.read(reader, 1)
os.kill(os.getpid(), 9)
"""


class Holder:
    """A process that has the folder."""

    def __init__(self, data: Path, program: str = HOLDER) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, str(data)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def started(self) -> bool:
        assert self.process.stdout is not None
        return self.process.stdout.readline() == "started\n"

    def end(self) -> str:
        """Let it go; what it complained of."""
        _, complaint = self.process.communicate("go\n")
        return complaint

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def refused(data: Path, holder: int) -> None:
    with pytest.raises(ternmq.Unavailable) as caught:
        ternmq.embedded(data, "QM1")
    assert caught.value.reason == MQRC_Q_MGR_NOT_AVAILABLE
    text = str(caught.value)
    assert "MQRC_Q_MGR_NOT_AVAILABLE" in text
    assert "in use" in text
    assert f"process {holder}" in text


def test_second_process_when_the_first_runs_then_refused_and_named(tmp_path: Path) -> None:
    first = Holder(tmp_path)
    assert first.started()
    refused(tmp_path, first.process.pid)
    second = Holder(tmp_path)
    assert not second.started()
    complaint = second.end()
    assert "MQRC_Q_MGR_NOT_AVAILABLE" in complaint
    assert f"process {first.process.pid}" in complaint
    assert first.end() == ""
    ternmq.embedded(tmp_path, "QM1").close()


def test_second_process_when_this_one_runs_then_refused_and_named(tmp_path: Path) -> None:
    with ternmq.embedded(tmp_path, "QM1", create=True):
        second = Holder(tmp_path)
        assert not second.started()
        assert f"process {os.getpid()}" in second.end()
    third = Holder(tmp_path)
    assert third.started()
    assert third.end() == ""


def test_second_in_the_same_process_then_refused(tmp_path: Path) -> None:
    with ternmq.embedded(tmp_path, "QM1", create=True):
        refused(tmp_path, os.getpid())
    ternmq.embedded(tmp_path, "QM1").close()


def test_first_was_killed_then_the_second_is_accepted(tmp_path: Path) -> None:
    for _ in range(3):
        first = Holder(tmp_path)
        assert first.started()
        refused(tmp_path, first.process.pid)
        first.kill()
        with ternmq.embedded(tmp_path, "QM1") as qmgr:
            assert qmgr.queue_names()


def test_first_is_stopped_and_continued_then_it_still_holds_the_folder(tmp_path: Path) -> None:
    first = Holder(tmp_path)
    assert first.started()
    os.kill(first.process.pid, signal.SIGSTOP)
    try:
        refused(tmp_path, first.process.pid)
    finally:
        os.kill(first.process.pid, signal.SIGCONT)
    assert first.end() == ""


def test_many_start_at_once_then_one_has_it(tmp_path: Path) -> None:
    ternmq.embedded(tmp_path, "QM1", create=True).close()
    holders = [Holder(tmp_path) for _ in range(6)]
    winners = [holder for holder in holders if holder.started()]
    assert len(winners) == 1
    for holder in holders:
        complaint = holder.end()
        assert (holder in winners) == (complaint == ""), complaint


def test_two_queue_managers_in_one_folder_then_both_run(tmp_path: Path) -> None:
    first = ternmq.embedded(tmp_path, "QM1", create=True)
    with first, ternmq.embedded(tmp_path, "QM2", create=True) as second:
        assert (first.name, second.name) == ("QM1", "QM2")


def test_restart_after_a_kill_then_reported_as_strmqm_does(tmp_path: Path) -> None:
    Holder(tmp_path, WORKER).process.communicate()
    with ternmq.embedded(tmp_path, "QM1") as qmgr:
        report = qmgr.report()
        counted = report[0].split(" ", 1)
        assert int(counted[0]) > 5
        assert counted[1] == (
            "log records accessed on queue manager 'QM1' during the log replay phase."
        )
        assert report[1] == "Log replay for queue manager 'QM1' complete."
        assert "Transaction manager state recovered for queue manager 'QM1'." in report
        assert "1 units of work backed out, 1 in doubt on queue manager 'QM1'." in report
        assert report[-1] == "TernMQ queue manager 'QM1' started."
        assert qmgr.in_doubt() == [ternmq.XID(1, b"x", b"y")]
        with qmgr.queue("Q") as queue:
            assert [message.data for message in queue] == [b"kept", b"also kept"]
            qmgr.commit_prepared(ternmq.XID(1, b"x", b"y"))
            assert [message.data for message in queue] == [b"in doubt"]
    with ternmq.embedded(tmp_path, "QM1") as qmgr:
        assert qmgr.report()[0].startswith("1 log records accessed")


def test_create_when_a_file_of_the_log_is_gone_then_nothing_is_recreated(tmp_path: Path) -> None:
    """A queue manager that is not whole is still there; making it again would lose all of it."""
    with ternmq.embedded(tmp_path, "QM1", create=True) as qmgr:
        qmgr.define_queue("Q")
        with qmgr.queue("Q") as queue:
            queue.put(b"kept", persistent=True)
    log = tmp_path / "qmgrs" / "QM1" / "log"
    (log / "control.1").unlink()
    with ternmq.embedded(tmp_path, "QM1", create=True) as qmgr, qmgr.queue("Q") as queue:
        assert queue.depth == 1
    catalog = tmp_path / "qmgrs" / "QM1" / "catalog"
    content = catalog.read_bytes()
    catalog.unlink()
    with pytest.raises(Exception, match="catalog is missing"):
        ternmq.embedded(tmp_path, "QM1", create=True)
    catalog.write_bytes(content)
    with ternmq.embedded(tmp_path, "QM1", create=True) as qmgr, qmgr.queue("Q") as queue:
        assert [message.data for message in queue] == [b"kept"]


def test_forked_child_then_it_is_refused_and_holds_nothing(tmp_path: Path) -> None:
    holder = Holder(tmp_path, FORKER)
    assert holder.process.stdout is not None
    assert holder.process.stdout.readline() == "refused 20 depth 0\n"
    holder.process.wait()
    # The last child still lives, with copies of its parent's files.
    with ternmq.embedded(tmp_path, "QM1") as qmgr:
        assert "Q" in qmgr.queue_names()
    holder.end()
