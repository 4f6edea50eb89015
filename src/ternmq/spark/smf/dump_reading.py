"""Reads ranges of SMF dumps into Arrow batches; what a task of the source does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow.compute as pc

from ternmq.codec.smf.framing import RDW
from ternmq.spark.smf.dump_files import Bytes, open_file
from ternmq.spark.smf.log_segments import SegmentBytes
from ternmq.spark.smf.ranges import LOST_FORM, Range
from ternmq.spark.smf.raw_records import record_batches
from ternmq.spark.smf.record_headers import no_records
from ternmq.spark.smf.record_walk import SAMPLE_BYTES, TRUNCATED, Fault, Piece, Walk
from ternmq.spark.smf.rejects import INTERNAL, reject_batches
from ternmq.spark.smf.section_columns import RECORDS, REJECTS
from ternmq.spark.smf.section_rows import reader_of
from ternmq.spark.smf.smf_options import SmfOptions

# Rows of a piece of a file.
Batches = Callable[[Piece, str], Iterator[Any]]


def read_ranges(ranges: list[Range], options: SmfOptions) -> Iterator[Any]:
    """The rows of some ranges."""
    for each in ranges:
        opened = open_file(each.path)
        try:
            for piece in pieces_of(opened, each):
                yield from batches_of(piece, each.path, options)
        finally:
            opened.close()


def pieces_of(opened: Bytes, each: Range) -> Iterator[Piece]:
    """The pieces of a range; a file of no known form is walked as if it had RDWs, up to where it
    makes no sense, which is its beginning."""
    form = RDW if each.form == LOST_FORM else each.form
    yield from Walk(opened.read_at, form, each.start, each.end).pieces()
    if each.includes_rest and isinstance(opened, SegmentBytes) and opened.rest:
        rest = opened.rest
        words = "the segment ends within a block, or the block is damaged"
        fault = Fault(each.end, len(rest), TRUNCATED, words, rest[:SAMPLE_BYTES])
        yield Piece(no_records(), [fault])


def batches_of(piece: Piece, path: str, options: SmfOptions) -> Iterator[Any]:
    """The rows of a piece: of a section, or what could not be read."""
    if options.section == REJECTS or options.is_strict:
        for batch in reject_batches(piece, path):
            wrong = batch.filter(pc.not_equal(batch.column("Reason"), INTERNAL))
            if options.is_strict and wrong.num_rows:
                raise ValueError(first_of(wrong, path))
            if options.section == REJECTS:
                yield batch.select(list(options.names))
    if options.section == RECORDS:
        for batch in record_batches(piece, path):
            yield batch.select(list(options.names))
    elif options.section != REJECTS:
        reader = reader_of(options.section, options.names, options.default_zone)
        yield from reader.batches(piece.records, path)


def batches_for(section: str, zone: str = "") -> Batches:
    """What makes whole rows of a section, or of `_rejects` or `_records`."""
    if section == REJECTS:
        return reject_batches
    if section == RECORDS:
        return record_batches
    reader = reader_of(section, (), zone)

    def batches(piece: Piece, path: str) -> Iterator[Any]:
        return reader.batches(piece.records, path)

    return batches


def first_of(batch: Any, path: str) -> str:
    """The first thing that could not be read, in words."""
    row = batch.slice(0, 1).to_pylist()[0]
    return f"{path} at byte {row['Record_Position']}: {row['Reason']}: {row['Detail']}"
