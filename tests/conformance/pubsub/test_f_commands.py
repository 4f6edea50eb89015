"""Section F, commands: DEFINE, ALTER, DELETE and DISPLAY SUB, DISPLAY SBSTATUS."""

from __future__ import annotations

from typing import Any

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.admin.mqsc.config_dump import DumpChoice, dump_lines
from tests.conformance.pubsub.bed import ALTER, Bed, D, M, R, get, reason_of

KEEP = mq.MQCO_KEEP_SUB


def shown(bed: Bed, text: str) -> list[Any]:
    """What a DISPLAY shows."""
    return [answer for answer in bed.mqsc(text) if answer.items]


def refusal(bed: Bed, text: str) -> tuple[str, int]:
    """Message and reason of a command that is refused."""
    [answer] = [one for one in bed.mqsc(text, ok=False) if not one.ok]
    return answer.message, int(answer.reason)


def texts_on(bed: Bed, name: str) -> list[str]:
    """The messages of a queue, got."""
    handle = bed.open(name, mq.MQOO_INPUT_SHARED)
    found = [one.text for one in iter(lambda: get(bed.connection, handle), None)]
    bed.close_handle(handle)
    return found


def test_f7_when_defined_then_shown_and_served_over_restart(lasting: Bed) -> None:
    lasting.mqsc("DEFINE QLOCAL(Q1)")
    assert [one.message for one in lasting.mqsc("DEFINE SUB(A1) TOPICSTR('a/#') DEST(Q1)")] == [
        "AMQ8094I"
    ]
    [answer] = shown(lasting, "DISPLAY SUB(A1) ALL")
    expected = {
        "SUBTYPE": "ADMIN",
        "DURABLE": "YES",
        "DESTCLAS": "PROVIDED",
        "PSPROP": "MSGPROP",
        "PUBPRTY": "ASPUB",
        "SUBLEVEL": 1,
        "VARUSER": "ANY",
        "WSCHEMA": "TOPIC",
        "REQONLY": "NO",
        "EXPIRY": "UNLIMITED",
        "TOPICSTR": "a/#",
    }
    assert {key: answer[key] for key in expected} == expected
    lasting.pub("a/b", "one")
    assert texts_on(lasting, "Q1") == ["one"]
    lasting.restart()
    lasting.pub("a/c", "two")
    assert texts_on(lasting, "Q1") == ["two"]


def test_f8_when_defined_again_then_refused_or_replaced(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)\nDEFINE SUB(A1) TOPICSTR('a') DEST(Q1) USERDATA('data')")
    assert refusal(bed, "DEFINE SUB(A1) TOPICSTR('a') DEST(Q1)")[1] == 3311
    bed.mqsc("DEFINE SUB(A1) REPLACE PUBPRTY(5)")
    [answer] = shown(bed, "DISPLAY SUB(A1) ALL")
    assert (answer["PUBPRTY"], answer["USERDATA"], answer["TOPICSTR"]) == (5, "", "a")
    bed.pub("a", "one")
    assert texts_on(bed, "Q1") == ["one"]


def test_f8_when_an_application_has_the_name_then_refused(bed: Bed) -> None:
    bed.sub("a", M | D, "S1")
    assert refusal(bed, "DEFINE SUB(S1) TOPICSTR('a') DEST(Q1)")[1] == 3311
    assert refusal(bed, "DEFINE SUB(S1) TOPICSTR('a') DEST(Q1) REPLACE")[1] == 3311


def test_f9_when_topic_or_destination_is_missing_then_refused(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)\nDEFINE TOPIC(T1) TOPICSTR('top')")
    assert refusal(bed, "DEFINE SUB(A1) DEST(Q1)")
    assert refusal(bed, "DEFINE SUB(A1) TOPICSTR('a')")
    bed.mqsc("DEFINE SUB(A1) TOPICOBJ(T1) TOPICSTR('down') DEST(Q1)")
    bed.pub("top/down", "one")
    assert texts_on(bed, "Q1") == ["one"]


def test_f10_when_destination_does_not_exist_then_accepted(bed: Bed) -> None:
    bed.mqsc("DEFINE SUB(A1) TOPICSTR('a') DEST(LATER)\nDEFINE QLOCAL(LATER)")
    bed.pub("a", "one")
    assert texts_on(bed, "LATER") == ["one"]


@pytest.mark.parametrize(
    ("setting", "keyword", "value"),
    [
        ("DEST(Q2)", "DEST", "Q2"),
        (f"DESTCORL('{'AB' * 24}')", "DESTCORL", "AB" * 24),
        ("DESTQMGR(QM1)", "DESTQMGR", "QM1"),
        ("EXPIRY(500)", "EXPIRY", 500),
        ("PSPROP(NONE)", "PSPROP", "NONE"),
        (f"PUBACCT('{'CD' * 32}')", "PUBACCT", "CD" * 32),
        ("PUBAPPID('me')", "PUBAPPID", "me"),
        ("PUBPRTY(7)", "PUBPRTY", 7),
        ("REQONLY(YES)", "REQONLY", "YES"),
        ("SUBUSER('u9')", "SUBUSER", "u9"),
        ("USERDATA('new')", "USERDATA", "new"),
        ("VARUSER(FIXED)", "VARUSER", "FIXED"),
    ],
)
@pytest.mark.parametrize("kind", ["ADMIN", "API"])
def test_f11_when_altered_then_it_counts(
    bed: Bed, kind: str, setting: str, keyword: str, value: object
) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)\nDEFINE QLOCAL(Q2)")
    if kind == "ADMIN":
        bed.mqsc("DEFINE SUB(S1) TOPICSTR('a') DEST(Q1)")
    else:
        queue = bed.open("Q1", mq.MQOO_INPUT_SHARED)
        bed.sub("a", D, "S1", queue=queue).close(KEEP)
    assert [one.message for one in bed.mqsc(f"ALTER SUB(S1) {setting}")] == ["AMQ8095I"]
    [answer] = shown(bed, "DISPLAY SUB(S1) ALL")
    assert (answer[keyword], answer["SUBTYPE"]) == (value, kind)
    bed.pub("a", "one")
    assert len(texts_on(bed, "Q1")) + len(texts_on(bed, "Q2")) == (0 if keyword == "REQONLY" else 1)


@pytest.mark.parametrize(
    "setting",
    [
        *("TOPICOBJ(T1)", "TOPICSTR('b')", "WSCHEMA(CHAR)", "SELECTOR('x = 1')"),
        *("SUBSCOPE(QMGR)", "DESTCLAS(MANAGED)", "SUBLEVEL(2)", "SUBLEVEL(1)"),
    ],
)
def test_f12_when_fixed_attribute_altered_then_refused(bed: Bed, setting: str) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)\nDEFINE TOPIC(T1) TOPICSTR('t')")
    bed.mqsc("DEFINE SUB(A1) TOPICSTR('a') DEST(Q1)")
    bed.sub("a", M | D, "S1").end(KEEP)
    assert refusal(bed, f"ALTER SUB(A1) {setting}")[1] == 3213
    assert refusal(bed, f"ALTER SUB(S1) {setting}")[1] == 3213


def test_f13_when_deleted_then_gone_with_its_queue(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)\nDEFINE SUB(A1) TOPICSTR('a') DEST(Q1)")
    bed.mqsc("DEFINE SUB(A2) TOPICSTR('a') DESTCLAS(MANAGED)")
    bed.sub("a", M | D, "S1").end(KEEP)
    for number in range(5):
        bed.pub("a", str(number))
    [two] = shown(bed, "DISPLAY SUB(A2) DEST SUBID")
    assert two["DEST"].startswith("SYSTEM.MANAGED.DURABLE.")
    assert [one.message for one in bed.mqsc("DELETE SUB(A1)")] == ["AMQ8097I"]
    bed.mqsc(f"DELETE SUB SUBID({two['SUBID']})")
    bed.mqsc("DELETE SUB(S1)")
    bed.pub("a", "late")
    assert len(texts_on(bed, "Q1")) == 5
    assert [one for one in bed.connection.queue_names() if "MANAGED" in one] == []
    assert refusal(bed, "DELETE SUB(NO)")[1] == 2428


def test_f14_when_open_then_delete_is_refused(bed: Bed) -> None:
    sub = bed.sub("a", M | D, "S1")
    assert refusal(bed, "DELETE SUB(S1)") == ("AMQ8469E", 3155)
    sub.end(KEEP)
    bed.mqsc("DELETE SUB(S1)")


def test_f15_when_displayed_then_filters_choose(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)\nDEFINE TOPIC(T1) TOPICSTR('top')")
    bed.mqsc("DEFINE SUB(A1) TOPICOBJ(T1) TOPICSTR('down') DEST(Q1)")
    bed.sub("a", M | D, "S1")
    bed.sub("a", M, "N1")

    def names(text: str) -> list[str]:
        return [str(one["SUB"]) for one in shown(bed, text)]

    assert {one.message for one in bed.mqsc("DISPLAY SUB(*)")} == {"AMQ8096I"}
    everything = ["A1", "N1", "S1", "SYSTEM.DEFAULT.SUB"]
    assert names("DISPLAY SUB(*)") == everything
    assert names("DISPLAY SUB(*) SUBTYPE(ALL)") == everything
    assert names("DISPLAY SUB(*) SUBTYPE(ADMIN)") == ["A1", "SYSTEM.DEFAULT.SUB"]
    assert names("DISPLAY SUB(*) SUBTYPE(API)") == ["N1", "S1"]
    assert names("DISPLAY SUB(*) DURABLE(NO)") == ["N1"]
    [resolved] = shown(bed, "DISPLAY SUB(A1) ALL")
    [defined] = shown(bed, "DISPLAY SUB(A1) DISTYPE(DEFINED) ALL")
    assert resolved["TOPICSTR"] == "top/down"
    assert (defined["TOPICOBJ"], defined["TOPICSTR"]) == ("T1", "down")
    sub_id = str(resolved["SUBID"])
    assert bytes.fromhex(sub_id)[:16] == b"AMQ QM1         "
    assert len(sub_id) == 48
    assert names(f"DISPLAY SUB SUBID({sub_id})") == ["A1"]
    assert refusal(bed, "DISPLAY SUB(NO*)")[1] == 2428


def test_c1_when_displayed_then_managed_and_not_durable(bed: Bed) -> None:
    bed.sub("a", M)
    [answer] = shown(bed, "DISPLAY SUB(*) SUBTYPE(API) ALL")
    assert (answer["DURABLE"], answer["DESTCLAS"], answer["SUB"]) == ("NO", "MANAGED", "")


def test_f16_when_published_and_resumed_then_status_tells(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)\nDEFINE SUB(A1) TOPICSTR('a') DEST(Q1)")
    assert {one.message for one in bed.mqsc("DISPLAY SBSTATUS(A1) ALL")} == {"AMQ8099I"}
    [before] = shown(bed, "DISPLAY SBSTATUS(A1) ALL")
    assert (before["NUMMSGS"], before["ACTCONN"], before["RESMDATE"]) == (0, "0" * 48, "")
    for _ in range(3):
        bed.pub("a")
    sub = bed.sub("", M | D | mq.MQSO_ANY_USERID, "A1", action=R)
    [after] = shown(bed, "DISPLAY SBSTATUS(A1) ALL")
    assert after["NUMMSGS"] == 3
    assert "" not in [after[key] for key in ("LMSGDATE", "LMSGTIME", "RESMDATE", "RESMTIME")]
    assert len(after["ACTCONN"]) == 48
    assert after["ACTCONN"] != "0" * 48
    sub.end(KEEP)
    [closed] = shown(bed, "DISPLAY SBSTATUS(A1) ALL")
    assert closed["ACTCONN"] == "0" * 48


def test_f_mqsub_when_administrative_then_altered_and_removed(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)\nDEFINE SUB(A1) TOPICSTR('a') DEST(Q1)")
    sub = bed.sub("", D | mq.MQSO_ANY_USERID, "A1", action=ALTER, publication_priority=6)
    [answer] = shown(bed, "DISPLAY SUB(A1) ALL")
    assert (answer["PUBPRTY"], answer["SUBTYPE"]) == (6, "ADMIN")
    bed.pub("a")
    assert sub.get().priority == 6
    sub.end(mq.MQCO_REMOVE_SUB)
    assert refusal(bed, "DISPLAY SUB(A1)")[1] == 2428
    assert reason_of(bed.sub, "", D, "A1", action=R) == 2428


def test_f_define_when_expiry_is_over_then_gone(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)\nDEFINE SUB(A1) TOPICSTR('a') DEST(Q1) EXPIRY(50)")
    bed.pass_time(6)
    assert refusal(bed, "DISPLAY SUB(A1)")[1] == 2428


def test_f_define_when_managed_and_refused_then_no_queue_is_left(bed: Bed) -> None:
    text = "DEFINE SUB(A1) TOPICSTR('a') DESTCLAS(MANAGED) SELECTOR('x =')"
    assert refusal(bed, text)[1] == 2459
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1') DURSUB(NO)")
    assert refusal(bed, "DEFINE SUB(A1) TOPICSTR('t1') DESTCLAS(MANAGED)")[1] == 2436
    assert [one for one in bed.connection.queue_names() if "MANAGED" in one] == []


def test_f21_when_dumped_and_replayed_then_administrative_ones_are_the_same(
    bed: Bed,
) -> None:
    bed.mqsc(
        "DEFINE QLOCAL(Q1)\nDEFINE TOPIC(T1) TOPICSTR('top')\n"
        "DEFINE SUB(A1) TOPICOBJ(T1) TOPICSTR('x') DEST(Q1) USERDATA('it''s') PUBPRTY(3)\n"
        "DEFINE SUB(A2) TOPICSTR('y/*') WSCHEMA(CHAR) DESTCLAS(MANAGED) SELECTOR('n > 5')"
    )
    bed.sub("a", M | D, "S1")
    choice = DumpChoice("sub", every_attribute=True)
    script = list(dump_lines(bed.connection.mqsc, choice))
    assert "S1" not in "".join(script)
    with ternmq.memory("QM2") as second:
        second.mqsc("DEFINE QLOCAL(Q1)\nDEFINE TOPIC(T1) TOPICSTR('top')")
        for _ in range(2):  # also over what is there
            assert [one for one in second.mqsc("\n".join(script)) if not one.ok] == []
        again = list(dump_lines(second.mqsc, choice))
        second.publish("top/x", "one")
        with second.queue("Q1") as queue:
            assert queue.get().text == "one"
    assert [one for one in again if one[0] != "*"] == [one for one in script if one[0] != "*"]


def test_f17_when_mode_changes_then_pubsub_shows_it(bed: Bed) -> None:
    bed.sub("a/b", M)
    [active] = shown(bed, "DISPLAY PUBSUB ALL")
    assert (active["TYPE"], active["QMNAME"], active["STATUS"]) == ("LOCAL", "QM1", "ACTIVE")
    assert active["SUBCOUNT"] == 1
    before = int(active["TPCOUNT"])
    bed.pub("a/c/d")
    [more] = shown(bed, "DISPLAY PUBSUB ALL")
    assert int(more["TPCOUNT"]) == before + 2
    for mode, status in (("COMPAT", "COMPAT"), ("DISABLED", "INACTIVE"), ("ENABLED", "ACTIVE")):
        bed.mqsc(f"ALTER QMGR PSMODE({mode})")
        [answer] = shown(bed, "DISPLAY PUBSUB ALL")
        assert answer["STATUS"] == status


def test_f_conn_when_handles_are_shown_then_those_of_topics_say_which(bed: Bed) -> None:
    sub = bed.sub("a/#", M | D, "S1")
    bed.open_topic("a/b")
    handles = shown(bed, "DISPLAY CONN(*) TYPE(HANDLE) WHERE(OBJTYPE EQ TOPIC)")
    assert [one["TOPICSTR"] for one in handles] == ["a/#", "a/b"]
    first = handles[0]
    assert (first["SUBNAME"], first["DEST"], first["DESTQMGR"]) == ("S1", sub.queue_name, "QM1")
    assert len(first["SUBID"]) == 48
    assert "SUBNAME" not in handles[1]


def test_f_authority_when_not_an_administrator_then_topic_and_user_count(secured: Bed) -> None:
    secured.mqsc(
        "DEFINE QLOCAL(Q1)\nDEFINE TOPIC(FRUIT) TOPICSTR('Price/Fruit')\n"
        "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('ann') AUTHADD(CONNECT)\n"
        "SET AUTHREC PROFILE(FRUIT) OBJTYPE(TOPIC) PRINCIPAL('ann') AUTHADD(SUB)\n"
        "DEFINE SUB(HERS) TOPICSTR('Price/Fruit') DEST(Q1)"
    )
    ann = secured.connect("embedded", user="ann")

    def refused(text: str) -> int:
        return max(int(one.reason) for one in ann.mqsc(text))

    assert refused("DEFINE SUB(A1) TOPICSTR('Price/Fruit/Apple') DEST(Q1)") == 0
    assert refused("DEFINE SUB(A2) TOPICSTR('Price/#') DEST(Q1)") == 2035
    assert refused("DEFINE SUB(A2) TOPICSTR('Price/Fruit') DEST(Q1) SUBUSER('root')") == 2035
    assert refused("ALTER SUB(A1) SUBUSER('root')") == 2035
    assert refused("ALTER SUB(A1) USERDATA('mine')") == 0
    assert refused("ALTER SUB(HERS) DEST(Q9)") == 2035
    secured.sub("Price/Fruit", M | D, "S1").end(KEEP)
    assert refused("ALTER SUB(S1) DEST(Q9)") == 2035
    secured.mqsc("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('ann') AUTHADD(ALTUSR)")
    assert refused("ALTER SUB(HERS) DEST(Q9)") == 0


def test_f9_when_topic_object_is_deleted_then_its_string_stays(lasting: Bed) -> None:
    lasting.mqsc(
        "DEFINE QLOCAL(Q1)\nDEFINE TOPIC(T1) TOPICSTR('top')\n"
        "DEFINE SUB(A1) TOPICOBJ(T1) TOPICSTR('x') DEST(Q1)\n"
        "DEFINE SUB(A2) TOPICSTR('y') DEST(Q1) LIKE(A1) NOREPLACE\nDELETE TOPIC(T1)"
    )
    lasting.restart()
    for topic in ("top/x", "x", "top/y", "y"):
        lasting.pub(topic, topic)
    assert texts_on(lasting, "Q1") == ["top/x", "top/y"]
