"""Goal: no value, however odd, is more than a value: it is stored or refused with a reason, never a
fault of another kind, and never becomes a line of its own in what is listed, dumped and run again.

Method: the API and commands with control characters, halves of characters, numbers of thousands of
digits, and lists that grow; what is there afterwards is compared.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.base.names import control_character
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.values.command import Command
from tests.mqi import mqi

pytestmark = pytest.mark.core

DIGITS = "9" * 5000
LINE = "x\nDELETE QLOCAL(VICTIM)\n*"


@pytest.fixture
def qmgr() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1") as made:
        made.define_queue("Q", description="as it was")
        yield made


def command(qmgr: ternmq.QueueManager, action: str, noun: str, name: str, **given: str) -> str:
    asked = Command(action, noun, name)
    asked.given.update(given)
    return qmgr.command(asked)[0].message


@pytest.mark.parametrize("text", [LINE, "a\0b", "\ud800", "\x1b[2J", "\x85", "\u2028", "a\rb"])
def test_text_that_breaks_its_line_then_it_is_refused(qmgr: ternmq.QueueManager, text: str) -> None:
    with pytest.raises(ternmq.MQError):
        qmgr.define_queue("EVIL", description=text)
    with pytest.raises(ternmq.MQError):
        qmgr.alter_queue("Q", trigger_data=text)
    assert command(qmgr, "ALTER", "QLOCAL", "Q", DESCR=text) == "AMQ8425E"
    assert command(qmgr, "DEFINE", "NAMELIST", "N", NAMES=text) == "AMQ8425E"
    assert command(qmgr, "DEFINE", "SUB", text, DEST="Q", TOPICSTR="a") == "AMQ8165E"
    output = {"PROFILE": "Q", "OBJTYPE": "QUEUE", "PRINCIPAL": text, "AUTHADD": "GET"}
    assert command(qmgr, "SET", "AUTHREC", "", **output) == "AMQ8871E"
    rule = {"TYPE": "BLOCKUSER", "USERLIST": text}
    assert command(qmgr, "SET", "CHLAUTH", "*", **rule) == "AMQ8425E"
    od = ObjectDescriptor(object_name="Q")
    handle = mqi(qmgr).open(od, mq.MQOO_SET)
    with pytest.raises(ternmq.MQError):
        mqi(qmgr).set(handle, {mq.MQCA_TRIGGER_DATA: text})
    mqi(qmgr).close(handle, 0)
    shown = qmgr.mqsc("DISPLAY QLOCAL(Q) ALL")[0]
    assert (shown["DESCR"], shown["TRIGDATA"]) == ("as it was", "")


@pytest.mark.parametrize(
    "text", ["", "plain", "Zürich", "no\u00a0break", "tab\there", "水", "\U0001f40c"]
)
def test_text_of_characters_then_it_is_stored(qmgr: ternmq.QueueManager, text: str) -> None:
    assert control_character(text) == ""
    qmgr.alter_queue("Q", description=text)
    assert qmgr.mqsc("DISPLAY QLOCAL(Q) DESCR")[0]["DESCR"] == text


def test_number_of_thousands_of_digits_then_it_is_compared_or_refused(
    qmgr: ternmq.QueueManager,
) -> None:
    assert len(qmgr.mqsc(f"DISPLAY QLOCAL(Q) WHERE(MAXDEPTH LT {DIGITS})")) == 1
    assert len(qmgr.mqsc(f"DISPLAY QLOCAL(Q) WHERE(MAXDEPTH GT -{DIGITS})")) == 1
    assert qmgr.mqsc(f"DISPLAY QLOCAL(Q) WHERE(MAXDEPTH GT {DIGITS})")[0].message == "AMQ8147E"
    assert command(qmgr, "ALTER", "QLOCAL", "Q", MAXDEPTH=DIGITS) == "AMQ8425E"
    given = {"TYPE": "CONFIGEV", "INCLINT": DIGITS}
    assert command(qmgr, "REFRESH", "QMGR", "", **given) == "AMQ8425E"


def test_rule_whose_list_grows_then_it_ends_where_a_list_ends(qmgr: ternmq.QueueManager) -> None:
    messages = []
    for first in range(0, 120, 10):
        users = ",".join([f"'user{first + at}'" for at in range(10)])
        answers = qmgr.mqsc(f"SET CHLAUTH('X') TYPE(BLOCKUSER) USERLIST({users}) ACTION(ADD)")
        messages.append(answers[0].message)
    assert messages == ["AMQ8877I"] * 10 + ["AMQ8425E"] * 2
    shown = qmgr.mqsc("DISPLAY CHLAUTH('X') MATCH(EXACT) ALL")[0]
    assert len(str(shown["USERLIST"]).split(",")) == 100
