"""TernMQ: a message queue manager with the MQI, in typed Python."""

import os

if os.environ.get("TERNMQ_PURE", "") not in ("", "0"):
    # Before any other module of the package is imported; see ternmq.pure.
    from ternmq.pure import install

    install()

from typing import TYPE_CHECKING

from ternmq.base import constants_all as constants
from ternmq.base.errors import (
    BackedOut,
    BadHandle,
    BadOptions,
    CommandError,
    Damaged,
    ForceFailed,
    FormatError,
    Full,
    InertAttribute,
    Inhibited,
    IntegrityError,
    MQError,
    NoMessage,
    NotAuthorized,
    ObjectInUse,
    ObjectUnknown,
    Truncated,
    Unavailable,
    XAError,
)
from ternmq.base.product import VERSION as __version__
from ternmq.client.backup import Backup
from ternmq.client.connection import Connection
from ternmq.client.embedded import QueueManager, embedded, memory
from ternmq.client.local_connection import ClientConnection, connect
from ternmq.client.local_queue import ClientQueue
from ternmq.client.message import Message
from ternmq.client.pcf_execute import PCFExecute
from ternmq.client.queue import Queue
from ternmq.codec.mqmd import Descriptor
from ternmq.log.record import LogDamaged
from ternmq.txn.unit import XID

if TYPE_CHECKING:
    from ternmq import aio as aio
    from ternmq.base.build import BuildInfo

__all__ = [
    "XID",
    "BackedOut",
    "Backup",
    "BadHandle",
    "BadOptions",
    "ClientConnection",
    "ClientQueue",
    "CommandError",
    "Connection",
    "Damaged",
    "Descriptor",
    "ForceFailed",
    "FormatError",
    "Full",
    "InertAttribute",
    "Inhibited",
    "IntegrityError",
    "LogDamaged",
    "MQError",
    "Message",
    "NoMessage",
    "NotAuthorized",
    "ObjectInUse",
    "ObjectUnknown",
    "PCFExecute",
    "Queue",
    "QueueManager",
    "Truncated",
    "Unavailable",
    "XAError",
    "__version__",
    "build_info",
    "connect",
    "constants",
    "embedded",
    "memory",
]


def build_info() -> "BuildInfo":
    """Tell whether the compiled core or the plain files run, and why."""
    from ternmq.base import build

    return build.build_info()


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """`ternmq.aio` is there without an import; who does not use it does not load asyncio."""
        if name == "aio":
            import importlib

            return importlib.import_module("ternmq.aio")
        raise AttributeError(f"module 'ternmq' has no attribute {name!r}")
