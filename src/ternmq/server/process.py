"""The process that owns a queue manager's folder: start, serve, end.

strmqm starts it detached and reads from a pipe what there is to say until it is up; `ternmq run`
is the same in the foreground. SIGTERM, SIGINT and SIGHUP end it immediately. It holds the folder's
lock from before the first look at the log until after the last checkpoint.
"""

from __future__ import annotations

import asyncio
import os
import platform
import resource
import signal
import socket
import threading
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any, Final

from ternmq.api.connection import Connection
from ternmq.base.build import build_info
from ternmq.base.constants import (
    MQRQ_FAILOVER_NOT_PERMITTED,
    MQRQ_FAILOVER_PERMITTED,
    MQRQ_STANDBY_ACTIVATED,
)
from ternmq.base.errors import ForceFailed, IntegrityError, MQError
from ternmq.base.ini import IniError, IniFile
from ternmq.base.message_table import message_text
from ternmq.base.reasons import MQRC_Q_MGR_NOT_AVAILABLE
from ternmq.host.log_status import log_status
from ternmq.host.shared_threads import thread_transport
from ternmq.kernel.notices import Notice
from ternmq.log.record import LogDamaged
from ternmq.network.channels.initiator import Initiator
from ternmq.network.channels.message_channels import MessageChannels
from ternmq.network.edge.network_settings import NetworkSettings, read_network_settings
from ternmq.network.edge.partner_socket import PartnerSocket
from ternmq.network.edge.tcp_listener import Network
from ternmq.outlets.restarting import went_well
from ternmq.ports.os_disk import OsDisk
from ternmq.ports.os_exit_files import exits_folder
from ternmq.remote.local.folder_lookup import Place, data_folder, machine_ini
from ternmq.runtime.starting import Started, log_parameters, start
from ternmq.server import host as modes
from ternmq.server.command_server import start_command_server
from ternmq.server.conversion_exits import load_exits
from ternmq.server.error_log.error_log import ErrorLog
from ternmq.server.error_log.fault_report import FaultReports
from ternmq.server.error_log.log_entry import Origin
from ternmq.server.file_systems import INTERVAL_S, file_systems
from ternmq.server.folder import status_file as status
from ternmq.server.folder.installations import here, version
from ternmq.server.folder.scripts import answer_line, commands_of, script_files
from ternmq.server.host import Host
from ternmq.server.listener import listen
from ternmq.server.loop import run
from ternmq.server.parts import ServerParts
from ternmq.server.settings.log_settings import error_log_services
from ternmq.server.settings.measure_settings import measure_settings
from ternmq.server.settings.queue_manager_ini import check, read_queue_manager_ini, refuse_stanzas
from ternmq.server.settings.system_parameters import system_parameters
from ternmq.server.start_progress import StartProgress
from ternmq.server.trace import Trace

Say = Callable[[str], None]

_ENDING: Final = {
    modes.QUIESCING: status.QUIESCING,
    modes.IMMEDIATE: status.ENDING_IMMEDIATELY,
    modes.PREEMPTIVE: status.ENDING_PREEMPTIVELY,
}
_ENDED: Final = {
    modes.QUIESCING: status.ENDED_NORMALLY,
    modes.IMMEDIATE: status.ENDED_IMMEDIATELY,
    modes.PREEMPTIVE: status.ENDED_PREEMPTIVELY,
}
_NOTICE_S: Final = 1.0
PREEMPTIVE_S: Final = 20.0  # then the process ends as it is


def allow_descriptors() -> None:
    """As many open files as the system lets this user have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (OSError, ValueError):
            pass  # what there is must do


class StartFailed(Exception):
    """A queue manager that did not start: the exit status of strmqm, and what it says."""

    def __init__(self, exit_status: int, text: str) -> None:
        super().__init__(exit_status, text)
        self.exit_status = exit_status
        self.text = text


class Process:
    """One queue manager from its start to its end."""

    def __init__(
        self,
        place: Place,
        say: Say,
        foreground: bool,
        with_services: bool = True,
        permits_standby: bool = False,
        metrics_port: int | None = None,
    ) -> None:
        self.place = place
        self._metrics_port = metrics_port  # given with the start; else qm.ini says
        self._with_services = with_services
        self._permits_standby = permits_standby
        self._switches = False  # a standby goes on
        self._say = say
        self._foreground = foreground
        self._log: ErrorLog | None = None
        self._state = status.STARTING
        self._network_settings = NetworkSettings()
        self.failed = False

    # ---- start

    def start(self, after_standby: bool = False) -> Started:
        """Lock the folder and restart the queue manager; StartFailed says why it did not."""
        place = self.place
        try:
            refuse_stanzas(machine_ini(data_folder()))
            ini = read_queue_manager_ini(place.folder)
            self._network_settings = read_network_settings(ini)
            parameters_of_system = system_parameters(ini)
            measure = measure_settings(ini, place.folder, self._metrics_port)
            self._open_log(ini)
            self.log_message("AMQ6206I", *self._issued())
        except IniError as error:
            raise StartFailed(EXIT_CONFIGURATION, f"AMQ6162E: {error}") from error
        try:
            disk = OsDisk(place.folder)
            parameters = log_parameters("circular", 3, 2, 64, False)  # what is there counts
            begun_as = MQRQ_FAILOVER_NOT_PERMITTED
            if self._permits_standby:
                begun_as = MQRQ_STANDBY_ACTIVATED if after_standby else MQRQ_FAILOVER_PERMITTED
            started = start(
                disk,
                place.name,
                False,
                parameters,
                None,
                "amqzxma0",
                True,
                self._starting,
                begun_as,
                measure,
                StartProgress(place.name, self._say),
            )
        except MQError as error:
            running = error.reason == MQRC_Q_MGR_NOT_AVAILABLE
            exit_status = EXIT_RUNNING if running else EXIT_UNEXPECTED
            text = f"AMQ8101S: {error}"
            if running:
                text = f"AMQ8107S: {message_text('AMQ8107S', (place.name,))}"
            raise StartFailed(exit_status, text) from error
        except (LogDamaged, IntegrityError, ForceFailed, OSError) as error:
            self.log_message("AMQ7017S", place.name, str(error))
            text = f"AMQ7017S: {message_text('AMQ7017S', (place.name, str(error)))} {error}"
            raise StartFailed(EXIT_LOG, text) from error
        engine = started.shell.engine
        self.log_message("AMQ7229I", engine.records_replayed, place.name)
        self.log_message("AMQ7230I", place.name)
        self.log_message("AMQ7232I", place.name)
        service = ini.first("Service")
        policy = "" if service is None else service.get("SecurityPolicy")
        engine.kernel.authority.set_policy(policy)
        with started.shell.lock:
            parameters_of_system.apply(engine.kernel)
        load_exits(exits_folder(ini, place.folder), engine.kernel.conversion, self.log_message)
        self._configure(started, ini)
        return started

    def _starting(self) -> None:
        """The folder is this process's: dspmq shows that it starts, not what the last one left."""
        self.set_state(status.STARTING)

    def _issued(self) -> tuple[str, str]:
        """The command that started it, and as it was typed or might have been."""
        if self._foreground:
            return "run", f"ternmq run {self.place.name}"
        options = "" if self._with_services else "-ns "
        if self._permits_standby:
            options += "-x "
        return "strmqm", f"strmqm {options}{self.place.name}"

    def _open_log(self, ini: IniFile) -> None:
        place = self.place
        origin = Origin(
            place.name,
            version(),
            installation=place.installation or "Installation1",
            installation_dir=here(),
            program="amqzxma0",
        )
        errors = os.path.join(place.folder, "errors")
        self._log = ErrorLog(errors, origin, error_log_services(ini))
        for idle in check(ini):
            self.log_message("AMQ6245I", idle.file, str(idle))

    def _configure(self, started: Started, ini: IniFile) -> None:
        """AutoConfig: MQSC that each start runs. What fails is reported and stops nothing."""
        stanza = ini.first("AutoConfig")
        path = "" if stanza is None else stanza.get("MQSCConfig")
        if not path:
            return
        if not os.path.exists(path):
            self._say(f"AutoConfig: MQSCConfig={path} is not there; no commands were run.")
            return
        connection = Connection(thread_transport(started.shell, started.user, "runmqsc", None))
        self.log_message("AMQ8942I", path)
        commands: list[str] = []
        for file in script_files(path, ".mqsc"):
            try:
                commands += commands_of(file)
            except (OSError, UnicodeDecodeError) as error:
                self._say(f"AutoConfig: {file} cannot be read: {error}")
        wrong = 0
        for command in commands:
            failed = [answer_line(one) for one in connection.mqsc(command) if not one.ok]
            wrong += bool(failed)
            for line in failed:
                self.log_message("AMQ8940E", command, line)
                self._say(f"{command}: {line}")
        self.log_message("AMQ8939I", len(commands), wrong)
        connection.disconnect()

    def log_message(self, message: str, *inserts: object) -> None:
        """A line of the error log."""
        if self._log is not None:
            self._log.write(message, inserts)

    def set_state(self, state: str) -> None:
        """What dspmq shows."""
        self._state = state
        status.write_status(
            self.place.folder,
            state,
            foreground=self._foreground,
            version=version(),
            standby=self._permits_standby,
            switch=self._switches,
        )

    # ---- serve

    def serve(self, started: Started, up: Callable[[], None]) -> None:
        """Until the end; `up` is called when applications can connect."""
        allow_descriptors()
        run(self._serve(started, up))

    async def _serve(self, started: Started, up: Callable[[], None]) -> None:
        host = Host(started)
        host.loop_shell.may_block = True
        places = self._environment()
        host.engine.kernel.environment.update(places)
        host.engine.kernel.environment.update(file_systems(self.place.folder))
        inserts = {"MQ_DATA_PATH": data_folder(), "MQ_INSTALL_PATH": places["INSTPATH"]}
        parts = ServerParts(host, self.log_message, inserts)
        host.engine.kernel.parts = parts
        folder = self.place.folder
        network = Network(
            host,
            folder,
            self.log_message,
            lambda peer: PartnerSocket(host, peer),
            self._network_settings,
        )
        initiator = self._add_channels(started, host, network, parts)
        host.on_state = self._ending
        self._watch(host)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self._signalled, host, number)
        await start_command_server(started)
        try:
            listener = await listen(host, folder)
        except OSError as error:
            await host.stop()
            why = message_text("AMQ7018E", (f"its socket cannot be made: {error}",))
            raise StartFailed(EXIT_UNEXPECTED, f"AMQ7018E: {why}") from error
        self._serve_metrics(started, self._network_settings.channels_max or host.sessions_max)
        notices = loop.create_task(self._note(host))
        self.log_message("AMQ6287I", version(), str(build_info()), platform.platform())
        self.log_message("AMQ8003I", self.place.name, version())
        self.set_state(status.RUNNING)
        initiator.begin()
        self._begin(parts, up)
        await host.run()
        await listener.close()
        network.close()
        await initiator.end()
        if host.state != modes.PREEMPTIVE:
            await parts.end()
        broken = host.engine.error_for("")
        if broken is None:
            # ORDER: a process that finds the lock free must find a file that says how it ended
            started.when_stopped = lambda: self._ended(host)
        guard = None
        if host.state == modes.PREEMPTIVE:
            guard = loop.call_later(PREEMPTIVE_S, self._give_up)
        await host.stop()
        if guard is not None:
            guard.cancel()
        notices.cancel()
        self._write_notices(host)
        if host.trace is not None:
            host.trace.close()
        if broken is not None:
            host.fault(broken, "the queue manager has broken down")
            self.failed = True  # the file says running: it ended unexpectedly

    def _add_channels(
        self, started: Started, host: Host, network: Network, parts: ServerParts
    ) -> Initiator:
        """Message channels, and what starts them."""
        channels = MessageChannels(host, network)
        initiator = Initiator(host, channels, started.user, self.log_message)
        initiator.has_monitors = self._with_services
        channels.events = initiator
        parts.initiator = initiator
        return initiator

    def _begin(self, parts: ServerParts, up: Callable[[], None]) -> None:
        """Start listeners before reporting that it is up, so that their faults are reported."""
        if not self._with_services:
            up()
            return
        for fault in parts.begin_listeners():
            self._say(fault)
        up()
        parts.begin_services()

    def _serve_metrics(self, started: Started, channels_max: int) -> None:
        """The port for Prometheus, if it is wanted; without it the queue manager goes on."""
        wanted = started.measurement.settings.metrics_port
        if wanted is None:
            return
        try:
            port = started.measurement.serve_metrics(channels_max)
        except OSError as error:
            self.log_message("AMQ7996E", wanted, error)
            self._say(message_text("AMQ7996E", (wanted, error)))
        else:
            self.log_message("AMQ7995I", port)

    def _ended(self, host: Host) -> None:
        self._write_notices(host)
        self.log_message("AMQ8004I", self.place.name)
        self._switches = host.switch
        self.set_state(_ENDED[host.state])

    def _environment(self) -> dict[str, str]:
        """Where it runs, as DISPLAY QMSTATUS shows it."""
        return {
            "DATPATH": self.place.folder,
            "LOGPATH": os.path.join(self.place.folder, "log", "active", ""),
            "HOSTNAME": socket.gethostname(),
            "INSTNAME": self.place.installation,
            "INSTPATH": here(),
            "STANDBY": "PERMIT" if self._permits_standby else "NOPERMIT",
        }

    def _watch(self, host: Host) -> None:
        """Trace and reports on faults."""
        log = self._log
        if log is not None:
            host.faults = FaultReports(log.folder, log.origin, log)
            host.started.on_fault = host.fault
            asyncio.get_running_loop().set_exception_handler(
                lambda loop, context: self._unforeseen(host, loop, context)
            )
            threading.excepthook = lambda fault: self._thread_failed(host, fault)
        host.trace = Trace(data_folder(), self.place.name)
        host.trace.look()

    def _unforeseen(
        self, host: Host, loop: asyncio.AbstractEventLoop, context: dict[str, Any]
    ) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException):
            host.fault(error, str(context.get("message", "")))
        loop.default_exception_handler(context)

    def _thread_failed(self, host: Host, fault: threading.ExceptHookArgs) -> None:
        """A thread that the queue manager cannot do without has ended by a fault: it stops rather
        than go on without its housekeeper."""
        error = fault.exc_value
        if error is None or isinstance(error, SystemExit):
            return
        name = "" if fault.thread is None else fault.thread.name
        host.fault(error, f"the thread {name}")
        with host.started.shell.lock:
            host.engine.break_down(f"the thread {name} has failed: {type(error).__name__}")
            host.started.shell.flush()

    def _signalled(self, host: Host, number: int) -> None:
        self.log_message("AMQ6209I", signal.Signals(number).name, os.getpid())
        # The signal is meant for the process, not the queue manager: a standby goes on.
        host.switch = self._permits_standby
        host.reconnect = host.reconnect or self._permits_standby
        host.end(modes.IMMEDIATE)

    def _ending(self, mode: str) -> None:
        self.set_state(_ENDING[mode])

    def _give_up(self) -> None:
        self.set_state(status.ENDED_PREEMPTIVELY)
        os._exit(0)

    async def _note(self, host: Host) -> None:
        """What the core wants operators to know goes to the error log."""
        answer_line: dict[str, Any] = {}
        measured_at = 0.0
        loop = asyncio.get_running_loop()
        while True:
            if loop.time() >= measured_at + INTERVAL_S:
                measured_at = loop.time()
                figures = await asyncio.to_thread(file_systems, self.place.folder)
                with host.started.shell.lock:
                    host.engine.kernel.environment.update(figures)
            await asyncio.sleep(_NOTICE_S)
            self._write_notices(host)
            trace = host.trace
            if trace is not None:
                trace.look()
                if trace.on and trace.wants("log"):
                    answer_line = self._trace_log(host, trace, answer_line)

    def _trace_log(self, host: Host, trace: Trace, facts: dict[str, Any]) -> dict[str, Any]:
        now = asdict(log_status(host.started.shell))
        if now != facts:
            trace.record("log", "status", **now)
        return now

    def _write_notices(self, host: Host) -> None:
        with host.started.shell.lock:
            taken = host.engine.kernel.notices.take()
        for notice in taken:
            # One line may be lost, not the task that writes the others.
            doing = f"the message {notice.message_id}"
            went_well(partial(self._write_notice, host, notice), host.fault, doing)

    def _write_notice(self, host: Host, notice: Notice) -> None:
        self.log_message(notice.message_id, *notice.inserts)
        if host.trace is not None and host.trace.on:
            text = message_text(notice.message_id, notice.inserts)
            host.trace.record("messages", notice.message_id, text=text)


EXIT_RUNNING: Final = 5
EXIT_LOG: Final = 23
EXIT_CONFIGURATION: Final = 39
EXIT_UNEXPECTED: Final = 71
