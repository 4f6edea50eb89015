"""Section D: MQSUBRQ, MQCLOSE, and calls on the handles that MQSUB gives."""

from __future__ import annotations

import gc

from ternmq import Connection
from ternmq import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.values.calls.objects import SetAttributes
from ternmq.values.calls.topics import RequestPublications, Subscribe
from tests.battery.places import until
from tests.bindings.bound import JAVA
from tests.bindings.consuming import consumed
from tests.bindings.elsewhere import Elsewhere
from tests.conformance.pubsub.bed import Bed, D, M, R, Sub, reason_of

KEEP = mq.MQCO_KEEP_SUB
REMOVE = mq.MQCO_REMOVE_SUB
ON_REQUEST = mq.MQSO_PUBLICATIONS_ON_REQUEST
RETAIN = mq.MQPMO_RETAIN
UTF8 = 1208
LATIN_EBCDIC = 500


def managed(bed: Bed) -> list[str]:
    """The managed queues that there are."""
    return [one for one in bed.connection.queue_names() if one.startswith("SYSTEM.MANAGED")]


def names(bed: Bed) -> list[str]:
    return sorted(bed.kernel.topics.by_name)


def test_d1_when_requested_then_another_copy_each_time(bed: Bed) -> None:
    bed.pub("r", "kept", RETAIN)
    sub = bed.sub("r", M | ON_REQUEST)
    for _ in range(2):
        assert sub.request() == 1
        message = sub.get()
        assert (message.text, message.is_retained) == ("kept", True)


def test_d2_when_pattern_is_requested_then_all_that_match(bed: Bed) -> None:
    for topic in ("w/1", "w/2", "w/3"):
        bed.pub(topic, topic, RETAIN)
    sub = bed.sub("w/#", M | ON_REQUEST)
    assert sub.request() == 3
    assert sorted(sub.texts()) == ["w/1", "w/2", "w/3"]


def test_d3_when_nothing_is_retained_then_2437(bed: Bed) -> None:
    assert reason_of(bed.sub("r", M | ON_REQUEST).request) == 2437


def test_d5_when_not_made_for_requests_then_2046(bed: Bed) -> None:
    bed.pub("r", "kept", RETAIN)
    assert reason_of(bed.sub("r", M).request) == 2046


def test_d6_when_handle_or_action_is_wrong_then_its_reason(bed: Bed) -> None:
    bed.pub("r", "kept", RETAIN)
    sub = bed.sub("r", M | ON_REQUEST)
    run = bed.connection.run
    action = mq.MQSR_ACTION_PUBLICATION
    assert reason_of(run, RequestPublications(sub.queue, action)) == 2019
    assert reason_of(sub.request, 0) == 2535
    sub.close()
    assert reason_of(sub.request) == 2019


def test_d7_when_retained_cannot_be_sent_then_subscription_stays(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1) MAXDEPTH(1)\nALTER QMGR DEADQ(' ')")
    bed.pub("r", "kept", RETAIN)
    queue = bed.open("Q1", mq.MQOO_INPUT_SHARED)
    sub = bed.sub("r", ON_REQUEST, "N1", queue=queue)
    bed.mqsc("ALTER QLOCAL(SYSTEM.RETAINED.PUB.QUEUE) GET(DISABLED)")
    assert reason_of(sub.request) == 2525
    bed.mqsc("ALTER QLOCAL(SYSTEM.RETAINED.PUB.QUEUE) GET(ENABLED)")
    bed.connection.put("Q1", "full")
    assert reason_of(sub.request) == 2526
    assert names(bed) == ["N1"]


def test_d8_when_closed_without_option_then_durable_stays(bed: Bed) -> None:
    durable, other = bed.sub("a", M | D, "S1"), bed.sub("a", M, "N1")
    durable.close()
    other.close()
    assert names(bed) == ["S1"]


def test_d9_when_closed_with_options_then_kept_or_removed(bed: Bed) -> None:
    durable, other = bed.sub("a", M | D, "S1"), bed.sub("a", M, "N1")
    assert reason_of(other.close, KEEP) == 2045
    assert reason_of(durable.close, KEEP | REMOVE) == 2046
    assert names(bed) == ["N1", "S1"]
    bed.pub("a", "still")
    assert other.texts() == ["still"]
    durable.close(REMOVE)
    assert names(bed) == ["N1"]
    other.close(REMOVE)
    assert names(bed) == []


def five_published(bed: Bed, sub: Sub) -> None:
    for number in range(5):
        bed.pub("a", str(number))


def test_d10_when_removed_first_then_messages_stay_until_queue_closed(bed: Bed) -> None:
    for options, name in ((M, ""), (M | D, "S1")):
        sub = bed.sub("a", options, name)
        five_published(bed, sub)
        sub.close(REMOVE)
        bed.pub("a", "late")
        assert sub.texts() == ["0", "1", "2", "3", "4"]
        assert len(managed(bed)) == 1
        sub.close_queue()
        assert managed(bed) == []


def test_d11_when_queue_closed_first_then_gone_with_subscription(bed: Bed) -> None:
    for options, name in ((M, ""), (M | D, "S1")):
        sub = bed.sub("a", options, name)
        five_published(bed, sub)
        sub.close_queue()
        assert len(managed(bed)) == 1
        sub.close(REMOVE)
        assert managed(bed) == []


def test_d12_when_kept_and_resumed_then_messages_are_there(bed: Bed) -> None:
    sub = bed.sub("a", M | D, "S1")
    bed.pub("a", "left")
    sub.end(KEEP)
    bed.pub("a", "one")
    bed.pub("a", "two")
    again = bed.sub("", M | D, "S1", action=R)
    assert again.texts() == ["left", "one", "two"]
    assert again.queue_name == sub.queue_name


def test_d13_when_provided_and_removed_then_messages_stay(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    sub = bed.sub("a", D, "S1", queue=bed.open("Q1", mq.MQOO_INPUT_SHARED))
    for number in range(3):
        bed.pub("a", str(number))
    sub.close(REMOVE)
    assert sub.texts() == ["0", "1", "2"]


def test_d14_when_managed_then_gets_as_on_a_queue(bed: Bed) -> None:
    sub = bed.sub("a", M)
    bed.pub("a", "one")
    assert sub.get(options=mq.MQGMO_BROWSE_FIRST).text == "one"
    assert sub.get(wait=5.0, syncpoint=True).text == "one"
    bed.connection.backout()
    mark = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_UNMARKED_BROWSE_MSG | mq.MQGMO_MARK_BROWSE_HANDLE
    assert sub.get(options=mark).text == "one"
    assert sub.try_get(options=mark) is None
    assert sub.get(options=mq.MQGMO_CONVERT).text == "one"
    assert sub.try_get(wait=0.01) is None


def test_d14_when_managed_then_a_publication_is_converted(bed: Bed) -> None:
    sub = bed.sub("a", M)
    text = "\u00c4pfel"
    for _ in range(2):
        given = Descriptor(format=mq.MQFMT_STRING, ccsid=LATIN_EBCDIC)
        bed.pub("a", text.encode("cp500"), descriptor=given)
    plain = sub.get()
    assert (plain.data, plain.descriptor.ccsid) == (text.encode("cp500"), LATIN_EBCDIC)
    converted = sub.get(options=mq.MQGMO_CONVERT)
    assert (converted.data, converted.descriptor.ccsid) == (text.encode(), UTF8)


def test_d14_when_managed_then_a_function_gets_each_publication(bed: Bed) -> None:
    """MQCB and MQCTL."""
    with bed.connection.subscribe("a") as subscription:
        for text in ("one", "two"):
            bed.pub("a", text)
        assert consumed(bed.connection, subscription, 2) == [b"one", b"two"]
        assert subscription.try_get() is None


def test_d15_when_managed_handle_then_no_put(bed: Bed) -> None:
    sub = bed.sub("a", M)
    if bed.binding == JAVA:  # which does not wait for the answer: MQSTAT has it
        bed.put(sub.queue)
        status = bed.connection.status()
        assert (status.put_success_count, status.put_failure_count) == (0, 1)
        assert (status.comp, status.reason) == (mq.MQCC_FAILED, 2039)
    else:
        assert reason_of(bed.put, sub.queue) == 2039
    assert sub.texts() == []


def test_d15_when_managed_handle_then_no_set_and_inquired(bed: Bed) -> None:
    sub = bed.sub("a", M)
    run = bed.connection.run
    assert reason_of(run, SetAttributes(sub.queue, {mq.MQIA_INHIBIT_GET: 1})) == 2040
    [threshold, requeue, name] = bed.inquire(
        sub.queue, mq.MQIA_BACKOUT_THRESHOLD, mq.MQCA_BACKOUT_REQ_Q_NAME, mq.MQCA_Q_NAME
    )
    assert (threshold, requeue.strip(), name.strip()) == (0, "", sub.queue_name)


def test_d16_when_disconnected_then_durable_stays(bed: Bed) -> None:
    other = bed.connect()
    bed.sub("a", M | D, "S1", connection=other)
    bed.sub("a", M, "N1", connection=other)
    other.disconnect()
    assert names(bed) == ["S1"]
    assert len(managed(bed)) == 1
    bed.pub("a", "while away")
    assert bed.sub("", M | D, "S1", action=R).texts() == ["while away"]


def test_d_when_managed_handle_closed_with_delete_then_2045(bed: Bed) -> None:
    for options, name in ((M, ""), (M | D, "S1")):
        sub = bed.sub("a", options, name)
        for delete in (mq.MQCO_DELETE, mq.MQCO_DELETE_PURGE):
            assert reason_of(sub.close_queue, delete) == 2045
            assert reason_of(sub.close, delete) == 2045
    assert len(managed(bed)) == 2


def subscribe_twice(connection: Connection) -> object:
    """What the program in the other process does: one durable subscription, one that is not."""
    made = []
    for options, name in ((M | D, "S1"), (M, "N1")):
        sd = SubscriptionDescriptor(options=mq.MQSO_CREATE | options | mq.MQSO_ANY_USERID)
        made.append(connection.run(Subscribe(sd, "a", name)))
    return made


def test_d16_when_application_dies_then_durable_stays(bed: Bed) -> None:
    if bed.binding == "embedded":  # its process is the queue manager's: it ends without MQDISC
        other = bed.connect()
        kept = subscribe_twice(other)
        bed._opened.remove(other)
        del kept, other
        gc.collect()
        until(lambda: names(bed) == ["S1"])
    else:
        with Elsewhere(bed.binding, bed.served, f"{__name__}.subscribe_twice") as program:
            assert names(bed) == ["N1", "S1"]
            program.kill()
            until(lambda: names(bed) == ["S1"])
    assert len(managed(bed)) == 1
    assert reason_of(bed.sub, "", M | D | mq.MQSO_ANY_USERID, "S1", action=R) == 0
