"""Goal: messages of a chain that is dropped are freed, although no garbage collector sees them.
Method: chains and queue managers that are dropped, and counts of living objects of a size.
"""

import gc
import tracemalloc
from collections.abc import Callable

import pytest

import ternmq
from ternmq.store.chain import Chain
from ternmq.txn.in_log import InLog
from ternmq.values.entry import ZERO_ID, Entry

pytestmark = pytest.mark.core

COUNT = 2_000
BODY_BYTES = 1_000


def entry(number: int) -> Entry:
    return Entry(number, 4, 0, 0, 0, ZERO_ID, ZERO_ID, ZERO_ID, b"", bytes(BODY_BYTES), BODY_BYTES)


def kept(work: Callable[[], None]) -> int:
    """Bytes that are still there after the work."""
    work()
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        work()
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


def test_chain_when_dropped_then_its_messages_are_freed() -> None:
    def work() -> None:
        chain = Chain()
        for number in range(COUNT):
            one = entry(number)
            one.sequence = number + 1
            chain.append(one)

    assert kept(work) < COUNT * BODY_BYTES // 100


def test_list_of_logged_messages_when_dropped_then_they_are_freed() -> None:
    def work() -> None:
        logged = InLog()
        for number in range(COUNT):
            logged.add(entry(number), number + 1)

    assert kept(work) < COUNT * BODY_BYTES // 100


def test_queue_manager_when_dropped_with_messages_then_they_are_freed() -> None:
    def work() -> None:
        with ternmq.memory("QM1") as qmgr:
            qmgr.define_queue("Q", max_depth=COUNT)
            with qmgr.queue("Q") as queue:
                for number in range(COUNT):
                    queue.put(bytes(BODY_BYTES), persistent=number % 2 == 0)

    assert kept(work) < COUNT * BODY_BYTES // 5
