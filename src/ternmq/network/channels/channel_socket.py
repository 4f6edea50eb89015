"""The asyncio side of one message channel's socket: bytes become segments, segments leave.

What was received and not taken yet is bounded: the socket is read no further while whole segments
wait. What was written and has not left is bounded too: `is_writable` says whether the agent may
have another message, and the queue manager's room for answers (`host/answer_room`) counts it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, cast

from ternmq.base.errors import RemoteProtocolError
from ternmq.host.jobs import Job, Outlet
from ternmq.network.clients.segment_notes import SocketTrace
from ternmq.network.edge.admission import Peer
from ternmq.network.edge.socket_closing import SocketClosing
from ternmq.wire.fap.segment import Segment
from ternmq.wire.fap.segment_reader import SegmentReader, bytes_allowed

if TYPE_CHECKING:
    from ternmq.network.channels.agent_driver import AgentDriver
    from ternmq.network.edge.network_host import NetworkHost

OPENING_BYTES_MAX: Final = 4096  # of a segment before both ends have agreed
AHEAD_BYTES_MAX: Final = 262_144  # received and not taken, before the socket is read no further
WRITE_BYTES: Final = 262_144  # written and not taken by the system, before the agent waits
PIECE_BYTES: Final = 1_048_576  # joined for one write


class ChannelSocket(asyncio.Protocol):
    """One socket of a message channel, of either end."""

    def __init__(self, host: NetworkHost, peer: Peer) -> None:
        self.host = host
        self.peer = peer
        self.turns = host.turns
        self.outlet = ChannelOutlet(self)
        self.driver: AgentDriver | None = None
        self.is_lost = False
        self.is_closing = False
        self.is_writable = True
        self.received_bytes = 0
        self.written_bytes = 0
        self._transport: asyncio.Transport | None = None
        self._closing: SocketClosing | None = None
        self._reader = SegmentReader(bytes_allowed(OPENING_BYTES_MAX))
        self.is_reading = True
        self._lost_by: Exception | None = None
        self._given_up = ""
        self._trace: SocketTrace | None = None
        self.gone: asyncio.Future[None] = self.turns.loop.create_future()

    # ---- the protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The partner is there."""
        stream = cast("asyncio.Transport", transport)  # other loops have classes of their own
        stream.set_write_buffer_limits(WRITE_BYTES, WRITE_BYTES // 4)
        self._transport = stream
        self._closing = SocketClosing(self.turns.loop, stream)
        self.host.channel_sockets.add(self)
        self.peer.connected(stream)

    def data_received(self, data: bytes) -> None:
        """Bytes have come."""
        if self.is_closing:
            return
        is_whole = self._reader.kept_bytes == 0
        self._reader.feed(data)
        self._heard(len(data), is_whole)

    def room(self) -> memoryview:
        """Where an inlet may read bytes to."""
        return self._reader.room()

    def filled(self, count: int) -> None:
        """Bytes have come into the room."""
        if self.is_closing:
            return
        is_whole = self._reader.kept_bytes == 0
        self._reader.filled(count)
        self._heard(count, is_whole)

    def _heard(self, count: int, is_whole: bool) -> None:
        """So many bytes are the last of those that were read."""
        self.received_bytes += count
        trace = self.host.trace
        if trace is not None and trace.on:
            self._traced(is_whole).received(trace, self._reader.newest(count))
        driver = self.driver
        if driver is not None:
            self.turns.begin()
            try:
                driver.heard()
            finally:
                self.turns.settle()
        self.read_or_not()

    def eof_received(self) -> bool:
        """The partner sends no more: asyncio closes the socket."""
        return False

    def connection_lost(self, error: Exception | None) -> None:
        """The partner has gone."""
        self.is_lost = True
        self._lost_by = error
        self.turns.room.leave(self.outlet)
        self.peer.lost()
        driver = self.driver
        self.host.channel_sockets.discard(self)
        if not self.gone.done():
            self.gone.set_result(None)
        if driver is not None:
            self.turns.begin()
            try:
                driver.socket_lost()
            finally:
                self.turns.settle()
        self.host.look()

    def pause_writing(self) -> None:
        """The partner does not read."""
        self.is_writable = False
        self.hold()

    def resume_writing(self) -> None:
        """It has read enough."""
        self.is_writable = True
        self.hold()
        if self.driver is not None:
            self.driver.wake()

    @property
    def channel_name(self) -> str:
        """The channel that it serves; "" if that is not known yet."""
        return "" if self.driver is None else self.driver.agent.settings.name

    def _traced(self, is_whole: bool) -> SocketTrace:
        """Made where segments begin; if one is under way, what follows is not known yet."""
        if self._trace is None:
            self._trace = SocketTrace(self)
            if not is_whole:
                self._trace.received_is_lost()
        return self._trace

    @property
    def lost_because(self) -> str:
        """Why the partner is gone, in words."""
        error = self._lost_by
        if self._given_up:
            return self._given_up
        if error is None:
            return "the other end closed the connection"
        return str(error) or type(error).__name__

    # ---- bytes in

    def allow(self, segment_bytes_max: int) -> None:
        """Both ends have agreed on the size of segments."""
        self._reader.allow(bytes_allowed(segment_bytes_max))

    def take_over(self, rest: bytes) -> None:
        """Bytes that came before the socket was this one's."""
        self.received_bytes += len(rest)
        self._reader.feed(rest)

    def next_segment(self) -> Segment | None:
        """The next whole segment; RemoteProtocolError if what came cannot be one."""
        return self._reader.next()

    def next_bytes(self) -> bytes | None:
        """The same, before its header is read."""
        return self._reader.next_bytes()

    @property
    def carried_bytes(self) -> int:
        """Both ways."""
        return self.received_bytes + self.written_bytes

    @property
    def has_segment(self) -> bool:
        """Whether a whole segment waits."""
        try:
            return self._reader.missing == 0
        except RemoteProtocolError:
            return True  # to be refused when it is taken

    def read_or_not(self) -> None:
        """Read the socket no further while much waits."""
        most = OPENING_BYTES_MAX if self.driver is None else AHEAD_BYTES_MAX
        wanted = self._reader.kept_bytes < most or (
            self.driver is not None and not self.has_segment
        )
        transport = self._transport
        if wanted == self.is_reading or transport is None or self.is_lost:
            return
        if transport.is_closing():
            return
        self.is_reading = wanted
        if wanted:
            transport.resume_reading()
        else:
            transport.pause_reading()

    # ---- bytes out

    def write(self, parts: list[bytes | memoryview]) -> None:
        """Send segments, each in one part or in several. Where the loop can, the system gathers
        them; else they are joined, so many at a time."""
        transport = self._transport
        if transport is None or self.is_lost or transport.is_closing():
            return
        trace = self.host.trace
        if trace is not None and trace.on:
            self._traced(True).sent(trace, b"".join(parts))
        piece: list[bytes | memoryview] = []
        size = 0
        for one in parts:
            piece.append(one)
            size += len(one)
            if size >= PIECE_BYTES:
                transport.writelines(piece)
                self.written_bytes += size
                piece = []
                size = 0
        if piece:
            transport.writelines(piece)
            self.written_bytes += size
        if not self.is_writable:
            self.hold()

    def hold(self) -> None:
        """Count what has not left."""
        if not self.is_closing and not self.is_lost:
            self.turns.room.hold(self.outlet, self.unsent_bytes())

    def may_send(self, job: Job) -> bool:
        """Whether there is room for another message; if not, the job goes on when there is."""
        if not self.is_writable:
            return False
        room = self.turns.room
        return room.held_bytes < room.common_bytes_max or room.has_room(self.outlet, job)

    def unsent_bytes(self) -> int:
        """Written, and not taken by the system."""
        transport = self._transport
        if transport is None or self.is_lost:
            return 0
        return transport.get_write_buffer_size()

    # ---- the end

    def close(self) -> None:
        """Close, once what was written is with the partner."""
        if not self.is_closing:
            self.is_closing = True
            self.turns.room.leave(self.outlet)
        if self._closing is not None and not self.is_lost:
            self._closing.close()

    def give_up(self, why: str) -> None:
        """Cut it off because the partner does not read, which the agent gets to know."""
        self._given_up = why
        if self._transport is not None:
            self._transport.abort()

    def abort(self) -> None:
        """Cut it off, whatever is on its way."""
        self.is_closing = True
        self.turns.room.leave(self.outlet)
        if self._transport is not None:
            self._transport.abort()


class Inlet(asyncio.BufferedProtocol):
    """The protocol of a plain transport that reads into the memory of a channel's socket, so that
    what a receiver gets is copied less often."""

    def __init__(self, socket: ChannelSocket) -> None:
        self._socket = socket

    def get_buffer(self, sizehint: int) -> memoryview:
        """Room for bytes."""
        return self._socket.room()

    def buffer_updated(self, nbytes: int) -> None:
        """Bytes have come."""
        self._socket.filled(nbytes)

    def eof_received(self) -> bool:
        """The partner sends no more."""
        return self._socket.eof_received()

    def connection_lost(self, error: Exception | None) -> None:
        """The partner has gone."""
        self._socket.connection_lost(error)

    def pause_writing(self) -> None:
        """The partner does not read."""
        self._socket.pause_writing()

    def resume_writing(self) -> None:
        """It has read enough."""
        self._socket.resume_writing()


class ChannelOutlet(Outlet):
    """What the room for answers sees of the socket."""

    def __init__(self, socket: ChannelSocket) -> None:
        super().__init__()
        self._socket = socket

    def send(self) -> None:
        """It is sent at once."""

    def sent_bytes(self) -> int:
        return self._socket.written_bytes - self._socket.unsent_bytes()

    def unsent_bytes(self) -> int:
        return self._socket.unsent_bytes()

    def held_bytes(self) -> int:
        return self._socket.unsent_bytes()

    def cut_stalled(self, left_bytes: int) -> None:
        why = f"it has not read {left_bytes} bytes, and others wait for the memory they take"
        self._socket.give_up(why)

    def apply_backpressure(self, has_backpressure: bool) -> None:
        """A channel puts in batches, which hold it back enough."""
