"""Puts and gets by their fast paths and by their steps: worlds and workloads do the same."""

import pytest

from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.testing import scenario
from ternmq.testing.both_modes import marks
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.streamed_workload import StreamedWorkload
from ternmq.testing.workload import Workload

pytestmark = pytest.mark.core


@pytest.mark.parametrize("seed", [0, 5, 6, 8, 12, 17])
def test_world_when_run_in_both_modes_then_same_trace_and_same_disks(seed: int) -> None:
    plan = scenario.plan_of(seed)
    traces: list[list[str]] = []
    digests: list[str] = []
    for fast in (True, False):
        played = scenario.Scenario(seed, fast)
        trace = played.world.trace = []
        result = played.play(plan)
        assert result.problems == []
        traces.append(trace)
        digests.append(result.digest)
    assert traces[0] == traces[1]
    assert digests[0] == digests[1]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", [Workload, StreamedWorkload])
def test_workload_when_run_in_both_modes_then_same_history_of_the_disk(
    kind: type[Workload], seed: int
) -> None:
    parameters = LogParameters(LINEAR if seed % 3 == 2 else CIRCULAR, 3, 2, 8, seed % 2 == 1)
    runs = [kind(seed, parameters, lazy=seed % 2 == 1, fast=fast) for fast in (True, False)]
    for one in runs:
        one.go(120)
    assert runs[0].verbs == runs[1].verbs
    assert marks(runs[0].disk) == marks(runs[1].disk)
    assert runs[0].disk.digest() == runs[1].disk.digest()


@pytest.mark.parametrize("fast", [True, False])
def test_get_that_waits_when_a_message_is_put_then_served(fast: bool) -> None:
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, 3, 2, 8, False))
    machine = Machine(disk, fast=fast)
    machine.define("Q")
    call = machine.get_call("Q", machine.connect(), sync=False, wait_ms=1000)
    assert call.waiting
    machine.put("Q", b"late")
    assert call.entry is not None
    assert bytes(call.entry.data) == b"late"
    assert machine.drain("Q") == []
    machine.end_get(call)
    assert not machine.kernel.waiting
