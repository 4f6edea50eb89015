"""Goal: docs/reference/conformance-messages.md names tests that exist, and says so where there is
none. Method: look each name of its tables up in its file; where compat or Java are said to be
shown, one of the tests runs by them.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

from tests.battery.bindings import bindings_of
from tests.bindings.bound import JAVA

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = ROOT / "docs" / "reference" / "conformance-messages.md"
JAVA_ROWS: Final = "bindings/test_java_rows.py"
MARKS: Final = ("yes", "part", "case", "no", "-")


def rows() -> list[list[str]]:
    """The cells of each row about a rule."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in lines
        if re.match(r"\| [A-Z]+\d+ \|", line)
    ]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_row_when_it_names_tests_then_they_exist(row: list[str]) -> None:
    assert len(row) == 9
    assert all(mark in MARKS for mark in row[4:])
    named = re.findall(r"`([\w/.]+)::(\w+)`", row[3])
    if not named:
        assert row[3] == "not shown"
        assert not {"yes", "part", "case"} & set(row[4:])
    for path, name in named:
        text = (ROOT / "tests" / path).read_text(encoding="utf-8")
        assert re.search(rf"\b(?:def|void) {name}\(", text), f"{path}::{name}"
    for at, folder, binding in ((7, "compat/", "ibmmq"), (8, "interop/java/", JAVA)):
        if row[at] in ("yes", "part"):
            assert any(_runs_by(path, name, folder, binding) for path, name in named), binding


def _runs_by(path: str, name: str, folder: str, binding: str) -> bool:
    """Whether a test is of that folder, or one of ours that runs by that binding."""
    module = path.removesuffix(".py").replace("/", ".")
    if path.startswith("battery/"):
        return binding in bindings_of(module, name)
    if path.startswith("security/"):
        others: dict[str, tuple[str, ...]] = getattr(
            import_module(f"tests.{module}"), "BY_OTHERS", {}
        )
        return binding in others.get(name, ())
    if path == JAVA_ROWS:
        return binding == JAVA
    return path.startswith(folder)


def test_page_when_read_then_each_rule_is_there_once() -> None:
    numbers = [row[0] for row in rows()]
    assert len(numbers) == len(set(numbers)) > 50
