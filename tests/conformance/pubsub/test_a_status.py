"""Section A, what commands show of the tree and clear in it; TREELIFE; F17."""

from __future__ import annotations

from contextlib import closing

import pytest

from ternmq import constants as mq
from tests.conformance.pubsub.bed import Bed, D, M
from tests.conformance.pubsub.crash_bed import CrashBed

TOPIC = (
    "ADMIN CLROUTE CLUSTER COMMINFO DEFPRESP DEFPRTY DEFPSIST DURSUB MCAST MDURMDL MNDURMDL "
    "NPMSGDLV PMSGDLV PUB PUBCOUNT PUBSCOPE RETAINED SUB SUBCOUNT SUBSCOPE USEDLQ"
)
SUB = "ACTCONN DURABLE LMSGDATE LMSGTIME MCASTREL NUMMSGS RESMDATE RESMTIME SUBID SUBTYPE SUBUSER"
PUB = "ACTCONN LPUBDATE LPUBTIME MCASTREL NUMPUBS"


def strings(bed: Bed, pattern: str) -> list[str]:
    answers = bed.mqsc(f"DISPLAY TPSTATUS('{pattern}')", ok=False)
    return sorted(str(one["TOPICSTR"]) for one in answers if one.ok)


def is_there(bed: Bed, topic: str) -> bool:
    return strings(bed, topic) == [topic]


def test_a17_unused_nodes_go_after_treelife(bed: Bed) -> None:
    nodes = ("tmp", "tmp/1", "tmp/1/x")
    bed.mqsc("ALTER QMGR TREELIFE(5)\nDEFINE TOPIC(T1) TOPICSTR('tmp/object')")
    bed.pub("tmp/1/x")
    bed.pub("tmp/kept", options=mq.MQPMO_RETAIN)
    sub = bed.sub("tmp/read")
    open_one = bed.open_topic("tmp/open").opened()
    bed.pass_time(4)
    assert [is_there(bed, one) for one in nodes] == [True] * 3
    bed.pass_time(2)
    assert [is_there(bed, one) for one in nodes] == [True, False, False]
    others = ["tmp/object", "tmp/kept", "tmp/read", "tmp/open"]
    assert [is_there(bed, one) for one in others] == [True] * 4
    bed.put(open_one)
    bed.close_handle(open_one)
    sub.end()
    bed.mqsc("CLEAR TOPICSTR('tmp/kept') CLRTYPE(RETAINED)\nDELETE TOPIC(T1)")
    bed.pass_time(7)
    assert not any(is_there(bed, one) for one in ["tmp", *others])


def test_a17_with_treelife_0_no_node_goes(bed: Bed) -> None:
    bed.mqsc("ALTER QMGR TREELIFE(0)")
    bed.pub("tmp/1/x")
    bed.pass_time(1_000_000)
    assert is_there(bed, "tmp/1/x")


def test_a18_after_a_restart_only_what_lasts_has_nodes(lasting: Bed) -> None:
    bed = lasting
    bed.pub("gone/x")
    bed.sub("read/by/one", M | D, "S1").end()
    bed.pub("kept/one", options=mq.MQPMO_RETAIN, persistent=True)
    bed.pub("kept/two", options=mq.MQPMO_RETAIN, persistent=False)
    bed.restart()
    there = ["read", "read/by", "read/by/one", "kept", "kept/one"]
    assert [is_there(bed, one) for one in there] == [True] * 5
    assert [is_there(bed, one) for one in ("gone", "gone/x", "kept/two")] == [False] * 3


def test_a19_which_nodes_a_pattern_shows(bed: Bed) -> None:
    for one in ("Sports/Football/Results", "Sports/Tennis/Results", "Sports/Tennis/Players", "Art"):
        bed.pub(one)
    assert strings(bed, "Sports/Football") == ["Sports/Football"]
    assert strings(bed, "Sports/+") == ["Sports/Football", "Sports/Tennis"]
    assert strings(bed, "Sports/+/Results") == ["Sports/Football/Results", "Sports/Tennis/Results"]
    assert strings(bed, "Sports/#") == [
        "Sports",
        "Sports/Football",
        "Sports/Football/Results",
        "Sports/Tennis",
        "Sports/Tennis/Players",
        "Sports/Tennis/Results",
    ]
    (answer,) = bed.mqsc("DISPLAY TPSTATUS('Sports/*')", ok=False)
    assert not answer.ok
    everything = strings(bed, "#")
    assert {"Art", "Sports/Tennis", "$SYS"} <= set(everything)
    assert not [one for one in everything if one.startswith("$SYS/MQ")]
    assert "$SYS/MQ" in strings(bed, "$SYS/MQ/#")


@pytest.mark.parametrize(("kind", "keywords"), [("TOPIC", TOPIC), ("SUB", SUB), ("PUB", PUB)])
def test_a20_what_is_shown_of_each(bed: Bed, kind: str, keywords: str) -> None:
    bed.sub("c/d")
    bed.open_topic("c/d")
    (answer,) = bed.mqsc(f"DISPLAY TPSTATUS('c/d') TYPE({kind}) ALL")
    assert answer.message == "AMQ8754I"
    assert {item.keyword for item in answer.items} == {*keywords.split(), "TOPICSTR", "TYPE"}
    assert "ASPARENT" not in [item.value for item in answer.items]
    if kind == "TOPIC":
        assert answer["ADMIN"] == ""
        (base,) = bed.mqsc("DISPLAY TPSTATUS('SYSTEM.BROKER.ADMIN.STREAM') ADMIN")
        assert base["ADMIN"] == "SYSTEM.BROKER.ADMIN.STREAM"


def test_a21_publishers_subscribers_and_their_messages_are_counted(bed: Bed) -> None:
    first, _ = bed.open_topic("c").opened(), bed.open_topic("c")
    bed.sub("c")
    bed.sub("c", M | D, "S1").end()
    for _ in range(3):
        bed.put(first)
    (topic,) = bed.mqsc("DISPLAY TPSTATUS('c') PUBCOUNT SUBCOUNT")
    assert (topic["PUBCOUNT"], topic["SUBCOUNT"]) == (2, 2)
    publishers = bed.mqsc("DISPLAY TPSTATUS('c') TYPE(PUB) NUMPUBS")
    assert sorted(int(str(one["NUMPUBS"])) for one in publishers) == [0, 3]
    subscribers = bed.mqsc("DISPLAY TPSTATUS('c') TYPE(SUB) NUMMSGS")
    assert [one["NUMMSGS"] for one in subscribers] == [3, 3]


def test_a21_a_long_pattern_on_a_deep_branch_is_answered(bed: Bed) -> None:
    """In one pass over the branch, whatever the pattern is."""
    bed.open_topic("/".join(["a"] * 5000) + "/b")
    pattern = "#/" + "/".join(["a"] * 4000)
    shown = bed.mqsc(f"DISPLAY TPSTATUS('{pattern}/+/b') TOPICSTR")
    assert [str(one["TOPICSTR"])[-4:] for one in shown] == ["/a/b"]


def test_a22_clear_removes_what_is_retained(bed: Bed) -> None:
    bed.pub("r", "one", mq.MQPMO_RETAIN)
    (before,) = bed.mqsc("DISPLAY TPSTATUS('r') RETAINED")
    for _ in range(2):
        bed.mqsc("CLEAR TOPICSTR('r') CLRTYPE(RETAINED)")
        (after,) = bed.mqsc("DISPLAY TPSTATUS('r') RETAINED")
        assert (before["RETAINED"], after["RETAINED"]) == ("YES", "NO")
    assert bed.sub("r").texts() == []
    bed.mqsc("CLEAR TOPICSTR('r') CLRTYPE(RETAINED) SCOPE(LOCAL)")
    (refused,) = bed.mqsc("CLEAR TOPICSTR('r') CLRTYPE(RETAINED) SCOPE(GLOBAL)", ok=False)
    assert not refused.ok


def test_a22_what_was_cleared_does_not_come_back(lasting: Bed) -> None:
    for text in ("one", "two"):
        lasting.pub("r", text, mq.MQPMO_RETAIN, persistent=True)
    lasting.mqsc("CLEAR TOPICSTR('r') CLRTYPE(RETAINED)")
    with lasting.connection.queue("SYSTEM.RETAINED.PUB.QUEUE") as queue:
        assert queue.depth == 0
    lasting.restart()
    assert lasting.sub("r").texts() == []


def test_a22_what_was_cleared_does_not_come_back_after_a_power_loss() -> None:
    with closing(CrashBed()) as bed:
        for text in ("one", "two"):
            bed.pub("r", text, mq.MQPMO_RETAIN, persistent=True)
        bed.mqsc("CLEAR TOPICSTR('r') CLRTYPE(RETAINED)")
        bed.crash()
        assert bed.sub("r").texts() == []


def test_f17_display_pubsub_shows_mode_and_counts(bed: Bed) -> None:
    for mode, status in (("ENABLED", "ACTIVE"), ("COMPAT", "COMPAT"), ("DISABLED", "INACTIVE")):
        bed.mqsc(f"ALTER QMGR PSMODE({mode})")
        (answer,) = bed.mqsc("DISPLAY PUBSUB ALL")
        assert (answer["TYPE"], answer["QMNAME"], answer["STATUS"]) == ("LOCAL", "QM1", status)
    bed.mqsc("ALTER QMGR PSMODE(ENABLED)")
    (before,) = bed.mqsc("DISPLAY PUBSUB ALL")
    bed.sub("new/one")
    bed.sub("new/+")
    (after,) = bed.mqsc("DISPLAY PUBSUB ALL")
    grown = [int(str(after[one])) - int(str(before[one])) for one in ("SUBCOUNT", "TPCOUNT")]
    assert grown == [2, 2]
