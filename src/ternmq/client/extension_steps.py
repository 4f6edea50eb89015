"""Verbs that only our own clients have: batches with their row of the ledger (here), streams and
cursors (`stream_steps`).

Each is a step like any other (`steps`). Beside that it knows its arguments and its result as JSON
and bytes, so that the local socket and the network carry all of them by one mechanism: a client
makes the step, sends its arguments and lets it `take` the answer; the queue manager makes the same
step, attempts it and tells the answer.

Some wait, for a time, for something to happen: then the shell has itself woken (`await_more`) and
attempts the step anew. It does so in pieces of WAIT_PIECE_S, so that whoever is cancelled, and a
queue manager that ends, wait no longer than that.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, final

from ternmq.client.steps import Step
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.ledger import VERB, BatchCommit
from ternmq.ports.effect import Wakeable
from ternmq.txn.unit import XID

WAIT_PIECE_S: Final = 0.5


class ExtensionStep(Step):
    """A step whose arguments and result can travel."""

    def __init__(self, verb: str, call: str) -> None:
        super().__init__(verb)
        self.call = call  # its name for the queue manager
        self.wait_s = 0.0  # how long it may wait for more, while there is nothing

    def arguments(self) -> dict[str, Any]:
        """What to send."""
        raise NotImplementedError

    def told(self) -> dict[str, Any]:
        """The result, as JSON."""
        raise NotImplementedError

    def body(self) -> list[bytes]:
        """What follows it as it is."""
        return []

    def take(self, told: dict[str, Any], data: bytes, at: int) -> None:
        """The result that was told, and in `data` from `at` on what followed it."""
        raise NotImplementedError

    # ---- waiting

    def lacks(self) -> bool:
        """Whether it is done and has found nothing."""
        return False

    def await_more(self, kernel: Kernel, link: Link, waker: Wakeable) -> bool:
        """Have the waker told when there is something; False if there is already."""
        return False

    def stop_awaiting(self, kernel: Kernel, link: Link, waker: Wakeable) -> None:
        """It need not be told any more."""


class BatchOutcome(NamedTuple):
    """What became of a batch."""

    committed: bool  # False: it was in the ledger already, and what was prepared anew is backed out
    backed_out: tuple[XID, ...]  # units of a repetition, and orphans of the owner


@final
class CommitBatch(ExtensionStep):
    """Prepared units of work and a row of the ledger, all or nothing."""

    def __init__(self, owner: str, batch: int, xids: list[XID]) -> None:
        super().__init__(VERB, "commit_batch")
        self._call = BatchCommit(owner, batch, xids)

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        return self._call.attempt(kernel, link)

    def outcome(self) -> BatchOutcome:
        """The result."""
        return BatchOutcome(self._call.committed, tuple(self._call.backed_out))

    def arguments(self) -> dict[str, Any]:
        call = self._call
        return {"owner": call.owner, "batch": call.batch, "xids": _told_xids(call.xids)}

    def told(self) -> dict[str, Any]:
        call = self._call
        return {"committed": call.committed, "backed_out": _told_xids(call.backed_out)}

    def take(self, told: dict[str, Any], data: bytes, at: int) -> None:
        self._call.committed = bool(told["committed"])
        rows = told["backed_out"]
        self._call.backed_out = [
            XID(int(one[0]), bytes.fromhex(one[1]), bytes.fromhex(one[2])) for one in rows
        ]


def _told_xids(xids: list[XID]) -> list[list[Any]]:
    return [[one.format_id, one.global_id.hex(), one.branch_qualifier.hex()] for one in xids]
