"""Verbs that only our own clients have: a batch committed with its row of the ledger.

Each is a step like any other (`steps`), which beside that can tell its result as JSON and bytes, so
that the local socket and the network carry all of them by one mechanism.
"""

from __future__ import annotations

from typing import Any, NamedTuple, final

from ternmq.client.steps import Step
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.ledger import VERB, BatchCommit
from ternmq.txn.unit import XID


class BatchOutcome(NamedTuple):
    """What became of a batch."""

    committed: bool  # False: it was in the ledger already, and what was prepared anew is backed out
    backed_out: tuple[XID, ...]  # units of a repetition, and orphans of the owner


class ExtensionStep(Step):
    """A step whose result can travel."""

    def told(self) -> dict[str, Any]:
        """The result, as JSON."""
        raise NotImplementedError

    def body(self) -> list[bytes]:
        """What follows it as it is."""
        return []


@final
class CommitBatch(ExtensionStep):
    """Prepared units of work and a row of the ledger, all or nothing."""

    def __init__(self, owner: str, batch: int, xids: list[XID]) -> None:
        super().__init__(VERB)
        self._call = BatchCommit(owner, batch, xids)

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        return self._call.attempt(kernel, link)

    def outcome(self) -> BatchOutcome:
        """The result."""
        return BatchOutcome(self._call.committed, tuple(self._call.backed_out))

    def told(self) -> dict[str, Any]:
        return {
            "committed": self._call.committed,
            "backed_out": [
                [xid.format_id, xid.global_id.hex(), xid.branch_qualifier.hex()]
                for xid in self._call.backed_out
            ],
        }


def batch_outcome(told: dict[str, Any]) -> BatchOutcome:
    """The reverse of `CommitBatch.told`."""
    rows = told["backed_out"]
    xids = [XID(int(a), bytes.fromhex(b), bytes.fromhex(c)) for a, b, c in rows]
    return BatchOutcome(bool(told["committed"]), tuple(xids))
