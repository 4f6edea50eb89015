"""G9: a real process under load is killed again and again; one data folder lives through all kills.

The loop itself is in tests/integration/test_kill_loop.py, which is also its daily size.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.integration.test_kill_loop import kill_loop
from tests.proof.goal import Goal, Point

KILLS = {1: 20, 2: 250, 3: 500}


def kills(tier: int, shard: int, shards: int) -> Iterator[Point]:
    count = KILLS[tier]
    yield Point(f"seed {shard}, {count} kills", partial(loop, count, shard), weight=count)


def loop(count: int, seed: int) -> str:
    with tempfile.TemporaryDirectory(prefix="ternmq-kills-") as folder:
        kill_loop(Path(folder), count, seed)
    return "nothing lost, doubled or out of order"


GOAL = Goal(
    "G9",
    "a process under load is killed again and again, on one data folder",
    ("P1", "P2", "P4"),
    shards={1: 1, 2: 4, 3: 10},
    needed={1: 20, 2: 1_000, 3: 5_000},
    points=kills,
    unit="kills",
)
