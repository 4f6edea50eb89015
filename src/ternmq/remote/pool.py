"""A pool of connections for threads: opened when needed, kept for the next caller.

    with ternmq.Pool("QM1", size=8, channel="APP.SVRCONN", conn="host(1414)") as pool:
        with pool.connection() as connection:
            ...

A connection comes back when its block ends: backed out if the block raised, or left work in an
open unit; one that is broken is let go, and a new one made for the next. `aio_pool` is the
same for tasks.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ternmq.api.connection import Connection
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_CONNECTION_NOT_AVAILABLE
from ternmq.remote.connect import connect


class Pool:
    """At most `size` connections; arguments beside are those of `ternmq.connect`."""

    def __init__(self, name: str = "", *, size: int = 10, **arguments: Any) -> None:
        if size < 1:
            raise ValueError(f"a pool of {size} connections")
        self._name = name
        self._size = size
        self._arguments = arguments
        self._free = threading.Semaphore(size)
        self._lock = threading.Lock()
        self._idle: list[Connection] = []
        self._is_closed = False

    @contextmanager
    def connection(self, timeout: float | None = None) -> Iterator[Connection]:
        """One of them, for the block. If all are in use it waits, at most `timeout` seconds:
        MQRC_CONNECTION_NOT_AVAILABLE."""
        if self._is_closed or not self._free.acquire(timeout=timeout):
            raise not_available(self._name, self._is_closed)
        try:
            taken = self._take()
            try:
                yield taken
            except BaseException:
                self._put_back(taken, failed=True)
                raise
            self._put_back(taken, failed=False)
        finally:
            self._free.release()

    def _take(self) -> Connection:
        with self._lock:
            while self._idle:
                found = self._idle.pop()
                if found.connected:
                    return found
        return connect(self._name, **self._arguments)

    def _put_back(self, one: Connection, failed: bool) -> None:
        if not one.connected:
            return
        if one.transport.callbacks is not None:
            one.__exit__(MQError, None, None)  # its functions are not for the next user
            return
        try:
            if failed or one.transport.has_unit:
                one.backout()
        except MQError:
            return  # it is broken, and gone with its unit
        with self._lock:
            if not self._is_closed:
                self._idle.append(one)
                return
        one.disconnect()

    @property
    def idle(self) -> int:
        """Connections that are open and not in use."""
        return len(self._idle)

    def close(self) -> None:
        """Disconnect those that are not in use; the others when they come back."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for one in idle:
            if one.connected:
                one.disconnect()

    def __repr__(self) -> str:
        name = self._name or "the default queue manager"
        state = ", closed" if self._is_closed else f", {self.idle} idle"
        return f"<Pool of {self._size} to {name}{state}>"

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def not_available(name: str, is_closed: bool) -> MQError:
    """No connection, because the pool is closed or all are in use."""
    detail = "the pool is closed" if is_closed else "all connections of the pool are in use"
    return mq_error(MQRC_CONNECTION_NOT_AVAILABLE, verb="MQCONN", object=name, detail=detail)
