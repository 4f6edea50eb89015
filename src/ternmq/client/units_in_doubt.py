"""Units of work that are prepared, and what an operator decided about others: for dspmqtrn."""

from __future__ import annotations

from typing import Final, NamedTuple

from ternmq.kernel.kernel import Kernel
from ternmq.kernel.two_phase import HEURISTIC_NAMES
from ternmq.txn.unit import XID

PREPARED: Final = "prepared"


class UnitInDoubt(NamedTuple):
    """One of them; what is not PREPARED was decided, and its transaction manager does not know."""

    xid: XID
    state: str  # prepared, committed, backed out


def units_in_doubt(kernel: Kernel) -> list[UnitInDoubt]:
    """Those that wait first, each kind in the order in which it came."""
    coordinator = kernel.coordinator
    known = [unit.xid for unit in coordinator.prepared.values()]
    waiting = [UnitInDoubt(xid, PREPARED) for xid in known if xid is not None]
    decided = [
        UnitInDoubt(XID(*key, coordinator.heuristic_owners.get(key, "")), HEURISTIC_NAMES[outcome])
        for key, outcome in coordinator.heuristic.items()
    ]
    return waiting + decided
