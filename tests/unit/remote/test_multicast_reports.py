"""What clients of multicast report each MONINT seconds: DISPLAY TPSTATUS shows it, and COMMEV makes
event messages of it. The test says when a report is due; nothing depends on time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ternmq import Message
from ternmq import constants as mq
from ternmq.codec.pcf.structures import unpack_pcf
from ternmq.values.calls.topics import ReportMulticast
from ternmq.values.multicast_figures import MulticastFigures
from tests.conformance.pubsub.bed import Bed, reason_of

SCRIPT = """
DEFINE COMMINFO(MC1) GRPADDR(239.77.1.5) PORT(24144) MSGHIST(10000) MONINT(60) COMMEV({event})
DEFINE TOPIC(T1) TOPICSTR('t1') MCAST(ONLY) COMMINFO(MC1)
"""


@pytest.fixture
def bed() -> Iterator[Bed]:
    made = Bed("tcp")
    yield made
    made.close()


def due(ends: dict[Any, Any]) -> None:
    """The last report of these ends is long ago."""
    for one in ends.values():
        one.reported_ms -= 60_000


def use(bed: Bed, event: str) -> None:
    """Two publications, and a report of both ends before the second."""
    bed.mqsc(SCRIPT.format(event=event))
    client, other = bed.connect(), bed.connect()
    receiving: Any = client.transport
    sending: Any = other.transport
    with client.subscribe("t1/a") as sub, other.topic("t1/a") as topic:
        topic.put("1")
        assert sub.get(wait=5).text == "1"
        due(sending.verbs.publishers)
        topic.put("2")
        due(receiving.verbs.subscribers)
        assert sub.get(wait=5).text == "2"
        (shown,) = bed.mqsc("DISPLAY TPSTATUS('t1/a') TYPE(PUB) ALL")
        assert (shown["NUMPUBS"], shown["MCASTREL"]) == (1, "100, 100")
        (shown,) = bed.mqsc("DISPLAY TPSTATUS('t1/a') TYPE(SUB) ALL")
        assert shown["NUMMSGS"] in (1, 2)
        assert shown["MCASTREL"] == "100, 100"


def events(bed: Bed) -> list[Message]:
    name = "SYSTEM.ADMIN.PUBSUB.EVENT"
    with bed.connect("embedded") as connection, connection.queue(name) as queue:
        return list(queue.consume(wait=0.0))


def test_report_when_events_are_enabled_then_each_is_an_event_message(bed: Bed) -> None:
    use(bed, "ENABLED")
    found = [unpack_pcf(one.data) for one in events(bed)]
    assert [one.reason for one in found] == [2571, 2572]
    sent = {one.parameter: one for one in found[0].parameters}
    assert sent[mq.MQIAMO_MSGS_SENT].number == 1
    got = {one.parameter: one for one in found[1].parameters}
    assert got[mq.MQIAMO_PKTS_LOST].number == 0


@pytest.mark.parametrize("event", ["DISABLED", "EXCEPTION"])
def test_report_when_nothing_is_wrong_then_no_event(bed: Bed, event: str) -> None:
    use(bed, event)
    assert events(bed) == []


def test_report_when_reliability_is_low_then_an_exception_is_an_event(bed: Bed) -> None:
    bed.mqsc(SCRIPT.format(event="EXCEPTION"))
    with bed.connection.topic("t1/a") as topic:
        good = MulticastFigures(messages=100, packets=100, repairs=5)
        bad = MulticastFigures(messages=200, packets=200, repairs=50)
        bed.connection.run(ReportMulticast(topic._handle, list(good)))
        assert events(bed) == []
        bed.connection.run(ReportMulticast(topic._handle, list(bad)))
        assert len(events(bed)) == 1
        (shown,) = bed.mqsc("DISPLAY TPSTATUS('t1/a') TYPE(PUB) ALL")
        assert shown["MCASTREL"] == "55, 75"
        wrong = ReportMulticast(topic._handle, [1, 2])
        assert reason_of(bed.connection.run, wrong) == 2567


def test_report_when_a_client_has_sent_very_much_then_it_is_taken(bed: Bed) -> None:
    bed.mqsc(SCRIPT.format(event="ENABLED"))
    with bed.connection.topic("t1/a") as topic:
        much = MulticastFigures(messages=1 << 40, bytes=(1 << 63) - 1, packets=1 << 41)
        bed.connection.run(ReportMulticast(topic._handle, list(much)))
        (shown,) = bed.mqsc("DISPLAY TPSTATUS('t1/a') TYPE(PUB) ALL")
        assert (shown["NUMPUBS"], shown["MCASTREL"]) == (1 << 40, "100, 100")
        assert len(events(bed)) == 1


def test_report_when_its_counts_go_back_then_reliability_stays_a_percentage(bed: Bed) -> None:
    bed.mqsc(SCRIPT.format(event="ENABLED"))
    with bed.connection.topic("t1/a") as topic:
        before = MulticastFigures(packets=10, repairs=1 << 30, lost=1 << 30)
        bed.connection.run(ReportMulticast(topic._handle, list(before)))
        bed.connection.run(ReportMulticast(topic._handle, list(MulticastFigures(packets=11))))
        (shown,) = bed.mqsc("DISPLAY TPSTATUS('t1/a') TYPE(PUB) ALL")
        assert shown["MCASTREL"] == "100, 100"
