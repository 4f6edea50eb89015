"""A queue manager in one thread and without a shell: every verb, force and effect happens when the
test says so.

An effect has two moments, when it touches the disk (`run`) and when the engine hears of it
(`finish`); with a `chance` other verbs come between them, as with threads. Without one, effects are
run to their end after each verb.
"""

from __future__ import annotations

from ternmq.base.errors import ForceFailed, IntegrityError
from ternmq.engine.engine import Engine, create_queue_manager
from ternmq.kernel.connection import Connection
from ternmq.kernel.requests import GetCall
from ternmq.log.parameters import LogParameters
from ternmq.ports.clock import Clock
from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect
from ternmq.testing.chance import Chance
from ternmq.testing.sim_clock import SimClock, SimEntropy
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.verbs import Need, Steps, T, Turn, Verbs, Waker
from ternmq.values.entry import Entry
from ternmq.values.xid import XID

# A queue manager that is started again makes its identifiers from a later time.
_LIFE_S = 3600


def create(disk: Disk, parameters: LogParameters, name: str = "QM1") -> None:
    """Make the files of a new queue manager."""
    create_queue_manager(disk, SimClock(), SimEntropy(), name, parameters)


def later_clock(disk: Disk) -> SimClock:
    """A clock for the next life of the queue manager on this disk."""
    clock = SimClock()
    if isinstance(disk, SimDisk):
        disk.lives += 1
        clock.advance(_LIFE_S * disk.lives)
    return clock


class MachineVerbs(Verbs):
    """Reports to its machine what happens."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine.engine, machine.disk, machine.fast)
        self.machine = machine

    def stepped(self, link: Connection) -> None:
        self.machine.stepped()

    def acknowledged(self, link: Connection) -> None:
        self.machine.acknowledged()

    def found(self, link: Connection, entry: Entry | None) -> None:
        self.machine.got = entry


class Machine:
    """A queue manager that was just started on this disk, with one connection for tests that
    need no more. `fast`: puts and gets take their fast paths, and not their steps."""

    def __init__(
        self,
        disk: Disk,
        chance: Chance | None = None,
        clock: Clock | None = None,
        fast: bool = True,
    ) -> None:
        self.disk = disk
        self.fast = fast
        self.clock = clock or later_clock(disk)
        self.engine = Engine(disk, self.clock)
        self.kernel = self.engine.kernel
        self.chance = chance
        self.running: list[tuple[Effect, Exception | None]] = []  # run, not yet finished
        self.verbs = MachineVerbs(self)
        self.link = self.connect()
        self.got: Entry | None = None  # by the last get, before it is acknowledged

    def connect(self) -> Connection:
        return self.verbs.connect("tester", "simulation")

    # ---- hooks

    def stepped(self) -> None:
        """A verb has done its work in memory."""

    def acknowledged(self) -> None:
        """A verb is about to answer."""

    # ---- forces and effects

    def force(self, lsn: int) -> None:
        """As the forcer does it; a failure breaks the queue manager down."""
        engine = self.engine
        while engine.log.forced_lsn < lsn:
            error = engine.error_for("")
            if error is not None:
                raise error
            batch = engine.log.take()
            if batch is None:
                raise IntegrityError(f"nothing to force up to {lsn}")
            try:
                engine.files.write(batch)
            except (ForceFailed, IntegrityError) as failure:
                engine.break_down(str(failure))
                raise engine.kernel.ending_error("") from failure
            engine.log.forced(batch)

    def run(self, effect: Effect) -> None:
        """The disk's part of an effect."""
        effects = self.engine.outbox.effects
        if effect in effects:
            effects.remove(effect)
        effect.claimed = True
        error: Exception | None = None
        try:
            if effect.after_lsn > self.engine.log.forced_lsn:
                self.force(effect.after_lsn)
            effect.run(self.disk)
        except (OSError, IntegrityError, ForceFailed) as failure:
            error = failure
        self.running.append((effect, error))

    def finish(self, effect: Effect) -> None:
        """The engine's part of an effect that was run."""
        for at, (one, error) in enumerate(self.running):
            if one is effect:
                del self.running[at]
                self.engine.finish(effect, error)
                return
        raise ValueError("an effect that is not running")

    def settle(self) -> None:
        """Run and finish all effects."""
        while self.running or self.engine.outbox.effects:
            if not self.running:
                self.run(self.engine.outbox.effects[0])
            self.finish(self.running[0][0])

    def dawdle(self) -> None:
        """What the other threads may do meanwhile: nothing, begin an effect, or end one."""
        chance = self.chance
        if chance is None:
            self.settle()
            return
        for _ in range(chance.choice((0, 0, 1, 1, 2, 3))):
            effects = self.engine.outbox.effects
            if self.running and chance.random() < 0.6:
                self.finish(self.running[chance.randrange(len(self.running))][0])
            elif effects:
                self.run(effects[chance.randrange(len(effects))])

    def drive(self, steps: Steps[T]) -> T:
        """Take a verb to its end."""
        while True:
            try:
                need = next(steps)
            except StopIteration as end:
                result: T = end.value
                return result
            try:
                self._meet(need)
            except BaseException as error:
                steps.throw(error)
                raise

    def _meet(self, need: Need) -> None:
        """Do what a verb waits for."""
        if isinstance(need, Effect):
            self._come_to_an_end(need)
        elif isinstance(need, Waker):
            raise ValueError("a get waits, and in one thread no other client can put")
        elif isinstance(need, Turn):
            self.dawdle()
        else:
            self.force(need)
            self.dawdle()

    def _come_to_an_end(self, effect: Effect) -> None:
        if effect.done:
            return
        if not effect.claimed:
            self.run(effect)
        self.finish(effect)
        error = self.engine.error_for("")
        if error is not None:
            raise error

    # ---- verbs

    def define(self, name: str, buffer_bytes: int = 0, **given: object) -> None:
        self.drive(self.verbs.define(self.link, name, buffer_bytes, **given))

    def delete(self, name: str) -> None:
        self.drive(self.verbs.delete(self.link, name))

    def clear(self, name: str) -> None:
        self.drive(self.verbs.clear(self.link, name))

    def put(
        self,
        name: str,
        data: bytes,
        *,
        link: Connection | None = None,
        persistent: bool = True,
        priority: int = 0,
        sync: bool = False,
        expiry: int = -1,
    ) -> Entry:
        return self.drive(
            self.verbs.put(
                link or self.link,
                name,
                data,
                persistent=persistent,
                priority=priority,
                sync=sync,
                expiry=expiry,
            )
        )

    def get_call(self, name: str, link: Connection, *, sync: bool, wait_ms: int = 0) -> GetCall:
        """Start a get; it may be left waiting, and `end_get` ends it."""
        return self.drive(self.verbs.begin_get(link, name, sync=sync, wait_ms=wait_ms))

    def end_get(self, call: GetCall) -> None:
        self.verbs.end_get(call)

    def get(
        self,
        name: str,
        *,
        link: Connection | None = None,
        sync: bool = False,
        msg_id: bytes = b"",
    ) -> Entry | None:
        return self.drive(self.verbs.get(link or self.link, name, sync=sync, msg_id=msg_id))

    def commit(self, link: Connection | None = None) -> None:
        self.drive(self.verbs.commit(link or self.link))

    def back_out(self, link: Connection | None = None) -> None:
        self.drive(self.verbs.back_out(link or self.link))

    def prepare(self, xid: XID, link: Connection | None = None) -> None:
        self.drive(self.verbs.prepare(link or self.link, xid))

    def commit_prepared(self, xid: XID) -> None:
        self.drive(self.verbs.end_prepared(self.link, xid, True))

    def back_out_prepared(self, xid: XID) -> None:
        self.drive(self.verbs.end_prepared(self.link, xid, False))

    def decide(self, xid: XID, committed: bool) -> None:
        """As an operator."""
        self.drive(self.verbs.end_prepared(self.link, xid, committed, heuristic=True))

    def forget(self, xid: XID) -> None:
        self.drive(self.verbs.forget(self.link, xid))

    def commit_batch(self, owner: str, batch: int, xids: list[XID]) -> bool:
        """Whether it was committed, and not already there."""
        return self.drive(self.verbs.commit_batch(self.link, owner, batch, xids)).committed

    def checkpoint(self, full: bool = False, clean: bool = False) -> None:
        """Take one from its beginning to its end."""
        self.settle()
        self.engine.keeper.begin(full, clean)
        self.settle()

    def close_handles(self) -> None:
        """Every connection closes what it has open."""
        self.drive(self.verbs.close_all())

    # ---- looking

    def look(self, name: str) -> list[Entry]:
        """Look at every message, in the order a get would take them."""
        return self.drive(self.verbs.browse(self.link, name))

    def browse(self, name: str) -> list[bytes]:
        """The data of every message, in that order."""
        return [bytes(one.data) for one in self.look(name)]

    def drain(self, name: str) -> list[bytes]:
        """Get every message outside a unit of work."""
        found: list[bytes] = []
        while True:
            entry = self.get(name)
            if entry is None:
                return found
            found.append(bytes(entry.data))

    def drain_at_once(self, name: str) -> list[bytes]:
        """The data of every message, got in one unit of work."""
        return [bytes(one.data) for one in self.take_all(name)]

    def take_all(self, name: str) -> list[Entry]:
        """Get every message in one unit of work, which takes one force."""
        link = self.connect()
        found: list[Entry] = []
        while True:
            entry = self.get(name, link=link, sync=True)
            if entry is None:
                break
            found.append(entry)
        self.commit(link)
        return found
