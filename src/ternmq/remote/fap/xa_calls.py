"""Two-phase commit by MQ's client protocol: the XA calls behind `prepare` and the rest.

The API prepares the unit of work that the connection has. XA wants a branch to be started before
its work; our queue manager lets a branch that is started in the middle of a unit adopt it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.base.errors import (
    XA_HEURCOM,
    XA_HEURRB,
    XA_NAMES,
    XAER_DUPID,
    XAER_INVAL,
    XAER_NOTA,
    XAError,
    mq_error,
)
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_CONNECTION_BROKEN,
    MQRC_FUNCTION_NOT_SUPPORTED,
    MQRC_RESOURCE_PROBLEM,
    MQRC_UNEXPECTED_ERROR,
    MQRC_UNIT_OF_WORK_NOT_STARTED,
    MQRC_UOW_IN_PROGRESS,
)
from ternmq.remote.fap.client_conversation import Reply
from ternmq.remote.fap.frames import FapRequest, whole_body
from ternmq.remote.remote_verbs import Exchange
from ternmq.values.xid import XID, check_xid
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.vocabulary import (
    XA_COMMIT,
    XA_END,
    XA_FORGET,
    XA_OPEN,
    XA_PREPARE,
    XA_RECOVER,
    XA_ROLLBACK,
    XA_START,
)

if TYPE_CHECKING:
    from ternmq.remote.fap.fap_verbs import FapVerbs

TMSUCCESS: Final = 0x04000000
_TMSTARTRSCAN: Final = 0x01000000
_XA_RDONLY: Final = 3
_XA_RBBASE: Final = 100
_XA_RBEND: Final = 107
_RECOVERED_MAX: Final = 1000
# What comes nearest among MQ's reasons, as the queue manager has it for its own applications.
_REASONS: Final = {XAER_DUPID: MQRC_UOW_IN_PROGRESS}
_SAID: Final = {
    XAER_DUPID: "is in use",
    XAER_NOTA: "is not in doubt",
    XAER_INVAL: "cannot be",
    XA_HEURCOM: "was committed by an operator; forget it",
    XA_HEURRB: "was backed out by an operator; forget it",
}


# Codes of the resource manager, which say less than a reason.
_FAILURES: Final = {
    -3: (MQRC_RESOURCE_PROBLEM, "XAER_RMERR"),
    -6: (MQRC_UOW_IN_PROGRESS, "XAER_PROTO"),
    -7: (MQRC_CONNECTION_BROKEN, "XAER_RMFAIL"),
    -9: (MQRC_UOW_IN_PROGRESS, "XAER_OUTSIDE"),
}


def _request(type: int, values: Values) -> FapRequest:
    return FapRequest(type, None, whole_body(type, values))


def _branch(xid: XID, flags: int = 0) -> Values:
    branch = {"format_id": xid.format_id, "gtrid": xid.global_id, "bqual": xid.branch_qualifier}
    return {"xid": branch, "flags": flags, "rmid": 1}


def _checked(reply: Reply, verb: str, name: str, xid: XID | None = None) -> int:
    """XA's return value, if it is not an error."""
    code = reply.comp
    if _XA_RBBASE <= code <= _XA_RBEND:
        raise mq_error(MQRC_BACKED_OUT, verb=verb, object=name, detail=f"XA code {code}")
    if code in XA_NAMES:
        reason = _REASONS.get(code, MQRC_UNIT_OF_WORK_NOT_STARTED)
        detail = "" if xid is None else f"{xid!r} {_SAID[code]}"
        raise XAError(code, reason, verb=verb, object=name, detail=detail)
    if code < 0:
        reason, said = _FAILURES.get(code, (MQRC_UNEXPECTED_ERROR, "unknown"))
        detail = f"XA code {code}, {said}; the queue manager's error log may say more"
        raise mq_error(reason, verb=verb, object=name, detail=detail)
    return code


def _opened(verbs: FapVerbs) -> Exchange[None]:
    if verbs.has_xa:
        return
    if not verbs.has_xa_calls:
        detail = "the channel has no XA calls"
        raise mq_error(MQRC_FUNCTION_NOT_SUPPORTED, verb="XA", object=verbs.name, detail=detail)
    reply = yield _request(XA_OPEN, {"info": "", "rmid": 1})
    _checked(reply, "XA_OPEN", verbs.name)
    verbs.has_xa = True


def prepare(verbs: FapVerbs, xid: XID) -> Exchange[bool]:
    """Prepare the unit of work under an XID; False if it changed nothing."""
    check_xid(xid)
    yield from _opened(verbs)
    for type, flags in ((XA_START, 0), (XA_END, TMSUCCESS)):
        reply = yield _request(type, _branch(xid, flags))
        _checked(reply, "prepare", verbs.name, xid)
    reply = yield _request(XA_PREPARE, _branch(xid))
    return _checked(reply, "prepare", verbs.name, xid) != _XA_RDONLY


def end_prepared(verbs: FapVerbs, xid: XID, commit: bool, heuristic: bool) -> Exchange[None]:
    """Commit or back out a prepared unit. An operator's decision is a command, not a call."""
    if heuristic:
        detail = "an operator decides at the queue manager: rsvmqtrn"
        raise mq_error(
            MQRC_FUNCTION_NOT_SUPPORTED, verb="resolve", object=verbs.name, detail=detail
        )
    yield from _opened(verbs)
    reply = yield _request(XA_COMMIT if commit else XA_ROLLBACK, _branch(xid))
    code = reply.comp
    if commit or not _XA_RBBASE <= code <= _XA_RBEND:
        _checked(reply, "commit" if commit else "backout", verbs.name, xid)


def recover(verbs: FapVerbs, at_once: int = _RECOVERED_MAX) -> Exchange[list[XID]]:
    """What is in doubt, asked for in parts."""
    yield from _opened(verbs)
    found: list[XID] = []
    flags = _TMSTARTRSCAN
    while True:
        reply = yield _request(XA_RECOVER, {"count": at_once, "flags": flags, "rmid": 1})
        if reply.comp < 0:  # else it is a count, whatever the same number means elsewhere
            _checked(reply, "recover", verbs.name)
        xids = reply.values()["xids"]
        found += [XID(one["format_id"], one["gtrid"], one["bqual"]) for one in xids]
        if len(xids) < at_once:
            return found
        flags = 0


def forget(verbs: FapVerbs, xid: XID) -> Exchange[None]:
    """Drop the memory of a heuristic outcome."""
    yield from _opened(verbs)
    reply = yield _request(XA_FORGET, _branch(xid))
    _checked(reply, "forget", verbs.name, xid)
