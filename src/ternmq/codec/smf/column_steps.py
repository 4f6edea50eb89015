"""Columns of a section joined to steps, each of which makes many cells at once.

A line of a task has 500 cells, nearly all of them zero: a call for each would take longer than
everything else. Numbers beside each other are taken with one call, so are durations, and arrays
that are all zeros are known by their being so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from operator import itemgetter
from typing import Final

from ternmq.codec.smf.clock_values import UNITS_US
from ternmq.codec.smf.heading import ARRAY, LENGTH, NUMBER, Cell, Column
from ternmq.codec.smf.section_layout import Values

Step = Callable[[Values], Iterable[Cell]]

_US_PER_S: Final = 1_000_000
_NO_TIME: Final = (0, 0)


def steps_of(columns: list[Column], there: Iterable[str]) -> list[Step]:
    """The steps for sections that have these fields; columns of others are empty."""
    known = set(there)
    steps: list[Step] = []
    for (shape, is_there), run in groupby(columns, key=lambda c: (c.shape, c.needs in known)):
        own = list(run)
        if not is_there:
            steps.append(constant(("",) * sum(len(column.headings) for column in own)))
        elif shape == NUMBER:
            steps.append(numbers([column.needs for column in own]))
        elif shape == LENGTH:
            steps.append(durations([column.needs for column in own]))
        elif shape == ARRAY:
            steps.append(arrays(own))
        else:
            steps += [column.cells for column in own]
    return steps


def constant(cells: tuple[Cell, ...]) -> Step:
    """The same cells always."""

    def step(values: Values) -> Iterable[Cell]:
        return cells

    return step


def numbers(names: list[str]) -> Step:
    """Fields as they are."""
    get = itemgetter(*names)

    def one(values: Values) -> Iterable[Cell]:
        return (get(values),)

    return one if len(names) == 1 else get


def durations(names: list[str]) -> Step:
    """Seconds and microseconds of each."""

    def step(values: Values) -> Iterable[Cell]:
        cells: list[int] = []
        for name in names:
            units = values[name]
            cells += divmod(units // UNITS_US, _US_PER_S) if units else _NO_TIME  # type: ignore[operator]
        return cells

    return step


def arrays(columns: list[Column]) -> Step:
    """Numbers of arrays, which may take turns."""
    names = list(dict.fromkeys(column.needs for column in columns))
    zeros: tuple[Cell, ...] = (0,) * sum(len(column.headings) for column in columns)

    def step(values: Values) -> Iterable[Cell]:
        if not any(any(values[name]) for name in names):  # type: ignore[arg-type]
            return zeros
        return [cell for column in columns for cell in column.cells(values)]

    return step
