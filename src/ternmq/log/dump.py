"""The log as text, for people and tools. What a payload means is told by the caller."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ternmq.log.kinds import kind_name
from ternmq.log.reader import LogReader
from ternmq.log.record import FIRST_OF_BATCH, LogRecord

# Given a record, what its payload says, in one line.
Describe = Callable[[LogRecord], str]


def describe_nothing(record: LogRecord) -> str:
    """The describer for those who only want headers."""
    return ""


def dump_record(record: LogRecord, describe: Describe) -> dict[str, int | str]:
    """One record as plain values."""
    return {
        "lsn": record.lsn,
        "kind": kind_name(record.kind),
        "uow": record.uow,
        "previous": record.previous,
        "length": record.end_lsn - record.lsn,
        "epoch": record.epoch,
        "batch": record.flags & FIRST_OF_BATCH,
        "text": describe(record),
    }


def dump_records(
    reader: LogReader, start_lsn: int, describe: Describe
) -> Iterator[dict[str, int | str]]:
    """All records from `start_lsn` on as plain values; damage raises as in `reader`."""
    for record in reader.records(start_lsn):
        yield dump_record(record, describe)


def dump_lines(reader: LogReader, start_lsn: int, describe: Describe) -> Iterator[str]:
    """All records from `start_lsn` on, a line each; a new batch is marked with '*'."""
    for record in reader.records(start_lsn):
        mark = "*" if record.flags & FIRST_OF_BATCH else " "
        line = (
            f"{mark}{record.lsn:>14} {kind_name(record.kind):<14} uow {record.uow}"
            f" previous {record.previous} length {record.end_lsn - record.lsn}"
            f" epoch {record.epoch} {describe(record)}"
        )
        yield line.rstrip()
