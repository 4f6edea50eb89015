"""Two runs beside each other: by how much each point changed, and whether that is more than noise.

The reports that the suite comes from call 6 % up or down an acceptable variation between runs; so
do we. Beyond it a change is better or worse: more of a rate is better, less of a cost or of memory
is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ternmq.perf.record import Measured, Run
from ternmq.perf.suite import BY_NAME
from ternmq.perf.workload import FROM_MEMORY

TOLERANCE: Final = 0.06
SAME: Final = "within"
BETTER: Final = "better"
WORSE: Final = "worse"
NEW: Final = ""  # there is nothing to compare with


@dataclass(frozen=True)
class Change:
    """A figure beside that of an earlier run."""

    now: float | None
    before: float | None
    less_is_better: bool = False

    @property
    def share(self) -> float | None:
        """0.1 is a tenth more than before."""
        if self.now is None or not self.before:
            return None
        return self.now / self.before - 1

    @property
    def verdict(self) -> str:
        """Within the tolerance, better, worse, or nothing to compare with."""
        share = self.share
        if share is None:
            return NEW
        if round(abs(share), 9) <= TOLERANCE:  # 1.06 - 1 is a little more than 0.06
            return SAME
        return BETTER if (share < 0) == self.less_is_better else WORSE


@dataclass(frozen=True)
class Compared:
    """One point of a run beside the same point of an earlier one."""

    point: Measured
    rate: Change
    cost: Change

    @property
    def verdicts(self) -> tuple[str, str]:
        """Of the rate and of the cost."""
        return self.rate.verdict, self.cost.verdict


def compared(run: Run, earlier: Run | None) -> list[Compared]:
    """Every point of a run, with what the earlier run has of it."""
    before = {point.key: point for point in earlier.points} if earlier is not None else {}
    found = []
    for point in run.points:
        old = before.get(point.key)
        workload = BY_NAME.get(point.workload)
        is_memory = workload is not None and workload.source == FROM_MEMORY
        rate = Change(point.rate, None if old is None else old.rate, is_memory)
        cost = Change(point.cost, None if old is None else old.cost, True)
        found.append(Compared(point, rate, cost))
    return found


def miscounted(points: Iterable[Measured]) -> list[str]:
    """Points at which SMF and the applications did not count the same, in words."""
    return [
        f"{one.workload}, {one.x}{f', {one.series}' if one.series else ''}:"
        f" {one.smf_done:,} by SMF, {one.done:,} by the applications"
        for one in points
        if one.smf_done is not None and one.smf_done != one.done
    ]


def counted(points: list[Compared]) -> dict[str, int]:
    """How many figures are within, better, worse."""
    verdicts = [verdict for one in points for verdict in one.verdicts]
    return {name: verdicts.count(name) for name in (SAME, BETTER, WORSE)}


def differences(run: Run, earlier: Run) -> list[str]:
    """What makes two runs hard to compare, in words."""
    verdicts = []
    for name, now, before in (
        ("build", run.build, earlier.build),
        ("processors", run.machine.get("processors"), earlier.machine.get("processors")),
        ("machine", run.machine.get("machine"), earlier.machine.get("machine")),
        ("Python", run.machine.get("python"), earlier.machine.get("python")),
        ("processes of applications", run.processes, earlier.processes),
        ("seconds a point", run.seconds, earlier.seconds),
    ):
        if now != before:
            verdicts.append(f"{name}: {now} now, {before} before")
    return verdicts
