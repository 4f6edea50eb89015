"""Goal: docs/reference/conformance-channels.md has each rule of message channels, with tests that
exist. Method: look each name of its tables up in its file; a rule without a test says "not shown".
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = ROOT / "docs" / "reference" / "conformance-channels.md"
RULES: Final = (
    "A1 A2 A3 A5 A6 A7 A9 A10 A11 B1 B2 B3 B5 B6 C1 C3 C4 C5 C7 C8 C9 D2 D3 D4 D6 D7 D8 E2 E3 E4 "
    "F1 F2 F3 F5 F6 F7 F9 G1 G2 G4 G5 G6 G8 G9 G10 G12 H1 H2 H4 H5 H6 H8 H9 I1 I3 I4 I5 I7 "
    "J1 J2 J4 J5 K1 K3 K4 K5 K7 K8 L1 L3 L4 L5 L7 M1 M2"
)


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
    assert len(row) == 5
    named = re.findall(r"`([\w/.]+)::(\w+)`", row[4])
    if not named:
        assert row[4] == "not shown"
    for path, name in named:
        text = (ROOT / "tests" / path).read_text(encoding="utf-8")
        assert re.search(rf"\b(?:def|void) {name}\(", text), f"{path}::{name}"


def test_page_when_read_then_each_rule_is_there_once() -> None:
    assert [row[0] for row in rows()] == RULES.split()
