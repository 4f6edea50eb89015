"""The bridge of multicast: what an embedded application publishes reaches clients in the group,
what a client publishes to the group reaches embedded subscribers, and neither comes back. What a
client makes up reaches no other topic, and memory is bounded."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ternmq import Connection
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.network.multicast.bridge import APPLICATION, Backlog
from ternmq.remote.fap.client_channel import MulticastSettings
from ternmq.remote.multicast.publisher import Publisher
from ternmq.values.calls.topics import InquireMulticast
from ternmq.values.multicast_terms import MulticastTerms
from ternmq.wire.multicast.publication import Publication
from tests.conformance.pubsub.bed import Bed

GROUP = "DEFINE COMMINFO(MC1) TYPE(MULTICAST) GRPADDR(239.77.1.3) PORT(24141) MSGHIST(1000)"


@pytest.fixture
def bed() -> Iterator[Bed]:
    made = Bed("tcp")
    made.mqsc(GROUP)
    yield made
    made.close()


def bridged(bed: Bed) -> None:
    """Wait until the bridge has subscribed, which it does after the client's call."""
    while not has_subscribed(bed):
        bed.connection.qmgr_attributes()


def has_subscribed(bed: Bed) -> bool:
    """Whether the bridge has a subscription."""
    with bed.served.started.shell.lock:
        handles = bed.kernel.topics.handles.values()
        return APPLICATION in [one.connection.application for one in handles]


def test_bridge_when_enabled_then_publications_pass_both_ways_once(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1') MCAST(ENABLED) COMMINFO(MC1)")
    inside, client, sender = bed.connect("embedded"), bed.connect(), bed.connect()
    with (
        inside.subscribe("t1/#") as ordinary,
        client.subscribe("t1/+") as direct,
        sender.topic("t1/b") as topic,
    ):
        bridged(bed)
        inside.publish("t1/a", "from inside", correl_id=b"c" * 24, properties={"color": "red"})
        found = direct.get(wait=5)
        assert (found.text, found.topic, found.properties["color"]) == (
            "from inside",
            "t1/a",
            "red",
        )
        assert ordinary.get(wait=5).text == "from inside"
        topic.put("from the group", properties={"color": "blue"})
        found = ordinary.get(wait=5)
        assert (found.text, found.topic) == ("from the group", "t1/b")
        assert found.properties["color"] == "blue"
        assert direct.get(wait=5).text == "from the group"
        inside.publish("t1/a", "last")
        assert [direct.get(wait=5).text, ordinary.get(wait=5).text] == ["last", "last"]
        assert direct.try_get() is None
        assert ordinary.try_get() is None


def test_bridge_when_publication_is_retained_then_the_queue_manager_has_it(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1') MCAST(ENABLED) COMMINFO(MC1)")
    inside, sender = bed.connect("embedded"), bed.connect()
    with inside.subscribe("t1/a") as early, sender.topic("t1/a") as topic:
        topic.put("kept", retain=True)
        assert early.get(wait=5).text == "kept"
    with inside.subscribe("t1/a") as late:
        assert late.get(wait=5).is_retained


def test_bridge_when_disabled_or_not_for_a_topic_then_nothing_passes(bed: Bed) -> None:
    bed.mqsc("ALTER COMMINFO(MC1) BRIDGE(DISABLED)")
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1') MCAST(ENABLED) COMMINFO(MC1)")
    bed.mqsc(GROUP.replace("MC1", "MC2").replace("24141", "24142"))
    bed.mqsc("DEFINE TOPIC(T2) TOPICSTR('t2') MCAST(ENABLED) COMMINFO(MC2)")
    bed.mqsc("DEFINE TOPIC(T3) TOPICSTR('t2/x') MCAST(DISABLED)")
    inside, client, other = bed.connect("embedded"), bed.connect(), bed.connect()
    with client.subscribe("t1/#") as first, other.subscribe("t2/#") as second:
        bridged(bed)
        inside.publish("t1/a", "no bridge")
        inside.publish("t2/x", "no multicast")
        inside.publish("t2/y", "passes")
        assert second.get(wait=5).text == "passes"
        assert second.try_get() is None
        assert first.try_get() is None


def terms_of(connection: Connection, topic: str) -> MulticastTerms:
    """What the queue manager gives to a client that may publish to a topic."""
    with connection.topic(topic) as opened:
        asked = InquireMulticast(opened._handle)
        connection.run(asked)
    assert asked.terms is not None
    return asked.terms


def test_bridge_when_a_client_names_a_topic_of_others_then_it_does_not_pass(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1') MCAST(ENABLED) COMMINFO(MC1)")
    bed.mqsc(GROUP.replace("MC1", "MC2").replace("24141", "24142"))
    bed.mqsc("DEFINE TOPIC(T2) TOPICSTR('t2') MCAST(ENABLED) COMMINFO(MC2)")
    bed.mqsc("DEFINE TOPIC(T3) TOPICSTR('t1/x') MCAST(DISABLED)")
    inside, client = bed.connect("embedded"), bed.connect()
    terms = terms_of(client, "t1/a")
    publisher = Publisher(terms, "127.0.0.1", MulticastSettings())
    packed = Descriptor(persistence=0).pack()
    with inside.subscribe("#", by_character=False) as everything:
        for topic in ("secret/pay", "t2/a", "t1/x/y", "t10", "t1/a"):
            publisher.publish(Publication(topic, packed, b"", topic.encode()))
        assert everything.get(wait=5).topic == "t1/a"
        assert everything.try_get() is None
    publisher.close()


def test_key_when_groups_differ_then_it_is_another_one(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1') MCAST(ENABLED) COMMINFO(MC1)")
    others = {
        "MC2": GROUP.replace("24141", "24142"),
        "MC3": GROUP.replace("239.77.1.3", "239.77.1.30"),
        "MC4": GROUP.replace("239.77.1.3", "239.077.001.003"),
    }
    for name, definition in others.items():
        bed.mqsc(definition.replace("MC1", name) + " BRIDGE(DISABLED)")
        topic = f"DEFINE TOPIC({name}) TOPICSTR('{name}') MCAST(ENABLED) COMMINFO({name})"
        bed.mqsc(topic)
    client = bed.connect()
    first, port, address, same = [terms_of(client, one) for one in ("t1", "MC2", "MC3", "MC4")]
    assert len({first.key, port.key, address.key}) == 3
    assert (same.group, same.key) == (first.group, first.key)  # it is the same group


def test_backlog_when_publications_are_long_then_their_bytes_count() -> None:
    backlog = Backlog(count_max=100, bytes_max=10_000)
    one = Publication("t", bytes(364), b"", bytes(1500))
    taken = backlog.admitted([one] * 20)
    assert 3 < len(taken) < 7
    assert backlog.dropped == 20 - len(taken)
    backlog.release(taken[0])
    assert len(backlog.admitted([one] * 20)) == 1
    short = Publication("t", b"", b"", b"")
    for admitted in [*taken[1:], one]:
        backlog.release(admitted)
    assert len(backlog.admitted([short] * 200)) <= 100
