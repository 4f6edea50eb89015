"""Sections of SMF records: from bytes to named values and back, by the table in smf_table.

    kind         in the record                    in Python
    u, i         big-endian number                int
    T, D         TOD clock (see smf_clock)        int, in units of the clock
    c, z         EBCDIC (code page 037)           str without the blanks at its end; None where all
                                                  bytes are zero, which means: not filled in
    x            bytes                            bytes
    array        so many numbers                  tuple of them
    group        so many structures               tuple of dicts
    reserved     nothing                          left out; see `leftovers`

A field is there if it ends within the length that the record gives, and if the structure's version
(WTAS and WQ have one) is that of the field or later. A section may be longer than the fields that
are known. What no field shows, reserved bytes that are not zero and bytes behind the last field,
is what `leftovers` finds and `pack` puts back, so that a section can be written as it was read.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Mapping
from typing import Final, final

from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_FORMAT_ERROR
from ternmq.codec.smf.clock_values import level_text
from ternmq.codec.smf.field import (
    BYTES,
    DURATION,
    GROUP,
    RESERVED,
    SIGNED,
    TEXT,
    TIME,
    UNSIGNED,
    ZERO_TEXT,
    Field,
    SectionRow,
)
from ternmq.codec.smf.section_table import SECTIONS

EBCDIC: Final = "cp037"

Scalar = int | str | bytes | None
Value = Scalar | tuple[int, ...] | tuple[dict[str, Scalar], ...]
Values = dict[str, Value]

_CODES: Final = {
    "u1": "B",
    "u2": "H",
    "u4": "I",
    "u8": "Q",
    "i2": "h",
    "i4": "i",
    "i8": "q",
    "T8": "Q",
    "D8": "Q",
}
# Which field has the version of the structure, and where it is.
_VERSIONS: Final = {"WTAS": ("wtasver", 696), "WQ": ("wqver", 8)}


def smf_error(detail: str) -> MQError:
    """What is said of a record that is not as it should be."""
    return mq_error(MQRC_FORMAT_ERROR, detail=f"SMF: {detail}")


@final
class Plan:
    """How so many fields of a section are read at once."""

    def __init__(self, fields: tuple[Field, ...]) -> None:
        self.fields: Final = tuple(field for field in fields if field.kind != RESERVED)
        self.codec: Final = struct.Struct(">" + "".join(code_of(field) for field in fields))
        self.names: Final = tuple(field.name for field in self.fields)
        self.texts: Final = tuple(f.name for f in self.fields if f.kind in (TEXT, ZERO_TEXT))
        self.arrays: Final = tuple(
            (f.name, array_codec(f), bytes(f.end - f.offset), (0,) * f.copies)
            for f in self.fields
            if f.copies and f.kind != GROUP
        )
        self.groups: Final = tuple(
            (f.name, Plan(f.members)) for f in self.fields if f.kind == GROUP
        )

    def finish(self, values: Values) -> None:
        """Make text, tuples and dicts of what struct leaves as bytes."""
        for name in self.texts:
            values[name] = text_of(values[name])
        for name, codec, zeros, none in self.arrays:
            raw = values[name]
            # Nearly all arrays are empty nearly always: one comparison instead of many numbers.
            values[name] = none if raw == zeros else codec.unpack(raw)  # type: ignore[arg-type]
        for name, plan in self.groups:
            values[name] = plan.unpack_group(values[name])  # type: ignore[arg-type]

    def unpack_group(self, raw: bytes) -> tuple[dict[str, Scalar], ...]:
        """The structures of a group."""
        found: list[dict[str, Scalar]] = []
        for items in self.codec.iter_unpack(raw):
            entry: dict[str, Scalar] = dict(zip(self.names, items, strict=True))
            for name in self.texts:
                entry[name] = text_of(entry[name])
            found.append(entry)
        return tuple(found)


@final
class SectionLayout:
    """One kind of section."""

    def __init__(self, row: SectionRow) -> None:
        self.row: Final = row
        self.name: Final = row.name
        self.by_name: Final = {field.name: field for field in row.fields if field.name}
        self.version_field, self.version_at = _VERSIONS.get(row.name, ("", 0))
        self.eye_field: Final = row.fields[2].name if row.eye_catcher else ""
        self._plans: Final[dict[tuple[int, int], Plan]] = {}
        self._fields_at: Final[dict[int, int]] = {}

    def plan(self, length: int, version: int = 0) -> Plan:
        """The plan for a section of this length and version of the structure."""
        fields = self._fields_within(length)
        # As many plans as there are versions that add fields, whatever a record says.
        version = min(version, 10) if self.version_field and version >= 0 else 0
        plan = self._plans.get((fields, version))
        if plan is None:
            wanted = self.row.fields[:fields]
            if self.version_field:
                wanted = tuple(hidden(f) if f.version > version else f for f in wanted)
            plan = Plan(wanted)
            self._plans[fields, version] = plan
        return plan

    def version(self, data: bytes | memoryview, offset: int, length: int) -> int:
        """The version that a copy has; 0 where the structure has none."""
        if not self.version_field or length < self.version_at + 4:
            return 0
        at = offset + self.version_at
        return int.from_bytes(data[at : at + 4], "big", signed=True)

    def unpack(self, data: bytes | memoryview, offset: int, length: int) -> Values:
        """The values of one copy, of which `length` bytes must be there."""
        return self.unpack_copies(data, offset, length, 1)[0]

    def unpack_copies(
        self, data: bytes | memoryview, offset: int, length: int, copies: int
    ) -> list[Values]:
        """The values of copies one behind the other; MQError if an eye-catcher is wrong."""
        found: list[Values] = []
        plan = self.plan(length, self.version(data, offset, length))
        eye = self.eye_field
        for at in range(offset, offset + length * copies, length):
            if self.version_field and copies > 1:
                plan = self.plan(length, self.version(data, at, length))
            values: Values = dict(zip(plan.names, plan.codec.unpack_from(data, at)))
            plan.finish(values)
            if eye and values.get(eye) != self.row.eye_catcher:
                raise smf_error(f"{self.name}: the eye-catcher is {values.get(eye)!r}")
            found.append(values)
        return found

    def pack(
        self,
        values: Mapping[str, Value],
        length: int,
        leftovers: Mapping[int, bytes] | None = None,
    ) -> bytes:
        """One copy of so many bytes; what is not in `values` gets what a writer puts there."""
        packed = bytearray(length)
        known = self.row.fields[: self._fields_within(length)]
        for field in known:
            if field.name:
                value = values.get(field.name, _MISSING)
                if value is _MISSING:
                    value = self._unsaid(field, length)
                packed[field.offset : field.end] = pack_field(self.name, field, value)
        for name in values:
            if name not in self.by_name:
                raise smf_error(f"{self.name} has no field {name}")
            if self.by_name[name].end > length:
                raise smf_error(f"{self.name}.{name} does not fit into {length} bytes")
        for at, part in (leftovers or {}).items():
            packed[at : at + len(part)] = part
        return bytes(packed)

    def leftovers(self, data: bytes) -> dict[int, bytes]:
        """What no field of this copy shows: offset and bytes, where they are not zero."""
        known = self.row.fields[: self._fields_within(len(data))]
        found: dict[int, bytes] = {}
        version = self.version(data, 0, len(data))
        for field in known:
            part = data[field.offset : field.end]
            if (not field.name or field.version > version > 0) and part.strip(b"\0"):
                found[field.offset] = part
        end = known[-1].end if known else 0
        if data[end:].strip(b"\0"):
            found[end] = data[end:]
        return found

    def _unsaid(self, field: Field, length: int) -> Value:
        if field.default is not None:
            return field.default
        if field.offset == 0 and self.row.identifier >= 0:
            number = self.row.identifier
            return number.to_bytes(2, "big") if field.kind == BYTES else number
        if field.offset == 2 and self.row.identifier >= 0:
            return length
        if field.name == self.eye_field:
            return self.row.eye_catcher
        if field.name == "wqver":
            return 9 if length >= 2800 else 8
        return None if field.copies else _EMPTY.get(field.kind)

    def _fields_within(self, length: int) -> int:
        """How many fields end within so many bytes."""
        if length not in self._fields_at:
            if len(self._fields_at) > 256:  # lengths come from records, which may be hostile
                self._fields_at.clear()
            self._fields_at[length] = sum(1 for field in self.row.fields if field.end <= length)
        return self._fields_at[length]


_MISSING: Final = object()
_EMPTY: Final[dict[str, Value]] = {UNSIGNED: 0, SIGNED: 0, TIME: 0, DURATION: 0, TEXT: ""}


def hidden(field: Field) -> Field:
    """A field that this version of the structure does not have, as bytes to be passed over."""
    size = field.end - field.offset
    return field._replace(kind=RESERVED, size=size, copies=0)


def code_of(field: Field) -> str:
    """The field for struct."""
    size = field.end - field.offset
    if field.kind == RESERVED:
        return f"{size}x"
    if field.copies or field.kind in (TEXT, ZERO_TEXT, BYTES):
        return f"{size}s"
    return _CODES[f"{field.kind}{field.size}"]


def array_codec(field: Field) -> struct.Struct:
    """The numbers of an array."""
    return struct.Struct(f">{field.copies}{_CODES[f'{field.kind}{field.size}']}")


@functools.lru_cache(maxsize=8192)  # a dump says the same few words again and again
def text_of(raw: bytes) -> str | None:
    """EBCDIC as text; None where nothing was filled in."""
    if not any(raw):
        return None
    return raw.decode(EBCDIC).rstrip(" ")


def pack_field(section: str, field: Field, value: object) -> bytes:
    """The bytes of one field; MQError if the value cannot stand there."""
    where = f"{section}.{field.name}"
    size = field.end - field.offset
    if value is None:
        return bytes(size)
    if field.kind in (TEXT, ZERO_TEXT) and isinstance(value, str):
        raw = value.encode(EBCDIC, "replace")
        if len(raw) > size:
            raise smf_error(f"{where}: {value!r} is longer than {size} characters")
        return raw.ljust(size, b"\x40")
    if field.kind == BYTES and isinstance(value, bytes):
        if len(value) > size:
            raise smf_error(f"{where}: {len(value)} bytes do not fit into {size}")
        return value.ljust(size, b"\0")
    if field.kind == GROUP and isinstance(value, tuple | list):
        return pack_group(where, field, value)
    if isinstance(value, tuple | list) and field.copies:
        if len(value) != field.copies:
            raise smf_error(f"{where}: {len(value)} numbers for {field.copies}")
        return pack_numbers(where, array_codec(field), value)
    if isinstance(value, int) and field.kind in _EMPTY and not field.copies:
        return pack_numbers(where, struct.Struct(">" + code_of(field)), (value,))
    raise smf_error(f"{where}: {value!r} cannot stand there")


def pack_numbers(
    where: str, codec: struct.Struct, numbers: tuple[object, ...] | list[object]
) -> bytes:
    try:
        return codec.pack(*numbers)
    except struct.error as error:
        raise smf_error(f"{where}: {error}") from error


def pack_group(where: str, field: Field, entries: tuple[object, ...] | list[object]) -> bytes:
    """The structures of a group; those that are not given are zeros."""
    if len(entries) > field.copies:
        raise smf_error(f"{where}: {len(entries)} entries for {field.copies}")
    packed = bytearray(field.end - field.offset)
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise smf_error(f"{where}: {entry!r} is not an entry")
        at = number * field.size
        for member in field.members:
            if member.name:
                value = entry.get(
                    member.name, None if member.kind == ZERO_TEXT else _EMPTY.get(member.kind)
                )
                part = pack_field(where, member, value)
                packed[at + member.offset : at + member.end] = part
    return bytes(packed)


LAYOUTS: Final[dict[str, SectionLayout]] = {row.name: SectionLayout(row) for row in SECTIONS}


def length_at(section: str, level: int) -> int:
    """How long a section is at a level; MQError if the level does not have it."""
    length = LAYOUTS[section].row.length(level)
    if not length:
        raise smf_error(f"{level_text(level)} has no section {section}")
    return length
