"""TernMQ for asyncio: `async with ternmq.aio.embedded(...) as qmgr`; docs/applications/asyncio.md
has it all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Unpack

from ternmq.api.aio import Connection
from ternmq.api.aio_opening import Opening, Unit
from ternmq.api.aio_queue import Browse, Messages, Queue
from ternmq.remote.aio_connect import connect as _connect

if TYPE_CHECKING:
    from ternmq.api.aio_consuming import Consumer
    from ternmq.api.aio_distribution_list import DistributionList
    from ternmq.api.aio_stream import QueueCursor, QueueStream
    from ternmq.api.aio_topic import Subscription, Topic
    from ternmq.remote.aio_pool import Pool
    from ternmq.remote.fap.connect import ClientArguments
    from ternmq.runtime import embedded as _embedded
    from ternmq.runtime.aio_embedded import QueueManager, embedded, memory

__all__ = [
    "Browse",
    "Connection",
    "Consumer",
    "DistributionList",
    "Messages",
    "Opening",
    "Pool",
    "Queue",
    "QueueCursor",
    "QueueManager",
    "QueueStream",
    "Subscription",
    "Topic",
    "Unit",
    "connect",
    "embedded",
    "memory",
]


def connect(
    qmgr: _embedded.QueueManager | str = "",
    *,
    user: str | None = None,
    password: str | None = None,
    application: str | None = None,
    options: int | None = None,
    data: str | os.PathLike[str] | None = None,
    **client_options: Unpack[ClientArguments],
) -> Opening[Connection]:
    """A connection for tasks, with `async with` or `await`.

    By name to a queue manager that strmqm has started on this machine, or to one on the network;
    arguments as those of `ternmq.connect`. Or to one that `ternmq.embedded` or `ternmq.memory`
    started in this process, so that threads and tasks of one program can share it.
    """
    if not isinstance(qmgr, str) and hasattr(qmgr, "started"):
        from ternmq.runtime.aio_embedded import connect_started

        return Opening(connect_started(qmgr.started, user, application, options))
    name: Any = qmgr  # what is neither of them is refused there
    return _connect(
        name,
        user=user,
        password=password,
        application=application,
        options=options,
        data=data,
        **client_options,
    )


if not TYPE_CHECKING:
    # Programs that only connect need neither engine nor pools: imported when somebody asks.
    _HOMES = {
        "Consumer": "ternmq.api.aio_consuming",
        "DistributionList": "ternmq.api.aio_distribution_list",
        "Pool": "ternmq.remote.aio_pool",
        "QueueCursor": "ternmq.api.aio_stream",
        "QueueStream": "ternmq.api.aio_stream",
        "Subscription": "ternmq.api.aio_topic",
        "Topic": "ternmq.api.aio_topic",
        "QueueManager": "ternmq.runtime.aio_embedded",
        "embedded": "ternmq.runtime.aio_embedded",
        "memory": "ternmq.runtime.aio_embedded",
    }

    def __getattr__(name: str) -> object:
        from importlib import import_module

        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'ternmq.aio' has no attribute {name!r}")
        value = getattr(import_module(home), name)
        globals()[name] = value
        return value
