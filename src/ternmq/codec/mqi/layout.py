"""Structures of the MQI as tables of fields, and the one reader and writer that they drive.

A structure is a sequence of fields without gaps, except in the native form:

    kind    wire form   native form         in Python
    i32     4 bytes     4 bytes             int, signed
    i64     8 bytes     8 bytes, aligned    int, signed
    chars   n bytes     n bytes             str: up to a NUL, without the blanks at its end; with
                                            n = 1 the character as it is
    bytes   n bytes     n bytes             bytes, n of them
    ptr     4 bytes     8 bytes, aligned    int
    charv   20 bytes    24 bytes, aligned   CharV: a ptr and four i32

The first two fields are the eye-catcher (4 characters) and the version (i32; in MQTMC2, 4
characters). A field belongs to the versions from its `since` on. The wire form is what a 32-bit
program has in memory and what channels carry; the native form that of a 64-bit program, where the
length of a version is rounded up to 8 if it holds anything aligned. Integers are in the byte order
that the caller gives, characters in the CCSID that it gives.

Validity: the eye-catcher is that of the table, the version one of those known, and all bytes of
that version are present. Anything else is the reason code that the table names. Nothing is read
before its presence is known.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base.constants import MQENC_INTEGER_MASK, MQENC_INTEGER_REVERSED
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_CODED_CHAR_SET_ID_ERROR
from ternmq.codec.charset import UTF8, decode, encode, is_wide
from ternmq.codec.mqi.charv import CharV

LITTLE: Final = "<"
BIG: Final = ">"

I32: Final = 1
I64: Final = 2
CHARS: Final = 3
BYTES: Final = 4
PTR: Final = 5
CHARV: Final = 6


def byte_order(encoding: int) -> str:
    """LITTLE or BIG: the order of integers that an Encoding field (MQENC) gives."""
    return LITTLE if encoding & MQENC_INTEGER_MASK == MQENC_INTEGER_REVERSED else BIG


Value = int | str | bytes | CharV


@final
class Field:
    """One row of a table of fields."""

    def __init__(self, name: str, kind: int, size: int, since: int) -> None:
        self.name: Final = name
        self.kind: Final = kind
        self.size: Final = size
        self.since: Final = since


def i32(name: str, since: int = 1) -> Field:
    return Field(name, I32, 4, since)


def i64(name: str, since: int = 1) -> Field:
    return Field(name, I64, 8, since)


def chars(name: str, size: int, since: int = 1) -> Field:
    return Field(name, CHARS, size, since)


def raw(name: str, size: int, since: int = 1) -> Field:
    return Field(name, BYTES, size, since)


def ptr(name: str, since: int = 1) -> Field:
    return Field(name, PTR, 4, since)


def charv(name: str, since: int = 1) -> Field:
    return Field(name, CHARV, 20, since)


@final
class Plan:
    """How one version of a structure is laid out in memory, in one form and byte order."""

    def __init__(self, codec: struct.Struct, fields: list[Field], offsets: dict[str, int]) -> None:
        self.codec: Final = codec
        self.fields: Final = fields
        self.offsets: Final = offsets


@final
class Layout:
    """The table of one structure: eye-catcher, versions, fields, and the reason of a bad one."""

    def __init__(
        self,
        name: str,
        eye_catcher: str,
        reason: int,
        versions: tuple[int, int],
        fields: tuple[Field, ...],
        *,
        text_version: bool = False,
    ) -> None:
        self.name: Final = name
        self.eye_catcher: Final = eye_catcher
        self.reason: Final = reason
        self.version_min: Final = versions[0]
        self.version_max: Final = versions[1]
        self.fields: Final = fields
        self.text_version: Final = text_version
        self._eye_catcher_bytes: Final = eye_catcher.encode("ascii")
        self._plans: Final[dict[tuple[int, str, bool], Plan]] = {}

    def error(self, detail: str) -> MQError:
        """The exception for a structure of this kind that is not valid."""
        return mq_error(self.reason, detail=f"{self.name}: {detail}")

    def size(self, version: int, *, native: bool = False) -> int:
        """The length in bytes of a version."""
        return self.plan(version, LITTLE, native).codec.size

    def plan(self, version: int, order: str, native: bool) -> Plan:
        """The plan for a version; MQError if there is no such version."""
        plan = self._plans.get((version, order, native))
        if plan is None:
            if not self.version_min <= version <= self.version_max:
                raise self.error(f"version {version} is not known")
            plan = _make_plan(self, version, order, native)
            self._plans[(version, order, native)] = plan
        return plan

    def read_version(self, data: bytes, offset: int, order: str, ccsid: int) -> int:
        """The version of the structure at `offset`, after a check of the eye-catcher."""
        if offset < 0 or len(data) - offset < 8:
            raise self.error(f"{max(len(data) - offset, 0)} bytes are left, at least 8 are needed")
        found = data[offset : offset + 4]
        if found != self._eye_catcher_in(ccsid):
            raise self.error(f"the eye-catcher is {found.hex()}, not {self.eye_catcher!r}")
        field = data[offset + 4 : offset + 8]
        if self.text_version:
            digits = decode(field, ccsid).strip()
            return int(digits) if digits.isascii() and digits.isdigit() else -1
        return int.from_bytes(field, "little" if order == LITTLE else "big", signed=True)

    def read(
        self,
        data: bytes,
        offset: int = 0,
        order: str = LITTLE,
        ccsid: int = UTF8,
        native: bool = False,
    ) -> tuple[int, dict[str, Value]]:
        """The version and the fields of the structure at `offset`."""
        version = self.read_version(data, offset, order, ccsid)
        plan = self.plan(version, order, native)
        if len(data) - offset < plan.codec.size:
            left = len(data) - offset
            raise self.error(f"{left} bytes are left, version {version} has {plan.codec.size}")
        items = plan.codec.unpack_from(data, offset)
        values: dict[str, Value] = {}
        at = 2
        for field in plan.fields:
            if field.kind == CHARS:
                values[field.name] = read_chars(items[at], ccsid)
            elif field.kind == CHARV:
                ptr, start, size, length, own = items[at : at + 5]
                values[field.name] = CharV(
                    ptr=ptr, offset=start, buffer_size=size, length=length, ccsid=own
                )
                at += 4
            else:
                values[field.name] = items[at]
            at += 1
        return version, values

    def write(
        self,
        version: int,
        values: dict[str, Value],
        order: str = LITTLE,
        ccsid: int = UTF8,
        native: bool = False,
    ) -> bytes:
        """The bytes of a version of the structure."""
        plan = self.plan(version, order, native)
        items: list[int | bytes] = [self._eye_catcher_in(ccsid)]
        items.append(encode(f"{version:4}", ccsid) if self.text_version else version)
        for field in plan.fields:
            value = values[field.name]
            if isinstance(value, str):
                items.append(self._text(field, value, ccsid))
            elif isinstance(value, bytes):
                if len(value) > field.size:
                    raise self.error(f"{field.name} has {len(value)} bytes, {field.size} fit")
                items.append(value)
            elif isinstance(value, CharV):
                items.extend(value.as_tuple())
            else:
                items.append(value)
        try:
            return plan.codec.pack(*items)
        except struct.error as error:
            raise self.error(str(error)) from error

    def _eye_catcher_in(self, ccsid: int) -> bytes:
        if ccsid == UTF8:
            return self._eye_catcher_bytes
        if is_wide(ccsid):
            raise mq_error(MQRC_CODED_CHAR_SET_ID_ERROR, detail=f"{self.name} in CCSID {ccsid}")
        return encode(self.eye_catcher, ccsid)

    def _text(self, field: Field, value: str, ccsid: int) -> bytes:
        text = encode(value, ccsid)
        if len(text) > field.size:
            raise self.error(f"{field.name} has {len(text)} bytes, {field.size} fit")
        return text.ljust(field.size, encode(" ", ccsid))


def read_chars(data: bytes, ccsid: int) -> str:
    """The text of a field of characters."""
    text = decode(data, ccsid)
    if len(data) == 1:
        return text
    end = text.find("\0")
    return (text if end < 0 else text[:end]).rstrip(" ")


def _make_plan(layout: Layout, version: int, order: str, native: bool) -> Plan:
    pointer = "Q" if native else "I"
    formats = {I32: "i", I64: "q", PTR: pointer, CHARV: pointer + "iiii"}
    parts = [order, "4s", "4s" if layout.text_version else "i"]
    fields = [field for field in layout.fields if field.since <= version]
    offsets: dict[str, int] = {}
    end = 8
    is_aligned = False
    for field in fields:
        part = f"{field.size}s" if field.kind in (CHARS, BYTES) else formats[field.kind]
        if native and field.kind in (I64, PTR, CHARV):
            is_aligned = True
            parts.append(f"{-end % 8}x")
            end += -end % 8
        parts.append(part)
        offsets[field.name] = end
        end += struct.calcsize(order + part)
    if is_aligned:
        parts.append(f"{-end % 8}x")
    return Plan(struct.Struct("".join(parts)), fields, offsets)
