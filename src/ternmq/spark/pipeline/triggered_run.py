"""One triggered run of a pipeline, or a dry one, in the session of this process."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ternmq.spark.pipeline.connect_service import connected
from ternmq.spark.pipeline.flows import flows
from ternmq.spark.pipeline.following import bring_up, finish
from ternmq.spark.pipeline.graph import forget_tables, forgets, without_metrics
from ternmq.spark.pipeline.project import Project
from ternmq.spark.pipeline.settings import PREFIX, VERSION
from ternmq.spark.pipeline.view_versions import begin, swap

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COMPLETED: Final = "COMPLETED"
_TOLD: Final = re.compile(r"^Flow '?(?:\w+\.)*(\w+)'? (?:is|has|was)?\s*([A-Z_]+)")


class Step(NamedTuple):
    """A table came to a state: QUEUED, RUNNING, COMPLETED, FAILED, SKIPPED ..."""

    table: str
    state: str


class Choice(NamedTuple):
    """What of a pipeline is to be done; by default all that is new."""

    refresh: Sequence[str] = ()
    full_refresh: Sequence[str] = ()
    full_refresh_all: bool = False
    is_dry: bool = False


def run(
    spark: SparkSession,
    project: Project,
    choice: Choice | None = None,
    notify: Callable[[Step], None] | None = None,
) -> dict[str, str]:
    """Run a pipeline; the last state of each of its tables. Errors are Spark's."""
    choice = choice or Choice()
    notify = notify or (lambda step: None)
    chosen = {*choice.refresh, *choice.full_refresh}
    states: dict[str, str] = {}
    try:
        if not choice.is_dry:
            completed(bring_up(spark, project, chosen), states, notify)
        with connected(spark) as session, versions(session, project, choice, states) as reported:
            stepped(session, reported, choice, states, notify)
        if not choice.is_dry:
            completed(finish(spark, project, chosen), states, notify)
    finally:
        forget_tables(spark)
    return states


@contextmanager
def versions(
    session: SparkSession, project: Project, choice: Choice, states: Mapping[str, str]
) -> Iterator[Project]:
    """The project with views that are made beside those that are there, which they replace as far
    as they were completed. (A catalog that remembers where they are lets them stay there.)"""
    settings = project.settings
    chosen = {*choice.refresh, *choice.full_refresh}
    begun: dict[str, str] = {}
    for flow in flows(session, settings) if forgets(session) and not choice.is_dry else ():
        is_made = flow.is_declared and not flow.is_stream
        if is_made and (not chosen or flow.name in chosen or choice.full_refresh_all):
            begun[flow.name] = begin(settings.path(flow.name))
    reported = {f"{PREFIX}{VERSION}{name}": place for name, place in begun.items() if place}
    try:
        yield project._replace(configuration={**project.configuration, **reported})
    finally:
        for name, place in begun.items():
            if place and states.get(name) == COMPLETED:
                swap(settings.path(name), place)


def completed(names: list[str], states: dict[str, str], notify: Callable[[Step], None]) -> None:
    for name in names:
        states[name] = COMPLETED
        notify(Step(name, COMPLETED))


def stepped(
    session: SparkSession,
    project: Project,
    choice: Choice,
    states: dict[str, str],
    notify: Callable[[Step], None],
) -> None:
    """The declarative run."""
    others = {flow.name for flow in flows(session, project.settings) if not flow.is_declared}
    own = choice._replace(
        refresh=[name for name in choice.refresh if name not in others],
        full_refresh=[name for name in choice.full_refresh if name not in others],
    )
    if others & {*choice.refresh, *choice.full_refresh} and not (own.refresh or own.full_refresh):
        return  # all that was asked for is made by plain queries
    for key, value in project.configuration.items():
        session.conf.set(key, value)
    without_metrics(session)
    for step in steps(started(session, project, own)):
        states[step.table] = step.state
        notify(step)


def started(session: SparkSession, project: Project, choice: Choice) -> Iterable[Any]:
    """Begin a run; the events that it sends."""
    from pyspark.pipelines.cli import load_pipeline_spec, register_definitions
    from pyspark.pipelines.spark_connect_graph_element_registry import (
        SparkConnectGraphElementRegistry,
    )
    from pyspark.pipelines.spark_connect_pipeline import create_dataflow_graph, start_run

    spec = load_pipeline_spec(project.spec)
    graph = create_dataflow_graph(
        session,
        default_catalog=spec.catalog,
        default_database=spec.database,
        sql_conf=spec.configuration,
    )
    registry = SparkConnectGraphElementRegistry(session, graph)
    # It writes what it loads on the terminal, which is ours.
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        register_definitions(Path(project.spec), registry, spec, session, graph)
    return start_run(
        session,
        graph,
        full_refresh=list(choice.full_refresh),
        full_refresh_all=choice.full_refresh_all,
        refresh=list(choice.refresh),
        dry=choice.is_dry,
        storage=project.storage,
    )


def steps(answers: Iterable[Any]) -> Iterator[Step]:
    """The events of a run that are about a table."""
    for answer in answers:
        if "pipeline_event_result" in answer:
            found = _TOLD.match(answer["pipeline_event_result"].event.message)
            if found:
                yield Step(found[1], found[2])
