"""A pool of connections for tasks: as `pool` for threads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from ternmq.api.aio import Connection
from ternmq.base.errors import MQError
from ternmq.remote.aio_connect import connect
from ternmq.remote.pool import not_available


class Pool:
    """At most `size` connections; arguments beside are those of `ternmq.aio.connect`."""

    def __init__(self, name: str = "", *, size: int = 10, **arguments: Any) -> None:
        if size < 1:
            raise ValueError(f"a pool of {size} connections")
        self._name = name
        self._size = size
        self._arguments = arguments
        self._free = asyncio.Semaphore(size)
        self._idle: list[Connection] = []
        self._is_closed = False

    @asynccontextmanager
    async def connection(self, timeout: float | None = None) -> AsyncIterator[Connection]:
        """One of them, for the block. If all are in use it waits, at most `timeout` seconds:
        MQRC_CONNECTION_NOT_AVAILABLE."""
        if self._is_closed:
            raise not_available(self._name, True)
        try:
            async with asyncio.timeout(timeout):
                await self._free.acquire()
        except TimeoutError:
            raise not_available(self._name, False) from None
        try:
            taken = await self._take()
            try:
                yield taken
            except BaseException:
                await self._put_back(taken, failed=True)
                raise
            await self._put_back(taken, failed=False)
        finally:
            self._free.release()

    async def _take(self) -> Connection:
        while self._idle:
            found = self._idle.pop()
            if found.connected:
                return found
        return await connect(self._name, **self._arguments)

    async def _put_back(self, one: Connection, failed: bool) -> None:
        if not one.connected:
            return
        if one.transport.callbacks is not None:
            await one.__aexit__(MQError, None, None)  # its functions are not for the next user
            return
        try:
            if failed or one.transport.has_unit:
                await one.backout()
        except MQError:
            return  # it is broken, and gone with its unit
        if self._is_closed:
            await one.disconnect()
        else:
            self._idle.append(one)

    @property
    def idle(self) -> int:
        """Connections that are open and not in use."""
        return len(self._idle)

    async def close(self) -> None:
        """Disconnect those that are not in use; the others when they come back."""
        self._is_closed = True
        idle, self._idle = self._idle, []
        for one in idle:
            if one.connected:
                await one.disconnect()

    def __repr__(self) -> str:
        name = self._name or "the default queue manager"
        state = ", closed" if self._is_closed else f", {self.idle} idle"
        return f"<Pool of {self._size} to {name}{state}>"

    async def __aenter__(self) -> Pool:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()
