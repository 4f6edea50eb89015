"""A unit of work: what it changed, in order, and how it stands.

Plain data; `coordinator` moves it through its states. The states: ACTIVE until a commit, backout or
prepare; PREPARED is in doubt and is never ended but by its coordinator or an operator; BACKING_OUT
while compensation goes on in bounded steps; ENDED.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.store.queue import Queue
from ternmq.values.entry import Entry
from ternmq.values.xid import XID

if TYPE_CHECKING:
    from ternmq.txn.own_puts import OwnPuts

ACTIVE: Final = 0
PREPARED: Final = 1
BACKING_OUT: Final = 2
ENDED: Final = 3

STATE_NAMES: Final = ("active", "prepared", "backing out", "ended")

CHANGE_NONE: Final = 0  # was a put, which the unit itself has got: nothing is left to do
CHANGE_PUT: Final = 1
CHANGE_GET: Final = 2


@final
class Change:
    """One message put or got inside the unit."""

    __slots__ = ("entry", "kind", "queue")

    def __init__(self, kind: i64, queue: Queue, entry: Entry) -> None:
        self.kind: i64 = kind
        self.queue = queue
        self.entry = entry


class Restore:
    """Something beside the queues that a backout of the unit takes back."""

    def restore(self) -> None:
        """The unit is backed out."""
        raise NotImplementedError


@final
class UnitOfWork:
    """All or nothing."""

    __slots__ = (
        "backed_out_by",
        "changes",
        "copies",
        "durable_at",
        "first_lsn",
        "last_lsn",
        "own",
        "own_gets",
        "reserved",
        "restores",
        "started_ns",
        "state",
        "unit_id",
        "was_undone",
        "xid",
    )

    def __init__(self, unit_id: i64) -> None:
        self.unit_id: i64 = unit_id
        self.started_ns: i64 = 0  # when its first put or get began; 0 if it was not noted
        self.state: i64 = ACTIVE
        self.first_lsn: i64 = 0  # 0: nothing of it is in the log
        self.last_lsn: i64 = 0
        self.changes: list[Change] = []
        self.copies: i64 = 0  # how many of them put copies, which do not count in MAXUMSGS
        self.own_gets: i64 = 0  # gets of its own puts, which leave no change
        self.own: OwnPuts | None = None  # an index of its puts, once a get has asked for it
        self.reserved: i64 = 0
        self.durable_at: i64 = 0  # the highest LSN that its gets have read
        self.xid: XID | None = None
        self.restores: list[Restore] | None = None
        self.was_undone = False  # its backout has begun
        self.backed_out_by = ""  # why the queue manager ended it; verbs of the unit report it

    @property
    def uncommitted(self) -> i64:
        """Its puts and gets, as MAXUMSGS counts them."""
        return len(self.changes) - self.copies + self.own_gets

    def restore(self) -> None:
        """It is backed out: so is what it has changed beside the queues."""
        if self.restores is not None:
            for one in self.restores:
                one.restore()


def serialize_unit(unit: UnitOfWork, only: Queue | None) -> dict[str, object]:
    """A prepared unit as CHECKPOINT and media images have it, with all its changes or those to one
    queue."""
    changes = [
        [int(change.kind), int(change.queue.queue_id), int(change.entry.number)]
        for change in unit.changes
        if change.kind != CHANGE_NONE
        and change.entry.persistent
        and (only is None or change.queue is only)
    ]
    xid = unit.xid
    return {
        "id": int(unit.unit_id),
        "state": int(unit.state),
        "first_lsn": int(unit.first_lsn),
        "last_lsn": int(unit.last_lsn),
        "format_id": 0 if xid is None else xid.format_id,
        "global_id": "" if xid is None else xid.global_id.hex(),
        "branch": "" if xid is None else xid.branch_qualifier.hex(),
        "owner": "" if xid is None else xid.owner,
        "changes": changes,
    }
