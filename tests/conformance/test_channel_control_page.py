"""Goal: docs/administration/channel-control.md has the states and their changes as they are.
Method: the tables of the page against those of the code.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from ternmq.kernel.channel_transitions import FOLLOWERS, STATES

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "administration" / "channel-control.md"


def cells(pattern: str) -> list[list[str]]:
    """The cells of the rows that begin so."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if re.match(pattern, line)
    ]


def test_states_when_on_the_page_then_all_with_their_numbers() -> None:
    shown = {row[0]: int(row[2]) for row in cells(r"\| [A-Z]+ \| .* \| \d+ \|$")}
    assert shown == STATES


def test_changes_when_on_the_page_then_those_of_the_table() -> None:
    rows = cells(r"\| [A-Z]+ \| [A-Z]+[, (|]")
    shown = {row[0]: re.findall(r"[A-Z]{5,}", row[1]) for row in rows if row[0] in FOLLOWERS}
    assert shown == {state: list(after) for state, after in FOLLOWERS.items()}
