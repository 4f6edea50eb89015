"""Goal: callbacks of clients survive what happens to a connection, and lose no message.

Method: a queue manager with a listener in this process; its sockets are cut while callbacks wait
and work, and client processes are killed. A queue manager of IBM's is one that knows no calls by
name.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

import ternmq
from ternmq.base import constants_all as mq
from ternmq.base import reasons as rc
from ternmq.remote.fap.fap_threads import FapThreads
from tests.battery.places import until, waiters
from tests.battery.recorded import Recorded, numbered, put_all
from tests.unit.api.networked import Networked, in_memory

pytestmark = pytest.mark.core
NAMES = "AB"


@pytest.fixture
def served() -> Iterator[Networked]:
    served = in_memory()
    with served:
        with served.connect() as connection:
            for name in NAMES:
                connection.define_queue(name)
        yield served


@pytest.fixture
def seen() -> Recorded:
    return Recorded()


def waiting_alerts(served: Networked) -> int:
    """Alerts that a client with several consumers waits for just now."""
    shell = served.started.shell
    with shell.lock:
        found = [shell.engine.kernel.locals.get(name) for name in NAMES]
        alerts = [alert for one in found if one for alert in one.waiters.alerts.values()]
        return sum(alert.wait is not None and alert.wait.waker is not None for alert in alerts)


def waiting_gets(served: Networked) -> int:
    return waiters(served)  # type: ignore[arg-type]


# ---- reconnection


def test_two_consumers_when_the_socket_is_cut_then_they_go_on_and_the_handler_hears_of_it(
    served: Networked, seen: Recorded
) -> None:
    with served.connect(reconnect=True) as connection:
        connection.on_event(seen.event)
        for name in NAMES:
            connection.queue(name).on_message(seen.take)
        connection.start()
        until(lambda: waiting_alerts(served) == 2)
        served.cut()
        seen.until(0, 2)
        assert seen.reasons == [rc.MQRC_RECONNECTING, rc.MQRC_RECONNECTED]
        with served.connect() as other:
            for name in NAMES:
                put_all(other, name, numbered(3, name))
            seen.until(6)
        connection.stop()
    assert sorted(seen.data) == numbered(3, "A") + numbered(3, "B")


def test_one_consumer_when_the_socket_is_cut_then_it_hears_of_what_cannot_be_known(
    served: Networked, seen: Recorded
) -> None:
    """Outside syncpoint a message may have been on its way."""
    with served.connect(reconnect=True) as connection:
        connection.queue("A").on_message(seen.take, on_event=seen.event)
        connection.start()
        until(lambda: waiting_gets(served) == 1)
        served.cut()
        seen.until(0, 1)
        with served.connect() as other:
            put_all(other, "A", numbered(2))
            seen.until(2)
        connection.stop()
    assert seen.calls == [("EVENT_CALL", rc.MQRC_CALL_INTERRUPTED, mq.MQCS_NONE)]


def test_unit_when_the_socket_is_cut_inside_a_callback_then_its_message_comes_again(
    served: Networked, seen: Recorded
) -> None:
    with served.connect(reconnect=True) as connection:
        counts: list[int] = []

        def take(message: ternmq.Message) -> None:
            counts.append(message.backout_count)
            if len(counts) == 1:
                served.cut()
                until(lambda: served.host is not None and not served.host.sockets)
                return
            connection.commit()
            seen.take(message)

        connection.queue("A").on_message(take, on_event=seen.event, syncpoint=True)
        with served.connect() as other:
            other.put("A", b"x")
        connection.start()
        seen.until(1, 1)
        connection.stop()
    assert counts == [0, 1]
    assert seen.reasons == [rc.MQRC_BACKED_OUT]


def test_connection_that_is_cut_and_does_not_come_back_then_the_event_handler_is_called(
    served: Networked, seen: Recorded
) -> None:
    connection = served.connect()
    connection.on_event(seen.event)
    connection.queue("A").on_message(seen.take)
    connection.start()
    until(lambda: waiting_gets(served) == 1)
    served.cut()
    seen.until(0, 1)
    connection.stop()
    assert seen.calls == [("EVENT_CALL", rc.MQRC_CONNECTION_BROKEN, mq.MQCS_STOPPED)]
    connection.disconnect()


def test_consumer_that_asks_for_events_then_it_hears_that_the_connection_is_broken(
    served: Networked, seen: Recorded
) -> None:
    connection = served.connect()
    queue = connection.queue("A")
    queue.on_message(seen.take, on_event=seen.event, callback_options=mq.MQCBDO_EVENT_CALL)
    connection.start()
    until(lambda: waiting_gets(served) == 1)
    served.cut()
    seen.until(0, 1)
    connection.stop()
    assert seen.calls == [("EVENT_CALL", rc.MQRC_CONNECTION_BROKEN, mq.MQCS_STOPPED)]


# ---- clients that die

CLIENT = """
import sys, ternmq
connection = ternmq.connect("QM1", **eval(sys.argv[1]))
inside = sys.argv[3] == "inside"
def take(message):
    if inside:
        connection.commit()
    print(message.data.decode(), flush=True)
for name in sys.argv[2]:
    connection.queue(name).on_message(take, syncpoint=inside)
print("started", flush=True)
connection.start(wait=True)
"""


@pytest.mark.parametrize("syncpoint", ["outside", "inside"])
@pytest.mark.parametrize("names", ["A", "AB"])
@pytest.mark.parametrize("binding", ["network", "served"])
def test_client_that_is_killed_when_messages_come_then_none_is_lost(
    served: Networked, names: str, binding: str, syncpoint: str
) -> None:
    """What it printed was delivered once; everything else is on the queue. Over TCP a get that
    waits has no acknowledgement in MQ's protocol: outside syncpoint the one message that was on its
    way to it is lost with the client, as it is with any such get."""
    place = served.way if binding == "network" else {"data": str(served.data)}
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT, repr(place), names, syncpoint],
        env={**os.environ, "TERNMQ_PURE": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert client.stdout is not None
    assert client.stdout.readline().strip() == "started"
    with served.connect() as connection, connection.queue("A") as queue:
        put_all(connection, "A", numbered(5))
        first = [client.stdout.readline().strip() for _ in range(5)]
        if names == "AB":
            until(lambda: waiting_alerts(served) == 2)
        else:
            until(lambda: waiting_gets(served) == 1)
        client.send_signal(signal.SIGSTOP)
        put_all(connection, "A", numbered(20, "x"))
        client.send_signal(signal.SIGKILL)
        client.wait()
        rest = client.stdout.read().split()
        client.stdout.close()
        assert (first, rest) == (["0", "1", "2", "3", "4"], [])
        on_its_way = 1 if (binding, names, syncpoint) == ("network", "A", "outside") else 0
        left = [queue.get(wait=10).data for _ in range(20 - on_its_way)]
        assert sorted(left) == sorted(numbered(20, "x")[on_its_way:])  # one came back later, maybe
        assert queue.try_get() is None


# ---- a queue manager that knows no calls by name


def test_several_queues_when_the_queue_manager_cannot_be_asked_then_each_has_its_turn(
    served: Networked, seen: Recorded
) -> None:
    with served.connect() as connection, served.connect() as other:
        for name in NAMES:
            queue = connection.queue(name, options=mq.MQOO_INPUT_SHARED)
            queue.on_message(seen.take, on_event=seen.event)
        transport = connection.transport
        assert isinstance(transport, FapThreads)
        transport.verbs.takes_back = False
        with connection.consuming():
            for round_ in range(2):
                for name in NAMES:
                    put_all(other, name, numbered(3, f"{name}{round_}"))
                seen.until(6 * (round_ + 1))
            with other.queue("A") as queue:
                queue.set({mq.MQIA_INHIBIT_GET: mq.MQQA_GET_INHIBITED})
                seen.until(12, 1)
                queue.set({mq.MQIA_INHIBIT_GET: mq.MQQA_GET_ALLOWED})
                seen.until(12, 2)
    assert seen.reasons == [rc.MQRC_GET_INHIBITED, rc.MQRC_GET_ENABLED]


def test_connection_of_its_makers_thread_alone_then_callbacks_run_and_it_is_the_makers_again(
    served: Networked, seen: Recorded
) -> None:
    options = mq.MQCNO_HANDLE_SHARE_NONE
    with served.connect(options=options) as connection, served.connect() as other:
        connection.queue("A").on_message(seen.take)
        with connection.consuming():
            put_all(other, "A", numbered(2))
            seen.until(2)
        connection.put("B", b"x")


def test_pool_when_a_connection_has_callbacks_then_the_next_user_gets_another(
    served: Networked, seen: Recorded
) -> None:
    with ternmq.Pool("QM1", size=1, **served.way) as pool, served.connect() as other:
        with pool.connection() as connection:
            connection.queue("A").on_message(seen.take, syncpoint=True)
            connection.start()
            put_all(other, "A", [b"x"])
            seen.until(1)
        assert not connection.connected
        with pool.connection() as after, after.queue("A") as queue:
            assert after is not connection
            assert queue.get(wait=10).backout_count == 1


@pytest.mark.parametrize("binding", ["embedded", "network"])
def test_connection_that_threads_share_in_turn_when_started_then_others_get_2500_at_once(
    served: Networked, seen: Recorded, binding: str
) -> None:
    options = mq.MQCNO_HANDLE_SHARE_BLOCK
    with ternmq.memory("QM2") as qmgr, served.connect() as other:
        qmgr.define_queue("A")
        connect = qmgr.connect if binding == "embedded" else served.connect
        with connect(options=options) as connection:
            connection.queue("A").on_message(seen.take)
            connection.start()
            for work in (lambda: connection.put("A", b"x"), connection.commit, connection.backout):
                with pytest.raises(ternmq.MQError) as caught:
                    work()
                assert caught.value.reason == rc.MQRC_HCONN_ASYNC_ACTIVE
            put_all(qmgr if binding == "embedded" else other, "A", [b"x"])
            seen.until(1)
            connection.stop()
            connection.put("A", b"x")
