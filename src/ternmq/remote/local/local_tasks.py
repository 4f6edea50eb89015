"""The Unix socket of a queue manager, for tasks: as `local_threads` for threads.

A task may be cancelled while it waits. A get is then taken back before CancelledError is raised,
also if its message was already on the way; any other verb goes to its end first.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

from ternmq.base.errors import MQError, RemoteProtocolError
from ternmq.base.reasons import MQRC_CONNECTION_BROKEN
from ternmq.remote.local.folder_lookup import Place, socket_path
from ternmq.remote.local.local_threads import not_available, not_running
from ternmq.remote.local.local_verbs import LocalVerbs, Request, answer_of
from ternmq.remote.remote_verbs import error_from
from ternmq.remote.tasks_runner import RemoteTasks, to_the_end, until_done
from ternmq.wire import local as wire


class LocalStream(asyncio.Protocol):
    """A connected socket with frames on it; answers come to the futures of their requests."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._reader = wire.FrameReader(wire.ANSWERS)
        self._number = 0
        self._awaited: dict[int, asyncio.Future[wire.Frame]] = {}
        self._ended: Exception | None = None
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ack_due = 0  # a get whose answer has arrived and counts

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The queue manager is there."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop has classes of its own

    def hello_is_done(self) -> None:
        """Frames may hold messages from now on."""
        self._reader.hello_is_done()

    def data_received(self, data: bytes) -> None:
        """Bytes have come."""
        self._reader.feed(data)
        try:
            while (frame := self._reader.next()) is not None:
                if frame.kind == wire.ENDED:
                    self._end(error_from(frame.json()))
                    return
                future = self._awaited.pop(frame.number, None)
                if future is not None and not future.done():
                    future.set_result(frame)
        except RemoteProtocolError as error:
            self._end(error)

    def connection_lost(self, error: Exception | None) -> None:
        """The queue manager is gone."""
        self._end(error or EOFError("the queue manager closed the connection"))
        if not self.closed.done():
            self.closed.set_result(None)

    def _end(self, error: Exception) -> None:
        if self._ended is None:
            self._ended = error
        awaited, self._awaited = self._awaited, {}
        for future in awaited.values():
            if not future.done():
                future.set_exception(self._ended)
        self.close()

    def send(self, request: Request) -> tuple[int, asyncio.Future[wire.Frame]]:
        """Send a request; its number and what its answer comes to."""
        self.ack_due = 0  # a request says as much
        future: asyncio.Future[wire.Frame] = asyncio.get_running_loop().create_future()
        self._number = self._number % 0xFFFFFFFF + 1
        number = self._number
        if self._ended is not None or self._transport is None:
            future.set_exception(self._ended or EOFError("not connected"))
            return number, future
        self._awaited[number] = future
        self._write(request, number)
        return number, future

    def _write(self, request: Request, number: int) -> None:
        transport = self._transport
        if transport is not None:
            size = len(request.head) + len(request.data)
            transport.write(wire.frame_head(request.kind, number, size) + request.head)
            if request.data:
                transport.write(request.data)

    def acknowledge(self, number: int) -> None:
        """The answer to a get counts; said with the next request, if that follows at once."""
        self.ack_due = number
        asyncio.get_running_loop().call_soon(self._send_ack, number)

    def _send_ack(self, number: int) -> None:
        if self.ack_due == number and self._ended is None:
            self.ack_due = 0
            self._write(Request(wire.ACK, wire.NUMBER.pack(number)), 0)

    def close(self) -> None:
        """Close it."""
        if self._transport is not None:
            self._transport.close()


async def opened_stream(place: Place) -> LocalStream:
    """Connect to the socket of a queue manager."""
    loop = asyncio.get_running_loop()
    try:
        _, stream = await loop.create_unix_connection(LocalStream, socket_path(place.folder))
    except OSError as error:
        raise not_running(place, error) from error
    return stream


async def said_hello(stream: LocalStream, said: dict[str, Any], name: str) -> dict[str, Any]:
    """HELLO; what the queue manager says to it."""
    body = wire.json_frame(wire.HELLO, 0, said)[wire.HEAD_BYTES :]
    _, future = stream.send(Request(wire.HELLO, body))
    try:
        frame = await future
    except (OSError, EOFError) as error:
        raise not_available(name, f"it went away: {error}") from error
    stream.hello_is_done()
    return answer_of(frame).json()


class LocalTasks(RemoteTasks):
    """The verbs of one connection, for tasks."""

    def __init__(self, stream: LocalStream, verbs: LocalVerbs, share: int) -> None:
        super().__init__(verbs, share)
        self._stream = stream

    async def exchanged(self, verb: str, request: Request) -> wire.Frame:
        """Send a request and wait for its answer."""
        number, future = self._stream.send(request)
        try:
            if request.returnable:
                return await self._returnable(number, future)
            return await to_the_end(future)
        except (OSError, EOFError, RemoteProtocolError) as error:
            self.turns.break_off(MQRC_CONNECTION_BROKEN, str(error))
            raise self.turns.broken_error(verb) from error
        except MQError as ended:  # the queue manager has said goodbye
            self.turns.break_off(ended.reason, ended.detail)
            raise self.turns.broken_error(verb) from ended

    async def _returnable(self, number: int, future: asyncio.Future[wire.Frame]) -> wire.Frame:
        try:
            frame = await asyncio.shield(future)
        except asyncio.CancelledError:
            cancel = Request(wire.CANCEL, wire.NUMBER.pack(number))
            _, answer = self._stream.send(cancel)
            await until_done(future)
            await until_done(answer)
            raise
        if frame.kind == wire.OK:
            self._stream.acknowledge(number)
        return frame

    async def closed(self) -> None:
        """Let the socket go, and wait until it is gone."""
        self._stream.close()
        await until_done(self._stream.closed)

    def __del__(self) -> None:
        # A connection that is dropped without MQDISC is backed out, as an embedded one is. The
        # collector may run in any thread.
        stream = getattr(self, "_stream", None)
        if stream is not None and not stream.closed.done():
            try:
                stream.closed.get_loop().call_soon_threadsafe(stream.close)
            except RuntimeError:
                pass  # its loop is gone, and the socket with it
        super().__del__()
