"""Aggregates: one value for each group of rows, null where the group has none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from ternmq.spark.frames.arrow_arrays import array_of, is_known, numbers_of
from ternmq.spark.frames.expression import Expression, Scope, converted, named, widened
from ternmq.spark.frames.row_order import Groups, ranks_of, taken

LONG_MAX: Final = 2.0**63


def aggregate(calculate: Callable[..., Any], *arguments: Any) -> Expression:
    """The expression that calculates from arrays of all rows, and their groups."""
    inner = [named(each) for each in arguments]

    def evaluate(scope: Scope) -> Any:
        if scope.groups is None or scope.below is None:
            raise ValueError("an aggregate stands in agg, in select, or over a window")
        below = scope.below
        return calculate(scope.groups, *(each.evaluate(below) for each in inner))

    return Expression(evaluate, inner[0].name if inner else "", True)


def total(groups: Groups, values: Any) -> Any:
    """The sum; null also where it does not fit into 64 bits."""
    if pa.types.is_null(values.type):
        return pa.nulls(groups.count, pa.int64())
    known = is_known(values)
    counts = groups.sums(known.astype(np.int64))
    is_double = pa.types.is_floating(values.type)
    numbers = numbers_of(widened(values))
    found = groups.sums(numbers)
    missing = counts == 0
    if not is_double:
        about = np.abs(groups.sums(numbers.astype(np.float64)))
        for group in np.flatnonzero(about >= LONG_MAX / 2):  # near the limit: exactly
            exact = sum(numbers[groups.codes == group].tolist())
            missing[group] = not -LONG_MAX <= exact < LONG_MAX
    return array_of(found, missing)


def mean(groups: Groups, values: Any) -> Any:
    known = is_known(values)
    numbers = numbers_of(converted(values, pa.float64()))
    counts = groups.sums(known.astype(np.int64))
    found = groups.sums(numbers) / np.maximum(counts, 1)
    return array_of(found, counts == 0)


def counted(groups: Groups, values: Any) -> Any:
    return array_of(groups.sums(is_known(values).astype(np.int64)))


def counted_distinct(groups: Groups, values: Any) -> Any:
    """How many different values."""
    _, own = distinct(groups, values)
    return array_of(np.bincount(own, minlength=groups.count))


def distinct(groups: Groups, values: Any) -> tuple[Any, Any]:
    """A row of each value of each group, and the group."""
    ranks = ranks_of(values)
    rows = np.flatnonzero(ranks >= 0)
    pairs = np.stack((groups.codes[rows], ranks[rows]))
    _, first = np.unique(pairs, axis=1, return_index=True)
    chosen = rows[first]
    return chosen, groups.codes[chosen]


def lowest(groups: Groups, values: Any) -> Any:
    ranks = ranks_of(values)
    order = groups.ordered_by(np.where(ranks < 0, np.iinfo(np.int64).max, ranks))
    return ends(groups, values, order, groups.starts[:-1], ranks)


def highest(groups: Groups, values: Any) -> Any:
    return highest_by(groups, values, values)


def highest_by(groups: Groups, values: Any, by: Any) -> Any:
    """The value in the row where another column is highest."""
    ranks = ranks_of(by)
    return ends(groups, values, groups.ordered_by(ranks), groups.starts[1:] - 1, ranks)


def ends(groups: Groups, values: Any, order: Any, places: Any, ranks: Any) -> Any:
    """Values at one end of each group, if there is any."""
    if not len(order):
        return pa.nulls(groups.count, values.type)
    rows = order[places]
    return taken(values, rows, ranks[rows] >= 0)


def listed(groups: Groups, values: Any) -> Any:
    """All values that are not null, in the order of rows."""
    known = is_known(values)[groups.order]
    lengths = np.bincount(groups.codes[groups.order][known], minlength=groups.count)
    return lists(values.take(array_of(groups.order[known])), lengths)


def listed_distinct(groups: Groups, values: Any) -> Any:
    rows, own = distinct(groups, values)
    lengths = np.bincount(own, minlength=groups.count)
    return lists(values.take(array_of(rows)), lengths)


def lists(values: Any, lengths: Any) -> Any:
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    return pa.ListArray.from_arrays(array_of(offsets), values)


def percentiles(wanted: float | Sequence[float]) -> Callable[[Groups, Any], Any]:
    """Values below or at which so large shares of a group are: each one that was measured."""
    shares = [wanted] if isinstance(wanted, int | float) else list(wanted)

    def calculate(groups: Groups, values: Any) -> Any:
        ranks = ranks_of(values)
        order = groups.ordered_by(ranks)
        counts = groups.sums((ranks >= 0).astype(np.int64))
        ended = groups.starts[1:]
        found = []
        for share in shares:
            place = np.array([max(math.ceil(share * int(n)), 1) for n in counts], np.int64)
            rows = order[ended - counts + place - 1] if len(order) else np.zeros(0, np.int64)
            found.append(
                taken(values, rows, counts > 0)
                if len(order)
                else pa.nulls(groups.count, values.type)
            )
        if isinstance(wanted, int | float):
            return found[0]
        together = pa.concat_arrays(found)
        across = np.arange(groups.count)[:, None] + np.arange(len(shares)) * groups.count
        return lists(
            together.take(array_of(across.reshape(-1))),
            np.full(groups.count, len(shares)),
        )

    return calculate
