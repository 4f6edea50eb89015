"""Streams and cursors as applications see them: numbers, ranges, positions; the same in this
process, behind the socket and over the network, before and after a restart."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest

import ternmq
from ternmq import QueueManager
from ternmq import constants as mq
from tests.battery.places import Place, Task, until

pytestmark = pytest.mark.core


def put(qmgr: QueueManager, *data: bytes, name: str = "A", persistent: bool = True) -> None:
    with qmgr.queue(name) as queue:
        for one in data:
            queue.put(one, persistent=persistent)


def data(found: ternmq.StreamRange) -> list[bytes]:
    return [message.data for message in found]


@pytest.fixture
def cursor(place: Place) -> ternmq.QueueCursor:
    place.qmgr.define_queue("A")
    return place.qmgr.cursor("C", "A")


def test_a_range_is_read_again_and_again_without_removing_anything(
    qmgr: QueueManager, cursor: ternmq.QueueCursor
) -> None:
    put(qmgr, b"a", b"b", b"c")
    with qmgr.stream("A") as stream:
        bounds = stream.bounds()
        first = bounds.earliest
        assert bounds.next == first + 3
        assert bounds.cursors == 1
        assert bounds.bytes > 0
        for _ in range(2):
            found = stream.read(first)
            assert data(found) == [b"a", b"b", b"c"]
            assert found.numbers == [first, first + 1, first + 2]
            assert (found.next, found.lost_to, found.end) == (first + 3, 0, first + 3)
            assert found.incarnation == bounds.incarnation
        assert data(stream.read(first + 1, first + 2)) == [b"b"]
        assert data(stream.read(first, count=2)) == [b"a", b"b"]
        assert data(stream.read(first, max_bytes=1)) == [b"a"]
        assert len(stream.read(first + 3)) == 0
    with qmgr.queue("A") as queue:
        assert queue.depth == 3


def test_what_is_got_cleared_or_backed_out_stays_readable(
    place: Place, cursor: ternmq.QueueCursor
) -> None:
    qmgr = place.qmgr
    put(qmgr, b"got", b"cleared")
    with qmgr.queue("A") as queue:
        assert queue.get().data == b"got"
    with qmgr.unit_of_work() as unit:
        qmgr.put("A", b"never")
        unit.backout()
    qmgr.clear_queue("A")
    put(qmgr, b"after")
    assert [message.data for message in cursor] == [b"got", b"cleared", b"after"]
    with qmgr.queue("A") as queue:
        assert queue.depth == 1


def test_numbers_are_given_at_commit(qmgr: QueueManager, cursor: ternmq.QueueCursor) -> None:
    other = qmgr.connect()
    other.begin()
    other.put("A", b"late")
    put(qmgr, b"early")
    other.commit()
    found = cursor.read()
    assert data(found) == [b"early", b"late"]
    assert found.numbers == sorted(found.numbers)


def test_messages_of_a_stream_are_whole(qmgr: QueueManager, cursor: ternmq.QueueCursor) -> None:
    correl_id = b"c" * 24
    with qmgr.queue("A") as queue:
        msg_id = queue.put("täxt", correl_id=correl_id, priority=7, persistent=True)
        queue.put(b"", persistent=False)
    first, second = list(cursor.read())
    assert (first.text, first.msg_id, first.correl_id) == ("täxt", msg_id, correl_id)
    assert (first.priority, first.persistent, first.format) == (7, True, "MQSTR")
    assert first.descriptor.msg_id == msg_id
    assert first.descriptor.priority == 7
    assert first.descriptor.put_appl_name == "battery"
    assert (second.data, second.persistent) == (b"", False)
    assert second.sequence == first.sequence + 1


def test_columns_are_views_of_one_block(qmgr: QueueManager, cursor: ternmq.QueueCursor) -> None:
    put(qmgr, b"one", b"", b"three")
    (block,) = cursor.read().blocks
    assert len(block) == 3
    assert block.numbers == [block.first, block.first + 1, block.last]
    assert len(block.heads) == 3 * 416
    bodies = block.bodies
    offsets = list(block.offsets)
    pairs = pairwise(offsets)
    assert [bytes(bodies[start:end]) for start, end in pairs] == [b"one", b"", b"three"]
    assert [one.data for one in block[1:]] == [b"", b"three"]
    assert block[-1].data == block.data(2) == b"three"
    with pytest.raises(IndexError):
        block.message(3)
    block.check()
    numpy = pytest.importorskip("numpy")
    heads = numpy.frombuffer(block.heads, numpy.dtype(ternmq.HEAD_COLUMNS))
    assert heads["number"].tolist() == block.numbers
    assert heads["data_length"].tolist() == [3, 0, 5]
    assert heads["persistence"].tolist() == [1, 1, 1]
    assert heads["msg_id"][0].tobytes() == block[0].msg_id
    assert heads["put_appl_name"][0].rstrip() == b"battery"
    arrow = pytest.importorskip("pyarrow")
    column = arrow.Array.from_buffers(
        arrow.binary(), 3, [None, arrow.py_buffer(block.offsets), arrow.py_buffer(block.bodies)]
    )
    assert column.to_pylist() == [b"one", b"", b"three"]


def test_part_of_a_block_is_all_that_is_seen(
    qmgr: QueueManager, cursor: ternmq.QueueCursor
) -> None:
    put(qmgr, *[b"%03d" % number * 50 for number in range(60)])
    first = cursor.position
    with qmgr.stream("A") as stream:
        for start, stop in ((0, 60), (10, 50), (59, 60), (0, 1)):
            found = stream.read(first + start, first + stop)
            assert data(found) == [b"%03d" % number * 50 for number in range(start, stop)]
            assert found.numbers == list(range(first + start, first + stop))
            assert found.next == first + stop


def test_all_blocks_come_in_turn(qmgr: QueueManager, cursor: ternmq.QueueCursor) -> None:
    bodies = [b"%04d" % number * 200 for number in range(300)]
    put(qmgr, *bodies)
    with qmgr.stream("A") as stream:
        blocks = list(stream.blocks(cursor.position, max_bytes=50_000))
    assert len(blocks) > 3
    assert [message.data for block in blocks for message in block] == bodies


def test_a_cursor_goes_forward_only_and_lasts(place: Place, cursor: ternmq.QueueCursor) -> None:
    put(place.qmgr, b"a", b"b", b"c")
    start = cursor.position
    assert data(cursor.read(count=2)) == [b"a", b"b"]
    assert cursor.position == start
    assert cursor.advance() == start + 2
    assert cursor.advance(start) == start + 2
    qmgr = place.crash()
    again = qmgr.cursor("C")
    assert (again.queue, again.position) == ("A", start + 2)
    assert data(again.read()) == [b"c"]
    # Numbers that were reserved before the crash are passed over.
    position = again.advance()
    assert position == again.next > start + 2
    qmgr = place.restart()
    assert qmgr.cursor("C", "A", start="earliest").position == position


def test_a_range_is_the_same_after_a_restart(place: Place, cursor: ternmq.QueueCursor) -> None:
    qmgr = place.qmgr
    put(qmgr, *[b"%d" % number * 30 for number in range(20)])
    first = cursor.position
    with qmgr.stream("A") as stream:
        before = stream.read(first)
        incarnation = stream.bounds().incarnation
    for again in (place.crash, place.restart):
        qmgr = again()
        with qmgr.stream("A") as stream:
            found = stream.read(first, incarnation=incarnation)
            assert data(found) == data(before)
            assert found.numbers == before.numbers


def test_numbers_never_repeat_after_a_crash(place: Place, cursor: ternmq.QueueCursor) -> None:
    seen: list[int] = []
    for life in range(3):
        put(place.qmgr, b"kept")
        put(place.qmgr, b"lost", persistent=False)
        reader = place.qmgr.cursor("C")
        seen += reader.read().numbers
        reader.advance()
        assert seen == sorted(set(seen)), life
        place.crash()


def test_another_queue_of_the_same_name_is_another_stream(
    qmgr: QueueManager, cursor: ternmq.QueueCursor
) -> None:
    put(qmgr, b"old")
    with qmgr.stream("A") as stream:
        old = stream.bounds()
        assert len(stream.read(old.earliest, incarnation=old.incarnation)) == 1
    cursor.delete()
    qmgr.delete_queue("A", purge=True)
    qmgr.define_queue("A")
    qmgr.cursor("C", "A")
    put(qmgr, b"new")
    with qmgr.stream("A") as stream:
        new = stream.bounds()
        assert new.incarnation != old.incarnation
        with pytest.raises(ternmq.MQError, match=str(old.incarnation)) as refused:
            stream.read(new.earliest, incarnation=old.incarnation)
        assert refused.value.reason == mq.MQRC_OBJECT_CHANGED
        assert data(stream.read(new.earliest)) == [b"new"]


def test_numbers_outside_the_stream_are_refused_with_both_reported(
    qmgr: QueueManager, cursor: ternmq.QueueCursor
) -> None:
    put(qmgr, b"a", b"b")
    first = cursor.position
    cursor.read()
    with qmgr.stream("A") as stream:
        with pytest.raises(ternmq.MQError, match=f"{first + 9} is above the next one, {first + 2}"):
            stream.read(first + 9)
        if first:
            with pytest.raises(ternmq.MQError) as refused:
                stream.read(first - 1)
            assert refused.value.reason == mq.MQRC_MSG_SEQ_NUMBER_ERROR
            assert f"{first - 1} is below the earliest one, {first}" in refused.value.detail
            found = stream.read(first - 1, skip_lost=True)
            assert (data(found), found.lost_to) == ([b"a", b"b"], first)
    with pytest.raises(ternmq.MQError) as refused:
        cursor.advance(first + 9)
    assert refused.value.reason == mq.MQRC_MSG_SEQ_NUMBER_ERROR


def test_a_queue_without_cursor_has_no_stream(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.stream("A") as stream, pytest.raises(ternmq.MQError) as refused:
        stream.bounds()
    assert refused.value.reason == mq.MQRC_UNKNOWN_OBJECT_NAME
    assert "no stream" in refused.value.detail
    with pytest.raises(ternmq.MQError) as unknown:
        qmgr.stream("NOBODY").bounds()
    assert unknown.value.reason == mq.MQRC_UNKNOWN_OBJECT_NAME


def test_a_cursor_needs_a_queue_once_and_one_queue(
    qmgr: QueueManager, cursor: ternmq.QueueCursor
) -> None:
    qmgr.define_queue("B")
    with pytest.raises(ternmq.MQError) as unknown:
        qmgr.cursor("D")
    assert unknown.value.reason == mq.MQRC_UNKNOWN_OBJECT_NAME
    with pytest.raises(ternmq.MQError, match="is on queue A, not on B") as other:
        qmgr.cursor("C", "B")
    assert other.value.reason == mq.MQRC_OBJECT_ALREADY_EXISTS
    assert qmgr.cursor("C", "A").name == "C"
    for wrong in ("", "no name", "x" * 49):
        with pytest.raises(ValueError, match="is not a name of a cursor"):
            qmgr.cursor(wrong, "A")


def test_a_cursor_starts_where_it_is_asked_to(
    qmgr: QueueManager, cursor: ternmq.QueueCursor
) -> None:
    put(qmgr, b"a", b"b")
    first = cursor.position
    assert qmgr.cursor("C1", "A", start="earliest").position == first
    assert qmgr.cursor("C2", "A", start="latest").position == first + 2
    assert qmgr.cursor("C3", "A", start=first + 1).position == first + 1
    with pytest.raises(ternmq.MQError) as refused:
        qmgr.cursor("C4", "A", start=first + 9)
    assert refused.value.reason == mq.MQRC_MSG_SEQ_NUMBER_ERROR
    with pytest.raises(ValueError, match="negative"):
        qmgr.cursor("C5", "A", start=-1)


def test_a_cursor_at_earliest_finds_what_lies_on_the_queue(place: Place) -> None:
    qmgr = place.qmgr
    qmgr.define_queue("B")
    with qmgr.queue("B") as queue:
        for number in range(300):
            queue.put(b"%d" % number, persistent=True, priority=number % 3)
        queue.put(b"transient")
        queue.get()
        found = qmgr.cursor("FIRST", "B", start="earliest")
        queue.put(b"last", persistent=True)
    expected = [b"%d" % number for number in range(300) if number != 2]
    assert [message.data for message in found] == [*expected, b"transient", b"last"]
    with qmgr.stream("B") as stream:
        assert data(stream.read(found.position, count=2)) == expected[:2]
    qmgr = place.crash()
    kept = [message.data for message in qmgr.cursor("FIRST")]
    assert [one for one in kept if one != b"transient"] == [*expected, b"last"]


def test_reset_goes_back_and_delete_ends(qmgr: QueueManager, cursor: ternmq.QueueCursor) -> None:
    keeper = qmgr.cursor("KEEPER", "A")
    put(qmgr, b"a", b"b")
    first = cursor.position
    cursor.read()
    assert cursor.advance() == first + 2
    assert cursor.reset(first) == first
    assert data(cursor.read()) == [b"a", b"b"]
    assert cursor.reset("latest") == first + 2
    assert cursor.reset("earliest") == first
    cursor.delete()
    with pytest.raises(ternmq.MQError) as gone:
        cursor.advance()
    assert gone.value.reason == mq.MQRC_UNKNOWN_OBJECT_NAME
    assert data(keeper.read()) == [b"a", b"b"]
    keeper.delete()
    with pytest.raises(ternmq.MQError):
        qmgr.stream("A").bounds()


def test_a_read_waits_for_what_comes(place: Place, cursor: ternmq.QueueCursor) -> None:
    qmgr = place.qmgr
    other = qmgr.connect()
    begun = threading.Event()

    def reader() -> list[bytes]:
        begun.set()
        mine = other.cursor("C")
        return [message.data for message in mine.poll()]

    task = Task(reader)
    begun.wait()
    until(lambda: watchers(qmgr) == 1)
    put(qmgr, b"there")
    assert task.outcome() == [b"there"]
    assert watchers(qmgr) == 0


def watchers(qmgr: QueueManager) -> int:
    """How many wait for a message of the stream."""
    shell = qmgr.started.shell
    with shell.lock:
        queues = [one for one in shell.engine.kernel.catalog.queues.values() if one.name == "A"]
        streams = [one.stream for one in queues if one.stream is not None]
        return sum(len(one.watchers) for one in streams)


def test_a_wait_ends_without_a_message(qmgr: QueueManager, cursor: ternmq.QueueCursor) -> None:
    assert cursor.poll(wait=0.01) == []
    assert len(cursor.read(wait=0.6)) == 0
    assert watchers(qmgr) == 0


def test_many_messages_come_in_one_round_trip(
    qmgr: QueueManager, cursor: ternmq.QueueCursor
) -> None:
    put(qmgr, *[b"x"] * 500, persistent=False)
    found = cursor.read()
    assert len(found) == 500
    assert cursor.advance() == cursor.next


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"count": 0}, "count is at least 1"),
        ({"max_bytes": 0}, "max_bytes is at least 1"),
        ({"wait": -1}, "wait is not negative"),
        ({"incarnation": -1}, "an incarnation is from 0"),
    ],
)
def test_arguments_that_cannot_be_are_refused(
    qmgr: QueueManager, given: dict[str, float], wrong: str
) -> None:
    with pytest.raises(ValueError, match=wrong):
        qmgr.stream("A").read(0, **given)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a stream number is from 0"):
        qmgr.stream("A").read(-1)


def test_a_long_message_is_a_block_of_its_own(
    qmgr: QueueManager, cursor: ternmq.QueueCursor
) -> None:
    bodies = [b"small", b"L" * 2_000_000, b"small again"]
    put(qmgr, *bodies, persistent=False)
    found: list[bytes] = []
    while len(found) < 3:
        found += data(cursor.read())
    assert found == bodies
