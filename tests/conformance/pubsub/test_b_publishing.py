"""Section B, MQPUT and MQPUT1 to topics: options of publications and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from ternmq import constants as mq
from ternmq.api.arguments import Requests, as_bytes
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.values.calls.messages import Put1
from tests.conformance.pubsub.bed import Bed, M, reason_of, reasons_of

RETAIN = mq.MQPMO_RETAIN
WARN = mq.MQPMO_WARN_IF_NO_SUBS_MATCHED


def put1(bed: Bed, topic: str, data: str, options: int = 0) -> Put1:
    names = ("persistent", "priority", "expiry", "msg_id", "correl_id", "reply_to", "format")
    fields: dict[str, Any] = dict.fromkeys((*names, "descriptor", "syncpoint", "properties"))
    form = Requests(bed.connection.transport).put(data, **{**fields, "options": options})
    od = ObjectDescriptor(object_type=mq.MQOT_TOPIC)
    return bed.connection.run(Put1(od, form, as_bytes(data), object_string=topic))


def test_b5_when_nobody_matches_then_warning_on_request(bed: Bed) -> None:
    assert bed.pub("b5", "1").warning == 0
    assert bed.pub("b5", "2", WARN).warning == mq.MQRC_NO_SUBS_MATCHED
    assert put1(bed, "b5", "3", WARN).warning == mq.MQRC_NO_SUBS_MATCHED
    assert bed.pub("b5", "kept", WARN | RETAIN).warning == mq.MQRC_NO_SUBS_MATCHED
    sub = bed.sub("b5")
    assert sub.texts() == ["kept"]
    assert bed.pub("b5", "4", WARN).warning == 0
    assert put1(bed, "b5", "5", WARN).warning == 0
    assert sub.texts() == ["4", "5"]


def test_b6_b7_when_retained_then_new_subscription_gets_the_last(bed: Bed) -> None:
    old = bed.sub("r")
    bed.pub("r", "one", RETAIN)
    bed.pub("r", "two", RETAIN)
    bed.pub("r", "three")
    new = bed.sub("r")
    got = new.get()
    assert (got.text, got.is_retained) == ("two", True)
    assert new.try_get() is None
    before = [old.get() for _ in range(3)]
    assert [(one.text, one.is_retained) for one in before] == [
        ("one", False),
        ("two", False),
        ("three", False),
    ]


def test_b8_when_retained_queue_inhibited_then_2479_and_nobody_gets_it(bed: Bed) -> None:
    sub = bed.sub("r")
    bed.mqsc("ALTER QLOCAL(SYSTEM.RETAINED.PUB.QUEUE) PUT(DISABLED)")
    assert reason_of(bed.pub, "r", "one", RETAIN) == mq.MQRC_PUT_NOT_RETAINED
    bed.pub("r", "two")
    assert sub.texts() == ["two"]


def test_b9_when_reply_to_suppressed_then_copies_without_it(bed: Bed) -> None:
    sub = bed.sub("a")
    bed.mqsc("DEFINE QLOCAL(REPLIES)")
    md = Descriptor(reply_to_queue="REPLIES")
    bed.pub("a", "1", descriptor=md)
    bed.pub("a", "2", mq.MQPMO_SUPPRESS_REPLYTO, descriptor=md)
    first, second = sub.get().descriptor, sub.get().descriptor
    assert (first.reply_to_queue, first.reply_to_qmgr) == ("REPLIES", "QM1")
    assert (second.reply_to_queue, second.reply_to_qmgr) == ("", "")
    md.report = mq.MQRO_COD
    assert reason_of(bed.pub, "a", "3", mq.MQPMO_SUPPRESS_REPLYTO, descriptor=md) == 2027
    assert sub.try_get() is None


def test_b10_when_not_own_subscriptions_then_others_only(bed: Bed) -> None:
    own = bed.sub("a")
    other = bed.sub("a", connection=bed.connect())
    bed.pub("a", "x", mq.MQPMO_NOT_OWN_SUBS)
    assert (own.texts(), other.texts()) == ([], ["x"])


def test_b11_when_scope_then_same_result_and_values_kept(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('s1') PUBSCOPE(QMGR)")
    bed.mqsc("DEFINE TOPIC(T2) TOPICSTR('s2') PUBSCOPE(ALL)")
    subs = [bed.sub(topic) for topic in ("s1", "s2", "s3")]
    bed.pub("s1", "1")
    bed.pub("s2", "2")
    bed.pub("s3", "3", mq.MQPMO_SCOPE_QMGR)
    assert [one.texts() for one in subs] == [["1"], ["2"], ["3"]]
    shown = bed.mqsc("DISPLAY TOPIC(T*) PUBSCOPE")
    assert [one["PUBSCOPE"] for one in shown] == ["QMGR", "ALL"]


def test_b12_when_level_given_then_range_checked(bed: Bed) -> None:
    sub = bed.sub("a", level=0)
    bed.pub("a", "9")
    bed.pub("a", "0", level=0)
    assert reasons_of(
        [lambda: bed.pub("a", "x", level=-1), lambda: bed.pub("a", "x", level=10)]
    ) == [2173, 2173]
    got = [sub.get(), sub.get()]
    assert [(one.text, one.properties["mqps.Pbl"]) for one in got] == [("9", 9), ("0", 0)]


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (mq.MQMF_MSG_IN_GROUP, 2417),
        (mq.MQMF_SEGMENT, 2417),
        (mq.MQMF_SEGMENTATION_ALLOWED, 2443),
    ],
)
def test_b13_when_grouped_or_segmented_then_refused(bed: Bed, flags: int, reason: int) -> None:
    sub = bed.sub("a")
    bed.mqsc("DEFINE TOPIC(T) TOPICSTR('a')")
    bed.mqsc("DEFINE QALIAS(QA) TARGET(T) TARGTYPE(TOPIC)")
    md = Descriptor(msg_flags=flags, version=2)
    assert reason_of(bed.pub, "a", "x", descriptor=md) == reason
    alias = bed.open("QA", mq.MQOO_OUTPUT)
    assert reason_of(bed.put, alias, "x", descriptor=md) == reason
    assert sub.texts() == []


def test_b14_when_persistence_left_to_topic_then_its_default(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(TY) TOPICSTR('yes') DEFPSIST(YES)")
    bed.mqsc("DEFINE TOPIC(TN) TOPICSTR('no') DEFPSIST(NO)")
    bed.mqsc("DEFINE QLOCAL(QN) DEFPSIST(NO)\nDEFINE QLOCAL(QY) DEFPSIST(YES)")
    queues = [bed.open(name, mq.MQOO_INPUT_SHARED) for name in ("QN", "QY")]
    subs = [bed.sub("yes", 0, queue=queues[0]), bed.sub("no", 0, queue=queues[1])]
    as_topic = mq.MQPER_PERSISTENCE_AS_TOPIC_DEF
    for given in (as_topic, mq.MQPER_NOT_PERSISTENT):
        bed.pub("yes", "x", descriptor=Descriptor(persistence=given))
    for given in (as_topic, mq.MQPER_PERSISTENT):
        bed.pub("no", "x", descriptor=Descriptor(persistence=given))
    found = [[sub.get().descriptor.persistence for _ in range(2)] for sub in subs]
    assert found == [[1, 0], [0, 1]]


def test_b15_when_three_subscribers_then_four_identifiers(bed: Bed) -> None:
    subs = [bed.sub("a") for _ in range(3)]
    put = bed.pub("a", "x")
    identifiers = {put.msg_id, *(sub.get().descriptor.msg_id for sub in subs)}
    assert len(identifiers) == 4


def test_b22_when_longer_than_queue_manager_allows_then_2031_and_nothing(bed: Bed) -> None:
    bed.mqsc("ALTER QMGR MAXMSGL(40000)")
    sub = bed.sub("a", M)
    assert reason_of(bed.pub, "a", b"x" * 40_001, RETAIN) == mq.MQRC_MSG_TOO_BIG_FOR_Q_MGR
    assert sub.texts() == []
    assert bed.sub("a").texts() == []
    bed.pub("a", b"x" * 40_000)
    assert len(sub.get().data) == 40_000
