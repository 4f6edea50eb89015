"""Faults of a simulated disk: calls that fail, are short, or take their time.

Each is something to set as `SimDisk.faults`; `together` joins several. They count the calls they
look at from the moment they are made.
"""

from __future__ import annotations

import errno
from collections.abc import Collection
from typing import Final

from ternmq.testing.chance import Chance
from ternmq.testing.sim_disk import Faults

# Every call that a disk and its files have, as faults see them.
CHANGES: Final = (
    "allocate", "create", "datasync", "make_dir", "pwritev", "remove_dir", "rename", "sync_dir",
    "truncate", "unlink",
)  # fmt: skip
READS: Final = ("list", "open", "pread")
CALLS: Final = (*CHANGES, *READS)
ERRORS: Final = {"EIO": errno.EIO, "ENOSPC": errno.ENOSPC, "EINTR": errno.EINTR}


class Failing:
    """The n-th call fails, once or from then on. `calls` and `folder` say which calls count."""

    def __init__(
        self,
        error: int = errno.EIO,
        *,
        at: int = 1,
        for_ever: bool = False,
        calls: Collection[str] = (),
        folder: str = "",
    ) -> None:
        self.error = error
        self.at = at
        self.for_ever = for_ever
        self.calls = calls
        self.folder = folder
        self.seen = 0
        self.failed = 0

    def __call__(self, call: str, path: str, count: int) -> int | None:
        if (self.calls and call not in self.calls) or not path.startswith(self.folder):
            return None
        self.seen += 1
        if self.seen == self.at or (self.for_ever and self.seen > self.at):
            self.failed += 1
            raise OSError(self.error, f"injected: {errno.errorcode[self.error]}", path)
        return None


class Short:
    """The n-th write takes only so many bytes, once or from then on; with 0 it takes none and says
    nothing of it."""

    def __init__(self, most_bytes: int, *, at: int = 1, for_ever: bool = False) -> None:
        self.most_bytes = most_bytes
        self.at = at
        self.for_ever = for_ever
        self.seen = 0
        self.shortened = 0

    def __call__(self, call: str, path: str, count: int) -> int | None:
        if call != "pwritev":
            return None
        self.seen += 1
        if self.seen == self.at or (self.for_ever and self.seen > self.at):
            self.shortened += 1
            return self.most_bytes
        return None


class Sometimes:
    """Calls fail as often as a rate says, drawn from a seed."""

    def __init__(
        self, chance: Chance, rate: float, error: int, calls: Collection[str] = CHANGES
    ) -> None:
        self.chance = chance
        self.rate = rate
        self.error = error
        self.calls = calls
        self.failed = 0

    def __call__(self, call: str, path: str, count: int) -> int | None:
        if call in self.calls and self.chance.happens(self.rate):
            self.failed += 1
            raise OSError(self.error, f"injected: {errno.errorcode[self.error]}", path)
        return None


def together(*faults: Faults) -> Faults:
    """All of these, in this order; the first that shortens a write counts."""

    def all_of_them(call: str, path: str, count: int) -> int | None:
        shortest: int | None = None
        for fault in faults:
            most = fault(call, path, count)
            shortest = most if shortest is None else shortest
        return shortest

    return all_of_them
