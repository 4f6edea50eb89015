"""Goal: message channels between two queue managers, over real sockets: types and pairings, who is
refused and why, stops, partners that vanish, adoption.

Method: two queue managers in memory in one loop; a proxy where a line breaks.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

import ternmq
from ternmq.base import reasons as rc
from ternmq.channel.agent import NORMAL, RETRY, End
from ternmq.kernel.channel_instance import FORCE, QUIESCE, TERMINATE
from ternmq.network.edge.network_settings import ADOPTABLE, NetworkSettings
from ternmq.testing.proxy import RESET, STALL, TO_SERVER, Fault, Proxy
from ternmq.wire.fap import vocabulary as fap
from tests.unit.network.channels.two_managers import Node, two_managers, until

Play = Callable[[Node, Node], Coroutine[Any, Any, None]]
NAME = "QMA.QMB"


def played(play: Play, settings: NetworkSettings | None = None) -> None:
    async def main() -> None:
        async with two_managers(settings=settings) as (one, other):
            await play(one, other)

    asyncio.run(main())


async def running(one: Node, other: Node, name: str = NAME) -> None:
    await until(
        lambda: one.status(name) == other.status(name) == "RUNNING",
        f"{one.logged} {other.logged}",
    )


async def arrived(other: Node, count: int, queue: str = "T") -> None:
    await until(lambda: other.depth(queue) == count, f"{count} messages on {queue}")


# ---- types and pairings


def test_sender_when_started_then_messages_arrive_in_order_as_they_were_put() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other)
        with one.manager.connect() as connection, connection.queue("R") as queue:
            for number in range(3):
                queue.put(
                    f"m{number}".encode(),
                    persistent=True,
                    priority=4,
                    correl_id=bytes([number]) * 24,
                    reply_to="ANSWERS",
                )
        sent = [(4, "ANSWERS", "QMA")] * 3
        one.start(NAME)
        await arrived(other, 3)
        await running(one, other)
        assert one.depth("QMB") == 0
        for node, partner in ((one, "QMB"), (other, "QMA")):
            agent = node.instance(NAME).agent
            assert agent is not None
            assert agent.partner_qmgr == partner
            assert agent.messages == 3
        with other.manager.connect() as connection, connection.queue("T") as queue:
            found = [queue.get() for _ in range(3)]
        assert [message.data for message in found] == [b"m0", b"m1", b"m2"]
        assert [message.correl_id[0] for message in found] == [0, 1, 2]
        shown = [one.descriptor for one in found]
        assert [(md.priority, md.reply_to_queue, md.reply_to_qmgr) for md in shown] == sent
        assert all(one.persistent for one in found)

    played(play)


def test_sender_when_a_message_is_put_later_then_it_is_sent_without_a_start() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other)
        one.start(NAME)
        await running(one, other)
        one.put("R", b"late")
        await arrived(other, 1)
        one.put("R", b"later")
        await arrived(other, 2)

    played(play)


def test_server_when_it_has_a_conname_then_it_sends_to_a_receiver() -> None:
    async def play(one: Node, other: Node) -> None:
        one.run(
            "DEFINE QLOCAL(QMB) USAGE(XMITQ)",
            "DEFINE QREMOTE(R) RNAME(T) RQMNAME(QMB) XMITQ(QMB)",
            f"DEFINE CHANNEL(S) CHLTYPE(SVR) CONNAME('{other.conn}') XMITQ(QMB)",
        )
        other.run("DEFINE QLOCAL(T)", "DEFINE CHANNEL(S) CHLTYPE(RCVR)")
        one.put("R", b"1")
        one.start("S")
        await arrived(other, 1)

    played(play)


def test_requester_when_it_calls_a_server_then_that_sends_on_the_same_socket() -> None:
    async def play(one: Node, other: Node) -> None:
        one.run(
            "DEFINE QLOCAL(QMB) USAGE(XMITQ)",
            "DEFINE QREMOTE(R) RNAME(T) RQMNAME(QMB) XMITQ(QMB)",
            "DEFINE CHANNEL(S) CHLTYPE(SVR) XMITQ(QMB)",
        )
        other.run("DEFINE QLOCAL(T)", f"DEFINE CHANNEL(S) CHLTYPE(RQSTR) CONNAME('{one.conn}')")
        one.put("R", b"1", b"2")
        other.start("S")
        await arrived(other, 2)
        await running(one, other, "S")
        assert other.instance("S").is_caller
        assert not one.instance("S").is_caller

    played(play)


def test_requester_when_it_calls_a_sender_then_that_calls_back() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other)
        other.run(
            "DELETE CHANNEL(QMA.QMB)",
            f"DEFINE CHANNEL(QMA.QMB) CHLTYPE(RQSTR) CONNAME('{one.conn}')",
        )
        one.put("R", b"1")
        other.start(NAME)
        await arrived(other, 1)
        await running(one, other)
        assert (NAME, "REQUESTING") in other.seen.statuses
        assert one.instance(NAME).is_caller

    played(play)


def test_requester_when_it_has_the_only_place_then_the_call_back_comes_in() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other)
        other.run(
            "DELETE CHANNEL(QMA.QMB)",
            f"DEFINE CHANNEL(QMA.QMB) CHLTYPE(RQSTR) CONNAME('{one.conn}')",
        )
        other.seen.most = 1
        one.put("R", b"1")
        other.start(NAME)
        await arrived(other, 1)

    played(play)


# ---- who is refused


def test_sender_when_there_is_no_place_then_it_is_refused_and_may_try_again() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other)
        other.seen.most = 0
        one.start(NAME)
        await until(lambda: one.seen.ends != [])
        assert one.seen.ends[0].kind == RETRY
        assert one.seen.ends[0].status == fap.MAX_CONNS_LIMIT_REACHED
        assert "AMQ9513E" in other.ids

    played(play)


def test_channel_when_it_runs_then_tcp_asks_whether_its_partner_is_there() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, "HBINT(40)")
        other.run("ALTER CHANNEL(QMA.QMB) CHLTYPE(RCVR) HBINT(40) KAINT(7)")
        one.start(NAME)
        await running(one, other)
        for node, seconds in ((one, 100), (other, 7)):
            (sock,) = node.host.channel_sockets
            assert sock.peer.transport is not None
            found = sock.peer.transport.get_extra_info("socket")
            assert found.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
            assert found.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == seconds

    played(play)


@pytest.mark.parametrize(
    ("there", "status", "message"),
    [
        ("CHLTYPE(SDR) CONNAME('h') XMITQ(X)", fap.CHANNEL_WRONG_TYPE, "AMQ9502E"),
        ("CHLTYPE(SVR) XMITQ(X)", fap.CHANNEL_WRONG_TYPE, "AMQ9502E"),
        ("CHLTYPE(SVRCONN)", fap.CHANNEL_WRONG_TYPE, "AMQ9502E"),
        ("", fap.NO_CHANNEL, "AMQ9519E"),
    ],
)
def test_sender_when_the_other_end_is_not_a_receiver_then_both_ends_log_it(
    there: str, status: int, message: str
) -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other)
        other.run("DELETE CHANNEL(QMA.QMB)")
        if there:
            other.run(f"DEFINE CHANNEL(QMA.QMB) {there}")
        one.start(NAME)
        await until(lambda: one.seen.ends != [])
        (end,) = one.seen.ends
        assert end.status == status
        assert message in other.ids
        assert end.message_id in one.ids
        assert "AMQ9999E" in one.ids
        assert other.channels.is_idle

    played(play)


def test_client_when_it_calls_a_receiver_then_the_type_is_wrong() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other)

        def connect() -> int:
            with pytest.raises(ternmq.MQError) as refused:
                ternmq.connect("QMB", channel=NAME, conn=other.conn, user="x", password=None)
            return refused.value.reason

        reason = await asyncio.to_thread(connect)
        assert reason in (rc.MQRC_CHANNEL_CONFIG_ERROR, rc.MQRC_UNKNOWN_CHANNEL_NAME)
        assert "AMQ9502E" in other.ids

    played(play)


def test_sender_when_a_rule_gives_no_access_then_it_is_refused_and_blocked() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other)
        other.run("SET CHLAUTH('*') TYPE(QMGRMAP) QMNAME(QMA) USERSRC(NOACCESS)")
        one.start(NAME)
        await until(lambda: one.seen.ends != [])
        assert one.seen.ends[0].status == fap.SECURITY_FAILURE
        assert "AMQ9777E" in other.ids

    played(play)


def test_sender_when_the_port_does_not_listen_then_it_may_try_again() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other)
        other.network.listeners[""].close()
        one.start(NAME)
        await until(lambda: one.seen.ends != [])
        (end,) = one.seen.ends
        assert (end.kind, end.message_id) == (RETRY, "AMQ9202E")
        assert one.channels.is_idle

    played(play)


# ---- stops


def test_stop_when_a_batch_is_under_way_then_quiesce_ends_it_first() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, "BATCHSZ(100) BATCHINT(60000)")
        one.put("R", *[b"%d" % number for number in range(30)])
        instance = one.start(NAME)
        await running(one, other)
        await until(lambda: instance.agent is not None and instance.agent.current_messages == 30)
        assert other.get_all("T") == []
        one.channels.stop(instance, QUIESCE)
        await until(lambda: one.channels.is_idle and other.channels.is_idle)
        assert one.seen.ends[0].kind == NORMAL
        assert len(other.get_all("T")) == 30
        assert one.depth("QMB") == 0

    played(play)


@pytest.mark.parametrize("mode", [FORCE, TERMINATE])
def test_stop_when_forced_in_a_batch_then_it_is_sent_once_at_the_next_start(mode: int) -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, "BATCHSZ(100) BATCHINT(60000)")
        data = [b"%d" % number for number in range(30)]
        one.put("R", *data)
        instance = one.start(NAME)
        await running(one, other)
        await until(lambda: instance.agent is not None and instance.agent.current_messages == 30)
        one.channels.stop(instance, mode)
        await until(lambda: one.channels.is_idle and other.channels.is_idle)
        assert other.get_all("T") == []
        assert one.depth("QMB") == 30
        one.run("ALTER CHANNEL(QMA.QMB) CHLTYPE(SDR) BATCHINT(0)")
        one.start(NAME)
        await arrived(other, 30)
        assert other.get_all("T") == data

    played(play)


def test_stop_when_it_is_still_dialling_then_it_ends_at_once() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other)
        one.run("ALTER CHANNEL(QMA.QMB) CHLTYPE(SDR) CONNAME('192.0.2.1(1414)')")
        instance = one.start(NAME)
        await asyncio.sleep(0)
        one.channels.stop(instance, FORCE)
        assert one.channels.is_idle
        assert one.seen.ends[0].kind == NORMAL

    played(play)


def test_stop_of_a_receiver_when_it_is_idle_then_the_sender_may_try_again() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, "HBINT(1)")
        one.start(NAME)
        await running(one, other)
        other.channels.stop(other.instance(NAME), FORCE)
        await until(lambda: one.channels.is_idle and other.channels.is_idle)
        assert one.seen.ends[0].kind == RETRY

    played(play)


# ---- partners that vanish


def test_partner_when_it_is_silent_then_both_ends_give_up_after_two_heartbeats() -> None:
    async def play(one: Node, other: Node) -> None:
        loop = asyncio.get_running_loop()
        one.pair(other, "HBINT(1)")
        other.run("ALTER CHANNEL(QMA.QMB) CHLTYPE(RCVR) HBINT(1)")
        with Proxy(("127.0.0.1", other.port)) as proxy:
            one.run(f"ALTER CHANNEL(QMA.QMB) CHLTYPE(SDR) CONNAME('{proxy.conn}')")
            one.start(NAME)
            await running(one, other)
            proxy.break_at(Fault(TO_SERVER, proxy.segments[0], STALL))
            begun_s = loop.time()
            await until(lambda: one.channels.is_idle and other.channels.is_idle)
            assert 1.0 <= loop.time() - begun_s <= 5.0
        assert one.seen.ends[0].kind == RETRY
        assert other.seen.ends[0].kind == RETRY

    played(play)


@pytest.mark.parametrize("adopts", [True, False])
def test_sender_when_it_calls_again_then_the_old_instance_is_adopted_or_in_use(
    adopts: bool,
) -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, "HBINT(300)")
        with Proxy(("127.0.0.1", other.port)) as proxy:
            one.run(f"ALTER CHANNEL(QMA.QMB) CHLTYPE(SDR) CONNAME('{proxy.conn}')")
            first = one.start(NAME)
            await running(one, other)
            proxy.break_at(Fault(TO_SERVER, proxy.segments[0], STALL))
            one.put("R", b"lost")
            await asyncio.to_thread(proxy.wait_until_struck, 5.0)
            one.channels.stop(first, TERMINATE)
            await until(lambda: one.channels.is_idle)
            assert other.status(NAME) == "RUNNING"
            one.run(f"ALTER CHANNEL(QMA.QMB) CHLTYPE(SDR) CONNAME('{other.conn}')")
            one.start(NAME)
            if adopts:
                await arrived(other, 1)
                assert "AMQ7998I" in other.ids
                assert len(other.channels.instances_of(NAME)) == 1
            else:
                await until(lambda: len(one.seen.ends) == 2)
                assert one.seen.ends[1].status == fap.CHANNEL_UNAVAILABLE
                assert one.seen.ends[1].kind == RETRY
                assert "AMQ9514E" in other.ids

    settings = NetworkSettings(adopts=frozenset(ADOPTABLE if adopts else ()))
    played(play, settings)


def test_receiver_when_two_partners_call_then_each_has_an_instance_of_its_own() -> None:
    async def play(one: Node, other: Node) -> None:
        with ternmq.memory("QMC") as third:
            more = Node(third, "", NetworkSettings(adopts=frozenset(ADOPTABLE)))
            one.pair(other)
            more.run(
                "DEFINE QLOCAL(QMB) USAGE(XMITQ)",
                "DEFINE QREMOTE(R) RNAME(T) RQMNAME(QMB) XMITQ(QMB)",
                f"DEFINE CHANNEL(QMA.QMB) CHLTYPE(SDR) CONNAME('{other.conn}') XMITQ(QMB)",
            )
            try:
                one.start(NAME)
                await running(one, other)
                more.start(NAME)
                await until(lambda: more.status(NAME) == "RUNNING")
                one.put("R", b"a")
                more.put("R", b"c")
                await arrived(other, 2)
                assert len(other.channels.instances_of(NAME)) == 2
                assert other.seen.ends == []
            finally:
                await more.close()

    played(play, NetworkSettings(adopts=frozenset(ADOPTABLE)))


@pytest.mark.parametrize("speed", ["FAST", "NORMAL"])
def test_nonpersistent_messages_when_the_link_is_reset_then_fast_ones_may_be_missing(
    speed: str,
) -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, f"NPMSPEED({speed})")
        other.run(f"ALTER CHANNEL(QMA.QMB) CHLTYPE(RCVR) NPMSPEED({speed})")
        data = [b"%02d" % number for number in range(60)]
        with Proxy(("127.0.0.1", other.port)) as proxy:
            one.run(f"ALTER CHANNEL(QMA.QMB) CHLTYPE(SDR) CONNAME('{proxy.conn}')")
            one.start(NAME)
            await running(one, other)
            proxy.break_at(Fault(TO_SERVER, proxy.segments[0] + 20, RESET))
            with one.manager.connect() as connection, connection.queue("R") as queue:
                for each in data:
                    queue.put(each, persistent=False)
            await until(lambda: one.channels.is_idle and other.channels.is_idle)
        one.run(f"ALTER CHANNEL(QMA.QMB) CHLTYPE(SDR) CONNAME('{other.conn}')")
        one.start(NAME)
        await running(one, other)
        await until(lambda: one.depth("QMB") == 0)
        one.channels.stop(one.instance(NAME), QUIESCE)
        await until(lambda: one.channels.is_idle and other.channels.is_idle)
        found = other.get_all("T")
        assert found == sorted(set(found))  # in order, none twice
        if speed == "NORMAL":
            assert found == data
        else:
            assert set(found) < set(data)

    played(play)


# ---- ping


@pytest.mark.parametrize("length", [16, 32_768])
def test_ping_when_the_partner_is_there_then_it_answers_and_nothing_changes(length: int) -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other)
        one.put("R", b"stays")
        ends: list[End] = []
        definition = one.kernel.catalog.find(32, NAME)
        assert definition is not None
        one.channels.ping(definition, bytes(length), ends.append)
        await until(lambda: ends != [])
        assert ends[0].kind == NORMAL, (ends[0].message_id, ends[0].inserts, other.logged)
        assert one.depth("QMB") == 1
        await until(lambda: other.channels.is_idle)

    played(play)


def test_ping_when_the_partner_has_no_such_channel_then_it_says_so() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other)
        other.run("DELETE CHANNEL(QMA.QMB)")
        ends: list[End] = []
        definition = one.kernel.catalog.find(32, NAME)
        assert definition is not None
        one.channels.ping(definition, bytes(16), ends.append)
        await until(lambda: ends != [])
        assert ends[0].kind != NORMAL
        assert ends[0].status == fap.NO_CHANNEL

    played(play)
