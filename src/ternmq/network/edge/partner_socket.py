"""The asyncio side of one partner's socket, thin: bytes go to the line, what the line writes goes
out, and the end of either side reaches the other.

It watches over silence: heartbeats as agreed, and a partner that answers none is cut off.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, cast

from ternmq.base.errors import ProtocolError
from ternmq.base.reasons import MQRC_Q_MGR_QUIESCING
from ternmq.channel.exit_points import ExitEnds
from ternmq.kernel.channel_instance import QUIESCE, STOPPING, TERMINATE, ChannelInstance
from ternmq.network.clients.client_exits import ClientExits, maker_of
from ternmq.network.clients.segment_line import Line
from ternmq.network.clients.segment_notes import SocketTrace
from ternmq.network.clients.server_dialogue import Opening
from ternmq.network.edge.admission import Admission, Peer, Refused
from ternmq.network.edge.socket_closing import CLOSE_LOOK_S, CLOSE_S, is_underway
from ternmq.wire.fap.initial_data import InitialData
from ternmq.wire.fap.segment import TSH, TSHC, Header, Segment, segment
from ternmq.wire.fap.segment_compression import SegmentCompression
from ternmq.wire.fap.vocabulary import (
    CHANNEL_UNAVAILABLE,
    CONFIRM_REQUEST,
    HEARTBEAT,
    QM_TERMINATING,
    USER_CLOSED,
)

if TYPE_CHECKING:
    from ternmq.network.edge.network_host import NetworkHost
    from ternmq.values.multicast_terms import MulticastTerms

# A partner that hears nothing for its interval and this has gone; so have we for a partner.
GRACE_NS: Final = 60_000_000_000
_NS: Final = 1_000_000_000
TURN_BYTES: Final = 32_768  # read at once, and there is likely to be more
_TLS_BYTES: Final = 64  # of TLS's close_notify, about
_LONG_BYTES: Final = 1 << 20  # a write of more is by a view
WRITE_BYTES: Final = 262_144  # written and not taken by the system, before answers wait
_PAUSED_BYTES: Final = WRITE_BYTES // 4  # more than these are left, as long as they do


class PartnerSocket(asyncio.Protocol):
    """One socket of a partner. Made by the listener."""

    def __init__(self, host: NetworkHost, peer: Peer) -> None:
        self.host = host
        self.peer = peer
        self.line = Line(self, host.turns)
        self.line.opening = Opening(self, self.line)
        self._transport: asyncio.Transport | None = None
        self._instance: ChannelInstance | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._heartbeat_s = 0
        self._close_at_s = 0.0  # the latest time of a close that has begun
        self._asked_ns = 0  # when a heartbeat was asked for that has no answer yet
        self._lost = False
        self._is_cut = False
        self.cut_bytes = 0  # written, and never to leave
        self._trace: SocketTrace | None = None
        self.compression: SegmentCompression | None = None
        self.exits: ClientExits | None = None
        self._is_paused = False  # by the transport
        self._plain_bytes = 0  # of what is written since all had left, before compression
        self._first: Segment | None = None  # of one that is handed over
        self.gone: asyncio.Future[None] = host.turns.loop.create_future()

    def group_joined(self, terms: MulticastTerms) -> None:
        """The client uses a multicast group."""
        transport = self._transport
        name = None if transport is None else transport.get_extra_info("sockname")
        self.host.group_joined(terms, str(name[0]) if name else "")

    @property
    def admission(self) -> Admission:
        """Decides which partners may connect."""
        return self.host.admission

    @property
    def owner(self) -> str:
        """Whose it is: a user at an address."""
        user = "" if self._instance is None else self._instance.user
        return f"{user} {self.peer.origin}"

    @property
    def channel_name(self) -> str:
        """The channel that it serves; "" if that is not known yet."""
        instance = self.line.instance
        return "" if instance is None else instance.name

    @property
    def applications(self) -> int:
        """Connections by this socket."""
        return sum(1 for one in self.line.conversations.values() if one.verbs is not None)

    @property
    def connection_ids(self) -> list[int]:
        """Whose they are, in the kernel."""
        verbs = [one.verbs for one in self.line.conversations.values()]
        return [one.link.connection_id for one in verbs if one is not None]

    # ---- the protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A partner has connected."""
        stream = cast("asyncio.Transport", transport)  # other loops have classes of their own
        self._transport = stream
        stream.set_write_buffer_limits(WRITE_BYTES, _PAUSED_BYTES)
        self.host.sockets.add(self)
        self.peer.connected(stream)

    def data_received(self, data: bytes) -> None:
        """Bytes have come. A partner that sends much lets others have a turn: some loops read one
        socket many times before they look at the next."""
        exits = self.exits
        if exits is None and self.compression is None:  # every message comes here: little is asked
            trace = self.host.trace
            if trace is None or not trace.on:
                line = self.line
                line.feed(data)
                if len(data) >= TURN_BYTES and line.is_reading and not line.is_closing:
                    self._give_turn(line)
                return
        if exits is not None:
            try:
                if exits.received(data):
                    if exits.is_full:
                        self.read_on(False)
                    return
            except ProtocolError as error:
                self.line.protocol_error(error)
                return
        self.take_in(data, len(data))

    def take_in(self, data: bytes, size: int) -> None:
        """Bytes that receive exits have seen, if there are any; so many have come for them."""
        line = self.line
        if size != len(data) and self._instance is not None:
            self._instance.bytes_received += size - len(data)  # the line counts what it is fed with
        if self.compression is not None:
            data = self._expanded(self.compression, data)
        trace = self.host.trace
        if trace is not None and trace.on:
            self._traced(line.kept_bytes == 0).received(trace, data)
        line.feed(data)
        if size >= TURN_BYTES and line.is_reading and not line.is_closing:
            self._give_turn(line)
        elif self.exits is not None:
            self._read_again()

    def _give_turn(self, line: Line) -> None:
        """Others first: this one is read again at the loop's next turn."""
        self.read_on(False)
        line.turns.loop.call_soon(self._read_again)

    def _expanded(self, compression: SegmentCompression, data: bytes) -> bytes:
        try:
            plain = compression.expanded(data)
        except ProtocolError as error:
            self.line.protocol_error(error)
            return b""
        if self._instance is not None:  # the line counts what it is fed with
            self._instance.bytes_received += len(data) - len(plain)
        return plain

    def _read_again(self) -> None:
        if self.line.is_reading:
            self.read_on(True)

    def eof_received(self) -> bool:
        """The partner sends no more and expects no answer: asyncio closes the socket."""
        return False

    def connection_lost(self, error: Exception | None) -> None:
        """The partner has gone: all it did not commit is backed out."""
        self._lost = True
        if error is not None and not self.cut_bytes:
            if not self.line.is_writable:
                self.cut_bytes = max(_PAUSED_BYTES, self._plain_bytes)
            elif isinstance(error, BrokenPipeError):
                self.cut_bytes = 1  # a write failed: its last byte has not left
        if self.exits is not None:
            self.cut_bytes = max(self.cut_bytes, self.exits.out_bytes)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        instance = self._instance
        was_in_use = self.applications > 0 and not self.line.is_closing
        self.line.lost()
        self.peer.lost()
        if instance is not None and was_in_use:
            self.admission.broken(instance, self.peer, error)

    def pause_writing(self) -> None:
        """The partner does not read."""
        self._is_paused = True
        self.line.set_writable(False)

    def resume_writing(self) -> None:
        """It has read enough."""
        self._is_paused = False
        if self.exits is None or self.exits.out_bytes < WRITE_BYTES:
            self.line.set_writable(True)

    # ---- for the line

    @property
    def is_plain(self) -> bool:
        """Whether bytes go out as they are: no part of it looks at whole segments."""
        trace = self.host.trace
        is_traced = trace is not None and trace.on
        return self.compression is None and self.exits is None and not is_traced

    def write(self, data: bytes) -> None:
        """Send bytes."""
        transport = self._transport
        if transport is None or self._lost:
            return
        if self._is_cut or transport.is_closing():
            # A transport that closes drops what is written; `connection_lost` comes a turn later.
            if not self._is_cut:
                self.cut_bytes = self.unsent_bytes()
                self._is_cut = True
            self.cut_bytes += len(data)
            return
        trace = self.host.trace
        if trace is not None and trace.on:
            self._traced(True).sent(trace, data)
        if self.compression is not None:
            self._write_compressed(transport, self.compression, data)
        elif self.exits is not None or len(data) >= _LONG_BYTES:
            self._write_out(transport, data)
        else:
            transport.write(data)
        if transport.is_closing():  # the partner had gone: the write failed at once
            self.cut_bytes = len(data)
            self._is_cut = True

    def compress(self, compression: SegmentCompression) -> None:
        """Both sides have agreed: from here on segments are compressed."""
        self.compression = compression

    def _write_compressed(
        self, transport: asyncio.Transport, compression: SegmentCompression, data: bytes
    ) -> None:
        if transport.get_write_buffer_size() == 0:
            self._plain_bytes = 0
        self._plain_bytes += len(data)
        packed = compression.packed(data)
        if self._instance is not None:  # the line has counted what it wrote
            self._instance.bytes_sent += len(packed) - len(data)
        self._write_out(transport, packed)

    def _write_out(self, transport: asyncio.Transport, data: bytes) -> None:
        exits = self.exits
        if exits is None or not exits.send(data):
            # asyncio cuts off what the system took; with a view it does so without a copy
            transport.write(data if len(data) < _LONG_BYTES else memoryview(data))
        elif exits.out_bytes >= WRITE_BYTES and self.line.is_writable:
            self.line.set_writable(False)

    def put_out(self, data: bytes, size: int) -> None:
        """Segments that send exits have seen; so many bytes were written."""
        transport = self._transport
        exits = self.exits
        if transport is None or exits is None or self._lost or transport.is_closing():
            return
        if self._instance is not None:  # the line has counted what it wrote
            self._instance.bytes_sent += len(data) - size
        transport.write(data)
        if not self.line.is_writable and not self._is_paused and exits.out_bytes < _PAUSED_BYTES:
            self.line.set_writable(True)

    def exit_ends(self, ends: ExitEnds) -> None:
        """An exit ends the channel, or has failed."""
        notices = self.host.engine.kernel.notices
        inserts = [one if isinstance(one, int) else str(one) for one in ends.inserts]
        notices.add(ends.message_id, tuple(inserts))
        notices.add("AMQ9999E", (self.channel_name, self.peer.address))
        self.line.close_with(ends.status)

    def conversation_ended(self, number: int) -> None:
        """A conversation has ended."""
        if self.exits is not None:
            self.exits.ended(number)

    def _traced(self, is_whole: bool) -> SocketTrace:
        """Made again where segments begin; if one is under way, what follows is not known yet."""
        if self._trace is None:
            self._trace = SocketTrace(self)
            if not is_whole:
                self._trace.received_is_lost()
        return self._trace

    def read_on(self, go_on: bool) -> None:
        """Read, or do not for now."""
        transport = self._transport
        if transport is None or self._lost or transport.is_closing():
            return
        if go_on:
            if self.exits is None or not self.exits.is_full:
                transport.resume_reading()
        else:
            transport.pause_reading()

    def unsent_bytes(self) -> int:
        """Written, and not taken by the system: at least so many of ours are not sent. What is cut
        off has nothing in its buffer, and all the same these have not left."""
        if self._is_cut and not self._lost:
            return self.cut_bytes
        transport = self._transport
        if transport is None or self._lost:
            return 0
        size = transport.get_write_buffer_size()
        if size and transport.get_extra_info("ssl_object") is not None:
            size = max(size - size // 512 - _TLS_BYTES, 0)  # what TLS has added
        if size and self.compression is not None:
            size = max(size, self._plain_bytes)  # which of them have left is not known
        if self.exits is not None:
            size += self.exits.out_bytes
        return size

    def close(self) -> None:
        """Close, once what was written is with the partner. A socket that is closed with unread
        bytes is reset, and what the system has not sent by then is lost."""
        self.line.is_closing = True
        transport = self._transport
        if transport is None or self._lost:
            return
        self._close_at_s = self._close_at_s or self.host.turns.loop.time() + CLOSE_S
        is_with_exits = self.exits is not None and self.exits.out_bytes > 0
        is_left = is_with_exits or is_underway(transport)
        if is_left and self.host.turns.loop.time() < self._close_at_s:
            self.host.turns.loop.call_later(CLOSE_LOOK_S, self.close)
        elif transport.get_write_buffer_size():
            self.abort()  # the partner does not read: a close would wait for that for ever
        else:
            transport.close()

    def abort(self) -> None:
        """Cut it off, whatever is on its way."""
        self.line.is_closing = True
        if self._transport is not None:
            self.cut_bytes = self.unsent_bytes()
            self._is_cut = True
            self._transport.abort()

    def cut_stalled(self, left_bytes: int) -> None:
        """The partner does not read, and others wait for the memory that it takes."""
        why = f"it has not read {left_bytes} bytes, and others wait for the memory they take"
        self.host.engine.kernel.notices.add("AMQ9206E", (self.peer.connection_name, why))
        self.abort()

    def left(self) -> None:
        """All conversations have ended, and so has the socket."""
        if not self._lost:
            return
        if self.exits is not None:
            self.exits.close()
        instance = self._instance
        if instance is not None:
            self._instance = None
            self.admission.leave(instance)
        self.host.leave_socket(self)
        if not self.gone.done():
            self.gone.set_result(None)

    def note_protocol_error(self, text: str) -> None:
        """For the log."""
        name = self.line.instance.name if self.line.instance is not None else "????"
        notices = self.host.engine.kernel.notices
        notices.add("AMQ9504E", (name, f"{self.peer.connection_name}: {text}"))

    def report(self, error: BaseException, doing: str) -> None:
        """A fault of ours."""
        self.host.fault(error, doing)

    # ---- who

    def hand_over(self, one: Segment) -> bool:
        """The partner is the other end of a message channel; False if none are run here."""
        channels = self.host.message_channels
        if channels is None:
            return False
        self._first = one
        self.line.is_handed_over = True
        self.line.is_closing = True
        return True

    def pass_on(self, rest: bytes) -> None:
        """Its first segment, and what came behind that, go to the message channels."""
        channels = self.host.message_channels
        transport = self._transport
        one = self._first
        self._first = None
        if channels is None or transport is None or one is None:
            return
        self.host.sockets.discard(self)
        channels.take(transport, self.peer, one, rest)

    def admit(self, asked: InitialData) -> ChannelInstance | None:
        """The instance for a partner; None if it was refused and notified."""
        try:
            instance = self.admission.channel(asked, self.peer)
        except Refused as refused:  # and written to the error log
            self.line.close_with(refused.status)
            return None
        self._instance = instance
        self.line.instance = instance
        instance.ask_to_stop = self.ask_to_stop
        make = maker_of(self.host, instance, self.peer)
        if make is not None:
            try:
                self.exits = ClientExits(self, make, instance.name)
            except ExitEnds as ends:
                self.exit_ends(ends)
                return None
        return instance

    async def user(
        self,
        client_user: str,
        csp_user: str,
        csp_password: str | None,
        application: str,
        exit_user: str | None = None,
    ) -> str:
        """The user of a conversation."""
        instance = self._instance
        if instance is None:
            raise ConnectionResetError("the partner has gone")
        return await self.admission.user(
            instance, self.peer, client_user, csp_user, csp_password, application, exit_user
        )

    # ---- silence

    def watch(self, heartbeat_s: int) -> None:
        """Both sides have agreed on an interval; 0: no heartbeats."""
        self._heartbeat_s = heartbeat_s
        if heartbeat_s:
            self._timer = self.host.turns.loop.call_later(heartbeat_s, self._beat)

    def _beat(self) -> None:
        self._timer = None
        line = self.line
        if line.is_closing:
            return
        now_ns = int(line.turns.clock.monotonic_ns())
        interval_ns = self._heartbeat_s * _NS
        left_ns = interval_ns
        if self._asked_ns and line.heard_ns >= self._asked_ns:
            self._asked_ns = 0
        silent_ns = now_ns - line.heard_ns
        if self._asked_ns:
            if now_ns - self._asked_ns >= interval_ns + GRACE_NS:
                why = "a heartbeat was not answered"
                notices = self.host.engine.kernel.notices
                notices.add("AMQ9208E", (self.peer.connection_name, why))
                self.abort()
                return
        elif silent_ns < interval_ns:
            left_ns = interval_ns - silent_ns
        elif self._may_ask():
            self._asked_ns = now_ns
            self._ask()
        self._timer = line.turns.loop.call_later(max(left_ns / _NS, 0.01), self._beat)

    def _may_ask(self) -> bool:
        """On a socket that is not shared, a client listens only while it is in a call."""
        line = self.line
        if line.is_shared:
            return True
        return any(one.call is not None for one in line.conversations.values())

    def _ask(self) -> None:
        line = self.line
        form = line.form
        if form is None:
            return
        header = Header(
            HEARTBEAT,
            # The socket's own: on a conversation the Java client takes it for a reply.
            variant=TSHC if line.is_shared else TSH,
            order=form.order,
            ccsid=form.ccsid,
            encoding=form.encoding,
            is_ebcdic=form.is_ebcdic,
            flags_1=CONFIRM_REQUEST,
        )
        line.write(segment(header))

    # ---- the end

    def end_connection(self, connection_id: int) -> None:
        """STOP CONN: one of several connections on the socket is cut off, or the socket."""
        line = self.line
        if len(line.conversations) < 2:
            self.abort()
            return
        line.turns.begin()
        for conversation in list(line.conversations.values()):
            verbs = conversation.verbs
            if verbs is not None and verbs.link.connection_id == connection_id:
                conversation.cut()
        line.turns.settle()

    def ask_to_stop(self, how: int) -> None:
        """STOP CHANNEL."""
        instance = self._instance
        if instance is not None:
            instance.status = STOPPING
            instance.stop_requested = True
        if how == TERMINATE:
            self.abort()
        elif how == QUIESCE:
            self._quiesce(CHANNEL_UNAVAILABLE)
        else:
            self.line.close_with(CHANNEL_UNAVAILABLE)

    def _quiesce(self, status: int) -> None:
        """Close when no call is under way."""
        calls = [one.call for one in self.line.conversations.values() if one.call is not None]
        can_answer = self.line.is_writable
        waits = [call for call in calls if (call.is_done and can_answer) or not call.abandon()]
        if waits and not self._lost:
            self.host.turns.loop.call_later(0.05, self._quiesce, status)
        else:
            self.line.close_with(status)

    def notify_quiescing(self) -> None:
        """The queue manager is quiescing: consumers are notified."""
        for conversation in self.line.conversations.values():
            for consumer in conversation.consumers.values():
                consumer.notify(MQRC_Q_MGR_QUIESCING)

    def notify_end(self, is_broken: bool) -> None:
        """The queue manager ends: say so and close, once what was answered is on its way."""
        self.line.close_with(USER_CLOSED if is_broken else QM_TERMINATING)
