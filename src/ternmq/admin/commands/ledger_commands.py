"""DISPLAY LEDGER and DELETE LEDGER: the batches that owners have committed (`kernel.ledger`).

Commands of our own. A row says which batches of an owner are done; while it is there, none of them
is committed again. To delete it is to forget that: for an owner that is gone for good.
"""

from __future__ import annotations

from typing import final

from ternmq.admin.commands.filters import fits_name
from ternmq.admin.execution import Execution
from ternmq.admin.status.status_display import StatusDisplay, Values, date_of, time_of
from ternmq.base.reasons import MQRC_UNKNOWN_OBJECT_NAME
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.ledger import delete_ledger


@final
class DisplayLedger(StatusDisplay):
    """DISPLAY LEDGER."""

    def subjects(self, kernel: Kernel, link: Link) -> list[str]:
        ledger = kernel.catalog.ledger
        return [owner for owner in sorted(ledger) if fits_name(self.command.name, owner)]

    def values(self, kernel: Kernel, link: Link, subject: str) -> list[Values] | None:
        row = kernel.catalog.ledger.get(subject)
        if row is None:
            return []  # deleted since the last step
        link.depends_on(row.visible_lsn)
        return [
            {
                "LEDGER": row.owner,
                "BATCH": row.latest,
                "BATCHES": row.committed,
                "FLOOR": row.floor,
                "USERID": row.user,
                "ALTDATE": date_of(row.ns),
                "ALTTIME": time_of(row.ns),
            }
        ]


@final
class DeleteLedger(Execution):
    """DELETE LEDGER."""

    def step(self, kernel: Kernel, link: Link) -> bool:
        owner = self.command.name
        if owner not in kernel.catalog.ledger:
            if self.command.given.get("IGNSTATE", "NO") == "YES":
                return self.succeed()
            return self.refuse("AMQ8989E", owner, reason=MQRC_UNKNOWN_OBJECT_NAME)
        return delete_ledger(kernel, link, owner, self.verb) and self.succeed()
