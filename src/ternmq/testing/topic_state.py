"""What a restarted queue manager has of publish/subscribe, in the words of the model in
`topic_workload`, and what must hold beside it: no non-durable subscription, no managed queue
without a subscription, one message for each retained publication.
"""

from __future__ import annotations

from ternmq.pubsub.publish_subscribe import pubsub_of
from ternmq.pubsub.retained import RETAINED_QUEUE
from ternmq.pubsub.topic_tree import TopicNode
from ternmq.testing.machine import Machine
from ternmq.testing.model import (
    Disagreement,
    Prepared,
    Queues,
    Snapshot,
    State,
    difference,
    name_of,
)
from ternmq.txn.unit import CHANGE_GET, CHANGE_PUT
from ternmq.values.entry import Entry
from ternmq.values.xid import XID

PROVIDED = ("A", "B")


def compare(machine: Machine, possible: list[Snapshot]) -> Snapshot:
    """Compare what a restarted queue manager has with what may be there; the state that it is."""
    state = found(machine)
    for snapshot in possible:
        if snapshot.state == state:
            return snapshot
    raise Disagreement(difference(state, possible))


def decide(machine: Machine, snapshot: Snapshot) -> None:
    """End all units in doubt, every other one by a commit, and compare again: what topics retain
    follows a unit that was committed after the restart."""
    queues, units = snapshot.messages()
    held = {id(one) for unit in units.values() for one in unit.gets}
    for number, (key, unit) in enumerate(units.items()):
        commits = number % 2 == 0
        if commits:
            machine.commit_prepared(XID(1, key, b""))
        else:
            machine.back_out_prepared(XID(1, key, b""))
            held -= {id(one) for one in unit.gets}
        for one in unit.puts if commits else ():
            if one.queue.startswith("retained "):
                queues[one.queue] = [one]
            elif one.queue in queues:
                queues[one.queue].append(one)
    expected = {
        name: [one.name for one in messages if id(one) not in held]
        for name, messages in queues.items()
    }
    state = found(machine)
    if state != (expected, {}):
        raise Disagreement(difference(state, [Snapshot.of((expected, {}))]))


def found(machine: Machine) -> State:
    """What is there."""
    pubsub = pubsub_of(machine.kernel)
    queues: Queues = {}
    for name in PROVIDED:
        queues[name] = _names(machine.look(name))
    for one in pubsub.by_id.values():
        if not one.terms.is_durable:
            raise Disagreement(f"a non-durable subscription on {one.topic_string} has come back")
        queues[f"{one.name}={one.user_data}"] = []
        if one.terms.is_managed:
            queues[one.name] = _names(machine.look(one.destination))
    for topic_string, name in retained_names(machine).items():
        queues[f"retained {topic_string}"] = [name]
    check_managed(machine)
    return queues, _prepared(machine)


def _names(entries: list[Entry]) -> list[str]:
    return [name_of(one.data) for one in entries]


def retained_names(machine: Machine) -> dict[str, str]:
    """What each topic retains."""
    pubsub = pubsub_of(machine.kernel)
    found: dict[str, str] = {}
    there = {one.msg_id: one for one in machine.look(RETAINED_QUEUE)}
    for topic_string, node in _nodes(pubsub.tree.root, ""):
        retained = node.retained
        if retained is None:
            continue
        entry = there.get(retained.msg_id)
        if entry is None:
            raise Disagreement(f"what {topic_string} retains is not on {RETAINED_QUEUE}")
        found[topic_string] = name_of(entry.data)
    return found


def _nodes(node: TopicNode, prefix: str) -> list[tuple[str, TopicNode]]:
    found: list[tuple[str, TopicNode]] = []
    for level, child in (node.children or {}).items():
        name = f"{prefix}/{level}" if prefix else level
        found.append((name, child))
        found += _nodes(child, name)
    return found


def check_managed(machine: Machine) -> None:
    """Each managed queue has its subscription, or waits for a unit of work to end."""
    pubsub = pubsub_of(machine.kernel)
    used = {one.destination for one in pubsub.by_id.values()}
    for name in machine.kernel.catalog.definitions:
        if name.startswith("SYSTEM.MANAGED.") and name not in used:
            if name not in pubsub.left_queues:
                raise Disagreement(f"{name} is left without a subscription")
    gone = sorted(
        one.name
        for one in pubsub.by_id.values()
        if one.destination not in machine.kernel.catalog.definitions
    )
    if gone:
        raise Disagreement(f"subscriptions without their queue: {gone}")


def _prepared(machine: Machine) -> Prepared:
    prepared: Prepared = {}
    for unit in machine.engine.coordinator.prepared.values():
        if unit.xid is None:
            raise Disagreement(f"prepared unit {unit.unit_id} has no XID")
        puts = [name_of(one.entry.data) for one in unit.changes if one.kind == CHANGE_PUT]
        gets = [name_of(one.entry.data) for one in unit.changes if one.kind == CHANGE_GET]
        prepared[unit.xid.global_id] = (sorted(puts), sorted(gets))
    return prepared


def check_waste(machine: Machine) -> None:
    """After some ticks the queue of retained publications has no other messages, and no managed
    queue is left."""
    pubsub = pubsub_of(machine.kernel)
    for _ in range(4):
        machine.engine.tick()
        machine.settle()
    wanted = sum(node.retained is not None for _, node in _nodes(pubsub.tree.root, ""))
    there = len(machine.look(RETAINED_QUEUE))
    if there != wanted:
        raise Disagreement(f"{there} messages on {RETAINED_QUEUE} for {wanted} topics")
    if pubsub.left_queues:
        raise Disagreement(f"managed queues are left: {pubsub.left_queues}")
