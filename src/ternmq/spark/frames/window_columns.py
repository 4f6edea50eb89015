"""Windows: a value for each row from the rows that have something in common with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np

from ternmq.spark.frames.arrow_arrays import array_of, is_known
from ternmq.spark.frames.expression import Expression, Scope, SortKey, named
from ternmq.spark.frames.row_order import Groups, Places, codes_of, ranks_of, taken


class Ordered(Expression):
    """An expression that needs the order of the rows: of groups, and of the rows in them."""

    def calculate(self, scope: Scope, groups: Groups, order: Places) -> Any:
        raise NotImplementedError


@final
class RowNumber(Ordered):
    """1 for the first row of each group."""

    def __init__(self) -> None:
        super().__init__(outside, "row_number")

    def calculate(self, scope: Scope, groups: Groups, order: Places) -> Any:
        numbers = np.empty(len(order), np.int64)
        numbers[order] = np.arange(len(order)) - groups.starts[groups.codes[order]] + 1
        return array_of(numbers)


@final
class LastKnown(Ordered):
    """The last value up to each row that is not null."""

    def __init__(self, of: Expression) -> None:
        super().__init__(outside, of.name)
        self._of: Final = of

    def calculate(self, scope: Scope, groups: Groups, order: Places) -> Any:
        values = self._of.evaluate(scope)
        known = is_known(values)[order]
        latest = np.maximum.accumulate(np.where(known, np.arange(len(order)), -1))
        begun = groups.starts[groups.codes[order]]
        rows = np.empty(len(order), np.int64)
        rows[order] = np.where(latest >= begun, order[np.maximum(latest, 0)], -1)
        return taken(values, rows, rows >= 0)


def outside(scope: Scope) -> Any:
    raise ValueError("this function is for windows: .over(...)")


class Window:
    """Which rows, and in which order."""

    def __init__(self, partition: Sequence[Any] = (), order: Sequence[Any] = ()) -> None:
        self._partition: Final = [named(each) for each in partition]
        self._order: Final = [sort_key(each) for each in order]

    @staticmethod
    def partitionBy(*columns: Any) -> Window:
        return Window(columns)

    def orderBy(self, *columns: Any) -> Window:
        return Window(self._partition, columns)

    def over(self, inner: Expression) -> Expression:
        """The expression for each row."""

        def evaluate(scope: Scope) -> Any:
            keys = [each.evaluate(scope) for each in self._partition]
            codes = codes_of(keys, scope.rows)
            groups = Groups(codes, int(codes.max(initial=-1)) + 1)
            if isinstance(inner, Ordered):
                order = sorted_rows(scope, self._order, groups.codes)
                return inner.calculate(scope, groups, order)
            found = inner.evaluate(Scope({}, groups.count, groups, scope))
            return found.take(array_of(codes))

        return Expression(evaluate, inner.name)


def sort_key(given: Any) -> SortKey:
    return given if isinstance(given, SortKey) else SortKey(named(given), False)


def sorted_rows(scope: Scope, keys: Sequence[SortKey], codes: Places | None = None) -> Places:
    """Rows in the order of keys; of groups, if there are codes."""
    columns = [] if codes is None else [codes]
    for key in keys:
        ranks = ranks_of(key.by.evaluate(scope))
        columns.append(-ranks if key.is_falling else ranks)
    return np.lexsort(columns[::-1]).astype(np.int64) if columns else np.arange(scope.rows)
