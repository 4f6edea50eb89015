"""The channel initiator: carries out what `kernel/channel_control` decides about channels.

It dials channels that are to start, wakes those whose retry is due, reads trigger messages from
initiation queues, takes the ends of channels in, and writes down what lasts. Everything here runs
in the loop's thread; commands reach it through `server/parts`. Channels can be started and served
without any initiation queue being read, but nothing is triggered or retried then.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Final, Protocol

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.object_types import SENDER, SERVER
from ternmq.channel.agent import NORMAL, End
from ternmq.codec.headers.mqtm import TriggerMessage
from ternmq.host.tasks import task_transport
from ternmq.kernel.channel_control import FULL, NO_ADDRESS
from ternmq.kernel.channel_instance import (
    QUIESCE,
    RETRYING,
    RUNNING,
    STARTING,
    STOPPED,
    ChannelInstance,
)
from ternmq.kernel.channel_kept import restore_channels
from ternmq.kernel.channel_news import report_news
from ternmq.kernel.events import CHANNEL
from ternmq.kernel.parts import Pinging, is_stopped
from ternmq.mqi.steps.channel_keeping import KeepChannel
from ternmq.network.channels.channel_events import ChannelEvents
from ternmq.network.channels.trigger_monitor import (
    TriggerMonitor,
    channel_of,
    end_quietly,
)
from ternmq.network.edge.admission import Refused
from ternmq.network.edge.network_host import NetworkHost
from ternmq.store.catalog import Definition
from ternmq.wire.fap.vocabulary import CHANNEL_UNAVAILABLE, MAX_CONNS_LIMIT_REACHED

DEFAULT_QUEUE: Final = "SYSTEM.CHANNEL.INITQ"
APPLICATION: Final = "runmqchi"
NANOSECONDS: Final = 1_000_000_000
LogMessage = Callable[..., None]
_QUALIFIERS: Final[dict[str, int]] = {
    RETRYING: mq.MQRQ_CHANNEL_STOPPED_RETRY,
    STOPPED: mq.MQRQ_CHANNEL_STOPPED_DISABLED,
}


class Running(Protocol):
    """What the initiator needs of the network: `message_channels` has it."""

    def start(self, definition: Definition) -> ChannelInstance:
        """Begin to call the other end."""

    def stop(self, instance: ChannelInstance, mode: int) -> None:
        """Begin to end an instance."""

    def ping(self, definition: Definition, data: bytes, done: Callable[[End], None]) -> None:
        """Begin to ping the other end."""


class Initiator(ChannelEvents):
    """Starts, retries and remembers the message channels of one queue manager."""

    def __init__(
        self, host: NetworkHost, running: Running, user: str, log_message: LogMessage
    ) -> None:
        self._host = host
        self._running = running
        self._user = user
        self._log_message = log_message
        self._kernel = host.engine.kernel
        self._control = self._kernel.parts.control
        self._lock = host.shell.lock
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._monitors: dict[str, asyncio.Task[None]] = {}
        self._to_keep: asyncio.Queue[str] = asyncio.Queue()
        self._keeper: asyncio.Task[None] | None = None
        self._is_ending = False
        self.has_monitors = True  # False: strmqm -ns, until START CHINIT

    # ---- with the queue manager

    def begin(self) -> None:
        """Take in what was kept, and start the initiator that SCHINIT asks for."""
        kernel = self._kernel
        with self._lock:
            now_ns = kernel.clock.monotonic_ns()
            stopped = restore_channels(kernel, now_ns)
            kernel.parts.has_channels = True
            is_wanted = kernel.number("initiator_control") == mq.MQSVC_CONTROL_Q_MGR
            if is_wanted and self.has_monitors:
                self.start_monitor(DEFAULT_QUEUE)
        for channel in stopped:
            self._keep(channel.name)
        self.look()

    async def end(self) -> None:
        """No more channels are started."""
        self._is_ending = True
        if self._timer is not None:
            self._timer.cancel()
        tasks = list(self._monitors.values())
        if self._keeper is not None:
            tasks.append(self._keeper)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    # ---- what the control has decided

    def look(self) -> None:
        """Dial what is to be dialled, and be called again when time is due."""
        if self._is_ending or not self._host.is_running:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        kernel = self._kernel
        control = self._control
        with self._lock:
            now_ns = kernel.clock.monotonic_ns()
            next_ns = control.tick(now_ns)
            report_news(kernel)
            self._host.shell.settle()
            due = [kernel.catalog.find(SENDER, name) for name in control.to_dial]
            gone = [name for name in control.to_dial if kernel.catalog.find(SENDER, name) is None]
            control.to_dial.clear()
            for name in gone:
                control.forget(name)
        if next_ns:
            wait_s = (next_ns - now_ns) / NANOSECONDS
            self._timer = self._loop.call_later(wait_s, self.look)
        for definition in due:
            if definition is not None:
                self._dial(definition)

    def _dial(self, definition: Definition) -> None:
        instance = self._running.start(definition)
        with self._lock:
            goes_on = self._control.begun(definition.name, instance.number)
        if not goes_on:
            self._running.stop(instance, QUIESCE)

    # ---- what the network reports

    def may_enter(self, definition: Definition, qmgr_name: str, address: str) -> Refused | None:
        with self._lock:
            if is_stopped(definition):
                return Refused(CHANNEL_UNAVAILABLE, "AMQ9534E", (definition.name,))
            control = self._control
            if not control.has_room() or not control.has_place():
                return Refused(MAX_CONNS_LIMIT_REACHED, "AMQ9513E", (definition.name,))
        return None

    def callback_wanted(self, definition: Definition) -> None:
        with self._lock:
            why = self._control.triggered(definition)
            report_news(self._kernel)
            self._host.shell.settle()
        if why == STOPPED:
            self._log_message("AMQ9534E", definition.name)
        self.look()

    def changed(self, instance: ChannelInstance) -> None:
        if instance.status == RUNNING and not instance.has_started:
            instance.has_started = True
            with self._lock:
                if self._kernel.events & CHANNEL:
                    self._kernel.event_sink.channel_started(instance)
                    self._host.shell.settle()
            self._keep(instance.name)  # a RETRYING one is not any more

    def ended(self, instance: ChannelInstance, end: End) -> None:
        kernel = self._kernel
        with self._lock:
            definition = kernel.catalog.find(SENDER, instance.name)
            now_ns = kernel.clock.monotonic_ns()
            kind = end.kind if self._host.is_running else NORMAL  # else it ends with all
            after = self._control.ended(definition, instance, kind, now_ns)
            if instance.has_started and kernel.events & CHANNEL:
                error = mq.MQRQ_CHANNEL_STOPPED_ERROR
                usual = mq.MQRQ_CHANNEL_STOPPED_OK if end.kind == NORMAL else error
                kernel.event_sink.channel_stopped(instance, _QUALIFIERS.get(after, usual), end)
            report_news(kernel)
            self._host.shell.settle()
        self._keep(instance.name)
        self.look()

    # ---- what lasts

    def _keep(self, name: str) -> None:
        self._to_keep.put_nowait(name)
        if self._keeper is None and not self._is_ending:
            self._keeper = self._loop.create_task(self._keep_all())

    async def _keep_all(self) -> None:
        transport = task_transport(self._host.loop_shell, self._user, APPLICATION, None)
        transport.warns = False
        try:
            while True:
                name = await self._to_keep.get()
                try:
                    await transport.session.run_step(transport.link, KeepChannel(name))
                except MQError as error:
                    self._log_message("AMQ9509E", name, self._kernel.name, error.reason)
        finally:
            await end_quietly(transport)

    # ---- initiation queues

    def start_monitor(self, queue_name: str) -> None:
        """Read an initiation queue. Called with the engine's lock, in any thread."""
        self._control.initiators[queue_name] = STARTING
        self._loop.call_soon_threadsafe(self._start_monitor, queue_name)

    def _start_monitor(self, queue_name: str) -> None:
        if not self._is_ending:
            self._monitors[queue_name] = self._loop.create_task(self._monitor(queue_name))

    async def _monitor(self, queue_name: str) -> None:
        shell = self._host.loop_shell
        monitor = TriggerMonitor(shell, self._user, queue_name, self._opened, self._triggered)
        error: MQError | None = None
        try:
            error = await monitor.run()
        finally:
            with self._lock:
                self._control.initiators.pop(queue_name, None)
            self._monitors.pop(queue_name, None)
            if error is not None:
                self._log_message("AMQ9509E", queue_name, self._kernel.name, error.reason)
            self._log_message("AMQ5023I", os.getpid())

    def _opened(self, queue_name: str) -> None:
        with self._lock:
            self._control.initiators[queue_name] = RUNNING
        self._log_message("AMQ5022I", os.getpid())
        self.look()

    def stop_monitor(self, queue_name: str) -> None:
        """Do not read it any more. Called with the engine's lock, in any thread."""
        self._control.initiators.pop(queue_name, None)
        self._loop.call_soon_threadsafe(self._stop_monitor, queue_name)

    def _stop_monitor(self, queue_name: str) -> None:
        task = self._monitors.get(queue_name)
        if task is not None:
            task.cancel()

    def _triggered(self, trigger: TriggerMessage) -> None:
        kernel = self._kernel
        with self._lock:
            name, definition = channel_of(kernel.catalog, trigger)
            if definition is not None and not definition.object_type & (SENDER | SERVER):
                definition = None
            why = "" if definition is None else self._control.triggered(definition)
            report_news(kernel)
            self._host.shell.settle()
        if definition is None:
            self._log_message("AMQ9519E", name)
        elif why == NO_ADDRESS:
            self._log_message("AMQ9502E", name, "a trigger without CONNAME")
        elif why == STOPPED:
            self._log_message("AMQ9534E", name)
        elif why == FULL:
            self._log_message("AMQ9513E", name)
        self.look()

    # ---- ping

    def ping(self, definition: Definition, data: bytes) -> Pinging:
        """Begin to ping. Called with the engine's lock, in any thread."""
        pinging = Pinging()
        self._loop.call_soon_threadsafe(self._ping, definition, data, pinging)
        return pinging

    def _ping(self, definition: Definition, data: bytes, pinging: Pinging) -> None:
        def done(end: End) -> None:
            with self._lock:
                if end.kind != NORMAL:
                    pinging.message_id = end.message_id
                    pinging.inserts = end.inserts
                self._kernel.outbox.done(pinging)
                self._host.shell.flush()

        self._running.ping(definition, data, done)
