"""Sections of SMF records as tables for eyes: a line for each value, a column for each copy."""

from __future__ import annotations

from itertools import groupby
from typing import Final, final

from ternmq.base.words import count_text
from ternmq.cli.output import write
from ternmq.cli.tools.smf_export import Export
from ternmq.codec.smf.clock_values import duration_us, level_text, moment
from ternmq.codec.smf.decoding import Record, Section
from ternmq.codec.smf.field import DURATION, GROUP, TIME, Field
from ternmq.codec.smf.natural import local_time, natural_record
from ternmq.codec.smf.section_layout import LAYOUTS, Scalar, Values
from ternmq.codec.smf.section_table import WORDS

COLUMNS_MIN: Final = 60
UNSET_MIN: Final = 0x0FFFFFFF  # the smallest of the numbers that stand for: there was none
INDENT: Final = "    "
GAP: Final = "  "


@final
class Dump(Export):
    """Tables on standard output."""

    def __init__(self, width: int, everything: bool) -> None:
        self._width: Final = max(width, COLUMNS_MIN)
        self._everything: Final = everything

    def add(self, record: Record, sections: list[Section]) -> None:
        """A heading for the record, a table for each kind of section."""
        if not sections:
            return
        write(heading(record))
        if record.row.name == "116-0":
            self._table([section_lines("QWHC", identity(record), self._everything)], "QWHC", [0])
        for (name, triplet), own in groupby(sections, key=lambda s: (s.name, s.triplet)):
            copies = list(own)
            if not name:
                size = count_text(len(copies[0].raw), "byte")
                write(f"{GAP}section {triplet}: {len(copies)} of {size}, unknown")
                continue
            tables = [section_lines(name, copy.values, self._everything) for copy in copies]
            self._table(tables, name, [copy.index for copy in copies])
        write()

    def _table(
        self, copies: list[dict[str, tuple[str, str]]], name: str, indices: list[int]
    ) -> None:
        """The values of copies beside each other, as many as there is room for."""
        count = f", {len(copies)} of them" if len(copies) > 1 else ""
        write(f"{GAP}{name}: {LAYOUTS[name].row.about}{count}")
        labels = self._labels(copies)
        if not labels:
            write(f"{INDENT}nothing but zeros")
            return
        first = max(len(label) for label in labels)
        second = max(len(field) for field in labels.values())
        at = 0
        while at < len(copies):
            room = self._width - len(INDENT) - first - second - 2 * len(GAP)
            widths: list[int] = []
            while at + len(widths) < len(copies):
                copy = copies[at + len(widths)]
                title = len(f"[{indices[at + len(widths)]}]")
                wide = max(title, *(len(copy.get(label, ("", ""))[1]) for label in labels))
                room -= wide + len(GAP)
                if room < 0 and widths:
                    break
                widths.append(wide)
            self._part(copies[at : at + len(widths)], widths, labels, indices[at:], first, second)
            at += len(widths)

    def _labels(self, copies: list[dict[str, tuple[str, str]]]) -> dict[str, str]:
        """The lines that are shown: those in which one copy at least says something."""
        found: dict[str, str] = {}
        for copy in copies:
            for label, (field, shown) in copy.items():
                if self._everything or shown not in ("0", "", "-"):
                    found.setdefault(label, field)
        order = {label: number for number, label in enumerate(copies[0])}
        return dict(sorted(found.items(), key=lambda pair: order.get(pair[0], 0)))

    def _part(
        self,
        copies: list[dict[str, tuple[str, str]]],
        widths: list[int],
        labels: dict[str, str],
        indices: list[int],
        first: int,
        second: int,
    ) -> None:
        if len(copies) > 1 or indices[0]:
            titles = [f"[{index}]".rjust(wide) for index, wide in zip(indices, widths)]
            write(f"{INDENT}{' ' * (first + second + len(GAP))}{GAP}{GAP.join(titles)}")
        for label, field in labels.items():
            cells = [copy.get(label, ("", ""))[1].rjust(w) for copy, w in zip(copies, widths)]
            write(f"{INDENT}{label.ljust(first)}{GAP}{field.ljust(second)}{GAP}{GAP.join(cells)}")


def heading(record: Record) -> str:
    """Which queue manager wrote a record, when, and for which interval."""
    values = natural_record(record)
    parts = [
        f"{record.row.name} {record.row.about}",
        f"written {local_time(record).replace('T', ' ')}",
        f"{values['system']} {values['queue_manager']}",
        f"level {level_text(record.level)}",
    ]
    if "interval_start" in values:
        start = str(values["interval_start"]).replace("T", " ")[:19]
        parts.append(f"interval {start}, {int(values['interval_us']) / 1e6:g} s")  # type: ignore[arg-type]
    return " | ".join(parts)


def identity(record: Record) -> Values:
    by_name = LAYOUTS["QWHC"].by_name
    return {name: value for name, value in record.header.items() if name in by_name}


def section_lines(section: str, values: Values, everything: bool) -> dict[str, tuple[str, str]]:
    """Of each value: what it is called, the name of its field, how it is shown."""
    found: dict[str, tuple[str, str]] = {}
    by_name = LAYOUTS[section].by_name
    for name, value in values.items():
        field = by_name[name]
        inside = not (field.column or field.bits or field.members)
        if inside and not everything and section != "QWAC":
            continue  # eye-catchers and addresses say nothing to eyes
        if isinstance(value, tuple):
            found.update(tuple_lines(field, value))
        else:
            label = field.column or "/".join(bit.column for bit in field.bits) or name
            found[label if label not in found else name] = (name, shown(field, value))
    return found


def tuple_lines(
    field: Field, value: tuple[int, ...] | tuple[dict[str, Scalar], ...]
) -> dict[str, tuple[str, str]]:
    """The numbers of an array that are not zero, and the members of a group."""
    found: dict[str, tuple[str, str]] = {}
    items: tuple[int | dict[str, Scalar], ...] = value
    for index, one in enumerate(items):
        if isinstance(one, dict):
            members = {member.name: member for member in field.members}
            for name, scalar in one.items():
                label = members[name].column.replace("{n}", "").strip() or name
                found[f"{label} [{group_index(field, index)}]"] = (
                    name,
                    shown(members[name], scalar),
                )
        else:
            label = field.column.replace("{n}", "").strip() or field.name
            if field.column.startswith("cf "):
                label = f"CF {field.column[3:]} {index // 5}.{index % 5}"
            found[f"{label} [{index + 1}]"] = (field.name, shown(field, one))
    return found


def group_index(field: Field, index: int) -> str:
    """How an entry of a group is called: of the log, copy and kind of I/O."""
    return f"{index // 2 + 1}.{index % 2 + 1}" if field.name == "qjstio" else str(index)


def shown(field: Field, value: Scalar) -> str:
    """A value as eyes want it."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.hex().upper() if value.strip(b"\0") else ""
    if isinstance(value, str):
        return value.rstrip("\0")
    if field.kind == TIME:
        when = moment(value)
        return f"{when:%Y-%m-%d %H:%M:%S.%f}" if when is not None else ""
    if field.kind == DURATION:
        return f"{duration_us(value) / 1e6:.6f} s" if value else "0"
    if field.words:
        word = WORDS[field.words].get(value)
        return f"{value} {word}" if word is not None else str(value)
    if field.bits:
        return ", ".join(bit.on if value & bit.mask else bit.off for bit in field.bits)
    if field.kind == GROUP:
        return ""
    return "" if field.default == value and value >= UNSET_MIN else str(value)
