"""The thread of one socket's exits, so that a slow exit delays its own channel and nothing else.

Work is done in the order in which it is given. What the work has found goes back to the loop. The
thread is a daemon: an exit that never returns does not keep the queue manager from its end. It is
made with the first work, and ends with the socket or when that exit returns.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import final

Work = Callable[[], None]
Done = Callable[[BaseException | None], None]


@final
class ExitThread:
    """Used in the loop's thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, name: str) -> None:
        self._loop = loop
        self._name = name
        self._queue: SimpleQueue[tuple[Work, Done] | None] = SimpleQueue()
        self._server_thread: threading.Thread | None = None
        self.pending = 0  # given, and not done yet

    def run(self, work: Work, done: Done) -> None:
        """Do this behind what was given before; then `done` is called in the loop, with what the
        work has raised."""
        self.pending += 1
        self._queue.put((work, done))
        if self._server_thread is None:
            self._server_thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
            self._server_thread.start()

    def end(self) -> None:
        """Nothing more will be given."""
        if self._server_thread is not None:
            self._queue.put(None)

    def _serve(self) -> None:
        while (one := self._queue.get()) is not None:
            work, done = one
            error: BaseException | None = None
            try:
                work()
            except BaseException as raised:  # it goes to the loop, which decides
                error = raised
            try:
                self._loop.call_soon_threadsafe(self._back, done, error)
            except RuntimeError:
                return  # the loop has ended, and the channel with it

    def _back(self, done: Done, error: BaseException | None) -> None:
        self.pending -= 1
        done(error)
