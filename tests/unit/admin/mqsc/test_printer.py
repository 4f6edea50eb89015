"""Goal: the layout that other people's tools parse.

Method: answers made by hand; where the second column begins, what stands alone, lists.
"""

import pytest

from ternmq.admin.mqsc.printer import (
    answer_json,
    answer_lines,
    echo_lines,
    item_lines,
    summary_lines,
)
from ternmq.values.command import Answer, Item

pytestmark = pytest.mark.core


def test_second_column_begins_at_character_44() -> None:
    lines = item_lines([Item("QUEUE", "A"), Item("TYPE", "QLOCAL"), Item("CURDEPTH", 0)])
    assert lines == [f"   {'QUEUE(A)':<40}TYPE(QLOCAL)", "   CURDEPTH(0)"]
    assert lines[0].index("TYPE") == 43


@pytest.mark.parametrize(("length", "alone"), [(39, False), (40, True), (41, True)])
def test_long_item_when_40_characters_then_it_stands_alone(length: int, alone: bool) -> None:
    text = "Q" * (length - len("QUEUE()"))
    lines = item_lines([Item("QUEUE", text), Item("TYPE", "QLOCAL")])
    assert (len(lines) == 2) is alone


def test_long_item_when_second_then_the_first_stands_alone_too() -> None:
    lines = item_lines([Item("A", 1), Item("DESCR", "x" * 40), Item("B", 2), Item("C", 3)])
    assert lines == ["   A(1)", f"   DESCR({'x' * 40})", f"   {'B(2)':<40}C(3)"]


def test_values_when_empty_or_bare_then_as_mq_prints_them() -> None:
    items = [Item("DESCR", ""), Item("NOSHARE", "", True), Item("QTIME", " , ")]
    assert item_lines(items) == [f"   {'DESCR( )':<40}NOSHARE", "   QTIME( , )"]


def test_names_when_several_then_one_below_the_other() -> None:
    assert item_lines([Item("NAMES", "A,B")]) == ["   NAMES(A", "        ,B)"]
    assert item_lines([Item("NAMES", "A")]) == ["   NAMES(A)"]


def test_fault_when_printed_then_segment_and_reason_follow() -> None:
    answer = Answer("AMQ8405I", ("", "DEFINE X", "no such thing"))
    assert answer_lines(answer)[1:] == ["DEFINE X", "   no such thing."]
    assert answer_json(answer)["segment"] == "DEFINE X"


def test_echo_when_several_lines_then_one_number() -> None:
    assert echo_lines(12, ["A +", "B"]) == ["    12 : A +", "       : B"]
    assert echo_lines(0, ["* comment", ""]) == ["       : * comment", "       :"]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((0, 0, 0), ("No MQSC commands read.", "No commands have a", "All valid")),
        ((1, 1, 0), ("One MQSC command read.", "One command has a", "All valid")),
        ((5, 2, 1), ("5 MQSC commands read.", "2 commands have a", "One valid MQSC command could")),
        ((5, 0, 3), ("5 MQSC commands read.", "No commands", "3 valid MQSC commands could not be")),
    ],
)
def test_summary(counts: tuple[int, int, int], expected: tuple[str, str, str]) -> None:
    lines = summary_lines(*counts)
    assert all(line.startswith(start) for line, start in zip(lines, expected, strict=True))
