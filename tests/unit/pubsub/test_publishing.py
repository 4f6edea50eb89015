"""Goal: a publication reaches all its queues or none, in whatever steps, and each copy is its
subscription's own also after a restart.

Method: queue managers in memory and in a folder, publications through the API; more subscriptions
than one step serves.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import ternmq
from ternmq import MQError
from ternmq import constants as mq
from ternmq.codec.headers.mqtm import TriggerMessage
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.codec.property import Property
from ternmq.codec.property_area import COUNT_MAX, pack_area
from ternmq.codec.publication_area import OWN_PROPERTIES_MAX, publication_area
from ternmq.kernel.kernel import Kernel
from ternmq.pubsub.publication import STEP_COPIES
from ternmq.pubsub.publish_subscribe import pubsub_of
from ternmq.pubsub.subscription import Subscription, SubscriptionTerms
from ternmq.values.calls.messages import Put1
from tests.mqi import mqi

pytestmark = pytest.mark.core


@pytest.fixture
def qmgr() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1") as started:
        yield started


def kernel_of(qmgr: ternmq.QueueManager) -> Kernel:
    return qmgr.started.shell.engine.kernel


def add(
    qmgr: ternmq.QueueManager, topic: str, queue: str, count: int = 1, **terms: object
) -> list[Subscription]:
    """Subscriptions on a provided queue, without handles."""
    kernel = kernel_of(qmgr)
    pubsub = pubsub_of(kernel)
    made = []
    for _ in range(count):
        one = Subscription(kernel.new_id(), "", topic, SubscriptionTerms(**terms))  # type: ignore[arg-type]
        one.correl_id = kernel.new_id()
        one.destination = queue
        pubsub.add(one)
        made.append(one)
    return made


def depth(qmgr: ternmq.QueueManager, name: str) -> int:
    with qmgr.queue(name) as queue:
        return queue.depth


def test_properties_of_a_plain_copy_then_the_same_bytes_as_packed_one_by_one() -> None:
    for topic, level in (("a", 9), ("sport/ä", 0), ("x" * 10_240, 1)):
        own = [
            Property("mqps.Top", mq.MQTYPE_STRING, topic),
            Property("mqps.Pbl", mq.MQTYPE_INT32, level),
        ]
        assert publication_area(b"", topic, "", 0, level, False) == pack_area(own)


# ---- more copies than one step takes


@pytest.mark.parametrize("persistent", [False, True])
def test_publish_to_more_than_a_step_takes_then_all_get_it(
    qmgr: ternmq.QueueManager, persistent: bool
) -> None:
    qmgr.define_queue("Q", max_depth=100_000)
    add(qmgr, "a", "Q", STEP_COPIES + 10)
    qmgr.publish("a", b"x", persistent=persistent)
    assert depth(qmgr, "Q") == STEP_COPIES + 10
    with qmgr.queue("Q") as queue:
        assert len({queue.get().correl_id for _ in range(STEP_COPIES + 10)}) == STEP_COPIES + 10


@pytest.mark.parametrize("persistent", [False, True])
def test_publish_fails_in_a_later_step_then_nothing_stays(
    qmgr: ternmq.QueueManager, persistent: bool
) -> None:
    qmgr.define_queue("Q", max_depth=100_000)
    qmgr.define_queue("FULL", max_depth=0)
    qmgr.mqsc("DEFINE TOPIC(A) TOPICSTR('a') PMSGDLV(ALL) NPMSGDLV(ALL) USEDLQ(NO)")
    add(qmgr, "a", "Q", STEP_COPIES + 10)
    add(qmgr, "a", "FULL")
    with pytest.raises(MQError) as failed:
        qmgr.publish("a", b"x", persistent=persistent, retain=True)
    assert failed.value.reason == mq.MQRC_PUBLICATION_FAILURE
    assert depth(qmgr, "Q") == 0
    assert depth(qmgr, "SYSTEM.RETAINED.PUB.QUEUE") == 0
    assert pubsub_of(kernel_of(qmgr)).tree.ensure("a").retained is None


def test_publish_fails_in_a_later_step_of_a_unit_then_unit_goes_on(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.define_queue("Q", max_depth=100_000)
    qmgr.define_queue("FULL", max_depth=0)
    qmgr.define_queue("X")
    qmgr.mqsc("DEFINE TOPIC(A) TOPICSTR('a') PMSGDLV(ALL) USEDLQ(NO)")
    add(qmgr, "a", "Q", STEP_COPIES + 10)
    full = add(qmgr, "a", "FULL")[0]
    with qmgr.queue("X") as other, qmgr.topic("a") as topic:
        other.put(b"kept", persistent=True, syncpoint=True)
        with pytest.raises(MQError):
            topic.put(b"x", persistent=True, syncpoint=True)
        qmgr.commit()
        assert other.get().data == b"kept"
        assert depth(qmgr, "Q") == 0
        pubsub_of(kernel_of(qmgr)).remove(full)
        topic.put(b"y", persistent=True, syncpoint=True)
        assert kernel_of(qmgr).coordinator.units
        qmgr.backout()
        assert depth(qmgr, "Q") == 0


def test_publish_to_more_selectors_than_a_step_takes_then_each_is_asked(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.define_queue("Q", max_depth=100_000)
    add(qmgr, "a", "Q", STEP_COPIES, selector="colour = 'blue'")
    add(qmgr, "a", "Q", 3, selector="colour = 'red'")
    with qmgr.topic("a") as topic:
        topic.put(b"x", properties={"colour": "red"})
    assert depth(qmgr, "Q") == 3
    options = PutOptions(options=mq.MQPMO_WARN_IF_NO_SUBS_MATCHED)
    form = mqi(qmgr).request_put(Descriptor(), options)
    od = ObjectDescriptor(object_type=mq.MQOT_TOPIC)
    assert qmgr.run(Put1(od, form, b"x", "a")).warning == mq.MQRC_NO_SUBS_MATCHED
    assert depth(qmgr, "Q") == 3


def test_publish_in_unit_then_counts_once_in_maxumsgs(qmgr: ternmq.QueueManager) -> None:
    qmgr.mqsc("ALTER QMGR MAXUMSGS(2)")
    qmgr.define_queue("Q", max_depth=1000)
    add(qmgr, "a", "Q", 50)
    with qmgr.topic("a") as topic:
        topic.put(b"1", syncpoint=True)
        topic.put(b"2", syncpoint=True, persistent=True)
        with pytest.raises(MQError) as full:
            topic.put(b"3", syncpoint=True)
    assert full.value.reason == mq.MQRC_SYNCPOINT_LIMIT_REACHED
    qmgr.commit()
    assert depth(qmgr, "Q") == 100


def test_publish_with_all_properties_that_a_message_may_have_then_refused(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.define_queue("Q")
    add(qmgr, "a", "Q")
    many = {f"p{number}": 1 for number in range(COUNT_MAX)}
    with qmgr.topic("a") as topic:
        with pytest.raises(MQError) as refused:
            topic.put(b"x", properties=many)
        assert refused.value.reason == mq.MQRC_PROPERTIES_TOO_BIG
        for number in range(OWN_PROPERTIES_MAX):
            del many[f"p{number}"]
        topic.put(b"x", properties=many)
    assert depth(qmgr, "Q") == 1


# ---- what a copy meets


def test_publish_when_get_waits_then_served(qmgr: ternmq.QueueManager) -> None:
    sub = qmgr.subscribe("a")
    found: list[bytes] = []
    waiting = threading.Thread(target=lambda: found.append(sub.get(wait=20).data))
    waiting.start()
    kernel = kernel_of(qmgr)
    while not kernel.waits:
        pass
    with qmgr.connect() as other:
        other.publish("a", b"x")
    waiting.join(20)
    assert found == [b"x"]


def test_publish_to_triggered_queue_then_trigger_message(qmgr: ternmq.QueueManager) -> None:
    qmgr.mqsc("DEFINE QLOCAL(INIT)\nDEFINE PROCESS(P) APPLICID('x')")
    qmgr.mqsc("DEFINE QLOCAL(Q) TRIGGER TRIGTYPE(FIRST) INITQ(INIT) PROCESS(P)")
    add(qmgr, "a", "Q")
    with qmgr.queue("INIT") as init:
        qmgr.publish("a", b"x")
        assert TriggerMessage.unpack(init.get(wait=5).data).queue_name == "Q"


@pytest.mark.parametrize("persistent", [False, True])
def test_publish_to_remote_queue_then_on_transmission_queue(
    qmgr: ternmq.QueueManager, persistent: bool
) -> None:
    qmgr.mqsc("DEFINE QLOCAL(QM2) USAGE(XMITQ)\nDEFINE QLOCAL(HERE)")
    qmgr.mqsc("DEFINE QREMOTE(AWAY) RNAME(THERE) RQMNAME(QM2) XMITQ(QM2)")
    one = add(qmgr, "a", "AWAY")[0]
    add(qmgr, "a", "HERE")
    add(qmgr, "a", "OTHER", destination_qmgr="QM2")
    qmgr.publish("a", b"x", persistent=persistent)
    with qmgr.queue("QM2") as sent:
        headers = [TransmissionHeader.unpack(sent.get().data) for _ in range(2)]
    assert [(h.remote_queue, h.remote_qmgr) for h in headers] == [
        ("THERE", "QM2"),
        ("OTHER", "QM2"),
    ]
    assert headers[0].descriptor.correl_id == one.correl_id
    assert headers[0].descriptor.persistence == int(persistent)
    assert depth(qmgr, "HERE") == 1


def test_publish_when_topic_caps_expiry_then_copies_expire(qmgr: ternmq.QueueManager) -> None:
    qmgr.mqsc("DEFINE TOPIC(A) TOPICSTR('a') CAPEXPRY(100)\nDEFINE QLOCAL(Q)")
    qmgr.mqsc("DEFINE QLOCAL(SOON) CAPEXPRY(20)")
    add(qmgr, "a", "Q")
    add(qmgr, "a", "SOON")
    qmgr.publish("a", b"x")
    with qmgr.queue("Q") as queue, qmgr.queue("SOON") as soon:
        assert 90 <= queue.get().descriptor.expiry <= 100
        assert 10 <= soon.get().descriptor.expiry <= 20


def test_put_to_alias_of_topic_then_defaults_are_the_aliases(qmgr: ternmq.QueueManager) -> None:
    qmgr.mqsc("DEFINE TOPIC(A) TOPICSTR('a') DEFPSIST(NO) DEFPRTY(2)\nDEFINE QLOCAL(Q)")
    qmgr.mqsc("DEFINE QALIAS(QA) TARGET(A) TARGTYPE(TOPIC) DEFPSIST(YES) DEFPRTY(6) CAPEXPRY(50)")
    add(qmgr, "a", "Q")
    with qmgr.queue("QA", options=mq.MQOO_OUTPUT) as alias:
        alias.put(b"x")
    with qmgr.queue("Q") as queue:
        md = queue.get().descriptor
    assert (md.persistence, md.priority) == (1, 6)
    assert 40 <= md.expiry <= 50


def test_publish_on_open_topic_after_subscriptions_change_then_seen(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.mqsc("DEFINE QLOCAL(Q)\nDEFINE QLOCAL(P)")
    with qmgr.topic("a") as topic:
        topic.put(b"0")
        one = add(qmgr, "a", "Q")[0]
        topic.put(b"1")
        pubsub_of(kernel_of(qmgr)).remove(one)
        topic.put(b"2")
        qmgr.mqsc("DEFINE SUB(S) TOPICSTR('a') DEST(Q)")
        topic.put(b"3")
        qmgr.mqsc("ALTER SUB(S) DEST(P)")
        topic.put(b"4")
        qmgr.mqsc("DELETE SUB(S)")
        topic.put(b"5")
    with qmgr.queue("Q") as first, qmgr.queue("P") as second:
        assert [first.get().data, first.get().data] == [b"1", b"3"]
        assert second.get().data == b"4"
        assert (first.depth, second.depth) == (0, 0)


# ---- restart


def test_restart_when_subscriptions_of_several_users_then_copies_keep_what_is_theirs(
    tmp_path: Path,
) -> None:
    rows = [
        ("ann", -3, b"", ""),
        ("bob", 7, b"\x01" * 32, "data"),
        ("a-user-of-a-long-name", 2, b"", ""),
    ]
    with ternmq.embedded(tmp_path, "QM1", create=True) as qmgr:
        qmgr.define_queue("Q")
        subs = []
        for user, priority, token, identity in rows:
            subs += add(
                qmgr,
                "a",
                "Q",
                user=user,
                priority=priority,
                accounting_token=token or bytes(32),
                sets_identity=bool(identity),
                identity_data=identity,
            )
        qmgr.publish("a", b"x", persistent=True, priority=4)
        wanted = {one.correl_id for one in subs}
    with ternmq.embedded(tmp_path, "QM1") as qmgr, qmgr.queue("Q") as queue:
        found = [queue.get().descriptor for _ in range(3)]
    assert {one.correl_id for one in found} == wanted
    assert [(one.user_id, one.priority) for one in found] == [
        ("bob", 7),
        ("ann", 4),
        ("a-user-of-a*", 2),
    ]
    assert [one.appl_identity_data for one in found] == ["data", "", "a-user-of-a-long-name"]
    assert found[0].accounting_token == b"\x01" * 32
    assert {one.put_appl_type for one in found} == {mq.MQAT_BROKER}
