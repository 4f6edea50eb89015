"""Sections as lines with the headings of mq-smf-csv, for spreadsheets and those who know them.

A line has the columns that every section has (who wrote the record, when, for which interval), then
those of its section, in the order of mq-smf-csv. A point in time has two columns, `name
(DATE)` and `name (TIME)`; a length of time has `name(S)` and `name(US)`, whole seconds and
the microseconds beyond them. Times are as they were recorded: UTC, but the date, time and interval
of the record are local. Where mq-smf-csv puts -1, dots or 1970 for a value that the record does not
have, the cell here is empty; wrong headings are right here (docs/operations/smf-reader.md lists
both).
"""

from __future__ import annotations

from typing import Final, final

from ternmq.codec.smf.clock_values import UNITS_US, unpack_date
from ternmq.codec.smf.column_steps import Step, steps_of
from ternmq.codec.smf.decoding import Record, Section
from ternmq.codec.smf.field import RESERVED
from ternmq.codec.smf.heading import (
    Cells,
    Column,
    also_columns,
    field_columns,
    stamp_cells,
)
from ternmq.codec.smf.section_layout import LAYOUTS, Values

COMMON: Final = ("Date", "Time", "LPAR", "QMgr", "QSG", "MQ_Version")
INTERVAL: Final = ("Interval_Start (DATE)", "Interval_Start (TIME)", "Interval_Duration")
CORRELATOR_BYTES: Final = 16
_CORRELATORS: Final = {"WTAS": 8, "WQ": 16}  # where it is
TASKS: Final = ("QCTDSP", "QCTADP", "QCTSSL", "QCTDNS")


@final
class Lines:
    """The lines of one kind of section."""

    def __init__(self, name: str) -> None:
        self.name: Final = name
        layout = LAYOUTS[name]
        self._entries = next((f for f in layout.row.fields if f.name == "qeststuc"), None)
        columns: list[Column] = []
        if self._entries is not None:
            for number, member in enumerate(self._entries.members):
                columns += field_columns(member, number)
        else:
            for number, field in enumerate(layout.row.fields):
                columns += field_columns(field, number)
            columns += also_columns(layout)
        if not columns:  # mq-smf-csv does not print it: its fields are its columns
            for number, field in enumerate(layout.row.fields):
                if field.kind != RESERVED:
                    columns += field_columns(field._replace(column=field.name), number)
        self.columns: Final = sorted(columns, key=lambda column: column.place)
        own = [heading for column in self.columns for heading in column.headings]
        self.headings: Final = (*COMMON, *self._before(own))
        self._steps: Final[dict[tuple[int, str], list[Step]]] = {}

    def _before(self, own: list[str]) -> tuple[str, ...]:
        """The headings of the section with those that come from elsewhere in the record."""
        if self.name in TASKS:
            own.insert(1, "Task_Index")
        elif self.name == "WTID":
            own.insert(0, "WTAS_Correlator")
        elif self.name == "QMAC":
            own = [heading for column in _IDENTITY for heading in column.headings] + own
        return (*(INTERVAL if self.is_statistics else ()), *own)

    @property
    def is_statistics(self) -> bool:
        """Whether the section is one of 115 records, which give their interval."""
        return self.name not in ("QWAC", "QMAC", "WTID", "WTAS", "WQ", "QCST")

    def rows(
        self, record: Record, sections: list[Section], common: Cells | None = None
    ) -> list[Cells]:
        """A line for each section, which are all of this kind and of this record. `common` are the
        `common_cells` of the record, if the caller has them."""
        front = common_cells(record) if common is None else common
        if self.is_statistics:
            front = front + interval_cells(record)
        found: list[Cells] = []
        for section in sections:
            for values in self._parts(section.values):
                own: Cells = []
                for step in self._steps_for(values):
                    own += step(values)
                found.append(front + self._around(record, section, own))
        return found

    def _parts(self, values: Values) -> list[Values]:
        """The section itself, or the entries of QEST that are in use."""
        if self._entries is None:
            return [values]
        entries: tuple[Values, ...] = values.get(self._entries.name, ())  # type: ignore[assignment]
        return [entry for entry in entries if entry["qeststr"] is not None]

    def _steps_for(self, values: Values) -> list[Step]:
        """What makes the cells of a section with these fields."""
        # Fields come in their order, and what a version hides is part of what an earlier one does:
        # number and last one say which they are.
        key = len(values), next(reversed(values), "")
        steps = self._steps.get(key)
        if steps is None:
            steps = steps_of(self.columns, values)
            self._steps[key] = steps
        return steps

    def _around(self, record: Record, section: Section, own: Cells) -> Cells:
        if self.name in TASKS:
            own.insert(1, section.index)
        elif self.name == "WTID":
            own.insert(0, owner(record))
        elif self.name == "QMAC":
            identity: Cells = []
            for column in _IDENTITY:
                identity += column.cells(record.header)
            return identity + own
        return own


def owner(record: Record) -> str:
    """The correlator of the task that a record is about: its own, or that of its first queue."""
    for number, name in record.row.sections:
        at = _CORRELATORS.get(name)
        if at is None or number > len(record.triplets):
            continue
        offset, length, copies = record.triplets[number - 1]
        if copies and length >= at + CORRELATOR_BYTES:
            return record.raw[offset + at : offset + at + CORRELATOR_BYTES].hex().upper()
    return ""


def common_cells(record: Record) -> Cells:
    """Who wrote the record, and when."""
    header = record.header
    packed, hundredths = header["smfdte"], header["smftme"]
    day = unpack_date(packed) if isinstance(packed, bytes) else None
    seconds, rest = divmod(hundredths if isinstance(hundredths, int) else 0, 100)
    time = f"{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02},{rest:02}0000"
    return [
        f"{day:%Y/%m/%d}" if day is not None else "",
        time,
        str(header["smfsid"] or ""),
        str(header["smfssi"] or ""),
        str(header.get("qwhxqsg") or ""),
        record.release,
    ]


def interval_cells(record: Record) -> Cells:
    """When the interval began, and how many seconds it has."""
    start, length = record.header.get("qwhstime"), record.header.get("qwhsdurn")
    if not isinstance(start, int) or not isinstance(length, int) or not start:
        return ["", "", ""]
    units = UNITS_US if record.row.subtype == 231 else 1
    return [*stamp_cells(start), length // units // 1_000_000]


_IDENTITY: Final = [
    column
    for number, field in enumerate(LAYOUTS["QWHC"].row.fields)
    for column in field_columns(field, number)
]
