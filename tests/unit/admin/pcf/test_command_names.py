"""Goal: the table of PCF commands and the table of commands tell the same; every attribute of the
schema goes to PCF and comes back as it was.

Method: every row of both tables; every attribute with its default, its words and its limits.
"""

from __future__ import annotations

import pytest

from ternmq.admin import command_table
from ternmq.admin.pcf.attribute_values import parameter_of, text_of
from ternmq.admin.pcf.command_names import COMMANDS, EXTRA_PARAMETERS, PCFCommand
from ternmq.admin.pcf.request import request_of
from ternmq.admin.pcf.status_values import status_parameter
from ternmq.admin.status.status_attributes import SECTIONS
from ternmq.base import constants as mq
from ternmq.base.attributes import (
    ATTRIBUTES,
    BARE,
    HEX,
    LIST,
    NUMBER,
    WORD,
    WORDS,
    Attribute,
    Value,
)
from ternmq.base.object_types import GROUP_BITS
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter, PCFError
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.store.catalog import Catalog

pytestmark = pytest.mark.core

# Rows that PCF has under another number, or not at all.
NOT_IN_PCF = {
    "display policy",
    "other platform",
    "later cluster",
    "later policy",
}


def test_every_command_of_mqsc_that_has_a_number_is_known_to_pcf() -> None:
    missing = [
        f"{row.action} {row.noun}"
        for row in command_table.COMMANDS.values()
        if row.pcf and row.pcf not in COMMANDS and row.runs not in NOT_IN_PCF
    ]
    assert missing == []


@pytest.mark.parametrize("row", COMMANDS.values(), ids=lambda row: row.word)
def test_every_pcf_command_leads_to_a_command(row: PCFCommand) -> None:
    noun = "QLOCAL" if row.noun == "QUEUE" and row.action != "DISPLAY" else row.noun
    found = command_table.row_of(row.action, noun)
    assert found is not None
    if not row.names and not row.from_name:
        assert found.pcf == row.number


@pytest.mark.parametrize("row", COMMANDS.values(), ids=lambda row: row.word)
def test_every_pcf_command_is_understood_with_a_name_alone(row: PCFCommand) -> None:
    parameters: list[Parameter] = []
    if row.name == mq.MQBACF_CONNECTION_ID:
        parameters.append(pcf.byte_string(row.name, bytes(24)))
    elif row.name:
        parameters.append(pcf.string(row.name, "A.NAME"))
    if row.from_name:
        parameters.append(pcf.string(row.from_name, "ANOTHER"))
    request = request_of(PCFMessage(mq.MQCFT_COMMAND, row.number, parameters), Catalog(), "QM1")
    (command,) = request.commands
    assert command.action == row.action
    if row.name and row.name != mq.MQBACF_CONNECTION_ID:
        assert command.name == "A.NAME"
    if row.from_name:
        assert command.given["LIKE"] == "ANOTHER"
    expected = ["ALL"] if row.action == "DISPLAY" and not row.names else []
    assert command.wanted == expected


def samples(row: Attribute) -> list[Value]:
    """Values that an attribute can have."""
    found: list[Value] = [row.default]
    if row.kind in (WORD, BARE):
        found.extend(row.words.values())
    elif row.kind == NUMBER:
        found.extend([row.lowest, row.highest, *row.words.values()])
    elif row.kind == WORDS:
        found.append(",".join(list(row.words)[:2]))
    elif row.kind == LIST:
        found.append("A,B")
    elif row.kind == HEX:
        found.append("00FF")
    else:
        found.append("X" * min(row.highest, 8))
    return found


@pytest.mark.parametrize(
    "row", [row for row in ATTRIBUTES if row.selector], ids=lambda row: f"{row.keyword}-{row.types}"
)
def test_every_attribute_comes_back_from_pcf(row: Attribute) -> None:
    for value in samples(row):
        made = parameter_of(row, value)
        assert made.parameter == row.selector
        assert row.checked(text_of(row, made)) == row.checked(value)


def test_a_value_in_the_wrong_structure_is_refused() -> None:
    by_keyword = {row.keyword: row for row in ATTRIBUTES}
    for keyword, wrong in (
        ("MAXDEPTH", pcf.string(mq.MQIA_MAX_Q_DEPTH, "1")),
        ("BOQNAME", pcf.integer(mq.MQCA_BACKOUT_REQ_Q_NAME, 1)),
        ("NAMES", pcf.integers(mq.MQCA_NAMES, [1])),
        ("HARDENBO", pcf.integer(mq.MQIA_HARDEN_GET_BACKOUT, 7)),
    ):
        with pytest.raises(PCFError) as caught:
            text_of(by_keyword[keyword], wrong)
        assert caught.value.parameter == wrong.parameter


def test_every_value_of_a_status_display_has_a_structure() -> None:
    for rows in SECTIONS.values():
        for row in rows:
            for value in ("", "1", "NO", 3):
                if row.selector:
                    assert status_parameter(row.selector, value).pack()


def test_extra_parameters_have_words_that_commands_know() -> None:
    known: set[str] = set()
    for row in command_table.COMMANDS.values():
        known.update(row.parameters)
    for extra in EXTRA_PARAMETERS.values():
        if extra.form == "bare":
            assert any(word in known for word in extra.words.values())
        elif extra.form != "entity":
            assert any(keyword in known for keyword in extra.keyword.split("/"))


def test_the_types_of_groups_are_those_of_the_schema() -> None:
    assert set(GROUP_BITS) >= {row.noun for row in COMMANDS.values() if row.from_name}
