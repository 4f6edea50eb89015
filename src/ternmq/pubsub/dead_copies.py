"""A copy of a publication as it is on the dead-letter queue."""

from __future__ import annotations

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import LOCAL
from ternmq.base.reasons import MQRC_UNKNOWN_OBJECT_NAME
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.undeliverable import dead_letter_header
from ternmq.pubsub.copies import Copies
from ternmq.pubsub.destinations import Destination
from ternmq.values.entry import PERSISTENT, ZERO_ID, Entry, packed_descriptor


def _dead_letter_queue(kernel: Kernel, connection: Connection) -> LocalQueue | None:
    """DEADQ; None: it must be loaded first, and the verb is parked."""
    name = str(kernel.catalog.qmgr.get("dead_letter_queue", ""))
    definition = kernel.catalog.definitions.get(name)
    if definition is None or definition.object_type != LOCAL:
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb="MQPUT", object=name, detail="DEADQ")
    return kernel.local_queue(connection, definition)


def bury(
    kernel: Kernel,
    connection: Connection,
    copies: Copies,
    entry: Entry,
    persistence: i64,
    destination: Destination,
    reason: int,
) -> bool:
    """Let a copy go to the dead-letter queue; False: that does not take it, or the connection is
    parked."""
    try:
        local = _dead_letter_queue(kernel, connection)
    except MQError:
        return False
    if local is None:
        return False
    dead = _dead_copy(kernel, entry, persistence, destination, reason)
    if copies.refusal(local, [], dead) is not None or connection.park is not None:
        return False
    copies.add(local, dead, False)
    return True


def _dead_copy(
    kernel: Kernel, entry: Entry, persistence: i64, destination: Destination, reason: int
) -> Entry:
    """The copy behind an MQDLH that says where it was to go and why it is not there."""
    descriptor = Descriptor.unpack(packed_descriptor(entry))
    route = destination.route
    queue = destination.name if route is None else route.remote_queue
    qmgr = destination.qmgr if route is None else route.remote_qmgr
    header = dead_letter_header(kernel, descriptor, queue, qmgr, reason)
    descriptor.format = mq.MQFMT_DEAD_LETTER_HEADER
    descriptor.encoding = mq.MQENC_NATIVE
    descriptor.ccsid = kernel.number("ccsid")
    descriptor.expiry = mq.MQEI_UNLIMITED
    data = header + entry.data
    return Entry(
        0,
        entry.priority,
        persistence & PERSISTENT,
        entry.put_ns,
        0,
        entry.msg_id,
        entry.correl_id,
        ZERO_ID,
        descriptor.pack(),
        data,
        len(data),
        entry.properties,
    )
