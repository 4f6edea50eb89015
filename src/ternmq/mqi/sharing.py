"""Who may use a connection: what MQCNO_HANDLE_SHARE options say."""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_HCONN_ASYNC_ACTIVE, MQRC_HCONN_ERROR
from ternmq.mqi.options import check_connect

# Any caller (thread or task) that leaves another's unit of work alone (what the Python API does
# unless it is given options), its maker alone, or every caller in turn.
BY_UNIT: Final = 0
ALONE: Final = mq.MQCNO_HANDLE_SHARE_NONE
NO_BLOCK: Final = mq.MQCNO_HANDLE_SHARE_NO_BLOCK
BLOCK: Final = mq.MQCNO_HANDLE_SHARE_BLOCK
# While MQCTL has started its callbacks: the caller that runs them alone.
CONSUMED: Final = -1


def not_its_turn(share: int, verb: str, name: str) -> MQError:
    """What a caller gets that is not the one caller of a connection."""
    if share == CONSUMED:
        return mq_error(
            MQRC_HCONN_ASYNC_ACTIVE,
            verb=verb,
            object=name,
            detail="its callbacks are started: only they may use it; stop or suspend them first",
        )
    return mq_error(
        MQRC_HCONN_ERROR,
        verb=verb,
        object=name,
        detail="MQCNO_HANDLE_SHARE_NONE: the connection is its maker's alone",
    )


def sharing(options: int | None) -> int:
    """What MQCNO options say about that, checked; MQ's own default is the maker alone."""
    if options is None:
        return BY_UNIT
    check_connect(options)
    return options & (ALONE | NO_BLOCK | BLOCK) or ALONE
