"""The pipeline without end: the same flows as plain streaming queries.

A declarative run ends when it has done what was there. Following starts a streaming query for each
stream of the pipeline, from the same tables into the same tables and from the same checkpoints, so
that runs and following take turns as one likes. Views are made anew whenever something came.

`bring_up` and `finish` are for what a declarative run cannot do (see pipeline_flows).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from ternmq.spark.lake_table import WRITE_OPTIONS
from ternmq.spark.pipeline_flows import Flow, flows
from ternmq.spark.pipeline_graph import FORMAT, forget_tables, prepared, register_sources
from ternmq.spark.pipeline_project import Project
from ternmq.spark.served import file_system

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EVERY_S: Final = 10.0
_LOOK_S: Final = 0.2
# How often a query is started again before it is given up, as declarative runs have it: Spark waits
# ten seconds for a worker to start, and no longer on a machine that is busy.
_RETRIES: Final = 2


class Update(NamedTuple):
    """Something came: how many rows each stream has written since following began."""

    rows: dict[str, int]
    views: int  # how often views were made


def follow(
    spark: SparkSession,
    project: Project,
    *,
    every_s: float = EVERY_S,
    is_over: Callable[[], bool],
    tell: Callable[[Update], None] | None = None,
) -> None:
    """Follow a pipeline until `is_over`. Errors of its queries are raised."""
    with configured(spark, project.configuration):
        try:
            prepared_flows = prepared(spark, project.settings)
            Following(spark, project, prepared_flows, every_s).until(is_over, tell)
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
        self._streams: Final = [flow for flow in all_flows if flow.is_stream]
        self._views: Final = [flow for flow in all_flows if not flow.is_stream]
        self._every_s: Final = every_s
        self._every: Final = f"{every_s} seconds"
        self._queries: dict[str, Any] = {}
        self._batches: dict[str, int] = {}
        self._failures: dict[str, int] = {}
        self._rows: dict[str, int] = {}

    def until(self, is_over: Callable[[], bool], tell: Callable[[Update], None] | None) -> None:
        """Run until somebody has had enough."""
        made = 0
        try:
            for flow in self._streams:
                self._queries[flow.name] = self._started(flow)
            is_due = True  # one that was killed may have left views without what came, or empty
            while not is_over():
                if self._has_news() or is_due:
                    is_due = False
                    for flow in self._views:
                        make_view(self._spark, flow)
                    made += 1
                    if tell is not None:
                        tell(Update(dict(self._rows), made))
                self._wait(is_over)
        finally:
            for query in self._queries.values():
                query.stop()

    def _has_news(self) -> bool:
        """Whether a batch with rows has ended since the last look."""
        news = False
        for name, query in self._queries.items():
            news |= self._count(name, query)
        for flow in self._streams:
            failed = self._queries[flow.name].exception()
            if failed is not None:
                self._failures[flow.name] = self._failures.get(flow.name, 0) + 1
                if self._failures[flow.name] > _RETRIES:
                    raise failed
                self._queries[flow.name] = self._started(flow)
        return news

    def _count(self, name: str, query: Any) -> bool:
        """Whether a query has read something since the last look."""
        news = False
        for progress in query.recentProgress:
            batch, rows = progress["batchId"], progress["numInputRows"]
            if rows and batch > self._batches.get(name, -1):
                self._batches[name] = batch
                self._rows[name] = self._rows.get(name, 0) + rows
                self._failures.pop(name, None)
                news = True
        return news

    def _started(self, flow: Flow) -> Any:
        return started(self._spark, self._project, flow, {"processingTime": self._every})

    def _wait(self, is_over: Callable[[], bool]) -> None:
        until = time.monotonic() + self._every_s
        while time.monotonic() < until and not is_over():
            time.sleep(_LOOK_S)


def started(spark: SparkSession, project: Project, flow: Flow, trigger: Mapping[str, Any]) -> Any:
    """The streaming query of a flow."""
    made = flow.make([spark.readStream.table(name) for name in flow.reads])
    writer = made.writeStream.queryName(flow.name).outputMode("append").trigger(**trigger)
    writer = writer.option("checkpointLocation", checkpoint_of(project.storage, flow.name))
    if flow.is_declared:
        return writer.toTable(flow.name)
    writer = writer.format(FORMAT).partitionBy(*flow.partitioned_by).options(**WRITE_OPTIONS)
    return writer.option("path", project.settings.path(flow.name)).start()


def make_view(spark: SparkSession, flow: Flow) -> None:
    """A view anew. Spark removes what it held before it writes: whoever reads it in between sees
    nothing, and one that is killed is made by the next run, or when following begins again."""
    for name in flow.reads:
        spark.catalog.refreshTable(name)
    flow.make([spark.read.table(name) for name in flow.reads]).write.insertInto(
        flow.name, overwrite=True
    )


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
                make_view(spark, flow)
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
