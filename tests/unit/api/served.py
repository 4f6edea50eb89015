"""A queue manager that is served on a socket by a thread of this process, for tests.

`Served` starts it in memory or in a folder. `ServedQueueManager` and its asyncio twin are
connections that take it along: they stand for embedded queue managers, so that tests written for
those run over the socket.
"""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import ternmq
import ternmq.aio
from ternmq.remote.aio_connect import open_connection
from ternmq.runtime.starting import Started, log_parameters, start_in_folder, start_in_memory
from ternmq.server.host import IMMEDIATE, Host
from ternmq.server.listener import listen


class Served:
    """Hosts a queue manager until it is closed."""

    def __init__(self, data: Path, name: str = "QM1", started: Started | None = None) -> None:
        self.data = data
        self.name = name
        self.folder = data / "qmgrs" / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.started: Started = started or start_in_memory(name, None, None)
        self.host: Host | None = None
        self.remove: Callable[[], None] | None = None
        self._loop = asyncio.new_event_loop()
        self._up = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._up.wait()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

    async def _serve(self) -> None:
        self.host = Host(self.started)
        listener = await listen(self.host, str(self.folder))
        self._up.set()
        await self.host.run()
        await listener.close()
        await self.host.stop()

    def end(self, mode: str) -> None:
        """Begin to end."""
        host = self.host
        if host is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(host.end, mode)

    def join(self) -> None:
        """Wait until it has ended."""
        self._thread.join()

    def close(self) -> None:
        """End at once."""
        self.end(IMMEDIATE)
        self.join()
        if self.remove is not None:
            self.remove()
            self.remove = None

    def connect(self, **options: Any) -> ternmq.Connection:
        return ternmq.connect(self.name, data=self.data, **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def in_memory(name: str) -> Served:
    """A queue manager in memory; its socket is in a folder that goes with it."""
    folder = tempfile.TemporaryDirectory(prefix="tmq")
    served = Served(Path(folder.name), name)
    served.remove = folder.cleanup
    return served


def in_folder(path: Path, name: str, create: bool = False, **log: Any) -> Served:
    """A queue manager in a data folder."""
    return Served(path, name, started_in_folder(path, name, create, **log))


def started_in_folder(path: Path, name: str, create: bool = False, **log: Any) -> Started:
    """Start one there."""
    parameters = log_parameters(
        log.get("log_type", "circular"),
        log.get("log_primary_files", 3),
        log.get("log_secondary_files", 2),
        log.get("log_file_pages", 64),
        False,
    )
    return start_in_folder(path, name, create, parameters, None, None)


class ServedQueueManager(ternmq.Connection):
    """A connection that ends its queue manager with itself."""

    def __init__(self, served: Served, **options: Any) -> None:
        super().__init__(served.connect(**options)._transport)
        self.served = served
        self.started = served.started

    def connect(self, **options: Any) -> ternmq.Connection:
        return self.served.connect(**options)

    def close(self) -> None:
        if self.connected:
            self.disconnect()
        self.served.close()

    def __enter__(self) -> ServedQueueManager:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        self.served.close()


class ServedTaskQueueManager(ternmq.aio.Connection):
    """The same for tasks."""

    def __init__(self, served: Served, inner: ternmq.aio.Connection) -> None:
        super().__init__(inner.transport)
        self.served = served

    def connect(self, **options: Any) -> Any:
        return ternmq.aio.connect(self.served.name, data=self.served.data, **options)

    async def close(self) -> None:
        if self.connected:
            await self.disconnect()
        await asyncio.to_thread(self.served.close)

    async def __aenter__(self) -> ServedTaskQueueManager:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await super().__aexit__(kind, error, trace)
        await asyncio.to_thread(self.served.close)


async def for_tasks(served: Served) -> ServedTaskQueueManager:
    """Connect a task to a served queue manager."""
    inner = await open_connection(served.name, None, None, None, None, served.data)
    return ServedTaskQueueManager(served, inner)
