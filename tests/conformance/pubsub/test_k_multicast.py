"""Section K, multicast: what every binding refuses, and what a client over TCP receives from a
group on the loopback interface."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ternmq import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from tests.battery.places import until
from tests.bindings.bound import JAVA
from tests.bindings.compat_verbs import CompatVerbs
from tests.bindings.transport import BindingTransport
from tests.conformance.pubsub.bed import Bed, D, M, reason_of

GROUP = "DEFINE COMMINFO(MC1) TYPE(MULTICAST) GRPADDR(239.77.1.2) PORT(24140) MSGHIST(1000)"
OUT = mq.MQOO_OUTPUT


@pytest.fixture
def multicast(request: pytest.FixtureRequest) -> Iterator[Bed]:
    """A bed whose connection can use multicast: no other binding can."""
    made = Bed(request.param)
    made.mqsc(GROUP)
    yield made
    made.close()


def test_k10_a_topic_for_multicast_only_is_refused(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1') MCAST(ONLY)")
    assert reason_of(bed.connection.publish, "t1/a", "x") == 2560
    assert reason_of(bed.open_topic, "t1", OUT | mq.MQOO_NO_MULTICAST) == 2560
    assert reason_of(bed.sub, "t1", M | mq.MQSO_NO_MULTICAST) == 2560
    if bed.binding not in ("tcp", "ibmmq"):  # which are clients of ours, over TCP
        assert reason_of(bed.sub, "t1", M) == 2560
        assert reason_of(bed.open_topic, "t1", OUT) == 2560
    (status,) = bed.mqsc("DISPLAY PUBSUB ALL")
    assert status["SUBCOUNT"] == 0
    assert reason_of(bed.open_topic, "a", OUT | mq.MQOO_NO_MULTICAST) == 0
    assert reason_of(bed.open, "Q1", OUT | mq.MQOO_NO_MULTICAST) == 2045


def test_k11_what_a_topic_with_multicast_refuses(bed: Bed) -> None:
    bed.mqsc(GROUP)
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1') MCAST(ENABLED) COMMINFO(MC1)")
    topic = bed.connection.topic("t1/a")
    assert reason_of(topic.put, b"x", syncpoint=True) == 2569
    if bed.binding != JAVA:  # an MQPUT1 in a unit of work is not answered there
        assert reason_of(bed.connection.publish, "t1/a", "x", syncpoint=True) == 2569
    grouped = Descriptor(msg_flags=mq.MQMF_MSG_IN_GROUP, group_id=b"g" * 24)
    assert reason_of(topic.put, b"x", descriptor=grouped) == 2562
    assert reason_of(topic.put, b"x") == 0
    topic.close()
    longest = "t1/" + "a" * 252
    assert reason_of(bed.connection.topic, longest + "a") == 2425
    assert reason_of(bed.connection.publish, longest + "a", "x") == 2425
    with bed.connection.topic(longest) as short:
        assert short.name == longest
    with bed.connection.topic(longest + "a", options=OUT | mq.MQOO_NO_MULTICAST) as other:
        assert reason_of(other.put, b"x", syncpoint=True) == 0


def test_k12_a_durable_subscription_for_multicast_only_is_refused(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1') MCAST(ONLY) DURSUB(YES)")
    bed.mqsc("DEFINE QLOCAL(Q1)")
    assert reason_of(bed.sub, "t1", M | D, "S1") == 2436
    assert reason_of(bed.connection.subscribe, "t1", queue="Q1") == 2560


def test_k13_retained_and_selected(multicast: Bed) -> None:
    multicast.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1') MCAST(ENABLED) COMMINFO(MC1)")
    multicast.connection.publish("t1/a", "retained", retain=True)
    with multicast.connection.subscribe("t1/+", options=mq.MQSO_NO_MULTICAST) as ordinary:
        assert ordinary.get(wait=5).text == "retained"
    with multicast.connection.subscribe("t1/+", selector="color = 'red'") as late:
        with multicast.connect().topic("t1/a") as topic:
            topic.put("blue one", properties={"color": "blue"})
            topic.put("red one", properties={"color": "red"})
        found = late.get(wait=5)
        assert (found.text, found.topic, found.correl_id) == ("red one", "t1/a", late.correl_id)
        assert found.properties["color"] == "red"
        assert late.try_get() is None
        assert reason_of(late.request_publications) in (2046, 2437)


class Slow:
    """A subscriber to t1/a that takes what there is when it is asked to: by gets, or as a program
    of ibmmq does that wants to hear of events, by functions of MQCB."""

    def __init__(self, bed: Bed) -> None:
        self.events: list[int] = []
        self.texts: list[str] = []
        by_gets = bed.binding == "tcp"
        self._by_gets = by_gets
        self.connection = bed.connect(on_event=self.events.append) if by_gets else bed.connect()
        self.sub = self.connection.subscribe("t1/a")

    def take_until(self, last: str) -> None:
        """Take messages up to that one; the first characters of each are kept."""
        if not self._by_gets:
            self._consume_until(last)
            return
        while last not in self.texts:
            self.texts.append(self.sub.get(wait=5).text[:4])

    def _consume_until(self, last: str) -> None:
        transport = self.connection.transport
        assert isinstance(transport, BindingTransport)
        verbs = transport.verbs
        assert isinstance(verbs, CompatVerbs)
        library, manager = verbs.library, verbs.manager
        handler = library.CBD(CallbackType=mq.MQCBT_EVENT_HANDLER, CallbackFunction=self._hear)
        consumer = library.CBD(CallbackFunction=self._consume)
        gmo = library.GMO(Options=mq.MQGMO_NO_PROPERTIES)
        handle = self.sub._queue._handles.input
        assert handle is not None
        with verbs._as(library.Queue, handle.handle_id) as queue:
            manager.cb(operation=mq.MQOP_REGISTER, cbd=handler)
            queue.cb(operation=mq.MQOP_REGISTER, cbd=consumer, md=library.MD(), gmo=gmo)
            manager.ctl(mq.MQOP_START, library.CTLO())
            until(lambda: last in self.texts)
            manager.ctl(mq.MQOP_STOP, library.CTLO())
            queue.cb(operation=mq.MQOP_DEREGISTER)

    def _hear(self, *, cbc: Any, **_: Any) -> None:
        if cbc.CallType == mq.MQCBCT_MC_EVENT_CALL:
            self.events.append(cbc.Reason)

    def _consume(self, *, msg: bytes | None, **_: Any) -> None:
        if msg is not None:
            self.texts.append(msg[:4].decode())


def test_k14_a_slow_subscriber_loses_the_oldest(
    multicast: Bed, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = f"{tmp_path}/mqclient.ini"
    with open(settings, "w") as file:
        file.write("MessageBuffer:\n  MaximumSize=100\n")
    monkeypatch.setenv("MQCLNTCF", settings)
    multicast.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1') MCAST(ONLY) COMMINFO(MC1)")
    slow, fast = Slow(multicast), multicast.connect()
    marker = fast.subscribe("t1/#")
    topic = fast.topic("t1/a")
    for number in range(100):
        topic.put(f"{number:04}" + "x" * 4000)
        marker.get(wait=5)  # it has come to all of this machine
    slow.take_until("0099")
    got = slow.texts
    assert got == [f"{number:04}" for number in range(100 - len(got), 100)]
    assert 10 < len(got) < 30
    assert mq.MQMCEV_RECEIVE_QUEUE_TRIMMED in slow.events


def test_k15_communication_information(bed: Bed) -> None:
    bed.mqsc("DEFINE COMMINFO(C1) TYPE(MULTICAST)")
    (shown,) = bed.mqsc("DISPLAY COMMINFO(C1) ALL")
    expected = {
        "TYPE": "MULTICAST",
        "BRIDGE": "ENABLED",
        "CCSID": "ASPUB",
        "COMMEV": "DISABLED",
        "ENCODING": "ASPUB",
        "GRPADDR": "239.0.0.0",
        "MCHBINT": 2000,
        "MCPROP": "ALL",
        "MONINT": 60,
        "MSGHIST": 100,
        "NSUBHIST": "NONE",
        "PORT": 1414,
    }
    assert {key: shown[key] for key in expected} == expected
    for wrong in ("10.0.0.1", "240.0.0.1", "239.0.0", "239.0.0.256", "group"):
        (refused,) = bed.mqsc(f"DEFINE COMMINFO(C2) GRPADDR({wrong})", ok=False)
        assert not refused.ok
        assert "GRPADDR" in str(refused)
    (refused,) = bed.mqsc("DEFINE COMMINFO(C2) TYPE(OTHER)", ok=False)
    assert not refused.ok
