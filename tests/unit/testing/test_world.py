"""Goal: a world does the same for the same seed, its history accounts for every message, and its
checkers see what is wrong. Method: seeds run twice; histories written by hand; faults planted into
clients and queue managers, which must be found.
"""

import pytest

from ternmq.kernel import two_phase
from ternmq.testing import fault_plan, scenario
from ternmq.testing.bridge import Sender, Session
from ternmq.testing.chance import Chance
from ternmq.testing.clients import Consumer, Doing, Producer
from ternmq.testing.history import ACKNOWLEDGED, BACKED_OUT, REFUSED, UNKNOWN, History
from ternmq.testing.node import Node, NodeDown
from ternmq.testing.world import Ask, Client, Mailbox, Pause, Receive, World

pytestmark = pytest.mark.core


def put(history: History, name: str, state: str, number: int = 0) -> None:
    deed = history.putting("p", name, "Q", "p/Q/0", number)
    history.answered(deed, state)


def got(history: History, name: str, state: str = ACKNOWLEDGED, client: str = "c") -> None:
    history.answered(history.getting(client, "Q"), state, name)


# ---- the account


def test_account_when_all_is_well_then_no_faults() -> None:
    history = History()
    for number, name in enumerate("abc"):
        put(history, name, ACKNOWLEDGED, number)
    put(history, "maybe", UNKNOWN, 9)
    put(history, "no", REFUSED, 10)
    got(history, "a")
    history.drain("Q", ["b", "c", "maybe"])
    report = history.check()
    assert report.faults == []
    assert report.counts() == {
        "attempted": 5,
        "acknowledged": 3,
        "ok": 4,
        "lost": 0,
        "duplicated": 0,
        "unexpected": 0,
        "recovered": 1,
        "reordered": 0,
    }
    assert "recovered 1" in str(report)


def test_account_when_a_message_is_gone_then_lost() -> None:
    history = History()
    put(history, "a", ACKNOWLEDGED)
    assert history.check().faults == ["lost: a on Q"]


def test_account_when_a_get_was_never_answered_then_one_message_may_be_gone() -> None:
    history = History()
    put(history, "a", ACKNOWLEDGED, 1)
    put(history, "b", ACKNOWLEDGED, 2)
    got(history, "", UNKNOWN)
    report = history.check()
    assert (len(report.lost), report.unaccounted) == (1, 1)
    got(history, "b", UNKNOWN)
    assert history.check().faults == []


def test_account_when_twice_then_duplicated() -> None:
    history = History()
    put(history, "a", ACKNOWLEDGED)
    got(history, "a")
    got(history, "a", BACKED_OUT)
    assert history.check().faults == []
    history.drain("Q", ["a"])
    assert history.check().faults == ["duplicated: a: got 1 times, 1 left"]


def test_account_when_nobody_put_it_or_it_was_refused_then_unexpected() -> None:
    history = History()
    put(history, "no", REFUSED)
    history.drain("Q", ["no", "strange"])
    assert history.check().faults == [
        "unexpected: no: its put was refused",
        "unexpected: strange: no client put it",
    ]


def test_account_when_out_of_order_then_reordered_unless_it_came_back() -> None:
    history = History()
    put(history, "a", ACKNOWLEDGED, 1)
    put(history, "b", ACKNOWLEDGED, 2)
    got(history, "b")
    got(history, "a")
    assert history.check().faults == ["reordered: c from Q: a after b"]
    got(history, "a", BACKED_OUT, "other")
    assert history.check().faults == []


def test_unit_of_work_then_its_end_decides_for_all() -> None:
    history = History()
    for number, (name, state) in enumerate([("a", ACKNOWLEDGED), ("b", BACKED_OUT)]):
        history.in_unit(history.putting("p", name, "Q", "s", number))
        history.unit_ended("p", state)
    history.drain("Q", ["a", "b"])
    assert history.check().faults == ["unexpected: b: its put was backed out"]
    with pytest.raises(ValueError, match="twice"):
        history.putting("p", "a", "Q", "s", 5)


# ---- the world


def one_node(seed: int, count: int = 12) -> tuple[World, Node, list[Consumer]]:
    world = World(seed)
    node = world.add_node("QM1")

    def define() -> Client:
        yield Ask(node, node.verbs.define(node.connect("admin"), "Q", 20_000))

    world.add_client("admin", define())
    assert world.run(1.0, lambda: not world.clients)
    consumers = [Consumer(world, "c", node, "Q")]
    for client in (Producer(world, "p", node, "Q", count), *consumers):
        world.add_client(client.name, client.client())
    return world, node, consumers


def finish(world: World, consumers: list[Consumer]) -> None:
    assert world.run(world.now_s + 60, lambda: world.clients == {"c"})
    for one in consumers:
        one.finish = True
    assert world.run(world.now_s + 60, lambda: not world.clients)


def test_world_without_faults_then_everything_is_got_once() -> None:
    world, node, consumers = one_node(1)
    finish(world, consumers)
    report = world.account()
    assert report.faults == []
    assert report.ok == report.acknowledged > 5
    assert node.forces > 5
    assert node.starts == 1


def test_node_when_it_crashes_then_clients_are_notified_and_connect_again() -> None:
    world, node, consumers = one_node(2)
    world.trace = []
    for number in range(6):
        world.run(world.now_s + 0.02)
        world.crash(node, power=number % 2 == 0)
        with pytest.raises(NodeDown):
            node.connect("too soon")
        world.run(world.now_s + 0.05)
        world.restart(node)
    finish(world, consumers)
    assert world.account().faults == []
    assert (node.starts, node.crashes) == (7, 6)
    assert any("loses power" in line for line in world.trace)


def test_mailbox_then_a_letter_comes_or_patience_ends() -> None:
    world = World(1)
    mailbox = Mailbox()
    seen: list[object] = []

    def reader() -> Client:
        seen.append((yield Receive(mailbox, 1.0)))
        seen.append((yield Receive(mailbox, 1.0)))
        yield Pause(0.5)
        seen.append((yield Receive(mailbox, 1.0)))

    world.add_client("reader", reader())
    world.after(0.5, lambda: mailbox.put("first"))
    world.after(1.7, lambda: mailbox.put("kept"))
    world.run(10.0)
    assert seen == ["first", None, "kept"]


@pytest.mark.parametrize("seed", [3, 10, 24])
def test_scenario_of_a_seed_then_accounted_for_and_twice_the_same(seed: int) -> None:
    first, second = scenario.run(seed), scenario.run(seed)
    assert first.problems == []
    assert first.digest == second.digest
    assert first.events == second.events > 500
    assert first.report.acknowledged > 30


def test_scenarios_then_they_differ_and_every_kind_of_fault_is_drawn() -> None:
    plans = [scenario.plan_of(seed) for seed in range(40)]
    assert {fault.kind for plan in plans for fault in plan} == set(fault_plan.KINDS)
    kinds = {frozenset(fault.kind for fault in plan) for plan in plans}
    assert len(kinds) > 20
    assert scenario.plan_of(5) == plans[5]


def test_plan_then_in_order_and_within_its_phase() -> None:
    plan = fault_plan.draw(Chance(4), ["QM1", "QM2"], 1.0, 3.0)
    assert plan == sorted(plan, key=lambda fault: fault.at_s)
    assert all(1.0 <= fault.at_s < 3.0 for fault in plan)


# ---- planted faults are found


def failing_seeds(seeds: range) -> list[int]:
    found: list[int] = []
    for seed in seeds:
        try:
            if scenario.run(seed).problems:
                found.append(seed)
        except AssertionError:
            found.append(seed)
    return found


def test_answer_before_the_force_then_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Node._is_met
    monkeypatch.setattr(
        Node, "_is_met", lambda self, need: isinstance(need, int) or real(self, need)
    )
    monkeypatch.setattr(scenario, "CONVERGES_S", 10.0)
    found = failing_seeds(range(2))
    assert found
    plan = scenario.shrink(found[0], 6)
    assert len(plan) < len(scenario.plan_of(found[0]))


def test_in_doubt_guessed_then_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def guess(self: Sender, link: object, last: int) -> Doing:
        for xid in two_phase.recover(self.node.engine.kernel):
            assert self.link is not None
            yield from self.ask(self.node.verbs.end_prepared(self.link, xid, False))

    monkeypatch.setattr(Sender, "resolve", guess)
    assert failing_seeds(range(3, 6))


def test_bytes_of_an_old_connection_believed_then_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Session, "is_current", property(lambda self: True))
    assert failing_seeds(range(89, 90))
