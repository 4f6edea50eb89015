"""Several queue managers, their clients and the network between them: one thread, one heap of
events, one seed.

Queue managers are real engines on simulated disks (`node`), links are simulated (`sim_network`),
clients are generators that yield what they wait for. The same seed does the same: `digest` is a
hash over everything that happened. A run has a phase with faults, drawn by `fault_plan`, then all
is healed, and the clients have to come to an end within a bound.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Generator
from typing import Any

from ternmq.base.errors import ForceFailed
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.testing.chance import Chance
from ternmq.testing.history import History, Report
from ternmq.testing.machine import Machine
from ternmq.testing.model import name_of_message
from ternmq.testing.node import Node
from ternmq.testing.sim_disk import Crash, Image
from ternmq.testing.sim_network import SimNetwork
from ternmq.testing.verbs import Need


class Pause:
    """A client waits so many seconds."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds


class Ask:
    """A client calls a verb on a queue manager."""

    def __init__(self, node: Node, steps: Generator[Need, None, Any]) -> None:
        self.node = node
        self.steps = steps


class Mailbox:
    """Where a client waits for something that is handed to it; None when it has waited in vain."""

    def __init__(self) -> None:
        self.letters: list[object] = []
        self.waiting: Callable[[object], None] | None = None

    def put(self, letter: object) -> None:
        waiting, self.waiting = self.waiting, None
        if waiting is None:
            self.letters.append(letter)
        else:
            waiting(letter)


class Receive:
    """A client waits for a letter, at most so many seconds."""

    def __init__(self, mailbox: Mailbox, seconds: float) -> None:
        self.mailbox = mailbox
        self.seconds = seconds


Client = Generator[Pause | Ask | Receive, Any, None]


class World:
    """The heap of events and what lives on it."""

    def __init__(self, seed: int, fast: bool = True) -> None:
        self.seed = seed
        self.fast = fast  # puts and gets take their fast paths, and not their steps
        self.chance = Chance(f"world/{seed}")
        self.now_s = 0.0
        self.events = 0
        self.history = History()
        self.nodes: dict[str, Node] = {}
        self.clients: set[str] = set()  # those that have not come to their end
        self.net = SimNetwork(self.after, lambda: self.now_s, self.chance.branch("net"))
        self.trace: list[str] | None = None  # set to a list to see what happens
        self._heap: list[tuple[float, int, Callable[[], None]]] = []
        self._seen = hashlib.sha256()

    # ---- time

    def after(self, seconds: float, call: Callable[[], None]) -> None:
        """Call when so much time has passed."""
        self.events += 1
        heapq.heappush(self._heap, (self.now_s + seconds, self.events, call))

    def run(self, until_s: float, done: Callable[[], bool] | None = None) -> bool:
        """Let events happen until this time, or until it is done; whether it is."""
        while self._heap and self._heap[0][0] <= until_s:
            if done is not None and done():
                return True
            self.now_s, _, call = heapq.heappop(self._heap)
            call()
        self.now_s = max(self.now_s, until_s)
        return done is not None and done()

    def note(self, what: str) -> None:
        """Something happened that a second run of this seed must do as well."""
        line = f"{self.now_s:.9f} {what}"
        self._seen.update(line.encode())
        if self.trace is not None:
            self.trace.append(line)

    def digest(self) -> str:
        """A hash over the trace and over everything that happened to the disks."""
        for node in self.nodes.values():
            self._seen.update(node.disk.digest().encode())
        return self._seen.hexdigest()

    # ---- nodes and clients

    def add_node(
        self, name: str, parameters: LogParameters | None = None, image: Image | None = None
    ) -> Node:
        """A queue manager: a new one, or one that another run has left."""
        node = Node(self, name, parameters or LogParameters(CIRCULAR, 3, 2, 32, False), image)
        self.nodes[name] = node
        return node

    def crash(self, node: Node, power: bool) -> None:
        """Stop a queue manager, and with it its connections. When its power fails, the other
        ends are not notified."""
        if node.is_up:
            self.net.lose_all(node.name, silently=power)
            self.net.refuses.add(node.name)
            node.crash(power)

    def restart(self, node: Node) -> None:
        """Start a queue manager that is down; a disk that fails now is tried again later."""
        if node.is_up:
            return
        try:
            node.start()
        except (Crash, ForceFailed, OSError) as error:
            self.note(f"{node.name} does not start: {error!r}")
            if isinstance(error, Crash):
                node.lose_power()
            self.after(0.2, lambda: self.restart(node))
            return
        self.net.refuses.discard(node.name)

    def add_client(self, name: str, client: Client, *, serves: bool = False) -> None:
        """Let a client begin. It goes on whenever what it waits for has come. One that serves
        others need not come to an end."""
        if not serves:
            self.clients.add(name)
        self.after(0.0, lambda: self._go_on(name, client, None, None))

    def _go_on(self, name: str, client: Client, value: Any, error: Exception | None) -> None:
        try:
            wish = client.send(value) if error is None else client.throw(error)
        except StopIteration:
            self.clients.discard(name)
            self.note(f"{name} has come to its end")
            return
        self._grant(name, client, wish)

    def _grant(self, name: str, client: Client, wish: Pause | Ask | Receive) -> None:
        if isinstance(wish, Pause):
            self.after(wish.seconds, lambda: self._go_on(name, client, None, None))
        elif isinstance(wish, Ask):
            wish.node.run(wish.steps, lambda value, error: self._answer(name, client, value, error))
        else:
            self._receive(name, client, wish)

    def _answer(self, name: str, client: Client, value: Any, error: Exception | None) -> None:
        """An answer takes a moment, so that no client runs inside another one's step."""
        what = type(error).__name__ if error is not None else "ok"
        self.note(f"{name} is answered {what}")
        self.after(0.0, lambda: self._go_on(name, client, value, error))

    def _receive(self, name: str, client: Client, wish: Receive) -> None:
        mailbox = wish.mailbox
        if mailbox.letters:
            letter = mailbox.letters.pop(0)
            self.after(0.0, lambda: self._go_on(name, client, letter, None))
            return

        def come(letter: object) -> None:
            self.after(0.0, lambda: self._go_on(name, client, letter, None))

        def give_up() -> None:
            if mailbox.waiting is come:
                mailbox.waiting = None
                self._go_on(name, client, None, None)

        mailbox.waiting = come
        self.after(wish.seconds, give_up)

    # ---- the end

    def contents(self, name: str, queue: str) -> list[str]:
        """The names of the messages on a queue, as a start of its queue manager finds them."""
        machine = Machine(self.nodes[name].disk.survivor())
        if queue not in machine.kernel.catalog.definitions:
            return []
        return [name_of_message(one) for one in machine.look(queue)]

    def account(self, *left_out: str) -> Report:
        """Start every queue manager once more, get what is left, and account for every message;
        some queues hold nothing that clients put."""
        for name in sorted(self.nodes):
            machine = Machine(self.nodes[name].disk.survivor())
            for queue in machine.kernel.catalog.queue_names():
                if not queue.startswith("SYSTEM.") and queue not in left_out:
                    found = [name_of_message(one) for one in machine.take_all(queue)]
                    self.history.drain(f"{name}/{queue}", found)
        return self.history.check()
