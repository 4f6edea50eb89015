"""Goal: a batch that the log has no room for fails with its MQ reason, is backed out, and comes
again; the queue managers and their numbers are none the worse.

Method: two queue managers with small logs on simulated disks; the test plays both agents.
"""

from __future__ import annotations

import pytest

from ternmq import MQError
from ternmq.base.reasons import MQRC_BACKED_OUT, MQRC_RESOURCE_PROBLEM
from ternmq.channel import agent
from ternmq.kernel.kernel import RUNNING
from tests.unit.kernel.channel_rig import LUWIDS, End, Pair, bodies, depth

pytestmark = pytest.mark.core

BODY = bytes(60_000)


class SmallPair(Pair):
    LOG_FILE_PAGES = 64


def back_out(pair: Pair) -> None:
    pair.sender.run(agent.BACK_OUT)
    pair.receiver.run(agent.BACK_OUT)


def test_batch_when_the_log_is_too_small_then_it_is_backed_out_and_comes_in_parts() -> None:
    pair = SmallPair()
    pair.start()
    for number in range(40):
        pair.put(b"%04d" % number + BODY)
    with pytest.raises(MQError) as refused:
        pair.batch(40, 40, LUWIDS[0])
    assert refused.value.reason in (MQRC_RESOURCE_PROBLEM, MQRC_BACKED_OUT)
    back_out(pair)
    assert depth(pair.qma, "QMB") == 40
    assert depth(pair.qmb, "TARGET") == 0
    for at in range(10):
        pair.batch(4, 4 * at + 4, LUWIDS[1 + at])
    for qmgr in (pair.qma, pair.qmb):
        assert qmgr.started.shell.engine.kernel.status == RUNNING
    assert [one[:4] for one in bodies(pair.qmb, "TARGET")] == [b"%04d" % at for at in range(40)]


def test_batch_when_the_log_fills_while_it_is_open_then_it_is_refused_and_comes_again() -> None:
    """Others' messages take the log; the oldest unit of work, the batch, is the victim."""
    pair = SmallPair()
    pair.start()
    pair.qma.mqsc("DEFINE QLOCAL(BUSY) MAXDEPTH(999999)")
    pair.put(b"1", b"2")
    pair.send(2)
    with pair.qma.connect() as other, other.queue("BUSY") as queue:
        for _ in range(60):
            queue.put(BODY, persistent=True)
            queue.get()
    with pytest.raises(MQError) as refused:
        pair.sender.run(agent.PREPARE, luwid=LUWIDS[0], sequence=2, messages=2)
    assert refused.value.reason == MQRC_BACKED_OUT
    back_out(pair)
    assert depth(pair.qma, "QMB") == 2
    pair.batch(2, 2, LUWIDS[1])
    assert bodies(pair.qmb, "TARGET") == [b"1", b"2"]


def test_batch_in_doubt_when_others_need_the_log_then_it_stays_and_can_be_ended() -> None:
    pair = SmallPair()
    pair.start()
    pair.qma.mqsc("DEFINE QLOCAL(BUSY) MAXDEPTH(999999)")
    pair.put(b"1" + BODY, b"2")
    pair.batch(1, 1, LUWIDS[0])
    pair.send(1)
    pair.sender.run(agent.PREPARE, luwid=LUWIDS[1], sequence=2, messages=1)
    with pair.qma.connect() as other, other.queue("BUSY") as queue:
        for _ in range(60):
            queue.put(BODY, persistent=True)
            queue.get()
    pair.restart()
    sent, _ = pair.start()
    assert (sent.in_doubt_luwid, sent.last_luwid) == (LUWIDS[1], LUWIDS[0])
    assert sent.partner_address == "127.0.0.1(1414)"
    pair.sender.run(agent.BACK_OUT, in_doubt=True)
    pair.sender.end()
    state = End(pair.qma, is_sender=True, partner="QMB", xmitq="QMB").start()
    assert (state.last_sequence, state.is_in_doubt) == (1, False)
