"""Connecting over MQ's client protocol: from what an application says to a connection."""

from __future__ import annotations

import getpass
import os

from ternmq.client.net_opening import Who
from ternmq.client.net_reach import Reach
from ternmq.client.net_tasks import NetTaskVerbs, open_task_line
from ternmq.client.net_threads import NetSocketVerbs, open_line


def system_user() -> str:
    """Who the process runs as; empty if the system does not know."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return str(os.getuid()) if hasattr(os, "getuid") else ""


def who_connects(
    qmgr_name: str,
    user: str | None,
    password: str | None,
    application: str,
    options: int | None,
) -> Who:
    """Who connects; a user without a password is only told, not shown."""
    system = system_user()
    if password is None:
        return Who(qmgr_name, user or system, "", None, application, options or 0)
    return Who(qmgr_name, system, user or system, password, application, options or 0)


def connect_threads(reach: Reach, share: int) -> NetSocketVerbs:
    """A connection for threads, at the first address of the channel that has one."""
    line = open_line(reach)
    return NetSocketVerbs(line, line.connected(), share)


async def connect_tasks(reach: Reach, share: int) -> NetTaskVerbs:
    """A connection for tasks."""
    line = await open_task_line(reach)
    return NetTaskVerbs(line, await line.connected(), share)
