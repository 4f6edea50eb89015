"""A frame: rows in Arrow columns, with the methods of a DataFrame that our calculations use.

Every method works at once and returns a new frame. Names of methods are those of PySpark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from ternmq.spark.frames.arrow_arrays import array_of, is_known, numbers_of
from ternmq.spark.frames.expression import STAMP, Expression, Scope, alike, column, literal, named
from ternmq.spark.frames.row_order import Groups, Places, codes_of, taken
from ternmq.spark.frames.window_columns import sort_key, sorted_rows

_KINDS: Final = (
    (pa.types.is_binary, "binary"),
    (pa.types.is_string, "string"),
    (pa.types.is_date, "date"),
    (pa.types.is_floating, "double"),
    (pa.types.is_boolean, "boolean"),
    (pa.types.is_map, "map"),
    (pa.types.is_struct, "struct"),
)


class Row(dict[str, Any]):
    """One row that has left its frame."""

    def asDict(self) -> dict[str, Any]:
        return dict(self)


class Frame:
    """Rows."""

    isStreaming: Final = False

    def __init__(self, columns: Mapping[str, Any], rows: int) -> None:
        self._columns: Final = dict(columns)
        self._rows: Final = rows

    @staticmethod
    def of(table: Any) -> Frame:
        """The rows of an Arrow table."""
        return Frame(
            {name: whole(table.column(name)) for name in table.column_names}, table.num_rows
        )

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    @property
    def dtypes(self) -> list[tuple[str, str]]:
        """Names of columns and of their types."""
        return [(name, kind_of(values.type)) for name, values in self._columns.items()]

    @property
    def schema(self) -> Any:
        return self.arrow().schema

    def arrow(self) -> Any:
        """The rows as an Arrow table."""
        return pa.table(self._columns)

    def _scope(self) -> Scope:
        return Scope(self._columns, self._rows)

    def _at(self, places: Places) -> Frame:
        chosen = array_of(places)
        return Frame({n: v.take(chosen) for n, v in self._columns.items()}, len(places))

    def _expressions(self, given: Sequence[Any]) -> list[Expression]:
        found: list[Expression] = []
        for each in given:
            if isinstance(each, str) and each == "*":
                found += [column(name) for name in self._columns]
            else:
                found.append(named(each))
        return found

    def select(self, *given: Any) -> Frame:
        chosen = self._expressions(given)
        scope = self._scope()
        if any(each.is_aggregate for each in chosen):
            groups = Groups(np.zeros(self._rows, np.int64), 1)
            scope = Scope({}, 1, groups, scope)
        return Frame({each.name: each.evaluate(scope) for each in chosen}, scope.rows)

    def withColumn(self, name: str, value: Expression) -> Frame:
        return Frame({**self._columns, name: value.evaluate(self._scope())}, self._rows)

    def drop(self, *names: str) -> Frame:
        kept = {name: values for name, values in self._columns.items() if name not in names}
        return Frame(kept, self._rows)

    def where(self, condition: Expression) -> Frame:
        holds = condition.evaluate(self._scope()).fill_null(False)
        return self._at(np.flatnonzero(numbers_of(holds)))

    def orderBy(self, *keys: Any) -> Frame:
        return self._at(sorted_rows(self._scope(), [sort_key(each) for each in keys]))

    def limit(self, count: int) -> Frame:
        return self._at(np.arange(min(count, self._rows)))

    def groupBy(self, *keys: Any) -> Grouped:
        return Grouped(self._scope(), self._expressions(keys))

    def distinct(self) -> Frame:
        return self.dropDuplicates(self.columns)

    def dropDuplicates(self, names: Sequence[str]) -> Frame:
        codes = codes_of([self._columns[name] for name in names], self._rows)
        return self._at(np.sort(np.unique(codes, return_index=True)[1]))

    def unionByName(self, other: Frame) -> Frame:
        found = {}
        for name, values in self._columns.items():
            found[name] = pa.concat_arrays(alike([values, other._columns[name]]))
        return Frame(found, self._rows + other._rows)

    def join(self, other: Frame, on: Sequence[str], how: str = "inner") -> Frame:
        """Rows with those of another that have the same keys; `left` keeps rows without one."""
        mine, others = matches(self, other, on)
        if how == "left":
            alone = np.setdiff1d(np.arange(self._rows), mine)
            mine = np.concatenate((mine, alone))
            others = np.concatenate((others, np.full(len(alone), -1)))
        order = np.argsort(mine, kind="stable")
        mine, others = mine[order], others[order]
        joined = self._at(mine)._columns
        for name, values in other._columns.items():
            if name not in on:
                known = others >= 0
                empty = not len(values)
                joined[name] = (
                    pa.nulls(len(mine), values.type) if empty else taken(values, others, known)
                )
        return Frame(joined, len(mine))

    def mapInArrow(self, change: Callable[[Iterator[Any]], Iterator[Any]], schema: Any) -> Frame:
        table = self.arrow()
        batches = list(change(iter(table.to_batches())))
        return Frame.of(pa.Table.from_batches(batches, table.schema))

    def count(self) -> int:
        return self._rows

    def collect(self) -> list[Row]:
        columns = [values.to_pylist(**maps(values)) for values in self._columns.values()]
        names = list(self._columns)
        return [Row(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def first(self) -> Row | None:
        return next(iter(self.limit(1).collect()), None)

    def toLocalIterator(self) -> Iterator[Row]:
        return iter(self.collect())


class Grouped:
    """Rows by keys."""

    def __init__(self, scope: Scope, keys: Sequence[Expression]) -> None:
        self._scope: Final = scope
        self._keys: Final = {key.name: key.evaluate(scope) for key in keys}

    def agg(self, *aggregates: Expression) -> Frame:
        codes = codes_of(list(self._keys.values()), self._scope.rows)
        groups = Groups(codes, int(codes.max(initial=-1)) + 1)
        first = array_of(groups.order[groups.starts[:-1]])
        keys = {name: values.take(first) for name, values in self._keys.items()}
        scope = Scope(keys, groups.count, groups, self._scope)
        found = {each.name: each.evaluate(scope) for each in aggregates}
        return Frame({**keys, **found}, groups.count)

    def count(self) -> Frame:
        from ternmq.spark.frames.column_functions import count

        return self.agg(count(literal(1)).alias("count"))


def matches(left: Frame, right: Frame, on: Sequence[str]) -> tuple[Places, Places]:
    """Pairs of rows whose keys are the same and not null."""
    keys = [pa.concat_arrays(alike([left._columns[n], right._columns[n]])) for n in on]
    codes = codes_of(keys, left._rows + right._rows)
    known = np.logical_and.reduce([is_known(key) for key in keys])
    mine, theirs = np.split(np.where(known, codes, -1), [left._rows])
    order = np.argsort(theirs, kind="stable")
    begun = np.searchsorted(theirs[order], mine, "left")
    ended = np.where(mine < 0, begun, np.searchsorted(theirs[order], mine, "right"))
    counts = ended - begun
    rows = np.repeat(np.arange(left._rows), counts)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    return rows, order[np.repeat(begun, counts) + within]


def whole(values: Any) -> Any:
    """A column in one piece, and times in the one unit that there is here."""
    found = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if isinstance(found, pa.ChunkedArray):
        found = pa.concat_arrays(found.chunks) if found.num_chunks else pa.nulls(0, found.type)
    if pa.types.is_timestamp(found.type) and found.type.unit != "us":
        return found.cast(pa.timestamp("us", found.type.tz), safe=False)
    return found


def kind_of(kind: Any) -> str:
    """Spark's name of a type, as far as anybody asks."""
    if pa.types.is_timestamp(kind):
        return "timestamp" if kind == STAMP else "timestamp_ntz"
    return next((name for is_kind, name in _KINDS if is_kind(kind)), "bigint")


def maps(values: Any) -> dict[str, Any]:
    return {"maps_as_pydicts": "strict"} if pa.types.is_map(values.type) else {}
