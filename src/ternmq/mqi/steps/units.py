"""Units of work as steps: MQBEGIN, MQCMIT, MQBACK, MQDISC; two-phase commit; batches."""

from __future__ import annotations

from typing import final

from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_UOW_IN_PROGRESS
from ternmq.kernel import two_phase
from ternmq.kernel.authority import check_administrator
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.ending import back_out, commit, disconnect
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.ledger import BatchCommit
from ternmq.mqi.steps.step import Step
from ternmq.txn.unit import UnitOfWork
from ternmq.values.calls import units as calls
from ternmq.values.status import PREPARED, UnitInDoubt
from ternmq.values.xid import XID


@final
class Begin(Step):
    """MQBEGIN: a unit that the queue manager coordinates; here, always with itself alone."""

    def __init__(self, call: calls.Begin) -> None:
        super().__init__(call.verb)

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        kernel.refuse_if_ending(False, self.verb)
        link.begin_verb()
        unit = link.unit
        if unit is not None and unit.changes:
            raise mq_error(MQRC_UOW_IN_PROGRESS, verb=self.verb, object=kernel.name)
        return True


@final
class Commit(Step):
    """MQCMIT."""

    def __init__(self, call: calls.Commit) -> None:
        super().__init__(call.verb)

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        commit(kernel, link)
        return not link.again


@final
class BackOut(Step):
    """MQBACK."""

    def __init__(self, call: calls.BackOut) -> None:
        super().__init__(call.verb)

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        back_out(kernel, link)
        return not link.again


@final
class Disconnect(Step):
    """MQDISC; commits unless the application has vanished."""

    def __init__(self, call: calls.Disconnect) -> None:
        super().__init__(call.verb)
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        unit = link.unit
        if unit is not None and unit.backed_out_by:
            self.call.backed_out_by = unit.backed_out_by
        disconnect(kernel, link, self.call.vanished)
        return not link.again


@final
class Prepare(Step):
    """The first phase of a two-phase commit."""

    def __init__(self, call: calls.Prepare) -> None:
        super().__init__(call.verb)
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        self.call.prepared = two_phase.prepare(kernel, link, self.call.xid)
        return link.park is None


@final
class EndPrepared(Step):
    """The second phase; `heuristic` if an operator decides."""

    def __init__(self, call: calls.EndPrepared) -> None:
        super().__init__(call.verb)
        self.call = call
        self._unit: UnitOfWork | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        call = self.call
        if self._unit is not None:
            two_phase.go_on_backing_out(kernel, link, self._unit)
            return not link.again
        if call.heuristic:
            check_administrator(kernel, link, self.verb)
            two_phase.note_heuristic(kernel, link, call.xid, call.commit)
        if call.commit:
            two_phase.commit_prepared(kernel, link, call.xid)
        else:
            self._unit = two_phase.back_out_prepared(kernel, link, call.xid)
        return not link.again


@final
class Recover(Step):
    """Prepared units, and those that an operator ended, as far as they are the user's business."""

    def __init__(self, call: calls.Recover) -> None:
        super().__init__(call.verb)
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        self.call.xids = two_phase.recover_for(kernel, link)
        return True


@final
class Forget(Step):
    """Drop the memory of a heuristic outcome."""

    def __init__(self, call: calls.Forget) -> None:
        super().__init__(call.verb)
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        two_phase.forget(kernel, link, self.call.xid)
        return True


@final
class InquireUnitsInDoubt(Step):
    """All of them, and what became of each."""

    def __init__(self, call: calls.InquireUnitsInDoubt) -> None:
        super().__init__(call.verb)
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        check_administrator(kernel, link, self.verb)
        self.call.units = units_in_doubt(kernel)
        return True


def units_in_doubt(kernel: Kernel) -> list[UnitInDoubt]:
    """Those that wait first, each kind in the order in which it came. Batches of channels are not
    among them: DISPLAY CHSTATUS shows those."""
    coordinator = kernel.coordinator
    waiting = [UnitInDoubt(xid, PREPARED) for xid in two_phase.prepared_xids(kernel)]
    decided = [
        UnitInDoubt(
            XID(*key, coordinator.heuristic_owners.get(key, "")),
            two_phase.HEURISTIC_NAMES[outcome],
        )
        for key, outcome in coordinator.heuristic.items()
    ]
    return waiting + decided


@final
class CommitBatch(Step):
    """Prepared units of work and a row of the ledger, all or nothing."""

    def __init__(self, call: calls.CommitBatch) -> None:
        super().__init__(call.verb)
        self.call = call
        self._commit = BatchCommit(call.owner, call.batch, call.xids)

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        batch = self._commit
        done = batch.attempt(kernel, link)
        self.call.committed = batch.committed
        self.call.backed_out = batch.backed_out
        return done
