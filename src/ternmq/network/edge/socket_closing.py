"""The orderly close of a socket: once what was written is with the partner, or time is over.

A socket that is closed with unread bytes is reset, and what the system has not sent by then is
lost; so the close waits until the partner's system has confirmed all, for a bounded time.
"""

from __future__ import annotations

import asyncio
import fcntl
import sys
import termios
from typing import Final

CLOSE_S: Final = 2.0  # for the partner's system to take what was written, before a close
CLOSE_LOOK_S: Final = 0.005


def is_underway(transport: asyncio.Transport) -> bool:
    """Whether the partner's system has not confirmed all that was written."""
    if transport.is_closing():
        return False
    if transport.get_write_buffer_size():
        return True
    found = transport.get_extra_info("socket")
    try:
        left = fcntl.ioctl(found.fileno(), termios.TIOCOUTQ, bytes(4))
    except (AttributeError, OSError, ValueError):
        return False  # no socket of the system
    return int.from_bytes(left, sys.byteorder) > 0


class SocketClosing:
    """The close of one socket."""

    def __init__(self, loop: asyncio.AbstractEventLoop, transport: asyncio.Transport) -> None:
        self._loop = loop
        self._transport = transport
        self._close_at_s = 0.0  # the latest time of a close that has begun

    def close(self) -> None:
        """Begin to close, or go on with it."""
        transport = self._transport
        self._close_at_s = self._close_at_s or self._loop.time() + CLOSE_S
        if is_underway(transport) and self._loop.time() < self._close_at_s:
            self._loop.call_later(CLOSE_LOOK_S, self.close)
        elif transport.get_write_buffer_size():
            transport.abort()  # the partner does not read: a close would wait for that for ever
        else:
            transport.close()
