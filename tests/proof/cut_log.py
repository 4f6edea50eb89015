"""G1: the log ends after any byte.

Every write to the log, cut after each of its bytes; everything before it is on the disk, and
nothing of what came after. T1 looks at the edges of records, blocks and sectors and at their
neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ternmq.log.record import (
    BLOCK_BYTES,
    HEADER_BYTES,
    checksum_seed,
    decode_record,
    header_length,
)
from ternmq.testing.crash_walk import places, verify
from ternmq.testing.model import Snapshot
from ternmq.testing.operations import Write
from ternmq.testing.sim_disk import SECTOR_BYTES
from ternmq.testing.workload import Workload
from ternmq.testing.wreck import Fate, Wreck, front, kept
from ternmq.txn.families.table import KIND_NAMES
from tests.proof.goal import Goal, Point, mine
from tests.proof.stages import every_kind

SEEDS = {1: 2, 2: 1, 3: 10}


def log_keys(run: Workload) -> set[int]:
    """The files that hold log records, whatever they are called now."""
    return {key for path, key in run.disk.names.items() if path.startswith("log/active")}


def record_edges(run: Workload, write: Write) -> tuple[list[int], list[str]]:
    """Where the records in a write to the log begin, and of which kind each is."""
    seed = checksum_seed(run.machine.engine.opened.control.identity)
    edges: list[int] = []
    kinds: list[str] = []
    at = 0
    while at + HEADER_BYTES <= len(write.data):
        lsn = int.from_bytes(write.data[at + 8 : at + 16], "little")
        length = header_length(write.data, at, lsn)
        record = decode_record(write.data, at, length, seed) if length else None
        if record is None:  # padding, or the header of an extent
            at = (at // BLOCK_BYTES + 1) * BLOCK_BYTES
            continue
        edges.append(at)
        kinds.append(KIND_NAMES[record.kind])
        at += record.end_lsn - record.lsn
        edges.append(at)
    return edges, kinds


def cuts(run: Workload, write: Write, tier: int) -> list[int]:
    """After how many bytes of a write the log ends."""
    size = len(write.data)
    if tier > 1:
        return list(range(size + 1))
    edges = {0, size, *range(0, size, SECTOR_BYTES), *record_edges(run, write)[0]}
    near = {edge + more for edge in edges for more in (-1, 0, 1)}
    return sorted(cut for cut in near if 0 <= cut <= size)


def log_writes(run: Workload) -> Iterator[tuple[int, Write, Wreck, list[Snapshot]]]:
    """Every write of records, with the wreck of which it is the last operation."""
    keys = log_keys(run)
    for place in places(run):
        operation = run.disk.history[place.at]
        if (
            isinstance(operation, Write)
            and operation.key in keys
            and record_edges(run, operation)[1]
        ):
            yield place.at, operation, place.wreck, place.possible


def cut_log(tier: int, shard: int, shards: int) -> Iterator[Point]:
    number = 0
    for seed in range(SEEDS[tier]):
        run = every_kind(seed)
        for at, write, wreck, possible in log_writes(run):
            for cut in cuts(run, write, tier):
                if mine(number, shard, shards):
                    name = (
                        f"workload {seed}, operation {at}, after {cut} of {len(write.data)} bytes"
                    )
                    yield Point(name, partial(cut_here, wreck, cut, possible, number % 16 == shard))
                number += 1


def cut_here(wreck: Wreck, cut: int, possible: list[Snapshot], drain: bool) -> str:
    fates: list[Fate] = [kept] * (len(wreck.pending) - 1)
    verify(wreck.disk_of([*fates, front(cut)]), possible, drain=drain)
    return "recovered"


GOAL = Goal(
    "G1",
    "the log is cut after any byte",
    ("P1", "P2"),
    shards={1: 4, 2: 64, 3: 640},
    needed={1: 2_000, 2: 65_536, 3: 655_360},
    points=cut_log,
    unit="cuts",
)
