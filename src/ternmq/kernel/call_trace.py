"""Calls of applications that somebody traces: kept in the step that makes them, while subscriptions
may match the topics of application activity trace, and published by `outlets` a moment later.

`Kernel.measured` has the bit TRACED then. Whether a connection is traced is asked once for each
change of such subscriptions. What is kept is bounded; beyond that, calls are lost and counted.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.meter import TRACED
from ternmq.values.entry import Entry

CALLS_MAX: Final = 20_000

# MQXF_ of the calls that are traced.
CONNX: Final = 4
DISC: Final = 5
OPEN: Final = 6
CLOSE: Final = 7
PUT1: Final = 8
PUT: Final = 9
GET: Final = 10
INQ: Final = 12
SET: Final = 13
CMIT: Final = 15
BACK: Final = 16
STAT: Final = 18
CB: Final = 19
CTL: Final = 20
SUB: Final = 22
SUBRQ: Final = 23
_BY_VERB: Final[dict[str, int]] = {
    "MQOPEN": OPEN,
    "MQCLOSE": CLOSE,
    "MQPUT1": PUT1,
    "MQPUT": PUT,
    "MQGET": GET,
    "MQGET, browse": GET,
    "MQINQ": INQ,
    "MQSET": SET,
    "MQCMIT": CMIT,
    "MQBACK": BACK,
    "MQSTAT": STAT,
    "MQSUB": SUB,
    "MQSUBRQ": SUBRQ,
}


@final
class TracedCall:
    """One call, as it ended."""

    __slots__ = (
        "at_ns",
        "base",
        "connection",
        "correl_id",
        "handle_id",
        "length",
        "msg_id",
        "object_name",
        "object_type",
        "operation",
        "options",
        "reason",
        "resolved_name",
        "topic_string",
    )

    def __init__(self, connection: Connection, operation: int, at_ns: int, reason: int) -> None:
        self.connection = connection
        self.operation = operation  # MQXF_
        self.at_ns = at_ns  # Unix time
        self.reason = reason
        self.handle_id = 0
        self.object_type = 0  # MQOT_; 0: it is about no object
        self.object_name = ""  # as it was opened
        self.resolved_name = ""
        self.topic_string = ""
        self.options = 0  # of MQOPEN
        self.length = -1  # of a message; -1: there is none
        self.msg_id = b""
        self.correl_id = b""
        self.base = b""  # its descriptor, packed


def trace(
    kernel: Kernel,
    connection: Connection,
    operation: int,
    handle: Handle | None = None,
    entry: Entry | None = None,
    reason: i64 = 0,
) -> None:
    """Keep a call, if its connection is traced. Called only while TRACED is on."""
    meter = kernel.meter
    if connection.trace_version != meter.trace_version:
        was_known = connection.trace_version > 0
        connection.trace_version = meter.trace_version
        connection.is_traced = meter.sink.is_traced(connection)
        is_new = not was_known and connection.started_ns >= meter.traced_since_ns
        if connection.is_traced and is_new and operation != CONNX:
            _keep(kernel, TracedCall(connection, CONNX, int(connection.started_ns), 0))
    if not connection.is_traced:
        return
    call = TracedCall(connection, operation, int(kernel.clock.now_ns()), int(reason))
    if handle is not None:
        call.handle_id = handle.handle_id
        call.object_type = handle.object_type
        call.resolved_name = handle.resolved_name
        definition = handle.definition
        call.object_name = handle.resolved_name if definition is None else definition.name
        call.options = int(handle.options)
        if handle.topic is not None:
            call.topic_string = handle.topic.topic_string
    if entry is not None:
        call.length = int(entry.length)
        call.msg_id = entry.msg_id
        call.correl_id = entry.correl_id
        call.base = entry.base
    _keep(kernel, call)


def trace_refusal(
    kernel: Kernel, connection: Connection, verb: str, handle: Handle | None, reason: int
) -> None:
    """The same of a call that was refused."""
    operation = _BY_VERB.get(verb, 0)
    if kernel.measured & TRACED and operation:
        trace(kernel, connection, operation, handle, None, reason)


def _keep(kernel: Kernel, call: TracedCall) -> None:
    meter = kernel.meter
    if len(meter.traced_calls) >= CALLS_MAX:
        meter.traces_lost += 1
        return
    meter.traced_calls.append(call)
