"""Goal: a consumer's get waits while other verbs of its connection go on; whoever serves it, what
the answer of such a verb waits for stays, and the get is in a unit of work that goes on.
Method: a queue manager that the test drives, with a get that waits on a connection that puts,
commits and backs out; then a crash.
"""

from __future__ import annotations

import pytest

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.ending import back_out, commit
from ternmq.kernel.get import get, get_returnable, resume
from ternmq.kernel.put import put
from ternmq.kernel.requests import GetCall
from ternmq.kernel.resolve import open_queue
from ternmq.kernel.returning import take_back
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.mqi.getting import get_request
from ternmq.mqi.putting import put_request
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_disk import SimDisk

pytestmark = pytest.mark.core

OPEN = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT


class Consuming:
    """A connection with two queues, on which gets wait beside its verbs."""

    def __init__(self) -> None:
        self.disk = SimDisk()
        create(self.disk, LogParameters(CIRCULAR, 3, 2, 256, False))
        self.machine = Machine(self.disk)
        for name in ("A", "B"):
            self.machine.define(name)
        self.kernel = self.machine.kernel
        self.link = self.machine.connect()

    def open(self, name: str, link: Connection | None = None, selector: str = "") -> Handle:
        handle = open_queue(
            self.kernel, link or self.link, name, "", "AMQ.*", OPEN, selector=selector
        )
        assert handle is not None
        return handle

    def get(self, handle: Handle, wait: int = 0, sync: bool = True, msg_id: bytes = b"") -> GetCall:
        options = mq.MQGMO_SYNCPOINT if sync else mq.MQGMO_NO_SYNCPOINT
        gmo = GetOptions(options=options | (mq.MQGMO_WAIT if wait else 0), wait_interval=wait)
        md = Descriptor(msg_id=msg_id) if msg_id else Descriptor()
        call = get(self.kernel, handle.connection, handle, get_request(md, gmo, 1024))
        call.beside = wait != 0
        assert call.waiting == (wait != 0)
        return call

    def put(
        self,
        handle: Handle,
        data: bytes,
        persistent: bool = True,
        sync: bool = True,
        priority: int = 0,
    ) -> None:
        link = handle.connection
        pmo = PutOptions(options=mq.MQPMO_SYNCPOINT if sync else mq.MQPMO_NO_SYNCPOINT)
        md = Descriptor(persistence=int(persistent), priority=priority)
        request = put_request(self.kernel, link, md, pmo, "MQPUT")
        assert put(self.kernel, link, handle, request, data) is not None

    def held(self, name: str) -> tuple[int, int]:
        """Uncommitted gets and the depth."""
        queue = self.kernel.locals[name].queue
        return int(queue.uncommitted_gets), int(queue.depth)


@pytest.fixture
def bench() -> Consuming:
    return Consuming()


def test_commit_when_its_own_consumer_looks_before_the_answer_then_it_is_still_forced(
    bench: Consuming,
) -> None:
    handle = bench.open("A")
    bench.get(handle, -1, msg_id=b"x" * 24)
    bench.put(handle, b"own")
    commit(bench.kernel, bench.link)
    durable_at = bench.link.durable_at
    assert durable_at > bench.machine.engine.log.forced_lsn
    bench.machine.settle()  # it looks because of the put, and finds nothing
    assert bench.link.durable_at == durable_at


@pytest.mark.parametrize("other", [False, True])
def test_put_when_another_connection_serves_the_consumer_before_the_answer_then_still_forced(
    bench: Consuming, other: bool
) -> None:
    handle, elsewhere = bench.open("A"), bench.open("B")
    call = bench.get(handle, -1, sync=other)
    bench.put(elsewhere, b"persistent", sync=False)
    durable_at = bench.link.durable_at
    assert durable_at > bench.machine.engine.log.forced_lsn
    theirs = bench.open("A", bench.machine.connect())
    bench.put(theirs, b"for the consumer", persistent=False, sync=False)
    assert call.entry is not None
    assert bench.link.durable_at == durable_at


def test_commit_when_it_serves_its_own_consumer_then_that_get_is_in_the_next_unit(
    bench: Consuming,
) -> None:
    handle = bench.open("A")
    call = bench.get(handle, -1)
    bench.put(handle, b"own")
    commit(bench.kernel, bench.link)
    assert call.entry is not None
    assert bench.held("A") == (1, 0)
    commit(bench.kernel, bench.link)
    assert bench.held("A") == (0, 0)
    bench.machine.force(bench.machine.engine.log.end_lsn)
    assert Machine(bench.disk.survivor()).browse("A") == []


def test_backout_when_its_own_consumer_waits_then_that_get_is_in_the_next_unit(
    bench: Consuming,
) -> None:
    handle = bench.open("A")
    bench.put(handle, b"theirs", sync=False)
    assert bench.get(handle).entry is not None
    call = bench.get(bench.open("A"), -1)
    back_out(bench.kernel, bench.link)
    assert bench.link.unit is None
    assert (bench.held("A"), call.waiting) == ((0, 1), False)
    resume(bench.kernel, call)
    assert bench.held("A") == (1, 0)
    commit(bench.kernel, bench.link)
    assert bench.held("A") == (0, 0)


def test_consumer_that_looks_at_own_puts_in_steps_when_one_comes_before_its_place_then_found(
    bench: Consuming,
) -> None:
    handle = bench.open("A")
    for _ in range(600):
        bench.put(handle, b"not this", persistent=False)
    choosy = bench.open("A", selector="JMSPriority = 7")
    gmo = GetOptions(options=mq.MQGMO_SYNCPOINT | mq.MQGMO_WAIT, wait_interval=-1)
    request = get_request(Descriptor(), gmo, 1024)
    call = get_returnable(bench.kernel, bench.link, choosy, request, True)
    assert bench.link.again
    bench.put(handle, b"this", persistent=False, priority=7)
    while call.entry is None and not call.waiting:
        resume(bench.kernel, call)
    assert call.entry is not None
    assert call.entry.data == b"this"


def test_own_put_when_its_get_is_taken_back_then_another_consumer_gets_it(
    bench: Consuming,
) -> None:
    handle = bench.open("A")
    bench.put(handle, b"own")
    gmo = GetOptions(options=mq.MQGMO_SYNCPOINT)
    request = get_request(Descriptor(), gmo, 1024)
    call = get_returnable(bench.kernel, bench.link, handle, request, True)
    assert call.entry is not None
    waiting = bench.get(bench.open("A"), -1)
    take_back(bench.kernel, call)
    bench.machine.settle()
    assert waiting.entry is not None
    assert waiting.entry.data == b"own"
    assert bench.held("A") == (0, 0)
    commit(bench.kernel, bench.link)
    assert bench.held("A") == (0, 0)
