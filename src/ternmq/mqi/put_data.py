"""What the data of a put begins with that is not data: an MQMDE, then MQRFH2 headers.

An MQMDE at the front stands for the fields that version 1 of the MQMD lacks. It is honoured, as IBM
MQ does, if the descriptor has none of them: it is of version 1, or its own say nothing. Its fields
are then the message's, and it is no longer in the data. One in another encoding or character set
than the queue manager's, or of another version, is data. One that is wrong is refused.

Asked of requests alone that may have such data (`PutRequest.splits`), outside the engine's lock.
"""

from __future__ import annotations

import struct
from typing import Final

from ternmq.base import constants as mq
from ternmq.codec.charset import is_ascii_based
from ternmq.codec.headers.mqmde import NO_EXTENSION, DescriptorExtension
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.mqi.mqmd import ENCODING_AT, FORMAT_AT, GROUP_ID_AT, Descriptor
from ternmq.kernel.put_parts import in_parts
from ternmq.kernel.requests import PutRequest
from ternmq.mqi.descriptor import canonical, check_descriptor, in_group_or_segment
from ternmq.values.entry import ZERO_ID

_FORMAT: Final = b"MQHMDE  "
_FORMAT_END: Final = FORMAT_AT + 8
_PAIR: Final = struct.Struct("<ii")
_STRUC_ID: Final = b"MDE "


def without_headers(request: PutRequest, data: bytes) -> tuple[PutRequest, bytes]:
    """Request and body of a put."""
    if request.base[FORMAT_AT:_FORMAT_END] == _FORMAT and _is_honoured(request.base, data):
        request, data = _extended(request, data)
    return in_parts(request, data)


def _is_honoured(base: bytes, data: bytes) -> bool:
    """Whether an MQMDE is more than data."""
    if base[GROUP_ID_AT:] != NO_EXTENSION:
        return False
    encoding, ccsid = _PAIR.unpack_from(base, ENCODING_AT)
    if encoding & mq.MQENC_INTEGER_MASK != mq.MQENC_NATIVE & mq.MQENC_INTEGER_MASK:
        return False
    if ccsid > 0 and not is_ascii_based(ccsid):
        return False
    version = int.from_bytes(data[4:8], "little")
    return data[:4] != _STRUC_ID or version == mq.MQMDE_VERSION_2


def _extended(request: PutRequest, data: bytes) -> tuple[PutRequest, bytes]:
    base = request.base
    extension = DescriptorExtension.unpack(data, order=LITTLE)
    md = Descriptor.unpack(base)
    md.group_id = extension.group_id
    md.msg_seq_number = extension.msg_seq_number
    md.offset = extension.offset
    md.msg_flags = extension.msg_flags
    md.original_length = extension.original_length
    check_descriptor(md, "MQPUT")
    tail = canonical(md).pack()[GROUP_ID_AT:]
    ccsid = extension.ccsid if extension.ccsid > 0 else md.ccsid
    fields = _PAIR.pack(extension.encoding, ccsid) + data[20:28]
    base = base[:ENCODING_AT] + fields + base[_FORMAT_END:GROUP_ID_AT] + tail
    group_id = tail[:24]
    is_new = in_group_or_segment(md) and group_id == ZERO_ID
    return request.with_group(base, group_id, is_new), data[mq.MQMDE_LENGTH_2 :]
