"""Random verbs on queues with streams and cursors, and what a restart must find of them.

The model: each message gets the next number of its queue when it becomes visible. A crash may leave
any state from the last acknowledged verb to the last one done in memory: the positions of cursors,
and of each stream the persistent messages from the lowest position on, with their numbers. Once
a reader has got a number, no other message ever has it. A cursor that starts with the earliest
message brings what is on the queue into the stream, before what this still has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_BACKED_OUT, MQRC_RESOURCE_PROBLEM
from ternmq.kernel.connection import Connection
from ternmq.kernel.cursors import EARLIEST, LATEST, cursors
from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.store.stream.numbered_stream import Stream
from ternmq.testing.chance import Chance
from ternmq.testing.machine import Machine, create
from ternmq.testing.model import ACKNOWLEDGED, STEPPED, Disagreement, Snapshot, body_of, name_of
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.stream_verbs import StreamClient, messages_of
from ternmq.values.xid import XID

QUEUES: Final = ("A", "B")  # B retains until all cursors have passed
CURSORS: Final = ("C1", "C2", "C3")
SHARE_BYTES: Final = 6_000  # of a stream in memory
Put = tuple[str, str, bool]  # queue, name, persistent


class WatchedMachine(Machine):
    """Notifies the workload when something is done in memory, and when it is acknowledged."""

    workload: StreamWorkload

    def stepped(self) -> None:
        self.workload.stepped()

    def acknowledged(self) -> None:
        self.workload.acknowledged()


class StreamWorkload:
    """One life of a queue manager with streams."""

    def __init__(self, seed: int, fast: bool = True) -> None:
        self.chance = Chance(f"streams/{seed}")
        self.disk = SimDisk()
        kind = LINEAR if seed % 3 == 2 else CIRCULAR
        create(self.disk, LogParameters(kind, 3, 2, 16, seed % 5 == 4))
        self.next: dict[str, int] = dict.fromkeys(QUEUES, 1)
        self.streams: dict[str, list[tuple[int, str, bool]]] = {"B": []}
        self.lying: dict[str, dict[int, tuple[str, bool]]] = {name: {} for name in QUEUES}
        self.holding: list[tuple[Connection, str, int]] = []  # gets of units that go on
        self.reported: dict[str, dict[int, str]] = {name: {} for name in QUEUES}
        self.passed: dict[str, int] = dict.fromkeys(QUEUES, 0)  # all cursors once were so far
        self.change: Callable[[], None] | None = None
        self.snapshots: list[Snapshot] = []
        self.reported_at: list[dict[str, dict[int, str]]] = []  # with each snapshot
        self.in_doubt: dict[bytes, tuple[XID, list[Put]]] = {}
        self.plain: set[str] = set()  # names of non-persistent messages
        self.count = 0
        self.machine = WatchedMachine(self.disk, self.chance.branch("effects"), fast=fast)
        self.machine.workload = self
        self.client = StreamClient(self.machine)
        self.machine.kernel.catalog.stream_memory.stream_bytes_max = SHARE_BYTES
        for name in QUEUES:
            self.machine.define(name, 6_000, retain=int(name == "B"))
        self.begun = len(self.disk.history)

    # ---- the model

    def stepped(self) -> None:
        if self.change is not None:
            self.change()
            self.change = None
        self.snapshots.append(Snapshot.of((self.state(), {})))
        self.reported_at.append({name: dict(reported) for name, reported in self.reported.items()})
        self.disk.mark((STEPPED, len(self.snapshots) - 1))

    def acknowledged(self) -> None:
        self.disk.mark((ACKNOWLEDGED, len(self.snapshots) - 1))

    def state(self) -> dict[str, list[str]]:
        reported: dict[str, list[str]] = {
            "cursors": [f"{one.name} {one.position}" for one in cursors(self.machine.kernel)]
        }
        for name in QUEUES:
            floor = floor_of(self.machine, name)
            self.passed[name] = max(self.passed[name], floor)
            floor = floor or self.passed[name]
            reported[f"{name} from"] = [str(floor)]
            reported[name] = [
                f"{number} {message}"
                for number, message, persistent in self.streams.get(name, [])
                if persistent and number >= floor
            ]
        return reported

    def reveal(self, puts: list[Put]) -> None:
        for queue, name, persistent in puts:
            number = self.next[queue]
            self.next[queue] = number + 1
            self.lying[queue][number] = (name, persistent)
            if queue in self.streams:
                self.streams[queue].append((number, name, persistent))

    def has_stream(self, queue: str) -> bool:
        return queue == "B" or bool(cursors(self.machine.kernel, queue))

    # ---- verbs

    def go(self, steps: int) -> None:
        chance = self.chance
        kinds: list[tuple[Callable[[], None], int]] = [
            (self.put, 9),
            (self.unit, 4),
            (self.get, 3),
            (self.hold, 2),
            (self.release, 2),
            (self.read, 5),
            (self.advance, 5),
            (self.define_some, 3),
            (self.reset, 1),
            (self.delete_some, 1),
            (self.recreate_stream, 2),
            (self.begin_lower, 2),
            (self.prepare, 1),
            (self.decide, 2),
            (self.seal, 3),
            (self.checkpoint, 2),
            (self.clear, 1),
        ]
        chosen = [kind for kind, weight in kinds for _ in range(weight)]
        for _ in range(steps):
            chance.choice(chosen)()

    def new(self) -> tuple[Put, bytes]:
        chance = self.chance
        self.count += 1
        put = (chance.choice(QUEUES), f"m{self.count}", chance.random() < 0.6)
        if not put[2]:
            self.plain.add(put[1])
        return put, body_of(put[1], chance.choice([0, 40, 400, 900, 2500]))

    def put(self) -> None:
        put, data = self.new()
        self.change = lambda: self.reveal([put])
        self.machine.put(put[0], data, persistent=put[2])

    def unit(self) -> None:
        link = self.machine.connect()
        puts = self.puts_in(link)
        if self.chance.random() < 0.75:
            self.change = lambda: self.reveal(puts)
            self.machine.commit(link)
        else:
            self.machine.back_out(link)

    def puts_in(self, link: Connection) -> list[Put]:
        puts: list[Put] = []
        for _ in range(self.chance.randrange(1, 4)):
            put, data = self.new()
            self.machine.put(put[0], data, link=link, sync=True, persistent=put[2])
            puts.append(put)
        return puts

    def prepare(self) -> None:
        link = self.machine.connect()
        puts = self.puts_in(link)
        xid = XID(1, b"x%d" % self.count, b"")
        try:
            self.machine.prepare(xid, link)
        except MQError as error:
            if error.reason not in (MQRC_RESOURCE_PROBLEM, MQRC_BACKED_OUT):
                raise
            self.machine.back_out(link)  # the log is full just now
            return
        self.in_doubt[xid.global_id] = (xid, puts)

    def decide(self) -> None:
        if not self.in_doubt:
            return
        xid, puts = self.in_doubt.pop(self.chance.choice(sorted(self.in_doubt)))
        if self.chance.random() < 0.7:
            self.change = lambda: self.reveal(puts)
            self.machine.commit_prepared(xid)
        else:
            self.machine.back_out_prepared(xid)

    def get(self) -> None:
        queue = self.chance.choice(QUEUES)
        entry = self.machine.get(queue)
        if entry is not None:
            del self.lying[queue][int(entry.sequence)]

    def hold(self) -> None:
        """A get in a unit of work that goes on."""
        queue = self.chance.choice(QUEUES)
        link = self.machine.connect()
        entry = self.machine.get(queue, link=link, sync=True)
        if entry is not None:
            self.holding.append((link, queue, int(entry.sequence)))

    def release(self) -> None:
        if not self.holding:
            return
        link, queue, number = self.holding.pop(self.chance.randrange(0, len(self.holding)))
        if link.unit is None or link.unit.backed_out_by:
            return  # the log was full
        if self.chance.random() < 0.5:
            self.machine.commit(link)
            del self.lying[queue][number]
        else:
            self.machine.back_out(link)

    def clear(self) -> None:
        if self.in_doubt or self.holding:
            return  # it is refused while units of work have messages
        queue = self.chance.choice(QUEUES)
        self.machine.clear(queue)
        self.lying[queue] = {}

    def seal(self) -> None:
        """Blocks end where they would not by themselves, and leave memory."""
        queue = self.chance.choice(QUEUES)
        stream = stream_of(self.machine, queue)
        if stream is not None:
            stream.seal()
            if self.chance.random() < 0.3:
                stream.evict(0)

    def checkpoint(self) -> None:
        if self.chance.random() < 0.3:
            self.machine.close_handles()
        self.machine.checkpoint(full=self.chance.random() < 0.3)

    def define_some(self) -> None:
        name = self.chance.choice(CURSORS)
        if name not in self.machine.kernel.catalog.cursors.by_name:
            queue = self.chance.choice(QUEUES)
            start = self.chance.choice([EARLIEST, LATEST])
            # The model does not know what retention has left on B of messages that all have passed.
            self.define(name, queue, LATEST if self.has_let_go("B") and queue == "B" else start)

    def has_let_go(self, queue: str) -> bool:
        """Whether a stream that is there does not have its first messages any more."""
        self.client.bounds(queue)  # so that it is loaded
        stream = stream_of(self.machine, queue)
        return stream is not None and stream.begin != stream.earliest

    def define(self, name: str, queue: str, start: int) -> None:
        below = self.fills_below(queue) if start == EARLIEST else 0
        lying = self.lying[queue]
        filled = [(number, *lying[number]) for number in sorted(lying) if number < below]

        def change() -> None:
            kept = [one for one in self.streams.get(queue, []) if one[0] >= below]
            self.streams[queue] = [*filled, *kept]

        self.change = change
        self.client.define(name, queue, start)

    def fills_below(self, queue: str) -> int:
        """What is on the queue with lower numbers comes into its stream, if a cursor starts with
        the earliest."""
        if not self.has_stream(queue):
            return self.next[queue]
        self.client.bounds(queue)  # so that it is loaded
        stream = stream_of(self.machine, queue)
        return 0 if stream is None or stream.fill is not None else int(stream.earliest)

    def advance(self) -> None:
        cursor = self.any_cursor()
        if cursor is not None:
            queue = self.machine.kernel.catalog.cursors.by_name[cursor].queue_name
            self.client.advance(cursor, self.chance.randrange(0, self.next[queue] + 1))

    def reset(self) -> None:
        cursor = self.any_cursor()
        if cursor is not None:
            self.client.reset(cursor, self.chance.choice([EARLIEST, LATEST]))

    def delete_some(self) -> None:
        cursor = self.any_cursor()
        if cursor is not None:
            self.delete(cursor)

    def delete(self, cursor: str) -> None:
        queue = self.machine.kernel.catalog.cursors.by_name[cursor].queue_name

        def change() -> None:
            if not self.has_stream(queue):
                del self.streams[queue]

        self.change = change
        self.client.delete(cursor)

    def recreate_stream(self) -> None:
        """A queue loses its stream, and gets one with what is on it."""
        for cursor in cursors(self.machine.kernel, "A"):
            self.delete(cursor.name)
        names = self.machine.kernel.catalog.cursors.by_name
        free = [name for name in CURSORS if name not in names]
        if free:
            self.define(free[0], "A", EARLIEST)

    def begin_lower(self) -> None:
        """All cursors pass what a stream has, which it lets go of; then it gets what is still on
        the queue."""
        there = cursors(self.machine.kernel, "A")
        stream = stream_of(self.machine, "A")
        names = self.machine.kernel.catalog.cursors.by_name
        free = [name for name in CURSORS if name not in names]
        if stream is None or not there or not free:
            return
        stream.seal()
        for cursor in there:
            self.client.advance(cursor.name, self.next["A"])
        self.define(free[0], "A", EARLIEST)

    def any_cursor(self) -> str | None:
        names = sorted(self.machine.kernel.catalog.cursors.by_name)
        return self.chance.choice(names) if names else None

    def read(self) -> None:
        """Read a range; what it returns is kept, and compared with what was returned before."""
        queue = self.chance.choice(QUEUES)
        if not self.has_stream(queue):
            return
        bounds = self.client.bounds(queue)
        first = self.chance.randrange(bounds.earliest, bounds.next + 1)
        size = self.chance.choice([1, 3000, 1 << 20])
        # What all cursors have passed may go between the two.
        call = self.client.read(queue, first, bytes_max=size, skip_lost=True)
        known = {number: name for number, name, _ in self.streams[queue]}
        reported = self.reported[queue]
        for number, data in messages_of(call):
            name = name_of(data)
            if known.get(number) != name or reported.setdefault(number, name) != name:
                raise Disagreement(f"{queue} {number}: {name}, not {known.get(number)}")
        self.stepped()
        self.acknowledged()


def stream_of(machine: Machine, queue: str) -> Stream | None:
    """The stream of a queue that is loaded."""
    definition = machine.kernel.catalog.definitions[queue]
    loaded = machine.kernel.catalog.queues.get(definition.object_id)
    return None if loaded is None else loaded.stream


def floor_of(machine: Machine, queue: str) -> int:
    """From which number on the stream must be whole."""
    return min((one.position for one in cursors(machine.kernel, queue)), default=0)


def found_state(machine: Machine) -> dict[str, list[str]]:
    """What a restarted queue manager has of cursors and streams."""
    client = StreamClient(machine)
    found = {"cursors": [f"{one.name} {one.position}" for one in cursors(machine.kernel)]}
    for queue in QUEUES:
        found[queue] = []
        floor = floor_of(machine, queue)
        try:
            earliest = client.bounds(queue).earliest
        except MQError:
            continue
        if floor and earliest > floor:
            raise Disagreement(f"{queue} begins at {earliest}, a cursor is at {floor}")
        for number, data in client.read_all(queue, max(floor, earliest)):
            found[queue].append(f"{number} {name_of(data)}")
    return found


def is_as(found: dict[str, list[str]], state: dict[str, list[str]]) -> bool:
    """Whether what was found is a state of the model, of streams from where they must be whole."""
    if found["cursors"] != state["cursors"]:
        return False
    for queue in QUEUES:
        floor = int(state[f"{queue} from"][0])
        if [one for one in found[queue] if int(one.split()[0]) >= floor] != state[queue]:
            return False
    return True


def check_found(
    machine: Machine, possible: list[Snapshot], reported: dict[str, dict[int, str]], lost: set[str]
) -> None:
    """Compare with what may be there; `lost` names non-persistent messages, which may be there or
    not. Then new messages must have new numbers."""
    state = found_state(machine)
    for queue in QUEUES:
        seen = dict(one.split() for one in state[queue])
        for number, name in reported[queue].items():
            if seen.get(str(number), name) != name:
                raise Disagreement(f"{queue} {number} was {name} and is {seen[str(number)]}")
        state[queue] = [one for one in state[queue] if one.split()[1] not in lost]
    if not any(is_as(state, one.state[0]) for one in possible):
        wanted = "\n".join(str(one.state[0]) for one in possible)
        raise Disagreement(f"found\n{state}\nof which none is:\n{wanted}")
    client = StreamClient(machine)
    for queue in QUEUES:
        if not reported[queue]:
            continue
        if not cursors(machine.kernel, queue):
            client.define(f"NEW.{queue}", queue, LATEST)
        before = client.bounds(queue).next
        machine.put(queue, b"new", persistent=False)
        (number, data), *rest = client.read_all(queue, before)
        if rest or data != b"new" or number <= max(reported[queue]):
            raise Disagreement(
                f"{queue}: {number} for a new message, {max(reported[queue])} was returned before"
            )
