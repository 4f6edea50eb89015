"""TernMQ: a message queue manager with the MQI, in typed Python.

`embedded(folder, name)` has a queue manager inside this program, `memory()` one without a disk, for
tests. `connect(name)` reaches one that `strmqm` has started, with `channel=` and `conn=` on another
machine. All have the same methods; `ternmq.aio` has them for asyncio.

    import ternmq

    with ternmq.embedded("data", "QM1", create=True) as qmgr:
        qmgr.define_queue("ORDERS", exist_ok=True)
        with qmgr.queue("ORDERS") as orders, qmgr.unit_of_work():
            orders.put("a ladder", persistent=True)

An error is an `MQError` with a reason code. The pages are in the folder docs of the source:
docs/start/index.md is the first one, docs/reference/api.md has everything in tables.
"""

import os

if os.environ.get("TERNMQ_PURE", "") not in ("", "0"):
    # Before any other module of the package is imported; see ternmq.pure.
    from ternmq.pure import install

    install()

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ternmq import aio as aio
    from ternmq.api.connection import Connection
    from ternmq.api.consumers import CallContext
    from ternmq.api.consuming import Consumer
    from ternmq.api.distribution_list import DistributionList
    from ternmq.api.listening import Listening, listen
    from ternmq.api.pcf_execute import PCFExecute
    from ternmq.api.queue import Queue
    from ternmq.api.stream import QueueCursor, QueueStream
    from ternmq.api.topic import Subscription, Topic
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
    from ternmq.codec.character_conversion import convert
    from ternmq.codec.conversion_service import ExitParameters
    from ternmq.codec.mqi.list_records import PutRecord
    from ternmq.codec.mqi.mqmd import Descriptor
    from ternmq.log.record import LogDamaged
    from ternmq.outlets.smf_settings import SMFDestination
    from ternmq.remote.connect import connect
    from ternmq.remote.fap.connect import ClientArguments
    from ternmq.remote.pool import Pool
    from ternmq.runtime.backup import Backup
    from ternmq.runtime.embedded import QueueManager, embedded, memory
    from ternmq.server.embedded_network import EmbeddedNetwork, open_network
    from ternmq.values.batch import batch_xid
    from ternmq.values.distribution import ListOutcome, Outcome
    from ternmq.values.message import Message
    from ternmq.values.message_properties import MessageProperties
    from ternmq.values.property_types import Float32, Int8, Int16, Int32, Int64
    from ternmq.values.status import BatchOutcome, SMFRead, SMFStatus
    from ternmq.values.stream_block import HEAD_COLUMNS, StreamBlock, StreamRange
    from ternmq.values.xid import XID

__all__ = [
    "HEAD_COLUMNS",
    "XID",
    "BackedOut",
    "Backup",
    "BadHandle",
    "BadOptions",
    "BatchOutcome",
    "CallContext",
    "ClientArguments",
    "CommandError",
    "Connection",
    "Consumer",
    "Damaged",
    "Descriptor",
    "DistributionList",
    "EmbeddedNetwork",
    "ExitParameters",
    "Float32",
    "ForceFailed",
    "FormatError",
    "Full",
    "InertAttribute",
    "Inhibited",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "IntegrityError",
    "ListOutcome",
    "Listening",
    "LogDamaged",
    "MQError",
    "Message",
    "MessageProperties",
    "NoMessage",
    "NotAuthorized",
    "ObjectInUse",
    "ObjectUnknown",
    "Outcome",
    "PCFExecute",
    "Pool",
    "PutRecord",
    "Queue",
    "QueueCursor",
    "QueueManager",
    "QueueStream",
    "SMFDestination",
    "SMFRead",
    "SMFStatus",
    "StreamBlock",
    "StreamRange",
    "Subscription",
    "Topic",
    "Truncated",
    "Unavailable",
    "XAError",
    "__version__",
    "batch_xid",
    "build_info",
    "connect",
    "constants",
    "convert",
    "embedded",
    "listen",
    "memory",
    "open_network",
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
        "ternmq.runtime.backup": "Backup",
        "ternmq.api.consumers": "CallContext",
        "ternmq.api.connection": "Connection",
        "ternmq.api.consuming": "Consumer",
        "ternmq.api.distribution_list": "DistributionList",
        "ternmq.codec.mqi.list_records": "PutRecord",
        "ternmq.values.distribution": "ListOutcome Outcome",
        "ternmq.runtime.embedded": "QueueManager embedded memory",
        "ternmq.server.embedded_network": "EmbeddedNetwork open_network",
        "ternmq.api.listening": "Listening listen",
        "ternmq.remote.connect": "connect",
        "ternmq.remote.fap.connect": "ClientArguments",
        "ternmq.values.status": "BatchOutcome SMFRead SMFStatus",
        "ternmq.values.message": "Message",
        "ternmq.values.message_properties": "MessageProperties",
        "ternmq.values.property_types": "Float32 Int8 Int16 Int32 Int64",
        "ternmq.api.pcf_execute": "PCFExecute",
        "ternmq.remote.pool": "Pool",
        "ternmq.api.queue": "Queue",
        "ternmq.outlets.smf_settings": "SMFDestination",
        "ternmq.api.stream": "QueueCursor QueueStream",
        "ternmq.api.topic": "Subscription Topic",
        "ternmq.values.stream_block": "HEAD_COLUMNS StreamBlock StreamRange",
        "ternmq.codec.character_conversion": "convert",
        "ternmq.codec.conversion_service": "ExitParameters",
        "ternmq.codec.mqi.mqmd": "Descriptor",
        "ternmq.values.batch": "batch_xid",
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
