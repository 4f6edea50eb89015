"""What a task of the source does: connect, read its ranges, and give Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from ternmq.spark.mq.message_arrow import BatchMaker, messages_of
from ternmq.spark.mq.mq_options import SourceOptions
from ternmq.spark.mq.queue_streams import Range, blocks_in
from ternmq.spark.mq.spark_connection import connect


def read_ranges(
    options: SourceOptions, ranges: list[Range], selector: str | None = None
) -> Iterator[pa.RecordBatch]:
    """The messages of ranges that match the selector of the options, or this one, as batches."""
    if selector is None:
        selector = options.selector
    with connect(options.connection, reconnect=True) as connection:
        maker = BatchMaker(options, connection.name)
        for part in ranges:
            for blocks in blocks_in(connection, part, not options.fail_on_loss, selector):
                yield maker.batch(messages_of(blocks, part.queue))
