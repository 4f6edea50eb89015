"""One run of a simulated world with topics, from a seed: publishers, subscribers that last, others
that come and go, a plan of faults; then everything is healed, and every publication must have come
once to every durable subscription, each subscription be as it was answered, and each topic retain
what was published last. See `scenario`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ternmq.base import constants as mq
from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.pubsub.publish_subscribe import pubsub_of
from ternmq.testing import fault_plan
from ternmq.testing.clients import Application
from ternmq.testing.fault_plan import KINDS, NETWORK_KINDS, Fault
from ternmq.testing.history import ACKNOWLEDGED, UNKNOWN
from ternmq.testing.machine import Machine
from ternmq.testing.model import name_of
from ternmq.testing.topic_clients import (
    Board,
    Flapper,
    Lasting,
    Publication,
    Publisher,
    Subscriber,
    subscribing,
)
from ternmq.testing.topic_state import check_managed, check_waste, retained_names
from ternmq.testing.topic_workload import PATTERNS
from ternmq.testing.world import Ask, Client, World
from ternmq.values.calls.objects import Close

NODE: Final = "QM1"
SET_UP_S: Final = 1.0
FAULTS_S: Final = 4.0
CONVERGES_S: Final = 120.0
TOGETHER: Final = 3
POSSIBLE: Final = tuple(kind for kind in KINDS if kind not in NETWORK_KINDS)


@dataclass
class Result:
    """How a run went."""

    seed: int
    plan: list[Fault]
    problems: list[str]
    publications: int
    delivered: int
    starts: int
    digest: str


class TopicScenario:
    """The world of one seed."""

    def __init__(self, seed: int) -> None:
        self.world = world = World(seed)
        chance = world.chance.branch("topics")
        kind = LINEAR if seed % 5 == 4 else CIRCULAR
        self.node = world.add_node(NODE, LogParameters(kind, 3, 2, chance.choice((16, 32)), False))
        self.board = Board()
        for number in range(chance.randrange(2, 6)):
            self.board.lasting.append(Lasting(f"L{number}", chance.choice(PATTERNS)))
        world.add_client("admin", self._define())
        world.run(SET_UP_S)
        node, board = self.node, self.board
        self.publishers = [
            Publisher(world, f"p{number}", node, board, chance.randrange(10, 40))
            for number in range(chance.randrange(1, 4))
        ]
        self.subscribers = [Subscriber(world, f"s{one.name}", node, one) for one in board.lasting]
        self.flappers = [
            Flapper(world, f"f{number}", node, board, chance.randrange(5, 25))
            for number in range(2)
        ]
        clients: list[Application] = [*self.publishers, *self.subscribers, *self.flappers]
        for client in clients:
            world.add_client(client.name, client.client())

    def _define(self) -> Client:
        node = self.node
        link = node.connect("admin")
        options = mq.MQSO_CREATE | mq.MQSO_DURABLE | mq.MQSO_MANAGED
        for one in self.board.lasting:
            call = subscribing(options, one.name, one.pattern)
            yield Ask(node, node.verbs.run(link, call))
            queue, subscription = call.done()
            one.queue = queue.resolved_name
            yield Ask(node, node.verbs.run(link, Close(subscription, mq.MQCO_KEEP_SUB)))
            yield Ask(node, node.verbs.run(link, Close(queue, 0)))

    def _finish(self) -> list[str]:
        """Let all come to their end: publishers first, then those who get."""
        world = self.world
        groups: list[list[Application]] = [
            [*self.publishers, *self.flappers],
            [*self.subscribers],
        ]
        for group in groups:
            names = {one.name for one in group}
            for one in group:
                if isinstance(one, Subscriber):
                    one.finish = True
            if not world.run(world.now_s + CONVERGES_S, lambda n=names: not world.clients & n):  # type: ignore[misc]
                return [f"does not come to its end: {sorted(world.clients & names)}"]
        return []

    def play(self, plan: list[Fault]) -> Result:
        world = self.world
        fault_plan.apply(world, plan)
        world.run(SET_UP_S + FAULTS_S)
        fault_plan.heal(world)
        problems = self._finish()
        digest = world.digest()
        machine = Machine(self.node.disk.survivor())
        delivered = 0
        for one in self.board.lasting:
            names = [name_of(entry.data) for entry in machine.take_all(one.queue)]
            one.history.drain(one.queue, names)
            report = one.history.check()
            delivered += report.ok
            problems += [f"{one.name}: {fault}" for fault in report.faults]
        problems += self._subscriptions(machine)
        problems += self._retained(machine)
        check_managed(machine)
        check_waste(machine)
        count = len(self.board.publications)
        return Result(world.seed, plan, problems, count, delivered, self.node.starts, digest)

    def _subscriptions(self, machine: Machine) -> list[str]:
        """Each durable subscription is as it was answered, and no other is there."""
        by_id = pubsub_of(machine.kernel).by_id.values()
        there = {one.name: one.user_data for one in by_id}
        expected = {one.name for one in self.board.lasting}
        problems = [f"{name} is gone" for name in sorted(expected - set(there))]
        shorts = {name: one for flapper in self.flappers for name, one in flapper.shorts.items()}
        for name, text in sorted(there.items()):
            if name in expected:
                continue
            short = shorts.get(name)
            if short is None or not short.texts:
                problems.append(f"{name!r} is there: it was removed, or never made")
            elif text not in short.texts:
                problems.append(f"{name} has {text}, not one of {sorted(short.texts)}")
        for name, short in shorts.items():
            if short.texts and not short.may_be_gone and name not in there:
                problems.append(f"{name} is gone")
        return problems

    def _retained(self, machine: Machine) -> list[str]:
        """A topic retains one that no other has followed which was acknowledged."""
        found = retained_names(machine)
        problems: list[str] = []
        by_topic: dict[str, list[Publication]] = {}
        for one in self.board.publications:
            if one.retained and one.state in (ACKNOWLEDGED, UNKNOWN):
                by_topic.setdefault(one.topic, []).append(one)
        for topic, name in found.items():
            if name not in {one.name for one in by_topic.get(topic, [])}:
                problems.append(f"{topic} retains {name}, which nobody has published there")
        for topic, tried in by_topic.items():
            answered = [one for one in tried if one.state == ACKNOWLEDGED]
            name = found.get(topic, "")
            if answered and not name:
                problems.append(f"{topic} retains nothing")
            if any(_followed(one, answered) for one in tried if one.name == name):
                problems.append(f"{topic} retains {name}, which others have followed")
        return problems


def _followed(one: Publication, answered: list[Publication]) -> bool:
    return any(other.begun_s > one.ended_s or _is_behind(other, one) for other in answered)


def _is_behind(other: Publication, one: Publication) -> bool:
    """Whether it was published later in the same unit of work."""
    return (
        other is not one
        and other.begun_s == one.begun_s
        and other.name.split(":")[0] == one.name.split(":")[0]
        and int(other.name.split(":")[1]) > int(one.name.split(":")[1])
    )


def plan_of(seed: int) -> list[Fault]:
    """The faults of a seed."""
    chance = TopicScenario(seed).world.chance.branch("faults")
    return fault_plan.draw(chance, [NODE], SET_UP_S, SET_UP_S + FAULTS_S, POSSIBLE)


def run(seed: int, plan: list[Fault] | None = None) -> Result:
    """One run; with another plan than its own if one is given."""
    return TopicScenario(seed).play(plan_of(seed) if plan is None else plan)


def shrink(seed: int, tries_max: int = 100) -> list[Fault]:
    """The fewest faults, as far as that is found quickly, with which this seed still fails."""
    return fault_plan.shrink(plan_of(seed), lambda plan: bool(run(seed, plan).problems), tries_max)
