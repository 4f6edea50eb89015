"""The blocking API seen through `await`, so that one battery of tests runs on both APIs."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator
from typing import Any, ParamSpec

import ternmq
import ternmq.aio
from tests.unit.api import networked, served

# What needs no `await` in `ternmq.aio` either.
DIRECT = {"connected", "in_unit", "name", "resolved_name", "resolved_qmgr"}
P = ParamSpec("P")


def in_loop(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """An `async def` test, run in a loop of its own that complains about what it sees."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs), debug=True)

    return run


class Items:
    """Iteration; breaking it off drops the iterator of the blocking API at once."""

    def __init__(self, items: Iterator[Any]) -> None:
        self._items = items

    def __aiter__(self) -> Items:
        return self

    async def __anext__(self) -> Any:
        for item in self._items:
            return item
        raise StopAsyncIteration


class Call:
    """A call that happens when it is awaited, entered or iterated."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self._entered: Any = None

    def __await__(self) -> Generator[None, None, Any]:
        yield from ()
        return wrapped(self._function())

    async def __aenter__(self) -> Any:
        self._entered = self._function()
        return wrapped(self._entered.__enter__())

    async def __aexit__(self, *raised: Any) -> Any:
        return self._entered.__exit__(*raised)

    def __aiter__(self) -> AsyncIterator[Any]:
        return Items(iter(self._function()))


class Face:
    """A queue manager, connection, unit of work or queue of the blocking API."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        if name in DIRECT:
            return getattr(self._inner, name)
        if name == "depth":
            return lambda: Call(lambda: self._inner.depth)
        method = getattr(self._inner, name)
        return lambda *args, **kwargs: Call(lambda: method(*args, **kwargs))

    def __aiter__(self) -> AsyncIterator[Any]:
        return Call(lambda: self._inner).__aiter__()


def wrapped(value: Any) -> Any:
    """Results that have methods of their own are seen the same way."""
    kinds = (ternmq.Connection, ternmq.Queue, ternmq.Subscription)
    is_unit = type(value).__name__ in ("Unit", "ClientUnit")
    return Face(value) if isinstance(value, kinds) or is_unit else value


class BlockingFace:
    """Stands for the module `ternmq.aio`."""

    def memory(self, name: str = "QM1") -> Any:
        return Call(lambda: ternmq.memory(name))

    def embedded(self, path: Any, name: str = "QM1", **options: Any) -> Any:
        return Call(lambda: ternmq.embedded(path, name, **options))


class SocketFace:
    """The same for a queue manager at the other end of a socket."""

    def memory(self, name: str = "QM1") -> Any:
        return Call(lambda: served.ServedQueueManager(served.in_memory(name)))

    def embedded(self, path: Any, name: str = "QM1", **options: Any) -> Any:
        return Call(lambda: served.ServedQueueManager(served.in_folder(path, name, **options)))


class StreamFace:
    """The same for tasks."""

    def memory(self, name: str = "QM1") -> Any:
        return ternmq.aio.Opening(served.for_tasks(served.in_memory(name)))

    def embedded(self, path: Any, name: str = "QM1", **options: Any) -> Any:
        return ternmq.aio.Opening(self._embedded(path, name, options))

    async def _embedded(self, path: Any, name: str, options: dict[str, Any]) -> Any:
        return await served.for_tasks(served.in_folder(path, name, **options))


class NetworkFace:
    """The same over TCP, by MQ's own protocol."""

    changed = networked.CHANGED

    def memory(self, name: str = "QM1") -> Any:
        return Call(lambda: networked.NetworkedQueueManager(networked.in_memory(name)))

    def embedded(self, path: Any, name: str = "QM1", **options: Any) -> Any:
        return Call(
            lambda: networked.NetworkedQueueManager(networked.in_folder(path, name, **options))
        )


class NetworkTaskFace:
    """The same for tasks."""

    changed = networked.CHANGED

    def memory(self, name: str = "QM1") -> Any:
        return ternmq.aio.Opening(networked.for_tasks(networked.in_memory(name)))

    def embedded(self, path: Any, name: str = "QM1", **options: Any) -> Any:
        return ternmq.aio.Opening(self._embedded(path, name, options))

    async def _embedded(self, path: Any, name: str, options: dict[str, Any]) -> Any:
        return await networked.for_tasks(networked.in_folder(path, name, **options))


FACES: dict[str, Any] = {
    "blocking": BlockingFace(),
    "asyncio": ternmq.aio,
    "socket": SocketFace(),
    "stream": StreamFace(),
    "network": NetworkFace(),
    "network tasks": NetworkTaskFace(),
}
