"""Goal: applications at the other end of the socket lose nothing, wait for nobody else, and are
told what happened.

Method: a queue manager in memory, served by a thread; real sockets; frames made by hand where an
application would not make them.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import ternmq
import ternmq.aio
from ternmq import constants as mq
from ternmq.base.limits import MQSC_CHARACTERS_MAX
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.remote.local.folder_lookup import SOCKET_POINTER, socket_path
from ternmq.server import session
from ternmq.server.host import PREEMPTIVE, QUIESCING
from ternmq.values.calls.objects import Open
from ternmq.wire import local as wire
from ternmq.wire.extension import pack_request, unpack_answer
from tests.battery.places import Task, until
from tests.unit.api.by_hand import HELLO, answers, by_hand
from tests.unit.api.faces import in_loop
from tests.unit.api.served import Served


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(tmp_path) as one:
        yield one


def reason_of(raised: pytest.ExceptionInfo[ternmq.MQError]) -> int:
    return raised.value.reason


# ---- connecting


def test_connect_when_unknown_or_not_running_then_reported(tmp_path: Path) -> None:
    with pytest.raises(ternmq.MQError) as unknown:
        ternmq.connect("QM1", data=tmp_path)
    assert reason_of(unknown) == mq.MQRC_Q_MGR_NAME_ERROR
    (tmp_path / "qmgrs" / "QM1").mkdir(parents=True)
    with pytest.raises(ternmq.MQError) as down:
        ternmq.connect("QM1", data=tmp_path)
    assert reason_of(down) == mq.MQRC_Q_MGR_NOT_AVAILABLE
    with pytest.raises(ternmq.MQError) as default:
        ternmq.connect(data=tmp_path)
    assert reason_of(default) == mq.MQRC_Q_MGR_NAME_ERROR


def test_mqsc_without_end_then_it_is_refused_and_long_scripts_are_not(served: Served) -> None:
    with ternmq.connect("QM1", data=served.data) as connection:
        with pytest.raises(ternmq.MQError) as endless:
            connection.mqsc("*\n" * MQSC_CHARACTERS_MAX)
        assert reason_of(endless) == mq.MQRC_BUFFER_LENGTH_ERROR
        script = "* nothing\n\nPING +\nQMGR\n" * 150
        answers = connection.mqsc(script + "PING QMGR; PING +\n* the end is missing")
        assert [answer.message for answer in answers][:151] == ["AMQ8415I"] * 151
        assert len(answers) == 152


def test_connect_when_no_name_then_the_default(served: Served) -> None:
    (served.data / "mqs.ini").write_text("DefaultQueueManager:\n   Name=QM1\n")
    with ternmq.connect(data=served.data) as connection:
        assert connection.name == "QM1"


def test_connect_when_the_data_folder_is_in_the_environment_then_found(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TERNMQ_DATA", raising=False)
    monkeypatch.setenv("MQ_OVERRIDE_DATA_PATH", str(served.data))
    with ternmq.connect("QM1") as connection:
        assert connection.name == "QM1"
    monkeypatch.setenv("TERNMQ_DATA", str(served.data / "elsewhere"))
    with pytest.raises(ternmq.MQError):
        ternmq.connect("QM1")


def test_connect_when_the_socket_is_a_dead_ones_then_not_available(tmp_path: Path) -> None:
    folder = tmp_path / "qmgrs" / "QM1"
    folder.mkdir(parents=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "local.sock"))
    listener.close()
    with pytest.raises(ternmq.MQError) as down:
        ternmq.connect("QM1", data=tmp_path)
    assert reason_of(down) == mq.MQRC_Q_MGR_NOT_AVAILABLE


def test_socket_when_the_path_is_too_long_then_a_short_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    deep = tmp_path / ("d" * 100) / ("e" * 100)
    with Served(deep) as one:
        path = socket_path(str(one.folder))
        assert (one.folder / SOCKET_POINTER).read_text() == f"{path}\n"
        assert len(path) < 108
        with one.connect() as connection:
            assert connection.name == "QM1"
    assert not os.path.exists(path)


def test_socket_mode(served: Served) -> None:
    assert (served.folder / "local.sock").stat().st_mode & 0o777 == 0o660


def test_user_when_asked_for_then_only_by_those_who_may(served: Served) -> None:
    with served.connect(user="somebody", application="tests") as connection:
        connection.define_queue("A")
        with connection.queue("A") as queue:
            queue.put("x")
            descriptor = queue.get().descriptor
    assert (descriptor.user_id, descriptor.put_appl_name) == ("somebody", "tests")


# ---- the end of a queue manager


def test_end_when_immediate_then_waiters_are_notified_and_others_broken(tmp_path: Path) -> None:
    served = Served(tmp_path)
    waiting, idle = served.connect(), served.connect()
    waiting.define_queue("A")
    queue = waiting.queue("A")
    getter = Task(lambda: queue.get(wait=-1))
    until(lambda: len(served.started.shell.engine.kernel.waiting) == 1)
    served.close()
    getter.join()
    assert isinstance(getter.error, ternmq.Unavailable)
    assert getter.error.reason == mq.MQRC_Q_MGR_STOPPING
    with pytest.raises(ternmq.Unavailable) as first:
        idle.commit()
    assert reason_of(first) in (mq.MQRC_Q_MGR_STOPPING, mq.MQRC_CONNECTION_BROKEN)
    with pytest.raises(ternmq.Unavailable) as then:
        idle.queue("A")
    assert reason_of(then) == mq.MQRC_CONNECTION_BROKEN
    assert not idle.connected
    idle.disconnect()  # nothing to do
    with pytest.raises(ternmq.Unavailable):
        waiting.disconnect()


def test_end_when_quiescing_then_calls_fail_and_it_ends_with_the_last(tmp_path: Path) -> None:
    served = Served(tmp_path)
    connection = served.connect()
    connection.define_queue("A")
    queue = connection.queue("A")
    getter = Task(lambda: queue.get(wait=-1))
    until(lambda: len(served.started.shell.engine.kernel.waiting) == 1)
    served.end(QUIESCING)
    getter.join()
    assert isinstance(getter.error, ternmq.Unavailable)
    assert getter.error.reason == mq.MQRC_Q_MGR_QUIESCING
    with pytest.raises(ternmq.Unavailable) as refused:
        served.connect()
    assert reason_of(refused) == mq.MQRC_Q_MGR_QUIESCING
    connection.disconnect()
    served.join()
    with pytest.raises(ternmq.Unavailable) as gone:
        served.connect()
    assert reason_of(gone) == mq.MQRC_Q_MGR_NOT_AVAILABLE


def test_end_when_preemptive_then_who_does_not_read_is_cut_off(tmp_path: Path) -> None:
    served = Served(tmp_path)
    connection = served.connect()
    connection.alter_qmgr(max_message_length=50_000_000)
    connection.define_queue("A", max_message_length=50_000_000)
    connection.put("A", bytes(50_000_000))
    queue = connection.queue("A")
    transport: Any = connection._transport
    handle = queue._opened(mq.MQOO_INPUT_SHARED)
    request = queue._requests.get(None, None, None, None, None, None, 0, None)
    asked = next(transport.verbs.get(handle, request, False))
    transport._socket.send(asked)  # and never read
    served.end(PREEMPTIVE)
    served.join()
    die(connection)


# ---- the end of an application


def die(connection: ternmq.Connection) -> None:
    """As if the process of the application had ended."""
    transport: Any = connection._transport
    transport._socket.close()


@pytest.mark.filterwarnings("ignore:a connection to:ResourceWarning")
def test_application_when_it_dies_then_backed_out_at_once(served: Served) -> None:
    watcher = served.connect()
    watcher.define_queue("A")
    dying = served.connect()
    dying.begin()
    with dying.queue("A") as queue:
        queue.put("never")
    assert watcher.queue("A").depth == 1
    die(dying)
    target = watcher.queue("A")
    until(lambda: target.depth == 0)
    watcher.disconnect()


def test_application_when_it_dies_waiting_then_its_wait_ends(served: Served) -> None:
    with served.connect() as other:
        other.define_queue("A")
        dying = served.connect()
        queue = dying.queue("A")
        getter = Task(lambda: queue.get(wait=-1))
        kernel = served.started.shell.engine.kernel
        until(lambda: len(kernel.waiting) == 1)
        die(dying)
        getter.join()
        until(lambda: len(kernel.waiting) == 0)
        other.put("A", "kept")
        assert other.queue("A").get().text == "kept"
    assert isinstance(getter.error, ternmq.Unavailable)


def test_disconnect_when_a_unit_is_open_then_committed_and_when_it_failed_backed_out(
    served: Served,
) -> None:
    with served.connect() as connection:
        connection.define_queue("A")
        connection.begin()
        connection.put("A", "committed")

    def fail() -> None:
        with served.connect() as connection:
            connection.begin()
            connection.put("A", "backed out")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with served.connect() as connection:
        assert [message.text for message in connection.queue("A")] == ["committed"]


FORKING = """
import os, sys, ternmq
connection = ternmq.connect("QM1", data=sys.argv[1])
queue = connection.queue("A")
child = os.fork()
if child == 0:
    try:
        queue.put("from the child")
        os._exit(1)
    except ternmq.MQError as error:
        connection.disconnect()
        os._exit(0 if error.reason_name == "MQRC_HCONN_ERROR" else 2)
_, status = os.waitpid(child, 0)
queue.put("from the parent")
print(status, queue.get().text)
connection.disconnect()
"""


def test_connection_when_forked_then_it_stays_the_parents(served: Served) -> None:
    with served.connect() as connection:
        connection.define_queue("A")
    arguments = [sys.executable, "-c", FORKING, str(served.data)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("0 from the parent\n", "")


# ---- waiting and interrupting


def test_wait_when_one_waits_then_others_work(served: Served) -> None:
    waiting, busy = served.connect(), served.connect()
    busy.define_queue("A")
    busy.define_queue("B")
    queue = waiting.queue("A")
    getter = Task(lambda: queue.get(wait=-1).text)
    until(lambda: len(served.started.shell.engine.kernel.waiting) == 1)
    with busy.queue("B") as other:
        for number in range(20):
            other.put(f"{number}")
        assert [message.text for message in other] == [f"{number}" for number in range(20)]
    with pytest.raises(ternmq.MQError) as turn:
        waiting.queue("B")
    assert reason_of(turn) == mq.MQRC_CALL_IN_PROGRESS
    busy.put("A", "now")
    assert getter.outcome() == "now"
    waiting.disconnect()
    busy.disconnect()


class Interrupted(Exception):
    """What a signal handler raises."""


def test_get_when_a_signal_handler_raises_then_the_connection_goes_on(served: Served) -> None:
    interrupted = threading.Event()

    def interrupt(number: int, frame: object) -> None:
        if not interrupted.is_set():
            interrupted.set()
            raise Interrupted

    connection = served.connect()
    connection.define_queue("A")
    queue = connection.queue("A")
    kernel = served.started.shell.engine.kernel

    def kill_when_waiting() -> None:
        until(lambda: len(kernel.waiting) == 1)
        # Again, since one that comes just before the wait does not end it.
        while not interrupted.is_set():
            signal.pthread_kill(main, signal.SIGUSR1)
            interrupted.wait(0.01)

    main = threading.get_ident()
    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        killer = Task(kill_when_waiting)
        with pytest.raises(Interrupted):
            queue.get(wait=-1)
        killer.outcome()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert len(kernel.waiting) == 0
    queue.put("still there")
    assert queue.get().text == "still there"
    connection.disconnect()


def cancel(task: asyncio.Future[Any], answer: asyncio.Future[wire.Frame]) -> None:
    task.cancel()


@in_loop
async def test_get_when_cancelled_with_the_message_on_its_way_then_it_is_back(
    tmp_path: Path,
) -> None:
    served = Served(tmp_path)
    try:
        async with ternmq.aio.connect("QM1", data=tmp_path) as connection:
            await connection.define_queue("A")
            async with connection.queue("A") as queue:
                transport: Any = connection.transport
                stream = transport._stream
                for inside in (False, True):
                    await queue.put("precious")
                    await queue.depth()  # what is not acknowledged yet is now
                    getter = asyncio.ensure_future(queue.get(syncpoint=inside))
                    await asyncio.sleep(0)  # the request is sent
                    (answer,) = stream._awaited.values()
                    answer.add_done_callback(partial(cancel, getter))
                    with pytest.raises(asyncio.CancelledError):
                        await getter
                    assert answer.result().kind == wire.OK  # the message had arrived
                    assert await queue.depth() == 1
                    assert (await queue.get()).text == "precious"
    finally:
        await asyncio.to_thread(served.close)


# ---- frames by hand


def test_requests_when_many_are_sent_at_once_then_served_in_order(served: Served) -> None:
    with served.connect() as connection:
        connection.define_queue("A")
    peer, reader = by_hand(served)
    options = mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED
    call = Open(ObjectDescriptor(object_name="A"), options)
    peer.sendall(wire.frame(wire.EXTENSION, 2, pack_request(call.name, call.arguments())))
    hello, opened = answers(peer, reader, 2)
    reader.hello_is_done()
    assert (hello.kind, opened.kind) == (wire.OK, wire.OK)
    handle = unpack_answer(opened.body)[0]["handle"]
    packed = ternmq.Descriptor().pack()
    head = wire.put_head(handle, mq.MQPMO_NO_SYNCPOINT, 0, packed)
    get = wire.GET_HEAD.pack(
        handle, mq.MQGMO_NO_SYNCPOINT, 0, 0, -1, 0, 1208, 546, 1, 0, *(bytes(24),) * 3, bytes(16)
    )
    sent = b"".join(
        wire.frame(wire.PUT, 10 + 2 * n, head + b"%d" % n) + wire.frame(wire.GET, 11 + 2 * n, get)
        for n in range(300)
    )
    sender = Task(lambda: peer.sendall(sent))
    found = answers(peer, reader, 600)
    sender.outcome()
    assert [frame.number for frame in found] == list(range(10, 610))
    bodies = [frame.body[wire.GOT_HEAD.size + 364 :] for frame in found[1::2]]
    assert bodies == [b"%d" % n for n in range(300)]
    peer.close()


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\xff\xff\xff\xff",
        wire.frame(wire.PUT, 2, b"short"),
        wire.frame(wire.GET, 2, b"short"),
        wire.frame(wire.EXTENSION, 2, b"[]"),
        wire.json_frame(wire.EXTENSION, 2, {"call": "nothing"}),
        wire.json_frame(wire.EXTENSION, 2, {"call": "open"}),
        wire.json_frame(wire.EXTENSION, 2, {"call": "open", "od": {"x": 1}, "options": 1}),
        wire.json_frame(wire.EXTENSION, 2, {"call": 7}),
        wire.frame(wire.EXTENSION, 2, b'{"call":' + b"[" * 100_000),
        wire.frame(wire.CANCEL, 2, b"1"),
        wire.json_frame(wire.HELLO, 2, HELLO),
        wire.frame(wire.OK, 2),
    ],
)
def test_frame_when_it_cannot_be_then_the_connection_ends_and_others_go_on(
    served: Served, sent: bytes
) -> None:
    peer, reader = by_hand(served)
    assert answers(peer, reader, 1)[0].kind == wire.OK
    peer.sendall(sent)
    (ended,) = answers(peer, reader, 1)
    assert ended.kind == wire.ENDED
    assert ended.json()["reason"] == mq.MQRC_CONNECTION_BROKEN
    assert answers(peer, reader, 1) == []
    peer.close()
    with served.connect() as connection:
        assert connection.queue_names()


def test_hello_when_another_protocol_then_refused(served: Served) -> None:
    peer, reader = by_hand(served, {"protocol": [7, 9]})
    (refused,) = answers(peer, reader, 1)
    assert refused.kind == wire.ERROR
    assert refused.json()["reason"] == mq.MQRC_ENVIRONMENT_ERROR
    peer.close()


@pytest.mark.parametrize("options", ["1", [1], 1.5, {}])
def test_hello_when_options_are_no_number_then_refused(served: Served, options: object) -> None:
    peer, reader = by_hand(served, {**HELLO, "options": options})
    (ended,) = answers(peer, reader, 1)
    assert ended.kind == wire.ENDED
    peer.close()


def test_hello_when_it_does_not_come_then_cut_off(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "HELLO_S_MAX", 0.01)
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(socket_path(str(served.folder)))
    assert peer.recv(1) == b""
    peer.close()


def test_connections_when_too_many_then_refused(served: Served) -> None:
    assert served.host is not None
    served.host.sessions_max = 2
    first, second = served.connect(), served.connect()
    with pytest.raises(ternmq.MQError) as full:
        served.connect()
    assert reason_of(full) == mq.MQRC_MAX_CONNS_LIMIT_REACHED
    first.disconnect()
    until(lambda: len(served.host.sessions) == 1 if served.host else False)
    served.connect().disconnect()
    second.disconnect()


def test_message_when_as_long_as_can_be_then_there_and_back(served: Served) -> None:
    with served.connect() as connection:
        connection.alter_qmgr(max_message_length=104_857_600)
        connection.define_queue("A", max_message_length=104_857_600)
        data = os.urandom(1 << 20) * 100
        with connection.queue("A") as queue:
            queue.put(data)
            assert queue.get(wait=1).data == data
