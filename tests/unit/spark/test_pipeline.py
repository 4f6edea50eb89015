"""Goal: the pipeline's tables hold what the dumps hold, once, however often it is run.

Method: dumps of our writer, and real ones where they are present, through a project in the one
session; the plain reader says what each section must hold, the functions what is served of it.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from tests.unit.api.networked import CHANNEL, in_memory
from tests.unit.codec.smf.test_framing import as_rdw
from tests.unit.codec.smf_samples import sample_records
from tests.unit.codec.test_smf_real_dumps import FOLDER
from tests.unit.spark.smf_expected import as_lines, lines_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ternmq.spark.pipeline.project import Project

# Spark cannot list its tables where nothing is compiled.
pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("as_users")]
RECORDS = sample_records(90405)
ASKED, ANSWERED = "042", "007"  # names, which folders would make numbers


def project_of(folder: Path, **settings: str) -> "Project":
    from ternmq.spark.pipeline.project import create, find

    values = {key.replace("_", "."): value for key, value in settings.items()}
    spec = create(folder, "tests", values)
    text = spec.read_text(encoding="utf-8").replace('partitions: "8"', 'partitions: "1"')
    spec.write_text(text, encoding="utf-8")
    return find(folder)


def rows_of(project: "Project", table: str) -> list[dict[str, Any]]:
    """What a table holds, without Spark."""
    import pyarrow.parquet as pq

    rows: list[dict[str, Any]] = []
    for path in sorted((project.folder / "warehouse" / table).glob("*.parquet")):
        rows += pq.read_table(path).to_pylist()
    return rows


def test_dumps_when_run_through_then_every_section_is_as_the_plain_reader_has_it(
    spark: "SparkSession", tmp_path: Path
) -> None:
    from ternmq.spark.pipeline import served_tables as served
    from ternmq.spark.pipeline import task_tables as tables_tasks
    from ternmq.spark.pipeline.triggered_run import COMPLETED, run
    from ternmq.spark.pipeline_rejects import rejected, sentences
    from ternmq.spark.smf.section_columns import SECTION_NAMES

    (tmp_path / "in").mkdir()
    dumps = {"ours": as_rdw(RECORDS)}
    for path in sorted(FOLDER.glob("*.dat")) if FOLDER.is_dir() else ():
        dumps[path.name] = path.read_bytes()
    for file, data in dumps.items():
        (tmp_path / "in" / file).write_bytes(data)
    newer = bytearray(RECORDS[0])
    newer[24:27] = "520".encode("cp037")
    (tmp_path / "in" / "newer").write_bytes(newer)
    project = project_of(tmp_path / "project", smf_path="../in", smf_sections="all")
    states = run(spark, project)
    assert set(states.values()) == {COMPLETED}
    for name in SECTION_NAMES:
        wanted = sorted(line for data in dumps.values() for line in lines_of(data, name))
        assert as_lines(rows_of(project, f"smf_{name.lower()}"), name) == wanted, name
    (reject,) = rows_of(project, "smf_rejects")
    assert (reject["Reason"], reject["Record_Bytes"]) == ("unknown level", bytes(newer))
    found = rejected(spark, project.settings)
    assert [(one.file.endswith("/in/newer"), *one[1:]) for one in found] == [
        (True, "unknown level", 1, len(newer), reject["Detail"])
    ]
    (sentence,) = sentences(found)
    words = f"unknown level: 1 record, {len(newer)} bytes ({reject['Detail']})"
    assert f"/in/newer: not all could be read: {words}; table smf_rejects" in sentence

    def section(name: str) -> Any:
        return spark.read.format("mqsmf").option("section", name).load(str(tmp_path / "in"))

    made = tables_tasks.tasks(section("WTID"), section("WTAS"), section("WQ"))
    assert sorted(map(str, served.table(spark, project.settings.warehouse, "tasks").collect())) == (
        sorted(map(str, made.collect()))
    )


def test_dumps_that_grow_when_run_and_followed_then_each_record_is_there_once(
    spark: "SparkSession", tmp_path: Path
) -> None:
    from ternmq.spark.pipeline import served_tables as served
    from ternmq.spark.pipeline.following import Update, follow
    from ternmq.spark.pipeline.triggered_run import Choice, run

    dump = tmp_path / "dump"
    project = project_of(tmp_path / "project", smf_path="../dump", smf_sections="QMST,WQ")
    one = len(lines_of(as_rdw(RECORDS), "QMST"))
    # A user's view has the name of one of our tables: both go on being what they are.
    spark.range(7).createOrReplaceTempView("calls")

    def grow() -> None:
        with dump.open("ab") as file:
            file.write(as_rdw(RECORDS))

    def counts() -> dict[str, int]:
        return served.counts(spark, project.settings.warehouse)

    grow()
    assert run(spark, project, Choice(is_dry=True)) == {}
    assert served.names(project.settings.warehouse) == []
    run(spark, project)
    first = counts()
    assert first == {"calls": one, "queue_use": first["queue_use"]}

    grow()
    seen: list[Update] = []

    def is_over() -> bool:
        return bool(seen) and {"smf_wq", "calls"} <= seen[-1].rows.keys()

    follow(spark, project, every_s=0.2, is_over=is_over, notify=seen.append)
    assert counts() == {**first, "calls": 2 * one}

    grow()
    run(spark, project)
    assert counts() == {**first, "calls": 3 * one}
    rows = rows_of(project, "smf_wq")
    assert len(rows) == 3 * len(lines_of(as_rdw(RECORDS), "WQ"))
    gets = sum(row["Total_Valid_Gets"] for row in rows)
    # It is the same task each time, as in a dump that is there three times: it counts once.
    assert 3 * sum(row["gets"] for row in rows_of(project, "queue_use")) == gets > 0

    run(spark, project, Choice(full_refresh=["calls"]))
    assert counts() == {**first, "calls": 3 * one}
    assert not [table for table in spark.catalog.listTables() if not table.isTemporary]
    assert spark.table("calls").count() == 7
    spark.catalog.dropTempView("calls")


def test_messages_when_run_through_then_they_are_in_the_lake_once_with_their_exchanges(
    spark: "SparkSession", tmp_path: Path
) -> None:
    from ternmq.spark.pipeline import served_tables as served
    from ternmq.spark.pipeline.connect_service import connected
    from ternmq.spark.pipeline.triggered_run import run

    there = in_memory()
    try:
        connection = there.connect()
        for name in (ASKED, ANSWERED):
            connection.define_queue(name)
        way = {"mq_queueManager": "QM1", "mq_connName": there.conn, "mq_channel": CHANNEL}
        project = project_of(tmp_path / "project", **way, mq_queue=f"{ASKED},{ANSWERED}")
        with connection.queue(ASKED) as asked, connection.queue(ANSWERED) as answered:
            for number in range(2):
                question = Descriptor(msg_type=mq.MQMT_REQUEST, reply_to_queue=ANSWERED)
                reported = asked.put(f"question {number}", descriptor=question)
                answer = Descriptor(msg_type=mq.MQMT_REPLY, correl_id=reported)
                answered.put("answer", descriptor=answer)
                run(spark, project)
                counts = served.counts(spark, project.settings.warehouse)
                assert (counts["messages"], counts["exchanges"]) == (2 * number + 2, number + 1)
        connection.disconnect()
    finally:
        there.close()
    # Over Spark Connect a table is looked at when it is used, whatever was set when it was made.
    with connected(spark) as connect:
        for session in (spark, connect):
            lake = served.table(session, project.settings.warehouse, "messages")
            rows = lake.select("queue", "put_date", "put_timestamp").collect()
            assert {row["queue"] for row in rows} == {ASKED, ANSWERED}
            assert all(row["put_date"] == row["put_timestamp"].date() for row in rows)
    folders = {path.name for path in (project.folder / "warehouse" / "messages").glob("*/queue=*")}
    assert folders == {f"queue={ASKED}", f"queue={ANSWERED}"}
    exchanged = served.table(spark, project.settings.warehouse, "exchanges").collect()
    assert all(row["latency_us"] is not None for row in exchanged)


def test_served_tables_when_made_then_they_have_the_columns_that_are_promised(
    spark: "SparkSession", tmp_path: Path
) -> None:
    from ternmq.spark.pipeline.flows import flows
    from ternmq.spark.pipeline.served_tables import TABLES

    settings = project_of(tmp_path / "project", smf_path="x", mq_queue="Q").settings
    made: dict[str, Any] = {}
    for flow in flows(spark, settings):
        if flow.ddl:
            made[flow.name] = spark.createDataFrame([], flow.ddl)
        else:
            made[flow.name] = flow.make([made[name] for name in flow.reads])
    assert made.keys() >= TABLES.keys()
    for name, reported in TABLES.items():
        assert set(reported.columns) - set(made[name].columns) == set(), name


def test_anomalies_when_followed_then_their_streams_have_the_columns_of_the_table(
    spark: "SparkSession", tmp_path: Path
) -> None:
    from ternmq.spark.lake.anomaly_tables import COLUMNS
    from ternmq.spark.pipeline.anomaly_watch import watched
    from ternmq.spark.pipeline.flows import flows
    from ternmq.spark.pipeline.settings import SEEN, WATCHED

    def stream_of(frame: Any) -> Any:
        (tmp_path / "nothing").mkdir(exist_ok=True)
        return spark.readStream.schema(frame.schema).parquet(str(tmp_path / "nothing"))

    settings = project_of(tmp_path / "project", smf_path="x", mq_queue="Q").settings
    made: dict[str, Any] = {"anomalies": spark.createDataFrame([], COLUMNS)}
    for flow in watched(flows(spark, settings), settings):
        if flow.name in WATCHED:
            made[flow.name] = flow.make([stream_of(made[name]) for name in flow.reads])
            assert made[flow.name].isStreaming
        elif flow.ddl and flow.name != "anomalies":
            made[flow.name] = spark.createDataFrame([], flow.ddl)
        else:
            made[flow.name] = flow.make([made[name] for name in flow.reads])
    assert made.keys() >= set(WATCHED)
    for name in (*SEEN.values(), "anomalies"):
        assert made[name].dtypes == spark.createDataFrame([], COLUMNS).dtypes, name


def test_project_when_it_makes_no_sense_then_the_sentence_says_why(tmp_path: Path) -> None:
    from ternmq.spark.errors import SparkError
    from ternmq.spark.pipeline.project import create, find

    with pytest.raises(SparkError, match="there is no pipeline in"):
        find(tmp_path)
    project = project_of(tmp_path / "empty")
    with pytest.raises(SparkError, match="has no data to read"):
        _ = project.settings.kinds
    with pytest.raises(SparkError, match="is a pipeline already"):
        create(tmp_path / "empty", "again", {})
    wrong = project_of(tmp_path / "wrong", smf_path="x", smf_sections="QXYZ")
    with pytest.raises(SparkError, match="'QXYZ'; it may be QSST"):
        _ = wrong.settings
    elsewhere = project_of(tmp_path / "elsewhere", smf_path="x", warehouse="file:/data/tables/")
    assert elsewhere.settings.path("tasks") == "file:/data/tables/tasks"
    project.spec.write_text("name: [", encoding="utf-8")
    with pytest.raises(SparkError, match="is not a pipeline spec"):
        find(tmp_path / "empty")
