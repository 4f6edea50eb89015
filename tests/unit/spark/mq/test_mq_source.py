"""Goal: `spark.read.format("mq")` and its stream give every message once, over network and socket,
and take nothing but by draining.

Method: a queue manager that a thread of this process serves; Spark's workers connect to it as any
application does.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ternmq
from ternmq.spark.errors import SparkError, explained
from ternmq.spark.mq.message_schema import COLUMNS, KAFKA_COLUMNS
from tests.unit.api.networked import CHANNEL, Networked, in_memory

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
ATTEMPTS = 3


class Site:
    """A queue manager, and Spark beside it."""

    def __init__(self, spark: "SparkSession", served: Networked) -> None:
        self.spark = spark
        self.served = served
        self.connection = served.connect()

    def way(self, **given: str) -> dict[str, str]:
        where = {"queueManager": "QM1", "connName": self.served.conn, "channel": CHANNEL}
        return {**where, **given}

    def stream(self, **given: str) -> "DataFrame":
        return self.spark.readStream.format("mq").options(**self.way(**given)).load()

    def batch(self, **given: str) -> "DataFrame":
        return self.spark.read.format("mq").options(**self.way(**given)).load()

    def define(self, name: str, *texts: str) -> ternmq.QueueCursor:
        self.connection.define_queue(name)
        cursor = self.connection.cursor(f"KEEP.{name}", name)
        self.put(name, *texts)
        return cursor

    def put(self, name: str, *texts: str) -> None:
        with self.connection.queue(name) as opened:
            for text in texts:
                opened.put(text)


@pytest.fixture(scope="module")
def site(spark: "SparkSession") -> Iterator[Site]:
    from ternmq.spark.mq.mq_source import register

    register(spark)
    served = in_memory()
    found = Site(spark, served)
    yield found
    found.connection.disconnect()
    served.close()


def run(frame: "DataFrame", folder: Path) -> list[dict[str, Any]]:
    """Append to a table what is there, and tell the progress of each batch. Spark gives its planner
    ten seconds to start, whatever the machine has to do: then a query is simply started again."""
    for _ in range(ATTEMPTS - 1):
        try:
            with explained():
                return run_once(frame, folder)
        except SparkError as error:
            if "connect back" not in error.sentence and "Timed out" not in error.sentence:
                raise
    return run_once(frame, folder)


def run_once(frame: "DataFrame", folder: Path) -> list[dict[str, Any]]:
    query = (
        frame.writeStream.format("parquet")
        .option("path", str(folder / "table"))
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return [progress for progress in query.recentProgress if progress["numInputRows"]]


def table(site: Site, folder: Path) -> list[str]:
    rows = site.spark.read.parquet(str(folder / "table")).orderBy("seq").collect()
    return [row["text"] for row in rows]


def test_stream_when_run_again_and_again_then_every_message_is_in_the_table_once(
    site: Site, tmp_path: Path
) -> None:
    texts = [f"message {n}" for n in range(50)]
    site.define("ORDERS", *texts[:20])
    frame = site.stream(queue="ORDERS", startingOffsets="earliest", maxMessagesPerTrigger="8")
    assert [(f.name, f.dataType.simpleString()) for f in frame.schema] == [
        (name, kind.replace("long", "bigint")) for name, kind in COLUMNS
    ]
    batches = run(frame, tmp_path)
    assert [batch["numInputRows"] for batch in batches] == [8, 8, 4]
    assert table(site, tmp_path) == texts[:20]
    with site.connection.queue("ORDERS") as orders:
        assert len(list(orders)) == 20  # it has taken nothing, and now an application does
    site.put("ORDERS", *texts[20:])
    run(frame, tmp_path)
    assert table(site, tmp_path) == texts
    offset = next(iter(batches[-1]["sources"]))["endOffset"]
    (shown,) = site.connection.mqsc("DISPLAY CURSOR(SPARK.*) QUEUE(ORDERS)")
    assert shown["CURSOR"] in offset
    assert int(shown["POSITION"]) == site.connection.cursor("KEEP.ORDERS").position + 50


def test_patterns_when_two_queues_fit_then_both_are_read_as_kafka_has_them(
    site: Site, tmp_path: Path
) -> None:
    site.define("PAIR.A", "a one", "a two")
    site.define("PAIR.B", "b one")
    options = {"queue": "PAIR.*", "startingOffsets": "earliest", "cursor": "PAIRS"}
    frame = site.stream(compat="kafka", minPartitions="2", **options)
    assert [(f.name, f.dataType.simpleString()) for f in frame.schema] == [
        (name, kind.replace("long", "bigint")) for name, kind in KAFKA_COLUMNS
    ]
    run(frame, tmp_path)
    rows = site.spark.read.parquet(str(tmp_path / "table")).orderBy("topic", "offset").collect()
    assert [(row["topic"], bytes(row["value"])) for row in rows] == [
        ("PAIR.A", b"a one"),
        ("PAIR.A", b"a two"),
        ("PAIR.B", b"b one"),
    ]


def test_batch_when_browsed_drained_or_from_the_stream_then_what_each_promises(site: Site) -> None:
    first = site.define("BATCH", *(f"text {n}" for n in range(6))).position
    local = {"queueManager": "QM1", "path": str(site.served.data), "queue": "BATCH"}
    browsed = site.spark.read.format("mq").options(**local).load()
    assert [row["text"] for row in browsed.orderBy("seq").collect()] == [
        f"text {n}" for n in range(6)
    ]
    drained = site.batch(queue="BATCH", mode="drain", maxMessages="4")
    assert {row["text"] for row in drained.collect()} == {f"text {n}" for n in range(4)}
    with site.connection.queue("BATCH") as left:
        assert left.depth == 2
    given = {"startingOffsets": f'{{"BATCH": {first + 1}}}', "minPartitions": "2"}
    stream = site.batch(queue="BATCH", **given)
    assert stream.rdd.getNumPartitions() == 2
    assert {row["text"] for row in stream.collect()} == {f"text {n}" for n in range(1, 6)}


def test_filters_when_pushed_then_only_what_they_leave_is_read(site: Site) -> None:
    first = site.define("FILTERED", *(f"text {n}" for n in range(6))).position
    setting = "spark.sql.python.filterPushdown.enabled"
    site.spark.conf.set(setting, "true")
    try:
        whole = site.batch(queue="FILTERED,BATCH", mode="stream", pushFilters="true")
        few = whole.where(f"queue = 'FILTERED' and seq > {first + 1} and seq <= {first + 4}")
        assert sorted(row["text"] for row in few.collect()) == ["text 2", "text 3", "text 4"]
    finally:
        site.spark.conf.unset(setting)


def rows_read(frame: "DataFrame") -> int:
    """How many rows the source gave for the last action of a DataFrame."""
    plan: Any = frame._jdf.queryExecution().executedPlan()
    metrics = plan.collectLeaves().head().metrics()
    return int(metrics.apply("numOutputRows").value())


def put_coloured(site: Site, name: str) -> None:
    with site.connection.queue(name) as opened:
        for n in range(20):
            colour = "red" if n % 5 == 0 else "blue"
            opened.put(f"text {n}", properties={"colour": colour, "weight": ternmq.Int32(n)})


def test_stream_when_a_selector_is_given_then_only_matches_reach_spark(
    site: Site, tmp_path: Path
) -> None:
    site.define("COLOURED")
    put_coloured(site, "COLOURED")
    options = {"queue": "COLOURED", "startingOffsets": "earliest", "selector": "colour = 'red'"}
    frame = site.stream(**options, propertyColumns="weight INT")
    batches = run(frame, tmp_path)
    assert [batch["numInputRows"] for batch in batches] == [4]  # of 20
    rows = site.spark.read.parquet(str(tmp_path / "table")).orderBy("seq").collect()
    assert [row["property"]["weight"] for row in rows] == [0, 5, 10, 15]
    put_coloured(site, "COLOURED")
    assert [batch["numInputRows"] for batch in run(frame, tmp_path)] == [4]


def test_filters_when_on_properties_then_those_of_fields_are_pushed_and_those_of_maps_are_not(
    site: Site,
) -> None:
    site.define("TYPED")
    put_coloured(site, "TYPED")
    setting = "spark.sql.python.filterPushdown.enabled"
    site.spark.conf.set(setting, "true")
    try:
        options = {"queue": "TYPED", "mode": "stream", "pushFilters": "true"}
        frame = site.batch(**options, propertyColumns="colour STRING, weight INT")
        few = frame.where("property.colour = 'red' and property.weight > 5")
        assert sorted(row["text"] for row in few.collect()) == ["text 10", "text 15"]
        assert rows_read(few) == 2  # of 20
        mapped = frame.where("properties['colour'] = 'red'")
        assert len(mapped.collect()) == 4
        assert rows_read(mapped) == 20  # Spark hands no filter on an element of a map over
    finally:
        site.spark.conf.unset(setting)


def test_errors_when_options_are_wrong_then_one_sentence(site: Site) -> None:
    for given, sentence in (
        ({"queue": "ORDERS", "startingOffset": "latest"}, "is startingOffsets meant?"),
        ({"queue": "NO.SUCH.QUEUE"}, "MQRC_UNKNOWN_OBJECT_NAME"),
        ({"queue": "ORDERS", "mode": "drain", "channel": "NO.SUCH"}, "NO.SUCH"),
    ):
        with pytest.raises(SparkError) as raised, explained():
            site.batch(**given).collect()
        assert sentence in raised.value.sentence
