"""Goal: a signal handler that raises anything (sys.exit on SIGTERM, a timeout on SIGALRM) loses no
message and leaves no lock. Method: a handler runs in the middle of a step, or where a verb waits
for the engine's lock between two of its steps. On plain files: compiled, no handler runs in a step.
"""

import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

import ternmq
from ternmq.host.step_lock import StepLock
from ternmq.store.queue import Queue
from ternmq.values.entry import Entry
from tests.mqi import mqi

pytestmark = pytest.mark.promise("P1")


class TooLate(Exception):
    """What an application's alarm raises."""


class InterruptedLock(StepLock):  # type: ignore[misc]  # final to checkers, not to Python
    """Somebody else has it when it is taken for the n-th time, and then a signal comes."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __new__(cls, at: int) -> "InterruptedLock":
        made: InterruptedLock = super().__new__(cls)
        return made

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return super().acquire(blocking, timeout)

    __enter__ = acquire


@pytest.fixture
def restored() -> Iterator[None]:
    before = signal.getsignal(signal.SIGUSR2)
    yield
    signal.signal(signal.SIGUSR2, before)


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit, TooLate])
def test_whatever_a_handler_raises_inside_a_step_then_no_message_is_lost(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    restored: None,
    raised: type[BaseException],
) -> None:
    def handle(number: int, frame: FrameType | None) -> None:
        raise raised

    def unlist(queue: Queue, entry: Entry, state: int) -> None:
        signal.raise_signal(signal.SIGUSR2)

    signal.signal(signal.SIGUSR2, handle)
    with ternmq.embedded(tmp_path, "QM1", create=True) as qmgr:
        qmgr.define_queue("Q")
        queue = qmgr.queue("Q")
        for data in (b"1", b"2"):
            queue.put(data, persistent=True)
        with monkeypatch.context() as patch:
            patch.setattr(Queue, "_unlist", unlist)
            with pytest.raises(raised):
                queue.get()
        with pytest.raises(ternmq.Unavailable, match=raised.__name__):
            queue.get()
    with ternmq.embedded(tmp_path, "QM1") as qmgr, qmgr.queue("Q") as queue:
        assert [message.data for message in queue] == [b"1", b"2"]


def test_an_interrupt_between_the_steps_of_a_backout_then_it_is_backed_out_whole() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("Q")
        queue = qmgr.queue("Q")
        qmgr.begin()
        for _ in range(1000):
            queue.put(b"")
        shell = mqi(qmgr).shell
        shell.stop_housekeeper()  # it may hold the lock that is replaced
        lock = InterruptedLock(2)
        shell.lock = lock  # type: ignore[assignment]
        shell.forcer.lock = shell.lock
        with pytest.raises(KeyboardInterrupt):
            qmgr.backout()
        assert lock.left < 0
        assert queue.depth == 0
        qmgr.begin()
        queue.put(b"goes on")
        qmgr.commit()
        assert [message.data for message in queue] == [b"goes on"]


def test_an_interrupt_between_the_steps_of_a_search_then_nothing_stays_of_it() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("Q")
        queue = qmgr.queue("Q")
        for number in range(1000):
            queue.put(b"", correl_id=b"%d" % number)
        browse = queue.browse(correl_id=b"999")
        assert len(list(browse)) == 1  # its handle is open now
        shell = mqi(qmgr).shell
        shell.stop_housekeeper()  # it may hold the lock that is replaced
        shell.lock = InterruptedLock(2)  # type: ignore[assignment]
        shell.forcer.lock = shell.lock
        with pytest.raises(KeyboardInterrupt):
            next(queue.browse(correl_id=b"999"))
        cursors = [len(held.cursors) for held in shell.engine.kernel.catalog.queues.values()]
        assert sum(cursors) == 1  # that of the handle
        assert len(list(queue)) == 1000
