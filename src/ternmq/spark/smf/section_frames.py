"""Sections of SMF dumps as frames of this process: what small reports read, without Spark.

The readers of rows are those of the source `mqsmf`, so the columns and values are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ternmq.spark.frames.frame import Frame
from ternmq.spark.smf.dump_files import AUTO, find_files, open_file
from ternmq.spark.smf.dump_reading import batches_for, pieces_of
from ternmq.spark.smf.ranges import SPLIT_BYTES, ranges_of
from ternmq.spark.smf.record_headers import kinds_of
from ternmq.spark.smf.record_walk import Piece
from ternmq.spark.smf.section_arrow import ARROW_TYPES
from ternmq.spark.smf.section_columns import all_columns


def bytes_of(dumps: Sequence[str]) -> int:
    """How many bytes of records some dumps have. ValueError if there is no such dump."""
    return sum(file.length for file in find_files(list(dumps)))


def pieces(dumps: Sequence[str]) -> Iterator[tuple[str, Piece]]:
    """All records of some dumps, file by file."""
    for each in ranges_of(find_files(list(dumps)), AUTO, SPLIT_BYTES):
        opened = open_file(each.path)
        try:
            for piece in pieces_of(opened, each):
                yield each.path, piece
        finally:
            opened.close()


def section_frames(dumps: Sequence[str], sections: Sequence[str]) -> dict[str, Frame]:
    """The sections of dumps; one that does not occur is there, and empty."""
    found: dict[str, list[Any]] = {name: [] for name in sections}
    makers = {name: batches_for(name) for name in sections}
    for path, piece in pieces(dumps):
        for name, batches_of in makers.items():
            found[name] += batches_of(piece, path)
    return {
        name: Frame.of(pa.Table.from_batches(batches, batches[0].schema if batches else none(name)))
        for name, batches in found.items()
    }


def none(section: str) -> Any:
    """The columns of a section that does not occur."""
    return pa.schema([(name, ARROW_TYPES[kind]) for name, kind in all_columns(section)])


def record_counts(dumps: Sequence[str]) -> dict[tuple[int, int], int]:
    """How many records of each type and subtype there are in dumps."""
    counts: dict[tuple[int, int], int] = {}
    for _, piece in pieces(dumps):
        kinds, numbers = np.unique(np.stack(kinds_of(piece.records)), axis=1, return_counts=True)
        for kind, subtype, number in zip(*kinds.tolist(), numbers.tolist(), strict=True):
            counts[kind, subtype] = counts.get((kind, subtype), 0) + number
    return counts
