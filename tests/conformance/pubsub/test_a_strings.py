"""Section A, topic strings: object and string together, lengths, empty levels, wildcards as text;
patterns and nodes that block them."""

from __future__ import annotations

import pytest

from ternmq import constants as mq
from tests.conformance.pubsub.bed import Bed, M, reason_of
from tests.conformance.pubsub.event_messages import events_of

LONGEST = "x" * 10_240


@pytest.mark.parametrize(
    ("of_object", "given", "together"),
    [
        ("Football/Scores", "", "Football/Scores"),
        ("", "Football/Scores", "Football/Scores"),
        ("Football", "Scores", "Football/Scores"),
        ("Football", "/Scores", "Football//Scores"),
        ("/Football", "Scores", "/Football/Scores"),
    ],
)
def test_a7_object_and_string_make_the_topic(
    bed: Bed, of_object: str, given: str, together: str
) -> None:
    name = ""
    if of_object:
        bed.mqsc(f"DEFINE TOPIC(T) TOPICSTR('{of_object}')")
        name = "T"
    assert bed.open_topic(given, object_name=name).resolved_string == together
    assert bed.sub(given, M, object_name=name).call.resolved_string == together


def test_a7_the_whole_string_is_returned_by_every_binding(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T) TOPICSTR('Football')")
    assert bed.open_topic("Scores", object_name="T").resolved_string == "Football/Scores"
    assert bed.sub("/Scores", M, object_name="T").call.resolved_string == "Football//Scores"


def test_a8_no_name_and_no_string_or_an_unknown_name(bed: Bed) -> None:
    assert reason_of(bed.open_topic) == 2085
    assert reason_of(bed.open_topic, object_name="NOSUCH") == 2085


def test_a8_an_unknown_name_is_reported_as_an_event(bed: Bed) -> None:
    bed.mqsc("ALTER QMGR LOCALEV(ENABLED)")
    assert reason_of(bed.open_topic, object_name="NOSUCH") == 2085
    (event,) = events_of(bed, 2085)
    assert event.text(mq.MQCA_TOPIC_NAME) == "NOSUCH"
    assert not event.has(mq.MQCA_Q_NAME)


def test_a9_the_base_topic_alone_is_no_topic(bed: Bed) -> None:
    base = "SYSTEM.BASE.TOPIC"
    assert reason_of(bed.open_topic, object_name=base) == 2425
    assert reason_of(bed.sub, "", M, object_name=base) == 2425
    assert bed.open_topic("a", object_name=base).resolved_string == "a"
    assert bed.sub("a", M, object_name=base).call.resolved_string == "a"


def test_a10_how_long_a_topic_string_may_be(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T) TOPICSTR('Football')")
    assert reason_of(bed.open_topic, LONGEST) == 0
    assert reason_of(bed.open_topic, LONGEST + "x") == 2441
    assert reason_of(bed.open_topic, LONGEST, object_name="T") == 2425
    assert reason_of(bed.sub, LONGEST) == 0
    assert reason_of(bed.sub, LONGEST + "x") == 2441
    assert reason_of(bed.sub, LONGEST, M, object_name="T") == 2425


def test_a11_an_empty_level_counts_and_so_do_capitals(bed: Bed) -> None:
    strings = ["a", "/a", "a/", "a//b", "A"]
    subs = [bed.sub(one) for one in strings]
    for one in strings:
        bed.pub(one, one)
    assert [sub.texts() for sub in subs] == [[one] for one in strings]
    nodes = {str(one["TOPICSTR"]) for one in bed.mqsc("DISPLAY TPSTATUS('#')")}
    assert set(strings) <= nodes


def test_a12_in_a_publication_wildcards_stand_for_themselves(bed: Bed) -> None:
    by_topic, plain = bed.sub("x/+"), bed.sub("x/a#b")
    by_character = bed.sub("x/+", M | mq.MQSO_WILDCARD_CHAR)
    for one in ("x/+", "x/#", "x/a#b", "x/*"):
        bed.pub(one, one)
    assert by_topic.texts() == ["x/+", "x/#", "x/a#b", "x/*"]
    assert plain.texts() == ["x/a#b"]
    assert by_character.texts() == ["x/+"]


def test_a23_a_node_that_blocks_wildcards_from_above(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1') WILDCARD(BLOCK)")
    subs = [bed.sub(one) for one in ("#", "+", "t1/#", "t1")]
    bed.pub("t1", "1")
    bed.pub("t1/a", "2")
    assert [sub.texts() for sub in subs] == [[], [], ["1", "2"], ["1"]]
    bed.mqsc("ALTER TOPIC(T1) WILDCARD(PASSTHRU)")
    bed.pub("t1", "3")
    assert [sub.texts() for sub in subs] == [["3"], ["3"], ["3"], ["3"]]


def test_a23_the_system_topics_are_closed_to_wildcards_from_above(bed: Bed) -> None:
    subs = [bed.sub(one) for one in ("#", "$SYS/#", "$SYS/MQ/+")]
    by_character = bed.sub("$SYS/M*", M | mq.MQSO_WILDCARD_CHAR)
    bed.pub("$SYS/MQ/own", "1")
    assert [sub.texts() for sub in subs] == [[], [], ["1"]]
    assert by_character.texts() == []
    (refused,) = bed.mqsc("ALTER TOPIC(SYSTEM.ADMIN.TOPIC) WILDCARD(PASSTHRU)", ok=False)
    assert not refused.ok
