"""TernMQ: a message queue manager with the MQI, in typed Python."""

import os

if os.environ.get("TERNMQ_PURE", "") not in ("", "0"):
    # Before any other module of the package is imported; see ternmq.pure.
    from ternmq.pure import install

    install()

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ternmq import aio as aio
    from ternmq.base import constants_all as constants
    from ternmq.base.build import BuildInfo
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
    from ternmq.client.extension_steps import BatchOutcome
    from ternmq.client.listening import Listening, listen
    from ternmq.client.local_connection import ClientConnection, connect
    from ternmq.client.local_queue import ClientQueue
    from ternmq.client.measurement import SMFRead, SMFStatus
    from ternmq.client.message import Message
    from ternmq.client.pcf_execute import PCFExecute
    from ternmq.client.pool import Pool
    from ternmq.client.queue import Queue
    from ternmq.client.smf_settings import SMFDestination
    from ternmq.client.stream_api import QueueCursor, QueueStream
    from ternmq.client.stream_block import HEAD_COLUMNS, StreamBlock, StreamRange
    from ternmq.codec.mqmd import Descriptor
    from ternmq.kernel.ledger import batch_xid
    from ternmq.log.record import LogDamaged
    from ternmq.txn.unit import XID

__all__ = [
    "HEAD_COLUMNS",
    "XID",
    "BackedOut",
    "Backup",
    "BadHandle",
    "BadOptions",
    "BatchOutcome",
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
    "Listening",
    "LogDamaged",
    "MQError",
    "Message",
    "NoMessage",
    "NotAuthorized",
    "ObjectInUse",
    "ObjectUnknown",
    "PCFExecute",
    "Pool",
    "Queue",
    "QueueCursor",
    "QueueManager",
    "QueueStream",
    "SMFDestination",
    "SMFRead",
    "SMFStatus",
    "StreamBlock",
    "StreamRange",
    "Truncated",
    "Unavailable",
    "XAError",
    "__version__",
    "batch_xid",
    "build_info",
    "connect",
    "constants",
    "embedded",
    "listen",
    "memory",
]


def build_info() -> "BuildInfo":
    """Tell whether the compiled core or the plain files run, and why."""
    from ternmq.base import build

    return build.build_info()


if not TYPE_CHECKING:
    # Where the names come from. They are fetched when somebody asks, so that a command which needs
    # few of them starts fast; type checkers see the imports above.
    _HOMES = {
        "ternmq.base.errors": (
            "BackedOut BadHandle BadOptions CommandError Damaged ForceFailed FormatError "
            "Full InertAttribute Inhibited IntegrityError MQError NoMessage NotAuthorized "
            "ObjectInUse ObjectUnknown Truncated Unavailable XAError"
        ),
        "ternmq.client.backup": "Backup",
        "ternmq.client.connection": "Connection",
        "ternmq.client.embedded": "QueueManager embedded memory",
        "ternmq.client.extension_steps": "BatchOutcome",
        "ternmq.client.listening": "Listening listen",
        "ternmq.client.local_connection": "ClientConnection connect",
        "ternmq.client.local_queue": "ClientQueue",
        "ternmq.client.measurement": "SMFRead SMFStatus",
        "ternmq.client.message": "Message",
        "ternmq.client.pcf_execute": "PCFExecute",
        "ternmq.client.pool": "Pool",
        "ternmq.client.queue": "Queue",
        "ternmq.client.smf_settings": "SMFDestination",
        "ternmq.client.stream_api": "QueueCursor QueueStream",
        "ternmq.client.stream_block": "HEAD_COLUMNS StreamBlock StreamRange",
        "ternmq.codec.mqmd": "Descriptor",
        "ternmq.kernel.ledger": "batch_xid",
        "ternmq.log.record": "LogDamaged",
        "ternmq.txn.unit": "XID",
    }

    def __getattr__(name: str) -> object:
        """A name of the package, at its first use. `ternmq.aio` is there without an import, too."""
        from importlib import import_module

        if name == "aio":
            return import_module("ternmq.aio")
        if name == "constants":
            value = import_module("ternmq.base.constants_all")
        elif name == "__version__":
            value = import_module("ternmq.base.product").VERSION
        else:
            homes = [home for home, names in _HOMES.items() if name in names.split()]
            if not homes:
                raise AttributeError(f"module 'ternmq' has no attribute {name!r}")
            value = getattr(import_module(homes[0]), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted([*__all__, "aio"])
