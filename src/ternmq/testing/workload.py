"""Random verbs on a small log and small buffers, with the model of what they do; the same seed does
the same.

The workload that is crashed: puts and gets of three connections on two queues, inside and outside
units of work, prepared units and their ends, hand-overs to a waiting getter, clearing and deleting,
checkpoints at any moment. After each verb a mark in the disk's history says that it was done in
memory, another one that it was acknowledged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_BACKED_OUT, MQRC_RESOURCE_PROBLEM
from ternmq.kernel.connection import Connection
from ternmq.log.parameters import LogParameters
from ternmq.ports.clock import Clock
from ternmq.testing.chance import Chance
from ternmq.testing.machine import Machine, create
from ternmq.testing.model import (
    ACKNOWLEDGED,
    LIFE,
    STEPPED,
    Disagreement,
    Model,
    ModelMessage,
    ModelUnit,
    Snapshot,
    State,
    body_of,
    name_of,
    name_of_message,
)
from ternmq.testing.second_part import kind_for
from ternmq.testing.sim_clock import SimClock
from ternmq.testing.sim_disk import SimDisk
from ternmq.values.xid import XID

CONNECTIONS: Final = 3


class MarkingMachine(Machine):
    """Notifies its workload when a verb has done its work, and when it is acknowledged."""

    workload: Workload | None = None

    def stepped(self) -> None:
        if self.workload is not None:
            self.workload.stepped()

    def acknowledged(self) -> None:
        if self.workload is not None:
            self.workload.acknowledged()


class Workload:
    """Random verbs, from a seed. `lazy`: effects of the disk take their time."""

    def __init__(
        self,
        seed: int,
        parameters: LogParameters,
        *,
        lazy: bool = False,
        buffer_bytes: int = 6_000,
        disk: SimDisk | None = None,
        clock: Clock | None = None,
        fast: bool = True,
    ) -> None:
        self.chance = Chance(seed)
        self.fast = fast
        self.buffer_bytes = buffer_bytes
        self.sizes: list[int] = [0, 50, 300, 300, 700, 1500]
        self.priorities: list[int] = [0, 0, 5]
        self.disk = disk or SimDisk()
        create(self.disk, parameters)
        self.model = Model()
        self.snapshots: list[Snapshot] = [self.model.snapshot()]
        self.clock = clock
        self.machine = MarkingMachine(
            self.disk, self.chance.branch("effects") if lazy else None, clock, fast
        )
        self.links: list[Connection] = []
        self.units: dict[int, ModelUnit] = {}
        self.known: dict[str, ModelMessage] = {}
        self.count = 0
        self.begun = 0  # the first operation that counts
        self.verbs = 0
        self.refused = 0
        self.own_gets = 0  # of messages that their unit of work has put itself
        self.undefined = ""
        self.victims = 0
        self.change: Callable[[], None] | None = None  # what the verb under way does to the model
        self._connect()
        for name in ("A", "B"):
            self.define(name)
        self.begun = len(self.disk.history)

    def _connect(self) -> None:
        self.links = [self.machine.connect() for _ in range(CONNECTIONS)]
        self.link = self.links[0]
        self.machine.workload = self

    def resume(self, disk: SimDisk, state: State) -> None:
        """Go on after a crash, on what a restart has found."""
        self.disk = disk
        disk.mark((LIFE, disk.lives))
        self.begun = len(disk.history)
        self.machine = MarkingMachine(disk, self.machine.chance, self.clock, self.fast)
        self.model = Model()
        self.model.sequence = max((one.sequence for one in self.known.values()), default=0)
        queues, prepared = state
        for name in queues:
            self.model.define(name)
        for message in self.known.values():
            message.held = False
        for queue, names in queues.items():
            self.model.queues[queue] += [self.known[name] for name in names]
        for key, (puts, gets) in prepared.items():
            unit = self.model.prepared[key] = ModelUnit()
            unit.puts = sorted((self.known[name] for name in puts), key=as_numbered)
            unit.gets = [self.known[name] for name in gets]
            for message in unit.gets:
                message.held = True
                self.model.come(message)
        self.units = {}
        self.snapshots = [self.model.snapshot()]
        self.change = None
        self._connect()
        for name in [name for name in ("A", "B") if name not in queues]:
            self.define(name)

    def stepped(self) -> None:
        """The verb is in the log's buffer: from here on a crash may find it done."""
        self.forget_victims()
        change, self.change = self.change, None
        if change is not None:
            change()
        self.snapshots.append(self.model.snapshot())
        self.disk.mark((STEPPED, len(self.snapshots) - 1))

    def acknowledged(self) -> None:
        self.verbs += 1
        self.disk.mark((ACKNOWLEDGED, len(self.snapshots) - 1))

    def forget_victims(self) -> None:
        """Units that the queue manager has backed out because the log was full."""
        for link in self.links:
            if link.unit is not None and link.unit.backed_out_by:
                self.victims += 1
                self.drop_unit(link)
                link.unit = None

    def drop_unit(self, link: Connection) -> None:
        """A unit of work is backed out."""
        unit = self.units.pop(link.connection_id, None)
        for message in unit.gets if unit is not None else []:
            message.held = False

    # ---- verbs

    def message(self, queue: str, persistent: bool) -> tuple[ModelMessage, bytes]:
        self.count += 1
        priority = self.chance.choice(self.priorities)
        size = self.chance.choice(self.sizes)
        message = ModelMessage(f"m{self.count}{queue}{priority}", queue, priority, persistent)
        self.known[message.name] = message
        return message, body_of(message.name, size, kind_for(message.name))

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

    def get(self, link: Connection, sync: bool, chosen: ModelMessage | None = None) -> None:
        queue = chosen.queue if chosen else self.chance.choice("AB")
        free = self.offered(link, sync, queue)
        if chosen is None and len(free) > 3 and self.chance.random() < 0.3:
            chosen = self.chance.choice(free)

        def change() -> None:
            there = self.offered(link, sync, queue)
            message = chosen or (there[0] if there else None)
            entry = self.machine.got
            found = None if entry is None else name_of_message(entry)
            expected = None if message is None else message.name
            if found != expected:
                raise Disagreement(f"got {found} of {queue}, expected {expected}")
            if message is not None:
                self.taken(link, sync, message)

        self.change = change
        self.machine.get(queue, link=link, sync=sync, msg_id=chosen.msg_id if chosen else b"")

    def taken(self, link: Connection, sync: bool, message: ModelMessage) -> None:
        """A get has taken a message; of one that its own unit of work has put nothing is left."""
        if not sync:
            self.model.remove(message)
        elif message in self.unit(link).puts:
            self.unit(link).puts.remove(message)
            self.own_gets += 1
        else:
            message.held = True
            self.unit(link).gets.append(message)

    def any_own(self, link: Connection) -> ModelMessage | None:
        """A message that a unit of work has put and is now to get; often none."""
        unit = self.units.get(link.connection_id)
        if unit is None or not unit.puts or self.chance.random() < 0.6:
            return None
        return self.chance.choice(unit.puts)

    def offered(self, link: Connection, sync: bool, queue: str) -> list[ModelMessage]:
        """What a get may take, in its order: inside syncpoint also what its unit of work has put,
        each behind what is visible of its priority."""
        there = self.available(queue)
        unit = self.units.get(link.connection_id)
        if sync and unit is not None:
            there = there + [message for message in unit.puts if message.queue == queue]
            there.sort(key=lambda message: -message.priority)
        return there

    def available(self, queue: str) -> list[ModelMessage]:
        """What a get may take, in its order."""
        return self.model.available(queue)

    def unit(self, link: Connection) -> ModelUnit:
        return self.units.setdefault(link.connection_id, ModelUnit())

    def commit(self, link: Connection) -> None:
        self.change = lambda: self.committed(self.units.pop(link.connection_id, None))
        self.machine.commit(link)

    def committed(self, unit: ModelUnit | None) -> None:
        if unit is not None:
            for message in unit.puts:
                self.model.reveal(message)
            for message in unit.gets:
                self.model.remove(message)

    def back_out(self, link: Connection) -> None:
        self.change = lambda: self.drop_unit(link)
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
        """The transaction manager ends a prepared unit, or an operator does."""
        if not self.model.prepared:
            return
        key = self.chance.choice(sorted(self.model.prepared))
        commits = self.chance.random() < 0.6
        if self.chance.random() < 0.2:
            self.end_by_operator(key, commits)
            self.forget(key)
        else:
            self.end_prepared(key, commits)

    def end_prepared(self, key: bytes, commits: bool) -> None:
        self.change = lambda: self.ended(key, commits)
        if commits:
            self.machine.commit_prepared(XID(1, key, b""))
        else:
            self.machine.back_out_prepared(XID(1, key, b""))

    def end_in_batch(self, keys: list[bytes]) -> None:
        """Prepared units end together, with a row of the ledger."""
        self.count += 1

        def change() -> None:
            for key in keys:
                self.ended(key, True)

        self.change = change
        if not self.machine.commit_batch("sink", self.count, [XID(1, key, b"") for key in keys]):
            raise Disagreement(f"batch {self.count} was there")

    def end_by_operator(self, key: bytes, commits: bool) -> None:
        self.change = lambda: self.ended(key, commits)
        self.machine.decide(XID(1, key, b""), commits)

    def forget(self, key: bytes) -> None:
        self.machine.forget(XID(1, key, b""))

    def ended(self, key: bytes, commits: bool) -> None:
        """A prepared unit of the model ends."""
        unit = self.model.prepared.pop(key)
        if commits:
            self.committed(unit)
        else:
            for message in unit.gets:
                message.held = False

    def hand_over(self) -> None:
        """A message goes straight to a getter that waits; it is never on the queue."""
        if self.model.available("A"):
            return
        call = self.machine.get_call("A", self.links[2], sync=False, wait_ms=1000)
        if not call.waiting:
            raise Disagreement("a get of an empty queue does not wait")
        _, data = self.message("A", True)
        try:
            self.machine.put("A", data)
        finally:
            self.machine.end_get(call)
        if call.entry is None:
            raise Disagreement("a waiting getter did not get what was put")

    def expire(self) -> None:
        """A message that does not live long. A restart never finds it: it comes later."""
        _, data = self.message(self.chance.choice("AB"), True)
        machine = self.machine
        machine.put(name_of(data)[-2], data, expiry=1)
        if isinstance(machine.clock, SimClock):
            machine.clock.advance(1)
        machine.engine.begin_expiry_scan()
        while machine.engine.scan_expired(1):
            pass
        machine.settle()
        machine.force(machine.engine.log.end_lsn)

    def is_used(self, queue: str) -> bool:
        """Whether a unit of work holds a message of the queue."""
        units = [*self.units.values(), *self.model.prepared.values()]
        return any(message.queue == queue for unit in units for message in unit.puts + unit.gets)

    def clear(self, queue: str) -> None:
        self.change = lambda: self.model.clear(queue)
        self.machine.clear(queue)

    def delete(self, queue: str) -> None:
        """The queue goes and comes again, which is another queue of that name."""
        self.change = lambda: self.model.delete(queue)
        self.machine.delete(queue)
        self.undefined = queue
        self.define_again()

    def define_again(self) -> None:
        """A queue that was deleted and could not come back at once: the disk or the log is full."""
        if self.undefined:
            self.define(self.undefined)
            self.undefined = ""

    def clear_or_delete(self) -> None:
        if self.is_used("B"):
            return
        if self.chance.random() < 0.5:
            self.clear("B")
        else:
            self.delete("B")

    def define(self, name: str) -> None:
        self.change = lambda: self.model.define(name)
        self.machine.define(name, self.buffer_bytes)

    # ---- any of them

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
                self.drop_unit(self.link)
            self.forget_victims()

    def any_verb(self) -> None:
        self.define_again()
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
            self.get(link, True, self.any_own(link))
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
        elif kind < 0.78:
            self.machine.close_handles()
        elif kind < 0.86:
            self.hand_over()
        elif kind < 0.92:
            self.expire()
        else:
            self.clear_or_delete()

    def go(self, steps: int) -> None:
        for _ in range(steps):
            self.step()


def as_numbered(message: ModelMessage) -> int:
    return int(message.name[1:-2])
