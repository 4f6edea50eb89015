"""Rows J1 to J8 and J10 to J12: resources on system topics, as programs discover and read them.

Method: a queue manager in memory by each binding; intervals end because its clock is set forward.
IBM's exporter needs IBM's C client, so J10 runs its rules of discovery and collection, in Python.
"""

from __future__ import annotations

from ternmq.base import constants_all as mq
from ternmq.telemetry.monitor import monitor_rows
from tests.conformance.pubsub.bed import Bed, C, D, M, R, reason_of
from tests.conformance.pubsub.system_topics import (
    CLASSES,
    ROOT,
    Exporter,
    all_received,
    group_kinds,
    groups_of,
    pass_interval,
    received,
    values_of,
)

NAMES = {
    "CPU": ["SystemSummary", "QMgrSummary"],
    "DISK": ["SystemSummary", "QMgrSummary", "Log"],
    "STATMQI": [
        *("CONNDISC", "OPENCLOSE", "INQSET", "PUT", "GET", "SYNCPOINT", "SUBSCRIBE", "PUBLISH"),
    ],
    "STATQ": ["OPENCLOSE", "INQSET", "PUT", "GET", "GENERAL"],
}
PUT_TOPIC = f"{ROOT}/Monitor/STATMQI/PUT"


def test_j1_classes_when_subscribed_then_one_retained_message_with_their_groups(bed: Bed) -> None:
    sub = bed.sub(CLASSES)
    kept = sub.get(5.0)
    assert kept.properties.get("mqps.Ret") or kept.properties.get("MQIsRetained")
    message = received(bed.sub(CLASSES))
    assert sub.try_get() is None
    assert group_kinds(message) == {mq.MQGACF_MONITOR_CLASS}
    wanted = {
        *(mq.MQIAMO_MONITOR_CLASS, mq.MQIAMO_MONITOR_FLAGS, mq.MQCAMO_MONITOR_CLASS),
        *(mq.MQCAMO_MONITOR_DESC, mq.MQCA_TOPIC_STRING),
    }
    assert all(set(one) == wanted for one in groups_of(message))
    assert [one[mq.MQCAMO_MONITOR_CLASS] for one in groups_of(message)] == list(NAMES)


def test_j1_classes_when_the_queue_manager_was_restarted_then_one_message_again(
    lasting: Bed,
) -> None:
    assert groups_of(received(lasting.sub(CLASSES)))
    lasting.restart()
    sub = lasting.sub(CLASSES)
    assert groups_of(received(sub))
    assert sub.try_get() is None


def test_j2_types_when_subscribed_then_their_groups_and_the_class_outside(bed: Bed) -> None:
    for number, one in enumerate(groups_of(received(bed.sub(CLASSES)))):
        message = received(bed.sub(one[mq.MQCA_TOPIC_STRING]))
        assert values_of(message) == {
            mq.MQIAMO_MONITOR_CLASS: number,
            mq.MQIAMO_MONITOR_FLAGS: one[mq.MQIAMO_MONITOR_FLAGS],
        }
        assert group_kinds(message) == {mq.MQGACF_MONITOR_TYPE}
        wanted = {
            *(mq.MQIAMO_MONITOR_TYPE, mq.MQCAMO_MONITOR_TYPE),
            *(mq.MQCAMO_MONITOR_DESC, mq.MQCA_TOPIC_STRING),
        }
        assert all(set(kind) == wanted for kind in groups_of(message))


def test_j3_elements_when_subscribed_then_their_groups_and_the_data_topic(bed: Bed) -> None:
    for one in monitor_rows.CLASSES:
        for kind in one.types:
            topic = f"{ROOT}/Monitor/METADATA/{one.name}/{kind.name}"
            message = received(bed.sub(topic))
            outside = values_of(message)
            assert set(outside) == {
                *(mq.MQIAMO_MONITOR_CLASS, mq.MQIAMO_MONITOR_TYPE, mq.MQCA_TOPIC_STRING)
            }
            names = f"{one.name}/%s" if one.flags else one.name
            assert outside[mq.MQCA_TOPIC_STRING] == f"{ROOT}/Monitor/{names}/{kind.name}"
            assert group_kinds(message) == {mq.MQGACF_MONITOR_ELEMENT}
            assert groups_of(message) == [
                {
                    mq.MQIAMO_MONITOR_ELEMENT: element.number,
                    mq.MQIAMO_MONITOR_DATATYPE: element.datatype,
                    mq.MQCAMO_MONITOR_DESC: element.description,
                }
                for element in kind.elements
            ]


def test_j4_names_when_discovered_then_those_of_mq(bed: Bed) -> None:
    exporter = Exporter(bed.sub)
    exporter.discover()
    found = {
        of_class["name"]: [kind["name"] for key, kind in exporter.types.items() if key[0] == number]
        for number, of_class in exporter.classes.items()
    }
    assert found == NAMES
    flags = {one["name"]: one["flags"] for one in exporter.classes.values()}
    assert flags == {"CPU": 0, "DISK": 0, "STATMQI": 0, "STATQ": 1}
    for key, kind in exporter.types.items():
        assert ("%s" in kind["topic"]) == (exporter.classes[key[0]]["name"] == "STATQ")


def test_j5_data_when_ten_seconds_pass_then_a_message_with_each_element(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    queue = bed.connection.queue("Q1")
    sub = bed.sub(PUT_TOPIC)
    for size in (3, 4):
        queue.put(b"x" * size, persistent=size == 4)
        pass_interval(bed)
    found = all_received(sub)
    assert len(found) == 2
    for number, message in enumerate(found):
        values = values_of(message)
        assert (values[mq.MQIAMO_MONITOR_CLASS], values[mq.MQIAMO_MONITOR_TYPE]) == (2, 3)
        assert 9_000_000 <= values[mq.MQIAMO64_MONITOR_INTERVAL] <= 13_000_000
        assert set(range(11)) <= set(values)
        # The copies that subscribers got of the queue manager's own publications are no MQPUTs.
        assert [values[one] for one in (0, 1, 2, 3)] == [1, 3 + number, 1 - number, number]
    late = bed.sub(PUT_TOPIC)
    assert late.try_get() is None  # nothing of it is retained


def test_j5_data_when_nobody_subscribes_then_nothing_is_counted(bed: Bed) -> None:
    sub = bed.sub(PUT_TOPIC)
    assert bed.kernel.measured
    sub.end()
    assert not bed.kernel.measured
    assert not bed.kernel.meter.monitors


def test_j6_queues_when_subscribed_then_by_name_and_slashes_are_ampersands(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)\nDEFINE QLOCAL('A/B')\nDEFINE QLOCAL(Q2)")
    one = bed.sub(f"{ROOT}/Monitor/STATQ/Q1/PUT")
    slashed = bed.sub(f"{ROOT}/Monitor/STATQ/A&B/GENERAL")
    bed.connection.queue("Q1").put(b"abc")
    bed.connection.queue("A/B").put(b"abc")
    pass_interval(bed)
    first = all_received(one)
    assert [values_of(each)[mq.MQCA_Q_NAME].strip() for each in first] == ["Q1"]
    assert values_of(first[0])[0] == 1
    second = all_received(slashed)
    assert [values_of(each)[mq.MQCA_Q_NAME].strip() for each in second] == ["A/B"]
    assert values_of(second[0])[3] == 1  # Queue depth


def test_j6_queue_when_nobody_uses_it_then_its_depth_is_published(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    sub = bed.sub(f"{ROOT}/Monitor/STATQ/Q1/#")
    pass_interval(bed)
    found = {values_of(one)[mq.MQIAMO_MONITOR_TYPE]: values_of(one) for one in all_received(sub)}
    assert set(found) == {0, 1, 2, 3, 4}
    assert found[4][3] == 0


def test_j7_publications_and_subscriptions_when_made_then_counted(bed: Bed) -> None:
    published = bed.sub(f"{ROOT}/Monitor/STATMQI/PUBLISH")
    subscribed = bed.sub(f"{ROOT}/Monitor/STATMQI/SUBSCRIBE")
    pass_interval(bed)
    all_received(published)
    all_received(subscribed)
    durable = bed.sub("sport", M | D, "S1")
    other = bed.sub("sport")
    opened = bed.open_topic("sport").opened()
    for data in ("a", "bb", "ccc"):
        bed.put(opened, data)
    bed.close_handle(opened)
    pass_interval(bed)
    counts = values_of(received(published))
    assert (counts[0], counts[1]) == (3, 6)
    assert (counts[2], counts[3]) == (6, 12)  # nothing of what the queue manager published itself
    assert counts[4] == 3
    assert counts[5] == counts[6] == 0
    made = values_of(received(subscribed))
    assert (made[0], made[3]) == (1, 1)
    assert made[12] == 1
    assert made[14] == made[15] + 1
    durable.end(mq.MQCO_REMOVE_SUB)
    other.end()
    pass_interval(bed)
    gone = values_of(received(subscribed))
    assert (gone[7], gone[8]) == (1, 1)
    assert (gone[12], gone[13]) == (1, 0)


def test_j8_language_when_not_there_then_no_message(bed: Bed) -> None:
    assert bed.sub(f"{CLASSES}/xx_XX").try_get() is None
    assert groups_of(received(bed.sub(CLASSES)))


def test_j10_exporter_when_discovering_and_collecting_then_our_own_counters(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)\nDEFINE QLOCAL('A/B')\nALTER QMGR MAXHANDS(1000)")
    exporter = Exporter(bed.sub)
    exporter.discover()
    bed.mqsc("DEFINE QLOCAL(REPLY) MAXDEPTH(5000)")
    reply = bed.open("REPLY", mq.MQOO_INPUT_SHARED)
    subs = [
        bed.sub(topic, mq.MQSO_NON_DURABLE, queue=reply) for topic in exporter.topics("Q1", "A/B")
    ]
    pass_interval(bed)
    queue = bed.connection.queue("Q1")
    for _ in range(3):
        queue.put(b"12345", persistent=True)
    queue.get()
    bed.pub("sport", "x")
    pass_interval(bed)
    pass_interval(bed)
    for message in all_received(subs[0]):
        exporter.process(message)
    assert exporter.value("STATQ", "PUT", "MQPUT persistent message count", "Q1") == 3
    assert exporter.value("STATQ", "PUT", "persistent byte count", "Q1") == 15
    assert exporter.value("STATQ", "GET", "MQGET count", "Q1") == 1
    assert exporter.value("STATQ", "GENERAL", "Queue depth", "Q1") == 2
    assert exporter.value("STATQ", "GENERAL", "Queue depth", "A/B") == 0
    assert exporter.value("STATMQI", "PUT", "Persistent message MQPUT count") == 3
    assert exporter.value("STATMQI", "PUBLISH", "Topic MQPUT/MQPUT1 interval total") == 1
    assert exporter.value("CPU", "QMgrSummary", "RAM total bytes - estimate for queue manager") > 0
    assert exporter.value("DISK", "Log", "Log - logical bytes written") > 0
    assert all(one.values for elements in exporter.elements.values() for one in elements.values())


def test_j11_durable_collection_when_closed_at_once_then_messages_go_on(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)\nDEFINE QLOCAL(REPLY)\nDEFINE QMODEL(MODEL) DEFTYPE(TEMPDYN)")
    topic = f"{ROOT}/Monitor/STATQ/Q1/GENERAL"
    reply = bed.open("REPLY", mq.MQOO_INPUT_SHARED)
    sub = bed.sub(topic, D, f"PRE_{topic}", action=C | R, queue=reply)
    sub.close(0)
    pass_interval(bed)
    assert len(all_received(sub)) == 1
    again = bed.sub(topic, D, f"PRE_{topic}", action=C | R, queue=reply)
    again.close(0)
    pass_interval(bed)
    assert len(all_received(sub)) == 1
    temporary = bed.open("MODEL", mq.MQOO_INPUT_SHARED)
    other = f"{ROOT}/Monitor/STATQ/Q1/PUT"
    reason = reason_of(bed.sub, other, D, f"PRE_{other}", action=C | R, queue=temporary)
    assert reason == mq.MQRC_INVALID_DESTINATION


def test_j11_durable_collection_when_restarted_then_messages_go_on(lasting: Bed) -> None:
    lasting.mqsc(
        "DEFINE QLOCAL(Q1)\nDEFINE QLOCAL(REPLY)\n"
        f"DEFINE SUB(ADMIN) TOPICSTR('{ROOT}/Monitor/STATMQI/PUT') DEST(REPLY)"
    )
    topic = f"{ROOT}/Monitor/STATQ/Q1/GENERAL"
    reply = lasting.open("REPLY", mq.MQOO_INPUT_SHARED)
    lasting.sub(topic, D, "S1", action=C | R, queue=reply).close(0)
    lasting.close_handle(reply)
    lasting.restart()
    pass_interval(lasting)
    reply = lasting.open("REPLY", mq.MQOO_INPUT_SHARED)
    sub = lasting.sub(topic, D, "S1", action=C | R, queue=reply)
    found = {values_of(one)[mq.MQIAMO_MONITOR_CLASS] for one in all_received(sub)}
    assert found == {2, 3}


def test_j12_wildcards_when_above_the_branch_then_nothing_of_it(bed: Bed) -> None:
    everything = bed.sub("#")
    system = bed.sub("$SYS/#")
    inside = bed.sub("$SYS/MQ/#")
    pass_interval(bed)
    assert all_received(everything) == []
    assert all_received(system) == []
    topics = sum(len(one.types) for one in monitor_rows.CLASSES)
    assert len(all_received(inside)) > topics  # metadata, and data of all types and queues


def test_j12_wildcard_attribute_when_altered_then_refused(bed: Bed) -> None:
    answers = bed.mqsc("ALTER TOPIC(SYSTEM.ADMIN.TOPIC) WILDCARD(PASSTHRU)", ok=False)
    assert not answers[0].ok
