"""Connections of Spark's processes to the queue manager: of the driver's planner and of each task.

Options decide the way: over the network with connName and channel or a table, else the local socket
of a queue manager on the machine. A queue manager that is embedded in an application is not
reachable, as workers of Spark are other processes: strmqm starts one that is.
"""

from __future__ import annotations

import os
from pathlib import Path

from ternmq.api.connection import Connection
from ternmq.remote.connect import connect as connect_client
from ternmq.spark.mq.mq_options import ConnectionOptions


def connect(options: ConnectionOptions, *, reconnect: bool = False) -> Connection:
    """A new connection; MQError as `ternmq.connect` raises it. With `reconnect` a broken network
    connection reconnects by itself: for callers that only read, and can ask again."""
    return connect_client(
        options.queue_manager,
        user=options.user,
        password=password(options),
        application=options.application,
        data=options.path,
        channel=options.channel,
        conn=options.conn_name,
        ccdt=options.ccdt_url,
        cipher=options.cipher,
        peer_name=options.peer_name,
        key_repository=options.key_repository,
        key_password=options.key_password or secret_of_file(options.key_password_file),
        certificate_label=options.certificate_label,
        connect_timeout=options.connect_timeout_s or None,
        reconnect=True if reconnect else None,
    )


def password(options: ConnectionOptions) -> str | None:
    """The password, from the place that the options name."""
    if options.password_env:
        found = os.environ.get(options.password_env)
        if found is None:
            raise ValueError(
                f"option passwordEnv names {options.password_env}, which is not set on this machine"
            )
        return found
    return options.password or secret_of_file(options.password_file)


def secret_of_file(path: str) -> str | None:
    """The first line of a file; None without one."""
    if not path:
        return None
    try:
        with Path(path).open(encoding="utf-8") as file:
            return file.readline().rstrip("\r\n")
    except OSError as error:
        raise ValueError(f"a password is to be in {path}: {error.strerror}") from None
