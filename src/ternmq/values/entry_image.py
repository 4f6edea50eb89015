"""A message from its image: the bytes of log records, segment files and stream blocks."""

from __future__ import annotations

from mypy_extensions import i64

from ternmq.codec.message_image import (
    CORREL_ID_OFFSET,
    FIXED_BYTES,
    GROUP_ID_OFFSET,
    HEADER_BYTES,
    MSG_ID_OFFSET,
    unpack_header,
)
from ternmq.values.entry import Entry


def entry_from_image(image: bytes, offset: i64 = 0, with_data: bool = True) -> Entry:
    """The message of an image, with its data or without."""
    header = unpack_header(image, offset, with_data)
    ids = offset + HEADER_BYTES
    properties = offset + FIXED_BYTES
    data = properties + header.area_length
    entry = Entry(
        header.number,
        header.priority,
        header.flags,
        header.put_ns,
        header.expiry_at,
        image[ids + MSG_ID_OFFSET : ids + MSG_ID_OFFSET + 24],
        image[ids + CORREL_ID_OFFSET : ids + CORREL_ID_OFFSET + 24],
        image[ids + GROUP_ID_OFFSET : ids + GROUP_ID_OFFSET + 24],
        image[ids:properties],
        image[data : data + header.data_length] if with_data else b"",
        header.data_length,
        image[properties:data],
    )
    entry.sequence = header.sequence
    entry.backout_count = header.backout_count
    entry.visible_lsn = header.visible_lsn
    return entry
