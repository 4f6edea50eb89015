"""One run of a simulated world from a seed: queue managers, clients, a bridge, a plan of faults;
then everything is healed, and all must come to an end with nothing lost, doubled or out of order.

    result = run(seed)
    result.problems   what was wrong, in words; empty if nothing was
    result.digest     the same for every run of this seed

`shrink` takes faults out of the plan of a seed that fails, as long as it still does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ternmq.kernel.cursors import LATEST
from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.testing import fault_plan
from ternmq.testing.bridge import STATE_QUEUE, Receiver, Sender
from ternmq.testing.clients import Application, Consumer, Producer
from ternmq.testing.fault_plan import Fault
from ternmq.testing.history import ACKNOWLEDGED, UNKNOWN, Report
from ternmq.testing.stream_follower import StreamFollower
from ternmq.testing.stream_verbs import defining
from ternmq.testing.world import Ask, Client, World

COPIES: Final = "COPIES"  # what LOCAL must stream to; no client reads it
FOLLOWER: Final = "FOLLOWER"  # a cursor on LOCAL
SET_UP_S: Final = 1.0
FAULTS_S: Final = 4.0
CONVERGES_S: Final = 120.0


@dataclass
class Result:
    """How a run went."""

    seed: int
    plan: list[Fault]
    report: Report
    problems: list[str]
    events: int
    starts: int
    forces: int
    cuts: int
    digest: str


class Scenario:
    """The world of one seed."""

    def __init__(self, seed: int, fast: bool = True) -> None:
        self.world = world = World(seed, fast)
        chance = world.chance.branch("scenario")
        count = chance.choice((1, 2, 2, 3))
        self.names = [f"QM{number + 1}" for number in range(count)]
        for number, name in enumerate(self.names):
            kind = LINEAR if (seed + number) % 5 == 4 else CIRCULAR
            parameters = LogParameters(kind, 3, 2, chance.choice((16, 32)), chance.happens(0.3))
            world.add_node(name, parameters)
            world.add_client(f"{name}.admin", self._define(name))
        world.run(SET_UP_S)
        self.producers: list[Producer] = []
        self.consumers: list[Consumer] = []
        self.senders: list[Sender] = []
        self.followers: list[StreamFollower] = []
        for name in self.names:
            self._add_local(name, chance.randrange(10, 40))
        if count > 1:
            self._add_bridge(self.names[0], self.names[1], chance.randrange(20, 60))
        clients: list[Application] = [
            *self.producers,
            *self.consumers,
            *self.senders,
            *self.followers,
        ]
        for one in clients:
            world.add_client(one.name, one.client())

    def _define(self, name: str) -> Client:
        node = self.world.nodes[name]
        link = node.connect("admin")
        for queue in (COPIES, "XMIT", "TARGET", STATE_QUEUE):
            yield Ask(node, node.verbs.define(link, queue, 20_000))
        given = {"stream_queue": COPIES, "stream_quality": "MUSTDUP"}
        yield Ask(node, node.verbs.define(link, "LOCAL", 20_000, **given))
        yield Ask(node, defining(node.verbs, link, FOLLOWER, "LOCAL", LATEST))

    def _add_local(self, name: str, count: int) -> None:
        world, node = self.world, self.world.nodes[name]
        for number in range(2):
            self.producers.append(Producer(world, f"{name}.p{number}", node, "LOCAL", count))
            self.consumers.append(Consumer(world, f"{name}.c{number}", node, "LOCAL"))
        self.followers.append(StreamFollower(world, f"{name}.f", node, "LOCAL", FOLLOWER))

    def _add_bridge(self, here: str, there: str, count: int) -> None:
        world = self.world
        source, target = world.nodes[here], world.nodes[there]
        self.producers.append(Producer(world, f"{here}.remote", source, "XMIT", count))
        self.senders.append(Sender(world, f"{here}.sender", source, "XMIT", there))
        Receiver(world, f"{there}.receiver", target, "TARGET")
        self.consumers.append(Consumer(world, f"{there}.remote", target, "TARGET"))

    def _finish(self) -> list[str]:
        """Set `finish` of the clients that wait for more, group by group; an error text for those
        that do not end."""
        world = self.world
        groups: list[list[Application]] = [
            [*self.producers],
            [*self.senders],
            [*self.consumers],
            [*self.followers],
        ]
        for group in groups:
            names = {one.name for one in group}
            for one in group:
                if isinstance(one, Sender | Consumer | StreamFollower):
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
        for follower in self.followers:
            problems += follower.account(world.history)
        for name in self.names:
            in_doubt = len(world.nodes[name].engine.coordinator.prepared)
            if in_doubt:
                problems.append(f"{name}: {in_doubt} units of work are in doubt")
        digest = world.digest()
        report = world.account(STATE_QUEUE, COPIES)
        for name in self.names:
            problems += apart(world, name)
        nodes = list(world.nodes.values())
        return Result(
            world.seed,
            plan,
            report,
            [*problems, *report.faults],
            world.events,
            sum(node.starts for node in nodes),
            sum(node.forces for node in nodes),
            world.net.cuts,
            digest,
        )


def apart(world: World, name: str) -> list[str]:
    """Messages of LOCAL and their copies that are not together: each that was put has one copy,
    whether it was got since or not; nothing else has."""
    copies = world.contents(name, COPIES)
    place = f"{name}/LOCAL"
    history = world.history
    puts = {one.name: one.state for one in history.puts.values() if one.queue == place}
    seen = {one.name for one in history.gets if one.queue == place and one.name in puts}
    seen |= {found for queue, found in history.drained if queue == place}
    seen |= {put for put, state in puts.items() if state == ACKNOWLEDGED}
    problems = [f"{name}: {one} without its copy" for one in sorted(seen - set(copies))]
    for one in sorted(set(copies)):
        if copies.count(one) > 1:
            problems.append(f"{name}: {one} has {copies.count(one)} copies")
        if puts.get(one) not in (ACKNOWLEDGED, UNKNOWN):
            problems.append(f"{name}: a copy of {one}, which was {puts.get(one, 'never put')}")
    return problems


def plan_of(seed: int) -> list[Fault]:
    """The faults of a seed."""
    scenario = Scenario(seed)
    chance = scenario.world.chance.branch("faults")
    return fault_plan.draw(chance, scenario.names, SET_UP_S, SET_UP_S + FAULTS_S)


def run(seed: int, plan: list[Fault] | None = None, fast: bool = True) -> Result:
    """One run; with another plan than its own if one is given. `fast`: puts and gets take their
    fast paths, and not their steps, which must come to the same."""
    return Scenario(seed, fast).play(plan_of(seed) if plan is None else plan)


def shrink(seed: int, tries_max: int = 100) -> list[Fault]:
    """The fewest faults, as far as that is found quickly, with which this seed still fails."""
    return fault_plan.shrink(plan_of(seed), lambda plan: bool(run(seed, plan).problems), tries_max)
