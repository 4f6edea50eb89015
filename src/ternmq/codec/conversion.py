"""MQGMO_CONVERT: message data into the character set and encoding that the application asks for.

A message is a chain: each header says Format, Encoding and CCSID of what follows it, and the MQMD
says those of the first part. Each part is converted by itself, and what described it then says what
it is now. If one cannot be converted, it and all behind it stay as they are, the headers before it
are converted and still right, and the warning says why. Behind MQCIH and MQIIH the data is in the
header's own set, so such a header and the data behind it are converted together or not at all.

Parts that are neither headers nor text are PCF and IMS's variable strings; the data of any other
format is for a data-conversion exit of that name. A part that is in the right set and encoding is
not looked at, and a message of one such part is not copied.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.reasons import (
    MQRC_CONVERTED_MSG_TOO_BIG,
    MQRC_CONVERTED_STRING_TOO_BIG,
    MQRC_FORMAT_ERROR,
    MQRC_SOURCE_INTEGER_ENC_ERROR,
    MQRC_TARGET_INTEGER_ENC_ERROR,
)
from ternmq.codec import charset
from ternmq.codec.conversion_service import ConversionService
from ternmq.codec.headers.header_conversion import (
    HEADERS,
    Header,
    HeaderRow,
    convert_header,
    find_header,
    put_number,
)
from ternmq.codec.headers.mqmde import extension_before
from ternmq.codec.mqi.layout import LITTLE, byte_order
from ternmq.codec.mqi.mqmd import CCSID_AT, ENCODING_AT, FORMAT_AT, Descriptor
from ternmq.codec.pcf.pcf_conversion import convert_pcf
from ternmq.codec.text_conversion import (
    PARTS_MAX,
    ConversionError,
    Sets,
    convert_text,
    whole_characters,
)

_PCF_FORMATS: Final = (mq.MQFMT_ADMIN, mq.MQFMT_EVENT, mq.MQFMT_PCF)
_TEXT_FORMATS: Final = (mq.MQFMT_STRING, mq.MQFMT_COMMAND_1, mq.MQFMT_COMMAND_2)
_BUILT_IN: Final = (*_PCF_FORMATS, *_TEXT_FORMATS, mq.MQFMT_IMS_VAR_STRING)
_I32: Final = struct.Struct("<i")
_HEADERS_MAX: Final = 64
_SEGMENT_MAX: Final = 0x7FFF  # bytes of a segment of IMS
# CCSIDs in a header that stand for that of the header itself.
_INHERITED: Final = (mq.MQCCSI_UNDEFINED, mq.MQCCSI_INHERIT)
_ORDERS: Final = (mq.MQENC_INTEGER_NORMAL, mq.MQENC_INTEGER_REVERSED)


@final
class Converted:
    """The data, the descriptor's base that goes with it, a warning or 0, and whether the end of the
    data is missing."""

    __slots__ = ("base", "data", "is_cut", "warning")

    def __init__(self, data: bytes, base: bytes, warning: int, is_cut: bool = False) -> None:
        self.data = data
        self.base = base
        self.warning = warning
        self.is_cut = is_cut


def convert_for_buffer(
    data: bytes,
    base: bytes,
    target: tuple[int, int],
    length: int,
    accepts_cut: bool,
    service: ConversionService | None,
) -> Converted:
    """The whole data of a message as a get with a buffer of that length has it, in the CCSID and
    encoding of `target`. What does not fit once it is converted stays as it is, unless the get
    accepts a part (MQGMO_ACCEPT_TRUNCATED_MSG): then it is cut, before it is converted and after.
    """
    is_cut = len(data) > length
    part = data[:length] if is_cut else data
    if not part:
        return Converted(part, base, 0, is_cut)
    ccsid, encoding = target
    if ccsid == mq.MQCCSI_Q_MGR:
        ccsid = charset.UTF8 if service is None else service.ccsid
    room = length if accepts_cut or is_cut else -1
    made = convert(part, base, ccsid, encoding, service, room, is_cut)
    made.is_cut |= is_cut
    if len(made.data) > length:
        if room < 0:
            return Converted(data, base, MQRC_CONVERTED_MSG_TOO_BIG)
        made.data = made.data[:length]
        made.is_cut = True
    return made


def converted_extension(
    md: Descriptor, target: tuple[int, int], service: ConversionService | None
) -> bytes:
    """The MQMDE that a converting get into version 1 of the MQMD has before the data, if any; the
    descriptor then describes it."""
    extension = extension_before(md)
    if not extension:
        return b""
    made = convert_for_buffer(extension, md.pack(), target, len(extension), False, service)
    md.encoding = _I32.unpack_from(made.base, ENCODING_AT)[0]
    md.ccsid = _I32.unpack_from(made.base, CCSID_AT)[0]
    return made.data


def convert(
    data: bytes,
    base: bytes,
    ccsid: int,
    encoding: int,
    service: ConversionService | None = None,
    room: int = -1,
    is_cut: bool = False,
) -> Converted:
    """Convert what can be converted; nothing is lost where it cannot. Text that has no `room` is
    cut behind a character; negative: there is room. `is_cut`: the end of the data is missing."""
    if not data:
        return Converted(data, base, 0)
    have = _I32.unpack_from(base, CCSID_AT)[0]
    have_encoding = _I32.unpack_from(base, ENCODING_AT)[0]
    name = base[FORMAT_AT : FORMAT_AT + 8].rstrip(b" \0").decode("ascii", "replace")
    if have == ccsid and have_encoding == encoding and name not in HEADERS:
        return Converted(data, base, 0)
    walk = _Walk(data, base, ccsid, encoding, service, room, is_cut)
    walk.run(name, have, have_encoding)
    return walk.result()


@final
class _Walk:
    """One conversion: how far it has come, and what describes the part that comes next."""

    def __init__(
        self,
        data: bytes,
        base: bytes,
        ccsid: int,
        encoding: int,
        service: ConversionService | None,
        room: int,
        is_cut: bool,
    ) -> None:
        self.data = data
        self.base = bytearray(base)
        self.is_changed = False
        self.ccsid = ccsid
        self.encoding = encoding
        self.order = byte_order(encoding)
        self.service = service
        self.room = room
        self.is_cut = is_cut
        self.at = 0
        self.parts: list[bytes | bytearray] = []
        self.warning = 0
        # What describes the part: a header that was made, or the base; where, in which order.
        self.described = self.base
        self.encoding_at = ENCODING_AT
        self.ccsid_at = CCSID_AT
        self.described_order = LITTLE
        # Headers whose data is in their own set: where the first begins, and how many parts were
        # made before it. -1: there is none.
        self.bound_at = -1
        self.bound_parts = 0

    def result(self) -> Converted:
        """What was made."""
        base = bytes(self.base)
        if not self.is_changed or not self.parts:
            return Converted(self.data, base, self.warning)
        if len(self.parts) == 1 and self.at == len(self.data):
            return Converted(bytes(self.parts[0]), base, self.warning, self.is_cut)
        made = b"".join([*self.parts, self.data[self.at :]])
        return Converted(made, base, self.warning, self.is_cut)

    def run(self, name: str, ccsid: int, encoding: int) -> None:
        """Convert part after part."""
        try:
            for _ in range(_HEADERS_MAX):
                row = HEADERS.get(name)
                if row is None:
                    self._take_body(name, ccsid, encoding)
                    return
                header = self._take_header(name, row, ccsid, encoding)
                if header is None or self.at == len(self.data):
                    self._says_target(self.bound_at >= 0)
                    return
                name = header.format
                if header.describes:
                    encoding = header.encoding
                    ccsid = header.ccsid if header.ccsid not in _INHERITED else ccsid
            raise ConversionError(MQRC_FORMAT_ERROR)
        except ConversionError as error:
            self.warning = error.reason
            if self.bound_at >= 0:
                self.at = self.bound_at
                del self.parts[self.bound_parts :]

    def _says_target(self, is_converted: bool) -> None:
        """The part is in the target's set and encoding: that is said where it is described."""
        if is_converted:
            self.is_changed = True
            put_number(self.described, self.encoding_at, self.encoding, self.described_order)
            put_number(self.described, self.ccsid_at, self.ccsid, self.described_order)

    def _sets(self, ccsid: int, encoding: int) -> Sets:
        return Sets(ccsid, byte_order(encoding), self.ccsid, self.order)

    def _check_orders(self, encoding: int) -> None:
        """Where integers or wide characters are converted, their order must be known."""
        if encoding & mq.MQENC_INTEGER_MASK not in _ORDERS:
            raise ConversionError(MQRC_SOURCE_INTEGER_ENC_ERROR)
        if self.encoding & mq.MQENC_INTEGER_MASK not in _ORDERS:
            raise ConversionError(MQRC_TARGET_INTEGER_ENC_ERROR)

    # ---- headers

    def _take_header(self, name: str, row: HeaderRow, ccsid: int, encoding: int) -> Header | None:
        """Convert a header and go behind it; None: an exit converted all that is left."""
        sets = self._sets(ccsid, encoding)
        is_same = ccsid == self.ccsid and encoding == self.encoding
        try:
            self._check_orders(encoding)
            header = find_header(row, self.data, self.at, sets.source_order, ccsid)
            if header.is_all and self.at + header.length != len(self.data) and not self.is_cut:
                raise ConversionError(MQRC_FORMAT_ERROR)
            end = self.at + header.length
            if is_same:
                made = bytearray(self.data[self.at : end])
            else:
                made = convert_header(header, self.data, sets)
        except ConversionError as error:
            if is_same:  # what is behind it cannot be found, and it is as it was asked for
                self._says_target(self.bound_at >= 0)
                self._ends_with(self.data[self.at :])
            else:
                self._take_exit(name, ccsid, encoding, error.reason)
            return None
        if not header.describes and self.bound_at < 0 and not header.is_all:
            self.bound_at = self.at
            self.bound_parts = len(self.parts)
        self.parts.append(made)
        self.at = end
        if header.is_all:
            self._says_target(not is_same)
        elif header.describes:
            self._says_target(not is_same or self.bound_at >= 0)
            self.bound_at = -1
            self._is_described_by(header, made, ccsid, is_same)
        return header

    def _is_described_by(self, header: Header, made: bytearray, ccsid: int, is_same: bool) -> None:
        """What comes next is described by this header."""
        self.described = made
        self.described_order = self.order
        self.encoding_at = header.plan.offsets["encoding"]
        self.ccsid_at = header.plan.offsets["ccsid"]
        if not is_same and header.ccsid in _INHERITED:
            put_number(made, self.ccsid_at, ccsid, self.order)

    # ---- the last part

    def _take_body(self, name: str, ccsid: int, encoding: int) -> None:
        if self.at == len(self.data):
            self._says_target(self.bound_at >= 0)
            return
        if ccsid == self.ccsid and encoding == self.encoding:
            self._says_target(self.bound_at >= 0)
            self.bound_at = -1
            self._ends_with(self.data[self.at :] if self.parts else self.data)
            return
        if name not in _BUILT_IN:
            self._take_exit(name, ccsid, encoding, MQRC_FORMAT_ERROR)
            return
        try:
            made = self._converted_body(name, ccsid, encoding)
        except ConversionError as error:
            self._take_exit(name, ccsid, encoding, error.reason)
            return
        self._says_target(True)
        self._ends_with(made)

    def _ends_with(self, made: bytes) -> None:
        self.at = len(self.data)
        self.parts.append(made)

    def _converted_body(self, name: str, ccsid: int, encoding: int) -> bytes:
        body = self.data[self.at :] if self.at else self.data
        sets = self._sets(ccsid, encoding)
        if name in _TEXT_FORMATS:
            if charset.is_wide(ccsid) or charset.is_wide(self.ccsid):
                self._check_orders(encoding)
            if self.is_cut and charset.is_known(ccsid):
                body = whole_characters(body, ccsid, sets.source_order)
            return self._with_room(convert_text(body, sets))
        self._check_orders(encoding)
        if name in _PCF_FORMATS:
            return convert_pcf(body, sets)
        return _variable_strings(body, sets)

    def _with_room(self, text: bytes) -> bytes:
        if self.room < 0:
            return text
        room = max(self.room - sum([len(part) for part in self.parts]), 0)
        if len(text) <= room:
            return text
        self.is_cut = True
        return whole_characters(text[:room], self.ccsid, self.order)

    def _take_exit(self, name: str, ccsid: int, encoding: int, reason: int) -> None:
        """What is not built in, or could not be converted, is for an exit, if it is all there."""
        service = self.service
        if service is None or self.is_cut or not service.has(name):
            raise ConversionError(reason)
        body = self.data[self.at :]
        made = service.converted(name, body, (encoding, ccsid), (self.encoding, self.ccsid))
        self._says_target(True)
        self._ends_with(made)


def _variable_strings(data: bytes, sets: Sets) -> bytes:
    """MQIMSVS: segments of a length (2 bytes, which count), 2 bytes of flags, and text."""
    source = struct.Struct(sets.source_order + "H")
    target = struct.Struct(sets.target_order + "H")
    made: list[bytes] = []
    at = 0
    while at < len(data):
        left = len(data) - at
        length: int = source.unpack_from(data, at)[0] if left >= 4 else 0
        if not 4 <= length <= left or len(made) >= PARTS_MAX:
            raise ConversionError(MQRC_FORMAT_ERROR)
        text = convert_text(data[at + 4 : at + length], sets)
        if len(text) + 4 > _SEGMENT_MAX:
            raise ConversionError(MQRC_CONVERTED_STRING_TOO_BIG)
        made.append(target.pack(len(text) + 4) + data[at + 2 : at + 4] + text)
        at += length
    return b"".join(made)
