"""Section G: who may publish and subscribe, and what events say of a refusal.

Users ann and bob have connect and what a test gives them.
"""

from __future__ import annotations

from typing import Any

from ternmq import Connection
from ternmq import constants as mq
from tests.bindings.bound import JAVA
from tests.conformance.pubsub.bed import Bed, D, M, R, reason_of
from tests.conformance.pubsub.event_messages import events_of

OBJECTS = (
    "DEFINE TOPIC(FRUIT) TOPICSTR('Price/Fruit')\n"
    "DEFINE TOPIC(APPLE) TOPICSTR('Price/Fruit/Apple')\n"
    "DEFINE QLOCAL(Q1)"
)
CLASSES = "$SYS/MQ/INFO/QMGR/QM1/Monitor/METADATA/CLASSES"


def give(bed: Bed, profile: str, kind: str, words: str, user: str = "ann") -> None:
    where = f"PROFILE({profile}) OBJTYPE({kind})" if profile else f"OBJTYPE({kind})"
    bed.mqsc(f"SET AUTHREC {where} PRINCIPAL('{user}') AUTHADD({words})")


def take(bed: Bed, profile: str, kind: str, words: str, user: str = "ann") -> None:
    bed.mqsc(f"SET AUTHREC PROFILE({profile}) OBJTYPE({kind}) PRINCIPAL('{user}') AUTHRMV({words})")


def user_of(bed: Bed, name: str = "ann") -> Connection:
    # IBM's Java client inquires the queue manager when it connects.
    give(bed, "", "QMGR", "CONNECT,INQ" if bed.binding == JAVA else "CONNECT", name)
    return bed.connect(user=name)


def test_g1_pub_holds_for_the_object_and_below_it(secured: Bed) -> None:
    secured.mqsc("DEFINE TOPIC(FRUIT) TOPICSTR('Price/Fruit')")
    give(secured, "FRUIT", "TOPIC", "PUB")
    ann = user_of(secured)
    topics = ("Price/Fruit", "Price/Fruit/Apple", "Price", "Price/Veg")
    assert [reason_of(secured.pub, one, connection=ann) for one in topics] == [0, 0, 2035, 2035]


def test_g2_one_grant_upwards_is_enough(secured: Bed) -> None:
    secured.mqsc(OBJECTS)
    give(secured, "FRUIT", "TOPIC", "SUB")
    ann = user_of(secured)
    assert reason_of(secured.sub, "Price/Fruit/Apple", M, connection=ann) == 0
    assert reason_of(secured.sub, "Price/Fruit/+/#", M, connection=ann) == 0
    assert reason_of(secured.sub, "Price/#", M, connection=ann) == 2035


def test_g3_the_event_of_a_refused_subscriber(secured: Bed) -> None:
    secured.mqsc(OBJECTS + "\nALTER QMGR AUTHOREV(ENABLED)")
    ann = user_of(secured)
    assert reason_of(secured.sub, "Price/Fruit/Apple/x", M, connection=ann) == 2035
    (event,) = events_of(secured, 2035)
    assert event.number(mq.MQIACF_REASON_QUALIFIER) == mq.MQRQ_SUB_NOT_AUTHORIZED
    assert event.number(mq.MQIACF_SUB_OPTIONS) == mq.MQSO_CREATE | M
    assert event.text(mq.MQCACF_USER_IDENTIFIER) == "ann"
    assert event.text(mq.MQCACF_APPL_NAME)
    assert event.text(mq.MQCA_TOPIC_STRING) == "Price/Fruit/Apple/x"
    names = event.names(mq.MQCACF_ADMIN_TOPIC_NAMES)
    assert names == ["APPLE", "FRUIT", "SYSTEM.BASE.TOPIC"]


def test_g4_the_event_of_a_refused_publisher(secured: Bed) -> None:
    secured.mqsc(OBJECTS + "\nALTER QMGR AUTHOREV(ENABLED)")
    ann = user_of(secured)
    assert reason_of(secured.open_topic, "Price/Fruit/x", connection=ann) == 2035
    assert reason_of(ann.publish, "Price/Fruit/x", "data") == 2035
    events = events_of(secured, 2035)
    assert len(events) == 2
    for event in events:
        assert event.number(mq.MQIACF_REASON_QUALIFIER) == mq.MQRQ_OPEN_NOT_AUTHORIZED
        assert event.number(mq.MQIACF_OPEN_OPTIONS) & mq.MQOO_OUTPUT
        assert event.text(mq.MQCA_TOPIC_STRING) == "Price/Fruit/x"
        assert event.names(mq.MQCACF_ADMIN_TOPIC_NAMES) == ["FRUIT", "SYSTEM.BASE.TOPIC"]


def test_g5_grants_from_above_do_not_reach_the_system_topics(secured: Bed) -> None:
    give(secured, "SYSTEM.BASE.TOPIC", "TOPIC", "SUB,PUB")
    ann = user_of(secured)
    assert reason_of(secured.sub, "anything", M, connection=ann) == 0
    for topic in (CLASSES, "$SYS/MQ", "$SYS/MQ/#", "$SYS/MQ/+/x"):
        assert reason_of(secured.sub, topic, M, connection=ann) == 2035
    by_character = M | mq.MQSO_WILDCARD_CHAR
    assert reason_of(secured.sub, "$SYS/MQ/*", by_character, connection=ann) == 2035
    assert reason_of(secured.pub, "$SYS/MQ/own", connection=ann) == 2035
    give(secured, "SYSTEM.ADMIN.TOPIC", "TOPIC", "SUB")
    assert reason_of(secured.sub, CLASSES, M, connection=ann) == 0


def test_g6_a_provided_queue_needs_put(secured: Bed) -> None:
    secured.mqsc(OBJECTS + "\nALTER QMGR AUTHOREV(ENABLED)")
    give(secured, "FRUIT", "TOPIC", "SUB")
    give(secured, "Q1", "QUEUE", "BROWSE")
    ann = user_of(secured)
    queue = secured.open("Q1", mq.MQOO_BROWSE, ann)
    assert reason_of(secured.sub, "Price/Fruit", 0, queue=queue, connection=ann) == 2035
    (event,) = events_of(secured, 2035)
    assert event.number(mq.MQIACF_REASON_QUALIFIER) == mq.MQRQ_SUB_DEST_NOT_AUTHORIZED
    assert event.text(mq.MQCA_TOPIC_STRING) == "Price/Fruit"
    assert event.text(mq.MQCA_Q_NAME) == "Q1"
    assert event.number(mq.MQIACF_OPEN_OPTIONS) == mq.MQOO_OUTPUT
    give(secured, "Q1", "QUEUE", "PUT")
    assert reason_of(secured.sub, "Price/Fruit", 0, queue=queue, connection=ann) == 0


def test_g7_a_managed_subscription_needs_sub_alone(secured: Bed) -> None:
    secured.mqsc(OBJECTS)
    give(secured, "FRUIT", "TOPIC", "SUB")
    ann = user_of(secured)
    subs = [
        secured.sub("Price/Fruit", M, connection=ann),
        secured.sub("Price/Fruit", M | D, "S1", connection=ann),
    ]
    secured.pub("Price/Fruit", "yes")
    assert [sub.texts() for sub in subs] == [["yes"], ["yes"]]


def test_g8_to_resume_needs_resume(secured: Bed) -> None:
    secured.mqsc(OBJECTS)
    give(secured, "FRUIT", "TOPIC", "SUB")
    ann = user_of(secured)
    secured.sub("Price/Fruit", M | D, "S1", connection=ann).end()
    resume: dict[str, Any] = {"name": "S1", "action": R, "connection": ann}
    assert reason_of(secured.sub, "Price/Fruit", M | D, **resume) == 2035
    give(secured, "FRUIT", "TOPIC", "RESUME")
    assert reason_of(secured.sub, "Price/Fruit", M | D, **resume) == 0


def test_g9_mqsub_that_opens_the_queue_needs_put_get_and_browse(secured: Bed) -> None:
    secured.mqsc(OBJECTS + "\nALTER QMGR AUTHOREV(ENABLED)")
    give(secured, "FRUIT", "TOPIC", "SUB,RESUME")
    give(secured, "Q1", "QUEUE", "PUT,BROWSE")
    ann = user_of(secured)
    queue = secured.open("Q1", mq.MQOO_BROWSE, ann)
    secured.sub("Price/Fruit", D, "S1", queue=queue, connection=ann).close()
    take(secured, "Q1", "QUEUE", "BROWSE")
    resume: dict[str, Any] = {"name": "S1", "action": R, "connection": ann}
    assert reason_of(secured.sub, "Price/Fruit", D, **resume) == 2035
    (event,) = events_of(secured, 2035)
    assert event.number(mq.MQIACF_REASON_QUALIFIER) == mq.MQRQ_SUB_DEST_NOT_AUTHORIZED
    give(secured, "Q1", "QUEUE", "GET,BROWSE")
    assert reason_of(secured.sub, "Price/Fruit", D, **resume) == 0


def test_g10_in_another_users_name(secured: Bed) -> None:
    secured.mqsc(OBJECTS)
    give(secured, "FRUIT", "TOPIC", "SUB", "bob")
    ann = user_of(secured)
    options = M | mq.MQSO_ALTERNATE_USER_AUTHORITY
    as_bob: dict[str, Any] = {"alternate_user_id": "bob", "connection": ann}
    assert reason_of(secured.sub, "Price/Fruit", options, **as_bob) == 2035
    give(secured, "", "QMGR", "ALTUSR")
    secured.sub("Price/Fruit", options, "S1", **as_bob)
    (shown,) = secured.mqsc("DISPLAY SUB(S1) SUBUSER")
    assert shown["SUBUSER"] == "bob"
    take(secured, "FRUIT", "TOPIC", "SUB", "bob")
    assert reason_of(secured.sub, "Price/Fruit", options, **as_bob) == 2035


def test_g11_who_may_remove_a_subscription(secured: Bed) -> None:
    secured.mqsc(OBJECTS + "\nALTER QMGR AUTHOREV(ENABLED)")
    give(secured, "FRUIT", "TOPIC", "SUB", "bob")
    give(secured, "FRUIT", "TOPIC", "RESUME")
    bob, ann = user_of(secured, "bob"), user_of(secured)
    options = M | D | mq.MQSO_ANY_USERID
    secured.sub("Price/Fruit", options, "S1", connection=bob).end()
    resumed = secured.sub("Price/Fruit", options, "S1", action=R, connection=ann)
    assert reason_of(resumed.close, mq.MQCO_REMOVE_SUB) == 2035
    (event,) = events_of(secured, 2035)
    assert event.number(mq.MQIACF_REASON_QUALIFIER) == mq.MQRQ_CLOSE_NOT_AUTHORIZED
    assert event.text(mq.MQCACF_SUB_NAME) == "S1"
    assert [one["SUB"] for one in secured.mqsc("DISPLAY SUB(S1)")] == ["S1"]


def test_g12_revoked_rights_stop_deliveries(secured: Bed) -> None:
    secured.mqsc(
        OBJECTS + "\nALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)\n"
        "DEFINE SUB(S1) TOPICSTR('Price/Fruit') DEST(Q1) SUBUSER('ann')"
    )
    give(secured, "Q1", "QUEUE", "PUT")
    secured.pub("Price/Fruit", "one")
    take(secured, "Q1", "QUEUE", "PUT")
    secured.pub("Price/Fruit", "two")
    give(secured, "Q1", "QUEUE", "PUT")
    secured.pub("Price/Fruit", "three")
    with secured.connect("embedded") as connection:
        with connection.queue("Q1") as queue:
            assert [one.text for one in queue] == ["one", "three"]
        with connection.queue("SYSTEM.DEAD.LETTER.QUEUE") as dead:
            assert dead.depth == 1


def test_g13_nobody_else_opens_a_managed_queue(secured: Bed) -> None:
    secured.mqsc(OBJECTS)
    give(secured, "FRUIT", "TOPIC", "SUB")
    ann, bob = user_of(secured), user_of(secured, "bob")
    sub = secured.sub("Price/Fruit", M, connection=ann)
    assert reason_of(secured.open, sub.queue_name, mq.MQOO_INPUT_SHARED, bob) == 2035


def test_g14_an_alias_needs_put_on_it_and_pub_on_its_topic(secured: Bed) -> None:
    secured.mqsc(OBJECTS + "\nDEFINE QALIAS(QA) TARGET(FRUIT) TARGTYPE(TOPIC)")
    ann, bob = user_of(secured), user_of(secured, "bob")
    give(secured, "QA", "QUEUE", "PUT")
    give(secured, "FRUIT", "TOPIC", "PUB", "bob")
    assert reason_of(secured.open, "QA", mq.MQOO_OUTPUT, ann) == 2035
    assert reason_of(secured.open, "QA", mq.MQOO_OUTPUT, bob) == 2035
    give(secured, "FRUIT", "TOPIC", "PUB")
    assert reason_of(secured.open, "QA", mq.MQOO_OUTPUT, ann) == 0


def test_sub_commands_need_sub_in_the_tree(secured: Bed) -> None:
    secured.mqsc(OBJECTS)
    ann = user_of(secured)

    def reasons(*texts: str) -> list[int]:
        return [ann.mqsc(text)[0].reason for text in texts]

    give(secured, "FRUIT", "TOPIC", "SUB")
    give(secured, "Q1", "QUEUE", "PUT")
    assert reasons(
        "DEFINE SUB(S1) TOPICSTR('Price/Fruit/x') DEST(Q1)",
        "DEFINE SUB(S2) TOPICOBJ(APPLE) TOPICSTR('#') DEST(Q1)",
        "DEFINE SUB(S3) TOPICSTR('Price/#') DEST(Q1)",
        "DEFINE SUB(S3) TOPICSTR('Price/Fr*') WSCHEMA(CHAR) DEST(Q1)",
        "DELETE SUB(S2)",
    ) == [0, 0, 2035, 2035, 0]
    take(secured, "FRUIT", "TOPIC", "SUB")
    give(secured, "SYSTEM.BASE.TOPIC", "TOPIC", "SUB")
    assert reasons(
        "DEFINE SUB(S4) TOPICSTR('$SYS/MQ/#') DEST(Q1)",
        "DEFINE SUB(S4) TOPICOBJ(SYSTEM.ADMIN.TOPIC) DEST(Q1)",
        "DEFINE SUB(S4) TOPICSTR('anything') DEST(Q1)",
        "DEFINE SUB(S5) LIKE(S1) TOPICSTR('$SYS/MQ/x')",
    ) == [2035, 2035, 0, 2035]
