"""The connection that a tool or a sample works on: to a running queue manager, by its name.

MQSAMP_USER_ID makes samples ask for a password, as MQ's do; it is read without being shown from a
terminal, else from the first line of standard input.
"""

from __future__ import annotations

import getpass
import os
import sys
from typing import TYPE_CHECKING

from ternmq.cli.output import write_error
from ternmq.client.connection import Connection
from ternmq.client.embedded import QueueManager
from ternmq.client.queue import Queue

if TYPE_CHECKING:
    from ternmq.client.local_connection import ClientConnection
    from ternmq.client.local_folder import Place
    from ternmq.client.local_queue import ClientQueue

    # Both have the same methods. Tests and programs may run a tool on a queue manager of their own.
    AnyConnection = Connection | ClientConnection
    AnyQueue = Queue | ClientQueue
    AdminConnection = QueueManager | ClientConnection


def attach(qmgr: str, application: str, user: str = "") -> AnyConnection:
    """Connect; an empty name is the default queue manager. A user is asked for its password."""
    from ternmq.client.local_connection import connect

    if user:
        return connect(qmgr, application=application, user=user, password=password())
    return connect(qmgr, application=application)


def attach_sample(qmgr: str, application: str) -> AnyConnection:
    """The same for a sample, as the user that MQSAMP_USER_ID names."""
    from ternmq.client.local_connection import connect

    user = os.environ.get("MQSAMP_USER_ID", "")
    if not user:
        return connect(qmgr, application=application)
    return connect(qmgr, application=application, user=user, password=password())


def password() -> str:
    """What the user answers; never shown."""
    if sys.stdin.isatty():
        return getpass.getpass("Enter password: ")
    write_error("Enter password: ")
    return sys.stdin.buffer.readline().decode("utf-8", "replace").rstrip("\r\n")


def attach_admin(qmgr: str, application: str) -> AdminConnection:
    """The same for a tool that looks after the queue manager itself."""
    from ternmq.client.local_connection import connect

    return connect(qmgr, application=application)


def place_of(qmgr: str) -> Place:
    """Where a queue manager lives, running or not."""
    from ternmq.client.local_folder import data_folder, find

    return find(data_folder(), qmgr)
