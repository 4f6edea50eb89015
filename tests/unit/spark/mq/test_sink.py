"""Goal: DataFrames come to queues once, in batches and as streams, over the network and the local
socket: also when a batch is repeated, when tasks fail and when others died. Method: Spark beside a
queue manager in a thread; a repeated batch is made by taking Spark's note of its commit away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import ternmq
from ternmq.spark.errors import SparkError, explained
from tests.unit.api.networked import CHANNEL, Networked

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


class Target:
    """A queue manager, and how the sink reaches it."""

    def __init__(self, networked: Networked) -> None:
        self.networked = networked
        self.way = {
            "queueManager": networked.name,
            "connName": networked.conn,
            "channel": CHANNEL,
        }

    def connect(self) -> ternmq.Connection:
        return self.networked.connect()

    def taken(self, queue: str) -> list[str]:
        with self.connect() as connection, connection.queue(queue) as opened:
            return [message.text for message in opened]

    def in_doubt(self) -> int:
        with self.connect() as connection:
            return len(connection.in_doubt())


@pytest.fixture(scope="module")
def target(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    from ternmq.spark.mq.mq_source import register

    register(spark)
    networked = Networked(tmp_path_factory.mktemp("mq"), "QMSINK")
    with networked:
        with networked.connect() as connection:
            for name in ("ONE", "TWO", "SMALL", "BATCHES", "STREAM", "LOOSE", "TYPED"):
                connection.define_queue(name, max_depth=3 if name == "SMALL" else 5000)
        yield Target(networked)


def numbers(spark: SparkSession, count: int) -> DataFrame:
    return spark.range(0, count, 1, 2).selectExpr("cast(id as string) AS body")


def test_batch_when_rows_name_queues_then_each_is_on_its_own_in_order(
    spark: SparkSession, target: Target
) -> None:
    named = numbers(spark, 300).selectExpr("body", "IF(body % 2 = 0, 'ONE', 'TWO') AS queue")
    writer = named.write.format("mq").options(**target.way)
    writer.option("maxMessagesPerUnit", 40).mode("append").save()
    assert target.taken("ONE") == [str(n) for n in range(0, 300, 2)]
    assert target.taken("TWO") == [str(n) for n in range(1, 300, 2)]
    assert target.in_doubt() == 0


def test_batch_when_by_the_local_socket_then_the_same(spark: SparkSession, target: Target) -> None:
    way = {"queueManager": "QMSINK", "path": str(target.networked.data), "queue": "ONE"}
    numbers(spark, 50).write.format("mq").options(**way).mode("append").save()
    assert target.taken("ONE") == [str(n) for n in range(50)]


def test_properties_when_spark_copies_messages_then_types_and_values_are_the_same(
    spark: SparkSession, target: Target
) -> None:
    values = {
        "nothing": None,
        "boolean": True,
        "bytes": b"\x00\xff",
        "none": b"",
        "int8": ternmq.Int8(-128),
        "int16": ternmq.Int16(32767),
        "int32": ternmq.Int32(-5),
        "int64": (1 << 53) + 1,
        "float32": ternmq.Float32(0.1),
        "float64": 1 / 3,
        "infinite": float("-inf"),
        "string": "it's <red>",
        "empty": "",
    }
    with target.connect() as connection:
        connection.put("TYPED", "typed", properties=values)
        frame = spark.read.format("mq").options(**target.way, queue="TYPED").load()
        frame.write.format("mq").options(**target.way, queue="ONE").mode("append").save()
        with connection.queue("TYPED") as put, connection.queue("ONE") as copied:
            first, second = put.get(), copied.get()
    assert second.text == "typed"
    assert dict(second.properties) == dict(first.properties)
    assert list(second.properties) == list(values)
    for name in values:
        assert second.properties.typed(name).type == first.properties.typed(name).type


def test_batch_when_a_queue_is_full_then_nothing_is_put_and_nothing_in_doubt(
    spark: SparkSession, target: Target
) -> None:
    writer = numbers(spark, 10).coalesce(1).write.format("mq").options(**target.way)
    writer = writer.option("queue", "SMALL").option("maxMessagesPerUnit", 2)
    with pytest.raises(SparkError, match="MQRC_Q_FULL") as refused, explained():
        writer.mode("append").save()
    assert "SMALL" in str(refused.value)
    assert (target.taken("SMALL"), target.in_doubt()) == ([], 0)


def test_batch_when_it_has_a_number_then_repeating_it_writes_nothing(
    spark: SparkSession, target: Target
) -> None:
    for number, count in ((1, 3), (1, 3), (2, 1)):
        writer = numbers(spark, count).write.format("mq").options(**target.way, queue="BATCHES")
        writer.options(owner="nightly", batchId=str(number)).mode("append").save()
    assert sorted(target.taken("BATCHES")) == ["0", "0", "1", "2"]
    assert target.in_doubt() == 0


def test_batch_when_asked_to_overwrite_then_refused(spark: SparkSession, target: Target) -> None:
    with pytest.raises(SparkError, match="messages are added to a queue"), explained():
        numbers(spark, 1).write.format("mq").options(**target.way).mode("overwrite").save()


class Files:
    """A stream of text files, and the query that puts their lines."""

    def __init__(self, spark: SparkSession, folder: Path, options: dict[str, str]) -> None:
        self.folder = folder
        self._spark = spark
        self._options = options
        self._given = 0
        (folder / "in").mkdir()

    def give(self, *lines: str) -> None:
        self._given += 1
        whole = self.folder / f"{self._given}.txt"
        whole.write_text("".join(f"{line}\n" for line in lines))
        whole.rename(self.folder / "in" / whole.name)

    def run(self) -> None:
        lines = self._spark.readStream.format("text").load(str(self.folder / "in"))
        writer = lines.writeStream.format("mq").options(**self._options)
        writer = writer.option("checkpointLocation", str(self.folder / "checkpoint"))
        writer.trigger(availableNow=True).start().awaitTermination()

    def forget_commit(self, batch: int) -> None:
        """As if the driver had died after the sink's commit and before its own note of it."""
        for name in (str(batch), f".{batch}.crc"):
            (self.folder / "checkpoint" / "commits" / name).unlink()

    @property
    def owner(self) -> str:
        text = (self.folder / "checkpoint" / "metadata").read_text()
        return "spark-" + text.partition('"id":"')[2].partition('"')[0]


def test_stream_when_a_batch_is_repeated_then_its_messages_are_there_once(
    spark: SparkSession, target: Target, tmp_path: Path
) -> None:
    files = Files(spark, tmp_path, {**target.way, "queue": "STREAM"})
    files.give("a", "b")
    files.run()
    files.forget_commit(0)
    with target.connect() as other:  # a task of the driver that died, and one of somebody else
        for owner, branch in ((files.owner, b"dead"), ("another", b"alive")):
            other.begin()
            other.put("STREAM", "orphan")
            other.prepare(ternmq.batch_xid(owner, 0, branch))
        files.give("c")
        files.run()
        assert sorted(target.taken("STREAM")) == ["a", "b", "c"]
        assert [xid.branch_qualifier for xid in other.in_doubt()] == [b"alive"]
        other.backout_prepared(other.in_doubt()[0])
        (row,) = other.mqsc(f"DISPLAY LEDGER('{files.owner}') BATCHES")
        assert row["BATCHES"] == 2


def test_stream_when_at_least_once_then_a_repeated_batch_is_there_again(
    spark: SparkSession, target: Target, tmp_path: Path
) -> None:
    options = {**target.way, "queue": "LOOSE", "delivery": "at-least-once"}
    files = Files(spark, tmp_path, options)
    files.give("a")
    files.run()
    files.forget_commit(0)
    files.run()
    assert target.taken("LOOSE") == ["a", "a"]
    assert target.in_doubt() == 0
