"""The connection that a tool or a sample works on: to a running queue manager, by its name.

MQSAMP_USER_ID makes samples ask for a password, as MQ's do; it is read without being shown from a
terminal, else from the first line of standard input.
"""

from __future__ import annotations

import getpass
import os
import sys
from typing import TYPE_CHECKING, Any

from ternmq.cli.output import write_error

if TYPE_CHECKING:
    from ternmq.api.connection import Connection
    from ternmq.remote.local.folder_lookup import Place


def attach(
    qmgr: str, application: str, user: str = "", client: bool = False, **client_options: Any
) -> Connection:
    """Connect; an empty name is the default queue manager. A user is asked for its password, unless
    that is among the options. As a client it goes over the network: by the options, or as MQSERVER
    and its like say."""
    from ternmq.base.constants import MQCNO_CLIENT_BINDING
    from ternmq.remote.connect import connect

    given: dict[str, Any] = {"application": application, **client_options}
    if client:
        given["options"] = MQCNO_CLIENT_BINDING
    if user:
        given["user"] = user
        if "password" not in given:
            given["password"] = password()
    return connect(qmgr, **given)


def attach_sample(qmgr: str, application: str, client: bool = False) -> Connection:
    """The same for a sample, as the user that MQSAMP_USER_ID names."""
    return attach(qmgr, application, os.environ.get("MQSAMP_USER_ID", ""), client)


def password() -> str:
    """What the user answers; never shown."""
    if sys.stdin.isatty():
        return getpass.getpass("Enter password: ")
    write_error("Enter password: ")
    return sys.stdin.buffer.readline().decode("utf-8", "replace").rstrip("\r\n")


def attach_admin(qmgr: str, application: str) -> Connection:
    """The same for a tool that looks after the queue manager itself."""
    from ternmq.remote.connect import connect

    return connect(qmgr, application=application)


def place_of(qmgr: str) -> Place:
    """Where a queue manager lives, running or not."""
    from ternmq.remote.local.folder_lookup import data_folder, find

    return find(data_folder(), qmgr)
