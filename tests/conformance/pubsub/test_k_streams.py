"""Section K, streaming queues beside publish/subscribe: STREAMQ to an alias of a topic."""

from __future__ import annotations

import pytest

from ternmq import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.kernel.connection import Handle
from ternmq.kernel.metering import account_of
from ternmq.values.handle import ObjectHandle
from tests.conformance.pubsub.bed import Bed, Sub, get, reason_of, take


def streams(bed: Bed, quality: str = "BESTEF", subscribers: int = 2) -> list[Sub]:
    bed.mqsc("DEFINE TOPIC(T) TOPICSTR('t')\nDEFINE QALIAS(QA) TARGET(T) TARGTYPE(TOPIC)")
    bed.mqsc(f"DEFINE QLOCAL(Q1) STREAMQ(QA) STRMQOS({quality})")
    return [bed.sub("t") for _ in range(subscribers)]


@pytest.mark.parametrize("persistence", [0, 1])
def test_k1_when_streamed_to_topic_then_publications(bed: Bed, persistence: int) -> None:
    subs = streams(bed)
    queue = bed.open("Q1", mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED)
    md = Descriptor(persistence=persistence, correl_id=b"C" * 24, priority=4)
    put = bed.put(queue, "x", descriptor=md, properties={"colour": "red"})
    first = take(bed.connection, queue)
    assert (first.text, first.descriptor.msg_id) == ("x", put.msg_id)
    assert first.descriptor.correl_id == b"C" * 24
    assert dict(first.properties) == {"colour": "red"}
    owner = bed.served.started.user
    seen = {put.msg_id}
    for sub in subs:
        copy = sub.get()
        seen.add(copy.descriptor.msg_id)
        assert (copy.text, copy.topic, copy.properties["colour"]) == ("x", "t", "red")
        assert copy.descriptor.correl_id == sub.sd.correl_id
        assert copy.descriptor.user_id == owner[:12]
        assert (copy.descriptor.persistence, copy.descriptor.priority) == (persistence, 4)
    assert len(seen) == 3


def test_k2_when_no_subscriber_then_put_is_fine(bed: Bed) -> None:
    streams(bed, "MUSTDUP", 0)
    queue = bed.open("Q1", mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED)
    bed.put(queue, "x")
    assert take(bed.connection, queue).text == "x"


@pytest.mark.parametrize(("quality", "reason"), [("MUSTDUP", 2051), ("BESTEF", 0)])
def test_k3_when_topic_inhibited_then_by_quality(bed: Bed, quality: str, reason: int) -> None:
    (sub,) = streams(bed, quality, 1)
    bed.mqsc("ALTER TOPIC(T) PUB(DISABLED)")
    queue = bed.open("Q1", mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED)
    assert reason_of(bed.put, queue, "x") == reason
    found = get(bed.connection, queue)
    assert (found is None) == (reason != 0)
    assert sub.texts() == []


def test_k4_when_subscriber_queue_full_then_2502_and_nothing_anywhere(bed: Bed) -> None:
    (other,) = streams(bed, "MUSTDUP", 1)
    bed.mqsc("ALTER TOPIC(T) PMSGDLV(ALL) USEDLQ(NO)\nDEFINE QLOCAL(FULL) MAXDEPTH(0)")
    bed.sub("t", 0, queue=bed.open("FULL", mq.MQOO_INPUT_SHARED))
    queue = bed.open("Q1", mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED)
    md = Descriptor(persistence=1)
    assert reason_of(bed.put, queue, "x", descriptor=md) == mq.MQRC_PUBLICATION_FAILURE
    assert get(bed.connection, queue) is None
    assert other.texts() == []


@pytest.mark.parametrize("persistence", [0, 1])
def test_k5_when_in_unit_then_together_or_not_at_all(bed: Bed, persistence: int) -> None:
    (sub,) = streams(bed, "MUSTDUP", 1)
    queue = bed.open("Q1", mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED)
    md = Descriptor(persistence=persistence)
    bed.put(queue, "x", descriptor=md, options=mq.MQPMO_SYNCPOINT)
    bed.connection.backout()
    assert (get(bed.connection, queue), sub.texts()) == (None, [])
    bed.put(queue, "y", descriptor=md, options=mq.MQPMO_SYNCPOINT)
    assert sub.texts() == []
    bed.connection.commit()
    assert (take(bed.connection, queue).text, sub.texts()) == ("y", ["y"])


def test_k6_when_expiry_and_reports_then_copies_without(bed: Bed) -> None:
    (sub,) = streams(bed, subscribers=1)
    bed.mqsc("DEFINE QLOCAL(R)")
    queue = bed.open("Q1", mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED)
    md = Descriptor(expiry=100, report=mq.MQRO_COA | mq.MQRO_COD, reply_to_queue="R")
    bed.put(queue, "x", descriptor=md)
    copy = sub.get().descriptor
    assert (copy.expiry, copy.report) == (mq.MQEI_UNLIMITED, mq.MQRO_NONE)
    replies = bed.open("R", mq.MQOO_INPUT_SHARED)
    assert take(bed.connection, replies).descriptor.feedback == mq.MQFB_COA
    assert get(bed.connection, replies) is None
    bed.mqsc("ALTER QALIAS(QA) CAPEXPRY(50)")
    bed.put(queue, "y", descriptor=md)
    assert 40 <= sub.get().descriptor.expiry <= 50


def test_k7_when_destination_streams_then_publication_is_not_streamed(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(COPY)\nDEFINE QLOCAL(Q) STREAMQ(COPY)")
    queue = bed.open("Q", mq.MQOO_INPUT_SHARED)
    sub = bed.sub("a", 0, queue=queue)
    bed.pub("a", "x")
    assert sub.get().text == "x"
    assert get(bed.connection, bed.open("COPY", mq.MQOO_INPUT_SHARED)) is None


def test_k8_when_system_queue_then_only_events_stream(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T) TOPICSTR('t')\nDEFINE QALIAS(QA) TARGET(T) TARGTYPE(TOPIC)")
    bed.mqsc("ALTER QLOCAL(SYSTEM.ADMIN.QMGR.EVENT) STREAMQ(QA)\nALTER QMGR INHIBTEV(ENABLED)")
    sub = bed.sub("t")
    bed.mqsc("DEFINE QLOCAL(SHUT) PUT(DISABLED)")
    shut = bed.open("SHUT", mq.MQOO_OUTPUT)
    assert reason_of(bed.put, shut, "x") == mq.MQRC_PUT_INHIBITED
    events = bed.open("SYSTEM.ADMIN.QMGR.EVENT", mq.MQOO_INPUT_SHARED)
    kept = [one.data for one in iter(lambda: get(bed.connection, events), None)]
    assert sub.get().data == kept[-1]
    managed = sub.queue_name
    for name in ("SYSTEM.BROKER.CONTROL.QUEUE", managed):
        answers = bed.mqsc(f"ALTER QLOCAL({name}) STREAMQ(QA)", ok=False)
        assert not answers[0].ok


def test_k9_when_two_subscribers_then_one_put_and_two_published(embedded: Bed) -> None:
    subs = streams(embedded)
    embedded.mqsc("ALTER QMGR ACCTQ(ON) ACCTMQI(ON)")
    kernel = embedded.kernel
    queue = embedded.open("Q1", mq.MQOO_OUTPUT)
    embedded.put(queue, "x")
    account = account_of(kernel, kernel_handle(queue))
    assert account is not None
    assert (account.traffic.plain_puts.count, account.published) == (1, 2)
    names = ["Q1", *(sub.queue_name for sub in subs)]
    assert [kernel.locals[name].queue.depth for name in names] == [1, 1, 1]
    topic = embedded.open_topic("t").opened()
    embedded.put(topic, "y")
    account = account_of(kernel, kernel_handle(topic))
    assert account is not None
    assert (account.traffic.plain_puts.count, account.published) == (1, 2)
    assert [kernel.locals[name].queue.depth for name in names] == [1, 2, 2]


def kernel_handle(handle: ObjectHandle) -> Handle:
    """In process, a handle is the kernel's."""
    assert isinstance(handle, Handle)
    return handle
