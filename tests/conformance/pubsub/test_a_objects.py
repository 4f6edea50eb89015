"""Section A, topic objects: delivered values, inheritance, what may be defined, altered, deleted.

Each row on every binding; commands go by an embedded connection.
"""

from __future__ import annotations

from ternmq import constants as mq
from ternmq.values.command import Answer
from tests.conformance.pubsub.bed import Bed, D, M, R, reason_of
from tests.conformance.pubsub.event_messages import events_of

BASE = (
    "TYPE(LOCAL) TOPICSTR() CAPEXPRY(NOLIMIT) CLROUTE(DIRECT) CLUSTER() "
    "COMMINFO(SYSTEM.DEFAULT.COMMINFO.MULTICAST) DEFPRESP(SYNC) DEFPRTY(0) DEFPSIST(NO) "
    "DURSUB(YES) MCAST(DISABLED) MDURMDL(SYSTEM.DURABLE.MODEL.QUEUE) "
    "MNDURMDL(SYSTEM.NDURABLE.MODEL.QUEUE) NPMSGDLV(ALLAVAIL) PMSGDLV(ALLDUR) "
    "PROXYSUB(FIRSTUSE) PUB(ENABLED) PUBSCOPE(ALL) SUB(ENABLED) SUBSCOPE(ALL) USEDLQ(YES) "
    "WILDCARD(PASSTHRU)"
)
NEW = (
    "CAPEXPRY(ASPARENT) DEFPRESP(ASPARENT) DEFPRTY(ASPARENT) DEFPSIST(ASPARENT) DURSUB(ASPARENT) "
    "MCAST(ASPARENT) NPMSGDLV(ASPARENT) PMSGDLV(ASPARENT) PUB(ASPARENT) PUBSCOPE(ASPARENT) "
    "SUB(ASPARENT) SUBSCOPE(ASPARENT) USEDLQ(ASPARENT) CLUSTER() COMMINFO() MDURMDL() MNDURMDL() "
    "CLROUTE(DIRECT) PROXYSUB(FIRSTUSE) WILDCARD(PASSTHRU)"
)


def shown(answer: Answer) -> set[str]:
    return {f"{item.keyword}({str(item.value).strip()})" for item in answer.items}


def test_a1_the_base_topic_has_its_delivered_values(bed: Bed) -> None:
    (answer,) = bed.mqsc("DISPLAY TOPIC(SYSTEM.BASE.TOPIC) ALL")
    assert answer.message == "AMQ8633I"
    assert set(BASE.split()) <= shown(answer)


def test_a2_a_new_topic_has_the_values_of_the_default_topic(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1')")
    (answer,) = bed.mqsc("DISPLAY TOPIC(T1) ALL")
    assert set(NEW.split()) <= shown(answer)
    for keyword in ("WILDCARD", "CLROUTE", "PROXYSUB"):
        (refused,) = bed.mqsc(f"ALTER TOPIC(T1) {keyword}(ASPARENT)", ok=False)
        assert refused.message == "AMQ8405I"


def test_a3_an_object_that_says_asparent_is_skipped(bed: Bed) -> None:
    bed.mqsc(
        "DEFINE TOPIC(FRUIT) TOPICSTR('Price/Fruit') DEFPRTY(7)\n"
        "DEFINE TOPIC(APPLE) TOPICSTR('Price/Fruit/Apple')"
    )
    red, veg = bed.sub("Price/Fruit/Apple/Red"), bed.sub("Price/Veg")
    bed.pub("Price/Fruit/Apple/Red")
    assert red.get().descriptor.priority == 7
    bed.mqsc("ALTER TOPIC(SYSTEM.BASE.TOPIC) DEFPRTY(3)")
    bed.pub("Price/Veg")
    assert veg.get().descriptor.priority == 3


def test_a4_without_the_base_topic_its_delivered_values_hold(bed: Bed) -> None:
    bed.mqsc("DELETE TOPIC(SYSTEM.BASE.TOPIC)\nDEFINE TOPIC(T1) TOPICSTR('t1')")
    sub = bed.sub("t1/a")
    bed.pub("t1/a")
    message = sub.get()
    assert (message.descriptor.priority, message.descriptor.persistence) == (0, 0)
    assert sub.queue_name.startswith("SYSTEM.MANAGED.NDURABLE.")


def test_a5_disabled_above_and_enabled_below(bed: Bed) -> None:
    bed.mqsc(
        "ALTER TOPIC(SYSTEM.BASE.TOPIC) PUB(DISABLED) SUB(DISABLED)\n"
        "DEFINE TOPIC(B) TOPICSTR('b') PUB(ENABLED) SUB(ENABLED)"
    )
    assert [reason_of(bed.pub, one) for one in ("a", "b", "b/c")] == [2051, 0, 0]
    assert [reason_of(bed.sub, one) for one in ("a", "b", "b/c")] == [2503, 0, 0]


def test_a6_the_event_of_a_refused_publication_names_topic_and_objects(bed: Bed) -> None:
    bed.mqsc(
        "ALTER QMGR INHIBTEV(ENABLED)\nDEFINE TOPIC(T1) TOPICSTR('t1') PUB(DISABLED)\n"
        "DEFINE TOPIC(T2) TOPICSTR('t1/2')"
    )
    assert reason_of(bed.pub, "t1/2/x") == 2051
    (event,) = events_of(bed, 2051)
    assert event.text(mq.MQCA_TOPIC_STRING) == "t1/2/x"
    assert event.names(mq.MQCACF_ADMIN_TOPIC_NAMES) == ["T2", "T1", "SYSTEM.BASE.TOPIC"]
    assert not event.has(mq.MQCA_Q_NAME)


def test_a13_what_a_topic_object_may_not_be(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1')")
    refused = [
        bed.mqsc(text, ok=False)[0]
        for text in (
            "DEFINE TOPIC(T2)",
            "DEFINE TOPIC(T2) TOPICSTR('')",
            "DEFINE TOPIC(T2) TOPICSTR('t1')",
            "ALTER TOPIC(T1) TOPICSTR('z')",
            "DEFINE TOPIC(T1) TOPICSTR('t1') NOREPLACE",
        )
    ]
    assert [one.ok for one in refused] == [False] * 5
    assert refused[2].reason == 3300
    assert refused[4].reason == 4001


def test_a14_a_handle_outlives_the_object_it_was_opened_by(bed: Bed) -> None:
    bed.mqsc(
        "ALTER TOPIC(SYSTEM.BASE.TOPIC) DEFPRTY(2)\nDEFINE TOPIC(T1) TOPICSTR('t1') DEFPRTY(5)"
    )
    sub = bed.sub("t1")
    handle = bed.open_topic(object_name="T1").opened()
    bed.mqsc("DELETE TOPIC(T1)")
    bed.put(handle, "after")
    message = sub.get()
    assert (message.text, message.descriptor.priority) == ("after", 2)
    assert reason_of(bed.open_topic, object_name="T1") == 2085
    assert reason_of(bed.open_topic, "t1") == 0


def test_a15_delete_takes_authority_records_unless_asked_not_to(secured: Bed) -> None:
    for how, answer in (("", 2035), ("AUTHREC(NO)", 0)):
        secured.mqsc(
            "DEFINE TOPIC(T1) TOPICSTR('t1')\n"
            "SET AUTHREC PROFILE(T1) OBJTYPE(TOPIC) PRINCIPAL('ann') AUTHADD(PUB)\n"
            "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('ann') AUTHADD(CONNECT,INQ)"
        )
        ann = secured.connect(user="ann")
        assert reason_of(secured.pub, "t1", connection=ann) == 0
        secured.mqsc(f"DELETE TOPIC(T1) {how}\nDEFINE TOPIC(T1) TOPICSTR('t1')")
        assert reason_of(secured.pub, "t1", connection=ann) == answer
        secured.mqsc("DELETE TOPIC(T1)")


def test_a16_there_are_no_cluster_topics(bed: Bed) -> None:
    bed.mqsc("ALTER QMGR PSCLUS(DISABLED)")
    (off,) = bed.mqsc("DEFINE TOPIC(T3) TOPICSTR('t3') CLUSTER(CL1)", ok=False)
    bed.mqsc("ALTER QMGR PSCLUS(ENABLED)")
    (on,) = bed.mqsc("DEFINE TOPIC(T3) TOPICSTR('t3') CLUSTER(CL1)", ok=False)
    assert (off.reason, on.ok) == (3359, False)
    assert "no clusters" in on.detail
    bed.mqsc("DEFINE TOPIC(T3) TOPICSTR('t3') CLROUTE(TOPICHOST)", ok=False)
    (answer,) = bed.mqsc("DISPLAY TOPIC(T3) CLROUTE")
    assert answer["CLROUTE"] == "TOPICHOST"


def test_a24_no_durable_subscriptions_where_dursub_says_so(bed: Bed) -> None:
    before = bed.sub("t1", M | D, "S0")
    before.close()
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1') DURSUB(NO)")
    assert reason_of(bed.sub, "t1", M | D, "S1") == 2436
    assert reason_of(bed.sub, "t1", M) == 0
    bed.pub("t1", "kept")
    assert bed.sub("t1", M | D, "S0", action=R).get().text == "kept"


def test_a25_managed_queues_are_made_from_the_models_of_the_topic(bed: Bed) -> None:
    bed.mqsc(
        "DEFINE QMODEL(MY.ND) MAXDEPTH(77) SHARE DEFSOPT(SHARED)\n"
        "DEFINE QMODEL(MY.D) MAXDEPTH(78) DEFTYPE(PERMDYN) SHARE DEFSOPT(SHARED)\n"
        "DEFINE TOPIC(T1) TOPICSTR('t1') MNDURMDL(MY.ND) MDURMDL(MY.D)"
    )
    depths = [
        bed.inquire(one.queue, mq.MQIA_MAX_Q_DEPTH)
        for one in (bed.sub("t1/a"), bed.sub("t1/a", M | D, "S1"))
    ]
    assert depths == [[77], [78]]


def test_a26_a_model_that_cannot_be_used_fails_and_leaves_nothing(bed: Bed) -> None:
    bed.mqsc(
        "DEFINE QMODEL(MY.TEMP) DEFTYPE(TEMPDYN)\n"
        "DEFINE TOPIC(T1) TOPICSTR('t1') MNDURMDL(NO.SUCH) MDURMDL(NO.SUCH)\n"
        "DEFINE TOPIC(T2) TOPICSTR('t2') MDURMDL(MY.TEMP)"
    )
    assert reason_of(bed.sub, "t1", M) == 2522
    assert reason_of(bed.sub, "t1", M | D, "S1") == 2522
    assert reason_of(bed.sub, "t2", M | D, "S2") == 2522
    (pubsub,) = bed.mqsc("DISPLAY PUBSUB ALL")
    assert pubsub["SUBCOUNT"] == 0
