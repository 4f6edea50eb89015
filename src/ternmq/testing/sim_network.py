"""A network in memory: connections between named places, with delay, loss and half-open ends.

Sans-I/O: nothing runs by itself. Bytes that are sent, and ends that are closed, become events of
the caller that gives `after(seconds, call)`, as `world.World` does. A connection is two
`SimLink`s; each reports bytes and its end to its user by calls. Bytes arrive in order, in pieces
that have nothing to do with those that were sent. What can go wrong:

  - delay: each piece takes its own time, drawn at random;
  - `cut`: the connection is lost; bytes on their way may still arrive, late, at an end that is
    long given up (`late`), or not at all;
  - `cut_after`: it is lost after exactly so many more bytes;
  - `go_silent`: half-open: nothing arrives any more, and neither end is notified;
  - `refuses`: no client can connect to a place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ternmq.testing.chance import Chance

# Let so many seconds pass, then call.
After = Callable[[float, Callable[[], None]], None]
Accept = Callable[["SimLink"], None]

PIECE_BYTES_MAX: Final = 4096


class LinkClosed(ConnectionError):
    """This end was closed, or its connection was lost and it was notified."""


def _ignore_bytes(data: bytes) -> None:
    """Until the user of a link sets its own function."""


def _ignore_end() -> None:
    """Until the user of a link sets its own function."""


class SimLink:
    """One end of a connection. Set `on_bytes` and `on_end`, then `send` and `close`."""

    def __init__(self, net: SimNetwork, name: str, number: int) -> None:
        self.net = net
        self.name = name
        self.number = number  # of the connection; a later one has a higher number
        self.on_bytes: Callable[[bytes], None] = _ignore_bytes
        self.on_end: Callable[[], None] = _ignore_end
        self.is_open = True
        self.peer: SimLink | None = None
        self.sent_bytes = 0
        self.received_bytes = 0
        self._connection: _Connection | None = None

    def send(self, data: bytes) -> None:
        """Bytes for the other end. That they were taken says nothing of their arrival."""
        if not self.is_open or self._connection is None:
            raise LinkClosed(f"{self.name}: connection {self.number} is closed")
        self.sent_bytes += len(data)
        self._connection.carry(self, data)

    def close(self) -> None:
        """The other end is notified when everything that was sent has arrived."""
        if self.is_open and self._connection is not None:
            self.is_open = False
            self._connection.carry_end(self)

    # ---- faults

    def cut(self, late: bool = False) -> None:
        """The connection is lost for both ends; bytes on their way arrive late, or never."""
        if self._connection is not None:
            self._connection.lose(late)

    def cut_after(self, count: int) -> None:
        """It is lost when so many more bytes have arrived at the other end."""
        if self._connection is not None:
            self._connection.quota[self.name] = count

    def go_silent(self) -> None:
        """Nothing that this end sends arrives any more, and neither end is notified."""
        if self._connection is not None:
            self._connection.silent.add(self.name)


class _Connection:
    """What is between two ends."""

    def __init__(self, net: SimNetwork, one: SimLink, two: SimLink) -> None:
        self.net = net
        self.ends = (one, two)
        self.quota: dict[str, int] = {}  # by sending end: bytes until it is lost
        self.silent: set[str] = set()
        self.lost = False
        self.late = False
        self._due: dict[str, float] = {}  # by sending end: when its last piece arrives
        self._begins: dict[str, float] = {}  # by sending end: when the first may

    def begins(self, sender: SimLink, due_s: float) -> None:
        """No bytes arrive before the connection does."""
        self._begins[sender.name] = due_s

    def carry(self, sender: SimLink, data: bytes) -> None:
        """Cut the bytes into pieces and send each on its way."""
        begins_s = self._begins.pop(sender.name, 0.0)
        self._due[sender.name] = max(self._due.get(sender.name, 0.0), begins_s)
        at = 0
        while at < len(data):
            size = self.net.chance.randrange(1, PIECE_BYTES_MAX)
            piece = data[at : at + size]
            at += size
            self._schedule(sender, lambda piece=piece: self._arrive(sender, piece))  # type: ignore[misc]

    def carry_end(self, sender: SimLink) -> None:
        self._schedule(sender, lambda: self._arrive_end(sender))

    def _schedule(
        self, sender: SimLink, call: Callable[[], None], delay_s: tuple[float, float] | None = None
    ) -> None:
        """In order: a piece never overtakes the one before it."""
        net = self.net
        now = net.now_s()
        drawn_s = net.chance.uniform(*(delay_s or net.delay_s))
        due = max(self._due.get(sender.name, 0.0), now + drawn_s)
        self._due[sender.name] = due
        net.after(due - now, call)

    def _other(self, end: SimLink) -> SimLink:
        return self.ends[1] if end is self.ends[0] else self.ends[0]

    def _arrive(self, sender: SimLink, data: bytes, is_late: bool = False) -> None:
        receiver = self._other(sender)
        if sender.name in self.silent or (self.lost and not self.late):
            return
        if self.lost and not is_late:
            self._schedule(sender, lambda: self._arrive(sender, data, True), self.net.late_s)
            return
        quota = self.quota.get(sender.name)
        if quota is not None and quota < len(data):
            data = data[:quota]
        if data and (receiver.is_open or self.late):
            receiver.received_bytes += len(data)
            self.net.carried_bytes += len(data)
            receiver.on_bytes(data)
        if quota is not None:
            self.quota[sender.name] = quota - len(data)
            if quota == len(data):
                self.lose(False)

    def _arrive_end(self, sender: SimLink) -> None:
        receiver = self._other(sender)
        if sender.name not in self.silent and not self.lost and receiver.is_open:
            receiver.is_open = False
            receiver.on_end()

    def lose(self, late: bool) -> None:
        """Both ends are notified, each in its own time."""
        if self.lost:
            return
        self.lost = True
        self.late = late
        self.net.cuts += 1
        for end in self.ends:
            self.net.after(self.net.draw_delay_s(), lambda end=end: self._notify(end))  # type: ignore[misc]

    def _notify(self, end: SimLink) -> None:
        if end.is_open and end.name not in self.silent:
            end.is_open = False
            end.on_end()


class SimNetwork:
    """The places that can be connected to, and how the network behaves."""

    def __init__(self, after: After, now_s: Callable[[], float], chance: Chance) -> None:
        self.after = after
        self.now_s = now_s
        self.chance = chance
        self.delay_s: tuple[float, float] = (0.0001, 0.002)
        self.late_s: tuple[float, float] = (0.01, 0.5)  # bytes that outlive their connection
        self.refuses: set[str] = set()
        self.links: list[SimLink] = []  # the connecting end of each connection
        self.carried_bytes = 0
        self.cuts = 0
        self._places: dict[str, Accept] = {}
        self._connections = 0

    def draw_delay_s(self) -> float:
        return self.chance.uniform(*self.delay_s)

    def listen(self, place: str, accept: Accept) -> None:
        """Connections to this place are handed to `accept`."""
        self._places[place] = accept

    def stop_listening(self, place: str) -> None:
        self._places.pop(place, None)

    def connect(self, place: str, name: str) -> SimLink:
        """A connection to a place. If none listens there, or it refuses, `on_end` is called."""
        self._connections += 1
        here = SimLink(self, f"{name}>{place}", self._connections)
        there = SimLink(self, f"{place}<{name}", self._connections)
        connection = _Connection(self, here, there)
        here.peer, there.peer = there, here
        here._connection = there._connection = connection
        self.links = [link for link in self.links if link.is_open] + [here]
        delay_s = self.draw_delay_s()
        connection.begins(here, self.now_s() + delay_s)
        self.after(delay_s, lambda: self._arrive(place, here, there))
        return here

    def _arrive(self, place: str, here: SimLink, there: SimLink) -> None:
        accept = self._places.get(place)
        if accept is None or place in self.refuses:
            if here.is_open:
                here.is_open = False
                here.on_end()
        elif here._connection is not None and not here._connection.lost:
            accept(there)

    def lose_all(self, place: str, silently: bool = False) -> None:
        """Every connection of a place is lost, as when its machine stops; silently: the other side
        is not notified, as when its power fails."""
        for link in self.links:
            peer = link.peer
            if link.name.startswith(f"{place}>") or link.name.endswith(f">{place}"):
                if silently:
                    link.go_silent()
                    if peer is not None:
                        peer.go_silent()
                else:
                    link.cut()
