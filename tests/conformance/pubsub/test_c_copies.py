"""Section C, third part: which publications a subscription gets, where, and what they carry."""

from __future__ import annotations

from typing import Any

import pytest

from ternmq import constants as mq
from tests.conformance.pubsub.bed import Bed, C, D, M, R, Sub, get, reason_of

KEEP = mq.MQCO_KEEP_SUB
CORREL = mq.MQSO_SET_CORREL_ID
GROUP = mq.MQSO_GROUP_SUB | CORREL
CHAR = mq.MQSO_WILDCARD_CHAR
RETAIN = mq.MQPMO_RETAIN
WARN = mq.MQPMO_WARN_IF_NO_SUBS_MATCHED


def got_by(bed: Bed, topics: list[str], sub: Sub) -> list[str]:
    """Which of these topics, each published to once, a subscription gets."""
    for topic in topics:
        bed.pub(topic, topic)
    return sub.texts()


def test_c14_when_created_then_retained_and_not_again_when_resumed(bed: Bed) -> None:
    bed.pub("r", "kept", RETAIN)
    sub = bed.sub("r", M | D, "S1", action=C | R)
    assert sub.texts() == ["kept"]
    sub.end(KEEP)
    assert bed.sub("r", M | D, "S1", action=C | R).texts() == []


def test_c35_when_correl_id_is_set_or_not_then_copies_have_it(bed: Bed) -> None:
    own = bed.sub("a", M)
    given = bed.sub("a", M | CORREL, correl_id=b"G" * 24)
    passing = bed.sub("a", M | CORREL, correl_id=mq.MQCI_NONE)
    bed.pub("a", correl_id=b"P" * 24)
    generated = own.get().correl_id
    assert (len(generated), generated[:3], generated) == (24, b"AMQ", own.sd.correl_id)
    assert given.get().correl_id == b"G" * 24
    assert passing.get().correl_id == b"P" * 24


def test_c36_when_user_data_given_then_property(bed: Bed) -> None:
    sub = bed.sub("a", M, user_data="x" * 10_240)
    bed.pub("a")
    assert sub.get().subscription_user_data == "x" * 10_240


def test_c37_when_priority_chosen_then_copies_have_it(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q6) DEFPRTY(6)")
    queue = bed.open("Q6", mq.MQOO_INPUT_SHARED)
    subs = [
        bed.sub("a", M),
        bed.sub("a", M, publication_priority=0),
        bed.sub("a", M, publication_priority=9),
        bed.sub("a", 0, queue=queue, publication_priority=mq.MQPRI_PRIORITY_AS_Q_DEF),
    ]
    bed.pub("a", priority=3)
    assert [sub.get().priority for sub in subs] == [3, 0, 9, 6]


def test_c38_when_identity_is_set_then_in_each_copy(bed: Bed) -> None:
    token = b"\x16" + b"T" * 31
    fields: dict[str, Any] = {
        "publication_accounting_token": token,
        "publication_appl_identity_data": "I am",
    }
    sub = bed.sub("a", M | mq.MQSO_SET_IDENTITY_CONTEXT, **fields)
    other = bed.sub("a", M, **fields)
    bed.pub("a")
    md = sub.get().descriptor
    assert (md.accounting_token, md.appl_identity_data.strip()) == (token, "I am")
    md = other.get().descriptor
    assert md.appl_identity_data.strip() == ""
    assert md.accounting_token != token
    assert other.sd.publication_accounting_token == md.accounting_token
    assert other.sd.publication_appl_identity_data.strip() == ""


def test_c40_when_selector_given_then_only_what_it_selects(bed: Bed) -> None:
    sub = bed.sub("a", M | D, "S1", selector="colour = 'red'")
    bed.pub("a", "red", properties={"colour": "red"})
    bed.pub("a", "blue", properties={"colour": "blue"})
    bed.pub("a", "none")
    assert sub.texts() == ["red"]
    [status] = [one for one in bed.mqsc("DISPLAY SBSTATUS(S1) NUMMSGS") if one.items]
    assert status["NUMMSGS"] == 1


def test_c42_when_selected_then_the_message_as_published_is_judged(bed: Bed) -> None:
    sub = bed.sub("a/b", M, selector="Root.MQMD.Priority = 4", publication_priority=9)
    unseen = bed.sub("a/b", M, selector="MQTopicString = 'a/b'")
    bed.pub("a/b", "x", priority=4)
    assert sub.get().priority == 9
    assert unseen.texts() == []


def test_c43_when_handle_cannot_read_then_2019(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    for_input = bed.open("Q1", mq.MQOO_INPUT_SHARED)
    for_browse = bed.open("Q1", mq.MQOO_BROWSE)
    for_output = bed.open("Q1", mq.MQOO_OUTPUT)
    found = [reason_of(bed.sub, "a", 0, queue=one) for one in (for_input, for_browse, for_output)]
    assert [*found, reason_of(bed.sub, "a", 0)] == [0, 0, 2019, 2019]
    managed = bed.sub("a", M)
    assert reason_of(bed.sub, "b", 0, queue=managed.queue) == 2019


def test_c44_when_destination_is_remote_then_copies_are_transmitted(bed: Bed) -> None:
    bed.mqsc(
        "DEFINE QLOCAL(XMIT) USAGE(XMITQ)\n"
        "DEFINE QREMOTE(FAR) RNAME(THERE) RQMNAME(QM2) XMITQ(XMIT)"
    )
    queue = bed.open("FAR", mq.MQOO_OUTPUT)
    bed.sub("a", 0, queue=queue)
    bed.pub("a", "one")
    reader = bed.open("XMIT", mq.MQOO_INPUT_SHARED)
    message = get(bed.connection, reader)
    assert message is not None
    data = message.data
    assert data[:4] == b"XQH "
    assert data[8:56].strip() == b"THERE"
    assert data[56:104].strip() == b"QM2"


def test_c45_when_durable_on_temporary_queue_then_2522(bed: Bed) -> None:
    bed.mqsc("DEFINE QMODEL(TEMP) DEFTYPE(TEMPDYN)")
    queue = bed.open("TEMP", mq.MQOO_INPUT_SHARED, dynamic_queue_name="T.*")
    assert reason_of(bed.sub, "a", D, "S1", queue=queue) == 2522
    assert reason_of(bed.sub, "a", 0, queue=queue) == 0


def test_c47_when_two_on_one_queue_then_each_by_correl_id(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    queue = bed.open("Q1", mq.MQOO_INPUT_SHARED)
    one = bed.sub("a", CORREL, queue=queue, correl_id=b"1" * 24)
    two = bed.sub("b", CORREL, queue=queue, correl_id=b"2" * 24)
    bed.pub("a", "for one")
    bed.pub("b", "for two")
    assert two.get(correl_id=b"2" * 24).text == "for two"
    assert one.get(correl_id=b"1" * 24).text == "for one"


@pytest.mark.parametrize(
    ("row", "pattern", "options", "yes", "no"),
    [
        ("C48", "a/+", 0, ["a/b"], ["a/b/c", "a", "b/a"]),
        ("C49", "a/#", 0, ["a", "a/b", "a/b/c"], ["ab"]),
        ("C50", "#", 0, ["a", "a/b", "/a"], ["$SYS/MQ/INFO/QMGR/QM1/x"]),
        ("C51", "a/#/z", 0, ["a/z", "a/b/z", "a/b/c/z"], ["a/b/z/c"]),
        ("C52", "#/z", 0, ["z", "a/z", "a/b/z"], ["z/a"]),
        ("C53", "a+", 0, ["a+"], ["ab", "a"]),
        ("C53", "a/b#", 0, ["a/b#"], ["a/b", "a/bc"]),
        ("C53", "+a/b", 0, ["+a/b"], ["a/b", "ca/b"]),
        ("C53", "a/##", 0, ["a/##"], ["a", "a/b"]),
        ("C54", "a/*", CHAR, ["a/b", "a/b/c", "a/"], ["a"]),
        ("C54", "a?c", CHAR, ["abc", "a/c"], ["ac"]),
        ("C55", "a%*b", CHAR, ["a*b"], ["axb", "a%*b"]),
        ("C55", "a%%b", CHAR, ["a%b"], ["a%%b"]),
    ],
)
def test_c48_to_c55_when_published_then_pattern_matches(
    bed: Bed, row: str, pattern: str, options: int, yes: list[str], no: list[str]
) -> None:
    sub = bed.sub(pattern, M | options)
    assert got_by(bed, yes + no, sub) == yes


def test_c50_when_published_below_sys_then_only_who_names_the_branch_gets_it(bed: Bed) -> None:
    system = "$SYS/MQ/INFO/QMGR/QM1/x"
    everything, there = bed.sub("#", M), bed.sub(system, M)
    assert got_by(bed, ["a", "a/b", "/a", system], everything) == ["a", "a/b", "/a"]
    assert there.texts() == [system]  # it was published


def test_c56_when_retained_then_new_subscription_gets_them(bed: Bed) -> None:
    for topic in ("w/1", "w/2", "w/3/4"):
        bed.pub(topic, topic, RETAIN)
    sub = bed.sub("w/#", M)
    found = [sub.get() for _ in range(3)]
    assert sorted(one.text for one in found) == ["w/1", "w/2", "w/3/4"]
    assert [one.is_retained for one in found] == [True] * 3
    assert bed.sub("w/#", M | mq.MQSO_NEW_PUBLICATIONS_ONLY).texts() == []
    assert bed.sub("w/#", M | mq.MQSO_PUBLICATIONS_ON_REQUEST).texts() == []


def test_c57_when_on_request_then_only_by_mqsubrq(bed: Bed) -> None:
    sub = bed.sub("r", M | mq.MQSO_PUBLICATIONS_ON_REQUEST)
    bed.pub("r", "plain")
    bed.pub("r", "kept", RETAIN)
    assert sub.texts() == []
    assert sub.request() == 1
    assert sub.texts() == ["kept"]


def test_c58_when_retained_queue_is_inhibited_then_2525_and_nothing_left(bed: Bed) -> None:
    bed.pub("r", "kept", RETAIN)
    bed.mqsc("ALTER QLOCAL(SYSTEM.RETAINED.PUB.QUEUE) GET(DISABLED)")
    assert reason_of(bed.sub, "r", M) == 2525
    assert reason_of(bed.sub, "r", M | D, "S1") == 2525
    assert bed.kernel.topics.by_id == {}
    assert [one for one in bed.connection.queue_names() if "MANAGED" in one] == []
    assert reason_of(bed.sub, "r", M | mq.MQSO_NEW_PUBLICATIONS_ONLY) == 0


def test_c59_when_queue_is_full_then_dead_letter_queue_or_2526(bed: Bed) -> None:
    bed.mqsc(
        "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)\n"
        "DEFINE QLOCAL(Q1) MAXDEPTH(1)\nDEFINE QLOCAL(DLQ) MAXDEPTH(1)"
    )
    bed.pub("r", "kept", RETAIN)
    bed.connection.put("Q1", "full")
    queue = bed.open("Q1", mq.MQOO_INPUT_SHARED)
    assert reason_of(bed.sub, "r", 0, "N1", queue=queue) == 0
    dead = bed.open("SYSTEM.DEAD.LETTER.QUEUE", mq.MQOO_INPUT_SHARED)
    buried = get(bed.connection, dead)
    assert buried is not None
    assert buried.data.endswith(b"kept")
    bed.connection.put("DLQ", "full")
    bed.mqsc("ALTER QMGR DEADQ(DLQ)")
    assert reason_of(bed.sub, "r", 0, "N2", queue=queue) == 2526
    assert "N2" not in bed.kernel.topics.by_name
    assert reason_of(bed.sub, "r", D, "S2", queue=queue) == 2526
    assert "S2" not in bed.kernel.topics.by_name
    assert reason_of(bed.sub, "", D, "S2", action=R) == 2428


def test_c60_when_grouped_then_one_copy_of_the_most_significant(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)\nDEFINE QLOCAL(Q2)\nDEFINE QLOCAL(Q3)")
    grouped, plain, apart = (bed.open(name, mq.MQOO_INPUT_SHARED) for name in ("Q1", "Q2", "Q3"))
    one = bed.sub("a/b", GROUP, queue=grouped, correl_id=b"1" * 24, user_data="exact")
    bed.sub("a/#", GROUP, queue=grouped, correl_id=b"1" * 24, user_data="wild")
    two = bed.sub("a/b", CORREL, queue=plain, correl_id=b"1" * 24)
    bed.sub("a/#", CORREL, queue=plain, correl_id=b"1" * 24)
    three = bed.sub("a/b", GROUP, queue=apart, correl_id=b"1" * 24)
    bed.sub("a/#", GROUP, queue=apart, correl_id=b"2" * 24)
    bed.pub("a/b", "x")
    assert one.get().subscription_user_data == "exact"
    assert [sub.texts() for sub in (one, two, three)] == [[], ["x", "x"], ["x", "x"]]
    bed.pub("a/c", "y")
    assert one.get().subscription_user_data == "wild"


def test_c61_when_group_has_the_same_already_then_2514(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    queue = bed.open("Q1", mq.MQOO_INPUT_SHARED)
    first = bed.sub("a", GROUP, "G1", queue=queue, correl_id=b"1" * 24)
    assert reason_of(bed.sub, "a", GROUP, "G2", queue=queue, correl_id=b"1" * 24) == 2514
    assert reason_of(bed.sub, "b", GROUP, "G2", queue=queue, correl_id=b"1" * 24) == 0
    first.close()
    assert reason_of(bed.sub, "a", GROUP, "G3", queue=queue, correl_id=b"1" * 24) == 0


def test_c62_when_levels_differ_then_the_highest_intercepts(bed: Bed) -> None:
    high = bed.sub("i", M, level=9)
    low = bed.sub("i", M, level=1)
    bed.pub("i", "first")
    assert (high.texts(), low.texts()) == (["first"], [])
    bed.pub("i", "second", level=8)
    assert (high.texts(), low.texts()) == ([], ["second"])


def test_c63_when_publication_level_is_low_then_who_is_not_above(bed: Bed) -> None:
    one = bed.sub("i", M, level=1)
    five = bed.sub("i", M, level=5)
    bed.pub("i", "four", level=4)
    assert (one.texts(), five.texts()) == (["four"], [])
    assert bed.pub("i", "zero", WARN, level=0).warning == 2550
    assert (one.texts(), five.texts()) == ([], [])


def test_c65_when_subscriber_queue_takes_nothing_then_2436(bed: Bed) -> None:
    bed.mqsc("ALTER QLOCAL(SYSTEM.DURABLE.SUBSCRIBER.QUEUE) PUT(DISABLED)")
    assert reason_of(bed.sub, "a", M | D, "S1") == 2436
    assert [one for one in bed.connection.queue_names() if "MANAGED" in one] == []
    assert reason_of(bed.sub, "a", M) == 0
    bed.mqsc("ALTER QLOCAL(SYSTEM.DURABLE.SUBSCRIBER.QUEUE) PUT(ENABLED) MAXDEPTH(0)")
    assert reason_of(bed.sub, "a", M | D, "S1") == 2436
    assert reason_of(bed.sub, "a", M) == 0


def test_c56_when_more_are_retained_than_one_step_sends_then_all(bed: Bed) -> None:
    for number in range(200):
        bed.connection.publish(f"w/{number}", "x", retain=True)
    assert len(bed.sub("w/#", M | D, "S1").texts()) == 200
    assert bed.sub("w/#", M | mq.MQSO_PUBLICATIONS_ON_REQUEST).request() == 200
