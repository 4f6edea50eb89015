"""Goal: a transmission queue that is swept to files while a channel has a batch of it: the messages
of the batch keep their place, whether it is committed, backed out, or in doubt over a crash.

Method: two queue managers on simulated disks; the sweeper runs between the wants of the channel.
"""

from __future__ import annotations

import pytest

from ternmq.channel import agent
from tests.battery.places import sweep
from tests.unit.kernel.channel_rig import LUWIDS, Pair, bodies, depth

pytestmark = pytest.mark.core
COUNT = 200
BATCH = 30


@pytest.fixture
def pair() -> Pair:
    made = Pair()
    made.qma.alter_queue("QMB", persistent_buffer=65_536, nonpersistent_buffer=65_536)
    made.start()
    made.put(*(b"%04d" % number + bytes(2000) for number in range(COUNT)))
    return made


def numbers(pair: Pair) -> list[int]:
    return [int(data[:4]) for data in bodies(pair.qmb, "TARGET")]


def test_batch_when_its_queue_is_swept_then_it_goes_on_and_all_come_in_order(pair: Pair) -> None:
    assert sweep(pair.qma, "QMB") > 0
    done = 0
    for at in range(5):
        size = COUNT // 5
        pair.send(size // 2)
        sweep(pair.qma, "QMB")
        pair.send(size - size // 2)
        done += size
        pair.sender.run(agent.PREPARE, luwid=LUWIDS[at], sequence=done, messages=size)
        sweep(pair.qma, "QMB")
        for end in (pair.receiver, pair.sender):
            end.run(agent.COMMIT, luwid=LUWIDS[at], sequence=done, messages=size)
    assert numbers(pair) == list(range(COUNT))
    assert depth(pair.qma, "QMB") == 0


def test_batch_when_its_queue_is_swept_and_it_is_backed_out_then_it_is_first_again(
    pair: Pair,
) -> None:
    pair.send(BATCH)
    assert sweep(pair.qma, "QMB") > 0
    pair.sender.run(agent.BACK_OUT)
    pair.receiver.run(agent.BACK_OUT)
    sweep(pair.qma, "QMB")
    pair.batch(COUNT, COUNT, LUWIDS[0])
    assert numbers(pair) == list(range(COUNT))


@pytest.mark.parametrize("is_there", [False, True])
def test_batch_in_doubt_when_its_queue_is_swept_and_crashes_then_the_partner_decides(
    pair: Pair, is_there: bool
) -> None:
    pair.send(BATCH)
    pair.sender.run(agent.PREPARE, luwid=LUWIDS[0], sequence=BATCH, messages=BATCH)
    assert sweep(pair.qma, "QMB") > 0
    pair.qma.checkpoint()
    if is_there:
        pair.receiver.run(agent.COMMIT, luwid=LUWIDS[0], sequence=BATCH, messages=BATCH)
    pair.restart()
    sent, received = pair.start()
    assert sent.is_in_doubt
    assert (received.last_luwid == LUWIDS[0]) == is_there
    sweep(pair.qma, "QMB")
    pair.sender.run(agent.COMMIT if is_there else agent.BACK_OUT, in_doubt=True)
    left = COUNT - BATCH if is_there else COUNT
    assert depth(pair.qma, "QMB") == left
    pair.batch(left, COUNT, LUWIDS[1])
    assert numbers(pair) == list(range(COUNT))
