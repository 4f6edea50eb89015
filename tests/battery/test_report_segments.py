"""Report messages on messages that the queue manager splits: one for each segment, and one COD for
a complete message that is got as one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import ternmq
from ternmq import QueueManager
from ternmq import constants as mq
from tests.battery.places import Place, until
from tests.battery.test_report_messages import asking, scan, wait_for_expiry
from tests.battery.test_segments import body

pytestmark = pytest.mark.core
COMPLETE = mq.MQGMO_COMPLETE_MSG
DATA = body(10_000)


@pytest.fixture
def queue(qmgr: QueueManager) -> Iterator[ternmq.Queue]:
    qmgr.define_queue("A", max_message_length=4096)
    qmgr.define_queue("REPLIES")
    with qmgr.queue("A") as queue:
        yield queue


def put(queue: ternmq.Queue, report: int, expiry: float | None = None) -> list[tuple[int, int]]:
    """Offsets and lengths of the segments."""
    md = asking(report, msg_flags=mq.MQMF_SEGMENTATION_ALLOWED)
    queue.put(DATA, descriptor=md, persistent=True, expiry=expiry)
    return [(one.descriptor.offset, len(one.data)) for one in queue.browse()]


def found(replies: ternmq.Queue) -> list[tuple[int, int, int]]:
    """Feedback, Offset and OriginalLength of all reports."""
    return [
        (one.descriptor.feedback, one.descriptor.offset, one.descriptor.original_length)
        for one in replies
    ]


def test_arrival_when_the_message_is_split_then_each_segment_is_reported(
    qmgr: QueueManager, queue: ternmq.Queue
) -> None:
    segments = put(queue, mq.MQRO_COA)
    assert len(segments) == 3
    with qmgr.queue("REPLIES") as replies:
        wanted = [(mq.MQFB_COA, offset, length) for offset, length in segments]
        assert sorted(found(replies)) == sorted(wanted)


def test_data_in_reports_when_the_message_is_split_then_only_the_first_has_the_100_bytes(
    qmgr: QueueManager, queue: ternmq.Queue
) -> None:
    put(queue, mq.MQRO_COA_WITH_DATA)
    with qmgr.queue("REPLIES") as replies:
        by_offset = {one.descriptor.offset: one.data for one in replies}
    assert by_offset.pop(0) == DATA[:100]
    assert set(by_offset.values()) == {b""}


@pytest.mark.parametrize("inside", [False, True], ids=["outside", "inside"])
def test_delivery_when_got_as_one_message_then_there_is_one_report(
    qmgr: QueueManager, queue: ternmq.Queue, inside: bool
) -> None:
    put(queue, mq.MQRO_COD_WITH_FULL_DATA)
    with qmgr.queue("REPLIES") as replies:
        if inside:
            with qmgr.unit_of_work() as unit:
                assert queue.get(options=COMPLETE).data == DATA
                unit.backout()
            assert replies.depth == 0
            with qmgr.unit_of_work():
                assert queue.get(options=COMPLETE).data == DATA
        else:
            assert queue.get(options=COMPLETE, syncpoint=False).data == DATA
        report = replies.get()
        assert (report.data, report.descriptor.feedback) == (DATA, mq.MQFB_COD)
        assert (report.descriptor.offset, report.descriptor.original_length) == (0, len(DATA))
        assert (queue.depth, replies.depth) == (0, 0)


def test_delivery_when_segments_are_got_one_by_one_then_each_is_reported(
    qmgr: QueueManager, queue: ternmq.Queue
) -> None:
    segments = put(queue, mq.MQRO_COD)
    for _ in segments:
        queue.get()
    with qmgr.queue("REPLIES") as replies:
        assert found(replies) == [(mq.MQFB_COD, offset, length) for offset, length in segments]


def test_expiration_when_the_message_is_split_then_each_segment_is_reported(
    qmgr: QueueManager, queue: ternmq.Queue
) -> None:
    segments = put(queue, mq.MQRO_EXPIRATION, 0.3)
    assert len(segments) == 3
    for _ in range(3):
        wait_for_expiry(qmgr)
    with qmgr.queue("REPLIES") as replies:
        scan(qmgr)
        until(lambda: (queue.depth, replies.depth) == (0, 3))
        wanted = [(mq.MQFB_EXPIRATION, offset, length) for offset, length in segments]
        assert sorted(found(replies)) == sorted(wanted)


def test_crash_after_a_complete_get_then_its_one_report_is_there(place: Place) -> None:
    qmgr = place.qmgr
    qmgr.define_queue("A", max_message_length=4096)
    qmgr.define_queue("REPLIES")
    with qmgr.queue("A") as queue:
        put(queue, mq.MQRO_COD)
        assert queue.get(options=COMPLETE).data == DATA
    qmgr = place.crash()
    with qmgr.queue("A") as queue, qmgr.queue("REPLIES") as replies:
        assert (queue.depth, replies.depth) == (0, 1)
        assert found(replies) == [(mq.MQFB_COD, 0, len(DATA))]
