"""Goal: a unit of work gets and browses what it has put itself and not committed, and nobody else
does; whatever ends it, nothing of such a message is left over.
Method: the battery's queue managers, with crashes; each rule of MQGET that chooses a message is
tried with visible messages beside the unit's own.
"""

from __future__ import annotations

import pytest

import ternmq
from ternmq import XID, Queue, QueueManager
from ternmq import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from tests.battery.places import Place, Task, until, waiters

pytestmark = pytest.mark.core

OPEN = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_BROWSE | mq.MQOO_INQUIRE
FIRST = mq.MQGMO_BROWSE_FIRST
NEXT = mq.MQGMO_BROWSE_NEXT
UNDER = mq.MQGMO_MSG_UNDER_CURSOR
PERSISTENCE = pytest.mark.parametrize("persistent", [False, True], ids=["plain", "persistent"])


def data(queue: Queue) -> list[bytes]:
    return [message.data for message in queue.browse()]


def drained(queue: Queue) -> list[bytes]:
    """What gets inside the unit of work find, until there is nothing more."""
    found = []
    while (message := queue.try_get(syncpoint=True)) is not None:
        found.append(message.data)
    return found


def seen(queue: Queue, options: int) -> bytes | None:
    message = queue.try_get(options=options)
    return None if message is None else message.data


def reason_of(queue: Queue, options: int, syncpoint: bool | None = None) -> int:
    with pytest.raises(ternmq.MQError) as refused:
        queue.get(options=options, syncpoint=syncpoint)
    return refused.value.reason


@PERSISTENCE
@pytest.mark.parametrize("end", ["commit", "back out", "crash"])
def test_put_inside_when_its_own_unit_gets_it_then_nothing_is_left(
    place: Place, persistent: bool, end: str
) -> None:
    qmgr = place.qmgr
    qmgr.define_queue("A")
    queue = qmgr.queue("A")
    for number in range(3):
        queue.put(b"%d" % number, persistent=persistent, syncpoint=True)
    assert queue.depth == 3
    message = queue.get(syncpoint=True)
    assert (message.data, message.backout_count) == (b"0", 0)
    assert queue.get(syncpoint=True).data == b"1"
    assert queue.depth == 1
    left = []
    if end == "commit":
        qmgr.commit()
        left = [b"2"]
    elif end == "back out":
        qmgr.backout()
    assert end == "crash" or (data(queue) == left and queue.depth == len(left))
    qmgr = place.crash()
    with qmgr.queue("A") as queue:
        assert data(queue) == (left if persistent else [])


def test_put_inside_when_others_look_or_a_get_is_outside_then_it_is_not_seen(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A")
    other = qmgr.connect()
    with qmgr.queue("A") as queue, other.queue("A") as theirs:
        with qmgr.unit_of_work():
            queue.put(b"plain", persistent=False)
            assert queue.try_get(syncpoint=False) is None
            assert queue.try_get(options=mq.MQGMO_SYNCPOINT_IF_PERSISTENT) is None
            assert theirs.try_get(syncpoint=True) is None
            assert theirs.try_get() is None
            assert data(theirs) == []
            queue.put(b"lasting", persistent=True)
            got = queue.get(options=mq.MQGMO_SYNCPOINT_IF_PERSISTENT)
            assert got.data == b"lasting"
            assert theirs.depth == 1
        assert data(theirs) == [b"plain"]


@pytest.mark.parametrize("fifo", [False, True], ids=["priority", "fifo"])
def test_own_puts_and_others_then_each_comes_where_the_commit_would_place_it(
    qmgr: QueueManager, fifo: bool
) -> None:
    sequence = mq.MQMDS_FIFO if fifo else mq.MQMDS_PRIORITY
    qmgr.define_queue("A", delivery=sequence)
    with qmgr.queue("A") as queue:
        for number in (5, 1):
            queue.put(b"theirs %d" % number, priority=number)
        for number in (1, 9, 5, 3):
            queue.put(b"mine %d" % number, priority=number, syncpoint=True)
        browsed = data(queue)
        expected = [b"theirs 5", b"theirs 1", b"mine 1", b"mine 9", b"mine 5", b"mine 3"]
        if not fifo:
            expected.sort(key=lambda one: -int(one[-1:]))  # stable: theirs are before mine
        assert browsed == expected
        assert drained(queue) == expected
        qmgr.backout()
        assert len(data(queue)) == 2


def test_own_puts_by_identifier_selector_and_token_then_the_one_that_matches(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A")
    with (
        qmgr.queue("A", options=OPEN) as queue,
        qmgr.queue("A", selector="number > 7") as choosy,
        qmgr.unit_of_work() as unit,
    ):
        for number in range(10):
            queue.put(b"%d" % number, correl_id=b"%d" % number * 24, properties={"number": number})
        wanted = queue.get(correl_id=b"4" * 24)
        assert wanted.data == b"4"
        assert queue.try_get(msg_id=wanted.msg_id) is None
        assert queue.try_get(correl_id=b"x" * 24) is None
        assert choosy.get().data == b"8"
        for _ in range(3):
            shown = queue.get(options=NEXT)
        assert shown.data == b"2"
        assert queue.get(token=shown.token).data == b"2"
        assert queue.try_get(token=shown.token) is None
        assert choosy.get().data == b"9"
        assert choosy.try_get() is None
        assert drained(queue) == [b"0", b"1", b"3", b"5", b"6", b"7"]
        unit.backout()


def test_very_many_own_puts_that_do_not_match_then_the_last_is_found(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue, qmgr.unit_of_work():
        for number in range(600):
            queue.put(b"%d" % number, correl_id=b"%024d" % number, persistent=False)
        assert queue.get(correl_id=b"%024d" % 599).data == b"599"
        assert queue.try_get(correl_id=b"%024d" % 600) is None
        for number in range(599):
            assert queue.get().data == b"%d" % number


def test_wait_when_the_unit_has_a_message_itself_then_it_comes_at_once(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue, qmgr.unit_of_work():
        queue.put(b"mine")
        assert queue.get(wait=-1).data == b"mine"


def test_own_put_that_is_cut_or_has_expired(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue, qmgr.unit_of_work():
        queue.put(b"much too long", persistent=True)
        with pytest.raises(ternmq.Truncated):
            queue.get(max_length=4)
        assert queue.depth == 1
        cut = queue.get(max_length=4, options=mq.MQGMO_ACCEPT_TRUNCATED_MSG)
        assert (cut.data, cut.length, queue.depth) == (b"much", 13, 0)
        queue.put(b"short-lived", descriptor=Descriptor(expiry=1))
        until(lambda: data(queue) == [])
        assert queue.try_get() is None


def test_unit_that_gets_its_own_puts_then_both_count_in_max_uncommitted(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A")
    qmgr.alter_qmgr(max_uncommitted=4)
    with qmgr.queue("A") as queue:
        for _ in range(2):
            queue.put(b"x", syncpoint=True)
            queue.get(syncpoint=True)
        with pytest.raises(ternmq.MQError) as limit:
            queue.put(b"y", syncpoint=True)
        assert limit.value.reason == mq.MQRC_SYNCPOINT_LIMIT_REACHED
        qmgr.commit()
        queue.put(b"y", syncpoint=True)
        qmgr.commit()
        assert data(queue) == [b"y"]


@pytest.mark.parametrize("crashes", [0, 1, 2])
@pytest.mark.parametrize("commit", [False, True])
def test_prepared_unit_that_has_got_its_own_puts_then_the_rest_is_in_doubt(
    place: Place, commit: bool, crashes: int
) -> None:
    qmgr = place.qmgr
    qmgr.define_queue("A")
    xid = XID(1, b"global", b"branch")
    with qmgr.queue("A") as queue:
        queue.put(b"theirs", persistent=True)
        for number in range(4):
            queue.put(b"%d" % number, persistent=True, syncpoint=True)
        for expected in (b"theirs", b"0", b"1"):
            assert queue.get(syncpoint=True).data == expected
        assert qmgr.prepare(xid)
        assert queue.try_get(syncpoint=True) is None
        qmgr.backout()
    for number in range(crashes):
        if number:
            place.qmgr.checkpoint()
        qmgr = place.crash()
    assert qmgr.in_doubt() == [xid]
    with qmgr.queue("A") as queue:
        assert (data(queue), queue.depth) == ([], 2)
        end = qmgr.commit_prepared if commit else qmgr.backout_prepared
        end(xid)
    qmgr = place.crash()
    with qmgr.queue("A") as queue:
        assert data(queue) == ([b"2", b"3"] if commit else [b"theirs"])


# ---- browse


@PERSISTENCE
def test_browse_goes_on_across_the_unit_and_its_commit_then_each_message_once(
    qmgr: QueueManager, persistent: bool
) -> None:
    qmgr.define_queue("A")
    other = qmgr.connect()
    with qmgr.queue("A", options=OPEN) as queue, other.queue("A") as theirs:
        theirs.put(b"a")
        for name in (b"1", b"2", b"3"):
            queue.put(name, persistent=persistent, syncpoint=True)
        assert [seen(queue, FIRST), seen(queue, NEXT), seen(queue, NEXT)] == [b"a", b"1", b"2"]
        theirs.put(b"b")  # it comes before them
        assert seen(queue, NEXT) == b"b"
        assert seen(queue, NEXT) == b"3"
        assert seen(queue, NEXT) is None
        assert queue.get(options=UNDER, syncpoint=True).data == b"3"
        queue.put(b"4", persistent=persistent, syncpoint=True)
        qmgr.commit()
        assert seen(queue, NEXT) == b"4"
        theirs.put(b"c")
        assert seen(queue, NEXT) == b"c"
        assert seen(queue, NEXT) is None
        assert data(theirs) == [b"a", b"b", b"1", b"2", b"4", b"c"]


def test_browse_stands_on_an_own_put_then_under_the_cursor_is_that_one(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    other = qmgr.connect()
    with qmgr.queue("A", options=OPEN) as queue, other.queue("A", options=OPEN) as theirs:
        queue.put(b"1", persistent=True, syncpoint=True)
        queue.put(b"2", persistent=True, syncpoint=True)
        assert seen(queue, FIRST | mq.MQGMO_LOCK) == b"1"
        assert seen(queue, mq.MQGMO_BROWSE_MSG_UNDER_CURSOR) == b"1"
        assert reason_of(queue, UNDER, syncpoint=False) == mq.MQRC_NO_MSG_UNDER_CURSOR
        second = qmgr.queue("A", options=OPEN)
        assert seen(second, FIRST | mq.MQGMO_LOCK) == b"1"  # the lock was given up with the look
        assert queue.get(syncpoint=True).data == b"2"
        assert second.get(options=UNDER, syncpoint=True).data == b"1"
        assert reason_of(second, UNDER, syncpoint=True) == mq.MQRC_NO_MSG_UNDER_CURSOR
        second.close()
        queue.put(b"3", persistent=True, syncpoint=True)
        assert seen(queue, FIRST) == b"3"
        qmgr.commit()
        assert queue.get(options=UNDER).data == b"3"
        queue.put(b"never", syncpoint=True)
        assert seen(queue, FIRST) == b"never"
        qmgr.backout()
        assert reason_of(queue, UNDER) == mq.MQRC_NO_MSG_UNDER_CURSOR
        assert seen(queue, NEXT) is None
        theirs.put(b"later")
        assert seen(queue, NEXT) == b"later"


def test_browse_with_marks_of_own_puts_then_they_are_not_shown_again(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    unmarked = NEXT | mq.MQGMO_UNMARKED_BROWSE_MSG | mq.MQGMO_MARK_BROWSE_HANDLE
    with qmgr.queue("A", options=OPEN) as queue:
        for number in range(2):
            queue.put(b"%d" % number, syncpoint=True)
        assert [seen(queue, unmarked), seen(queue, unmarked)] == [b"0", b"1"]
        assert seen(queue, unmarked ^ NEXT | FIRST) is None
        qmgr.commit()
        assert seen(queue, unmarked ^ NEXT | FIRST) is None
        assert len(data(queue)) == 2


def test_own_put_under_a_browse_lock_when_its_unit_is_backed_out_then_the_lock_is_gone(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A")
    other = qmgr.connect()
    md = Descriptor(
        version=2, group_id=b"g" * 24, msg_seq_number=1, msg_flags=mq.MQMF_LAST_MSG_IN_GROUP
    )
    whole = mq.MQGMO_LOGICAL_ORDER | mq.MQGMO_ALL_MSGS_AVAILABLE
    with qmgr.queue("A", options=OPEN) as queue, other.queue("A") as theirs:
        theirs.put(b"before", descriptor=md)
        assert theirs.get().data == b"before"
        queue.put(b"never", descriptor=md, syncpoint=True)
        assert seen(queue, FIRST | mq.MQGMO_LOCK) == b"never"
        qmgr.backout()
        theirs.put(b"again", descriptor=md)
        assert theirs.get(options=whole).data == b"again"


# ---- what comes with a message


def test_group_in_the_unit_in_logical_order_then_it_is_got_as_a_group(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    order = mq.MQGMO_LOGICAL_ORDER
    with qmgr.queue("A") as queue:
        for number, flags in (
            (2, mq.MQMF_LAST_MSG_IN_GROUP),
            (1, mq.MQMF_MSG_IN_GROUP),
        ):
            md = Descriptor(version=2, group_id=b"g" * 24, msg_seq_number=number, msg_flags=flags)
            queue.put(b"%d" % number, descriptor=md, syncpoint=True)
        queue.put(b"alone", syncpoint=True)
        whole = order | mq.MQGMO_ALL_MSGS_AVAILABLE
        assert [queue.get(options=order, syncpoint=True).data for _ in range(3)] == [
            b"1",
            b"2",
            b"alone",
        ]
        assert queue.try_get(options=whole, syncpoint=True) is None
        qmgr.backout()
        assert queue.depth == 0


def test_streaming_queue_then_the_copy_of_an_own_put_that_was_got_stays(place: Place) -> None:
    qmgr = place.qmgr
    qmgr.define_queue("COPY")
    qmgr.define_queue("A", stream_queue="COPY")
    with qmgr.queue("A") as queue, qmgr.queue("COPY") as copy:
        queue.put(b"x", persistent=True, syncpoint=True)
        assert queue.get(syncpoint=True).data == b"x"
        assert (queue.depth, copy.depth) == (0, 1)
        qmgr.commit()
    qmgr = place.crash()
    with qmgr.queue("A") as queue, qmgr.queue("COPY") as copy:
        assert (data(queue), data(copy)) == ([], [b"x"])


def test_publication_in_the_unit_then_its_own_subscriber_gets_it(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with (
        qmgr.subscribe("sport/#", queue="A"),
        qmgr.topic("sport/football") as topic,
        qmgr.queue("A") as queue,
    ):
        with qmgr.unit_of_work() as unit:
            topic.put(b"goal", syncpoint=True)
            assert queue.get().data == b"goal"
            unit.backout()
        assert queue.depth == 0


def test_reports_on_an_own_put_that_was_got_then_both_come_with_the_commit(
    qmgr: QueueManager,
) -> None:
    for name in ("A", "REPLIES"):
        qmgr.define_queue(name)
    md = Descriptor(report=mq.MQRO_COA | mq.MQRO_COD, reply_to_queue="REPLIES")
    with qmgr.queue("A") as queue, qmgr.queue("REPLIES") as replies:
        for ends in (qmgr.backout, qmgr.commit):
            queue.put(b"x", descriptor=md, persistent=True, syncpoint=True)
            assert queue.get(syncpoint=True).data == b"x"
            ends()
        feedback = [one.descriptor.feedback for one in replies]
        assert feedback == [mq.MQFB_COA, mq.MQFB_COD]
        assert queue.depth == 0


def test_consumer_inside_its_unit_then_it_is_called_with_what_it_has_put(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A")
    got: list[bytes] = []
    connection = qmgr.connect()
    queue = connection.queue("A")

    def called(message: ternmq.Message) -> None:
        got.append(message.data)
        if len(got) < 4:
            queue.put(b"%d" % len(got), persistent=True, syncpoint=True)

    consumer = queue.on_message(called, syncpoint=True)
    queue.put(b"0", persistent=True, syncpoint=True)
    connection.start()
    until(lambda: len(got) == 4)
    connection.stop()
    consumer.close()
    connection.commit()
    assert got == [b"0", b"1", b"2", b"3"]
    assert queue.depth == 0
    connection.disconnect()


@pytest.mark.parametrize("how", ["copy", "publication", "report", "list"])
def test_idle_consumer_when_its_unit_puts_there_by_the_way_then_it_is_called(
    qmgr: QueueManager, how: str
) -> None:
    for name in ("IN", "OUT"):
        qmgr.define_queue(name)
    qmgr.define_queue("A", stream_queue="OUT" if how == "copy" else "")
    got: list[bytes] = []
    connection = qmgr.connect()
    into, out = connection.queue("IN"), connection.queue("OUT")
    md = Descriptor(report=mq.MQRO_COA, reply_to_queue="OUT") if how == "report" else None

    def called(message: ternmq.Message) -> None:
        if how == "publication":
            connection.publish("sport/football", b"", syncpoint=True)
        elif how == "list":
            with connection.open_list(["A", "OUT"]) as both:
                both.put(b"", persistent=True, syncpoint=True)
        else:
            connection.put("A", b"", descriptor=md, syncpoint=True)

    consumers = [
        into.on_message(called, syncpoint=True),
        out.on_message(lambda message: got.append(message.data), syncpoint=True),
    ]
    if how == "publication":
        connection.subscribe("sport/#", queue="OUT")
    connection.start()
    qmgr.put("OUT", b"committed")
    until(lambda: len(got) == 1)
    qmgr.put("IN", b"")
    until(lambda: len(got) == 2)
    connection.stop()
    for one in consumers:
        one.close()
    connection.backout()
    connection.disconnect()


def test_getter_elsewhere_that_waits_then_it_gets_what_the_unit_leaves(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    other = qmgr.connect()
    theirs = other.queue("A")
    waiting = Task(lambda: theirs.get(wait=-1))
    until(lambda: waiters(qmgr) == 1)
    with qmgr.queue("A") as queue, qmgr.unit_of_work():
        queue.put(b"mine")
        queue.put(b"for others")
        assert queue.get().data == b"mine"
    message = waiting.outcome()
    assert isinstance(message, ternmq.Message)
    assert message.data == b"for others"
    other.disconnect()
