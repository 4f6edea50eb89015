"""The listeners and services of a running queue manager: what START and CONTROL(QMGR) start.

A listener has its port when START LISTENER is answered, or is refused. PORT(0) is the port of
qm.ini (TCP, Port), else 1414.

A service of type SERVER has one process at a time, which DISPLAY SVSTATUS shows; STOP SERVICE runs
its STOPCMD, or ends it with SIGTERM if it has none. One of type COMMAND is started and left alone.
In commands, arguments and output paths +QMNAME+, +MQ_DATA_PATH+, +MQ_INSTALL_PATH+ and, for the
stop, +MQ_SERVER_PID+ are filled in. Programs run as the user of the queue manager, without a shell.
STOP CONN cuts the connection of an application, and what it did not commit is backed out; others
that share its socket are left alone.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import subprocess
from collections.abc import Callable, Coroutine
from typing import IO, Any, Final

from ternmq.base.constants import (
    MQSVC_CONTROL_MANUAL,
    MQSVC_CONTROL_Q_MGR,
    MQSVC_TYPE_SERVER,
    MQXPT_TCP,
)
from ternmq.base.object_types import LISTENER, SERVICE
from ternmq.kernel.channel_instance import QUIESCE, ChannelInstance
from ternmq.kernel.parts import LISTENERS, SERVICES, Parts, Pinging, RunningPart
from ternmq.network.channels.initiator import Initiator
from ternmq.server.host import Host
from ternmq.store.catalog import Definition

LOOK_S: Final = 0.1
END_S: Final = 10.0  # how long the end of the queue manager waits for a service to stop
LogMessage = Callable[..., None]


class ServerParts(Parts):
    """What a running queue manager starts and stops beside itself. Made inside the loop."""

    def __init__(self, host: Host, log_message: LogMessage, places: dict[str, str]) -> None:
        super().__init__()
        kernel = host.engine.kernel
        self._host = host
        self._lock = host.started.shell.lock
        self._kernel = kernel
        self._log_message = log_message
        self._places = {"QMNAME": kernel.name, **places}
        self._loop = asyncio.get_running_loop()
        self._tasks: dict[str, asyncio.Task[None]] = {}  # of the servers, by name
        self._loose: set[asyncio.Task[None]] = set()  # kept, or they would be collected
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self.initiator: Initiator | None = None  # of channels, once the network is there

    # ---- asked for by commands, with the engine's lock, in whatever thread

    def start(self, space: str, definition: Definition) -> str:
        if space == LISTENERS:
            return self._start_listener(definition)
        if not definition.text("start_command"):
            return f"the service {definition.name} has no STARTCMD"
        if self._is_server(definition):
            part = RunningPart("STARTING", 0, int(self._kernel.clock.now_ns()))
            self.running[SERVICES][definition.name] = part
            self._kernel.catalog.at_work.setdefault(SERVICES, set()).add(definition.name)
        self._later(definition.name, self._run(definition))
        return ""

    def _start_listener(self, definition: Definition) -> str:
        network = self._host.network
        if network is None:
            return "this queue manager has no network"
        if definition.number("transport") != MQXPT_TCP:
            return "there is no transport but TCP"
        name = definition.name
        address = definition.text("address")
        port = definition.number("port") or network.settings.port
        try:
            listener = network.bind(name, address, port, definition.number("backlog"))
        except OSError as error:
            self._log_message("AMQ9218E", port, address or "*", error.strerror)
            return f"port {port} of {address or 'all addresses'} cannot be had: {error.strerror}"
        part = RunningPart("RUNNING", os.getpid(), int(self._kernel.clock.now_ns()))
        part.port = listener.port
        part.address = address
        part.backlog = listener.backlog
        self.running[LISTENERS][name] = part
        self._kernel.catalog.at_work.setdefault(LISTENERS, set()).add(name)
        self._loop.call_soon_threadsafe(listener.open)
        self._log_message("AMQ5026I", name, os.getpid())
        return ""

    def _stop_listener(self, name: str) -> str:
        self.running[LISTENERS].pop(name)
        self._kernel.catalog.at_work.get(LISTENERS, set()).discard(name)
        network = self._host.network
        listener = None if network is None else network.listeners.get(name)
        if listener is not None:
            self._loop.call_soon_threadsafe(listener.close)
        self._log_message("AMQ5027I", name, os.getpid())
        return ""

    def stop_instances(self, instances: list[ChannelInstance], mode: int) -> None:
        if self._host.network is not None:
            self._host.network.channels.ask_to_stop(instances, mode)

    def look_at_channels(self) -> None:
        if self.initiator is not None:
            self._loop.call_soon_threadsafe(self.initiator.look)

    def ping(self, channel: Definition, data: bytes) -> Pinging | None:
        return None if self.initiator is None else self.initiator.ping(channel, data)

    def start_initiator(self, queue_name: str) -> None:
        if self.initiator is not None:
            self.initiator.start_monitor(queue_name)

    def stop_initiator(self, queue_name: str) -> None:
        if self.initiator is not None:
            self.initiator.stop_monitor(queue_name)

    def refresh_tls(self) -> None:
        network = self._host.network
        if network is not None:
            network.tls.refresh()
            secured = [one for one in self.instances.values() if one.cipher]
            for one in secured:
                self.control.restart(one)
            network.channels.ask_to_stop(secured, QUIESCE)

    def stop(self, space: str, name: str) -> str:
        if space == LISTENERS:
            return self._stop_listener(name)
        part = self.running[space].get(name)
        definition = self._kernel.catalog.find(SERVICE, name)
        if part is None or definition is None:
            return f"the service {name} does not run"
        part.status = "STOPPING"
        self._later("", self._end(definition))
        return ""

    def end_connection(self, connection_id: int) -> str:
        for session in self._host.sessions:
            binding = session.binding
            if binding is not None and binding.verbs.link.connection_id == connection_id:
                self._loop.call_soon_threadsafe(session.abort)
                return ""
        for sock in self._host.sockets:
            if connection_id in sock.connection_ids:
                self._loop.call_soon_threadsafe(sock.end_connection, connection_id)
                return ""
        return "it is the queue manager's own"

    # ---- with the queue manager

    def begin(self) -> None:
        """Start what CONTROL says."""
        self.begin_listeners()
        self.begin_services()

    def begin_listeners(self) -> list[str]:
        """Start those that CONTROL says; why some could not be, a sentence for each."""
        faults: list[str] = []
        with self._lock:
            table = self._kernel.catalog.table_of(LISTENER)
            for name in sorted(table):
                if table[name].number("control") != MQSVC_CONTROL_MANUAL:
                    why = self._start_listener(table[name])
                    if why:
                        faults.append(f"Listener {name} is not started: {why}.")
        return faults

    def begin_services(self) -> None:
        """Start those that CONTROL says."""
        for definition in self._controlled():
            with self._lock:
                why = self.start(SERVICES, definition)
            if why:
                self._log_message("AMQ5032E", definition.name, why)

    async def end(self) -> None:
        """Stop what CONTROL(QMGR) says, and wait for it a while; the others go on alone."""
        awaited: list[asyncio.Task[None]] = []
        for definition in self._controlled():
            name = definition.name
            with self._lock:
                is_bound = definition.number("control") == MQSVC_CONTROL_Q_MGR
                if is_bound and name in self._tasks:
                    awaited.append(self._tasks[name])
                    self.stop(SERVICES, name)
        if awaited:
            await asyncio.wait(awaited, timeout=END_S)

    def _controlled(self) -> list[Definition]:
        table = self._kernel.catalog.table_of(SERVICE)
        found = [table[name] for name in sorted(table)]
        return [
            one
            for one in found
            if one.number("control") != MQSVC_CONTROL_MANUAL and one.text("start_command")
        ]

    # ---- in the loop

    def _later(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        self._loop.call_soon_threadsafe(self._spawn, name, work)

    def _spawn(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        if name:
            self._tasks[name] = task
        self._loose.add(task)
        task.add_done_callback(self._loose.discard)

    @staticmethod
    def _is_server(definition: Definition) -> bool:
        return definition.number("service_type") == MQSVC_TYPE_SERVER

    async def _run(self, definition: Definition) -> None:
        """A service from its start to its end."""
        name = definition.name
        try:
            words = self._words(
                definition.text("start_command"), definition.text("start_arguments")
            )
            process = self._process(definition, words)
        except (OSError, ValueError) as error:
            self._gone(name)
            self._log_message("AMQ5032E", name, error)
            return
        if not self._is_server(definition):
            self._log_message("AMQ5030I", name, process.pid)
            await _ended(process)
            return
        with self._lock:
            part = self.running[SERVICES][name]
            part.process_id = process.pid
            if part.status == "STARTING":
                part.status = "RUNNING"
        self._processes[name] = process
        self._log_message("AMQ5028I", name, process.pid)
        await _ended(process)
        self._gone(name)
        self._log_message("AMQ5029I", name, process.pid)

    async def _end(self, definition: Definition) -> None:
        """Stop a server: by its command, or by a signal."""
        process = self._processes.get(definition.name)
        if process is None:
            return
        if not definition.text("stop_command"):
            process.send_signal(signal.SIGTERM)
            return
        try:
            words = self._words(
                definition.text("stop_command"), definition.text("stop_arguments"), process.pid
            )
            await _ended(self._process(definition, words))
        except (OSError, ValueError) as error:
            self._log_message("AMQ8734E", definition.name, error)
            with self._lock:
                part = self.running[SERVICES].get(definition.name)
                if part is not None:
                    part.status = "RUNNING"

    def _gone(self, name: str) -> None:
        self._processes.pop(name, None)
        self._tasks.pop(name, None)
        with self._lock:
            self.running[SERVICES].pop(name, None)
            self._kernel.catalog.at_work.get(SERVICES, set()).discard(name)

    def _filled(self, text: str, process_id: int = 0) -> str:
        for word, value in self._places.items():
            text = text.replace(f"+{word}+", value)
        return text.replace("+MQ_SERVER_PID+", str(process_id))

    def _words(self, command: str, arguments: str, process_id: int = 0) -> list[str]:
        """Program and arguments; ValueError for quotes that do not end."""
        words = [command, *shlex.split(arguments)]
        return [self._filled(word, process_id) for word in words]

    def _process(self, definition: Definition, words: list[str]) -> subprocess.Popen[bytes]:
        out = self._output(definition.text("standard_output"))
        err = self._output(definition.text("standard_error"))
        try:
            return subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=out or subprocess.DEVNULL,
                stderr=err or subprocess.DEVNULL,
                start_new_session=True,
            )
        finally:
            for file in (out, err):
                if file is not None:
                    file.close()

    def _output(self, path: str) -> IO[bytes] | None:
        return open(self._filled(path), "ab") if path else None


async def _ended(process: subprocess.Popen[bytes]) -> None:
    """Until a process has ended. It is looked at now and then: asyncio's own processes would be
    killed with the loop, and a service may outlive the queue manager."""
    while process.poll() is None:  # noqa: ASYNC110 - there is no event for it
        await asyncio.sleep(LOOK_S)
