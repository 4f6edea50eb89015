"""Goal: whatever queues stream to one another, in lists, chains and loops, a put does exactly what
STRMQOS says, and a crash afterwards changes nothing of it.

Method: Hypothesis draws queues with their targets, limits and qualities, and puts; a reference of a
few lines says who has a copy; a simulated machine is crashed and started again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ternmq
from ternmq import constants as mq
from ternmq.testing import Simulation

pytestmark = pytest.mark.core

NAMES = ("A", "B", "C", "D", "E")


@dataclass
class Streaming:
    """A queue of the reference."""

    targets: list[str]
    must: bool
    onward: bool
    max_depth: int
    inhibited: bool
    held: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Node:
    """A target, and those that it passes copies on to."""

    name: str
    loops: bool
    onward: tuple[Node, ...]


def tree(queues: dict[str, Streaming], name: str, path: list[str], seen: set[str]) -> list[Node]:
    """Where copies of a queue go: each queue once, by the first way that is found."""
    found: list[Node] = []
    for target in queues[name].targets:
        if target in path:
            found.append(Node(target, True, ()))
            continue
        goes_on = queues[target].onward
        below = tree(queues, target, [*path, target], seen) if goes_on else []
        if target not in seen:
            seen.add(target)
            found.append(Node(target, False, tuple(below)))
    return found


def takers(queues: dict[str, Streaming], nodes: tuple[Node, ...], must: bool) -> list[str] | None:
    """Who has a copy; None if one that must have it does not take it."""
    taken: list[str] = []
    for node in nodes:
        queue = queues[node.name]
        below: list[str] | None = None
        if not node.loops and not queue.inhibited and len(queue.held) < queue.max_depth:
            below = takers(queues, node.onward, queue.must)
        if below is not None:
            taken += [node.name, *below]
        elif must:
            return None
    return taken


queue = st.builds(
    Streaming,
    targets=st.lists(st.sampled_from(NAMES), max_size=3),
    must=st.booleans(),
    onward=st.booleans(),
    max_depth=st.sampled_from([2, 5, 100, 100]),
    inhibited=st.sampled_from([False, False, False, True]),
)
puts = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(["alone", "committed", "backed out"])),
    min_size=1,
    max_size=12,
)


def make(qmgr: ternmq.QueueManager, queues: dict[str, Streaming]) -> None:
    """Each streams to a namelist, so that DEFINE does not see where they lead."""
    for name in queues:
        qmgr.mqsc(f"DEFINE NAMELIST(TO.{name})")
        qmgr.define_queue(name)
    for name, one in queues.items():
        qmgr.alter_queue(
            name,
            stream_queue=f"TO.{name}" if one.targets else "",
            stream_quality="MUSTDUP" if one.must else "BESTEF",
            stream_onward="YES" if one.onward else "NO",
            max_depth=one.max_depth,
            put="DISABLED" if one.inhibited else "ENABLED",
        )
    for name, one in queues.items():
        if one.targets:
            (answer,) = qmgr.mqsc(f"ALTER NAMELIST(TO.{name}) NAMES({','.join(one.targets)})")
            assert answer.comp == mq.MQCC_OK, answer


def put(qmgr: ternmq.QueueManager, queues: dict[str, Streaming], name: str, how: str) -> None:
    here = queues[name]
    takes = not here.inhibited and len(here.held) < here.max_depth
    copies = takers(queues, tuple(tree(queues, name, [name], set())), here.must)
    body = f"{name}{sum(len(one.held) for one in queues.values())}"
    with qmgr.queue(name, options=mq.MQOO_OUTPUT) as target:
        if how != "alone":
            qmgr.begin()
        try:
            target.put(body, persistent=True)
        except ternmq.MQError:
            assert not takes or copies is None
        else:
            assert takes
            assert copies is not None
            for one in [name, *copies] if how != "backed out" else []:
                queues[one].held.append(body)
        if how == "committed":
            qmgr.commit()
        elif how == "backed out":
            qmgr.backout()


def contents(qmgr: ternmq.QueueManager, name: str) -> list[str]:
    with qmgr.queue(name, options=mq.MQOO_BROWSE) as looked_at:
        return [message.text for message in looked_at.browse()]


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(queues=st.fixed_dictionaries(dict.fromkeys(NAMES, queue)), plan=puts)
def test_copies_when_any_queues_stream_then_as_the_reference_says(
    queues: dict[str, Streaming], plan: list[tuple[str, str]]
) -> None:
    for one in queues.values():
        one.held = []
    with Simulation() as simulation:
        qmgr = simulation.start()
        make(qmgr, queues)
        for name, how in plan:
            put(qmgr, queues, name, how)
        for name, one in queues.items():
            assert contents(qmgr, name) == one.held
        simulation.crash()
        qmgr = simulation.start()
        for name, one in queues.items():
            assert contents(qmgr, name) == one.held
