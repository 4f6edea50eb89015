"""Messages that the queue manager splits into segments: limits, headers, properties, units."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import ternmq
from ternmq import Descriptor, MQError, QueueManager
from ternmq import constants as mq
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.property_header import length_as_put
from ternmq.values.message import Message
from tests.battery.group_puts import ALLOWED, IN_GROUP, LAST_SEGMENT, SEGMENT, Putter
from tests.battery.places import Place
from tests.unit.codec.test_properties import header

pytestmark = pytest.mark.core

PROPERTIES: dict[str, str | None] = {f"name{i}": "v" * 250 for i in range(4)}


def allowed(**fields: object) -> Descriptor:
    return Descriptor(**{"version": 2, "msg_flags": ALLOWED, **fields})  # type: ignore[arg-type]


def body(length: int) -> bytes:
    return bytes(itertools.islice(itertools.cycle(range(251)), length))


def check_segments(messages: list[Message], data: bytes, sequence: int = 1) -> None:
    """They are one logical message, in order."""
    mds = [message.descriptor for message in messages]
    assert b"".join(message.data for message in messages) == data
    assert len({md.group_id for md in mds}) == 1
    assert mds[0].group_id != bytes(24)
    assert {md.msg_seq_number for md in mds} == {sequence}
    ends = list(itertools.accumulate(len(message.data) for message in messages))
    assert [md.offset for md in mds] == [0, *ends[:-1]]
    assert [md.original_length for md in mds] == [len(message.data) for message in messages]
    assert [bool(md.msg_flags & LAST_SEGMENT) for md in mds] == [False] * (len(mds) - 1) + [True]
    assert all(md.msg_flags & SEGMENT for md in mds)
    assert len({md.msg_id for md in mds}) == len(mds)


@pytest.fixture
def queue(qmgr: QueueManager) -> ternmq.Queue:
    qmgr.define_queue("A", max_message_length=4096)
    return qmgr.queue("A")


@pytest.mark.parametrize("persistent", [False, True])
def test_put_when_longer_than_the_queue_allows_then_segments(
    queue: ternmq.Queue, inside: bool, qmgr: QueueManager, persistent: bool
) -> None:
    """Z1, Z8."""
    data = body(10_000)
    with qmgr.connect() as connection, connection.queue("A") as own:
        if inside:
            with connection.unit_of_work():
                msg_id = own.put(data, descriptor=allowed(), persistent=persistent)
                assert queue.try_get() is None
        else:
            msg_id = own.put(data, descriptor=allowed(), persistent=persistent)
    messages = list(queue)
    assert [len(message.data) for message in messages] == [4096, 4096, 1808]
    check_segments(messages, data)
    assert messages[0].msg_id == msg_id
    assert [m.descriptor.msg_flags for m in messages] == [3, 3, 7]
    assert all(message.persistent == persistent for message in messages)


def test_put_when_not_allowed_then_too_big(queue: ternmq.Queue) -> None:
    """Z2."""
    with pytest.raises(MQError) as caught:
        queue.put(body(10_000), descriptor=Descriptor(version=2))
    assert caught.value.reason == 2030
    assert queue.depth == 0


def test_put_when_a_header_does_not_fit_then_too_big(place: Place, qmgr: QueueManager) -> None:
    """Z2."""
    qmgr.define_queue("S", max_message_length=100)
    data = DeadLetterHeader(destination_queue="A").pack() + body(500)
    with qmgr.queue("S") as queue, pytest.raises(MQError) as caught:
        queue.put(data, descriptor=allowed(format=mq.MQFMT_DEAD_LETTER_HEADER))
    assert caught.value.reason == 2030
    if place.says_details:
        assert "header of 172 bytes" in str(caught.value)


def test_put_when_headers_fit_then_a_segment_describes_what_it_begins_with(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("S", max_message_length=180)
    front = DeadLetterHeader(destination_queue="A", format="MQSTR", ccsid=819, encoding=273)
    data = front.pack() + body(500)
    with qmgr.queue("S") as queue:
        queue.put(data, descriptor=allowed(format=mq.MQFMT_DEAD_LETTER_HEADER))
        messages = list(queue)
    check_segments(messages, data)
    assert [len(message.data) for message in messages] == [176, 176, 176, 144]
    rows = [(m.format, m.descriptor.ccsid, m.descriptor.encoding) for m in messages]
    assert rows[1:] == [("MQSTR", 819, 273)] * 3
    assert rows[0][0] == "MQDEAD"


def test_put_of_a_segment_when_allowed_then_it_is_split_again(
    qmgr: QueueManager, queue: ternmq.Queue
) -> None:
    """Z7."""
    putter = Putter(qmgr)
    data = body(11_005)
    answers = [
        putter.put(data[:5], SEGMENT | ALLOWED),
        putter.put(data[5:9000], SEGMENT | ALLOWED),
        putter.put(data[9000:], LAST_SEGMENT | ALLOWED),
    ]
    assert [answer.offset for answer in answers] == [0, 5, 9000]
    messages = list(queue)
    check_segments(messages, data)
    assert [message.descriptor.offset for message in messages] == [0, 5, 4101, 8197, 9000]
    putter.connection.disconnect()


def test_put_in_a_group_when_allowed_then_each_message_is_split(
    qmgr: QueueManager, queue: ternmq.Queue
) -> None:
    putter = Putter(qmgr)
    first = putter.put(body(5000), IN_GROUP | ALLOWED)
    second = putter.put(body(6000), mq.MQMF_LAST_MSG_IN_GROUP | ALLOWED)
    assert (second.group_id, second.sequence) == (first.group_id, 2)
    messages = list(queue)
    check_segments(messages[:2], body(5000))
    check_segments(messages[2:], body(6000), 2)
    assert [m.descriptor.msg_flags for m in messages] == [11, 15, 27, 31]
    assert putter.close() == 0
    putter.connection.disconnect()


def test_put_when_a_unit_is_open_and_the_put_is_outside_then_2255_if_persistent(
    qmgr: QueueManager, queue: ternmq.Queue
) -> None:
    """Z8."""
    with qmgr.connect() as connection, connection.queue("A") as own, connection.unit_of_work():
        own.put(b"x")
        outside = {"syncpoint": False, "descriptor": allowed()}
        with pytest.raises(MQError) as caught:
            own.put(body(5000), persistent=True, **outside)  # type: ignore[arg-type]
        assert caught.value.reason == 2255
        assert queue.try_get() is None
        own.put(body(5000), persistent=False, **outside)  # type: ignore[arg-type]
        check_segments(list(queue), body(5000))


@pytest.mark.parametrize(
    ("attributes", "reason"), [({"max_depth": 3}, 2053), ({"max_file_megabytes": 20}, 2056)]
)
def test_put_when_the_queue_does_not_take_all_segments_then_none(
    qmgr: QueueManager, inside: bool, attributes: dict[str, Any], reason: int
) -> None:
    qmgr.define_queue("S", max_message_length=1 << 20, **attributes)
    with qmgr.connect() as connection, connection.queue("S") as queue:
        queue.put(b"x")
        with connection.unit_of_work() as unit:
            length = 3 << 20 if reason == 2053 else 21 << 20
            with pytest.raises(MQError) as caught:
                queue.put(bytes(length), descriptor=allowed(), persistent=False, syncpoint=inside)
            assert caught.value.reason == reason
            unit.commit()
        assert queue.depth == 1


def test_put_when_more_segments_than_a_unit_may_have_then_2024(
    qmgr: QueueManager, queue: ternmq.Queue
) -> None:
    qmgr.mqsc("ALTER QMGR MAXUMSGS(10)")
    queue.put(body(40_960), descriptor=allowed())
    assert queue.depth == 10
    with pytest.raises(MQError) as caught:
        queue.put(body(40_961), descriptor=allowed())
    assert caught.value.reason == 2024
    assert queue.depth == 10


@pytest.mark.parametrize("less", [0, 1, 500, 900, 1100, 2000, 4000, -1])
@pytest.mark.parametrize("put1", [False, True])
def test_put_with_properties_then_every_segment_fits_with_its_header(
    qmgr: QueueManager, less: int, put1: bool
) -> None:
    """X1."""
    limit = 8192
    qmgr.define_queue("S", max_message_length=limit)
    data = body(limit - less)
    with qmgr.connect() as connection, connection.queue("S") as queue:
        if put1:
            connection.put("S", data, descriptor=allowed(), properties=PROPERTIES)
        else:
            queue.put(data, descriptor=allowed(), properties=PROPERTIES)
        messages = list(queue)
    area = messages[0].property_area
    beside = length_as_put(area, b"", messages[0].descriptor.pack())
    assert dict(messages[0].properties) == PROPERTIES
    assert all(not message.properties for message in messages[1:])
    if len(data) + beside <= limit:
        assert [message.data for message in messages] == [data]
    else:
        check_segments(messages, data)
        assert len(messages[0].data) + beside <= limit < len(messages[0].data) + beside + 16
        assert all(len(message.data) <= limit for message in messages[1:])


def test_put_with_properties_longer_than_a_segment_then_too_big(
    place: Place, queue: ternmq.Queue
) -> None:
    """X5."""
    with pytest.raises(MQError) as caught:
        queue.put(body(5000), descriptor=allowed(), properties={"a": "x" * 100_000})
    assert caught.value.reason == 2030
    if place.says_details:
        assert "properties" in str(caught.value)
    assert queue.depth == 0


@pytest.mark.parametrize("properties", [{}, PROPERTIES])
@pytest.mark.parametrize("less", [0, 900, 1000, 1528, 2500, -1])
def test_put_to_another_queue_manager_then_every_segment_fits_the_transmission_queue(
    qmgr: QueueManager, properties: dict[str, str | None], less: int
) -> None:
    """X2."""
    limit = 16384
    qmgr.define_queue("X", usage=mq.MQUS_TRANSMISSION, max_message_length=limit)
    qmgr.mqsc("DEFINE QREMOTE(R) RNAME(T) RQMNAME(OTHER) XMITQ(X)")
    data = body(limit * 3 - less)
    with qmgr.queue("R") as remote, qmgr.queue("X") as queue:
        remote.put(data, descriptor=allowed(), properties=properties)
        messages = list(queue)
    lengths = [message.length for message in messages]
    assert max(lengths) <= limit
    assert all(limit - 32 < length for length in lengths[:-1])
    assert all(message.format == "MQXMIT" for message in messages)
    payload = b"".join(message.data[428 + 72 :] for message in messages[1:])
    assert data.endswith(payload)


def test_put_with_properties_in_the_data_then_mq_ones_are_refused_and_others_kept(
    queue: ternmq.Queue,
) -> None:
    """X6."""
    own = header(b"<usr><a>1</a></usr>")
    queue.put(own + body(9000), descriptor=allowed(format=mq.MQFMT_RF_HEADER_2))
    messages = list(queue)
    check_segments(messages, body(9000))
    assert dict(messages[0].properties) == {"a": "1"}
    assert all(message.format == "MQSTR" for message in messages)
    data = header(b"<mq><a>1</a></mq>") + body(9000)
    with pytest.raises(MQError) as caught:
        queue.put(data, descriptor=allowed(format=mq.MQFMT_RF_HEADER_2))
    assert caught.value.reason == 2443
    assert queue.depth == 0


@pytest.mark.parametrize("commits", [True, False], ids=["commit", "backout"])
def test_put_when_its_unit_is_prepared_then_all_segments_share_its_end(
    qmgr: QueueManager, queue: ternmq.Queue, commits: bool
) -> None:
    """Z23."""
    xid = ternmq.XID(1, b"global", b"branch")
    with qmgr.connect() as connection, connection.queue("A") as own:
        connection.begin()
        own.put(body(10_000), descriptor=allowed(), persistent=True)
        assert connection.prepare(xid)
        assert queue.try_get() is None
        if commits:
            connection.commit_prepared(xid)
            check_segments(list(queue), body(10_000))
        else:
            connection.backout_prepared(xid)
            assert queue.depth == 0
