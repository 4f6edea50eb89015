"""Goal: an unforeseen fault in a task that a queue manager can do without (records of statistics,
SMF files, metrics) does not end it: the fault is reported, the task begun again, and one that fails
for ever is given up. Method: faults planted in each task, with the rule of a queue manager's own
process for threads that end by a fault.
"""

import contextlib
import errno
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import ternmq
from ternmq.outlets.metrics import Metrics
from ternmq.outlets.metrics_server import MetricsServer
from ternmq.outlets.restarting import FAILURES_MAX, GIVEN_UP, RestartedTask
from ternmq.outlets.smf_outlet import Outlet, Writes
from ternmq.outlets.snapshot_queue import SnapshotQueue
from ternmq.telemetry.snapshot import SMF


class Reported:
    """What operators are told, and which faults are reported."""

    def __init__(self) -> None:
        self.lines: list[tuple[object, ...]] = []
        self.faults: list[str] = []

    def __call__(self, *words: object) -> None:
        self.lines.append(words)

    def fault(self, error: BaseException, doing: str) -> None:
        self.faults.append(f"{type(error).__name__} in {doing}")

    def names(self) -> list[object]:
        return [line[0] for line in self.lines]


@pytest.fixture
def ended() -> Iterator[list[str]]:
    """Threads that ended by a fault: in a queue manager's process each of them ends it."""
    found: list[str] = []

    def hook(fault: threading.ExceptHookArgs) -> None:
        found.append("" if fault.thread is None else fault.thread.name)

    before = threading.excepthook
    threading.excepthook = hook
    yield found
    threading.excepthook = before


def planted_fault(*given: Any) -> None:
    raise KeyError("planted")


def ask(port: int) -> bytes:
    with socket.create_connection(("127.0.0.1", port)) as sock:
        sock.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        found = b""
        with contextlib.suppress(ConnectionResetError):
            while more := sock.recv(65_536):
                found += more
    return found


def test_scrape_that_fails_then_reported_and_the_next_one_is_answered(
    ended: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Reported()
    with ternmq.memory("QM1") as qmgr:
        metrics = Metrics(qmgr.started.shell, ("*",))
        server = MetricsServer(metrics, "127.0.0.1", 0, log_message=log, on_fault=log.fault)
        try:
            with monkeypatch.context() as planted:
                planted.setattr(Metrics, "subjects", planted_fault)
                for _ in range(6):  # more than there may be at once
                    ask(server.port)
            assert b"# TYPE" in ask(server.port)
        finally:
            server.close()
        assert server.faults == 6
        assert log.faults == ["KeyError in a scrape of the metrics"] * 6
        qmgr.define_queue("Q")
    assert ended == []


def test_port_of_metrics_when_no_thread_can_be_begun_then_it_is_served_later(
    ended: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Reported()
    with ternmq.memory("QM1") as qmgr:
        metrics = Metrics(qmgr.started.shell, ("*",))
        server = MetricsServer(metrics, "127.0.0.1", 0, log_message=log, on_fault=log.fault)

        def refuse(self: threading.Thread) -> None:
            raise RuntimeError("can't start new thread")

        try:
            with monkeypatch.context() as planted:
                planted.setattr(threading.Thread, "start", refuse)
                assert ask(server.port) == b""
            assert b"# TYPE" in ask(server.port)
        finally:
            server.close()
    assert log.faults == ["RuntimeError in the task METRICS"]
    assert log.names() == ["AMQ5041I", "AMQ5051I"]
    assert ended == []


class Aborting:
    """A listening socket of which a connection has gone before its turn."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self.aborted = 0

    def accept(self) -> Any:
        if not self.aborted:
            self.aborted = 1
            raise OSError(errno.ECONNABORTED, "Software caused connection abort")
        return self._listening.accept()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._listening, name)


def test_port_of_metrics_when_a_connection_has_gone_before_its_turn_then_others_are_served() -> (
    None
):
    with ternmq.memory("QM1") as qmgr:
        server = MetricsServer(Metrics(qmgr.started.shell, ("*",)), "127.0.0.1", 0)
        listening: Any = Aborting(server._listening)
        server._listening = listening
        try:
            assert b"# TYPE" in ask(server.port)  # which is accepted already
            assert b"# TYPE" in ask(server.port)
            assert listening.aborted == 1
        finally:
            server.close()


class Broken(Writes):
    """Fails as nobody foresaw, for a while."""

    def __init__(self, failures: int) -> None:
        self.left = failures
        self.taken: list[bytes] = []

    def write(self, records: list[bytes]) -> None:
        if self.left > 0:
            self.left -= 1
            raise ValueError("planted")
        self.taken += records

    def close(self) -> None:
        """Nothing is open."""


RECORD = b"\0\x64\0\0\x5e\x73" + bytes(94)


def test_smf_file_whose_writer_fails_then_records_are_counted_as_lost_and_it_goes_on(
    ended: list[str],
) -> None:
    log = Reported()
    broken = Broken(3)
    outlet = Outlet("MAN", broken, log, on_fault=log.fault, pause_s=0.0)
    for _ in range(4):
        outlet.give([RECORD])
        assert outlet.drain()
    assert (outlet.lost, outlet.written) == (3, 1)
    assert log.faults == ["ValueError in the task SMF-MAN"] * 3
    assert log.names().count("AMQ5051I") == 3
    assert outlet.switch()
    outlet.end()
    assert broken.taken == [RECORD]
    assert ended == []


def test_smf_file_whose_writer_always_fails_then_given_up_and_nobody_waits(
    ended: list[str],
) -> None:
    log = Reported()
    outlet = Outlet("MAN", Broken(1 << 30), log, on_fault=log.fault, pause_s=0.0)
    for _ in range(FAILURES_MAX):
        outlet.give([RECORD])
        assert outlet.drain()
    outlet.end()
    outlet.give([RECORD])
    assert log.lines[-1][0] == GIVEN_UP
    assert len(log.faults) == FAILURES_MAX
    assert ended == []


def test_snapshot_that_cannot_be_made_a_record_then_lost_and_the_next_one_is(
    ended: list[str],
) -> None:
    log = Reported()
    queue = SnapshotQueue("SMF", log, on_fault=log.fault, pause_s=0.0)
    done: list[int] = []

    def fail() -> None:
        raise ZeroDivisionError("planted")

    works: list[Callable[[], None]] = [fail, lambda: done.append(1), fail, lambda: done.append(2)]
    for work in works:
        queue.add(work)
    assert queue.drain()
    queue.end()
    assert done == [1, 2]
    assert queue.lost == 2
    assert log.faults == ["ZeroDivisionError in the task STATISTICS-SMF"] * 2
    assert ended == []


def test_statistics_when_records_cannot_be_made_then_the_queue_manager_goes_on(
    ended: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Reported()
    with ternmq.memory("QM1") as qmgr:
        qmgr.started.on_fault = log.fault
        qmgr.define_queue("Q")
        measurement = qmgr.started.measurement
        monkeypatch.setattr(measurement.smf, "statistics", planted_fault)
        measurement._queues[SMF].add(planted_fault)
        assert measurement.drain()
        qmgr.put("Q", "still there")
        with qmgr.queue("Q") as queue:
            assert queue.get().text == "still there"
    assert log.faults == ["KeyError in the task STATISTICS-SMF"]
    assert ended == []


def test_task_when_it_ends_while_it_pauses_then_nobody_waits_for_the_pause() -> None:
    log = Reported()
    begun = threading.Event()

    def fail() -> None:
        begun.set()
        raise ValueError("planted")

    task = RestartedTask("T", fail, log, log.fault, "t", pause_s=3600.0)
    task.start()
    assert begun.wait(10)
    task.join(10)
    assert not task.is_alive
    assert task.is_given_up
