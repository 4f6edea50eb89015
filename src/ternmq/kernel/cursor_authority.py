"""Who may do what with a cursor: what counts is the authority on its queue.

`browse` to open a cursor and to advance it, `chg` to define, reset and delete it. A user
who names a cursor need not know its queue: a refusal names the queue only to users who have named
it too, or who may display it.
"""

from __future__ import annotations

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED
from ternmq.kernel.authority import check, lacking, may_display_named
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.security import authorities as auth


def check_cursor(
    kernel: Kernel,
    connection: Connection,
    cursor: str,
    queue_name: str,
    changes: bool,
    verb: str,
    named: str = "",
) -> None:
    """MQRC_NOT_AUTHORIZED unless the user may; `named` is the queue that the user has named."""
    wanted = auth.CHG if changes else auth.BROWSE
    qualifier = mq.MQRQ_CMD_NOT_AUTHORIZED if changes else mq.MQRQ_OPEN_NOT_AUTHORIZED
    options = 0 if changes else mq.MQOO_BROWSE
    check_queue_of(kernel, connection, cursor, queue_name, wanted, verb, qualifier, options, named)


def check_queue_of(
    kernel: Kernel,
    connection: Connection,
    cursor: str,
    queue_name: str,
    wanted: int,
    verb: str,
    qualifier: int,
    options: int,
    named: str,
) -> None:
    """The same for any authority."""
    if connection.privileged:
        return
    user = connection.user
    if queue_name == named or may_display_named(kernel, connection, mq.MQOT_Q, queue_name):
        check(kernel, connection, user, mq.MQOT_Q, queue_name, wanted, verb, qualifier, options)
        return
    lacks = lacking(kernel, connection, user, mq.MQOT_Q, queue_name, wanted, qualifier, options)
    if lacks:
        detail = f"user '{user}' lacks {lacks} on the queue of cursor {cursor}"
        raise mq_error(MQRC_NOT_AUTHORIZED, verb=verb, object=cursor, detail=detail)
