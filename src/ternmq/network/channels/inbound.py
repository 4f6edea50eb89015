"""Calls of partners: a socket that is handed over by the listener, until an agent has it.

In this order: the queue manager runs, the channel is defined, its type fits the caller's, TLS is as
the channel wants it, the channel is not stopped and has room (`ChannelEvents.may_enter`), CHLAUTH
lets the partner in and says as whom, and no other instance runs for it (`adoption`). Until then the
partner counts as one that has not shown who it is, with its deadline. A refusal is STATUS_DATA to
the partner, and the same in the error log here.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final

from ternmq.base.errors import MQError, RemoteProtocolError
from ternmq.base.names import is_name
from ternmq.base.object_types import CLNTCONN, RECEIVER, REQUESTER, SENDER, SERVER, SVRCONN
from ternmq.kernel.channel_instance import TERMINATE
from ternmq.kernel.parts import is_stopped
from ternmq.network.channels.adoption import may_adopt
from ternmq.network.channels.channel_run import ChannelRun
from ternmq.network.channels.channel_socket import ChannelSocket, Inlet
from ternmq.network.edge.admission import Peer, Refused, check_tls
from ternmq.network.edge.status_segment import status_segment
from ternmq.network.edge.tls_link import TlsTransport
from ternmq.store.catalog import Definition
from ternmq.wire.fap.initial_data import InitialData, read_initial_data
from ternmq.wire.fap.segment import Segment, SegmentError
from ternmq.wire.fap.vocabulary import (
    CAP_REQUEST_INITIATION,
    CHANNEL_UNAVAILABLE,
    CHANNEL_WRONG_TYPE,
    NO_CHANNEL,
    PROTOCOL_GENERAL,
    PROTOCOL_ID_ERROR,
    QM_TERMINATING,
    SECURITY_FAILURE,
)

if TYPE_CHECKING:
    from ternmq.network.channels.message_channels import MessageChannels

# Which types of channels answer a call: of a sender or server, and of a requester.
_RECEIVING: Final = RECEIVER | REQUESTER
_SENDING: Final = SERVER | SENDER
_STOPPING: Final = 2161  # MQRC_Q_MGR_QUIESCING


class Inbound:
    """Lets partners of message channels in. Used in the loop's thread."""

    def __init__(self, channels: MessageChannels) -> None:
        self._channels = channels
        self._host = channels.host
        self._kernel = channels.host.engine.kernel
        self._loop = channels.host.turns.loop
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, transport: asyncio.Transport, peer: Peer, one: Segment, rest: bytes) -> None:
        """A socket whose first segment has come."""
        sock = ChannelSocket(self._host, peer)
        if isinstance(transport, TlsTransport):
            transport.set_protocol(sock)
        else:
            transport.pause_reading()  # loops choose where to read to when they begin
            transport.set_protocol(Inlet(sock))
            transport.resume_reading()
        sock.connection_made(transport)
        if rest:
            sock.take_over(rest)
        task = self._loop.create_task(self._admit(sock, one))
        self._tasks.add(task)
        task.add_done_callback(partial(self._admitted, sock))

    def _admitted(self, sock: ChannelSocket, task: asyncio.Task[None]) -> None:
        """A fault in an admission costs that partner its socket, and nothing else."""
        self._tasks.discard(task)
        fault = None if task.cancelled() else task.exception()
        if fault is not None:
            self._host.fault(fault, "the call of a partner")
        if fault is not None or task.cancelled():
            sock.abort()

    def close(self) -> None:
        """The queue manager ends: no call that waits is answered."""
        for task in list(self._tasks):
            task.cancel()

    async def _admit(self, sock: ChannelSocket, one: Segment) -> None:
        name = "????"
        try:
            asked = read_initial_data(one)
            name = asked.channel_name.strip(" \0")
            run = await self._entered(sock, asked, name)
        except Refused as refused:
            self._host.admission.refuse(refused, name, sock.peer)
            self._turn_away(sock, one, refused.status)
        except MQError:  # CHLAUTH, and the error log has it
            self._channels.log_message("AMQ9999E", name, sock.peer.address)
            self._turn_away(sock, one, SECURITY_FAILURE)
        except RemoteProtocolError as wrong:
            self._channels.log_message("AMQ9504E", name, f"{sock.peer.address}: {wrong}")
            status = wrong.status if isinstance(wrong, SegmentError) else PROTOCOL_GENERAL
            self._turn_away(sock, one, status)
        else:
            if run is not None:
                self._channels.serve(run, sock, one)

    def _turn_away(self, sock: ChannelSocket, one: Segment, status: int) -> None:
        sock.write([status_segment(status, one.header)])
        sock.close()

    async def _entered(
        self, sock: ChannelSocket, asked: InitialData, name: str
    ) -> ChannelRun | None:
        """The instance for a partner; None if that has gone."""
        peer = sock.peer
        qmgr_name = asked.qmgr_name.strip(" \0")
        if not is_name(qmgr_name):
            text = f"INITIAL_DATA: {qmgr_name!a} is not the name of a queue manager"
            raise SegmentError(text, PROTOCOL_ID_ERROR)
        definition = self._definition(name, asked, peer)
        check_tls(definition, peer)
        self._check_open(definition, qmgr_name, peer)
        user = await self._host.admission.users.partner(definition, peer, qmgr_name)
        waiting = self._channels.awaiting_callback(name)
        if waiting is None:
            await self._make_way(definition, qmgr_name, peer)
        if sock.is_lost:
            return None
        self._check_open(definition, qmgr_name, peer)
        run = self._channels.called(definition, waiting, peer, user)
        run.partner_qmgr = qmgr_name
        peer.authenticated()
        return run

    def _definition(self, name: str, asked: InitialData, peer: Peer) -> Definition:
        if not self._host.is_running:
            raise Refused(QM_TERMINATING, "AMQ9508E", (self._kernel.name, _STOPPING))
        with self._host.shell.lock:
            definition = self._kernel.catalog.find(SVRCONN, name)
        if definition is None or definition.object_type == CLNTCONN:
            definition = self._host.admission.define(name, asked, peer)
        if definition is None:
            raise Refused(NO_CHANNEL, "AMQ9519E", (name,))
        is_requester = asked.capabilities_1 & CAP_REQUEST_INITIATION != 0
        fitting = _SENDING if is_requester else _RECEIVING
        if definition.object_type & fitting == 0:
            raise Refused(CHANNEL_WRONG_TYPE, "AMQ9502E", (name, peer.address))
        return definition

    def _check_open(self, definition: Definition, qmgr_name: str, peer: Peer) -> None:
        if not self._host.is_running:
            raise Refused(QM_TERMINATING, "AMQ9508E", (self._kernel.name, _STOPPING))
        if is_stopped(definition):
            raise Refused(CHANNEL_UNAVAILABLE, "AMQ9534E", (definition.name,))
        if self._channels.awaiting_callback(definition.name) is not None:
            return  # the requester that waits for this call has its place
        refused = self._channels.events.may_enter(definition, qmgr_name, peer.address)
        if refused is not None:
            raise refused

    async def _make_way(self, definition: Definition, qmgr_name: str, peer: Peer) -> None:
        """No other instance runs for this partner; Refused if one does and goes on."""
        settings = self._channels.settings
        until_s = self._loop.time() + settings.adopt_s
        while (old := self._channels.same(definition, qmgr_name)) is not None:
            if not old.is_ending:
                was = (old.partner_qmgr, old.address)
                if not may_adopt(settings, definition.object_type, was, (qmgr_name, peer.address)):
                    raise Refused(CHANNEL_UNAVAILABLE, "AMQ9514E", (definition.name,))
                self._channels.log_message("AMQ7998I", definition.name, old.address)
                self._channels.stop_run(old, TERMINATE)
            left_s = until_s - self._loop.time()
            if left_s <= 0:
                raise Refused(CHANNEL_UNAVAILABLE, "AMQ9514E", (definition.name,))
            await asyncio.wait([old.gone], timeout=left_s)
