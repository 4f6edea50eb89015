"""ternmq groups: what it lists and what it removes."""

import json

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.cli.tools import groups_command
from ternmq.codec.mqi.mqmd import Descriptor

Capture = pytest.CaptureFixture[str]
G = b"\x41" * 24
H = b"\x42" * 24


@pytest.fixture
def grouped(attached: ternmq.QueueManager) -> ternmq.QueueManager:
    """Group G lacks message 2, group H is whole."""
    attached.define_queue("INVOICES")
    with attached.queue("INVOICES") as queue:
        for group, number, last in ((G, 1, 0), (G, 3, 1), (H, 1, 1)):
            flags = mq.MQMF_MSG_IN_GROUP | (mq.MQMF_LAST_MSG_IN_GROUP if last else 0)
            md = Descriptor(version=2, group_id=group, msg_seq_number=number, msg_flags=flags)
            queue.put(b"a line", descriptor=md)
    return attached


def test_groups_when_listed_then_a_line_for_each(
    grouped: ternmq.QueueManager, capsys: Capture
) -> None:
    assert groups_command.main(["INVOICES"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == list(groups_command.HEADINGS)
    assert lines[1] == ["41" * 24, "2", "2", "1", "3", "no"]
    assert lines[2] == ["42" * 24, "1", "1", "1", "1", "yes"]


def test_incomplete_groups_as_json(grouped: ternmq.QueueManager, capsys: Capture) -> None:
    assert groups_command.main(["INVOICES", "--incomplete", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(one["group_id"], one["messages"]) for one in found] == [("41" * 24, 2)]


def test_group_when_removed_then_all_of_it_is_gone(
    grouped: ternmq.QueueManager, capsys: Capture
) -> None:
    assert groups_command.main(["INVOICES", "--remove", "41"]) == 0
    assert "2 messages removed." in capsys.readouterr().out
    with grouped.queue("INVOICES") as queue:
        assert [one.group_id for one in queue.groups()] == ["42" * 24]
        assert queue.depth == 1


@pytest.mark.parametrize("begins", ["4", "99"])
def test_remove_when_not_one_group_begins_so_then_nothing_is_removed(
    grouped: ternmq.QueueManager, capsys: Capture, begins: str
) -> None:
    assert groups_command.main(["INVOICES", "--remove", begins]) != 0
    assert begins in capsys.readouterr().err
    with grouped.queue("INVOICES") as queue:
        assert queue.depth == 3


def test_groups_of_a_queue_that_is_not_there_then_refused(
    grouped: ternmq.QueueManager, capsys: Capture
) -> None:
    assert groups_command.main(["NOBODY"]) != 0
    assert capsys.readouterr().err


def test_no_groups_then_it_says_so(attached: ternmq.QueueManager, capsys: Capture) -> None:
    attached.define_queue("EMPTY")
    assert groups_command.main(["EMPTY"]) == 0
    assert capsys.readouterr().out == "No groups.\n"
