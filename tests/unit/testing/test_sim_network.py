"""Goal: the simulated network carries bytes in order, loses a connection where it is told to, and
keeps silent where it should. Method: a heap of events of its own, two ends, all that they are told
written down.
"""

import heapq
from collections.abc import Callable

import pytest

from ternmq.testing.chance import Chance
from ternmq.testing.sim_network import LinkClosed, SimLink, SimNetwork

pytestmark = pytest.mark.core


class Stage:
    """A network, and two ends of one connection."""

    def __init__(self, seed: int = 1) -> None:
        self.now = 0.0
        self.heap: list[tuple[float, int, Callable[[], None]]] = []
        self.count = 0
        self.net = SimNetwork(self.after, lambda: self.now, Chance(seed))
        self.here = b""
        self.there = b""
        self.ended: list[str] = []
        self.server: SimLink | None = None
        self.net.listen("B", self.accept)
        self.client = self.net.connect("B", "A")
        self.client.on_bytes = self.take_here
        self.client.on_end = lambda: self.ended.append("here")
        self.run()

    def after(self, seconds: float, call: Callable[[], None]) -> None:
        self.count += 1
        heapq.heappush(self.heap, (self.now + seconds, self.count, call))

    def run(self, until: float = 1e9) -> None:
        while self.heap and self.heap[0][0] <= until:
            self.now, _, call = heapq.heappop(self.heap)
            call()

    def accept(self, link: SimLink) -> None:
        self.server = link
        link.on_bytes = self.take_there
        link.on_end = lambda: self.ended.append("there")

    def take_here(self, data: bytes) -> None:
        self.here += data

    def take_there(self, data: bytes) -> None:
        self.there += data

    @property
    def peer(self) -> SimLink:
        assert self.server is not None
        return self.server


def test_bytes_when_sent_then_arrive_in_order_and_not_in_the_same_pieces() -> None:
    stage = Stage()
    sent = b"".join(bytes([number % 251]) * 997 for number in range(40))
    for at in range(0, len(sent), 5000):
        stage.client.send(sent[at : at + 5000])
    stage.peer.send(b"answer")
    assert stage.there == b""  # nothing arrives at once
    stage.run()
    assert (stage.there, stage.here) == (sent, b"answer")
    assert stage.peer.received_bytes == stage.client.sent_bytes == len(sent)
    assert stage.now > 0


def test_close_then_the_other_end_is_notified_after_the_last_byte() -> None:
    stage = Stage()
    stage.client.send(b"last words")
    stage.client.close()
    with pytest.raises(LinkClosed):
        stage.client.send(b"more")
    stage.run()
    assert stage.there == b"last words"
    assert stage.ended == ["there"]
    with pytest.raises(LinkClosed):
        stage.peer.send(b"too late")


@pytest.mark.parametrize("count", [0, 1, 7, 9_999])
def test_cut_after_bytes_then_exactly_those_arrive_and_both_ends_are_notified(count: int) -> None:
    stage = Stage()
    stage.client.cut_after(count)
    stage.client.send(b"x" * 10_000)
    stage.run()
    assert len(stage.there) == count
    assert sorted(stage.ended) == ["here", "there"]
    assert stage.net.cuts == 1


def test_cut_then_bytes_on_their_way_are_gone() -> None:
    stage = Stage()
    stage.client.send(b"lost")
    stage.client.cut()
    stage.run()
    assert stage.there == b""
    assert sorted(stage.ended) == ["here", "there"]


def test_cut_with_late_bytes_then_they_arrive_when_a_new_connection_is_there() -> None:
    stage = Stage()
    stage.net.late_s = (0.5, 0.5)
    old = stage.peer
    late: list[bytes] = []
    old.on_bytes = late.append
    stage.client.send(b"of old")
    stage.client.cut(late=True)
    again = stage.net.connect("B", "A")
    stage.run(stage.now + 0.1)
    assert stage.peer is not old
    again.send(b"new")
    stage.run(stage.now + 0.1)
    assert (stage.there, late) == (b"new", [])
    stage.run()
    assert b"".join(late) == b"of old"
    assert again.number > old.number


def test_silent_then_nothing_arrives_and_nobody_is_notified() -> None:
    stage = Stage()
    stage.client.go_silent()
    stage.client.send(b"into the void")
    stage.peer.send(b"still heard")
    stage.run()
    assert (stage.there, stage.here, stage.ended) == (b"", b"still heard", [])
    stage.client.close()
    stage.run()
    assert stage.ended == []


def test_nobody_there_then_the_end_is_notified() -> None:
    stage = Stage()
    for place in ("nowhere", "B"):
        stage.net.refuses.add("B")
        ended: list[str] = []
        link = stage.net.connect(place, "A")
        link.on_end = lambda ended=ended, place=place: ended.append(place)  # type: ignore[misc]
        stage.run()
        assert ended == [place]
        assert not link.is_open
    stage.net.refuses.clear()
    stage.net.stop_listening("B")
    gone = stage.net.connect("B", "A")
    stage.run()
    assert not gone.is_open


def test_place_that_stops_then_its_connections_are_lost_or_silent() -> None:
    for silently in (False, True):
        stage = Stage()
        stage.net.lose_all("B", silently=silently)
        stage.client.send(b"x") if stage.client.is_open else None
        stage.run()
        assert sorted(stage.ended) == ([] if silently else ["here", "there"])
        assert stage.there == b""


def test_same_seed_then_the_same_times() -> None:
    def times(seed: int) -> list[float]:
        stage = Stage(seed)
        seen: list[float] = []
        stage.peer.on_bytes = lambda data: seen.append(stage.now)
        stage.client.send(bytes(50_000))
        stage.run()
        return seen

    assert times(3) == times(3) != times(4)
