"""Clients of multicast topics on the loopback interface: verbs and options of threads and tasks,
callbacks, a lost connection, strangers in the group, and clients that know nothing of multicast.

The group and its sockets are real; only a newcomer's test depends on time, and waits for it.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

import ternmq
from ternmq import MQError
from ternmq import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.remote.fap.client_channel import MulticastSettings
from ternmq.remote.multicast.group_sockets import interface_of, sending_socket
from ternmq.wire.fap import vocabulary
from ternmq.wire.multicast.transmitter import Transmitter
from tests.battery.places import until
from tests.conformance.pubsub.bed import Bed, reason_of
from tests.unit.api.networked import CHANNEL

GROUP = "239.77.1.4"
PORT = 24143
SENDER_AGE_S = 1.0
SCRIPT = f"""
DEFINE COMMINFO(MC1) TYPE(MULTICAST) GRPADDR({GROUP}) PORT({PORT}) MSGHIST(10000) BRIDGE(DISABLED)
DEFINE TOPIC(T1) TOPICSTR('t1') MCAST(ONLY) COMMINFO(MC1)
DEFINE TOPIC(T2) TOPICSTR('t2') MCAST(ENABLED) COMMINFO(MC1)
"""


@pytest.fixture
def bed() -> Iterator[Bed]:
    made = Bed("tcp")
    made.mqsc(SCRIPT)
    yield made
    made.close()


def test_copy_when_received_then_is_as_the_subscription_says(bed: Bed) -> None:
    given: dict[str, Any] = {"correl_id": b"s" * 24, "user_data": "mine", "priority": 7}
    with (
        bed.connection.subscribe("t1/+", **given) as sub,
        bed.connection.subscribe("t1/a", level=5) as high,
        bed.connect().topic("t1/a") as topic,
    ):
        msg_id = topic.put("one", reply_to="R", expiry=60.0, properties={"n": 1}, level=4)
        found = sub.get(wait=5)
        assert (found.text, found.msg_id, found.correl_id) == ("one", msg_id, b"s" * 24)
        assert (found.topic, found.subscription_user_data) == ("t1/a", "mine")
        assert found.descriptor.priority == 7
        assert found.descriptor.reply_to_qmgr == "QM1"
        assert found.descriptor.persistence == mq.MQPER_NOT_PERSISTENT
        assert found.properties["n"] == 1
        assert high.try_get() is None


def test_get_when_options_are_given_then_they_hold(bed: Bed) -> None:
    with bed.connection.subscribe("t1/+") as sub, bed.connect().topic("t1/a") as topic:
        first, second = topic.put("first one"), topic.put("zwölf", properties={"a": "b"})
        assert sub.get(wait=5, msg_id=second).text == "zwölf"
        with pytest.raises(MQError) as caught:
            sub.get(max_length=4)
        assert caught.value.reason == 2080
        cut = sub.get(max_length=5, options=mq.MQGMO_ACCEPT_TRUNCATED_MSG)
        assert (cut.data, cut.truncated, cut.length, cut.msg_id) == (b"first", True, 9, first)
        topic.put("zwölf", properties={"a": "b"})
        header = sub.get(wait=5, options=mq.MQGMO_PROPERTIES_FORCE_MQRFH2)
        assert header.descriptor.format == mq.MQFMT_RF_HEADER_2
        assert header.properties["a"] == "b"
        topic.put("zwölf", properties={"a": "b"})
        assert dict(sub.get(wait=5, options=mq.MQGMO_NO_PROPERTIES).properties) == {}
        assert reason_of(sub.get, syncpoint=True) == 2569
        assert reason_of(lambda: list(sub.browse())) == 2036
        assert reason_of(sub.get) == 2033


@pytest.mark.parametrize(
    ("reason", "arguments"),
    [
        (2005, {"data": b""}),
        (2048, {"persistent": True}),
        (2443, {"descriptor": Descriptor(msg_flags=mq.MQMF_SEGMENTATION_ALLOWED)}),
        (2046, {"needs_subscriber": True}),
        (2218, {"data": bytes(4 << 20)}),
    ],
)
def test_put_when_multicast_cannot_then_its_reason(
    bed: Bed, reason: int, arguments: dict[str, Any]
) -> None:
    with bed.connection.topic("t1/a") as topic:
        assert reason_of(topic.put, **{"data": b"x", **arguments}) == reason


def test_own_publication_when_not_wanted_then_is_not_received(bed: Bed) -> None:
    other = bed.connect()
    with (
        bed.connection.subscribe("t1/#") as mine,
        other.subscribe("t1/#") as others,
        bed.connection.topic("t1/a") as topic,
    ):
        topic.put("for others", not_own=True)
        topic.put("for all")
        assert [others.get(wait=5).text for _ in range(2)] == ["for others", "for all"]
        assert mine.get(wait=5).text == "for all"


def test_tasks_when_they_use_multicast_then_as_threads(bed: Bed) -> None:
    async def use() -> list[str]:
        way: dict[str, Any] = {"channel": CHANNEL, "conn": bed.served.conn}
        async with (
            ternmq.aio.connect("QM1", **way) as one,
            ternmq.aio.connect("QM1", **way) as two,
            one.subscribe("t1/#") as sub,
            two.topic("t1/a") as topic,
        ):
            waiting = asyncio.create_task(sub.get(wait=10))
            await asyncio.sleep(0)
            await topic.put("1")
            texts = [(await waiting).text]
            cancelled = asyncio.create_task(sub.get(wait=10))
            await asyncio.sleep(0)
            cancelled.cancel()
            with pytest.raises(asyncio.CancelledError):
                await cancelled
            await topic.put("2")
            texts.append((await sub.get(wait=10)).text)
            assert await sub.try_get() is None
            return texts

    assert asyncio.run(use()) == ["1", "2"]


def test_callbacks_when_multicast_is_among_them_then_all_are_called(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    seen: list[str] = []
    connection, other = bed.connect(), bed.connect()
    with connection.subscribe("t1/a") as sub, connection.queue("Q1") as queue:
        sub.on_message(lambda message: seen.append(message.text))
        queue.on_message(lambda message: seen.append(message.text))
        connection.start()
        with other.topic("t1/a") as topic:
            topic.put("by multicast")
            other.put("Q1", "by queue")
            while len(seen) < 2:
                other.qmgr_attributes()
        connection.stop()
    assert sorted(seen) == ["by multicast", "by queue"]


def test_connection_when_it_is_lost_then_the_client_joins_again(bed: Bed) -> None:
    events: list[int] = []
    client = bed.connect(reconnect=True, on_event=events.append)
    with client.subscribe("t1/#") as sub, client.topic("t1/a") as topic:
        topic.put("before")
        assert sub.get(wait=5).text == "before"
        bed.kernel.multicast_key = bytes(32)  # as after a restart
        transport: Any = client.transport
        transport.line.socket._socket.shutdown(socket.SHUT_RDWR)
        client.qmgr_attributes()
        assert mq.MQRC_RECONNECTED in events
        topic.put("after")
        assert sub.get(wait=5).text == "after"
        # A newcomer believes that it was there before a sender began if a packet is later than the
        # time since then, and wants what was sent before, too: that time must be long.
        end = time.monotonic() + SENDER_AGE_S
        until(lambda: time.monotonic() > end)
        with bed.connect().subscribe("t1/#") as other:
            topic.put("to a new one")
            assert other.get(wait=5).text == "to a new one"


def test_strangers_when_they_send_to_the_group_then_nothing_happens(bed: Bed) -> None:
    with bed.connection.subscribe("t1/#") as sub, bed.connect().topic("t1/a") as topic:
        stranger = sending_socket(GROUP, PORT, "127.0.0.1", MulticastSettings())
        liar = Transmitter(b"k" * 32, 5, 1000, 0, 0)
        for datagram in (b"", b"x", b"TMQM" + bytes(60), bytes(2000), *liar.publish(b"no", 0)):
            stranger.sendto(datagram, (GROUP, PORT))
        stranger.close()
        topic.put("still here")
        assert sub.get(wait=5).text == "still here"
        assert sub.try_get() is None
        transport: Any = bed.connection.transport
        (receiver,) = transport.verbs.subscribers.values()
        assert receiver.ignored >= 4


def test_client_when_it_knows_no_multicast_then_topics_are_ordinary(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary, "FCNO_MULTICAST", 0)
    plain = bed.connect()
    with plain.subscribe("t2/#") as sub, plain.topic("t2/a") as topic:
        topic.put("by the queue manager", persistent=True)
        assert sub.get().text == "by the queue manager"
    assert reason_of(plain.subscribe, "t1/#") == 2560
    assert reason_of(plain.topic, "t1/a") == 2560


def test_interface_when_it_cannot_be_used_then_2565_and_nothing_is_left(
    bed: Bed, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "mqclient.ini"
    settings.write_text("Multicast:\n  Interface=192.0.2.1\n")
    monkeypatch.setenv("MQCLNTCF", str(settings))
    client = bed.connect()
    assert reason_of(client.topic, "t1/a") == 2565
    assert reason_of(client.subscribe, "t1/#") == 2565
    (status,) = bed.mqsc("DISPLAY PUBSUB ALL")
    assert status["SUBCOUNT"] == 0


@pytest.mark.parametrize(
    ("settings", "host", "expected"),
    [
        (MulticastSettings(interface="10.1.1.1"), "127.0.0.1", "10.1.1.1"),
        (MulticastSettings(), "127.0.0.1", "127.0.0.1"),
        (MulticastSettings(), "::1", "127.0.0.1"),
        (MulticastSettings(), "::ffff:10.2.2.2", "10.2.2.2"),
        (MulticastSettings(), "fe80::1%eth0", "0.0.0.0"),
        (MulticastSettings(), "", "0.0.0.0"),
    ],
)
def test_interface_when_not_set_then_that_of_the_connection(
    settings: MulticastSettings, host: str, expected: str
) -> None:
    assert interface_of(settings, host) == expected


def test_comminfo_when_missing_then_2558(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T3) TOPICSTR('t3') MCAST(ONLY) COMMINFO(NOT.THERE)")
    assert reason_of(bed.connection.topic, "t3/a") == 2558
    assert reason_of(bed.connection.subscribe, "t3/a") == 2558
