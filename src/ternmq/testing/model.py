"""What a restart must find: the model of a workload, verb by verb.

A `Model` holds the messages of each queue in the order they are got, and the units of work that
are prepared. `Chronicle` keeps a snapshot a verb; a crash may leave any state from the last
acknowledged verb to the last one that was done in memory.
"""

from __future__ import annotations

from bisect import insort
from typing import final
from zlib import crc32

from ternmq.base.object_types import LOCAL
from ternmq.testing.machine import Machine
from ternmq.testing.operations import Mark, Operation
from ternmq.testing.second_part import MARK, complaint, complaint_after_travel
from ternmq.txn.unit import CHANGE_GET, CHANGE_PUT
from ternmq.values.entry import Entry


class Disagreement(AssertionError):
    """The queue manager has done something that the model does not allow."""


@final
class ModelMessage:
    """One message of the model. Its data begins with its name and a blank."""

    __slots__ = ("held", "msg_id", "name", "persistent", "priority", "queue", "sequence")

    def __init__(self, name: str, queue: str, priority: int, persistent: bool) -> None:
        self.name = name
        self.queue = queue
        self.priority = priority
        self.persistent = persistent
        self.sequence = 0
        self.msg_id = b""
        self.held = False  # by a unit of work that has got it


@final
class ModelUnit:
    """A unit of work of the model."""

    def __init__(self) -> None:
        self.puts: list[ModelMessage] = []
        self.gets: list[ModelMessage] = []


# What must be there: for each queue the names in the order they are got; for each global id of an
# XID what it put and got.
Queues = dict[str, list[str]]
Prepared = dict[bytes, tuple[list[str], list[str]]]
State = tuple[Queues, Prepared]


def place(message: ModelMessage) -> tuple[int, int]:
    """The order of a queue."""
    return -message.priority, message.sequence


@final
class Model:
    """The queue manager as a restart would find it now."""

    def __init__(self) -> None:
        self.queues: dict[str, list[ModelMessage]] = {}
        self.prepared: dict[bytes, ModelUnit] = {}
        self.sequence = 0
        self._kept: dict[str, tuple[ModelMessage, ...]] = {}
        self._touched: set[str] = set()

    def reveal(self, message: ModelMessage) -> None:
        """A message is there for all to see."""
        self.sequence += 1
        message.sequence = self.sequence
        self.come(message)

    def come(self, message: ModelMessage) -> None:
        """A message takes its place."""
        insort(self.queues[message.queue], message, key=place)
        self._touched.add(message.queue)

    def remove(self, message: ModelMessage) -> None:
        self.queues[message.queue].remove(message)
        self._touched.add(message.queue)

    def clear(self, queue: str) -> None:
        self.queues[queue].clear()
        self._touched.add(queue)

    def define(self, queue: str) -> None:
        self.queues.setdefault(queue, [])
        self._touched.add(queue)

    def delete(self, queue: str) -> None:
        del self.queues[queue]
        self._kept.pop(queue, None)

    def available(self, queue: str) -> list[ModelMessage]:
        """What a get may take, in its order."""
        return [message for message in self.queues[queue] if not message.held]

    def snapshot(self) -> Snapshot:
        """The state as it is now, cheaply: what has not changed is shared with the last one."""
        for queue in self._touched:
            if queue in self.queues:
                self._kept[queue] = tuple(self.queues[queue])
        self._touched.clear()
        prepared = {
            key: (tuple(unit.puts), tuple(unit.gets)) for key, unit in self.prepared.items()
        }
        return Snapshot(dict(self._kept), prepared)


@final
class Snapshot:
    """One state of a model; written out when it is asked for."""

    __slots__ = ("_prepared", "_queues", "_state")

    def __init__(
        self,
        queues: dict[str, tuple[ModelMessage, ...]],
        prepared: dict[bytes, tuple[tuple[ModelMessage, ...], tuple[ModelMessage, ...]]],
    ) -> None:
        self._queues = queues
        self._prepared = prepared
        self._state: State | None = None

    @staticmethod
    def of(state: State) -> Snapshot:
        """A snapshot of a state that is written out already."""
        snapshot = Snapshot({}, {})
        snapshot._state = state
        return snapshot

    def messages(self) -> tuple[dict[str, list[ModelMessage]], dict[bytes, ModelUnit]]:
        """The persistent messages of each queue, held ones included, and the prepared units."""
        queues = {
            name: [one for one in messages if one.persistent]
            for name, messages in self._queues.items()
        }
        units: dict[bytes, ModelUnit] = {}
        for key, (puts, gets) in self._prepared.items():
            unit = units[key] = ModelUnit()
            unit.puts = [one for one in puts if one.persistent]
            unit.gets = [one for one in gets if one.persistent]
        return queues, units

    @property
    def state(self) -> State:
        if self._state is None:
            held = {id(one) for _, gets in self._prepared.values() for one in gets}
            queues = {
                name: [one.name for one in messages if one.persistent and id(one) not in held]
                for name, messages in self._queues.items()
            }
            prepared = {
                key: (_names(puts), _names(gets)) for key, (puts, gets) in self._prepared.items()
            }
            self._state = queues, prepared
        return self._state


def _names(messages: tuple[ModelMessage, ...]) -> list[str]:
    return sorted(one.name for one in messages if one.persistent)


STEPPED = "stepped"
ACKNOWLEDGED = "acknowledged"
LIFE = "life"  # another one begins, with snapshots of its own


@final
class Chronicle:
    """The snapshots of a workload, and which of them a crash may leave as its history goes on."""

    def __init__(self, snapshots: list[Snapshot]) -> None:
        self.snapshots = snapshots
        self.acknowledged = 0
        self.stepped = 0

    def take(self, operation: Operation) -> None:
        """The next operation of the history."""
        if isinstance(operation, Mark) and isinstance(operation.what, tuple):
            kind, number = operation.what
            if kind == ACKNOWLEDGED:
                self.acknowledged = max(self.acknowledged, number)
            elif kind == STEPPED:
                self.stepped = number
            elif kind == LIFE:
                self.acknowledged = self.stepped = 0

    def take_all(self, operations: list[Operation]) -> Chronicle:
        for operation in operations:
            self.take(operation)
        return self

    def possible(self) -> list[Snapshot]:
        """What a restart may find here."""
        return self.snapshots[self.acknowledged : self.stepped + 1]


def body_of(name: str, size: int, second: int = 0) -> bytes:
    """The data of a message: its name, the kind of its second part, and bytes that follow from
    them."""
    kind = f"+{second}" if second else ""
    head = f"{name} {size}{kind} ".encode("ascii")
    return head + (crc32(head).to_bytes(4, "little") * (size // 4 + 1))[:size]


def name_of(data: bytes) -> str:
    """The name of a message. Data that `body_of` made must be what it was, byte for byte."""
    name, _, rest = bytes(data).partition(b" ")
    size, _, kind = rest.partition(b" ")[0].partition(MARK)
    if size.isdigit():
        second = int(kind) if kind.isdigit() else 0
        if data != body_of(name.decode("ascii", "replace"), int(size), second):
            raise Disagreement(f"message {name!r} has other bytes than were put")
    return name.decode("ascii", "replace")


def name_of_message(entry: Entry) -> str:
    """The name of a message, both parts of which must be what they were."""
    name = name_of(entry.data)
    wrong = complaint(entry)
    if wrong:
        raise Disagreement(f"message {name!r} has another second part than was put: {wrong}")
    return name


def name_after_travel(entry: Entry) -> str:
    """The name of a message that came over a channel."""
    name = name_of(entry.data)
    wrong = complaint_after_travel(entry)
    if wrong:
        raise Disagreement(f"message {name!r} has other properties than were put: {wrong}")
    return name


def found_state(machine: Machine, *, drain: bool = True) -> State:
    """What a restarted queue manager says is in doubt, and what is on its queues; it is got."""
    prepared: Prepared = {}
    for unit in machine.engine.coordinator.prepared.values():
        if unit.xid is None:
            raise Disagreement(f"prepared unit {unit.unit_id} has no XID")
        puts = [name_of_message(one.entry) for one in unit.changes if one.kind == CHANGE_PUT]
        gets = [name_of_message(one.entry) for one in unit.changes if one.kind == CHANGE_GET]
        prepared[unit.xid.global_id] = (sorted(puts), sorted(gets))
    queues: Queues = {}
    for name in machine.kernel.catalog.names(LOCAL):
        if not name.startswith("SYSTEM."):
            queues[name] = [name_of_message(one) for one in machine.look(name)]
            if drain:
                got = [name_of_message(one) for one in machine.take_all(name)]
                if got != queues[name]:
                    raise Disagreement(f"got {got} of {name}, browsed {queues[name]}")
    return queues, prepared


def as_put(names: list[str]) -> Queues:
    """The order in which messages that one unit of work put are got: a name of `workload` has
    its queue and its priority."""
    queues: Queues = {}
    for name in sorted(names, key=lambda name: (-int(name[-1]), int(name[1:-2]))):
        queues.setdefault(name[-2], []).append(name)
    return queues


def difference(found: State, possible: list[Snapshot]) -> str:
    """For people: what was found, and what would have been right. What is lost, twice there, out
    of place or unexpected, compared with the state that comes nearest."""
    if not possible:
        return f"nothing is possible, but found {found}"
    best = min((_compared(found, one.state) for one in possible), key=len)
    return f"{len(possible)} states are possible; compared with the nearest:\n" + "\n".join(best)


def _compared(found: State, wanted: State) -> list[str]:
    lines: list[str] = []
    for queue in sorted({*found[0], *wanted[0]}):
        here, there = found[0].get(queue), wanted[0].get(queue)
        if here == there:
            continue
        if here is None or there is None:
            lines.append(f"queue {queue}: " + ("not there" if here is None else "unexpected"))
            continue
        lines += [f"lost: {name} of {queue}" for name in there if name not in here]
        lines += [f"unexpected: {name} on {queue}" for name in here if name not in there]
        lines += [f"duplicated: {name} on {queue}" for name in set(here) if here.count(name) > 1]
        if sorted(here) == sorted(there):
            lines.append(f"reordered: {queue} has {here}, not {there}")
    if found[1] != wanted[1]:
        lines.append(f"in doubt: {found[1]}, not {wanted[1]}")
    return lines
