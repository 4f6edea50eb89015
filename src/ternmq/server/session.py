"""One connection on the local socket: reads frames, has them served in order, writes answers.

A session is a protocol of the loop and one task. The task serves one request after the other, so a
get that waits holds up its own connection and no other. If the other side goes away, the request
under way is broken off and its unit of work backed out at once.

A get is the application's when the system has taken all bytes of its answer. One whose answer
cannot be written any more, because the connection ends, is taken back.
"""

from __future__ import annotations

import asyncio
import os
import pwd
import socket
import struct
from collections import deque
from typing import Any, Final, cast

from ternmq.base.errors import MQError, ProtocolError, RemoteProtocolError, mq_error
from ternmq.base.limits import HELLO_S_MAX, REQUEST_BYTES_WAITING_MAX, REQUESTS_WAITING_MAX
from ternmq.base.reasons import (
    MQRC_CONNECTION_BROKEN,
    MQRC_ENVIRONMENT_ERROR,
    MQRC_MAX_CONNS_LIMIT_REACHED,
    MQRC_NOT_AUTHORIZED,
    MQRC_UNEXPECTED_ERROR,
)
from ternmq.base.user_names import user_name_fault
from ternmq.mqi.sharing import sharing
from ternmq.network.edge.identity import ROOT
from ternmq.server.binding import Binding
from ternmq.server.control_calls import control
from ternmq.server.descriptors import LOCAL_SPARE
from ternmq.server.host import Host
from ternmq.server.local_room import COUNTED_BYTES, LocalOutlet
from ternmq.server.trace_calls import TracedRequest, trace_connection
from ternmq.wire import local as wire
from ternmq.wire.extension import error_value

_CREDENTIALS: Final = struct.Struct("3i")
_TOGETHER_BYTES: Final = 1 << 16  # parts of a longer answer are not put together
_LONG_BYTES: Final = 1 << 20  # a write of more is by a view
_SEND_BYTES: Final = 1 << 20
_FLUSH_S: Final = 5.0  # for what was written, at the end; then the connection is cut


def user_of(uid: int) -> str:
    """The name of a user of the system; the number if it has none that can be used here."""
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        name = ""
    if name and not user_name_fault(name):
        return name
    number = str(uid)
    try:
        is_another = pwd.getpwnam(number).pw_uid != uid
    except KeyError:
        is_another = False
    return f"#{number}" if is_another else number  # some call people by their numbers


class Session(asyncio.Protocol):
    """An application, or a control command, at the other end of a socket."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.binding: Binding | None = None  # after the hello; never for a control connection
        self.user = ""
        self.uid = -1
        self.pid = 0
        self._transport: asyncio.Transport | None = None
        self._reader = wire.FrameReader(wire.REQUESTS)
        self._waiting: deque[wire.Frame] = deque()
        self._waiting_bytes = 0
        self._wake: asyncio.Future[None] | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._serving = 0  # the number of the request under way
        self._cancelled: set[int] = set()  # gets that shall not have happened
        self._tail: list[bytes] = []  # of the answer that is about to be written
        self._closing = False
        self._leaving = False
        self._task: asyncio.Task[None] | None = None
        self._is_cut = False  # bytes that were written have not left, and will not
        self._has_said_end = False  # the last bytes that were written are not an answer
        self._gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._hello_timer: asyncio.TimerHandle | None = None
        self._outlet: LocalOutlet | None = None  # of an application

    # ---- the protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """An application has connected."""
        stream = cast("asyncio.Transport", transport)  # other loops have classes of their own
        self._transport = stream
        peer: socket.socket = stream.get_extra_info("socket")
        data = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        self.pid, self.uid, _ = _CREDENTIALS.unpack(data)
        # As much as the system allows: a block of a stream then takes fewer turns of the loop.
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BYTES)
        self.user = user_of(self.uid)
        self.host.sessions.add(self)
        if self.host.open_sockets > self.host.sessions_max + LOCAL_SPARE:
            stream.abort()  # files need the rest
        loop = asyncio.get_running_loop()
        self._task = loop.create_task(self._run())
        # A client that says nothing must not hold a descriptor for ever.
        self._hello_timer = loop.call_later(HELLO_S_MAX, self.abort)

    def data_received(self, data: bytes) -> None:
        """Bytes have come."""
        self._reader.feed(data)
        try:
            while (frame := self._reader.next()) is not None:
                self._take(frame)
        except RemoteProtocolError as error:
            self._refuse(error)

    def eof_received(self) -> bool:
        """The application sends no more and expects no answer: asyncio closes the socket."""
        return False

    def connection_lost(self, error: Exception | None) -> None:
        """The other side has gone."""
        self._closing = True
        # An error says that the other side has not read the last bytes: a write of them failed, or
        # they were unread when it closed its socket.
        if error is not None and not (self._has_said_end and self._writable.is_set()):
            self._is_cut = True
        self._writable.set()
        if not self._gone.done():
            self._gone.set_result(None)
        if self._task is not None and not self._leaving:
            self._task.cancel()

    def pause_writing(self) -> None:
        """The other side does not read: its next request waits."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """It has read enough."""
        self._writable.set()

    # ---- requests

    def _take(self, frame: wire.Frame) -> None:
        if frame.kind == wire.CANCEL:
            number = frame.referred()
            if number == self._serving and self._task is not None:
                self._cancelled.add(number)
                self._task.cancel()
            elif any(one.number == number for one in self._waiting):
                self._cancelled.add(number)
        self._waiting.append(frame)
        self._waiting_bytes += len(frame.body)
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)
        if self._is_full() and self._transport is not None:
            self._transport.pause_reading()

    def _is_full(self) -> bool:
        waiting = len(self._waiting)
        return waiting > REQUESTS_WAITING_MAX or self._waiting_bytes > REQUEST_BYTES_WAITING_MAX

    async def _next(self) -> wire.Frame:
        while not self._waiting:
            self._wake = asyncio.get_running_loop().create_future()
            try:
                await self._wake
            finally:
                self._wake = None
        was_full = self._is_full()
        frame = self._waiting.popleft()
        self._waiting_bytes -= len(frame.body)
        if was_full and not self._is_full() and self._transport is not None:
            self._transport.resume_reading()
        return frame

    async def _run(self) -> None:
        """Serve until one of the two sides has enough; then leave nothing behind."""
        try:
            await self._hello()
            while not self._closing:
                # No name keeps the request while the next one is waited for: it may be long.
                await self._serve(await self._next())
                if not self._writable.is_set():
                    await self._writable.wait()
        except asyncio.CancelledError:
            pass  # the connection is gone
        except RemoteProtocolError as error:
            self._refuse(error)
        finally:
            await self._leave()

    async def _serve(self, frame: wire.Frame) -> None:
        """One request and its answer."""
        number = frame.number
        self._serving = number
        trace = self.host.trace
        traced = None
        if trace is not None and trace.on:
            traced = TracedRequest(trace, self.binding, frame)
        try:
            if number in self._cancelled and frame.kind == wire.GET:
                answer = wire.frame(wire.OK, number)
            else:
                answer = await self._answer(frame)
        except asyncio.CancelledError:
            if number not in self._cancelled or self._closing:
                raise
            task = self._task
            if task is not None:
                task.uncancel()
            answer = wire.frame(wire.OK, number)
        except MQError as error:
            answer = wire.json_frame(wire.ERROR, number, error_value(error))
        except ProtocolError:
            raise
        except Exception as error:
            answer = self._fault_answer(frame, error)
        self._serving = 0
        if traced is not None:
            traced.answered(answer, sum([len(part) for part in self._tail]))
        self._write_answer(answer)

    def _fault_answer(self, frame: wire.Frame, error: Exception) -> bytes:
        """A fault of ours: its caller gets the error, the others go on, and a message stays."""
        if frame.kind == wire.GET and self.binding is not None:
            self.binding.take_back()
        self.host.fault(error, f"a request of kind {frame.kind}")
        fault = mq_error(MQRC_UNEXPECTED_ERROR, detail=f"{type(error).__name__}: {error}")
        return wire.json_frame(wire.ERROR, frame.number, error_value(fault))

    async def _answer(self, frame: wire.Frame) -> bytes:
        number = frame.number
        binding = self.binding
        if binding is None:
            if frame.kind != wire.CALL:
                raise RemoteProtocolError("a verb on a control connection")
            return wire.json_frame(wire.OK, number, await control(self.host, frame.json()))
        if frame.kind == wire.CANCEL:
            cancelled = frame.referred()
            back = binding.cancel(cancelled) or cancelled in self._cancelled
            self._cancelled.discard(cancelled)
            return wire.json_frame(wire.OK, number, {"returned": back})
        binding.answered()
        if frame.kind == wire.ACK:
            return b""
        if frame.kind == wire.EXTENSION:
            await self._await_room()
            return self._in_parts(number, await binding.call(frame.body))
        if frame.kind == wire.GET:
            return await self._got(binding, frame)
        return wire.frame(wire.OK, number, await binding.serve(frame))

    async def _got(self, binding: Binding, frame: wire.Frame) -> bytes:
        """A get. Many may have waited for one message, so that room is looked for twice."""
        await self._await_room()
        parts = await binding.get(frame)
        size = sum([len(part) for part in parts])
        if size >= COUNTED_BYTES:
            try:
                await self._await_room()
            except asyncio.CancelledError:
                binding.take_back()
                raise
        first = wire.frame_head(wire.OK, frame.number, size)
        tail = [parts.pop()] if size > _TOGETHER_BYTES else []  # the message, which is not copied
        answer = b"".join([first, *parts])
        self._tail = tail  # from here on nothing fails, so that no other answer gets it
        return answer

    async def _await_room(self) -> None:
        """Until there is room for an answer; see `answer_room`."""
        outlet = self._outlet
        if outlet is not None and outlet.is_full:
            await outlet.wait()

    def _in_parts(self, number: int, parts: list[bytes]) -> bytes:
        """Long parts of an answer are not copied: they are written behind the beginning of it."""
        size = sum(len(part) for part in parts)
        first = wire.frame_head(wire.OK, number, size)
        if size <= _TOGETHER_BYTES:
            return first + b"".join(parts)
        self._tail = parts
        return first

    # ---- hello

    async def _hello(self) -> None:
        frame = await self._next()
        self._stop_hello_timer()
        if frame.kind != wire.HELLO:
            raise RemoteProtocolError(f"kind {frame.kind} before the hello")
        given = frame.json()
        try:
            answer = await self._admit(given)
        except MQError as error:
            self._write(wire.json_frame(wire.ERROR, frame.number, error_value(error)))
            self._close()
            return
        self._reader.hello_is_done()
        self._write(wire.json_frame(wire.OK, frame.number, answer))

    def _stop_hello_timer(self) -> None:
        if self._hello_timer is not None:
            self._hello_timer.cancel()
            self._hello_timer = None

    async def _admit(self, given: dict[str, Any]) -> dict[str, Any]:
        """Whether an application may connect, and as which user."""
        host = self.host
        protocol = wire.chosen_protocol(given.get("protocol"))
        if protocol == 0:
            raise mq_error(
                MQRC_ENVIRONMENT_ERROR,
                verb="MQCONN",
                object=host.engine.name,
                detail=f"protocols {given.get('protocol')} are not spoken here",
            )
        answer: dict[str, Any] = {"protocol": protocol, "name": host.engine.name}
        if given.get("control"):
            self._check_control()
            return answer
        if host.open_sockets > host.sessions_max:
            raise mq_error(
                MQRC_MAX_CONNS_LIMIT_REACHED,
                verb="MQCONN",
                object=host.engine.name,
                detail=f"{host.sessions_max} connections, as file descriptors allow",
            )
        options = given.get("options")
        if options is not None:
            if not isinstance(options, int):
                raise RemoteProtocolError(f"options {options!r}")
            sharing(options)  # checked here, kept by the other side
        application = str(given.get("application") or f"process {self.pid}")
        password = given.get("password")
        user = await host.identity.user(
            self.uid,
            self.user,
            str(given.get("user") or ""),
            None if password is None else str(password),
            application,
        )
        self.binding = Binding(host, host.loop_shell, user, application)
        link = self.binding.verbs.link
        link.process_id = self.pid
        link.connect_options = int(options or 0)
        self._outlet = LocalOutlet(self, host.turns, f"{user} user {self.uid}")
        trace_connection(host.trace, self.binding, "begins")
        answer["connection_id"] = self.binding.verbs.link.tag.hex()
        answer["user"] = user
        return answer

    def _check_control(self) -> None:
        if self.uid not in (ROOT, os.getuid()):
            raise mq_error(
                MQRC_NOT_AUTHORIZED,
                verb="MQCONN",
                object=self.host.engine.name,
                detail=f"user {self.user} does not control this queue manager",
            )

    # ---- the end

    def _write_answer(self, answer: bytes) -> None:
        binding = self.binding
        if self._closing and binding is not None:
            binding.take_back()  # the application will not read the answer
        tail, self._tail = self._tail, []
        self._write(answer)
        size = len(answer)
        for part in tail:
            self._write(part)
            size += len(part)
        if self._transport is not None and self._transport.is_closing():
            self._is_cut = True  # it drops what is written; `connection_lost` comes a turn later
        if size >= COUNTED_BYTES and self._outlet is not None:
            self._outlet.wrote(size)
        if binding is not None and binding.unanswered is not None and self._is_written():
            binding.written()

    def _is_written(self) -> bool:
        """Whether what was written has left, or will at the end of this turn of the loop."""
        transport = self._transport
        return transport is not None and transport.get_write_buffer_size() <= _TOGETHER_BYTES

    def _write(self, data: bytes) -> None:
        if data and self._transport is not None and not self._closing:
            # asyncio cuts off what the system took; with a view it does so without a copy
            self._transport.write(data if len(data) < _LONG_BYTES else memoryview(data))

    def _close(self) -> None:
        self._closing = True
        if self._transport is not None:
            self._transport.close()

    def _refuse(self, error: RemoteProtocolError) -> None:
        """The other side speaks something else."""
        broken = mq_error(MQRC_CONNECTION_BROKEN, object=self.host.engine.name, detail=str(error))
        self._say_end(error_value(broken))

    def notify_end(self, reason: int) -> None:
        """The queue manager ends: say so and close, once what was answered is on its way."""
        ended = mq_error(reason, object=self.host.engine.name)
        self._say_end({**error_value(ended), "reconnect": self.host.reconnect})

    def _say_end(self, message: dict[str, Any]) -> None:
        self._has_said_end = True
        self._write(wire.json_frame(wire.ENDED, 0, message))
        self._close()

    @property
    def task(self) -> asyncio.Task[None] | None:
        """What serves the session; done when it has left."""
        return self._task

    def abort(self) -> None:
        """Cut the connection, whatever is on its way. An answer that comes now is not sent."""
        self._closing = True
        transport = self._transport
        if transport is not None:
            if not self._gone.done() and transport.get_write_buffer_size():
                self._is_cut = True
            transport.abort()

    @property
    def unsent_bytes(self) -> int:
        """Written, and not taken by the system."""
        transport = self._transport
        if transport is None or self._gone.done():
            return 0
        return transport.get_write_buffer_size()

    def cut_stalled(self, left_bytes: int) -> None:
        """The application does not read, and others wait for the memory that it takes."""
        why = f"it has not read {left_bytes} bytes, and others wait for the memory they take"
        self.host.engine.kernel.notices.add("AMQ9206E", (f"process {self.pid}", why))
        self.abort()

    async def _flushed(self) -> None:
        """Close the connection; one that does not read what was sent is cut off."""
        if self._transport is not None and not self._gone.done():
            self._transport.close()
            await asyncio.wait([self._gone], timeout=_FLUSH_S)
            self.abort()

    async def _end_get(self, binding: Binding) -> None:
        """Whose the message of the last get is: what came after its answer says so, else whether
        that has left."""
        if binding.unanswered is None:
            return
        if self._waiting:
            first = self._waiting[0]
            if first.kind != wire.CANCEL or not binding.cancel(first.referred()):
                binding.answered()
            return
        await self._flushed()
        if self._is_cut:
            binding.take_back()
        binding.answered()

    async def _leave(self) -> None:
        """Back out what the application did not commit."""
        self._closing = True
        self._leaving = True
        self._stop_hello_timer()
        binding = self.binding
        try:
            if binding is not None:
                trace_connection(self.host.trace, binding, "ends")
                await self._end_get(binding)
                if self.host.engine.error_for("") is None:
                    await asyncio.shield(binding.verbs.end(True))
        except (MQError, asyncio.CancelledError):
            pass  # the queue manager ends, and backs out by itself
        finally:
            self.binding = None
            await self._flushed()
            if self._outlet is not None:
                self._outlet.leave()
            self.host.leave(self)
