"""One TCP connection to a queue manager, for threads: any number of them, on as many conversations.

A thread that waits for an answer reads, if no other does, and hands to each conversation what is
its own; a second thread waits until its answer was handed over, or until the reader has what it
wanted and another thread must read. So a thread alone sends once and receives once a verb, and no
thread stands between. While no thread waits, `socket_watch` looks after heartbeats.
"""

from __future__ import annotations

import os
import socket
import ssl
import struct
import threading
import time
from typing import TYPE_CHECKING, Final

from ternmq.base.errors import MQError, RemoteProtocolError
from ternmq.remote.fap.client_conversation import ChannelEnd, Conversation, Reply, Stream
from ternmq.remote.fap.client_dialogue import Negotiated, compression_of
from ternmq.remote.fap.frames import ANSWER_S_MAX, heartbeat_segment
from ternmq.wire.fap.negotiation import SEGMENT_BYTES_USUAL
from ternmq.wire.fap.segment import Segment, read_segment
from ternmq.wire.fap.segment_reader import SegmentReader, bytes_allowed

if TYPE_CHECKING:
    from ternmq.remote.fap.client_exits import SocketExits
    from ternmq.remote.fap.client_tls import TlsPipe
    from ternmq.wire.fap.segment_compression import SegmentCompression

_CHUNK_BYTES: Final = 1 << 18
_TIMEVAL: Final = struct.Struct("ll")
_MONOTONIC = time.monotonic


class ClientSocket:
    """A connected socket, with TLS or without."""

    def __init__(
        self, opened: socket.socket, tls: TlsPipe | None, exits: SocketExits | None = None
    ) -> None:
        self._socket = opened
        self.exits = exits
        self._first = SegmentReader(bytes_allowed(SEGMENT_BYTES_USUAL))
        self._tls = tls
        self._process = os.getpid()
        self._sending = threading.Lock()
        self._state = threading.Lock()
        self._has_reader = False
        self._waiting: list[threading.Event] = []  # of threads that would read, if no other did
        self._timeout_s = -1.0
        self.end: ChannelEnd | None = None
        self.negotiated: Negotiated | None = None
        self.last_s = _MONOTONIC()  # when bytes last came
        self.last_words: list[bytes] = []  # to be sent with what comes next
        self.is_closed = False
        self._compression: SegmentCompression | None = None

    # ---- bytes

    @property
    def local_host(self) -> str:
        """The address of this end."""
        try:
            return str(self._socket.getsockname()[0])
        except OSError:
            return ""

    def send(self, data: bytes) -> None:
        """All of it."""
        with self._sending:
            if self.last_words:
                words, self.last_words = self.last_words, []
                data = b"".join((*words, data))
            self._send_all(data)

    def _send_all(self, data: bytes) -> None:
        if self._compression is not None:
            data = self._compression.packed(data)
        if self.exits is not None:
            data = self.exits.sent(data)
        tls = self._tls
        self._socket.sendall(data if tls is None else tls.encrypted(data))

    def send_at_once(self, data: bytes) -> None:
        """For the last words of a connection that the collector has found: it may have come in the
        middle of another send, so this one must not wait for it."""
        if self._sending.acquire(blocking=False):
            try:
                self._send_all(data)
            finally:
                self._sending.release()
        else:
            self.last_words.append(data)

    def receive(self, timeout_s: float) -> bytes | None:
        """Some bytes; None if none came in time, EOFError if none will. 0: without end."""
        if timeout_s != self._timeout_s:
            self._set_timeout(timeout_s)
        while True:
            try:
                data = self._socket.recv(_CHUNK_BYTES)
            except BlockingIOError:
                return None
            if not data:
                raise EOFError("the queue manager closed the connection")
            self.last_s = _MONOTONIC()
            tls = self._tls
            if tls is not None:
                data, answer = tls.decrypted(data)
                if answer:
                    with self._sending:
                        self._socket.sendall(answer)
            if self.exits is not None and self.end is not None:
                data = self.exits.came(data)
            if self._compression is not None:
                data = self._compression.expanded(data)
            if data:
                return data

    def _set_timeout(self, timeout_s: float) -> None:
        # The kernel's own: Python's would cost another system call each time.
        self._timeout_s = timeout_s
        whole = int(timeout_s)
        part = max(int((timeout_s - whole) * 1_000_000), 0 if whole or not timeout_s else 1)
        packed = _TIMEVAL.pack(whole, part)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, packed)

    def first_segment(self, data: bytes, deadline_s: float) -> Segment:
        """Send, and receive one segment: for the first words."""
        self.send(data)
        while (one := self._first.next_bytes()) is None:
            left_s = deadline_s - _MONOTONIC()
            if left_s <= 0:
                raise TimeoutError("the queue manager does not answer")
            came = self.receive(left_s)
            if came is not None:
                self._first.feed(came)
        return read_segment(one if self.exits is None else self.exits.came_one(one))

    def meet(self, negotiated: Negotiated) -> ChannelEnd:
        """The initial data are agreed."""
        self.negotiated = negotiated
        self.end = ChannelEnd(negotiated.agreement)
        self._compression = compression_of(negotiated.agreement)
        if negotiated.last_words:
            self.last_words.append(negotiated.last_words)
        beat_s = negotiated.agreement.heartbeat_s
        if beat_s:
            # A partner that does not read for so long is gone, as one that sends nothing is.
            packed = _TIMEVAL.pack(beat_s + int(ANSWER_S_MAX), 0)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, packed)
        return self.end

    # ---- answers

    def wait(
        self, conversation: Conversation, stream: Stream | None, deadline_s: float
    ) -> Reply | None:
        """The answer to what is under way; None if there is a message in the stream instead, or the
        time is over (0: it never is). Raises what ended the channel."""
        while True:
            event: threading.Event | None = None
            with self._state:
                reply = conversation.reply
                if reply is not None:
                    conversation.reply = None
                    self._nominate()
                    return reply
                if conversation.ended is not None:
                    self._nominate()
                    raise conversation.ended
                has_more = stream is not None and stream.has_news
                if has_more or (deadline_s and _MONOTONIC() >= deadline_s):
                    self._nominate()
                    return None
                if self._has_reader:
                    event = threading.Event()
                    self._waiting.append(event)
                    conversation.wake = event.set
                else:
                    self._has_reader = True
                    conversation.wake = None
            if event is None:
                try:
                    self._read(conversation, stream, deadline_s)
                finally:
                    self._hand_over()
            else:
                self._follow(conversation, event, deadline_s)

    def _follow(
        self, conversation: Conversation, event: threading.Event, deadline_s: float
    ) -> None:
        try:
            event.wait(max(deadline_s - _MONOTONIC(), 0) if deadline_s else None)
        except BaseException:
            with self._state:
                self._leave(conversation, event)
                self._nominate()
            raise
        with self._state:
            self._leave(conversation, event)

    def _leave(self, conversation: Conversation, event: threading.Event) -> None:
        conversation.wake = None
        if event in self._waiting:
            self._waiting.remove(event)

    def _nominate(self) -> None:
        """Another thread reads, if one waits and none reads. A thread that leaves must see to it:
        it may be the one that was to read, and have found its answer first."""
        if not self._has_reader and self._waiting:
            self._waiting.pop(0).set()

    def _hand_over(self) -> None:
        """Another thread reads from now on, if one waits."""
        with self._state:
            self._has_reader = False
            self._nominate()

    def _read(self, conversation: Conversation, stream: Stream | None, deadline_s: float) -> None:
        """Read until this conversation has something, or its time is over."""
        end = self.end
        while end is not None and conversation.reply is None and conversation.ended is None:
            if stream is not None and stream.has_news:
                return
            try:
                data = self.receive(self._patience_s(deadline_s))
                if data is None:
                    if deadline_s and _MONOTONIC() >= deadline_s:
                        return
                    self.beat()
                    continue
                self.fed(data)
            except (OSError, EOFError, RemoteProtocolError, ssl.SSLError) as error:
                self.lost(error)

    def _patience_s(self, deadline_s: float) -> float:
        end = self.end
        beat_s = 0.0 if end is None else float(end.agreement.heartbeat_s)
        if end is not None and end.heartbeat_due and beat_s:
            beat_s = min(beat_s, ANSWER_S_MAX)
        if not deadline_s:
            return beat_s
        left_s = max(deadline_s - _MONOTONIC(), 0.001)
        return min(left_s, beat_s) if beat_s else left_s

    def fed(self, data: bytes) -> None:
        """Bytes have come: to their conversations, and what they ask for back."""
        end = self.end
        if end is None:
            return
        end.heartbeat_due = False
        end.feed(data)
        if end.out:
            out = b"".join(end.out)
            end.out.clear()
            self.send(out)

    def beat(self) -> None:
        """Nothing has come for an interval: ask, or, if that was done already, give up."""
        end = self.end
        if end is None:
            return
        if end.heartbeat_due:
            raise TimeoutError("the queue manager answers no heartbeat")
        end.heartbeat_due = True
        self.send(heartbeat_segment(end.agreement.is_shared))

    def look(self) -> None:
        """While no thread waits: take what has come, and see to heartbeats."""
        with self._state:
            if self._has_reader or self.is_closed or self.end is None:
                return
            self._has_reader = True
        try:
            self._look()
        except (OSError, EOFError, MQError, RemoteProtocolError, ssl.SSLError) as error:
            self.lost(error)
        finally:
            self._hand_over()

    def _look(self) -> None:
        end = self.end
        if end is None:
            return
        while (data := self.receive(0.001)) is not None:
            self.fed(data)
        if self.last_words:
            self.send(b"")
        beat_s = end.agreement.heartbeat_s
        if beat_s:
            silent_s = _MONOTONIC() - self.last_s
            if silent_s >= (beat_s + min(beat_s, ANSWER_S_MAX) if end.heartbeat_due else beat_s):
                self.beat()

    # ---- the end

    @property
    def is_ours(self) -> bool:
        """Not in a forked child: there the socket is the parent's, which goes on using it."""
        return self._process == os.getpid()

    def lost(self, error: Exception) -> None:
        """It is gone: every conversation ends at once."""
        if self.end is not None:
            self.end.end(error)
        self.close()

    def close(self) -> None:
        """Close it; a wait in another thread ends."""
        self.is_closed = True
        if self.end is not None:
            self.end.end(EOFError("the connection is closed"))
        try:
            if self.is_ours:
                self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the other side was first
        self._socket.close()
        if self.exits is not None:
            self.exits.final()  # it waits for an exit in another thread, and the socket does not

    def __del__(self) -> None:
        opened = getattr(self, "_socket", None)
        if opened is not None:
            opened.close()
