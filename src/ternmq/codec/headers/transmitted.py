"""A message as it was before it came to a transmission queue: what MQXQH and MQMDE say of it."""

from __future__ import annotations

from ternmq.base import constants as mq
from ternmq.codec.headers.mqmde import DescriptorExtension
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.mqmd import Descriptor


def transmitted_message(data: bytes) -> tuple[Descriptor, bytes]:
    """Its descriptor in version 2, and its data; MQError if a header is invalid."""
    own = TransmissionHeader.unpack(data).descriptor.copy()
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
