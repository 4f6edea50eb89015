"""Messages to a callback, in a thread of their own: MQCB and MQCTL in Python.

    with ternmq.listen(connection, "ORDERS", handle) as listening:
        ...

The connection is the listener's while it listens: any other caller that uses it gets
MQRC_CALL_IN_PROGRESS. With `syncpoint` (the default) the message and what the callback does on that
connection are one unit of work: committed when the callback returns, backed out when it raises.
Tasks have `async for message in queue.consume()`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from ternmq.api.connection import Connection
from ternmq.api.failure_log import log_failure
from ternmq.api.handles import checked_name
from ternmq.api.queue import Queue
from ternmq.base.errors import MQError
from ternmq.values.message import Message

_SLICE_S: Final = 0.2  # how long a stop may take to be noticed
Callback = Callable[[Message], None]
ErrorCallback = Callable[[Exception], None]


class Listening:
    """A thread that waits for messages; stop it, or use it in a `with` block."""

    def __init__(
        self,
        connection: Connection,
        queue_name: str,
        callback: Callback,
        syncpoint: bool,
        on_error: ErrorCallback | None,
        options: int,
    ) -> None:
        self._connection = connection
        self._name = queue_name
        self._callback = callback
        self._syncpoint = syncpoint
        self._on_error = on_error
        self._options = options
        self._stopping = threading.Event()
        self._failure: Exception | None = None
        self._runner = threading.Thread(target=self._run, name=f"ternmq-{queue_name}", daemon=True)
        self._runner.start()

    def _run(self) -> None:
        try:
            with self._connection.queue(self._name, options=self._options) as queue:
                while not self._stopping.is_set():
                    self._next(queue)
                if self._connection.in_unit:
                    self._connection.backout()  # it was begun for a message that did not come
        except MQError as error:
            self._failure = error
            if self._on_error is None:
                log_failure(error)
            else:
                self._on_error(error)

    def _next(self, queue: Queue) -> None:
        if self._syncpoint and not self._connection.in_unit:
            self._connection.begin()  # so that what the callback puts is in the unit, too
        message = queue.try_get(wait=_SLICE_S, syncpoint=self._syncpoint)
        if message is None:
            return
        try:
            self._callback(message)
        except Exception as error:
            if self._syncpoint:
                self._connection.backout()
            if self._on_error is None:
                log_failure(error)
                self._failure = error
                self._stopping.set()
            else:
                self._on_error(error)
            return
        if self._syncpoint:
            self._connection.commit()

    @property
    def is_running(self) -> bool:
        """Whether messages still come to the callback."""
        return self._runner.is_alive()

    def stop(self) -> None:
        """No more messages; raises what ended it, if that was not this."""
        self._stopping.set()
        if threading.current_thread() is not self._runner:
            self._runner.join()
            failure, self._failure = self._failure, None
            if failure is not None and self._on_error is None:
                raise failure

    def __repr__(self) -> str:
        state = "" if self.is_running else ", ended"
        return f"<Listening to {self._name} of {self._connection.name}{state}>"

    def __enter__(self) -> Listening:
        return self

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        if kind is None:
            self.stop()
        else:
            self._stopping.set()
            self._runner.join()


def listen(
    connection: Connection,
    queue_name: str,
    callback: Callback,
    *,
    syncpoint: bool = True,
    on_error: ErrorCallback | None = None,
    options: int = 0,
) -> Listening:
    """Give every message of a queue to a callback, in a thread, until it is stopped.

    What the callback raises, and what breaks the connection, goes to `on_error`; without one it
    is logged, ends the listening and is raised by `stop`. `options` are MQOO options of the queue.
    """
    # Refused here: what is raised in the thread would be lost.
    queue_name = checked_name(queue_name)
    return Listening(connection, queue_name, callback, syncpoint, on_error, options)
