"""The blocking client over TCP, against a queue manager of this process.

How it connects and what it is told if it cannot, shared sockets, threads, asynchronous puts,
read-ahead, broken connections, reconnection, the pool.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.remote.fap.client_channel import Address, ClientChannel
from ternmq.remote.fap.client_conversation import Reply
from ternmq.remote.fap.client_dialogue import Negotiated, wishes
from ternmq.remote.fap.client_socket import ClientSocket
from ternmq.remote.fap.fap_threads import FapThreads
from ternmq.wire.fap.negotiation import Agreement
from tests.battery.places import Task, until, waiters
from tests.unit.api.networked import Networked, in_memory

pytestmark = pytest.mark.core


@pytest.fixture
def served() -> Iterator[Networked]:
    """A queue manager with a queue A."""
    served = in_memory()
    with served:
        with served.connect() as connection:
            connection.define_queue("A")
        yield served


def socket_of(connection: ternmq.Connection) -> ClientSocket:
    transport = connection._transport
    assert isinstance(transport, FapThreads)
    return transport.line.socket


def refused(served: Networked, **arguments: Any) -> ternmq.MQError:
    with pytest.raises(ternmq.MQError) as error:
        served.connect(**arguments)
    return error.value


def closed_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        port: int = one.getsockname()[1]
        return port


# ---- connecting


def test_what_stands_in_the_way_is_reported_with_host_and_channel(served: Networked) -> None:
    port = closed_port()
    nobody = refused(served, conn=f"127.0.0.1({port})")
    assert nobody.reason == rc.MQRC_HOST_NOT_AVAILABLE
    assert f"127.0.0.1({port})" in nobody.detail
    assert "APP.SVRCONN" in nobody.detail
    unknown = refused(served, channel="NOT.THERE")
    assert unknown.reason == rc.MQRC_UNKNOWN_CHANNEL_NAME
    assert "NOT.THERE" in unknown.detail
    with pytest.raises(ternmq.MQError) as other:
        ternmq.connect("QMX", **served.way)
    assert other.value.reason == rc.MQRC_Q_MGR_NAME_ERROR
    plain = refused(served, cipher="ANY_TLS12_OR_HIGHER", key_repository="/not/there")
    assert plain.reason == rc.MQRC_KEY_REPOSITORY_ERROR


def test_a_list_of_addresses_is_tried_in_order(served: Networked) -> None:
    conn = f"127.0.0.1({closed_port()}),127.0.0.1({served.port})"
    with served.connect(conn=conn) as connection:
        assert connection.name == "QM1"


def test_a_server_that_says_nothing_is_left_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        conn = f"127.0.0.1({silent.getsockname()[1]})"
        with pytest.raises(ternmq.MQError) as error:
            ternmq.connect("QM1", channel="C", conn=conn, connect_timeout=0.2)
    assert error.value.reason == rc.MQRC_Q_MGR_NOT_AVAILABLE
    assert "does not answer" in error.value.detail


def test_mqserver_leads_to_the_queue_manager(
    served: Networked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MQSERVER", f"APP.SVRCONN/TCP/{served.conn}")
    monkeypatch.setenv("TERNMQ_DATA", str(served.data / "nothing"))
    for name in ("", "QM1", "*"):
        with ternmq.connect(name) as connection:
            assert connection.name == "QM1"


# ---- shared sockets


def test_connections_share_sockets_as_far_as_the_channel_allows(served: Networked) -> None:
    many = [served.connect() for _ in range(11)]
    sockets = [socket_of(one) for one in many]
    assert len(set(sockets[:10])) == 1
    assert sockets[10] is not sockets[0]
    assert socket_of(served.connect(options=mq.MQCNO_NO_CONV_SHARING)) is not sockets[0]
    with (
        served.connect(channel="ALONE.SVRCONN") as one,
        served.connect(channel="ALONE.SVRCONN") as other,
    ):
        assert socket_of(one) is not socket_of(other)
    for one in many:
        one.disconnect()
    assert all(one.is_closed for one in sockets)


def test_one_thread_waits_while_another_works_on_the_same_socket(served: Networked) -> None:
    getter = served.connect()
    putter = served.connect()
    assert socket_of(getter) is socket_of(putter)
    with getter.queue("A") as mine, putter.queue("A") as theirs:
        task = Task(lambda: mine.get(wait=-1).data)
        until(lambda: served.host is not None and waiting(served) == 1)
        for number in range(50):
            putter.put("A", b"x%d" % number)
            theirs.get(msg_id=None) if number else None
        assert isinstance(task.outcome(), bytes)
    getter.disconnect()
    putter.disconnect()


def waiting(served: Networked) -> int:
    """Gets that wait, beside the command server's."""
    return waiters(served)  # type: ignore[arg-type]


def test_many_threads_on_few_sockets_get_their_own_answers(served: Networked) -> None:
    def work(number: int) -> int:
        with served.connect() as connection, connection.queue("A") as queue:
            for index in range(30):
                data = b"%d.%d" % (number, index)
                msg_id = queue.put(data, correl_id=b"%d" % number)
                assert queue.get(msg_id=msg_id, wait=5).data == data
        return number

    tasks = [Task(lambda number=number: work(number)) for number in range(12)]  # type: ignore[misc]
    assert [task.outcome() for task in tasks] == list(range(12))


def test_who_leaves_with_its_answer_names_the_next_reader() -> None:
    agreement = Agreement(wishes(ClientChannel("C", (Address("h", 1),)), "QM1"))
    near, far = socket.socketpair()
    with near, far:
        one = ClientSocket(near, None)
        conversation = one.meet(Negotiated(agreement, "QM1", "")).add()
        # It was to read, but its answer has come before: somebody else waits, and nobody reads.
        next_reader = threading.Event()
        one._waiting.append(next_reader)
        answer = conversation.reply = Reply(0x9A, bytes(16), 0, 16, 10)
        assert one.wait(conversation, None, 0.0) is answer
        assert next_reader.is_set()


# ---- asynchronous puts and read-ahead


def test_asynchronous_puts_are_counted_by_status(served: Networked) -> None:
    with served.connect() as connection, connection.queue("A") as queue:
        ids = {queue.put(b"x", options=mq.MQPMO_ASYNC_RESPONSE) for _ in range(2000)}
        assert len(ids) == 2000
        status = connection.status()
        assert (status.comp, status.put_success_count, status.put_failure_count) == (0, 2000, 0)
        assert {message.msg_id for message in queue} == ids
        connection.alter_queue("A", max_depth=1)
        for _ in range(3):
            queue.put(b"x", options=mq.MQPMO_ASYNC_RESPONSE)
        failed = connection.status()
        assert (failed.put_success_count, failed.put_failure_count) == (1, 2)
        assert failed.reason == rc.MQRC_Q_FULL
        assert failed.object_name == "A"
        assert connection.status().reason == 0


def test_asynchronous_put_when_it_has_a_msg_id_then_it_keeps_it(served: Networked) -> None:
    own = b"own".ljust(24, b"\0")
    asynchronous = mq.MQPMO_ASYNC_RESPONSE
    with served.connect() as connection, connection.queue("A") as queue:
        ids = [
            queue.put(b"x", msg_id=own, options=asynchronous),  # before ids are reserved
            queue.put(b"x", options=asynchronous),
            queue.put(b"x", msg_id=own, options=asynchronous),
            queue.put(b"x", msg_id=own, options=asynchronous | mq.MQPMO_NEW_MSG_ID),
        ]
        assert connection.status().put_success_count == 4
        assert [message.msg_id for message in queue] == ids
    assert ids[0] == ids[2] == own
    assert own not in (ids[1], ids[3])


def test_read_ahead_gives_all_messages_in_order_and_returns_what_was_not_taken(
    served: Networked,
) -> None:
    options = mq.MQOO_INPUT_SHARED | mq.MQOO_READ_AHEAD
    with served.connect() as connection:
        with connection.queue("A") as queue:
            for number in range(500):
                queue.put(b"%d" % number, persistent=False)
        with connection.queue("A", options=options) as ahead:
            taken = [ahead.get(wait=1).data for _ in range(100)]
            assert taken == [b"%d" % number for number in range(100)]
        with connection.queue("A") as queue:
            assert queue.depth == 400
        with connection.queue("A", options=options) as ahead:
            rest = [message.data for message in ahead]
            assert rest == [b"%d" % number for number in range(100, 500)]
            assert ahead.try_get(wait=0.05) is None
            connection.put("A", b"late")
            assert ahead.get(wait=5).data == b"late"


def test_defreada_reads_persistent_messages_one_by_one(served: Networked) -> None:
    with served.connect() as connection:
        connection.alter_queue("A", default_read_ahead="YES")
        with connection.queue("A") as queue:
            for number in range(20):
                queue.put(b"%d" % number, persistent=number % 2 == 0)
            found = [queue.get(wait=1).data for _ in range(20)]
            assert found == [b"%d" % number for number in range(20)]


# ---- messages


@pytest.mark.parametrize("channel", ["APP.SVRCONN", "ONE.SVRCONN", "ALONE.SVRCONN"])
@pytest.mark.parametrize("size", [0, 1, 32_767, 32_768, 32_769, 1 << 20])
def test_messages_of_any_length_arrive_whole(served: Networked, channel: str, size: int) -> None:
    data = bytes(number % 251 for number in range(size))
    with served.connect(channel=channel) as connection, connection.queue("A") as queue:
        queue.put(data, correl_id=b"c" * 24)
        message = queue.get(correl_id=b"c" * 24)
        assert message.data == data
        assert message.length == size
        queue.put("grüße", expiry=60)
        with connection.unit_of_work():
            text = queue.get(wait=1)
        assert text.text == "grüße"
        assert text.format == "MQSTR"
        assert 0 < text.descriptor.expiry <= 600


@pytest.mark.parametrize("channel", ["APP.SVRCONN", "ALONE.SVRCONN"])
def test_a_message_that_is_cut_has_just_what_fits(served: Networked, channel: str) -> None:
    with served.connect(channel=channel) as connection, connection.queue("A") as queue:
        queue.put(b"0123456789")
        with pytest.raises(ternmq.Truncated) as cut:
            queue.get(max_length=5)
        assert (cut.value.result.data, cut.value.result.length) == (b"01234", 10)
        message = queue.get(max_length=3, options=mq.MQGMO_ACCEPT_TRUNCATED_MSG)
        assert (message.data, message.truncated, message.length) == (b"012", True, 10)


def test_a_message_too_long_for_the_channel_is_refused(served: Networked) -> None:
    with served.connect(channel="SHORT.SVRCONN") as connection, connection.queue("A") as queue:
        with pytest.raises(ternmq.MQError) as error:
            queue.put(bytes(60_000))
        assert error.value.reason in (rc.MQRC_MSG_TOO_BIG_FOR_CHANNEL, rc.MQRC_DATA_LENGTH_ERROR)
        queue.put(bytes(40_000))


# ---- broken connections


def test_a_cut_ends_every_wait_at_once_with_connection_broken(served: Networked) -> None:
    def wait_in(connection: ternmq.Connection) -> int:
        with pytest.raises(ternmq.MQError) as error:
            connection.queue("A").get(wait=-1)
        return error.value.reason

    connections = [served.connect() for _ in range(3)]
    tasks = [Task(lambda one=one: wait_in(one)) for one in connections]  # type: ignore[misc]
    until(lambda: waiting(served) == 3)
    served.cut()
    assert [task.outcome() for task in tasks] == [rc.MQRC_CONNECTION_BROKEN] * 3
    assert not any(one.connected for one in connections)
    with pytest.raises(ternmq.MQError) as again:
        connections[0].put("A", b"x")
    assert again.value.reason == rc.MQRC_CONNECTION_BROKEN


@pytest.mark.filterwarnings("ignore:a connection to:ResourceWarning")
def test_a_connection_that_is_dropped_is_backed_out(served: Networked) -> None:
    kept = served.connect()
    queue = kept.queue("A")
    queue.put(b"x")
    lost = served.connect()
    lost.begin()
    lost.queue("A").get()
    assert socket_of(lost) is socket_of(kept)
    del lost
    assert queue.get(wait=10).backout_count == 1
    kept.disconnect()


def test_heartbeats_keep_a_waiting_get_alive(served: Networked) -> None:
    with served.connect(channel="BEAT.SVRCONN", heartbeat=3) as connection:
        end = socket_of(connection).end
        assert end is not None
        assert end.agreement.heartbeat_s == 3
        with connection.queue("A") as queue:
            assert queue.try_get(wait=3.3) is None  # a slow machine has three seconds to answer
            assert connection.connected


# ---- a table


def test_a_table_leads_to_queue_managers_and_groups(served: Networked, tmp_path: Path) -> None:
    def row(name: str, port: int, qmgr_name: str) -> dict[str, Any]:
        connection = [{"host": "127.0.0.1", "port": port}]
        reached = {"connection": connection, "queueManager": qmgr_name}
        return {"name": name, "type": "clientConnection", "clientConnection": reached}

    rows = [
        row("A.DEAD", closed_port(), "GROUP"),
        row("APP.SVRCONN", served.port, "GROUP"),
        row("APP.SVRCONN", served.port, "QM1"),
        row("APP.SVRCONN", served.port, "QMX"),
    ]
    table = tmp_path / "ccdt.json"
    table.write_text(json.dumps({"channel": rows}))
    for name in ("QM1", "*GROUP"):
        with ternmq.connect(name, ccdt=table) as connection:
            assert connection.name == "QM1"
    for name in ("QMX", "GROUP", "NONE"):
        with pytest.raises(ternmq.MQError) as error:
            ternmq.connect(name, ccdt=table)
        assert error.value.reason == rc.MQRC_Q_MGR_NAME_ERROR


# ---- pool


def put_and_fail(pool: ternmq.Pool) -> None:
    with pool.connection() as one:
        one.begin()
        one.put("A", b"failed")
        _ = 1 / 0


def test_a_pool_lends_connections_and_backs_out_what_was_left(served: Networked) -> None:
    with ternmq.Pool("QM1", size=2, **served.way) as pool:
        with pool.connection() as one, pool.connection() as two:
            assert one is not two
            with pytest.raises(ternmq.MQError) as none, pool.connection(timeout=0.01):
                pass
            assert none.value.reason == rc.MQRC_CONNECTION_NOT_AVAILABLE
            one.begin()
            one.put("A", b"forgotten")
        assert pool.idle == 2
        with pytest.raises(ZeroDivisionError):
            put_and_fail(pool)
        with pool.connection() as one:
            assert one.queue("A").try_get() is None
            served.cut()
            with pytest.raises(ternmq.MQError):
                one.queue("A").get(wait=-1)
        with pool.connection() as one:
            assert one.put("A", b"works")
    assert pool.idle == 0


# ---- signals and forks


class TooLate(Exception):
    """What an application's alarm raises."""


def test_a_get_that_a_signal_interrupts_has_not_happened(served: Networked) -> None:
    raised = threading.Event()

    def handle(number: int, frame: FrameType | None) -> None:
        if not raised.is_set():
            raised.set()
            raise TooLate

    def interrupt() -> None:
        until(lambda: waiting(served) == 1)
        # One that comes just before the wait would not end it.
        while not raised.wait(0.02):
            signal.pthread_kill(main, signal.SIGUSR2)

    main = threading.get_ident()
    before = signal.signal(signal.SIGUSR2, handle)
    try:
        with served.connect() as connection, connection.queue("A") as queue:
            task = Task(interrupt)
            with pytest.raises(TooLate):
                queue.get(wait=-1)
            task.outcome()
            assert waiting(served) == 0
            queue.put(b"kept")
            assert queue.get().data == b"kept"
    finally:
        signal.signal(signal.SIGUSR2, before)


def test_a_forked_child_leaves_the_connection_alone_and_makes_its_own(served: Networked) -> None:
    with served.connect() as connection, connection.queue("A") as queue:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forks with threads
            child = os.fork()
        if child == 0:
            status = 1
            try:
                connection.put("A", b"never")
            except ternmq.MQError as error:
                status = 0 if error.reason == rc.MQRC_HCONN_ERROR else 2
            os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        queue.put(b"still there")
        assert [message.data for message in queue] == [b"still there"]
