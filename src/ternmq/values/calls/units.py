"""Units of work: MQBEGIN, MQCMIT, MQBACK, MQDISC; two-phase commit; batches with a ledger row."""

from __future__ import annotations

from typing import final

from ternmq.values.calls.call import UNIT_BEGINS, UNIT_ENDS, UNIT_LEAVES, Call
from ternmq.values.status import BatchOutcome, UnitInDoubt
from ternmq.values.xid import XID


@final
class Begin(Call):
    """MQBEGIN: puts and gets are inside syncpoint from now on."""

    def __init__(self) -> None:
        super().__init__("begin", "MQBEGIN", UNIT_BEGINS)


@final
class Commit(Call):
    """MQCMIT."""

    def __init__(self) -> None:
        super().__init__("commit", "MQCMIT", UNIT_ENDS)


@final
class BackOut(Call):
    """MQBACK."""

    def __init__(self) -> None:
        super().__init__("back_out", "MQBACK", UNIT_ENDS)


@final
class Disconnect(Call):
    """MQDISC; commits unless the application has vanished."""

    def __init__(self, vanished: bool = False) -> None:
        super().__init__("disconnect", "MQDISC", UNIT_ENDS)
        self.vanished = vanished
        self.backed_out_by = ""  # why the queue manager had backed the unit of work out


@final
class Prepare(Call):
    """The first phase of a two-phase commit; `prepared` is False if the unit changed nothing."""

    def __init__(self, xid: XID) -> None:
        super().__init__("prepare", "prepare", UNIT_LEAVES)
        self.xid = xid
        self.prepared = False


@final
class EndPrepared(Call):
    """The second phase; `heuristic` if an operator decides."""

    def __init__(self, xid: XID, commit: bool, heuristic: bool) -> None:
        super().__init__("end_prepared", "commit" if commit else "backout")
        self.xid = xid
        self.commit = commit
        self.heuristic = heuristic


@final
class Recover(Call):
    """XIDs of prepared units, and of those that an operator resolved and that wait for a forget."""

    def __init__(self) -> None:
        super().__init__("recover", "recover")
        self.xids: list[XID] = []


@final
class Forget(Call):
    """Drop the memory of a heuristic outcome."""

    def __init__(self, xid: XID) -> None:
        super().__init__("forget", "forget")
        self.xid = xid


@final
class InquireUnitsInDoubt(Call):
    """Prepared units, and those that an operator ended: for dspmqtrn."""

    def __init__(self) -> None:
        super().__init__("units_in_doubt", "recover")
        self.units: list[UnitInDoubt] = []


@final
class CommitBatch(Call):
    """Prepared units of work and a row of the ledger, all or nothing."""

    def __init__(self, owner: str, batch: int, xids: list[XID]) -> None:
        super().__init__("commit_batch", "commit batch")
        from ternmq.values.batch import check_call  # for sinks alone

        check_call(owner, batch, xids)
        self.owner = owner
        self.batch = batch
        self.xids = xids
        self.committed = False
        self.backed_out: list[XID] = []

    def outcome(self) -> BatchOutcome:
        """The result."""
        return BatchOutcome(self.committed, tuple(self.backed_out))
