"""Callbacks in a task: MQCB and MQCTL of the asyncio API, as `consuming` in a thread.

Functions may be coroutine functions, which are awaited, or plain ones. The work waits in one place
at a time; `stop` cancels that wait, and a cancelled get has not happened.
"""

from __future__ import annotations

import asyncio
import inspect
from types import TracebackType
from typing import Any, final

from ternmq.api.callbacks import (
    BACK_OUT,
    CALL,
    GET,
    IDLE,
    RUN,
    RUNNING,
    STARTED,
    STOPPED,
    SUSPENDED,
    BaseCallbacks,
    Work,
)
from ternmq.api.consumers import (
    BaseConsumer,
    EventFunction,
    MessageFunction,
    check_functions,
    no_function,
)
from ternmq.api.waiting_tasks import task_of_verb
from ternmq.base import constants_all as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_ENVIRONMENT_ERROR
from ternmq.values.calls.units import BackOut
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.transport import TaskTransport


def caller() -> int:
    """The number of the running task."""
    return id(task_of_verb(asyncio.current_task()))


@final
class Consumer(BaseConsumer):
    """A function for the messages of one queue, until it is closed."""

    async def suspend(self) -> None:
        """MQOP_SUSPEND: it is called no more until it is resumed."""
        callbacks = self._callbacks()
        callbacks.check_caller(caller())
        callbacks.suspend_one(self)

    async def resume(self) -> None:
        """MQOP_RESUME: after `suspend`, and after a condition that needed action."""
        callbacks = self._callbacks()
        callbacks.check_caller(caller())
        callbacks.resume_one(self)

    async def close(self) -> None:
        """MQOP_DEREGISTER: it is called no more; the queue stays open."""
        await self._callbacks().deregister([self])

    def _callbacks(self) -> Callbacks:
        return callbacks_of(self._queue._transport)


def callbacks_of(transport: TaskTransport) -> Callbacks:
    """Those of a connection."""
    found = transport.callbacks
    if not isinstance(found, Callbacks):
        found = Callbacks(transport)
        transport.callbacks = found
    return found


async def register(
    queue: Any,
    handle: ObjectHandle,
    function: MessageFunction,
    on_event: EventFunction | None,
    asked: tuple[bytes | None, bytes | None, bytes | None, int | None, int, bool],
    wait: float | None,
    callback_options: int,
) -> Consumer:
    """MQOP_REGISTER."""
    callbacks = callbacks_of(queue._transport)
    callbacks.check_caller(caller())
    check_functions(function, on_event, wait, callback_options)
    await callbacks.call(callbacks.check_quiescing(callback_options))
    consumer = Consumer(queue, handle, function, on_event, callback_options)
    consumer.ask_for(*asked, wait)
    callbacks.add(consumer)
    await callbacks.call(callbacks.control(consumer, mq.MQCBCT_REGISTER_CALL))
    return consumer


async def forget_queue(transport: TaskTransport, handles: list[ObjectHandle]) -> None:
    """A queue is being closed: its consumers are deregistered."""
    callbacks = transport.callbacks
    if isinstance(callbacks, Callbacks):
        await callbacks.deregister(callbacks.consumers_of(handles))


@final
class Callbacks(BaseCallbacks[Consumer]):
    """The functions of one connection, and the task that calls them."""

    def __init__(self, transport: TaskTransport) -> None:
        super().__init__(transport)
        self._transport = transport
        self._task: asyncio.Task[Any] | None = None  # that runs the work
        self._waits = False  # the task waits for a message, and may be cancelled
        self._cancels = 0  # of that wait, by us
        self._operation = asyncio.Event()  # MQCTL wants something of the task
        self._is_started = asyncio.Event()
        self._has_ended = asyncio.Event()
        self._has_ended.set()

    async def deregister(self, consumers: list[Consumer]) -> None:
        """MQOP_DEREGISTER."""
        if consumers:
            self.check_caller(caller())
        for one in consumers:
            if self.remove(one):
                await self.call(self.last_calls(one))

    async def handle_events(self, function: EventFunction | None) -> None:
        """MQOP_REGISTER of an event handler."""
        self.check_caller(caller())
        if function is not None and not callable(function):
            raise no_function(f"{function!r} cannot be called")
        self.handler = function

    def block(self) -> Consuming:
        """A block in which they are started."""
        return Consuming(self)

    # ---- MQCTL

    async def start(self, wait: bool) -> None:
        """MQOP_START; with `wait` MQOP_START_WAIT."""
        if wait and self.caller == caller():
            detail = "a callback cannot wait for callbacks"
            raise mq_error(MQRC_ENVIRONMENT_ERROR, verb="MQCTL", detail=detail)
        if self.may_start(caller()):
            await self._run(True, wait)

    async def resume(self) -> None:
        """MQOP_RESUME; after `start` with `wait` it waits, too."""
        if self.may_resume(caller()):
            await self._run(False, self._must_have)

    async def stop(self) -> None:
        """MQOP_STOP."""
        if await self._end_with(STOPPED):
            if self.state == SUSPENDED:
                self.state = STOPPED
                await self.call(self.stop_calls())
            self._raise_failure()

    async def suspend(self) -> None:
        """MQOP_SUSPEND."""
        self.check_suspend()
        await self._end_with(SUSPENDED)

    async def quit(self, failed: bool) -> None:
        """The connection ends: stop, and deregister all."""
        try:
            await self.stop_after(failed)
        finally:
            await self.deregister(list(self.consumers))

    async def stop_after(self, failed: bool) -> None:
        """Stop; what failed is raised, unless something else is on its way out."""
        try:
            await self.stop()
        except Exception:
            if not failed:
                raise

    async def _end_with(self, wish: int) -> bool:
        """Have the work end; whether it has, when this returns: from inside a callback it ends when
        that returns."""
        if self.caller and self.caller == caller():
            self.wish = wish
            return False
        self.ask_from_outside(wish)
        self._operation.set()
        if self._waits and self._task is not None and not self._cancels:
            self._cancels += 1
            self._task.cancel()
        await self._has_ended.wait()
        return True

    def _raise_failure(self) -> None:
        failure = self.take_failure()
        if failure is not None:
            raise failure

    # ---- the task

    async def _run(self, is_start: bool, wait: bool) -> None:
        self._is_started.clear()
        self._operation.clear()
        if wait:
            self._task = task_of_verb(asyncio.current_task())
            self.begin(caller(), True)
            self._has_ended.clear()
            await self._run_work(is_start, True)
            self._raise_failure()
            return
        self._task = asyncio.get_running_loop().create_task(
            self._run_work(is_start, False), name="ternmq-callbacks"
        )
        try:
            self.begin(id(self._task), False)
        except BaseException:
            self._task.cancel()
            raise
        self._has_ended.clear()
        await self._is_started.wait()
        if self.state != RUNNING:
            self._raise_failure()

    async def _run_work(self, is_start: bool, wait: bool) -> None:
        try:
            await self._do(self.work(is_start))
        except Exception as error:
            self.keep(error)
        except BaseException:
            # The task was cancelled, not by us: nothing of a callback that was under way counts.
            self.wish = STOPPED
            await self._undo()
            raise
        finally:
            self.end()
            self._task = None
            self._is_started.set()
            self._has_ended.set()

    async def _undo(self) -> None:
        transport = self._transport
        if transport.has_unit and transport.is_alive:
            try:
                await transport.run(BackOut())
            except MQError as error:
                self.keep(error)

    async def call(self, work: Work) -> None:
        """Calls outside of the task's work."""
        await self._do(work)

    async def _do(self, work: Work) -> None:
        result: Any = None
        error: Exception | None = None
        try:
            while True:
                kind, one, other = work.send(result) if error is None else work.throw(error)
                result = error = None
                try:
                    if kind == CALL:
                        awaited = one(other)
                        if inspect.isawaitable(awaited):
                            await awaited
                    elif kind == GET:
                        result = await self._get(one, other)
                    elif kind == STARTED:
                        self._is_started.set()
                    elif kind == BACK_OUT:
                        await self._transport.run(BackOut())
                    else:
                        await self._wait(kind, one)
                except Exception as raised:
                    error = raised
        except StopIteration:
            return

    async def _get(self, handle: ObjectHandle, request: Any) -> Message | None:
        transport = self._transport
        message = transport.get_now(handle, request)
        if message is not None:
            if transport.pause_is_due:
                await transport.pause()
            return message
        self._waits = True
        try:
            return await transport.get(handle, request)
        except asyncio.CancelledError:
            if not self._was_ours():
                raise
            return None
        finally:
            self._waits = False

    async def _wait(self, kind: int, one: Any) -> None:
        self._waits = True
        try:
            if kind == RUN:
                await self._transport.run(one)
            elif kind == IDLE:
                async with asyncio.timeout(one):
                    await self._operation.wait()
        except TimeoutError:
            pass
        except asyncio.CancelledError:
            if not self._was_ours():
                raise
        finally:
            self._waits = False

    def _was_ours(self) -> bool:
        """Whether a cancellation was for the wait alone; then it is over."""
        task = self._task
        if not self._cancels or task is None:
            return False
        self._cancels = 0
        return task.uncancel() == 0


@final
class Consuming:
    """A block in which callbacks are started."""

    def __init__(self, callbacks: Callbacks) -> None:
        self._callbacks = callbacks

    async def __aenter__(self) -> Consuming:
        await self._callbacks.start(False)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._callbacks.stop_after(kind is not None)
