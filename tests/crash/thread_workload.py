"""Verbs of several threads on one queue manager, by the transport that ships for threads: puts and
gets, waits, units of work, parks on a small log and small buffers, forces that are shared.

Each verb leaves marks in the disk's history, when it begins and when it is answered. So of each
message it is known from where on it may and must be there after a crash, and from where on it may
and must be gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_BACKED_OUT, MQRC_RESOURCE_PROBLEM
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.host.shell import Shell
from ternmq.host.threads import ThreadTransport
from ternmq.log.parameters import LogParameters
from ternmq.mqi.getting import get_request
from ternmq.testing.chance import Chance
from ternmq.testing.machine import Machine, create
from ternmq.testing.model import Disagreement
from ternmq.testing.sim_clock import SimClock
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.stepped_threads import SteppedThreads
from ternmq.values.calls import messages, objects
from ternmq.values.get_request import UNLIMITED_LENGTH, GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message

NEVER: Final = 1 << 60
QUEUES: Final = ("A", "B")
ANY_VERBS: Final = ("put_one", "put_one", "get_one", "get_one", "unit")
_WAITS_MS: Final = (0, 0, 3, 40)
_OPEN: Final = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT


class Life:
    """Places in the history, for one message."""

    def __init__(self) -> None:
        self.may_come = self.must_come = self.may_go = self.must_go = NEVER


class Caller:
    """One thread and its connection."""

    def __init__(self, load: ThreadWorkload, number: int) -> None:
        self.load = load
        self.number = number
        self.chance = load.chance.branch(f"caller {number}")
        self.transport = ThreadTransport(load.shell, "tester", "simulation")
        self.put: list[Life] = []  # in the unit of work
        self.got: list[Life] = []
        self.handles: dict[str, ObjectHandle] = {}

    def run(self, verbs: Sequence[str], count: int) -> None:
        """So many of these methods, in any order, on a connection of its own."""
        for name in QUEUES:
            call = objects.Open(ObjectDescriptor(object_name=name), _OPEN)
            self.transport.run(call)
            self.handles[name] = call.opened()
        for _ in range(count):
            getattr(self, self.chance.choice(verbs))()
        self.transport.end(False)

    def put_one(self) -> None:
        self._put_one(self.chance.choice(QUEUES))

    def put_surely(self) -> None:
        """To the queue that `get_surely` waits at."""
        self._put_one(QUEUES[0])

    def _put_one(self, name: str) -> None:
        life = Life()
        begun = self.load.here()
        if self._put(life, name, mq.MQPMO_NO_SYNCPOINT):
            life.may_come, life.must_come = begun, self.load.here()

    def get_one(self) -> None:
        self._get_one(self.chance.choice(_WAITS_MS))

    def get_surely(self) -> None:
        """It waits until there is one."""
        self._get_one(mq.MQWI_UNLIMITED)

    def _get_one(self, wait_ms: int) -> None:
        begun = self.load.here()
        life = self._get(mq.MQGMO_NO_SYNCPOINT, wait_ms)
        if life is not None:
            life.may_go, life.must_go = begun, self.load.here()

    def unit(self) -> None:
        """Some puts and gets, and their end."""
        self.put, self.got = [], []
        try:
            self.transport.begin()
            for _ in range(self.chance.randrange(1, 5)):
                if self.chance.happens(0.5):
                    life = Life()
                    if self._put(life, self.chance.choice(QUEUES), mq.MQPMO_SYNCPOINT):
                        self.put.append(life)
                else:
                    found = self._get(mq.MQGMO_SYNCPOINT, self.chance.choice(_WAITS_MS))
                    if found is not None:
                        self.got.append(found)
            if self.chance.happens(0.7):
                self._commit()
            else:
                self.transport.back_out()
        except MQError as error:
            if error.reason != MQRC_BACKED_OUT:
                raise
            self.transport.back_out()

    def _commit(self) -> None:
        begun = self.load.here()
        for life in self.put:
            life.may_come = begun
        for life in self.got:
            life.may_go = begun
        try:
            self.transport.commit()
        except MQError:
            for life in self.put:
                life.may_come = NEVER
            for life in self.got:
                life.may_go = NEVER
            raise
        done = self.load.here()
        for life in self.put:
            life.must_come = done
        for life in self.got:
            life.must_go = done

    def _put(self, life: Life, name: str, options: int) -> bool:
        data = self.load.message(life)
        form = self.transport.put_form(Descriptor(persistence=1), options, "MQPUT")
        try:
            self.transport.put(self.handles[name], form, data)
        except MQError as error:
            if error.reason != MQRC_RESOURCE_PROBLEM:  # the log is full
                raise
            return False
        return True

    def _get(self, options: int, wait_ms: int) -> Life | None:
        gmo = GetOptions(options=options | mq.MQGMO_WAIT, wait_interval=wait_ms)
        request = get_request(Descriptor(), gmo, UNLIMITED_LENGTH)
        name = QUEUES[0] if wait_ms < 0 else self.chance.choice(QUEUES)
        message = self._got(self.handles[name], request)
        return None if message is None else self.load.lives[bytes(message.data)]

    def _got(self, handle: ObjectHandle, request: GetRequest) -> Message | None:
        if self.load.fast:
            return self.transport.get(handle, request)
        call = messages.Get(handle, request)
        self.transport.run(call)
        return call.message


class ThreadWorkload:
    """All of it, from a seed. `fast`: gets by the loop of threads, and not by their step."""

    def __init__(self, seed: int, parameters: LogParameters, fast: bool = True) -> None:
        self.chance = Chance(seed)
        self.fast = fast
        self.clock = SimClock()
        self.disk = SimDisk()
        create(self.disk, parameters)
        machine = Machine(self.disk, clock=self.clock)
        for name in QUEUES:
            machine.define(name, buffer_bytes=6_000)
        self.threads = SteppedThreads(self.chance.branch("turns"), self.clock)
        self.shell = Shell(machine.engine, self.disk, False, self.threads.locks())
        self.lives: dict[bytes, Life] = {}
        self.begun = len(self.disk.history)

    def here(self) -> int:
        """The place in the history."""
        return len(self.disk.history)

    def message(self, life: Life) -> bytes:
        """Data that no other message has."""
        data = b"%d " % len(self.lives)
        data += bytes(self.chance.choice((0, 50, 300, 700, 1500)))
        self.lives[data] = life
        return data

    def go(self, callers: Sequence[Sequence[str]], count: int) -> None:
        """A thread for each row of verbs, with so many of them each."""
        self.disk.faults = self.threads
        for number, verbs in enumerate(callers):
            work = partial(Caller(self, number).run, verbs, count)
            self.threads.start(work, f"caller {number}")
        self.threads.start(self.shell.keep_house, "housekeeper", helps=True)
        self.threads.run(self.shell.end_house)
        self.disk.faults = None

    def check(self, disk: SimDisk, place: int) -> None:
        """Restart on what a crash at a place of the history has left."""
        machine = Machine(disk)
        found = [data for name in QUEUES for data in machine.drain_at_once(name)]
        if len(found) != len(set(found)):
            raise Disagreement(f"at {place}: a message is there twice")
        for data, life in self.lives.items():
            label = f"at {place}: message {data[:8]!r}"
            if data in found and (life.may_come >= place or life.must_go <= place):
                raise Disagreement(f"{label} must not be there")
            if data not in found and life.must_come <= place <= life.may_go:
                raise Disagreement(f"{label} is lost")
