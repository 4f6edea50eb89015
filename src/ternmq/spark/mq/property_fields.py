"""Typed properties as fields of the column `property`, which option propertyColumns asks for:
`colour STRING, weight INT`.

A field has the value of a property of its type, as selectors compare it: STRING a string, BOOLEAN a
boolean, INT and BIGINT a whole number that fits, DOUBLE any number, BINARY bytes; else it is null.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

import pyarrow as pa

from ternmq.base.errors import MQError
from ternmq.codec.property import PropertyValue
from ternmq.codec.property_area import find_value
from ternmq.codec.selector.selector import compile_selector

KINDS: Final[dict[str, pa.DataType]] = {
    "STRING": pa.string(),
    "BOOLEAN": pa.bool_(),
    "INT": pa.int32(),
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    "BINARY": pa.binary(),
}
_BITS: Final = {"INT": 31, "BIGINT": 63}
_FIELD: Final = re.compile(r"\s*(?:`([^`]+)`|([^\s`,]+))\s+([A-Za-z]+)\s*")


class PropertyField(NamedTuple):
    """One property as a field of the column."""

    name: str
    kind: str


def fields_given(given: str) -> tuple[PropertyField, ...]:
    """The fields that option propertyColumns names; ValueError says what is wrong."""
    found: dict[str, PropertyField] = {}
    for part in given.split(",") if given.strip() else ():
        parsed = _FIELD.fullmatch(part)
        kind = "" if parsed is None else parsed[3].upper()
        if parsed is None or kind not in KINDS:
            raise ValueError(
                f"option propertyColumns has {part.strip()!r}; it is a name and a type, which may "
                f"be {', '.join(KINDS)}"
            )
        name = parsed[1] or parsed[2]
        check_name(name)
        if name.lower() in found:
            raise ValueError(f"option propertyColumns names {name} twice")
        found[name.lower()] = PropertyField(name, kind)
    return tuple(found.values())


def check_name(name: str) -> None:
    """ValueError unless it names a property in a selector."""
    try:
        compile_selector(f"{name} IS NOT NULL")
    except MQError:
        raise ValueError(f"option propertyColumns: {name!r} is not a name of a property") from None
    if name.startswith(("JMS", "Root.")):
        raise ValueError(
            f"option propertyColumns: {name} is not a property but a field of the descriptor, "
            "which has a column; a selector can name it"
        )


def column_ddl(fields: Iterable[PropertyField]) -> str:
    """The type of the column in Spark's words."""
    return f"struct<{','.join(f'`{one.name}`:{one.kind.lower()}' for one in fields)}>"


def column_type(fields: Iterable[PropertyField]) -> pa.DataType:
    """The same in Arrow's."""
    return pa.struct([(one.name, KINDS[one.kind]) for one in fields])


def column_of(fields: tuple[PropertyField, ...], areas: dict[int, bytes], rows: int) -> pa.Array:
    """The column of messages of which some have property areas."""
    columns = []
    for field in fields:
        name = field.name.encode()
        values: list[PropertyValue] = [None] * rows
        for row, area in areas.items():
            values[row] = fitting(field.kind, find_value(area, name))
        columns.append(pa.array(values, KINDS[field.kind]))
    return pa.StructArray.from_arrays(columns, fields=list(column_type(fields)))


def fitting(kind: str, value: PropertyValue) -> PropertyValue:
    """A value of the kind; None if it is of another."""
    if isinstance(value, bool):
        return value if kind == "BOOLEAN" else None
    if isinstance(value, str):
        return value if kind == "STRING" else None
    if isinstance(value, bytes):
        return value if kind == "BINARY" else None
    if kind == "DOUBLE" and value is not None:
        return float(value)
    if isinstance(value, int) and kind in _BITS:
        return value if -1 << _BITS[kind] <= value < 1 << _BITS[kind] else None
    return None
