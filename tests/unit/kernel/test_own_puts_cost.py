"""Goal: a unit of work with very many own puts gets them in bounded steps, and what all gets take
together grows with their number and not with its square; nor does a restart.
Method: an engine driven by hand; the steps of each get are counted, and a restart is timed.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from ternmq.admin.commands import objects
from ternmq.base import constants as mq
from ternmq.base.attributes import LOCAL
from ternmq.base.ids import message_token
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.engine.engine import Engine, create_queue_manager
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.ending import commit
from ternmq.kernel.get import get, resume
from ternmq.kernel.put import put
from ternmq.kernel.resolve import open_queue
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.mqi.getting import get_request
from ternmq.mqi.putting import put_request
from ternmq.ports.memory_disk import MemoryDisk
from ternmq.ports.os_clock import OsClock
from ternmq.ports.os_entropy import OsEntropy
from ternmq.values.entry import Entry

pytestmark = pytest.mark.core

OPEN = mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED | mq.MQOO_BROWSE
STEP_MESSAGES_MAX = 256
COUNT = 3000


def correl_id(number: int) -> bytes:
    return b"%024d" % number


class Bench:
    """An engine, one connection and one queue."""

    def __init__(self) -> None:
        disk = self.disk = MemoryDisk()
        parameters = LogParameters(CIRCULAR, 8, 2, 1024, False)
        create_queue_manager(disk, OsClock(), OsEntropy(), "QM", parameters)
        self.start()
        attributes: dict[str, object] = {"max_depth": 100_000}
        objects.define(self.kernel, self.link, LOCAL, "Q", attributes, False)
        self.kernel.max_uncommitted = 1_000_000
        self.handle = self.open()
        self.steps = 0  # of the last get

    def start(self) -> None:
        self.engine = Engine(self.disk, OsClock())
        self.kernel = self.engine.kernel
        self.link: Connection = self.engine.connect("user", "application")

    def open(self, selector: str = "") -> Handle:
        handle = open_queue(self.kernel, self.link, "Q", "", "AMQ.*", OPEN, selector=selector)
        assert handle is not None
        return handle

    def force(self) -> None:
        while self.engine.log.forced_lsn < self.engine.log.end_lsn:
            batch = self.engine.log.take()
            assert batch is not None
            self.engine.files.write(batch)
            self.engine.log.forced(batch)

    def put(self, number: int, sync: bool = True, persistent: bool = False) -> Entry:
        pmo = PutOptions(options=mq.MQPMO_SYNCPOINT if sync else mq.MQPMO_NO_SYNCPOINT)
        md = Descriptor(persistence=int(persistent), correl_id=correl_id(number))
        request = put_request(self.kernel, self.link, md, pmo, "MQPUT")
        entry = put(self.kernel, self.link, self.handle, request, b"%d" % number)
        assert entry is not None
        return entry

    def get(
        self, handle: Handle | None = None, options: int = mq.MQGMO_SYNCPOINT, **wanted: bytes
    ) -> bytes | None:
        """A get to its end; what it was."""
        token = wanted.pop("token", b"")
        gmo = GetOptions(version=3, options=options)
        md = Descriptor(**wanted)  # type: ignore[arg-type]
        if token:
            gmo = GetOptions(version=3, options=options, match_options=mq.MQMO_MATCH_MSG_TOKEN)
            gmo.message_token = token
        request = get_request(md, gmo, 1024)
        call = get(self.kernel, self.link, handle or self.handle, request)
        self.steps = 1
        while call.entry is None and self.link.again:
            self.steps += 1
            resume(self.kernel, call)
        return None if call.entry is None else bytes(call.entry.data)


By = Callable[[Bench, list[Entry], int], bytes | None]


def by_correl_id(bench: Bench, puts: list[Entry], number: int) -> bytes | None:
    return bench.get(correl_id=correl_id(number))


def by_msg_id(bench: Bench, puts: list[Entry], number: int) -> bytes | None:
    return bench.get(msg_id=puts[number].msg_id)


def by_token(bench: Bench, puts: list[Entry], number: int) -> bytes | None:
    queue_id = int(puts[number].queue_id)
    return bench.get(token=message_token(queue_id, 0, 0, int(puts[number].number)))


@pytest.mark.parametrize("by", [by_correl_id, by_msg_id, by_token])
def test_own_puts_by_identifier_in_any_order_then_each_get_is_one_step(by: By) -> None:
    bench = Bench()
    puts = [bench.put(number) for number in range(COUNT)]
    assert by(bench, puts, COUNT - 1) == b"%d" % (COUNT - 1)
    assert 3 <= bench.steps <= 6  # of the first one, which needs the index
    for number in [*range(COUNT - 2, 1000, -1), *range(1001)]:
        assert by(bench, puts, number) == b"%d" % number
        assert bench.steps == 1
    assert bench.get() is None
    assert bench.kernel.locals["Q"].queue.depth == 0


def test_own_puts_with_a_selector_then_all_gets_together_look_at_each_once() -> None:
    bench = Bench()
    choosy = bench.open("JMSPriority = 7")
    for number in range(COUNT):
        bench.put(number)
    assert bench.get(choosy) is None
    looked_at = choosy.selection.looked_at if choosy.selection else 0
    assert looked_at == COUNT
    assert bench.steps >= COUNT // STEP_MESSAGES_MAX
    assert bench.get(choosy) is None
    assert choosy.selection is not None
    assert choosy.selection.looked_at == COUNT


def test_visible_and_own_messages_that_do_not_fit_then_each_is_passed_once() -> None:
    bench = Bench()
    choosy = bench.open("JMSPriority = 7")
    for number in range(2 * COUNT):
        bench.put(number, sync=number < COUNT)
    assert bench.get(choosy) is None
    assert choosy.selection is not None
    assert choosy.selection.looked_at == 2 * COUNT
    narrowed = mq.MQGMO_SYNCPOINT | mq.MQGMO_LOGICAL_ORDER
    assert bench.get(choosy, narrowed) is None
    assert choosy.selection.looked_at == 4 * COUNT
    assert bench.steps <= 2 * COUNT // STEP_MESSAGES_MAX + 6


def test_browse_over_own_puts_that_were_got_then_in_bounded_steps() -> None:
    bench = Bench()
    puts = [bench.put(number) for number in range(COUNT)]
    for number in range(1, COUNT - 1):
        by_msg_id(bench, puts, number)
    assert bench.get(options=mq.MQGMO_BROWSE_FIRST) == b"0"
    assert bench.get(options=mq.MQGMO_BROWSE_NEXT) == b"%d" % (COUNT - 1)
    assert bench.steps >= COUNT // STEP_MESSAGES_MAX
    assert bench.get(options=mq.MQGMO_SYNCPOINT | mq.MQGMO_MSG_UNDER_CURSOR) == b"2999"
    assert bench.get() == b"0"
    assert bench.get() is None


def restart_seconds(count: int) -> float:
    """A restart after a unit of work that has got its own puts, the last first."""
    bench = Bench()
    puts = [bench.put(number, persistent=True) for number in range(count)]
    for number in range(count - 1, 0, -1):
        assert by_msg_id(bench, puts, number) is not None
    commit(bench.kernel, bench.link)
    bench.force()
    begin = time.process_time()
    bench.start()
    took = time.process_time() - begin
    bench.handle = bench.open()
    assert [bench.get(), bench.get()] == [b"0", None]
    return took


def test_restart_after_gets_of_own_puts_then_it_grows_with_their_number() -> None:
    few = min(restart_seconds(400) for _ in range(3))
    many = min(restart_seconds(3200) for _ in range(2))
    assert many < 24 * few  # 8 times as many; the square would be 64
