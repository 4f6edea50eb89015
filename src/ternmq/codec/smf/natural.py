"""Sections as values that programs other than this one understand: what becomes JSON.

    time          text, ISO 8601 with a Z; null where it is not set
    duration      whole microseconds
    bytes         text, hexadecimal
    text          text; null where it is not filled in
    numbers       numbers; lists where there are several

Fields have the names of IBM's macros, in lower case. A field that the record does not have is left
out. The date and time of a record, and its interval, are local and have no Z.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from ternmq.codec.smf.clock_values import UNITS_US, duration_us, moment, unpack_date
from ternmq.codec.smf.decoding import Record
from ternmq.codec.smf.field import BYTES, DURATION, GROUP, TIME, Field
from ternmq.codec.smf.section_layout import LAYOUTS, Value, Values

Natural = int | str | None | list["Natural"] | dict[str, "Natural"]

_CHANNEL_INITIATOR: Final = 0xE7


def natural_value(field: Field, value: Value) -> Natural:
    """One value."""
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, tuple):
        if field.kind == GROUP:
            return [natural_entry(field, entry) for entry in value]  # type: ignore[arg-type]
        if field.kind not in (TIME, DURATION) or (field.kind == DURATION and not any(value)):
            return list(value)  # type: ignore[arg-type]
        return [natural_value(field, number) for number in value]  # type: ignore[arg-type]
    if isinstance(value, int):
        if field.kind == TIME:
            when = moment(value)
            return f"{when.isoformat(timespec='microseconds')}Z" if when is not None else None
        if field.kind == DURATION:
            return duration_us(value)
    return value


def natural_entry(field: Field, entry: Values) -> dict[str, Natural]:
    """One structure of a group."""
    members = {member.name: member for member in field.members}
    return {name: natural_value(members[name], value) for name, value in entry.items()}


@cache
def other_fields(section: str) -> tuple[Field, ...]:
    """The fields of a section whose values are not as they should be already: few."""
    fields = LAYOUTS[section].by_name.values()
    return tuple(f for f in fields if f.kind in (TIME, DURATION, BYTES, GROUP) or f.copies)


def natural_values(section: str, values: Values) -> dict[str, Natural]:
    """Every value of a section."""
    found: dict[str, Natural] = dict(values)  # type: ignore[arg-type]
    for field in other_fields(section):
        if field.name in found:
            found[field.name] = natural_value(field, values[field.name])
    return found


def natural_record(record: Record) -> dict[str, Natural]:
    """Who wrote a record, when, and for which interval."""
    header = record.header
    found: dict[str, Natural] = {
        "record": record.row.name,
        "written": local_time(record),
        "system": str(header["smfsid"] or ""),
        "queue_manager": str(header["smfssi"] or ""),
        "release": record.release,
    }
    if "qwhxqsg" in header:
        found["group"] = str(header["qwhxqsg"] or "")
    built = header.get("qwhsstck")
    if isinstance(built, int):
        found["built"] = natural_value(LAYOUTS["QWHS"].by_name["qwhsstck"], built)
        found["sequence"] = int(header["qwhswseq"])  # type: ignore[arg-type]
    start, length = header.get("qwhstime"), header.get("qwhsdurn")
    if isinstance(start, int) and isinstance(length, int) and start:
        began = moment(start)
        found["interval_start"] = began.isoformat(timespec="microseconds") if began else None
        units = UNITS_US if record.row.component == _CHANNEL_INITIATOR else 1
        found["interval_us"] = length // units
    return found


def natural_identity(record: Record) -> dict[str, Natural]:
    """The correlation header of a 116-0 record, which is who the totals are about."""
    by_name = LAYOUTS["QWHC"].by_name
    wanted = {name: value for name, value in record.header.items() if name in by_name}
    return {name: natural_value(by_name[name], value) for name, value in wanted.items()}


def local_time(record: Record) -> str:
    """When a record reached SMF, by the clock on the wall there."""
    packed, hundredths = record.header["smfdte"], record.header["smftme"]
    day = unpack_date(packed) if isinstance(packed, bytes) else None
    seconds, rest = divmod(hundredths if isinstance(hundredths, int) else 0, 100)
    time = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest:02}"
    return f"{day.isoformat()}T{time}" if day is not None else time
