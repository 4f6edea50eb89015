"""Goal: channels are started, triggered, retried, stopped and remembered as the rules of
docs/reference/conformance-channels.md say.

Method: two real queue managers; each test has channels of its own between them. What needs a
restart, or settings of qm.ini, is in `test_channel_restarts`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import pytest

from ternmq.base import command_reasons as ccf
from ternmq.kernel.channel_transitions import may_follow
from tests.battery.places import until
from tests.integration.channel_pair import QMA, QMB, ChannelPair
from tests.integration.closed_port import closed_port, counted_calls, silent_port

FAST: Final = "SHORTTMR(1) LONGTMR(1) HBINT(2)"


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChannelPair]:
    folder = tmp_path_factory.mktemp("pair")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERNMQ_DATA", str(folder))
        one = ChannelPair(folder)
        one.make(QMA)
        one.make(QMB)
        yield one
        one.end_all()


def ends(pair: ChannelPair, name: str, given: str = "", receiver: str = "") -> str:
    """A channel, its queues and its target, all with names of their own; the transmission queue."""
    queue = f"{name}.X"
    pair.mqsc(
        QMA,
        f"DEFINE QLOCAL({queue}) USAGE(XMITQ)",
        f"DEFINE QREMOTE({name}.R) RNAME({name}.T) RQMNAME(QMB) XMITQ({queue})",
        f"DEFINE CHANNEL({name}) CHLTYPE(SDR) XMITQ({queue}) {given or FAST} "
        f"CONNAME('127.0.0.1({pair.ports[QMB]})')",
    )
    pair.mqsc(QMB, f"DEFINE QLOCAL({name}.T)", f"DEFINE CHANNEL({name}) CHLTYPE(RCVR) {receiver}")
    return queue


def attributes(pair: ChannelPair, queue: str) -> tuple[str, str]:
    """GET and TRIGGER of a queue."""
    (shown,) = pair.operators[QMA].mqsc(f"DISPLAY QLOCAL({queue}) GET TRIGGER")
    words = [item.keyword for item in shown.items]
    return str(shown["GET"]), "TRIGGER" if "TRIGGER" in words else "NOTRIGGER"


def test_server_when_it_has_no_conname_then_it_is_not_started_and_not_triggered(
    pair: ChannelPair,
) -> None:
    pair.mqsc(
        QMA,
        "DEFINE QLOCAL(A3.X) USAGE(XMITQ) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ) TRIGDATA(A3)",
        "DEFINE QREMOTE(A3.R) RNAME(T) RQMNAME(QMB) XMITQ(A3.X)",
        "DEFINE CHANNEL(A3) CHLTYPE(SVR) XMITQ(A3.X)",
    )
    assert pair.asked(QMA, "START CHANNEL(A3)") == ("AMQ9502E", ccf.MQRCCF_MISSING_CONN_NAME)
    before = pair.log(QMA).count("AMQ9502E")
    pair.send("nobody comes", queue="A3.R")
    until(lambda: pair.log(QMA).count("AMQ9502E") > before)
    assert pair.status(QMA, "A3") == "INACTIVE"
    assert pair.depth(QMA, "A3.X") == 1


def test_start_when_of_a_receiving_type_then_it_only_enables(pair: ChannelPair) -> None:
    pair.mqsc(
        QMB,
        "DEFINE CHANNEL(A7.R) CHLTYPE(RCVR)",
        "DEFINE CHANNEL(A7.C) CHLTYPE(SVRCONN)",
        "DEFINE CHANNEL(A7.U) CHLTYPE(CLUSRCVR) CONNAME('127.0.0.1(1)')",
    )
    for name in ("A7.R", "A7.C", "A7.U"):
        assert pair.asked(QMB, f"START CHANNEL({name})") == ("AMQ8018I", 0)
        assert pair.status(QMB, name) == "INACTIVE"
        assert pair.asked(QMB, f"STOP CHANNEL({name})") == ("AMQ8019I", 0)
        assert pair.status(QMB, name) == "STOPPED"
        assert pair.asked(QMB, f"START CHANNEL({name})") == ("AMQ8018I", 0)
        assert pair.status(QMB, name) == "INACTIVE"


@pytest.mark.parametrize("way", ["TRIGDATA", "USERDATA", "NAME"])
def test_trigger_when_a_message_is_put_then_its_channel_starts(pair: ChannelPair, way: str) -> None:
    name = f"A9.{way[0]}"
    queue = ends(pair, name)
    if way == "TRIGDATA":
        pair.mqsc(QMA, f"ALTER QLOCAL({queue}) TRIGDATA({name})")
    elif way == "USERDATA":
        pair.mqsc(
            QMA,
            f"DEFINE PROCESS({name}.P) USERDATA('{name}')",
            f"ALTER QLOCAL({queue}) PROCESS({name}.P)",
        )
    else:  # the first definition by name that serves the queue
        pair.mqsc(QMA, f"DEFINE CHANNEL({name}.Z) CHLTYPE(SDR) LIKE({name})")
    pair.mqsc(QMA, f"ALTER QLOCAL({queue}) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ)")
    pair.send("started by itself", queue=f"{name}.R")
    pair.has(QMB, f"{name}.T", 1)
    assert pair.status(QMA, name) == "RUNNING"


def test_initiators_when_three_run_then_the_next_is_refused(pair: ChannelPair) -> None:
    pair.mqsc(QMA, *(f"DEFINE QLOCAL(IQ{at})" for at in (2, 3, 4)))
    assert pair.asked(QMA, "START CHINIT INITQ(IQ2)") == ("AMQ8024I", 0)
    assert pair.asked(QMA, "START CHINIT INITQ(IQ2)")[0] == "AMQ8148E"
    assert pair.asked(QMA, "START CHINIT INITQ(IQ3)") == ("AMQ8024I", 0)
    assert pair.asked(QMA, "START CHINIT INITQ(IQ4)") == (
        "AMQ8994E",
        ccf.MQRCCF_CHANNEL_INITIATOR_ERROR,
    )
    for queue in ("IQ2", "IQ3"):
        until(lambda name=queue: readers(pair, name) == 1)  # type: ignore[misc]
        assert pair.asked(QMA, f"STOP CHINIT INITQ({queue})") == ("AMQ8993I", 0)
        until(lambda name=queue: readers(pair, name) == 0)  # type: ignore[misc]
    assert pair.asked(QMA, "STOP CHINIT INITQ(IQ2)")[1] == ccf.MQRCCF_NO_CHANNEL_INITIATOR
    (shown,) = pair.operators[QMA].mqsc("DISPLAY QMSTATUS CHINIT")
    assert shown["CHINIT"] == "RUNNING"


def readers(pair: ChannelPair, queue: str) -> int:
    (shown,) = pair.operators[QMA].mqsc(f"DISPLAY QSTATUS({queue}) IPPROCS")
    return int(shown["IPPROCS"])


def test_reset_when_at_the_sender_then_both_ends_go_on_from_the_number(pair: ChannelPair) -> None:
    ends(pair, "C7")
    pair.send("one", queue="C7.R")
    pair.mqsc(QMA, "START CHANNEL(C7)")
    pair.has(QMB, "C7.T", 1)
    assert pair.asked(QMA, "RESET CHANNEL(C7)")[1] == ccf.MQRCCF_CHANNEL_IN_USE
    pair.mqsc(QMA, "STOP CHANNEL(C7)")
    pair.becomes(QMA, "STOPPED", "C7")
    assert pair.asked(QMA, "RESET CHANNEL(C7) SEQNUM(0)")[1] == ccf.MQRCCF_MSG_SEQ_NUMBER_ERROR
    pair.mqsc(QMA, "RESET CHANNEL(C7) SEQNUM(77)")
    (shown,) = pair.operators[QMA].mqsc("DISPLAY CHANNEL(C7) RESETSEQ")
    assert int(shown["RESETSEQ"]) == 77
    pair.mqsc(QMA, "START CHANNEL(C7)")
    pair.becomes(QMA, "RUNNING", "C7")
    (shown,) = pair.operators[QMA].mqsc("DISPLAY CHANNEL(C7) RESETSEQ")
    assert shown["RESETSEQ"] == "NO"
    pair.send("two", queue="C7.R")
    pair.has(QMB, "C7.T", 2)
    for name in (QMA, QMB):
        until(lambda at=name: int(pair.shown(at, "C7")["LSTSEQNO"]) == 77)  # type: ignore[misc]
    assert pair.received("C7.T") == ["one", "two"]


def test_reset_when_of_a_clients_channel_then_not_allowed(pair: ChannelPair) -> None:
    answer = pair.asked(QMA, "RESET CHANNEL(SYSTEM.DEF.SVRCONN)")
    assert answer == ("AMQ9502E", ccf.MQRCCF_CHANNEL_TYPE_ERROR)


def test_resolve_when_it_cannot_be_then_refused(pair: ChannelPair) -> None:
    ends(pair, "D6")
    assert pair.asked(QMB, "RESOLVE CHANNEL(D6) ACTION(COMMIT)") == (
        "AMQ9502E",
        ccf.MQRCCF_CHANNEL_TYPE_ERROR,
    )
    assert pair.asked(QMA, "RESOLVE CHANNEL(D6) ACTION(COMMIT)")[0] == "AMQ8996E"
    pair.mqsc(QMA, "START CHANNEL(D6)")
    pair.becomes(QMA, "RUNNING", "D6")
    assert pair.asked(QMA, "RESOLVE CHANNEL(D6) ACTION(BACKOUT)")[1] == ccf.MQRCCF_CHANNEL_IN_USE


def test_states_when_a_channel_runs_and_stops_then_only_transitions_of_the_table(
    pair: ChannelPair,
) -> None:
    ends(pair, "F1", "SHORTRTY(2) SHORTTMR(1)")
    seen = ["INACTIVE"]

    def watch(wanted: str) -> None:
        """Look as often as one can until a state is seen."""
        until(lambda: _seen(pair, "F1", seen) == wanted)

    pair.mqsc(QMA, "START CHANNEL(F1)")
    watch("RUNNING")
    shown = pair.shown(QMA, "F1")
    assert shown["SUBSTATE"]
    pair.mqsc(QMA, "STOP CHANNEL(F1)")
    watch("STOPPED")
    pair.mqsc(QMA, "STOP CHANNEL(F1)")
    pair.mqsc(QMA, f"ALTER CHANNEL(F1) CHLTYPE(SDR) CONNAME('127.0.0.1({closed_port()})')")
    pair.mqsc(QMA, "START CHANNEL(F1)")
    watch("RETRYING")
    pair.mqsc(QMA, "STOP CHANNEL(F1)")
    watch("STOPPED")
    # The call is taken, and nobody answers: STOP does not wait for that.
    with silent_port() as port:
        pair.mqsc(QMA, f"ALTER CHANNEL(F1) CHLTYPE(SDR) CONNAME('127.0.0.1({port})')")
        pair.mqsc(QMA, "START CHANNEL(F1)")
        watch("BINDING")
        pair.mqsc(QMA, "STOP CHANNEL(F1) MODE(FORCE)")
        watch("STOPPED")
    # A look may miss a state that does not last: then the way there is by allowed steps.
    assert all(reachable(one, other) for one, other in pairwise(seen)), seen


def _seen(pair: ChannelPair, channel: str, seen: list[str]) -> str:
    status = pair.status(QMA, channel)
    if status != seen[-1]:
        seen.append(status)
    return status


def reachable(before: str, after: str) -> bool:
    """Whether there is a way of at most four steps."""
    states = ("STARTING", "INITIALIZING", "BINDING", "REQUESTING", "STOPPING", "RETRYING")
    reached = {before}
    for _ in range(4):
        reached |= {
            state for one in reached for state in (*states, after) if may_follow(one, state)
        }
    return after in reached


def test_retries_when_nobody_listens_then_short_long_stopped(pair: ChannelPair) -> None:
    with counted_calls() as calls:
        queue = ends(pair, "F2", "SHORTRTY(3) SHORTTMR(0) LONGRTY(2) LONGTMR(0)")
        pair.mqsc(QMA, f"ALTER CHANNEL(F2) CHLTYPE(SDR) CONNAME('127.0.0.1({calls.port})')")
        pair.mqsc(QMA, f"ALTER QLOCAL({queue}) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ)")
        pair.mqsc(QMA, "START CHANNEL(F2)")
        pair.becomes(QMA, "STOPPED", "F2")
        assert calls.count == 6
        shown = pair.shown(QMA, "F2")
        assert (int(shown["SHORTRTS"]), int(shown["LONGRTS"])) == (0, 0)
        until(lambda: attributes(pair, queue) == ("DISABLED", "NOTRIGGER"))
        # A START by hand tries once.
        pair.mqsc(QMA, "START CHANNEL(F2)")
        until(lambda: calls.count == 7)
        pair.becomes(QMA, "STOPPED", "F2")
        assert calls.count == 7
    pair.mqsc(
        QMA,
        f"ALTER CHANNEL(F2) CHLTYPE(SDR) CONNAME('127.0.0.1({pair.ports[QMB]})')",
        "START CHANNEL(F2)",
    )
    pair.becomes(QMA, "RUNNING", "F2")
    pair.send("after all", queue="F2.R")
    pair.has(QMB, "F2.T", 1)
    assert attributes(pair, queue) == ("ENABLED", "TRIGGER")
    until(lambda: int(pair.shown(QMA, "F2")["SHORTRTS"]) == 3)


def test_retrying_when_the_partner_can_be_reached_then_it_runs_by_itself(
    pair: ChannelPair,
) -> None:
    queue = ends(pair, "F3", "SHORTRTY(5) SHORTTMR(1)")
    pair.mqsc(QMA, f"ALTER CHANNEL(F3) CHLTYPE(SDR) CONNAME('127.0.0.1({closed_port()})')")
    pair.send("waits", queue="F3.R")
    pair.mqsc(QMA, "START CHANNEL(F3)")
    pair.becomes(QMA, "RETRYING", "F3")
    assert int(pair.shown(QMA, "F3")["SHORTRTS"]) < 5
    assert attributes(pair, queue) == ("ENABLED", "NOTRIGGER")
    port = pair.ports[QMB]
    pair.mqsc(QMA, f"ALTER CHANNEL(F3) CHLTYPE(SDR) CONNAME('127.0.0.1({port})')")
    pair.has(QMB, "F3.T", 1)
    until(lambda: int(pair.shown(QMA, "F3")["SHORTRTS"]) == 5)
    assert pair.status(QMA, "F3") == "RUNNING"


def test_error_when_it_cannot_heal_then_stopped_without_a_retry(pair: ChannelPair) -> None:
    for name, receiver in (("F5.W", "SEQWRAP(1000)"), ("F5.T", "")):
        ends(pair, name, "SHORTRTY(5) SHORTTMR(0)", receiver)
    pair.mqsc(
        QMB,
        "DELETE CHANNEL(F5.T)",
        "DEFINE CHANNEL(F5.T) CHLTYPE(SDR) XMITQ(SYSTEM.CLUSTER.TRANSMIT.QUEUE) CONNAME('x')",
    )
    for name in ("F5.W", "F5.T"):
        pair.mqsc(QMA, f"START CHANNEL({name})")
        pair.becomes(QMA, "STOPPED", name)
        assert int(pair.shown(QMA, name)["SHORTRTS"]) == 5


def test_stop_when_messages_are_under_way_then_the_batch_ends_first(pair: ChannelPair) -> None:
    queue = ends(pair, "G1", "BATCHSZ(10) HBINT(2)")
    pair.mqsc(QMA, f"ALTER QLOCAL({queue}) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ) TRIGDATA(G1)")
    pair.send(*[f"{at}" for at in range(100)], queue="G1.R")
    pair.mqsc(QMA, "STOP CHANNEL(G1) MODE(QUIESCE)")
    pair.becomes(QMA, "STOPPED", "G1")
    until(lambda: attributes(pair, queue) == ("DISABLED", "NOTRIGGER"))
    until(lambda: pair.status(QMB, "G1") != "RUNNING")
    arrived = pair.depth(QMB, "G1.T")
    assert arrived + pair.depth(QMA, queue) == 100
    shown = pair.operators[QMA].mqsc("DISPLAY CHSTATUS(G1) SAVED ALL")[0]
    assert not shown.ok or shown["INDOUBT"] == "NO"
    # START gives back what was there before, and the rest goes.
    pair.mqsc(QMA, "START CHANNEL(G1)")
    assert attributes(pair, queue) == ("ENABLED", "TRIGGER")
    pair.has(QMB, "G1.T", 100)
    assert pair.received("G1.T") == [f"{at}" for at in range(100)]


def test_start_when_the_queue_was_disabled_before_the_stop_then_it_stays_so(
    pair: ChannelPair,
) -> None:
    queue = ends(pair, "G4")
    pair.mqsc(QMA, f"ALTER QLOCAL({queue}) GET(DISABLED) NOTRIGGER", "STOP CHANNEL(G4)")
    pair.becomes(QMA, "STOPPED", "G4")
    pair.mqsc(QMA, "START CHANNEL(G4)")
    assert attributes(pair, queue) == ("DISABLED", "NOTRIGGER")
    pair.mqsc(QMA, "STOP CHANNEL(G4)")
    pair.becomes(QMA, "STOPPED", "G4")
    pair.mqsc(QMA, f"ALTER QLOCAL({queue}) GET(ENABLED)", "START CHANNEL(G4)")
    assert attributes(pair, queue) == ("ENABLED", "NOTRIGGER")


def test_delete_when_the_channel_is_stopped_then_its_queue_is_free_again(pair: ChannelPair) -> None:
    queue = ends(pair, "G13")
    pair.mqsc(QMA, f"ALTER QLOCAL({queue}) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ) TRIGDATA(G13)")
    pair.mqsc(QMA, "STOP CHANNEL(G13)", "DELETE CHANNEL(G13)")
    assert attributes(pair, queue) == ("ENABLED", "TRIGGER")


def test_start_when_another_channel_of_the_queue_is_stopped_then_messages_flow(
    pair: ChannelPair,
) -> None:
    ends(pair, "G14")
    given = f"CHLTYPE(SDR) XMITQ(G14.X) CONNAME('127.0.0.1({pair.ports[QMB]})')"
    pair.mqsc(QMA, f"DEFINE CHANNEL(G14.TOO) {given}")
    pair.mqsc(QMB, "DEFINE CHANNEL(G14.TOO) CHLTYPE(RCVR)")
    for stops in (["G14"], ["G14", "G14.TOO"]):
        for name in stops:
            pair.mqsc(QMA, f"STOP CHANNEL({name})")
            pair.becomes(QMA, "STOPPED", name)
        pair.send("by another way", queue="G14.R")
        pair.mqsc(QMA, "START CHANNEL(G14.TOO)")
        pair.has(QMB, "G14.T", 1)
        assert pair.received("G14.T") == ["by another way"]


def test_stop_when_at_the_receiver_then_the_sender_retries(pair: ChannelPair) -> None:
    ends(pair, "G5", "SHORTRTY(99) SHORTTMR(1) HBINT(1)", "HBINT(1)")
    pair.mqsc(QMA, "START CHANNEL(G5)")
    pair.becomes(QMA, "RUNNING", "G5")
    pair.mqsc(QMB, "STOP CHANNEL(G5)")
    pair.becomes(QMB, "STOPPED", "G5")
    pair.becomes(QMA, "RETRYING", "G5")
    pair.mqsc(QMB, "START CHANNEL(G5)")
    pair.becomes(QMA, "RUNNING", "G5")


def test_ping_when_in_each_state_then_answered_or_refused(pair: ChannelPair) -> None:
    ends(pair, "G12", "SHORTRTY(99) SHORTTMR(60)")
    pair.send("stays here", queue="G12.R")
    for given in ("", "DATALEN(16)", "DATALEN(32768)"):
        assert pair.asked(QMA, f"PING CHANNEL(G12) {given}") == ("AMQ8020I", 0)
    for length in (15, 32769):
        answer = pair.asked(QMA, f"PING CHANNEL(G12) DATALEN({length})")
        assert answer[1] == ccf.MQRCCF_PING_DATA_COUNT_ERROR
    assert pair.asked(QMB, "PING CHANNEL(G12)") == ("AMQ9502E", ccf.MQRCCF_PING_ERROR)
    pair.mqsc(QMA, "STOP CHANNEL(G12)")
    pair.becomes(QMA, "STOPPED", "G12")
    assert pair.asked(QMA, "PING CHANNEL(G12)") == ("AMQ8020I", 0)
    pair.mqsc(
        QMA,
        f"ALTER CHANNEL(G12) CHLTYPE(SDR) CONNAME('127.0.0.1({closed_port()})')",
        "START CHANNEL(G12)",
    )
    pair.becomes(QMA, "RETRYING", "G12")
    assert pair.asked(QMA, "PING CHANNEL(G12)") == ("AMQ9202E", ccf.MQRCCF_HOST_NOT_AVAILABLE)
    pair.mqsc(QMA, f"ALTER CHANNEL(G12) CHLTYPE(SDR) CONNAME('127.0.0.1({pair.ports[QMB]})')")
    assert pair.asked(QMA, "PING CHANNEL(G12)") == ("AMQ8020I", 0)
    assert pair.depth(QMA, "G12.X") == 1
    pair.mqsc(QMA, "START CHANNEL(G12)")
    pair.has(QMB, "G12.T", 1)
    assert int(pair.shown(QMA, "G12")["LSTSEQNO"]) <= 1
    assert pair.asked(QMA, "PING CHANNEL(G12)") == ("AMQ9514E", ccf.MQRCCF_CHANNEL_IN_USE)


def test_stopped_channel_when_deleted_then_its_queue_is_as_before_the_stop(
    pair: ChannelPair,
) -> None:
    queue = ends(pair, "DEL")
    pair.mqsc(QMA, f"ALTER QLOCAL({queue}) TRIGGER", "STOP CHANNEL(DEL)")
    assert attributes(pair, queue) == ("DISABLED", "NOTRIGGER")
    pair.mqsc(QMA, "DELETE CHANNEL(DEL)")
    assert attributes(pair, queue) == ("ENABLED", "TRIGGER")


def test_channel_when_its_network_is_not_tcp_then_it_is_not_dialled(pair: ChannelPair) -> None:
    ends(pair, "LU62")
    pair.mqsc(QMA, "ALTER CHANNEL(LU62) CHLTYPE(SDR) TRPTYPE(LU62)")
    assert pair.asked(QMA, "PING CHANNEL(LU62)")[0] == "AMQ9203E"
    pair.mqsc(QMA, "START CHANNEL(LU62)")
    pair.becomes(QMA, "STOPPED", "LU62")
