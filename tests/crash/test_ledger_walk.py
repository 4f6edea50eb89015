"""Goal: wherever a batch is cut off, all of its units and its row of the ledger are there, or none;
what was acknowledged is; and to ask again then does each batch exactly once.

Method: batches of several prepared units, with orphans, repetitions and checkpoints, on a small
log; the history of the disk is cut at operations, with every fate of what was pending.
CRASH_SEEDS walks through every operation of more workloads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from ternmq.kernel.ledger import batch_xid
from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.testing.chance import Chance
from ternmq.testing.machine import Machine, create
from ternmq.testing.model import ACKNOWLEDGED, STEPPED, Chronicle, Snapshot, body_of, name_of
from ternmq.testing.operations import Mark
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.wreck import FATES, Wreck, any_fate
from ternmq.txn.unit import XID

pytestmark = [pytest.mark.core, pytest.mark.promise("P1"), pytest.mark.promise("P2")]

SEEDS = int(os.environ.get("CRASH_SEEDS", "0"))
OWNER = "sink"
QUEUES = ("A", "B")
Put = tuple[str, str]  # queue and name


class Watched(Machine):
    """Tells the history when something is done in memory, and when it is acknowledged."""

    batches: Batches

    def stepped(self) -> None:
        self.batches.stepped()

    def acknowledged(self) -> None:
        self.batches.acknowledged()


class Batches:
    """Batches of a sink, and the model of what they do."""

    def __init__(self, seed: int) -> None:
        self.chance = Chance(seed)
        self.disk = SimDisk()
        kind = LINEAR if seed % 3 == 2 else CIRCULAR
        create(self.disk, LogParameters(kind, 3, 2, 16, False))
        self.queues: dict[str, list[str]] = {"A": [], "B": []}
        self.in_doubt: dict[bytes, list[Put]] = {}  # by branch
        self.ledger: list[int] = []
        self.xids: dict[bytes, XID] = {}
        self.batch_of: dict[bytes, int] = {}
        self.puts_of: dict[bytes, list[Put]] = {}
        self.changes: list[Callable[[], None]] = []  # of the call under way, a step each
        self.snapshots: list[Snapshot] = [self.snapshot()]
        self.machine = Watched(self.disk, self.chance.branch("effects"))
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
            data = body_of(name, self.chance.choice([0, 50, 700, 1500]))
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
        assert self.machine.commit_batch(OWNER, batch, xids) is is_new
        assert not self.changes

    def gone(self, branch: bytes) -> Callable[[], None]:
        def change() -> None:
            del self.in_doubt[branch]

        return change

    def go(self, batches: int) -> None:
        chance = self.chance
        for batch in range(1, batches + 1):
            xids = [self.prepare(batch) for _ in range(chance.randrange(1, 4))]
            if chance.random() < 0.4:
                self.prepare(chance.choice([batch - 1, batch, batch + 1]))
            if chance.random() < 0.4:
                self.machine.checkpoint(full=chance.random() < 0.5)
            self.commit(batch, xids)
            if chance.random() < 0.4:
                self.commit(batch, [self.prepare(batch)])
            if chance.random() < 0.3:
                self.machine.checkpoint(full=chance.random() < 0.5)


def found(machine: Machine) -> dict[str, list[str]]:
    row = machine.kernel.catalog.ledger.get(OWNER)
    batches = [] if row is None else [batch for a, b in row.runs for batch in range(a, b + 1)]
    prepared = [unit.xid for unit in machine.kernel.coordinator.prepared.values()]
    return {
        **{name: [name_of(one) for one in machine.browse(name)] for name in QUEUES},
        "in doubt": sorted(xid.branch_qualifier.decode() for xid in prepared if xid is not None),
        "ledger": [str(batch) for batch in batches],
    }


def check(disk: SimDisk, possible: list[Snapshot], batches: Batches) -> None:
    machine = Machine(disk)
    state = found(machine)
    assert state in [one.state[0] for one in possible]
    again(machine, state, batches)


def again(machine: Machine, state: dict[str, list[str]], batches: Batches) -> None:
    """The sink asks again for what it has no answer to: that is done once."""
    in_doubt = [name.encode() for name in state["in doubt"]]
    highest = max([batches.batch_of[branch] for branch in in_doubt], default=0)
    named = [branch for branch in in_doubt if batches.batch_of[branch] == highest]
    is_new = highest > 0 and str(highest) not in state["ledger"]
    if highest:
        xids = [batches.xids[branch] for branch in named]
        assert machine.commit_batch(OWNER, highest, xids) is is_new
        assert not machine.commit_batch(OWNER, highest, xids)
    after = found(machine)
    assert after["in doubt"] == []
    for queue in QUEUES:
        came = [
            name
            for branch in (named if is_new else [])
            for where, name in batches.puts_of[branch]
            if where == queue
        ]
        assert after[queue] == state[queue] + came


def wrecks(wreck: Wreck, seed: str) -> Iterator[SimDisk]:
    if wreck.is_settled:
        yield wreck.disk_of([])
        return
    for fate in FATES.values():
        yield wreck.disk_of([fate] * len(wreck.pending))
    chance = Chance(seed)
    yield wreck.disk(any_fate(chance), lambda: chance.random() < 0.5)


def walk(seed: int, batches: int, every: int) -> int:
    """Cut at each `every`-th operation; how many restarts there were."""
    run = Batches(seed)
    run.go(batches)
    wreck = Wreck(run.disk)
    chronicle = Chronicle(run.snapshots)
    restarts = 0
    places = 0
    for at, operation in enumerate(run.disk.history):
        chronicle.take(operation)
        if at < run.begun or isinstance(operation, Mark):
            continue
        wreck.advance(at + 1)
        places += 1
        if places % every != seed % every:
            continue
        for disk in wrecks(wreck, f"{seed}/{at}"):
            try:
                check(disk, chronicle.possible(), run)
            except Exception as error:
                raise AssertionError(f"seed {seed}, operation {at}: {error}") from error
            restarts += 1
    return restarts


@pytest.mark.parametrize("seed", range(4))
def test_a_batch_when_cut_off_then_all_of_it_is_there_or_nothing(seed: int) -> None:
    assert walk(seed, 4, 9) > 20


@pytest.mark.timeout(600)
@pytest.mark.skipif(SEEDS == 0, reason="CRASH_SEEDS chooses how many")
@pytest.mark.parametrize("seed", range(100, 100 + SEEDS))
def test_a_batch_when_cut_off_anywhere_then_all_of_it_is_there_or_nothing(seed: int) -> None:
    assert walk(seed, 8, 1) > 100
