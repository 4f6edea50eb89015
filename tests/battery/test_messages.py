"""Put and get: order, identifiers, truncation, defaults, expiry, limits.

Every test runs on every disk; those that take `inside` run in and out of syncpoint and commit.
"""

from __future__ import annotations

import itertools

import pytest

import ternmq
from ternmq import QueueManager
from ternmq import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from tests.battery.places import Place

pytestmark = pytest.mark.core

ONE = b"1" * 24
TWO = b"2" * 24
THREE = b"3" * 24


def put_all(qmgr: QueueManager, name: str, inside: bool, *priorities: int) -> None:
    with qmgr.queue(name) as queue:
        for number, priority in enumerate(priorities):
            queue.put(b"%d" % number, priority=priority, syncpoint=inside)
    qmgr.commit()


def get_all(qmgr: QueueManager, name: str, inside: bool) -> list[int]:
    with qmgr.queue(name) as queue:
        found = []
        while (message := queue.try_get(syncpoint=inside)) is not None:
            found.append(int(message.data))
    qmgr.commit()
    return found


@pytest.mark.parametrize("persistent", [False, True])
def test_put_then_get_returns_the_same(qmgr: QueueManager, inside: bool, persistent: bool) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        msg_id = queue.put(b"\x00\xffbytes", persistent=persistent, syncpoint=inside)
        qmgr.commit()
        assert queue.depth == 1
        message = queue.get(syncpoint=inside)
        assert message.data == b"\x00\xffbytes"
        assert message.msg_id == msg_id
        assert message.persistent == persistent
        assert message.backout_count == 0
        assert queue.depth == 0
        qmgr.commit()
        assert queue.try_get() is None


def test_put_when_empty_then_the_message_has_no_data(qmgr: QueueManager, inside: bool) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(b"", syncpoint=inside)
        qmgr.commit()
        message = queue.get()
        assert (message.data, message.length) == (b"", 0)


def test_get_when_priorities_differ_then_highest_first(qmgr: QueueManager, inside: bool) -> None:
    qmgr.define_queue("A")
    put_all(qmgr, "A", inside, 4, 9, 0, 9, 4, 1)
    assert get_all(qmgr, "A", inside) == [1, 3, 0, 4, 5, 2]


def test_get_when_delivery_is_fifo_then_priority_is_kept_but_ignored(
    qmgr: QueueManager, inside: bool
) -> None:
    qmgr.define_queue("A", delivery="FIFO")
    put_all(qmgr, "A", inside, 4, 9, 0)
    with qmgr.queue("A") as queue:
        assert [message.priority for message in queue.browse()] == [4, 9, 0]
    assert get_all(qmgr, "A", inside) == [0, 1, 2]


def test_get_when_nothing_matches_then_no_message(qmgr: QueueManager, inside: bool) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(b"x", msg_id=ONE, correl_id=TWO, syncpoint=inside)
        qmgr.commit()
        for msg_id, correl_id in ((TWO, None), (None, ONE), (ONE, ONE)):
            with pytest.raises(ternmq.NoMessage):
                queue.get(msg_id=msg_id, correl_id=correl_id)
        assert queue.get(msg_id=ONE, correl_id=TWO).data == b"x"


@pytest.mark.parametrize("with_msg_id", [False, True])
@pytest.mark.parametrize("with_correl_id", [False, True])
@pytest.mark.parametrize("with_group_id", [False, True])
def test_get_by_ids_takes_the_first_that_has_them_all(
    qmgr: QueueManager, with_msg_id: bool, with_correl_id: bool, with_group_id: bool
) -> None:
    qmgr.define_queue("A")
    combinations = list(itertools.product((ONE, TWO), (ONE, TWO), (ONE, TWO)))
    with qmgr.queue("A") as queue:
        for number, (msg_id, correl_id, group_id) in enumerate(combinations * 2):
            md = Descriptor(msg_id=msg_id, correl_id=correl_id, group_id=group_id)
            md.version = 2
            md.msg_flags = mq.MQMF_MSG_IN_GROUP
            queue.put(b"%d" % number, descriptor=md)
        expected = [
            number
            for number, (msg_id, correl_id, group_id) in enumerate(combinations * 2)
            if (msg_id == TWO or not with_msg_id)
            and (correl_id == TWO or not with_correl_id)
            and (group_id == TWO or not with_group_id)
        ]
        found = []
        while True:
            message = queue.try_get(
                msg_id=TWO if with_msg_id else None,
                correl_id=TWO if with_correl_id else None,
                group_id=TWO if with_group_id else None,
            )
            if message is None:
                break
            found.append(int(message.data))
        assert found == expected


def test_get_by_token_takes_that_message_alone(qmgr: QueueManager, inside: bool) -> None:
    qmgr.define_queue("A")
    put_all(qmgr, "A", inside, 0, 0, 0)
    with qmgr.queue("A") as queue:
        tokens = [message.token for message in queue.browse()]
        assert len(set(tokens)) == 3
        assert queue.get(token=tokens[1]).data == b"1"
        with pytest.raises(ternmq.NoMessage):
            queue.get(token=tokens[1])
        assert [message.data for message in queue] == [b"0", b"2"]


def test_get_by_token_of_another_queue_then_there_is_no_such_message(qmgr: QueueManager) -> None:
    for name in ("A", "B"):
        qmgr.define_queue(name)
        qmgr.put(name, name)
    with qmgr.queue("A") as mine, qmgr.queue("B") as other:
        token = next(other.browse()).token
        assert mine.try_get(token=token) is None
        assert mine.try_get(token=token, options=mq.MQGMO_BROWSE_FIRST) is None
        assert other.get(token=token).text == "B"
        with pytest.raises(ternmq.MQError) as refused:
            mine.get(token=token[:5])
        assert refused.value.reason == mq.MQRC_MSG_TOKEN_ERROR


def test_get_when_buffer_is_short_then_the_message_stays(qmgr: QueueManager, inside: bool) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(b"0123456789", syncpoint=inside)
        qmgr.commit()
        with pytest.raises(ternmq.Truncated) as short:
            queue.get(max_length=4, syncpoint=inside)
        assert short.value.reason == mq.MQRC_TRUNCATED_MSG_FAILED
        assert short.value.comp == mq.MQCC_WARNING
        assert (short.value.result.data, short.value.result.length) == (b"0123", 10)
        assert queue.depth == 1
        assert queue.get(max_length=10).data == b"0123456789"


def test_get_when_truncation_is_accepted_then_the_message_is_gone(
    qmgr: QueueManager, inside: bool
) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(b"0123456789", syncpoint=inside)
        qmgr.commit()
        accept = mq.MQGMO_ACCEPT_TRUNCATED_MSG
        message = queue.get(max_length=0, options=accept, syncpoint=inside)
        assert (message.data, message.length, message.truncated) == (b"", 10, True)
        qmgr.commit()
        assert queue.depth == 0


@pytest.mark.parametrize("persistence", [0, 1])
@pytest.mark.parametrize("priority", [0, 7])
def test_put_when_not_given_then_defaults_come_from_the_queue(
    qmgr: QueueManager, persistence: int, priority: int
) -> None:
    qmgr.define_queue("A", default_persistence=persistence, default_priority=priority)
    with qmgr.queue("A") as queue:
        queue.put(b"x")
        descriptor = queue.get().descriptor
        assert (descriptor.persistence, descriptor.priority) == (persistence, priority)


def test_put_when_the_queue_is_full_then_refused_until_one_is_got(
    qmgr: QueueManager, inside: bool
) -> None:
    qmgr.define_queue("A", max_depth=2)
    with qmgr.queue("A") as queue:
        queue.put(b"0", syncpoint=inside)
        queue.put(b"1", syncpoint=inside)  # uncommitted messages count
        with pytest.raises(ternmq.Full) as full:
            queue.put(b"2")
        assert full.value.reason == mq.MQRC_Q_FULL
        qmgr.commit()
        queue.get(syncpoint=inside)
        queue.put(b"2")  # an uncommitted get has made room
        qmgr.commit()
        assert queue.depth == 2


def test_put_when_too_long_then_the_reason_reports_whose_limit(qmgr: QueueManager) -> None:
    qmgr.define_queue("A", max_message_length=10)
    qmgr.define_queue("B", max_message_length=100_000_000)
    with qmgr.queue("A") as queue, pytest.raises(ternmq.Full) as refused:
        queue.put(bytes(11))
    assert refused.value.reason == mq.MQRC_MSG_TOO_BIG_FOR_Q
    qmgr.alter_qmgr(max_message_length=40_000)
    with qmgr.queue("B") as queue, pytest.raises(ternmq.Full) as refused:
        queue.put(bytes(40_001))
    assert refused.value.reason == mq.MQRC_MSG_TOO_BIG_FOR_Q_MGR
    with qmgr.queue("A") as queue:
        queue.put(bytes(10))


def test_inhibits_refuse_puts_and_gets_until_they_are_lifted(qmgr: QueueManager) -> None:
    qmgr.define_queue("A", put="DISABLED", get="DISABLED")
    with qmgr.queue("A") as queue:
        with pytest.raises(ternmq.Inhibited) as refused:
            queue.put(b"x")
        assert refused.value.reason == mq.MQRC_PUT_INHIBITED
        with pytest.raises(ternmq.Inhibited) as refused:
            queue.get()
        assert refused.value.reason == mq.MQRC_GET_INHIBITED
        queue.set({mq.MQIA_INHIBIT_PUT: 0, mq.MQIA_INHIBIT_GET: 0})
        queue.put(b"x")
        assert queue.get().data == b"x"


def test_expiry_when_got_in_time_then_what_is_left_is_reported(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(b"x", expiry=1000.0)
        queue.put(b"y")
        first = queue.get().descriptor
        assert 9_000 < first.expiry <= 10_000
        assert queue.get().descriptor.expiry == mq.MQEI_UNLIMITED


@pytest.mark.parametrize("persistent", [False, True])
def test_expiry_when_passed_then_the_message_is_gone(place: Place, persistent: bool) -> None:
    qmgr = place.qmgr
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(b"dead", msg_id=ONE, correl_id=ONE, expiry=0.1, persistent=persistent)
        queue.put(b"alive", msg_id=ONE, correl_id=ONE, persistent=persistent)
        clock = place.qmgr.started.shell.engine.clock
        start = clock.now_ns()
        while clock.now_ns() < start + 110_000_000:
            pass
        assert [message.data for message in queue.browse()] == [b"alive"]
        assert queue.get(msg_id=ONE).data == b"alive"
        assert queue.try_get() is None
        assert queue.depth == 0


def test_put1_puts_without_an_open_queue(qmgr: QueueManager, inside: bool) -> None:
    qmgr.define_queue("A")
    if inside:
        with qmgr.unit_of_work():
            qmgr.put("A", "text")
    else:
        qmgr.put("A", "text")
    with qmgr.queue("A") as queue:
        assert queue.get().text == "text"
        assert queue.inquire(mq.MQIA_OPEN_OUTPUT_COUNT) == [0]


def test_put_new_ids_are_made_where_asked(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        both = mq.MQPMO_NEW_MSG_ID | mq.MQPMO_NEW_CORREL_ID
        for _ in range(2):
            queue.put(b"x", msg_id=ONE, correl_id=TWO, options=both)
        first, second = queue.get(), queue.get()
        ids = {first.msg_id, first.correl_id, second.msg_id, second.correl_id, ONE, TWO}
        assert len(ids) == 6
        assert first.msg_id.startswith(b"AMQ QM1")


def test_messages_of_a_hundred_kinds_survive_restart_in_order(place: Place) -> None:
    qmgr = place.qmgr
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        for number in range(100):
            queue.put(
                b"%d" % number,
                priority=number % 10,
                persistent=number % 3 != 0,
                correl_id=b"%024d" % (number % 7),
            )
        kept = [number for number in range(100) if number % 3 != 0]
    for again in (place.restart, place.crash):
        qmgr = again()
        with qmgr.queue("A") as queue:
            found = [int(message.data) for message in queue.browse()]
            assert found == sorted(kept, key=lambda number: (-(number % 10), number))
            by_id = int(queue.get(correl_id=b"%024d" % 3).data)
            assert by_id == next(number for number in found if number % 7 == 3)
            kept.remove(by_id)


@pytest.mark.parametrize(
    "descriptor",
    [Descriptor(priority=3), Descriptor(format=mq.MQFMT_STRING, ccsid=37), Descriptor(ccsid=500)],
    ids=["blank", "string in EBCDIC", "EBCDIC"],
)
def test_text_when_put_with_a_descriptor_then_it_is_labelled_as_it_is_written(
    qmgr: QueueManager, descriptor: Descriptor
) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        for text in ("grüße", {"item": "ladder"}):
            queue.put(text, descriptor=descriptor)
        first, second = queue.get(), queue.get()
    assert (first.text, first.descriptor.format) == ("grüße", mq.MQFMT_STRING)
    assert (second.json(), second.descriptor.format) == ({"item": "ladder"}, mq.MQFMT_STRING)


def test_text_when_its_descriptor_has_a_format_of_its_own_then_that_stays(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put("own", descriptor=Descriptor(format="MYFMT", ccsid=37))
        assert queue.get().descriptor.format == "MYFMT"


def test_get_and_put_of_a_queue_when_given_a_bool_then_refused(qmgr: QueueManager) -> None:
    for value in (False, True):
        with pytest.raises(ternmq.MQError, match=f"GET is ENABLED or DISABLED, not {value}"):
            qmgr.define_queue("A", get=value)
        with pytest.raises(ternmq.MQError, match=f"PUT is ENABLED or DISABLED, not {value}"):
            qmgr.define_queue("A", put=value)
    assert "A" not in qmgr.queue_names()
