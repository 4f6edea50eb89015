"""Goal: one of several waiting gets stays the one that is served, and none starves. Method: gets
that wait again as soon as they are served, on a queue manager that the test drives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from ternmq.base import constants as mq
from ternmq.kernel.connection import Handle
from ternmq.kernel.get import get
from ternmq.kernel.requests import GetCall
from ternmq.kernel.resolve import open_queue
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.values.get_request import GetRequest
from tests.model.rig import Rig

pytestmark = pytest.mark.core


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig(LogParameters(CIRCULAR, 3, 2, 256, False))
    rig.qmgr.define_queue("Q")
    yield rig
    rig.stop()


class Waiting:
    """Gets of several connections, each of which waits again when it was served."""

    def __init__(self, rig: Rig, count: int, options: int) -> None:
        self.rig = rig
        self.request = GetRequest(options)
        self.request.wait_ms = 1_000_000
        self.request.syncpoint = options & mq.MQGMO_SYNCPOINT != 0
        self.handles: list[Handle] = []
        for _ in range(count):
            link = rig.engine.connect("tester", "waiter")
            handle = open_queue(rig.engine.kernel, link, "Q", "", "AMQ.*", mq.MQOO_INPUT_SHARED)
            assert handle is not None
            self.handles.append(handle)
        self.calls: list[GetCall] = [self.wait(number) for number in range(count)]
        self.served: Counter[int] = Counter()

    def wait(self, number: int) -> GetCall:
        handle = self.handles[number]
        call = get(self.rig.engine.kernel, handle.connection, handle, self.request)
        assert call.waiting
        return call

    def serve(self) -> None:
        """One message, and who has it waits again."""
        with self.rig.qmgr.queue("Q") as queue:
            queue.put(b"x", persistent=False)
        for number, call in enumerate(self.calls):
            if call.entry is not None:
                self.served[number] += 1
                self.calls[number] = self.wait(number)


@pytest.mark.parametrize("options", [mq.MQGMO_NO_SYNCPOINT, mq.MQGMO_SYNCPOINT])
def test_waiters_when_messages_come_one_by_one_then_one_stays_hot_and_none_starves(
    rig: Rig, options: int
) -> None:
    waiting = Waiting(rig, 4, options)
    for _ in range(160):
        waiting.serve()
    assert sum(waiting.served.values()) == 160
    assert waiting.served[3] == 150  # the last that came; every sixteenth goes to another
    assert sorted(waiting.served[number] for number in range(3)) == [3, 3, 4]
