"""A workload that covers what the storage does, and a model that knows what must be there after a
crash.

Every verb that changes something is one entry in the log, so what a restart finds is the model's
state after some verb: not before the last one that was acknowledged, not after the last one that
was begun. `Workload` leaves a mark in the disk's history for both; `possible` gives the states
that a crash at one place may leave.
"""

import random
from collections.abc import Callable

from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_BACKED_OUT, MQRC_RESOURCE_PROBLEM
from ternmq.kernel.connection import Connection
from ternmq.kernel.get import stop_waiting
from ternmq.log.parameters import LogParameters
from ternmq.txn.unit import XID
from tests.crash.machine import Machine, create
from tests.crash.sim_disk import Operation, SimDisk


class Message:
    """One message of the model."""

    def __init__(self, name: str, queue: str, priority: int, persistent: bool) -> None:
        self.name = name
        self.queue = queue
        self.priority = priority
        self.persistent = persistent
        self.sequence = 0
        self.msg_id = b""


class Unit:
    """A unit of work of the model."""

    def __init__(self) -> None:
        self.puts: list[Message] = []
        self.gets: list[Message] = []


# What must be there: for each queue the names in the order they are got; for each XID what it put
# and got.
Queues = dict[str, list[str]]
Prepared = dict[bytes, tuple[list[str], list[str]]]
State = tuple[Queues, Prepared]


class Model:
    """The queue manager as a restart would find it now."""

    def __init__(self) -> None:
        self.queues: dict[str, list[Message]] = {}
        self.prepared: dict[bytes, Unit] = {}
        self.sequence = 0

    def reveal(self, message: Message) -> None:
        self.sequence += 1
        message.sequence = self.sequence
        self.queues[message.queue].append(message)

    def state(self) -> State:
        held = [message for unit in self.prepared.values() for message in unit.gets]
        queues: Queues = {}
        for name, messages in self.queues.items():
            there = [one for one in messages if one.persistent and one not in held]
            queues[name] = [one.name for one in sorted(there, key=place)]
        prepared: Prepared = {}
        for key, unit in self.prepared.items():
            puts = sorted(one.name for one in unit.puts if one.persistent)
            prepared[key] = (puts, sorted(one.name for one in unit.gets if one.persistent))
        return queues, prepared


def place(message: Message) -> tuple[int, int]:
    return -message.priority, message.sequence


class MarkingMachine(Machine):
    """Leaves a mark when a verb has done its work, and when it is acknowledged."""

    workload: "Workload | None" = None

    def stepped(self) -> None:
        if self.workload is not None:
            self.workload.stepped()

    def acknowledged(self) -> None:
        if self.workload is not None and isinstance(self.disk, SimDisk):
            self.disk.mark(("acknowledged", len(self.workload.states) - 1))


class Workload:
    """Random verbs on a small log and small buffers; the same seed does the same."""

    def __init__(
        self,
        seed: int,
        parameters: LogParameters,
        *,
        lazy: bool = False,
        buffer_bytes: int = 6_000,
        disk: SimDisk | None = None,
    ) -> None:
        self.chance = random.Random(seed)
        self.buffer_bytes = buffer_bytes
        self.sizes: list[int] = [0, 50, 300, 300, 700, 1500]
        self.priorities: list[int] = [0, 0, 5]
        self.disk = disk or SimDisk()
        create(self.disk, parameters)
        self.model = Model()
        self.states: list[State] = [self.model.state()]
        self.machine = MarkingMachine(self.disk, random.Random(seed + 1) if lazy else None)
        self.links = [self.machine.connect() for _ in range(3)]
        self.link = self.links[0]
        self.units: dict[int, Unit] = {}
        self.known: dict[str, Message] = {}
        self.count = 0
        self.begun = 0  # the first operation that counts
        self.refused = 0
        self.victims = 0
        self.change: Callable[[], None] | None = None  # what the verb under way does to the model
        self.machine.workload = self
        for name in ("A", "B"):
            self.define(name)
        self.begun = len(self.disk.history)

    def resume(self, disk: SimDisk, state: State) -> None:
        """Go on after a crash, on what a restart has found."""
        self.disk = disk
        self.machine = MarkingMachine(disk, self.machine.chance)
        queues, prepared = state
        self.model.queues = {
            queue: [self.known[name] for name in names] for queue, names in queues.items()
        }
        self.model.prepared = {}
        for key, (puts, gets) in prepared.items():
            unit = self.model.prepared[key] = Unit()
            unit.puts = sorted((self.known[name] for name in puts), key=as_numbered)
            unit.gets = [self.known[name] for name in gets]
            for message in unit.gets:
                # Held by the unit; where it would come back to is where it was.
                self.model.queues[message.queue].append(message)
        self.units = {}
        self.states = [state]
        self.change = None
        self.links = [self.machine.connect() for _ in range(3)]
        self.machine.workload = self
        for name in [name for name in ("A", "B") if name not in queues]:
            self.define(name)
        self.begun = len(disk.history)

    def stepped(self) -> None:
        """The verb is in the log's buffer: from here on a crash may find it done."""
        self.forget_victims()
        change, self.change = self.change, None
        if change is not None:
            change()
        self.states.append(self.model.state())
        self.disk.mark(("stepped", len(self.states) - 1))

    def forget_victims(self) -> None:
        """Units that the queue manager has backed out because the log was full."""
        for link in self.links:
            if link.unit is not None and link.unit.backed_out_by:
                self.units.pop(link.connection_id, None)
                self.victims += 1
                link.unit = None

    # ---- verbs ----------------------------------------------------------------------------------

    def message(self, queue: str, persistent: bool) -> tuple[Message, bytes]:
        self.count += 1
        priority = self.chance.choice(self.priorities)
        size = self.chance.choice(self.sizes)
        message = Message(f"m{self.count}{queue}{priority}", queue, priority, persistent)
        self.known[message.name] = message
        return message, f"{message.name} ".encode("ascii") + bytes([self.count & 0xFF]) * size

    def put(self, link: Connection, sync: bool, persistent: bool = True) -> None:
        message, data = self.message(self.chance.choice("AB"), persistent)

        def change() -> None:
            if sync:
                self.unit(link).puts.append(message)
            else:
                self.model.reveal(message)

        self.change = change
        entry = self.machine.put(
            message.queue,
            data,
            link=link,
            persistent=persistent,
            priority=message.priority,
            sync=sync,
        )
        message.msg_id = entry.msg_id

    def get(self, link: Connection, sync: bool, chosen: Message | None = None) -> None:
        queue = chosen.queue if chosen else self.chance.choice("AB")
        free = self.available(queue)
        if chosen is None and len(free) > 3 and self.chance.random() < 0.3:
            chosen = self.chance.choice(free)

        def change() -> None:
            there = self.available(queue)
            message = chosen or (there[0] if there else None)
            entry = self.machine.got
            found = None if entry is None else name_of(entry.data)
            expected = None if message is None else message.name
            assert found == expected, f"got {found} of {queue}, expected {expected}"
            if message is not None and sync:
                self.unit(link).gets.append(message)
            elif message is not None:
                self.model.queues[queue].remove(message)

        self.change = change
        self.machine.get(queue, link=link, sync=sync, msg_id=chosen.msg_id if chosen else b"")

    def available(self, queue: str) -> list[Message]:
        """What a get may take, in its order."""
        units = [*self.units.values(), *self.model.prepared.values()]
        held = [message for unit in units for message in unit.gets]
        free = [message for message in self.model.queues[queue] if message not in held]
        return sorted(free, key=place)

    def unit(self, link: Connection) -> Unit:
        return self.units.setdefault(link.connection_id, Unit())

    def commit(self, link: Connection) -> None:
        self.change = lambda: self._commit(self.units.pop(link.connection_id, Unit()))
        self.machine.commit(link)

    def _commit(self, unit: Unit) -> None:
        for message in unit.puts:
            self.model.reveal(message)
        for message in unit.gets:
            self.model.queues[message.queue].remove(message)

    def back_out(self, link: Connection) -> None:
        def change() -> None:
            self.units.pop(link.connection_id, None)

        self.change = change
        self.machine.back_out(link)

    def prepare(self, link: Connection) -> None:
        unit = self.units.get(link.connection_id)
        if unit is None or not (unit.puts or unit.gets) or len(self.model.prepared) > 2:
            return
        self.count += 1
        xid = XID(1, b"x%d" % self.count, b"")

        def change() -> None:
            self.model.prepared[xid.global_id] = self.units.pop(link.connection_id)

        self.change = change
        self.machine.prepare(xid, link)

    def decide(self) -> None:
        if not self.model.prepared:
            return
        key = self.chance.choice(sorted(self.model.prepared))
        if self.chance.random() < 0.6:
            self.change = lambda: self._commit(self.model.prepared.pop(key))
            self.machine.commit_prepared(XID(1, key, b""))
        else:
            self.change = lambda: void(self.model.prepared.pop(key))
            self.machine.back_out_prepared(XID(1, key, b""))

    def hand_over(self) -> None:
        """A message goes straight to a getter that waits; it is never on the queue."""
        if self.available("A"):
            return
        call = self.machine.get_call("A", self.links[2], sync=False, wait_ms=1000)
        assert call.waiting
        _, data = self.message("A", True)
        try:
            self.machine.put("A", data)
        finally:
            stop_waiting(self.machine.kernel, call)
        assert call.entry is not None

    def clear_or_delete(self) -> None:
        units = [*self.units.values(), *self.model.prepared.values()]
        used = {message.queue for unit in units for message in unit.puts + unit.gets}
        if "B" in used:
            return
        if self.chance.random() < 0.5:
            self.change = lambda: self.model.queues["B"].clear()
            self.machine.clear("B")
        else:
            self.change = lambda: void(self.model.queues.pop("B"))
            self.machine.delete("B")
            self.define("B")

    def define(self, name: str) -> None:
        self.change = lambda: void(self.model.queues.setdefault(name, []))
        self.machine.define(name, self.buffer_bytes)

    def step(self) -> None:
        """One verb; the log may be too full for it."""
        try:
            self.any_verb()
        except MQError as error:
            if error.reason not in (MQRC_RESOURCE_PROBLEM, MQRC_BACKED_OUT):
                raise
            self.change = None
            self.refused += 1
            if error.reason == MQRC_BACKED_OUT:
                self.victims += 1
                self.units.pop(self.link.connection_id, None)
            self.forget_victims()

    def any_verb(self) -> None:
        self.link = self.chance.choice(self.links[:2])
        self.one(self.link, self.chance.random())

    def one(self, link: Connection, kind: float) -> None:
        if kind < 0.25:
            self.put(self.links[2], False)
        elif kind < 0.45:
            self.put(link, True)
        elif kind < 0.53:
            self.get(self.links[2], False)
        elif kind < 0.65:
            self.get(link, True)
        elif kind < 0.77:
            self.commit(link)
        elif kind < 0.81:
            self.back_out(link)
        elif kind < 0.85:
            self.prepare(link)
        elif kind < 0.89:
            self.decide()
        elif kind < 0.94:
            self.put(self.links[2], False, persistent=False)
        else:
            self.rare()

    def rare(self) -> None:
        kind = self.chance.random()
        keeper = self.machine.engine.keeper
        if kind < 0.5:
            keeper.begin(False, False)
        elif kind < 0.7:
            keeper.begin(True, False)
        elif kind < 0.8:
            self.machine.close_handles()
        elif kind < 0.9:
            self.hand_over()
        else:
            self.clear_or_delete()

    def go(self, steps: int) -> None:
        for _ in range(steps):
            self.step()


def as_numbered(message: Message) -> int:
    return int(message.name[1:-2])


def void(value: object) -> None:
    """For a lambda that is called for its effect."""


def as_put(names: list[str]) -> Queues:
    """The order in which messages that one unit of work put are got; a name tells queue and
    priority."""
    queues: Queues = {}
    for name in sorted(names, key=lambda name: (-int(name[-1]), int(name[1:-2]))):
        queues.setdefault(name[-2], []).append(name)
    return queues


def name_of(data: bytes) -> str:
    return bytes(data).partition(b" ")[0].decode("ascii")


class Marks:
    """Which states a crash may leave, as the history goes on."""

    def __init__(self, states: list[State]) -> None:
        self.states = states
        self.acknowledged = 0
        self.stepped = 0

    def take(self, operation: Operation) -> None:
        if operation[0] != "mark":
            return
        what = operation[1]
        assert isinstance(what, tuple)
        if what[0] == "acknowledged":
            self.acknowledged = max(self.acknowledged, what[1])
        else:
            self.stepped = what[1]

    def possible(self) -> list[State]:
        return self.states[self.acknowledged : self.stepped + 1]


def found_state(machine: Machine, *, drain: bool = True) -> State:
    """What a restarted queue manager says is in doubt, and what lies on its queues; it is got."""
    prepared: Prepared = {}
    for unit in machine.engine.coordinator.prepared.values():
        assert unit.xid is not None
        puts = [name_of(one.entry.data) for one in unit.changes if one.kind == 1]
        gets = [name_of(one.entry.data) for one in unit.changes if one.kind == 2]
        prepared[unit.xid.global_id] = (sorted(puts), sorted(gets))
    queues: Queues = {}
    for name in machine.kernel.catalog.queue_names():
        if not name.startswith("SYSTEM."):
            queues[name] = [name_of(data) for data in machine.browse(name)]
            if drain:
                got = [name_of(data) for data in machine.drain(name)]
                assert got == queues[name], f"got {got} of {name}, browsed {queues[name]}"
    return queues, prepared
