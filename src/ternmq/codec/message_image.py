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
        48  u32      area_length    bytes of the property area; 0 = it has no properties
        52  364 B    MQMD           version 2, little-endian, canonical; its Format, Encoding and
                                    CCSID are those of the application data
       416  area_length bytes       properties: see `property_area`
         -  data_length bytes       application data

MsgId is at 48, CorrelId at 72 and GroupId at 324 of the MQMD, 24 bytes each.

Validity: an image has no checksum of its own; the format that stores it has one. `unpack_header`
refuses an image that is not whole inside the bytes it is given.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base.errors import IntegrityError

HEADER_BYTES: Final = 52
MQMD_BYTES: Final = 364
FIXED_BYTES: Final = 416  # header and MQMD: where the properties begin, and the data without any
PARTS_BYTES_MAX: Final = 0xFFFFFFFF - FIXED_BYTES  # so that the length of an image is a u32 too

ID_BYTES: Final = 24
MSG_ID_OFFSET: Final = 48
CORREL_ID_OFFSET: Final = 72
GROUP_ID_OFFSET: Final = 324

FLAG_PERSISTENT: Final = 1
BACKOUT_COUNT_MAX: Final = 0xFFFF

_HEADER: Final = struct.Struct("<QQqqIBBHQI")


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
        "area_length",
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
        area_length: int,
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
        self.area_length = area_length


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
    area_length: int = 0,
) -> bytes:
    """The 52 bytes before the MQMD."""
    if data_length < 0 or data_length + area_length > PARTS_BYTES_MAX:
        raise IntegrityError(
            f"message {number}: data length {data_length} and {area_length} bytes of properties "
            "cannot be stored"
        )
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
        area_length,
    )


def unpack_header(buffer: bytes, offset: int, with_data: bool = True) -> ImageHeader:
    """The header of the image that begins at `offset` and ends inside the buffer, with its data or
    before."""
    present = len(buffer) - offset
    if offset < 0 or present < FIXED_BYTES:
        raise IntegrityError(f"message image at {offset}: {present} bytes are too few for one")
    fields = _HEADER.unpack_from(buffer, offset)
    number, sequence, put_ns, expiry_at, data_length, priority, flags, backout, lsn, area = fields
    if present - FIXED_BYTES < (data_length + area if with_data else area):
        raise IntegrityError(
            f"message image at {offset}: data length {data_length} and {area} bytes of properties, "
            f"{present - FIXED_BYTES} present"
        )
    return ImageHeader(
        number, sequence, put_ns, expiry_at, data_length, priority, flags, backout, lsn, area
    )
