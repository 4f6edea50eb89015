"""Goal: whoever ends an interval never waits for records; what cannot be kept is counted and told.

Method: work that waits until the test lets it go on, or fails.
"""

from __future__ import annotations

import threading

import pytest

from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_RESOURCE_PROBLEM
from ternmq.outlets.snapshot_queue import LOSES, RESUMED, SnapshotQueue

pytestmark = pytest.mark.core


class Reported:
    def __init__(self) -> None:
        self.lines: list[tuple[object, ...]] = []

    def __call__(self, *words: object) -> None:
        self.lines.append(words)


def test_work_when_added_then_done_in_order_and_before_the_end() -> None:
    done: list[int] = []
    queue = SnapshotQueue("SMF", Reported())
    for number in range(100):
        queue.add(lambda number=number: done.append(number))  # type: ignore[misc]
    queue.end()
    assert done == list(range(100))


def test_work_when_too_much_waits_then_it_is_lost_and_reported_at_both_ends() -> None:
    log = Reported()
    queue = SnapshotQueue("SMF", log, waiting_max=2)
    entered, allowed = threading.Event(), threading.Event()
    done: list[int] = []

    def slow() -> None:
        entered.set()
        allowed.wait()

    queue.add(slow)
    assert entered.wait(10)
    for number in range(5):
        queue.add(lambda number=number: done.append(number))  # type: ignore[misc]
    assert queue.lost == 3
    assert log.lines == [(LOSES, "SMF", "2 snapshots wait for it already")]
    allowed.set()
    assert queue.drain()
    assert done == [0, 1]
    assert log.lines[1:] == [(RESUMED, "SMF", 3)]
    queue.end()


def test_work_when_it_fails_then_the_next_is_done() -> None:
    log = Reported()
    queue = SnapshotQueue("PCF", log)
    done: list[int] = []

    def fails() -> None:
        raise mq_error(MQRC_RESOURCE_PROBLEM, detail="no room")

    queue.add(fails)
    assert queue.drain()
    assert (queue.lost, len(log.lines)) == (1, 1)
    queue.add(lambda: done.append(1))
    queue.end()
    assert done == [1]
    assert log.lines[1:] == [(RESUMED, "PCF", 1)]


def test_end_when_nothing_came_then_there_is_nothing_to_end() -> None:
    queue = SnapshotQueue("SMF", Reported())
    queue.end()
    assert queue.drain()
