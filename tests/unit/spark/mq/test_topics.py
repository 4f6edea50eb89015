"""Goal: publications become rows once, and rows become publications once, by Spark, as for queues.

Method: Spark beside a queue manager in a thread; a query that stops and is begun again from its
checkpoint; a repeated batch is made by taking Spark's note of its commit away.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import ternmq
from tests.unit.api.networked import CHANNEL, Networked

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def networked(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Networked]:
    from ternmq.spark.mq.mq_source import register

    register(spark)
    with Networked(tmp_path_factory.mktemp("mq"), "QMTOPIC") as found:
        yield found


@pytest.fixture
def way(networked: Networked) -> dict[str, str]:
    return {"queueManager": "QMTOPIC", "connName": networked.conn, "channel": CHANNEL}


def append(source: DataFrame, folder: Path) -> None:
    writer = source.writeStream.format("parquet").option("path", str(folder / "table"))
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    writer.trigger(availableNow=True).start().awaitTermination()


def test_stream_when_begun_again_then_every_publication_is_in_the_table_once(
    spark: SparkSession, networked: Networked, way: dict[str, str], tmp_path: Path
) -> None:
    options = {**way, "topic": "sport/#", "subscription": "TABLE"}
    stream = spark.readStream.format("mq").options(**options).load().select("topic", "text", "seq")
    with networked.connect() as connection:
        for n in range(4):
            connection.publish(f"sport/{n}", str(n), persistent=True, retain=True)
        append(stream, tmp_path)  # the subscription is there from here on
        for n in range(4, 30):  # while no query runs
            connection.publish(f"sport/{n % 4}", str(n), persistent=True)
    append(stream, tmp_path)
    rows = spark.read.parquet(str(tmp_path / "table")).orderBy("seq").collect()
    found = [(row["topic"], row["text"]) for row in rows]
    assert sorted(found[:4]) + found[4:] == [(f"sport/{n % 4}", str(n)) for n in range(30)]


def test_batch_when_of_a_topic_then_it_is_what_is_retained(
    spark: SparkSession, networked: Networked, way: dict[str, str]
) -> None:
    with networked.connect() as connection:
        for price in ("1.00", "1.10"):
            connection.publish("price/pen", price, retain=True)
        connection.publish("price/ink", "2.00", retain=True)
    rows = spark.read.format("mq").options(**way, topic="price/+").load().collect()
    assert {row["topic"]: row["text"] for row in rows} == {"price/pen": "1.10", "price/ink": "2.00"}


def test_sink_when_a_batch_is_repeated_then_it_is_published_once(
    spark: SparkSession, networked: Networked, way: dict[str, str], tmp_path: Path
) -> None:
    source = spark.readStream.format("mq").options(**way, topic="in/#", subscription="COPY").load()
    copied = source.selectExpr("concat('out', substring(topic, 3)) AS topic", "text AS body")
    checkpoint = tmp_path / "checkpoint"

    def copy() -> None:
        writer = copied.writeStream.format("mq").options(**way, maxMessagesPerUnit="7")
        writer = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True)
        writer.start().awaitTermination()

    with networked.connect() as connection, connection.subscribe("out/#") as watched:
        for n in range(20):
            connection.publish(f"in/{n}", str(n), persistent=True, retain=True)
        copy()
        (checkpoint / "commits" / "0").unlink()
        (checkpoint / "commits" / ".0.crc").unlink(missing_ok=True)
        copy()
        found = sorted((int(one.text), one.topic) for one in watched.consume(wait=0))
        assert connection.in_doubt() == []
    assert found == [(n, f"out/{n}") for n in range(20)]


def test_sink_when_it_retains_then_late_joiners_have_the_last_value(
    spark: SparkSession, networked: Networked, way: dict[str, str]
) -> None:
    frame = spark.range(0, 3, 1, 1).selectExpr("cast(id as string) AS body")
    writer = frame.write.format("mq").options(**way, topic="late/value", retain="true")
    writer.mode("append").save()
    with networked.connect() as connection, connection.subscribe("late/+") as joined:
        message: ternmq.Message = joined.get(wait=10)
        assert (message.text, message.is_retained) == ("2", True)
        assert joined.try_get() is None
