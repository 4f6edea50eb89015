"""Row J13: calls of an application, traced for who subscribes to them.

Method: a subscription by the name of the application, of its channel or of its connection, then a
program, then the messages that came.
"""

from __future__ import annotations

import pytest

from ternmq import MQError
from ternmq.base import constants_all as mq
from ternmq.codec.pcf.structures import PCFMessage
from tests.conformance.pubsub.bed import Bed
from tests.conformance.pubsub.system_topics import ROOT, all_received, groups_of, publish_now

TRACE = f"{ROOT}/ActivityTrace"


def run_program(bed: Bed, **options: str) -> None:
    """MQCONN, MQOPEN, MQPUT, MQGET, MQGET without a message, MQDISC."""
    with bed.connect(**options) as connection:
        queue = connection.queue("Q1", options=mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED)
        queue.put(b"abc")
        queue.get()
        assert queue.try_get() is None
        queue.close()


def operations(messages: list[PCFMessage]) -> list[tuple[int, int]]:
    """Operation and reason of all calls."""
    calls = [values for message in messages for values in groups_of(message)]
    return [(one[mq.MQIACF_OPERATION_ID], one[mq.MQIACF_REASON_CODE]) for one in calls]


CALLS = [
    (mq.MQXF_CONNX, 0),
    (mq.MQXF_OPEN, 0),
    (mq.MQXF_PUT, 0),
    (mq.MQXF_GET, 0),
    (mq.MQXF_GET, mq.MQRC_NO_MSG_AVAILABLE),
    (mq.MQXF_CLOSE, 0),
    (mq.MQXF_DISC, 0),
]


def test_j13_application_when_traced_then_its_calls_and_no_others(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    sub = bed.sub(f"{TRACE}/ApplName/prog")
    run_program(bed, application="other")
    run_program(bed, application="prog")
    publish_now(bed)
    found = all_received(sub)
    assert {(one.kind, one.command) for one in found} == {
        (mq.MQCFT_APP_ACTIVITY, mq.MQCMD_ACTIVITY_TRACE)
    }
    assert operations(found) == CALLS
    names = [one.find(mq.MQCACF_APPL_NAME) for one in found]
    assert {one.text for one in names if one is not None} == {"prog"}


def test_j13_trace_when_its_subscription_is_closed_then_it_stops(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    sub = bed.sub(f"{TRACE}/ApplName/prog")
    sub.close()
    run_program(bed, application="prog")
    publish_now(bed)
    assert all_received(sub) == []
    assert not bed.kernel.measured


def test_j13_channel_when_traced_then_calls_of_its_clients() -> None:
    bed = Bed("tcp")
    try:
        bed.mqsc("DEFINE QLOCAL(Q1)")
        sub = bed.sub(f"{TRACE}/ChannelName/#", connection=bed.connect("embedded"))
        run_program(bed, application="prog")
        publish_now(bed)
        found = all_received(sub)
        assert operations(found)[-len(CALLS) + 1 :] == CALLS[1:]
        channel = found[-1].find(mq.MQCACH_CHANNEL_NAME)
        assert channel is not None
        assert channel.text.strip()
    finally:
        bed.close()


def test_j13_connection_when_traced_then_its_calls(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    other = bed.connect(application="prog")
    kernel = bed.kernel
    tag = next(one.tag for one in kernel.connections.values() if one.application == "prog")
    sub = bed.sub(f"{TRACE}/ConnectionId/{tag.hex().upper()}")
    other.queue("Q1").put(b"abc")
    publish_now(bed)
    assert (mq.MQXF_PUT, 0) in operations(all_received(sub))


@pytest.mark.parametrize("name", ["a/b/prog", "prog"])
def test_j13_application_when_its_name_has_a_path_then_the_last_part_counts(
    bed: Bed, name: str
) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    sub = bed.sub(f"{TRACE}/ApplName/prog")
    run_program(bed, application=name)
    publish_now(bed)
    assert operations(all_received(sub)) == CALLS


def test_j13_refusals_when_traced_then_their_reasons(bed: Bed) -> None:
    sub = bed.sub(f"{TRACE}/ApplName/prog")
    with bed.connect(application="prog") as connection, pytest.raises(MQError, match="2085"):
        connection.queue("NONE", options=mq.MQOO_OUTPUT)
    publish_now(bed)
    assert (mq.MQXF_OPEN, mq.MQRC_UNKNOWN_OBJECT_NAME) in operations(all_received(sub))


def test_j13_trace_when_the_application_forbids_it_then_actvcono_decides(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    sub = bed.sub(f"{TRACE}/ApplName/prog")
    for setting, is_traced in (("DISABLED", True), ("ENABLED", False)):
        bed.mqsc(f"ALTER QMGR ACTVCONO({setting})")
        options = mq.MQCNO_ACTIVITY_TRACE_DISABLED
        with bed.connect(application="prog", options=options) as connection:
            connection.put("Q1", b"abc")
        publish_now(bed)
        assert bool(all_received(sub)) == is_traced
