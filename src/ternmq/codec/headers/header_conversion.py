"""MQ's headers into another byte order and character set, by the layouts of their structures.

Strings stay within their fields; one that would lose characters is MQRC_CONVERTED_STRING_TOO_BIG.
What is behind the fixed part of a header: the name/value string of MQRFH and the strings of MQRMH
become longer or shorter; the folders of MQRFH2 stay as they are, in NameValueCCSID, but in the
header's byte order; the records of MQDH are converted in their places. A header that is invalid,
or is in a character set of wide characters, is refused.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_FORMAT_ERROR, MQRC_SOURCE_CCSID_ERROR, MQRC_TARGET_CCSID_ERROR
from ternmq.codec import charset
from ternmq.codec.headers.conversion_layouts import MQCIH, MQDH, MQIIH, MQRMH, MQWIH, MQXQH
from ternmq.codec.headers.mqdlh import LAYOUT as MQDLH
from ternmq.codec.headers.mqmde import LAYOUT as MQMDE
from ternmq.codec.headers.mqrfh import LAYOUT_1 as MQRFH
from ternmq.codec.headers.mqrfh import LAYOUT_2 as MQRFH2
from ternmq.codec.headers.mqtm import LAYOUT as MQTM
from ternmq.codec.mqi.layout import CHARS, I32, LITTLE, Layout, Plan
from ternmq.codec.text_conversion import (
    PARTS_MAX,
    ConversionError,
    Sets,
    convert_field,
    convert_text,
    filled,
)

# What is behind the fixed part and belongs to the header.
_NOTHING: Final = 0
_PAIRS: Final = 1  # MQRFH
_FOLDERS: Final = 2  # MQRFH2
_STRINGS: Final = 3  # MQRMH
_RECORDS: Final = 4  # MQDH
# What the header says of the data behind it.
_DESCRIBES: Final = 0  # Encoding, CodedCharSetId and Format
_NAMES: Final = 1  # Format alone: the data is in the header's own set and encoding
_ENDS: Final = 2  # there is none

_MQOR_NAMES: Final = 2
_NAME_BYTES: Final = 48
# The fields of MQPMR in their order: the flag, and the bytes; Feedback is a number.
_RECORD_FIELDS: Final = (
    (mq.MQPMRF_MSG_ID, 24),
    (mq.MQPMRF_CORREL_ID, 24),
    (mq.MQPMRF_GROUP_ID, 24),
    (mq.MQPMRF_FEEDBACK, 4),
    (mq.MQPMRF_ACCOUNTING_TOKEN, 32),
)
_ENDS_OF_STRINGS: Final = ("src_env", "src_name", "dest_env", "dest_name")
_WIDE_FOLDERS: Final = (1200, 13488, 17584)


@final
class HeaderRow:
    """How the data of a format begins."""

    def __init__(self, layout: Layout, tail: int = _NOTHING, says: int = _DESCRIBES) -> None:
        self.layout: Final = layout
        self.tail: Final = tail
        self.says: Final = says


HEADERS: Final[dict[str, HeaderRow]] = {
    mq.MQFMT_DEAD_LETTER_HEADER: HeaderRow(MQDLH),
    mq.MQFMT_MD_EXTENSION: HeaderRow(MQMDE),
    mq.MQFMT_XMIT_Q_HEADER: HeaderRow(MQXQH),
    mq.MQFMT_RF_HEADER_1: HeaderRow(MQRFH, _PAIRS),
    mq.MQFMT_RF_HEADER_2: HeaderRow(MQRFH2, _FOLDERS),
    mq.MQFMT_REF_MSG_HEADER: HeaderRow(MQRMH, _STRINGS),
    mq.MQFMT_DIST_HEADER: HeaderRow(MQDH, _RECORDS),
    mq.MQFMT_WORK_INFO_HEADER: HeaderRow(MQWIH),
    mq.MQFMT_CICS: HeaderRow(MQCIH, _NOTHING, _NAMES),
    mq.MQFMT_IMS: HeaderRow(MQIIH, _NOTHING, _NAMES),
    mq.MQFMT_TRIGGER: HeaderRow(MQTM, _NOTHING, _ENDS),
}


@final
class Header:
    """A header that was found: its place, and what it says of the data behind it."""

    def __init__(self, row: HeaderRow, plan: Plan, version: int, at: int, length: int) -> None:
        self.row = row
        self.plan = plan
        self.version = version
        self.at = at
        self.length = length
        self.format = ""
        self.encoding = 0
        self.ccsid = 0  # 0 or negative: it names none

    @property
    def describes(self) -> bool:
        """Whether it says Encoding and CodedCharSetId of the data behind it."""
        return self.row.says == _DESCRIBES

    @property
    def is_all(self) -> bool:
        """Whether no data follows."""
        return self.row.says == _ENDS


def find_header(row: HeaderRow, data: bytes, at: int, order: str, ccsid: int) -> Header:
    """The header at that place; ConversionError if it is not one."""
    layout = row.layout
    if charset.is_wide(ccsid) or not charset.is_known(ccsid):
        raise ConversionError(MQRC_SOURCE_CCSID_ERROR)
    try:
        version = layout.read_version(data, at, order, ccsid)
        plan = layout.plan(version, order, False)
    except MQError:
        raise ConversionError(MQRC_FORMAT_ERROR) from None
    left = len(data) - at
    length = plan.codec.size
    if left < length:
        raise ConversionError(MQRC_FORMAT_ERROR)
    if "structure_length" in plan.offsets:
        length = number(data, at + plan.offsets["structure_length"], order)
    if not plan.codec.size <= length <= left:
        raise ConversionError(MQRC_FORMAT_ERROR)
    found = Header(row, plan, version, at, length)
    if row.says == _ENDS:
        return found
    if "descriptor_version" in plan.offsets:
        if number(data, at + plan.offsets["descriptor_version"], order) != mq.MQMD_VERSION_1:
            raise ConversionError(MQRC_FORMAT_ERROR)
    format_at = at + plan.offsets["format"]
    found.format = charset.decode(data[format_at : format_at + 8], ccsid).rstrip(" \0")
    found.encoding = number(data, at + plan.offsets["encoding"], order)
    found.ccsid = number(data, at + plan.offsets["ccsid"], order)
    return found


def convert_header(header: Header, data: bytes, sets: Sets) -> bytearray:
    """The header in the target's byte order and character set."""
    if charset.is_wide(sets.target):
        raise ConversionError(MQRC_TARGET_CCSID_ERROR)
    sets.check()
    fixed = _fixed_part(header, data, sets)
    tail = header.row.tail
    body = data[header.at + len(fixed) : header.at + header.length]
    if tail == _PAIRS:
        body = _pairs(body, sets)
    elif tail == _FOLDERS:
        body = _folders(header, data, body, sets)
    elif tail == _STRINGS:
        body = _strings(header, data, fixed, sets)
    elif tail == _RECORDS:
        body = _records(header, data, body, sets)
    fixed += body
    if len(fixed) != header.length:
        put_number(fixed, header.plan.offsets["structure_length"], len(fixed), sets.target_order)
    return fixed


def number(data: bytes, at: int, order: str) -> int:
    """An integer of 4 bytes."""
    return int.from_bytes(data[at : at + 4], "little" if order == LITTLE else "big", signed=True)


def put_number(made: bytearray, at: int, value: int, order: str) -> None:
    """An integer of 4 bytes at its place."""
    made[at : at + 4] = value.to_bytes(4, "little" if order == LITTLE else "big", signed=True)


def _fixed_part(header: Header, data: bytes, sets: Sets) -> bytearray:
    plan = header.plan
    at = header.at
    layout = header.row.layout
    made = bytearray(data[at : at + plan.codec.size])
    made[:4] = charset.encode(layout.eye_catcher, sets.target)
    swaps = sets.source_order != sets.target_order
    if swaps:
        made[4:8] = made[4:8][::-1]
    for field in plan.fields:
        start = plan.offsets[field.name]
        end = start + field.size
        if field.kind == CHARS:
            made[start:end] = convert_field(bytes(made[start:end]), sets)
        elif field.kind == I32 and swaps:
            made[start:end] = made[start:end][::-1]
    return made


def _field(header: Header, data: bytes, name: str, sets: Sets) -> int:
    return number(data, header.at + header.plan.offsets[name], sets.source_order)


def _pairs(body: bytes, sets: Sets) -> bytes:
    made = convert_text(body, sets)
    return made if len(body) % 4 else filled(made, len(made) + -len(made) % 4, sets)


def _folders(header: Header, data: bytes, body: bytes, sets: Sets) -> bytes:
    if sets.source_order == sets.target_order:
        return body
    is_wide = _field(header, data, "name_value_ccsid", sets) in _WIDE_FOLDERS
    made = bytearray(body)
    at = 0
    left = PARTS_MAX
    while at < len(body):
        left -= 1
        length = number(body, at, sets.source_order)
        if left < 0 or not 0 <= length <= len(body) - at - 4:
            raise ConversionError(MQRC_FORMAT_ERROR)
        made[at : at + 4] = body[at : at + 4][::-1]
        at += 4
        if is_wide:
            if length % 2:
                raise ConversionError(MQRC_FORMAT_ERROR)
            made[at : at + length : 2] = body[at + 1 : at + length : 2]
            made[at + 1 : at + length : 2] = body[at : at + length : 2]
        at += length
    return bytes(made)


def _strings(header: Header, data: bytes, fixed: bytearray, sets: Sets) -> bytes:
    """The strings of an MQRMH one behind the other; their lengths and offsets are set."""
    made = bytearray()
    offsets = header.plan.offsets
    for name in _ENDS_OF_STRINGS:
        length = _field(header, data, name + "_length", sets)
        start = _field(header, data, name + "_offset", sets)
        if length == 0:
            continue
        if length < 0 or start < len(fixed) or start + length > header.length:
            raise ConversionError(MQRC_FORMAT_ERROR)
        start += header.at
        text = convert_text(data[start : start + length], sets)
        put_number(fixed, offsets[name + "_length"], len(text), sets.target_order)
        put_number(fixed, offsets[name + "_offset"], len(fixed) + len(made), sets.target_order)
        made += text
    return bytes(filled(bytes(made), len(made) + -len(made) % 4, sets))


def _records(header: Header, data: bytes, body: bytes, sets: Sets) -> bytes:
    """The MQOR and MQPMR records of an MQDH in their places."""
    fixed = header.length - len(body)
    count = _field(header, data, "recs_present", sets)
    objects = _field(header, data, "object_rec_offset", sets) - fixed
    flags = _field(header, data, "put_msg_rec_fields", sets)
    puts = _field(header, data, "put_msg_rec_offset", sets) - fixed
    made = bytearray(body)
    if not 0 <= count <= PARTS_MAX:
        raise ConversionError(MQRC_FORMAT_ERROR)
    if objects != -fixed:
        _check_room(objects, count * _MQOR_NAMES * _NAME_BYTES, body)
        for n in range(count * _MQOR_NAMES):
            at = objects + n * _NAME_BYTES
            made[at : at + _NAME_BYTES] = convert_field(body[at : at + _NAME_BYTES], sets)
    size = sum([width for flag, width in _RECORD_FIELDS if flags & flag])
    if puts == -fixed or not size:
        return bytes(made)
    _check_room(puts, count * size, body)
    if flags & mq.MQPMRF_FEEDBACK and sets.source_order != sets.target_order:
        before = mq.MQPMRF_MSG_ID | mq.MQPMRF_CORREL_ID | mq.MQPMRF_GROUP_ID
        place = sum([width for flag, width in _RECORD_FIELDS if flags & before & flag])
        for n in range(count):
            at = puts + n * size + place
            made[at : at + 4] = body[at : at + 4][::-1]
    return bytes(made)


def _check_room(at: int, size: int, body: bytes) -> None:
    if at < 0 or at + size > len(body):
        raise ConversionError(MQRC_FORMAT_ERROR)
