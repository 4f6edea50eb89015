"""Goal (G20, P7): a PUT with several targets is replayed for one queue alone: original or copy is
made good from the log while the other is sound. Method: workloads of streaming queues that record
images; the files of one queue are spoilt; a start, and a comparison with the model."""

from __future__ import annotations

import functools

import pytest

from ternmq.testing.machine import Machine
from ternmq.testing.model import State
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.streamed_workload import StreamedWorkload
from tests.media.bench import SPOILS, MediaWorkload, files_of, recovered_state

pytestmark = [pytest.mark.core, pytest.mark.promise("P7")]

SEEDS = range(6)


class StreamedMedia(MediaWorkload, StreamedWorkload):
    """Streaming queues and images."""


@functools.cache
def finished(seed: int) -> tuple[SimDisk, State]:
    run = StreamedMedia(seed, lazy=seed % 2 == 1)
    run.go(60 + 13 * seed)
    while run.images == 0:
        run.go(5)
    run.go(7 * seed)
    run.machine.settle()
    assert run.copies_made > 10
    return run.disk.settled(), run.snapshots[-1].state


@pytest.mark.parametrize("queue", ["A", "B", "C"])
@pytest.mark.parametrize("how", ["deleted", "flipped", "cut"])
def test_files_of_original_or_copy_spoilt_then_that_queue_alone_is_recreated(
    queue: str, how: str
) -> None:
    made = 0
    for seed in SEEDS:
        sound, expected = finished(seed)
        disk = sound.settled()
        for path in files_of(disk, queue, ""):
            SPOILS[how](disk, path)
        machine = Machine(disk)
        report = [line for line in machine.engine.report if line.startswith("Re-created")]
        state, count = recovered_state(machine, [queue])
        assert state == expected, f"seed {seed}, {queue} {how}"
        made += count + len(report)
    assert made
