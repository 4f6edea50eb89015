"""One queue manager of a simulated world: a real engine on a simulated disk, whose forces, effects
and verbs take time and come to their end as events.

A verb is a generator of `verbs`; while it waits for a force or an effect, others go on. One force
is under way at a time and serves all who wait for it. A crash loses what was not forced, or kills
the process alone; a client that waits gets `NodeDown` and does not know what became of its verb.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Final

from ternmq.base.errors import ForceFailed, IntegrityError, MQError
from ternmq.engine.engine import Engine
from ternmq.kernel.connection import Connection
from ternmq.log.parameters import LogParameters
from ternmq.log.writer import LogBatch
from ternmq.ports.effect import Effect
from ternmq.testing.chance import Chance
from ternmq.testing.machine import create
from ternmq.testing.sim_clock import SimClock
from ternmq.testing.sim_disk import Crash, Image, SimDisk
from ternmq.testing.verbs import Need, Turn, Verbs, Waker
from ternmq.testing.wreck import any_fate, last_of

if TYPE_CHECKING:
    from ternmq.testing.world import World

TICK_S: Final = 1.0

# Called when a verb has ended: its value, or what went wrong.
Ended = Callable[[Any, Exception | None], None]


class NodeDown(Exception):
    """The queue manager stopped while a verb was under way, or is not there."""


class Running:
    """A verb under way."""

    def __init__(self, steps: Generator[Need, None, Any], ended: Ended) -> None:
        self.steps = steps
        self.ended = ended
        self.needs: Need | None = None


class Node:
    """A queue manager that can be crashed and started again."""

    def __init__(
        self, world: World, name: str, parameters: LogParameters, image: Image | None = None
    ) -> None:
        self.world = world
        self.name = name
        self.chance: Chance = world.chance.branch(name)
        self.clock = SimClock()
        self.disk = SimDisk() if image is None else SimDisk(image)
        self.latency_s: tuple[float, float] = (0.0001, 0.001)
        self.is_up = False
        self.life = 0
        self.starts = 0
        self.crashes = 0
        self.forces = 0
        self._now_s = world.now_s
        self._running: list[Running] = []
        self._batch: LogBatch | None = None
        self._on_log = False  # an effect on the log's files runs: no force beside it
        if image is None:
            create(self.disk, parameters, name)
        self.start()

    # ---- life

    def start(self) -> None:
        """A restart on the disk as it is. May fail as any start may: the world tries again."""
        self._catch_up()
        self.engine = Engine(self.disk, self.clock)
        self.verbs = Verbs(self.engine, self.disk, self.world.fast)
        self.life += 1
        self.starts += 1
        self.is_up = True
        self._batch = None
        self._on_log = False
        self.world.note(f"{self.name} starts")
        self._later(TICK_S, self._tick)
        self._look_round()

    def crash(self, power: bool) -> None:
        """The process is killed; with `power`, what was not forced has an uncertain fate."""
        if not self.is_up:
            return
        self.is_up = False
        self.crashes += 1
        self.life += 1
        running, self._running = self._running, []
        if power:
            self.lose_power()
        else:
            self.disk = self.disk.survivor()
        self.world.note(f"{self.name} {'loses power' if power else 'is killed'}")
        for verb in running:
            verb.steps.close()
            verb.ended(None, NodeDown(self.name))

    def lose_power(self) -> None:
        """What was not forced has an uncertain fate."""
        chance = self.chance
        self.disk = last_of(self.disk).disk(any_fate(chance), lambda: chance.random() < 0.5)

    def break_down(self) -> None:
        """A force has failed: the queue manager has stopped itself, and its process goes."""
        self.world.note(f"{self.name} breaks down")
        self.crash(power=False)

    def connect(self, application: str) -> Connection:
        if not self.is_up:
            raise NodeDown(self.name)
        return self.verbs.connect("client", application)

    def depth(self, name: str) -> int:
        """How many messages a queue holds, those of units of work included; -1: not known before
        it is loaded."""
        catalog = self.engine.kernel.catalog
        number = catalog.definitions[name].object_id
        queue = catalog.queues.get(number)
        return int(catalog.depths.get(number, -1) if queue is None else queue.depth)

    # ---- verbs

    def run(self, steps: Generator[Need, None, Any], ended: Ended) -> None:
        """Begin a verb; `ended` is called when it is answered."""
        if not self.is_up:
            steps.close()
            ended(None, NodeDown(self.name))
            return
        verb = Running(steps, ended)
        self._running.append(verb)
        self._guarded(lambda: self._begin(verb))

    def _begin(self, verb: Running) -> None:
        self._catch_up()
        self._go_on(verb)
        self._wake()  # a put may have served a get that waits
        self._look_round()

    def _guarded(self, call: Callable[[], None]) -> None:
        """Do something that may touch the disk; the machine may stop in the middle of it."""
        try:
            call()
        except Crash:
            self.world.crash(self, power=True)
            self.world.after(self.chance.uniform(0.05, 0.5), lambda: self.world.restart(self))

    def _go_on(self, verb: Running) -> None:
        """Let a verb go on until it has to wait, or has ended."""
        while True:
            try:
                need = next(verb.steps)
            except StopIteration as end:
                self._end(verb, end.value, None)
                return
            except (MQError, IntegrityError) as error:
                self._end(verb, None, error)
                return
            if isinstance(need, Turn):
                self._later(self._latency(), lambda: self._begin(verb))
                return
            if not self._is_met(need):
                verb.needs = need
                return

    def _end(self, verb: Running, value: Any, error: Exception | None) -> None:
        if verb in self._running:
            self._running.remove(verb)
            verb.ended(value, error)

    def _is_met(self, need: Need) -> bool:
        if isinstance(need, Effect):
            return need.done
        if isinstance(need, Waker):
            return need.woken
        return not isinstance(need, Turn) and need <= self.engine.log.forced_lsn

    def _wake(self) -> None:
        """Let all go on whose need is met, in the order they came."""
        self.verbs.shell.flush()
        broken = self.engine.error_for("")
        for verb in list(self._running):
            if not self.is_up:
                return
            if verb.needs is None or verb not in self._running:
                continue
            if broken is not None:
                verb.steps.close()
                self._end(verb, None, broken)
            elif self._is_met(verb.needs):
                verb.needs = None
                self._go_on(verb)

    # ---- forces and effects

    def _look_round(self) -> None:
        """Begin the force that a verb waits for, and the effects that were left."""
        if not self.is_up:
            return
        engine = self.engine
        for effect in list(engine.outbox.effects):
            if effect.on_log and (self._batch is not None or self._on_log):
                continue
            engine.outbox.effects.remove(effect)
            effect.claimed = True
            self._on_log = self._on_log or effect.on_log
            self._later(self._latency(), lambda effect=effect: self._run_effect(effect))  # type: ignore[misc]
        wanted = [verb.needs for verb in self._running if isinstance(verb.needs, int)]
        if self._batch is None and not self._on_log and any(not self._is_met(n) for n in wanted):
            self._begin_force()

    def _begin_force(self) -> None:
        self._batch = self.engine.log.take()
        if self._batch is not None:
            self._later(self._latency(), self._end_force)

    def _end_force(self) -> None:
        batch, self._batch = self._batch, None
        if batch is not None and self._write(batch):
            self._wake()
            self._look_round()

    def _write(self, batch: LogBatch) -> bool:
        engine = self.engine
        try:
            engine.files.write(batch)
        except (ForceFailed, IntegrityError) as failure:
            engine.break_down(str(failure))
            self.break_down()
            return False
        engine.log.forced(batch)
        self.forces += 1
        return True

    def _run_effect(self, effect: Effect) -> None:
        """The disk's part of an effect; the engine hears of it a little later."""
        log = self.engine.log
        if effect.after_lsn > log.forced_lsn:
            while effect.after_lsn > log.forced_lsn:  # what is under way comes first
                batch, self._batch = self._batch or log.take(), None
                if batch is None or not self._write(batch):
                    return
            self._wake()
            if not self.is_up:
                return
        error: Exception | None = None
        try:
            effect.run(self.disk)
        except (OSError, IntegrityError, ForceFailed) as failure:
            error = failure
        self._later(self._latency(), lambda: self._finish_effect(effect, error))

    def _finish_effect(self, effect: Effect, error: Exception | None) -> None:
        if effect.on_log:
            self._on_log = False
        self.engine.finish(effect, error)
        if self.engine.error_for("") is not None:
            self.break_down()
            return
        self._wake()
        self._look_round()

    def _tick(self) -> None:
        self._catch_up()
        self.engine.tick()
        self._wake()
        self._look_round()
        self._later(TICK_S, self._tick)

    # ---- time

    def now_ns(self) -> int:
        """The monotonic time of this node."""
        self._catch_up()
        return self.clock.monotonic_ns()

    def _latency(self) -> float:
        return self.chance.uniform(*self.latency_s)

    def _catch_up(self) -> None:
        """The node's clock goes on as the world's does."""
        self.clock.advance(self.world.now_s - self._now_s)
        self._now_s = self.world.now_s

    def _later(self, seconds: float, call: Callable[[], None]) -> None:
        """Call, if this life still goes on then."""
        life = self.life

        def come() -> None:
            if self.life == life and self.is_up:
                self._guarded(call)

        self.world.after(seconds, come)
