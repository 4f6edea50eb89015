"""Faults of a simulated world, drawn by swarm: each run has a random subset of the kinds, each at a
random rate, so that runs differ in kind and not only in luck.

A plan is a list of faults with their times. It can be made smaller, fault by fault, as long as a
run with what is left still fails.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ternmq.testing.chance import Chance
from ternmq.testing.disk_faults import Failing
from ternmq.testing.node import Node
from ternmq.testing.sim_clock import DAY_S
from ternmq.testing.world import World

KINDS: Final = (
    "power", "power in a call", "kill", "force fails", "disk full", "slow disk", "clock jumps",
    "clock stands still", "cut", "cut after bytes", "cut, bytes late", "silent", "slow net",
    "refused",
)  # fmt: skip
NETWORK_KINDS: Final = frozenset(
    ("cut", "cut after bytes", "cut, bytes late", "silent", "slow net", "refused")
)


@dataclass(frozen=True)
class Fault:
    """One fault: when, what, where, and a number that it may use as it likes."""

    at_s: float
    kind: str
    node: str
    luck: float

    def __str__(self) -> str:
        return f"{self.at_s:.3f} s: {self.kind} at {self.node}"


def draw(
    chance: Chance,
    nodes: list[str],
    begin_s: float,
    end_s: float,
    possible: tuple[str, ...] = KINDS,
) -> list[Fault]:
    """A plan for this phase."""
    kinds = [kind for kind in possible if chance.happens(0.4)] or [chance.choice(possible)]
    faults: list[Fault] = []
    for kind in kinds:
        every_s = 0.1 * 20 ** chance.random()  # 0.1 to 2 s
        at_s = begin_s + chance.expovariate(1 / every_s)
        while at_s < end_s:
            faults.append(Fault(at_s, kind, chance.choice(nodes), chance.random()))
            at_s += chance.expovariate(1 / every_s)
    return sorted(faults, key=lambda fault: fault.at_s)


def apply(world: World, plan: list[Fault]) -> None:
    """Let the faults of a plan happen when their time comes."""
    for fault in plan:
        world.after(fault.at_s - world.now_s, lambda fault=fault: strike(world, fault))  # type: ignore[misc]


def strike(world: World, fault: Fault) -> None:
    """Let it happen now."""
    node = world.nodes[fault.node]
    world.note(str(fault))
    if fault.kind in NETWORK_KINDS:
        _strike_network(world, fault)
    elif fault.kind in ("power", "kill"):
        world.crash(node, power=fault.kind == "power")
        world.after(0.05 + fault.luck / 2, lambda: world.restart(node))
    elif fault.kind == "power in a call":
        node.disk.stop_at = node.disk.calls + 1 + int(fault.luck * 12)
    elif fault.kind.startswith("clock"):
        _strike_clock(world, node, fault)
    else:
        _strike_disk(world, node, fault)


def _strike_disk(world: World, node: Node, fault: Fault) -> None:
    disk = node.disk
    lasts_s = 0.05 + fault.luck / 4
    if fault.kind == "force fails":
        disk.faults = Failing(errno.EIO, calls=("datasync",), folder="log/")
        world.after(lasts_s, lambda: _heal_disk(world, node))
    elif fault.kind == "disk full":
        disk.capacity = disk.used() + 1 + int(fault.luck * 20_000)
        world.after(lasts_s, lambda: _heal_disk(world, node))
    else:
        node.latency_s = (0.005, 0.05)
        world.after(lasts_s, lambda: _heal_disk(world, node))


def _heal_disk(world: World, node: Node) -> None:
    node.disk.faults = None
    node.disk.capacity = 0
    node.disk.stop_at = 0
    node.latency_s = (0.0001, 0.001)
    world.restart(node)


def _strike_clock(world: World, node: Node, fault: Fault) -> None:
    if fault.kind == "clock stands still":
        node.clock.freeze()
        world.after(fault.luck, node.clock.thaw)
    else:
        jumps = (-DAY_S, DAY_S, -1.0, 1.0, -0.001)
        node.clock.jump(jumps[int(fault.luck * len(jumps))])


def _strike_network(world: World, fault: Fault) -> None:
    net = world.net
    if fault.kind == "slow net":
        net.delay_s = (0.01, 0.2)
        world.after(0.5, lambda: _heal_network(world))
    elif fault.kind == "refused":
        net.refuses.add(fault.node)
        world.after(fault.luck, lambda: _let_in(world, fault.node))
    else:
        cuts: dict[str, Callable[[], None]] = {}
        for link in net.links:
            if link.is_open:
                peer = link.peer or link
                end = link if fault.luck < 0.5 else peer
                cuts = {
                    "cut": link.cut,
                    "cut after bytes": lambda end=end: end.cut_after(int(fault.luck * 3000)),  # type: ignore[misc]
                    "cut, bytes late": lambda link=link: link.cut(late=True),  # type: ignore[misc]
                    "silent": end.go_silent,
                }
                cuts[fault.kind]()


def _heal_network(world: World) -> None:
    world.net.delay_s = (0.0001, 0.002)


def _let_in(world: World, name: str) -> None:
    if world.nodes[name].is_up:
        world.net.refuses.discard(name)


def heal(world: World) -> None:
    """No more faults: everything works, every node is up."""
    _heal_network(world)
    for name in sorted(world.nodes):
        node = world.nodes[name]
        node.clock.thaw()
        _heal_disk(world, node)
        _let_in(world, name)


def shrink(
    plan: list[Fault], fails: Callable[[list[Fault]], bool], tries_max: int = 100
) -> list[Fault]:
    """The fewest faults, as far as that is found quickly, with which a run still fails."""
    size = max(1, len(plan) // 2)
    tries = 0
    while tries < tries_max:
        at = 0
        removed = False
        while at < len(plan) and tries < tries_max:
            fewer = plan[:at] + plan[at + size :]
            tries += 1
            if fails(fewer):
                plan = fewer
                removed = True
            else:
                at += size
        if size == 1 and not removed:
            break
        size = max(1, size // 2)
    return plan
