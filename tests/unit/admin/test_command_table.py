"""Goal: no row of the command table lacks what others rely on.

Method: look at every row: its authority, its PCF number, its message, what runs it.
"""

import pytest

from ternmq.admin.command_table import COMMANDS, CommandRow
from ternmq.admin.execute import execution_of
from ternmq.admin.status.status_attributes import SECTIONS
from ternmq.base.message_table import find_message
from ternmq.security.authorities import BY_WORD
from ternmq.values.command import Command

pytestmark = pytest.mark.core
ROWS = [pytest.param(row, id=f"{row.action} {row.noun}") for row in COMMANDS.values()]


@pytest.mark.parametrize("row", ROWS)
def test_row_is_complete(row: CommandRow) -> None:
    assert row.authority.lower() in BY_WORD
    assert row.authority_on in ("object", "queue manager")
    assert row.pcf > 0
    found = find_message(row.message)
    assert found is not None
    assert found.message_id == row.message
    for needed in row.required:
        for keyword in needed.split("/"):
            assert keyword in row.parameters or row.types


@pytest.mark.parametrize("row", ROWS)
def test_row_has_something_that_runs_it(row: CommandRow) -> None:
    command = Command(row.action, row.noun, "A")
    assert execution_of(command).row is row


def test_there_are_as_many_as_promised() -> None:
    assert len(COMMANDS) >= 105


def test_status_keywords_have_a_number_or_none_on_purpose() -> None:
    without = {
        (section, row.keyword)
        for section, rows in SECTIONS.items()
        for row in rows
        if not row.selector
    }
    assert {keyword for _, keyword in without} == {"CURRENT", "SAVED", "ACTIVE", "BALSTATE"}
