"""Goal: queued subscribers register, deregister and ask for updates as rows H of
docs/reference/conformance-pubsub.md say.
Method: commands put to the queues of a real queue manager, over each binding; responses,
subscriptions and publications are compared.
"""

from __future__ import annotations

import pytest

from ternmq import Connection
from ternmq import constants as mq
from ternmq.codec.headers.mqrfh import RulesHeader2
from ternmq.codec.headers.pubsub_command import Field
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.values.calls.objects import Open
from tests.conformance.pubsub.bed import Bed
from tests.conformance.pubsub.queued_commands import CONTROL, STREAM, Queued

OK = (mq.MQCC_OK, list[int]())
ID = bytes(range(1, 25))


def shown(bed: Bed, topic: str = "") -> list[dict[str, str]]:
    """DISPLAY SUB of those that are not the default one."""
    answers = bed.mqsc("DISPLAY SUB(*) ALL")
    rows = [{item.keyword: str(item.value) for item in one.items} for one in answers]
    return [row for row in rows if row["SUB"] != "SYSTEM.DEFAULT.SUB" and topic in row["TOPICSTR"]]


def test_h1_queue_manager_when_new_then_it_has_the_objects(bed: Bed) -> None:
    for kind, names in (
        ("QLOCAL", "CONTROL.QUEUE DEFAULT.STREAM ADMIN.STREAM INTER.BROKER.COMMUNICATIONS"),
        ("TOPIC", "DEFAULT.STREAM DEFAULT.SUBPOINT ADMIN.STREAM"),
    ):
        for name in names.split():
            bed.mqsc(f"DISPLAY {kind}(SYSTEM.BROKER.{name})")
    bed.mqsc("DISPLAY NAMELIST(SYSTEM.QPUBSUB.QUEUE.NAMELIST)")
    bed.mqsc("DISPLAY NAMELIST(SYSTEM.QPUBSUB.SUBPOINT.NAMELIST)")
    (qmgr,) = bed.mqsc("DISPLAY QMGR PSMODE PSNPMSG PSNPRES PSSYNCPT PSRTYCNT")
    expected = "PSMODE(ENABLED) PSNPMSG(DISCARD) PSNPRES(NORMAL) PSSYNCPT(IFPER) PSRTYCNT(5)"
    assert set(expected.split()) <= set(str(qmgr).strip("<>").split())


def test_h2_register_when_asked_then_answered_and_shown(bed: Bed) -> None:
    queued = Queued(bed)
    answer = queued.ask(("Command", "RegSub"), ("Topic", "q/#"), ("QName", "SQ"))
    assert answer.outcome == OK
    md = answer.message.descriptor
    assert md.msg_type == mq.MQMT_REPLY
    assert md.correl_id == answer.msg_id
    assert md.format == mq.MQFMT_RF_HEADER_2
    assert (md.put_appl_type, md.put_appl_name) == (mq.MQAT_BROKER, "QM1")
    assert b"<pscr><Completion>ok</Completion></pscr>" in answer.message.data
    (row,) = shown(bed)
    assert (row["TOPICSTR"], row["DEST"]) == ("q/#", "SQ")
    assert (row["DURABLE"], row["SUBTYPE"], row["WSCHEMA"]) == ("YES", "API", "TOPIC")
    assert row["PSPROP"] == "RFH2"


def test_h6_deregister_when_some_are_registered_then_a_warning(bed: Bed) -> None:
    queued = Queued(bed)
    deregister = ("Command", "DeregSub")
    sq = ("QName", "SQ")
    assert queued.outcome(deregister, ("Topic", "a"), sq) == (mq.MQCC_FAILED, [3073])
    assert queued.register("a") == OK
    answer = queued.ask(deregister, ("Topic", "a"), ("Topic", "b"), sq)
    assert answer.outcome == (mq.MQCC_WARNING, [3073])
    assert answer.fields("Topic") == ["b"]
    assert shown(bed) == []


def test_h7_update_when_requested_then_what_is_retained_is_sent(bed: Bed) -> None:
    queued = Queued(bed)
    request = (("Command", "ReqUpdate"), ("Topic", "r"), ("QName", "SQ"))
    assert queued.outcome(*request) == (mq.MQCC_FAILED, [3073])
    assert queued.register("r", ("RegOpt", "PubOnReqOnly"), ("RegOpt", "InformIfRet")) == OK
    assert queued.outcome(*request) == (mq.MQCC_FAILED, [3077])
    assert queued.publish("r", "kept", ("PubOpt", "RetainPub")) == OK
    assert queued.got() is None
    assert queued.outcome(*request) == OK
    found = queued.publication()
    assert found.data == b"kept"
    assert "IsRetainedPub" in found.values("PubOpt")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ((("Command", "RegSub"), ("Topic", "a"), ("RegOpt", "Foo")), 3083),
        ((("Command", "RegSub"), ("Topic", "a"), ("RegOpt", "DeregAll")), 3083),
        ((("Command", "RegSub"), ("Topic", "a"), ("RegOpt", "Pers"), ("RegOpt", "NonPers")), 3083),
        ((("Command", "RegSub"), ("Topic", "a"), ("RegOpt", "JoinShared")), 3083),
        ((("Command", "RegSub"), ("Topic", "a"), ("RegOpt", "AddName")), 3083),
        ((("Command", "RegSub"), ("Topic", "a"), ("RegOpt", "CorrelAsId")), 3080),
        ((("Command", "RegSub"), ("Topic", "a"), ("QName", "NO.SUCH")), 3076),
        ((("Command", "RegSub"), ("Topic", "a"), ("QName", "not a name")), 3076),
        ((("Command", "RegSub"), ("Topic", "a"), ("QMgrName", "NOWHERE")), 3074),
        ((("Command", "RegSub"), ("Topic", "a"), ("Filter", "n >")), 3150),
        ((("Command", "RegSub"), ("Topic", "a"), ("SubName", "")), 3153),
        ((("Command", "RegSub"), ("Topic", "a"), ("SubIdentity", "i")), 3154),
        ((("Command", "RegSub"), ("Topic", "a"), ("SubPoint", "nowhere")), 3072),
        ((("Command", "Publish"), ("Topic", "a"), ("PubOpt", "Foo")), 3084),
        ((("Command", "Publish"), ("Topic", "a"), ("PubOpt", "IsRetainedPub")), 3084),
        ((("Command", "DeletePub"), ("Topic", "a"), ("DelOpt", "Foo")), 3087),
        ((("Command", "DeregSub"), ("Topic", "a"), ("RegOpt", "Local")), 3083),
        ((("Command", "Publish"), ("Topic", "q/#")), 3072),
        ((("Command", "Publish"), ("Topic", "+")), 3072),
        ((("Command", "Publish"), ("Topic", "")), 3072),
    ],
)
def test_h9_h10_command_when_a_value_is_wrong_then_its_reason(
    bed: Bed, fields: tuple[tuple[str, str], ...], reason: int
) -> None:
    assert Queued(bed).outcome(*fields) == (mq.MQCC_FAILED, [reason])
    assert shown(bed) == []


@pytest.fixture
def of_users(secured: Bed) -> Bed:
    """With authority checks, and users ann and bob, who may all that a subscriber needs."""
    for user in ("ann", "bob"):
        secured.mqsc(
            f"SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{user}') AUTHADD(CONNECT,INQ)\n"
            f"SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('{user}') AUTHADD(PUT)\n"
            "SET AUTHREC PROFILE(SYSTEM.BASE.TOPIC) OBJTYPE(TOPIC) "
            f"PRINCIPAL('{user}') AUTHADD(PUB,SUB)"
        )
    return secured


@pytest.mark.parametrize(("version", "reason"), [(1, 3078), (2, 3151)])
def test_h11_register_when_twice_then_renewed_and_of_one_user(
    of_users: Bed, version: int, reason: int
) -> None:
    queued = Queued(of_users)
    ann = of_users.connect(user="ann")
    bob = of_users.connect(user="bob")

    def register(connection: Connection, data: str, *more: Field) -> tuple[int, list[int]]:
        fields = (("RegOpt", "CorrelAsId"), ("SubUserData", data), *more)
        return queued.register("t", *fields, connection=connection, version=version, correl_id=ID)

    assert register(ann, "first") == OK
    (before,) = shown(of_users)
    assert register(ann, "second") == OK
    (after,) = shown(of_users)
    assert (after["SUBID"], after["USERDATA"]) == (before["SUBID"], "second")
    assert register(bob, "third") == (mq.MQCC_FAILED, [reason])
    assert register(ann, "shared", ("RegOpt", "VariableUserId")) == OK
    assert register(bob, "fourth", ("RegOpt", "VariableUserId")) == OK


def test_register_when_the_user_may_not_then_3081(of_users: Bed) -> None:
    queued = Queued(of_users)
    ann = of_users.connect(user="ann")
    of_users.mqsc(
        "DEFINE TOPIC(OPEN) TOPICSTR('open')\n"
        "SET AUTHREC PROFILE(OPEN) OBJTYPE(TOPIC) PRINCIPAL('ann') AUTHADD(SUB)\n"
        "SET AUTHREC PROFILE(SYSTEM.BASE.TOPIC) OBJTYPE(TOPIC) PRINCIPAL('ann') AUTHRMV(SUB,PUB)"
    )
    register = (("Command", "RegSub"), ("QName", "SQ"))
    answer = queued.ask(*register, ("Topic", "open/a"), ("Topic", "shut"), connection=ann)
    assert answer.outcome == (mq.MQCC_WARNING, [3081])
    assert answer.fields("Topic") == ["shut"]
    assert [row["TOPICSTR"] for row in shown(of_users)] == ["open/a"]
    assert queued.publish("open/a", "x", connection=ann) == (mq.MQCC_FAILED, [3081])
    of_users.mqsc("SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('ann') AUTHRMV(PUT)")
    for name in ("SYSTEM.BROKER.CONTROL.QUEUE", "REPLIES"):
        of_users.mqsc(f"SET AUTHREC PROFILE({name}) OBJTYPE(QUEUE) PRINCIPAL('ann') AUTHADD(PUT)")
    assert queued.register("open/b", connection=ann) == (mq.MQCC_FAILED, [3081])


def test_h12_identities_when_they_share_then_the_last_one_ends_it(bed: Bed) -> None:
    queued = Queued(bed)
    name = ("SubName", "S1")

    def register(identity: str, option: str) -> tuple[int, list[int]]:
        return queued.register("t", name, ("SubIdentity", identity), ("RegOpt", option))

    assert register("one", "JoinShared") == OK
    assert register("two", "JoinShared") == OK
    assert register("two", "JoinShared") == (mq.MQCC_WARNING, [3157])
    assert register("three", "JoinExcl") == (mq.MQCC_FAILED, [3155])
    leave = (("Command", "DeregSub"), name, ("RegOpt", "LeaveOnly"))
    assert queued.outcome(*leave, ("SubIdentity", "two")) == OK
    assert queued.outcome(*leave, ("SubIdentity", "two")) == (mq.MQCC_FAILED, [3154])
    assert register("one", "JoinExcl") == OK
    assert register("three", "JoinExcl") == (mq.MQCC_FAILED, [3156])
    assert register("three", "JoinShared") == (mq.MQCC_FAILED, [3156])
    assert queued.outcome(*leave, ("SubIdentity", "one")) == OK
    assert len(shown(bed)) == 1  # LeaveOnly: it stays, empty as it is
    assert register("three", "JoinShared") == OK
    assert queued.outcome(("Command", "DeregSub"), name, ("SubIdentity", "three")) == OK
    assert shown(bed) == []


def test_h12_names_when_they_are_used_twice_then_refused(bed: Bed) -> None:
    queued = Queued(bed)
    assert queued.register("t", ("SubName", "S1")) == OK
    assert queued.register("u", ("SubName", "S1")) == (mq.MQCC_FAILED, [3152])
    assert queued.register("t") == (mq.MQCC_FAILED, [3153])
    assert queued.register("v") == OK
    assert queued.register("v", ("SubName", "S2")) == (mq.MQCC_FAILED, [3152])
    assert queued.register("v", ("SubName", "S2"), ("RegOpt", "AddName")) == OK
    assert sorted(row["SUB"] for row in shown(bed)) == ["S1", "S2"]


def test_h12_full_response_when_asked_for_then_it_describes(bed: Bed) -> None:
    queued = Queued(bed)
    answer = queued.ask(
        *(("Command", "RegSub"), ("Topic", "t"), ("QName", "SQ"), ("SubName", "S1")),
        *(("SubIdentity", "i"), ("RegOpt", "JoinExcl"), ("RegOpt", "FullResp")),
        *(("SubUserData", "data"), ("RegOpt", "Local")),
    )
    assert answer.completion == mq.MQCC_OK
    pscr, text = RulesHeader2.unpack(answer.message.data).folders
    assert pscr == "<pscr><Completion>ok</Completion></pscr>"
    for part in (
        *("<Topic>t</Topic>", "<QName>SQ</QName>", "<QMgrName>QM1</QMgrName>"),
        *("<SubName>S1</SubName>", "<SubIdentity>i</SubIdentity>", "<RegOpt>Locked</RegOpt>"),
        *("<SubUserData>data</SubUserData>", "<RegOpt>Local</RegOpt>"),
    ):
        assert part in text


def test_h12_no_alteration_when_by_name_then_the_topic_does_not_count(bed: Bed) -> None:
    """How IBM's classes for JMS find a durable subscription that they end."""
    queued = Queued(bed)
    name = (("SubName", "S1"), ("SubIdentity", "i"))
    shared = ("RegOpt", "VariableUserId")
    assert queued.register("t", *name, ("RegOpt", "JoinExcl"), shared) == OK
    answer = queued.ask(
        *(("Command", "RegSub"), ("Topic", "unknown"), *name, shared),
        *(("RegOpt", "JoinExcl"), ("RegOpt", "NoAlter"), ("RegOpt", "FullResp")),
    )
    assert answer.completion == mq.MQCC_WARNING
    assert answer.reasons == [3157]
    assert b"<Topic>t</Topic>" in answer.message.data
    (row,) = shown(bed)
    assert row["TOPICSTR"] == "t"


def test_h13_queue_when_temporary_and_closed_then_the_subscription_goes(bed: Bed) -> None:
    queued = Queued(bed)
    connection = bed.connect()
    od = ObjectDescriptor(object_name="SYSTEM.DEFAULT.MODEL.QUEUE", dynamic_queue_name="TMP.*")
    opened = connection.run(Open(od, mq.MQOO_INPUT_AS_Q_DEF)).opened()
    name = opened.resolved_name
    assert queued.register("t", ("QName", name)) == OK
    (row,) = shown(bed)
    assert (row["DEST"], row["DURABLE"]) == (name, "NO")
    connection.disconnect()
    assert shown(bed) == []


def test_h14_mqrfh_when_registered_then_answered_alike(bed: Bed) -> None:
    queued = Queued(bed)
    answer = queued.ask(("Command", "RegSub"), ("Topic", "q/*"), ("QName", "SQ"), version=1)
    assert answer.outcome == OK
    assert answer.message.descriptor.format == mq.MQFMT_RF_HEADER_1
    text = answer.message.data[32:].decode().rstrip()
    assert text == "MQPSCompCode 0 MQPSReason 0 MQPSReasonText MQRC_NONE"
    (row,) = shown(bed)
    assert (row["WSCHEMA"], row["PSPROP"]) == ("CHAR", "COMPAT")
    wrong = queued.ask(("Command", "RegSub"), ("Topic", "a"), ("RegOpt", "Foo"), version=1)
    assert b"MQPSReason 3083 MQPSReasonText MQRCCF_REG_OPTIONS_ERROR" in wrong.message.data
    assert queued.publish("q/a", "text", version=1) == OK
    found = queued.publication()
    assert (found.version, found.value("Command"), found.value("Topic")) == (1, "Publish", "q/a")
    assert found.data == b"text"
    unknown = queued.outcome(
        ("Command", "RegSub"), ("Topic", "a"), ("StreamName", "NO.STREAM"), version=1
    )
    assert unknown == (mq.MQCC_FAILED, [3082])


@pytest.mark.parametrize(
    ("fields", "queue", "reason"),
    [
        ((("Command", "Publish"), ("Topic", "a")), CONTROL, 3079),
        ((("Command", "RegSub"), ("Topic", "a")), STREAM, 3079),
        ((("Command", "Publish"), ("Topic", "a"), ("StreamName", "OTHER")), STREAM, 3075),
        ((("Command", "Publish"), ("Topic", "q/*")), STREAM, 3072),
        ((("Command", "Publish"), ("Topic", "q?")), STREAM, 3072),
        ((("Command", "RegSub"), ("Topic", "a"), ("SubPoint", "x")), CONTROL, 2337),
        ((("Command", "RegSub"), ("Topic", "a%b")), CONTROL, 3072),
    ],
)
def test_h10_h14_mqrfh_when_it_is_wrong_then_its_reason(
    bed: Bed, fields: tuple[tuple[str, str], ...], queue: str, reason: int
) -> None:
    answer = Queued(bed).ask(*fields, queue=queue, version=1)
    assert answer.outcome == (mq.MQCC_FAILED, [reason])


def test_publishers_when_they_register_then_ok(bed: Bed) -> None:
    queued = Queued(bed)
    for name in ("RegPub", "DeregPub"):
        assert queued.outcome(("Command", name), ("Topic", "a"), version=1) == OK
        assert queued.outcome(("Command", name), ("Topic", "a")) == (mq.MQCC_FAILED, [2336])


def test_subscribers_when_all_are_deregistered_then_others_stay(bed: Bed) -> None:
    queued = Queued(bed)
    for topic in ("a", "b", "c"):
        assert queued.register(topic) == OK
    assert queued.register("a", ("RegOpt", "CorrelAsId"), correl_id=ID) == OK
    deregister = (("Command", "DeregSub"), ("QName", "SQ"), ("RegOpt", "DeregAll"))
    assert queued.outcome(*deregister, ("Topic", "b")) == OK
    assert len(shown(bed)) == 3
    assert queued.outcome(*deregister) == OK
    (row,) = shown(bed)
    assert row["DESTCORL"] == ID.hex().upper()
    assert queued.outcome(*deregister) == (mq.MQCC_FAILED, [3073])


def test_subscription_when_the_queue_manager_restarts_then_it_is_there(lasting: Bed) -> None:
    queued = Queued(lasting)
    assert queued.register("t", ("SubName", "S1"), ("RegOpt", "InformIfRet")) == OK
    assert queued.register("u", ("RegOpt", "CorrelAsId"), correl_id=ID) == OK
    lasting.restart()
    assert queued.publish("t", "after") == OK
    assert queued.texts() == ["after"]
    deregister = (("Command", "DeregSub"), ("Topic", "u"), ("QName", "SQ"))
    assert queued.outcome(*deregister) == (mq.MQCC_FAILED, [3073])
    assert queued.outcome(*deregister, ("RegOpt", "CorrelAsId"), correl_id=ID) == OK
    assert queued.outcome(("Command", "DeregSub"), ("SubName", "S1")) == OK
    assert shown(lasting) == []


def test_response_when_a_datagram_then_as_its_report_asks(bed: Bed) -> None:
    queued = Queued(bed)
    fields = [("Command", "RegSub"), ("Topic", "a"), ("QName", "SQ")]
    wrong = [("Command", "Foo")]
    for report, good, bad in (
        (0, 0, 0),
        (mq.MQRO_PAN, 1, 0),
        (mq.MQRO_NAN, 0, 1),
        (mq.MQRO_PAN | mq.MQRO_NAN, 1, 1),
    ):
        for given, count in ((fields, good), (wrong, bad)):
            queued.put(given, msg_type=mq.MQMT_DATAGRAM, report=report)
            queued.flush()
            assert bed.connection.queue("REPLIES").depth == count
            while queued.got("REPLIES") is not None:
                pass


def test_subscription_when_altered_and_deleted_by_command_then_that_counts(bed: Bed) -> None:
    queued = Queued(bed)
    assert queued.register("t", ("SubName", "S1"), ("RegOpt", "InformIfRet")) == OK
    assert queued.register("u") == OK
    bed.mqsc("DEFINE QLOCAL(OTHER)\nALTER SUB(S1) USERDATA('new') DEST(OTHER)")
    assert queued.publish("t", "x") == OK
    found = queued.publication("OTHER")
    assert (found.value("Topic"), found.value("SubUserData")) == ("t", "new")
    bed.mqsc("DELETE SUB(S1)\nDELETE SUB('SQ@QM1::u')")
    by_name = (("Command", "DeregSub"), ("SubName", "S1"))
    assert queued.outcome(*by_name) == (mq.MQCC_FAILED, [3073])
    by_topic = (("Command", "DeregSub"), ("Topic", "u"), ("QName", "SQ"))
    assert queued.outcome(*by_topic) == (mq.MQCC_FAILED, [3073])
    assert queued.register("u") == OK
    assert queued.publish("u", "again") == OK
    assert queued.texts() == ["again"]


def test_subscription_when_resumed_by_the_mqi_then_it_stays_a_queued_one(bed: Bed) -> None:
    queued = Queued(bed)
    assert queued.register("t", ("SubName", "S1")) == OK
    handle = bed.open("SQ", mq.MQOO_INPUT_SHARED)
    resumed = bed.sub("t", mq.MQSO_DURABLE, "S1", action=mq.MQSO_RESUME, queue=handle)
    assert resumed.sd.options & mq.MQSO_DURABLE
    resumed.close(mq.MQCO_KEEP_SUB)
    assert queued.publish("t", "x") == OK
    assert queued.texts() == ["x"]
