"""Parquet onto a queue by Spark's sink `mq`, each row once, beside the queue manager.

The queue manager has a process of its own (strmqm) with a listener on loopback; a query with
checkpoint and trigger availableNow puts a table of messages of 2 KB, persistent and not, by
two-phase commit. Spark has two cores, and its session has run the same query on a small table
before the clock starts. Goal: 15,000 persistent messages a second, elapsed, on two processors that
queue manager, Java and workers share. Processor seconds are told as for the source.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import ternmq
from benchmarks.bench_served import command
from benchmarks.bench_spark_mq import java_pid, processor_s, server_pid
from benchmarks.figures import AT_LEAST, Figure, Goal, Settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GOAL = 15_000
FILES = 8
SCRIPT = """
ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')
REFRESH SECURITY TYPE(CONNAUTH)
DEFINE CHANNEL(SINK) CHLTYPE(SVRCONN)
DEFINE QLOCAL(TARGET) MAXDEPTH(999999999)
DEFINE LISTENER(LOOPBACK) TRPTYPE(TCP) IPADDR(127.0.0.1)
START LISTENER(LOOPBACK)
"""


class Query:
    """The query under measurement."""

    def __init__(self, spark: SparkSession, folder: Path, way: dict[str, str]) -> None:
        self.spark = spark
        self.folder = folder
        self.way = way
        self.runs = 0

    def table(self, name: str, count: int) -> Path:
        """Rows of 2 KB."""
        place = self.folder / name
        rows = self.spark.range(0, count, 1, FILES).selectExpr(
            "CAST(repeat(sha2(CAST(id AS STRING), 256), 32) AS BINARY) AS body"
        )
        rows.write.parquet(str(place))
        return place

    def once(self, table: Path, persistence: int, **given: str) -> float:
        """Seconds from start to end."""
        self.runs += 1
        frame = self.spark.readStream.schema("body BINARY").parquet(str(table))
        writer = frame.selectExpr("body", f"{persistence} AS persistence").writeStream.format("mq")
        writer = writer.options(**self.way, queue="TARGET", **given)
        writer = writer.option("checkpointLocation", str(self.folder / f"run{self.runs}"))
        begin = time.perf_counter()
        writer.trigger(availableNow=True).start().awaitTermination()
        return time.perf_counter() - begin


def start(data: Path) -> dict[str, str]:
    """A queue manager that listens; the options that lead to it."""
    command(data, "crtmqm", "-lf", "65535", "-lp", "8", "QM1")
    with (data / "qmgrs" / "QM1" / "qm.ini").open("a") as ini:
        ini.write("TCP:\n   Port=0\n")  # a port that is free
    command(data, "strmqm", "QM1")
    with ternmq.connect("QM1", data=data) as local:
        local.mqsc(SCRIPT)
        (listener,) = local.mqsc("DISPLAY LSSTATUS(LOOPBACK) PORT")
    return {
        "queueManager": "QM1",
        "connName": f"127.0.0.1({listener['PORT']})",
        "channel": "SINK",
    }


def run(settings: Settings) -> list[Figure]:
    """Make tables and put them."""
    from ternmq.spark.mq.mq_source import register
    from ternmq.spark.session import close, session

    folder = settings.place("spark_sink")
    data = folder / "data"
    way = start(data)
    count = settings.scaled(200_000, 10_000)
    places = {"spark.local.dir": str(folder / "spark")}
    spark = session("bench", master="local[2]", settings=places, log=folder / "spark.log")
    try:
        register(spark)
        query = Query(spark, folder, way)
        query.once(query.table("warm", 2_000), 1)
        table = query.table("rows", count)
        return [
            measured(query, data, table, count, 1, {}, "persistent, exactly once"),
            measured(query, data, table, count, 0, {}, "not persistent, exactly once"),
            measured(
                query, data, table, count, 1, {"delivery": "at-least-once"}, "persistent, at least"
            ),
        ]
    finally:
        close(spark)
        command(data, "endmqm", "-i", "QM1")


def measured(
    query: Query,
    data: Path,
    table: Path,
    count: int,
    persistence: int,
    given: dict[str, str],
    name: str,
) -> Figure:
    """One line of the table."""
    with ternmq.connect("QM1", data=data) as local:
        local.clear_queue("TARGET")
    java, server = java_pid(), server_pid(data)
    before = processor_s(java), processor_s(server)
    took = query.once(table, persistence, **given)
    spent = processor_s(java) - before[0], processor_s(server) - before[1]
    with ternmq.connect("QM1", data=data) as local, local.queue("TARGET") as queue:
        if queue.depth != count:
            raise RuntimeError(f"{queue.depth} messages on the queue, not {count}")
    note = (
        f"{count:,} messages; processor us a message: Spark {spent[0] / count * 1e6:.1f}, "
        f"queue manager {spent[1] / count * 1e6:.1f}"
    )
    goal = Goal(AT_LEAST, GOAL) if persistence and not given else None
    return Figure(f"rows of 2 KB, {name}", count / took, "messages/s", goal=goal, note=note)
