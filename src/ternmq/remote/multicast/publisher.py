"""An open topic that is published to by multicast.

Closing it says so to the receivers; for some seconds it still sends again what they miss. Each has
a socket, so of those that are closed only the last `LINGERING_MAX` do.
"""

from __future__ import annotations

import os
import threading
from typing import Final, final

from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_MSG_TOO_BIG_FOR_CHANNEL, MQRC_MULTICAST_SEND_ERROR
from ternmq.remote.fap.client_channel import MulticastSettings
from ternmq.remote.multicast.group_sockets import sending_socket
from ternmq.remote.multicast.socket_thread import SOCKETS, Endpoint, now_ms
from ternmq.values.multicast_figures import MulticastFigures
from ternmq.values.multicast_terms import MulticastTerms
from ternmq.wire.multicast.packet import unpack
from ternmq.wire.multicast.publication import Publication, narrowed
from ternmq.wire.multicast.transmitter import PUBLICATION_BYTES_MAX, Transmitter

LINGERING_MAX: Final = 32
_LINGER_MS: Final = 3000


@final
class Publisher(Endpoint):
    """One open topic, or one group of the queue manager's bridge."""

    def __init__(self, terms: MulticastTerms, interface: str, settings: MulticastSettings) -> None:
        super().__init__(sending_socket(terms.group, terms.port, interface, settings))
        self.terms = terms
        self._place = (terms.group, terms.port)
        source = int.from_bytes(os.urandom(8), "big")
        history_bytes = terms.history_kb << 10
        self.transmitter = Transmitter(
            terms.key, source, history_bytes, terms.heartbeat_ms, now_ms()
        )
        self.monitor_ms = terms.monitor_s * 1000
        self._ends_ms = 0  # when it is closed and what is missing was sent again
        SOCKETS.add(self)

    @property
    def source(self) -> int:
        """The number of its transmitter."""
        return self.transmitter.source

    def figures(self) -> MulticastFigures:
        one = self.transmitter
        counted = (one.publications, one.sent_bytes, one.sent_packets, one.repairs, one.naks)
        return MulticastFigures(*[int(number) for number in counted])

    def publish(self, publication: Publication) -> None:
        """Send a publication."""
        data = narrowed(publication, self.terms.properties).pack()
        if len(data) > PUBLICATION_BYTES_MAX:
            limit = PUBLICATION_BYTES_MAX
            detail = f"{len(data)} bytes with its descriptor, multicast takes {limit}"
            raise mq_error(
                MQRC_MSG_TOO_BIG_FOR_CHANNEL, verb="MQPUT", object=publication.topic, detail=detail
            )
        with self.lock:
            datagrams = self.transmitter.publish(data, now_ms())
            due_ms = int(self.transmitter.due_ms)
            try:
                for one in datagrams:
                    self.socket.sendto(one, self._place)
            except OSError as error:
                raise mq_error(
                    MQRC_MULTICAST_SEND_ERROR,
                    verb="MQPUT",
                    object=publication.topic,
                    detail=f"{self._place[0]}({self._place[1]}): {error.strerror}",
                ) from error
        SOCKETS.wants(due_ms)

    def arrived(self, data: bytes, place: tuple[str, int], now: int) -> None:
        packet = unpack(data, self.terms.key)
        if packet is not None:
            self._send(self.transmitter.asked(packet, now))

    def due_ms(self) -> int:
        return self._ends_ms or int(self.transmitter.due_ms)

    def due(self, now: int) -> None:
        if self._ends_ms and now >= self._ends_ms:
            self.is_over = True
            _LINGERING.discard(self)
        else:
            self._send(self.transmitter.tick(now))

    def _send(self, datagrams: list[bytes]) -> None:
        for one in datagrams:
            try:
                self.socket.sendto(one, self._place)
            except OSError:
                return  # who misses it asks again

    def close(self) -> None:
        """Publish no more."""
        with self.lock:
            if self._ends_ms:
                return
            now = now_ms()
            self._ends_ms = now + _LINGER_MS
            self._send(self.transmitter.end(now))
        SOCKETS.wants(self._ends_ms)
        oldest = _LINGERING.add(self)
        if oldest is not None:
            oldest.end_now()

    def end_now(self) -> None:
        """Send nothing again any more."""
        with self.lock:
            self._ends_ms = 1
        SOCKETS.wake()


@final
class _Lingering:
    """Those that are closed and still answer, the oldest first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed: dict[int, Publisher] = {}  # by source

    def add(self, one: Publisher) -> Publisher | None:
        """One more; who has to go for it."""
        with self._lock:
            self._closed[one.source] = one
            if len(self._closed) <= LINGERING_MAX:
                return None
            return self._closed.pop(next(iter(self._closed)))

    def discard(self, one: Publisher) -> None:
        """It answers no more."""
        with self._lock:
            self._closed.pop(one.source, None)


_LINGERING: Final = _Lingering()
