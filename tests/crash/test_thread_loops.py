"""Goal: the loops in which threads wait (`Shell.put`, `Shell.get`, `Shell.run`, the forcer, the
housekeeper) lose and double nothing, wake everybody, and answer after the force, whoever runs when.

Method: the loops that ship, in real threads of which a seed lets one run at a time, switched at
every lock and every call of the disk; then a power loss at places all over the disk's history.
"""

from __future__ import annotations

import pytest

from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.testing.chance import Chance
from ternmq.testing.operations import Mark
from ternmq.testing.wreck import Wreck, any_fate, dropped
from tests.crash.thread_workload import ANY_VERBS, NEVER, ThreadWorkload

pytestmark = pytest.mark.core
CALLERS = 4
VERBS = 25
PLACES = 60


def run(seed: int, fast: bool) -> ThreadWorkload:
    kind = LINEAR if seed % 2 else CIRCULAR
    load = ThreadWorkload(seed, LogParameters(kind, 3, 2, 8, False), fast)
    load.go([ANY_VERBS] * CALLERS, VERBS)
    return load


@pytest.mark.parametrize("fast", [True, False], ids=["fast", "step"])
@pytest.mark.parametrize("seed", range(4))
def test_threads_when_power_is_lost_anywhere_then_what_was_answered_holds(
    seed: int, fast: bool
) -> None:
    load = run(seed, fast)
    chance = Chance(f"{seed} places")
    history = load.disk.history
    places = [at for at in range(load.begun, len(history)) if not isinstance(history[at], Mark)]
    wreck = Wreck(load.disk)
    for at in sorted(chance.sample(places, min(PLACES, len(places)))):
        wreck.advance(at + 1)
        load.check(wreck.disk_of([dropped] * len(wreck.pending)), at + 1)
        load.check(wreck.disk(any_fate(chance), lambda: chance.happens(0.5)), at + 1)


@pytest.mark.parametrize("fast", [True, False], ids=["fast", "step"])
def test_threads_when_run_twice_from_one_seed_then_the_same(fast: bool) -> None:
    one, other = run(7, fast), run(7, fast)
    assert one.threads.turns == other.threads.turns
    assert one.disk.digest() == other.disk.digest()
    assert len(one.disk.history) == len(other.disk.history)


@pytest.mark.parametrize("fast", [True, False], ids=["fast", "step"])
@pytest.mark.parametrize("seed", range(3))
def test_threads_when_gets_wait_without_end_then_every_message_wakes_one(
    seed: int, fast: bool
) -> None:
    load = ThreadWorkload(seed, LogParameters(CIRCULAR, 3, 2, 8, False), fast)
    load.go([("get_surely",), ("get_surely",), ("put_surely",), ("put_surely",)], VERBS)
    assert len(load.lives) == 2 * VERBS
    assert all(life.must_go < NEVER for life in load.lives.values())
    assert not load.shell.engine.kernel.waiting
