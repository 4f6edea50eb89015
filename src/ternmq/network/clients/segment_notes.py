"""What the trace says of a partner's segments: when, which way, type, conversation and length, and
of calls the completion code and reason. Never what is in a message, nor a password.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, Protocol

from ternmq.base.errors import ProtocolError
from ternmq.wire.fap.segment import Segment
from ternmq.wire.fap.segment_reader import SegmentReader
from ternmq.wire.fap.vocabulary import FLAGS_1, flag_names, is_call, type_name

if TYPE_CHECKING:
    from ternmq.network.edge.admission import Peer
    from ternmq.network.edge.network_host import CallTrace

RECEIVED: Final = "received"
SENT: Final = "sent"
_COMPONENT: Final = "comms"
_SEGMENT_BYTES_MAX: Final = 1 << 20


class Traced(Protocol):
    """A socket of a client or of a message channel."""

    peer: Peer

    @property
    def channel_name(self) -> str:
        """The channel that it serves; "" if that is not known yet."""


class SegmentTrace:
    """One direction of one socket, from a moment at which a segment begins."""

    def __init__(self, socket: Traced, way: str) -> None:
        self._socket = socket
        self._way = way
        self._reader = SegmentReader(_SEGMENT_BYTES_MAX)
        self.is_lost = False  # it does not know where segments begin

    def record(self, trace: CallTrace, data: bytes) -> None:
        """Bytes that came or go."""
        if self.is_lost:
            return
        self._reader.feed(data)
        try:
            while (one := self._reader.next()) is not None:
                self._record(trace, one)
        except ProtocolError as error:
            self.is_lost = True
            trace.record(_COMPONENT, "segment", way=self._way, error=str(error))

    def _record(self, trace: CallTrace, one: Segment) -> None:
        socket = self._socket
        header = one.header
        facts: dict[str, object] = {
            "way": self._way,
            "channel": socket.channel_name,
            "partner": socket.peer.connection_name,
            "conversation": header.conversation,
            "request": header.request,
            "flags": flag_names(header.flags_1, FLAGS_1),
            "bytes": len(one.data),
        }
        if is_call(header.type) and header.is_first and one.body_bytes >= 16:
            comp, reason, handle = struct.unpack_from(
                f"{header.order}iii", one.data, one.body_at + 4
            )
            facts.update(comp=comp, reason=reason, handle=handle)
        trace.record(_COMPONENT, type_name(header.type), **facts)


class SocketTrace:
    """Both directions, while the trace is on."""

    def __init__(self, socket: Traced) -> None:
        self._received = SegmentTrace(socket, RECEIVED)
        self._sent = SegmentTrace(socket, SENT)

    def received_is_lost(self) -> None:
        """A segment is under way: it is not known where the next begins."""
        self._received.is_lost = True

    def received(self, trace: CallTrace, data: bytes) -> None:
        """Bytes have come."""
        self._received.record(trace, data)

    def sent(self, trace: CallTrace, data: bytes) -> None:
        """Bytes go."""
        self._sent.record(trace, data)
