"""All message channels that one queue manager runs: started here, called by partners, and ended.

The section of network/README.md has the interface for the initiator. Everything is called in the
loop's thread, without the engine's lock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.object_types import RECEIVER, REQUESTER, SENDER, SERVER
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED
from ternmq.channel.agent import CALL_BACK, NO_RETRY, NORMAL, RETRY, Agent, End
from ternmq.channel.exit_points import ExitChain, ExitEnds
from ternmq.channel.ping import PingingAgent
from ternmq.channel.receiver import ReceivingAgent
from ternmq.channel.sender import SendingAgent
from ternmq.channel.settings import ChannelSettings
from ternmq.host.jobs import LoopVerbs
from ternmq.kernel import channel_instance as words
from ternmq.kernel.channel_instance import FORCE, QUIESCE, TERMINATE, ChannelInstance
from ternmq.kernel.channel_work import ChannelWork
from ternmq.network.channels.agent_driver import AgentDriver, DriverOwner
from ternmq.network.channels.channel_events import ChannelEvents
from ternmq.network.channels.channel_exits import exits_of
from ternmq.network.channels.channel_run import ChannelRun
from ternmq.network.channels.channel_socket import ChannelSocket
from ternmq.network.channels.definition_settings import settings_of
from ternmq.network.channels.dialing import Dialer, DialFailed
from ternmq.network.channels.engine_side import EngineSide
from ternmq.network.channels.inbound import Inbound
from ternmq.network.edge.admission import Peer
from ternmq.network.edge.network_host import NetworkHost
from ternmq.network.edge.status_segment import status_segment
from ternmq.network.edge.tcp_listener import Network
from ternmq.store.catalog import Definition
from ternmq.wire.fap.dialogue import ACCEPTOR, INITIATOR
from ternmq.wire.fap.segment import Segment
from ternmq.wire.fap.vocabulary import QM_UNAVAILABLE, SECURITY_FAILURE

APPLICATION: Final = "amqrmppa"
CALLBACK_S: Final = 60.0  # for which a requester waits for its sender's call
END_S: Final = 3.0  # for channels to end with a word to their partners, when the queue manager ends
BATCH_END_S: Final = 5.0  # for batches under way to end, when the queue manager quiesces
_QUIESCE_LOOK_S: Final = 0.1
KEY_BYTES_MIN: Final = 32_768
_STATUS_WORDS: Final[dict[int, str]] = {
    mq.MQCHS_BINDING: words.BINDING,
    mq.MQCHS_STARTING: words.STARTING,
    mq.MQCHS_RUNNING: words.RUNNING,
    mq.MQCHS_STOPPING: words.STOPPING,
    mq.MQCHS_REQUESTING: words.REQUESTING,
    mq.MQCHS_PAUSED: words.PAUSED,
    mq.MQCHS_INITIALIZING: words.INITIALIZING,
}


class Agents:
    """Makes agents. A test has others."""

    def running(
        self, settings: ChannelSettings, is_initiator: bool, exits: ExitChain | None = None
    ) -> Agent:
        """One end of a channel, the one that calls or the one that is called."""
        role = INITIATOR if is_initiator else ACCEPTOR
        if settings.kind & (SENDER | SERVER):
            return SendingAgent(settings, role, exits)
        return ReceivingAgent(settings, role, exits)

    def pinging(self, settings: ChannelSettings, data: bytes) -> Agent:
        """The end that pings."""
        return PingingAgent(settings, data)


class MessageChannels(DriverOwner):
    """Runs the message channels of one queue manager. Made inside the loop, after the network."""

    def __init__(
        self,
        host: NetworkHost,
        network: Network,
        agents: Agents | None = None,
    ) -> None:
        self.host = host
        self.settings = network.settings
        self.log_message = network.log_message
        self.events = ChannelEvents()  # the initiator puts itself here
        self._agents = agents or Agents()
        self._network = network
        self.exit_files = network.exit_files
        self._lock = host.shell.lock
        self._kernel = host.engine.kernel
        self._turns = host.turns
        self._loop = host.turns.loop
        self._dialer = Dialer(network.tls, network.settings.connect_s, network.settings.keep_alive)
        self._inbound = Inbound(self)
        self._runs: dict[int, ChannelRun] = {}  # by the number of the instance
        self._by_driver: dict[AgentDriver, ChannelRun] = {}
        # Of channels that start again for new keys: how many they had, and when the last.
        self._key_resets: dict[str, tuple[int, int]] = {}
        self._quiesced_s = 0.0  # when the queue manager began to end
        self._pings: set[asyncio.Task[None]] = set()  # kept, or they would be collected
        self.take = self._inbound.take
        host.message_channels = self

    # ---- for the initiator

    def start(self, definition: Definition) -> ChannelInstance:
        """Begin to run a channel that this end starts: SDR, SVR or RQSTR."""
        run = self._enter(definition, definition.text("connection_name"))
        run.instance.is_caller = True
        run.instance.status = words.INITIALIZING
        resets, last_ns = self._key_resets.pop(definition.name, (0, 0))
        run.instance.key_resets = resets
        run.instance.key_reset_ns = last_ns
        run.task = self._loop.create_task(self._call(run))
        run.task.add_done_callback(partial(self._called, run))
        return run.instance

    def stop(self, instance: ChannelInstance, mode: int) -> None:
        """Begin to end an instance; a stricter mode may follow a milder one."""
        run = self._runs.get(instance.number)
        if run is not None:
            run.restarts = False
            self._key_resets.pop(instance.name, None)
            self.stop_run(run, mode)

    def ping(self, definition: Definition, data: bytes, done: Callable[[End], None]) -> None:
        """Call the partner, send it data and compare what comes back; `done` is called once."""
        task = self._loop.create_task(self._ping(definition, data, done))
        self._pings.add(task)
        task.add_done_callback(self._pings.discard)

    def instances_of(self, name: str) -> list[ChannelInstance]:
        """Those of a channel that run now."""
        return [run.instance for run in self._runs.values() if run.instance.name == name]

    @property
    def is_idle(self) -> bool:
        """Whether no channel runs."""
        return not self._runs

    # ---- for calls of partners

    def same(self, definition: Definition, qmgr_name: str) -> ChannelRun | None:
        """The instance that runs for the same partner: of an end that sends, there is only one."""
        one_only = definition.object_type & (SENDER | SERVER) != 0
        for run in self._runs.values():
            if run.instance.name == definition.name:
                if one_only or run.partner_qmgr == qmgr_name:
                    return run
        return None

    def awaiting_callback(self, name: str) -> ChannelRun | None:
        """The requester that waits for this call."""
        for run in self._runs.values():
            if run.instance.name == name and run.awaits_callback:
                return run
        return None

    def called(
        self, definition: Definition, waiting: ChannelRun | None, peer: Peer, user: str
    ) -> ChannelRun:
        """The instance for a partner that has called and may come in."""
        run = waiting
        if run is None or not run.awaits_callback:
            run = self._enter(definition, peer.address)
            run.instance.status = words.BINDING
        run.finish()
        run.user = user
        return run

    def serve(self, run: ChannelRun, sock: ChannelSocket, first: Segment | None) -> None:
        """A socket is there: an agent takes it, with the first segment if a partner has called."""
        instance = run.instance
        run.address = sock.peer.address
        with self._lock:
            self._network.channels.note_peer(instance, sock.peer)
        channel = instance.channel
        settings = settings_of(self._kernel, channel, sock.peer.address, self.settings.pipelines)
        settings.number = instance.number
        current = self._kernel.parts.control.channels.get(instance.name)
        if current is not None and current.batch_max:
            settings.batch_messages = min(settings.batch_messages, current.batch_max)
        settings.callback_only = first is not None and channel.object_type == SENDER
        exits = self._exits(run, sock, first)
        if exits is None:
            return
        agent = self._agents.running(settings, first is None, exits)
        user = run.user or self.host.own_user
        is_sending = channel.object_type & (SENDER | SERVER) != 0
        try:
            verbs = LoopVerbs(self._turns, user, APPLICATION)
        except MQError as error:
            self._cannot_connect(run, sock, first, user, error)
            return
        link = verbs.link
        link.channel_name = instance.name
        link.connection_name = sock.peer.address
        if is_sending:
            link.privileged = True  # the queue manager itself gets from the transmission queue
        queue = channel.text("transmission_queue") if is_sending else ""
        work = ChannelWork(channel, settings, queue, instance.address)
        engine = EngineSide(verbs, work, is_sending)
        driver = AgentDriver(self._turns, self, agent, sock, engine)
        instance.user = user
        instance.process_id = settings.process_id
        instance.agent = agent
        if instance.is_caller and instance.cipher:
            driver.key_bytes_max = self._key_bytes_max()
        run.driver = driver
        self._by_driver[driver] = run
        self._turns.room.enter(sock.outlet, f"{user} {sock.peer.origin}")
        self._status(run, words.BINDING)
        self._turns.begin()
        try:
            driver.begin(first)
            if run.stop_mode:
                driver.stop(run.stop_mode)
        finally:
            self._turns.settle()

    def _cannot_connect(
        self, run: ChannelRun, sock: ChannelSocket, first: Segment | None, user: str, error: MQError
    ) -> None:
        """The user that the channel runs as may not connect, or nobody may now. The partner gets to
        know which of the two it is."""
        if error.reason == MQRC_NOT_AUTHORIZED:
            self.log_message("AMQ9557E", user, error.comp, error.reason)
            status, kind = SECURITY_FAILURE, NO_RETRY
        else:
            status, kind = QM_UNAVAILABLE, RETRY
        sock.write([status_segment(status, None if first is None else first.header)])
        sock.close()
        self._finish(run, End(kind, "AMQ9508E", (self._kernel.name, error.reason), status))

    def _exits(
        self, run: ChannelRun, sock: ChannelSocket, first: Segment | None
    ) -> ExitChain | None:
        """The exits of an instance; None if one cannot be loaded, and the instance has ended."""
        kernel = self._kernel
        issuer = sock.peer.certificate_issuer
        try:
            return exits_of(
                self.exit_files, run.instance.channel, kernel.name, issuer, kernel.clock
            )
        except ExitEnds as ends:
            sock.write([status_segment(ends.status, None if first is None else first.header)])
            sock.close()
            self._finish(run, End(NO_RETRY, ends.message_id, ends.inserts, ends.status))
            return None

    def stop_run(self, run: ChannelRun, mode: int) -> None:
        """Begin to end an instance."""
        run.stop_mode = mode
        run.instance.stop_requested = True
        driver = run.driver
        if driver is not None:
            self._turns.begin()
            try:
                driver.stop(mode)
            finally:
                self._turns.settle()
        elif run.task is not None or run.awaits_callback:
            self._finish(run, End(NORMAL, "AMQ9001I", (run.instance.name,)))

    # ---- runs

    def _enter(self, definition: Definition, address: str) -> ChannelRun:
        with self._lock:
            now_ns = int(self._kernel.clock.now_ns())
            instance = self._network.channels.begin(definition, address, now_ns)
        run = ChannelRun(instance, definition, self._loop)
        instance.ask_to_stop = partial(self.stop, instance)
        self._runs[instance.number] = run
        return run

    async def _call(self, run: ChannelRun) -> None:
        """Dial, and let an agent have the socket."""
        channel = run.instance.channel
        self.log_message("AMQ9002I", channel.name)
        try:
            protocol = await self._dialer.dial(channel, partial(ChannelSocket, self.host))
        except DialFailed as failed:
            run.task = None
            self._finish(run, self._dial_failed(channel.name, failed))
        else:
            run.task = None
            assert isinstance(protocol, ChannelSocket)
            self.serve(run, protocol, None)

    def _called(self, run: ChannelRun, task: asyncio.Task[None]) -> None:
        """A fault in a call ends that channel, and nothing else."""
        fault = None if task.cancelled() else task.exception()
        if fault is not None:
            run.task = None
            name = run.instance.name
            self.host.fault(fault, f"dialling for {name}")
            self._finish(run, End(RETRY, "AMQ9999E", (name, run.instance.address)))

    async def _ping(self, definition: Definition, data: bytes, done: Callable[[End], None]) -> None:
        name = definition.name
        try:
            protocol = await self._dialer.dial(definition, partial(ChannelSocket, self.host))
        except DialFailed as failed:
            done(self._dial_failed(name, failed))
            return
        assert isinstance(protocol, ChannelSocket)
        settings = settings_of(
            self._kernel, definition, protocol.peer.address, self.settings.pipelines
        )
        agent = self._agents.pinging(settings, data)
        driver = AgentDriver(self._turns, PingOwner(self, done), agent, protocol, None)
        self._turns.begin()
        try:
            driver.begin()
        finally:
            self._turns.settle()

    def _dial_failed(self, name: str, failed: DialFailed) -> End:
        peer = failed.peer
        if failed.qualifier and peer is not None:
            subject, issuer = peer.certificate_subject, peer.certificate_issuer
            qualifier = failed.qualifier
            self.host.admission.tls_failed(qualifier, name, peer.address, subject, issuer)
        kind = RETRY if failed.may_heal else NO_RETRY
        return End(kind, failed.message_id, failed.inserts)

    def _finish(self, run: ChannelRun, end: End) -> None:
        """An instance has ended."""
        instance = run.instance
        if self._runs.pop(instance.number, None) is None:
            return
        run.finish()
        self.log_message(end.message_id, *end.inserts)
        if end.kind in (RETRY, NO_RETRY) and end.message_id != "AMQ9999E":
            self.log_message("AMQ9999E", instance.name, run.address or instance.address)
        with self._lock:
            self._network.channels.leave(instance)
        if not run.gone.done():
            run.gone.set_result(end)
        self.events.ended(instance, end)
        if run.restarts and end.kind == NORMAL and self.host.is_running:
            self.events.callback_wanted(run.definition)
        self.host.look()

    def _status(self, run: ChannelRun, status: str) -> None:
        if run.instance.status != status:
            run.instance.status = status
            self.events.changed(run.instance)

    # ---- of drivers

    def notice(self, driver: AgentDriver, message_id: str, inserts: tuple[object, ...]) -> None:
        self.log_message(message_id, *inserts)

    def changed(self, driver: AgentDriver) -> None:
        run = self._by_driver.get(driver)
        if run is None:
            return
        agent = driver.agent
        instance = run.instance
        instance.heartbeat_s = agent.heartbeat_s
        instance.message_bytes_max = agent.message_bytes_max
        if agent.partner_qmgr:
            run.partner_qmgr = agent.partner_qmgr
        status = _STATUS_WORDS.get(agent.status, instance.status)
        if status == words.RUNNING and instance.status != words.RUNNING:
            instance.product = agent.partner_product[:4]
            instance.version = agent.partner_product[4:12]
            self._network.channels.keep_alive(instance, driver.socket.peer)
        instance.status = status
        self.events.changed(instance)

    def ended(self, driver: AgentDriver, end: End) -> None:
        run = self._by_driver.pop(driver, None)
        if run is None:
            return
        run.driver = None
        if end.kind != CALL_BACK:
            self._finish(run, end)
        elif run.definition.object_type == REQUESTER and not run.stop_mode:
            run.timer = self._loop.call_later(CALLBACK_S, self._not_called, run)
            self._status(run, words.REQUESTING)
        else:
            self._finish(run, end)
            if run.definition.object_type != REQUESTER:
                self.events.callback_wanted(run.definition)

    def keys_used(self, driver: AgentDriver) -> None:
        run = self._by_driver.get(driver)
        if run is not None and not run.stop_mode:
            resets = run.instance.key_resets + 1
            self._key_resets[run.instance.name] = (resets, int(self._kernel.clock.now_ns()))
            run.restarts = True
            self.stop_run(run, QUIESCE)

    def _key_bytes_max(self) -> int:
        """SSLRKEYC: less than 32 KB is 32 KB, as in IBM MQ."""
        given = self._kernel.number("key_reset_bytes")
        return max(given, KEY_BYTES_MIN) if given else 0

    def _not_called(self, run: ChannelRun) -> None:
        """The sender did not call back."""
        run.timer = None
        self._finish(run, End(RETRY, "AMQ9558E", (run.instance.name, run.instance.address)))

    def fault(self, error: BaseException, doing: str) -> None:
        self.host.fault(error, doing)

    # ---- the end of the queue manager

    def quiesce(self) -> None:
        """Batches under way end, then their channels; a receiver that has no batch, or waits to try
        a put again, ends at once. A partner that is paused, or does not read, must not keep the
        queue manager from its end: a batch that takes longer is cut off, and comes again later. So
        is a channel whose exit does not return."""
        now_s = self._loop.time()
        if not self._quiesced_s:
            self._quiesced_s = now_s
        is_late = now_s - self._quiesced_s >= BATCH_END_S
        is_overdue = now_s - self._quiesced_s >= BATCH_END_S + END_S
        for run in list(self._runs.values()):
            agent = run.instance.agent
            driver = run.driver
            is_receiving = run.definition.object_type & (RECEIVER | REQUESTER) != 0
            has_batch = agent is not None and (not is_receiving or agent.current_messages > 0)
            is_paused = agent is not None and run.instance.status == words.PAUSED
            if is_overdue:
                self.stop_run(run, TERMINATE)
            elif driver is None or not has_batch or is_paused or is_late:
                self.stop_run(run, FORCE)
            elif not run.stop_mode:
                self.stop_run(run, QUIESCE)
        if self._runs and not self.host.is_running:
            self._loop.call_later(_QUIESCE_LOOK_S, self.quiesce)

    async def end(self, at_once: bool) -> None:
        """The queue manager ends now: what is not committed is backed out."""
        self._inbound.close()
        for mode in (TERMINATE,) if at_once else (FORCE, TERMINATE):
            runs = list(self._runs.values())
            for run in runs:
                self.stop_run(run, mode)
            left = [run.gone for run in runs if not run.gone.done()]
            if left and not at_once:
                await asyncio.wait(left, timeout=END_S)


class PingOwner(DriverOwner):
    """Who waits for the end of a ping."""

    def __init__(self, channels: MessageChannels, done: Callable[[End], None]) -> None:
        self._channels = channels
        self._done = done

    def notice(self, driver: AgentDriver, message_id: str, inserts: tuple[object, ...]) -> None:
        self._channels.log_message(message_id, *inserts)

    def changed(self, driver: AgentDriver) -> None:
        """No status shows it."""

    def keys_used(self, driver: AgentDriver) -> None:
        """A ping is over soon."""

    def ended(self, driver: AgentDriver, end: End) -> None:
        if end.kind != NORMAL:
            self._channels.log_message(end.message_id, *end.inserts)
        self._done(end)

    def fault(self, error: BaseException, doing: str) -> None:
        self._channels.fault(error, doing)
