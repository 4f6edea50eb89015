"""MQMDE: what version 2 of the MQMD adds to version 1, as a header at the start of the data."""

from __future__ import annotations

from typing import ClassVar, Final, final

from ternmq.base.constants import (
    MQCCSI_UNDEFINED,
    MQENC_NATIVE,
    MQFMT_MD_EXTENSION,
    MQGI_NONE,
    MQMDE_LENGTH_2,
    MQOL_UNDEFINED,
)
from ternmq.base.reasons import MQRC_MDE_ERROR
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.layout import Layout, chars, i32, raw
from ternmq.codec.mqi.mqmd import GROUP_ID_AT, Descriptor
from ternmq.codec.mqi.structure import Structure

# The fields of a canonical descriptor that version 1 lacks, when they say nothing.
NO_EXTENSION: Final = Descriptor().pack()[GROUP_ID_AT:]

LAYOUT: Final = Layout(
    "MQMDE",
    "MDE ",
    MQRC_MDE_ERROR,
    (2, 2),
    (
        i32("structure_length"),
        i32("encoding"),
        i32("ccsid"),
        chars("format", 8),
        i32("flags"),
        raw("group_id", 24),
        i32("msg_seq_number"),
        i32("offset"),
        i32("msg_flags"),
        i32("original_length"),
    ),
)


@final
class DescriptorExtension(Structure):
    """MQMDE: what version 2 of the MQMD adds to version 1, as a header at the start of the data."""

    LAYOUT: ClassVar[Layout] = LAYOUT

    def __init__(
        self,
        *,
        structure_length: int = MQMDE_LENGTH_2,
        encoding: int = MQENC_NATIVE,
        ccsid: int = MQCCSI_UNDEFINED,
        format: str = "",
        flags: int = 0,
        group_id: bytes = MQGI_NONE,
        msg_seq_number: int = 1,
        offset: int = 0,
        msg_flags: int = 0,
        original_length: int = MQOL_UNDEFINED,
        version: int = 2,
    ) -> None:
        super().__init__(version=version)
        self.structure_length = structure_length
        self.encoding = encoding
        self.ccsid = ccsid
        self.format = format
        self.flags = flags
        self.group_id = group_id
        self.msg_seq_number = msg_seq_number
        self.offset = offset
        self.msg_flags = msg_flags
        self.original_length = original_length

    def fill(self, data: bytes, offset: int, order: str, ccsid: int, native: bool) -> None:
        super().fill(data, offset, order, ccsid, native)
        if self.structure_length != MQMDE_LENGTH_2:
            raise LAYOUT.error(f"the length field is {self.structure_length}")


def extension_before(md: Descriptor) -> bytes:
    """The MQMDE of a message, if version 1 of its descriptor would lose something; the descriptor
    then describes the MQMDE."""
    is_plain = md.msg_flags == 0 and md.msg_seq_number == 1 and md.offset == 0
    if is_plain and md.original_length == MQOL_UNDEFINED and not md.group_id.strip(b"\0"):
        return b""
    extension = DescriptorExtension(
        encoding=md.encoding,
        ccsid=md.ccsid,
        format=md.format,
        group_id=md.group_id,
        msg_seq_number=md.msg_seq_number,
        offset=md.offset,
        msg_flags=md.msg_flags,
        original_length=md.original_length,
    )
    md.format = MQFMT_MD_EXTENSION
    md.encoding = MQENC_NATIVE
    md.ccsid = UTF8
    return extension.pack()
