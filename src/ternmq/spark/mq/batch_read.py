"""Batch reads of the source: `spark.read.format("mq")`.

What a filter says about queue and number narrows what is read of a stream, and what it says about
column `property` becomes a selector (option pushFilters, which needs the setting
spark.sql.python.filterPushdown.enabled). Spark applies all filters again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from pyspark.sql.datasource import (
    DataSourceReader,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
    LessThan,
    LessThanOrEqual,
)

from ternmq.api.connection import Connection
from ternmq.spark.mq.browse_read import browsed, drained
from ternmq.spark.mq.limits import divided
from ternmq.spark.mq.mq_options import DRAIN, STREAM, SourceOptions
from ternmq.spark.mq.positions import EARLIEST, LATEST, NUMBER_MAX, TIME
from ternmq.spark.mq.property_filters import narrowed
from ternmq.spark.mq.queue_streams import HINT, DataLoss, Range, bounds_of, number_at, queues_of
from ternmq.spark.mq.range_tasks import read_ranges
from ternmq.spark.mq.spark_connection import connect
from ternmq.values.status import Bounds


class RangePartition(InputPartition):
    """Messages that one task reads from streams."""

    def __init__(self, ranges: list[Range]) -> None:
        super().__init__(None)
        self.ranges: Final = ranges


class QueuePartition(InputPartition):
    """A queue that one task browses or drains."""

    def __init__(self, queue: str) -> None:
        super().__init__(None)
        self.queue: Final = queue


class LyingPartition(InputPartition):
    """Messages on a queue that its stream does not have, which one task browses. A stream that
    begins with the earliest message has them too: a new cursor brings them in."""

    def __init__(self, messages: Range) -> None:
        super().__init__(None)
        self.messages: Final = messages


class MqReader(DataSourceReader):
    """Reads what is there."""

    def __init__(self, options: SourceOptions) -> None:
        self.options: Final = options
        self.only: set[str] | None = None  # the queues that filters leave
        self.first = 0
        self.end = NUMBER_MAX
        self.selector = options.selector  # with what filters say

    def partitions(self) -> Sequence[InputPartition]:
        options = self.options
        with connect(options.connection) as connection:
            names = queues_of(connection, options)
            if self.only is not None:
                names = [name for name in names if name in self.only]
            if options.mode != STREAM:
                tasks = options.partitions_min if options.mode == DRAIN else 1
                return [QueuePartition(name) for name in names for _ in range(max(tasks, 1))]
            read = [self.ranges_of(connection, name) for name in names]
        ranges = [one for one, _ in read if one is not None]
        lying = [one for _, one in read if one is not None and one.first < one.end]
        tasks = options.partitions_min
        parts = divided(
            [one for one in ranges if one.first < one.end],
            tasks or os.cpu_count() or 1,
            bool(tasks),
        )
        return [*map(LyingPartition, lying), *map(RangePartition, parts)]

    def ranges_of(self, connection: Connection, queue: str) -> tuple[Range | None, Range | None]:
        """What is to be read of one queue: of its stream, and of what else is on it."""
        start = self.options.position_of(queue)
        end = self.options.position_of(queue, at_end=True)
        bounds = bounds_of(connection, queue)
        if bounds is None:
            if start.word != EARLIEST or end.word != LATEST:
                raise ValueError(
                    f"{queue} has no stream, as it has neither a cursor nor RETAIN; mode=browse "
                    "reads what is on it"
                )
            return None, Range(queue, 0, self.first, self.end)
        last = number_at(connection, queue, bounds, end)
        read = self.range_of(connection, queue, bounds, last)
        if start.word != EARLIEST or bounds.lying >= bounds.earliest:
            return read, None
        if end.word == TIME and last == bounds.earliest:
            return read, None  # the time may be before what is there, too
        last = min(last, bounds.earliest, self.end)
        return read, Range(queue, bounds.incarnation, max(self.first, bounds.lying), last)

    def range_of(self, connection: Connection, queue: str, bounds: Bounds, end: int) -> Range:
        """What is to be read of one queue's stream."""
        options = self.options
        first = number_at(connection, queue, bounds, options.position_of(queue))
        if end > bounds.next:
            raise ValueError(
                f"option endingOffsets: {end} is beyond the stream of {queue}, whose next message "
                f"is {bounds.next}"
            )
        if first < bounds.earliest and options.fail_on_loss:
            raise DataLoss(
                f"the stream of {queue} begins with {bounds.earliest}, {first} is gone; {HINT}"
            )
        first = max(first, bounds.earliest, self.first)
        return Range(queue, bounds.incarnation, first, max(first, min(end, self.end)))

    def read(self, partition: InputPartition) -> Iterator[Any]:
        if isinstance(partition, RangePartition):
            return read_ranges(self.options, partition.ranges, self.selector)
        if isinstance(partition, LyingPartition):
            some = partition.messages
            numbers = some.first, some.end, some.incarnation
            return browsed(self.options, some.queue, self.selector, *numbers)
        if not isinstance(partition, QueuePartition):
            return iter(())
        if self.options.mode == DRAIN:
            return drained(self.options, partition.queue)
        return browsed(self.options, partition.queue, self.selector)


class MqFilteringReader(MqReader):
    """The same, for sessions that hand filters to sources. Without the setting Spark refuses a
    reader that could take them."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        names = ("topic", "offset") if self.options.is_kafka else ("queue", "seq")
        if self.options.mode != DRAIN:  # what a filter leaves out must not be taken, nor left out
            for one in filters:
                self.narrow(one, *names)
            self.selector = narrowed(self.selector, filters, self.options.property_fields)
        return filters

    def narrow(self, one: Filter, queue: str, number: str) -> None:
        """Leave out what a filter leaves out; filters of other columns say nothing here."""
        if isinstance(one, EqualTo | In) and one.attribute == (queue,):
            given = one.value if isinstance(one, In) else (one.value,)
            self.keep({str(value) for value in given})
        elif isinstance(
            one, EqualTo | LessThan | LessThanOrEqual | GreaterThan | GreaterThanOrEqual
        ):
            if one.attribute == (number,):
                value = int(one.value)
                is_open = isinstance(one, LessThan | LessThanOrEqual)
                self.first = max(self.first, 0 if is_open else value + isinstance(one, GreaterThan))
                if isinstance(one, EqualTo) or is_open:
                    self.end = min(self.end, value + (not isinstance(one, LessThan)))

    def keep(self, queues: set[str]) -> None:
        self.only = queues if self.only is None else self.only & queues
