"""The command server of a queue manager that runs in a process of its own: it starts and ends with
it, unless SCMDSERV(MANUAL) says otherwise; strmqcsv, endmqcsv and dspmqcsv ask for it. What it does
is in `outlets.command_queue`.

Without its queue it does not serve, which is reported and stops nothing else.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, RemoteProtocolError
from ternmq.host.in_thread import in_thread
from ternmq.outlets.command_queue import COMMAND_QUEUE, CommandServer
from ternmq.runtime.starting import Started

RUNNING: Final = "Running"
STOPPED: Final = "Stopped"
START: Final = "start"
STOP: Final = "stop"
STATUS: Final = "status"


async def start_command_server(started: Started) -> None:
    """With the queue manager, if that says so."""
    kernel = started.shell.engine.kernel
    if kernel.number("command_server_control") != mq.MQSVC_CONTROL_MANUAL:
        await ask_command_server(started, START)


async def ask_command_server(started: Started, action: str) -> dict[str, object]:
    """START, STOP or STATUS: how it was before, and how it is now."""
    if action not in (START, STOP, STATUS):
        raise RemoteProtocolError(f"a command server knows no {action!r}")
    answer, cancelled = await in_thread(lambda: _act(started, action))
    if cancelled is not None:
        raise cancelled
    return answer


def _act(started: Started, action: str) -> dict[str, object]:
    server = _server(started)
    before = STOPPED if server is None else RUNNING
    if action == START and server is None:
        _start(started)
    elif action == STOP and server is not None:
        server.stop()
    return {"before": before, "now": STOPPED if _server(started) is None else RUNNING}


def _server(started: Started) -> CommandServer | None:
    for companion in started.shell.companions:
        if isinstance(companion, CommandServer) and companion.is_running:
            return companion
    return None


def _start(started: Started) -> None:
    try:
        CommandServer(started.shell, started.user, started.on_fault)
    except MQError as error:
        with started.shell.lock:
            notices = started.shell.engine.kernel.notices
            notices.add("AMQ8506E", (COMMAND_QUEUE, error.reason))
