"""A socket that receives from a group, with the machine that puts packets in order."""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from ternmq.base import constants as mq
from ternmq.remote.multicast.group_sockets import receiving_socket
from ternmq.remote.multicast.socket_thread import SOCKETS, Endpoint, now_ms
from ternmq.values.multicast_figures import MulticastFigures
from ternmq.values.multicast_terms import MulticastTerms
from ternmq.wire.multicast.packet import unpack
from ternmq.wire.multicast.publication import Publication, unpack_publication
from ternmq.wire.multicast.receiver import Event, Receiver


@mypyc_attr(allow_interpreted_subclasses=True)
class GroupReceiver(Endpoint):
    """One receiver. What comes is handed to `publications_came`, by the thread of the sockets."""

    def __init__(
        self, terms: MulticastTerms, interface: str, timeout_ms: int, wants_history: bool
    ) -> None:
        super().__init__(receiving_socket(terms.group, terms.port, interface))
        self.terms = terms
        self.own_source = 0  # of a transmitter beside it, which it does not listen to
        self.ignored = 0  # datagrams that were not valid
        silence_ms = max(timeout_ms, 2 * terms.heartbeat_ms)
        if not timeout_ms or not terms.heartbeat_ms:
            silence_ms = 0
        self.receiver = Receiver(terms.key, wants_history, silence_ms, now_ms())

    def dropped_publications(self) -> int:
        """How many there was no room for."""
        return 0

    def figures(self) -> MulticastFigures:
        one = self.receiver
        counted = (
            one.delivered,
            one.received_bytes,
            one.received_packets,
            one.repaired,
            one.sent_naks,
            one.lost,
            one.duplicates,
            self.dropped_publications(),
        )
        return MulticastFigures(*[int(number) for number in counted])

    def publications_came(self, came: list[Publication], events: list[Event], now: int) -> None:
        """Take what has come, and what has happened."""
        raise NotImplementedError

    def arrived(self, data: bytes, place: tuple[str, int], now: int) -> None:
        packet = unpack(data, self.terms.key)
        if packet is None:
            self.ignored += 1
        elif packet.source != self.own_source:
            self.receiver.take(packet, place, now)

    def due_ms(self) -> int:
        return int(self.receiver.due_ms)

    def due(self, now: int) -> None:
        receiver = self.receiver
        receiver.tick(now)
        naks, receiver.naks = receiver.naks, []
        for place, nak in naks:
            try:
                self.socket.sendto(nak, place)
            except OSError:
                continue  # it asks again
        publications, receiver.publications = receiver.publications, []
        events, receiver.events = receiver.events, []
        if publications or events:
            came = [one for one in map(unpack_publication, publications) if one is not None]
            self.publications_came(came, events, now)

    def close(self) -> None:
        """Leave the group."""
        SOCKETS.remove(self)


def wants_history(terms: MulticastTerms) -> bool:
    """NSUBHIST(ALL)."""
    return terms.new_history == mq.MQNSH_ALL
