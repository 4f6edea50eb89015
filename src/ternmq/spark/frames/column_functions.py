"""Functions of columns under the names of PySpark: the `f` of calculations in this process.

Only what our reports and searches use is here; the name of any other raises AttributeError.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, Final, final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ternmq.spark.frames import aggregate_columns as aggregates
from ternmq.spark.frames import java_text
from ternmq.spark.frames.aggregate_columns import aggregate
from ternmq.spark.frames.arrow_arrays import array_of, numbers_of
from ternmq.spark.frames.expression import (
    Expression,
    Scope,
    SortKey,
    alike,
    column,
    converted,
    literal,
    made,
    named,
    widened,
)
from ternmq.spark.frames.row_order import codes_of, ranks_of
from ternmq.spark.frames.window_columns import LastKnown, RowNumber

_WHOLE: Final = pa.scalar(None, pa.int64())

col = column
lit = literal


def of_columns(calculate: Callable[..., Any], *given: Any, name: str = "") -> Expression:
    """A function of columns, which may be given by name."""
    return made(calculate, *(named(each) for each in given), name=name)


def rows_of(calculate: Callable[[list[Any], int], Any], given: Sequence[Any]) -> Expression:
    """A function of columns that also needs to know how many rows there are."""
    inner = [named(each) for each in given]
    return Expression(
        lambda scope: calculate([each.evaluate(scope) for each in inner], scope.rows),
        "",
        any(each.is_aggregate for each in inner),
    )


@final
class Cases(Expression):
    """The value of the first condition that holds."""

    def __init__(self, cases: Sequence[tuple[Expression, Expression]], rest: Any = None) -> None:
        self._cases: Final = cases
        self._rest: Final = literal(rest)
        parts = [part for case in cases for part in case] + [self._rest]
        super().__init__(self._chosen, "", any(part.is_aggregate for part in parts))

    def _chosen(self, scope: Scope) -> Any:
        conditions = [condition.evaluate(scope) for condition, _ in self._cases]
        values = [value.evaluate(scope) for _, value in self._cases]
        *values, found = alike([*values, self._rest.evaluate(scope)])
        for condition, value in reversed(list(zip(conditions, values, strict=True))):
            found = pc.if_else(pc.fill_null(condition, False), value, found)
        return found

    def when(self, condition: Expression, value: Any) -> Cases:
        return Cases([*self._cases, (condition, literal(value))])

    def otherwise(self, value: Any) -> Cases:
        return Cases(self._cases, value)


def when(condition: Expression, value: Any) -> Cases:
    return Cases([(condition, literal(value))])


def coalesce(*given: Any) -> Expression:
    return of_columns(lambda *arrays: pc.coalesce(*alike(arrays)), *given)


def nullif(value: Any, other: Any) -> Expression:
    def calculate(one: Any, two: Any) -> Any:
        values, others = alike([one, two])
        same = pc.fill_null(pc.equal(values, others), False)
        return pc.if_else(same, pa.scalar(None, values.type), values)

    return of_columns(calculate, value, other)


def greatest(*given: Any) -> Expression:
    return of_columns(lambda *arrays: reduce(chosen_by(pc.greater_equal), alike(arrays)), *given)


def least(*given: Any) -> Expression:
    return of_columns(lambda *arrays: reduce(chosen_by(pc.less_equal), alike(arrays)), *given)


def chosen_by(is_better: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The better of two; the other of null. Arrow's own function does not take instants."""

    def choose(one: Any, other: Any) -> Any:
        return pc.coalesce(pc.if_else(is_better(one, other), one, other), one, other)

    return choose


def try_add(left: Any, right: Any) -> Expression:
    """A sum; null where it does not fit into 64 bits."""

    def calculate(one: Any, two: Any) -> Any:
        one, two = alike([widened(one), widened(two)])
        total = pc.add(one, two)
        if not pa.types.is_integer(total.type):
            return total
        # A sum that does not fit has another sign than both of its parts.
        signs = [numbers_of(each) < 0 for each in (one, two, total)]
        fits = (signs[0] != signs[1]) | (signs[0] == signs[2])
        return pc.if_else(array_of(fits), total, _WHOLE)

    return of_columns(calculate, left, right)


def floor(value: Any) -> Expression:
    return of_columns(lambda values: converted(pc.floor(values), pa.int64()), value)


def round(value: Any) -> Expression:
    """To a whole number, halves away from zero."""
    return of_columns(
        lambda values: pc.round(converted(values, pa.float64()), 0, "half_towards_infinity"), value
    )


def abs(value: Any) -> Expression:
    return of_columns(pc.abs, value)


def unix_micros(value: Any) -> Expression:
    return of_columns(lambda values: values.cast(pa.int64()), value)


def make_dt_interval(*, secs: Expression) -> Expression:
    def calculate(seconds: Any) -> Any:
        micros = pc.round(pc.multiply(seconds, 1e6))
        return converted(micros, pa.int64()).cast(pa.duration("us"))

    return made(calculate, secs)


def date_format(value: Any, pattern: str) -> Expression:
    return of_columns(lambda values: java_text.moments(values, pattern), value)


def to_utc_timestamp(value: Any, zone: Any) -> Expression:
    """The same: instants are in UTC here."""
    return named(value)


def current_timezone() -> Expression:
    return literal("UTC")


def concat_ws(separator: str, *given: Any) -> Expression:
    """Texts one after the other, without those that are null."""

    def calculate(arrays: list[Any], rows: int) -> Any:
        # Arrow's own function that skips nulls loses rows in which all are null.
        texts = [each.cast(pa.string()).to_pylist() for each in arrays]
        joined = (separator.join(t for t in row if t is not None) for row in zip(*texts))
        return pa.array(list(joined) if texts else [""] * rows, pa.string())

    return rows_of(calculate, given)


def concat(*given: Any) -> Expression:
    def calculate(*arrays: Any) -> Any:
        return pc.binary_join_element_wise(*(each.cast(pa.string()) for each in arrays), "")

    return of_columns(calculate, *given)


def format_string(pattern: str, *given: Any) -> Expression:
    return rows_of(lambda arrays, rows: java_text.formatted(pattern, arrays, rows), given)


def upper(value: Any) -> Expression:
    return of_columns(pc.utf8_upper, value)


def rtrim(value: Any) -> Expression:
    return of_columns(lambda values: pc.utf8_rtrim(values, " "), value)


def substring(value: Any, start: int, length: int) -> Expression:
    """So many characters; the first is 1."""
    return of_columns(
        lambda values: pc.utf8_slice_codeunits(values, start - 1, start - 1 + length), value
    )


def length(value: Any) -> Expression:
    """Characters of a text, bytes of a binary."""

    def calculate(values: Any) -> Any:
        counted = pc.binary_length if pa.types.is_binary(values.type) else pc.utf8_length
        return counted(values).cast(pa.int64())

    return of_columns(calculate, value)


def regexp_replace(value: Any, pattern: str, other: str) -> Expression:
    return of_columns(lambda values: pc.replace_substring_regex(values, pattern, other), value)


def startswith(value: Any, beginning: Any) -> Expression:
    """Whether values begin as other values do, row by row."""
    both = of_columns(
        lambda one, other: pa.StructArray.from_arrays([one, other], ["a", "b"]), value, beginning
    )

    def begins(pair: dict[str, Any]) -> bool | None:
        known = pair["a"] is not None and pair["b"] is not None
        return pair["a"].startswith(pair["b"]) if known else None

    return of_each(begins, pa.bool_(), both)


def contains(value: Any, part: Any) -> Expression:
    def calculate(values: Any, parts: Any) -> Any:
        return pc.match_substring(values, parts[0].as_py() if len(parts) else "")

    return of_columns(calculate, value, part)


def of_each(change: Callable[[Any], Any], kind: Any, value: Any) -> Expression:
    """A function of each value that is not null, in Python."""
    return of_columns(
        lambda values: pa.array(
            [None if one is None else change(one) for one in values.to_pylist()], kind
        ),
        value,
    )


def hex(value: Any) -> Expression:
    """Bytes, or those of a text, as digits."""
    return of_each(
        lambda one: (one.encode() if isinstance(one, str) else one).hex().upper(),
        pa.string(),
        value,
    )


def unhex(value: Any) -> Expression:
    return of_each(bytes.fromhex, pa.binary(), value)


def decode(value: Any, charset: str) -> Expression:
    return of_each(lambda one: one.decode(charset, "replace"), pa.string(), value)


def struct(*given: Any) -> Expression:
    inner = [named(each) for each in given]
    names = [each.name for each in inner]
    return of_columns(lambda *arrays: pa.StructArray.from_arrays(arrays, names), *inner)


def to_csv(value: Expression) -> Expression:
    def calculate(rows: Any) -> Any:
        lines = [java_text.csv_line(list(row.values())) for row in rows.to_pylist()]
        return pa.array(lines, pa.string())

    return made(calculate, value)


def to_json(value: Expression) -> Expression:
    return made(
        lambda rows: pa.array([java_text.json_line(row) for row in rows.to_pylist()], pa.string()),
        value,
    )


def array_sort(value: Expression) -> Expression:
    """Each list in rising order."""

    def calculate(values: Any) -> Any:
        inside, parents = values.flatten(), pc.list_parent_indices(values)
        codes = codes_of([parents], len(parents))
        order = np.lexsort((ranks_of(inside), codes))
        return aggregates.lists(inside.take(array_of(order)), lengths_of(values))

    return made(calculate, value)


def transform(value: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Each list with its elements changed."""

    def calculate(values: Any) -> Any:
        inside = values.flatten()
        changed = change(column("one")).evaluate(Scope({"one": inside}, len(inside)))
        return aggregates.lists(changed, lengths_of(values))

    return made(calculate, value)


def lengths_of(lists: Any) -> Any:
    return numbers_of(pc.list_value_length(lists))


def array_join(value: Expression, separator: str) -> Expression:
    return made(lambda values: pc.binary_join(values, separator), value)


def broadcast(frame: Any) -> Any:
    """The same: there is nobody to send it to."""
    return frame


def asc(value: Any) -> SortKey:
    return SortKey(named(value), False)


def desc(value: Any) -> SortKey:
    return SortKey(named(value), True)


desc_nulls_last = desc


def row_number() -> Expression:
    return RowNumber()


def last(value: Any, ignorenulls: bool = False) -> Expression:
    """Of a window: the last value that is not null."""
    if not ignorenulls:
        raise ValueError("last is here for values that are not null: ignorenulls=True")
    return LastKnown(named(value))


def sum(value: Any) -> Expression:
    return aggregate(aggregates.total, value)


try_sum = sum


def avg(value: Any) -> Expression:
    return aggregate(aggregates.mean, value)


def count(value: Any) -> Expression:
    return aggregate(aggregates.counted, value)


def countDistinct(value: Any) -> Expression:
    return aggregate(aggregates.counted_distinct, value)


def min(value: Any) -> Expression:
    return aggregate(aggregates.lowest, value)


def max(value: Any) -> Expression:
    return aggregate(aggregates.highest, value)


def max_by(value: Any, by: Any) -> Expression:
    return aggregate(aggregates.highest_by, value, by)


def collect_list(value: Any) -> Expression:
    return aggregate(aggregates.listed, value)


def collect_set(value: Any) -> Expression:
    return aggregate(aggregates.listed_distinct, value)


def percentile_approx(value: Any, share: Any, accuracy: int = 0) -> Expression:
    """Exact, so as accurate as asked for."""
    return aggregate(aggregates.percentiles(share), value)
