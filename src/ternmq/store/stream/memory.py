"""What all streams of a queue manager keep in memory, and when blocks leave it for files.

A stream begins to write when a quarter of its share is unwritten, and forgets the oldest blocks
that are in files beyond its share. Beyond the bound of all streams each gives up what it can, some
of them a step.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.ports.effect import Outbox
from ternmq.store.stream.numbered_stream import Stream
from ternmq.store.stream.stream_file import StreamWrite

STREAM_MEMORY_BYTES: Final = 16 << 20
ALL_MEMORY_BYTES: Final = 256 << 20
RELIEVE_STREAMS_MAX: Final = 16  # a step
RELIEVE_EVERY: Final = 32  # messages


@final
class StreamMemory:
    """The account of all streams that are in use."""

    def __init__(self) -> None:
        self.outbox: Outbox | None = None  # without one, as in a restart, nothing is written
        self.stream_bytes_max: i64 = STREAM_MEMORY_BYTES
        self.bytes_max: i64 = ALL_MEMORY_BYTES
        self.bytes: i64 = 0
        self.streams: dict[int, Stream] = {}  # by queue
        self._turn: list[int] = []
        self._appends: i64 = 0  # while there is too much

    def join(self, stream: Stream) -> None:
        """A stream is in use."""
        before = self.streams.get(int(stream.queue_id))
        if before is stream:
            return
        if before is not None:
            self.leave(before)
        self.streams[int(stream.queue_id)] = stream
        stream.memory = self
        stream.outbox = self.outbox
        self.bytes += stream.held + stream.open.bytes

    def leave(self, stream: Stream) -> None:
        """A stream is in use no longer."""
        if stream.memory is None:
            return
        stream.memory = None
        self.bytes -= stream.held + stream.open.bytes
        if self.streams.get(int(stream.queue_id)) is stream:
            del self.streams[int(stream.queue_id)]

    def connect(self, outbox: Outbox) -> None:
        """Effects can be run from now on."""
        self.outbox = outbox
        for stream in self.streams.values():
            stream.outbox = outbox
            self.sealed(stream)

    def sealed(self, stream: Stream) -> None:
        """A block of the stream was sealed: write if it is time to."""
        if stream.unwritten * 4 >= self.stream_bytes_max:
            self.begin_write(stream)

    def begin_write(self, stream: Stream) -> None:
        """Write what has no place yet, unless a writer is under way."""
        outbox = self.outbox
        if outbox is None or stream.writer is not None or not stream.recent:
            return
        if stream.is_saved_next:
            return
        effect = StreamWrite(stream)
        stream.writer = effect
        outbox.add(effect)

    def evict(self, stream: Stream) -> None:
        """Blocks of the stream are in files: forget the oldest if it has more than its share."""
        stream.evict(0 if self.bytes > self.bytes_max else self.stream_bytes_max)

    def relieve(self) -> None:
        """All streams together have too much: some of them give up what they can. Not at every
        message, or blocks would become very small."""
        self._appends += 1
        if self._appends % RELIEVE_EVERY:
            return
        if not self._turn:
            self._turn = list(self.streams)
        visits = min(len(self._turn), RELIEVE_STREAMS_MAX)
        while visits > 0 and self.bytes > self.bytes_max:
            visits -= 1
            stream = self.streams.get(self._turn.pop())
            if stream is None:
                continue
            stream.evict(0)
            if stream.writer is None:
                stream.seal()
                self.begin_write(stream)

    def is_overfull(self, stream: Stream) -> bool:
        """Whether more must not come before something is written."""
        if stream.unwritten > self.stream_bytes_max:
            return True
        return self.bytes > self.bytes_max + self.bytes_max // 4 and stream.unwritten > 0
