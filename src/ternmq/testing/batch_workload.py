"""Batches of prepared units of work with their rows of the ledger, and the model of what they do;
the same seed does the same.

Tasks prepare, a driver commits, now and then again; some tasks are orphans; checkpoints come at any
moment, while effects of the disk take their time. After each step a mark in the disk's history says
that it was done in memory, and after each call that it was acknowledged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.testing.chance import Chance
from ternmq.testing.machine import Machine, create
from ternmq.testing.model import (
    ACKNOWLEDGED,
    STEPPED,
    Disagreement,
    Snapshot,
    body_of,
    name_of_message,
)
from ternmq.testing.second_part import kind_for
from ternmq.testing.sim_disk import SimDisk
from ternmq.values.batch import batch_xid
from ternmq.values.xid import XID

OWNER: Final = "sink"
QUEUES: Final = ("A", "B")
Put = tuple[str, str]  # queue and name


class Watched(Machine):
    """Notifies the history when something is done in memory, and when it is acknowledged."""

    batches: BatchWorkload

    def stepped(self) -> None:
        self.batches.stepped()

    def acknowledged(self) -> None:
        self.batches.acknowledged()


class BatchWorkload:
    """Batches of a sink, and the model of what they do."""

    def __init__(self, seed: int, fast: bool = True) -> None:
        self.chance = Chance(seed)
        self.disk = SimDisk()
        kind = LINEAR if seed % 3 == 2 else CIRCULAR
        create(self.disk, LogParameters(kind, 3, 2, 40, False))
        self.queues: dict[str, list[str]] = {"A": [], "B": []}
        self.in_doubt: dict[bytes, list[Put]] = {}  # by branch
        self.ledger: list[int] = []
        self.xids: dict[bytes, XID] = {}
        self.batch_of: dict[bytes, int] = {}
        self.puts_of: dict[bytes, list[Put]] = {}
        self.changes: list[Callable[[], None]] = []  # of the call under way, a step each
        self.snapshots: list[Snapshot] = [self.snapshot()]
        self.machine = Watched(self.disk, self.chance.branch("effects"), fast=fast)
        self.machine.batches = self
        for name in QUEUES:
            self.machine.define(name, 6_000)
        self.begun = len(self.disk.history)
        self.count = 0

    def snapshot(self) -> Snapshot:
        return Snapshot.of((self.state(), {}))

    def state(self) -> dict[str, list[str]]:
        return {
            **{name: list(names) for name, names in self.queues.items()},
            "in doubt": sorted(branch.decode() for branch in self.in_doubt),
            "ledger": [str(batch) for batch in sorted(self.ledger)],
        }

    def stepped(self) -> None:
        if self.changes:
            self.changes.pop(0)()
        self.snapshots.append(self.snapshot())
        self.disk.mark((STEPPED, len(self.snapshots) - 1))

    def acknowledged(self) -> None:
        self.disk.mark((ACKNOWLEDGED, len(self.snapshots) - 1))

    def prepare(self, batch: int) -> XID:
        """What one task does."""
        self.count += 1
        branch = b"task%d" % self.count
        xid = self.xids[branch] = batch_xid(OWNER, batch, branch)
        self.batch_of[branch] = batch
        link = self.machine.connect()
        puts: list[Put] = []
        for number in range(self.chance.randrange(1, 4)):
            name = f"b{batch}t{self.count}m{number}"
            queue = self.chance.choice(QUEUES)
            data = body_of(name, self.chance.choice([0, 50, 700, 1500]), kind_for(name))
            self.machine.put(queue, data, link=link, sync=True)
            puts.append((queue, name))

        def change() -> None:
            self.in_doubt[branch] = puts

        self.puts_of[branch] = puts
        self.changes = [change]
        self.machine.prepare(xid, link)
        return xid

    def commit(self, batch: int, xids: list[XID]) -> None:
        orphans = [branch for branch in self.in_doubt if self.batch_of[branch] <= batch]
        is_new = batch not in self.ledger
        if is_new:
            named = [xid.branch_qualifier for xid in xids]
            orphans = [branch for branch in orphans if branch not in named]

        def first() -> None:
            if is_new:
                self.ledger.append(batch)
                for xid in xids:
                    for queue, name in self.in_doubt.pop(xid.branch_qualifier):
                        self.queues[queue].append(name)

        self.changes = [first, *[self.gone(branch) for branch in orphans]]
        if self.machine.commit_batch(OWNER, batch, xids) is not is_new or self.changes:
            raise Disagreement(f"batch {batch}: {len(self.changes)} changes are left")

    def gone(self, branch: bytes) -> Callable[[], None]:
        def change() -> None:
            del self.in_doubt[branch]

        return change

    def go(self, batches: int) -> None:
        chance = self.chance
        for batch in range(1, batches + 1):
            # Now and then so many that their record does not fit into one sector of the disk.
            tasks = chance.choice([1, 2, 3, 12])
            xids = [self.prepare(batch) for _ in range(tasks)]
            if chance.random() < 0.4:
                self.prepare(chance.choice([batch - 1, batch, batch + 1]))
            if chance.random() < 0.4:
                self.machine.checkpoint(full=chance.random() < 0.5)
            self.commit(batch, xids)
            if chance.random() < 0.4:
                self.commit(batch, [self.prepare(batch)])
            if chance.random() < 0.3:
                self.machine.checkpoint(full=chance.random() < 0.5)


def found_batches(machine: Machine) -> dict[str, list[str]]:
    """Queues, what is in doubt, and the ledger, as `BatchWorkload.state` has them."""
    row = machine.kernel.catalog.ledger.get(OWNER)
    batches = [] if row is None else [batch for a, b in row.runs for batch in range(a, b + 1)]
    prepared = [unit.xid for unit in machine.kernel.coordinator.prepared.values()]
    return {
        **{name: [name_of_message(one) for one in machine.look(name)] for name in QUEUES},
        "in doubt": sorted(xid.branch_qualifier.decode() for xid in prepared if xid is not None),
        "ledger": [str(batch) for batch in batches],
    }


def check_batches(disk: SimDisk, possible: list[Snapshot], batches: BatchWorkload) -> bool:
    """Restart and compare, then have the sink ask again; whether anything was in doubt."""
    machine = Machine(disk)
    state = found_batches(machine)
    if state not in [one.state[0] for one in possible]:
        raise Disagreement(f"found {state}, possible {[one.state[0] for one in possible]}")
    _ask_again(machine, state, batches)
    return len(state["in doubt"]) > 0


def _ask_again(machine: Machine, state: dict[str, list[str]], batches: BatchWorkload) -> None:
    """The sink asks again for what it has no answer to: that is done once."""
    in_doubt = [name.encode() for name in state["in doubt"]]
    highest = max([batches.batch_of[branch] for branch in in_doubt], default=-1)
    named = [branch for branch in in_doubt if batches.batch_of[branch] == highest]
    is_new = highest >= 0 and str(highest) not in state["ledger"]
    if highest >= 0:
        xids = [batches.xids[branch] for branch in named]
        first = machine.commit_batch(OWNER, highest, xids)
        if first is not is_new or machine.commit_batch(OWNER, highest, xids):
            raise Disagreement(f"batch {highest} was committed {'twice' if first else 'never'}")
    after = found_batches(machine)
    if after["in doubt"]:
        raise Disagreement(f"still in doubt: {after['in doubt']}")
    for queue in QUEUES:
        came = [
            name
            for branch in (named if is_new else [])
            for where, name in batches.puts_of[branch]
            if where == queue
        ]
        if after[queue] != state[queue] + came:
            raise Disagreement(f"{queue} has {after[queue]}, not {state[queue] + came}")
