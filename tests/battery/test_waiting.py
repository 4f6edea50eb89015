"""Waiting gets: who is woken by what, fairness, hand-over of messages, and the ends of a wait."""

from __future__ import annotations

import itertools

import pytest

import ternmq
from ternmq import QueueManager
from ternmq import constants as mq
from tests.battery.places import Place, Task, until, waiters

pytestmark = pytest.mark.core


def wait_for(qmgr: QueueManager, name: str, **wanted: object) -> Task:
    """A get without end on a connection of its own."""

    def work() -> ternmq.Message:
        with qmgr.connect() as connection, connection.queue(name) as queue:
            return queue.get(wait=-1, **wanted)  # type: ignore[arg-type]

    before = waiters(qmgr)
    task = Task(work)
    until(lambda: waiters(qmgr) > before or not task.is_alive())
    return task


def got(task: Task) -> bytes:
    message = task.outcome()
    assert isinstance(message, ternmq.Message)
    return message.data


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("get_inside", [False, True])
def test_waiter_is_woken_by_a_put(
    qmgr: QueueManager, inside: bool, get_inside: bool, persistent: bool
) -> None:
    qmgr.define_queue("A")
    task = wait_for(qmgr, "A", syncpoint=get_inside)
    with qmgr.queue("A") as queue:
        queue.put(b"x", persistent=persistent, syncpoint=inside)
        if inside:
            assert task.is_alive()
            qmgr.commit()
        assert got(task) == b"x"
        assert queue.depth == 0


def test_waiter_is_woken_by_a_backout(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(b"x")
        queue.get(syncpoint=True)
        task = wait_for(qmgr, "A")
        qmgr.backout()
        message = task.outcome()
        assert isinstance(message, ternmq.Message)
        assert (message.data, message.backout_count) == (b"x", 1)


def test_waiter_for_an_id_is_not_woken_by_others(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    one, two = b"1" * 24, b"2" * 24
    by_msg = wait_for(qmgr, "A", msg_id=one)
    by_correl = wait_for(qmgr, "A", correl_id=two)
    with qmgr.queue("A") as queue:
        queue.put(b"neither")
        queue.put(b"also not", msg_id=two, correl_id=one)
        assert waiters(qmgr) == 2
        queue.put(b"second", msg_id=two, correl_id=two)
        assert got(by_correl) == b"second"
        queue.put(b"first", msg_id=one, correl_id=two)
        assert got(by_msg) == b"first"
        assert [message.data for message in queue] == [b"neither", b"also not"]


@pytest.mark.parametrize("persistent", [False, True])
def test_many_waiters_each_get_one(qmgr: QueueManager, persistent: bool, inside: bool) -> None:
    qmgr.define_queue("A")
    tasks = [wait_for(qmgr, "A") for _ in range(8)]
    with qmgr.queue("A") as queue:
        for number in range(8):
            queue.put(b"%d" % number, persistent=persistent, syncpoint=inside)
        qmgr.commit()
        assert sorted(got(task) for task in tasks) == [b"%d" % number for number in range(8)]
        assert queue.depth == 0


def test_one_waiter_is_kept_hot_and_none_starves(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    counts = [0, 0, 0, 0]
    served: list[int] = []

    def work(number: int) -> None:
        with qmgr.connect() as connection, connection.queue("A") as queue:
            for message in queue.consume():
                if message.data == b"end":
                    return
                counts[number] += 1
                served.append(number)

    tasks = [Task(lambda number=number: work(number)) for number in range(4)]  # type: ignore[misc]
    until(lambda: waiters(qmgr) == 4)
    with qmgr.queue("A") as queue:
        for number in range(400):
            queue.put(b"%d" % number)
            until(lambda: waiters(qmgr) == 4)
        for _ in range(4):
            queue.put(b"end")
    for task in tasks:
        task.outcome()
    assert sum(counts) == 400
    assert min(counts) > 0
    # All wait whenever a message comes, so the same one gets nearly all of them.
    assert sum(1 for a, b in itertools.pairwise(served) if a == b) > 200


@pytest.mark.parametrize("persistent", [False, True])
def test_message_handed_over_is_neither_lost_nor_doubled_by_a_crash(
    place: Place, persistent: bool
) -> None:
    qmgr = place.qmgr
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        for number in range(5):
            task = wait_for(qmgr, "A")
            queue.put(b"%d" % number, persistent=persistent)
            assert got(task) == b"%d" % number
        queue.put(b"stays", persistent=True)
    qmgr = place.crash()
    with qmgr.queue("A") as queue:
        assert [message.data for message in queue.browse()] == [b"stays"]
        queue.put(b"next", persistent=True)
        assert [message.data for message in queue] == [b"stays", b"next"]


def test_message_handed_over_has_all_that_a_queued_one_has(qmgr: QueueManager) -> None:
    qmgr.define_queue("A", default_priority=3)
    task = wait_for(qmgr, "A")
    with qmgr.queue("A") as queue:
        msg_id = queue.put("text", correl_id=b"c" * 24, expiry=100.0)
        message = task.outcome()
        assert isinstance(message, ternmq.Message)
        assert (message.msg_id, message.correl_id) == (msg_id, b"c" * 24)
        assert (message.text, message.priority, message.persistent) == ("text", 3, False)
        assert 900 < message.descriptor.expiry <= 1000
        assert message.put_time is not None
        assert message.token != bytes(16)


def test_waiting_browser_and_getter_both_see_a_message(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    browser = wait_for(qmgr, "A", options=mq.MQGMO_BROWSE_NEXT)
    getter = wait_for(qmgr, "A")
    qmgr.put("A", b"x")
    assert got(browser) == b"x"
    assert got(getter) == b"x"


def test_wait_ends_when_its_time_is_over(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        assert queue.try_get(wait=0.01) is None
        assert waiters(qmgr) == 0
        with pytest.raises(ternmq.NoMessage):
            queue.get(wait=0.01, msg_id=b"1" * 24)
        queue.put(b"x")
        assert queue.get(wait=0.01).data == b"x"


@pytest.mark.parametrize("alias", [False, True])
def test_wait_ends_when_gets_are_inhibited(qmgr: QueueManager, alias: bool) -> None:
    qmgr.define_queue("A")
    qmgr.define_alias("ALIAS", "A")
    task = wait_for(qmgr, "ALIAS" if alias else "A")
    qmgr.alter_queue("ALIAS" if alias else "A", get="DISABLED")
    with pytest.raises(ternmq.Inhibited) as refused:
        task.outcome()
    assert refused.value.reason == mq.MQRC_GET_INHIBITED


def test_wait_ends_when_the_queue_manager_quiesces(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    failing = wait_for(qmgr, "A")
    shell = qmgr.started.shell
    with shell.lock:
        shell.engine.quiesce()
        shell.flush()
    with pytest.raises(ternmq.Unavailable) as quiescing:
        failing.outcome()
    assert quiescing.value.reason == mq.MQRC_Q_MGR_QUIESCING
    with pytest.raises(ternmq.Unavailable):
        qmgr.connect()
    with qmgr.queue("A") as queue:
        for verb in (lambda: queue.put(b"x"), lambda: queue.get()):
            with pytest.raises(ternmq.Unavailable) as quiescing:
                verb()
            assert quiescing.value.reason == mq.MQRC_Q_MGR_QUIESCING


def test_wait_ends_when_the_queue_manager_stops(place: Place) -> None:
    qmgr = place.qmgr
    qmgr.define_queue("A")
    task = wait_for(qmgr, "A")
    place.restart()
    with pytest.raises(ternmq.MQError) as stopping:
        task.outcome()
    assert stopping.value.reason in (mq.MQRC_Q_MGR_STOPPING, mq.MQRC_HCONN_ERROR)


def test_wait_on_an_expired_message_goes_on(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(b"soon gone", expiry=0.1)
        clock = qmgr.started.shell.engine.clock
        end = clock.now_ns() + 110_000_000
        while clock.now_ns() < end:
            pass
        task = wait_for(qmgr, "A")
        assert task.is_alive()
        queue.put(b"x")
        assert got(task) == b"x"


@pytest.mark.parametrize("ending", ["unlock", "next", "get", "close"])
@pytest.mark.parametrize("selector", ["", "colour = 'red'"])
def test_waiter_is_woken_when_a_browse_lock_ends(
    qmgr: QueueManager, ending: str, selector: str
) -> None:
    qmgr.define_queue("A")
    options = mq.MQOO_INPUT_SHARED | mq.MQOO_BROWSE | mq.MQOO_OUTPUT
    with qmgr.connect() as connection, qmgr.queue("A", options=options) as queue:
        msg_id = queue.put(b"locked", properties={"colour": "red"})
        wanted = None
        if ending == "next":
            queue.put(b"next", properties={"colour": "blue"})
            wanted = None if selector else msg_id
        queue.get(options=mq.MQGMO_BROWSE_FIRST | mq.MQGMO_LOCK)
        if ending == "get":  # the lock ends, and the message is gone
            queue.get(options=mq.MQGMO_MSG_UNDER_CURSOR, syncpoint=True)
        chosen = connection.queue("A", selector=selector) if selector else connection.queue("A")
        task = Task(lambda: chosen.get(wait=-1, msg_id=wanted))
        until(lambda: waiters(qmgr) == 1)
        if ending == "unlock":
            assert queue.try_get(options=mq.MQGMO_UNLOCK) is None
        elif ending == "next":
            queue.get(options=mq.MQGMO_BROWSE_NEXT | mq.MQGMO_LOCK)
        elif ending == "get":
            qmgr.backout()
        else:
            queue.close()
        assert got(task) == b"locked"
        chosen.close()
