"""Goal: whatever an application, an operator and the machine do, each delayed message is delivered
once, when it is due, in order.

Method: operations by chance on a simulated queue manager, beside a model that is a list: puts with
delays inside and outside units of work, commits and backouts, gets, checkpoints, stops, kills and
power losses, time.
"""

from __future__ import annotations

import pytest

from ternmq import QueueManager
from ternmq.testing import Simulation
from ternmq.testing.chance import Chance
from ternmq.testing.simulation import SOME

pytestmark = pytest.mark.core

STEPS = 120


class Delayed:
    """A message of the model."""

    def __init__(self, name: bytes, due_s: int, persistent: bool) -> None:
        self.name = name
        self.due_s = due_s
        self.persistent = persistent


class Model:
    """What should be where; `now_s` are seconds since the first start."""

    def __init__(self) -> None:
        self.now_s = 0
        self.staged: list[Delayed] = []
        self.in_unit: list[Delayed] = []
        self.there: list[Delayed] = []  # as delivered

    def pass_time(self, seconds: int) -> None:
        for _ in range(seconds):
            self.now_s += 1
            self.look()

    def look(self) -> None:
        due = [one for one in self.staged if one.due_s <= self.now_s]
        self.there += sorted(due, key=lambda one: (one.due_s, one.name))
        self.staged = [one for one in self.staged if one not in due]

    def restart(self) -> None:
        self.in_unit = []
        self.staged = [one for one in self.staged if one.persistent]
        self.there = [one for one in self.there if one.persistent]


class Play:
    """The queue manager and the model, step by step."""

    def __init__(self, simulation: Simulation, seed: int) -> None:
        self.simulation = simulation
        self.chance = Chance(str(seed))
        self.model = Model()
        self.count = 0
        self.qmgr: QueueManager = simulation.start()
        self.qmgr.define_queue("A")

    def step(self) -> None:
        kind = self.chance.randrange(12)
        if kind < 5:
            self.put()
        elif kind == 5:
            self.qmgr.commit()
            # A unit that is committed after its time is delivered at the next look.
            self.model.staged += self.model.in_unit
            self.model.in_unit = []
        elif kind == 6:
            self.qmgr.backout()
            self.model.in_unit = []
        elif kind == 7:
            self.get()
        elif kind == 8:
            self.qmgr.checkpoint()
            self.simulation.settle()
            self.model.look()
        elif kind == 9 and self.chance.random() < 0.4:
            self.restart()
        else:
            seconds = self.chance.randrange(1, 5)
            self.simulation.pass_time(seconds)
            self.model.pass_time(seconds)

    def put(self) -> None:
        self.count += 1
        name = b"%05d" % self.count
        delay = self.chance.randrange(1, 12)
        persistent = self.chance.random() < 0.7
        inside = self.chance.random() < 0.4
        with self.qmgr.queue("A") as queue:
            # Behind the second, so that the model's whole seconds have passed.
            queue.put(
                name + bytes(self.chance.choice((0, 30_000))),
                delay=delay - 0.5,
                persistent=persistent,
                syncpoint=inside,
            )
        one = Delayed(name, self.model.now_s + delay, persistent)
        (self.model.in_unit if inside else self.model.staged).append(one)

    def get(self) -> None:
        with self.qmgr.queue("A") as queue:
            message = queue.try_get()
        if not self.model.there:
            assert message is None
            return
        assert message is not None
        assert message.data[:5] == self.model.there.pop(0).name

    def restart(self) -> None:
        kind = self.chance.randrange(3)
        if kind == 0:
            self.qmgr.backout()
            self.simulation.stop()
        elif kind == 1:
            self.simulation.kill()
        else:
            self.simulation.crash(SOME)
        self.qmgr = self.simulation.start()
        self.model.restart()
        self.simulation.pass_time(2)
        self.model.pass_time(3)  # a start takes one

    def check(self) -> None:
        with self.qmgr.queue("A") as queue:
            found = [message.data[:5] for message in queue.browse()]
        assert found == [one.name for one in self.model.there]


@pytest.mark.parametrize("seed", range(12))
def test_messages_when_anything_happens_then_each_is_delivered_once_and_in_order(
    seed: int,
) -> None:
    with Simulation(seed=seed, log_file_pages=1024) as simulation:
        play = Play(simulation, seed)
        for _ in range(STEPS):
            play.step()
            play.check()
        play.qmgr.commit()
        play.model.staged += play.model.in_unit
        simulation.pass_time(20)
        play.model.pass_time(20)
        play.check()
        with play.qmgr.queue("SYSTEM.DDELAY.LOCAL.QUEUE") as staged:
            assert staged.depth == 0
