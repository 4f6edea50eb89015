"""Crash a workload at every operation it made on the disk, restart on what is left, and compare
with the model."""

import random
from collections.abc import Callable, Iterator

from ternmq.txn.unit import XID
from tests.crash.machine import Machine
from tests.crash.sim_disk import (
    Crash,
    Fate,
    SimDisk,
    Wreck,
    all_but_last_sector,
    at_random,
    dropped,
    first_half,
    kept,
    second_half,
    zeroed,
)
from tests.crash.workload import Marks, State, Workload, as_put, found_state

FATES: dict[str, Fate] = {
    "kept": kept,
    "dropped": dropped,
    "first half": first_half,
    "second half": second_half,
    "last sector missing": all_but_last_sector,
    "zeroed": zeroed,
}


class Place:
    """A place in a history where the machine stopped, and what may be found then."""

    def __init__(self, at: int, wreck: Wreck, possible: list[State]) -> None:
        self.at = at
        self.wreck = wreck
        self.possible = possible


def places(workload: Workload) -> Iterator[Place]:
    """After every operation on the disk, from the first that counts."""
    history = workload.disk.history
    wreck = Wreck(history)
    marks = Marks(workload.states)
    for at, operation in enumerate(history):
        marks.take(operation)
        if operation[0] != "mark" and at >= workload.begun:
            wreck.advance(at + 1)
            yield Place(at, wreck, marks.possible())


def wrecks(place: Place, seed: int) -> Iterator[tuple[str, SimDisk]]:
    """The disks that a power loss at a place may leave; only one if nothing is pending."""
    wreck = place.wreck
    if wreck.is_settled:
        yield "settled", wreck.disk(dropped, lambda: False)
        return
    for name, fate in FATES.items():
        keeps = name != "dropped"
        yield name, wreck.disk(fate, lambda keeps=keeps: keeps)  # type: ignore[misc]
    chance = random.Random(seed * 100_003 + place.at)
    yield "at random", wreck.disk(at_random(chance), lambda: chance.random() < 0.5)


def check(disk: SimDisk, possible: list[State]) -> Machine:
    """Restart and compare; what is in doubt is compared, then decided, then compared again."""
    machine = Machine(disk)
    queues, prepared = found_state(machine)
    matching = [state for state in possible if state == (queues, prepared)]
    if not matching:
        raise AssertionError(difference((queues, prepared), possible))
    for number, (key, (puts, gets)) in enumerate(prepared.items()):
        if number % 2 == 0:
            machine.commit_prepared(XID(1, key, b""))
            expected = as_put(puts)
        else:
            machine.back_out_prepared(XID(1, key, b""))
            expected = as_put(gets)
        came = {queue: names for queue, names in found_state(machine)[0].items() if names}
        if number % 2:
            came = {queue: sorted(names) for queue, names in came.items()}
            expected = {queue: sorted(names) for queue, names in expected.items()}
        assert came == expected, f"after the decision on {key!r}: {came}, expected {expected}"
    return machine


def difference(found: State, possible: list[State]) -> str:
    lines = [f"{len(possible)} states are possible; found {found}"]
    lines.extend(f"possible: {state}" for state in possible[:3])
    return "\n".join(lines)


def restart_twice(disk: SimDisk, possible: list[State]) -> None:
    """Restart, lose power without having done anything, restart: nothing may have changed."""
    Machine(disk)
    for keep in (True, False):
        wreck = Wreck(disk.history)
        wreck.advance(len(disk.history))
        check(wreck.disk(kept if keep else dropped, lambda keep=keep: keep), possible)  # type: ignore[misc]


def crash_inside_restart(
    make: Callable[[], SimDisk], possible: list[State], seed: int, step: int
) -> int:
    """Stop a restart (and its first checkpoint) at every `step`-th call; the next one must find
    the same."""
    count = 0
    stop_at = 1
    while True:
        disk = make()
        disk.stop_at = stop_at
        try:
            Machine(disk).checkpoint(full=True)
        except Crash:
            pass
        else:
            return count
        chance = random.Random(seed + stop_at)
        wreck = Wreck(disk.history)
        wreck.advance(len(disk.history))
        check(wreck.disk(at_random(chance), lambda: chance.random() < 0.5), possible)  # noqa: B023
        count += 1
        stop_at += step
