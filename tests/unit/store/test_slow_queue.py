"""Goal: the slow queue sweeper's rule, its chains at head and tail, its verification, its counts.
Method: a queue manager whose effects and cycles the test runs one by one; order, priority, expiry,
get by identifier, browse and units of work across swept messages, with and without a restart.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.store.queue import Queue as Storage
from ternmq.store.slow_queue import SPARE_MESSAGES, SWEEP_INTERVAL_NS
from tests.model.rig import Rig

pytestmark = [pytest.mark.core, pytest.mark.promise("P4")]

BODY = 2_000
NAME = "Q"


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig(LogParameters(CIRCULAR, 3, 2, 256, False))
    rig.qmgr.define_queue(
        NAME, max_depth=10_000, persistent_buffer=1 << 30, nonpersistent_buffer=1 << 30
    )
    yield rig
    rig.stop()


def storage(rig: Rig) -> Storage:
    return rig.engine.kernel.locals[NAME].queue


def put(rig: Rig, numbers: range, *, persistent: bool = False, priority: int = 4) -> None:
    with rig.qmgr.queue(NAME) as queue:
        for number in numbers:
            queue.put(
                number.to_bytes(4, "big") * (BODY // 4),
                persistent=persistent,
                priority=priority,
                correl_id=b"C%d" % number,
            )


def got(rig: Rig, count: int = 100_000) -> list[int]:
    found: list[int] = []
    with rig.qmgr.queue(NAME) as queue:
        while len(found) < count:
            message = queue.try_get()
            if message is None:
                break
            found.append(int.from_bytes(message.data[:4], "big"))
    return found


def cycle(rig: Rig) -> None:
    with rig.shell.lock:
        rig.engine.sweeper.cycle()


def swept(rig: Rig) -> None:
    cycle(rig)
    rig.settle()


def test_sweep_when_nobody_gets_then_five_stay_and_order_holds(rig: Rig) -> None:
    put(rig, range(100))
    swept(rig)
    queue = storage(rig)
    assert (queue.available, queue.swept_alive) == (SPARE_MESSAGES, 95)
    assert (queue.service.sweeps, queue.service.messages_swept, queue.service.aborted) == (1, 95, 0)
    assert got(rig) == list(range(100))
    assert queue.service.unsweeps == 1


def test_status_when_swept_then_it_reports(rig: Rig) -> None:
    put(rig, range(100))
    swept(rig)
    with rig.qmgr.queue(NAME) as queue:
        status = queue.storage_status()
    assert (status.queue, status.depth, status.in_memory, status.swept) == (NAME, 100, 5, 95)
    assert (status.sweeps, status.messages_swept, status.segments) == (1, 95, 1)
    assert status.file_bytes > 95 * BODY > status.memory_bytes > 5 * BODY
    rig.qmgr.define_alias("ALIAS", target=NAME)
    with rig.qmgr.queue("ALIAS") as queue:
        assert queue.storage_status().queue == NAME


def test_sweep_when_little_is_in_memory_then_left_alone(rig: Rig) -> None:
    put(rig, range(25))
    swept(rig)
    assert storage(rig).service.sweeps == 0


def test_sweep_when_served_fast_enough_then_left_alone(rig: Rig) -> None:
    put(rig, range(120))
    got(rig, 40)
    swept(rig)
    assert storage(rig).service.sweeps == 0, "80 in memory, 40 got: not more than twice"
    put(rig, range(120, 201))
    got(rig, 40)
    swept(rig)
    assert storage(rig).available == 40 + SPARE_MESSAGES
    assert got(rig) == list(range(80, 201))


def test_sweep_when_priorities_then_the_highest_stay(rig: Rig) -> None:
    put(rig, range(50), priority=1)
    put(rig, range(50, 53), priority=9)
    put(rig, range(53, 103), priority=5)
    swept(rig)
    queue = storage(rig)
    assert [int(queue.lanes[at].front.count) for at in (9, 5, 1)] == [3, 2, 0]
    assert got(rig) == [*range(50, 53), *range(53, 103), *range(50)]


def test_sweep_when_arrivals_since_then_rear_goes_to_the_tail(rig: Rig) -> None:
    put(rig, range(100))
    swept(rig)
    put(rig, range(100, 200))
    assert storage(rig).lanes[4].rear.count == 100
    swept(rig)
    lane = storage(rig).lanes[4]
    assert (len(lane.swept), lane.rear.count, lane.front.count) == (2, 0, 5)
    assert lane.swept[0].first_sequence < lane.swept[1].first_sequence
    assert got(rig) == list(range(200))


def test_sweep_when_the_front_is_long_again_then_chained_at_the_head(rig: Rig) -> None:
    put(rig, range(100))
    swept(rig)
    put(rig, range(100, 200))
    swept(rig)
    assert got(rig, 6) == list(range(6))  # brings the first segment back
    queue = storage(rig)
    swept(rig)
    assert queue.service.sweeps == 2, "a front list that was refilled in the interval is left alone"
    swept(rig)
    lane = queue.lanes[4]
    assert queue.service.sweeps == 3
    assert (len(lane.swept), lane.front.count) == (2, SPARE_MESSAGES)
    assert lane.swept[0].first_sequence < lane.swept[1].first_sequence
    assert got(rig) == list(range(6, 200))


def test_sweep_when_the_next_segment_came_back_meanwhile_then_aborted(rig: Rig) -> None:
    put(rig, range(100))
    swept(rig)
    put(rig, range(100, 200))
    swept(rig)
    got(rig, 6)
    swept(rig)
    cycle(rig)  # the front list is being written
    queue = storage(rig)
    assert queue.sweeping
    connection = rig.qmgr.connect()
    with connection.queue(NAME) as handle:
        for number in range(6, 102):  # more than the front list holds
            message = handle.get()
            assert int.from_bytes(message.data[:4], "big") == number
    connection.disconnect()
    rig.settle()
    assert queue.service.aborted == 1
    assert got(rig) == list(range(102, 200))


def test_sweep_when_targets_are_got_meanwhile_then_they_are_dead_or_locked(rig: Rig) -> None:
    put(rig, range(100), persistent=True)
    cycle(rig)
    connection = rig.qmgr.connect()
    handle = connection.queue(NAME)
    for number in (10, 20):
        handle.get(correl_id=b"C%d" % number)
    connection.begin()
    for number in (30, 40):
        handle.get(correl_id=b"C%d" % number)
    rig.settle()
    assert storage(rig).service.sweeps == 1
    connection.backout()
    left = [number for number in range(100) if number not in (10, 20)]
    assert got(rig) == left
    handle.close()
    connection.disconnect()


def test_sweep_when_a_get_is_backed_out_between_then_it_keeps_its_place(rig: Rig) -> None:
    put(rig, range(100))
    connection = rig.qmgr.connect()
    handle = connection.queue(NAME)
    connection.begin()
    for number in (50, 98):
        handle.get(correl_id=b"C%d" % number)
    swept(rig)
    put(rig, range(100, 200))
    swept(rig)
    connection.backout()
    assert got(rig) == list(range(200))
    handle.close()
    connection.disconnect()


def test_rear_sweep_when_older_ones_came_back_to_the_rear_then_order_holds(rig: Rig) -> None:
    put(rig, range(100))
    connection = rig.qmgr.connect()
    handle = connection.queue(NAME)
    connection.begin()
    for number in (97, 98, 99):
        handle.get(correl_id=b"C%d" % number)
    swept(rig)
    put(rig, range(100, 200))
    cycle(rig)  # the rear list is being written
    connection.backout()
    rig.settle()
    assert got(rig) == list(range(200))
    handle.close()
    connection.disconnect()


@pytest.mark.parametrize("clean", [True, False])
def test_restart_when_swept_then_everything_is_right(rig: Rig, clean: bool) -> None:
    put(rig, range(100), persistent=True)
    swept(rig)
    put(rig, range(100, 200), persistent=True)
    swept(rig)
    assert got(rig, 10) == list(range(10))
    swept(rig)
    swept(rig)
    if clean:
        rig.stop()
    rig.start()
    with rig.qmgr.queue(NAME) as queue:
        seen = [int.from_bytes(message.data[:4], "big") for message in queue.browse()]
        assert seen == list(range(10, 200))
        for number in (150, 17, 199):
            assert queue.get(correl_id=b"C%d" % number).data[:4] == number.to_bytes(4, "big")
    left = [number for number in range(10, 200) if number not in (150, 17, 199)]
    assert got(rig) == left


def test_time_when_five_seconds_pass_then_a_cycle(rig: Rig) -> None:
    put(rig, range(100))
    with rig.shell.lock:
        rig.engine.tick()
        rig.clock.ns += SWEEP_INTERVAL_NS - 1
        rig.engine.tick()
        assert storage(rig).service.keep == -1
        rig.clock.ns += 1
        rig.engine.tick()
    rig.settle()
    assert storage(rig).swept_alive == 95


def test_sweep_when_it_expires_then_it_is_gone_and_counted(rig: Rig) -> None:
    with rig.qmgr.queue(NAME) as queue:
        for number in range(100):
            expiry = 1.0 if number % 2 else None
            queue.put(number.to_bytes(4, "big") * (BODY // 4), expiry=expiry)
    swept(rig)
    rig.clock.ns += 2_000_000_000
    rig.expire()
    rig.settle()
    assert storage(rig).depth == 50
    assert got(rig) == list(range(0, 100, 2))


def test_reserve_when_swept_then_the_gets_of_the_next_interval_bring_nothing_back(
    rig: Rig,
) -> None:
    """What the reserve is for (TPF newsletter): the next MQGET does not unsweep the queue."""
    put(rig, range(500))
    assert got(rig, 5) == list(range(5))
    swept(rig)
    queue = storage(rig)
    assert queue.available == 5 + SPARE_MESSAGES
    for _ in range(5):
        got(rig, 1)
        rig.settle()
    assert (queue.available, queue.service.unsweeps) == (SPARE_MESSAGES, 0)


@pytest.mark.parametrize("gets", [5, 20, 100])
def test_slow_reader_then_a_message_is_written_and_read_a_few_times_only(
    rig: Rig, gets: int
) -> None:
    """One get a second on 1,000 messages rewrote and reread all of them every ten seconds."""
    put(rig, range(1000))
    queue = storage(rig)
    found: list[int] = []
    while len(found) < 1000:
        swept(rig)
        for _ in range(gets):
            found += got(rig, 1)
            rig.settle()
    assert found == list(range(1000))
    assert queue.service.messages_swept <= 5 * 1000
    assert queue.service.sweeps <= 1000 // gets


def test_fast_reader_then_segments_come_before_they_are_needed(rig: Rig) -> None:
    put(rig, range(1000))
    got(rig, 200)
    swept(rig)
    queue = storage(rig)
    assert queue.swept_alive > 400
    for _ in range(700):
        assert queue.lanes[4].front.head is not None, "the getter would have to wait"
        got(rig, 1)
        rig.settle()
