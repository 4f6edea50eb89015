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


@pytest.mark.parametrize("is_known", [False, True])
def test_answer_when_the_application_goes_as_its_room_comes_then_the_message_goes_back(
    tmp_path: Path, is_known: bool
) -> None:
    """Between the end of a connection and the loop's word of it, a socket takes every answer."""
    with Served(tmp_path) as served, served.connect() as putter:
        assert served.host is not None
        host = served.host
        room = host.turns.room
        putter.define_queue("Q")
        queue = putter.queue("Q")
        queue.put(b"opens the queue: later there is no room for that answer")
        queue.get()
        before = set(host.sessions)
        application = Raw(tmp_path)
        (session,) = set(host.sessions) - before
        application.get(wait=60_000)
        until(lambda: len(host.engine.kernel.waiting) == 1)
        in_loop(served, lambda: room.limit(0))
        queue.put(bytes(LONG), persistent=True)
        until(lambda: room.waiting == 1)

        def go() -> None:
            room.limit(3 * LONG)
            room.tick()
            application.close()
            if is_known:
                assert session._transport is not None
                served._loop.call_soon(session._transport.close)

        in_loop(served, go)
        until(lambda: len(host.sessions) == 1)
        assert queue.depth == 1
