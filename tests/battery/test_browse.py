"""Browsing: the cursor, what is under it, locks, and marks that handles share."""

from __future__ import annotations

import pytest

import ternmq
from ternmq import Connection, Queue, QueueManager
from ternmq import constants as mq
from tests.battery.places import Place, needs_engine, sweep
from tests.mqi import mqi

pytestmark = pytest.mark.core

FIRST = mq.MQGMO_BROWSE_FIRST
NEXT = mq.MQGMO_BROWSE_NEXT
UNDER = mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
GET_UNDER = mq.MQGMO_MSG_UNDER_CURSOR
LOCK = mq.MQGMO_LOCK
OPEN = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_BROWSE | mq.MQOO_INQUIRE


def filled(qmgr: QueueManager, *priorities: int, spilled: bool = False) -> Queue:
    """A queue A with one message for each priority, on a handle that can do everything."""
    qmgr.define_queue("A", nonpersistent_buffer=65_536, persistent_buffer=65_536)
    queue = qmgr.queue("A", options=OPEN)
    for number, priority in enumerate(priorities):
        body = b"%d" % number
        queue.put(body.ljust(30_000) if spilled else body, priority=priority, persistent=True)
    if spilled:
        assert sweep(qmgr, "A") > 0
    return queue


def look(queue: Queue, options: int) -> int:
    message = queue.try_get(options=options)
    return -1 if message is None else int(message.data)


def reason_of(queue: Queue, options: int) -> int:
    with pytest.raises(ternmq.MQError) as refused:
        queue.get(options=options)
    return refused.value.reason


@pytest.mark.parametrize("spilled", [False, True])
def test_first_and_next_walk_in_the_order_of_delivery(qmgr: QueueManager, spilled: bool) -> None:
    queue = filled(qmgr, 0, 5, 0, 5, 9, 0, 0, spilled=spilled)
    order = [4, 1, 3, 0, 2, 5, 6]
    assert [look(queue, NEXT) for _ in order] == order  # a new cursor is before the first
    assert look(queue, NEXT) == -1
    assert [look(queue, FIRST), look(queue, FIRST), look(queue, NEXT)] == [4, 4, 1]
    assert queue.depth == len(order)


def test_next_does_not_see_what_came_before_the_cursor(qmgr: QueueManager) -> None:
    queue = filled(qmgr, 5, 5)
    assert [look(queue, NEXT), look(queue, NEXT)] == [0, 1]
    queue.put(b"2", priority=9)
    queue.put(b"3", priority=1)
    assert [look(queue, NEXT), look(queue, NEXT)] == [3, -1]
    assert look(queue, FIRST) == 2


@pytest.mark.parametrize("spilled", [False, True])
def test_under_cursor_shows_and_gets_the_same_message(qmgr: QueueManager, spilled: bool) -> None:
    queue = filled(qmgr, 0, 0, 0, 0, 0, spilled=spilled)
    assert reason_of(queue, UNDER) == mq.MQRC_NO_MSG_UNDER_CURSOR
    for wanted in range(4):
        assert look(queue, NEXT if wanted else FIRST) == wanted
    assert [look(queue, UNDER), look(queue, UNDER)] == [3, 3]
    assert look(queue, GET_UNDER) == 3
    assert reason_of(queue, UNDER) == mq.MQRC_NO_MSG_UNDER_CURSOR
    assert reason_of(queue, GET_UNDER) == mq.MQRC_NO_MSG_UNDER_CURSOR
    assert look(queue, NEXT) == 4
    assert [int(message.data) for message in queue] == [0, 1, 2, 4]


@pytest.mark.parametrize("spilled", [False, True])
def test_get_under_cursor_inside_and_backed_out_comes_back(
    qmgr: QueueManager, spilled: bool
) -> None:
    queue = filled(qmgr, 0, 0, 0, 0, 0, spilled=spilled)
    for _ in range(4):
        look(queue, NEXT)
    message = queue.get(options=GET_UNDER, syncpoint=True)
    assert int(message.data) == 3
    assert queue.depth == 4
    qmgr.backout()
    assert [(int(m.data), m.backout_count) for m in queue] == [
        (0, 0),
        (1, 0),
        (2, 0),
        (3, 1),
        (4, 0),
    ]


def test_under_cursor_when_another_took_it_then_no_message(qmgr: QueueManager) -> None:
    queue = filled(qmgr, 0, 0)
    assert look(queue, FIRST) == 0
    with qmgr.queue("A") as other:
        other.get()
    assert reason_of(queue, UNDER) == mq.MQRC_NO_MSG_UNDER_CURSOR
    assert look(queue, NEXT) == 1


def test_browse_by_id_skips_the_others(qmgr: QueueManager) -> None:
    queue = filled(qmgr)
    for number in range(10):
        queue.put(b"%d" % number, correl_id=b"%024d" % (number % 3))
    with qmgr.queue("A") as other:
        found = [int(message.data) for message in other.browse(correl_id=b"%024d" % 1)]
    assert found == [1, 4, 7]


@pytest.mark.parametrize("spilled", [False, True])
def test_lock_hides_a_message_from_all_others(qmgr: QueueManager, spilled: bool) -> None:
    queue = filled(qmgr, 0, 0, 0, 0, 0, spilled=spilled)
    connection = qmgr.connect()
    other = connection.queue("A", options=OPEN)
    for _ in range(3):
        look(queue, NEXT)
    assert look(queue, NEXT | LOCK) == 3
    assert [look(other, NEXT) for _ in range(5)] == [0, 1, 2, 4, -1]
    assert [look(other, 0) for _ in range(5)] == [0, 1, 2, 4, -1]
    assert look(queue, UNDER | LOCK) == 3
    assert look(queue, GET_UNDER) == 3
    assert queue.depth == 0


def test_lock_ends_by_unlock_next_browse_and_close(qmgr: QueueManager) -> None:
    queue = filled(qmgr, 0, 0)
    connection = qmgr.connect()
    other = connection.queue("A", options=OPEN)
    assert look(queue, FIRST | LOCK) == 0
    assert look(other, FIRST) == 1
    assert queue.try_get(options=mq.MQGMO_UNLOCK) is None
    assert look(other, FIRST) == 0
    assert reason_of(queue, mq.MQGMO_UNLOCK) == mq.MQRC_NO_MSG_LOCKED
    assert look(queue, FIRST | LOCK) == 0
    assert look(queue, NEXT | LOCK) == 1  # moves the lock
    assert [look(other, FIRST), look(other, NEXT)] == [0, -1]
    queue.close()
    assert [look(other, FIRST), look(other, NEXT)] == [0, 1]


def test_lock_ends_when_its_application_vanishes(qmgr: QueueManager) -> None:
    needs_engine(qmgr)
    queue = filled(qmgr, 0)
    other = qmgr.connect()
    assert look(other.queue("A", options=OPEN), FIRST | LOCK) == 0
    assert look(queue, 0) == -1
    mqi(other).disconnect(vanished=True)
    assert look(queue, 0) == 0


def test_message_under_anothers_lock_is_not_under_the_cursor(qmgr: QueueManager) -> None:
    queue = filled(qmgr, 0)
    connection = qmgr.connect()
    other = connection.queue("A", options=OPEN)
    assert look(queue, FIRST) == 0
    assert look(other, FIRST | LOCK) == 0
    assert reason_of(queue, UNDER) == mq.MQRC_NO_MSG_UNDER_CURSOR
    assert reason_of(queue, GET_UNDER) == mq.MQRC_NO_MSG_UNDER_CURSOR


def co_op(connection: Connection) -> Queue:
    return connection.queue("A", options=OPEN | mq.MQOO_CO_OP)


@pytest.mark.parametrize("spilled", [False, True])
def test_co_operating_browsers_see_each_message_once(qmgr: QueueManager, spilled: bool) -> None:
    filled(qmgr, 0, 0, 0, 0, 0, 0, spilled=spilled)
    step = NEXT | mq.MQGMO_UNMARKED_BROWSE_MSG | mq.MQGMO_MARK_BROWSE_CO_OP
    one, two = co_op(qmgr.connect()), co_op(qmgr.connect())
    seen = [look(one, step), look(one, step), look(two, step), look(one, step), look(two, step)]
    assert seen == [0, 1, 2, 3, 4]
    alone = qmgr.connect().queue("A", options=OPEN)
    assert look(alone, NEXT | mq.MQGMO_UNMARKED_BROWSE_MSG) == 0  # does not co-operate


def test_mark_runs_out_after_the_interval(qmgr: QueueManager) -> None:
    filled(qmgr, 0)
    qmgr.alter_qmgr(mark_interval_ms=0)
    step = FIRST | mq.MQGMO_UNMARKED_BROWSE_MSG | mq.MQGMO_MARK_BROWSE_CO_OP
    one, two = co_op(qmgr.connect()), co_op(qmgr.connect())
    assert look(one, step) == 0
    assert look(two, step) == 0


def test_mark_of_a_handle_is_its_own(qmgr: QueueManager) -> None:
    queue = filled(qmgr, 0, 0)
    connection = qmgr.connect()
    other = connection.queue("A", options=OPEN)
    step = FIRST | mq.MQGMO_UNMARKED_BROWSE_MSG | mq.MQGMO_MARK_BROWSE_HANDLE
    assert [look(queue, step), look(queue, step), look(queue, step)] == [0, 1, -1]
    assert look(other, step) == 0
    assert look(queue, FIRST | mq.MQGMO_UNMARK_BROWSE_HANDLE) == 0
    assert look(queue, step) == 0


def test_unmark_makes_a_message_visible_to_co_operators_again(qmgr: QueueManager) -> None:
    filled(qmgr, 0, 0)
    step = FIRST | mq.MQGMO_UNMARKED_BROWSE_MSG | mq.MQGMO_MARK_BROWSE_CO_OP
    one, two = co_op(qmgr.connect()), co_op(qmgr.connect())
    assert [look(one, step), look(two, step), look(one, step)] == [0, 1, -1]
    assert look(one, FIRST | mq.MQGMO_UNMARK_BROWSE_CO_OP) == 0
    assert look(two, step) == 0


def test_truncated_browse_moves_the_cursor_only_if_accepted(qmgr: QueueManager) -> None:
    queue = filled(qmgr)
    queue.put(b"first message")
    queue.put(b"second message")
    with pytest.raises(ternmq.Truncated):
        queue.get(max_length=3, options=NEXT)
    accepted = queue.get(max_length=3, options=NEXT | mq.MQGMO_ACCEPT_TRUNCATED_MSG)
    assert (accepted.data, accepted.length) == (b"fir", 13)
    assert queue.get(options=NEXT).data == b"second message"


def test_browse_of_a_deep_queue_survives_gets_puts_and_sweeps(place: Place) -> None:
    needs_engine(place.qmgr)
    qmgr = place.qmgr
    queue = filled(qmgr)
    for number in range(60):
        queue.put((b"%d" % number).ljust(8_000))
    seen = []
    connection = qmgr.connect()
    other = connection.queue("A", options=OPEN)
    for number in range(20):
        seen.append(look(queue, NEXT))
        other.get(syncpoint=number % 2 == 0)  # those before and under the cursor go
        other.put((b"%d" % (60 + number)).ljust(8_000))
        qmgr.started.shell.run_effects()
    connection.backout()
    while (number := look(queue, NEXT)) >= 0:
        seen.append(number)
    assert seen == list(range(80))
    left = [int(message.data) for message in queue]
    assert left == [*range(0, 20, 2), *range(20, 80)]


def test_browse_past_many_segments_that_a_unit_of_work_holds(qmgr: QueueManager) -> None:
    """More of them than the queue keeps pages."""
    queue = filled(qmgr)
    ids: list[bytes] = []
    for number in range(8):
        body = (b"%d" % number).ljust(30_000)
        ids.extend([queue.put(body, persistent=True) for _ in range(4)])
        sweep(qmgr, "A")
    last = queue.put(b"100", persistent=True)
    other = qmgr.connect()
    taken = 0
    with other.queue("A") as taking:
        for msg_id in ids:
            taken += taking.try_get(msg_id=msg_id, syncpoint=True) is not None
        assert taken == len(ids)
        assert look(queue, FIRST) == 100
        assert look(queue, NEXT) == -1
        other.backout()
    assert queue.get(msg_id=last).data == b"100"
    assert len([look(queue, FIRST)] + [look(queue, NEXT) for _ in ids[1:]]) == len(ids)
