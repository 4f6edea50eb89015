"""Headings of mq-smf-csv for the fields of a section, and what stands under them.

smf_lines puts them together to lines, and says what a line is.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Final, NamedTuple

from ternmq.codec.smf.clock_values import UNITS_US, moment
from ternmq.codec.smf.field import (
    DURATION,
    GROUP,
    RESERVED,
    SIGNED,
    TEXT,
    TIME,
    UNSIGNED,
    Field,
)
from ternmq.codec.smf.section_layout import EBCDIC, SectionLayout, Value, Values
from ternmq.codec.smf.section_table import WORDS

Cell = int | str
Cells = list[Cell]

# A coupling-facility block has 20 entries of five numbers; the last six entries are not used.
_CF_ENTRIES: Final = (
    "Lock", "Unlock", "WrLCCtl", "SigXCF", "SigCF", "Read", "Write", "StartMon", "StopMon",
    "ReadList", "New", "Move", "MoveEntry", "Delete",
)  # fmt: skip
_CF_NUMBERS: Final = (
    ("CFCount", ""),
    ("CFSync", ""),
    ("CFSync", "_ET"),
    ("CFAsync", ""),
    ("CFAsync", "_ET"),
)
# Only meaningful where a bit of another field is on.
CONDITIONS: Final = {"qsphdspnm": ("qsphflags", 0x20)}
# A task has no such requests, and no column for them.
_CF_ABSENT: Final = {"Cmit": ("ReadList",), "Prep": ("ReadList",)}
UNSET_MIN: Final = 0x0FFFFFFF  # the smallest of the numbers that stand for: there was none


# Shapes of columns that can be made many at a time (smf_steps).
OTHER: Final = ""
NUMBER: Final = "number"
LENGTH: Final = "duration"
ARRAY: Final = "array"


class Column(NamedTuple):
    """Headings that come from one value, and what makes their cells of the values of a section."""

    place: tuple[int, int, int]  # in the line
    headings: tuple[str, ...]
    needs: str  # the field that must be there
    cells: Callable[[Values], Cells]
    shape: str = OTHER


def stamp_cells(tod: int) -> Cells:
    """Date and time of a clock; empty where it is not set."""
    when = moment(tod)
    if when is None:
        return ["", ""]
    return [
        f"{when.year}/{when.month:02}/{when.day:02}",
        f"{when.hour:02}:{when.minute:02}:{when.second:02},{when.microsecond:06}",
    ]


def duration_cells(units: int) -> Cells:
    """Seconds, and microseconds beyond them."""
    return list(divmod(units // UNITS_US, 1_000_000))


def single(field: Field, value: Value) -> Cells:
    """The cells of one number or text."""
    if field.kind == TIME:
        return stamp_cells(value)  # type: ignore[arg-type]
    if field.kind == DURATION:
        return duration_cells(value)  # type: ignore[arg-type]
    if isinstance(value, bytes):
        return [value.hex().upper()]
    if isinstance(value, str):
        return [value.rstrip("\0")]
    if isinstance(value, int):
        if field.words:
            return [WORDS[field.words].get(value, value)]
        unset = value == field.default and value >= UNSET_MIN
        return ["" if unset else value]
    return [""]


def headings_of(kind: str, column: str) -> tuple[str, ...]:
    """The headings of a value of a kind."""
    if kind == TIME:
        return f"{column} (DATE)", f"{column} (TIME)"
    if kind == DURATION:
        return f"{column}(S)", f"{column}(US)"
    return (column,)


def field_columns(field: Field, ordinal: int) -> list[Column]:
    """The columns of a field of a section."""
    if field.kind in (RESERVED, GROUP):
        return group_columns(field, ordinal)
    found: list[Column] = []
    place = field.place or ordinal
    if field.column.startswith("cf "):
        found.append(cf_column(field, place, ordinal))
    elif field.copies and field.column:
        found += array_columns(field, place, ordinal)
    elif field.column:
        found.append(plain_column(field, place, ordinal))
    for number, bit in enumerate(field.bits, 1):
        where = (bit.place or ordinal, 0, ordinal * 100 + number)
        cells = bit_cells(field, bit.mask, bit.on, bit.off)
        found.append(Column(where, (bit.column,), bit.needs or field.name, cells))
    return found


def plain_column(field: Field, place: int, ordinal: int) -> Column:
    headings = headings_of(field.kind, field.column)
    condition = CONDITIONS.get(field.name)

    def cells(values: Values) -> Cells:
        if condition is not None:
            flags = values.get(condition[0])
            if not isinstance(flags, int) or not flags & condition[1]:
                return [""]
        return single(field, values[field.name])

    return Column((place, 0, ordinal * 100), headings, field.name, cells, shape_of(field))


def shape_of(field: Field) -> str:
    """Whether a column is of a shape of which many can be made at once."""
    if field.kind == DURATION:
        return LENGTH
    is_plain = field.kind in (UNSIGNED, SIGNED) and not field.words
    is_unset = isinstance(field.default, int) and field.default >= UNSET_MIN
    return NUMBER if is_plain and not is_unset else OTHER


def bit_cells(field: Field, mask: int, on: str, off: str) -> Callable[[Values], Cells]:
    def cells(values: Values) -> Cells:
        flags = values[field.name]
        return [on if isinstance(flags, int) and flags & mask else off]

    return cells


def array_columns(field: Field, place: int, ordinal: int) -> list[Column]:
    """One column, or pair of them, for each number; arrays with the same place take turns."""
    found: list[Column] = []
    for index in range(field.copies):
        headings = headings_of(field.kind, field.column.replace("{n}", f"{{{index + 1}}}"))
        cells = element(field, index)
        found.append(Column((place, index, ordinal * 100), headings, field.name, cells, ARRAY))
    return found


def element(field: Field, index: int) -> Callable[[Values], Cells]:
    def cells(values: Values) -> Cells:
        numbers: tuple[int, ...] = values[field.name]  # type: ignore[assignment]
        return single(field, numbers[index])

    return cells


def cf_column(field: Field, place: int, ordinal: int) -> Column:
    """The numbers of a coupling-facility block that have columns."""
    verb = field.column[3:]
    headings: list[str] = []
    numbers: list[int] = []
    for entry, name in enumerate(_CF_ENTRIES):
        if name in _CF_ABSENT.get(verb, ()):
            continue
        for number, (heading, ending) in enumerate(_CF_NUMBERS):
            headings.append(f"{heading} {{{verb}_{name}{ending}}}")
            numbers.append(entry * len(_CF_NUMBERS) + number)
    pick = itemgetter(*numbers)

    def cells(values: Values) -> Cells:
        numbers: tuple[int, ...] = values[field.name]  # type: ignore[assignment]
        return list(pick(numbers))

    return Column((place, 0, ordinal * 100), tuple(headings), field.name, cells, ARRAY)


def group_columns(field: Field, ordinal: int) -> list[Column]:
    """The columns of a group whose entries are all in one line."""
    found: list[Column] = []
    copies = field.copies if field.kind == GROUP else 0
    for index in range(copies):
        name = f"{{{index // 2 + 1}.{index % 2 + 1}}}"  # log copy and kind of I/O
        for number, member in enumerate(field.members):
            if not member.column:
                continue
            headings = headings_of(member.kind, member.column.replace("{n}", name))
            cells = member_element(field, index, member)
            found.append(Column((ordinal, index, number), headings, field.name, cells))
    return found


def member_element(field: Field, index: int, member: Field) -> Callable[[Values], Cells]:
    def cells(values: Values) -> Cells:
        entries: tuple[Values, ...] = values[field.name]  # type: ignore[assignment]
        return single(member, entries[index][member.name])

    return cells


def also_columns(layout: SectionLayout) -> list[Column]:
    """Second columns from the place of a field."""
    found: list[Column] = []
    for field in layout.row.fields:
        for also in field.also:
            if also.kind == TEXT:
                cells = as_text(field)
            else:
                cells = correlator_cells()
            found.append(Column((also.place, 0, 0), (also.column,), field.name, cells))
    return found


def as_text(field: Field) -> Callable[[Values], Cells]:
    def cells(values: Values) -> Cells:
        raw = values[field.name]
        if not isinstance(raw, bytes):
            return [""]
        shown = raw.decode(EBCDIC)
        return ["".join(c if c.isascii() and c.isprintable() else "." for c in shown).rstrip()]

    return cells


def correlator_cells() -> Callable[[Values], Cells]:
    def cells(values: Values) -> Cells:
        return [task_correlator(values)]

    return cells


def task_correlator(wtas: Values) -> str:
    """What links a task to its queues, in hexadecimal: WTASSTRT and the eight bytes behind it."""
    start, thread, own = wtas["wtasstrt"], wtas["wtasmthr"], wtas["wtaswtas"]
    if not (isinstance(start, int) and isinstance(thread, bytes) and isinstance(own, bytes)):
        return ""
    return (start.to_bytes(8, "big") + thread + own).hex().upper()
