"""What can go wrong, as exceptions. `MQError` and its families answer a caller with a completion
and a reason code; `ProtocolError` ends a connection; `IntegrityError` and `ForceFailed` stop the
process.
"""

from __future__ import annotations

from typing import Any, Final

from ternmq.base.constants import MQCC_FAILED
from ternmq.base.reason_lookup import reason as reason_row

# X/Open, Distributed TP: The XA Specification; the codes that two-phase commit answers with here.
XA_HEURCOM: Final = 7
XA_HEURRB: Final = 6
XAER_NOTA: Final = -4
XAER_INVAL: Final = -5
XAER_DUPID: Final = -8
XA_NAMES: Final = {
    XA_HEURCOM: "XA_HEURCOM",
    XA_HEURRB: "XA_HEURRB",
    XAER_NOTA: "XAER_NOTA",
    XAER_INVAL: "XAER_INVAL",
    XAER_DUPID: "XAER_DUPID",
}


class MQError(Exception):
    """A call or command that did not do what was asked.

    Match on the family (the subclass) or on `reason`. `result` holds what a call gave back all the
    same (a cut message), where it did.
    """

    def __init__(
        self,
        comp: int,
        reason: int,
        *,
        verb: str = "",
        object: str = "",
        detail: str = "",
        result: object = None,
    ) -> None:
        super().__init__(comp, reason)
        self.comp = comp
        self.reason = reason
        self.verb = verb
        self.object = object
        self.detail = detail
        self.result: Any = result

    @property
    def reason_name(self) -> str:
        """The name of the reason code, such as MQRC_NOT_AUTHORIZED."""
        return reason_row(self.reason).name

    def __str__(self) -> str:
        from ternmq.base.visible_text import visible_in_line  # few clients print an error

        row = reason_row(self.reason)
        where = [self.verb] if self.verb else []
        if self.object:
            where.append(f"object '{self.object}'")
        place = f" [{', '.join(where)}]" if where else ""
        detail = f"{'' if place else ';'} {self.detail}" if self.detail else ""
        # Names come from others, too: a ReplyToQ, the text of a partner.
        return f"{row.name} ({self.reason}): {row.text}{visible_in_line(place + detail)}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self!s})"

    def __reduce__(self) -> tuple[Any, ...]:
        fields = (self.comp, self.reason, self.verb, self.object, self.detail, self.result)
        return (_rebuild, (type(self), *fields))


class NoMessage(MQError):
    """No message, or none that matches, within the time allowed."""


class ObjectUnknown(MQError):
    """A name that leads to nothing."""


class ObjectInUse(MQError):
    """Another holder has what was asked for; later it may work."""


class NotAuthorized(MQError):
    """The identity may not do this."""


class BadOptions(MQError):
    """An argument, option or combination that can never work as given."""


class BadHandle(MQError):
    """A handle that is not valid, or not opened for this."""


class Full(MQError):
    """A limit of depth, length, space or count is reached."""


class Unavailable(MQError):
    """The queue manager, the connection or a part of it is broken, quiescing or not there."""


class BackedOut(MQError):
    """The unit of work was, or must be, backed out, or its outcome is not what was asked."""


class Truncated(MQError):
    """The buffer was too short; `result` has what fitted."""


class FormatError(MQError):
    """A structure, header or character set that cannot be understood or converted."""


class Damaged(MQError):
    """An object or a file is damaged."""


class Inhibited(MQError):
    """An administrator has closed this for now."""


class CommandError(MQError):
    """An administrative command that failed (the MQRCCF codes)."""


class XAError(MQError):
    """A call of two-phase commit that was refused; `xa` has X/Open's code for it.

    MQ has no reason codes for these calls: its XA switch answers with XA's own codes. `reason` has
    what comes nearest.
    """

    def __init__(
        self, xa: int, reason: int, *, verb: str = "", object: str = "", detail: str = ""
    ) -> None:
        name = XA_NAMES[xa]
        super().__init__(
            MQCC_FAILED, reason, verb=verb, object=object, detail=f"{name} ({xa}): {detail}"
        )
        self.xa = xa
        self._given_detail = detail

    @property
    def xa_name(self) -> str:
        """The name of the code, such as XAER_NOTA."""
        return XA_NAMES[self.xa]

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild_xa, (self.xa, self.reason, self.verb, self.object, self._given_detail))


class ProtocolError(Exception):
    """A connection cannot go on. It never reaches the MQI: the connection is closed instead."""


class LocalProtocolError(ProtocolError):
    """This side was about to break the protocol: a bug here."""


class RemoteProtocolError(ProtocolError):
    """The peer broke the protocol."""


class IntegrityError(Exception):
    """An invariant is broken or the content of a disk is impossible: the process stops."""


class ForceFailed(Exception):
    """Data could not be forced to disk, so what is on it is not known: the process stops."""


class InertAttribute(UserWarning):
    """An attribute without function was set: it is stored and shown, and has no effect yet."""

    def __init__(self, object: str, attribute: str, keyword: str, value: str) -> None:
        super().__init__(object, attribute, keyword, value)
        self.object = object
        self.attribute = attribute
        self.keyword = keyword
        self.value = value

    def __str__(self) -> str:
        return (
            f"{self.object}: {self.keyword}({self.value}), '{self.attribute}' in Python, is stored "
            "and shown but has no effect yet"
        )


_FAMILIES: Final[dict[str, type[MQError]]] = {
    "BackedOut": BackedOut,
    "BadHandle": BadHandle,
    "BadOptions": BadOptions,
    "Command": CommandError,
    "Damaged": Damaged,
    "Event": MQError,
    "FormatError": FormatError,
    "Full": Full,
    "Inhibited": Inhibited,
    "NoMessage": NoMessage,
    "NotAuthorized": NotAuthorized,
    "ObjectInUse": ObjectInUse,
    "ObjectUnknown": ObjectUnknown,
    "Other": MQError,
    "Truncated": Truncated,
    "Unavailable": Unavailable,
}


CONNECTION_ENDED: Final = "the connection has ended, connect again"
UNIT_OF_ANOTHER: Final = (
    "another thread or task has a unit of work on this connection: "
    "give each a connection of its own"
)
USED_BY_ANOTHER: Final = (
    "another thread or task uses this connection: give each a connection of its own"
)


def mq_error(
    reason: int,
    *,
    comp: int = -1,
    verb: str = "",
    object: str = "",
    detail: str = "",
    result: object = None,
) -> MQError:
    """The exception for a reason, of its family; give `comp` only where it is not the usual one."""
    row = reason_row(reason)
    kind = _FAMILIES[row.family]
    completion = row.comp if comp < 0 else comp
    return kind(completion, reason, verb=verb, object=object, detail=detail, result=result)


def check(condition: bool, text: str) -> None:
    """Raise IntegrityError unless the condition holds. Unlike assert, nothing removes it."""
    if not condition:
        raise IntegrityError(text)


def _rebuild_xa(xa: int, reason: int, verb: str, object: str, detail: str) -> XAError:
    return XAError(xa, reason, verb=verb, object=object, detail=detail)


def _rebuild(
    kind: type[MQError],
    comp: int,
    reason: int,
    verb: str,
    object: str,
    detail: str,
    result: object,
) -> MQError:
    return kind(comp, reason, verb=verb, object=object, detail=detail, result=result)


def name_by_package(kind: type[Exception]) -> None:
    """Let tracebacks and pickles name an exception as programs import it: ternmq.NoMessage."""
    kind.__module__ = "ternmq"


for _public in (*_FAMILIES.values(), XAError, IntegrityError, ForceFailed, InertAttribute):
    name_by_package(_public)


def other_format(what: str, found: int, known: int) -> str:
    """The sentence that refuses a file of another version of its format."""
    return (
        f"{what} has format version {found}, and this build reads version {known}; use the build "
        "of TernMQ that wrote it, or create the queue manager again"
    )
