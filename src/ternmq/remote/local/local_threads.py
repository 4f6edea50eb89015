"""The Unix socket of a queue manager, for threads: sends a verb's requests and waits for answers.

A signal handler may raise while the thread waits. A get is then taken back; of any other verb the
answer is read and dropped before the next one's.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Iterable
from typing import Any, Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, RemoteProtocolError, mq_error
from ternmq.base.limits import MESSAGE_BYTES_MAX
from ternmq.base.reasons import (
    MQRC_CONNECTION_BROKEN,
    MQRC_Q_MGR_NOT_AVAILABLE,
)
from ternmq.remote.local.folder_lookup import Place, cannot_connect, socket_path
from ternmq.remote.local.local_verbs import LocalVerbs, Request, answer_of, check_length
from ternmq.remote.remote_verbs import error_from
from ternmq.remote.threads_runner import RemoteThreads
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.wire import local as wire

_CHUNK_BYTES: Final = 1 << 18
_TOGETHER_BYTES: Final = 1 << 16  # a shorter message is sent in one piece with its head
# Requests that are sent before the first of them is awaited: their answers must fit into what the
# socket holds, or both sides would wait for each other.
_AHEAD_REQUESTS: Final = 128
_AHEAD_BYTES: Final = 1 << 18


def not_available(name: str, detail: str) -> MQError:
    """The queue manager exists, but no process serves it."""
    return mq_error(MQRC_Q_MGR_NOT_AVAILABLE, verb="MQCONN", object=name, detail=detail)


def not_running(place: Place, error: OSError) -> MQError:
    """Why nothing answers: most often there is no process, and then no system error helps."""
    name = place.name
    if not isinstance(error, (FileNotFoundError, ConnectionRefusedError)):
        return cannot_connect(name, error)
    from ternmq.remote.local.folder_lock import embedding_process  # for an error alone

    pid = embedding_process(place.folder)
    if not pid:
        return not_available(name, f"it is not running: {name}, start it by strmqm {name}")
    if pid == os.getpid():
        detail = "it runs inside this program (embedded); use its qmgr.connect()"
    else:
        program = f"process {pid}" if pid > 0 else "another program"
        detail = (
            f"it runs inside {program} (embedded), and only that can connect, by qmgr.connect(). "
            f"For other programs, end that one and start it by strmqm {name}"
        )
    return not_available(name, detail)


def hello(
    user: str | None, password: str | None, application: str, options: int | None
) -> dict[str, Any]:
    """What an application says first."""
    value: dict[str, Any] = {
        "protocol": [wire.PROTOCOL_OLDEST, wire.PROTOCOL_NEWEST],
        "application": application,
        "pid": os.getpid(),
    }
    if user is not None:
        value["user"] = user
    if password is not None:
        value["password"] = password
    if options is not None:
        value["options"] = options
    return value


class LocalSocket:
    """A connected socket with frames on it."""

    def __init__(self, place: Place) -> None:
        try:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        except OSError as error:
            raise cannot_connect(place.name, error) from error
        try:
            self._socket.connect(socket_path(place.folder))
        except OSError as error:
            self._socket.close()
            raise not_running(place, error) from error
        self._reader = wire.FrameReader(wire.ANSWERS)
        self._number = 0
        self._process = os.getpid()

    @property
    def is_ours(self) -> bool:
        """Not in a forked child: there the connection is the parent's, which goes on using it."""
        return self._process == os.getpid()

    def say_hello(self, value: dict[str, Any], name: str) -> dict[str, Any]:
        """HELLO; what the queue manager says to it."""
        try:
            frame = self.receive(self.send(_json(wire.HELLO, value)))
        except (OSError, EOFError) as error:
            raise not_available(name, f"it went away: {error}") from error
        self._reader.hello_is_done()
        return answer_of(frame).json()

    def send(self, request: Request) -> int:
        """Send a request; its number."""
        self._number = self._number % 0xFFFFFFFF + 1
        number = self._number
        head, data = request.head, request.data
        start = wire.frame_head(request.kind, number, len(head) + len(data)) + head
        if len(data) <= _TOGETHER_BYTES:
            self._socket.sendall(start + data)
        else:
            self._socket.sendall(start)
            self._socket.sendall(data)
        return number

    def send_together(self, requests: list[Request]) -> list[int]:
        """Send requests in one piece; their numbers."""
        numbers: list[int] = []
        parts: list[bytes] = []
        for request in requests:
            self._number = self._number % 0xFFFFFFFF + 1
            numbers.append(self._number)
            size = len(request.head) + len(request.data)
            parts += (wire.frame_head(request.kind, self._number, size), request.head, request.data)
        self._socket.sendall(b"".join(parts))
        return numbers

    def receive(self, number: int) -> wire.Frame:
        """The answer to the request of this number; what comes before it belongs to requests that
        no call waits for any more."""
        while True:
            frame = self._reader.next()
            if frame is None:
                size = min(max(self._reader.missing, 4096), _CHUNK_BYTES)
                data = self._socket.recv(size)
                if not data:
                    raise EOFError("the queue manager closed the connection")
                self._reader.feed(data)
            elif frame.kind == wire.ENDED:
                raise error_from(frame.json())
            elif frame.number == number:
                return frame

    def close(self) -> None:
        """Close it; a wait in another thread ends."""
        try:
            if self.is_ours:
                self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the other side was first
        self._socket.close()

    def __del__(self) -> None:
        # A connection that is dropped without MQDISC is backed out, as an embedded one is.
        opened = getattr(self, "_socket", None)
        if opened is not None:
            opened.close()


def _json(kind: int, value: dict[str, Any]) -> Request:
    return Request(kind, wire.json_frame(kind, 0, value)[wire.HEAD_BYTES :])


class LocalThreads(RemoteThreads):
    """The verbs of one connection, blocking."""

    def __init__(self, place: Place, said: dict[str, Any], share: int) -> None:
        self._socket = LocalSocket(place)
        try:
            verbs = LocalVerbs(self._socket.say_hello(said, place.name))
        except BaseException:
            self._socket.close()
            raise
        super().__init__(verbs, share)

    def exchanged(self, verb: str, request: Request) -> wire.Frame:
        """Send a request and wait for its answer."""
        sent = False
        number = 0
        try:
            number = self._socket.send(request)
            sent = True
            frame = self._socket.receive(number)
            if request.returnable and frame.kind == wire.OK:
                # The answer counts although the queue manager may have closed behind it.
                with contextlib.suppress(OSError):
                    self._socket.send(Request(wire.ACK, wire.NUMBER.pack(number)))
            return frame
        except (OSError, EOFError, RemoteProtocolError) as error:
            self._lost(MQRC_CONNECTION_BROKEN, str(error))
            raise self.turns.broken_error(verb) from error
        except MQError as ended:  # the queue manager has said goodbye
            self._lost(ended.reason, ended.detail)
            raise self.turns.broken_error(verb) from ended
        except BaseException:
            if not sent:
                self._lost(MQRC_CONNECTION_BROKEN, "interrupted in the middle of a request")
            elif request.returnable:
                self._take_back(number)
            raise

    def put_many(
        self, handle: ObjectHandle, options: int, puts: Iterable[tuple[bytes, bytes]]
    ) -> None:
        """Puts that are sent before those ahead of them are answered."""
        if not self.is_ours:
            super().put_many(handle, options, puts)
            return
        self.turns.take(threading.get_ident(), "MQPUT")
        try:
            requests: list[Request] = []
            waiting_bytes = 0
            for packed, data in puts:
                if len(data) > MESSAGE_BYTES_MAX and requests:
                    self._put_together(requests, options)  # those before it are put
                check_length(data, "MQPUT", handle.resolved_name)
                head = wire.put_head(handle.handle_id, options, 0, packed)
                requests.append(Request(wire.PUT, head, data))
                waiting_bytes += len(data)
                if len(requests) >= _AHEAD_REQUESTS or waiting_bytes >= _AHEAD_BYTES:
                    self._put_together(requests, options)
                    requests, waiting_bytes = [], 0
            if requests:
                self._put_together(requests, options)
        finally:
            self.turns.give_back()

    def _put_together(self, requests: list[Request], options: int) -> None:
        """Send them and wait for all; the first refusal is raised."""
        try:
            numbers = self._socket.send_together(requests)
            if options & mq.MQPMO_SYNCPOINT:
                self.verbs.has_changes = True
            frames = [self._socket.receive(number) for number in numbers]
        except (OSError, EOFError, RemoteProtocolError) as error:
            self._lost(MQRC_CONNECTION_BROKEN, str(error))
            raise self.turns.broken_error("MQPUT") from error
        except MQError as ended:  # the queue manager has said goodbye
            self._lost(ended.reason, ended.detail)
            raise self.turns.broken_error("MQPUT") from ended
        except BaseException:
            self._lost(MQRC_CONNECTION_BROKEN, "interrupted in the middle of requests")
            raise
        for frame in frames:
            answer_of(frame)

    def deliver(self, handle: ObjectHandle, request: GetRequest) -> Message | None:
        return self.exchange("MQGET", self.verbs.get(handle, request, True))

    def _take_back(self, number: int) -> None:
        """A signal handler raised while a get waited: it has not happened."""
        try:
            self._socket.receive(self._socket.send(Request(wire.CANCEL, wire.NUMBER.pack(number))))
        except (OSError, EOFError, RemoteProtocolError, MQError) as error:
            self._lost(MQRC_CONNECTION_BROKEN, str(error))

    def _lost(self, reason: int, detail: str) -> None:
        self.turns.break_off(reason, detail)
        self._socket.close()

    def close(self) -> None:
        """Let the socket go."""
        self._socket.close()
