"""The workloads that the walks crash, each made once in a process."""

from __future__ import annotations

import functools

from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.testing.both_modes import in_both_modes
from ternmq.testing.crash_walk import compare
from ternmq.testing.machine import Machine
from ternmq.testing.stream_verbs import StreamClient
from ternmq.testing.workload import Workload

STEPS = 150


def parameters(seed: int) -> LogParameters:
    """Every fifth log is linear, every third one dual."""
    return LogParameters(LINEAR if seed % 5 == 4 else CIRCULAR, 3, 2, 8, seed % 3 == 2)


@functools.lru_cache(maxsize=4)
def small(seed: int, steps: int = STEPS) -> Workload:
    """Random verbs; every other one lets effects of the disk take their time."""

    def make(fast: bool) -> Workload:
        made = Workload(seed, parameters(seed), lazy=seed % 2 == 1, fast=fast)
        made.go(steps)
        return made

    return in_both_modes(make)


@functools.lru_cache(maxsize=2)
def every_kind(seed: int) -> Workload:
    """Every kind of log record, some extent switches and some checkpoints, in some 100 KiB of log.

    A life before it ends by a kill, so that the log has a restart and something to undo.
    """
    return in_both_modes(functools.partial(_every_kind, seed))


def _every_kind(seed: int, fast: bool) -> Workload:
    run = Workload(seed, LogParameters(CIRCULAR, 3, 2, 8, False), lazy=seed % 2 == 1, fast=fast)
    run.sizes = [0, 50, 300, 700, 1500, 5000]
    run.go(20)
    run.put(run.links[0], True)
    run.machine.force(run.machine.engine.log.end_lsn)
    possible = run.snapshots[-1:]
    disk = run.disk
    state = compare(Machine(disk.survivor()), possible)
    run.resume(disk, state)
    for _ in range(2):
        _each_verb(run)
        run.machine.checkpoint()
        run.go(6)
        run.machine.checkpoint(full=True)
    return run


def _each_verb(run: Workload) -> None:
    first, second, third = run.links
    for link in (first, second):
        run.put(link, True)
        run.put(link, True)
        run.get(link, True)
    run.prepare(first)
    run.back_out(second)
    run.decide()
    run.put(second, True)
    run.put(second, True)
    run.get(second, True, run.unit(second).puts[0])  # its own
    run.prepare(second)
    _by_operator(run)
    run.expire()
    while run.available("A"):
        run.get(third, False)
    run.hand_over()
    if not run.is_used("B"):
        run.clear("B")
        run.put(third, False)
        run.delete("B")
    run.put(first, True)
    run.get(first, True)
    run.commit(first)
    _by_batch(run)
    _by_cursor(run)


def _by_batch(run: Workload) -> None:
    """Two prepared units end in one record."""
    for key in sorted(run.model.prepared):
        run.end_prepared(key, True)
    for link in run.links[:2]:
        run.put(link, True)
        run.get(link, True)
        run.prepare(link)
    run.end_in_batch(sorted(run.model.prepared))


def _by_cursor(run: Workload) -> None:
    """A queue has a stream for a while, and what lies on it is in that."""
    run.put(run.links[2], False)
    client = StreamClient(run.machine)
    client.define("C", "A")
    run.put(run.links[2], False)
    client.advance("C", client.bounds("A").next)
    client.delete("C")


def _by_operator(run: Workload) -> None:
    """Whatever is in doubt is decided by an operator, then forgotten."""
    for key in sorted(run.model.prepared):
        run.end_by_operator(key, commits=run.chance.happens(0.5))
        run.forget(key)
