"""Goal: what is kept of channels over a restart, batches in doubt that an operator resolves, status
and events with true figures: rules of docs/reference/conformance-channels.md.

Method: two real queue managers; a proxy between them cuts where a batch is in doubt.
"""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from ternmq.base import command_reasons as ccf
from ternmq.base import constants as mq
from ternmq.base import constants_all as amo
from ternmq.base import reasons as rc
from ternmq.codec.pcf.structures import unpack_pcf
from ternmq.testing.proxy import CUT, TO_CLIENT, TO_SERVER, Fault, Proxy
from tests.battery.places import until
from tests.integration.channel_pair import QMA, QMB, ChannelPair
from tests.integration.channel_senders import EVENTS, events, gone, sender
from tests.integration.closed_port import closed_port


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChannelPair]:
    folder = tmp_path_factory.mktemp("pair")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERNMQ_DATA", str(folder))
        one = ChannelPair(folder)
        one.make(QMA, "Metrics:", "   Enabled=Yes", "   Port=0")
        one.make(QMB)
        yield one
        one.end_all()


@pytest.mark.parametrize("action", ["COMMIT", "BACKOUT"])
def test_resolve_when_a_batch_is_in_doubt_then_as_the_operator_says(
    pair: ChannelPair, action: str
) -> None:
    name = f"D4.{action[0]}"
    with Proxy(("127.0.0.1", pair.ports[QMB])) as proxy:
        # The answer of the receiver is lost, or what it is asked.
        committed = Fault(TO_CLIENT, segment=2, kind=CUT)
        proxy.break_at(committed if action == "COMMIT" else Fault(TO_SERVER, 3, CUT))
        sender(pair, name, "SHORTRTY(99) SHORTTMR(60)", proxy.port)
        pair.send("first", queue=f"{name}.R")
        pair.mqsc(QMA, f"START CHANNEL({name})")
        assert proxy.wait_until_struck(20)
        pair.becomes(QMA, "RETRYING", name)
    pair.mqsc(QMA, f"STOP CHANNEL({name})")
    shown = pair.shown(QMA, name, "SAVED ALL")
    assert (shown["INDOUBT"], int(shown["CURMSGS"])) == ("YES", 1)
    assert pair.asked(QMA, f"RESET CHANNEL({name})")[1] == ccf.MQRCCF_CHANNEL_INDOUBT
    pair.mqsc(QMA, f"RESOLVE CHANNEL({name}) ACTION({action})")
    saved = [one for one in pair.operators[QMA].mqsc(f"DISPLAY CHS({name}) SAVED ALL") if one.ok]
    assert [one["INDOUBT"] for one in saved] in ([], ["NO"])
    assert pair.depth(QMA, f"{name}.X") == (0 if action == "COMMIT" else 1)
    pair.send("second", queue=f"{name}.R")
    port = pair.ports[QMB]
    pair.mqsc(
        QMA,
        f"ALTER CHANNEL({name}) CHLTYPE(SDR) CONNAME('127.0.0.1({port})')",
        f"START CHANNEL({name})",
    )
    pair.has(QMB, f"{name}.T", 2)
    assert pair.received(f"{name}.T") == ["first", "second"]
    gone(pair, name)


def test_status_when_messages_have_gone_then_true_figures_at_both_ends(pair: ChannelPair) -> None:
    sender(pair, "M1", "BATCHSZ(4)")
    for name in (QMA, QMB):
        pair.mqsc(name, "ALTER QMGR MONCHL(HIGH)")
    for _ in range(10):
        pair.send("x" * 1000, queue="M1.R")
    pair.mqsc(QMA, "START CHANNEL(M1)")
    pair.has(QMB, "M1.T", 10)
    until(lambda: int(pair.shown(QMA, "M1")["BATCHES"]) == 3)
    here, there = pair.shown(QMA, "M1"), pair.shown(QMB, "M1")
    for one in (here, there):
        assert (int(one["MSGS"]), int(one["BATCHES"]), int(one["BATCHSZ"])) == (10, 3, 4)
        assert (int(one["LSTSEQNO"]), one["INDOUBT"], int(one["CURMSGS"])) == (10, "NO", 0)
        for keyword in ("CHSTADA", "CHSTATI", "LSTMSGDA", "LSTMSGTI"):
            assert one[keyword], keyword
        assert (one["STATUS"], one["MCASTAT"], one["STOPREQ"]) == ("RUNNING", "RUNNING", "NO")
        assert one["MONCHL"] == "HIGH"
    assert here["LSTLUWID"] == there["LSTLUWID"] != "0" * 16
    assert here["BYTSSENT"] == there["BYTSRCVD"]
    assert here["BYTSRCVD"] == there["BYTSSENT"]
    assert int(here["BYTSSENT"]) > 10_000
    assert (here["BUFSSENT"], here["BUFSRCVD"]) == (there["BUFSRCVD"], there["BUFSSENT"])
    assert (here["RQMNAME"], there["RQMNAME"]) == (QMB, QMA)
    assert (here["XMITQ"], here["NPMSPEED"], int(here["HBINT"])) == ("M1.X", "FAST", 300)
    assert (int(here["SHORTRTS"]), int(here["LONGRTS"])) == (10, 999_999_999)
    short, long = pairs(str(here["XBATCHSZ"]))
    assert 3 <= short <= 4
    assert 3 <= long <= 4
    for keyword in ("NETTIME", "XQTIME"):
        assert min(pairs(str(here[keyword]))) > 0, keyword
    assert pairs(str(here["EXITTIME"])) == [0, 0]
    assert int(here["XQMSGSA"]) == 0
    # Subsets, and what narrows.
    short_form = pair.shown(QMA, "M1", "SHORT")
    assert {item.keyword for item in short_form.items} == {
        *("CHANNEL", "CHLTYPE", "CONNAME", "CURRENT", "RQMNAME", "STATUS", "SUBSTATE", "XMITQ")
    }
    monitored = {item.keyword for item in pair.shown(QMA, "M1", "MONITOR").items}
    assert {"XBATCHSZ", "XQTIME", "NETTIME", "EXITTIME", "XQMSGSA", "MONCHL"} <= monitored
    operator = pair.operators[QMA]
    assert operator.mqsc("DISPLAY CHSTATUS(*) XMITQ(M1.X)")[0]["CHANNEL"] == "M1"
    assert not operator.mqsc("DISPLAY CHSTATUS(*) XMITQ(OTHER)")[0].ok
    assert not operator.mqsc("DISPLAY CHSTATUS(M1) CONNAME(10.0.0.1)")[0].ok
    assert operator.mqsc("DISPLAY CHSTATUS(*) WHERE(MSGS GT 9)")[0]["CHANNEL"] == "M1"
    gone(pair, "M1")


def pairs(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def test_events_when_a_channel_starts_and_ends_then_reason_and_qualifier(
    pair: ChannelPair,
) -> None:
    pair.mqsc(QMA, "ALTER QMGR CHLEV(ENABLED)")
    sender(pair, "M2", "DISCINT(1) SHORTRTY(9) SHORTTMR(60)")
    pair.mqsc(QMA, "START CHANNEL(M2)")
    pair.becomes(QMA, "RUNNING", "M2")
    pair.becomes(QMA, "INACTIVE", "M2")
    until(lambda: pair.depth(QMA, EVENTS) == 2)
    assert events(pair) == [
        (rc.MQRC_CHANNEL_STARTED, "M2", 0, 0),
        (rc.MQRC_CHANNEL_STOPPED, "M2", mq.MQRQ_CHANNEL_STOPPED_OK, 0),
    ]
    pair.mqsc(QMA, "ALTER CHANNEL(M2) CHLTYPE(SDR) DISCINT(0)", "START CHANNEL(M2)")
    pair.becomes(QMA, "RUNNING", "M2")
    pair.mqsc(QMA, "STOP CHANNEL(M2)")
    pair.becomes(QMA, "STOPPED", "M2")
    until(lambda: pair.depth(QMA, EVENTS) == 3)
    disabled = mq.MQRQ_CHANNEL_STOPPED_DISABLED
    assert [one[:3] for one in events(pair)] == [
        (rc.MQRC_CHANNEL_STARTED, "M2", 0),
        (rc.MQRC_CHANNEL_STOPPED_BY_USER, "M2", disabled),
        (rc.MQRC_CHANNEL_STOPPED, "M2", disabled),
    ]
    # EXCEPTION leaves out what is as it should be.
    pair.mqsc(QMA, "ALTER QMGR CHLEV(EXCEPTION)")
    with Proxy(("127.0.0.1", pair.ports[QMB])) as proxy:
        pair.mqsc(
            QMA,
            f"ALTER CHANNEL(M2) CHLTYPE(SDR) CONNAME('127.0.0.1({proxy.port})')",
            "START CHANNEL(M2)",
        )
        pair.becomes(QMA, "RUNNING", "M2")
    pair.becomes(QMA, "RETRYING", "M2")
    until(lambda: pair.depth(QMA, EVENTS) == 1)
    ((reason, name, qualifier, error),) = events(pair)
    assert (reason, name) == (rc.MQRC_CHANNEL_STOPPED, "M2")
    assert qualifier == mq.MQRQ_CHANNEL_STOPPED_RETRY
    assert f"{error:X}".startswith("20009")
    pair.mqsc(QMA, "ALTER QMGR CHLEV(DISABLED)")
    gone(pair, "M2")


def test_statistics_when_a_channel_has_sent_then_true_figures(pair: ChannelPair) -> None:
    sender(pair, "S1", "BATCHSZ(4) STATCHL(HIGH)")
    pair.mqsc(QMA, "ALTER QMGR STATCHL(LOW)", "RESET QMGR TYPE(STATISTICS)")
    for at in range(10):
        pair.send("x" * 1000, queue="S1.R", persistent=at < 7)
    pair.mqsc(QMA, "START CHANNEL(S1)")
    pair.has(QMB, "S1.T", 10)
    until(lambda: int(pair.shown(QMA, "S1")["BATCHES"]) == 3)
    pair.mqsc(QMA, "RESET QMGR TYPE(STATISTICS)")
    # An interval may end in the middle: then there are two groups.
    groups = channel_statistics(pair, "S1")
    assert [sum(one[amo.MQIAMO_MSGS][at] for one in groups) for at in (0, 1)] == [3, 7]
    assert all(sum(one[amo.MQIAMO64_BYTES][at] for one in groups) > 3000 for at in (0, 1))
    assert sum(one[amo.MQIAMO_FULL_BATCHES] for one in groups) == 2
    assert sum(one[amo.MQIAMO_INCOMPLETE_BATCHES] for one in groups) == 1
    last = groups[-1]
    assert 0 < last[amo.MQIAMO_NET_TIME_MIN] <= last[amo.MQIAMO_NET_TIME_MAX]
    assert last[amo.MQIAMO_PUT_RETRIES] == 0
    assert str(last[mq.MQCA_REMOTE_Q_MGR_NAME]).rstrip() == QMB
    pair.mqsc(QMA, "ALTER QMGR STATCHL(OFF)")
    shown = metrics(pair)
    assert metric(shown, "messages", "S1") == 10
    assert metric(shown, "batches", "S1") == 3
    assert metric(shown, "status", "S1") == mq.MQCHS_RUNNING
    assert metric(shown, "nettime_long", "S1") > 0
    pair.mqsc(QMA, "STOP CHANNEL(S1)")
    pair.becomes(QMA, "STOPPED", "S1")
    shown = metrics(pair)
    assert metric(shown, "status", "S1") == mq.MQCHS_STOPPED
    assert metric(shown, "status_squash", "S1") == 0
    gone(pair, "S1")


def metrics(pair: ChannelPair) -> str:
    """What Prometheus would read."""
    found = re.search(r"AMQ7995I: Metrics are served on port (\d+)", pair.log(QMA))
    assert found is not None
    with urllib.request.urlopen(f"http://127.0.0.1:{found[1]}/metrics") as page:
        return str(page.read().decode("utf-8"))


def metric(shown: str, name: str, channel: str) -> float:
    """One value of a channel."""
    found = re.search(rf'^ibmmq_channel_{name}{{.*channel="{channel}".*}} (\S+)$', shown, re.M)
    assert found is not None, name
    return float(found[1])


def channel_statistics(pair: ChannelPair, name: str) -> list[dict[int, Any]]:
    """The groups of a channel in the statistics messages, until ten messages are counted."""
    found: list[dict[int, Any]] = []

    def look() -> bool:
        with pair.operators[QMA].queue("SYSTEM.ADMIN.STATISTICS.QUEUE") as queue:
            while (message := queue.try_get(wait=0)) is not None:
                for group in unpack_pcf(message.data).parameters:
                    inside = {one.parameter: one.value for one in group.members}
                    if str(inside.get(mq.MQCACH_CHANNEL_NAME, "")).rstrip() == name:
                        found.append(inside)
        return sum(sum(one[amo.MQIAMO_MSGS]) for one in found) == 10

    until(look)
    return found


def test_restart_when_channels_are_retrying_or_stopped_then_they_still_are(
    pair: ChannelPair,
) -> None:
    """SCHINIT(MANUAL): nothing is triggered or retried until START CHINIT."""
    for name in ("A11.A", "A11.B"):
        sender(pair, name, "SHORTRTY(5) SHORTTMR(1) LONGRTY(7)")
    pair.mqsc(
        QMA,
        f"ALTER CHANNEL(A11.A) CHLTYPE(SDR) CONNAME('127.0.0.1({closed_port()})')",
        "ALTER QLOCAL(A11.B.X) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ) TRIGDATA(A11.B)",
        "ALTER QMGR SCHINIT(MANUAL)",
        "START CHANNEL(A11.A)",
    )
    until(lambda: 0 < int(pair.shown(QMA, "A11.A")["SHORTRTS"]) < 4)
    pair.becomes(QMA, "RETRYING", "A11.A")
    pair.mqsc(QMB, "STOP CHANNEL(A11.B)")
    pair.stop(QMA)
    pair.stop(QMB)
    pair.start(QMA)
    pair.start(QMB)
    assert pair.status(QMB, "A11.B") == "STOPPED"
    shown = pair.shown(QMA, "A11.A")
    assert shown["STATUS"] == "RETRYING"
    assert 0 <= int(shown["SHORTRTS"]) < 4
    assert int(shown["LONGRTS"]) == 7
    (status,) = pair.operators[QMA].mqsc("DISPLAY QMSTATUS CHINIT")
    assert status["CHINIT"] == "STOPPED"
    # Without an initiator: no trigger, and a channel that fails is INACTIVE.
    pair.mqsc(QMA, "STOP CHANNEL(A11.A)")
    pair.mqsc(QMA, "START CHANNEL(A11.A)")
    pair.becomes(QMA, "INACTIVE", "A11.A")
    pair.send("waits for an initiator", queue="A11.B.R")
    assert pair.status(QMA, "A11.B") == "INACTIVE"
    pair.mqsc(QMA, "START CHINIT")
    # The receiver is still stopped, so the call is refused until START.
    pair.becomes(QMA, "RETRYING", "A11.B")
    assert "AMQ9534E" in pair.log(QMB)
    pair.mqsc(QMB, "START CHANNEL(A11.B)")
    pair.has(QMB, "A11.B.T", 1)
    pair.becomes(QMA, "RUNNING", "A11.B")
