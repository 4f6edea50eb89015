"""Sections of SMF records from the objects that a queue manager counts with, by `counter_rows`.

A section is packed with one call of struct, because there is one for each of 10,000 queues: the
table is turned into places in that call once. A field without a row holds what the codec says a
writer puts there: identifier, length and eye-catcher, zeros and blanks.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.codec.smf.field import GROUP, SIGNED, TEXT, ZERO_TEXT, Field
from ternmq.codec.smf.section_layout import EBCDIC, LAYOUTS, Plan, length_at
from ternmq.telemetry.smf.counter_rows import ROWS
from ternmq.telemetry.source import Sources

LEVEL: Final = 90405  # 9.4.5, the level of every record written here
_VERSION_MAX: Final = 10

Packed = int | bytes


@final
class SectionPacker:
    """Makes one kind of section."""

    def __init__(self, name: str, level: int = LEVEL) -> None:
        layout = LAYOUTS[name]
        self.name = name
        self.length = length_at(name, level)
        plan = layout.plan(self.length, _VERSION_MAX)
        self._codec = plan.codec
        self._filler = bytes(self.length - plan.codec.size)
        empty = layout.pack({}, self.length)
        self._empty: list[Packed] = list(plan.codec.unpack_from(empty))
        self._fields = plan.fields
        places = {field.name: number for number, field in enumerate(plan.fields)}
        simple = [row for row in ROWS.get(name, []) if "[" not in row.field]
        self._places = [places[row.field] for row in simple]
        self._is_text = [plan.fields[place].kind not in _NUMBERS for place in self._places]
        self._sources = Sources([row.source for row in simple])
        self._groups = [
            (places[group], GroupPacker(name, group, plan)) for group in _groups_of(name)
        ]

    def pack(self, root: object) -> bytes:
        """The section of one object."""
        values = list(self._empty)
        found = self._sources.of(root)
        for place, is_text, value in zip(self._places, self._is_text, found, strict=True):
            values[place] = packed_text(self._fields[place], value) if is_text else value  # type: ignore[arg-type,assignment]
        for place, group in self._groups:
            values[place] = group.pack(root)
        try:
            return self._codec.pack(*values) + self._filler
        except struct.error:
            fitted = [fit(field, value) for field, value in zip(self._fields, values, strict=True)]
            return self._codec.pack(*fitted) + self._filler


@final
class GroupPacker:
    """A group inside a section, `qjstio[1].qjstiocount`."""

    def __init__(self, section: str, group: str, plan: Plan) -> None:
        self._field = next(field for field in plan.fields if field.name == group)
        self._plan = Plan(self._field.members)
        names = [field.name for field in self._plan.fields]
        rows = [row for row in ROWS[section] if row.field.startswith(f"{group}[")]
        self._sources = Sources([row.source for row in rows])
        self._where: list[tuple[int, int]] = []
        for row in rows:
            number, _, member = row.field.removeprefix(f"{group}[").partition("].")
            self._where.append((int(number), names.index(member)))

    def pack(self, root: object) -> bytes:
        """All entries of the group."""
        fields = self._plan.fields
        empty: list[Packed] = [b"" if field.kind not in _NUMBERS else 0 for field in fields]
        entries = [list(empty) for _ in range(self._field.copies)]
        for (entry, place), value in zip(self._where, self._sources.of(root), strict=True):
            entries[entry][place] = (
                value if isinstance(value, int) else packed_text(fields[place], value)
            )
        packed = b""
        for values in entries:
            fitted = [fit(field, value) for field, value in zip(fields, values, strict=True)]
            packed += self._plan.codec.pack(*fitted).ljust(self._field.size, b"\0")
        return packed


_NUMBERS: Final = "uiTD"


def _groups_of(section: str) -> list[str]:
    names = [row.field.partition("[")[0] for row in ROWS.get(section, []) if "[" in row.field]
    return list(dict.fromkeys(names))


def packed_text(field: Field, value: str | bytes) -> bytes:
    """A text in EBCDIC, cut to what the field holds; blanks fill it, zeros if there is none."""
    size = field.end - field.offset
    if isinstance(value, bytes):
        return value[:size]
    if not value and field.kind == ZERO_TEXT:
        return b""
    raw = value.encode(EBCDIC, "replace")[:size]
    return raw.ljust(size, b"\x40") if field.kind in (TEXT, ZERO_TEXT) else raw


def fit(field: Field, value: Packed) -> Packed:
    """A number that the field has no room for is the largest that it can hold, or 0."""
    if not isinstance(value, int) or field.copies or field.kind == GROUP:
        return value
    bits = field.size * 8
    if field.kind == SIGNED:
        return max(-(1 << bits - 1), min(value, (1 << bits - 1) - 1))
    return max(0, min(value, (1 << bits) - 1))
