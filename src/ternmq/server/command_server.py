"""The command server of a queue manager that runs in a process of its own: it starts and ends with
it, unless SCMDSERV(MANUAL) says otherwise. What it does is in `client.command_server`.

Without its queue it does not start, which is told and stops nothing else.
"""

from __future__ import annotations

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.client.aio import in_thread
from ternmq.client.command_server import COMMAND_QUEUE, CommandServer
from ternmq.client.starting import Started


async def start_command_server(started: Started) -> CommandServer | None:
    """Start it if the queue manager says so."""
    kernel = started.shell.engine.kernel
    if kernel.number("command_server_control") == mq.MQSVC_CONTROL_MANUAL:
        return None
    made, cancelled = await in_thread(lambda: _serve(started))
    if cancelled is not None:
        raise cancelled
    return made


def _serve(started: Started) -> CommandServer | None:
    try:
        return CommandServer(started.shell, started.user)
    except MQError as error:
        with started.shell.lock:
            notices = started.shell.engine.kernel.notices
            notices.add("AMQ8506E", (COMMAND_QUEUE, error.reason))
        return None
