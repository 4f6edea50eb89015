"""Section F, what an administrator types that the rows do not name: queues of managed
subscriptions, REPLACE of a topic object, choices of DISPLAY, and what refusals say."""

from __future__ import annotations

import pytest

from ternmq import constants as mq
from ternmq.admin.mqsc.printer import answer_lines
from ternmq.base.command_reasons import MQRCCF_DEST_NAME_ERROR, MQRCCF_OBJECT_OPEN
from tests.conformance.pubsub.bed import Bed, D, M


def _refused(bed: Bed, text: str) -> tuple[int, str]:
    [answer] = [one for one in bed.mqsc(text, ok=False) if not one.ok]
    return int(answer.reason), "\n".join(answer_lines(answer))


def _shown(bed: Bed, text: str, keyword: str) -> list[object]:
    return [one[keyword] for one in bed.mqsc(text, ok=False) if one.ok]


@pytest.mark.parametrize("setting", ["DEST(Q1)", "DESTQMGR(QM2)"])
def test_alter_when_the_queue_is_managed_then_no_other_can_take_its_place(
    bed: Bed, setting: str
) -> None:
    """DELETE SUB deletes the queue of a managed subscription: it may never be the user's."""
    bed.mqsc("DEFINE QLOCAL(Q1)\nDEFINE SUB(A1) TOPICSTR('a') DESTCLAS(MANAGED)")
    bed.sub("b", M | D, "APP").end()
    reasons = [_refused(bed, f"ALTER SUB({name}) {setting}")[0] for name in ("A1", "APP")]
    bed.mqsc("DELETE SUB(A1)\nDELETE SUB(APP)")
    assert reasons == [2533, 2533]
    assert _shown(bed, "DISPLAY QLOCAL(Q1)", "QUEUE") == ["Q1"]


def test_delete_when_the_managed_queue_was_defined_again_then_that_queue_stays(
    bed: Bed,
) -> None:
    bed.mqsc("DEFINE SUB(A1) TOPICSTR('a') DESTCLAS(MANAGED)")
    [name] = _shown(bed, "DISPLAY SUB(A1) DEST", "DEST")
    bed.mqsc(f"DELETE QLOCAL({name}) PURGE\nDEFINE QLOCAL({name})\nDELETE SUB(A1)")
    assert _shown(bed, f"DISPLAY QLOCAL({name})", "QUEUE") == [name]


def test_alter_when_dest_is_blank_then_refused(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)\nDEFINE SUB(A1) TOPICSTR('a') DESTCLAS(MANAGED)")
    bed.sub("b", D, "APP", queue=bed.open("Q1", mq.MQOO_INPUT_SHARED)).end()
    for name in ("A1", "APP"):
        assert _refused(bed, f"ALTER SUB({name}) DEST('')")[0] == MQRCCF_DEST_NAME_ERROR


@pytest.mark.parametrize("setting", ["DEST(Q1)", "DESTQMGR(QM2)"])
def test_define_when_managed_and_a_queue_is_given_then_refused(bed: Bed, setting: str) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    reason, text = _refused(bed, f"DEFINE SUB(A1) TOPICSTR('a') DESTCLAS(MANAGED) {setting}")
    assert reason
    assert "DESTCLAS(MANAGED)" in text


def test_define_topic_when_replaced_with_another_string_then_refused(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('a') PUB(DISABLED)")
    _, text = _refused(bed, "DEFINE TOPIC(T1) TOPICSTR('b') REPLACE")
    assert "TOPICSTR" in text
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('a') REPLACE")
    assert _shown(bed, "DISPLAY TPSTATUS('a') PUB", "PUB") == ["ENABLED"]


def test_display_topic_when_type_is_all_then_all_are_shown(bed: Bed) -> None:
    every = _shown(bed, "DISPLAY TOPIC(*)", "TOPIC")
    assert _shown(bed, "DISPLAY TOPIC(*) TYPE(ALL)", "TOPIC") == every
    assert "SYSTEM.BASE.TOPIC" in every


def test_display_sbstatus_when_durability_and_type_are_given_then_they_choose(
    bed: Bed,
) -> None:
    bed.mqsc("DEFINE SUB(A1) TOPICSTR('a') DESTCLAS(MANAGED)")
    bed.sub("b", M | D, "APP")
    bed.sub("c", M)
    found = {
        choice: _shown(bed, f"DISPLAY SBSTATUS(*) {choice}", "SUB")
        for choice in ("DURABLE(NO)", "DURABLE(YES) SUBTYPE(API)", "SUBTYPE(ADMIN)", "DURABLE(ALL)")
    }
    assert found == {
        "DURABLE(NO)": [""],
        "DURABLE(YES) SUBTYPE(API)": ["APP"],
        "SUBTYPE(ADMIN)": ["A1", "SYSTEM.DEFAULT.SUB"],
        "DURABLE(ALL)": ["", "A1", "APP", "SYSTEM.DEFAULT.SUB"],
    }


def test_display_when_it_is_the_default_subscription_then_both_show_one_id(bed: Bed) -> None:
    name = "SYSTEM.DEFAULT.SUB"
    [shown] = _shown(bed, f"DISPLAY SUB({name})", "SUBID")
    assert _shown(bed, f"DISPLAY SBSTATUS({name})", "SUBID") == [shown]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("DELETE SUB", "SUB"),
        ("ALTER SUB USERDATA('x')", "SUB"),
        ("DISPLAY PUBSUB TYPE(PARENT)", "PUBSUB"),
        ("DEFINE SUB(A1) TOPICOBJ(NOPE) DEST(Q1)", "NOPE does not exist"),
        ("DEFINE SUB(A1) DEST(Q1)", "TOPICOBJ"),
    ],
)
def test_refusal_when_nothing_is_named_then_it_says_what_is_missing(
    bed: Bed, command: str, said: str
) -> None:
    _, text = _refused(bed, command)
    assert said in text
    assert "object  not found" not in text


@pytest.mark.parametrize(
    "command", ["CLEAR QLOCAL({0})", "DELETE QLOCAL({0}) PURGE", "MOVE QLOCAL({0}) TOQLOCAL(Q1)"]
)
@pytest.mark.parametrize("name", ["SYSTEM.DURABLE.SUBSCRIBER.QUEUE", "SYSTEM.RETAINED.PUB.QUEUE"])
def test_queue_when_the_queue_manager_keeps_subscriptions_there_then_not_cleared(
    embedded: Bed, command: str, name: str
) -> None:
    """The next start would not know what is in its messages."""
    embedded.mqsc("DEFINE QLOCAL(Q1) MAXDEPTH(999999999)")
    embedded.sub("b", M | D, "APP").end()
    embedded.pub("b", b"kept", mq.MQPMO_RETAIN)
    reason, _ = _refused(embedded, command.format(name))
    assert reason in (mq.MQRC_OBJECT_IN_USE, MQRCCF_OBJECT_OPEN)
    [depth] = _shown(embedded, f"DISPLAY QLOCAL({name}) CURDEPTH", "CURDEPTH")
    assert depth == 1
