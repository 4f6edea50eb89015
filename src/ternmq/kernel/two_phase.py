"""Two-phase commit: prepare, then commit or back out by XID; recover and forget.

A prepared unit is in doubt: it survives restart, holds its messages, and is ended only by its
transaction manager or by an operator. An operator's decision is heuristic and is remembered until
the transaction manager forgets it. Batches of channels are prepared units too (`channel_in_doubt`):
they are not offered to transaction managers, and only RESOLVE CHANNEL ends them for an operator.

A unit belongs to the user who prepared it, which the log remembers: only that user and
administrators may end it, hear of it and forget it. One whose user is not known is for
administrators.
"""

from __future__ import annotations

from typing import Final

from ternmq.base.errors import (
    XA_HEURCOM,
    XA_HEURRB,
    XAER_DUPID,
    XAER_INVAL,
    XAER_NOTA,
    XAError,
    mq_error,
)
from ternmq.base.limits import USER_NAME_BYTES_MAX
from ternmq.base.reasons import (
    MQRC_RESOURCE_PROBLEM,
    MQRC_UNIT_OF_WORK_NOT_STARTED,
    MQRC_UOW_IN_PROGRESS,
)
from ternmq.kernel.authority import check_administrator
from ternmq.kernel.channel_in_doubt import is_of_channel
from ternmq.kernel.connection import Connection
from ternmq.kernel.ending import back_out_some, commit_unit, give_up, refuse_prepare
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering_calls import was_backed_out, was_committed, was_prepared
from ternmq.txn.unit import UnitOfWork
from ternmq.values.xid import XID, check_xid

PREPARE_BYTES: Final = 256 + 16 * USER_NAME_BYTES_MAX
HEURISTIC_COMMIT: Final = 1
HEURISTIC_BACKOUT: Final = 2
HEURISTIC_NAMES: Final = {HEURISTIC_COMMIT: "committed", HEURISTIC_BACKOUT: "backed out"}
HEURISTIC_CODES: Final = {HEURISTIC_COMMIT: XA_HEURCOM, HEURISTIC_BACKOUT: XA_HEURRB}


def prepare(kernel: Kernel, connection: Connection, xid: XID) -> bool:
    """Prepare the connection's unit of work and let go of it; False: it changed nothing and has
    ended, or the verb is parked until the log has room."""
    connection.begin_verb()
    kernel.refuse_if_broken("prepare")
    check_xid(xid)
    _refuse_of_channel(kernel, xid, "prepare")
    give_up(kernel, connection)  # no part of a verb is prepared
    refuse_prepare(connection)
    coordinator = kernel.coordinator
    if xid.key in coordinator.prepared or xid.key in coordinator.heuristic:
        raise XAError(
            XAER_DUPID,
            MQRC_UOW_IN_PROGRESS,
            verb="prepare",
            object=kernel.name,
            detail=f"{xid!r} is in use",
        )
    unit = connection.unit
    if unit is None or not unit.changes:
        connection.unit = None
        return False
    _refuse_beyond_share(kernel, connection, unit)
    if not coordinator.has_room(unit, PREPARE_BYTES):
        kernel.make_room(connection, "prepare", kernel.name, PREPARE_BYTES)
        return False
    connection.log_tries = 0
    owned = XID(xid.format_id, xid.global_id, xid.branch_qualifier, connection.user)
    connection.depends_on(coordinator.prepare(unit, owned))
    connection.unit = None
    if kernel.measured:
        was_prepared(kernel, connection)
    return True


def _refuse_beyond_share(kernel: Kernel, connection: Connection, unit: UnitOfWork) -> None:
    """One user's units in doubt must not take the log from everybody else."""
    if connection.privileged:
        return
    why = kernel.coordinator.refusal_of_prepare(unit, connection.user)
    if why:
        raise mq_error(
            MQRC_RESOURCE_PROBLEM,
            verb="prepare",
            object=kernel.name,
            detail=f"{why}; end some of them (dspmqtrn, rsvmqtrn), or let the log have more or "
            "larger files; this unit of work goes on as it was",
        )


def _refuse_of_channel(kernel: Kernel, xid: XID, verb: str) -> None:
    """XIDs of channels are the queue manager's own."""
    if is_of_channel(xid):
        raise XAError(
            XAER_INVAL,
            MQRC_UNIT_OF_WORK_NOT_STARTED,
            verb=verb,
            object=kernel.name,
            detail=f"{xid!r} names a batch of a channel; use RESOLVE CHANNEL to end it",
        )


def may_decide(connection: Connection, owner: str) -> bool:
    """Whether a unit of that owner is the connection's business."""
    if connection.privileged:
        return True
    return owner != "" and owner == connection.user


def find_prepared(kernel: Kernel, connection: Connection, xid: XID, verb: str) -> UnitOfWork:
    kernel.refuse_if_broken(verb)
    _refuse_of_channel(kernel, xid, verb)
    unit = kernel.coordinator.prepared.get(xid.key)
    if unit is None:
        outcome = kernel.coordinator.heuristic.get(xid.key)
        code = XAER_NOTA
        detail = f"{xid!r} is not in doubt"
        if outcome is not None:
            code = HEURISTIC_CODES[outcome]
            detail = f"{xid!r} was {HEURISTIC_NAMES[outcome]} by an operator; forget it"
        raise XAError(
            code, MQRC_UNIT_OF_WORK_NOT_STARTED, verb=verb, object=kernel.name, detail=detail
        )
    if unit.xid is None or not may_decide(connection, unit.xid.owner):
        check_administrator(kernel, connection, verb)
    return unit


def commit_prepared(kernel: Kernel, connection: Connection, xid: XID) -> None:
    """The transaction manager decides to commit."""
    connection.begin_verb()
    commit_unit(kernel, connection, find_prepared(kernel, connection, xid, "commit"))
    if kernel.measured:
        was_committed(kernel, connection)


def back_out_prepared(kernel: Kernel, connection: Connection, xid: XID) -> UnitOfWork:
    """The transaction manager decides to back out; the caller goes on with `back_out_some` until
    it is done."""
    connection.begin_verb()
    unit = find_prepared(kernel, connection, xid, "backout")
    connection.again = not back_out_some(kernel, unit)
    if kernel.measured:
        was_backed_out(kernel, connection)
    connection.depends_on(kernel.coordinator.log.end_lsn)
    return unit


def go_on_backing_out(kernel: Kernel, connection: Connection, unit: UnitOfWork) -> None:
    """The next bounded part."""
    connection.begin_verb()
    connection.again = not back_out_some(kernel, unit)
    connection.depends_on(kernel.coordinator.log.end_lsn)


def note_heuristic(kernel: Kernel, connection: Connection, xid: XID, committed: bool) -> None:
    """An operator is about to decide; ORDER: the decision is in the log before its effect."""
    connection.begin_verb()
    unit = find_prepared(kernel, connection, xid, "resolve")
    outcome = HEURISTIC_COMMIT if committed else HEURISTIC_BACKOUT
    connection.depends_on(kernel.coordinator.note_heuristic(unit.xid or xid, outcome))


def prepared_xids(kernel: Kernel) -> list[XID]:
    """Every XID that is in doubt, but for those of channels."""
    known = [unit.xid for unit in kernel.coordinator.prepared.values()]
    return [xid for xid in known if xid is not None and not is_of_channel(xid)]


def recover(kernel: Kernel) -> list[XID]:
    """Every XID that is in doubt or was decided by an operator and not yet forgotten."""
    coordinator = kernel.coordinator
    xids = prepared_xids(kernel)
    for key in coordinator.heuristic:
        owner = coordinator.heuristic_owners.get(key, "")
        xids.append(XID(key[0], key[1], key[2], owner))
    return xids


def recover_for(kernel: Kernel, connection: Connection) -> list[XID]:
    """Those of them that are the connection's business."""
    return [xid for xid in recover(kernel) if may_decide(connection, xid.owner)]


def forget(kernel: Kernel, connection: Connection, xid: XID) -> None:
    """The transaction manager has learnt of a heuristic outcome."""
    connection.begin_verb()
    if xid.key not in kernel.coordinator.heuristic:
        raise XAError(
            XAER_NOTA,
            MQRC_UNIT_OF_WORK_NOT_STARTED,
            verb="forget",
            object=kernel.name,
            detail=f"{xid!r} has no heuristic outcome",
        )
    if not may_decide(connection, kernel.coordinator.heuristic_owners.get(xid.key, "")):
        check_administrator(kernel, connection, "forget")
    connection.depends_on(kernel.coordinator.forget(xid))
