"""Units of work: what is visible when, order and counts after a backout, who ends a unit."""

from __future__ import annotations

import threading

import pytest

import ternmq
from ternmq import XID, QueueManager
from ternmq import constants as mq
from tests.battery.places import Place, Task, until, waiters

pytestmark = pytest.mark.core


def fail_after(*work: object) -> None:
    """What an application does when something is wrong."""
    raise ternmq.NoMessage(2, mq.MQRC_NO_MSG_AVAILABLE, detail=f"{len(work)} things were done")


def data(queue: ternmq.Queue) -> list[bytes]:
    return [message.data for message in queue.browse()]


def test_put_inside_is_counted_but_not_seen_until_commit(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    other = qmgr.connect()
    with qmgr.queue("A") as queue, other.queue("A") as theirs:
        with qmgr.unit_of_work():
            queue.put(b"x")
            assert (queue.depth, theirs.depth) == (1, 1)
            assert theirs.try_get() is None
            assert data(theirs) == []
        assert theirs.get().data == b"x"


def test_get_inside_hides_the_message_and_backout_brings_it_back(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    other = qmgr.connect()
    with qmgr.queue("A") as queue, other.queue("A") as theirs:
        queue.put(b"x")
        with qmgr.unit_of_work() as unit:
            assert queue.get().data == b"x"
            assert (queue.depth, theirs.depth) == (0, 0)
            assert theirs.try_get() is None
            assert data(theirs) == []
            unit.backout()
        message = theirs.get()
        assert (message.data, message.backout_count) == (b"x", 1)
        assert message.descriptor.backout_count == 1


@pytest.mark.parametrize("persistent", [False, True])
def test_backout_restores_order_and_counts_each_time(qmgr: QueueManager, persistent: bool) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        for number in range(9):
            queue.put(b"%d" % number, priority=number % 3, persistent=persistent)
        order = data(queue)
        assert order == [b"2", b"5", b"8", b"1", b"4", b"7", b"0", b"3", b"6"]
        for times in range(1, 4):
            with qmgr.unit_of_work() as unit:
                got = [queue.get() for _ in range(times + 2)]
                queue.put(b"never", priority=9)
                assert [message.backout_count for message in got] == [
                    sum(1 for before in range(1, times) if place < before + 2)
                    for place in range(times + 2)
                ]
                unit.backout()
            assert data(queue) == order
        counts = [message.backout_count for message in queue]
        assert counts == [3, 3, 3, 2, 1, 0, 0, 0, 0]


def test_commit_shows_puts_in_the_order_of_the_commits(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    other = qmgr.connect()
    with qmgr.queue("A") as queue, other.queue("A") as theirs:
        queue.put(b"early, committed last", syncpoint=True)
        theirs.put(b"late, committed first", syncpoint=True)
        theirs.put(b"outside", syncpoint=False)
        other.commit()
        qmgr.commit()
        assert data(queue) == [b"outside", b"late, committed first", b"early, committed last"]


def test_unit_over_several_queues_happens_whole(place: Place) -> None:
    qmgr = place.qmgr
    for name in "ABC":
        qmgr.define_queue(name)
    qmgr.put("A", b"1", descriptor=ternmq.Descriptor(persistence=1))
    with qmgr.queue("A") as a, qmgr.queue("B") as b, qmgr.queue("C") as c:
        with pytest.raises(ternmq.NoMessage), qmgr.unit_of_work():
            fail_after(b.put(a.get().data, persistent=True), c.put(b"log", persistent=True), c)
        assert (a.depth, b.depth, c.depth) == (1, 0, 0)
        with qmgr.unit_of_work():
            b.put(a.get().data, persistent=True)
            c.put(b"log", persistent=True)
    qmgr = place.crash()
    depths = []
    for name in "ABC":
        with qmgr.queue(name) as queue:
            depths.append(queue.depth)
    assert depths == [0, 1, 1]


def test_syncpoint_if_persistent_takes_only_persistent_ones_inside(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(b"plain", persistent=False)
        queue.put(b"lasting", persistent=True)
        for _ in range(2):
            queue.get(options=mq.MQGMO_SYNCPOINT_IF_PERSISTENT)
        qmgr.backout()
        assert data(queue) == [b"lasting"]


def test_max_uncommitted_limits_a_unit(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    qmgr.alter_qmgr(max_uncommitted=3)
    with qmgr.queue("A") as queue:
        for number in range(2):
            queue.put(b"%d" % number, syncpoint=True)
        qmgr.commit()
        queue.get(syncpoint=True)
        queue.get(syncpoint=True)
        queue.put(b"x", syncpoint=True)
        with pytest.raises(ternmq.MQError) as limit:
            queue.put(b"y", syncpoint=True)
        assert limit.value.reason == mq.MQRC_SYNCPOINT_LIMIT_REACHED
        queue.put(b"outside", syncpoint=False)
        with pytest.raises(ternmq.MQError) as limit:
            queue.get(syncpoint=True)
        assert limit.value.reason == mq.MQRC_SYNCPOINT_LIMIT_REACHED
        qmgr.commit()
        assert data(queue) == [b"outside", b"x"]


def test_disconnect_commits(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    other = qmgr.connect()
    other.queue("A").put(b"x", syncpoint=True)
    other.disconnect()
    with qmgr.queue("A") as queue:
        assert data(queue) == [b"x"]


def test_application_that_fails_is_backed_out(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    qmgr.put("A", b"kept")
    connection = qmgr.connect()
    theirs = connection.queue("A")
    theirs.get(syncpoint=True)
    theirs.put(b"never", syncpoint=True)
    with pytest.raises(ternmq.NoMessage), connection:
        fail_after()
    with qmgr.queue("A") as queue:
        assert data(queue) == [b"kept"]
        assert queue.inquire(mq.MQIA_OPEN_INPUT_COUNT, mq.MQIA_OPEN_OUTPUT_COUNT) == [0, 0]


def test_stop_backs_out_other_connections(place: Place) -> None:
    qmgr = place.qmgr
    qmgr.define_queue("A")
    other = qmgr.connect()
    with qmgr.queue("A") as queue:
        queue.put(b"kept", persistent=True)
    theirs = other.queue("A")
    theirs.get(syncpoint=True)
    theirs.put(b"never", persistent=True, syncpoint=True)
    qmgr = place.restart()
    with qmgr.queue("A") as queue:
        message = queue.get()
        assert (message.data, message.backout_count) == (b"kept", 1)
        assert queue.try_get() is None
    with pytest.raises(ternmq.MQError) as gone:
        theirs.put(b"late")
    gone_reasons = (mq.MQRC_HCONN_ERROR, mq.MQRC_CONNECTION_BROKEN, mq.MQRC_Q_MGR_STOPPING)
    assert gone.value.reason in gone_reasons


def test_second_thread_in_a_verb_is_refused(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    connection = qmgr.connect()
    queue = connection.queue("A")
    waiting = Task(lambda: queue.get(wait=-1))
    until(lambda: waiters(qmgr) == 1)
    for verb in (connection.commit, connection.backout, lambda: queue.depth, connection.disconnect):
        with pytest.raises(ternmq.MQError) as busy:
            verb()
        assert busy.value.reason == mq.MQRC_CALL_IN_PROGRESS
    qmgr.put("A", b"x")
    message = waiting.outcome()
    assert isinstance(message, ternmq.Message)
    assert message.data == b"x"
    connection.disconnect()


def test_second_thread_in_anothers_unit_is_refused(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    queue = qmgr.queue("A")
    queue.put(b"x", syncpoint=True)
    with pytest.raises(ternmq.MQError) as busy:
        Task(lambda: queue.put(b"y")).outcome()
    assert busy.value.reason == mq.MQRC_CALL_IN_PROGRESS
    qmgr.commit()
    Task(lambda: queue.put(b"y")).outcome()
    assert data(queue) == [b"x", b"y"]
    queue.close()


def test_two_connections_in_two_threads_share_a_queue(qmgr: QueueManager, inside: bool) -> None:
    qmgr.define_queue("A")
    connections = [qmgr.connect() for _ in range(4)]
    barrier = threading.Barrier(4)

    def work(number: int) -> list[bytes]:
        connection = connections[number]
        with connection.queue("A") as queue:
            barrier.wait()
            for count in range(25):
                queue.put(b"%d.%d" % (number, count), persistent=count % 5 == 0, syncpoint=inside)
                if inside and count % 5 == 4:
                    connection.commit()
            barrier.wait()
            got = []
            while (message := queue.try_get(syncpoint=inside)) is not None:
                got.append(message.data)
                connection.commit()
            return got

    tasks = [Task(lambda number=number: work(number)) for number in range(4)]  # type: ignore[misc]
    everything: list[bytes] = []
    for task in tasks:
        result = task.outcome()
        assert isinstance(result, list)
        for number in range(4):
            mine = [int(one.split(b".")[1]) for one in result if one.startswith(b"%d." % number)]
            assert mine == sorted(mine)
        everything += result
    assert sorted(everything) == sorted(b"%d.%d" % (n, c) for n in range(4) for c in range(25))


@pytest.mark.parametrize("commit", [False, True])
@pytest.mark.parametrize("crashes", [0, 1, 2])
def test_prepared_unit_stays_in_doubt_until_it_is_ended(
    place: Place, commit: bool, crashes: int
) -> None:
    qmgr = place.qmgr
    qmgr.define_queue("A")
    qmgr.define_queue("B")
    xid = XID(1, b"global", b"branch")
    with qmgr.queue("A") as a, qmgr.queue("B") as b:
        a.put(b"x", persistent=True)
        a.get(syncpoint=True)
        b.put(b"y", persistent=True, syncpoint=True)
        assert qmgr.prepare(xid)
        a.put(b"mine", persistent=True, syncpoint=True)  # the next unit
        qmgr.backout()
    for number in range(crashes):
        if number:
            place.qmgr.checkpoint()
        qmgr = place.crash()
    assert qmgr.in_doubt() == [xid]
    with qmgr.queue("A") as a, qmgr.queue("B") as b:
        assert (data(a), data(b)) == ([], [])
        assert (a.depth, b.depth) == (0, 1)
        if commit:
            qmgr.commit_prepared(xid)
        else:
            qmgr.backout_prepared(xid)
    assert qmgr.in_doubt() == []
    qmgr = place.crash()
    with qmgr.queue("A") as a, qmgr.queue("B") as b:
        assert (data(a), data(b)) == (([], [b"y"]) if commit else ([b"x"], []))
        if not commit:
            assert a.get().backout_count == 1


def test_oldest_unit_is_backed_out_when_the_log_is_full(place: Place) -> None:
    qmgr = place.qmgr
    qmgr.define_queue("A", max_depth=100_000)
    other = qmgr.connect()
    old = other.queue("A")
    old.put(b"old", persistent=True, syncpoint=True)
    with qmgr.queue("A") as queue:
        for _ in range(200):
            queue.put(bytes(16_000), persistent=True)
            queue.get()
        if place.kind == "dual":  # a linear log grows, so that nobody has to go
            old.put(b"more", persistent=True, syncpoint=True)
            other.commit()
            assert queue.depth == 2
            return
        for _ in range(2):  # as long as nobody ends it
            with pytest.raises(ternmq.BackedOut) as caught:
                old.put(b"more", persistent=True, syncpoint=True)
            assert (caught.value.comp, caught.value.reason) == (
                mq.MQCC_FAILED,
                mq.MQRC_BACKED_OUT,
            )
            with pytest.raises(ternmq.BackedOut):
                old.get(syncpoint=True)
            assert old.depth == 0
            old.put(b"outside", persistent=True, syncpoint=False)
            assert old.get(syncpoint=False).data == b"outside"
        other.backout()
        old.put(b"next", persistent=True, syncpoint=True)
        other.commit()
        assert data(queue) == [b"next"]


@pytest.mark.parametrize("verb", ["MQCMIT", "MQDISC"])
def test_unit_that_was_backed_out_when_it_is_to_be_committed_then_a_warning(
    place: Place, verb: str
) -> None:
    qmgr = place.qmgr
    if place.kind == "dual":
        pytest.skip("a linear log grows, so that no unit has to go")
    qmgr.define_queue("A", max_depth=100_000)
    other = qmgr.connect()
    old = other.queue("A")
    for _ in range(2000 if verb == "MQCMIT" else 1):
        old.put(b"old", persistent=True, syncpoint=True)
    with qmgr.queue("A") as queue:
        for _ in range(200):
            queue.put(bytes(16_000), persistent=True)
            queue.get()
        with pytest.raises(ternmq.BackedOut) as caught:
            other.commit() if verb == "MQCMIT" else other.disconnect()
        found = (caught.value.comp, caught.value.reason, caught.value.verb)
        assert found == (mq.MQCC_WARNING, mq.MQRC_BACKED_OUT, verb)
        assert queue.depth == 0
        if verb == "MQCMIT":
            old.put(b"next", persistent=True, syncpoint=True)  # of another unit
            other.disconnect()
            assert data(queue) == [b"next"]
        assert not other.connected


def test_unit_that_was_backed_out_when_another_thread_comes_then_the_first_still_has_to_end_it(
    place: Place,
) -> None:
    qmgr = place.qmgr
    if place.kind == "dual":
        pytest.skip("a linear log grows, so that no unit has to go")
    qmgr.define_queue("A", max_depth=100_000)
    other = qmgr.connect()
    old = other.queue("A")
    old.put(b"old", persistent=True, syncpoint=True)
    with qmgr.queue("A") as queue:
        for _ in range(200):
            queue.put(bytes(16_000), persistent=True)
            queue.get()
    for verb in (lambda: old.put(b"another", syncpoint=True), other.backout):
        with pytest.raises(ternmq.MQError) as refused:
            Task(verb).outcome()
        assert refused.value.reason == mq.MQRC_CALL_IN_PROGRESS
    with pytest.raises(ternmq.BackedOut):
        other.commit()
    Task(lambda: old.put(b"another", syncpoint=False)).outcome()
    assert old.depth == 1
    other.disconnect()


def test_prepare_when_the_format_id_is_too_long_then_refused_and_work_goes_on(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A")
    qmgr.begin()
    qmgr.put("A", b"")
    with pytest.raises(ValueError, match="31 bits"):
        qmgr.prepare(XID(1 << 31, b"global", b""))
    qmgr.commit()
    assert qmgr.queue("A").depth == 1


def test_consume_in_syncpoint_when_it_crashes_before_the_commit_then_the_message_is_back(
    place: Place,
) -> None:
    qmgr = place.qmgr
    qmgr.define_queue("A")
    qmgr.define_queue("B")
    with qmgr.queue("A") as queue:
        for text in (b"one", b"two"):
            queue.put(text, persistent=True)
        for message in queue.consume(wait=None, syncpoint=True):
            qmgr.put("B", message.data, persistent=True)
            if message.data == b"two":
                break
            qmgr.commit()
    qmgr = place.crash()
    with qmgr.queue("A") as queue, qmgr.queue("B") as done:
        assert (data(queue), data(done)) == ([b"two"], [b"one"])
