"""Goal: after any power loss the log holds a prefix of what was written, and at least what was
forced; also when the crash comes during restart, and when control files and headers are hit.
Method: random workloads on a disk that stops at its n-th call and loses, tears, zeroes or spoils
what was not forced; the same seed gives the same run.
"""

import contextlib
import random
from typing import Any

import pytest

from ternmq.log.control import load_control
from ternmq.log.extents import extent_path
from ternmq.log.opened import create_log
from ternmq.log.parameters import CIRCULAR, LINEAR
from tests.unit.log.faulty_disk import Crash, PlanDisk
from tests.unit.log.sample import SampleLog, parameters, patch

pytestmark = [pytest.mark.core, pytest.mark.promise("P1"), pytest.mark.timeout(60)]

CRASHES = 6


class Spoiling(random.Random):
    """The worst power loss: whatever was not forced becomes noise."""

    def choice(self, seq: Any) -> Any:
        return "noise"


class CrashRun:
    """One data directory through several lives, each ended by a crash."""

    def __init__(self, seed: int, kind: int, dual: bool) -> None:
        self.chance = random.Random(seed)
        self.disk = PlanDisk()
        self.made = parameters(kind, primary=2, secondary=1, pages=2, dual=dual)
        create_log(self.disk, self.made, bytes(16))
        self.written: list[tuple[int, bytes]] = []
        self.forced = 0

    def life(self) -> None:
        """Restart, check, work; until the disk stops."""
        self.disk.stop_at = self.disk.calls + self.chance.randrange(1, 90)
        with contextlib.suppress(Crash):
            self.work()
        if self.chance.random() < 0.8:
            self.disk = self.disk.crash(self.chance)
        else:
            self.disk = self.disk.restarted()

    def work(self) -> None:
        log = self.check()
        while True:
            for _ in range(self.chance.randrange(1, 4)):
                payload = self.chance.randbytes(self.chance.choice([0, 9, 500, 470, 1500, 4056]))
                if not log.space.fits(len(payload) + 47, 3 * 4096):
                    break
                self.written.append((log.append(payload), payload))
            log.force()
            self.forced = len(self.written)
            if self.chance.random() < 0.2:
                log.save()
            if not log.space.fits(4096, 0):
                # Every life that ends inside a checkpoint takes some of the log with it.
                return
            if self.chance.random() < 0.4 or not log.space.fits(4096, 3 * 4096):
                self.written.append((log.writer.end_lsn, b"checkpoint"))
                redo = self.written[-1][0] if self.chance.random() < 0.7 else 0
                log.checkpoint(redo)
                self.forced = len(self.written)

    def check(self) -> SampleLog:
        """Restart and compare with what was written."""
        redo = load_control(self.disk).redo_lsn
        log = SampleLog.__new__(SampleLog)
        log.disk = self.disk
        log.written = []
        found = log.restart()
        known = [entry for entry in self.written if entry[0] >= redo]
        skipped = len(self.written) - len(known)
        assert found == known[: len(found)]
        assert len(found) >= self.forced - skipped
        del self.written[skipped + len(found) :]
        self.forced = len(self.written)
        return log


@pytest.mark.parametrize("dual", [False, True], ids=["single", "dual"])
@pytest.mark.parametrize("kind", [CIRCULAR, LINEAR], ids=["circular", "linear"])
def test_log_when_crashed_again_and_again_then_keeps_what_was_forced(kind: int, dual: bool) -> None:
    for seed in range(60):
        run = CrashRun(seed, kind, dual)
        for _ in range(CRASHES):
            run.life()
        run.check()


def stopped_restart(log: SampleLog, stop: int) -> bool:
    """Whether restart came to its end before the disk stopped."""
    disk = log.disk
    assert isinstance(disk, PlanDisk)
    disk.stop_at = disk.calls + stop
    try:
        log.restart()
    except Crash:
        return False
    return True


@pytest.mark.parametrize("dual", [False, True], ids=["single", "dual"])
def test_restart_when_killed_and_then_power_is_lost_at_any_call_then_all_is_kept(
    dual: bool,
) -> None:
    """Nothing that restart relies on may be in memory only while it overwrites the other copy."""
    for killed_at in range(1, 100):
        lost_at = 0
        is_whole = False
        while not is_whole:
            lost_at += 1
            log = SampleLog(PlanDisk(), parameters(primary=2, secondary=0, pages=2, dual=dual))
            log.batch(b"a" * 3000, b"b" * 3000)
            is_last = stopped_restart(log, killed_at)
            assert isinstance(log.disk, PlanDisk)
            log.disk = log.disk.restarted()
            is_whole = stopped_restart(log, lost_at)
            log.disk = log.disk.crash(Spoiling(lost_at))
            assert log.restart() == log.written
        if is_last:
            return
    pytest.fail("restart takes more calls than expected")


@pytest.mark.parametrize("half", [0, 2048])
def test_restart_when_half_a_header_is_spoilt_and_power_is_lost_at_any_call_then_all_is_kept(
    half: int,
) -> None:
    is_whole = False
    stop = 0
    while not is_whole:
        stop += 1
        log = SampleLog(PlanDisk(), parameters(primary=2, pages=2))
        log.batch(b"a" * 3000, b"b" * 3000)
        patch(log.disk, extent_path(0, 0), half, b"spoilt")
        patch(log.disk, extent_path(0, 1), half, b"spoilt")
        is_whole = stopped_restart(log, stop)
        assert isinstance(log.disk, PlanDisk)
        log.disk = log.disk.crash(Spoiling(stop))
        assert log.restart() == log.written
