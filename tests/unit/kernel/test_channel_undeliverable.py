"""Goal: what cannot be delivered by a channel is retried, returned, buried or discarded as the
document says, and is never lost otherwise: rows H1 to H9, E4, L3 to L5 and B5 of the channels'
conformance list on the engine's level.

Method: two queue managers on simulated disks; the test plays both agents and the wire.
"""

from __future__ import annotations

import tracemalloc

import pytest

from ternmq import MQError
from ternmq.base import constants as mq
from ternmq.base.reasons import (
    MQRC_MSG_TOO_BIG_FOR_CHANNEL,
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
    MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_UNKNOWN_REMOTE_Q_MGR,
)
from ternmq.channel import agent
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.headers.mqmde import DescriptorExtension
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.runtime.embedded import QueueManager
from ternmq.values.message import Message
from tests.unit.kernel.channel_rig import LUWIDS, Pair, bodies, depth, notices

pytestmark = pytest.mark.core

DEAD = "SYSTEM.DEAD.LETTER.QUEUE"
RETURN = mq.MQRO_EXCEPTION_WITH_FULL_DATA | mq.MQRO_DISCARD_MSG


def dead_letter(qmgr: QueueManager) -> tuple[DeadLetterHeader, Message, bytes]:
    """The next message of the dead-letter queue."""
    with qmgr.queue(DEAD) as queue:
        message = queue.get()
    assert message.format == mq.MQFMT_DEAD_LETTER_HEADER
    return DeadLetterHeader.unpack(message.data), message, message.data[mq.MQDLH_LENGTH_1 :]


def started(receiver: str = "", attributes: str = "") -> Pair:
    pair = Pair(attributes, receiver)
    pair.start()
    return pair


def mqsc(qmgr: QueueManager, text: str) -> None:
    answers = qmgr.mqsc(text)
    assert all(one.ok for one in answers), answers


def place(pair: Pair, *, is_final: bool = False, is_fast: bool = False) -> agent.Want:
    """The next message is got and placed."""
    got = pair.sender.run(agent.GET, is_fast=is_fast)
    assert got.message is not None
    return pair.receiver.run(
        agent.PLACE, message=got.message, is_fast=got.is_fast, is_final=is_final
    )


def end(pair: Pair, sequence: int) -> None:
    pair.sender.run(agent.PREPARE, luwid=LUWIDS[sequence], sequence=sequence, messages=1)
    pair.receiver.run(agent.COMMIT, luwid=LUWIDS[sequence], sequence=sequence, messages=1)
    pair.sender.run(agent.COMMIT, luwid=LUWIDS[sequence], sequence=sequence, messages=1)


# ---- message retry


def test_full_queue_when_it_has_room_again_then_the_message_is_delivered() -> None:
    pair = started()
    mqsc(pair.qmb, "ALTER QLOCAL(TARGET) MAXDEPTH(1)")
    pair.put(b"1", b"2")
    assert place(pair).outcome == agent.PLACED
    end(pair, 1)
    got = pair.sender.run(agent.GET)
    first = pair.receiver.run(agent.PLACE, message=got.message)
    assert (first.outcome, first.reason) == (agent.TRY_AGAIN, MQRC_Q_FULL)
    assert bodies(pair.qmb, "TARGET") == [b"1"]
    again = pair.receiver.run(agent.PLACE, message=got.message)
    assert again.outcome == agent.PLACED
    end(pair, 2)
    assert bodies(pair.qmb, "TARGET") == [b"2"]
    assert depth(pair.qmb, DEAD) == 0


def test_inhibited_queue_when_retries_are_over_then_the_message_is_buried() -> None:
    pair = started()
    mqsc(pair.qmb, "ALTER QLOCAL(TARGET) PUT(DISABLED)")
    pair.put(b"1")
    got = pair.sender.run(agent.GET)
    first = pair.receiver.run(agent.PLACE, message=got.message)
    assert (first.outcome, first.reason) == (agent.TRY_AGAIN, MQRC_PUT_INHIBITED)
    last = pair.receiver.run(agent.PLACE, message=got.message, is_final=True)
    assert (last.outcome, last.reason) == (agent.BURIED, MQRC_PUT_INHIBITED)
    end(pair, 1)
    header, message, data = dead_letter(pair.qmb)
    assert (header.reason, header.destination_queue) == (MQRC_PUT_INHIBITED, "TARGET")
    assert header.destination_qmgr == "QMB"
    assert (data, message.persistent) == (b"1", True)
    assert "AMQ7317W" in notices(pair.qmb)


@pytest.mark.parametrize("kind", ["unknown", "too long"])
def test_reason_that_does_not_pass_then_the_message_is_buried_at_once(kind: str) -> None:
    pair = started()
    if kind == "unknown":
        mqsc(pair.qmb, "DELETE QLOCAL(TARGET)")
        reason = MQRC_UNKNOWN_OBJECT_NAME
    else:
        mqsc(pair.qmb, "ALTER QLOCAL(TARGET) MAXMSGL(3)")
        reason = MQRC_MSG_TOO_BIG_FOR_Q
    pair.put(b"12345")
    placed = place(pair)
    assert (placed.outcome, placed.reason) == (agent.BURIED, reason)
    end(pair, 1)
    header, _, data = dead_letter(pair.qmb)
    assert (header.reason, data) == (reason, b"12345")


def test_segment_that_is_buried_then_its_place_is_behind_the_dead_letter_header() -> None:
    pair = started()
    mqsc(pair.qma, "ALTER QLOCAL(QMB) MAXMSGL(5000)")
    mqsc(pair.qmb, "DELETE QLOCAL(TARGET)")
    allowed = Descriptor(version=2, msg_flags=mq.MQMF_SEGMENTATION_ALLOWED, persistence=1)
    with pair.qma.queue("TARGET") as queue:
        queue.put(b"x" * 9000, descriptor=allowed)
    count = depth(pair.qma, "QMB")
    assert [one.outcome for one in pair.send(count)] == [agent.BURIED] * count
    end(pair, count)
    offset = 0
    for at in range(count):
        header, message, data = dead_letter(pair.qmb)
        assert header.format == mq.MQFMT_MD_EXTENSION
        own = DescriptorExtension.unpack(data)
        is_last = at == count - 1
        assert bool(own.msg_flags & mq.MQMF_LAST_SEGMENT) == is_last
        assert (own.offset, own.msg_seq_number) == (offset, 1)
        assert own.group_id != bytes(24) == message.group_id
        assert message.descriptor.msg_flags == 0
        offset += len(data) - mq.MQMDE_LENGTH_2
    assert offset == 9000


# ---- return to sender


def request(pair: Pair, report: int, body: bytes = b"data") -> bytes:
    with pair.qma.queue("TARGET") as queue:
        md = Descriptor(report=report, reply_to_queue="ANSWERS", persistence=1)
        return queue.put(body, descriptor=md)


def test_return_to_sender_when_the_target_is_full_then_the_report_is_on_its_way() -> None:
    pair = started()
    mqsc(pair.qmb, "ALTER QLOCAL(TARGET) MAXDEPTH(0)\nDEFINE QLOCAL(QMA) USAGE(XMITQ)")
    msg_id = request(pair, RETURN)
    assert place(pair, is_final=True).outcome == agent.RETURNED
    end(pair, 1)
    assert (depth(pair.qmb, "TARGET"), depth(pair.qmb, DEAD)) == (0, 0)
    with pair.qmb.queue("QMA") as queue:
        report = queue.get()
    header = TransmissionHeader.unpack(report.data)
    assert (header.remote_queue, header.remote_qmgr) == ("ANSWERS", "QMA")
    own = header.descriptor
    assert (own.msg_type, own.feedback) == (mq.MQMT_REPORT, MQRC_Q_FULL)
    assert own.correl_id == msg_id
    assert report.data[mq.MQXQH_CURRENT_LENGTH :] == b"data"


def test_return_to_sender_when_the_reply_queue_is_here_then_the_report_is_on_it() -> None:
    pair = started()
    mqsc(pair.qmb, "ALTER QLOCAL(TARGET) MAXDEPTH(0)\nDEFINE QLOCAL(ANSWERS)")
    with pair.qma.queue("TARGET") as queue:
        md = Descriptor(report=RETURN, reply_to_queue="ANSWERS", reply_to_qmgr="QMB", persistence=1)
        queue.put(b"data", descriptor=md)
    assert place(pair, is_final=True).outcome == agent.RETURNED
    end(pair, 1)
    with pair.qmb.queue("ANSWERS") as queue:
        report = queue.get()
    assert (report.data, report.descriptor.feedback) == (b"data", MQRC_Q_FULL)


def test_return_to_sender_when_no_queue_takes_the_report_then_the_batch_fails() -> None:
    pair = started()
    mqsc(pair.qmb, "ALTER QLOCAL(TARGET) MAXDEPTH(0)\nALTER QMGR DEADQ(' ')")
    request(pair, RETURN)
    got = pair.sender.run(agent.GET)
    with pytest.raises(MQError) as refused:
        pair.receiver.run(agent.PLACE, message=got.message, is_final=True)
    assert refused.value.reason == MQRC_Q_FULL
    pair.receiver.run(agent.BACK_OUT)
    pair.sender.run(agent.BACK_OUT)
    assert depth(pair.qma, "QMB") == 1


def test_exception_without_discard_then_there_is_a_report_and_the_message_is_buried() -> None:
    pair = started()
    mqsc(pair.qmb, "ALTER QLOCAL(TARGET) MAXDEPTH(0)\nDEFINE QLOCAL(QMA) USAGE(XMITQ)")
    request(pair, mq.MQRO_EXCEPTION)
    assert place(pair, is_final=True).outcome == agent.BURIED
    end(pair, 1)
    assert (depth(pair.qmb, "QMA"), depth(pair.qmb, DEAD)) == (1, 1)


# ---- where it goes


def test_unknown_queue_manager_then_it_is_buried_or_goes_by_the_default_queue() -> None:
    pair = started()
    mqsc(pair.qma, "DEFINE QREMOTE(FAR) RNAME(X) RQMNAME(QMC) XMITQ(QMB) DEFPSIST(YES)")
    with pair.qma.queue("FAR") as queue:
        queue.put(b"1")
        queue.put(b"2")
    placed = place(pair)
    assert (placed.outcome, placed.reason) == (agent.BURIED, MQRC_UNKNOWN_REMOTE_Q_MGR)
    mqsc(pair.qmb, "DEFINE QLOCAL(AWAY) USAGE(XMITQ)\nALTER QMGR DEFXMITQ(AWAY)")
    assert place(pair).outcome == agent.PLACED
    end(pair, 2)
    header, _, _ = dead_letter(pair.qmb)
    assert (header.reason, header.destination_qmgr) == (MQRC_UNKNOWN_REMOTE_Q_MGR, "QMC")
    with pair.qmb.queue("AWAY") as queue:
        message = queue.get()
    own = TransmissionHeader.unpack(message.data)
    assert (own.remote_queue, own.remote_qmgr) == ("X", "QMC")
    assert message.data[mq.MQXQH_CURRENT_LENGTH :] == b"2"


# ---- without a dead-letter queue


@pytest.mark.parametrize("how", ["no queue", "USEDLQ(NO)", "full"])
def test_persistent_message_when_no_queue_takes_it_then_all_of_the_batch_stays(how: str) -> None:
    pair = started("USEDLQ(NO)" if how == "USEDLQ(NO)" else "")
    if how == "no queue":
        mqsc(pair.qmb, "ALTER QMGR DEADQ(' ')")
    if how == "full":
        mqsc(pair.qmb, f"ALTER QLOCAL({DEAD}) MAXDEPTH(0)")
    mqsc(pair.qma, "DEFINE QREMOTE(NOWHERE) RNAME(NOWHERE) RQMNAME(QMB) DEFPSIST(YES)")
    pair.put(b"1", b"2")
    with pair.qma.queue("NOWHERE") as queue:
        queue.put(b"3")
    pair.put(b"4", b"5")
    pair.send(2)
    got = pair.sender.run(agent.GET)
    with pytest.raises(MQError) as refused:
        pair.receiver.run(agent.PLACE, message=got.message)
    assert refused.value.reason == MQRC_UNKNOWN_OBJECT_NAME
    pair.receiver.run(agent.BACK_OUT)
    pair.sender.run(agent.BACK_OUT)
    assert depth(pair.qma, "QMB") == 5
    assert depth(pair.qmb, "TARGET") == 0
    mqsc(pair.qmb, "DEFINE QLOCAL(NOWHERE)")
    pair.batch(5, 5, LUWIDS[1])
    assert bodies(pair.qmb, "TARGET") == [b"1", b"2", b"4", b"5"]
    assert bodies(pair.qmb, "NOWHERE") == [b"3"]


@pytest.mark.parametrize("how", ["buried", "DLQ full", "no DLQ", "USEDLQ(NO)"])
def test_fast_message_when_its_queue_is_full_then_the_channel_goes_on(how: str) -> None:
    pair = started("USEDLQ(NO)" if how == "USEDLQ(NO)" else "")
    mqsc(pair.qmb, "ALTER QLOCAL(TARGET) MAXDEPTH(0)")
    if how == "no DLQ":
        mqsc(pair.qmb, "ALTER QMGR DEADQ(' ')")
    if how == "DLQ full":
        mqsc(pair.qmb, f"ALTER QLOCAL({DEAD}) MAXDEPTH(0)")
    pair.put(b"1", b"2", persistent=False)
    expected = agent.BURIED if how == "buried" else agent.DISCARDED
    for _ in range(2):
        placed = place(pair, is_final=True, is_fast=True)
        assert placed.outcome == expected
    assert notices(pair.qmb).count("AMQ7317W") == 2
    assert depth(pair.qmb, DEAD) == (2 if how == "buried" else 0)
    assert depth(pair.qma, "QMB") == 0
    mqsc(pair.qmb, "ALTER QLOCAL(TARGET) MAXDEPTH(5)")
    pair.put(b"3", persistent=False)
    assert place(pair, is_fast=True).outcome == agent.PLACED
    assert bodies(pair.qmb, "TARGET") == [b"3"]


# ---- at the sender


def test_long_message_then_it_is_buried_at_the_sender_as_it_was_put() -> None:
    pair = started()
    pair.put(b"x" * 2000, b"2")
    got = pair.sender.run(agent.GET, bytes_max=1000)
    assert got.reason == MQRC_MSG_TOO_BIG_FOR_CHANNEL
    buried = pair.sender.run(agent.BURY, message=got.message, reason=got.reason)
    assert buried.outcome == agent.BURIED
    assert place(pair).outcome == agent.PLACED
    end(pair, 1)
    header, _, data = dead_letter(pair.qma)
    assert (header.reason, header.destination_queue) == (MQRC_MSG_TOO_BIG_FOR_CHANNEL, "TARGET")
    assert (header.destination_qmgr, data) == ("QMB", b"x" * 2000)
    assert bodies(pair.qmb, "TARGET") == [b"2"]
    assert "AMQ7317W" in notices(pair.qma)


def test_long_message_when_there_is_nothing_else_then_it_is_buried_without_the_partner() -> None:
    pair = started()
    pair.put(b"x" * 2000)
    got = pair.sender.run(agent.GET, bytes_max=1000)
    pair.sender.run(agent.BURY, message=got.message, reason=got.reason)
    pair.sender.run(agent.COMMIT)
    assert (depth(pair.qma, DEAD), depth(pair.qma, "QMB")) == (1, 0)
    pair.sender.end()
    pair.open()
    assert pair.sender.start().last_sequence == 0


@pytest.mark.parametrize("persistent", [True, False])
def test_long_message_when_there_is_no_dead_letter_queue_then_it_stays(persistent: bool) -> None:
    pair = started()
    mqsc(pair.qma, "ALTER QMGR DEADQ(' ')")
    pair.put(b"x" * 2000, persistent=persistent)
    got = pair.sender.run(agent.GET, bytes_max=1000, is_fast=True)
    assert got.reason == MQRC_MSG_TOO_BIG_FOR_CHANNEL
    with pytest.raises(MQError) as refused:
        pair.sender.run(agent.BURY, message=got.message, reason=got.reason)
    assert refused.value.reason == MQRC_MSG_TOO_BIG_FOR_CHANNEL
    pair.sender.run(agent.BACK_OUT)
    assert depth(pair.qma, "QMB") == 1


@pytest.mark.parametrize("is_fast", [True, False])
def test_junk_on_the_transmission_queue_then_it_is_buried_with_271(is_fast: bool) -> None:
    pair = started()
    with pair.qma.queue("QMB") as queue:
        queue.put(b"junk", persistent=False, msg_id=b"m" * 24)
    got = pair.sender.run(agent.GET, is_fast=is_fast)
    assert got.reason == mq.MQFB_XMIT_Q_MSG_ERROR
    pair.sender.run(agent.BURY, message=got.message, reason=got.reason)
    pair.sender.run(agent.COMMIT)
    header, message, data = dead_letter(pair.qma)
    assert (header.reason, header.destination_queue) == (mq.MQFB_XMIT_Q_MSG_ERROR, "QMB")
    assert (data, message.msg_id) == (b"junk", b"m" * 24)


@pytest.mark.parametrize("junk", [b"", b"XQH ", b"x" * 500, b"XQH \1\0\0\0" + bytes(500)])
def test_junk_from_a_partner_then_it_is_buried_as_it_came(junk: bytes) -> None:
    pair = started()
    placed = pair.receiver.run(agent.PLACE, message=junk)
    assert (placed.outcome, placed.reason) == (agent.BURIED, mq.MQFB_XMIT_Q_MSG_ERROR)
    pair.receiver.run(agent.COMMIT, luwid=LUWIDS[0], sequence=1, messages=1)
    header, _, data = dead_letter(pair.qmb)
    assert (header.reason, data) == (mq.MQFB_XMIT_Q_MSG_ERROR, junk)


# ---- expiry


def test_expired_message_then_it_is_never_sent_and_the_rest_arrives_with_the_others() -> None:
    pair = started()
    pair.put(b"gone", expiry=1)
    pair.put(b"left", expiry=60)
    pair.left.clock.advance(20)
    got = pair.sender.run(agent.GET)
    assert got.message is not None
    assert got.message.endswith(b"left")
    pair.receiver.run(agent.PLACE, message=got.message)
    end(pair, 1)
    with pair.qmb.queue("TARGET") as queue:
        message = queue.get()
    assert 395 <= message.descriptor.expiry <= 400
    assert pair.sender.run(agent.GET).message is None


# ---- lists


def put_list(pair: Pair, *names: str) -> None:
    with pair.qma.open_list([(name, "QMB") for name in names]) as queues:
        queues.put(b"all", persistent=True)


def test_list_when_the_partner_takes_lists_then_one_message_becomes_three() -> None:
    pair = started()
    mqsc(pair.qmb, "DEFINE QLOCAL(T1)\nDEFINE QLOCAL(T2)\nDEFINE QLOCAL(T3)")
    mqsc(pair.qma, "ALTER QLOCAL(QMB) DISTL(YES)")
    put_list(pair, "T1", "T2", "T3")
    assert depth(pair.qma, "QMB") == 1
    assert place(pair).outcome == agent.PLACED
    end(pair, 1)
    assert [bodies(pair.qmb, name) for name in ("T1", "T2", "T3")] == [[b"all"]] * 3


def test_list_when_one_target_is_full_then_that_one_alone_is_retried_and_buried() -> None:
    pair = started()
    mqsc(pair.qmb, "DEFINE QLOCAL(T1)\nDEFINE QLOCAL(T2) MAXDEPTH(0)\nDEFINE QLOCAL(T3)")
    put_list(pair, "T1", "T2", "T3")
    got = pair.sender.run(agent.GET)
    first = pair.receiver.run(agent.PLACE, message=got.message)
    assert (first.outcome, first.reason) == (agent.TRY_AGAIN, MQRC_Q_FULL)
    last = pair.receiver.run(agent.PLACE, message=got.message, is_final=True)
    assert last.outcome == agent.BURIED
    end(pair, 1)
    assert [bodies(pair.qmb, name) for name in ("T1", "T2", "T3")] == [[b"all"], [], [b"all"]]
    header, _, data = dead_letter(pair.qmb)
    assert (header.destination_queue, data) == ("T2", b"all")


def test_list_when_the_partner_takes_none_then_the_sender_splits_it() -> None:
    pair = Pair()
    mqsc(pair.qmb, "DEFINE QLOCAL(T1)\nDEFINE QLOCAL(T2)\nDEFINE QLOCAL(T3)")
    mqsc(pair.qma, "ALTER QLOCAL(QMB) DISTL(YES)")
    put_list(pair, "T1", "T2", "T3")
    pair.sender.run(agent.READ_STATE, has_lists=False)
    pair.receiver.start()
    more = []
    for _ in range(3):
        got = pair.sender.run(agent.GET, has_lists=False)
        more.append(got.more)
        pair.receiver.run(agent.PLACE, message=got.message)
    assert more == [True, True, False]
    end(pair, 3)
    assert [bodies(pair.qmb, name) for name in ("T1", "T2", "T3")] == [[b"all"]] * 3
    with pair.qma.queue("QMB") as queue:
        assert queue.inquire(mq.MQIA_DIST_LISTS) == [mq.MQDL_NOT_SUPPORTED]
    put_list(pair, "T1", "T2", "T3")
    assert depth(pair.qma, "QMB") == 3


def test_long_list_when_the_partner_takes_none_then_its_data_is_kept_once() -> None:
    pair = Pair()
    mqsc(pair.qma, "ALTER QLOCAL(QMB) DISTL(YES)")
    with pair.qma.open_list([(f"T{at}", "QMB") for at in range(200)]) as queues:
        queues.put(bytes(500_000), persistent=True)
    pair.sender.run(agent.READ_STATE, has_lists=False)
    tracemalloc.start()
    try:
        assert pair.sender.run(agent.GET, has_lists=False).more
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


# ---- exits


def test_message_that_an_exit_suppresses_then_it_is_buried_with_the_exits_reason() -> None:
    pair = started()
    pair.put(b"1", b"2")
    got = pair.sender.run(agent.GET)
    placed = pair.receiver.run(agent.PLACE, message=got.message, reason=268)
    assert (placed.outcome, placed.reason) == (agent.BURIED, 268)
    got = pair.sender.run(agent.GET)
    buried = pair.sender.run(agent.BURY, message=got.message, reason=300)
    assert buried.outcome == agent.BURIED
    end(pair, 1)
    for qmgr, reason, body in ((pair.qmb, 268, b"1"), (pair.qma, 300, b"2")):
        header, _, data = dead_letter(qmgr)
        assert (header.reason, header.destination_queue, data) == (reason, "TARGET", body)


def test_retry_exit_then_any_reason_is_tried_again_until_it_is_final() -> None:
    pair = started()
    mqsc(pair.qmb, "DELETE QLOCAL(TARGET)")
    pair.put(b"1")
    got = pair.sender.run(agent.GET)
    first = pair.receiver.run(agent.PLACE, message=got.message, retries_all=True)
    assert (first.outcome, first.reason) == (agent.TRY_AGAIN, MQRC_UNKNOWN_OBJECT_NAME)
    mqsc(pair.qmb, "DEFINE QLOCAL(TARGET)")
    again = pair.receiver.run(agent.PLACE, message=got.message, retries_all=True)
    assert again.outcome == agent.PLACED
