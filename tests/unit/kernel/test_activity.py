"""Goal: both ends of a channel record what they do with a message that asks for it: activity
reports, activities in trace-route messages, replies; and discard trace-route messages as asked.

Method: two queue managers on simulated disks with a channel whose wants the test carries out; the
reports that come back are read.
"""

from __future__ import annotations

import pytest

from ternmq import constants as mq
from ternmq.channel import agent
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.trace_route import TraceRoute, read_report, read_trace_route
from ternmq.runtime.embedded import QueueManager
from ternmq.values.message import Message
from tests.unit.kernel.channel_rig import LUWIDS, Pair, depth

pytestmark = pytest.mark.core
ACTIVITIES = "SYSTEM.ADMIN.ACTIVITY.QUEUE"
ROUTES = "SYSTEM.ADMIN.TRACE.ROUTE.QUEUE"
DEAD = "SYSTEM.DEAD.LETTER.QUEUE"
KINDS = {mq.MQOPER_GET: "get", mq.MQOPER_SEND: "send", mq.MQOPER_RECEIVE: "receive"}
KINDS |= {mq.MQOPER_PUT: "put", mq.MQOPER_DISCARD: "discard"}


@pytest.fixture
def pair() -> Pair:
    made = Pair()
    made.qma.define_queue("ANSWERS")
    made.qmb.define_queue("QMA", usage="XMITQ")  # reports travel back
    made.start()
    return made


def trace_of(**given: int) -> TraceRoute:
    trace = TraceRoute()
    for name, value in given.items():
        assert hasattr(trace, name)
        setattr(trace, name, value)
    return trace


def put(
    pair: Pair, data: bytes, report: int, format: str = "MQADMIN", is_fast: bool = False
) -> None:
    md = Descriptor(
        report=report,
        format=format,
        persistence=int(not is_fast),
        reply_to_queue="ANSWERS",
    )
    with pair.qma.queue("TARGET") as queue:
        queue.put(data, descriptor=md)


def reports(qmgr: QueueManager, queue: str) -> list[Message]:
    with qmgr.queue(queue) as source:
        return list(source)


def report_of(message: Message, skip: int = 0) -> list[str]:
    """The operations of an activity report; behind an MQXQH if there is one."""
    data = message.data[skip:]
    read = read_report(data, mq.MQENC_NATIVE, 1208)
    assert read is not None
    found = read.find(mq.MQGACF_ACTIVITY)
    assert found is not None
    return operations(found)


def operations(group: Parameter) -> list[str]:
    found = [one for one in group.members if one.parameter == mq.MQGACF_OPERATION]
    return [KINDS[number(one, mq.MQIACF_OPERATION_TYPE)] for one in found]


def number(group: Parameter, parameter: int) -> int:
    (found,) = [one for one in group.members if one.parameter == parameter]
    return found.number


def test_message_that_asks_for_activity_reports_then_each_end_writes_one(pair: Pair) -> None:
    put(pair, b"data", mq.MQRO_ACTIVITY, "MQSTR")
    pair.batch(1, 1, LUWIDS[0])
    (message,) = reports(pair.qmb, "TARGET")
    assert message.data == b"data"
    (sent,) = reports(pair.qma, "ANSWERS")
    assert report_of(sent) == ["get", "send"]
    assert (sent.descriptor.msg_type, sent.descriptor.feedback) == (4, mq.MQFB_ACTIVITY)
    assert (sent.format, sent.correl_id) == ("MQHEPCF", message.msg_id)
    assert sent.descriptor.put_appl_type == mq.MQAT_QMGR
    (received,) = reports(pair.qmb, "QMA")
    assert received.data[8:56].rstrip() == b"ANSWERS"
    assert report_of(received, mq.MQXQH_CURRENT_LENGTH) == ["receive", "put"]


def test_reports_when_the_batch_is_backed_out_then_none_is_there(pair: Pair) -> None:
    put(pair, b"data", mq.MQRO_ACTIVITY, "MQSTR")
    pair.send(1)
    pair.sender.run(agent.BACK_OUT)
    pair.receiver.run(agent.BACK_OUT)
    assert (depth(pair.qma, "ANSWERS"), depth(pair.qmb, "QMA")) == (0, 0)
    assert depth(pair.qma, "QMB") == 1


@pytest.mark.parametrize(
    ("recording", "answers", "own"), [("MSG", 1, 0), ("QUEUE", 0, 1), ("DISABLED", 0, 0)]
)
def test_activrec_then_reports_go_to_the_reply_queue_the_own_queue_or_nowhere(
    pair: Pair, recording: str, answers: int, own: int
) -> None:
    pair.qma.alter_qmgr(ACTIVREC=recording)
    put(pair, b"data", mq.MQRO_ACTIVITY, "MQSTR")
    pair.batch(1, 1, LUWIDS[0])
    assert (depth(pair.qma, "ANSWERS"), depth(pair.qma, ACTIVITIES)) == (answers, own)


def test_trace_route_when_it_accumulates_then_both_activities_are_in_the_message(
    pair: Pair,
) -> None:
    trace = trace_of(
        accumulation=mq.MQROUTE_ACCUMULATE_IN_MSG, delivery=mq.MQROUTE_DELIVER_YES, recorded=1
    )
    put(pair, trace.pack(), mq.MQRO_NONE)
    pair.batch(1, 1, LUWIDS[0])
    (message,) = reports(pair.qmb, "TARGET")
    read = read_trace_route("MQADMIN", message.data, mq.MQENC_NATIVE, 1208)
    assert read is not None
    assert [operations(one) for one in read.activities] == [["get", "send"], ["receive", "put"]]
    assert (read.recorded, read.unrecorded) == (3, 0)


@pytest.mark.parametrize(("recording", "place"), [("MSG", ""), ("QUEUE", ROUTES)])
def test_trace_route_when_it_is_not_to_be_delivered_then_a_reply_and_no_message(
    pair: Pair, recording: str, place: str
) -> None:
    pair.qmb.alter_qmgr(ROUTEREC=recording)
    trace = trace_of(accumulation=mq.MQROUTE_ACCUMULATE_AND_REPLY)
    put(pair, trace.pack(), mq.MQRO_NONE)
    pair.batch(1, 1, LUWIDS[0])
    assert depth(pair.qmb, "TARGET") == 0
    skip = 0 if place else mq.MQXQH_CURRENT_LENGTH
    (reply,) = reports(pair.qmb, place or "QMA")
    read = read_trace_route("MQADMIN", reply.data[skip:], mq.MQENC_NATIVE, 1208)
    assert read is not None
    assert [operations(one) for one in read.activities][1] == ["receive", "discard"]
    discard = read.activities[1].members[-1]
    assert number(discard, mq.MQIACF_FEEDBACK) == mq.MQFB_NOT_DELIVERED
    if place:
        assert (reply.descriptor.msg_type, reply.format) == (mq.MQMT_REPLY, "MQADMIN")


def test_trace_route_when_recording_is_disabled_then_it_is_counted_as_unrecorded(
    pair: Pair,
) -> None:
    pair.qma.alter_qmgr(ROUTEREC="DISABLED")
    trace = trace_of(accumulation=mq.MQROUTE_ACCUMULATE_IN_MSG, delivery=mq.MQROUTE_DELIVER_YES)
    put(pair, trace.pack(), mq.MQRO_NONE)
    put(pair, trace_of(detail=mq.MQROUTE_DETAIL_LOW, delivery=4096).pack(), mq.MQRO_ACTIVITY)
    pair.batch(2, 2, LUWIDS[0])
    found = [
        read_trace_route("MQADMIN", one.data, mq.MQENC_NATIVE, 1208)
        for one in reports(pair.qmb, "TARGET")
    ]
    counts = [(one.recorded, one.unrecorded, len(one.activities)) for one in found if one]
    assert counts == [(1, 1, 1), (0, 2, 0)]
    assert depth(pair.qma, "ANSWERS") == 0


@pytest.mark.parametrize("is_fast", [False, True])
def test_trace_route_when_it_has_too_many_activities_then_the_sender_discards_it(
    pair: Pair, is_fast: bool
) -> None:
    put(pair, trace_of(recorded=2, activities_max=2).pack(), mq.MQRO_ACTIVITY, is_fast=is_fast)
    got = pair.sender.run(agent.GET, is_fast=is_fast)
    assert got.reason == mq.MQFB_MAX_ACTIVITIES
    pair.sender.run(agent.BURY, message=got.message, reason=got.reason)
    pair.sender.run(agent.PREPARE, luwid=LUWIDS[0], sequence=0, messages=1)
    pair.sender.run(agent.COMMIT, luwid=LUWIDS[0], sequence=0, messages=1)
    assert (depth(pair.qma, "QMB"), depth(pair.qma, DEAD)) == (0, 0)
    (report,) = reports(pair.qma, "ANSWERS")
    assert report_of(report) == ["get", "discard"]


@pytest.mark.parametrize(
    ("forwarding", "reason"),
    [
        (mq.MQROUTE_FORWARD_IF_SUPPORTED, mq.MQFB_NOT_FORWARDED),
        (mq.MQROUTE_FORWARD_ALL, 0),
        (mq.MQROUTE_FORWARD_ALL | 0x10000, mq.MQFB_NOT_FORWARDED),
    ],
)
def test_trace_route_when_the_partner_does_not_trace_then_forwarding_decides(
    pair: Pair, forwarding: int, reason: int
) -> None:
    pair.sender.work.partner_traces = False
    put(pair, trace_of(forwarding=forwarding).pack(), mq.MQRO_NONE)
    assert pair.sender.run(agent.GET).reason == reason


def test_trace_route_from_a_partner_that_does_not_trace_then_a_discontinuity(pair: Pair) -> None:
    pair.receiver.work.partner_traces = False
    put(pair, trace_of(delivery=mq.MQROUTE_DELIVER_YES).pack(), mq.MQRO_NONE)
    pair.batch(1, 1, LUWIDS[0])
    (message,) = reports(pair.qmb, "TARGET")
    read = read_trace_route("MQADMIN", message.data, mq.MQENC_NATIVE, 1208)
    assert read is not None
    assert read.discontinuities == 1


def test_trace_route_when_activities_would_make_it_too_long_then_it_goes_on_without_them(
    pair: Pair,
) -> None:
    trace = trace_of(accumulation=mq.MQROUTE_ACCUMULATE_IN_MSG, delivery=mq.MQROUTE_DELIVER_YES)
    put(pair, trace.pack(), mq.MQRO_ACTIVITY)
    length = len(trace.pack()) + mq.MQXQH_CURRENT_LENGTH
    got = pair.sender.run(agent.GET, bytes_max=length)
    assert (got.reason, len(got.message or b"")) == (0, length)
    assert depth(pair.qma, "ANSWERS") == 1
    pair.qmb.alter_queue("TARGET", max_message_length=len(trace.pack()))
    placed = pair.receiver.run(agent.PLACE, message=got.message)
    assert placed.outcome == agent.PLACED


def test_reply_to_a_trace_route_when_it_travels_then_it_is_not_traced_itself(pair: Pair) -> None:
    trace = trace_of(accumulation=mq.MQROUTE_ACCUMULATE_AND_REPLY, recorded=3)
    md = Descriptor(format="MQADMIN", msg_type=mq.MQMT_REPLY, reply_to_queue="ANSWERS")
    with pair.qma.queue("TARGET") as queue:
        queue.put(trace.pack(), descriptor=md)
    pair.batch(1, 1, LUWIDS[0])
    (message,) = reports(pair.qmb, "TARGET")
    assert message.data == trace.pack()
    assert depth(pair.qmb, "QMA") == 0


def test_fast_message_that_asks_for_reports_then_they_are_there_at_once(pair: Pair) -> None:
    put(pair, b"data", mq.MQRO_ACTIVITY, "MQSTR", is_fast=True)
    pair.send(1, is_fast=True)
    assert depth(pair.qmb, "TARGET") == 1
    assert report_of(reports(pair.qma, "ANSWERS")[0]) == ["get", "send"]
    assert depth(pair.qmb, "QMA") == 1


def test_undeliverable_trace_route_then_the_report_names_the_dead_letter_queue(
    pair: Pair,
) -> None:
    pair.qmb.delete_queue("TARGET")
    trace = trace_of(accumulation=mq.MQROUTE_ACCUMULATE_IN_MSG)
    put(pair, trace.pack(), mq.MQRO_ACTIVITY)
    pair.batch(1, 1, LUWIDS[0])
    (letter,) = reports(pair.qmb, DEAD)
    header = DeadLetterHeader.unpack(letter.data)
    assert header.reason == mq.MQRC_UNKNOWN_OBJECT_NAME
    data = letter.data[mq.MQDLH_CURRENT_LENGTH :]
    read = read_trace_route("MQADMIN", data, mq.MQENC_NATIVE, 1208)
    assert read is not None
    assert [operations(one) for one in read.activities] == [["get", "send"], ["receive", "put"]]
    last = read.activities[1].members[-1]
    assert number(last, mq.MQIACF_FEEDBACK) == mq.MQRC_UNKNOWN_OBJECT_NAME
    (report,) = reports(pair.qmb, "QMA")
    assert report_of(report, mq.MQXQH_CURRENT_LENGTH) == ["receive", "put"]


def test_undeliverable_trace_route_when_it_is_to_be_discarded_then_the_report_says_so(
    pair: Pair,
) -> None:
    pair.qmb.delete_queue("TARGET")
    put(pair, trace_of().pack(), mq.MQRO_ACTIVITY | mq.MQRO_DISCARD_MSG)
    pair.batch(1, 1, LUWIDS[0])
    assert depth(pair.qmb, DEAD) == 0
    (report,) = reports(pair.qmb, "QMA")
    assert report_of(report, mq.MQXQH_CURRENT_LENGTH) == ["receive", "discard"]
