"""A multicast group without a network: one transmitter, any number of receivers, and between them
a network that loses, repeats and reorders by a seed, with a clock that the test turns."""

from __future__ import annotations

import random

from ternmq.wire.multicast.packet import unpack
from ternmq.wire.multicast.receiver import Receiver
from ternmq.wire.multicast.transmitter import Transmitter

KEY = bytes(range(32))
PLACE = ("127.0.0.1", 4711)


class Group:
    """The network; `loss`, `repeats` and `reorders` are chances."""

    def __init__(
        self,
        seed: int = 1,
        loss: float = 0.0,
        repeats: float = 0.0,
        reorders: float = 0.0,
        history_kb: int = 100,
        heartbeat_ms: int = 2000,
    ) -> None:
        self.random = random.Random(seed)
        self.loss, self.repeats, self.reorders = loss, repeats, reorders
        self.now = 1000
        self.transmitter = Transmitter(KEY, 0xABCDEF, history_kb << 10, heartbeat_ms, self.now)
        self.receivers: list[Receiver] = []
        self.got: list[list[bytes]] = []
        self.events: list[list[tuple[int, int]]] = []
        self.on_the_way: list[tuple[int, int, bytes]] = []  # when, to which receiver, what
        self.datagrams = 0

    def join(self, history: bool = False, timeout_ms: int = 20_000) -> int:
        self.receivers.append(Receiver(KEY, history, timeout_ms, self.now))
        self.got.append([])
        self.events.append([])
        return len(self.receivers) - 1

    def publish(self, data: bytes) -> None:
        self.send(self.transmitter.publish(data, self.now))

    def send(self, datagrams: list[bytes]) -> None:
        for data in datagrams:
            self.datagrams += 1
            for to in range(len(self.receivers)):
                self._maybe(to, data)

    def _maybe(self, to: int, data: bytes) -> None:
        chance = self.random.random
        for _ in range(2 if chance() < self.repeats else 1):
            if chance() >= self.loss:
                late = self.random.randrange(1, 30) if chance() < self.reorders else 0
                self.on_the_way.append((self.now + late, to, data))

    def turn(self, ms: int) -> None:
        """So many milliseconds pass."""
        for _ in range(ms):
            self._arrive()
            for one in self.receivers:
                if one.due_ms <= self.now:
                    one.tick(self.now)
            self._collect()
            self.send(self.transmitter.tick(self.now))
            self.now += 1

    def _arrive(self) -> None:
        due = [one for one in self.on_the_way if one[0] <= self.now]
        self.on_the_way = [one for one in self.on_the_way if one[0] > self.now]
        for _, to, data in due:
            packet = unpack(data, KEY)
            assert packet is not None
            self.receivers[to].take(packet, PLACE, self.now)
        self._collect()

    def _collect(self) -> None:
        for at, one in enumerate(self.receivers):
            self.got[at] += one.publications
            self.events[at] += [(event.code, event.packets) for event in one.events]
            one.publications.clear()
            one.events.clear()
            naks, one.naks[:] = list(one.naks), []
            for place, data in naks:
                assert place == PLACE
                nak = unpack(data, KEY)
                assert nak is not None
                if self.random.random() >= self.loss:
                    self.send(self.transmitter.asked(nak, self.now))
