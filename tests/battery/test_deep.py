"""Deep queues: messages that were swept to segments keep order, identifiers, counts and locks.

The buffers are as small as they can be, so that nearly everything lies on the disk; stops, crashes
and checkpoints come in the middle.
"""

from __future__ import annotations

from typing import Any

import pytest

from ternmq import Queue, QueueManager
from ternmq import constants as mq
from tests.battery.places import Place, needs_engine, sweep, until

pytestmark = [pytest.mark.core, pytest.mark.timeout(60)]

SMALL = 65_536


def define(qmgr: QueueManager, **attributes: Any) -> None:
    qmgr.define_queue(
        "A",
        max_depth=1_000_000,
        persistent_buffer=SMALL,
        nonpersistent_buffer=SMALL,
        **attributes,
    )


def correl(number: int) -> bytes:
    return b"%024d" % number


def numbers(queue: Queue) -> list[int]:
    return [int(message.data) for message in queue]


@pytest.mark.walk
def test_twenty_thousand_messages_are_drained_in_order(qmgr: QueueManager) -> None:
    define(qmgr)
    with qmgr.queue("A") as queue:
        for number in range(20_000):
            queue.put(b"%d" % number)
        assert sweep(qmgr, "A") > 10_000
        assert queue.depth == 20_000
        assert numbers(queue) == list(range(20_000))
        assert queue.depth == 0


@pytest.mark.parametrize("persistent", [False, True])
def test_puts_and_gets_of_a_deep_queue_keep_priority_order(
    qmgr: QueueManager, persistent: bool, inside: bool
) -> None:
    define(qmgr)
    expected: dict[int, list[int]] = {0: [], 5: [], 9: []}
    found: dict[int, list[int]] = {0: [], 5: [], 9: []}
    with qmgr.queue("A") as queue:
        for number in range(600):
            priority = (0, 5, 9)[number % 3]
            body = (b"%d" % number).ljust(1_500)
            queue.put(body, priority=priority, persistent=persistent, syncpoint=inside)
            expected[priority].append(number)
            if inside and number % 20 == 19:
                qmgr.commit()
            if number % 4 == 3:
                message = queue.try_get(syncpoint=inside)
                if message is not None:
                    found[message.priority].append(int(message.data))
                    if number % 8 == 7:
                        qmgr.commit()
        qmgr.commit()
        while (message := queue.try_get(syncpoint=inside)) is not None:
            found[message.priority].append(int(message.data))
        qmgr.commit()
    assert found == expected


@pytest.mark.parametrize("persistent", [False, True])
def test_gets_by_id_find_swept_messages(qmgr: QueueManager, persistent: bool, inside: bool) -> None:
    define(qmgr)
    with qmgr.queue("A") as queue:
        ids = [
            queue.put(
                (b"%d" % number).ljust(1_000),
                correl_id=correl(number % 50),
                persistent=persistent,
            )
            for number in range(500)
        ]
        assert sweep(qmgr, "A") > 300
        for number in (499, 250, 7, 8, 350):
            message = queue.get(msg_id=ids[number], syncpoint=inside)
            assert int(message.data) == number
            assert message.correl_id == correl(number % 50)
            assert queue.try_get(msg_id=ids[number]) is None
        qmgr.commit()
        by_correl = []
        while (next_one := queue.try_get(correl_id=correl(0), syncpoint=inside)) is not None:
            by_correl.append(int(next_one.data))
        assert by_correl == [n for n in range(0, 500, 50) if n not in (250, 350)]
        qmgr.backout()
        left = [n for n in range(500) if n not in (499, 250, 7, 8, 350)]
        if not inside:
            left = [n for n in left if n % 50 != 0]
        assert numbers(queue) == left


def test_token_of_a_swept_message_finds_it(qmgr: QueueManager) -> None:
    define(qmgr)
    with qmgr.queue("A") as queue:
        for number in range(200):
            queue.put((b"%d" % number).ljust(2_000))
        assert sweep(qmgr, "A") > 100
        tokens = [message.token for message in queue.browse()]
        assert len({token[:4] for token in tokens}) == 1  # all name the same queue
        for number in (150, 3, 199):
            assert int(queue.get(token=tokens[number]).data) == number
            assert queue.try_get(token=tokens[number]) is None


def test_backout_of_swept_messages_restores_them_in_place(place: Place) -> None:
    qmgr = place.qmgr
    define(qmgr)
    with qmgr.queue("A") as queue:
        for number in range(300):
            queue.put((b"%d" % number).ljust(1_000), correl_id=correl(number), persistent=True)
        assert sweep(qmgr, "A") > 100
        for number in (5, 250, 120, 299, 0):
            queue.get(correl_id=correl(number), syncpoint=True)
        assert queue.depth == 295
        qmgr.backout()
        assert queue.depth == 300
        counts = {int(message.data): message.backout_count for message in queue.browse()}
        assert list(counts) == list(range(300))
        assert {number for number, count in counts.items() if count} == {5, 250, 120, 299, 0}
    with place.crash().queue("A") as queue:
        counts = {int(message.data): message.backout_count for message in queue}
        assert list(counts) == list(range(300))
        assert {number for number, count in counts.items() if count == 1} == {5, 250, 120, 299, 0}


@pytest.mark.parametrize("checkpoints", [False, True])
def test_stops_and_crashes_in_the_middle_lose_and_double_nothing(
    place: Place, checkpoints: bool
) -> None:
    define(place.qmgr)
    expected: list[int] = []
    number = 0
    for round_number in range(6):
        qmgr = place.qmgr
        with qmgr.queue("A") as queue:
            for _ in range(60):
                lasting = number % 3 != 0
                queue.put((b"%d" % number).ljust(2_000), persistent=lasting)
                expected.append(number)
                number += 1
            if checkpoints:
                qmgr.checkpoint()
            for _ in range(20):
                assert int(queue.get(syncpoint=True).data) == expected.pop(0)
            qmgr.commit()
            queue.get(syncpoint=True)  # of a unit that never ends
            queue.put(b"never", persistent=True, syncpoint=True)
        if round_number % 2:
            qmgr.backout()
            place.restart()
        else:
            place.crash()
        expected = [one for one in expected if one % 3 != 0]
    with place.qmgr.queue("A") as queue:
        assert queue.depth == len(expected)
        assert numbers(queue) == expected


def test_plain_messages_of_class_high_outlive_a_stop_but_no_crash(place: Place) -> None:
    define(place.qmgr, nonpersistent_class="HIGH")
    place.qmgr.define_queue("N")
    for name in ("A", "N"):
        with place.qmgr.queue(name) as queue:
            for number in range(200):
                queue.put((b"%d" % number).ljust(1_000), persistent=number % 10 == 0)
    qmgr = place.restart()
    with qmgr.queue("A") as queue:
        assert [int(message.data) for message in queue.browse()] == list(range(200))
        assert [int(queue.get().data) for _ in range(50)] == list(range(50))
    with qmgr.queue("N") as queue:
        assert numbers(queue) == list(range(0, 200, 10))
    qmgr = place.restart()
    with qmgr.queue("A") as queue:
        assert [int(message.data) for message in queue.browse()] == list(range(50, 200))
    qmgr = place.crash()
    with qmgr.queue("A") as queue:
        assert numbers(queue) == list(range(50, 200, 10))


def test_sparse_segments_are_compacted_and_keep_their_order(place: Place) -> None:
    qmgr = place.qmgr
    define(qmgr)
    with qmgr.queue("A") as queue:
        for number in range(2_000):
            lasting = number % 2 == 0
            queue.put(b"%d" % number, correl_id=correl(number), persistent=lasting, syncpoint=True)
            if number % 200 == 199:
                qmgr.commit()
        assert sweep(qmgr, "A") > 1_000
        qmgr.checkpoint()
        for number in range(2_000):
            if number % 16:
                queue.get(correl_id=correl(number), syncpoint=True)
            if number % 200 == 199:
                qmgr.commit()
        for _ in range(3):
            qmgr.checkpoint()
            qmgr.started.shell.run_effects()
        assert [int(message.data) for message in queue.browse()] == list(range(0, 2_000, 16))
        assert int(queue.get(correl_id=correl(1_600)).data) == 1_600
    with place.crash().queue("A") as queue:
        assert numbers(queue) == [n for n in range(0, 2_000, 16) if n != 1_600]


def test_expired_messages_leave_a_deep_queue(qmgr: QueueManager) -> None:
    define(qmgr)
    shell = qmgr.started.shell
    clock = shell.engine.clock
    with qmgr.queue("A") as queue:
        for number in range(400):
            expiry = 0.1 if number % 4 else None
            queue.put((b"%d" % number).ljust(1_000), expiry=expiry, persistent=number % 2 == 0)
        assert sweep(qmgr, "A") > 100
        end = clock.now_ns() + 150_000_000
        until(lambda: clock.now_ns() > end)
        assert [int(message.data) for message in queue.browse()] == list(range(0, 400, 4))
        with shell.lock:
            shell.engine.begin_expiry_scan()
            while shell.engine.scan_expired(100):
                pass
            shell.flush()
        until(lambda: queue.depth == 100)
        assert numbers(queue) == list(range(0, 400, 4))


def test_segments_of_a_drained_queue_are_removed(place: Place) -> None:
    needs_engine(place.qmgr)
    qmgr = place.qmgr
    define(qmgr)
    disk = qmgr.started.shell.disk
    with qmgr.queue("A") as queue:
        for number in range(100):
            queue.put((b"%d" % number).ljust(10_000), persistent=number % 2 == 0)
        assert sweep(qmgr, "A") > 50
        qmgr.checkpoint()
        folder = qmgr.started.shell.engine.kernel.locals["A"].queue.folder
        assert any(name.endswith(".seg") for name in disk.list(folder))
        assert numbers(queue) == list(range(100))
        for _ in range(3):
            qmgr.checkpoint()
        until(lambda: not any(name.endswith(".seg") for name in disk.list(folder)))
        assert queue.inquire(mq.MQIA_CURRENT_Q_DEPTH) == [0]
