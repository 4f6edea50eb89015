"""Checks of authority: what each verb and each command asks for, on which object.

Checks are made where something is opened, never where it is used: a put or a get asks nothing.
Administrators, and everybody while the checks are off, have `privileged` in their connection, which
is all that is looked at then. A refusal is reported to operators (AMQ8077W) and as an event.

    MQCONN    connect on the queue manager
    MQOPEN    what OPEN_NEEDS says for each option, on the object that is named: for an alias, the
              alias and not its target; for a model queue, dsp too, and its opener may do
              everything with the queue that comes of it. What QMGR_NEEDS says is needed on the
              queue manager as well. A transmission queue: put and setall, which is also needed on
              the queue manager. A queue of another queue manager: the profile of that name
    MQPUT1    as MQOPEN for output with the same context options
    MQCLOSE   dlt, to delete a permanent queue through a handle that did not create it

With MQOO_ALTERNATE_USER_AUTHORITY the user needs altusr on the queue manager, and the rest is
asked of the alternate user, also if the user is an administrator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.object_types import BY_BIT, LOCAL, MODEL
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED
from ternmq.base.user_names import user_name_fault
from ternmq.security import authorities as auth
from ternmq.security.authorities import KIND_BY_MQOT, SELF_PROFILE, words
from ternmq.security.object_authority import ADMINISTRATORS
from ternmq.store.catalog import Definition

if TYPE_CHECKING:
    from ternmq.kernel.connection import Connection
    from ternmq.kernel.kernel import Kernel

# What each open option needs on the object.
OPEN_NEEDS: Final[dict[int, int]] = {
    mq.MQOO_INPUT_AS_Q_DEF: auth.GET,
    mq.MQOO_INPUT_SHARED: auth.GET,
    mq.MQOO_INPUT_EXCLUSIVE: auth.GET,
    mq.MQOO_BROWSE: auth.BROWSE,
    mq.MQOO_OUTPUT: auth.PUT,
    mq.MQOO_INQUIRE: auth.INQ,
    mq.MQOO_SET: auth.SET,
    mq.MQOO_PASS_IDENTITY_CONTEXT: auth.PASSID,
    mq.MQOO_PASS_ALL_CONTEXT: auth.PASSALL,
    mq.MQOO_SET_IDENTITY_CONTEXT: auth.SETID,
    mq.MQOO_SET_ALL_CONTEXT: auth.SETALL,
}
# What some of them need on the queue manager too.
QMGR_NEEDS: Final[dict[int, int]] = {
    mq.MQOO_SET_IDENTITY_CONTEXT: auth.SETID,
    mq.MQOO_SET_ALL_CONTEXT: auth.SETALL,
}


# Clients of IBM MQ browse it before they open anything else, whatever their user is. There is no
# protection by policies here, so it has nothing that must be hidden.
POLICY_QUEUE: Final = "SYSTEM.PROTECTION.POLICY.QUEUE"


def needed(needs: dict[int, int], options: int) -> int:
    """The authorities that a set of options asks for."""
    bits = 0
    for option, bit in needs.items():
        if options & option:
            bits |= bit
    return bits


def lacking(
    kernel: Kernel,
    connection: Connection,
    user: str,
    mqot: int,
    name: str,
    wanted: int,
    qualifier: int,
    options: int = 0,
) -> str:
    """Which of the wanted authorities the user lacks, in words, which operators read with the name
    of the object; "" if none."""
    missing = wanted & ~kernel.authority.granted(user, mqot, name)
    if not missing:
        return ""
    shown = kernel.name if name == SELF_PROFILE else name
    lacks = " ".join(words(missing))
    message = "AMQ8245W" if missing == auth.DSP else "AMQ8077W"
    kernel.notices.add(message, (user, f"{shown} [{KIND_BY_MQOT[mqot].word}]", lacks))
    kernel.event_sink.not_authorized(connection, qualifier, mqot, shown, options)
    return lacks


def check(
    kernel: Kernel,
    connection: Connection,
    user: str,
    mqot: int,
    name: str,
    wanted: int,
    verb: str,
    qualifier: int,
    options: int = 0,
) -> None:
    """MQRC_NOT_AUTHORIZED, with the name of the object, unless the user has all of the wanted
    authorities. For an object that the user has named: of any other, the name may be hidden."""
    lacks = lacking(kernel, connection, user, mqot, name, wanted, qualifier, options)
    if lacks:
        shown = kernel.name if name == SELF_PROFILE else name
        raise mq_error(
            MQRC_NOT_AUTHORIZED,
            verb=verb,
            object=shown,
            detail=f"user '{user}' lacks {lacks} on {KIND_BY_MQOT[mqot].word} {shown}",
        )


def may_display_named(kernel: Kernel, connection: Connection, mqot: int, name: str) -> bool:
    """Whether the user may read that there is an object of this name."""
    if connection.privileged:
        return True
    return kernel.authority.granted(connection.user, mqot, name) & auth.DSP != 0


def check_administrator(kernel: Kernel, connection: Connection, verb: str) -> None:
    """What no record can allow: MQRC_NOT_AUTHORIZED unless the user is an administrator."""
    if connection.privileged:
        return
    user = connection.user
    kernel.notices.add("AMQ8077W", (user, f"{kernel.name} [qmgr]", ADMINISTRATORS))
    kernel.event_sink.not_authorized(
        connection, mq.MQRQ_CMD_NOT_AUTHORIZED, mq.MQOT_Q_MGR, kernel.name, 0
    )
    raise mq_error(
        MQRC_NOT_AUTHORIZED,
        verb=verb,
        object=kernel.name,
        detail=f"user '{user}' is not an administrator (group {ADMINISTRATORS})",
    )


def check_connect(kernel: Kernel, connection: Connection) -> None:
    """MQCONN. From then on the connection knows whether it is an administrator's."""
    fault = user_name_fault(connection.user)
    if fault:
        raise mq_error(
            MQRC_NOT_AUTHORIZED,
            verb="MQCONN",
            object=kernel.name,
            detail=f"{fault}; connect as a user whose name every message can carry",
        )
    authority = kernel.authority
    connection.privileged = authority.is_administrator(connection.user)
    if not connection.privileged:
        qualifier = mq.MQRQ_CONN_NOT_AUTHORIZED
        check(
            kernel, connection, connection.user, mq.MQOT_Q_MGR, SELF_PROFILE, auth.CONNECT,
            "MQCONN", qualifier,
        )  # fmt: skip


def acting_user(
    kernel: Kernel, connection: Connection, options: int, alternate_user: str, verb: str
) -> str | None:
    """The user whose authority an open checks; None if it checks none."""
    if not options & mq.MQOO_ALTERNATE_USER_AUTHORITY:
        return None if connection.privileged else connection.user
    if not kernel.authority.enabled:
        return None
    if not connection.privileged:
        qualifier = mq.MQRQ_OPEN_NOT_AUTHORIZED
        check(
            kernel, connection, connection.user, mq.MQOT_Q_MGR, SELF_PROFILE, auth.ALTUSR,
            verb, qualifier, options,
        )  # fmt: skip
    user = alternate_user.rstrip()
    return None if kernel.authority.is_administrator(user) else user


def check_open_queue_manager(
    kernel: Kernel, connection: Connection, options: int, alternate_user: str
) -> None:
    """MQOPEN of the queue manager."""
    user = acting_user(kernel, connection, options, alternate_user, "MQOPEN")
    if user is not None:
        check(
            kernel, connection, user, mq.MQOT_Q_MGR, SELF_PROFILE, needed(OPEN_NEEDS, options),
            "MQOPEN", mq.MQRQ_OPEN_NOT_AUTHORIZED, options,
        )  # fmt: skip


def check_open(
    kernel: Kernel,
    connection: Connection,
    user: str,
    definition: Definition,
    options: int,
    verb: str,
) -> None:
    """MQOPEN or MQPUT1 of a queue or another object, by the acting user."""
    wanted = needed(OPEN_NEEDS, options)
    of_qmgr = needed(QMGR_NEEDS, options)
    if definition.name == POLICY_QUEUE:
        wanted &= ~auth.BROWSE
    if definition.object_type == MODEL:
        wanted |= auth.DSP
    elif definition.object_type == LOCAL and options & mq.MQOO_OUTPUT:
        if definition.number("usage") == mq.MQUS_TRANSMISSION:
            wanted |= auth.SETALL
            of_qmgr |= auth.SETALL
    mqot = BY_BIT[definition.object_type].mqot
    _check_both(kernel, connection, user, mqot, definition.name, wanted, of_qmgr, verb, options)


def check_open_remote(
    kernel: Kernel, connection: Connection, user: str, qmgr_name: str, options: int, verb: str
) -> None:
    """The same for a queue of another queue manager."""
    of_other_managers = auth.PUT | auth.PASSID | auth.PASSALL | auth.SETID | auth.SETALL
    wanted = (needed(OPEN_NEEDS, options) & of_other_managers) | auth.PUT
    of_qmgr = needed(QMGR_NEEDS, options)
    mqot = mq.MQOT_REMOTE_Q_MGR_NAME
    _check_both(kernel, connection, user, mqot, qmgr_name, wanted, of_qmgr, verb, options)


def _check_both(
    kernel: Kernel,
    connection: Connection,
    user: str,
    mqot: int,
    name: str,
    wanted: int,
    of_qmgr: int,
    verb: str,
    options: int,
) -> None:
    qualifier = mq.MQRQ_OPEN_NOT_AUTHORIZED
    check(kernel, connection, user, mqot, name, wanted, verb, qualifier, options)
    if of_qmgr:
        check(
            kernel, connection, user, mq.MQOT_Q_MGR, SELF_PROFILE, of_qmgr, verb, qualifier, options
        )


def check_delete(kernel: Kernel, connection: Connection, name: str) -> None:
    """MQCLOSE that deletes a queue which another handle created."""
    if not connection.privileged:
        qualifier = mq.MQRQ_CLOSE_NOT_AUTHORIZED
        check(kernel, connection, connection.user, mq.MQOT_Q, name, auth.DLT, "MQCLOSE", qualifier)
