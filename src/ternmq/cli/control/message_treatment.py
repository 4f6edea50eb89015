"""What dmpmqmsg does to messages on their way: headers taken off (-h), and pauses (-D)."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from datetime import datetime
from typing import Final

from ternmq.base import constants as mq
from ternmq.cli.control.message_file import FiledMessage
from ternmq.codec.headers.mqdlh import LAYOUT as DLH_LAYOUT
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.headers.mqxqh import LAYOUT as XQH_LAYOUT
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.layout import byte_order
from ternmq.codec.mqi.mqmd import Descriptor

_UTF_8: Final = 1208
_DELAY: Final = re.compile(r"r(\d+)|(-?\d+)")
_STAMP: Final = "%Y%m%d%H%M%S"


def stripped(message: FiledMessage) -> FiledMessage:
    """The message without the headers of a dead-letter or transmission queue before its data."""
    md = message.descriptor
    data = message.data
    while md is not None:
        order = byte_order(md.encoding)
        ccsid = md.ccsid if md.ccsid > 0 else _UTF_8
        if md.format.rstrip() == mq.MQFMT_DEAD_LETTER_HEADER.rstrip():
            letter = DeadLetterHeader.unpack(data, 0, order, ccsid)
            md = md.copy()
            md.format, md.ccsid, md.encoding = letter.format, letter.ccsid, letter.encoding
            data = data[DLH_LAYOUT.size(1) :]
        elif md.format.rstrip() == mq.MQFMT_XMIT_Q_HEADER.rstrip():
            md = TransmissionHeader.unpack(data, 0, order, ccsid).descriptor
            data = data[XQH_LAYOUT.size(1) :]
        else:
            break
    return FiledMessage(md, data)


class Pace:
    """How long to wait before each message: so many milliseconds; at random up to so many (a
    negative number); or, with r, a percentage of the time between the puts of the messages."""

    def __init__(self, written: str, sleep: Callable[[float], None] = time.sleep) -> None:
        match = _DELAY.fullmatch(written)
        if match is None:
            raise ValueError(
                f"{written!r} is not a delay: milliseconds, -milliseconds or r and percent"
            )
        self._percent = int(match.group(1)) if match.group(1) else None
        self._milliseconds = int(match.group(2) or 0)
        self._sleep = sleep
        self._before: datetime | None = None

    def wait(self, md: Descriptor | None) -> None:
        """Before a message is written."""
        seconds = self._seconds(md)
        if seconds > 0:
            self._sleep(seconds)

    def _seconds(self, md: Descriptor | None) -> float:
        if self._percent is None:
            if self._milliseconds < 0:
                return random.uniform(0, -self._milliseconds) / 1000
            return self._milliseconds / 1000
        put = _put_time(md)
        before, self._before = self._before, put or self._before
        if put is None or before is None:
            return 0.0
        return (put - before).total_seconds() * self._percent / 100


def _put_time(md: Descriptor | None) -> datetime | None:
    if md is None:
        return None
    try:
        whole = datetime.strptime(f"{md.put_date}{md.put_time[:6]}", _STAMP)
        return whole.replace(microsecond=int(md.put_time[6:8] or "0") * 10_000)
    except ValueError:
        return None  # a message whose context says nothing of it
