"""Goal (P9): in the shell with its threads, a failed force reaches everybody: who forces, who
waits for the force, who waits for a message, who waits for an effect of the disk. Nobody hangs
and nobody is answered with success. Method: the public API on a disk that fails when told to.
"""

import errno
import threading
from collections.abc import Callable

import pytest

from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_CONNECTION_BROKEN, MQRC_RESOURCE_PROBLEM
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.runtime.embedded import QueueManager
from ternmq.runtime.starting import start
from ternmq.testing.machine import Machine
from ternmq.testing.model import found_state
from ternmq.testing.sim_disk import SimDisk

pytestmark = [pytest.mark.core, pytest.mark.promise("P9")]


def begin(disk: SimDisk, pages: int = 16) -> QueueManager:
    parameters = LogParameters(CIRCULAR, 3, 2, pages, False)
    return QueueManager(start(disk, "QM1", True, parameters, "tester", "test"))


class Failing:
    """Fails every call of a kind from now on, if told to."""

    def __init__(self, disk: SimDisk) -> None:
        self.calls: tuple[str, ...] = ()
        self.error = errno.EIO
        self.folder = ""
        disk.faults = self

    def __call__(self, call: str, path: str, count: int) -> None:
        if call in self.calls and path.startswith(self.folder):
            raise OSError(self.error, "injected", path)


class Caller(threading.Thread):
    """Runs one verb and keeps how it ended."""

    def __init__(self, verb: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self.verb = verb
        self.error: MQError | None = None
        self.answered = False
        self.start()

    def run(self) -> None:
        try:
            self.verb()
            self.answered = True
        except MQError as error:
            self.error = error

    def is_recorded(self) -> bool:
        self.join(10)
        return (
            not self.is_alive()
            and self.error is not None
            and self.error.reason == MQRC_CONNECTION_BROKEN
        )


def until(condition: Callable[[], bool]) -> None:
    """Let other threads go on until something holds."""
    event = threading.Event()
    for _ in range(5000):
        if condition():
            return
        event.wait(0.001)
    raise AssertionError("it never came so far")


def test_force_fails_then_forcer_followers_and_waiters_are_notified() -> None:
    disk = SimDisk()
    qmgr = begin(disk)
    failing = Failing(disk)
    qmgr.define_queue("A")
    qmgr.define_queue("EMPTY")
    waiting = qmgr.connect().queue("EMPTY")
    getter = Caller(lambda: waiting.get(wait=-1))
    until(lambda: len(qmgr.started.shell.engine.kernel.waiting) == 1)
    queues = [qmgr.connect().queue("A") for _ in range(8)]
    queues[0].put(b"kept ", persistent=True)
    failing.calls = ("datasync",)
    putters = [
        Caller(lambda queue=queue: queue.put(b"lost ", persistent=True))  # type: ignore[misc]
        for queue in queues
    ]
    assert [putter.is_recorded() for putter in putters] == [True] * len(putters)
    assert getter.is_recorded()
    for verb in (
        lambda: queues[0].put(b"late ", persistent=False),
        lambda: queues[0].get(),
        lambda: queues[0].depth,
        lambda: qmgr.define_queue("LATE"),
        qmgr.checkpoint,
        qmgr.connect,
    ):
        assert Caller(verb).is_recorded(), verb
    closer = Caller(qmgr.close)
    closer.join(10)
    assert not closer.is_alive()
    disk.faults = None
    assert found_state(Machine(disk.survivor()))[0]["A"][0] == "kept"


def test_commit_when_a_force_has_failed_then_reported_though_nothing_persistent_is_in_it() -> None:
    disk = SimDisk()
    qmgr = begin(disk)
    failing = Failing(disk)
    qmgr.define_queue("A")
    connection = qmgr.connect()
    with connection.queue("A") as queue:
        connection.begin()
        queue.put(b"plain", persistent=False)
        failing.calls = ("datasync",)
        lasting = Descriptor(persistence=1)
        assert Caller(lambda: qmgr.put("A", b"x", descriptor=lasting)).is_recorded()
        with pytest.raises(MQError) as caught:
            connection.commit()
        assert caught.value.reason == MQRC_CONNECTION_BROKEN
    qmgr.close()


def test_checkpoint_when_its_control_file_fails_then_reported_and_nobody_hangs() -> None:
    disk = SimDisk()
    qmgr = begin(disk)
    failing = Failing(disk)
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(b"kept ", persistent=True)
        failing.calls = ("datasync",)
        failing.folder = "log/control"
        assert Caller(qmgr.checkpoint).is_recorded()
    qmgr.close()
    disk.faults = None
    assert found_state(Machine(disk.survivor()))[0]["A"] == ["kept"]


@pytest.mark.parametrize("attempt", range(8))
def test_control_file_when_its_force_fails_then_no_force_of_the_log_follows(attempt: int) -> None:
    """Other threads may have work on the log's files waiting: a new extent to prepare, and then to
    prove in the control file. ORDER: nothing touches the log's files after a failed force."""
    disk = SimDisk()
    qmgr = begin(disk, pages=8)
    qmgr.define_queue("A", max_depth=100_000)
    queue = qmgr.connect().queue("A")
    failed: list[str] = []
    after: list[str] = []

    def fail(call: str, path: str, count: int) -> None:
        if call != "datasync" or not path.startswith("log/"):
            return
        if failed:
            after.append(path)
        elif path == "log/control.1" and qmgr.started.shell.engine.keeper.checkpoints > 2:
            failed.append(path)
            raise OSError(errno.EIO, "injected", path)

    disk.faults = fail

    def put_for_ever() -> None:
        while True:
            queue.put(bytes(3000), persistent=True)

    assert Caller(put_for_ever).is_recorded()
    qmgr.close()
    assert failed == ["log/control.1"]
    assert after == []


def test_checkpoint_when_a_journal_cannot_be_written_then_refused_and_later_it_works() -> None:
    disk = SimDisk()
    qmgr = begin(disk)
    failing = Failing(disk)
    failing.error = errno.ENOSPC
    failing.folder = "queues"
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(b"kept ", persistent=True)
        failing.calls = ("pwritev",)
        with pytest.raises(MQError) as caught:
            qmgr.checkpoint()
        assert caught.value.reason == MQRC_RESOURCE_PROBLEM
        assert "injected" in str(caught.value)
        failing.calls = ()
        qmgr.checkpoint()
    qmgr.close()
    assert found_state(Machine(disk.survivor()))[0]["A"] == ["kept"]


def test_putters_parked_on_a_checkpoint_when_a_force_fails_then_reported() -> None:
    """The log is full, every putter waits for an effect that one of the threads runs."""
    disk = SimDisk()
    qmgr = begin(disk, pages=8)
    failing = Failing(disk)
    qmgr.define_queue("A", max_depth=100_000)
    queues = [qmgr.connect().queue("A") for _ in range(4)]

    def put_for_ever(number: int) -> None:
        while True:
            queues[number].put(bytes(3000), persistent=True)

    putters = [Caller(lambda n=n: put_for_ever(n)) for n in range(4)]  # type: ignore[misc]
    until(lambda: qmgr.started.shell.engine.keeper.checkpoints > 3)
    failing.folder = "log"  # a file of a queue that fails leaves the log full, no more
    failing.calls = ("datasync",)
    assert [putter.is_recorded() for putter in putters] == [True] * len(putters)
    closer = Caller(qmgr.close)
    closer.join(10)
    assert not closer.is_alive()


def test_full_disk_when_segments_cannot_be_written_then_plain_messages_are_refused() -> None:
    """Messages that no log holds back must not fill the memory."""
    disk = SimDisk()
    qmgr = begin(disk)
    failing = Failing(disk)
    failing.error = errno.ENOSPC
    failing.folder = "queues"
    qmgr.define_queue(
        "A", max_depth=1_000_000, persistent_buffer=1 << 16, nonpersistent_buffer=1 << 16
    )
    queue = qmgr.connect().queue("A")
    failing.calls = ("pwritev",)
    put = 0
    with pytest.raises(MQError) as caught:  # noqa: PT012
        while put < 20_000:
            queue.put(bytes(1000), persistent=False)
            put += 1
    assert caught.value.reason_name in ("MQRC_Q_SPACE_NOT_AVAILABLE", "MQRC_RESOURCE_PROBLEM")
    failing.calls = ()
    for _ in range(100):
        queue.put(bytes(1000), persistent=False)
    assert queue.depth == put + 100
    qmgr.close()
