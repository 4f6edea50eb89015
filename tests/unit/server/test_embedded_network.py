"""Goal: a queue manager inside an application has listeners, clients and message channels, if it
wants to, and ends cleanly in whatever order.

Method: two queue managers in this process, commands by MQSC, a client over TCP.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.base import reasons as rc
from ternmq.network.edge.network_settings import NetworkSettings
from tests.battery.places import until


def run(qmgr: ternmq.Connection, *commands: str) -> None:
    for command in commands:
        for answer in qmgr.mqsc(command):
            assert answer.ok, (command, answer)


def pair(one: ternmq.QueueManager, other: ternmq.QueueManager, port: int) -> None:
    run(
        one,
        "DEFINE QLOCAL(QMB) USAGE(XMITQ)",
        "DEFINE QREMOTE(R) RNAME(T) RQMNAME(QMB) XMITQ(QMB)",
        f"DEFINE CHANNEL(A.B) CHLTYPE(SDR) CONNAME('127.0.0.1({port})') XMITQ(QMB)",
    )
    run(other, "DEFINE QLOCAL(T)", "DEFINE CHANNEL(A.B) CHLTYPE(RCVR)")


def test_channel_when_both_are_embedded_then_messages_arrive(tmp_path: Path) -> None:
    with (
        ternmq.embedded(tmp_path / "a", "QMA", create=True) as one,
        ternmq.memory("QMB") as other,
        ternmq.open_network(one),
        ternmq.open_network(other, port=0) as network,
    ):
        pair(one, other, network.port)
        one.put("R", b"hello", persistent=True)
        run(one, "START CHANNEL(A.B)")
        assert other.queue("T").get(wait=10).data == b"hello"
        run(one, "STOP CHANNEL(A.B)")
        until(lambda: "STOPPED" in str(one.mqsc("DISPLAY CHSTATUS(A.B)")[0]))


def test_channel_when_there_is_no_network_then_start_is_refused() -> None:
    with ternmq.memory("QMA") as one:
        run(one, "DEFINE CHANNEL(A.B) CHLTYPE(SDR) CONNAME('127.0.0.1(1)') XMITQ(QMB)")
        (answer,) = one.mqsc("START CHANNEL(A.B)")
        assert not answer.ok


def test_network_when_the_queue_manager_ends_first_then_it_ends_too() -> None:
    one = ternmq.memory("QMA")
    other = ternmq.memory("QMB")
    ternmq.open_network(one)
    network = ternmq.open_network(other, port=0)
    pair(one, other, network.port)
    run(one, "START CHANNEL(A.B)")
    one.put("R", b"1", persistent=True)
    assert other.queue("T").get(wait=10).data == b"1"
    other.close()
    one.close()
    network.close()  # again


def test_network_when_it_is_closed_then_it_can_be_opened_again() -> None:
    with ternmq.memory("QMA") as one:
        with ternmq.open_network(one, port=0) as network:
            first = network.port
        with ternmq.open_network(one, port=first) as network:
            assert network.port == first


def test_network_when_there_is_one_already_then_the_second_is_refused() -> None:
    with ternmq.memory("QMA") as one, ternmq.open_network(one):
        with pytest.raises(ternmq.MQError, match="has a network already") as caught:
            ternmq.open_network(one)
        assert caught.value.reason == rc.MQRC_OBJECT_IN_USE
        run(one, "STOP CHINIT")  # those of the first still work


def test_network_when_the_port_is_taken_then_it_says_so() -> None:
    with ternmq.memory("QMA") as one, ternmq.open_network(one, port=0) as network:
        with ternmq.memory("QMB") as other, pytest.raises(ternmq.MQError) as refused:
            ternmq.open_network(other, port=network.port)
        assert refused.value.reason == rc.MQRC_UNEXPECTED_ERROR
        assert str(network.port) in str(refused.value)


def test_client_when_it_connects_to_an_embedded_queue_manager_then_it_is_served() -> None:
    with ternmq.memory("QMA") as one, ternmq.open_network(one, port=0) as network:
        run(
            one,
            "ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')",
            "DEFINE QLOCAL(Q)",
            "DEFINE CHANNEL(APP) CHLTYPE(SVRCONN)",
        )
        conn = f"127.0.0.1({network.port})"
        with ternmq.connect("QMA", channel="APP", conn=conn) as client:
            client.put("Q", b"by TCP")
        assert one.queue("Q").get().data == b"by TCP"


def test_listener_when_started_by_a_command_then_it_listens() -> None:
    logged: list[str] = []
    with (
        ternmq.memory("QMA") as one,
        ternmq.open_network(
            one,
            settings=NetworkSettings(port=0),
            on_message=lambda message_id, _inserts: logged.append(message_id),
        ),
    ):
        run(one, "DEFINE LISTENER(L) TRPTYPE(TCP) IPADDR('127.0.0.1')", "START LISTENER(L)")
        (shown,) = one.mqsc("DISPLAY LSSTATUS(L)")
        socket.create_connection(("127.0.0.1", int(str(shown["PORT"]))), 5).close()
    assert "AMQ5026I" in logged


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_channel_when_a_message_has_100_megabytes_then_it_arrives_byte_for_byte(
    tmp_path: Path,
) -> None:
    most = 104_857_600
    room: dict[str, Any] = {
        "log_primary_files": 3,
        "log_secondary_files": 2,
        "log_file_pages": 16_384,
    }
    with (
        ternmq.embedded(tmp_path / "a", "QMA", create=True, **room) as one,
        ternmq.embedded(tmp_path / "b", "QMB", create=True, **room) as other,
        ternmq.open_network(one),
        ternmq.open_network(other, port=0) as network,
    ):
        pair(one, other, network.port)
        for qmgr, queue, kind in ((one, "QMB", "SDR"), (other, "T", "RCVR")):
            run(
                qmgr,
                f"ALTER QMGR MAXMSGL({most})",
                f"ALTER QLOCAL({queue}) MAXMSGL({most})",
                f"ALTER CHANNEL(A.B) CHLTYPE({kind}) MAXMSGL({most})",
            )
        data = os.urandom(1 << 20) * 100
        data = data[: most - 4000]  # with MQXQH and MQMD it is no longer than a queue allows
        one.put("R", data, persistent=True)
        run(one, "START CHANNEL(A.B)")
        assert other.queue("T").get(wait=60).data == data
