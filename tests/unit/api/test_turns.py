"""Goal: a connection is used by one thread at a time, and a unit of work by the one that began it.

Method: two threads on one connection; a signal that interrupts a wait in its last instant.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType

import pytest

import ternmq
from ternmq import constants as mq
from tests.mqi import mqi

pytestmark = pytest.mark.core


def refused_in_a_thread(verb: Callable[[], object]) -> int:
    """The reason that another thread gets; 0 if it may."""
    reasons: list[int] = []

    def call() -> None:
        try:
            verb()
        except ternmq.MQError as error:
            reasons.append(error.reason)
        else:
            reasons.append(0)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    return reasons[0]


def test_second_thread_when_a_unit_is_open_then_call_in_progress(
    mq_qmgr: ternmq.QueueManager, mq_queue: ternmq.Queue
) -> None:
    with mq_qmgr.unit_of_work():
        for _ in range(2):  # before and after its first change
            assert refused_in_a_thread(lambda: mq_queue.put("theirs")) == mq.MQRC_CALL_IN_PROGRESS
            assert refused_in_a_thread(mq_qmgr.commit) == mq.MQRC_CALL_IN_PROGRESS
            assert refused_in_a_thread(mq_qmgr.backout) == mq.MQRC_CALL_IN_PROGRESS
            mq_queue.put("mine")
    assert refused_in_a_thread(lambda: mq_queue.put("theirs")) == 0
    assert [message.text for message in mq_queue] == ["mine", "mine", "theirs"]


def test_second_thread_when_a_get_waits_then_call_in_progress(
    mq_qmgr: ternmq.QueueManager, mq_queue: ternmq.Queue
) -> None:
    got: list[str] = []
    mq_queue.try_get()
    waiting = threading.Thread(target=lambda: got.append(mq_queue.get(wait=-1).text))
    waiting.start()
    while not mqi(mq_qmgr).busy:
        pass
    with pytest.raises(ternmq.MQError) as refused:
        mq_queue.put("x")
    assert refused.value.reason == mq.MQRC_CALL_IN_PROGRESS
    with pytest.raises(ternmq.MQError) as refused:
        mq_qmgr.disconnect()
    assert refused.value.reason == mq.MQRC_CALL_IN_PROGRESS
    with mq_qmgr.connect() as other:
        other.put("DEV.QUEUE.1", "for you")
    waiting.join()
    assert got == ["for you"]


def interrupt_the_waiter(qmgr: ternmq.QueueManager, interrupted: threading.Event) -> None:
    """As soon as the main thread waits for a message, and has let go of the engine. A signal that
    comes just before it blocks is seen when the next one ends the wait, so it is sent again."""
    shell = qmgr.started.shell
    waiting = 0
    while not waiting:
        with shell.lock:
            waiting = len(shell.engine.kernel.waiting)
    while not interrupted.is_set():
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)
        interrupted.wait(0.01)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("syncpoint", [False, True])
def test_get_when_interrupted_as_it_is_served_then_the_message_goes_back(
    mq_qmgr: ternmq.QueueManager, mq_queue: ternmq.Queue, persistent: bool, syncpoint: bool
) -> None:
    with mq_qmgr.connect() as other, other.queue("DEV.QUEUE.1") as theirs:
        interrupted = threading.Event()

        def put_and_raise(number: int, frame: FrameType | None) -> None:
            if not interrupted.is_set():
                interrupted.set()
                theirs.put("just in time", persistent=persistent)
                raise KeyboardInterrupt

        before = signal.signal(signal.SIGUSR1, put_and_raise)
        try:
            thread = threading.Thread(target=interrupt_the_waiter, args=(mq_qmgr, interrupted))
            thread.start()
            with pytest.raises(KeyboardInterrupt):
                mq_queue.get(wait=10, syncpoint=syncpoint)
            thread.join()  # no signal comes after this
        finally:
            signal.signal(signal.SIGUSR1, before)
        mq_qmgr.commit()
        assert theirs.get().text == "just in time"
        assert theirs.depth == 0
