"""Backpressure: a putter that is faster than the reader is held back for a moment, so that messages
do not have to leave memory for a file only to be read again at once.

It is about non-persistent messages that are put without an answer, on a queue from which messages
are streamed to a reader: when half of the queue's buffer is full, the putter's socket is not read
until a quarter is left. That takes a good reader milliseconds. One that needs longer than
`BACKPRESSURE_S` is slow, and a queue is there to let it be slow: no putter is held then until the
reader has caught up by itself, or for `REST_S`, after which it is tried once more. A putter whose
own socket the reader uses is never held.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64, mypyc_attr

from ternmq.store.queue import Queue

if TYPE_CHECKING:
    from ternmq.host.jobs import Turns

BACKPRESSURE_S: Final = 0.1
REST_S: Final = 1.0


@mypyc_attr(allow_interpreted_subclasses=True)
class Putter:
    """The socket of an application that puts, or reads, or both."""

    def __init__(self) -> None:
        self.has_backpressure = False  # it puts faster than a reader reads

    def apply_backpressure(self, has_backpressure: bool) -> None:
        """Do not read the socket for a moment, or read it again."""
        raise NotImplementedError


@final
class Readers:
    """The readers of one queue's streamed messages, and the putters held because of them."""

    def __init__(self, turns: Turns, queue: Queue) -> None:
        self._turns = turns
        self.queue = queue
        self._lines: list[Putter] = []  # of the readers; one that has two is here twice
        self._paused: list[Putter] = []
        self._rests_until = 0.0  # in the loop's time: the readers are slow, and no putter is held
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_empty(self) -> bool:
        """Whether it has no reader."""
        return not self._lines

    def add(self, line: Putter) -> None:
        """Add a reader."""
        self._lines.append(line)

    def remove(self, line: Putter) -> None:
        """Remove a reader; the last one lets the held putters go on."""
        if line in self._lines:
            self._lines.remove(line)
        if not self._lines:
            self._let_go()

    def apply_backpressure(self, line: Putter) -> None:
        """Half of the buffer is full: the putter is held, if that is of use."""
        if line.has_backpressure or line in self._lines:
            return
        if self._rests_until and self._turns.loop.time() < self._rests_until:
            return
        line.apply_backpressure(True)
        self._paused.append(line)
        if self._timer is None:
            self._timer = self._turns.loop.call_later(BACKPRESSURE_S, self._took_too_long)

    def relieved(self) -> None:
        """Messages were taken."""
        queue = self.queue
        limit: i64 = queue.plain_limit >> 2
        if queue.plain_bytes <= limit:
            self._rests_until = 0.0
            if self._paused:
                self._let_go()

    def _took_too_long(self) -> None:
        self._timer = None
        self._rests_until = self._turns.loop.time() + REST_S
        self._let_go()

    def _let_go(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        paused = self._paused
        self._paused = []
        for line in paused:
            line.apply_backpressure(False)


@final
class Backpressure:
    """The readers of every queue that is streamed from, in one loop."""

    def __init__(self) -> None:
        self._readers: dict[Queue, Readers] = {}

    def add(self, turns: Turns, queue: Queue, line: Putter) -> Readers:
        """Add a reader of a queue."""
        readers = self._readers.get(queue)
        if readers is None:
            readers = Readers(turns, queue)
            self._readers[queue] = readers
        readers.add(line)
        return readers

    def remove(self, readers: Readers, line: Putter) -> None:
        """Remove a reader of a queue."""
        readers.remove(line)
        if readers.is_empty:
            self._readers.pop(readers.queue, None)

    def apply_backpressure(self, queue: Queue, line: Putter) -> None:
        """A putter has filled half of a queue's buffer."""
        readers = self._readers.get(queue)
        if readers is not None:
            readers.apply_backpressure(line)
