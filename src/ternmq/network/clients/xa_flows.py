"""XA calls: a transaction manager at the client drives two-phase commit here.

A connection does the work of one branch at a time, between xa_start and xa_end. What it did is
then prepared, committed in one phase or rolled back by the branch's name, also by another
connection once it is prepared. Answers are XA's own return values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from ternmq.base.errors import MQError, XAError
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_CONNECTION_BROKEN,
    MQRC_NOT_AUTHORIZED,
    MQRC_Q_MGR_STOPPING,
)
from ternmq.kernel import two_phase
from ternmq.mqi.steps import units as steps
from ternmq.mqi.steps.step import Step
from ternmq.network.clients.conversation import Call, Conversation
from ternmq.values.calls import units as calls
from ternmq.values.xid import XID, check_xid
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import Header, Segment
from ternmq.wire.fap.vocabulary import (
    REPLY,
    TMENDRSCAN,
    TMJOIN,
    TMONEPHASE,
    TMRESUME,
    TMSTARTRSCAN,
    XA_CLOSE,
    XA_COMMIT,
    XA_COMPLETE,
    XA_END,
    XA_FORGET,
    XA_OPEN,
    XA_PREPARE,
    XA_RECOVER,
    XA_ROLLBACK,
    XA_START,
)

XA_OK: Final = 0
XA_RDONLY: Final = 3
XA_RBROLLBACK: Final = 100
XAER_RMERR: Final = -3
XAER_NOTA: Final = -4
XAER_INVAL: Final = -5
XAER_PROTO: Final = -6
XAER_RMFAIL: Final = -7
XAER_DUPID: Final = -8
XAER_OUTSIDE: Final = -9
_GONE: Final = (MQRC_CONNECTION_BROKEN, MQRC_Q_MGR_STOPPING)


def code_of(error: MQError) -> int:
    """XA's return value for an error."""
    if isinstance(error, XAError):
        return error.xa
    if error.reason in _GONE:
        return XAER_RMFAIL
    if error.reason == MQRC_BACKED_OUT:
        return XA_RBROLLBACK
    if error.reason == MQRC_NOT_AUTHORIZED:
        return XAER_NOTA  # another's unit of work: as xa_recover, it says nothing of it
    return XAER_RMERR


def answer(conversation: Conversation, header: Header, values: Values, code: int) -> None:
    """The reply of an XA call."""
    fields: Values = {
        "return_value": code,
        "flags": values.get("flags", 0),
        "rmid": values.get("rmid", 0),
    }
    if header.type == XA_RECOVER:
        fields["xids"] = values.get("xids", [])
    conversation.send(header.answer(header.type + REPLY), fields)


def refuse_xa(conversation: Conversation, header: Header, error: MQError) -> None:
    """A call that went wrong before it began."""
    answer(conversation, header, {}, code_of(error))


@final
class XACall(Call):
    """An XA call that is a step."""

    def __init__(
        self,
        conversation: Conversation,
        header: Header,
        values: Values,
        step: Step,
        done: Callable[[Conversation, Step], int],
    ) -> None:
        self.step = step
        self.done = done
        self.code = XA_OK
        super().__init__(conversation, header, values)

    def attempt(self) -> bool:
        return self.conversation.connected().attempt(self.step)

    def finish(self) -> None:
        self.code = self.done(self.conversation, self.step)

    def answer(self) -> None:
        answer(self.conversation, self.header, self.values, self.code)
        self.conversation.end(self)

    def refuse(self, error: MQError) -> None:
        self.code = code_of(error)
        if error.reason == MQRC_BACKED_OUT:
            self.conversation.branches.ended = None
        self.answer()


def _nothing_more(conversation: Conversation, step: Step) -> int:
    return XA_OK


def _unit_is_over(conversation: Conversation, step: Step) -> int:
    conversation.branches.ended = None
    conversation.unit_fails = False
    return XA_OK


def _undone(conversation: Conversation, step: Step) -> int:
    """It was backed out, for an asynchronous put of it had failed."""
    _unit_is_over(conversation, step)
    return XA_RBROLLBACK


def _prepared(conversation: Conversation, step: Step) -> int:
    conversation.branches.ended = None
    if isinstance(step, steps.Prepare) and not step.call.prepared:
        return XA_RDONLY
    return XA_OK


def _read(conversation: Conversation, one: Segment) -> tuple[Values, XID]:
    values = conversation.read(one)
    given: Values = values["xid"]
    xid = XID(int(given["format_id"]), bytes(given["gtrid"]), bytes(given["bqual"]))
    return values, xid


def _is_valid(xid: XID) -> bool:
    try:
        check_xid(xid)
    except ValueError:
        return False
    return True


def xa_open(conversation: Conversation, one: Segment) -> None:
    """xa_open, xa_close: the connection is there already."""
    values = conversation.read(one)
    answer(conversation, one.header, values, XA_OK)


def xa_start(conversation: Conversation, one: Segment) -> None:
    """Work for a branch begins, or goes on."""
    values, xid = _read(conversation, one)
    answer(conversation, one.header, values, _start(conversation, values, xid))


def _start(conversation: Conversation, values: Values, xid: XID) -> int:
    branches = conversation.branches
    verbs = conversation.connected()
    flags = int(values["flags"])
    if not _is_valid(xid):
        return XAER_INVAL
    if branches.current is not None:
        return XAER_PROTO
    if flags & (TMJOIN | TMRESUME):
        if branches.ended != xid:
            return XAER_NOTA
        branches.ended = None
    else:
        coordinator = verbs.engine.kernel.coordinator
        if branches.ended == xid or xid.key in coordinator.prepared:
            return XAER_DUPID
        unit = verbs.link.unit
        has_work = unit is not None and len(unit.changes) > 0
        # Our own client names the branch at the end of its work.
        if branches.ended is not None or (has_work and not conversation.is_own_client):
            return XAER_OUTSIDE
    branches.current = xid
    return XA_OK


def xa_end(conversation: Conversation, one: Segment) -> None:
    """Work for a branch ends, or pauses (TMSUSPEND)."""
    values, xid = _read(conversation, one)
    branches = conversation.branches
    code = XA_OK
    if branches.current is None:
        code = XAER_PROTO
    elif branches.current != xid:
        code = XAER_NOTA
    else:
        branches.current = None
        branches.ended = xid
    answer(conversation, one.header, values, code)


def _step(
    conversation: Conversation,
    one: Segment,
    values: Values,
    step: Step,
    done: Callable[[Conversation, Step], int] = _nothing_more,
) -> None:
    XACall(conversation, one.header, values, step, done).go_on()


def xa_prepare(conversation: Conversation, one: Segment) -> None:
    """The first phase."""
    values, xid = _read(conversation, one)
    if conversation.branches.current == xid:
        answer(conversation, one.header, values, XAER_PROTO)
    elif conversation.branches.ended != xid:
        answer(conversation, one.header, values, XAER_NOTA)
    elif conversation.unit_fails:
        _step(conversation, one, values, steps.BackOut(calls.BackOut()), _undone)
    else:
        _step(conversation, one, values, steps.Prepare(calls.Prepare(xid)), _prepared)


def xa_commit(conversation: Conversation, one: Segment) -> None:
    """The second phase, or both at once."""
    values, xid = _read(conversation, one)
    branches = conversation.branches
    if int(values["flags"]) & TMONEPHASE:
        if branches.ended != xid:
            answer(conversation, one.header, values, XAER_NOTA)
        elif conversation.unit_fails:
            _step(conversation, one, values, steps.BackOut(calls.BackOut()), _undone)
        else:
            _step(conversation, one, values, steps.Commit(calls.Commit()), _unit_is_over)
    elif branches.ended == xid or branches.current == xid:
        answer(conversation, one.header, values, XAER_PROTO)
    else:
        _step(conversation, one, values, steps.EndPrepared(calls.EndPrepared(xid, True, False)))


def xa_rollback(conversation: Conversation, one: Segment) -> None:
    """Back out, prepared or not."""
    values, xid = _read(conversation, one)
    branches = conversation.branches
    if branches.current == xid:
        answer(conversation, one.header, values, XAER_PROTO)
    elif branches.ended == xid:
        _step(conversation, one, values, steps.BackOut(calls.BackOut()), _unit_is_over)
    else:
        _step(conversation, one, values, steps.EndPrepared(calls.EndPrepared(xid, False, False)))


def xa_forget(conversation: Conversation, one: Segment) -> None:
    """The memory of an operator's decision goes."""
    values, xid = _read(conversation, one)
    _step(conversation, one, values, steps.Forget(calls.Forget(xid)))


def xa_recover(conversation: Conversation, one: Segment) -> None:
    """What is in doubt, as many as are asked for at once; a scan goes on where it was."""
    values = conversation.read(one)
    verbs = conversation.connected()
    flags = int(values["flags"])
    if flags & TMSTARTRSCAN or conversation.scan is None:
        with verbs.shell.lock:
            conversation.scan = two_phase.recover_for(verbs.engine.kernel, verbs.link)
    count = max(int(values["count"]), 0)
    found = conversation.scan[:count]
    conversation.scan = None if flags & TMENDRSCAN else conversation.scan[count:]
    values["xids"] = [
        {"format_id": xid.format_id, "gtrid": xid.global_id, "bqual": xid.branch_qualifier}
        for xid in found
    ]
    answer(conversation, one.header, values, len(found))


def xa_complete(conversation: Conversation, one: Segment) -> None:
    """There is nothing that goes on by itself."""
    values = conversation.read(one)
    answer(conversation, one.header, values, XAER_INVAL)


XA_CALLS: Final[dict[int, Callable[[Conversation, Segment], None]]] = {
    XA_OPEN: xa_open,
    XA_CLOSE: xa_open,
    XA_START: xa_start,
    XA_END: xa_end,
    XA_PREPARE: xa_prepare,
    XA_COMMIT: xa_commit,
    XA_ROLLBACK: xa_rollback,
    XA_FORGET: xa_forget,
    XA_RECOVER: xa_recover,
    XA_COMPLETE: xa_complete,
}
