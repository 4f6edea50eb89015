"""The message image: a message as bytes, the same in log PUT records and in segment files.

Layout, little-endian, no padding:

    offset  type     field
         0  u64      number         serial in its queue, given at put, never used again
         8  u64      sequence       stream number, given when it becomes visible; 0 = not yet
        16  i64      put_ns         when it was put, ns since 1970 UTC
        24  i64      expiry_at      when it expires, ns since 1970 UTC; 0 = never
        32  u32      data_length    bytes of application data
        36  u8       priority       0 to 9
        37  u8       flags          bit 0: persistent; the others are the store's
        38  u16      backout_count  stays at 65,535 once it is there
        40  u64      visible_lsn    log address that made it visible; 0 = none
        48  364 B    MQMD           version 2, little-endian, canonical
       412  data_length bytes       application data

MsgId lies at 48, CorrelId at 72 and GroupId at 324 of the MQMD, 24 bytes each.

Validity: an image has no checksum of its own; whoever stores it guards it. `unpack_header` refuses
an image that does not lie whole inside the bytes it is given.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base.errors import IntegrityError

HEADER_BYTES: Final = 48
MQMD_BYTES: Final = 364
FIXED_BYTES: Final = 412  # header and MQMD: where the data begins
DATA_BYTES_MAX: Final = 0xFFFFFFFF - FIXED_BYTES  # so that the length of an image is a u32 too

ID_BYTES: Final = 24
MSG_ID_OFFSET: Final = 48
CORREL_ID_OFFSET: Final = 72
GROUP_ID_OFFSET: Final = 324

FLAG_PERSISTENT: Final = 1
BACKOUT_COUNT_MAX: Final = 0xFFFF

_HEADER: Final = struct.Struct("<QQqqIBBHQ")


@final
class ImageHeader:
    """The fixed header of an image, unpacked."""

    __slots__ = (
        "number",
        "sequence",
        "put_ns",
        "expiry_at",
        "data_length",
        "priority",
        "flags",
        "backout_count",
        "visible_lsn",
    )

    def __init__(
        self,
        number: int,
        sequence: int,
        put_ns: int,
        expiry_at: int,
        data_length: int,
        priority: int,
        flags: int,
        backout_count: int,
        visible_lsn: int,
    ) -> None:
        self.number = number
        self.sequence = sequence
        self.put_ns = put_ns
        self.expiry_at = expiry_at
        self.data_length = data_length
        self.priority = priority
        self.flags = flags
        self.backout_count = backout_count
        self.visible_lsn = visible_lsn


def pack_header(
    number: int,
    sequence: int,
    put_ns: int,
    expiry_at: int,
    data_length: int,
    priority: int,
    flags: int,
    backout_count: int,
    visible_lsn: int,
) -> bytes:
    """The 48 bytes before the MQMD."""
    if data_length < 0 or data_length > DATA_BYTES_MAX:
        raise IntegrityError(f"message {number}: data length {data_length} cannot be stored")
    if backout_count > BACKOUT_COUNT_MAX:
        backout_count = BACKOUT_COUNT_MAX
    return _HEADER.pack(
        number,
        sequence,
        put_ns,
        expiry_at,
        data_length,
        priority,
        flags,
        backout_count,
        visible_lsn,
    )


def unpack_header(buffer: bytes, offset: int) -> ImageHeader:
    """The header of the image that begins at `offset` and ends inside the buffer."""
    present = len(buffer) - offset
    if offset < 0 or present < FIXED_BYTES:
        raise IntegrityError(f"message image at {offset}: {present} bytes are too few for one")
    fields = _HEADER.unpack_from(buffer, offset)
    number, sequence, put_ns, expiry_at, data_length, priority, flags, backout, lsn = fields
    if present - FIXED_BYTES < data_length:
        raise IntegrityError(
            f"message image at {offset}: data length {data_length}, {present - FIXED_BYTES} present"
        )
    return ImageHeader(
        number, sequence, put_ns, expiry_at, data_length, priority, flags, backout, lsn
    )
