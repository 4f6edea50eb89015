"""Goal: every command refuses what it must: unknown objects, bad values, missing and doubled words.

Method: made from the tables: each row of the command table, each attribute of each type.
"""

from collections.abc import Iterator

import pytest

import ternmq
from ternmq.admin.command_table import COMMANDS, CommandRow
from ternmq.admin.mqsc.config_dump import quoted
from ternmq.base import attributes as schema
from ternmq.base import object_types as types
from ternmq.base.attributes import Attribute, attributes_of
from ternmq.base.constants import MQCC_FAILED

pytestmark = pytest.mark.core
# What a command says of an object that is not there.
NOT_FOUND = {
    "AMQ8147E",  # object
    "AMQ8227E",  # channel
    "AMQ8420I",  # channel status
    "AMQ8423E",  # cluster queue manager
    "AMQ8459E",  # application
    "AMQ8461I",  # connection
    "AMQ8884E",  # rule of channel authentication
    "AMQ8974E",  # trace
    "AMQ8986E",  # cursor
    "AMQ8989E",  # owner in the ledger
    "AMQ9087I",  # policy
}
VALUES = {
    "CLRTYPE": "RETAINED",
    "CHLTYPE": "SVRCONN",
    "AUTHTYPE": "IDPWOS",
    "TRPTYPE": "TCP",
    "TOPICSTR": "a",
    "ACTION": "COMMIT",
    "TOQLOCAL": "B",
    "TYPE": "ADDRESSMAP",
}
REFUSED_ANYWAY = {"MOVE", "SUSPEND", "RESUME", "REFRESH"}


@pytest.fixture(scope="module")
def qmgr() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1") as manager:
        yield manager


def needed(row: CommandRow, without: str = "") -> str:
    words = [one.split("/")[0] for one in row.required if one != without]
    return " ".join(f"{word}({value_for(row, word)})" for word in words)


def value_for(row: CommandRow, word: str) -> str:
    kind = row.parameters.get(word, "")
    return kind.split("|")[0] if "|" in kind else VALUES.get(word, "A")


NOT_LOOKED_FOR = ("CLUSTER", "TOPICSTR", "POLICY", "CONN", "TRACE")
ON_OBJECTS = [
    pytest.param(row, id=f"{row.action} {row.noun}")
    for row in COMMANDS.values()
    if row.named
    and row.action not in ("DEFINE", "SET", *REFUSED_ANYWAY)
    and (row.noun not in NOT_LOOKED_FOR or row.action == "DISPLAY")
]


@pytest.mark.parametrize("row", ON_OBJECTS)
def test_unknown_object(row: CommandRow, qmgr: ternmq.QueueManager) -> None:
    answers = qmgr.mqsc(f"{row.action} {row.noun}(NO.SUCH) {needed(row)}")
    assert {answer.message for answer in answers} <= NOT_FOUND
    assert [answer.comp for answer in answers] == [MQCC_FAILED]
    assert answers[0].reason


MISSING = [
    pytest.param(row, word, id=f"{row.action} {row.noun} {word}")
    for row in COMMANDS.values()
    for word in row.required
]


@pytest.mark.parametrize(("row", "word"), MISSING)
def test_missing_keyword(row: CommandRow, word: str, qmgr: ternmq.QueueManager) -> None:
    name = "(A)" if row.named else ""
    (answer,) = qmgr.mqsc(f"{row.action} {row.noun}{name} {needed(row, word)}")
    assert answer.message == "AMQ8421E"
    assert answer.inserts[0] == word.replace("/", " or ")


NAMED = [
    pytest.param(row, id=f"{row.action} {row.noun}")
    for row in COMMANDS.values()
    if row.named and not row.generic and row.noun != "CHLAUTH"
]


@pytest.mark.parametrize("row", NAMED)
def test_generic_name_where_none_may_be(row: CommandRow, qmgr: ternmq.QueueManager) -> None:
    (answer,) = qmgr.mqsc(f"{row.action} {row.noun}(A*) {needed(row)}")
    assert answer.message == "AMQ8405I"
    assert str(answer.inserts[1]).endswith("(A*")


@pytest.mark.parametrize("row", [pytest.param(row, id=f"{row.action} {row.noun}")
                                 for row in COMMANDS.values()])  # fmt: skip
def test_unknown_and_doubled_parameter(row: CommandRow, qmgr: ternmq.QueueManager) -> None:
    name = "(A)" if row.named else ""
    (answer,) = qmgr.mqsc(f"{row.action} {row.noun}{name} {needed(row)} NOSUCH")
    assert answer.message == "AMQ8405I"
    assert str(answer.inserts[1]).endswith("NOSUCH")
    (answer,) = qmgr.mqsc(f"{row.action} {row.noun}{name} NOSUCH NOSUCH")
    assert answer.message == "AMQ8411E"


def bad_value(row: Attribute) -> str:
    """A value that the attribute cannot have."""
    if row.kind == schema.NUMBER:
        return str(row.highest + 1)
    if row.kind in (schema.WORD, schema.WORDS, schema.BARE):
        return "NOSUCHWORD"
    if row.kind == schema.HEX:
        return "XYZ"
    if row.kind == schema.NAME:
        return quoted("no name")
    return quoted("x" * (row.highest + 1))


ATTRIBUTES = [
    pytest.param(kind, row, id=f"{kind.noun} {row.keyword}")
    for kind in types.OBJECT_TYPES
    if kind.noun not in ("CHLAUTH", "AUTHREC")
    for row in attributes_of(kind.bit)
]


def definition(kind: types.ObjectType) -> str:
    if kind.bit == types.QMGR:
        return "ALTER QMGR"
    if kind.group in ("CHANNEL", "AUTHINFO"):
        return f"DEFINE {kind.group}(A) {kind.type_keyword}({kind.noun})"
    return f"DEFINE {kind.noun}(A)"


@pytest.mark.parametrize(("kind", "row"), ATTRIBUTES)
def test_bad_value(kind: types.ObjectType, row: Attribute, qmgr: ternmq.QueueManager) -> None:
    value = bad_value(row)
    (answer,) = qmgr.mqsc(f"{definition(kind)} {row.keyword}({value})")
    assert answer.message == "AMQ8405I"
    end = row.keyword if row.shown_only else f"{row.keyword}({value}"
    assert str(answer.inserts[1]).endswith(end)
    assert row.keyword in str(answer.inserts[2])
