"""Goal: a channel changes only along the flows between channel states.
Method: all pairs of states against a picture of the table.
"""

from __future__ import annotations

from itertools import product
from typing import Final

import pytest

from ternmq.kernel.channel_transitions import ACTIVE, FOLLOWERS, STATES, WORDS, may_follow

# Rows: before; columns: after, in the order of the rows. x: allowed.
PICTURE: Final = """
INACTIVE     . x . x x . . . . x
STARTING     x . . x x . . . . x
RETRYING     x x . . . . . . . x
INITIALIZING x . x . x . . . x x
BINDING      x . x . . x x . x x
REQUESTING   x . . . x . x . x x
RUNNING      . . . . . . . x x .
PAUSED       . . . . . . x . x .
STOPPING     x . x . . . . . . x
STOPPED      x x . x . . . . . .
"""
ROWS: Final = [line.split() for line in PICTURE.strip().splitlines()]
NAMES: Final = [row[0] for row in ROWS]
ALLOWED: Final = {
    (row[0], NAMES[at]) for row in ROWS for at, mark in enumerate(row[1:]) if mark == "x"
}


@pytest.mark.parametrize(("before", "after"), list(product(NAMES, NAMES)))
def test_change_when_any_pair_then_only_those_of_the_picture(before: str, after: str) -> None:
    assert may_follow(before, after) == ((before, after) in ALLOWED)


def test_states_when_numbered_then_as_mqchs() -> None:
    assert set(STATES) == set(FOLLOWERS) == set(NAMES)
    assert sorted(STATES.values()) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 13]
    assert all(WORDS[number] == word for word, number in STATES.items())
    assert len(ACTIVE) == 6
