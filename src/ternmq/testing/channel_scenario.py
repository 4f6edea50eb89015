"""One run of a simulated world with message channels, from a seed: two to four queue managers whose
applications put to each other's queues over channels of every kind, with a plan of faults; then
everything is healed, and the channels must run again, with their transmission queues empty, nothing
in doubt, and nothing lost, doubled or out of order.

Messages that are not persistent may be lost: all of them when a queue manager stops, those that a
fast channel carries also when a connection is lost.
"""

from __future__ import annotations

from typing import Final

from ternmq.api import definitions
from ternmq.base import object_types as kinds
from ternmq.channel.settings import ChannelSettings
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.kernel.channel_instance import FORCE, QUIESCE
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.testing import fault_plan
from ternmq.testing.chance import Chance
from ternmq.testing.channel_node import (
    ChannelDefinition,
    ChannelNode,
    define_channel,
    define_remote,
)
from ternmq.testing.channel_operator import ChannelOperator
from ternmq.testing.clients import VOLATILE, Application, Consumer, Producer
from ternmq.testing.fault_plan import Fault
from ternmq.testing.history import Report
from ternmq.testing.machine import Machine
from ternmq.testing.model import name_after_travel, name_of
from ternmq.testing.scenario import CONVERGES_S, SET_UP_S, Result
from ternmq.testing.world import Ask, Client, Pause, World
from ternmq.values.entry import Entry

TARGET: Final = "TARGET"
DEAD: Final = "DEAD"
FAULTS_S: Final = 3.0
SEQUENCE: Final = 17  # what RESET CHANNEL sets
LOOK_S: Final = 0.05  # how often it is looked whether all has converged
EVENTS_MIN: Final = 2_000  # of a run: with fewer it has shown little
CHANNEL_KINDS: Final = (
    "channel stopped", "channel forced", "target inhibited", "clocks jump", "batch resolved",
    "numbers reset",
)  # fmt: skip
CLOCK_KINDS: Final = ("clock jumps", "clock stands still", "clocks jump", "power", "kill", "cut")
PAIRINGS: Final = (
    (kinds.SENDER, kinds.RECEIVER),
    (kinds.SERVER, kinds.RECEIVER),
    (kinds.SERVER, kinds.REQUESTER),
    (kinds.SENDER, kinds.REQUESTER),  # is called, and calls back
)


class Line:
    """A channel from one queue manager to another."""

    def __init__(self, here: str, there: str, pairing: tuple[int, int]) -> None:
        self.here = here
        self.there = there
        self.name = f"{here}.{there}"
        self.remote = f"AT.{there}"
        self.kinds = pairing
        self.is_fast = False
        self.sending: ChannelDefinition | None = None
        self.receiving: ChannelDefinition | None = None


class Receiver(Consumer):
    """Gets what came over channels, in units of work: so it is known of every message whether it
    was got."""

    def client(self) -> Client:
        while True:
            link = yield from self.connected()
            found = yield from self.unit(link)
            if self.finish and found == 0 and self.node.is_up and self.life == self.node.life:
                return
            yield Pause(self.chance.uniform(0.0001, 0.01 if found else 0.04))

    def got(self, entry: Entry | None) -> str:
        return "" if entry is None else name_after_travel(entry)


class ChannelScenario:
    """The world of one seed."""

    def __init__(self, seed: int) -> None:
        self.world = world = World(seed)
        chance = world.chance.branch("scenario")
        self.names = [f"QM{number + 1}" for number in range(chance.choice((2, 2, 3, 4)))]
        self.lines = self._draw_lines(chance)
        self.owners: dict[str, ChannelNode] = {}
        for name in self.names:
            pages = chance.choice((32, 64))
            node = world.add_node(name, LogParameters(CIRCULAR, 3, 2, pages, False))
            self.owners[name] = ChannelNode(world, node)
            world.add_client(f"{name}.admin", self._define(name))
        world.run(SET_UP_S)
        for line in self.lines:
            self._define_line(line, chance)
        self.operators: list[ChannelOperator] = []
        self.producers: list[Producer] = []
        self.consumers: list[Consumer] = []
        for line in self.lines:
            self._add_producers(line, chance)
        for name in self.names:
            node = world.nodes[name]
            self.consumers.append(Receiver(world, f"{name}.c", node, TARGET))
        clients: list[Application] = [*self.producers, *self.consumers]
        for one in clients:
            world.add_client(one.name, one.client())
        for line in self.lines:
            self._owner_that_calls(line).start(line.name)

    # ---- what there is

    def _draw_lines(self, chance: Chance) -> list[Line]:
        """A ring, and some more."""
        lines: list[Line] = []
        for number, here in enumerate(self.names):
            following = self.names[(number + 1) % len(self.names)]
            for there in self.names:
                if there == here or not (there == following or chance.happens(0.3)):
                    continue
                lines.append(Line(here, there, chance.choice(PAIRINGS)))
        return lines

    def _define(self, name: str) -> Client:
        node = self.world.nodes[name]
        link = node.connect("admin")
        for queue in (TARGET, DEAD):
            yield Ask(node, node.verbs.define(link, queue, 20_000))
        qmgr = definitions.alter_qmgr(name, {"dead_letter_queue": DEAD})
        yield Ask(node, node.verbs.run(link, qmgr))
        for line in self.lines:
            if line.here == name:
                yield Ask(node, node.verbs.define(link, line.there, 20_000, usage="XMITQ"))
                remote = define_remote(line.remote, TARGET, line.there)
                yield Ask(node, node.verbs.run(link, remote))
            if name in (line.here, line.there):
                kind = line.kinds[0] if line.here == name else line.kinds[1]
                partner = line.there if line.here == name else line.here
                channel = define_channel(line.name, kind, partner)
                yield Ask(node, node.verbs.run(link, channel))

    def _define_line(self, line: Line, chance: Chance) -> None:
        wrap = chance.choice((999_999_999, 999_999_999, 120, 1000))
        here, there = (
            self._settings(line, line.kinds[0], line.here, chance),
            self._settings(line, line.kinds[1], line.there, chance),
        )
        here.sequence_wrap = there.sequence_wrap = wrap
        line.is_fast = here.is_fast and there.is_fast
        calls = line.kinds[1] != kinds.REQUESTER
        has_place = calls or line.kinds[0] == kinds.SENDER
        line.sending = ChannelDefinition(here, line.there if has_place else "", line.there)
        line.receiving = ChannelDefinition(there, "" if calls else line.here)
        self.owners[line.here].define(line.sending)
        self.owners[line.there].define(line.receiving)

    def _settings(self, line: Line, kind: int, name: str, chance: Chance) -> ChannelSettings:
        one = ChannelSettings(line.name, kind, name)
        one.qmgr_id = f"{name}_ID"
        one.product_id = "MQMM09040000"
        one.ccsid = 1208
        one.batch_messages = chance.choice((1, 3, 10, 50))
        one.batch_interval_ms = chance.choice((0, 0, 30))
        one.batch_heartbeat_ms = chance.choice((0, 0, 100))
        one.batch_kilobytes = chance.choice((5000, 4))
        one.heartbeat_s = chance.choice((1, 2))
        one.disconnect_s = chance.choice((0, 0, 1))
        one.pipelines = chance.happens(0.5)
        one.is_fast = chance.happens(0.6)
        one.segment_bytes_max = chance.choice((32_748, 4_096, 1_500))
        one.message_retries = 3
        one.message_retry_ms = 20
        return one

    def _add_producers(self, line: Line, chance: Chance) -> None:
        world = self.world
        node = world.nodes[line.here]
        for number in range(2):
            count = chance.randrange(15, 40)
            one = Producer(world, f"{line.name}.p{number}", node, line.remote, count)
            one.volatile_rate = chance.choice((0.0, 0.3))
            one.volatile_stream = "/fast" if line.is_fast else ""
            self.producers.append(one)

    def _owner_that_calls(self, line: Line) -> ChannelNode:
        calls = line.kinds[1] != kinds.REQUESTER
        return self.owners[line.here if calls else line.there]

    # ---- faults

    def plan(self, possible: tuple[str, ...] = (*fault_plan.KINDS, *CHANNEL_KINDS)) -> list[Fault]:
        """The faults of a seed."""
        chance = self.world.chance.branch("faults")
        return fault_plan.draw(chance, self.names, SET_UP_S, SET_UP_S + FAULTS_S, possible)

    def _strike(self, fault: Fault) -> None:
        world = self.world
        if fault.kind not in CHANNEL_KINDS:
            fault_plan.strike(world, fault)
            return
        world.note(str(fault))
        if fault.kind == "clocks jump":
            for node in world.nodes.values():
                node.clock.jump((fault.luck - 0.5) * 2 * 86_400)
        elif fault.kind == "target inhibited":
            self._inhibit(fault.node, True)
            world.after(fault.luck / 4, lambda: self._inhibit(fault.node, False))
        elif fault.kind in ("batch resolved", "numbers reset"):
            self._operate(fault)
        else:
            line = self.lines[int(fault.luck * len(self.lines))]
            mode = FORCE if fault.kind == "channel forced" else QUIESCE
            owner = self.owners[fault.node]
            if line.name in owner.channels:
                owner.stop(line.name, mode)
                world.after(0.05 + fault.luck / 4, lambda: self._start(line))

    def _operate(self, fault: Fault) -> None:
        line = self.lines[int(fault.luck * len(self.lines))]
        one = ChannelOperator(line.name, self.owners[line.here], self.owners[line.there])
        self.operators.append(one)
        doing = one.resolve() if fault.kind == "batch resolved" else one.reset(SEQUENCE)
        self.world.add_client(f"operator {len(self.operators)}", doing, serves=True)

    def _start(self, line: Line) -> None:
        for name in (line.here, line.there):
            self.owners[name].channels[line.name].is_stopped = False
        self._owner_that_calls(line).start(line.name)

    def _inhibit(self, name: str, inhibited: bool) -> None:
        node = self.world.nodes[name]
        if node.is_up:
            kernel = node.engine.kernel
            kernel.catalog.definitions[TARGET].attributes["put"] = int(inhibited)
            local = kernel.locals.get(TARGET)
            if local is not None:
                local.refresh()

    # ---- the run

    def play(self, plan: list[Fault]) -> Result:
        world = self.world
        for fault in plan:
            world.after(fault.at_s - world.now_s, lambda fault=fault: self._strike(fault))  # type: ignore[misc]
        world.run(SET_UP_S + FAULTS_S)
        fault_plan.heal(world)
        for name in self.names:
            self._inhibit(name, False)
        for line in self.lines:
            self._start(line)
        problems = self._finish()
        digest = world.digest()
        report = self._account(plan)
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

    def _finish(self) -> list[str]:
        world = self.world
        names = {one.name for one in self.producers}
        if not world.run(world.now_s + CONVERGES_S, lambda: not world.clients & names):
            return [f"does not come to its end: {sorted(world.clients & names)}"]
        until = world.now_s + CONVERGES_S
        while self._standing():
            if world.now_s >= until:
                return [f"does not converge: {self._standing()}"]
            world.run(world.now_s + LOOK_S)
        for one in self.consumers:
            one.finish = True
        names = {one.name for one in self.consumers}
        if not world.run(world.now_s + CONVERGES_S, lambda: not world.clients & names):
            return [f"does not come to its end: {sorted(world.clients & names)}"]
        for name in self.names:
            world.add_client(f"{name}.dead", self._read_dead(name))
        if not world.run(world.now_s + CONVERGES_S, lambda: not world.clients):
            return [f"does not come to its end: {sorted(world.clients)}"]
        return []

    def _read_dead(self, name: str) -> Client:
        """What is on the dead-letter queue, before a restart loses what is not persistent."""
        node = self.world.nodes[name]
        link = node.connect("dead-letter reader")
        header = len(DeadLetterHeader().pack())
        found = yield Ask(node, node.verbs.browse(link, DEAD))
        for number, one in enumerate(found):
            self.world.history.drain(f"{name}/{DEAD}/{number}", [name_of(one.data[header:])])

    def _standing(self) -> list[str]:
        """What is not as it should be at the end."""
        found: list[str] = []
        for name in self.names:
            node = self.world.nodes[name]
            if not node.is_up:
                found.append(f"{name} is down")
                continue
            in_doubt = len(node.engine.coordinator.prepared)
            if in_doubt:
                found.append(f"{name}: {in_doubt} units of work are in doubt")
            own = [line for line in self.lines if line.here == name]
            found += [f"{line.name}: messages are left" for line in own if node.depth(line.there)]
        for line in self.lines:
            owner = self._owner_that_calls(line)
            channel = owner.channels[line.name]
            if not channel.settings.disconnect_s and not owner.is_running(line.name):
                found.append(f"{line.name} does not run")
            if any(end.is_busy for end in self.owners[line.here].channels[line.name].ends):
                found.append(f"{line.name}: in a batch")
            if channel.is_stopped:
                found.append(f"{line.name} is stopped: {channel.last_text}")
        return found

    def _account(self, plan: list[Fault]) -> Report:
        """Account for every message, those on dead-letter queues included."""
        history = self.world.history
        for name in self.names:
            machine = Machine(self.world.nodes[name].disk.survivor())
            found = [name_after_travel(one) for one in machine.take_all(TARGET)]
            history.drain(f"{name}/{TARGET}", found)
        crashes = sum(node.crashes for node in self.world.nodes.values())
        fast = tuple(f"{line.name}.p" for line in self.lines if line.is_fast)

        def may_be_lost(name: str) -> bool:
            if not name.endswith(VOLATILE):
                return False
            return crashes > 0 or (bool(plan) and name.startswith(fast))

        return history.check(may_be_lost)


def run(seed: int, plan: list[Fault] | None = None) -> Result:
    """One run; with another plan than its own if one is given."""
    scenario = ChannelScenario(seed)
    return scenario.play(scenario.plan() if plan is None else plan)


def run_with_clocks(seed: int) -> Result:
    """One run in which the wall clocks jump and stand still, queue managers crash and connections
    are cut, and nothing else happens."""
    scenario = ChannelScenario(seed)
    return scenario.play(scenario.plan(CLOCK_KINDS))


def shrink(seed: int, tries_max: int = 60) -> list[Fault]:
    """The fewest faults, as far as that is found quickly, with which this seed still fails."""
    plan = ChannelScenario(seed).plan()
    return fault_plan.shrink(plan, lambda fewer: bool(run(seed, fewer).problems), tries_max)
