"""Puts of messages in groups and of segments: what is stored, what comes back, what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import ternmq
from ternmq import Descriptor, MQError, QueueManager
from ternmq import constants as mq
from tests.battery.group_puts import (
    ALLOWED,
    IN_GROUP,
    LAST_IN_GROUP,
    LAST_SEGMENT,
    LOGICAL,
    SEGMENT,
    Putter,
)

pytestmark = pytest.mark.core

GROUP = b"g" * 24
NONE = bytes(24)


@pytest.fixture
def queue(qmgr: QueueManager) -> ternmq.Queue:
    qmgr.define_queue("A")
    return qmgr.queue("A")


@pytest.fixture
def putter(qmgr: QueueManager, queue: ternmq.Queue) -> Iterator[Putter]:
    putter = Putter(qmgr)
    yield putter
    putter.connection.disconnect()


def stored(queue: ternmq.Queue) -> list[tuple[int, int, int, int]]:
    """MsgSeqNumber, Offset, MsgFlags and OriginalLength of each message; they are taken."""
    found = [message.descriptor for message in queue]
    return [(md.msg_seq_number, md.offset, md.msg_flags, md.original_length) for md in found]


def test_put_in_logical_order_when_a_group_then_its_fields_are_made(
    queue: ternmq.Queue, putter: Putter
) -> None:
    """G1."""
    answers = [putter.put(b"x", IN_GROUP, group_id=GROUP, msg_seq_number=77) for _ in range(3)]
    answers.append(putter.put(b"x", LAST_IN_GROUP))
    assert [answer.sequence for answer in answers] == [1, 2, 3, 4]
    assert {answer.group_id for answer in answers} == {answers[0].group_id}
    assert answers[0].group_id not in (GROUP, NONE)
    messages = list(queue)
    assert [m.descriptor.msg_flags for m in messages] == [8, 8, 8, 24]
    assert [m.descriptor.msg_seq_number for m in messages] == [1, 2, 3, 4]
    assert {m.group_id for m in messages} == {answers[0].group_id}
    assert putter.put(b"x", IN_GROUP).group_id != answers[0].group_id


def test_put_in_logical_order_when_segments_in_a_group_then_offsets_go_on(
    queue: ternmq.Queue, putter: Putter
) -> None:
    answers = [
        putter.put(b"12345", IN_GROUP | SEGMENT),
        putter.put(b"678", IN_GROUP | SEGMENT),
        putter.put(b"", IN_GROUP | LAST_SEGMENT),
        putter.put(b"ab", LAST_IN_GROUP | SEGMENT),
        putter.put(b"c", LAST_IN_GROUP | LAST_SEGMENT),
    ]
    assert [(a.sequence, a.offset) for a in answers] == [(1, 0), (1, 5), (1, 8), (2, 0), (2, 2)]
    assert len({answer.group_id for answer in answers}) == 1
    rows = [(1, 0, 10, 5), (1, 5, 10, 3), (1, 8, 14, 0), (2, 0, 26, 2), (2, 2, 30, 1)]
    assert stored(queue) == rows
    assert putter.close() == 0


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        # G3: in a group and no segment
        ({"msg_flags": 8, "msg_seq_number": 3, "offset": 50, "original_length": 77}, (3, 0, 8, -1)),
        # G4: nothing
        ({"msg_flags": 0, "msg_seq_number": 3, "offset": 50, "original_length": 77}, (1, 0, 0, -1)),
        # Z6: a segment, not of a report
        ({"msg_flags": 2, "msg_seq_number": 3, "offset": 50, "original_length": 9}, (1, 50, 2, 4)),
        ({"msg_flags": 4, "offset": 50}, (1, 50, 6, 4)),
        ({"msg_flags": 1, "offset": 50, "msg_seq_number": 5}, (1, 0, 1, -1)),
        # G5: flags that later versions may have
        ({"msg_flags": 0x00100000, "msg_seq_number": 3}, (1, 0, 0x00100000, -1)),
    ],
)
def test_put_by_fields_then_those_that_mean_nothing_are_neutral(
    queue: ternmq.Queue, fields: dict[str, Any], expected: tuple[int, int, int, int]
) -> None:
    queue.put(b"1234", descriptor=Descriptor(version=2, group_id=GROUP, **fields))
    message = queue.get()
    md = message.descriptor
    assert (md.msg_seq_number, md.offset, md.msg_flags, md.original_length) == expected
    assert md.group_id == (GROUP if fields["msg_flags"] & 31 else NONE)


@pytest.mark.parametrize(
    ("data", "fields", "reason"),
    [
        (b"", {"msg_flags": SEGMENT}, 2253),
        (b"1", {"msg_flags": 0x20}, 2249),
        (b"1", {"msg_flags": 0x1000}, 2249),
        (b"1", {"msg_flags": IN_GROUP, "msg_seq_number": 0}, 2250),
        (b"1", {"msg_flags": SEGMENT, "offset": 999_999_999}, 2251),
        (b"12", {"msg_flags": SEGMENT, "msg_type": mq.MQMT_REPORT, "original_length": 1}, 2252),
        (b"", {"msg_flags": LAST_SEGMENT, "msg_type": 4, "original_length": -1}, 2252),
    ],
)
def test_put_when_fields_are_wrong_then_its_reason_and_nothing_is_put(
    queue: ternmq.Queue, data: bytes, fields: dict[str, Any], reason: int
) -> None:
    """Z5, Z6, G5."""
    with pytest.raises(MQError) as caught:
        queue.put(data, descriptor=Descriptor(version=2, **fields))
    assert caught.value.reason == reason
    assert queue.depth == 0


def test_put_of_a_report_segment_then_original_length_stays(queue: ternmq.Queue) -> None:
    """Z6."""
    md = Descriptor(version=2, msg_flags=SEGMENT, msg_type=mq.MQMT_REPORT, original_length=500)
    queue.put(b"12", descriptor=md)
    assert queue.get().descriptor.original_length == 500


def test_put_of_flags_for_transmission_then_a_transmission_queue_takes_them(
    qmgr: QueueManager,
) -> None:
    """G5."""
    qmgr.define_queue("X", usage=mq.MQUS_TRANSMISSION)
    with qmgr.queue("X") as queue:
        queue.put(b"x", descriptor=Descriptor(version=2, msg_flags=0x1000))
        assert queue.get().descriptor.msg_flags == 0x1000


@pytest.mark.parametrize(
    ("flags", "last", "reason"), [(IN_GROUP, IN_GROUP, 2241), (SEGMENT, 0, 2242)]
)
def test_put_in_logical_order_when_it_leaves_a_group_then_refused(
    queue: ternmq.Queue, putter: Putter, flags: int, last: int, reason: int
) -> None:
    """G7."""
    putter.put(b"x", flags)
    putter.put(b"x", flags)
    assert putter.refused(b"x") == reason
    assert queue.depth == 2
    assert putter.put(b"x", LAST_IN_GROUP if last else LAST_SEGMENT).warning == 0
    assert putter.put(b"x").group_id == NONE


def test_put_when_segments_of_a_group_are_incomplete_then_the_message_counts_more(
    putter: Putter,
) -> None:
    putter.put(b"x", IN_GROUP | SEGMENT)
    assert putter.refused(b"x") == 2242
    assert putter.refused(b"x", SEGMENT) == 2242
    assert putter.refused(b"x", IN_GROUP) == 2242
    assert putter.close() == 2242


def test_put_without_logical_order_when_it_leaves_a_group_then_a_warning(
    queue: ternmq.Queue, putter: Putter
) -> None:
    """G8: what the handle remembers is replaced."""
    first = putter.put(b"x", IN_GROUP)
    assert putter.put(b"x", 0, 0).warning == 2241
    assert putter.put(b"x").warning == 0
    putter.put(b"x", SEGMENT)
    other = putter.put(b"x", IN_GROUP, 0, group_id=GROUP, msg_seq_number=4)
    assert (other.warning, other.group_id) == (2242, GROUP)
    assert putter.put(b"x", LAST_IN_GROUP)[:2] == (GROUP, 5)
    assert first.group_id != GROUP
    assert queue.depth == 6


def test_put_without_logical_order_when_it_is_the_next_then_no_warning(putter: Putter) -> None:
    first = putter.put(b"x", IN_GROUP)
    again = putter.put(b"x", IN_GROUP, 0, group_id=first.group_id, msg_seq_number=2)
    assert again.warning == 0
    assert putter.put(b"x", LAST_IN_GROUP)[:2] == (first.group_id, 3)


@pytest.mark.parametrize(("option", "warning"), [(LOGICAL, False), (0, True)])
def test_put_when_persistence_or_unit_differs_then_2185_and_2245(
    putter: Putter, option: int, warning: bool
) -> None:
    first = putter.put(b"x", IN_GROUP, LOGICAL, persistence=0)
    place = {"group_id": first.group_id, "msg_seq_number": 2}
    if warning:
        assert putter.put(b"x", IN_GROUP, 0, persistence=1, **place).warning == 2185
    else:
        assert putter.refused(b"x", IN_GROUP, LOGICAL, persistence=1) == 2185
    putter.connection.transport.begin()
    second = Putter.put(putter, b"x", IN_GROUP, 0, persistence=1, **place)
    assert second.warning == (0 if warning else 2185)
    putter.connection.transport.back_out()


def test_put_when_a_group_is_begun_outside_syncpoint_then_2245_inside(putter: Putter) -> None:
    putter.put(b"x", IN_GROUP, persistence=0)
    putter.connection.transport.begin()
    assert putter.refused(b"x", IN_GROUP, persistence=0) == 2245
    putter.connection.transport.back_out()
    assert putter.put(b"x", LAST_IN_GROUP, persistence=0).sequence == 2


@pytest.mark.parametrize(("flags", "reason"), [(IN_GROUP, 2241), (SEGMENT, 2242), (0, 0)])
def test_close_when_something_is_incomplete_then_a_warning(
    putter: Putter, flags: int, reason: int
) -> None:
    """G10."""
    putter.put(b"x", flags)
    assert putter.close() == reason


def test_close_when_the_last_put_was_not_in_logical_order_then_no_warning(putter: Putter) -> None:
    putter.put(b"x", IN_GROUP, 0)
    assert putter.close() == 0


def test_close_of_a_queue_when_a_group_is_incomplete_then_it_is_closed_and_says_so(
    qmgr: QueueManager, queue: ternmq.Queue
) -> None:
    with qmgr.queue("A") as other:
        other.put(b"x", descriptor=Descriptor(version=2, msg_flags=IN_GROUP), options=LOGICAL)
        assert other.close() == 2241
        assert other.close() == 0


def test_backout_then_logical_order_is_as_before_the_unit(
    queue: ternmq.Queue, putter: Putter
) -> None:
    """G11."""
    transport = putter.connection.transport
    transport.begin()
    first = putter.put(b"x", IN_GROUP)
    putter.put(b"x", IN_GROUP)
    transport.back_out()
    transport.begin()
    second = putter.put(b"x", IN_GROUP)
    assert (second.sequence, second.group_id != first.group_id) == (1, True)
    transport.commit()
    transport.begin()
    putter.put(b"x", IN_GROUP)
    putter.put(b"x", LAST_IN_GROUP)
    transport.back_out()
    transport.begin()
    third = putter.put(b"x", LAST_IN_GROUP)
    transport.commit()
    assert third[:2] == (second.group_id, 2)
    assert queue.depth == 2


def test_backout_when_puts_were_outside_the_unit_then_the_group_goes_on(putter: Putter) -> None:
    """G11."""
    transport = putter.connection.transport
    first = putter.put(b"x", IN_GROUP)
    transport.begin()
    putter.put(b"x", IN_GROUP, LOGICAL | mq.MQPMO_NO_SYNCPOINT)
    transport.back_out()
    assert putter.put(b"x", LAST_IN_GROUP)[:2] == (first.group_id, 3)


def test_backout_of_a_prepared_unit_then_the_group_that_was_begun_since_goes_on(
    putter: Putter,
) -> None:
    connection = putter.connection
    connection.begin()
    putter.put(b"x", IN_GROUP)
    putter.put(b"x", LAST_IN_GROUP)
    xid = ternmq.XID(1, b"g", b"b")
    assert connection.prepare(xid)
    first = putter.put(b"x", IN_GROUP)
    connection.backout_prepared(xid)
    assert putter.put(b"x", LAST_IN_GROUP)[:2] == (first.group_id, 2)


def test_put_in_logical_order_when_a_group_goes_on_after_a_restart_then_by_its_fields(
    putter: Putter,
) -> None:
    """G12."""
    putter.put(b"x", IN_GROUP, 0, group_id=GROUP, msg_seq_number=4)
    assert putter.put(b"x", IN_GROUP)[:2] == (GROUP, 5)


def test_put1_in_logical_order_then_refused(qmgr: QueueManager, queue: ternmq.Queue) -> None:
    with qmgr.connect() as connection, pytest.raises(MQError) as caught:
        connection.put("A", b"x", options=LOGICAL)
    assert caught.value.reason == 2046


def test_put_in_logical_order_when_the_descriptor_is_of_version_1_then_refused(
    queue: ternmq.Queue,
) -> None:
    with pytest.raises(MQError) as caught:
        queue.put(b"x", descriptor=Descriptor(version=1), options=LOGICAL)
    assert caught.value.reason == 2257


def test_put_when_segmentation_is_allowed_and_not_needed_then_a_group_id_alone(
    queue: ternmq.Queue, putter: Putter
) -> None:
    first, second = putter.put(b"x", ALLOWED), putter.put(b"x", ALLOWED, 0)
    assert NONE != first.group_id != second.group_id != NONE
    assert stored(queue) == [(1, 0, 1, -1)] * 2
    assert putter.close() == 0


def test_group_of_a_queue_then_its_messages_are_numbered(queue: ternmq.Queue) -> None:
    with queue.group() as group, queue.group() as other:
        group.put("a", properties={"n": 1})
        other.put(b"1")
        group.put({"b": 2}, persistent=True)
        other.put(b"2", last=True)
        group.put(b"c", last=True)
    messages = list(queue)
    own = [message for message in messages if message.group_id == group.group_id]
    assert [message.data for message in own] == [b"a", b'{"b": 2}', b"c"]
    assert [message.format for message in own] == ["MQSTR", "MQSTR", ""]
    assert [message.descriptor.msg_seq_number for message in own] == [1, 2, 3]
    assert [message.descriptor.msg_flags for message in own] == [8, 8, 24]
    assert (dict(own[0].properties), own[1].persistent) == ({"n": 1}, True)
    assert group.count == 3
    assert other.group_id != group.group_id


def test_group_of_a_queue_when_its_last_message_is_missing_then_2241(queue: ternmq.Queue) -> None:
    group = queue.group()
    group.put(b"a")
    with pytest.raises(MQError) as caught, group:
        pass
    assert (caught.value.comp, caught.value.reason) == (mq.MQCC_WARNING, 2241)
    group.put(b"b", last=True)
    with pytest.raises(MQError) as caught:
        group.put(b"c")
    assert (caught.value.comp, caught.value.reason) == (mq.MQCC_FAILED, 2241)


def test_group_when_text_has_a_descriptor_then_its_character_set_is_utf_8(
    queue: ternmq.Queue,
) -> None:
    with queue.group() as group:
        group.put("süß", descriptor=Descriptor(ccsid=500))
        group.put("end", last=True)
    messages = list(queue)
    assert [message.text for message in messages] == ["süß", "end"]
    assert [m.descriptor.ccsid for m in messages] == [1208, 1208]
    assert {m.descriptor.format for m in messages} == {mq.MQFMT_STRING}
