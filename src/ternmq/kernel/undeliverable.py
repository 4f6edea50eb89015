"""A message that cannot be put on its queue after its put was answered: MQRO_DISCARD_MSG lets it
go, else it goes to the dead-letter queue behind an MQDLH with the reason. A segment has an MQMDE
between the MQDLH and its data, and is a message of its own there: its length fits no segment.

What is refused for a reason that has nothing to do with the queue is to be tried again.
"""

from __future__ import annotations

import struct
from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.ids import put_stamp
from ternmq.base.object_types import LOCAL
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_CONNECTION_BROKEN,
    MQRC_Q_MGR_QUIESCING,
    MQRC_Q_MGR_STOPPING,
    MQRC_RESOURCE_PROBLEM,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.headers.mqmde import extension_before
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.mqi.mqmd import REPORT_AT, Descriptor
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.put import put
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.resolve import attach, can_open, detach
from ternmq.values.entry import OWN_DATE, PERSISTENT, ZERO_ID, Entry, packed_descriptor

_REPORT: Final = struct.Struct("<i")
_SEGMENT: Final = mq.MQMF_SEGMENT | mq.MQMF_LAST_SEGMENT
_PASSING: Final = (
    MQRC_BACKED_OUT,
    MQRC_CONNECTION_BROKEN,
    MQRC_Q_MGR_QUIESCING,
    MQRC_Q_MGR_STOPPING,
    MQRC_RESOURCE_PROBLEM,
)


def is_passing_refusal(reason: int) -> bool:
    """Whether a put was refused for a reason that passes, and that the queue has no part in."""
    return reason in _PASSING


def is_discarded(entry: Entry) -> bool:
    """Whether a message that cannot be delivered is discarded."""
    report: int = _REPORT.unpack_from(entry.base, REPORT_AT)[0]
    return report & mq.MQRO_DISCARD_MSG != 0


def bury(
    kernel: Kernel, connection: Connection, entry: Entry, queue: str, qmgr: str, reason: int
) -> bool:
    """To the dead-letter queue, in the connection's unit of work; False: parked. MQError if that
    queue does not take it."""
    name = str(kernel.catalog.qmgr.get("dead_letter_queue", ""))
    definition = kernel.catalog.definitions.get(name)
    connection.begin_verb()
    if definition is None or definition.object_type != LOCAL:
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb="MQPUT", object=name, detail="DEADQ")
    local = kernel.local_queue(connection, definition)
    if local is None or not can_open(kernel, connection, local, mq.MQOO_OUTPUT, "MQPUT"):
        return False
    descriptor = Descriptor.unpack(packed_descriptor(entry))
    extension = b""
    if descriptor.msg_flags & _SEGMENT:
        extension = extension_before(descriptor)
        _leave_group(descriptor)
    header = dead_letter_header(kernel, descriptor, queue, qmgr, reason) + extension
    descriptor.format = mq.MQFMT_DEAD_LETTER_HEADER
    descriptor.encoding = mq.MQENC_NATIVE
    descriptor.ccsid = kernel.number("ccsid")
    descriptor.expiry = mq.MQEI_UNLIMITED
    request = PutRequest(mq.MQPMO_SYNCPOINT, descriptor.pack(), True)
    request.splits = False
    request.replies_unplaced = False
    request.properties = entry.properties
    request.msg_id = entry.msg_id
    request.correl_id = entry.correl_id
    request.group_id = ZERO_ID if extension else entry.group_id
    request.priority = entry.priority
    request.persistence = entry.flags & PERSISTENT
    request.flags |= entry.flags & OWN_DATE
    handle = Handle(connection, 0, mq.MQOO_OUTPUT)
    attach(handle, local, [])
    try:
        return put(kernel, connection, handle, request, header + entry.data) is not None
    finally:
        detach(handle)


def _leave_group(descriptor: Descriptor) -> None:
    descriptor.group_id = mq.MQGI_NONE
    descriptor.msg_seq_number = 1
    descriptor.offset = 0
    descriptor.msg_flags = mq.MQMF_NONE
    descriptor.original_length = mq.MQOL_UNDEFINED


def dead_letter_header(
    kernel: Kernel, descriptor: Descriptor, queue: str, qmgr: str, reason: int
) -> bytes:
    """The MQDLH in front of a message with that descriptor, which was for that queue."""
    stamp = put_stamp(int(kernel.clock.now_ns())).decode("ascii")
    header = DeadLetterHeader(
        reason=reason,
        destination_queue=queue,
        destination_qmgr=qmgr or kernel.name,
        encoding=descriptor.encoding,
        ccsid=descriptor.ccsid,
        format=descriptor.format,
        put_appl_type=mq.MQAT_QMGR,
        put_appl_name=kernel.name[: mq.MQ_PUT_APPL_NAME_LENGTH],
        put_date=stamp[:8],
        put_time=stamp[8:],
    )
    return header.pack(LITTLE, kernel.number("ccsid"))
