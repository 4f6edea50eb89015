"""One TCP connection to a queue manager, for the tasks of one loop: as `client_socket` for threads.

What is written in one turn of the loop leaves in one piece. Answers wake the tasks that wait for
them; back-pressure stops those that do not.
"""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING, cast

from ternmq.base.errors import RemoteProtocolError
from ternmq.remote.fap.client_conversation import ChannelEnd, Conversation, Reply, Stream
from ternmq.remote.fap.client_dialogue import Negotiated, compression_of
from ternmq.remote.fap.frames import ANSWER_S_MAX, heartbeat_segment
from ternmq.remote.fap.quick import FLUSH_NOW, Outgoing
from ternmq.wire.fap.negotiation import SEGMENT_BYTES_USUAL
from ternmq.wire.fap.segment import Segment, read_segment
from ternmq.wire.fap.segment_reader import SegmentReader, bytes_allowed

if TYPE_CHECKING:
    from ternmq.remote.fap.client_exits import SocketExits
    from ternmq.wire.fap.segment_compression import SegmentCompression


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class TaskSocket(asyncio.Protocol):
    """A connected socket, with TLS or without."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.transport: asyncio.Transport | None = None
        self.end: ChannelEnd | None = None
        self.negotiated: Negotiated | None = None
        self.is_closed = False
        self.closed: asyncio.Future[None] = self.loop.create_future()
        self._first = SegmentReader(bytes_allowed(SEGMENT_BYTES_USUAL))
        self._first_waiter: asyncio.Future[None] | None = None
        self._failed: Exception | None = None
        self.outgoing = Outgoing(self.see_to)
        self._room: asyncio.Future[None] | None = None  # while the other side is slow
        self._beat: asyncio.TimerHandle | None = None
        self._last_s = 0.0
        self._compression: SegmentCompression | None = None
        self.exits: SocketExits | None = None

    @property
    def local_host(self) -> str:
        """The address of this end."""
        name = None if self.transport is None else self.transport.get_extra_info("sockname")
        return str(name[0]) if name else ""

    # ---- as a protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The queue manager is there."""
        self.transport = cast("asyncio.Transport", transport)  # uvloop has classes of its own

    def data_received(self, data: bytes) -> None:
        """Bytes have come."""
        end = self.end
        if end is None:
            self._first.feed(data)
            if self._first_waiter is not None:
                _wake(self._first_waiter)
            return
        self._last_s = self.loop.time()
        end.heartbeat_due = False
        try:
            if self.exits is not None:
                data = self.exits.came(data)
            if self._compression is not None:
                data = self._compression.expanded(data)
            end.feed(data)
        except RemoteProtocolError as error:
            self.lost(error)
            return
        if end.out:
            for one in end.out:
                self.write(one)
            end.out.clear()
        if end.ended is not None:
            self.close()

    def connection_lost(self, error: Exception | None) -> None:
        """The queue manager is gone."""
        self.transport = None  # Python 3.11.2 cannot abort a lost one of TLS
        self.lost(error or EOFError("the queue manager closed the connection"))
        if not self.closed.done():
            self.closed.set_result(None)

    def pause_writing(self) -> None:
        """The other side is slow."""
        if self._room is None:
            self._room = self.loop.create_future()
        self.outgoing.is_full = True

    def resume_writing(self) -> None:
        """It has caught up."""
        self.outgoing.is_full = False
        room, self._room = self._room, None
        if room is not None:
            _wake(room)

    # ---- bytes

    def write(self, data: bytes) -> None:
        """Send, with all that is sent in this turn."""
        flush = self.outgoing.add(data)
        if flush:
            self.see_to(flush)

    def see_to(self, flush: int) -> None:
        """Something was added to `outgoing`, which said what is to be done."""
        if flush == FLUSH_NOW:
            self.flush()
        else:
            self.loop.call_soon(self.flush)

    def flush(self) -> None:
        """Send what waits for the turn's end."""
        data = self.outgoing.take()
        transport = self.transport
        if data and transport is not None and not self.is_closed:
            if self._compression is not None:
                data = self._compression.packed(data)
            if self.exits is not None:
                try:
                    data = self.exits.sent(data)
                except RemoteProtocolError as error:
                    self.lost(error)
                    return
            transport.write(data)

    @property
    def is_full(self) -> bool:
        """Whether a writer is to wait."""
        return self._room is not None

    async def room(self) -> None:
        """Wait until the other side has caught up."""
        while self._room is not None and not self.is_closed:
            await asyncio.shield(self._room)

    async def first_segment(self, data: bytes) -> Segment:
        """Send, and receive one segment: for the first words."""
        exits = self.exits
        if self.transport is not None:
            self.transport.write(data if exits is None else exits.sent(data))
        while (one := self._first.next_bytes()) is None:
            if self._failed is not None:
                raise self._failed
            self._first_waiter = self.loop.create_future()
            await self._first_waiter
        return read_segment(one if exits is None else exits.came_one(one))

    def meet(self, negotiated: Negotiated) -> ChannelEnd:
        """The initial data are agreed."""
        self.negotiated = negotiated
        self.end = ChannelEnd(negotiated.agreement)
        self._compression = compression_of(negotiated.agreement)
        self._last_s = self.loop.time()
        if negotiated.last_words:
            self.write(negotiated.last_words)
        self._watch()
        return self.end

    # ---- answers

    async def reply(self, conversation: Conversation) -> Reply:
        """The answer to what is under way; raises what ended the channel."""
        while True:
            reply = conversation.reply
            if reply is not None:
                conversation.reply = None
                return reply
            if conversation.ended is not None:
                raise conversation.ended
            try:
                await self.wakeup(conversation)
            finally:
                conversation.wake = None

    async def arrival(self, conversation: Conversation, stream: Stream, deadline_s: float) -> None:
        """Return when there is something in the stream, or the time is over (0: it never is)."""
        while not stream.has_news:
            if conversation.ended is not None:
                raise conversation.ended
            left_s = deadline_s - time.monotonic() if deadline_s else 1.0
            if left_s <= 0:
                return
            timer = None
            future = self.wakeup(conversation)
            if deadline_s:
                timer = self.loop.call_later(left_s, _wake, future)
            try:
                await future
            finally:
                conversation.wake = None
                if timer is not None:
                    timer.cancel()

    def wakeup(self, conversation: Conversation) -> asyncio.Future[None]:
        """A future that is done when something comes for the conversation; it serves one wake."""
        future = self.loop.create_future()
        conversation.wake = partial(_wake, future)
        return future

    # ---- heartbeats

    def _watch(self) -> None:
        end = self.end
        if end is None or not end.agreement.heartbeat_s or self.is_closed:
            return
        beat_s = end.agreement.heartbeat_s
        allowed_s = min(beat_s, ANSWER_S_MAX) + beat_s if end.heartbeat_due else beat_s
        left_s = allowed_s - (self.loop.time() - self._last_s)
        if left_s <= 0:
            if end.heartbeat_due:
                self.lost(TimeoutError("the queue manager answers no heartbeat"))
                return
            end.heartbeat_due = True
            self.write(heartbeat_segment(end.agreement.is_shared))
            left_s = min(beat_s, ANSWER_S_MAX)
        self._beat = self.loop.call_later(left_s, self._watch)

    # ---- the end

    def lost(self, error: Exception) -> None:
        """It is gone: every conversation ends at once."""
        if self._failed is None:
            self._failed = error
        if self.end is not None:
            self.end.end(error)
        if self._first_waiter is not None:
            _wake(self._first_waiter)
        self.close()
        if self.transport is not None:
            self.transport.abort()  # TLS would wait for a goodbye

    def close(self) -> None:
        """Close it, once what was written has left."""
        if self.is_closed:
            return
        self.flush()
        self.is_closed = True
        if self._beat is not None:
            self._beat.cancel()
        if self.end is not None:
            self.end.end(EOFError("the connection is closed"))
        self.resume_writing()
        if self.exits is not None:
            self.exits.final()
        if self.transport is not None:
            self.transport.close()
