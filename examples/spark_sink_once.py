"""Orders priced by Spark, each bill on its queue once, although the job runs again and again.

Spark reads orders by their numbers, joins them with a table of prices, and puts bills on another
queue. Its checkpoint and the queue manager's ledger make that once: here the job is run three
times, the last time with a checkpoint that has lost its note of the last batch, as after a crash
at the worst moment.

    python examples/spark_sink_once.py

Needs `ternmq[spark]` and Java 17.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

import ternmq
from ternmq.spark.mq.mq_source import register
from ternmq.spark.session import close, is_running, session

PRICES = [("nails", 3), ("ladder", 80), ("paint", 21)]


def command(data: str, *words: str) -> None:
    """A control command, as it would be typed."""
    subprocess.run(
        [sys.executable, "-m", "ternmq.cli", *words],
        env={**os.environ, "TERNMQ_DATA": data},
        check=True,
        stdout=subprocess.DEVNULL,
    )


def bill(spark: SparkSession, folder: str, way: dict[str, str]) -> None:
    """All orders that are there become bills."""
    orders = spark.readStream.format("mq").options(**way, queue="ORDERS")
    stream = orders.option("startingOffsets", "earliest").load()
    asked = stream.select("msg_id", f.from_json("text", "item string, count int").alias("order"))
    priced = asked.join(
        f.broadcast(spark.createDataFrame(PRICES, "item string, price int")),
        f.col("order.item") == f.col("item"),
    )
    bills = priced.select(
        f.col("msg_id").alias("correl_id"),  # a bill answers its order
        f.format_string("%d x %s: %d", "order.count", "item", f.expr("order.count * price")).alias(
            "body"
        ),
    )
    writer = bills.writeStream.format("mq").options(**way, queue="BILLS")
    writer = writer.option("checkpointLocation", f"{folder}/checkpoint")
    writer.trigger(availableNow=True).start().awaitTermination()


def shop(connection: ternmq.Connection, orders: list[tuple[str, int]]) -> None:
    with connection.queue("ORDERS") as queue:
        for item, count in orders:
            queue.put({"item": item, "count": count}, persistent=True)


def main() -> None:
    is_ours = not is_running()
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/data"
        way = {"queueManager": "SHOP", "path": data}
        command(data, "crtmqm", "SHOP")
        command(data, "strmqm", "SHOP")
        try:
            with ternmq.connect("SHOP", data=data) as connection:
                connection.define_queue("ORDERS")
                connection.define_queue("BILLS")
                spark = session()
                register(spark)
                shop(connection, [("nails", 100), ("ladder", 1)])
                bill(spark, folder, way)
                shop(connection, [("paint", 2)])
                bill(spark, folder, way)
                for note in Path(folder, "checkpoint", "commits").glob("*1*"):
                    note.unlink()  # Spark does not know that its second batch is done
                bill(spark, folder, way)
                with connection.queue("BILLS") as bills:
                    texts = [message.text for message in bills]
        finally:
            command(data, "endmqm", "-i", "SHOP")
            if is_ours and is_running():
                close(session())
    for text in texts:
        print("bill:", text)
    wanted = ["100 x nails: 300", "1 x ladder: 80", "2 x paint: 42"]
    print("three orders, three bills:", sorted(texts) == sorted(wanted))


if __name__ == "__main__":
    main()
