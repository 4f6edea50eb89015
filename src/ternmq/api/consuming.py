"""Callbacks in a thread: MQCB and MQCTL of the blocking API.

Between `start` and `stop` one thread of the connection, or with `wait` the caller's, gets messages
and calls the functions, one after the other.
"""

from __future__ import annotations

import inspect
import threading
from threading import get_ident
from types import TracebackType
from typing import Any, Final, final

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
    ConsumerT,
    EventFunction,
    MessageFunction,
    check_functions,
    no_function,
)
from ternmq.base import constants_all as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_ENVIRONMENT_ERROR
from ternmq.values.handle import ObjectHandle
from ternmq.values.transport import Transport

_INTERRUPT_S: Final = 0.05  # between two tries to end a wait early


@final
class Consumer(BaseConsumer):
    """A function for the messages of one queue, until it is closed."""

    def suspend(self) -> None:
        """MQOP_SUSPEND: it is called no more until it is resumed."""
        callbacks = self._callbacks()
        callbacks.check_caller(get_ident())
        callbacks.suspend_one(self)

    def resume(self) -> None:
        """MQOP_RESUME: after `suspend`, and after a condition that needed action."""
        callbacks = self._callbacks()
        callbacks.check_caller(get_ident())
        callbacks.resume_one(self)

    def close(self) -> None:
        """MQOP_DEREGISTER: it is called no more; the queue stays open."""
        self._callbacks().deregister([self])

    def _callbacks(self) -> Callbacks:
        return callbacks_of(self._queue._transport)


def callbacks_of(transport: Transport) -> Callbacks:
    """Those of a connection."""
    found = transport.callbacks
    if not isinstance(found, Callbacks):
        found = Callbacks(transport)
        transport.callbacks = found
    return found


def register(
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
    callbacks.check_caller(get_ident())
    check_functions(function, on_event, wait, callback_options)
    for one in (function, on_event):
        if inspect.iscoroutinefunction(one):
            raise no_function(f"{one!r} is a coroutine function, for tasks alone")
    callbacks.call(callbacks.check_quiescing(callback_options))
    consumer = Consumer(queue, handle, function, on_event, callback_options)
    consumer.ask_for(*asked, wait)
    callbacks.add(consumer)
    callbacks.call(callbacks.control(consumer, mq.MQCBCT_REGISTER_CALL))
    return consumer


def forget_queue(transport: Transport, handles: list[ObjectHandle]) -> None:
    """A queue is being closed: its consumers are deregistered."""
    callbacks = transport.callbacks
    if isinstance(callbacks, Callbacks):
        callbacks.deregister(callbacks.consumers_of(handles))


class ThreadCallbacks(BaseCallbacks[ConsumerT]):
    """The functions of one connection, and the thread that calls them."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)
        self._transport = transport
        self._asked: object = None  # the request of the last get
        self._starting = threading.Lock()
        self._operation = threading.Event()  # MQCTL wants something of the thread
        self._is_started = threading.Event()
        self._has_ended = threading.Event()
        self._has_ended.set()

    def deregister(self, consumers: list[ConsumerT]) -> None:
        """MQOP_DEREGISTER."""
        if consumers:
            self.check_caller(get_ident())
        for one in consumers:
            if self.remove(one):
                self.call(self.last_calls(one))

    def handle_events(self, function: EventFunction | None) -> None:
        """MQOP_REGISTER of an event handler."""
        self.check_caller(get_ident())
        if function is not None and not callable(function):
            raise no_function(f"{function!r} cannot be called")
        self.handler = function

    # ---- MQCTL

    def start(self, wait: bool) -> None:
        """MQOP_START; with `wait` MQOP_START_WAIT."""
        if self.caller != get_ident():
            self._run(True, wait)
            return
        if wait:
            detail = "a callback cannot wait for callbacks"
            raise mq_error(MQRC_ENVIRONMENT_ERROR, verb="MQCTL", detail=detail)
        self.may_start(get_ident())

    def resume(self) -> None:
        """MQOP_RESUME; after `start` with `wait` it waits, too."""
        if self.caller != get_ident():
            self._run(False, self._must_have)
            return
        self.may_resume(get_ident())

    def stop(self) -> None:
        """MQOP_STOP."""
        if self._end_with(STOPPED):
            if self.state == SUSPENDED:
                self.state = STOPPED
                self.call(self.stop_calls())
            self._raise_failure()

    def suspend(self) -> None:
        """MQOP_SUSPEND."""
        self.check_suspend()
        self._end_with(SUSPENDED)

    def quit(self, failed: bool) -> None:
        """The connection ends: stop, and deregister all."""
        try:
            self.stop_after(failed)
        finally:
            self.deregister(list(self.consumers))

    def stop_after(self, failed: bool) -> None:
        """Stop; what failed is raised, unless something else is on its way out."""
        try:
            self.stop()
        except Exception:
            if not failed:
                raise

    def _end_with(self, wish: int) -> bool:
        """Have the work end; whether it has, when this returns: from inside a callback it ends when
        that returns."""
        if self.caller == get_ident():
            self.wish = wish
            return False
        while not self._has_ended.is_set():
            self.ask_from_outside(wish)
            self._operation.set()
            self._transport.interrupt(self._asked)
            self._has_ended.wait(_INTERRUPT_S)
        return True

    def _raise_failure(self) -> None:
        failure = self.take_failure()
        if failure is not None:
            raise failure

    # ---- the thread

    def _run(self, is_start: bool, wait: bool) -> None:
        with self._starting:
            if is_start:
                self.may_start(get_ident())
            else:
                self.may_resume(get_ident())
            self._is_started.clear()
            self._operation.clear()
            if wait:
                self.begin(get_ident(), True)
                self._has_ended.clear()
            else:
                self._start_thread(is_start)
        if wait:
            self._run_work(is_start, True)
        if wait or self.state != RUNNING:
            self._raise_failure()

    def _start_thread(self, is_start: bool) -> None:
        self._has_ended.clear()
        runner = threading.Thread(
            target=self._run_thread, args=(is_start,), name="ternmq-callbacks", daemon=True
        )
        runner.start()
        self._is_started.wait()

    def _run_thread(self, is_start: bool) -> None:
        try:
            self.begin(get_ident(), False)
        except MQError as error:
            self.keep(error)
            self._is_started.set()
            self._has_ended.set()
            return
        self._run_work(is_start, False)

    def _run_work(self, is_start: bool, wait: bool) -> None:
        try:
            self._do(self.work(is_start))
        except BaseException as error:
            if wait and not isinstance(error, Exception):
                raise  # KeyboardInterrupt, say, in the caller's own thread
            self.keep(error)
        finally:
            self.end()
            self._is_started.set()
            self._has_ended.set()

    def call(self, work: Work) -> None:
        """Calls outside of the thread's work."""
        self._do(work)

    def deliver(self, handle: ObjectHandle, request: Any) -> Any:
        """A message, or None."""
        return self._transport.deliver(handle, request)

    def _do(self, work: Work) -> None:
        transport = self._transport
        result: Any = None
        error: Exception | None = None
        try:
            while True:
                kind, one, other = work.send(result) if error is None else work.throw(error)
                result = error = None
                try:
                    if kind == GET:
                        self._asked = other
                        result = self.deliver(one, other)
                    elif kind == CALL:
                        one(other)
                    elif kind == RUN:
                        transport.run(one)
                    elif kind == BACK_OUT:
                        transport.back_out()
                    elif kind == IDLE:
                        self._operation.wait(one)
                    elif kind == STARTED:
                        self._is_started.set()
                except Exception as raised:
                    error = raised
        except StopIteration:
            return


@final
class Callbacks(ThreadCallbacks[Consumer]):
    """Those of the blocking API."""

    def block(self) -> Consuming:
        """A block in which they are started."""
        return Consuming(self)


@final
class Consuming:
    """A block in which callbacks are started."""

    def __init__(self, callbacks: Callbacks) -> None:
        self._callbacks = callbacks

    def __enter__(self) -> Consuming:
        self._callbacks.start(False)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._callbacks.stop_after(kind is not None)
