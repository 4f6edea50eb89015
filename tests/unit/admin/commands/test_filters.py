"""Goal: WHERE and generic names choose what MQ's would.

Method: each operator with values that fit and that do not, numbers, texts and lists.
"""

import pytest

from ternmq.admin.commands.filters import fits, fits_name
from ternmq.base.attributes import Value
from ternmq.values.command import OPERATORS, Filter

pytestmark = pytest.mark.core
CASES: list[tuple[str, str, Value, bool]] = [
    ("EQ", "5", 5, True),
    ("EQ", "5", 50, False),
    ("NE", "5", 50, True),
    ("LT", "10", 9, True),
    ("LT", "10", 10, False),
    ("GT", "9", 10, True),
    ("LE", "10", 10, True),
    ("GE", "10", 9, False),
    ("GT", "-1", 0, True),
    ("EQ", "YES", "YES", True),
    ("LT", "B", "A", True),
    ("GE", "B", "A", False),
    ("EQ", "x ", "x", True),
    ("LK", "A*", "ABC", True),
    ("LK", "A*", "BC", False),
    ("LK", "ABC", "ABC", True),
    ("NL", "A*", "BC", True),
    ("CT", "B", "A,B", True),
    ("CT", "B", "A,BC", False),
    ("CL", "B", "A,B", True),
    ("EX", "B", "A,BC", True),
    ("EX", "B", "", True),
    ("CTG", "B", "A,BC", True),
    ("CTG", "B*", "A,C", False),
    ("EXG", "B*", "A,C", True),
    ("EXG", "B", "A,BC", False),
]


@pytest.mark.parametrize(("operator", "wanted", "value", "expected"), CASES)
def test_filter(operator: str, wanted: str, value: Value, expected: bool) -> None:
    assert fits(Filter("X", operator, wanted), value) is expected


def test_every_operator_has_a_case() -> None:
    assert {case[0] for case in CASES} == set(OPERATORS)


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [("*", "", True), ("A*", "A", True), ("A*", "BA", False), ("A", "AB", False), ("A", "A", True)],
)
def test_generic_name(pattern: str, name: str, expected: bool) -> None:
    assert fits_name(pattern, name) is expected
