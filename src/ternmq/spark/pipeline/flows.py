"""What the pipeline makes: each table, what it reads, and the function that makes it.

    smf_records      raw: SMF records as they are in the dumps
    smf_qqst ...     typed: a table for each section; smf_rejects is what could not be read
    queues ...       served: see served.TABLES
    messages         the lake; exchanges and anomalies are made of it

A flow is a stream, which adds what is new, or a view, which each run rebuilds. The same
functions are run by a declarative pipeline (pipeline_graph) and by plain streaming queries
(pipeline_follow); neither knows what a function does. Two tables are always made by plain queries:
the lake, because declarative pipelines of Spark 4.3 do not divide the files of a stream by columns,
and anomalies, because those do not see what `applyInPandas` reads. Following has the anomalies in
streams instead (pipeline_watch).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from ternmq.spark.lake import anomaly_tables as anomalies
from ternmq.spark.lake import exchanges, lake_table
from ternmq.spark.pipeline import findings
from ternmq.spark.pipeline import interval_tables as tables_intervals
from ternmq.spark.pipeline import task_tables as tables_tasks
from ternmq.spark.pipeline.served_tables import MESSAGES, STATISTICS, TABLES
from ternmq.spark.pipeline.settings import (
    NONE,
    RECORDS_TABLE,
    REJECTS_TABLE,
    WATCHED,
    Settings,
    typed_name,
)
from ternmq.spark.smf.raw_records import section_of
from ternmq.spark.smf.section_columns import RECORDS, REJECTS, SECTION_NAMES, all_columns
from ternmq.spark.smf.smf_source import FORMAT as SMF_FORMAT

Make = Callable[[Sequence[DataFrame]], DataFrame]
NO_OPTIONS: Final[Mapping[str, str]] = MappingProxyType({})


class Flow(NamedTuple):
    """One table of the pipeline."""

    name: str
    about: str
    is_stream: bool
    reads: tuple[str, ...]  # tables of the pipeline; a stream reads them as streams
    make: Make  # of what it reads, in that order
    partitioned_by: tuple[str, ...] = ()
    ddl: str = ""  # columns, where they are known without making it
    is_declared: bool = True  # by a declarative pipeline; otherwise by a query of its own
    options: Mapping[str, str] = NO_OPTIONS  # of its files, if it is a query of its own


def flows(spark: SparkSession, settings: Settings) -> list[Flow]:
    """All tables of a pipeline, each after those that it reads; none that lacks one of those."""
    possible: list[Flow] = []
    if STATISTICS in settings.kinds:
        possible += statistics(spark, settings)
    if MESSAGES in settings.kinds:
        possible += messages(spark, settings)
    found: dict[str, Flow] = {}
    for flow in possible:
        if found.keys() >= set(flow.reads):
            found[flow.name] = flow
    observable = tuple(name for name in OBSERVED if name in found)
    return [*found.values(), *observed(observable, settings)]


def pipeline_names() -> list[str]:
    """Every table that a pipeline may have."""
    typed = [typed_name(section) for section in (*SECTION_NAMES, REJECTS)]
    return [RECORDS_TABLE, *typed, *TABLES, *WATCHED]


def ddl_of(section: str) -> str:
    return ", ".join(f"`{name}` {kind.upper()}" for name, kind in all_columns(section))


def statistics(spark: SparkSession, settings: Settings) -> Iterator[Flow]:
    """From dumps to tables."""

    def records(_: Sequence[DataFrame]) -> DataFrame:
        reader = spark.readStream.format(SMF_FORMAT).options(**settings.smf)
        return reader.option("section", RECORDS).load()

    yield Flow(
        RECORDS_TABLE,
        "SMF records as they are in the dumps",
        True,
        (),
        records,
        ddl=ddl_of(RECORDS),
    )
    zone = settings.smf.get("defaultZone", "")
    for section in (*settings.sections, REJECTS):
        yield typed(section, zone)
    yield from intervals()
    yield from sums()


def typed(section: str, zone: str) -> Flow:
    """The table of a section."""

    def rows(read: Sequence[DataFrame]) -> DataFrame:
        return section_of(read[0], section, zone)

    about = f"section {section}" if section != REJECTS else "records that could not be read"
    name = REJECTS_TABLE if section == REJECTS else typed_name(section)
    return Flow(name, about, True, (RECORDS_TABLE,), rows, ddl=ddl_of(section))


def served_flow(name: str, make: Make, *reads: str, is_stream: bool = False) -> Flow:
    table = TABLES[name]
    return Flow(name, table.about, is_stream, reads, make, table.partitioned_by)


def intervals() -> Iterator[Flow]:
    """Tables whose rows are each made of one row of a section."""
    for name, function, section in (
        ("queues", tables_intervals.queues, "QQST"),
        ("calls", tables_intervals.calls, "QMST"),
        ("log", tables_intervals.log, "QJST"),
        ("buffer_pools", tables_intervals.buffer_pools, "QPST"),
        ("page_sets", tables_intervals.page_sets, "QIS1"),
        ("channels", tables_tasks.channels, "QCST"),
    ):
        yield served_flow(name, of_one(function), typed_name(section), is_stream=True)


def of_one(function: Callable[[DataFrame], DataFrame]) -> Make:
    """A function of one table as the function of a flow."""

    def make(read: Sequence[DataFrame]) -> DataFrame:
        return function(read[0])

    return make


def sums() -> Iterator[Flow]:
    """Tables that look at all that there is."""

    def tasks(read: Sequence[DataFrame]) -> DataFrame:
        return tables_tasks.tasks(read[0], read[1], read[2])

    def found(read: Sequence[DataFrame]) -> DataFrame:
        return findings.findings(read[0], read[1], read[2], read[3])

    yield served_flow("tasks", tasks, *map(typed_name, ("WTID", "WTAS", "WQ")))
    yield served_flow("queue_use", of_one(tables_tasks.queue_use), typed_name("WQ"))
    yield served_flow("chargeback", of_one(tables_tasks.chargeback), "tasks")
    yield served_flow("findings", found, "queue_use", "log", "buffer_pools", "channels")


def messages(spark: SparkSession, settings: Settings) -> Iterator[Flow]:
    """From queues to the lake, and what is seen in it."""

    def arriving(_: Sequence[DataFrame]) -> DataFrame:
        reader = spark.readStream.format("mq").options(**{"startingOffsets": "earliest"})
        return lake_table.lake(reader.options(**settings.mq).load())

    def exchanged(read: Sequence[DataFrame]) -> DataFrame:
        return exchanges.exchanges(read[0], settings.within)

    yield served_flow("messages", arriving, is_stream=True)._replace(
        ddl=", ".join(f"`{name}` {kind}" for name, kind in lake_table.LAKE_COLUMNS),
        is_declared=False,
        options=lake_table.WRITE_OPTIONS,
    )
    if settings.within.lower() != NONE:
        yield served_flow("exchanges", exchanged, "messages")


# Tables in which anomalies are seen, when their rows are, and how far from now that may be.
OBSERVED: Final = {
    "queues": ("interval_start", anomalies.AHEAD_IN_DUMPS),
    "messages": ("put_timestamp", anomalies.AHEAD),
    "exchanges": ("replied_at", anomalies.AHEAD),
}


def of_now(name: str, table: DataFrame) -> DataFrame:
    """A table in which anomalies are looked for, without rows of times to come."""
    return anomalies.not_ahead(table, *OBSERVED[name])


def without_events(messages: DataFrame, settings: Settings) -> DataFrame:
    """Messages whose rate may be watched: events about the queue of events would have no end."""
    return messages.where(f.col("queue") != f.lit(settings.events_queue))


def observed(reads: tuple[str, ...], settings: Settings) -> Iterator[Flow]:
    """Anomalies, in whatever of their tables there is."""
    if not reads:
        return

    def found(read: Sequence[DataFrame]) -> DataFrame:
        known = {name: of_now(name, table) for name, table in zip(reads, read)}
        if "messages" in known:
            known["messages"] = without_events(known["messages"], settings)
        return anomalies.all_anomalies(
            known.get("queues"), known.get("messages"), known.get("exchanges")
        )

    yield served_flow("anomalies", found, *reads)._replace(is_declared=False)
