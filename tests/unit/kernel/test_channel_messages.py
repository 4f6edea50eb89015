"""Goal: a message that comes by a channel is put as any other: segments and groups keep their
places, streaming queues get copies, triggers fire, statistics and reports count it; fast messages
need no unit of work, and the next batch may be open while one is in doubt.

Method: two queue managers on simulated disks; the test plays both agents and the wire.
"""

from __future__ import annotations

import random

import pytest

from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_FORMAT_ERROR
from ternmq.channel import agent
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.kernel.channel_in_doubt import batches_in_doubt
from ternmq.kernel.channel_repeats import LastRead
from ternmq.kernel.channel_work import await_message, stop_awaiting
from ternmq.mqi.received_message import read_message
from ternmq.ports.effect import Wakeable
from tests.unit.kernel.channel_rig import LUWIDS, Pair, bodies, depth

pytestmark = pytest.mark.core


def started(receiver: str = "") -> Pair:
    pair = Pair("", receiver)
    pair.start()
    return pair


def test_segments_and_groups_then_their_places_are_kept() -> None:
    pair = started()
    pair.qma.mqsc("ALTER QLOCAL(QMB) MAXMSGL(5000)")
    allowed = Descriptor(version=2, msg_flags=mq.MQMF_SEGMENTATION_ALLOWED, persistence=1)
    data = bytes(range(256)) * 40
    with pair.qma.queue("TARGET") as queue:
        queue.put(data, descriptor=allowed)
        with queue.group() as group:
            group.put(b"one")
            group.put(b"two", last=True)
    count = depth(pair.qma, "QMB")
    assert count > 4
    pair.batch(count, count, LUWIDS[0])
    with pair.qmb.queue("TARGET") as queue:
        assert [one.group_status for one in queue.browse()][-2:] == ["G", "L"]
        assert queue.get(options=mq.MQGMO_COMPLETE_MSG).data == data
        first, second = list(queue)
    assert (first.descriptor.msg_seq_number, second.descriptor.msg_seq_number) == (1, 2)
    assert first.group_id == second.group_id != bytes(24)


def test_long_message_that_may_be_segmented_then_the_target_queue_gets_segments() -> None:
    pair = started()
    pair.qmb.mqsc("ALTER QLOCAL(TARGET) MAXMSGL(1000)")
    allowed = Descriptor(version=2, msg_flags=mq.MQMF_SEGMENTATION_ALLOWED, persistence=1)
    with pair.qma.queue("TARGET") as queue:
        queue.put(b"x" * 3500, descriptor=allowed)
    pair.batch(1, 1, LUWIDS[0])
    assert depth(pair.qmb, "TARGET") == 4
    with pair.qmb.queue("TARGET") as queue:
        assert queue.get(options=mq.MQGMO_COMPLETE_MSG).data == b"x" * 3500


def test_streaming_queue_and_trigger_then_they_work_as_for_any_put() -> None:
    pair = started()
    pair.qmb.mqsc(
        "DEFINE QLOCAL(COPY)\nDEFINE QLOCAL(INIT)\n"
        "DEFINE PROCESS(P) APPLICID('x')\n"
        "ALTER QLOCAL(TARGET) STREAMQ(COPY) TRIGGER TRIGTYPE(FIRST) INITQ(INIT) PROCESS(P)"
    )
    with pair.qmb.queue("INIT") as monitor:
        list(monitor)  # it is open for input
        pair.put(b"1")
        pair.batch(1, 1, LUWIDS[0])
        pair.right.settle()
        assert monitor.get().format == "MQTRIG"
    assert bodies(pair.qmb, "COPY") == bodies(pair.qmb, "TARGET") == [b"1"]


def test_confirmation_of_arrival_then_the_report_comes_from_where_it_arrived() -> None:
    pair = started()
    pair.qmb.mqsc("DEFINE QLOCAL(QMA) USAGE(XMITQ)")
    with pair.qma.queue("TARGET") as queue:
        md = Descriptor(report=mq.MQRO_COA, reply_to_queue="ANSWERS", persistence=1)
        queue.put(b"1", descriptor=md)
    pair.batch(1, 1, LUWIDS[0])
    with pair.qmb.queue("QMA") as queue:
        report = TransmissionHeader.unpack(queue.get().data)
    assert (report.descriptor.feedback, report.remote_queue) == (mq.MQFB_COA, "ANSWERS")


# ---- fast messages


def test_fast_messages_then_they_are_there_before_the_batch_ends() -> None:
    pair = started()
    pair.put(b"p", persistent=True)
    pair.put(b"n", persistent=False)
    wants = pair.send(2, is_fast=True)
    assert [one.is_fast for one in wants] == [False, True]
    assert bodies(pair.qmb, "TARGET") == [b"n"]
    assert depth(pair.qma, "QMB") == 0
    pair.sender.run(agent.BACK_OUT)
    pair.receiver.run(agent.BACK_OUT)
    assert depth(pair.qma, "QMB") == 1
    pair.batch(1, 1, LUWIDS[0])
    assert bodies(pair.qmb, "TARGET") == [b"p"]


def test_batch_of_fast_messages_alone_then_the_state_stays_and_nothing_is_forced() -> None:
    pair = started()
    pair.put(b"1")
    pair.batch(1, 1, LUWIDS[0])
    pair.put(b"2", persistent=False)
    log = pair.qmb.started.shell.engine.log
    end = log.end_lsn
    pair.send(1, is_fast=True)
    pair.sender.run(agent.PREPARE, luwid=LUWIDS[1], sequence=1)
    for one in (pair.receiver, pair.sender):
        one.run(agent.COMMIT, luwid=LUWIDS[1], sequence=1, messages=1)
    assert log.end_lsn == end
    state = pair.receiver.work.state
    assert state is not None
    assert (state.last_luwid, state.last_sequence) == (LUWIDS[0], 1)
    pair.restart()
    sent, received = pair.start()
    own = sent.in_doubt_luwid if sent.is_in_doubt else sent.last_luwid
    assert own == received.last_luwid == LUWIDS[0]


def test_nonpersistent_messages_under_syncpoint_then_they_have_numbers() -> None:
    pair = started()
    pair.put(b"1", b"2", persistent=False)
    pair.batch(2, 2, LUWIDS[0])
    pair.sender.run(agent.GET)
    pair.restart()
    sent, received = pair.start()
    assert received.last_sequence == 2
    assert (sent.in_doubt_sequence if sent.is_in_doubt else sent.last_sequence) == 2


# ---- pipelining


def test_next_batch_when_one_is_in_doubt_then_each_has_its_own_end() -> None:
    pair = started()
    pair.put(b"1", b"2", b"3")
    pair.send(1)
    pair.sender.run(agent.PREPARE, luwid=LUWIDS[0], sequence=1, messages=1)
    pair.sender.run(agent.GET)
    pair.sender.run(agent.COMMIT, luwid=LUWIDS[0], sequence=1, messages=1)
    assert batches_in_doubt(pair.sender.kernel) == []
    pair.sender.run(agent.BACK_OUT)
    assert depth(pair.qma, "QMB") == 2
    got = pair.sender.run(agent.GET)
    assert got.message is not None
    assert got.message.endswith(b"2")


def test_commit_of_what_was_buried_when_the_next_batch_is_open_then_that_is_not_committed() -> None:
    pair = started()
    pair.put(b"x" * 2000, b"2")
    got = pair.sender.run(agent.GET, bytes_max=1000)
    pair.sender.run(agent.BURY, message=got.message, reason=got.reason)
    pair.sender.run(agent.GET)
    pair.sender.run(agent.COMMIT)
    pair.sender.run(agent.BACK_OUT)
    assert depth(pair.qma, "QMB") == 2


# ---- waiting


class Bell(Wakeable):
    def __init__(self) -> None:
        self.rings = 0

    def wake(self) -> None:
        self.rings += 1


def test_waiting_when_a_message_comes_then_the_driver_is_woken_once() -> None:
    pair = started()
    sender = pair.sender
    bell = Bell()
    with sender.shell.lock:
        assert not await_message(sender.kernel, sender.link, sender.work, bell)
    assert sender.run(agent.GET).message is None
    with sender.shell.lock:
        assert await_message(sender.kernel, sender.link, sender.work, bell)
    assert bell.rings == 0
    pair.put(b"1", b"2")
    pair.left.settle()
    assert bell.rings == 1
    assert sender.run(agent.GET).message is not None
    with sender.shell.lock:
        assert not await_message(sender.kernel, sender.link, sender.work, bell)
        stop_awaiting(sender.kernel, sender.work)
    pair.put(b"3")
    pair.left.settle()
    assert bell.rings == 1


# ---- conversion


def test_conversion_then_data_and_descriptor_are_the_partners() -> None:
    pair = started()
    with pair.qma.queue("TARGET") as queue:
        queue.put("Grün", persistent=True, properties={"colour": "red"})
    got = pair.sender.run(agent.GET, ccsid=500, encoding=mq.MQENC_S390)
    assert (got.reason, got.message is not None) == (0, True)
    pair.receiver.run(agent.PLACE, message=got.message)
    pair.receiver.run(agent.COMMIT, luwid=LUWIDS[0], sequence=1, messages=1)
    with pair.qmb.queue("TARGET") as queue:
        message = queue.get()
    assert (message.data, message.descriptor.ccsid) == ("Grün".encode("cp500"), 500)
    assert message.descriptor.encoding == mq.MQENC_S390
    assert dict(message.properties) == {"colour": "red"}


def test_conversion_when_it_is_impossible_then_the_message_is_buried_as_it_was() -> None:
    pair = started()
    with pair.qma.queue("TARGET") as queue:
        queue.put(b"binary", persistent=True, format="UNKNOWN")
    got = pair.sender.run(agent.GET, ccsid=500, encoding=mq.MQENC_S390)
    assert got.reason == MQRC_FORMAT_ERROR
    pair.sender.run(agent.BURY, message=got.message, reason=got.reason)
    pair.sender.run(agent.COMMIT)
    with pair.qma.queue("SYSTEM.DEAD.LETTER.QUEUE") as queue:
        message = queue.get()
    assert DeadLetterHeader.unpack(message.data).reason == MQRC_FORMAT_ERROR
    assert message.data.endswith(b"binary")


# ---- messages that are like the one before


def test_message_when_it_is_like_the_one_before_then_it_is_read_as_by_itself() -> None:
    last = LastRead()
    chance = random.Random(7)
    alike = 0
    for _ in range(2000):
        md = Descriptor(
            version=1,
            msg_id=chance.randbytes(24),
            correl_id=chance.choice((bytes(24), chance.randbytes(24))),
            priority=chance.choice((0, 0, 0, 5)),
            persistence=chance.choice((1, 1, 1, 0)),
            expiry=chance.choice((-1, -1, -1, 600)),
            report=chance.choice((0, 0, 0, mq.MQRO_COA)),
            reply_to_queue="ANSWERS",
            format=chance.choice(("MQSTR", "MQSTR", "MQHRF2", "MQHMDE")),
            user_id=chance.choice(("bob", "bob", "eve")),
            put_date="20260101",
            put_time=chance.choice(("12000000", "12000001", "")),
        )
        queue = chance.choice(("A", "A", "A", "B"))
        header = TransmissionHeader(remote_queue=queue, remote_qmgr="QMB", descriptor=md)
        message = header.pack() + chance.randbytes(20)
        is_fast = chance.choice((False, False, True))
        alike += last.target_of(message) is not None
        (own,) = read_message(message, is_fast).targets
        (found,) = read_message(message, is_fast, last).targets
        assert (found.queue, found.qmgr, found.data) == (own.queue, own.qmgr, own.data)
        assert found.reason == own.reason
        for name in ("msg_id", "correl_id", "group_id", "priority", "persistence", "expiry",
                     "flags", "syncpoint", "splits", "grouped", "properties",
                     "replies_unplaced", "new_group_id", "options"):  # fmt: skip
            assert getattr(found.request, name) == getattr(own.request, name), name
        for piece in (slice(0, 48), slice(96, None)):  # identifiers are beside the base
            assert found.request.base[piece] == own.request.base[piece]
    assert alike > 20
