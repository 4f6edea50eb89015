"""Goal: batches in doubt are ended by RESOLVE CHANNEL and nobody else, sequence numbers are reset
as RESET CHANNEL says, and the saved states of all channels can be listed: rows D4 to D6 and C7 of
the channels' conformance list on the engine's level.

Method: two queue managers on simulated disks; the test plays both agents, the wire and commands.
"""

from __future__ import annotations

import pytest

from ternmq import MQError
from ternmq.base.command_reasons import MQRCCF_CHANNEL_IN_USE, MQRCCF_CHANNEL_INDOUBT
from ternmq.base.errors import XAError
from ternmq.base.reasons import MQRC_GET_INHIBITED, MQRC_UNKNOWN_OBJECT_NAME
from ternmq.channel import agent
from ternmq.channel.channel_state import ChannelState
from ternmq.kernel.channel_in_doubt import batches_in_doubt
from ternmq.kernel.channel_orders import Resetting, Resolving
from ternmq.kernel.channel_states import StateListing
from ternmq.kernel.connection import Connection
from ternmq.runtime.embedded import QueueManager
from ternmq.values.xid import XID
from tests.unit.kernel.channel_rig import CHANNEL, LUWIDS, End, Pair, bodies, depth, notices

pytestmark = pytest.mark.core

SYNC_QUEUE = "SYSTEM.CHANNEL.SYNCQ"


def run(
    qmgr: QueueManager,
    what: Resetting | Resolving | StateListing,
    link: Connection | None = None,
) -> None:
    """What a command's step does; compiled steps have no subclasses in tests."""
    shell = qmgr.started.shell
    link = link or shell.engine.connect("operator", "runmqsc")
    with shell.lock:
        while not what.go_on(shell.engine.kernel, link, "command"):
            if link.park is not None:
                shell.wait_for_park(link)
            shell.settle()
        durable_at = int(link.durable_at)
        shell.settle()
    shell.forcer.force(durable_at)


def resolve(qmgr: QueueManager, commits: bool) -> Resolving:
    one = Resolving(CHANNEL, commits)
    run(qmgr, one)
    return one


def states(qmgr: QueueManager) -> list[ChannelState]:
    listing = StateListing()
    run(qmgr, listing)
    with qmgr.started.shell.lock:
        listing.close(qmgr.started.shell.engine.kernel)
    return listing.states


def in_doubt(pair: Pair, *, received: bool) -> None:
    """A batch of two is in doubt, and the link is down."""
    pair.start()
    pair.put(b"1", b"2")
    pair.send(2)
    pair.sender.run(agent.PREPARE, luwid=LUWIDS[0], sequence=2, messages=2)
    if received:
        pair.receiver.run(agent.COMMIT, luwid=LUWIDS[0], sequence=2, messages=2)
    pair.sender.end()
    pair.receiver.end()


# ---- RESOLVE


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("commits", [True, False])
def test_resolve_when_a_batch_is_in_doubt_then_the_next_start_goes_on(
    commits: bool, restarts: bool
) -> None:
    pair = Pair()
    in_doubt(pair, received=commits)
    if restarts:
        pair.restart()
    done = resolve(pair.qma, commits)
    assert (done.was_in_doubt, done.messages) == (True, 2)
    assert depth(pair.qma, "QMB") == (0 if commits else 2)
    if restarts:
        pair.restart()
    pair.open()
    sent, received = pair.start()
    assert not sent.is_in_doubt
    assert sent.last_sequence == received.last_sequence == (2 if commits else 0)
    pair.put(b"3")
    if commits:
        pair.batch(1, 3, LUWIDS[1])
    else:
        pair.batch(3, 3, LUWIDS[1])
    assert bodies(pair.qmb, "TARGET") == [b"1", b"2", b"3"]


def test_resolve_when_nothing_is_in_doubt_then_it_says_so() -> None:
    assert not resolve(Pair().qma, True).was_in_doubt


def test_resolve_when_the_channel_runs_then_it_is_refused() -> None:
    pair = Pair()
    in_doubt(pair, received=False)
    pair.open()
    pair.start()
    with pytest.raises(MQError) as refused:
        resolve(pair.qma, True)
    assert refused.value.reason == MQRCCF_CHANNEL_IN_USE


@pytest.mark.parametrize("other", ["partner", "channel"])
def test_other_partner_or_channel_when_a_batch_is_in_doubt_then_it_is_refused(other: str) -> None:
    pair = Pair()
    in_doubt(pair, received=False)
    pair.qma.mqsc("DEFINE CHANNEL(SECOND) CHLTYPE(SDR) CONNAME('x') XMITQ(QMB)")
    channel = "SECOND" if other == "channel" else CHANNEL
    partner = "QMB" if other == "channel" else "QMC"

    def start() -> ChannelState:
        one = End(pair.qma, is_sender=True, partner=partner, xmitq="QMB", channel=channel)
        try:
            return one.start()
        finally:
            one.end()

    with pytest.raises(MQError) as refused:
        start()
    assert refused.value.reason == MQRCCF_CHANNEL_INDOUBT
    assert "RESOLVE" in str(refused.value)
    resolve(pair.qma, False)
    assert start().last_sequence == 0


# ---- transaction managers


def test_transaction_manager_when_a_batch_is_in_doubt_then_it_does_not_see_it() -> None:
    pair = Pair()
    in_doubt(pair, received=False)
    pair.restart()
    assert pair.qma.in_doubt() == []
    assert pair.qma.units_in_doubt() == []
    (batch,) = batches_in_doubt(pair.qma.started.shell.engine.kernel)
    xid = batch.unit.xid
    assert xid is not None
    for end in (pair.qma.commit_prepared, pair.qma.backout_prepared):
        with pytest.raises(XAError) as refused:
            end(xid)
        assert "RESOLVE CHANNEL" in str(refused.value)
    assert len(batches_in_doubt(pair.qma.started.shell.engine.kernel)) == 1


def test_transaction_manager_when_it_prepares_under_a_name_of_ours_then_it_is_refused() -> None:
    pair = Pair()
    in_doubt(pair, received=False)
    (batch,) = batches_in_doubt(pair.qma.started.shell.engine.kernel)
    xid = batch.unit.xid
    assert xid is not None
    with pair.qma.connect() as application:
        application.begin()
        application.put("SYSTEM.DEFAULT.LOCAL.QUEUE", b"x")
        with pytest.raises(XAError):
            application.prepare(XID(xid.format_id, b"g" * 40, b"b"))
        application.backout()


# ---- RESET


def test_reset_at_the_sender_then_it_waits_for_the_next_start() -> None:
    pair = Pair()
    pair.start()
    pair.put(b"1")
    pair.batch(1, 1, LUWIDS[0])
    pair.sender.end()
    run(pair.qma, Resetting(CHANNEL, True, 77))
    pair.restart()
    sent, received = pair.start()
    assert (sent.reset_sequence, sent.last_sequence, sent.last_luwid) == (77, 1, LUWIDS[0])
    pair.receiver.run(agent.RESET, sequence=76)
    pair.sender.run(agent.RESET, sequence=76)
    pair.restart()
    sent, received = pair.start()
    assert (sent.reset_sequence, sent.last_sequence, received.last_sequence) == (0, 76, 76)
    pair.put(b"2")
    pair.batch(1, 77, LUWIDS[1])
    assert [one.last_sequence for one in states(pair.qma)] == [77]


def test_reset_at_the_receiver_then_it_counts_at_once_for_every_partner() -> None:
    pair = Pair()
    other = End(pair.qmb, is_sender=False, partner="QMC")
    other.start()
    pair.start()
    pair.put(b"1")
    pair.batch(1, 1, LUWIDS[0])
    got = Pair()
    got.start()
    got.put(b"x")
    message = got.sender.run(agent.GET).message
    other.run(agent.PLACE, message=message)
    other.run(agent.COMMIT, luwid=LUWIDS[5], sequence=9, messages=1)
    pair.receiver.end()
    other.end()
    run(pair.qmb, Resetting(CHANNEL, False, 5))
    assert {one.partner_qmgr: one.last_sequence for one in states(pair.qmb)} == {
        "QMA": 4,
        "QMC": 4,
    }


@pytest.mark.parametrize("is_sender", [True, False])
def test_reset_when_the_channel_has_never_run_then_the_first_partner_gets_it(
    is_sender: bool,
) -> None:
    pair = Pair()
    run(pair.qma if is_sender else pair.qmb, Resetting(CHANNEL, is_sender, 5))
    pair.restart()
    sent, received = pair.start()
    assert (sent.reset_sequence, received.last_sequence) == ((5, 0) if is_sender else (0, 4))
    pair.put(b"1")
    pair.batch(1, 5, LUWIDS[0])
    for qmgr in (pair.qma, pair.qmb):
        if qmgr is pair.qma:
            pair.sender.end()
        assert [(one.last_sequence, one.reset_sequence) for one in states(qmgr)] == [(5, 0)]


def test_reset_when_a_batch_is_in_doubt_then_it_is_refused() -> None:
    pair = Pair()
    in_doubt(pair, received=False)
    with pytest.raises(MQError) as refused:
        run(pair.qma, Resetting(CHANNEL, True, 77))
    assert refused.value.reason == MQRCCF_CHANNEL_INDOUBT


def test_reset_when_the_caller_has_a_unit_of_work_then_that_goes_on() -> None:
    pair = Pair()
    shell = pair.qma.started.shell
    link = shell.engine.connect("operator", "runmqsc")
    run(pair.qma, Resetting(CHANNEL, True, 3), link)
    assert link.unit is None
    pair.qma.begin()
    pair.qma.put("SYSTEM.DEFAULT.LOCAL.QUEUE", b"x")
    run(pair.qma, Resetting(CHANNEL, True, 4))
    pair.qma.backout()
    assert depth(pair.qma, "SYSTEM.DEFAULT.LOCAL.QUEUE") == 0
    assert [one.reset_sequence for one in states(pair.qma)] == [4]


# ---- the list


def test_states_when_a_batch_is_in_doubt_then_they_say_so() -> None:
    pair = Pair()
    pair.start()
    pair.put(b"1", b"2")
    pair.batch(1, 1, LUWIDS[0])
    pair.send(1)
    pair.sender.run(agent.PREPARE, luwid=LUWIDS[1], sequence=2, messages=1)
    (state,) = states(pair.qma)
    assert (state.channel, state.is_sender, state.partner_qmgr) == (CHANNEL, True, "QMB")
    assert (state.transmission_queue, state.partner_address) == ("QMB", "127.0.0.1(1414)")
    assert (state.last_sequence, state.in_doubt_sequence, state.in_doubt_messages) == (1, 2, 1)
    (received,) = states(pair.qmb)
    assert (received.is_sender, received.partner_qmgr, received.last_sequence) == (False, "QMA", 1)


def test_states_when_there_are_many_then_each_step_is_bounded() -> None:
    pair = Pair()
    kernel = pair.qma.started.shell.engine.kernel
    pair.start()
    with pair.qma.queue(SYNC_QUEUE) as queue:
        for number in range(600):
            queue.put(b"%d" % number)
    listing = StateListing()
    link = pair.qma.started.shell.engine.connect("operator", "runmqsc")
    steps = 1
    while not listing.go_on(kernel, link, "command"):
        assert link.again
        steps += 1
    assert steps == 3
    assert listing.states == []


def test_sync_queue_when_an_application_puts_a_state_then_it_is_not_taken_for_one() -> None:
    pair = Pair()
    pair.start()
    pair.put(b"1")
    pair.batch(1, 1, LUWIDS[0])
    with pair.qmb.queue(SYNC_QUEUE) as queue:
        (own,) = list(queue.browse())
    pair.receiver.end()
    pair.sender.end()
    with pair.qmb.queue(SYNC_QUEUE) as queue:
        queue.get(msg_id=own.msg_id)
        queue.put(own.data, msg_id=own.msg_id)
    pair.open()
    assert pair.receiver.start().last_sequence == 0
    assert "AMQ9517W" in notices(pair.qmb)


def test_sync_queue_when_a_channel_runs_then_it_cannot_be_deleted_or_cleared() -> None:
    pair = Pair()
    pair.start()
    for command in (f"DELETE QLOCAL({SYNC_QUEUE})", f"CLEAR QLOCAL({SYNC_QUEUE})"):
        assert not pair.qma.mqsc(command)[0].ok


def test_reset_when_the_sync_queue_cannot_be_read_then_it_is_refused_and_nothing_stays_open() -> (
    None
):
    pair = Pair()
    assert pair.qma.mqsc(f"ALTER QLOCAL({SYNC_QUEUE}) GET(DISABLED)")[0].ok
    with pytest.raises(MQError) as refused:
        run(pair.qma, Resetting(CHANNEL, True, 5))
    assert refused.value.reason == MQRC_GET_INHIBITED
    assert pair.qma.mqsc(f"DELETE QLOCAL({SYNC_QUEUE})")[0].ok
    with pytest.raises(MQError) as refused:
        run(pair.qma, Resetting(CHANNEL, True, 5))
    assert refused.value.reason == MQRC_UNKNOWN_OBJECT_NAME
