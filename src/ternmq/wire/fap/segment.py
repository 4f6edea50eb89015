"""Segments of IBM MQ's client protocol: the header that each begins with, and one whole segment.

    TSH, TSHC                                    TSHM
    at  0  eye-catcher "TSH " or "TSHC"          at  0  eye-catcher "TSHM"
        4  length u32 big endian, of all             4  length u32 big endian, of all
                                                     8  conversation u32 big endian
                                                    12  request u32 big endian
        8  byte order u8: 1 big, 2 little           16  byte order u8
        9  type u8                                  17  type u8
       10  control flags 1 u8                       18  control flags 1 u8
       11  control flags 2 u8                       19  control flags 2 u8
       12  LUWID 8 bytes, zero on MQI channels      20  LUWID 8 bytes
       20  encoding i32                             28  encoding i32
       24  CCSID u16                                32  CCSID u16
       26  reserved u16                             34  reserved u16
       28  body                                     36  body

Integers are in the byte order that the header names, but for those marked big endian. The
eye-catcher is in ASCII or EBCDIC; characters of the body are in the CCSID. TSH carries the first
exchange of initial data and everything on a socket that is not shared, TSHM what belongs to a
conversation of a shared socket, TSHC what belongs to the shared socket itself.

Validity: a known eye-catcher and type, byte order 1 or 2, and a length from the header's own up to
what the reader allows. Anything else is SegmentError, which has the code for a STATUS_DATA segment.
The encoding is not checked: partners differ in what they write there.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base.constants import MQENC_NATIVE
from ternmq.base.errors import LocalProtocolError, MQError, RemoteProtocolError
from ternmq.codec.charset import UTF8, is_ascii_based, is_known, is_wide
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.wire.fap.vocabulary import (
    FIRST,
    FIRST_AND_LAST,
    LAST,
    PROTOCOL_GENERAL,
    PROTOCOL_INVALID_DATA,
    PROTOCOL_LENGTH_ERROR,
    PROTOCOL_SEGMENT_ERROR,
    PROTOCOL_SEGMENT_TYPE,
    TYPE_NAMES,
    type_name,
)

TSH: Final = "TSH "
TSHM: Final = "TSHM"
TSHC: Final = "TSHC"
TSH_BYTES: Final = 28
TSHM_BYTES: Final = 36
BYTES_MIN: Final = 8  # of a segment, to know its variant and length
EBCDIC: Final = 500  # the set of an EBCDIC partner that names none

ENCODING_BIG: Final = 273
ENCODING_LITTLE: Final = 546

_EYE_CATCHERS: Final[dict[bytes, str]] = {
    b"TSH ": TSH,
    b"TSHM": TSHM,
    b"TSHC": TSHC,
    b"\xe3\xe2\xc8\x40": TSH,
    b"\xe3\xe2\xc8\xd4": TSHM,
    b"\xe3\xe2\xc8\xc3": TSHC,
}
_EBCDIC_T: Final = 0xE3
_LENGTH: Final = struct.Struct(">I")
_IDS: Final = struct.Struct(">II")
_TAIL_BIG: Final = struct.Struct(">BBBB8siHH")
_TAIL_LITTLE: Final = struct.Struct("<BBBB8siHH")
_ORDER_BIG: Final = 1
_ORDER_LITTLE: Final = 2
LUWID_NONE: Final = bytes(8)


class SegmentError(RemoteProtocolError):
    """The peer sent a segment that cannot be; `status` is the code to answer in STATUS_DATA."""

    def __init__(self, text: str, status: int = PROTOCOL_GENERAL) -> None:
        super().__init__(text)
        self.status = status


@final
class StructureError(SegmentError):
    """The peer sent a structure of the MQI that cannot be read; `error` has its reason code."""

    def __init__(self, text: str, error: MQError) -> None:
        super().__init__(text, PROTOCOL_INVALID_DATA)
        self.error = error


@final
class Header:
    """What stands before the body of a segment, but for its length. A new one is for one segment
    of an MQI channel in this machine's usual form."""

    __slots__ = (
        "variant",
        "is_ebcdic",
        "conversation",
        "request",
        "order",
        "type",
        "flags_1",
        "flags_2",
        "luwid",
        "encoding",
        "ccsid",
        "reserved",
    )

    def __init__(
        self,
        type: int,
        *,
        variant: str = TSH,
        is_ebcdic: bool = False,
        conversation: int = 0,
        request: int = 0,
        order: str = LITTLE,
        flags_1: int = FIRST_AND_LAST,
        flags_2: int = 0,
        luwid: bytes = LUWID_NONE,
        encoding: int = MQENC_NATIVE,
        ccsid: int = UTF8,
        reserved: int = 0,
    ) -> None:
        self.variant = variant
        self.is_ebcdic = is_ebcdic
        self.conversation = conversation
        self.request = request
        self.order = order
        self.type = type
        self.flags_1 = flags_1
        self.flags_2 = flags_2
        self.luwid = luwid
        self.encoding = encoding
        self.ccsid = ccsid
        self.reserved = reserved

    @property
    def size(self) -> int:
        """The bytes of the header."""
        return TSHM_BYTES if self.variant == TSHM else TSH_BYTES

    @property
    def is_first(self) -> bool:
        return self.flags_1 & FIRST != 0

    @property
    def is_last(self) -> bool:
        return self.flags_1 & LAST != 0

    @property
    def text_ccsid(self) -> int:
        """The character set of the body: the one named, unless it cannot be.

        Partners are known that name a set they do not use; the eye-catcher then shows the family.
        """
        if is_known(self.ccsid) and not is_wide(self.ccsid):
            if is_ascii_based(self.ccsid) != self.is_ebcdic:
                return self.ccsid
        return EBCDIC if self.is_ebcdic else UTF8

    def answer(self, type: int, flags_1: int = FIRST_AND_LAST) -> Header:
        """The header of an answer: variant, ids, byte order and CCSID of what it answers.

        That it mirrors the request is a guess that agrees with all that was seen.
        """
        return Header(
            type,
            variant=self.variant,
            is_ebcdic=self.is_ebcdic,
            conversation=self.conversation,
            request=self.request,
            order=self.order,
            flags_1=flags_1,
            encoding=ENCODING_LITTLE if self.order == LITTLE else ENCODING_BIG,
            ccsid=self.ccsid,
        )

    def pack(self, body_bytes: int) -> bytes:
        """The bytes of the header for a body of that many bytes."""
        eye_catcher = self.variant.encode("cp500" if self.is_ebcdic else "ascii")
        is_little = self.order == LITTLE
        codec = _TAIL_LITTLE if is_little else _TAIL_BIG
        try:
            start = eye_catcher + _LENGTH.pack(self.size + body_bytes)
            if self.variant == TSHM:
                start += _IDS.pack(self.conversation, self.request)
            return start + codec.pack(
                _ORDER_LITTLE if is_little else _ORDER_BIG,
                self.type,
                self.flags_1,
                self.flags_2,
                self.luwid,
                self.encoding,
                self.ccsid,
                self.reserved,
            )
        except struct.error as error:
            raise LocalProtocolError(f"{type_name(self.type)}: {error}") from error


@final
class Segment:
    """One whole segment, or one call put together from several: its header, and where its body
    is in its bytes."""

    __slots__ = ("header", "data", "body_at", "is_cut")

    def __init__(self, header: Header, data: bytes, body_at: int) -> None:
        self.header = header
        self.data = data
        self.body_at = body_at
        self.is_cut = False  # a put that was too long: only its first segment was kept

    @property
    def body(self) -> bytes:
        """The bytes behind the header."""
        return self.data[self.body_at :]

    @property
    def body_bytes(self) -> int:
        """How many bytes are behind the header."""
        return len(self.data) - self.body_at

    def drop(self) -> None:
        """Keep the header alone: what the body had is read."""
        self.data = b""
        self.body_at = 0


def segment_variant(data: bytes | bytearray, at: int) -> str:
    """TSH, TSHM or TSHC: what the four bytes say that a segment begins with."""
    variant = _EYE_CATCHERS.get(bytes(data[at : at + 4]))
    if variant is None:
        found = bytes(data[at : at + 4]).hex()
        raise SegmentError(f"a segment begins with {found}, not with a header", PROTOCOL_GENERAL)
    return variant


def segment_length(data: bytes | bytearray, at: int, variant: str, bytes_max: int) -> int:
    """The length of the segment at `at`, whose first eight bytes are present."""
    length: int = _LENGTH.unpack_from(data, at + 4)[0]
    least = TSHM_BYTES if variant == TSHM else TSH_BYTES
    if not least <= length <= bytes_max:
        raise SegmentError(
            f"{variant.strip()}: a length of {length}; {least} to {bytes_max} are allowed",
            PROTOCOL_LENGTH_ERROR,
        )
    return length


def read_segment(data: bytes) -> Segment:
    """The segment that the bytes are; SegmentError unless they are exactly one."""
    if len(data) < BYTES_MIN:
        raise SegmentError(f"{len(data)} bytes are not a segment", PROTOCOL_LENGTH_ERROR)
    variant = segment_variant(data, 0)
    length = segment_length(data, 0, variant, len(data))
    if length != len(data):
        raise SegmentError(
            f"{variant.strip()}: a length of {length}, {len(data)} are present",
            PROTOCOL_LENGTH_ERROR,
        )
    header = _read_header(data, variant)
    return Segment(header, data, header.size)


def _read_header(data: bytes, variant: str) -> Header:
    conversation = 0
    request = 0
    tail = 8
    if variant == TSHM:
        conversation, request = _IDS.unpack_from(data, 8)
        tail = 16
    named = data[tail]
    if named not in (_ORDER_BIG, _ORDER_LITTLE):
        raise SegmentError(f"{variant.strip()}: byte order {named}", PROTOCOL_SEGMENT_ERROR)
    is_little = named == _ORDER_LITTLE
    codec = _TAIL_LITTLE if is_little else _TAIL_BIG
    _order, type, flags_1, flags_2, luwid, encoding, ccsid, reserved = codec.unpack_from(data, tail)
    if type not in TYPE_NAMES:
        raise SegmentError(f"{variant.strip()}: segment type 0x{type:02X}", PROTOCOL_SEGMENT_TYPE)
    return Header(
        type,
        variant=variant,
        is_ebcdic=data[0] == _EBCDIC_T,
        conversation=conversation,
        request=request,
        order=LITTLE if is_little else BIG,
        flags_1=flags_1,
        flags_2=flags_2,
        luwid=luwid,
        encoding=encoding,
        ccsid=ccsid,
        reserved=reserved,
    )


def segment(header: Header, body: bytes = b"") -> bytes:
    """The bytes of one whole segment."""
    return header.pack(len(body)) + body
