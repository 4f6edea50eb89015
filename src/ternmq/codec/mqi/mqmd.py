"""MQMD: the message descriptor, version 1 (324 bytes) and 2 (364 bytes), the same in every form.

    at   0  eye-catcher "MD  "      at  48  msg_id 24               at 276  put_appl_name c28
         4  version                     72  correl_id 24               304  put_date YYYYMMDD
         8  report                      96  backout_count              312  put_time HHMMSSTH
        12  msg_type                   100  reply_to_queue c48         320  appl_origin_data c4
        16  expiry (1/10 s)            148  reply_to_qmgr c48          324  group_id 24    version 2
        20  feedback                   196  user_id c12                348  msg_seq_number
        24  encoding                   208  accounting_token 32        352  offset
        28  ccsid                      240  appl_identity_data c32     356  msg_flags
        32  format c8                  272  put_appl_type              360  original_length
        40  priority
        44  persistence

The canonical form, in which the queue manager keeps a descriptor, is version 2, little endian, with
characters in UTF-8. This module reads and writes UTF-8 in either byte order without the general
reader, since every message passes here.
"""

from __future__ import annotations

import struct
from datetime import datetime
from typing import Any, ClassVar, Final, final

from ternmq.base.constants import (
    MQACT_NONE,
    MQAT_NO_CONTEXT,
    MQCCSI_Q_MGR,
    MQCI_NONE,
    MQEI_UNLIMITED,
    MQENC_NATIVE,
    MQFB_NONE,
    MQFMT_NONE,
    MQGI_NONE,
    MQMF_NONE,
    MQMI_NONE,
    MQMT_DATAGRAM,
    MQOL_UNDEFINED,
    MQPER_PERSISTENCE_AS_Q_DEF,
    MQPRI_PRIORITY_AS_Q_DEF,
    MQRO_NONE,
)
from ternmq.base.ids import put_datetime
from ternmq.base.reasons import MQRC_MD_ERROR
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.layout import LITTLE, Layout, chars, i32, raw
from ternmq.codec.mqi.structure import Structure

# Offsets of fields in the canonical form, for code that needs one field of a packed descriptor.
REPORT_AT: Final = 8
MSG_TYPE_AT: Final = 12
EXPIRY_AT: Final = 16
FEEDBACK_AT: Final = 20
ENCODING_AT: Final = 24
CCSID_AT: Final = 28
FORMAT_AT: Final = 32
PRIORITY_AT: Final = 40
PERSISTENCE_AT: Final = 44
MSG_ID_AT: Final = 48
CORREL_ID_AT: Final = 72
BACKOUT_COUNT_AT: Final = 96
REPLY_TO_QUEUE_AT: Final = 100
REPLY_TO_QMGR_AT: Final = 148
USER_ID_AT: Final = 196
ACCOUNTING_TOKEN_AT: Final = 208
APPL_IDENTITY_DATA_AT: Final = 240
PUT_APPL_TYPE_AT: Final = 272
PUT_APPL_NAME_AT: Final = 276
PUT_DATE_AT: Final = 304
PUT_TIME_AT: Final = 312
APPL_ORIGIN_DATA_AT: Final = 320
GROUP_ID_AT: Final = 324
MSG_SEQ_NUMBER_AT: Final = 348
OFFSET_AT: Final = 352
MSG_FLAGS_AT: Final = 356
ORIGINAL_LENGTH_AT: Final = 360
BYTES_1: Final = 324
BYTES_2: Final = 364

LAYOUT: Final = Layout(
    "MQMD",
    "MD  ",
    MQRC_MD_ERROR,
    (1, 2),
    (
        i32("report"),
        i32("msg_type"),
        i32("expiry"),
        i32("feedback"),
        i32("encoding"),
        i32("ccsid"),
        chars("format", 8),
        i32("priority"),
        i32("persistence"),
        raw("msg_id", 24),
        raw("correl_id", 24),
        i32("backout_count"),
        chars("reply_to_queue", 48),
        chars("reply_to_qmgr", 48),
        chars("user_id", 12),
        raw("accounting_token", 32),
        chars("appl_identity_data", 32),
        i32("put_appl_type"),
        chars("put_appl_name", 28),
        chars("put_date", 8),
        chars("put_time", 8),
        chars("appl_origin_data", 4),
        raw("group_id", 24, 2),
        i32("msg_seq_number", 2),
        i32("offset", 2),
        i32("msg_flags", 2),
        i32("original_length", 2),
    ),
)

_VERSION_1: Final = "4s7i8sii24s24si48s48s12s32s32si28s8s8s4s"
_LITTLE_1: Final = struct.Struct("<" + _VERSION_1)
_BIG_1: Final = struct.Struct(">" + _VERSION_1)
_LITTLE_2: Final = struct.Struct("<" + _VERSION_1 + "24siiii")
_BIG_2: Final = struct.Struct(">" + _VERSION_1 + "24siiii")


@final
class Descriptor(Structure):
    """MQMD: all that is said about a message besides its data. A new one has version 2."""

    LAYOUT: ClassVar[Layout] = LAYOUT

    def __init__(
        self,
        *,
        report: int = MQRO_NONE,
        msg_type: int = MQMT_DATAGRAM,
        expiry: int = MQEI_UNLIMITED,
        feedback: int = MQFB_NONE,
        encoding: int = MQENC_NATIVE,
        ccsid: int = MQCCSI_Q_MGR,
        format: str = MQFMT_NONE,
        priority: int = MQPRI_PRIORITY_AS_Q_DEF,
        persistence: int = MQPER_PERSISTENCE_AS_Q_DEF,
        msg_id: bytes = MQMI_NONE,
        correl_id: bytes = MQCI_NONE,
        backout_count: int = 0,
        reply_to_queue: str = "",
        reply_to_qmgr: str = "",
        user_id: str = "",
        accounting_token: bytes = MQACT_NONE,
        appl_identity_data: str = "",
        put_appl_type: int = MQAT_NO_CONTEXT,
        put_appl_name: str = "",
        put_date: str = "",
        put_time: str = "",
        appl_origin_data: str = "",
        group_id: bytes = MQGI_NONE,
        msg_seq_number: int = 1,
        offset: int = 0,
        msg_flags: int = MQMF_NONE,
        original_length: int = MQOL_UNDEFINED,
        version: int = 2,
    ) -> None:
        super().__init__(version=version)
        self.report = report
        self.msg_type = msg_type
        self.expiry = expiry
        self.feedback = feedback
        self.encoding = encoding
        self.ccsid = ccsid
        self.format = format
        self.priority = priority
        self.persistence = persistence
        self.msg_id = msg_id
        self.correl_id = correl_id
        self.backout_count = backout_count
        self.reply_to_queue = reply_to_queue
        self.reply_to_qmgr = reply_to_qmgr
        self.user_id = user_id
        self.accounting_token = accounting_token
        self.appl_identity_data = appl_identity_data
        self.put_appl_type = put_appl_type
        self.put_appl_name = put_appl_name
        self.put_date = put_date
        self.put_time = put_time
        self.appl_origin_data = appl_origin_data
        self.group_id = group_id
        self.msg_seq_number = msg_seq_number
        self.offset = offset
        self.msg_flags = msg_flags
        self.original_length = original_length

    @property
    def put_datetime(self) -> datetime | None:
        """When the message was put (UTC); None where date and time are blank or not valid."""
        return put_datetime(self.put_date, self.put_time)

    def fill(self, data: bytes, offset: int, order: str, ccsid: int, native: bool) -> None:
        if ccsid != UTF8:
            super().fill(data, offset, order, ccsid, native)
            return
        version = LAYOUT.read_version(data, offset, order, ccsid)
        codec = _codec(order, version)
        if len(data) - offset < codec.size:
            left = len(data) - offset
            raise LAYOUT.error(f"{left} bytes are left, version {version} has {codec.size}")
        self.version = version
        _read(self, codec.unpack_from(data, offset))

    def pack(self, order: str = LITTLE, ccsid: int = UTF8, native: bool = False) -> bytes:
        """The bytes of the descriptor: 364, or 324 if its version is 1."""
        return _write(self, order) if ccsid == UTF8 else super().pack(order, ccsid, native)

    def copy(self) -> Descriptor:
        """Another descriptor with the same fields."""
        copied = Descriptor(version=self.version)
        for field in LAYOUT.fields:
            setattr(copied, field.name, getattr(self, field.name))
        return copied


def _read(d: Descriptor, f: tuple[Any, ...]) -> None:
    """Set the fields from what a codec gave."""
    d.report = f[2]
    d.msg_type = f[3]
    d.expiry = f[4]
    d.feedback = f[5]
    d.encoding = f[6]
    d.ccsid = f[7]
    d.format = _text(f[8])
    d.priority = f[9]
    d.persistence = f[10]
    d.msg_id = f[11]
    d.correl_id = f[12]
    d.backout_count = f[13]
    d.reply_to_queue = _text(f[14])
    d.reply_to_qmgr = _text(f[15])
    d.user_id = _text(f[16])
    d.accounting_token = f[17]
    d.appl_identity_data = _text(f[18])
    d.put_appl_type = f[19]
    d.put_appl_name = _text(f[20])
    d.put_date = _text(f[21])
    d.put_time = _text(f[22])
    d.appl_origin_data = _text(f[23])
    if d.version == 2:
        d.group_id = f[24]
        d.msg_seq_number = f[25]
        d.offset = f[26]
        d.msg_flags = f[27]
        d.original_length = f[28]


def _write(d: Descriptor, order: str) -> bytes:
    values: list[int | bytes] = [
        b"MD  ",
        d.version,
        d.report,
        d.msg_type,
        d.expiry,
        d.feedback,
        d.encoding,
        d.ccsid,
        _field("format", d.format, 8),
        d.priority,
        d.persistence,
        _fits("msg_id", d.msg_id, 24),
        _fits("correl_id", d.correl_id, 24),
        d.backout_count,
        _field("reply_to_queue", d.reply_to_queue, 48),
        _field("reply_to_qmgr", d.reply_to_qmgr, 48),
        _field("user_id", d.user_id, 12),
        _fits("accounting_token", d.accounting_token, 32),
        _field("appl_identity_data", d.appl_identity_data, 32),
        d.put_appl_type,
        _field("put_appl_name", d.put_appl_name, 28),
        _field("put_date", d.put_date, 8),
        _field("put_time", d.put_time, 8),
        _field("appl_origin_data", d.appl_origin_data, 4),
    ]
    if d.version == 2:
        values.append(_fits("group_id", d.group_id, 24))
        values += [d.msg_seq_number, d.offset, d.msg_flags, d.original_length]
    try:
        return _codec(order, d.version).pack(*values)
    except struct.error as error:
        raise LAYOUT.error(str(error)) from error


def _codec(order: str, version: int) -> struct.Struct:
    if version == 2:
        return _LITTLE_2 if order == LITTLE else _BIG_2
    if version != 1:
        raise LAYOUT.error(f"version {version} is not known")
    return _LITTLE_1 if order == LITTLE else _BIG_1


def _text(field: bytes) -> str:
    text = field.rstrip(b" ")
    if not text:
        return ""
    end = text.find(b"\0")
    if end >= 0:
        text = text[:end].rstrip(b" ")
    return text.decode("utf-8", "surrogateescape")


def _field(name: str, text: str, size: int) -> bytes:
    if not text:
        return b" " * size
    return _fits(name, text.encode("utf-8", "surrogateescape").ljust(size), size)


def _fits(name: str, data: bytes, size: int) -> bytes:
    if len(data) > size:
        raise LAYOUT.error(f"{name} has {len(data)} bytes, {size} fit")
    return data
