"""G2 and G3: the power fails, and what was not forced is kept, lost or torn.

G2 takes a workload's places one after the other and lists the crashes of each (`wreck.crashes`):
log, segments, journals, catalog and control files together. G3 looks at names alone: at every place
where some are pending, each subset of them is kept, with the contents kept or lost; T2 also lets
them come in another order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice, permutations

from ternmq.testing.chance import Chance
from ternmq.testing.crash_walk import Place, places, verify
from ternmq.testing.model import Snapshot
from ternmq.testing.operations import Naming, SyncFolder
from ternmq.testing.wreck import Fate, Outcome, Pending, Wreck, crashes, dropped, kept
from tests.proof.goal import Goal, Point
from tests.proof.stages import small

# Of the crashes of a workload every so many-th is tried; seeds are shards.
STRIDES = {1: 61, 2: 11, 3: 3}
SAMPLES = {1: 24, 2: 60, 3: 200}
NAMES_MAX = {1: 3, 2: 6, 3: 8}
ORDERS_MAX = 24


def power_loss(tier: int, shard: int, shards: int) -> Iterator[Point]:
    seed = shard
    run = small(seed)
    number = 0
    stride = STRIDES[tier]
    for place in places(run):
        chance = Chance(f"G2/{seed}")
        for outcome in crashes(place.wreck, chance, SAMPLES[tier]):
            number += 1
            if number % stride == seed % stride:
                label = f"seed {seed}, operation {place.at}, {outcome.name}"
                yield Point(label, partial(recovers, outcome, place.possible, number % 7 == 0))


def recovers(outcome: Outcome, possible: list[Snapshot], drain: bool) -> str:
    verify(outcome.disk(), possible, drain=drain)
    return "recovered"


def lost_names(tier: int, shard: int, shards: int) -> Iterator[Point]:
    """Whenever a name was changed or a folder forced, while names are pending."""
    seed = shard
    run = small(seed)
    for place in places(run):
        names = [one for one in place.wreck.pending if isinstance(one, Naming)]
        if names and isinstance(run.disk.history[place.at], Naming | SyncFolder):
            yield from name_fates(place, names, tier, seed)


def name_fates(place: Place, names: list[Naming], tier: int, seed: int) -> Iterator[Point]:
    """Every subset of the last pending names, with contents kept and lost."""
    changing = names[-NAMES_MAX[tier] :]
    label = f"seed {seed}, operation {place.at}"
    for mask in range(1 << len(changing)):
        chosen = {id(one) for at, one in enumerate(changing) if mask >> at & 1}
        for contents in (kept, dropped):
            outcome = with_names(
                f"names {mask:b}, contents {contents.__name__}",
                place.wreck,
                chosen,
                contents,
                place.wreck.pending,
            )
            yield Point(
                f"{label}, {outcome.name}", partial(recovers, outcome, place.possible, False)
            )
    if tier == 1 or len(changing) < 2:
        return
    rest: list[Pending] = [one for one in place.wreck.pending if one not in changing]
    for number, order in enumerate(islice(permutations(changing), ORDERS_MAX)):
        chosen = {id(one) for one in changing}
        pending = [*rest, *order]
        outcome = with_names(f"names in order {number}", place.wreck, chosen, kept, pending)
        yield Point(f"{label}, {outcome.name}", partial(recovers, outcome, place.possible, False))


def with_names(
    name: str, wreck: Wreck, chosen: set[int], contents: Fate, pending: list[Pending]
) -> Outcome:
    """A crash that kept the chosen names and no others."""
    fates = [
        (kept if id(one) in chosen else dropped) if isinstance(one, Naming) else contents
        for one in pending
    ]
    return Outcome(name, wreck, fates, pending)


GOAL_CRASHES = Goal(
    "G2",
    "un-synced writes are kept, lost, torn at 512 bytes, zeroed or noise",
    ("P1", "P2", "P6"),
    shards={1: 14, 2: 40, 3: 120},
    needed={1: 5_000, 2: 100_000, 3: 1_000_000},
    points=power_loss,
    unit="crash states",
)
GOAL_NAMES = Goal(
    "G3",
    "names that were made, changed or removed are lost unless their folder was synced",
    ("P1", "P6"),
    shards={1: 2, 2: 12, 3: 12},
    needed={1: 200, 2: 5_000, 3: 5_000},
    points=lost_names,
    unit="crash states",
)
