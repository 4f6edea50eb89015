"""Goal: accounting of what comes over the network is exact to the call and to the nanosecond of the
clock, and looks at the clock once for many puts; callbacks are counted as far as they are seen.

Method: a partner sends puts without an answer, many in one piece, to a queue manager whose clock
moves on only by being looked at.
"""

from __future__ import annotations

from typing import Any

import pytest

from ternmq.base import constants as mq
from ternmq.base.accounts import TaskAccount, TaskQueueAccount
from ternmq.kernel.meter import ACCTG, STAT
from ternmq.runtime.starting import start_in_memory
from ternmq.wire.fap import vocabulary as fap
from tests.unit.api.ticking import TICK_NS, Ticking
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

SILENT = mq.MQPMO_ASYNC_RESPONSE | mq.MQPMO_NO_SYNCPOINT


class Bench:
    """A partner of a queue manager that accounts for it."""

    def __init__(self, place: Place, partner: Partner, clock: Ticking) -> None:
        self.place = place
        self.partner = partner
        self.clock = clock
        kernel = place.host.engine.kernel
        with place.started.shell.lock:
            kernel.meter.system.start(ACCTG, (3,))
            kernel.meter.system.start(STAT, (1, 5))
            kernel.measure()

    @property
    def account(self) -> TaskAccount:
        (number,) = self.partner.socket.connection_ids
        account = self.place.host.engine.kernel.connections[number].account
        assert account is not None
        return account

    def queue(self, name: str) -> TaskQueueAccount:
        return self.account.queue(name, name)

    def send(self, *puts: tuple[int, bytes]) -> int:
        """Puts, in one piece; how often the clock was looked at."""
        partner = self.partner
        partner.held = []
        for handle, data in puts:
            partner.send_flow(fap.MQPUT, partner.put_values(handle, data, SILENT))
        piece = b"".join(partner.held)
        partner.held = None
        before = self.clock.looks
        partner.socket.data_received(piece)
        return self.clock.looks - before


def on_bench(story: Any) -> None:
    started = start_in_memory("QM1", "mqm", "test")
    clock = Ticking()
    started.shell.engine.clock = clock

    async def reported(place: Place, partner: Partner) -> None:
        await story(Bench(place, partner, clock))

    run_story(reported, started=started)


def test_puts_when_they_come_together_then_one_look_at_the_clock_times_them_all() -> None:
    async def story(bench: Bench) -> None:
        to_a = await bench.partner.open("A", mq.MQOO_OUTPUT)
        few = bench.send(*[(to_a, b"12345")] * 2)
        assert bench.send(*[(to_a, b"123")] * 40) == few
        put = bench.queue("A").put
        assert (put.calls, put.failed) == (42, 0)
        assert put.elapsed_ns == 2 * TICK_NS  # from the bytes to the end, twice
        traffic = bench.queue("A").traffic
        sizes = traffic.plain_puts
        assert (sizes.count, sizes.smallest, sizes.largest, sizes.total) == (42, 3, 5, 130)
        assert bench.queue("A").depth_high == 42

    on_bench(story)


def test_puts_when_two_queues_take_turns_then_each_has_its_time() -> None:
    async def story(bench: Bench) -> None:
        to_a = await bench.partner.open("A", mq.MQOO_OUTPUT)
        to_b = await bench.partner.open("B", mq.MQOO_OUTPUT)
        bench.send((to_a, b"1"), (to_a, b"2"), (to_b, b"3"), (to_b, b"4"), (to_a, b"5"))
        a, b = bench.queue("A").put, bench.queue("B").put
        assert (a.calls, b.calls) == (3, 2)
        assert (a.elapsed_ns, b.elapsed_ns) == (2 * TICK_NS, TICK_NS)

    on_bench(story)


def test_puts_when_some_fail_then_calls_failures_and_time_are_counted() -> None:
    async def story(bench: Bench) -> None:
        bench.place.mqsc("ALTER QLOCAL(A) MAXDEPTH(2)")
        to_a = await bench.partner.open("A", mq.MQOO_OUTPUT)
        bench.send(*[(to_a, b"x")] * 5)
        account = bench.queue("A")
        assert (account.put.calls, account.put.failed) == (5, 3)
        assert account.traffic.failed_puts == 3
        assert account.traffic.plain_puts.count == 2
        assert account.put.elapsed_ns == TICK_NS

    on_bench(story)


def test_puts_when_an_interval_ends_between_them_then_each_account_has_its_own() -> None:
    async def story(bench: Bench) -> None:
        to_a = await bench.partner.open("A", mq.MQOO_OUTPUT)
        bench.send((to_a, b"1"), (to_a, b"2"))
        first = bench.queue("A")
        link = bench.place.host.engine.kernel.connections[bench.partner.socket.connection_ids[0]]
        with bench.place.started.shell.lock:
            link.account = TaskAccount(0, 0)
        bench.send(*[(to_a, b"3")] * 3)
        assert (first.put.calls, first.put.elapsed_ns) == (2, TICK_NS)
        assert (bench.queue("A").put.calls, bench.queue("A").put.elapsed_ns) == (3, TICK_NS)

    on_bench(story)


def test_stream_when_messages_are_drawn_together_then_each_is_a_get() -> None:
    async def story(bench: Bench) -> None:
        both = mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED
        handle = await bench.partner.open("A", both)
        bench.send((handle, b"12"), (handle, b"12345"), (handle, b"123"))
        bench.partner.request(handle, 1 << 20, flags=fap.STREAM)
        account = bench.queue("A")
        assert account.get.calls == 3
        assert (account.gets_any, account.gets_specific) == (3, 0)
        got = account.traffic.plain_gets
        assert (got.count, got.smallest, got.largest, got.total) == (3, 2, 5, 10)
        lay = account.traffic.plain_lay
        assert lay.count == 3
        assert 0 < lay.smallest <= lay.largest
        assert 3 * lay.smallest <= lay.total <= 3 * lay.largest
        assert bench.account.get_sizes.to_99 == 3
        assert account.get.elapsed_ns > 0
        figures = bench.place.host.engine.kernel.locals["A"].figures
        assert figures is not None
        assert (figures.depth_low, figures.depth_high) == (0, 3)
        assert figures.traffic.plain_gets.total == 10

    on_bench(story)


def test_stream_when_it_begins_an_interval_then_the_depth_before_is_seen() -> None:
    async def story(bench: Bench) -> None:
        handle = await bench.partner.open("A", mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED)
        bench.send(*[(handle, b"x")] * 7)
        kernel = bench.place.host.engine.kernel
        with bench.place.started.shell.lock:
            kernel.meter.interval += 1
        bench.partner.request(handle, 1 << 20, flags=fap.STREAM)
        figures = kernel.locals["A"].figures
        assert figures is not None
        assert (figures.depth_low, figures.depth_high) == (0, 7)

    on_bench(story)


def test_callbacks_when_a_client_reports_them_then_they_are_counted() -> None:
    async def story(bench: Bench) -> None:
        partner = bench.partner
        handle = await partner.open("A", mq.MQOO_INPUT_SHARED)
        for code, value in (
            (fap.Q_STATE, 16),
            (fap.CONN_STATE, 2),
            (fap.CONN_STATE, 0),
            (fap.CONN_STATE, 2),
        ):
            partner.send_flow(fap.NOTIFICATION, {"handle": handle, "code": code, "value": value})
        figures = bench.place.host.engine.kernel.meter.figures
        assert figures.callbacks == [1, 0, 0, 0]
        assert figures.controls == [2, 1, 0, 0]
        assert (bench.account.callback.calls, bench.account.control.calls) == (1, 3)

    on_bench(story)


def test_cpu_time_when_the_thread_does_other_things_between_calls_then_it_is_nobodys() -> None:
    async def story(bench: Bench) -> None:
        clock = bench.clock
        both = mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED
        handle = await bench.partner.open("A", both)
        for _ in range(3):
            clock.other_work_ns += 190_000_000
            await bench.partner.put(handle, b"x")
            clock.idle_ns += 500_000_000
            clock.other_work_ns += 40_000
            await bench.partner.get(handle, 100)
        clock.other_work_ns += 190_000_000
        account = bench.queue("A")
        assert (account.open.calls, account.put.calls, account.get.calls) == (1, 3, 3)
        for verb in (account.open, account.put, account.get):
            assert 0 < verb.cpu_ns == verb.elapsed_ns

    on_bench(story)


def test_cpu_time_when_an_account_ends_right_after_the_call_then_it_has_it() -> None:
    async def story(bench: Bench) -> None:
        link = bench.place.host.engine.kernel.connections[bench.partner.socket.connection_ids[0]]
        before = bench.account
        with bench.place.started.shell.lock:
            link.account = TaskAccount(0, 0)
        await bench.partner.open("A", mq.MQOO_OUTPUT)
        account = bench.account
        with bench.place.started.shell.lock:
            link.account = before
        assert account.queue("A", "A").open.cpu_ns > 0

    on_bench(story)
