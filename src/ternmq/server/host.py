"""A running queue manager and its sessions, which come and go. It ends in one of three ways.

Quiesce: nothing new, and the end when the last application has gone. Immediate: calls under way
end, then all applications are cut off and backed out. Pre-emptive: it waits for no application.
The process around this is `process`; tests host a queue manager in a thread of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ternmq.base.reasons import MQRC_CONNECTION_BROKEN, MQRC_Q_MGR_STOPPING
from ternmq.host.in_thread import in_thread
from ternmq.network.edge.network_host import NetworkHost
from ternmq.runtime.starting import Started
from ternmq.server.descriptors import open_files_max, sockets_max
from ternmq.server.error_log.fault_report import FaultReports
from ternmq.server.trace import Trace

if TYPE_CHECKING:
    from ternmq.server.session import Session

RUNNING: Final = "running"
QUIESCING: Final = "quiescing"
IMMEDIATE: Final = "immediate"
PREEMPTIVE: Final = "preemptive"
CLOSE_GRACE_S: Final = 3.0
ENDS: Final = (QUIESCING, IMMEDIATE, PREEMPTIVE)  # from mild to strict
_ORDER: Final = (RUNNING, *ENDS)


class Host(NetworkHost):
    """What the sessions of one queue manager share. Made inside the loop."""

    def __init__(self, started: Started) -> None:
        log = started.shell.engine.files.parameters
        super().__init__(started.shell, sockets_max(open_files_max(), log))
        self.started = started
        self.sessions: set[Session] = set()
        self.state = RUNNING
        self.reconnect = False  # endmqm -r: applications may reconnect
        self.switch = False  # endmqm -s: a standby goes on
        self.on_state: Callable[[str], None] | None = None  # publishes the state
        self.trace: Trace | None = None
        self.faults: FaultReports | None = None
        self._changed = asyncio.Event()

    @property
    def applications(self) -> int:
        """Connected applications; control connections do not count."""
        here = sum(1 for session in self.sessions if session.binding is not None)
        return here + sum(socket.applications for socket in self.sockets)

    @property
    def open_sockets(self) -> int:
        unserved = 0 if self.network is None else self.network.waiting
        return len(self.sessions) + len(self.sockets) + len(self.channel_sockets) + unserved

    @property
    def own_user(self) -> str:
        return self.started.user

    @property
    def is_running(self) -> bool:
        return self.state == RUNNING

    def fault(self, error: BaseException, doing: str) -> None:
        if self.faults is not None:
            recent = list(self.trace.recent) if self.trace is not None else []
            self.faults.write(error, doing=doing, recent=recent)

    def leave(self, session: Session) -> None:
        """A session has ended."""
        self.sessions.discard(session)
        self._changed.set()

    def look(self) -> None:
        self._changed.set()

    def end(self, mode: str) -> bool:
        """Begin to end; a stricter mode may follow a milder one. False if nothing changed."""
        if _ORDER.index(mode) <= _ORDER.index(self.state):
            return False
        self.state = mode
        if mode == QUIESCING:
            with self.started.shell.lock:
                self.engine.quiesce()
                self.started.shell.flush()
            for socket in list(self.sockets):
                socket.notify_quiescing()
            if self.message_channels is not None:
                self.message_channels.quiesce()
        self._changed.set()
        if self.on_state is not None:
            self.on_state(mode)
        return True

    async def run(self) -> None:
        """Until it is to end, or has broken down."""
        while not self._is_due():
            self._changed.clear()
            try:
                # Also from time to time: a breakdown does not set the event.
                await asyncio.wait_for(self._changed.wait(), 1.0)
            except TimeoutError:
                pass

    def _is_due(self) -> bool:
        if self.engine.error_for("") is not None:
            return True
        if self.state == QUIESCING:
            channels = self.message_channels
            return self.applications == 0 and (channels is None or channels.is_idle)
        return self.state != RUNNING

    async def stop(self) -> None:
        """The end itself: notify and close the sessions, stop the queue manager cleanly."""
        broken = self.engine.error_for("") is not None
        await self._begin_to_close(broken)
        if not broken and self.state != PREEMPTIVE:
            await self.loop_shell.drain()
        reason = MQRC_CONNECTION_BROKEN if broken else MQRC_Q_MGR_STOPPING
        for session in list(self.sessions):
            session.notify_end(reason)
        for socket in list(self.sockets):
            socket.notify_end(broken)
        await self._close_sessions()
        await in_thread(self.started.stop)

    async def close_sockets(self) -> None:
        """The end of the network alone: the queue manager goes on without it."""
        broken = self.engine.error_for("") is not None
        await self._begin_to_close(broken)
        for socket in list(self.sockets):
            socket.notify_end(broken)
        await self._close_sessions()

    async def _begin_to_close(self, broken: bool) -> None:
        if self.bridges is not None:
            await self.bridges.end()
        for socket in list(self.sockets):
            socket.line.stop_waiting()
        if self.message_channels is not None:
            await self.message_channels.end(broken or self.state == PREEMPTIVE)

    async def _close_sessions(self) -> None:
        """Wait until the sessions have left; cut off one that does not read what was sent."""
        grace_s = 0.0 if self.state == PREEMPTIVE else CLOSE_GRACE_S
        for limit_s in (grace_s, None):
            ends: list[asyncio.Future[None]] = [socket.gone for socket in self.sockets]
            ends += [socket.gone for socket in self.channel_sockets]
            ends += [one.task for one in self.sessions if one.task is not None]
            if ends:
                await asyncio.wait(ends, timeout=limit_s)
            for session in list(self.sessions):
                session.abort()
            for socket in list(self.sockets):
                socket.abort()
            for channel_socket in list(self.channel_sockets):
                channel_socket.abort()
