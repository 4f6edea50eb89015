"""Goal: groups and logical order are the same through every binding, as IBM's tables say.
Method: the battery's queue managers; messages of groups are put by their fields, out of order.
"""

from __future__ import annotations

import threading

import pytest

import ternmq
from ternmq import QueueManager
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.base.errors import MQError
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.values.xid import XID
from tests.battery.places import Place

pytestmark = pytest.mark.core

ORDER = mq.MQGMO_LOGICAL_ORDER
ALL = mq.MQGMO_ALL_MSGS_AVAILABLE
ALL_SEGMENTS = mq.MQGMO_ALL_SEGMENTS_AVAILABLE
Y = b"Y" * 24
Z = b"Z" * 24
_LETTERS = str.maketrans("", "", "ABYZLsS")


def flags_of(name: str) -> int:
    """Y1: in the group; Y3L: its last message; s: a segment, S: the last one."""
    flags = 0
    if name[0] in "YZ":
        flags = mq.MQMF_MSG_IN_GROUP
    if "L" in name:
        flags |= mq.MQMF_LAST_MSG_IN_GROUP
    if "s" in name or "S" in name:
        flags |= mq.MQMF_SEGMENT
    if "S" in name:
        flags |= mq.MQMF_LAST_SEGMENT
    return flags


def put(queue: ternmq.Queue, name: str, **more: object) -> None:
    """A message whose name says what it is: group, number, segment by its offset."""
    md = Descriptor(version=2)
    md.msg_flags = flags_of(name)
    if md.msg_flags:
        md.group_id = Y if name[0] == "Y" else Z
    number, _, offset = name.translate(_LETTERS).partition("@")
    md.msg_seq_number = int(number or 1)
    md.offset = int(offset or 0)
    queue.put(name.encode(), descriptor=md, **more)  # type: ignore[arg-type]


def fill(qmgr: QueueManager, names: str, queue: str = "Q", **more: object) -> None:
    with qmgr.queue(queue) as target:
        for name in names.split():
            put(target, name, **more)


def taken(queue: ternmq.Queue, options: int = ORDER, **more: object) -> str:
    """All that gets of one handle take."""
    found: list[str] = []
    while (message := queue.try_get(options=options, **more)) is not None:  # type: ignore[arg-type]
        found.append(message.data.decode())
    return " ".join(found)


def one(queue: ternmq.Queue, options: int = ORDER, **more: object) -> str:
    message = queue.try_get(options=options, **more)  # type: ignore[arg-type]
    return "" if message is None else message.data.decode()


@pytest.fixture
def groups(qmgr: QueueManager) -> QueueManager:
    qmgr.define_queue("Q")
    return qmgr


EXAMPLE = "A Y1 Z2L Y2 Y3Ls@0 Y3LS@6 Z1 B"
IN_ORDER = "A Y1 Y2 Y3Ls@0 Y3LS@6 Z1 Z2L B"


def test_logical_order_then_messages_come_as_in_ibms_example(groups: QueueManager) -> None:
    fill(groups, EXAMPLE)
    with groups.queue("Q") as queue:
        assert taken(queue) == IN_ORDER


def test_browse_in_logical_order_then_the_same_and_again(groups: QueueManager) -> None:
    fill(groups, EXAMPLE)
    with groups.queue("Q") as queue:
        for _ in range(2):
            assert " ".join(m.data.decode() for m in queue.browse(options=ORDER)) == IN_ORDER
        found = " ".join(m.data.decode() for m in queue.browse())
        assert found == EXAMPLE


def test_status_of_each_message_then_as_its_flags_say(groups: QueueManager) -> None:
    fill(groups, EXAMPLE)
    with groups.queue("Q") as queue:
        seen = [(m.group_status, m.segment_status, m.segmentation) for m in queue]
    assert [one[0] for one in seen] == [" ", "G", "L", "G", "L", "L", "G", " "]
    assert [one[1] for one in seen] == [" ", " ", " ", " ", "S", "L", " ", " "]
    assert {one[2] for one in seen} == {" "}


def test_segmentation_when_it_is_allowed_then_the_message_says_so(groups: QueueManager) -> None:
    with groups.queue("Q") as queue:
        md = Descriptor(version=2, msg_flags=mq.MQMF_SEGMENTATION_ALLOWED)
        queue.put(b"may be split", descriptor=md)
        assert queue.get().segmentation == "A"


def test_message_missing_then_the_group_stays_current(groups: QueueManager) -> None:
    fill(groups, "Y1 A Y3L")
    with groups.queue("Q") as queue, groups.queue("Q") as other:
        assert one(queue) == "Y1"
        assert one(queue) == ""
        fill(groups, "Y2")
        assert one(other, 0, group_id=Y, msg_id=None) == "Y3L"
        assert one(queue) == "Y2"
        assert one(queue) == ""
        assert one(other, 0) == "A"


def test_wait_inside_a_group_then_woken_by_its_next_message_alone(groups: QueueManager) -> None:
    fill(groups, "Y1")
    got: list[str] = []
    with groups.connect() as getter, getter.queue("Q") as queue:
        assert one(queue) == "Y1"
        thread = threading.Thread(target=lambda: got.append(one(queue, wait=30)))
        thread.start()
        fill(groups, "A Y3L Z1")
        fill(groups, "Y2")
        thread.join(30)
        assert got == ["Y2"]
        assert taken(queue) == "Y3L A Z1"


@pytest.mark.parametrize("options", [ALL, ALL | ORDER])
def test_all_messages_available_when_the_last_is_missing_then_others_come_first(
    groups: QueueManager, options: int
) -> None:
    fill(groups, "Y1 Y2 B")
    with groups.queue("Q") as queue:
        assert one(queue, options) == "B"
        assert one(queue, options) == ""
        with groups.connect() as putter, putter.unit_of_work():
            with putter.queue("Q") as target:
                put(target, "Y3L", syncpoint=True)
            assert one(queue, options) == ""
        assert one(queue, options) == "Y1"


def test_all_messages_available_when_the_last_is_committed_then_a_waiter_is_woken(
    groups: QueueManager,
) -> None:
    fill(groups, "Y2 Y1")
    got: list[str] = []
    with groups.connect() as getter, getter.queue("Q") as queue:
        thread = threading.Thread(target=lambda: got.append(one(queue, ALL | ORDER, wait=30)))
        thread.start()
        with groups.connect() as putter, putter.queue("Q") as target, putter.unit_of_work():
            put(target, "Y3L", syncpoint=True)
        thread.join(30)
        assert got == ["Y1"]
        assert taken(queue, ALL | ORDER) == "Y2 Y3L"


def test_all_messages_available_without_order_when_one_was_taken_then_the_rest_is_not_offered(
    groups: QueueManager,
) -> None:
    fill(groups, "Y2L Y1")
    with groups.queue("Q") as queue:
        assert one(queue, ALL) == "Y2L"
        assert one(queue, ALL) == ""
        assert one(queue, 0) == "Y1"


def test_all_segments_available_then_only_whole_logical_messages(groups: QueueManager) -> None:
    fill(groups, "Y1s@0 Y2L Y1S@5")
    with groups.queue("Q") as queue:
        assert taken(queue, ALL_SEGMENTS | ORDER) == "Y1s@0 Y1S@5 Y2L"
    fill(groups, "Y1s@0 Y2L")
    with groups.queue("Q") as queue:
        assert one(queue, ALL_SEGMENTS | ORDER) == ""
        assert one(queue, ALL_SEGMENTS) == "Y2L"
        assert one(queue, ALL_SEGMENTS) == ""
        assert one(queue, 0) == "Y1s@0"


def test_all_segments_available_inside_a_group_then_the_next_message_waits_for_its_segments(
    groups: QueueManager,
) -> None:
    fill(groups, "Y1 Y2LS@6")
    with groups.queue("Q") as queue:
        assert one(queue, ALL_SEGMENTS | ORDER) == "Y1"
        assert one(queue, ALL_SEGMENTS | ORDER) == ""
        fill(groups, "Y2Ls@0")
        assert taken(queue, ALL_SEGMENTS | ORDER) == "Y2Ls@0 Y2LS@6"


@pytest.mark.parametrize("options", [ALL | ORDER, ALL])
def test_member_locked_or_in_a_unit_or_expired_then_the_group_is_not_available(
    groups: QueueManager, options: int
) -> None:
    fill(groups, "Y1 Y2 Y3L")
    with groups.queue("Q") as queue, groups.connect() as other, other.queue("Q") as theirs:
        browse = iter(theirs.browse(options=mq.MQGMO_LOCK))
        next(browse)
        next(browse)
        assert one(queue, options) == ""
        theirs.close()
        assert one(queue, options | mq.MQGMO_BROWSE_FIRST) == "Y1"
    with groups.queue("Q") as queue, groups.connect() as other, other.queue("Q") as theirs:
        theirs.get(syncpoint=True)
        assert one(queue, options) == ""
        other.backout()
        assert one(queue, options) == "Y1"


def test_member_expired_then_the_group_is_not_available(groups: QueueManager) -> None:
    with groups.queue("Q") as queue:
        put(queue, "Y1")
        put(queue, "Y2L", expiry=0.1)
        assert queue.try_get(options=ALL | ORDER, group_id=Z) is None
        assert queue.try_get(wait=0.3, options=ALL | ORDER, group_id=Z) is None  # let time pass
        assert one(queue, ALL | ORDER) == ""
        assert one(queue) == "Y1"


def test_get_without_order_inside_a_group_then_a_warning_and_the_message(
    groups: QueueManager,
) -> None:
    fill(groups, "Y1 Y2s@0 Y2S@5 Y3L")
    with groups.queue("Q") as queue:
        assert one(queue) == "Y1"
        message = queue.get(group_id=Y)
        assert (message.data, message.warning) == (b"Y2s@0", rc.MQRC_INCOMPLETE_GROUP)
        assert one(queue) == "Y2S@5"  # it goes on behind what was got
        assert taken(queue) == "Y3L"
    fill(groups, "Y1s@0 Y1S@5 A")
    with groups.queue("Q") as queue:
        assert one(queue) == "Y1s@0"
        message = queue.get()
        assert (message.data, message.warning) == (b"Y1S@5", rc.MQRC_INCOMPLETE_MSG)
        assert queue.get().warning == 0


def test_order_after_gets_without_it_then_it_goes_on_behind_the_last_message(
    groups: QueueManager,
) -> None:
    fill(groups, "Y1 Y2 Y3 Y4L A")
    with groups.queue("Q") as queue:
        assert one(queue, 0) == "Y1"
        assert one(queue, 0) == "Y2"
        assert one(queue) == "Y3"
        assert taken(queue) == "Y4L A"


def test_unit_of_work_used_otherwise_inside_a_group_then_refused(groups: QueueManager) -> None:
    fill(groups, "Y1 Y2L")
    with groups.queue("Q") as queue:
        assert one(queue, syncpoint=True) == "Y1"
        with pytest.raises(MQError) as refused:
            queue.get(options=ORDER, syncpoint=False)
        assert refused.value.reason == rc.MQRC_INCONSISTENT_UOW
        groups.commit()
        assert one(queue, syncpoint=True) == "Y2L"
        groups.commit()


def test_match_options_that_the_next_message_does_not_meet_then_refused(
    groups: QueueManager,
) -> None:
    fill(groups, "Y1 Y2L")
    with groups.queue("Q") as queue:
        assert one(queue) == "Y1"
        with pytest.raises(MQError) as refused:
            queue.get(options=ORDER, group_id=Z)
        assert refused.value.reason == rc.MQRC_MATCH_OPTIONS_ERROR
        assert one(queue, group_id=Y) == "Y2L"


def test_backout_then_gets_go_on_as_before_the_unit(groups: QueueManager) -> None:
    fill(groups, "Y1 Y2 Y3L A")
    with groups.queue("Q") as queue:
        assert one(queue, syncpoint=True) == "Y1"
        groups.commit()
        assert one(queue, syncpoint=True) == "Y2"
        assert one(queue, syncpoint=True) == "Y3L"
        assert one(queue, syncpoint=True) == "A"
        groups.backout()
        assert taken(queue, syncpoint=True) == "Y2 Y3L A"
        groups.backout()
        assert one(queue, syncpoint=True) == "Y2"
        groups.commit()


def test_backout_when_a_group_was_begun_outside_meanwhile_then_that_goes_on(
    groups: QueueManager,
) -> None:
    fill(groups, "Y1 Y2L Z1 Z2L")
    with groups.queue("Q") as queue:
        assert one(queue, syncpoint=True) == "Y1"
        assert one(queue, syncpoint=True) == "Y2L"
        assert one(queue, syncpoint=False) == "Z1"
        groups.backout()
        assert taken(queue, syncpoint=False) == "Z2L Y1 Y2L"


def test_backout_of_a_prepared_unit_then_the_place_stays(groups: QueueManager) -> None:
    fill(groups, "Y1 Y2 Y3L")
    xid = XID(7, b"global", b"branch")
    with groups.queue("Q") as queue:
        assert one(queue, syncpoint=True) == "Y1"
        groups.prepare(xid)
        groups.backout_prepared(xid)
        assert one(queue, syncpoint=True) == "Y2"
        groups.backout()
        assert one(queue, syncpoint=True) == "Y2"
        groups.commit()


def test_backout_then_browse_goes_on_where_it_was(groups: QueueManager) -> None:
    fill(groups, "Y1 Y2 Y3L")
    with groups.queue("Q") as queue:
        browse = iter(queue.browse(options=ORDER))
        assert next(browse).data == b"Y1"
        assert one(queue, syncpoint=True) == "Y1"
        groups.backout()
        assert next(browse).data == b"Y2"
        assert one(queue, syncpoint=True) == "Y1"
        groups.backout()


def test_browse_next_in_another_order_then_refused(groups: QueueManager) -> None:
    fill(groups, "Y1 Y2L")
    with groups.queue("Q") as queue:
        assert queue.get(options=mq.MQGMO_BROWSE_NEXT | ORDER).data == b"Y1"
        with pytest.raises(MQError) as refused:
            queue.get(options=mq.MQGMO_BROWSE_NEXT)
        assert refused.value.reason == rc.MQRC_INCONSISTENT_BROWSE
        assert queue.get(options=mq.MQGMO_BROWSE_FIRST).data == b"Y1"
        with pytest.raises(MQError) as refused:
            queue.get(options=mq.MQGMO_BROWSE_NEXT | ORDER)
        assert refused.value.reason == rc.MQRC_INCONSISTENT_BROWSE


def test_browse_of_all_messages_available_then_incomplete_groups_are_passed_over(
    groups: QueueManager,
) -> None:
    fill(groups, "Y1 Z1 A Z2L")
    with groups.queue("Q") as queue:
        found = " ".join(m.data.decode() for m in queue.browse(options=ORDER | ALL))
        assert found == "Z1 Z2L A"


def test_priorities_then_a_group_stands_where_its_first_message_is(groups: QueueManager) -> None:
    with groups.queue("Q") as queue:
        put(queue, "Y2L", priority=9)
        put(queue, "A", priority=5)
        put(queue, "Y1", priority=0)
        put(queue, "B", priority=0)
        assert taken(queue) == "A Y1 Y2L B"


def test_selection_then_the_first_message_decides_for_its_group(groups: QueueManager) -> None:
    with groups.queue("Q") as queue:
        put(queue, "Z1", properties={"colour": "blue"})
        put(queue, "Y1", properties={"colour": "red"})
        put(queue, "Y2L", properties={"colour": "blue"})
        put(queue, "Z2L", properties={"colour": "red"})
        put(queue, "A", properties={"colour": "red"})
    with groups.queue("Q", selector="colour = 'red'") as queue:
        found = [m.data.decode() for m in queue.browse(options=ORDER)]
        assert found == ["Y1", "Y2L", "A"]
        assert taken(queue, ORDER | ALL) == "Y1 Y2L A"
        assert taken(queue, 0) == "Z2L"


def test_equal_messages_of_a_group_then_in_the_order_of_their_coming(groups: QueueManager) -> None:
    fill(groups, "Y1 Y2L Y1 Y2L")
    with groups.queue("Q") as queue:
        assert taken(queue) == "Y1 Y2L Y1 Y2L"


def test_group_after_a_crash_then_it_is_all_there(place: Place) -> None:
    if place.kind in ("served", "network"):
        pytest.skip("stops and starts by the embedded battery")
    place.qmgr.define_queue("Q")
    fill(place.qmgr, EXAMPLE, persistent=True)
    place.crash()
    with place.qmgr.queue("Q") as queue:
        assert taken(queue, ORDER | ALL, syncpoint=False) == IN_ORDER


def test_close_inside_a_group_of_gets_then_a_warning(groups: QueueManager) -> None:
    fill(groups, "Y1 Y2L Z1s@0 Z1LS@5")
    queue = groups.queue("Q")
    assert one(queue) == "Y1"
    assert queue.close() == rc.MQRC_INCOMPLETE_GROUP
    queue = groups.queue("Q")
    assert one(queue, 0) == "Y2L"
    assert queue.close() == 0
    queue = groups.queue("Q")
    assert one(queue) == "Z1s@0"
    assert queue.close() == rc.MQRC_INCOMPLETE_MSG


def test_groups_of_a_queue_then_how_much_of_each_is_there(groups: QueueManager) -> None:
    with groups.queue("Q") as queue:
        assert queue.groups() == []
        fill(groups, "Y1 Z2L A Y2s@0 Y3L")
        found = [
            (one.group_id, one.messages, one.complete, one.first, one.last, one.is_whole)
            for one in queue.groups()
        ]
        assert found == [(Y.hex(), 3, 2, 1, 3, False), (Z.hex(), 1, 1, 2, 2, False)]
        fill(groups, "Z1")
        assert [one.group_id for one in queue.groups(incomplete=True)] == [Y.hex()]
        assert [one.is_whole for one in queue.groups()] == [False, True]


def test_groups_when_there_are_very_many_then_all_are_listed_once(groups: QueueManager) -> None:
    count = 600
    with groups.queue("Q") as queue:
        for at in range(count):
            md = Descriptor(version=2, group_id=b"%024d" % at, msg_flags=mq.MQMF_MSG_IN_GROUP)
            queue.put(b"", descriptor=md)
        listed = [bytes.fromhex(one.group_id) for one in queue.groups()]
        assert listed == [b"%024d" % at for at in range(count)]


def test_two_handles_take_whole_groups_then_each_group_comes_to_one_of_them_in_order(
    groups: QueueManager,
) -> None:
    count = 40
    with groups.queue("Q") as queue:
        for number in range(1, 6):
            for at in range(count):
                flags = mq.MQMF_MSG_IN_GROUP | (mq.MQMF_LAST_MSG_IN_GROUP if number == 5 else 0)
                md = Descriptor(
                    version=2, group_id=b"%024d" % at, msg_seq_number=number, msg_flags=flags
                )
                queue.put(b"%d %d" % (at, number), descriptor=md)

    def take(found: list[str]) -> None:
        with groups.connect() as connection, connection.queue("Q") as own:
            found += [m.decode() for m in iter(lambda: _data(own), None)]

    taken_by: list[list[str]] = [[], []]
    threads = [threading.Thread(target=take, args=(found,)) for found in taken_by]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(taken_by[0]) + len(taken_by[1]) == 5 * count
    for found in taken_by:
        for begin in range(0, len(found), 5):
            group = found[begin].split()[0]
            assert found[begin : begin + 5] == [f"{group} {number}" for number in range(1, 6)]


def _data(queue: ternmq.Queue) -> bytes | None:
    message = queue.try_get(options=ORDER | ALL)
    return None if message is None else message.data


def test_get_outside_the_unit_of_its_group_then_a_failure_in_every_binding(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("UNIT")
    with qmgr.queue("UNIT") as queue:
        with queue.group() as group:
            group.put("1")
            group.put("2", last=True)
        queue.get(options=mq.MQGMO_LOGICAL_ORDER, syncpoint=True)
        with pytest.raises(ternmq.MQError) as refused:
            queue.get(options=mq.MQGMO_LOGICAL_ORDER | mq.MQGMO_NO_SYNCPOINT)
        assert (refused.value.comp, refused.value.reason) == (mq.MQCC_FAILED, 2245)
        qmgr.backout()
