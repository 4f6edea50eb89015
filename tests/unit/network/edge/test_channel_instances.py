"""Commands and status of channels and listeners: START and STOP, DISPLAY CHSTATUS and LSSTATUS,
idle channels, keep-alive.

Method: real sockets on loopback, the server's own parts, a protocol that counts nothing by itself
(`edge`), so that what status shows is what the test has put there.
"""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.kernel.channel_instance import FORCE, QUIESCE, TERMINATE
from ternmq.network.edge.tcp_listener import plain_address
from ternmq.server.settings.network_settings import NetworkSettings
from ternmq.wire.fap import vocabulary as fap
from tests.unit.network.edge_setup import Edge, on_edge

OPEN = (
    "ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')",
    "REFRESH SECURITY TYPE(CONNAUTH)",
    "DEFINE CHANNEL(APP) CHLTYPE(SVRCONN)",
)


def first(edge: Edge, command: str) -> str:
    return edge.manager.mqsc(command)[0].message


# ---- status


def test_each_instance_has_a_status_of_its_own() -> None:
    async def play(edge: Edge) -> None:
        edge.run(*OPEN)
        assert first(edge, "DISPLAY CHSTATUS(APP)") == "AMQ8420I"
        await edge.stay("APP alice")
        await edge.stay("APP bob")
        shown = edge.manager.mqsc("DISPLAY CHSTATUS(APP) ALL")
        assert [one["MCAUSER"] for one in shown] == ["alice", "bob"]
        assert [one["STATUS"] for one in shown] == ["RUNNING", "RUNNING"]
        (one, other) = edge.network.channels.instances.values()
        one.bytes_received, one.bytes_sent, one.buffers_received = 100, 200, 3
        one.messages, one.conversations, one.conversations_max = 7, 2, 10
        one.last_message_ns = other.started_ns
        one.calls_under_way = 1
        one.heartbeat_s = 300
        one.application = "payroll"
        one.product, one.version = "MQJB", "09030500"
        (shown_one, _) = edge.manager.mqsc("DISPLAY CHSTATUS(A*) ALL")
        assert shown_one["BYTSRCVD"] == 100
        assert shown_one["BYTSSENT"] == 200
        assert shown_one["BUFSRCVD"] == 3
        assert shown_one["MSGS"] == 7
        assert shown_one["CURSHCNV"] == 2
        assert shown_one["MAXSHCNV"] == 10
        assert shown_one["HBINT"] == 300
        assert shown_one["SUBSTATE"] == "MQICALL"
        assert shown_one["RAPPLTAG"] == "payroll"
        assert shown_one["RPRODUCT"] == "MQJB"
        assert shown_one["CONNAME"] == "127.0.0.1"
        assert shown_one["LOCLADDR"] == f"127.0.0.1({edge.listener.port})"
        assert shown_one["SECPROT"] == "NONE"
        assert shown_one["LSTMSGDA"] == shown_one["CHSTADA"] != ""

    on_edge(play)


def test_without_all_the_status_shows_what_people_look_for() -> None:
    async def play(edge: Edge) -> None:
        edge.run(*OPEN)
        await edge.stay("APP alice")
        (shown,) = edge.manager.mqsc("DISPLAY CHSTATUS(APP)")
        always = ["CHANNEL", "CHLTYPE", "CONNAME", "CURRENT", "STATUS", "SUBSTATE"]
        assert shown.keys() == always
        (asked,) = edge.manager.mqsc("DISPLAY CHSTATUS(APP) MSGS")
        assert sorted(asked.keys()) == sorted([*always, "MSGS"])
        (monitored,) = edge.manager.mqsc("DISPLAY CHSTATUS(APP) MONITOR")
        assert set(always) < set(monitored.keys())
        assert "MONCHL" in monitored
        assert first(edge, "DISPLAY CHSTATUS(APP) SAVED") == "AMQ8420I"
        assert first(edge, "DISPLAY CHSTATUS(APP) CONNAME('192.0.2.1')") == "AMQ8420I"
        assert first(edge, "DISPLAY CHSTATUS(APP) CONNAME('127.*')") == "AMQ8417I"
        (filtered,) = edge.manager.mqsc("DISPLAY CHSTATUS(*) WHERE(MCAUSER EQ 'alice')")
        assert filtered["MCAUSER"] == "alice"

    on_edge(play)


def test_status_by_pcf_has_the_same_as_numbers() -> None:
    async def play(edge: Edge) -> None:
        edge.run(*OPEN)
        await edge.stay("APP alice")
        (instance,) = edge.network.channels.instances.values()
        instance.bytes_received = 5_000_000_000  # more than 32 bits
        server = edge.manager.start_command_server()

        def inquire() -> list[dict[int, Any]]:
            with ternmq.PCFExecute(edge.manager) as pcf:
                asked = {mq.MQCACH_CHANNEL_NAME: "APP"}
                return list(pcf.MQCMD_INQUIRE_CHANNEL_STATUS(asked))

        (shown,) = await asyncio.to_thread(inquire)
        assert shown[mq.MQIACH_CHANNEL_STATUS] == mq.MQCHS_RUNNING
        assert shown[mq.MQIACH_CHANNEL_TYPE] == mq.MQCHT_SVRCONN
        assert str(shown[mq.MQCACH_MCA_USER_ID]).strip() == "alice"
        assert shown[mq.MQIACH_BYTES_RCVD] == 5_000_000_000
        assert shown[mq.MQIACH_SECURITY_PROTOCOL] == 0
        assert shown[mq.MQIACH_CHANNEL_SUBSTATE] == 300  # MQCHSSTATE_RECEIVING
        assert list(shown[mq.MQIACH_HDR_COMPRESSION]) == [0, 0]
        await asyncio.to_thread(server.stop)

    on_edge(play)


# ---- stop and start


@pytest.mark.parametrize(
    ("mode", "number"),
    [
        ("", QUIESCE),
        ("MODE(QUIESCE)", QUIESCE),
        ("MODE(FORCE)", FORCE),
        ("MODE(TERMINATE)", TERMINATE),
    ],
)
def test_stop_channel_ends_its_instances_and_keeps_others_out_until_start(
    mode: str, number: int
) -> None:
    async def play(edge: Edge) -> None:
        edge.run(*OPEN)
        await edge.stay("APP alice")
        (guest,) = edge.guests
        assert first(edge, f"STOP CHANNEL(APP) {mode}") == "AMQ8019I"
        await edge.until(lambda: not edge.network.channels.instances)
        assert guest.stops == [number]
        (shown,) = edge.manager.mqsc("DISPLAY CHSTATUS(APP)")
        assert shown["STATUS"] == "STOPPED"
        assert await edge.ask("APP alice") == f"REFUSED {fap.CHANNEL_UNAVAILABLE}"
        assert "AMQ9534E" in edge.ids
        assert first(edge, "START CHANNEL(APP)") == "AMQ8018I"
        assert first(edge, "DISPLAY CHSTATUS(APP)") == "AMQ8420I"
        assert await edge.ask("APP alice") == "OK alice"

    on_edge(play)


def test_stop_channel_inactive_ends_instances_and_keeps_nobody_out() -> None:
    async def play(edge: Edge) -> None:
        edge.run(*OPEN)
        assert first(edge, "STOP CHANNEL(APP) STATUS(INACTIVE)") == "AMQ9533W"
        assert first(edge, "STOP CHANNEL(APP) STATUS(INACTIVE) IGNSTATE(YES)") == "AMQ8019I"
        await edge.stay("APP alice")
        assert first(edge, "STOP CHANNEL(APP) CONNAME('192.0.2.1')") == "AMQ9533W"
        assert first(edge, "STOP CHANNEL(APP) CONNAME('127.0.0.1')") == "AMQ8019I"
        await edge.until(lambda: not edge.network.channels.instances)
        assert await edge.ask("APP alice") == "OK alice"

    on_edge(play)


def test_stop_and_start_of_other_channels_are_refused() -> None:
    async def play(edge: Edge) -> None:
        edge.run(*OPEN, "DEFINE CHANNEL(RCV) CHLTYPE(RCVR)")
        for action in ("START", "STOP"):
            assert first(edge, f"{action} CHANNEL(RCV)") == "AMQ8561E"
            assert first(edge, f"{action} CHANNEL(NOT.THERE)") == "AMQ8147E"
        assert first(edge, "STOP CHANNEL(APP) CONNAME('*') STATUS(STOPPED)") == "AMQ8425E"
        assert first(edge, "START CHANNEL(APP)") == "AMQ8018I"
        await edge.stay("APP alice")
        assert first(edge, "START CHANNEL(APP)") == "AMQ9514E"

    on_edge(play)


def test_refresh_security_ends_channels_with_tls_and_no_others(tmp_path: Path) -> None:
    from tests.unit.network.certificates import Certificates, client_context

    certificates = Certificates()
    certificates.write_folder(tmp_path / "ssl")

    async def play(edge: Edge) -> None:
        edge.run(*OPEN)
        edge.run("DEFINE CHANNEL(SEC) CHLTYPE(SVRCONN) SSLCIPH(ANY) SSLCAUTH(OPTIONAL)")
        await edge.stay("APP alice")
        await edge.stay("SEC alice", client_context(certificates), "localhost")
        (shown,) = edge.manager.mqsc("DISPLAY CHSTATUS(SEC) SSLCIPH SECPROT")
        assert (shown["SSLCIPH"], shown["SECPROT"]) == ("TLS_AES_256_GCM_SHA384", "TLSV13")
        edge.run("REFRESH SECURITY TYPE(SSL)")
        await edge.until(lambda: len(edge.network.channels.instances) == 1)
        (left,) = edge.network.channels.instances.values()
        assert left.name == "APP"

    on_edge(play, tmp_path)


def test_a_channel_that_runs_is_not_deleted() -> None:
    async def play(edge: Edge) -> None:
        edge.run(*OPEN)
        await edge.stay("APP alice")
        assert first(edge, "DELETE CHANNEL(APP)") == "AMQ8148E"
        edge.run("ALTER CHANNEL(APP) CHLTYPE(SVRCONN) MCAUSER('bob')")
        (instance,) = edge.network.channels.instances.values()
        assert instance.channel.text("mca_user") == ""  # as it was when it started
        edge.run("STOP CHANNEL(APP) STATUS(INACTIVE)")
        await edge.until(lambda: not edge.network.channels.instances)
        assert await edge.ask("APP alice") == "OK bob"
        await edge.until(lambda: not edge.network.channels.instances)
        assert first(edge, "DELETE CHANNEL(APP)") == "AMQ8015I"

    on_edge(play)


# ---- silence


def test_an_idle_channel_ends_after_discint_unless_it_is_in_a_call() -> None:
    async def play(edge: Edge) -> None:
        edge.run(*OPEN, "ALTER CHANNEL(APP) CHLTYPE(SVRCONN) DISCINT(60)")
        await edge.stay("APP alice")
        channels = edge.network.channels
        (instance,) = channels.instances.values()
        long_ago = channels._loop.time() - 61
        channels._look()
        instance.calls_under_way = 1
        channels._idle[instance.number] = (0, long_ago)
        channels._look()
        assert edge.guests[0].stops == []
        instance.calls_under_way = 0
        instance.messages = 1
        channels._idle[instance.number] = (0, long_ago)
        channels._look()
        assert edge.guests[0].stops == []
        channels._idle[instance.number] = (1, long_ago)
        channels._look()
        assert edge.guests[0].stops == [QUIESCE]
        assert edge.ids == ["AMQ9545I"]

    on_edge(play)


@pytest.mark.parametrize(
    ("interval", "heartbeat_s", "expected"),
    [("AUTO", 300, 360), ("AUTO", 0, 0), ("45", 300, 45), ("0", 300, 0), ("99999", 1, 32767)],
)
def test_keep_alive_is_set_as_kaint_says(interval: str, heartbeat_s: int, expected: int) -> None:
    async def play(edge: Edge) -> None:
        edge.run(*OPEN, f"ALTER CHANNEL(APP) CHLTYPE(SVRCONN) KAINT({interval})")
        await edge.stay("APP alice")
        (guest,) = edge.guests
        assert guest.instance is not None
        guest.instance.heartbeat_s = heartbeat_s
        sock = guest.peer.transport
        assert sock is not None
        raw = sock.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 0)
        edge.network.channels.keep_alive(guest.instance, guest.peer)
        assert raw.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == (expected > 0)
        if expected:
            assert raw.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == expected

    on_edge(play)


# ---- listeners


def test_a_listener_is_started_shown_and_stopped() -> None:
    async def play(edge: Edge) -> None:
        edge.run(*OPEN, "DEFINE LISTENER(L) TRPTYPE(TCP) IPADDR('127.0.0.1') BACKLOG(7)")
        assert first(edge, "DISPLAY LSSTATUS(L)") == "AMQ8147E"
        assert first(edge, "START LISTENER(L)") == "AMQ8021I"
        (shown,) = edge.manager.mqsc("DISPLAY LSSTATUS(L)")
        port = int(shown["PORT"])
        assert port > 0
        assert shown["STATUS"] == "RUNNING"
        assert (shown["IPADDR"], shown["BACKLOG"]) == ("127.0.0.1", 7)
        assert int(shown["PID"]) > 0
        edge.listener.port = port
        assert await edge.ask("APP alice") == "OK alice"
        assert first(edge, "START LISTENER(L)") == "AMQ8730W"
        assert first(edge, "DELETE LISTENER(L)") == "AMQ8148E"
        writer = await edge.stay("APP alice")
        assert first(edge, "STOP LISTENER(L)") == "AMQ8706I"
        await edge.until(lambda: "L" not in edge.network.listeners)
        assert await edge.ask("APP alice") == "CLOSED"
        assert not writer.transport.is_closing()  # those who are there stay
        assert first(edge, "STOP LISTENER(L)") == "AMQ8731W"
        assert first(edge, "DELETE LISTENER(L)") == "AMQ8628I"
        assert edge.ids == ["AMQ5026I", "AMQ5027I"]

    on_edge(play, settings=NetworkSettings(port=0))


def test_a_listener_whose_port_is_taken_is_refused_and_reported() -> None:
    async def play(edge: Edge) -> None:
        port = edge.listener.port
        edge.run(f"DEFINE LISTENER(L) TRPTYPE(TCP) IPADDR('127.0.0.1') PORT({port})")
        (answer,) = edge.manager.mqsc("START LISTENER(L)")
        assert answer.message == "AMQ8561E"
        assert edge.ids == ["AMQ9218E"]
        assert first(edge, "DISPLAY LSSTATUS(L)") == "AMQ8147E"

    on_edge(play)


def test_listeners_start_with_the_queue_manager_as_control_says() -> None:
    async def play(edge: Edge) -> None:
        for name, control in (("A", "QMGR"), ("B", "MANUAL"), ("C", "STARTONLY")):
            where = "TRPTYPE(TCP) IPADDR('127.0.0.1')"
            edge.run(f"DEFINE LISTENER({name}) {where} CONTROL({control})")
        edge.parts.begin()
        assert sorted(edge.parts.running["listener"]) == ["A", "C"]

    on_edge(play, settings=NetworkSettings(port=0))


def test_addresses_are_shown_as_people_know_them() -> None:
    assert plain_address("::ffff:192.0.2.7") == "192.0.2.7"
    assert plain_address("fe80::1%eth0") == "fe80::1"
    assert plain_address("127.0.0.1") == "127.0.0.1"
