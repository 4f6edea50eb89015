"""A verb of several messages, between its steps: the unit of work that keeps them together, and
where to go back to if the verb fails or its caller goes away (`ending.abandon`).

Nothing else may change that unit of work between the steps. A consumer's get waits for the end of
another verb's undertaking; its own is undone when another verb of the connection wants the unit,
and then begins again.
"""

from __future__ import annotations

from mypy_extensions import i64

from ternmq.txn.unit import UnitOfWork


class Undertaking:
    """A segmented put, or the get of a complete message."""

    __slots__ = (
        "beside",
        "changes_before",
        "copies_before",
        "is_given_up",
        "is_inner",
        "reserved",
        "unit",
    )

    def __init__(self, unit: UnitOfWork, is_inner: bool) -> None:
        self.unit = unit
        self.is_inner = is_inner  # else the unit of work is the application's
        self.changes_before = len(unit.changes)
        self.copies_before: i64 = unit.copies
        self.beside = False  # of a consumer: other verbs of the connection go on meanwhile
        self.is_given_up = False  # what is left of it is to be undone
        self.reserved: i64 = 0  # log space for what is left to do
