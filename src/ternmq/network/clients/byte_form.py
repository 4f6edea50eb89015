"""How one partner wants its bytes: byte order and character set, and descriptors in that form.

Messages keep their descriptor packed (little endian, UTF-8), and many share one base. A base is
turned into a partner's form once and kept, so that a message costs no more than joining pieces.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base.errors import MQError
from ternmq.base.ids import message_token, put_stamp
from ternmq.codec.charset import UTF8, encode, fitted, is_ascii_based
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.mqi.mqmd import BYTES_1, BYTES_2, LAYOUT, PUT_DATE_AT, Descriptor
from ternmq.values.entry import OWN_DATE, Entry
from ternmq.wire.fap.segment import (
    ENCODING_BIG,
    ENCODING_LITTLE,
    TSH,
    TSH_BYTES,
    TSHM,
    TSHM_BYTES,
    Header,
)

BASES_MAX: Final = 256
_LITTLE_LONG: Final = struct.Struct("<i")
_BIG_LONG: Final = struct.Struct(">i")
_LENGTH: Final = struct.Struct(">I")
_LENGTH_AND_IDS: Final = struct.Struct(">III")
_TENTH_NS: Final = 100_000_000
_NO_BACKOUT: Final = bytes(4)


@final
class Form:
    """Byte order and character set of what goes to one partner, as its own segments have them."""

    def __init__(self, header: Header) -> None:
        self.order = header.order
        self.is_little = header.order == LITTLE
        self.is_ebcdic = header.is_ebcdic
        self.ccsid = header.ccsid
        self.text_ccsid = header.text_ccsid
        self.encoding = ENCODING_LITTLE if self.is_little else ENCODING_BIG
        self.long = _LITTLE_LONG if self.is_little else _BIG_LONG
        self.is_ascii = is_ascii_based(self.text_ccsid)
        self._bases: dict[bytes, bytes] = {}
        self._tails: dict[int, bytes] = {}
        self._cut_base = b""  # the last base, and its parts in this form
        self._before_ids = b""
        self._before_date = b""
        self._behind_date = b""
        self._behind_group = b""
        self._tsh = self._eye_catcher(TSH)
        self._tshm = self._eye_catcher(TSHM)

    def _eye_catcher(self, name: str) -> bytes:
        return name.encode("cp500" if self.is_ebcdic else "ascii")

    def is_of(self, header: Header) -> bool:
        """Whether segments with such a header are in this form."""
        return self.order == header.order and self.ccsid == header.ccsid

    # ---- headers

    def header(self, type: int, flags: int) -> Header:
        """A header in this form."""
        return Header(
            type,
            order=self.order,
            flags_1=flags,
            encoding=self.encoding,
            ccsid=self.ccsid,
            is_ebcdic=self.is_ebcdic,
        )

    def tail(self, type: int, flags: int) -> bytes:
        """What stands behind length and ids in a header."""
        key = type << 8 | flags
        tail = self._tails.get(key)
        if tail is None:
            tail = self.header(type, flags).pack(0)[8:]
            self._tails[key] = tail
        return tail

    def head(
        self, shared: bool, conversation: int, request: int, type: int, body_bytes: int
    ) -> bytes:
        """The header of a call in one segment."""
        if shared:
            return (
                self._tshm
                + _LENGTH_AND_IDS.pack(TSHM_BYTES + body_bytes, conversation, request)
                + self.tail(type, 0x30)
            )
        return self._tsh + _LENGTH.pack(TSH_BYTES + body_bytes) + self.tail(type, 0x30)

    # ---- text

    def chars(self, text: str, size: int) -> bytes:
        """Characters, blank padded."""
        return encode(text, self.text_ccsid)[:size].ljust(size, encode(" ", self.text_ccsid))

    def digits(self, text: bytes) -> bytes:
        """Characters that are in ASCII, such as a date."""
        return encode(text.decode("ascii"), self.text_ccsid) if self.is_ebcdic else text

    # ---- descriptors

    def base(self, base: bytes) -> bytes:
        """The base of a descriptor, version 2, in this form."""
        # Kept as it is wanted; not ASCII are most: there are bytes in it that are not characters.
        if self.is_little and (self.text_ccsid == UTF8 or (self.is_ascii and base.isascii())):
            return base
        made = self._bases.get(base)
        if made is None:
            if len(self._bases) >= BASES_MAX:
                self._bases.clear()
            ccsid = UTF8 if self.is_ascii and base.isascii() else self.text_ccsid
            descriptor = Descriptor.unpack(base)
            try:
                made = descriptor.pack(self.order, ccsid)
            except MQError:
                _make_writable(descriptor, ccsid)
                made = descriptor.pack(self.order, ccsid)
            self._bases[base] = made
        return made

    def add_descriptor(
        self, parts: list[bytes], entry: Entry, base: bytes, version: int, now_ns: int
    ) -> None:
        """The descriptor of a message, whose base this is; in several parts."""
        if version == 2 and not entry.expiry_at and not entry.flags & OWN_DATE:
            if not self.is_ebcdic:
                self._add_usual(parts, entry, base)
                return
        own = self.base(base)
        if entry.expiry_at:
            left = max((int(entry.expiry_at) - now_ns) // _TENTH_NS, 1)
            parts.append(own[:16])
            parts.append(self.long.pack(left))
            parts.append(own[20:48])
        else:
            parts.append(own[:48] if version == 2 else self._as_version_1(own))
        if entry.expiry_at and version != 2:
            parts[-3] = self._as_version_1(own)[:16]
        parts.append(entry.msg_id)
        parts.append(entry.correl_id)
        parts.append(self.long.pack(int(entry.backout_count)))
        parts.append(own[100:PUT_DATE_AT])
        if entry.flags & OWN_DATE:
            parts.append(own[PUT_DATE_AT:320])
        else:
            parts.append(self.digits(put_stamp(int(entry.put_ns))))
        parts.append(own[320:BYTES_1])
        if version == 2:
            parts.append(entry.group_id)
            parts.append(own[348:BYTES_2])

    def _add_usual(self, parts: list[bytes], entry: Entry, base: bytes) -> None:
        """The same for most messages: those that follow each other often have one base."""
        if base is not self._cut_base:
            own = self.base(base)
            self._cut_base = base
            self._before_ids = own[:48]
            self._before_date = own[100:PUT_DATE_AT]
            self._behind_date = own[320:BYTES_1]
            self._behind_group = own[348:BYTES_2]
        count = entry.backout_count
        parts.append(self._before_ids)
        parts.append(entry.msg_id)
        parts.append(entry.correl_id)
        parts.append(self.long.pack(int(count)) if count else _NO_BACKOUT)
        parts.append(self._before_date)
        parts.append(put_stamp(int(entry.put_ns)))
        parts.append(self._behind_date)
        parts.append(entry.group_id)
        parts.append(self._behind_group)

    def _as_version_1(self, own: bytes) -> bytes:
        return own[:4] + self.long.pack(1) + own[8:48]

    def descriptor(self, entry: Entry, base: bytes, version: int, now_ns: int) -> bytes:
        """The same as one."""
        parts: list[bytes] = []
        self.add_descriptor(parts, entry, base, version, now_ns)
        return b"".join(parts)


def _make_writable(descriptor: Descriptor, ccsid: int) -> None:
    """What the partner's set lacks must not keep it from getting the message."""
    for field in LAYOUT.fields:
        value = getattr(descriptor, field.name)
        if isinstance(value, str):
            setattr(descriptor, field.name, fitted(value, ccsid, int(field.size)))


def aligned(piece: bytes) -> bytes:
    """A segment of a shared socket, filled up to a multiple of four: IBM's Java client counts where
    structures begin from the start of what it has read, so what follows must begin at one."""
    filling = -len(piece) & 3
    if not filling:
        return piece
    return piece[:4] + _LENGTH.pack(len(piece) + filling) + piece[8:] + bytes(filling)


def token(entry: Entry) -> bytes:
    """MsgToken of a message."""
    return message_token(
        int(entry.queue_id), int(entry.lane), int(entry.sequence), int(entry.number)
    )
