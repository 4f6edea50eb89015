"""The connections of this process by number: programs pass connections and objects on as handles.

A number of a connection stands for a `Connection`, a number of an object for what MQOPEN gave
on it.
"""

from __future__ import annotations

import itertools
import threading
from typing import Final

import ternmq
from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_HCONN_ERROR, MQRC_HOBJ_ERROR
from ternmq.values.calls.objects import Open


class Attachment:
    """One connection, and what is open on it."""

    def __init__(self, connection: ternmq.Connection, is_client: bool) -> None:
        self.connection = connection
        self.is_client = is_client  # through a channel
        self.opened: dict[int, Open] = {}
        self.number = 0  # the handle of the connection

    def object(self, handle: object, verb: str) -> Open:
        """What a number stands for."""
        opened = self.opened.get(handle) if isinstance(handle, int) else None
        if opened is None:
            raise mq_error(MQRC_HOBJ_ERROR, verb=verb, detail=f"handle {handle!r}")
        return opened


_numbers: Final = itertools.count(mq.MQHC_DEF_HCONN + 1)
_lock: Final = threading.Lock()
_attachments: Final[dict[int, Attachment]] = {}


def attach(attachment: Attachment) -> int:
    """Number a connection."""
    with _lock:
        number = next(_numbers)
        _attachments[number] = attachment
        attachment.number = number
    return number


def attached(handle: object, verb: str) -> Attachment:
    """The connection of a number; MQRC_HCONN_ERROR if there is none."""
    found = _attachments.get(handle) if isinstance(handle, int) else None
    if found is None:
        raise mq_error(MQRC_HCONN_ERROR, verb=verb, detail=f"handle {handle!r}")
    return found


def detach(handle: int) -> None:
    """The number is free."""
    with _lock:
        _attachments.pop(handle, None)
