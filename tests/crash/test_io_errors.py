"""Goal (G5): when any call on the disk fails, with EIO or ENOSPC, once or for ever, nothing
acknowledged is lost: a failed force stops the queue manager and nothing is acknowledged after
it; a full disk refuses new work with the right reason, and work goes on when there is space
again; the next start recovers. Method: the workload of the crash walk on a disk whose n-th call
fails; then restart on what is left, also after a power loss.
"""

import errno
import os
from collections.abc import Callable

import pytest

from ternmq.base.errors import ForceFailed, IntegrityError, MQError
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_CONNECTION_BROKEN,
    MQRC_OBJECT_DAMAGED,
    MQRC_Q_SPACE_NOT_AVAILABLE,
    MQRC_RESOURCE_PROBLEM,
)
from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.testing.chance import Chance
from ternmq.testing.crash_walk import at_random, check, nothing_kept
from ternmq.testing.disk_faults import Failing
from ternmq.testing.machine import Machine
from ternmq.testing.model import Chronicle, Snapshot
from ternmq.testing.sim_disk import Faults, SimDisk
from ternmq.testing.workload import Workload

pytestmark = [pytest.mark.promise("P8"), pytest.mark.promise("P9")]

STEPS = 90
EVERY = int(os.environ.get("FAULT_EVERY", "23"))
REFUSALS = (MQRC_RESOURCE_PROBLEM, MQRC_Q_SPACE_NOT_AVAILABLE, MQRC_BACKED_OUT)


class FaultRun:
    """One workload on one disk that fails."""

    def __init__(self, seed: int, fault: Faults | None, slack: int | None = None) -> None:
        kind = LINEAR if seed % 5 == 4 else CIRCULAR
        self.seed = seed
        parameters = LogParameters(kind, 3, 2, 8, seed % 3 == 2)
        self.workload = Workload(seed, parameters, lazy=seed % 2 == 1)
        self.disk = self.workload.disk
        self.first_call = self.disk.calls
        self.disk.faults = fault
        self.broken = False
        self.damaged = False
        if slack is not None:
            self.disk.capacity = self.disk.used() + slack + 1
        self.go()

    def go(self) -> None:
        for _ in range(STEPS):
            if not self.step():
                break

    def step(self) -> bool:
        """One verb; False when the queue manager is of no use any more."""
        try:
            self.workload.step()
        except MQError as error:
            self.broken = error.reason == MQRC_CONNECTION_BROKEN
            self.damaged = error.reason == MQRC_OBJECT_DAMAGED
            if self.broken or self.damaged:
                return False
            if error.reason not in REFUSALS:
                raise
            self.workload.change = None
            self.workload.forget_victims()
        return True

    def possible(self) -> list[Snapshot]:
        return Chronicle(self.workload.snapshots).take_all(self.disk.history).possible()

    def refuse_everything(self) -> None:
        """After a failed force nothing is acknowledged, whatever is tried."""
        machine = self.workload.machine
        acknowledged = len(self.possible())
        tries: list[Callable[[], object]] = [
            lambda: machine.put("A", b"late "),
            lambda: machine.put("A", b"late ", persistent=False),
            lambda: machine.get("A"),
            lambda: machine.commit(self.workload.links[0]),
        ]
        self.workload.change = None
        for one in tries:
            with pytest.raises(MQError) as caught:
                one()
            assert caught.value.reason == MQRC_CONNECTION_BROKEN
        assert len(self.possible()) >= acknowledged

    def recover(self) -> None:
        """Restart on what the process left, and on what a power loss may make of that."""
        possible = self.possible()
        self.disk.faults = None
        check(nothing_kept(self.disk), possible)
        check(at_random(self.disk, Chance(self.seed)), possible)
        check(self.disk.settled(), possible)
        check(self.disk.survivor(), possible)


@pytest.mark.parametrize("for_ever", [False, True], ids=["once", "for ever"])
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC], ids=["EIO", "ENOSPC"])
@pytest.mark.parametrize("seed", [0, 1, 2, 4])
def test_nth_call_fails_then_nothing_acknowledged_is_lost(
    seed: int, error: int, for_ever: bool
) -> None:
    calls = FaultRun(seed, None)
    total = calls.disk.calls - calls.first_call
    assert not calls.broken
    assert total > 150
    broken = 0
    for at in range(1 + seed, total, EVERY * (2 if for_ever else 1)):
        try:
            run = FaultRun(seed, Failing(error, at=at, for_ever=for_ever))
            if run.broken:
                broken += 1
                run.refuse_everything()
            run.recover()
        except Exception as fault:
            raise AssertionError(f"seed {seed}, call {at}, for ever {for_ever}: {fault}") from fault
    assert broken > 2


@pytest.mark.parametrize("seed", [0, 1, 2, 4])
def test_nth_force_of_the_log_fails_then_queue_manager_stops(seed: int) -> None:
    for at in range(1, 60, 7):
        run = FaultRun(seed, Failing(errno.EIO, at=at, calls=("datasync",)))
        if run.broken:
            run.refuse_everything()
        run.recover()


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_disk_full_then_refused_and_work_goes_on_when_space_returns(seed: int) -> None:
    refused = 0
    for slack in range(0, 60_000, 6_000):
        run = FaultRun(seed, None, slack)
        assert not run.broken, "a full disk is no reason to stop"
        refused += run.workload.refused
        before = run.workload.refused
        run.disk.capacity = 0
        run.go()
        assert not run.broken
        assert run.workload.refused - before <= 2, "space is back, but work is still refused"
        run.recover()
    assert refused > 0


@pytest.mark.parametrize("seed", [0, 1, 2, 4])
def test_nth_call_of_a_restart_fails_then_the_next_one_recovers(seed: int) -> None:
    run = FaultRun(seed, None)
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
        run = FaultRun(seed, None)
        disk: SimDisk = run.disk.survivor()
        disk.capacity = disk.used()
        Machine(disk)
        disk.capacity = 0
        check(disk.survivor(), run.possible())
