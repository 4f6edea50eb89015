"""Order and groups of rows: ranks of values, codes of keys, the rows of each group.

A rank is 0 for the lowest value, the same for equal values, -1 for null: so nulls come first in
rising order and last in falling order, as Spark has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ternmq.spark.frames.arrow_arrays import array_of, is_known, numbers_of

Places = npt.NDArray[np.int64]


def ranks_of(values: Any) -> Places:
    """The rank of each value."""
    kind = values.type
    if pa.types.is_null(kind) or not len(values):
        return np.full(len(values), -1, np.int64)
    if pa.types.is_struct(kind):
        fields = [pc.struct_field(values, n) for n in range(kind.num_fields)]
        ranks = codes_of(fields, len(values))
        return np.where(is_known(values), ranks, -1)
    if pa.types.is_boolean(kind):
        values = values.cast(pa.int8())
    ranked = numbers_of(pc.rank(values, sort_keys="ascending", tiebreaker="dense"))
    return np.where(is_known(values), ranked.astype(np.int64) - 1, -1)


def codes_of(keys: Sequence[Any], rows: int) -> Places:
    """A number for each row, the same for rows whose keys are all the same, in the order of keys.
    Null is a key like others."""
    codes = np.zeros(rows, np.int64)
    for key in keys:
        ranks = ranks_of(key) + 1
        codes = codes * (int(ranks.max(initial=0)) + 1) + ranks
        codes = np.unique(codes, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return codes


@final
class Groups:
    """Rows by a code: which belong together."""

    def __init__(self, codes: Places, count: int) -> None:
        self.codes: Final = codes
        self.count: Final = count
        self.order: Final[Places] = np.argsort(codes, kind="stable").astype(np.int64)
        self.starts: Final[Places] = np.searchsorted(
            codes[self.order], np.arange(count + 1)
        ).astype(np.int64)

    def ordered_by(self, ranks: Places) -> Places:
        """Rows group by group, within a group by rank."""
        return np.lexsort((ranks, self.codes)).astype(np.int64)

    def sums(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The sum of each group."""
        if not len(values) or not self.count:
            return np.zeros(self.count, values.dtype)
        found: npt.NDArray[Any] = np.add.reduceat(values[self.order], self.starts[:-1])
        return found


def taken(values: Any, places: Places, is_there: npt.NDArray[np.bool_]) -> Any:
    """Values at some places; null where there is no place."""
    return values.take(array_of(np.where(is_there, places, 0), ~is_there))
