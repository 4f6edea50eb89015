"""A queue into Parquet by Spark's source `mq`, each message once, beside the queue manager.

The queue manager has a process of its own (strmqm) and a queue full of messages of 2 KB; a query
with checkpoint and trigger availableNow turns all of them into a table, in batches of
BATCH_MESSAGES. Spark has two cores, and its session has run the same query on another queue before
the clock starts. Goal: 40,000 messages a second, elapsed, on two processors that queue manager,
Java and workers share. The rate without Parquet (format noop) says what writing takes. Processor
seconds of Java with its workers and of the queue manager are told for each figure, since a machine
that has other work to do shows little by elapsed time.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import ternmq
from benchmarks.bench_served import command
from benchmarks.figures import AT_LEAST, Figure, Goal, Settings
from ternmq.remote.local.folder_lock import lock_holder
from ternmq.remote.local.folder_lookup import find

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GOAL = 40_000
UNIT = 500
WARM_MESSAGES = 200_000  # Java compiles what it runs often, while it runs
BATCH_MESSAGES = 200_000  # a batch costs a quarter of a second, whatever is in it


def body() -> bytes:
    """Letters, as compressible as random digits are; each another, since Parquet looks for bodies
    that it has seen."""
    return os.urandom(1024).hex().encode()


def fill(qmgr: ternmq.QueueManager, name: str, count: int, is_text: bool) -> None:
    """A queue with a stream, and persistent messages in it."""
    qmgr.define_queue(name, max_depth=999_999_999)
    qmgr.cursor(f"KEEP.{name}", name)
    with qmgr.queue(name) as queue:
        for start in range(0, count, UNIT):
            with qmgr.unit_of_work():
                for _ in range(min(UNIT, count - start)):
                    queue.put(body(), persistent=True, format="MQSTR" if is_text else None)


def processor_s(pid: int) -> float:
    """Processor seconds of a process and of those it has started, alive or ended."""
    total = 0.0
    children: dict[int, list[int]] = {}
    spent: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                words = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            spent[int(entry.name)] = sum(int(word) for word in words[11:15])
            children.setdefault(int(words[1]), []).append(int(entry.name))
    found = [pid]
    for one in found:
        total += spent.get(one, 0.0)
        found += children.get(one, [])
    return total / os.sysconf("SC_CLK_TCK")


class Query:
    """The query under measurement."""

    def __init__(self, spark: SparkSession, data: Path, folder: Path) -> None:
        self.spark = spark
        self.data = data
        self.folder = folder
        self.runs = 0

    def once(self, queue: str, sink: str, **given: str) -> float:
        """Seconds from start to end."""
        self.runs += 1
        place = self.folder / f"run{self.runs}"
        frame = (
            self.spark.readStream.format("mq")
            .options(queueManager="QM1", path=str(self.data), queue=queue, **given)
            .options(startingOffsets="earliest", maxMessagesPerTrigger=str(BATCH_MESSAGES))
            .load()
        )
        writer = frame.writeStream.format(sink).option("checkpointLocation", str(place / "c"))
        if sink == "parquet":
            writer = writer.option("path", str(place / "table"))
        begin = time.perf_counter()
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        return time.perf_counter() - begin


def java_pid() -> int:
    from pyspark import SparkContext

    return int(SparkContext._gateway.proc.pid)  # type: ignore[union-attr]


def run(settings: Settings) -> list[Figure]:
    """Fill queues in this process, then have them served and read."""
    from ternmq.spark.mq.mq_source import register
    from ternmq.spark.session import close, session

    folder = settings.place("spark_mq")
    data = folder / "data"
    count = settings.scaled(800_000, 20_000)
    with ternmq.embedded(data, "QM1", create=True, log_file_pages=16_384) as qmgr:
        fill(qmgr, "WARM", settings.scaled(WARM_MESSAGES, 5_000), False)
        fill(qmgr, "BYTES", count, False)
        fill(qmgr, "TEXT", count, True)
    command(data, "strmqm", "QM1")
    places = {"spark.local.dir": str(folder / "spark")}
    spark = session("bench", master="local[2]", settings=places, log=folder / "spark.log")
    try:
        register(spark)
        query = Query(spark, data, folder)
        query.once("WARM", "parquet")
        server = server_pid(data)
        return [
            measured(query, server, count, "BYTES", "parquet", "to Parquet, every column"),
            measured(query, server, count, "TEXT", "parquet", "to Parquet, body and text"),
            measured(query, server, count, "BYTES", "noop", "to nowhere, every column"),
        ]
    finally:
        close(spark)
        command(data, "endmqm", "-i", "QM1")


def server_pid(data: Path) -> int:
    """The process of the queue manager."""
    return lock_holder(find(str(data), "QM1").folder)


def measured(query: Query, server: int, count: int, queue: str, sink: str, name: str) -> Figure:
    """One line of the table."""
    java = java_pid()
    before = processor_s(java), processor_s(server)
    took = query.once(queue, sink)
    spent = processor_s(java) - before[0], processor_s(server) - before[1]
    note = (
        f"{count:,} messages; processor us a message: Spark {spent[0] / count * 1e6:.1f}, "
        f"queue manager {spent[1] / count * 1e6:.1f}"
    )
    goal = Goal(AT_LEAST, GOAL) if sink == "parquet" and queue == "BYTES" else None
    return Figure(f"messages of 2 KB {name}", count / took, "messages/s", goal=goal, note=note)
