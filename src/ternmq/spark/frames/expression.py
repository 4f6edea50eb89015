"""Expressions over the columns of a frame: what PySpark calls a Column, evaluated on Arrow arrays.

An expression is a function of a `Scope`, the rows it is evaluated on, and a name. Nulls behave as
in SQL: most results of null are null, conditions are of three values. Whole numbers are of 64 bits,
`/` gives a double.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ternmq.spark.frames.row_order import Groups

STAMP: Final = pa.timestamp("us", "UTC")
TYPES: Final[Mapping[str, Any]] = {
    "string": pa.string(),
    "bigint": pa.int64(),
    "long": pa.int64(),
    "int": pa.int32(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": STAMP,
    "timestamp_ntz": pa.timestamp("us"),
}


class Scope:
    """Rows: their columns, and for an aggregate the groups of rows that each of them stands for."""

    def __init__(
        self,
        columns: Mapping[str, Any],
        rows: int,
        groups: Groups | None = None,
        below: Scope | None = None,
    ) -> None:
        self.columns: Final = columns
        self.rows: Final = rows
        self.groups: Final = groups
        self.below: Final = below  # the rows that are grouped

    def column(self, name: str) -> Any:
        """A column, or the field of one that is a struct."""
        found = self.columns.get(name)
        if found is not None:
            return found
        whole, dot, field = name.partition(".")
        if dot and whole in self.columns:
            return pc.struct_field(self.columns[whole], field)
        raise ValueError(f"there is no column {name}; there are {', '.join(self.columns)}")


Evaluate = Callable[[Scope], Any]


class Expression:
    """A value for each row."""

    def __init__(self, evaluate: Evaluate, name: str = "", is_aggregate: bool = False) -> None:
        self.evaluate: Final = evaluate
        self.name: Final = name
        self.is_aggregate: Final = is_aggregate

    def alias(self, name: str) -> Expression:
        return Expression(self.evaluate, name, self.is_aggregate)

    def cast(self, kind: str) -> Expression:
        return made(lambda values: converted(values, TYPES[kind]), self, name=self.name)

    def __add__(self, other: Any) -> Expression:
        return made(added, self, other)

    def __sub__(self, other: Any) -> Expression:
        return made(arithmetic(pc.subtract_checked), self, other)

    def __rsub__(self, other: Any) -> Expression:
        return made(arithmetic(pc.subtract_checked), other, self)

    def __mul__(self, other: Any) -> Expression:
        return made(arithmetic(pc.multiply_checked), self, other)

    __radd__ = __add__
    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Expression:
        return made(divided, self, other)

    def __mod__(self, other: Any) -> Expression:
        return made(remainder, self, other)

    def __eq__(self, other: object) -> Expression:  # type: ignore[override]
        return made(compared(pc.equal), self, other)

    def __ne__(self, other: object) -> Expression:  # type: ignore[override]
        return made(compared(pc.not_equal), self, other)

    def __lt__(self, other: Any) -> Expression:
        return made(compared(pc.less), self, other)

    def __le__(self, other: Any) -> Expression:
        return made(compared(pc.less_equal), self, other)

    def __gt__(self, other: Any) -> Expression:
        return made(compared(pc.greater), self, other)

    def __ge__(self, other: Any) -> Expression:
        return made(compared(pc.greater_equal), self, other)

    def __and__(self, other: Any) -> Expression:
        return made(pc.and_kleene, self, other)

    def __or__(self, other: Any) -> Expression:
        return made(pc.or_kleene, self, other)

    def __invert__(self) -> Expression:
        return made(pc.invert, self)

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, key: str | int) -> Expression:
        return made(lambda values: part_of(values, key), self, name=str(key))

    def isNull(self) -> Expression:
        return made(lambda values: values.is_null(), self)

    def isNotNull(self) -> Expression:
        return made(lambda values: values.is_valid(), self)

    def between(self, first: Any, last: Any) -> Expression:
        return made(pc.and_kleene, self >= first, self <= last)

    def isin(self, *wanted: Any) -> Expression:
        some = wanted[0] if len(wanted) == 1 and isinstance(wanted[0], list) else list(wanted)

        def is_in(values: Any) -> Any:
            found = pc.is_in(values, value_set=pa.array(some, values.type))
            return pc.if_else(values.is_valid(), found, pa.scalar(None, pa.bool_()))

        return made(is_in, self)

    def startswith(self, beginning: Any) -> Expression:
        return made(begins_with, self, beginning)

    def desc_nulls_last(self) -> SortKey:
        return SortKey(self, True)

    def over(self, window: Any) -> Expression:
        found: Expression = window.over(self)
        return found


class SortKey:
    """An expression that rows are ordered by. Null is lower than any value."""

    def __init__(self, by: Expression, is_falling: bool) -> None:
        self.by: Final = by
        self.is_falling: Final = is_falling


def column(name: str) -> Expression:
    """A column by its name."""
    return Expression(lambda scope: scope.column(name), name.rpartition(".")[2])


def literal(value: Any) -> Expression:
    """The same value in each row."""
    if isinstance(value, Expression):
        return value
    scalar = scalar_of(value)
    return Expression(lambda scope: pa.repeat(scalar, scope.rows), str(value))


def scalar_of(value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return pa.scalar(value)
    if isinstance(value, int):
        return pa.scalar(value, pa.int64())
    if isinstance(value, datetime):
        return pa.scalar(value, STAMP if value.tzinfo is not None else TYPES["timestamp_ntz"])
    if isinstance(value, date):
        return pa.scalar(value, pa.date32())
    if isinstance(value, bytes | bytearray):
        return pa.scalar(bytes(value), pa.binary())
    return pa.scalar(value)


def named(given: Any) -> Expression:
    """An argument of a function: a string is the name of a column there."""
    return column(given) if isinstance(given, str) else literal(given)


def made(calculate: Callable[..., Any], *arguments: Any, name: str = "") -> Expression:
    """The expression that calculates arrays from those of its arguments."""
    inner = [literal(each) for each in arguments]
    return Expression(
        lambda scope: calculate(*(each.evaluate(scope) for each in inner)),
        name,
        any(each.is_aggregate for each in inner),
    )


def alike(arrays: Sequence[Any]) -> list[Any]:
    """Arrays in the one type that holds all of their values."""
    kinds = {each.type for each in arrays if not pa.types.is_null(each.type)}
    if len(kinds) > 1:
        numbers = [k for k in kinds if pa.types.is_integer(k) or pa.types.is_floating(k)]
        if len(numbers) != len(kinds):
            raise ValueError(f"values of other kinds together: {', '.join(map(str, kinds))}")
        is_double = any(pa.types.is_floating(kind) for kind in numbers)
        kinds = {pa.float64() if is_double else pa.int64()}
    kind = kinds.pop() if kinds else pa.null()
    return [converted(each, kind) for each in arrays]


def widened(values: Any) -> Any:
    """Whole numbers in 64 bits."""
    return values.cast(pa.int64()) if pa.types.is_integer(values.type) else values


def arithmetic(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """An operation; ValueError, as on Spark, if a whole number would not fit into 64 bits."""

    def calculate(left: Any, right: Any) -> Any:
        return operation(*alike([widened(left), widened(right)]))

    return calculate


def added(left: Any, right: Any) -> Any:
    if pa.types.is_duration(right.type):
        return pc.add(left, right)
    return arithmetic(pc.add_checked)(left, right)


def divided(left: Any, right: Any) -> Any:
    return pc.divide(converted(left, pa.float64()), converted(right, pa.float64()))


def remainder(left: Any, right: Any) -> Any:
    """Of whole numbers, with the sign of the first."""
    whole = pc.divide(left, right)
    return pc.subtract(left, pc.multiply(whole, right))


def compared(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def calculate(left: Any, right: Any) -> Any:
        one, other = alike([left, right])
        if pa.types.is_null(one.type):
            return pa.nulls(len(one), pa.bool_())
        return operation(one, other)

    return calculate


def begins_with(values: Any, beginnings: Any) -> Any:
    """Whether texts, or bytes, begin so; all with the same beginning."""
    beginning: Any = beginnings[0].as_py() if len(beginnings) else ""
    if pa.types.is_binary(values.type):
        head = pc.binary_slice(values, 0, len(beginning))
        return pc.equal(head, pa.scalar(bytes(beginning), pa.binary()))
    return pc.starts_with(values, beginning)


def part_of(values: Any, key: str | int) -> Any:
    """The field of a struct, the value of a key of a map, the element of a list."""
    if isinstance(key, int):
        return pc.list_element(values, key) if len(values) else values.flatten()
    if pa.types.is_map(values.type):
        return pc.map_lookup(values, pa.scalar(key), "first")
    return pc.struct_field(values, key)


def converted(values: Any, kind: Any) -> Any:
    """Values in another type; numbers lose what is behind the point."""
    if values.type == kind:
        return values
    if pa.types.is_floating(values.type) and pa.types.is_integer(kind):
        finite = pc.if_else(pc.is_finite(values), values, pa.scalar(None, values.type))
        return pc.trunc(finite).cast(kind, safe=False)
    if pa.types.is_timestamp(kind) and pa.types.is_string(values.type):
        return pa.array(
            [None if v is None else np.datetime64(v, "us") for v in values.to_pylist()], kind
        )
    # A double holds any whole number about: what is beyond 53 bits is rounded.
    is_about = pa.types.is_timestamp(kind) or pa.types.is_floating(kind)
    return values.cast(kind, safe=not is_about)
