"""A batch of a topic: the retained publications of the topics that match, as they are now.

One task subscribes for as long as it takes, and asks for them; a subscription that is made for
requests gets nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition

from ternmq.spark.mq.browse_read import batches
from ternmq.spark.mq.message_arrow import BatchMaker
from ternmq.spark.mq.mq_options import SourceOptions
from ternmq.spark.mq.spark_connection import connect

WAIT_S: Final = 30.0  # for a publication that the queue manager says it has sent


class RetainedReader(DataSourceReader):
    """Reads what is retained."""

    def __init__(self, options: SourceOptions) -> None:
        self.options: Final = options

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(0)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return retained(self.options)


def retained(options: SourceOptions) -> Iterator[pa.RecordBatch]:
    """The retained publications that match topic and selector."""
    with (
        connect(options.connection) as connection,
        connection.subscribe(
            options.topic, on_request=True, selector=options.selector
        ) as subscription,
    ):
        maker = BatchMaker(options, connection.name)
        count = subscription.request_publications()
        sent = islice(subscription.consume(wait=WAIT_S), count)
        yield from batches(maker, subscription.queue_name, sent)
