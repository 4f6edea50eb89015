"""The pipeline as a Spark Declarative Pipeline: `define(spark)`, which the project's file calls.

Tables are in the folders of the warehouse, and the folders are the catalog. A table that a session
does not know yet (Spark's own catalog forgets all of them when it ends) is registered before the
run: as a table without location it is created, and then moved to its folder. So it is a managed
table, which a run may empty; one that is created with a location could only be added to. Where a
catalog remembers (Hive), nothing needs to be registered.

Registering, and making the query of each table, are done in threads of their own: what the thread
of the definitions asks is taken for part of the pipeline, where commands are refused, and so is
every look at the columns of a DataFrame, which many functions of PySpark take.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ternmq.spark.pipeline.flows import Flow, flows, pipeline_names
from ternmq.spark.pipeline.served_tables import MESSAGES, STATISTICS, file_system, has_data
from ternmq.spark.pipeline.settings import Settings
from ternmq.spark.pipeline.view_versions import current
from ternmq.spark.smf.smf_source import register as register_smf

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

FORMAT: Final = "parquet"
_CATALOG: Final = "spark.sql.catalogImplementation"
_FORGETS: Final = "in-memory"
Answer = TypeVar("Answer")


def define(spark: SparkSession) -> None:
    """Define all tables of the pipeline whose definitions are being read."""
    without_metrics(spark)
    folder = Path.cwd()  # of the project, while its definitions are read
    settings = beside(lambda: Settings(spark.conf.getAll, folder))
    for flow in beside(lambda: prepared(spark, settings)):
        if flow.is_declared:
            define_flow(spark, flow)


def beside(work: Callable[[], Answer]) -> Answer:
    """Do something in a thread of its own, and wait for it."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()


def prepared(spark: SparkSession, settings: Settings) -> list[Flow]:
    """What is to be made; the session knows sources and tables then."""
    return with_tables(spark, settings, flows(spark, settings))


def with_tables(spark: SparkSession, settings: Settings, all_flows: list[Flow]) -> list[Flow]:
    """The same flows, of which the session knows sources and tables then."""
    register_sources(spark, settings)
    register_tables(spark, settings, all_flows)
    return all_flows


def register_sources(spark: SparkSession, settings: Settings) -> None:
    """Make the sources known to a session that will be read."""
    if STATISTICS in settings.kinds:
        register_smf(spark)
    if MESSAGES in settings.kinds:
        from ternmq.spark.mq.mq_source import register as register_mq

        register_mq(spark)


def define_flow(spark: SparkSession, flow: Flow) -> None:
    from pyspark import pipelines

    def made() -> DataFrame:
        read = spark.readStream.table if flow.is_stream else spark.read.table
        return flow.make([read(name) for name in flow.reads])

    def query() -> DataFrame:
        return beside(made)

    declared: Callable[..., Any] = (
        pipelines.table if flow.is_stream else pipelines.materialized_view
    )
    declared(
        name=flow.name,
        comment=flow.about,
        format=FORMAT,
    )(query)


def register_tables(spark: SparkSession, settings: Settings, all_flows: list[Flow]) -> None:
    """Register the tables that the session's catalog does not know."""
    known = {table.name for table in spark.catalog.listTables() if not table.isTemporary}
    schemas: dict[str, StructType] = {}
    for flow in all_flows:
        if flow.name in known:
            schemas[flow.name] = spark.table(in_catalog(spark, flow.name)).schema
            continue
        path = settings.path(flow.name)
        if flow.is_stream:
            system, inside = file_system(path)
            system.create_dir(inside, recursive=True)  # it may be read before its first row
        schemas[flow.name] = schema_of(spark, path, flow, schemas)
        register_table(spark, current(path), flow, schemas[flow.name])


def register_table(spark: SparkSession, path: str, flow: Flow, schema: StructType) -> None:
    columns = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in schema)
    parts = ", ".join(f"`{name}`" for name in flow.partitioned_by)
    partitioned = f" PARTITIONED BY ({parts})" if parts else ""
    name = in_catalog(spark, flow.name)
    spark.sql(f"CREATE TABLE {name} ({columns}) USING {FORMAT}{partitioned}")
    locate(spark, flow.name, path)


def locate(spark: SparkSession, table: str, path: str) -> None:
    """Set the location of a table."""
    place = path.replace("\\", "\\\\").replace("'", "\\'")
    spark.sql(f"ALTER TABLE {in_catalog(spark, table)} SET LOCATION '{place}'")


def in_catalog(spark: SparkSession, table: str) -> str:
    """The whole name of a table: its last part alone may be a view of the user's session."""
    return f"`{spark.catalog.currentCatalog()}`.`{spark.catalog.currentDatabase()}`.`{table}`"


def forgets(spark: SparkSession) -> bool:
    """Whether the catalog is one that ends with the session."""
    return spark.conf.get(_CATALOG, _FORGETS) == _FORGETS


def forget_tables(spark: SparkSession) -> None:
    """Let a catalog that would forget our tables anyway do so now, and their folders be: the same
    session may run another project."""
    if not forgets(spark):
        return
    place = f"{spark.conf.get('spark.sql.warehouse.dir')}/{uuid.uuid4().hex}"
    ours = set(pipeline_names())
    for table in spark.catalog.listTables():
        if table.name in ours and table.tableType == "MANAGED":
            # Dropping a managed table removes its folder: let it be one that is not there.
            name = in_catalog(spark, table.name)
            spark.sql(f"ALTER TABLE {name} SET LOCATION '{place}'")
            spark.sql(f"DROP TABLE {name}")


def schema_of(
    spark: SparkSession, path: str, flow: Flow, schemas: dict[str, StructType]
) -> StructType:
    """The columns of a table: as they are in the folder of a stream, or as they will be."""
    if flow.ddl:
        return spark.createDataFrame([], flow.ddl).schema
    if flow.is_stream and has_data(*file_system(path)):
        return spark.read.parquet(path).schema
    return flow.make([spark.createDataFrame([], schemas[name]) for name in flow.reads]).schema


def without_metrics(spark: SparkSession) -> None:
    """Take metrics for what they are while the events of a run are read.

    Workers of data sources in Python send empty ones, and the client of Spark 4.2 and 4.3 takes
    them for an unknown answer, which ends the command after the run (SPARK-59135).
    """
    client: Any = getattr(spark, "client", None)
    if not hasattr(client, "_execute_and_fetch_as_iterator"):
        return

    def events(command: Any, observations: Any = None) -> Any:
        request = client._execute_plan_request_with_metadata()
        client._set_command_in_plan(request.plan, command)
        answers = client._execute_and_fetch_as_iterator(request, observations or {})
        return (answer for answer in answers if isinstance(answer, dict))

    client.execute_command_as_iterator = events
