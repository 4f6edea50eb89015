"""Goal: a dump replayed into a fresh queue manager gives one that dumps the same.

Method: at least one object of every type, with odd values; dumps with all attributes and without,
on several lines and on one; compared but for comments, which have dates.
"""

from pathlib import Path

import pytest

import ternmq
from ternmq.admin.mqsc.config_dump import KINDS, DumpChoice, dump_lines
from ternmq.base import object_types as types

pytestmark = pytest.mark.core
SETUP = (Path(__file__).parent.parent / "one_of_everything.mqsc").read_text(encoding="utf-8")
CHOICES = {
    "all attributes": DumpChoice(every_attribute=True),
    "what differs": DumpChoice(),
    "one line": DumpChoice(every_attribute=True, one_line=True),
    "one line, what differs": DumpChoice(one_line=True),
}


def dump(manager: ternmq.QueueManager, choice: DumpChoice) -> list[str]:
    return list(dump_lines(manager.mqsc, choice))


def made_up() -> ternmq.QueueManager:
    manager = ternmq.memory("QM1")
    assert [answer for answer in manager.mqsc(SETUP) if not answer.ok] == []
    return manager


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES.keys())
def test_dump_when_replayed_then_the_same_dump(choice: DumpChoice) -> None:
    with made_up() as first, ternmq.memory("QM1") as second:
        script = dump(first, choice)
        refused = [answer for answer in second.mqsc("\n".join(script)) if not answer.ok]
        assert refused == []
        again = dump(second, choice)
        wanted = [line for line in script if not line.startswith("*")]
        assert [line for line in again if not line.startswith("*")] == wanted


def test_dump_when_all_then_every_type_of_object_is_in_it() -> None:
    with made_up() as manager:
        text = "\n".join(dump(manager, DumpChoice(one_line=True, every_attribute=True)))
    for kind in types.OBJECT_TYPES:
        if kind.bit == types.QMGR:
            assert "ALTER QMGR" in text
        elif kind.group in ("CHANNEL", "AUTHINFO"):
            assert f"{kind.type_keyword}({kind.noun})" in text
        elif kind.noun in ("CHLAUTH", "AUTHREC"):
            assert f"SET {kind.noun}" in text
        else:
            assert f"DEFINE {kind.noun}(" in text


def test_dump_when_secret_then_it_is_not_in_it() -> None:
    with made_up() as manager:
        manager.mqsc("ALTER AUTHINFO(AC) AUTHTYPE(CRLLDAP) LDAPPWD('sesame')")
        text = "\n".join(dump(manager, DumpChoice(every_attribute=True)))
    assert "sesame" not in text


@pytest.mark.parametrize(
    ("choice", "starts"),
    [
        (DumpChoice("chlauth", one_line=True), {"SET CHLAUTH"}),
        (DumpChoice("authrec", one_line=True), {"SET AUTHREC"}),
        (DumpChoice("sub", one_line=True), {"DEFINE SUB"}),
        (DumpChoice(kind="qmgr", one_line=True), {"ALTER QMGR"}),
        (DumpChoice(kind="clntconn", one_line=True), {"DEFINE CHANNEL"}),
        (DumpChoice(kind="queue", name="R", one_line=True), {"DEFINE QREMOTE"}),
        (DumpChoice(kind="cursor", one_line=True), {"DEFINE CURSOR"}),
    ],
)
def test_dump_when_chosen_then_only_that(choice: DumpChoice, starts: set[str]) -> None:
    with made_up() as manager:
        lines = dump(manager, choice)
    assert {" ".join(line.replace("(", " ").split()[:2]) for line in lines} == starts


def test_dynamic_queues_are_left_out() -> None:
    with made_up() as manager, manager.queue("M", dynamic_name="DYN.*"):
        assert "DYN." not in "\n".join(dump(manager, DumpChoice()))


def test_kinds_name_every_noun() -> None:
    assert set(KINDS.values()) | {"SUB", "CHLAUTH", "AUTHREC"} == {
        kind.group for kind in types.OBJECT_TYPES
    }
