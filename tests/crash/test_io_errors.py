"""Goal: when a force, or a call of a restart, fails, nothing acknowledged is lost: a failed
force stops the queue manager and nothing is acknowledged after it; the next start recovers.
Method: the workload of the crash walk on a disk whose n-th call fails; then restart on what is
left. Every call of a workload, and a full disk: tests/proof.
"""

import errno

import pytest

from ternmq.base.errors import ForceFailed, IntegrityError, MQError
from ternmq.testing.chance import Chance
from ternmq.testing.crash_walk import check
from ternmq.testing.disk_faults import Failing
from ternmq.testing.machine import Machine
from ternmq.testing.sim_disk import Faults, SimDisk
from tests.proof.failing_calls import FaultRun

pytestmark = [pytest.mark.promise("P8"), pytest.mark.promise("P9")]

STEPS = 90


def ran(seed: int, faults: Faults | None) -> FaultRun:
    run = FaultRun(seed, faults)
    run.go(STEPS)
    return run


@pytest.mark.parametrize("seed", [0, 1, 2, 4])
def test_nth_force_of_the_log_fails_then_queue_manager_stops(seed: int) -> None:
    for at in range(1, 60, 7):
        run = ran(seed, Failing(errno.EIO, at=at, calls=("datasync",)))
        if run.broken:
            run.refuse_everything()
        run.recover(Chance(f"{seed}/{at}"))


@pytest.mark.parametrize("seed", [0, 1, 2, 4])
def test_nth_call_of_a_restart_fails_then_the_next_one_recovers(seed: int) -> None:
    run = ran(seed, None)
    possible = run.possible()
    for error in (errno.EIO, errno.ENOSPC):
        at = 1
        while True:
            disk = run.disk.survivor()
            disk.faults = Failing(error, at=at)
            try:
                machine = Machine(disk)
                machine.checkpoint(full=True)
            except (OSError, ForceFailed, IntegrityError, MQError):
                pass
            if disk.calls < at:
                break
            disk.faults = None
            check(disk.survivor(), possible)
            at += 5


def test_disk_of_the_restart_is_full_then_it_starts_and_loses_nothing() -> None:
    for seed in (0, 1, 2):
        run = ran(seed, None)
        disk: SimDisk = run.disk.survivor()
        disk.capacity = disk.used()
        Machine(disk)
        disk.capacity = 0
        check(disk.survivor(), run.possible())
