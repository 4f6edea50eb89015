"""The pipeline without end: the same flows as plain streaming queries.

A declarative run ends when it has done what was there. Following starts a streaming query for each
stream of the pipeline, from the same tables into the same tables and from the same checkpoints, so
that runs and following take turns as one likes. Views are rebuilt whenever something came to what
they are made of. Anomalies are scored in streams (pipeline_watch) and raised as events
(pipeline_events).

`bring_up` and `finish` are for what a declarative run cannot do (see pipeline_flows).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from ternmq.spark.errors import sentence_of
from ternmq.spark.pipeline import anomaly_queries as pipeline_events
from ternmq.spark.pipeline.anomaly_watch import watched
from ternmq.spark.pipeline.flows import Flow, flows
from ternmq.spark.pipeline.graph import (
    FORMAT,
    forget_tables,
    in_catalog,
    locate,
    prepared,
    register_sources,
    with_tables,
)
from ternmq.spark.pipeline.project import Project
from ternmq.spark.pipeline.served_tables import file_system
from ternmq.spark.pipeline.settings import SEEN
from ternmq.spark.pipeline.view_versions import begin, swap

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EVERY_S: Final = 10.0
# Requests wait an hour for their replies: on disk, not in the memory of the driver.
STATE: Final = {
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    )
}
_LOOK_S: Final = 0.2
# How often a query is started again before it is given up, as declarative runs have it: Spark waits
# ten seconds for a worker to start, and no longer on a machine that is busy.
_RETRIES: Final = 2


class Update(NamedTuple):
    """Something came: how many rows each stream has written since following began."""

    rows: dict[str, int]
    views: int  # how often views were made
    trouble: str = ""  # why events wait, if they do


def follow(
    spark: SparkSession,
    project: Project,
    *,
    every_s: float = EVERY_S,
    is_over: Callable[[], bool],
    notify: Callable[[Update], None] | None = None,
) -> None:
    """Follow a pipeline until `is_over`. Errors of its queries are raised; those of the queue of
    events only if they are there from the beginning."""
    settings = project.settings
    if settings.events_queue:
        pipeline_events.look(settings)
    with configured(spark, {**STATE, **project.configuration}):
        try:
            all_flows = watched(flows(spark, settings), settings)
            with_tables(spark, settings, all_flows)
            Following(spark, project, all_flows, every_s).until(is_over, notify)
        finally:
            forget_tables(spark)


@contextmanager
def configured(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """The settings of a project, for a while, in a session that is used for other things too."""
    before = {key: spark.conf.get(key, None) for key in settings}
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, old in before.items():
            if old is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, old)


@final
class Following:
    """The queries of a pipeline that is followed."""

    def __init__(
        self, spark: SparkSession, project: Project, all_flows: list[Flow], every_s: float
    ) -> None:
        self._spark: Final = spark
        self._project: Final = project
        self._settings: Final = project.settings
        self._views: Final = [flow for flow in all_flows if not flow.is_stream]
        self._every_s: Final = every_s
        self._every: Final = f"{every_s} seconds"
        self._starts: Final[dict[str, Callable[[], Any]]] = {}
        self._events: Final[set[str]] = set()
        for flow in all_flows:
            if flow.is_stream:
                self._starts[flow.name] = partial(self._started, flow)
            if flow.name in SEEN.values() and self._settings.events_queue:
                name = f"events_{flow.name}"
                self._starts[name] = partial(self._raising, flow.name, name)
                self._events.add(name)
        self._queries: dict[str, Any] = {}
        self._batches: dict[str, int] = {}
        self._failures: dict[str, int] = {}
        self._rows: dict[str, int] = {}
        self._troubles: dict[str, str] = {}  # of queries of events

    def until(self, is_over: Callable[[], bool], notify: Callable[[Update], None] | None) -> None:
        """Run until `is_over`."""
        made = 0
        try:
            for name, start in self._starts.items():
                self._queries[name] = start()
            # One that was killed may have left views without what came.
            changed = {name for flow in self._views for name in flow.reads}
            while not is_over():
                if changed:
                    made += self._made_views(changed)
                    if notify is not None:
                        trouble = "; ".join(sorted({*self._troubles.values()}))
                        notify(Update(dict(self._rows), made, trouble))
                self._wait(is_over)
                changed = self._news()
        finally:
            for query in self._queries.values():
                query.stop()

    def _made_views(self, changed: set[str]) -> bool:
        """Make those that read, also by others, what has changed."""
        made = False
        for flow in self._views:
            if changed & set(flow.reads):
                make_view(self._spark, flow, self._settings.path(flow.name))
                changed.add(flow.name)
                made = True
        return made

    def _news(self) -> set[str]:
        """The queries that have done something since the last look, or are in trouble now."""
        changed = {name for name, query in self._queries.items() if self._count(name, query)}
        for name, start in self._starts.items():
            failed = self._queries[name].exception()
            if failed is not None:
                if self._failed(name, failed):
                    changed.add(name)
                self._queries[name] = start()
        return changed

    def _failed(self, name: str, failed: Exception) -> bool:
        """Whether that is worth reporting. A query of events is started again for ever: they wait
        until they can be put."""
        if name in self._events:
            before, self._troubles[name] = self._troubles.get(name), sentence_of(failed)
            return self._troubles[name] != before
        self._failures[name] = self._failures.get(name, 0) + 1
        if self._failures[name] > _RETRIES:
            raise failed
        return False

    def _count(self, name: str, query: Any) -> bool:
        """Whether a query has done a batch since the last look: also one for which nothing came may
        write, since time went on."""
        news = False
        for progress in query.recentProgress:
            batch, rows = progress["batchId"], progress["numInputRows"]
            if "addBatch" in progress["durationMs"] and batch > self._batches.get(name, -1):
                self._batches[name] = batch
                self._failures.pop(name, None)
                self._troubles.pop(name, None)
                news = True
                if rows and name not in self._events:
                    self._rows[name] = self._rows.get(name, 0) + rows
        return news

    def _started(self, flow: Flow) -> Any:
        return started(self._spark, self._project, flow, {"processingTime": self._every})

    def _raising(self, table: str, name: str) -> Any:
        seen = self._spark.readStream.table(in_catalog(self._spark, table))
        place = checkpoint_of(self._project.storage, name)
        return pipeline_events.query(seen, self._settings, place, self._every)

    def _wait(self, is_over: Callable[[], bool]) -> None:
        until = time.monotonic() + self._every_s
        while time.monotonic() < until and not is_over():
            time.sleep(_LOOK_S)


def started(spark: SparkSession, project: Project, flow: Flow, trigger: Mapping[str, Any]) -> Any:
    """The streaming query of a flow."""
    made = flow.make([spark.readStream.table(in_catalog(spark, name)) for name in flow.reads])
    writer = made.writeStream.queryName(flow.name).outputMode("append").trigger(**trigger)
    writer = writer.option("checkpointLocation", checkpoint_of(project.storage, flow.name))
    if flow.is_declared:
        return writer.toTable(in_catalog(spark, flow.name))
    writer = writer.format(FORMAT).partitionBy(*flow.partitioned_by).options(**flow.options)
    return writer.option("path", project.settings.path(flow.name)).start()


def make_view(spark: SparkSession, flow: Flow, path: str) -> None:
    """Rebuild a view, which is as it was until that is done."""
    for name in flow.reads:
        spark.catalog.refreshTable(in_catalog(spark, name))
    made = flow.make([spark.read.table(in_catalog(spark, name)) for name in flow.reads])
    version = begin(path)
    if not version:
        made.write.insertInto(in_catalog(spark, flow.name), overwrite=True)
        return
    made.write.mode("overwrite").parquet(version)
    swap(path, version)
    locate(spark, flow.name, version)


def bring_up(spark: SparkSession, project: Project, chosen: Collection[str]) -> list[str]:
    """The streams that a declarative run leaves to plain queries, before it: all that is there."""
    done: list[str] = []
    with configured(spark, project.configuration):
        register_sources(spark, project.settings)
        for flow in flows(spark, project.settings):
            if flow.is_stream and not flow.is_declared and (not chosen or flow.name in chosen):
                read_all(spark, project, flow)
                done.append(flow.name)
    return done


def read_all(spark: SparkSession, project: Project, flow: Flow) -> None:
    """All that is there now, by a query that ends."""
    from pyspark.errors import StreamingQueryException

    for attempt in range(_RETRIES + 1):
        try:
            started(spark, project, flow, {"availableNow": True}).awaitTermination()
        except StreamingQueryException:
            if attempt == _RETRIES:
                raise
        else:
            return


def finish(spark: SparkSession, project: Project, chosen: Collection[str]) -> list[str]:
    """The views that it leaves to plain queries, after it."""
    done: list[str] = []
    with configured(spark, project.configuration):
        for flow in prepared(spark, project.settings):
            if not flow.is_stream and not flow.is_declared and (not chosen or flow.name in chosen):
                make_view(spark, flow, project.settings.path(flow.name))
                done.append(flow.name)
    return done


def checkpoint_of(storage: str, table: str) -> str:
    """Where declarative runs keep how far a stream was read: the newest, since each full refresh
    begins another."""
    from pyarrow import fs

    place = f"{storage.rstrip('/')}/_checkpoints/spark_catalog/default/{table}/{table}"
    system, inside = file_system(place)
    found = system.get_file_info(fs.FileSelector(inside, allow_not_found=True))
    numbers = [int(info.base_name) for info in found if info.base_name.isdecimal()]
    return f"{place}/{max(numbers, default=0)}"
