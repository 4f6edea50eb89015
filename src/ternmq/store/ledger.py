"""The ledger: which batches of which owner are committed, so that none is committed twice.

One row an owner, kept in the catalog. Batches are remembered as runs, so that an owner whose
numbers count up costs the same for ever. Of an owner whose numbers have gaps the latest RUNS_MAX
runs are kept; a batch before those is neither known nor unknown, and the answer says so.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.errors import check

RUNS_MAX: Final = 64


@final
class LedgerRow:
    """The batches of one owner. Never changed: a new batch makes a new row."""

    __slots__ = ("committed", "floor", "ns", "owner", "runs", "user", "visible_lsn")

    def __init__(
        self,
        owner: str,
        user: str,
        runs: list[tuple[int, int]],
        floor: int,
        committed: int,
        ns: int,
    ) -> None:
        self.owner = owner
        self.user = user  # who committed its first batch: only that user goes on
        self.runs = runs  # first and last batch of each, ascending, with a gap between any two
        self.floor = floor  # of batches below this nothing is remembered
        self.committed = committed  # how many batches
        self.ns = ns  # when the latest was committed
        self.visible_lsn = 0  # to be forced before an answer shows it; 0 after a restart

    @property
    def latest(self) -> int:
        """The highest batch."""
        return self.runs[-1][1]

    def has(self, batch: int) -> bool:
        """Whether the batch is committed; only for one that is not below `floor`."""
        return any(first <= batch <= last for first, last in self.runs)

    def with_batch(self, batch: int, ns: int) -> LedgerRow:
        """The row after one batch more, which it must not have."""
        runs = sorted([*self.runs, (batch, batch)])
        merged: list[tuple[int, int]] = []
        for first, last in runs:
            if merged and merged[-1][1] + 1 == first:
                merged[-1] = (merged[-1][0], last)
            else:
                merged.append((first, last))
        floor = self.floor
        if len(merged) > RUNS_MAX:
            floor = merged.pop(0)[1] + 1
        return LedgerRow(self.owner, self.user, merged, floor, self.committed + 1, ns)

    def to_json(self) -> dict[str, object]:
        """As log and catalog file keep it."""
        return {
            "owner": self.owner,
            "user": self.user,
            "runs": [[first, last] for first, last in self.runs],
            "floor": self.floor,
            "committed": self.committed,
            "ns": self.ns,
        }


def first_row(owner: str, user: str, batch: int, ns: int) -> LedgerRow:
    """The row of an owner that had none."""
    return LedgerRow(owner, user, [(batch, batch)], 0, 1, ns)


def row_from_json(values: dict[str, object]) -> LedgerRow:
    """The reverse of `LedgerRow.to_json`."""
    given = values["runs"]
    runs: list[tuple[int, int]] = []
    check(isinstance(given, list) and len(given) > 0, "a ledger row without batches")
    if isinstance(given, list):
        runs.extend([(int(one[0]), int(one[1])) for one in given])
    floor, committed, ns = values["floor"], values["committed"], values["ns"]
    if isinstance(floor, int) and isinstance(committed, int) and isinstance(ns, int):
        return LedgerRow(str(values["owner"]), str(values["user"]), runs, floor, committed, ns)
    check(False, f"the ledger row of {values['owner']!r} is malformed")
    raise NotImplementedError
