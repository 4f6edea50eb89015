"""A message as it was before it came to a transmission queue: what MQXQH and MQMDE say of it, and
what MQDH says if it is for several queues."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from ternmq.base import constants as mq
from ternmq.codec.headers.mqdh import DistributionHeader
from ternmq.codec.headers.mqmde import DescriptorExtension, extension_before
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.list_records import PutRecord
from ternmq.codec.mqi.mqmd import Descriptor


@final
class Transmitted:
    """One destination of a message, and the message for it."""

    __slots__ = ("data", "descriptor", "qmgr", "queue")

    def __init__(self, queue: str, qmgr: str, descriptor: Descriptor, data: bytes) -> None:
        self.queue = queue
        self.qmgr = qmgr
        self.descriptor = descriptor  # version 2
        self.data = data

    def pack(self) -> bytes:
        """As it is on a transmission queue."""
        own = self.descriptor.copy()
        extension = extension_before(own)
        header = TransmissionHeader(remote_queue=self.queue, remote_qmgr=self.qmgr, descriptor=own)
        return header.pack() + extension + self.data


def transmitted_messages(message: bytes, new_id: Callable[[], bytes]) -> list[Transmitted]:
    """The message for each of its destinations, one or those of a list; MQError if a header is
    invalid. `new_id` makes message identifiers where the list asks for new ones."""
    header = TransmissionHeader.unpack(message)
    md, data = _behind(header, message)
    if md.format != mq.MQFMT_DIST_HEADER:
        return [Transmitted(header.remote_queue, header.remote_qmgr, md, data)]
    listed = DistributionHeader.unpack(data)
    md.encoding = listed.encoding
    md.ccsid = listed.ccsid
    md.format = listed.format
    data = data[_structure_length(data) :]
    found: list[Transmitted] = []
    for at, destination in enumerate(listed.destinations):
        own = md.copy()  # each has fields of its own
        if listed.flags & mq.MQDHF_NEW_MSG_IDS:
            own.msg_id = new_id()
        if listed.put_records:
            _take_record(own, listed.put_records[at], listed.put_record_fields)
        found.append(Transmitted(destination.queue, destination.qmgr, own, data))
    return found


def _structure_length(data: bytes) -> int:
    return int.from_bytes(data[8:12], "little")


def _take_record(md: Descriptor, record: PutRecord, fields: int) -> None:
    """What one destination has for itself."""
    if fields & mq.MQPMRF_MSG_ID:
        md.msg_id = record.msg_id
    if fields & mq.MQPMRF_CORREL_ID:
        md.correl_id = record.correl_id
    if fields & mq.MQPMRF_GROUP_ID:
        md.group_id = record.group_id
    if fields & mq.MQPMRF_FEEDBACK:
        md.feedback = record.feedback
    if fields & mq.MQPMRF_ACCOUNTING_TOKEN:
        md.accounting_token = record.accounting_token


def transmitted_message(data: bytes) -> tuple[Descriptor, bytes]:
    """Its descriptor in version 2, and its data; MQError if a header is invalid."""
    return _behind(TransmissionHeader.unpack(data), data)


def _behind(header: TransmissionHeader, data: bytes) -> tuple[Descriptor, bytes]:
    own = header.descriptor
    own.version = 2
    at = mq.MQXQH_CURRENT_LENGTH
    if own.format == mq.MQFMT_MD_EXTENSION:
        extension = DescriptorExtension.unpack(data, at)
        at += mq.MQMDE_LENGTH_2
        own.encoding = extension.encoding
        own.ccsid = extension.ccsid
        own.format = extension.format
        own.group_id = extension.group_id
        own.msg_seq_number = extension.msg_seq_number
        own.offset = extension.offset
        own.msg_flags = extension.msg_flags
        own.original_length = extension.original_length
    return own, data[at:]
