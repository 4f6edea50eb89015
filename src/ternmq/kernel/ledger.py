"""A batch of prepared units of work, committed with its row of the ledger: for a sink that must not
write a batch twice, however often it is asked to.

Tasks of the sink put inside units of work and prepare them under XIDs that name owner, batch and
task (`batch_xid`). Then one call commits them all and the fact that the batch is done, in one
record of the log. Asked again, it finds the batch in the ledger, backs out what the repetition
prepared, and says so. Prepared units of the same owner that no call named (of tasks that died, and
of batches not above this one) are orphans, and backed out too.

To commit batches, a user needs `set` on the queue manager, since a row is there for good. A row
belongs to the user who made it: no other user goes on with it, administrators neither, for a row
that another user has filled would make a sink take its own batch for done. A user has
ROWS_A_USER_MAX rows at the most, all users together ROWS_MAX.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import XAER_INVAL, XAError, mq_error
from ternmq.base.reasons import (
    MQRC_NOT_AUTHORIZED,
    MQRC_RESOURCE_PROBLEM,
    MQRC_UNIT_OF_WORK_NOT_STARTED,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.kernel.authority import check
from ternmq.kernel.channel_in_doubt import is_of_channel
from ternmq.kernel.connection import Connection
from ternmq.kernel.ending import CommitNews, back_out_some, unit_committed
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.two_phase import find_prepared
from ternmq.security import authorities as auth
from ternmq.security.authorities import SELF_PROFILE
from ternmq.store.ledger import LedgerRow, first_row
from ternmq.txn.families.ledger_records import (
    MESSAGES_MAX,
    ROW_BYTES_MAX,
    commit_with_row,
    delete_row,
    persistent_puts,
)
from ternmq.txn.unit import PREPARED, UnitOfWork
from ternmq.values.batch import check_call, owner_and_batch
from ternmq.values.xid import XID

VERB: Final = "commit batch"
ROWS_MAX: Final = 10_000
ROWS_A_USER_MAX: Final = 1_000


@final
class BatchCommit:
    """One call, in as many steps as the backouts take."""

    def __init__(self, owner: str, batch: int, xids: list[XID]) -> None:
        check_call(owner, batch, xids)
        self.owner = owner
        self.batch = batch
        self.xids = xids
        self.committed = False  # False at the end: the batch was in the ledger already
        self.backed_out: list[XID] = []
        self._is_decided = False
        self._durable_at = 0
        self._left: list[UnitOfWork] = []  # to be backed out
        self._unit: UnitOfWork | None = None  # being backed out

    def attempt(self, kernel: Kernel, connection: Connection) -> bool:
        """Go on; True when it is done."""
        connection.begin_verb()
        kernel.refuse_if_broken(VERB)
        if not self._is_decided:
            if not self._decide(kernel, connection):
                return False
            self._is_decided = True
        else:
            self._back_out_some(kernel)
        connection.again = self._unit is not None or len(self._left) > 0
        connection.depends_on(self._durable_at)
        return not connection.again

    def _decide(self, kernel: Kernel, connection: Connection) -> bool:
        """Everything but backouts; False: the log must make room first."""
        _check_authority(kernel, connection)
        row = kernel.catalog.ledger.get(self.owner)
        if row is not None:
            if not _is_own(kernel, connection, row.user):
                raise mq_error(
                    MQRC_NOT_AUTHORIZED,
                    verb=VERB,
                    object=kernel.name,
                    detail=f"the ledger's row {self.owner!r} belongs to user '{row.user}', not to "
                    f"'{connection.user}'; connect as that user, or delete it (DELETE LEDGER)",
                )
            self._refuse_forgotten(kernel, row)
        else:
            self._refuse_beyond(kernel, connection)
        if row is not None and row.has(self.batch):
            self._durable_at = row.visible_lsn
            self._collect(kernel, connection)
            return True
        units = self._find_all(kernel, connection)
        if not kernel.can_log_object(connection, VERB, self.owner, ROW_BYTES_MAX):
            return False
        now_ns = int(kernel.clock.now_ns())
        if row is None:
            fresh = first_row(self.owner, connection.user, self.batch, now_ns)
        else:
            fresh = row.with_batch(self.batch, now_ns)
        news = CommitNews()
        for unit in units:
            news.expect(kernel, unit)
        ids = [int(unit.unit_id) for unit in units]
        self._durable_at = int(commit_with_row(kernel.coordinator, kernel.catalog, units, fresh))
        news.serve_waiters(kernel)
        for number in ids:
            self._durable_at = max(self._durable_at, int(unit_committed(kernel, number)))
        self.committed = True
        self._collect(kernel, connection)
        return True

    def _refuse_beyond(self, kernel: Kernel, connection: Connection) -> None:
        """No row is begun where there is no room for it."""
        rows = kernel.catalog.ledger
        count = sum(1 for one in rows.values() if one.user == connection.user)
        is_beyond = kernel.authority.enabled and count >= ROWS_A_USER_MAX
        if is_beyond or len(rows) >= ROWS_MAX:
            raise mq_error(
                MQRC_RESOURCE_PROBLEM,
                verb=VERB,
                object=kernel.name,
                detail=f"the ledger has {count} rows of user '{connection.user}' and {len(rows)} "
                f"in all; {ROWS_A_USER_MAX} and {ROWS_MAX} are the most: delete those of sinks "
                "that are gone (DELETE LEDGER)",
            )

    def _refuse_forgotten(self, kernel: Kernel, row: LedgerRow) -> None:
        if self.batch < row.floor:
            raise XAError(
                XAER_INVAL,
                MQRC_UNIT_OF_WORK_NOT_STARTED,
                verb=VERB,
                object=kernel.name,
                detail=f"batch {self.batch} of {self.owner!r} is older than the ledger remembers: "
                f"it has {row.floor} and later ones; nothing was done",
            )

    def _find_all(self, kernel: Kernel, connection: Connection) -> list[UnitOfWork]:
        """The units of the call; the first that is not as it must be is named, and nothing done."""
        units: list[UnitOfWork] = []
        for xid in self.xids:
            named = owner_and_batch(xid)
            if named is not None and named != (self.owner, self.batch):
                raise XAError(
                    XAER_INVAL,
                    MQRC_UNIT_OF_WORK_NOT_STARTED,
                    verb=VERB,
                    object=kernel.name,
                    detail=f"{xid!r} is of batch {named[1]} of {named[0]!r}, not of "
                    f"{self.batch} of {self.owner!r}; nothing was done",
                )
            units.append(find_prepared(kernel, connection, xid, VERB))
        count = persistent_puts(units)
        if count > MESSAGES_MAX:
            raise mq_error(
                MQRC_RESOURCE_PROBLEM,
                verb=VERB,
                object=kernel.name,
                detail=f"{count} persistent messages in batch {self.batch} of {self.owner!r}, one "
                f"record of the log takes {MESSAGES_MAX}; nothing was done",
            )
        return units

    def _collect(self, kernel: Kernel, connection: Connection) -> None:
        """What is to be backed out: units of the call that are prepared still, and orphans."""
        named = {xid.key for xid in self.xids}
        for unit in kernel.coordinator.prepared.values():
            xid = unit.xid
            if xid is None or unit.state != PREPARED or not _is_own(kernel, connection, xid.owner):
                continue
            if is_of_channel(xid):
                continue
            owner_batch = owner_and_batch(xid)
            is_orphan = (
                owner_batch is not None
                and owner_batch[0] == self.owner
                and owner_batch[1] <= self.batch
            )
            if is_orphan or xid.key in named:
                self._left.append(unit)
                self.backed_out.append(xid)

    def _back_out_some(self, kernel: Kernel) -> None:
        """The next bounded part. A unit that another call has ended meanwhile is left alone."""
        unit = self._unit
        while unit is None and self._left:
            first = self._left.pop(0)
            if first.state == PREPARED:
                unit = first
            elif first.xid is not None:
                self.backed_out.remove(first.xid)
        if unit is not None:
            self._unit = None if back_out_some(kernel, unit) else unit
            self._durable_at = max(self._durable_at, int(kernel.coordinator.log.end_lsn))


def _is_own(kernel: Kernel, connection: Connection, user: str) -> bool:
    """Whether what belongs to a user is the connection's own. Where nothing is checked, users are
    mere names."""
    return not kernel.authority.enabled or (user != "" and user == connection.user)


def _check_authority(kernel: Kernel, connection: Connection) -> None:
    if not connection.privileged:
        check(
            kernel, connection, connection.user, mq.MQOT_Q_MGR, SELF_PROFILE, auth.SET,
            VERB, mq.MQRQ_CMD_NOT_AUTHORIZED,
        )  # fmt: skip


def owns_row(kernel: Kernel, connection: Connection, owner: str) -> bool:
    """Whether the row is the user's own, which the user may then delete."""
    row = kernel.catalog.ledger.get(owner)
    return row is not None and _is_own(kernel, connection, row.user)


def delete_ledger(kernel: Kernel, connection: Connection, owner: str, verb: str) -> bool:
    """Forget an owner's batches; False: the log must make room first. The caller has checked
    the authority."""
    connection.begin_verb()
    kernel.refuse_if_broken(verb)
    if owner not in kernel.catalog.ledger:
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=verb, object=owner)
    if not kernel.can_log_object(connection, verb, owner):
        return False
    connection.depends_on(delete_row(kernel.coordinator, kernel.catalog, owner))
    return True
