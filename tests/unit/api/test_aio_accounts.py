"""Goal: what accounting says about a task of asyncio is what its own calls took: the application's
work in the same loop is not in it, and a call that waits or lets others in does not work meanwhile.

Method: an embedded queue manager under a clock that moves on only by being looked at and by the
test's word.
"""

from __future__ import annotations

import asyncio

import pytest

from ternmq.api.aio import Connection
from ternmq.base.accounts import TaskAccount
from ternmq.kernel.meter import ACCTG
from ternmq.runtime.aio_embedded import QueueManager
from ternmq.runtime.starting import Started, start_in_memory
from tests.mqi import link_of
from tests.unit.api.faces import in_loop
from tests.unit.api.ticking import Ticking

pytestmark = pytest.mark.core

LONG_NS = 190_000_000


def accounted() -> tuple[Started, Ticking]:
    """A queue manager in memory that accounts for every task."""
    started = start_in_memory("QM1", "mqm", "test")
    clock = Ticking()
    started.shell.engine.clock = clock
    kernel = started.shell.engine.kernel
    with started.shell.lock:
        kernel.meter.system.start(ACCTG, (3,))
        kernel.measure()
    return started, clock


def account_of(connection: Connection) -> TaskAccount:
    account = link_of(connection).account
    assert account is not None
    return account


@in_loop
async def test_cpu_time_when_the_application_works_between_its_calls_then_it_is_not_theirs() -> (
    None
):
    started, clock = accounted()
    async with QueueManager(started) as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            for _ in range(3):
                clock.other_work_ns += LONG_NS
                await queue.put(b"x")
                clock.idle_ns += LONG_NS
                clock.other_work_ns += 30_000
                await queue.get()
        account = account_of(qmgr).queue("A", "A")
        for verb in (account.open, account.put, account.get, account.close):
            assert 0 < verb.cpu_ns == verb.elapsed_ns


@in_loop
async def test_times_when_a_reader_of_a_stream_waits_then_the_wait_is_not_in_them() -> None:
    started, clock = accounted()
    async with QueueManager(started) as qmgr, qmgr.connect() as other:
        await qmgr.define_queue("A", retain="size", retain_megabytes=1)
        stream = other.stream("A")
        bounds = await stream.bounds()
        before = account_of(other).other
        elapsed_ns, cpu_ns = before.elapsed_ns, before.cpu_ns
        reader = asyncio.create_task(stream.read(bounds.next, wait=10))
        for _ in range(5):
            await asyncio.sleep(0)
        clock.other_work_ns += LONG_NS
        await qmgr.put("A", b"x")
        assert len(await reader) == 1
        after = account_of(other).other
        assert 0 < after.cpu_ns - cpu_ns < LONG_NS // 2
        assert 0 < after.elapsed_ns - elapsed_ns < LONG_NS // 2
