"""Goal (P6, P9): what a restart has found is durable, although it read it from memory that a failed
force has left behind. Method: each force of the log fails in turn, on a disk that then forgets what
was written; a restart, as another process sees the files, and a power loss after it.
"""

import pytest

from ternmq.testing.crash_walk import nothing_kept, verify
from ternmq.testing.disk_faults import Failing
from tests.proof.failing_calls import FaultRun

pytestmark = [pytest.mark.core, pytest.mark.promise("P6"), pytest.mark.promise("P9")]

STEPS = 40


def failing(at: int) -> Failing:
    return Failing(at=at, calls=("datasync",), folder="log/active")


@pytest.mark.parametrize("seed", range(3))
def test_force_when_it_fails_and_forgets_then_what_a_restart_found_stays(seed: int) -> None:
    counted = failing(-1)
    FaultRun(seed, counted).go(STEPS)
    assert counted.seen > 20
    kept = 0
    for at in range(1, counted.seen + 1):
        run = FaultRun(seed, failing(at))
        run.disk.forgets = True
        run.go(STEPS)
        run.disk.faults = None
        possible = run.possible()
        lost = verify(nothing_kept(run.disk), possible, drain=False)
        disk = run.disk.survivor()  # another process: what is in memory is there
        found = verify(disk, possible, drain=False)
        assert verify(nothing_kept(disk), possible, drain=False) == found
        kept += found != lost
    assert kept > 0  # sometimes memory had more than the disk: that is what this is about
