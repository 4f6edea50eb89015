"""A queue manager for tests of applications: the public API on a simulated disk and clock.

    with Simulation() as sim:
        qmgr = sim.start()               # a ternmq.QueueManager, as from ternmq.embedded
        ...
        sim.crash()                      # the power fails: what was not forced is lost
        qmgr = sim.start()               # and it is started again
    sim.disk.capacity = sim.disk.used()  # the disk is full
    sim.clock.advance(3600)              # an hour later
    sim.pass_time(60)                    # a minute, with all that comes due in it

Everything runs in the test's own thread: the queue manager's background work waits until a verb
needs it, or until `settle`. `crash_everywhere` runs an application once for every call it makes on
the disk, and stops the machine at that call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_CONNECTION_BROKEN
from ternmq.engine.engine import Engine, create_queue_manager
from ternmq.host.shell import Shell
from ternmq.log.parameters import LogParameters
from ternmq.runtime.embedded import QueueManager
from ternmq.runtime.starting import LOCK_PATH, Started, log_parameters
from ternmq.testing.chance import Chance
from ternmq.testing.sim_clock import SimClock, SimEntropy
from ternmq.testing.sim_disk import Crash, Image, SimDisk
from ternmq.testing.wreck import any_fate, dropped, kept, last_of

# What a power loss does to writes that were not forced.
LOSES: Final = "everything that was not forced is lost"
KEEPS: Final = "everything that was written is kept"
SOME: Final = "each write has a fate of its own"

Application = Callable[[QueueManager], object]


class Simulation:
    """One queue manager, through as many lives as a test gives it."""

    def __init__(
        self,
        name: str = "QM1",
        *,
        log_type: str = "circular",
        log_file_pages: int = 64,
        seed: int = 0,
        image: Image | None = None,
    ) -> None:
        self.name = name
        self.clock = SimClock()
        self.chance = Chance(seed)
        self.qmgr: QueueManager | None = None
        self.lives = 0
        if image is not None:
            self.disk = SimDisk(image)
            return
        self.disk = SimDisk()
        parameters: LogParameters = log_parameters(log_type, 3, 2, log_file_pages, False)
        create_queue_manager(self.disk, self.clock, SimEntropy(), name, parameters)

    def start(self) -> QueueManager:
        """Start the queue manager on the disk as it is. One that still runs is crashed first."""
        if self.qmgr is not None:
            self.kill()
        self.lives += 1
        self.clock.advance(1)
        shell = Shell(Engine(self.disk, self.clock), self.disk, has_housekeeper=False)
        shell.end_house()
        started = Started(shell, self.disk.lock(LOCK_PATH), "tester", "simulation")
        self.qmgr = QueueManager(started)
        return self.qmgr

    def crash(self, fate: str = LOSES) -> None:
        """The power fails. The queue manager is gone; who still uses it gets
        MQRC_CONNECTION_BROKEN."""
        self._abandon()
        wreck = last_of(self.disk)
        if fate == SOME:
            luck = self.chance
            self.disk = wreck.disk(any_fate(luck), lambda: luck.random() < 0.5)
        else:
            fates = [kept if fate == KEEPS else dropped] * len(wreck.pending)
            self.disk = wreck.disk_of(fates)

    def kill(self) -> None:
        """The process is killed, but the machine goes on: everything written is there."""
        self._abandon()
        self.disk = self.disk.survivor()

    def stop(self) -> None:
        """A clean stop."""
        if self.qmgr is not None:
            qmgr, self.qmgr = self.qmgr, None
            qmgr.close()

    def settle(self) -> None:
        """Let the queue manager do its background work: sweeping, checkpoints, expiry."""
        shell = self._running()
        while shell.run_effects():
            pass
        with shell.lock:
            shell.engine.tick()
            shell.engine.begin_expiry_scan()
            while shell.engine.scan_expired(64):
                pass
            shell.settle()
        while shell.run_effects() or self._delivers(shell):
            pass
        shell.deliver()

    def pass_time(self, seconds: int) -> None:
        """So many seconds pass one by one, and the queue manager does what comes due in each:
        the expiry task at EXPRYINT, say."""
        shell = self._running()
        for _ in range(seconds):
            self.clock.advance(1)
            with shell.lock:
                shell.engine.tick()
            while shell.run_effects() or self._delivers(shell):
                pass
        shell.deliver()

    @staticmethod
    def _delivers(shell: Shell) -> bool:
        """Messages whose delivery delay is over; False when there is nothing to do now."""
        with shell.lock:
            more = shell.engine.delayed.step()
            shell.settle()
            return more or len(shell.engine.outbox.effects) > 0

    def _running(self) -> Shell:
        if self.qmgr is None:
            raise ValueError("the queue manager is not started")
        return self.qmgr.started.shell

    def _abandon(self) -> None:
        if self.qmgr is not None:
            shell = self._running()
            with shell.lock:
                shell.engine.break_down("the machine has stopped")
            self.qmgr = None

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *raised: object) -> None:
        self._abandon()


def crash_everywhere(
    application: Application,
    check: Application,
    *,
    prepare: Application | None = None,
    every: int = 1,
    seed: int = 0,
) -> int:
    """Stop the machine at every call that an application makes on the disk, start the queue manager
    again, and let `check` look.

    `prepare` gets a fresh queue manager (to define queues and put what the application works on);
    `application` is run on that, over and over, and stopped each time at another call; `check` is
    called with the queue manager after its restart and raises if something is wrong. It may run the
    application again, as its owner would. Each stop is tried with un-forced writes lost, kept, and
    each with a fate of its own. With `every` only each so many-th call is a stop. Returns how many
    restarts were looked at.
    """
    with Simulation(seed=seed) as sim:
        qmgr = sim.start()
        if prepare is not None:
            prepare(qmgr)
        sim.settle()
        sim.stop()
        image = sim.disk.image()
    calls = _calls_of(application, image, seed)
    looked = 0
    for call in range(1, calls + 1, every):
        for fate in (LOSES, KEEPS, SOME):
            _stop_and_look(application, check, image, call, fate, f"{seed}/{call}")
            looked += 1
    return looked


def _calls_of(application: Application, image: Image, seed: int) -> int:
    """How many calls the application makes when nothing goes wrong."""
    with Simulation(seed=seed, image=image) as sim:
        qmgr = sim.start()
        before = sim.disk.calls
        application(qmgr)
        return sim.disk.calls - before


def _stop_and_look(
    application: Application, check: Application, image: Image, call: int, fate: str, seed: str
) -> None:
    with Simulation(image=image) as sim:
        sim.chance = Chance(seed)
        qmgr = sim.start()
        sim.disk.stop_at = sim.disk.calls + call
        try:
            application(qmgr)
        except Crash:
            pass
        except MQError as error:
            # What it tried to clean up with found the queue manager gone.
            if not sim.disk.stopped or error.reason != MQRC_CONNECTION_BROKEN:
                raise
        sim.crash(fate)
        sim.disk.stop_at = 0
        try:
            check(sim.start())
        except AssertionError as error:
            error.add_note(f"the machine stopped at call {call} on the disk; {fate}")
            raise
