"""Goal: docs/reference/conformance-pubsub.md has each rule of publish/subscribe, with tests that
exist. Method: look each name of its tables up in its file; a rule without a test says "open", and
one that says that it is shown has a test, for compat and Java one that runs by them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from tests.bindings.bound import JAVA
from tests.conformance.pubsub.bindings import FIXTURES, bindings_of

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = ROOT / "docs" / "reference" / "conformance-pubsub.md"
MARKS: Final = ("yes", "part", "no", "-")
BINDINGS: Final = {"embedded": 6, "local": 7, "TCP": 8, "compat": 9, "Java": 10}  # their columns
MADE_FROM: Final = {"three": "bed", "of_users": "secured"}  # fixtures of a file, by others
LAST: Final = {
    "A": 29,
    "B": 22,
    "C": 68,
    "D": 16,
    "E": 32,
    "F": 21,
    "G": 14,
    "H": 20,
    "I": 22,
    "J": 14,
    "K": 15,
}


def rows() -> list[list[str]]:
    """The cells of each row about a rule."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in lines
        if re.match(r"\| [A-Z]+\d+ \|", line)
    ]


def test_rows_when_they_name_tests_then_they_exist() -> None:
    texts: dict[str, str] = {}
    for row in rows():
        for path, name in re.findall(r"`([\w/.]+)::(\w+)`", row[5]):
            if path not in texts:
                texts[path] = (ROOT / "tests" / path).read_text(encoding="utf-8")
            found = re.search(rf"\b(?:def|void) {name}\(", texts[path])
            assert found, f"{row[0]}: {path}::{name}"


@pytest.mark.parametrize("section", LAST)
def test_rows_when_they_say_shown_then_they_have_a_test(section: str) -> None:
    for row in rows():
        if row[0][0] != section:
            continue
        assert len(row) == 11, row[0]
        assert all(row), row[0]
        assert all(mark in MARKS for mark in row[6:]), row[0]
        if re.search(r"`[\w/.]+::\w+`", row[5]):
            assert {"yes", "part"} & set(row[6:]), f"{row[0]}: by which binding?"
            named = re.findall(r"`([\w/.]+)::(\w+)`", row[5])
            for at, binding in ((9, "ibmmq"), (10, JAVA)):
                if row[at] in ("yes", "part"):
                    assert any(_runs_by(path, name, binding) for path, name in named), (
                        f"{row[0]}: {binding}"
                    )
        else:
            assert row[5] == "open", row[0]
            assert not {"yes", "part"} & set(row[6:]), row[0]


def _runs_by(path: str, name: str, binding: str) -> bool:
    """Whether a test is one of that binding, or one of the rows that runs by it."""
    if not path.startswith("conformance/pubsub/"):
        return path.startswith(("interop/java/", "interop/") if binding == JAVA else "compat/")
    text = (ROOT / "tests" / path).read_text(encoding="utf-8")
    found = re.search(rf"\bdef {name}\(([^)]*)\)", text)
    given = re.findall(r"(\w+): ", found[1]) if found else []
    fixtures = [MADE_FROM.get(one, one) for one in given]
    return any(binding in bindings_of(one, name) for one in fixtures if one in FIXTURES)


def test_exceptions_when_a_row_has_one_then_it_is_shown_otherwise_or_not_applicable() -> None:
    """The table of what a binding has no call for is about cells that claim something."""
    marks = {row[0]: row for row in rows()}
    page = PAGE.read_text(encoding="utf-8")
    table = page.partition("## What a binding has no call for")[2].partition("\n## ")[0]
    found = re.findall(r"^\| ([\w, ]+) \| ([A-K]\d[\w, ]*) \|", table, re.MULTILINE)
    assert len(found) > 10
    for bindings, named in found:
        for binding in bindings.split(", "):
            for row in named.split(", "):
                assert marks[row][BINDINGS[binding]] in ("yes", "-"), f"{row}: {binding}"


def test_page_when_read_then_each_rule_is_there_once() -> None:
    rules = [f"{section}{at}" for section, last in LAST.items() for at in range(1, last + 1)]
    assert len(rules) == 273
    assert [row[0] for row in rows()] == rules
