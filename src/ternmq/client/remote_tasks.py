"""Runs the verbs of a connection to another process in tasks: the twin of `remote_threads`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from ternmq.client.dropped import warn_dropped
from ternmq.client.local_turns import Turns
from ternmq.client.message import Message
from ternmq.client.remote_verbs import Exchange, RemoteVerbs, Result
from ternmq.client.waiting_tasks import task_of_verb
from ternmq.kernel.connection import Handle
from ternmq.kernel.requests import GetRequest

if TYPE_CHECKING:
    from ternmq.client.net_quick import AheadGet, PlainPut

Awaited = TypeVar("Awaited")


class TaskVerbs:
    """The verbs of one connection, for tasks."""

    def __init__(self, verbs: RemoteVerbs, share: int) -> None:
        self.warns = True  # if it is dropped
        self.verbs = verbs
        task = task_of_verb(asyncio.current_task())
        self.turns = Turns(verbs, share, id(task))
        self._task: object = task  # the owner, kept so that its id() is not used again

    @property
    def is_alive(self) -> bool:
        """Whether the connection can still be used, as far as is known."""
        return self.verbs.link.connected

    async def run(self, verb: str, exchange: Exchange[Result]) -> Result:
        """A verb, to its end."""
        task = asyncio.current_task()
        if task is not self._task:
            task = task_of_verb(task)
        self.turns.take(id(task), verb)
        self._task = task
        try:
            request = next(exchange)
            while True:
                request = exchange.send(await self.exchanged(verb, request))
        except StopIteration as end:
            result: Result = end.value
            return result
        finally:
            self.turns.give_back()

    async def exchanged(self, verb: str, request: Any) -> Any:
        """Send a request and wait for what answers it."""
        raise NotImplementedError

    # ---- what need not wait

    pause_is_due = False  # many verbs in a row found nothing to wait for

    def put_now(self, handle: Handle, options: int, packed: bytes, data: bytes) -> bytes | None:
        """MQPUT, if it can be done at once."""
        return None

    def get_now(self, handle: Handle, request: GetRequest) -> Message | None:
        """MQGET, if it can be done at once."""
        return None

    def plain_put(self, handle: Handle, options: int, packed: bytes) -> PlainPut | None:
        """What does such puts outside syncpoint at once, if they can be."""
        return None

    def ahead_get(self, handle: Handle, request: GetRequest) -> AheadGet | None:
        """What does such gets outside syncpoint at once, if messages are read ahead."""
        return None

    async def pause(self) -> None:
        """Other tasks have their turn."""
        self.pause_is_due = False
        await asyncio.sleep(0)

    async def put(self, handle: Handle, options: int, packed: bytes, data: bytes) -> bytes:
        """MQPUT."""
        return await self.run("MQPUT", self.verbs.put(handle, options, packed, data))

    async def disconnect(self, vanished: bool = False) -> None:
        """MQDISC; commits unless the application has failed."""
        verbs = self.verbs
        if not verbs.link.connected:
            await self.closed()
            return
        try:
            if not vanished:
                await self.run("MQDISC", verbs.disconnect())
            elif not self.turns.busy:
                await self.run("MQBACK", verbs.back_out())
        finally:
            if vanished or not self.turns.busy:
                verbs.link.connected = False
                verbs.in_unit = False
                await self.closed()

    async def closed(self) -> None:
        """Let the socket go, and wait until it is gone."""
        raise NotImplementedError

    def __del__(self) -> None:
        verbs = getattr(self, "verbs", None)
        if verbs is not None and self.warns and verbs.link.connected:
            warn_dropped(verbs.name, verbs.in_unit or verbs.has_changes)


async def until_done(future: asyncio.Future[Any]) -> asyncio.CancelledError | None:
    """Wait, whatever comes of it; a cancellation meanwhile is returned."""
    cancelled: asyncio.CancelledError | None = None
    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError as error:
            cancelled = error
    if not future.cancelled():
        future.exception()  # seen
    return cancelled


async def to_the_end(future: asyncio.Future[Awaited]) -> Awaited:
    """The answer; if the task is cancelled meanwhile, that is raised when it is there."""
    cancelled = await until_done(future)
    if cancelled is not None:
        raise cancelled
    return future.result()
