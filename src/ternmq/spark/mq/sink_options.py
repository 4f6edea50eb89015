"""The options of the sink `mq`, checked; those about the connection are the source's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

from ternmq.base.names import is_name
from ternmq.spark.mq.mq_options import (
    CONNECTION_OPTIONS,
    KAFKA,
    NONE,
    OF_KAFKA,
    ConnectionOptions,
    Option,
    names_of,
)
from ternmq.spark.option_words import check_names, lowered, number, one_of, yes_or_no
from ternmq.values.batch import BATCH_MAX, check_owner

EXACTLY_ONCE: Final = "exactly-once"
AT_LEAST_ONCE: Final = "at-least-once"
DEFAULT: Final = "default"
ALL: Final = "all"
UNIT_MESSAGES: Final = 5000  # a queue manager allows 10,000 unless MAXUMSGS says otherwise
UNIT_BYTES: Final = 32 << 20
UNIT_BYTES_MIN: Final = 1 << 16

SINK_OPTIONS: Final = (
    Option("queue", "column `queue`", "where to put all rows"),
    Option("topic", "column `topic`", "or the topic string on which all rows are published"),
    Option("retain", "`false`", "of topics: `true` keeps the last publication of each"),
    Option("delivery", f"`{EXACTLY_ONCE}`", f"or `{AT_LEAST_ONCE}`: nothing is held in doubt"),
    Option("owner", "the query's id", "of a batch: under whose name the ledger has it"),
    Option("batchId", "", "of a batch, with `owner`: its number, so that it is written once"),
    Option("context", f"`{DEFAULT}`", f"`{ALL}`: columns say who put the message and when"),
    Option("compat", "`none`", "`kafka`: columns as Kafka's sink has them"),
    Option("maxMessagesPerUnit", str(UNIT_MESSAGES), "of one unit of work; below MAXUMSGS"),
    Option("maxBytesPerUnit", str(UNIT_BYTES), "of one unit of work, about"),
)
# What Spark itself passes on with the options of a writer.
_SPARKS: Final = (Option("checkpointLocation", "", ""), Option("queryName", "", ""))


@final
class SinkOptions:
    """What a user asked for. ValueError says which option is wrong, and what it may be."""

    def __init__(self, given: Mapping[str, str], is_stream: bool) -> None:
        check_names(given, names_of(*CONNECTION_OPTIONS, *SINK_OPTIONS, *_SPARKS), OF_KAFKA)
        options = lowered(given)
        self.connection: Final = ConnectionOptions(given)
        self.queue: Final = options.get("queue", "")
        self.topic: Final = options.get("topic", "")
        self.retains: Final = yes_or_no(options, "retain", False)
        delivery = one_of(options, "delivery", EXACTLY_ONCE, (EXACTLY_ONCE, AT_LEAST_ONCE))
        self.is_exact: Final = delivery == EXACTLY_ONCE
        self.owner: Final = options.get("owner", "")
        self.batch: Final = number(options, "batchId", 0, 0)
        self.has_context: Final = one_of(options, "context", DEFAULT, (DEFAULT, ALL)) == ALL
        self.is_kafka: Final = one_of(options, "compat", NONE, (NONE, KAFKA)) == KAFKA
        self.unit_messages: Final = number(options, "maxMessagesPerUnit", UNIT_MESSAGES, 1)
        self.unit_bytes: Final = number(options, "maxBytesPerUnit", UNIT_BYTES, UNIT_BYTES_MIN)
        self._check(options, is_stream)

    def _check(self, options: Mapping[str, str], is_stream: bool) -> None:
        if self.queue and not is_name(self.queue):
            raise ValueError(f"option queue is {self.queue!r}, which is not a name of a queue")
        if self.queue and (self.topic or self.retains):
            raise ValueError("options topic and retain do not go with option queue")
        if self.is_kafka and (self.topic or self.retains):
            raise ValueError(
                "option topic does not go with compat=kafka, where a topic is a queue: queue names "
                "the queue, or a column topic does"
            )
        has_batch = bool(options.get("batchid"))
        if is_stream and (self.owner or has_batch):
            raise ValueError("options owner and batchId are for batches; a stream has its own")
        if bool(self.owner) != has_batch:
            raise ValueError("options owner and batchId go together")
        if self.owner and not self.is_exact:
            raise ValueError(f"option owner is for delivery {EXACTLY_ONCE}")
        if self.owner:
            check_owner(self.owner)
        if self.batch > BATCH_MAX:
            raise ValueError(f"option batchId is {self.batch}; it is at most {BATCH_MAX}")
