"""Columns of a DataFrame of SMF sections: names as mq-smf-csv has them, and types.

Everything comes from the table of codec/smf_table by way of codec/smf_heading; there is no second
table here. Names are those of mq-smf-csv's SQL tables in the letters of its headings: other
characters than letters and digits become underscores (`CFCount {Open_Lock}` is CFCount_Open_Lock).

    in the section                     column
    number                             bigint; null where the value stands for "there was none"
    clock with a point in time         timestamp, an instant: one column for `(DATE)` and `(TIME)`
    clock with a duration              bigint, microseconds, name with _US: one for `(S)` and `(US)`
    text                               string without the blanks at its end, null if not filled in
    bytes                              string, hexadecimal
    number with words, bit             string, the word; a number without a word as its digits

A field that a record's level does not have is null. An unsigned number of eight bytes that a bigint
cannot hold is the negative number of the same bits, as which z/OS means it where it occurs (QSRS).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from ternmq.codec.smf import heading as smf_heading
from ternmq.codec.smf.csv_lines import TASKS, Lines
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
)
from ternmq.codec.smf.record import KINDS
from ternmq.codec.smf.section_layout import LAYOUTS
from ternmq.codec.smf.section_table import WORDS

LONG: Final = "long"
STAMP: Final = "timestamp"
LOCAL_STAMP: Final = "timestamp_ntz"
DAY: Final = "date"
STRING: Final = "string"
BINARY: Final = "binary"

NUMBER: Final = "number"
HEX: Final = "hex"
SHOWN: Final = "shown"  # bytes that may be text
WORD: Final = "word"
BIT: Final = "bit"
INDEX: Final = "index"  # which copy of the section it is
OWNER: Final = "owner"  # correlator of the task that the record is about

REJECTS: Final = "_rejects"
RECORDS: Final = "_records"
_SPARK: Final = {TIME: STAMP, NUMBER: LONG, DURATION: LONG, INDEX: LONG}
_NO_NAME: Final = re.compile(r"[^0-9A-Za-z]+")


class Column(NamedTuple):
    """One column of a section, and where it comes from."""

    name: str
    kind: str
    offset: int = 0  # in the section, or in the QWHC for `is_identity`
    size: int = 0
    is_signed: bool = False
    end: int = 0  # of the field; the column is there if that is within the section
    version: int = 0  # of the structure, from which on it is there
    unset: int = -1  # the number that stands for: there was none
    words: str = ""
    mask: int = 0
    on: str = ""
    off: str = ""
    condition: tuple[int, int] = (-1, 0)  # offset of a byte and the bit in it that must be on
    is_identity: bool = False

    @property
    def type_name(self) -> str:
        """Spark's name of its type."""
        return _SPARK.get(self.kind, STRING)


# What every record says of itself, before and after the columns of the section.
COMMON: Final = (
    ("Date", DAY),
    ("Time", LOCAL_STAMP),
    ("LPAR", STRING),
    ("QMgr", STRING),
    ("QSG", STRING),
    ("MQ_Version", STRING),
)
INTERVAL: Final = (
    ("Interval_Start", STAMP),
    ("Interval_Duration", LONG),
    ("Interval_Duration_US", LONG),
)
# Sections of accounting whose records have an interval, which mq-smf-csv does not print.
INTERVAL_LAST: Final = ("QCST",)
RECORD: Final = (
    ("Time_UTC", STAMP),
    ("Zone_Offset", LONG),
    ("Record_Type", LONG),
    ("Record_Subtype", LONG),
    ("Record_File", STRING),
    ("Record_Position", LONG),
)
REJECT_COLUMNS: Final = (
    ("Record_File", STRING),
    ("Record_Position", LONG),
    ("Record_Length", LONG),
    ("Record_Type", LONG),
    ("Record_Subtype", LONG),
    ("MQ_Version", STRING),
    ("Reason", STRING),
    ("Detail", STRING),
    ("Record_Bytes", BINARY),
)

# Records as they are, see smf_records; parts of a file that are not records have no type.
RECORD_COLUMNS: Final = (
    ("Record_File", STRING),
    ("Record_Position", LONG),
    ("Record_Length", LONG),
    ("Record_Type", LONG),
    ("Record_Subtype", LONG),
    ("Reason", STRING),
    ("Detail", STRING),
    ("Record_Bytes", BINARY),
)

# Sections that have rows of their own; the headers are part of every row.
SECTION_NAMES: Final = tuple(
    name
    for name in LAYOUTS
    if any(name in [s for _, s in kind.sections] for kind in KINDS.values())
)


def column_name(heading: str) -> str:
    """A heading as a name that needs no quotes."""
    return _NO_NAME.sub("_", heading).strip("_")


@cache
def section_columns(section: str) -> tuple[Column, ...]:
    """The columns of a section, in mq-smf-csv's order."""
    fields = LAYOUTS[section].row.fields
    entries = entry_field(section)
    if entries is not None:
        fields = entries.members
    placed: list[tuple[tuple[int, int, int], Column]] = []
    for ordinal, field in enumerate(fields):
        placed += field_columns(section, field, ordinal)
    if not placed:  # mq-smf-csv does not print it: its fields are its columns
        for ordinal, field in enumerate(fields):
            if field.kind != RESERVED:
                placed += field_columns(section, field._replace(column=field.name), ordinal)
    own = [column for _, column in sorted(placed, key=lambda each: each[0])]
    if section in TASKS:
        own.insert(1, Column("Task_Index", INDEX))
    elif section == "WTID":
        own.insert(0, Column("WTAS_Correlator", OWNER))
    elif section == "QMAC":
        own = [column._replace(is_identity=True) for column in section_columns("QWHC")] + own
    return tuple(own)


def entry_field(section: str) -> Field | None:
    """The group of which each entry in use is a row (QEST has one), or None."""
    for field in LAYOUTS[section].row.fields:
        if field.kind == GROUP and not any("{n}" in member.column for member in field.members):
            return field
    return None


@cache
def all_columns(section: str) -> tuple[tuple[str, str], ...]:
    """Names and types of a DataFrame of a section."""
    if section == REJECTS:
        return REJECT_COLUMNS
    if section == RECORDS:
        return RECORD_COLUMNS
    interval = INTERVAL if Lines(section).is_statistics else ()
    own = tuple((column.name, column.type_name) for column in section_columns(section))
    return (*COMMON, *interval, *own, *(INTERVAL if section in INTERVAL_LAST else ()), *RECORD)


Placed = tuple[tuple[int, int, int], Column]


def field_columns(section: str, field: Field, ordinal: int) -> list[Placed]:
    """The columns of a field, each with its place in the line."""
    if field.kind == RESERVED:
        return []
    if field.kind == GROUP:
        return group_columns(field, ordinal)
    found: list[Placed] = []
    place = field.place or ordinal
    if field.column.startswith("cf "):
        found += cf_columns(field, place, ordinal)
    elif field.copies and field.column:
        for index in range(field.copies):
            name = field.column.replace("{n}", f"_{index + 1}")
            column = plain(field, name, field.offset + index * field.size)
            found.append(((place, index, ordinal * 100), column))
    elif field.column:
        found.append(((place, 0, ordinal * 100), conditional(section, field)))
    for number, bit in enumerate(field.bits, 1):
        needed = LAYOUTS[section].by_name[bit.needs] if bit.needs else field
        column = plain(field, bit.column, field.offset)._replace(
            kind=BIT, mask=bit.mask, on=bit.on, off=bit.off, end=needed.end
        )
        found.append(((bit.place or ordinal, 0, ordinal * 100 + number), column))
    for also in field.also:
        kind = SHOWN if also.kind == TEXT else HEX
        end = field.offset + also.size
        column = Column(column_name(also.column), kind, field.offset, also.size, end=end)
        found.append(((also.place, 0, 0), column))
    return found


def plain(field: Field, name: str, offset: int) -> Column:
    """One column of a field."""
    kind = {UNSIGNED: NUMBER, SIGNED: NUMBER, ZERO_TEXT: TEXT, BYTES: HEX}.get(
        field.kind, field.kind
    )
    name = column_name(name) + ("_US" if kind == DURATION else "")
    if field.words:
        kind = WORD
    default = field.default
    unset = default if isinstance(default, int) and default >= smf_heading.UNSET_MIN else -1
    return Column(
        name,
        kind,
        offset,
        field.size,
        field.kind == SIGNED,
        field.end,
        field.version,
        unset,
        field.words,
    )


def conditional(section: str, field: Field) -> Column:
    """The column of a field that counts only where a bit of another is on, or always."""
    column = plain(field, field.column, field.offset)
    condition = smf_heading.CONDITIONS.get(field.name)
    if condition is None:
        return column
    other = LAYOUTS[section].by_name[condition[0]]
    return column._replace(condition=(other.offset, condition[1]))


def cf_columns(field: Field, place: int, ordinal: int) -> list[Placed]:
    """The numbers of a coupling-facility block that have columns."""
    (block,) = smf_heading.field_columns(field, ordinal)
    # Which numbers of the block they are: what it picks out of 0, 1, 2 ...
    picked = block.cells({field.name: tuple(range(field.copies))})
    return [
        (
            (place, 0, ordinal * 100),
            plain(field, heading, field.offset + int(number) * field.size),
        )
        for heading, number in zip(block.headings, picked)
    ]


def group_columns(field: Field, ordinal: int) -> list[Placed]:
    """The columns of a group whose entries are all in one row."""
    found: list[Placed] = []
    for index in range(field.copies):
        name = f"_{index // 2 + 1}_{index % 2 + 1}"  # log copy and kind of I/O
        base = field.offset + index * field.size
        for number, member in enumerate(field.members):
            if member.column:
                column = plain(member, member.column.replace("{n}", name), base + member.offset)
                placed = column._replace(end=field.end, version=field.version)
                found.append(((ordinal, index, number), placed))
    return found


def words_of(column: Column) -> dict[int, str]:
    """The words for the numbers of a column."""
    return WORDS[column.words]
