"""Row C34, and subscriptions of JMS 2.0 that several share; IBM's Java client asks for them by a
call that has no counterpart in MQSUB, so the call is made here as the channel makes it."""

from __future__ import annotations

from ternmq import Connection
from ternmq import constants as mq
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.values.calls.topics import Subscribe
from tests.conformance.pubsub.bed import ALTER, Bed, C, D, M, R, Sub, reason_of

ANY = mq.MQSO_ANY_USERID


def shared(
    connection: Connection, topic: str, name: str, options: int = M, selector: str = ""
) -> Sub:
    sd = SubscriptionDescriptor(options=C | ALTER | ANY | options)
    call = Subscribe(sd, topic, name, "Shared Subscription", selector)
    call.shares = True
    call.repeats_selector = True
    return Sub(connection, connection.run(call))


def test_c34_when_shared_one_is_resumed_or_altered_by_mqsub_then_2523(bed: Bed) -> None:
    sharing = bed.connect("embedded")
    shared(sharing, "a", "s", M | D)
    for action in (R, ALTER, C | R):
        assert reason_of(bed.sub, "", M | D, "s", action=action) == 2523
    bed.sub("a", M | D, "alone")
    assert reason_of(shared, sharing, "a", "alone", M | D) == 2523


def test_shared_when_two_have_it_then_each_message_goes_to_one(embedded: Bed) -> None:
    one, two = embedded.connect(), embedded.connect()
    first, second = shared(one, "a", "s"), shared(two, "a", "s")
    assert first.queue_name == second.queue_name
    for number in range(4):
        embedded.pub("a", str(number))
    assert [first.get().text, second.get().text] == ["0", "1"]
    assert [second.get().text, first.get().text] == ["2", "3"]
    first.end()
    embedded.pub("a", "still")
    assert second.texts() == ["still"]
    second.end()
    assert embedded.kernel.topics.by_name == {}
    assert [name for name in embedded.connection.queue_names() if "MANAGED" in name] == []


def test_shared_when_topic_or_selector_is_another_then_refused(embedded: Bed) -> None:
    held = shared(embedded.connection, "a", "s", M, "x = 1")
    other = embedded.connect()
    assert reason_of(shared, other, "b", "s", M, "x = 1") == 2510
    assert reason_of(shared, other, "a", "s", M, "x = 2") == 2524
    assert reason_of(shared, other, "a", "s") == 2524
    assert reason_of(shared, other, "a", "s", M, "x = 1") == 0
    held.end()


def test_shared_when_others_have_it_then_removal_is_refused(embedded: Bed) -> None:
    first = shared(embedded.connection, "a", "s", M | D)
    second = shared(embedded.connect(), "a", "s", M | D)
    assert reason_of(first.close, mq.MQCO_REMOVE_SUB) == 2429
    second.end()
    first.close(mq.MQCO_REMOVE_SUB)
    first.close_queue()
    assert embedded.kernel.topics.by_name == {}


def test_shared_when_durable_and_all_are_gone_then_it_collects(embedded: Bed) -> None:
    other = embedded.connect()
    shared(embedded.connection, "a", "s", M | D).end()
    shared(other, "a", "s", M | D)
    other.disconnect()
    embedded.pub("a", "while away")
    assert shared(embedded.connection, "a", "s", M | D).texts() == ["while away"]
