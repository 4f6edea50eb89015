"""Connections over MQ's client protocol, for threads: shared sockets, verbs, gets taken back."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, RemoteProtocolError, mq_error
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_RECONNECT_FAILED,
    MQRC_RECONNECTED,
    MQRC_RECONNECTING,
)
from ternmq.remote.fap.client_channel import Address
from ternmq.remote.fap.client_conversation import ChannelEnded, Conversation, Reply
from ternmq.remote.fap.client_dialogue import (
    connecting,
    ended_segment,
    exits_of,
    meeting,
    refused,
    way_of,
)
from ternmq.remote.fap.client_socket import ClientSocket
from ternmq.remote.fap.endpoint import (
    FapEndpoint,
    broken_detail,
    broken_reason,
    tls_failed,
    unreachable,
    went_away,
)
from ternmq.remote.fap.fap_verbs import FapVerbs
from ternmq.remote.fap.frames import FapRequest
from ternmq.remote.fap.lost import LOST, source_of, taking_back
from ternmq.remote.fap.quick import FLUSH_NOW, Outgoing, Quick
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
from ternmq.remote.fap.socket_watch import WATCH
from ternmq.remote.remote_verbs import Exchange, PackedPut, Result
from ternmq.remote.threads_runner import RemoteThreads
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.put_form import PutForm, foreign_form
from ternmq.wire.fap.vocabulary import MQDISC, MQPUT, NOTIFICATION, REQUEST_MSGS

# ---- sockets


def open_socket(endpoint: FapEndpoint, address: Address) -> ClientSocket:
    """A socket with the initial data agreed."""
    channel = endpoint.channel
    try:
        opened = socket.create_connection(
            address, endpoint.connect_s, source_of(channel.local_address)
        )
    except OSError as error:
        raise unreachable(channel, address, error) from error
    try:
        return _negotiated(endpoint, address, opened)
    except BaseException:
        opened.close()
        raise


def _negotiated(endpoint: FapEndpoint, address: Address, opened: socket.socket) -> ClientSocket:
    channel = endpoint.channel
    deadline_s = time.monotonic() + endpoint.connect_s
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if channel.keep_alive:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    pipe = None
    if channel.cipher:
        from ternmq.remote.fap.client_tls import TlsPipe, context_of, peer_checked, server_name

        pipe = TlsPipe(context_of(channel, endpoint.tls), server_name(endpoint, address))
        try:
            pipe.shake_hands(opened)
        except (OSError, EOFError) as failed:
            raise tls_failed(channel, address, failed) from failed
        peer_checked(pipe.object, channel, address)
    opened.settimeout(None)
    exits = exits_of(channel, endpoint.parameters.qmgr_name)
    made = ClientSocket(opened, pipe, exits)
    words = meeting(channel, endpoint.parameters.qmgr_name, exits)
    try:
        data = next(words)
        while True:
            data = words.send(made.first_segment(data, deadline_s))
    except StopIteration as end:
        made.meet(end.value)
        WATCH.add(made)
        return made
    except ChannelEnded as ended:
        made.close()
        raise refused(ended, channel, str(address)) from ended
    except LOST as error:
        made.close()
        raise went_away(channel, address, error) from error
    except MQError:
        made.close()
        raise


class SharedSockets:
    """The sockets of the process, by the connections that may share them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: dict[tuple[object, ...], list[ClientSocket]] = {}

    def join(self, key: tuple[object, ...]) -> tuple[ClientSocket, Conversation] | None:
        """A conversation on a socket that is there."""
        with self._lock:
            known = [one for one in self._sockets.get(key, []) if not one.is_closed]
            if not known:
                self._sockets.pop(key, None)
                return None
            self._sockets[key] = known
            for one in known:
                if one.end is not None and one.end.agreement.is_shared and one.end.has_room:
                    return one, one.end.add()
        return None

    def add(self, key: tuple[object, ...], one: ClientSocket) -> None:
        """A socket that others may join."""
        with self._lock:
            self._sockets.setdefault(key, []).append(one)

    def forget(self) -> None:
        """After a fork, in the child: the sockets are the parent's."""
        self._lock = threading.Lock()
        self._sockets = {}


SOCKETS: Final = SharedSockets()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=SOCKETS.forget)


class Line:
    """One conversation on a socket, and who else may come."""

    def __init__(self, endpoint: FapEndpoint, address: Address) -> None:
        self.endpoint = endpoint
        self.address = address
        key = endpoint.key(address)
        joined = SOCKETS.join(key) if endpoint.is_shared else None
        if joined is not None:
            self.socket, self.conversation = joined
            return
        self.socket = open_socket(endpoint, address)
        end = self.socket.end
        if end is None:
            raise RemoteProtocolError("nothing was agreed")
        self.conversation = end.add()
        if endpoint.is_shared and end.agreement.is_shared:
            SOCKETS.add(key, self.socket)

    def connected(self) -> FapVerbs:
        """MQCONN."""
        negotiated = self.socket.negotiated
        try:
            if negotiated is None:
                raise RemoteProtocolError("nothing was agreed")
            parameters = self.endpoint.parameters
            if self.socket.exits is not None:
                parameters = self.socket.exits.parameters(parameters)
            way = way_of(self.endpoint.channel, str(self.address))
            words = connecting(self.conversation, negotiated, parameters, way)
            verbs = self.run(words)
            verbs.local_host = self.socket.local_host
            return verbs
        except ChannelEnded as ended:
            self.close()
            raise refused(ended, self.endpoint.channel, str(self.address)) from ended
        except LOST as error:
            self.close()
            raise went_away(self.endpoint.channel, self.address, error) from error
        except BaseException:
            self.close()
            raise

    def run(self, exchange: Exchange[Result]) -> Result:
        """Send and wait until it is done; raises whatever breaks the socket."""
        try:
            request = next(exchange)
            while True:
                request = exchange.send(self.exchanged(request))
        except StopIteration as end:
            result: Result = end.value
            return result

    def exchanged(self, request: FapRequest) -> Reply | None:
        """Send a request and wait for what answers it."""
        conversation = self.conversation
        if conversation.ended is not None:
            raise conversation.ended
        if request.buffer is not None:
            request.buffer.wait(request.seen, request.wait_ms / 1000)
            return None
        if request.stream is not None:
            return self.socket.wait(conversation, request.stream, request.deadline_s())
        encoded = request.encoded(conversation)
        request.is_sent = True
        self.socket.send(encoded)
        if not request.is_answered:
            return None
        reply = self.socket.wait(conversation, None, 0.0)
        request.is_sent = False
        return reply

    def take_back(self, request: FapRequest) -> None:
        """A get shall not have happened."""
        reply = self.exchanged(taking_back(request))
        while reply is not None and reply.type != NOTIFICATION:
            reply = self.socket.wait(self.conversation, None, 0.0)

    def close(self) -> None:
        """End the conversation, and with the last one the socket."""
        one = self.socket
        end = one.end
        if end is None or one.is_closed:
            return
        end.remove(self.conversation)
        if not end.conversations:
            one.close()
        elif one.is_ours:
            try:
                one.send_at_once(ended_segment(self.conversation))
            except OSError as error:
                one.lost(error)


# ---- verbs


class FapThreads(RemoteThreads):
    """The verbs of one connection, blocking."""

    def __init__(self, line: Line, verbs: FapVerbs, share: int, plan: Plan) -> None:
        super().__init__(verbs, share)
        self.line = line
        self.plan = plan
        self.verbs: FapVerbs = verbs
        self._quick = Quick(verbs, self.turns)
        self._outgoing = Outgoing()

    def put(self, handle: ObjectHandle, form: PutForm, data: bytes) -> bytes:
        """MQPUT; one that is not answered has only to be sent."""
        if self.is_ours:
            if not isinstance(form, PackedPut):
                raise foreign_form("MQPUT")
            caller = threading.get_ident()
            msg_id = self._quick.put(caller, handle, form, data, self._outgoing)
            if msg_id and self._sent(MQPUT, handle, int(form.options)):
                return msg_id
        return super().put(handle, form, data)

    def put_many(
        self, handle: ObjectHandle, options: int, puts: Iterable[tuple[bytes, bytes]]
    ) -> None:
        """Puts that are not answered, many in one piece; the queue manager gives them MsgIds."""
        if not self.verbs.is_shared or not self.is_ours or not options & mq.MQPMO_SYNCPOINT:
            super().put_many(handle, options, puts)
            return
        options |= mq.MQPMO_ASYNC_RESPONSE
        self.turns.take(threading.get_ident(), "MQPUT")
        try:
            self._put_many(handle, options, puts)
        finally:
            self.turns.give_back()

    def _put_many(
        self, handle: ObjectHandle, options: int, puts: Iterable[tuple[bytes, bytes]]
    ) -> None:
        conversation = self.line.conversation
        request = FapRequest(MQPUT, handle, b"")
        request.options = options
        if self.verbs.lost_unit:
            refuse_lost(self.verbs, request, "MQPUT")
        outgoing = Outgoing()
        try:
            for packed, data in puts:
                if conversation.ended is not None:
                    raise conversation.ended
                segment = conversation.framing.put(handle.handle_id, options, packed, data)
                self.verbs.has_changes = True
                if outgoing.add(segment) == FLUSH_NOW:
                    self.line.socket.send(outgoing.take())
            self.line.socket.send(outgoing.take())
        except LOST as error:
            self._lost("MQPUT", request, error)
            raise mq_error(MQRC_BACKED_OUT, verb="MQPUT", object=self.verbs.name) from error

    def get(self, handle: ObjectHandle, request: GetRequest) -> Message | None:
        """MQGET; what was read ahead is here already."""
        if self.is_ours:
            message = self._quick.get(threading.get_ident(), handle, request, self._outgoing)
            if message is not None:
                if self._quick.flush:
                    self._sent(REQUEST_MSGS, handle, 0)
                return message
        try:
            return super().get(handle, request)
        finally:
            if self.verbs.subscribers:
                for code in self.verbs.take_events():
                    self.plan.notify(code)

    def _sent(self, type: int, handle: ObjectHandle, options: int) -> bool:
        """Send a request without an answer; False if it was lost and the client reconnected."""
        try:
            self.line.socket.send(self._outgoing.take())
        except LOST as error:
            request = FapRequest(type, handle, b"")
            request.options = options
            if type == MQPUT:
                self._lost("MQPUT", request, error)
            return False
        return True

    def listen_for(self, listener: Callable[[int], None]) -> None:
        self.plan = self.plan.heard_by(listener)

    @property
    def is_alive(self) -> bool:
        """Whether the connection can still be used, or will come back by itself."""
        is_ended = self.line.conversation.ended is not None and not self.plan.reconnect
        return self.verbs.link.connected and not is_ended

    def exchanged(self, verb: str, request: FapRequest) -> Any:
        """Send a request and wait for what answers it."""
        if self.verbs.lost_unit:
            refuse_lost(self.verbs, request, verb)
        while True:
            try:
                reply = self.line.exchanged(request)
                refuse_end(self.plan, reply)
                return reply
            except LOST as error:
                self._lost(verb, request, error)
            except BaseException:
                self._interrupted(request)
                raise

    def _lost(self, verb: str, request: FapRequest, error: Exception) -> None:
        """Returns if the connection is there again and the request can be sent once more."""
        line = self.line
        line.close()
        if not self.plan.reconnect or request.type == MQDISC:
            detail = broken_detail(error, line.endpoint.channel, line.address)
            self.verbs.leave_groups()
            self.turns.break_off(broken_reason(error), detail)
            raise self.turns.broken_error(verb) from error
        try:
            self._reconnect(verb)
        except MQError as failure:
            self.turns.break_off(failure.reason, failure.detail)
            raise self.turns.broken_error(verb) from error
        result = outcome(self.verbs, request, verb)
        if result is not None:
            raise result from error

    def _reconnect(self, verb: str) -> None:
        plan = self.plan
        plan.notify(MQRC_RECONNECTING)
        settings = plan.settings
        failure: MQError | None = None
        pause = threading.Event()
        for pause_s in pauses(settings.delays, settings.reconnect_s):
            try:
                line, fresh = connected(plan)
                if self._restored(line, fresh):
                    plan.notify(MQRC_RECONNECTED)
                    return
            except MQError as error:
                failure = error
                if is_hopeless(error):
                    break
            pause.wait(pause_s)
        plan.notify(MQRC_RECONNECT_FAILED)
        raise gave_up(verb, self.verbs.name, failure)

    def _restored(self, line: Line, fresh: FapVerbs) -> bool:
        """Open everything again; False if the connection was lost meanwhile."""
        try:
            check_same(self.plan, self.verbs, fresh)
            line.run(restored(self.verbs, fresh))
        except LOST:
            line.close()
            return False
        except BaseException:
            line.close()
            raise
        self.line = line
        return True

    def _interrupted(self, request: FapRequest) -> None:
        """A signal handler raised while a verb waited: a get has not happened; of any other verb
        the answer is dropped when it comes."""
        line = self.line
        if request.stream is not None or not request.is_answered:
            return
        try:
            if request.returnable:
                line.take_back(request)
            elif line.conversation.take_reply() is None:
                line.conversation.skip += 1
        except (*LOST, MQError) as error:
            detail = broken_detail(error, line.endpoint.channel, line.address)
            self.turns.break_off(broken_reason(error), detail)
            line.close()

    def close(self) -> None:
        """Let the conversation go."""
        self.verbs.leave_groups()
        self.line.close()

    def __del__(self) -> None:
        # A connection that is dropped without MQDISC is backed out, as an embedded one is.
        line = getattr(self, "line", None)
        if line is not None and self.is_alive:
            super().__del__()
        if line is not None:
            self.verbs.leave_groups()
            line.close()


def connected(plan: Plan) -> tuple[Line, FapVerbs]:
    """A connection by the first definition and address that has one."""
    failure: MQError | None = None
    for endpoint in plan.endpoints:
        for address in endpoint.channel.addresses:
            try:
                line = Line(endpoint, address)
                return line, line.connected()
            except MQError as error:
                failure = error
        if plan.failed is not None:
            plan.failed(endpoint.channel)
    if failure is None:
        raise RemoteProtocolError("there is no definition to try")
    raise failure
