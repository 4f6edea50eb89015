"""A client of a simulated world that follows the stream of a queue by a cursor, over crashes of its
queue manager, and knows at the end what it must have seen.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from ternmq.base.errors import MQError
from ternmq.kernel.connection import Connection
from ternmq.testing.clients import Application, Doing
from ternmq.testing.history import ACKNOWLEDGED, ATTEMPTED, UNKNOWN, History
from ternmq.testing.model import Disagreement, name_of
from ternmq.testing.node import Node, NodeDown
from ternmq.testing.stream_verbs import advancing, messages_of, opening, reading
from ternmq.testing.world import Client, World

SHARE_BYTES: Final = 8_000  # of a stream in memory: most of it is read from files


class StreamFollower(Application):
    """Reads from where its cursor is, then moves that on; reads again what it does not know to be
    done with."""

    def __init__(self, world: World, name: str, node: Node, queue: str, cursor: str) -> None:
        super().__init__(world, name, node)
        self.queue = queue
        self.cursor = cursor
        self.finish = False
        self.done = 0  # acknowledged: the cursor is never below it
        self.incarnation = 0
        self.seen: dict[int, str] = {}
        self.problems: list[str] = []

    def client(self) -> Client:
        while True:
            link = yield from self.connected()
            found = 1
            try:
                found = yield from self.follow(link)
            except (NodeDown, MQError):
                pass  # down, or no room just now: it is tried again
            if self.finish and found == 0 and self.node.is_up and self.life == self.node.life:
                return
            yield from self.rest()

    def follow(self, link: Connection) -> Doing:
        """One read and one advance; how many messages there were."""
        kernel = self.node.engine.kernel
        kernel.catalog.stream_memory.stream_bytes_max = SHARE_BYTES
        verbs = self.node.verbs
        position = yield from self.ask(opening(verbs, link, self.cursor))
        if position < self.done:
            raise Disagreement(f"{self.name}: the cursor is at {position}, it was at {self.done}")
        size = self.chance.choice((1, 2_000, 1 << 20))
        call = yield from self.ask(
            reading(verbs, link, self.queue, position, 0, 0, size, False, self.incarnation)
        )
        self.incarnation = call.incarnation or self.incarnation
        last = position - 1
        for number, data in messages_of(call):
            name = name_of(data)
            if number <= last or self.seen.setdefault(number, name) != name:
                self.problems.append(f"{self.name}: {number} is {name}, after {last}")
            last = number
        if call.next > position:
            yield from self.ask(advancing(verbs, link, self.cursor, call.next))
            self.done = call.next
        return len(call)

    def account(self, history: History) -> list[str]:
        """What is wrong with what it has seen: each message that was put, once, and no other."""
        problems = list(self.problems)
        place = f"{self.node.name}/{self.queue}"
        times = Counter(self.seen.values())
        for name, put in history.puts.items():
            if put.queue != place:
                continue
            if times[name] > 1:
                problems.append(f"{self.name}: {name} has {times[name]} numbers")
            elif put.state == ACKNOWLEDGED and times[name] == 0:
                problems.append(f"{self.name}: {name} was skipped")
            elif put.state not in (ACKNOWLEDGED, UNKNOWN, ATTEMPTED) and times[name]:
                problems.append(f"{self.name}: {name} is there, its put was {put.state}")
        return problems
