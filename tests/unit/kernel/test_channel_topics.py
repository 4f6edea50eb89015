"""Goal: a message that a channel brings for an alias of a topic is published, in the unit of work
of the batch, with the authority that PUTAUT names; what refuses the publication is dealt with as if
a queue had refused a message.

Method: two queue managers on simulated disks; the test plays both agents and the wire.
"""

from __future__ import annotations

import pytest

from ternmq.base import constants as mq
from ternmq.base.reasons import (
    MQRC_NOT_AUTHORIZED,
    MQRC_PUT_INHIBITED,
    MQRC_UNKNOWN_ALIAS_BASE_Q,
)
from ternmq.channel import agent
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.ports.users import GroupTable
from ternmq.pubsub.publication import STEP_COPIES
from ternmq.pubsub.publish_subscribe import pubsub_of
from ternmq.pubsub.subscription import Subscription, SubscriptionTerms
from tests.unit.kernel.channel_rig import LUWIDS, End, Pair, bodies, depth

pytestmark = pytest.mark.core

DEAD = "SYSTEM.DEAD.LETTER.QUEUE"
COMMANDS = (
    "DELETE QLOCAL(TARGET)",
    "DEFINE TOPIC(NEWS) TOPICSTR('news')",
    "DEFINE QALIAS(TARGET) TARGTYPE(TOPIC) TARGET(NEWS)",
    "DEFINE QLOCAL(Q) MAXDEPTH(10000)",
    "DEFINE SUB(S) TOPICSTR('news') DEST(Q)",
)


def with_alias(receiver: str = "") -> Pair:
    pair = Pair("", receiver)
    for command in COMMANDS:
        (answer,) = pair.qmb.mqsc(command)
        assert answer.ok, answer
    return pair


def end(pair: Pair, sequence: int) -> None:
    for side, kind in ((pair.sender, agent.PREPARE), (pair.receiver, agent.COMMIT)):
        side.run(kind, luwid=LUWIDS[sequence], sequence=sequence, messages=1)
    pair.sender.run(agent.COMMIT, luwid=LUWIDS[sequence], sequence=sequence, messages=1)


def dead_reason(pair: Pair) -> int:
    with pair.qmb.queue(DEAD) as queue:
        return DeadLetterHeader.unpack(queue.get().data).reason


def test_alias_of_a_topic_then_the_message_is_published_with_its_batch() -> None:
    pair = with_alias()
    pair.start()
    pair.put(b"1", persistent=True)
    (placed,) = pair.send(1)
    assert placed.outcome == agent.PLACED
    with pair.qmb.queue("Q") as queue:
        assert queue.try_get() is None
    end(pair, 1)
    with pair.qmb.queue("Q") as queue:
        message = queue.get()
    assert (message.data, message.persistent) == (b"1", True)
    assert message.properties["mqps.Top"] == "news"
    assert depth(pair.qmb, DEAD) == 0


def test_batch_when_it_is_backed_out_then_nothing_is_published() -> None:
    pair = with_alias()
    pair.start()
    pair.put(b"1", persistent=True)
    pair.send(1)
    pair.receiver.run(agent.BACK_OUT)
    assert bodies(pair.qmb, "Q") == []


def test_fast_message_then_it_is_published_at_once() -> None:
    pair = with_alias()
    pair.start()
    pair.put(b"1", persistent=False)
    (placed,) = pair.send(1, is_fast=True)
    assert placed.outcome == agent.PLACED
    assert bodies(pair.qmb, "Q") == [b"1"]


def test_more_subscriptions_than_a_step_takes_then_all_get_it() -> None:
    pair = with_alias()
    kernel = pair.qmb.started.shell.engine.kernel
    for _ in range(STEP_COPIES):
        one = Subscription(kernel.new_id(), "", "news", SubscriptionTerms())
        one.correl_id = one.sub_id
        one.destination = "Q"
        pubsub_of(kernel).add(one)
    pair.start()
    pair.put(b"1", persistent=False)
    (placed,) = pair.send(1)
    assert placed.outcome == agent.PLACED
    end(pair, 1)
    assert depth(pair.qmb, "Q") == STEP_COPIES + 1


def test_topic_when_publishing_is_disabled_then_it_is_tried_again() -> None:
    pair = with_alias()
    assert pair.qmb.mqsc("ALTER TOPIC(NEWS) PUB(DISABLED)")[0].ok
    pair.start()
    pair.put(b"1", persistent=True)
    got = pair.sender.run(agent.GET)
    first = pair.receiver.run(agent.PLACE, message=got.message)
    assert (first.outcome, first.reason) == (agent.TRY_AGAIN, MQRC_PUT_INHIBITED)
    assert pair.qmb.mqsc("ALTER TOPIC(NEWS) PUB(ENABLED)")[0].ok
    assert pair.receiver.run(agent.PLACE, message=got.message).outcome == agent.PLACED
    end(pair, 1)
    assert bodies(pair.qmb, "Q") == [b"1"]


def test_alias_when_its_topic_is_gone_then_the_message_is_buried() -> None:
    pair = with_alias()
    assert pair.qmb.mqsc("DELETE TOPIC(NEWS)")[0].ok
    pair.start()
    pair.put(b"1", persistent=True)
    (placed,) = pair.send(1)
    assert placed.outcome == agent.BURIED
    end(pair, 1)
    assert dead_reason(pair) == MQRC_UNKNOWN_ALIAS_BASE_Q


# ---- authority

QMGR = "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT,SETALL,ALTUSR)"


def queue_of(user: str, words: str) -> str:
    return f"SET AUTHREC PROFILE(TARGET) OBJTYPE(QUEUE) PRINCIPAL('{user}') AUTHADD({words})"


def topic_of(user: str) -> str:
    return f"SET AUTHREC PROFILE(NEWS) OBJTYPE(TOPIC) PRINCIPAL('{user}') AUTHADD(PUB)"


@pytest.mark.parametrize(
    ("put_authority", "grants", "is_allowed"),
    [
        ("DEF", [queue_of("app", "PUT,SETALL"), topic_of("app")], True),
        ("DEF", [queue_of("app", "PUT,SETALL"), topic_of("bob")], False),
        ("DEF", [queue_of("app", "SETALL"), topic_of("app")], False),
        ("CTX", [queue_of("app", "SETALL"), queue_of("bob", "PUT"), topic_of("bob")], True),
        ("CTX", [queue_of("app", "SETALL"), queue_of("bob", "PUT"), topic_of("app")], False),
        ("CTX", [queue_of("app", "PUT,SETALL"), topic_of("bob")], False),
    ],
)
def test_alias_of_a_topic_then_put_on_the_alias_and_pub_on_the_topic_are_needed(
    put_authority: str, grants: list[str], is_allowed: bool
) -> None:
    pair = with_alias(f"PUTAUT({put_authority})")
    kernel = pair.qmb.started.shell.engine.kernel
    kernel.authority.enable(GroupTable({"app": (), "bob": ()}), "tester")
    for command in (QMGR, *grants):
        (answer,) = pair.qmb.mqsc(command)
        assert answer.ok, answer
    pair.receiver = End(pair.qmb, is_sender=False, partner="QMA", user="app")
    pair.start()
    with pair.qma.queue("TARGET", options=mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT) as queue:
        md = Descriptor(user_id="bob", persistence=1, put_date="20260101", put_time="12000000")
        queue.put(b"1", descriptor=md, options=mq.MQPMO_SET_ALL_CONTEXT)
    (placed,) = pair.send(1)
    assert placed.outcome == (agent.PLACED if is_allowed else agent.BURIED)
    end(pair, 1)
    assert bodies(pair.qmb, "Q") == ([b"1"] if is_allowed else [])
    if not is_allowed:
        assert dead_reason(pair) == MQRC_NOT_AUTHORIZED
