"""Goal: applications on the local socket that do not read are in the bound of answers for all, and
what was got for them goes back.

Method: applications ask for long messages, before and after these come, and read nothing. What the
room holds is looked at, the timer's look is taken by hand, then everything must be on the queue.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.battery.places import until
from tests.integration.test_orderly_stop import LONG, Raw
from tests.unit.api.served import Served

MANY = 8


def in_loop(served: Served, do: Callable[[], object]) -> None:
    done = threading.Event()

    def play() -> None:
        do()
        done.set()

    served._loop.call_soon_threadsafe(play)
    assert done.wait(10)


@pytest.mark.parametrize("is_late", [False, True])
def test_gets_when_nobody_reads_then_all_together_are_bounded(
    tmp_path: Path, is_late: bool
) -> None:
    with Served(tmp_path) as served, served.connect() as putter:
        assert served.host is not None
        room = served.host.turns.room
        kernel = served.host.engine.kernel
        putter.define_queue("Q")
        queue = putter.queue("Q")
        in_loop(served, lambda: room.limit(3 * LONG))
        applications = [Raw(tmp_path) for _ in range(MANY)]
        if is_late:
            for one in applications:
                one.get(wait=60_000)
            until(lambda: len(kernel.waiting) == MANY)
        for _ in range(MANY):
            queue.put(bytes(LONG), persistent=True)
        if not is_late:
            for one in applications:
                one.get(wait=60_000)
        until(lambda: room.waiting > 0)
        assert 0 < room.held_bytes <= room.bytes_max + 2 * LONG
        notices = kernel.notices
        for _ in range(MANY):
            in_loop(served, room.look)
        until(lambda: any(one.message_id == "AMQ9206E" for one in notices.take()))
        for one in applications:
            one.close()
        until(lambda: queue.depth == MANY)
        until(lambda: room.held_bytes == 0)
        assert room.waiting == 0
