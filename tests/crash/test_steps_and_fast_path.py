"""Goal: puts and gets do the same by their steps as by the fast paths, which make no step.

Method: one seeded workload runs both ways, and every operation on the disk is compared, byte by
byte: log records, segments, their order, and the forces between them.
"""

from __future__ import annotations

import pytest

from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.testing.operations import Operation
from ternmq.testing.workload import Workload

STEPS = 150


def as_text(one: Operation) -> str:
    names = [name for kind in type(one).__mro__ for name in getattr(kind, "__slots__", ())]
    return f"{type(one).__name__} {[(name, getattr(one, name, None)) for name in names]!r}"


def operations(seed: int, *, by_step: bool) -> list[str]:
    kind = LINEAR if seed % 2 else CIRCULAR
    parameters = LogParameters(kind, 3, 2, 8, False)
    run = Workload(seed, parameters, lazy=seed % 2 == 1, fast=not by_step)
    run.go(STEPS)
    assert len(run.disk.history) > STEPS
    return [as_text(one) for one in run.disk.history[run.begun :]]


@pytest.mark.parametrize("seed", range(4))
def test_puts_and_gets_by_steps_and_by_fast_paths_leave_the_same_on_disk(seed: int) -> None:
    assert operations(seed, by_step=True) == operations(seed, by_step=False)
