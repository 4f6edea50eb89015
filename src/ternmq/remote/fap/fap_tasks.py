"""Connections over MQ's client protocol, for tasks: as `fap_threads` for threads.

A task may be cancelled while it waits. A get is then taken back before CancelledError is raised,
also if its message was already on the way; any other verb goes to its end first.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, RemoteProtocolError
from ternmq.base.reasons import MQRC_RECONNECT_FAILED, MQRC_RECONNECTED, MQRC_RECONNECTING
from ternmq.remote.fap.client_channel import Address, ClientChannel
from ternmq.remote.fap.client_conversation import ChannelEnded, Conversation, Reply
from ternmq.remote.fap.client_dialogue import (
    connecting,
    ended_segment,
    exits_of,
    meeting,
    refused,
    way_of,
)
from ternmq.remote.fap.endpoint import (
    FapEndpoint,
    broken_detail,
    broken_reason,
    tls_failed,
    unreachable,
    went_away,
)
from ternmq.remote.fap.fap_verbs import NOT_AHEAD, FapVerbs
from ternmq.remote.fap.frames import FapRequest
from ternmq.remote.fap.lost import LOST, source_of, taking_back
from ternmq.remote.fap.quick import VERBS_WITHOUT_PAUSE, AheadGet, PlainPut, Quick
from ternmq.remote.fap.reconnect import (
    Plan,
    check_same,
    gave_up,
    is_hopeless,
    outcome,
    pauses,
    refuse_end,
    refuse_lost,
    restored,
)
from ternmq.remote.fap.task_socket import TaskSocket
from ternmq.remote.remote_verbs import Exchange, PackedPut, Result
from ternmq.remote.tasks_runner import RemoteTasks, until_done
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.put_form import PutForm, foreign_form
from ternmq.wire.fap.vocabulary import MQDISC, MQGET, NOTIFICATION

if TYPE_CHECKING:
    from ternmq.remote.multicast.message_buffer import MessageBuffer

_GOODBYE_S: Final = 2.0  # for TLS to end in good order


async def open_stream(endpoint: FapEndpoint, address: Address) -> TaskSocket:
    """A socket with the initial data agreed."""
    channel = endpoint.channel
    loop = asyncio.get_running_loop()
    context, host_name = _tls(endpoint, address)
    try:
        async with asyncio.timeout(endpoint.connect_s):
            transport, stream = await loop.create_connection(
                TaskSocket,
                address.host,
                address.port,
                ssl=context,
                server_hostname=host_name,
                local_addr=source_of(channel.local_address),
                ssl_shutdown_timeout=_GOODBYE_S if context is not None else None,
            )
    except ssl.SSLError as failed:
        raise tls_failed(channel, address, failed) from failed
    except OSError as error:
        if context is not None and isinstance(error, ConnectionResetError):
            raise tls_failed(channel, address, error) from error
        raise unreachable(channel, address, error) from error
    try:
        if context is not None:
            _check_peer(transport, channel, address)
        opened = transport.get_extra_info("socket")
        if opened is not None:
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if channel.keep_alive:
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        async with asyncio.timeout(endpoint.connect_s):
            return await _negotiated(endpoint, stream)
    except BaseException as error:
        stream.lost(EOFError("it was not let in"))
        await until_done(stream.closed)
        if isinstance(error, ChannelEnded):
            raise refused(error, channel, str(address)) from error
        if isinstance(error, LOST):
            raise went_away(channel, address, error) from error
        raise


def _tls(endpoint: FapEndpoint, address: Address) -> tuple[ssl.SSLContext | None, str | None]:
    """Context and server name, if the channel has a cipher."""
    if not endpoint.channel.cipher:
        return None, None
    from ternmq.remote.fap.client_tls import context_of, server_name

    return context_of(endpoint.channel, endpoint.tls), server_name(endpoint, address)


def _check_peer(transport: asyncio.BaseTransport, channel: ClientChannel, address: Address) -> None:
    from ternmq.remote.fap.client_tls import peer_checked

    peer_checked(transport.get_extra_info("ssl_object"), channel, address)


async def _negotiated(endpoint: FapEndpoint, stream: TaskSocket) -> TaskSocket:
    stream.exits = exits_of(endpoint.channel, endpoint.parameters.qmgr_name)
    words = meeting(endpoint.channel, endpoint.parameters.qmgr_name, stream.exits)
    data = next(words)
    while True:
        one = await stream.first_segment(data)
        try:
            data = words.send(one)
        except StopIteration as end:
            stream.meet(end.value)
            return stream


class SharedStreams:
    """The sockets of one loop, by the connections that may share them."""

    def __init__(self) -> None:
        self._streams: dict[tuple[object, ...], list[TaskSocket]] = {}
        self._opening: dict[tuple[object, ...], asyncio.Lock] = {}

    def lock(self, key: tuple[object, ...]) -> asyncio.Lock:
        """Held while a socket is opened: a second connection joins it."""
        return self._opening.setdefault(key, asyncio.Lock())

    def join(self, key: tuple[object, ...]) -> tuple[TaskSocket, Conversation] | None:
        """A conversation on a socket that is there."""
        known = [one for one in self._streams.get(key, []) if not one.is_closed]
        if not known:
            self._streams.pop(key, None)
            return None
        self._streams[key] = known
        for one in known:
            if one.end is not None and one.end.agreement.is_shared and one.end.has_room:
                return one, one.end.add()
        return None

    def add(self, key: tuple[object, ...], one: TaskSocket) -> None:
        """A socket that others may join."""
        self._streams.setdefault(key, []).append(one)


_STREAMS: Final[weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, SharedStreams]] = (
    weakref.WeakKeyDictionary()
)


class TaskLine:
    """One conversation on a socket."""

    def __init__(
        self,
        endpoint: FapEndpoint,
        address: Address,
        stream: TaskSocket,
        conversation: Conversation,
    ) -> None:
        self.endpoint = endpoint
        self.address = address
        self.stream = stream
        self.conversation = conversation

    async def connected(self) -> FapVerbs:
        """MQCONN."""
        negotiated = self.stream.negotiated
        try:
            if negotiated is None:
                raise RemoteProtocolError("nothing was agreed")
            parameters = self.endpoint.parameters
            if self.stream.exits is not None:
                parameters = self.stream.exits.parameters(parameters)
            way = way_of(self.endpoint.channel, str(self.address))
            words = connecting(self.conversation, negotiated, parameters, way)
            async with asyncio.timeout(self.endpoint.connect_s):
                verbs = await self.run(words)
                verbs.local_host = self.stream.local_host
                return verbs
        except BaseException as error:
            self.close()
            if self.stream.is_closed:
                await until_done(self.stream.closed)
            if isinstance(error, ChannelEnded):
                raise refused(error, self.endpoint.channel, str(self.address)) from error
            if isinstance(error, LOST):
                raise went_away(self.endpoint.channel, self.address, error) from error
            raise

    async def run(self, exchange: Exchange[Result]) -> Result:
        """Send and wait until it is done; raises whatever breaks the socket."""
        request = next(exchange)
        while True:
            answer = await self.exchanged(request)
            try:
                request = exchange.send(answer)
            except StopIteration as end:
                result: Result = end.value
                return result

    async def exchanged(self, request: FapRequest) -> Reply | None:
        """Send a request and wait for what answers it."""
        conversation = self.conversation
        stream = self.stream
        if conversation.ended is not None:
            raise conversation.ended
        if request.buffer is not None:
            await arrival_of(request.buffer, request.seen, request.wait_ms / 1000)
            return None
        if request.stream is not None:
            await stream.arrival(conversation, request.stream, request.deadline_s())
            return None
        encoded = request.encoded(conversation)
        request.is_sent = True
        stream.write(encoded)
        if request.is_answered:
            while conversation.reply is None:
                if conversation.ended is not None:
                    raise conversation.ended
                future = stream.wakeup(conversation)
                try:
                    await future  # here and not in a coroutine of its own: every verb comes by
                finally:
                    conversation.wake = None
            request.is_sent = False
            return conversation.take_reply()
        if stream.is_full:
            await stream.room()
        return None

    async def take_back(self, request: FapRequest) -> None:
        """A get shall not have happened."""
        reply = await self.exchanged(taking_back(request))
        while reply is not None and reply.type != NOTIFICATION:
            reply = await self.stream.reply(self.conversation)

    def close(self) -> None:
        """End the conversation, and with the last one the socket."""
        stream = self.stream
        end = stream.end
        if end is None or stream.is_closed:
            return
        end.remove(self.conversation)
        if not end.conversations:
            stream.close()
        else:
            stream.write(ended_segment(self.conversation))


async def arrival_of(buffer: MessageBuffer, seen: int, seconds: float) -> None:
    """Wait until a publication comes by multicast, or the time is over."""
    loop = asyncio.get_running_loop()
    came = asyncio.Event()

    def wake() -> None:
        loop.call_soon_threadsafe(came.set)

    if not buffer.wake_by(seen, wake):
        came.set()
    try:
        async with asyncio.timeout(seconds):
            await came.wait()
    except TimeoutError:
        pass
    finally:
        buffer.wake_by(seen, None)


async def connected_task(plan: Plan) -> tuple[TaskLine, FapVerbs]:
    """A connection by the first definition and address that has one."""
    failure: MQError | None = None
    for endpoint in plan.endpoints:
        for address in endpoint.channel.addresses:
            try:
                line = await _line(endpoint, address)
                return line, await line.connected()
            except MQError as error:
                failure = error
        if plan.failed is not None:
            plan.failed(endpoint.channel)
    if failure is None:
        raise RemoteProtocolError("there is no definition to try")
    raise failure


async def _line(endpoint: FapEndpoint, address: Address) -> TaskLine:
    if not endpoint.is_shared:
        return await _alone(endpoint, address, None)
    shared = _STREAMS.setdefault(asyncio.get_running_loop(), SharedStreams())
    key = endpoint.key(address)
    async with shared.lock(key):
        joined = shared.join(key)
        if joined is not None:
            return TaskLine(endpoint, address, joined[0], joined[1])
        return await _alone(endpoint, address, shared)


async def _alone(endpoint: FapEndpoint, address: Address, shared: SharedStreams | None) -> TaskLine:
    stream = await open_stream(endpoint, address)
    end = stream.end
    if end is None:
        raise RemoteProtocolError("nothing was agreed")
    if shared is not None and end.agreement.is_shared:
        shared.add(endpoint.key(address), stream)
    return TaskLine(endpoint, address, stream, end.add())


class FapTasks(RemoteTasks):
    """The verbs of one connection, for tasks."""

    def __init__(self, line: TaskLine, verbs: FapVerbs, share: int, plan: Plan) -> None:
        super().__init__(verbs, share)
        self.line = line
        self.plan = plan
        self.verbs: FapVerbs = verbs
        self._quick = Quick(verbs, self.turns)
        self._quick.outgoing = line.stream.outgoing

    def plain_put(self, handle: ObjectHandle, form: PutForm) -> PlainPut | None:
        if not isinstance(form, PackedPut):
            raise foreign_form("MQPUT")
        verbs = self.verbs
        options = int(form.options)
        if options & mq.MQPMO_SYNCPOINT or not verbs.is_shared:
            return None
        if not verbs.is_asynchronous(handle, options):
            return None
        return PlainPut(self._quick, handle, form)

    def ahead_get(self, handle: ObjectHandle, request: GetRequest) -> AheadGet | None:
        stream = self.verbs.conversation.streams.get(handle.handle_id)
        if stream is None or not request.plain or request.options & NOT_AHEAD:
            return None
        return AheadGet(self._quick, handle, request)

    def put_now(self, handle: ObjectHandle, form: PutForm, data: bytes) -> bytes | None:
        if not isinstance(form, PackedPut):
            raise foreign_form("MQPUT")
        stream = self.line.stream
        task = asyncio.current_task(stream.loop)
        quick = self._quick
        msg_id = quick.put(id(task), handle, form, data, stream.outgoing)
        if not msg_id:
            return None
        self._task = task
        if quick.flush:
            stream.see_to(quick.flush)
        if quick.in_a_row >= VERBS_WITHOUT_PAUSE:
            quick.in_a_row = 0
            self.pause_is_due = True
        return msg_id

    def get_now(self, handle: ObjectHandle, request: GetRequest) -> Message | None:
        stream = self.line.stream
        task = asyncio.current_task(stream.loop)
        quick = self._quick
        message = quick.get(id(task), handle, request, stream.outgoing)
        if message is None:
            return None
        self._task = task
        if quick.flush:
            stream.see_to(quick.flush)
        if quick.in_a_row >= VERBS_WITHOUT_PAUSE:
            quick.in_a_row = 0
            self.pause_is_due = True
        return message

    async def get(self, handle: ObjectHandle, request: GetRequest) -> Message | None:
        try:
            return await super().get(handle, request)
        finally:
            if self.verbs.subscribers:
                for code in self.verbs.take_events():
                    self.plan.notify(code)

    def listen_for(self, listener: Callable[[int], None]) -> None:
        self.plan = self.plan.heard_by(listener)

    @property
    def is_alive(self) -> bool:
        """Whether the connection can still be used, or will come back by itself."""
        is_ended = self.line.conversation.ended is not None and not self.plan.reconnect
        return self.verbs.link.connected and not is_ended

    async def exchanged(self, verb: str, request: FapRequest) -> Any:
        """Send a request and wait for what answers it."""
        if self.verbs.lost_unit:
            refuse_lost(self.verbs, request, verb)
        while True:
            try:
                reply = await self.line.exchanged(request)
                refuse_end(self.plan, reply)
                return reply
            except LOST as error:
                await self._lost(verb, request, error)
            except asyncio.CancelledError:
                await self._cancelled(request)
                raise

    async def _lost(self, verb: str, request: FapRequest, error: Exception) -> None:
        """Returns if the connection is there again and the request can be sent once more."""
        if not self.plan.reconnect or request.type == MQDISC:
            self._break(error)
            raise self.turns.broken_error(verb) from error
        self.line.close()
        try:
            await self._reconnect(verb)
        except MQError as failure:
            self.turns.break_off(failure.reason, failure.detail)
            raise self.turns.broken_error(verb) from error
        result = outcome(self.verbs, request, verb)
        if result is not None:
            raise result from error

    async def _reconnect(self, verb: str) -> None:
        plan = self.plan
        plan.notify(MQRC_RECONNECTING)
        settings = plan.settings
        failure: MQError | None = None
        for pause_s in pauses(settings.delays, settings.reconnect_s):
            try:
                line, fresh = await connected_task(plan)
                if await self._restored(line, fresh):
                    plan.notify(MQRC_RECONNECTED)
                    return
            except MQError as error:
                failure = error
                if is_hopeless(error):
                    break
            await asyncio.sleep(pause_s)
        plan.notify(MQRC_RECONNECT_FAILED)
        raise gave_up(verb, self.verbs.name, failure)

    async def _restored(self, line: TaskLine, fresh: FapVerbs) -> bool:
        """Open everything again; False if the connection was lost meanwhile."""
        try:
            check_same(self.plan, self.verbs, fresh)
            await line.run(restored(self.verbs, fresh))
        except LOST:
            line.close()
            return False
        except BaseException:
            line.close()
            raise
        self.line = line
        self._quick.outgoing = line.stream.outgoing
        return True

    def _break(self, error: Exception) -> None:
        line = self.line
        detail = broken_detail(error, line.endpoint.channel, line.address)
        self.verbs.leave_groups()
        self.turns.break_off(broken_reason(error), detail)
        line.close()

    async def _cancelled(self, request: FapRequest) -> None:
        """The task was cancelled: a get is taken back, what else is under way goes to its end."""
        if request.stream is not None or not request.is_answered:
            return
        line = self.line
        if request.returnable:
            rest = asyncio.ensure_future(line.take_back(request))
        else:
            rest = asyncio.ensure_future(self._dropped(request))
        await until_done(rest)
        error = None if rest.cancelled() else rest.exception()
        if isinstance(error, Exception):
            self._break(error)

    async def _dropped(self, request: FapRequest) -> None:
        reply = await self.line.stream.reply(self.line.conversation)
        handle = request.handle
        if request.type == MQGET and handle is not None and not reply.failed:
            if not request.options & NOT_AHEAD:
                self.verbs.keep(handle, reply.message(request.area))

    async def closed(self) -> None:
        """Let the conversation go."""
        self.verbs.leave_groups()
        self.line.close()
        stream = self.line.stream
        if stream.is_closed:
            await until_done(stream.closed)

    def __del__(self) -> None:
        # A connection that is dropped without MQDISC is backed out, as an embedded one is.
        line = getattr(self, "line", None)
        if line is not None and self.is_alive:
            super().__del__()
        if line is not None and not line.stream.is_closed:
            try:
                line.close()
            except RuntimeError:
                pass  # its loop is gone, and the socket with it
