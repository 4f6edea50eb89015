"""Clients of a simulated world: producers, consumers, and a bridge that carries messages from one
queue manager to another over a link that fails.

Each notes in the world's history what it tries and how it is answered. A client whose queue manager
went down does not know what became of its verb, waits, and connects again.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Final

from ternmq.base.errors import MQError
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_CONNECTION_BROKEN,
    MQRC_Q_FULL,
    MQRC_Q_SPACE_NOT_AVAILABLE,
    MQRC_RESOURCE_PROBLEM,
)
from ternmq.kernel.connection import Connection
from ternmq.testing.history import (
    ACKNOWLEDGED,
    BACKED_OUT,
    REFUSED,
    UNKNOWN,
    Deed,
)
from ternmq.testing.model import Disagreement, body_of, name_of_message
from ternmq.testing.node import Node, NodeDown
from ternmq.testing.second_part import kind_for
from ternmq.testing.verbs import Need
from ternmq.testing.world import Ask, Client, Pause, Receive, World
from ternmq.values.entry import Entry

BUSY: Final = (MQRC_RESOURCE_PROBLEM, MQRC_Q_FULL, MQRC_Q_SPACE_NOT_AVAILABLE)
GONE: Final = (MQRC_CONNECTION_BROKEN,)
SIZES: Final = (0, 20, 200, 700, 2_000, 6_000)
VOLATILE: Final = "v"

Wish = Pause | Ask | Receive
Doing = Generator[Wish, Any, Any]


class Application:
    """What all clients have: a name, a queue manager, a connection that may have to be renewed."""

    def __init__(self, world: World, name: str, node: Node) -> None:
        self.world = world
        self.history = world.history  # where it notes what it does
        self.name = name
        self.node = node
        self.chance = world.chance.branch(name)
        self.link: Connection | None = None
        self.life = -1
        self.refused = 0

    def client(self) -> Client:
        """What it does, from its beginning to its end."""
        raise NotImplementedError

    def connected(self) -> Doing:
        """The connection to the queue manager as it runs now; waits until it does."""
        while True:
            if self.node.is_up and self.link is not None and self.life == self.node.life:
                return self.link
            if self.node.is_up:
                try:
                    self.link = self.node.connect(self.name)
                except MQError:
                    yield Pause(0.05)
                    continue
                self.life = self.node.life
                return self.link
            yield Pause(self.chance.uniform(0.01, 0.1))

    def ask(self, steps: Generator[Need, None, Any]) -> Doing:
        return (yield Ask(self.node, steps))

    def rest(self) -> Doing:
        yield Pause(self.chance.uniform(0.0001, 0.01))

    def is_gone(self, error: MQError) -> bool:
        """Whether an error says that the queue manager has stopped: then nothing is known."""
        return error.reason in GONE


class Producer(Application):
    """Puts so many messages, alone and in units of work; each once, whatever happens."""

    def __init__(self, world: World, name: str, node: Node, queue: str, count: int) -> None:
        super().__init__(world, name, node)
        self.queue = queue
        self.left = count
        self.count = 0
        self.volatile_rate = 0.0  # of messages that are not persistent; their names end with "v"
        self.volatile_stream = ""  # where these have an order of their own

    def client(self) -> Client:
        while self.left > 0:
            link = yield from self.connected()
            if self.chance.happens(0.4):
                yield from self.unit(link)
            else:
                yield from self.alone(link)
            yield from self.rest()

    def next_put(self) -> tuple[Deed, bytes, int]:
        self.left -= 1
        self.count += 1
        priority = self.chance.choice((0, 0, 4))
        name = f"{self.name}:{self.count}"
        stream = f"{self.name}/{self.queue}/{priority}"
        if self.volatile_rate and self.chance.happens(self.volatile_rate):
            name += VOLATILE
            stream += self.volatile_stream
        place = f"{self.node.name}/{self.queue}"
        deed = self.history.putting(self.name, name, place, stream, self.count)
        return deed, body_of(name, self.chance.choice(SIZES), kind_for(name)), priority

    def alone(self, link: Connection) -> Doing:
        deed, data, priority = self.next_put()
        history = self.history
        try:
            persistent = not deed.name.endswith(VOLATILE)
            steps = self.node.verbs.put(
                link, self.queue, data, priority=priority, persistent=persistent
            )
            yield from self.ask(steps)
            history.answered(deed, ACKNOWLEDGED)
        except NodeDown:
            history.answered(deed, UNKNOWN)
        except MQError as error:
            self._refused(error)
            history.answered(deed, UNKNOWN if self.is_gone(error) else REFUSED)

    def unit(self, link: Connection) -> Doing:
        """Several puts that come together or not at all."""
        history = self.history
        verbs = self.node.verbs
        state = BACKED_OUT
        try:
            for _ in range(min(self.left, self.chance.randrange(1, 6))):
                deed, data, priority = self.next_put()
                history.in_unit(deed)
                persistent = not deed.name.endswith(VOLATILE)
                steps = verbs.put(
                    link, self.queue, data, priority=priority, persistent=persistent, sync=True
                )
                yield from self.ask(steps)
            if self.chance.happens(0.2):
                yield from self.ask(verbs.back_out(link))
            else:
                state = UNKNOWN
                yield from self.ask(verbs.commit(link))
                state = ACKNOWLEDGED
        except NodeDown:
            pass
        except MQError as error:
            self._refused(error)
            if not self.is_gone(error):
                state = BACKED_OUT
                yield from self.undo(link)
        history.unit_ended(self.name, state)

    def undo(self, link: Connection) -> Doing:
        try:
            yield from self.ask(self.node.verbs.back_out(link))
        except (NodeDown, MQError):
            pass  # down: the restart undoes it

    def _refused(self, error: MQError) -> None:
        self.refused += 1
        if error.reason not in (*BUSY, *GONE, MQRC_BACKED_OUT):
            raise Disagreement(f"{self.name}: {error}") from error


class Consumer(Application):
    """Gets messages, alone, waiting, and in units of work, until `finish` says that no more will
    come and the queue is empty."""

    def __init__(self, world: World, name: str, node: Node, queue: str) -> None:
        super().__init__(world, name, node)
        self.queue = queue
        self.finish = False

    def client(self) -> Client:
        while True:
            link = yield from self.connected()
            way = self.chance.random()
            if way < 0.4:
                found = yield from self.unit(link)
            else:
                found = yield from self.alone(link, waits=way < 0.6)
            if self.finish and found == 0 and self.node.is_up and self.life == self.node.life:
                return
            yield from self.rest()

    def got(self, entry: Entry | None) -> str:
        return "" if entry is None else name_of_message(entry)

    def alone(self, link: Connection, waits: bool) -> Doing:
        history = self.history
        deed = history.getting(self.name, f"{self.node.name}/{self.queue}")
        verbs = self.node.verbs
        steps = verbs.get(link, self.queue, wait_ms=300 if waits else 0)
        try:
            entry = yield from self.ask(steps)
        except NodeDown:
            history.answered(deed, UNKNOWN)
            return 1
        except MQError as error:
            history.answered(deed, UNKNOWN if self.is_gone(error) else REFUSED)
            return 1
        name = self.got(entry)
        history.answered(deed, ACKNOWLEDGED if name else REFUSED, name)
        return 1 if name else 0

    def unit(self, link: Connection) -> Doing:
        history = self.history
        verbs = self.node.verbs
        state = BACKED_OUT
        found = 0
        try:
            for _ in range(self.chance.randrange(1, 5)):
                entry = yield from self.ask(verbs.get(link, self.queue, sync=True))
                if entry is None:
                    break
                found += 1
                deed = history.getting(self.name, f"{self.node.name}/{self.queue}")
                history.in_unit(deed, self.got(entry))
            if found and self.chance.happens(0.15):
                yield from self.ask(verbs.back_out(link))
            else:
                state = UNKNOWN
                yield from self.ask(verbs.commit(link))
                state = ACKNOWLEDGED
        except NodeDown:
            found += 1
        except MQError as error:
            found += 1
            if not self.is_gone(error):
                state = BACKED_OUT
                yield from self._undo(link)
        history.unit_ended(self.name, state)
        return found

    def _undo(self, link: Connection) -> Doing:
        try:
            yield from self.ask(self.node.verbs.back_out(link))
        except (NodeDown, MQError):
            pass  # down: the restart undoes it
