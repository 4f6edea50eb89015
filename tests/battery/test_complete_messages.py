"""MQGMO_COMPLETE_MSG: segments that are got as one message, in every binding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import ternmq
from ternmq import MQError, QueueManager
from ternmq import constants as mq
from tests.battery.group_puts import ALLOWED, IN_GROUP, LAST_IN_GROUP, LAST_SEGMENT, SEGMENT, Putter
from tests.battery.places import Place, Task, sweep, until, waiters
from tests.battery.test_segments import PROPERTIES, allowed, body
from tests.bindings.bound import JAVA

pytestmark = pytest.mark.core

COMPLETE = mq.MQGMO_COMPLETE_MSG
BROWSE = COMPLETE | mq.MQGMO_BROWSE_FIRST
DATA = body(10_000)


@pytest.fixture
def queue(qmgr: QueueManager) -> Iterator[ternmq.Queue]:
    qmgr.define_queue("A", max_message_length=4096)
    with qmgr.queue("A") as queue:
        yield queue


@pytest.fixture
def putter(qmgr: QueueManager, queue: ternmq.Queue) -> Iterator[Putter]:
    putter = Putter(qmgr)
    yield putter
    putter.connection.disconnect()


def put_segments(putter: Putter, count: int = 3, **fields: Any) -> bytes:
    """An application's segments, of 10 bytes; what they are together."""
    data = body(10 * count)
    for number in range(count):
        flags = LAST_SEGMENT if number == count - 1 else SEGMENT
        putter.put(data[10 * number : 10 * number + 10], flags, **fields)
    return data


def outcome(task: Task) -> ternmq.Message:
    """What a task has got."""
    message = task.outcome()
    assert isinstance(message, ternmq.Message)
    return message


def check_whole(message: ternmq.Message, data: bytes = DATA) -> None:
    md = message.descriptor
    assert message.data == data
    assert (message.length, md.offset, md.msg_seq_number) == (len(data), 0, 1)
    assert md.msg_flags & (SEGMENT | LAST_SEGMENT) == SEGMENT | LAST_SEGMENT
    assert message.segment_status == mq.MQSS_LAST_SEGMENT


@pytest.mark.parametrize("persistent", [False, True])
def test_get_complete_then_the_whole_message(
    qmgr: QueueManager, queue: ternmq.Queue, inside: bool, persistent: bool
) -> None:
    """Z10."""
    msg_id = queue.put(DATA, descriptor=allowed(), persistent=persistent, properties=PROPERTIES)
    with qmgr.connect() as connection, connection.queue("A") as own:
        if inside:
            with connection.unit_of_work():
                message = own.get(options=COMPLETE)
                assert queue.try_get() is None
        else:
            message = own.get(options=COMPLETE)
    check_whole(message)
    assert message.msg_id == msg_id
    assert dict(message.properties) == PROPERTIES
    assert message.persistent == persistent
    assert queue.depth == 0


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("options", [COMPLETE, BROWSE], ids=["get", "browse"])
def test_get_complete_when_segments_are_swept_then_the_whole_message(
    qmgr: QueueManager, inside: bool, persistent: bool, options: int
) -> None:
    buffers: dict[str, Any] = {"nonpersistent_buffer": 65_536, "persistent_buffer": 65_536}
    qmgr.define_queue("S", max_message_length=4096, **buffers)
    data = body(150_000)
    with qmgr.connect() as connection, connection.queue("S") as queue:
        for _ in range(2):
            queue.put(data, descriptor=allowed(), persistent=persistent, properties=PROPERTIES)
        assert sweep(qmgr, "S") > 0
        with connection.unit_of_work():
            syncpoint = inside and options == COMPLETE
            message = queue.get(options=options, syncpoint=syncpoint)
        check_whole(message, data)
        assert dict(message.properties) == PROPERTIES
        assert queue.depth == (37 if options == COMPLETE else 74)
        check_whole(queue.get(options=COMPLETE), data)


def test_get_complete_when_messages_are_no_segments_then_as_any_get(queue: ternmq.Queue) -> None:
    queue.put(b"one")
    queue.put(b"two", descriptor=allowed())
    assert [queue.get(options=COMPLETE).data for _ in range(2)] == [b"one", b"two"]
    assert queue.try_get(options=COMPLETE) is None


@pytest.mark.parametrize("properties", [{}, PROPERTIES], ids=["plain", "properties"])
def test_get_complete_when_the_buffer_is_short_then_it_stays_and_says_the_whole_length(
    place: Place, queue: ternmq.Queue, properties: dict[str, str | None]
) -> None:
    """Z11, X10."""
    if place.kind == JAVA and properties:
        pytest.skip("the client has its MQRFH2 in the buffer, and counts it")
    queue.put(DATA, descriptor=allowed(), properties=properties)
    for options in (COMPLETE, BROWSE):
        with pytest.raises(MQError) as caught:
            queue.get(options=options, max_length=5000)
        assert caught.value.reason == 2080
        cut = caught.value.result
        assert (cut.length, cut.data) == (len(DATA), DATA[:5000])
    assert queue.depth == 3
    cut = queue.get(options=COMPLETE | mq.MQGMO_ACCEPT_TRUNCATED_MSG, max_length=5000)
    assert (cut.truncated, cut.length, cut.data) == (True, len(DATA), DATA[:5000])
    assert queue.depth == 0


@pytest.mark.parametrize("options", [COMPLETE, mq.MQGMO_ALL_SEGMENTS_AVAILABLE])
def test_get_complete_when_a_segment_is_missing_then_nothing(
    qmgr: QueueManager, queue: ternmq.Queue, putter: Putter, options: int
) -> None:
    """Z12."""
    putter.put(b"a", SEGMENT)
    putter.put(b"b", SEGMENT)
    assert queue.try_get(options=options) is None
    putter.connection.transport.begin()
    assert queue.try_get(options=options | mq.MQGMO_BROWSE_FIRST) is None
    putter.connection.transport.back_out()
    queue.put(b"x")
    assert queue.get(options=options).data == b"x"
    assert queue.get().data == b"a"


def test_get_complete_when_the_last_segment_is_not_committed_then_nothing(
    queue: ternmq.Queue, putter: Putter
) -> None:
    """Z12."""
    transport = putter.connection.transport
    transport.begin()
    data = put_segments(putter)
    assert queue.try_get(options=COMPLETE) is None
    transport.commit()
    check_whole(queue.get(options=COMPLETE), data)


def test_get_complete_when_a_segment_has_expired_then_nothing(
    queue: ternmq.Queue, putter: Putter
) -> None:
    """Z12."""
    putter.put(b"a", SEGMENT, expiry=1)
    putter.put(b"b", LAST_SEGMENT)
    until(lambda: queue.try_get(options=BROWSE) is None)
    assert queue.try_get(options=COMPLETE) is None


@pytest.mark.parametrize("field", [("ccsid", 2243), ("encoding", 2244)])
def test_get_complete_when_segments_differ_then_the_first_alike_ones_and_a_warning(
    queue: ternmq.Queue, putter: Putter, field: tuple[str, int]
) -> None:
    """Z14."""
    name, reason = field
    for offset, value in ((0, 273), (2, 273), (4, 819)):
        flags = LAST_SEGMENT if offset == 4 else SEGMENT
        putter.put(b"ab", flags, 0, group_id=b"g" * 24, offset=offset, **{name: value})
    message = queue.get(options=COMPLETE)
    assert (message.data, message.warning) == (b"abab", reason)
    assert message.segment_status == mq.MQSS_SEGMENT
    assert queue.depth == 1


def test_get_complete_when_a_unit_is_open_and_the_get_is_outside_then_2255_if_persistent(
    qmgr: QueueManager, queue: ternmq.Queue, putter: Putter
) -> None:
    """Z15."""
    queue.put(DATA, descriptor=allowed(), persistent=True)
    putter.put(b"alone", LAST_SEGMENT, persistence=1)
    queue.put(DATA, descriptor=allowed(), persistent=False)
    with qmgr.connect() as connection, connection.queue("A") as own, connection.unit_of_work():
        own.put(b"x")
        with pytest.raises(MQError) as caught:
            own.get(options=COMPLETE, syncpoint=False)
        assert caught.value.reason == 2255
        check_whole(own.get(options=COMPLETE))
        assert own.get(options=COMPLETE, syncpoint=False).data == b"alone"
        check_whole(own.get(options=COMPLETE, syncpoint=False))


def test_get_complete_under_a_cursor_when_it_is_not_the_first_segment_then_2246(
    queue: ternmq.Queue, putter: Putter
) -> None:
    """Z16."""
    data = put_segments(putter)
    queue.get(options=mq.MQGMO_BROWSE_FIRST)
    queue.get(options=mq.MQGMO_BROWSE_NEXT)
    for options in (mq.MQGMO_MSG_UNDER_CURSOR, mq.MQGMO_BROWSE_MSG_UNDER_CURSOR):
        with pytest.raises(MQError) as caught:
            queue.get(options=COMPLETE | options)
        assert caught.value.reason == 2246
    queue.get(options=mq.MQGMO_BROWSE_FIRST)
    check_whole(queue.get(options=COMPLETE | mq.MQGMO_MSG_UNDER_CURSOR), data)
    assert queue.depth == 0


@pytest.mark.parametrize("persistent", [False, True])
def test_get_complete_when_backed_out_then_all_segments_are_back(
    qmgr: QueueManager, queue: ternmq.Queue, persistent: bool
) -> None:
    """Z17."""
    queue.put(DATA, descriptor=allowed(), persistent=persistent)
    with qmgr.connect() as connection, connection.queue("A") as own:
        connection.begin()
        own.get(options=COMPLETE)
        connection.backout()
    again = queue.get(options=BROWSE)
    assert again.backout_count == 1
    segments = list(queue)
    assert [message.backout_count for message in segments] == [1, 1, 1]
    assert b"".join(message.data for message in segments) == DATA


def test_get_complete_in_groups_then_logical_messages_in_order(
    queue: ternmq.Queue, putter: Putter
) -> None:
    """Z20."""
    parts = [body(5000), body(6000), b"small"]
    putter.put(parts[0], IN_GROUP | ALLOWED)
    putter.put(parts[1], IN_GROUP | ALLOWED)
    order = COMPLETE | mq.MQGMO_LOGICAL_ORDER | mq.MQGMO_ALL_MSGS_AVAILABLE
    assert queue.try_get(options=order) is None
    putter.put(parts[2], LAST_IN_GROUP | ALLOWED)
    messages = [queue.get(options=order) for _ in range(3)]
    assert [message.data for message in messages] == parts
    assert [message.group_status for message in messages] == ["G", "G", "L"]
    assert [message.descriptor.msg_seq_number for message in messages] == [1, 2, 3]
    assert queue.depth == 0


def test_get_in_groups_when_not_complete_then_segments_in_order(
    queue: ternmq.Queue, putter: Putter
) -> None:
    """Z20."""
    putter.put(body(5000), IN_GROUP | ALLOWED)
    putter.put(body(6000), LAST_IN_GROUP | ALLOWED)
    messages = [queue.get(options=mq.MQGMO_LOGICAL_ORDER) for _ in range(4)]
    places = [(m.descriptor.msg_seq_number, m.descriptor.offset) for m in messages]
    assert places == [(1, 0), (1, 4096), (2, 0), (2, 4096)]


def test_browse_complete_then_message_after_message(queue: ternmq.Queue, putter: Putter) -> None:
    first = put_segments(putter)
    queue.put(b"between")
    second = put_segments(putter, 5)
    assert [message.data for message in queue.browse(options=COMPLETE)] == [
        first,
        b"between",
        second,
    ]
    assert queue.depth == 9


def test_get_complete_when_it_waits_then_the_last_segment_wakes_it(
    qmgr: QueueManager, queue: ternmq.Queue, putter: Putter
) -> None:
    """Not a segment that comes before."""
    task = Task(lambda: queue.get(options=COMPLETE, wait=30))
    until(lambda: waiters(qmgr) == 1)
    data = put_segments(putter)
    check_whole(outcome(task), data)


def test_get_complete_when_it_waits_then_a_segmented_put_wakes_it(
    qmgr: QueueManager, queue: ternmq.Queue
) -> None:
    task = Task(lambda: queue.get(options=COMPLETE, wait=30))
    until(lambda: waiters(qmgr) == 1)
    with qmgr.connect() as connection:
        connection.put("A", DATA, descriptor=allowed(), persistent=True)
    check_whole(outcome(task))


def test_get_complete_by_a_selector_then_the_first_segment_is_asked(
    qmgr: QueueManager, queue: ternmq.Queue
) -> None:
    """X9."""
    for number in (1, 2):
        queue.put(DATA, descriptor=allowed(), properties={"n": number})
    with qmgr.queue("A", selector="n = 2") as chosen:
        message = chosen.get(options=COMPLETE)
        check_whole(message)
        assert dict(message.properties) == {"n": 2}
        assert chosen.try_get(options=COMPLETE) is None
    assert queue.depth == 3


def test_get_complete_by_msg_id_then_the_whole_message(queue: ternmq.Queue) -> None:
    ids = [queue.put(DATA, descriptor=allowed()) for _ in range(3)]
    message = queue.get(msg_id=ids[1], options=COMPLETE)
    check_whole(message)
    assert message.msg_id == ids[1]


@pytest.mark.parametrize(
    "options",
    [0, mq.MQGMO_NO_PROPERTIES, mq.MQGMO_PROPERTIES_FORCE_MQRFH2],
    ids=["beside", "none", "header"],
)
def test_get_complete_with_properties_then_as_asked_for(queue: ternmq.Queue, options: int) -> None:
    """X1."""
    queue.put(DATA, descriptor=allowed(), properties=PROPERTIES)
    message = queue.get(options=COMPLETE | options)
    assert message.data.endswith(DATA)
    if options == mq.MQGMO_NO_PROPERTIES:
        assert not message.properties
    else:
        assert dict(message.properties) == PROPERTIES
    if options == mq.MQGMO_PROPERTIES_FORCE_MQRFH2:
        assert message.format == "MQHRF2"
    else:
        assert len(message.data) == len(DATA)


def test_segments_with_properties_when_got_one_by_one_then_the_first_has_the_header(
    queue: ternmq.Queue,
) -> None:
    """X8."""
    queue.put(DATA, descriptor=allowed(), properties=PROPERTIES)
    force = mq.MQGMO_PROPERTIES_FORCE_MQRFH2
    messages = [queue.get(options=force) for _ in range(3)]
    assert [message.format for message in messages] == ["MQHRF2", "", ""]
    assert max(message.length for message in messages) <= 4096
    assert b"".join(message.data for message in messages).endswith(DATA)


def test_get_complete_when_the_connection_is_read_ahead_then_whole_messages(
    place: Place, qmgr: QueueManager
) -> None:
    """The channel's read-ahead asks for complete messages, too."""
    if place.kind != "network":
        pytest.skip("read-ahead is the channel's")
    qmgr.define_queue("A", max_message_length=4096, default_read_ahead=mq.MQREADA_YES)
    with qmgr.queue("A") as queue:
        for _ in range(3):
            queue.put(DATA, descriptor=allowed(), persistent=False)
        for _ in range(3):
            check_whole(queue.get(options=COMPLETE, wait=5))
        assert queue.try_get(options=COMPLETE) is None


def test_convert_of_a_complete_message_then_all_of_it(queue: ternmq.Queue) -> None:
    text = "\u00e4\u00f6" * 4000
    md = allowed(format=mq.MQFMT_STRING, ccsid=1208)
    queue.put(text.encode(), descriptor=md)
    assert queue.get(options=COMPLETE).text == text


def test_complete_messages_when_the_queue_manager_is_killed_then_all_or_nothing(
    place: Place, queue: ternmq.Queue
) -> None:
    queue.put(DATA, descriptor=allowed(), persistent=True)
    queue.put(DATA[:9000], descriptor=allowed(), persistent=True)
    check_whole(queue.get(options=COMPLETE))
    qmgr = place.crash()
    with qmgr.queue("A") as again:
        check_whole(again.get(options=COMPLETE), DATA[:9000])
        assert again.depth == 0


@pytest.mark.parametrize("options", [0, mq.MQPMO_ASYNC_RESPONSE], ids=["answered", "silent"])
@pytest.mark.parametrize("persistent", [False, True])
def test_message_of_very_many_segments_then_put_and_got_in_steps(
    qmgr: QueueManager, inside: bool, options: int, persistent: bool
) -> None:
    qmgr.define_queue("S", max_message_length=16)
    data = body(16 * 600 + 5)
    with qmgr.connect() as connection, connection.queue("S") as queue:
        if inside:
            connection.begin()
        queue.put(data, descriptor=allowed(), options=options, persistent=persistent)
        if inside:
            connection.commit()
            connection.begin()
        check_whole(queue.get(options=COMPLETE, wait=5), data)
        if inside:
            connection.commit()
        assert queue.depth == 0


def test_put1_then_split_and_got_complete(qmgr: QueueManager) -> None:
    qmgr.define_queue("S", max_message_length=16)
    data = body(16 * 600 + 5)
    qmgr.put("S", data, descriptor=allowed(), properties=None, persistent=True)
    with qmgr.queue("S") as queue:
        check_whole(queue.get(options=COMPLETE), data)
