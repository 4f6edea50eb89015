"""Who may do what with a cursor: what counts is the authority on its queue.

`browse` to open a cursor and to advance it, `chg` to define, reset and delete it.
"""

from __future__ import annotations

from ternmq.base import constants as mq
from ternmq.kernel.authority import check
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.security import authorities as auth


def check_cursor(
    kernel: Kernel, connection: Connection, queue_name: str, changes: bool, verb: str
) -> None:
    """MQRC_NOT_AUTHORIZED unless the user may."""
    if connection.privileged:
        return
    wanted = auth.CHG if changes else auth.BROWSE
    qualifier = mq.MQRQ_CMD_NOT_AUTHORIZED if changes else mq.MQRQ_OPEN_NOT_AUTHORIZED
    check(kernel, connection, connection.user, mq.MQOT_Q, queue_name, wanted, verb, qualifier)
