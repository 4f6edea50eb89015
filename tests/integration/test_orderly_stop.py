"""Goal: an orderly stop loses no message. A get outside syncpoint is delivered or has not happened.

Method: a queue manager is ended at the moments between a get and its answer, over the local socket
and over TCP; what applications have and what is on the queue after the next start must be all.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.api.connection import Connection as Embedded
from ternmq.base.reasons import MQRC_CONNECTION_BROKEN, MQRC_Q_MGR_STOPPING
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.host.shared_threads import thread_transport
from ternmq.kernel.connection import Handle
from ternmq.mqi.getting import get_request as request_get
from ternmq.network.edge.admission import Peer
from ternmq.network.edge.partner_socket import PartnerSocket
from ternmq.remote.local.folder_lookup import find, socket_path
from ternmq.remote.local.local_threads import LocalThreads, hello
from ternmq.remote.local.local_verbs import get_head
from ternmq.runtime.starting import start_in_memory
from ternmq.server import host as hosting
from ternmq.server.host import IMMEDIATE
from ternmq.server.listener import listen
from ternmq.values.calls.objects import Open
from ternmq.values.get_request import UNLIMITED_LENGTH
from ternmq.wire import local as wire
from ternmq.wire.extension import pack_request, unpack_answer
from tests.battery.places import until
from tests.unit.api.served import Served, in_folder
from tests.unit.network.partner import Place

MANY = 200
LONG = 4_000_000
SENT = 150_000


def left_over(path: Path) -> list[bytes]:
    """What the next start finds on the queue."""
    with in_folder(path, "QM1") as served, served.connect() as connection:
        return [bytes(message.data) for message in connection.queue("Q")]


def made(path: Path, *messages: bytes) -> Served:
    served = in_folder(path, "QM1", True, log_file_pages=4096)
    with served.connect() as connection:
        connection.define_queue("Q")
        queue = connection.queue("Q")
        for data in messages:
            queue.put(data, persistent=True)
    return served


def until_got(served: Served) -> None:
    with served.connect() as connection, connection.queue("Q") as queue:
        until(lambda: queue.depth == 0)


@pytest.mark.parametrize("wait", [0.0, 5.0])
def test_stop_when_gets_are_under_way_then_nothing_is_lost(tmp_path: Path, wait: float) -> None:
    served = made(tmp_path, *[b"%d" % number for number in range(MANY)])
    got: list[bytes] = []
    ended: list[int] = []

    def take() -> None:
        try:
            queue = served.connect().queue("Q")
            while (message := queue.try_get(wait=wait)) is not None:
                got.append(bytes(message.data))
        except ternmq.MQError as error:
            ended.append(error.reason)

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    until(lambda: len(got) >= MANY // 4)
    served.close()
    for thread in threads:
        thread.join()
    assert set(ended) <= {MQRC_Q_MGR_STOPPING, MQRC_CONNECTION_BROKEN}
    assert sorted(got + left_over(tmp_path)) == sorted(b"%d" % number for number in range(MANY))


def test_stop_when_a_connection_was_just_accepted_then_it_is_answered(tmp_path: Path) -> None:
    """The local socket closes between the turn of the loop that accepts and the one that serves."""
    folder = tmp_path / "qmgrs" / "QM1"
    folder.mkdir(parents=True)
    application = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    application.settimeout(10)

    async def end_between() -> None:
        host = hosting.Host(start_in_memory("QM1", None, None))
        listener = await listen(host, str(folder))
        application.connect(str(folder / "local.sock"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # it is accepted now
        await listener.close()
        host.end(IMMEDIATE)
        await host.stop()

    asyncio.run(end_between())
    with application:
        reader = wire.FrameReader(wire.ANSWERS)
        reader.feed(application.recv(4096))
    frame = reader.next()
    assert frame is not None
    assert frame.kind == wire.ENDED


def test_stop_when_an_answer_is_behind_the_close_then_the_get_has_its_message(
    tmp_path: Path,
) -> None:
    served = made(tmp_path, b"one")
    connection = served.connect()
    queue = connection.queue("Q")
    queue._opened(ternmq.constants.MQOO_INPUT_SHARED)
    transport = connection.transport
    assert isinstance(transport, LocalThreads)
    line: Any = transport._socket
    receive = line.receive

    def receive_late(number: int) -> wire.Frame:
        frame: wire.Frame = receive(number)
        if frame.body.endswith(b"one"):
            served.close()  # whoever says that the answer counts finds nobody
        return frame

    line.receive = receive_late
    assert queue.get(wait=5).data == b"one"
    with pytest.raises(ternmq.MQError) as broken:
        queue.get(wait=5)
    assert broken.value.reason in (MQRC_Q_MGR_STOPPING, MQRC_CONNECTION_BROKEN)
    assert left_over(tmp_path) == []


@pytest.mark.parametrize("is_cut", [False, True])
def test_session_when_a_get_ends_after_it_was_closed_then_the_message_is_back(
    tmp_path: Path, is_cut: bool
) -> None:
    """The get of a session is served, and before its task goes on the session is closed."""
    served = made(tmp_path)
    application = Raw(tmp_path)
    host = served.host
    assert host is not None
    with served.connect() as putter:
        queue = putter.queue("Q")
        queue.put(b"another", persistent=True)
        queue.get()
        application.get(wait=60_000)
        kernel = host.engine.kernel
        until(lambda: len(kernel.waiting) == 1)
        reported = threading.Event()
        waiting = next(iter(kernel.waiting.values())).connection
        links = {one: one.binding.verbs.link for one in host.sessions if one.binding}
        session = next(one for one, link in links.items() if link is waiting)

        def put_and_close() -> None:
            with Embedded(thread_transport(served.started.shell, "mqm", "test", None)) as inside:
                inside.queue("Q").put(b"one", persistent=True)
            if is_cut:
                session.abort()
            else:
                session.notify_end(MQRC_Q_MGR_STOPPING)
            reported.set()

        served._loop.call_soon_threadsafe(put_and_close)
        assert reported.wait(10)
        until(lambda: session not in host.sessions)
        frames = application.rest()
        assert [frame.kind for frame in frames] == ([] if is_cut else [wire.ENDED])
        assert queue.get().data == b"one"
    served.close()


def test_stop_when_a_long_answer_is_read_late_then_it_comes_whole(tmp_path: Path) -> None:
    served = made(tmp_path, bytes(LONG))
    application = Raw(tmp_path)
    number = application.get()
    until_got(served)
    served.end(IMMEDIATE)
    until(lambda: bool(served.host and served.host.engine.kernel.status != 0))
    frames = application.rest()
    assert [(frame.kind, frame.number) for frame in frames] == [(wire.OK, number), (wire.ENDED, 0)]
    assert len(frames[0].body) > LONG
    served.join()
    assert left_over(tmp_path) == []


def test_stop_when_nobody_reads_a_long_answer_then_the_message_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosting, "CLOSE_GRACE_S", 0.2)
    served = made(tmp_path, bytes(LONG))
    application = Raw(tmp_path)
    application.get()
    until_got(served)
    served.close()
    application.close()
    assert [len(data) for data in left_over(tmp_path)] == [LONG]


class Raw:
    """An application on the local socket that reads only when it is asked to."""

    def __init__(self, data: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.connect(socket_path(find(str(data), "QM1").folder))
        self._socket.settimeout(15)
        self._reader = wire.FrameReader(wire.ANSWERS)
        self._number = 0
        self._send(wire.HELLO, wire.json_frame(wire.HELLO, 0, hello(None, None, "raw", None))[9:])
        self._receive()
        self._reader.hello_is_done()
        call = Open(ObjectDescriptor(object_name="Q"), ternmq.constants.MQOO_INPUT_SHARED)
        self._send(wire.EXTENSION, pack_request(call.name, call.arguments()))
        self._handle = unpack_answer(self._receive().body)[0]["handle"]

    def _send(self, kind: int, body: bytes) -> int:
        self._number += 1
        self._socket.sendall(wire.frame(kind, self._number, body))
        return self._number

    def _receive(self) -> wire.Frame:
        while (frame := self._reader.next()) is None:
            data = self._socket.recv(1 << 16)
            if not data:
                raise EOFError
            self._reader.feed(data)
        return frame

    def get(self, wait: int = 0) -> int:
        options = ternmq.constants.MQGMO_WAIT if wait else 0
        request = request_get(
            Descriptor(), GetOptions(options=options, wait_interval=wait), UNLIMITED_LENGTH
        )
        handle = Handle(None, self._handle, 0)  # type: ignore[arg-type]
        return self._send(wire.GET, get_head(handle, request, wire.RETURNABLE))

    def rest(self) -> list[wire.Frame]:
        frames: list[wire.Frame] = []
        try:
            while True:
                frames.append(self._receive())
        except (EOFError, ConnectionResetError):
            self.close()
            return frames

    def close(self) -> None:
        self._socket.close()


def test_socket_when_it_is_closed_with_unread_bytes_then_all_that_was_written_arrives() -> None:
    """TCP resets a connection that is closed before all was read from it, and forgets what it has
    not sent."""

    async def play() -> int:
        place = Place(10)
        made: list[PartnerSocket] = []

        def accept() -> PartnerSocket:
            made.append(PartnerSocket(place.host, Peer("127.0.0.1", 1)))
            return made[0]

        loop = asyncio.get_running_loop()
        server = await loop.create_server(accept, "127.0.0.1", 0)
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32768)
        client.setblocking(False)
        await loop.sock_connect(client, server.sockets[0].getsockname())
        while not (made and place.host.sockets):  # noqa: ASYNC110 - the loop itself is what is waited for
            await asyncio.sleep(0)
        accepted = made[0]._transport
        assert accepted is not None
        system: socket.socket = accepted.get_extra_info("socket")
        system.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * SENT)
        made[0].read_on(False)
        await loop.sock_sendall(client, b"another conversation says more")
        made[0].line.write(bytes(SENT))
        made[0].line.send()
        assert accepted.get_write_buffer_size() == 0, "the system has all"
        made[0].close()
        for _ in range(10):
            await asyncio.sleep(0)
        came = 0
        try:
            while data := await loop.sock_recv(client, 1 << 16):
                came += len(data)
        except ConnectionResetError:
            pass
        client.close()
        await made[0].gone
        server.close()
        place.admin.disconnect()
        await asyncio.to_thread(place.started.stop)
        return came

    assert asyncio.run(play()) == SENT
