"""Runs the verbs of a connection to another process in tasks: as `threads_runner` in threads."""

from __future__ import annotations

import asyncio
from typing import Any, TypeVar

from ternmq.api.dropped import warn_dropped
from ternmq.api.waiting_tasks import task_of_verb
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.remote.remote_verbs import Exchange, PackedPut, RemoteVerbs, Result, packed_form
from ternmq.remote.turns import Turns
from ternmq.values.calls.call import Call
from ternmq.values.calls.messages import Get, Put
from ternmq.values.calls.units import BackOut
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.put_form import PutForm, foreign_form
from ternmq.values.transport import TaskTransport

Awaited = TypeVar("Awaited")


class RemoteTasks(TaskTransport):
    """The verbs of one connection, for tasks."""

    def __init__(self, verbs: RemoteVerbs, share: int) -> None:
        super().__init__()
        self.verbs = verbs
        task = task_of_verb(asyncio.current_task())
        self.turns = Turns(verbs, share, id(task))
        self._task: object = task  # the owner, kept so that its id() is not used again

    # ---- what is known of it

    @property
    def in_unit(self) -> bool:
        return self.verbs.in_unit

    @property
    def qmgr_name(self) -> str:
        return self.verbs.name

    @property
    def user(self) -> str:
        return self.verbs.link.user

    @property
    def connection_id(self) -> bytes:
        return self.verbs.link.tag

    @property
    def has_unit(self) -> bool:
        return self.verbs.in_unit or self.verbs.has_changes

    def has_handle(self, handle: ObjectHandle) -> bool:
        link = self.verbs.link
        return link.connected and handle.handle_id in link.handles

    def consume_by(self, caller: int) -> None:
        self.turns.consume_by(caller)

    def release(self) -> None:
        self.turns.release()

    def put_form(self, md: Descriptor, options: int, verb: str) -> PutForm:
        return packed_form(md, options, verb)

    @property
    def is_alive(self) -> bool:
        return self.verbs.link.connected

    # ---- verbs

    async def run(self, call: Call) -> None:
        if isinstance(call, Put):
            call.msg_id = await self.put(call.handle, call.form, call.data)
            call.warning = self.verbs.put_warning()
            call.place = self.verbs.put_place()
        elif isinstance(call, Get):
            call.message = await self.get(call.handle, call.request)
        else:
            await self.exchange(call.verb, self.verbs.run(call))

    async def exchange(self, verb: str, exchange: Exchange[Result]) -> Result:
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

    async def put(self, handle: ObjectHandle, form: PutForm, data: bytes) -> bytes:
        if not isinstance(form, PackedPut):
            raise foreign_form("MQPUT")
        return await self.exchange("MQPUT", self.verbs.put(handle, form, data))

    async def get(self, handle: ObjectHandle, request: GetRequest) -> Message | None:
        return await self.exchange("MQGET", self.verbs.get(handle, request, True))

    async def pause(self) -> None:
        self.pause_is_due = False
        await asyncio.sleep(0)

    async def end(self, vanished: bool) -> None:
        verbs = self.verbs
        if not verbs.link.connected:
            await self.closed()
            return
        try:
            if not vanished:
                await self.exchange("MQDISC", verbs.disconnect())
            elif not self.turns.busy:
                await self.run(BackOut())
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
