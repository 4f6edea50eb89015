"""Anomalies while a pipeline is followed: scored in streams, one for each table they are seen in.

    queues  ----------------------------------------> seen_in_queues
    messages --> observed_messages -----------------> seen_in_messages
    messages --> answered --> observed_answers -----> seen_in_exchanges

Tables stand between because Spark does not score behind an aggregation. Each is a query of its own:
in one query with another, a table of which nothing comes would hold the watermark of all, and with
it the silence of queues. The served table is what was there and what the streams have seen since,
each row once; a run rebuilds it from everything, late or not. Events are raised by pipeline_events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Final

from pyspark.sql import DataFrame

from ternmq.spark.lake import anomaly_tables as anomalies
from ternmq.spark.lake import exchanges
from ternmq.spark.pipeline.flows import Flow, Make, of_now, of_one, served_flow, without_events
from ternmq.spark.pipeline.settings import (
    ANSWERED,
    OBSERVED_ANSWERS,
    OBSERVED_MESSAGES,
    SEEN,
    Settings,
)

SERVED: Final = "anomalies"
# What names a row of the served table.
KEY: Final = ("queue_manager", "queue", "rule", "window_start", "seen_in")


def watched(all_flows: Sequence[Flow], settings: Settings) -> list[Flow]:
    """The flows of a pipeline, with streams that score instead of a view that does."""
    names = {flow.name for flow in all_flows}
    if SERVED not in names:
        return list(all_flows)
    streams = [*scoring(names, settings)]
    seen = [flow.name for flow in streams if flow.name in SEEN.values()]
    others = [flow for flow in all_flows if flow.name != SERVED]
    table = served_flow(SERVED, added, SERVED, *seen)
    table = table._replace(is_declared=False, ddl=anomalies.COLUMNS)
    return [*others, *streams, table]


def scoring(names: set[str], settings: Settings) -> Iterator[Flow]:
    """The streams for the tables that there are."""
    if "queues" in names:
        yield seen("queues", "queues", observed_queues)
    if "messages" in names:
        yield stream(OBSERVED_MESSAGES, counted_by(settings), "messages")
        yield seen("messages", OBSERVED_MESSAGES, None)
    if "exchanges" in names:
        yield stream(ANSWERED, answered_within(settings.within), "messages")
        yield stream(OBSERVED_ANSWERS, of_one(anomalies.of_exchanges), ANSWERED)
        yield seen("exchanges", OBSERVED_ANSWERS, None)


def stream(name: str, make: Make, *reads: str) -> Flow:
    return Flow(name, "of anomalies, while following", True, reads, make, is_declared=False)


def seen(table: str, read: str, observe: Callable[[DataFrame], DataFrame] | None) -> Flow:
    """What is out of habit in one table."""

    def make(read: Sequence[DataFrame]) -> DataFrame:
        return anomalies.of_table(table, read[0] if observe is None else observe(read[0]))

    return stream(SEEN[table], make, read)._replace(ddl=anomalies.COLUMNS)


def observed_queues(queues: DataFrame) -> DataFrame:
    return anomalies.of_queues(of_now("queues", queues))


def counted_by(settings: Settings) -> Make:
    """Messages of each stretch of time; not those of the queue on which events are."""

    def make(read: Sequence[DataFrame]) -> DataFrame:
        return anomalies.of_messages(without_events(of_now("messages", read[0]), settings))

    return make


def answered_within(within: str) -> Make:
    """Requests with their replies, as soon as these come."""

    def make(read: Sequence[DataFrame]) -> DataFrame:
        reported = exchanges.answered(of_now("messages", read[0]), within)
        return reported.select(
            "queue_manager", "request_queue", "requested_at", "replied_at", "latency_us"
        )

    return make


def added(read: Sequence[DataFrame]) -> DataFrame:
    """What was there, and what was seen in streams."""
    before, *streamed = read
    now = reduce(DataFrame.unionByName, streamed)
    return before.join(now, [*KEY], "left_anti").unionByName(now).select(*before.columns)
