"""Goal: no bytes of a partner, and no message on a transmission queue, stop a channel or its queue
manager: what cannot be delivered ends on a dead-letter queue, and the next message goes on.

Method: valid messages of several kinds with bytes changed, cut and doubled by chance, through the
steps of both ends.
"""

from __future__ import annotations

import random

import pytest

from ternmq import MQError
from ternmq.base import constants as mq
from ternmq.channel import agent
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.kernel.kernel import RUNNING
from ternmq.runtime.embedded import QueueManager
from tests.unit.kernel.channel_rig import LUWIDS, Pair, depth

pytestmark = pytest.mark.core

ROUNDS = 1500
DEAD = "SYSTEM.DEAD.LETTER.QUEUE"


def valid_messages() -> list[bytes]:
    """One of each kind, as they are on the wire."""
    pair = Pair()
    pair.qma.mqsc("ALTER QLOCAL(QMB) DISTL(YES) MAXMSGL(6000)")
    pair.start()
    with pair.qma.queue("TARGET") as queue:
        queue.put(b"plain", persistent=True)
        queue.put("text", persistent=True, properties={"colour": "red", "size": 3})
        md = Descriptor(report=mq.MQRO_EXCEPTION | mq.MQRO_COA, reply_to_queue="A", persistence=1)
        queue.put(b"report", descriptor=md)
        allowed = Descriptor(version=2, msg_flags=mq.MQMF_SEGMENTATION_ALLOWED, persistence=1)
        queue.put(b"x" * 7000, descriptor=allowed, properties={"colour": "red"})
    with pair.qma.open_list([("TARGET", "QMB"), ("NOWHERE", "QMB")]) as queues:
        queues.put(b"list", persistent=True)
    found: list[bytes] = []
    while True:
        message = pair.sender.run(agent.GET).message
        if message is None:
            assert len(found) >= 6
            return found
        found.append(message)


def spoilt(chance: random.Random, message: bytes) -> bytes:
    """A message with some of its bytes wrong; most are in its headers."""
    data = bytearray(message)
    for _ in range(chance.choice((1, 1, 2, 5, 30))):
        at = chance.randrange(min(len(data), chance.choice((120, 600, 6000))))
        data[at] = chance.choice((0, 1, 0x20, 0x7F, 0x80, 0xC3, 0xFF, chance.randrange(256)))
    if chance.random() < 0.1:
        del data[chance.randrange(len(data)) :]
    if chance.random() < 0.1:
        data += data[: chance.randrange(500)]
    return bytes(data)


def look_at_all(qmgr: QueueManager, *names: str) -> None:
    """The queue manager runs, and an application can read what is there."""
    assert qmgr.started.shell.engine.kernel.status == RUNNING
    for name in names:
        with qmgr.queue(name) as queue:
            for message in queue:
                assert message.descriptor.version == 2
                assert len(dict(message.properties)) >= 0


def test_partner_when_it_sends_junk_then_the_channel_goes_on() -> None:
    chance = random.Random(18)
    valid = valid_messages()
    pair = Pair("", "MRRTY(0)")
    pair.qmb.mqsc("ALTER QLOCAL(TARGET) MAXDEPTH(999999)\nDEFINE QLOCAL(QMA) USAGE(XMITQ)")
    pair.start()
    outcomes: dict[int, int] = {}
    for number in range(ROUNDS):
        message = spoilt(chance, chance.choice(valid))
        is_fast = chance.random() < 0.3
        placed = pair.receiver.run(agent.PLACE, message=message, is_fast=is_fast, is_final=True)
        outcomes[placed.outcome] = outcomes.get(placed.outcome, 0) + 1
        if number % 50 == 49:
            luwid = LUWIDS[number // 50]
            pair.receiver.run(agent.COMMIT, luwid=luwid, sequence=number + 1, messages=50)
    assert outcomes[agent.PLACED] > 50
    assert outcomes[agent.BURIED] > 50
    pair.receiver.end()
    look_at_all(pair.qmb, "TARGET", DEAD, "QMA")


@pytest.mark.parametrize("is_fast", [False, True])
@pytest.mark.parametrize("has_lists", [False, True])
def test_transmission_queue_when_it_has_junk_then_it_is_sent_or_buried(
    is_fast: bool, has_lists: bool
) -> None:
    chance = random.Random(19)
    valid = valid_messages()
    pair = Pair("", "MRRTY(0)")
    pair.sender.run(agent.READ_STATE, has_lists=has_lists)
    pair.receiver.start()
    count = ROUNDS // 5
    with pair.qma.queue("QMB") as queue:
        for _ in range(count):
            md = Descriptor(
                format=chance.choice((mq.MQFMT_XMIT_Q_HEADER,) * 4 + ("MQSTR",)),
                persistence=chance.choice((0, 1)),
                report=chance.choice((0, mq.MQRO_EXCEPTION_WITH_FULL_DATA)),
                reply_to_queue="A",
            )
            try:
                queue.put(spoilt(chance, chance.choice(valid)), descriptor=md)
            except MQError:
                count -= 1  # the put has seen that already
    buried = 0
    while True:
        got = pair.sender.run(agent.GET, is_fast=is_fast, has_lists=has_lists, bytes_max=5900)
        if got.message is None:
            break
        if got.reason:
            buried += 1
            pair.sender.run(agent.BURY, message=got.message, reason=got.reason)
    pair.sender.run(agent.COMMIT)
    assert buried > 10
    assert depth(pair.qma, DEAD) >= buried
    look_at_all(pair.qma, DEAD)
