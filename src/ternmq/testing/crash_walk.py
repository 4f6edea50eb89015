"""Crash a workload at the operations it made on the disk, restart on what is left, and compare with
the model.
"""

from __future__ import annotations

from collections.abc import Iterator

from ternmq.testing.chance import Chance
from ternmq.testing.machine import Machine
from ternmq.testing.model import (
    Chronicle,
    Disagreement,
    Snapshot,
    State,
    as_put,
    difference,
    found_state,
)
from ternmq.testing.operations import Mark
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.workload import Workload
from ternmq.testing.wreck import FATES, Wreck, any_fate, dropped, last_of
from ternmq.values.xid import XID


class Place:
    """A place in a history where the machine stopped, and what may be found then."""

    def __init__(self, at: int, wreck: Wreck, possible: list[Snapshot]) -> None:
        self.at = at
        self.wreck = wreck
        self.possible = possible


def places(workload: Workload) -> Iterator[Place]:
    """After every operation on the disk, from the first that counts."""
    history = workload.disk.history
    wreck = Wreck(workload.disk)
    chronicle = Chronicle(workload.snapshots)
    for at, operation in enumerate(history):
        chronicle.take(operation)
        if at >= workload.begun and not isinstance(operation, Mark):
            wreck.advance(at + 1)
            yield Place(at, wreck, chronicle.possible())


def wrecks(place: Place, seed: int) -> Iterator[tuple[str, SimDisk]]:
    """Some of the disks that a power loss at a place may leave; only one if nothing is pending."""
    wreck = place.wreck
    if wreck.is_settled:
        yield "settled", wreck.disk_of([])
        return
    for name, fate in FATES.items():
        yield name, wreck.disk_of([fate] * len(wreck.pending))
    chance = Chance(f"{seed}/{place.at}")
    yield "at random", wreck.disk(any_fate(chance), lambda: chance.random() < 0.5)


def verify(disk: SimDisk, possible: list[Snapshot], *, drain: bool = True) -> State:
    """Restart and compare with what may be there; what is found is got."""
    return compare(Machine(disk), possible, drain=drain)


def compare(machine: Machine, possible: list[Snapshot], *, drain: bool = True) -> State:
    """Compare what a restarted queue manager has with what may be there."""
    found = found_state(machine, drain=drain)
    if not any(snapshot.state == found for snapshot in possible):
        raise Disagreement(difference(found, possible))
    return found


def check(disk: SimDisk, possible: list[Snapshot]) -> Machine:
    """Restart and compare; what is in doubt is compared, then decided, then compared again."""
    machine = Machine(disk)
    _, prepared = compare(machine, possible)
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
        if came != expected:
            raise Disagreement(f"after the decision on {key!r}: {came}, expected {expected}")
    return machine


def restart_twice(disk: SimDisk, possible: list[Snapshot]) -> None:
    """Restart, lose power without having done anything, restart: nothing may have changed."""
    Machine(disk)
    wreck = last_of(disk)
    for keeps in (True, False):
        fate = FATES["kept" if keeps else "dropped"]
        check(wreck.disk_of([fate] * len(wreck.pending)), possible)


def at_random(disk: SimDisk, chance: Chance) -> SimDisk:
    """The disk after a power loss now, each pending operation with a fate of its own."""
    return last_of(disk).disk(any_fate(chance), lambda: chance.random() < 0.5)


def nothing_kept(disk: SimDisk) -> SimDisk:
    """The disk after a power loss now that took everything which was not forced."""
    wreck = last_of(disk)
    return wreck.disk_of([dropped] * len(wreck.pending))
