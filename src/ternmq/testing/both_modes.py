"""A workload by the fast paths of put and get, and again by their steps: both must do the same to
the disk, so a walk over the one is a walk over the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from ternmq.testing.model import Disagreement
from ternmq.testing.operations import Mark
from ternmq.testing.sim_disk import SimDisk


class Made(Protocol):
    """What workloads have in common."""

    disk: SimDisk


W = TypeVar("W", bound=Made)


def marks(disk: SimDisk) -> list[tuple[int, object]]:
    """Where in its history verbs were done in memory, and acknowledged."""
    return [(at, one.what) for at, one in enumerate(disk.history) if isinstance(one, Mark)]


def in_both_modes(make: Callable[[bool], W]) -> W:
    """What `make(fast)` has made by the fast paths."""
    fast, stepped = make(True), make(False)
    same = marks(fast.disk) == marks(stepped.disk)
    if not same or fast.disk.digest() != stepped.disk.digest():
        raise Disagreement("by their steps, puts and gets do something else to the disk")
    return fast
