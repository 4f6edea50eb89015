"""Goal: what the engine does for a batch leaves both ends with the same numbers, each message once,
whatever a crash takes: rows A1, C4, D2 and D3 of the channels' conformance list on the engine's
level.

Method: two queue managers on simulated disks; the test plays both agents and the wire.
"""

from __future__ import annotations

import pytest

from ternmq import MQError
from ternmq.base.reasons import MQRC_OBJECT_IN_USE
from ternmq.channel import agent
from tests.unit.kernel.channel_rig import LUWIDS, End, Pair, bodies, depth

pytestmark = pytest.mark.core


def test_batch_when_it_is_confirmed_then_messages_and_numbers_are_there() -> None:
    pair = Pair()
    sent, received = pair.start()
    assert (sent.last_sequence, received.last_sequence) == (0, 0)
    pair.put(b"1", b"2", b"3")
    pair.batch(3, 3, LUWIDS[0])
    assert bodies(pair.qmb, "TARGET") == [b"1", b"2", b"3"]
    assert depth(pair.qma, "QMB") == 0
    pair.sender.end()
    pair.receiver.end()
    pair.restart()
    for state in pair.start():
        assert (state.last_sequence, state.last_luwid) == (3, LUWIDS[0])
        assert not state.is_in_doubt
    assert bodies(pair.qmb, "TARGET") == []
    pair.put(b"4")
    pair.batch(1, 4, LUWIDS[1])
    assert bodies(pair.qmb, "TARGET") == [b"4"]


def test_descriptor_when_a_message_arrives_then_it_is_as_it_was_put() -> None:
    pair = Pair()
    pair.start()
    with pair.qma.queue("TARGET") as queue:
        msg_id = queue.put(
            b"x",
            correl_id=b"c" * 24,
            priority=5,
            persistent=True,
            reply_to="ANSWERS",
            format="MQSTR",
            properties={"colour": "red", "size": 3},
        )
    pair.batch(1, 1, LUWIDS[0])
    with pair.qmb.queue("TARGET") as queue:
        got = queue.get()
    assert (got.data, got.msg_id, got.correl_id) == (b"x", msg_id, b"c" * 24)
    assert (got.priority, got.persistent, got.format) == (5, True, "MQSTR")
    assert (got.descriptor.reply_to_queue, got.descriptor.reply_to_qmgr) == ("ANSWERS", "QMA")
    assert dict(got.properties) == {"colour": "red", "size": 3}
    assert got.descriptor.put_appl_name == "simulation"


def test_sender_when_it_crashes_in_doubt_then_the_restart_knows_the_batch() -> None:
    pair = Pair()
    pair.start()
    pair.put(b"1", b"2")
    pair.batch(1, 1, LUWIDS[0])
    pair.send(1)
    pair.sender.run(agent.PREPARE, luwid=LUWIDS[1], sequence=2, messages=1)
    pair.restart()
    sent, received = pair.start()
    assert sent.is_in_doubt
    assert (sent.in_doubt_luwid, sent.in_doubt_sequence, sent.in_doubt_messages) == (
        LUWIDS[1],
        2,
        1,
    )
    assert (sent.last_luwid, sent.last_sequence) == (LUWIDS[0], 1)
    assert (received.last_luwid, received.last_sequence) == (LUWIDS[0], 1)
    assert depth(pair.qma, "QMB") == 0
    pair.sender.run(agent.BACK_OUT, in_doubt=True)
    assert depth(pair.qma, "QMB") == 1
    pair.batch(1, 2, LUWIDS[2])
    assert bodies(pair.qmb, "TARGET") == [b"1", b"2"]


def test_sender_when_the_partner_has_committed_then_its_batch_is_committed_at_restart() -> None:
    pair = Pair()
    pair.start()
    pair.put(b"1")
    pair.send(1)
    pair.sender.run(agent.PREPARE, luwid=LUWIDS[0], sequence=1, messages=1)
    pair.receiver.run(agent.COMMIT, luwid=LUWIDS[0], sequence=1, messages=1)
    pair.restart()
    sent, received = pair.start()
    assert sent.in_doubt_luwid == received.last_luwid == LUWIDS[0]
    pair.sender.run(agent.COMMIT, in_doubt=True)
    assert depth(pair.qma, "QMB") == 0
    pair.sender.end()
    again = End(pair.qma, is_sender=True, partner="QMB", xmitq="QMB").start()
    assert (again.is_in_doubt, again.last_sequence, again.last_luwid) == (False, 1, LUWIDS[0])
    assert bodies(pair.qmb, "TARGET") == [b"1"]


def test_commit_of_the_sender_when_a_crash_takes_it_back_then_the_batch_is_in_doubt_again() -> None:
    pair = Pair()
    pair.start()
    pair.put(b"1")
    pair.batch(1, 1, LUWIDS[0])
    pair.restart()
    sent, received = pair.start()
    assert sent.is_in_doubt
    assert sent.in_doubt_luwid == received.last_luwid
    pair.sender.run(agent.COMMIT, in_doubt=True)
    assert bodies(pair.qmb, "TARGET") == [b"1"]


def test_sender_when_it_crashes_before_the_record_then_the_batch_is_on_the_queue() -> None:
    pair = Pair()
    pair.start()
    pair.put(b"1", b"2")
    pair.send(2)
    pair.restart()
    sent, received = pair.start()
    assert not sent.is_in_doubt
    assert (sent.last_sequence, received.last_sequence) == (0, 0)
    assert depth(pair.qma, "QMB") == 2
    assert depth(pair.qmb, "TARGET") == 0


def test_end_of_the_connection_when_a_batch_is_prepared_then_it_stays_in_doubt() -> None:
    pair = Pair()
    pair.start()
    pair.put(b"1")
    pair.send(1)
    pair.sender.run(agent.PREPARE, luwid=LUWIDS[0], sequence=1, messages=1)
    pair.sender.end()
    state = End(pair.qma, is_sender=True, partner="QMB", xmitq="QMB").start()
    assert state.is_in_doubt


def test_transmission_queue_when_a_channel_has_it_then_another_is_refused() -> None:
    pair = Pair()
    pair.start()
    with pytest.raises(MQError) as refused:
        End(pair.qma, is_sender=True, partner="QMB", xmitq="QMB").start()
    assert refused.value.reason == MQRC_OBJECT_IN_USE
