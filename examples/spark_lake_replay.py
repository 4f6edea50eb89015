"""A bad release lost orders: they are found in the lake of messages and put back, each once.

Copies of all orders go to a streaming queue, and Spark keeps them in Parquet. The warehouse takes
orders off its queue, and forgets those from Kiel. Nobody has them any more but the lake: they are
found there by a property, marked, and put back on the queue. A second replay puts nothing, because
the queue manager's ledger knows the first.

    python examples/spark_lake_replay.py

Needs `ternmq[spark]` and Java 17.
"""

import os
import subprocess
import sys
import tempfile

import ternmq
from ternmq.spark.lake.lake_search import Search, days, found
from ternmq.spark.lake.lake_table import keep
from ternmq.spark.lake.replay_plan import make
from ternmq.spark.lake.replaying import replay
from ternmq.spark.mq.mq_source import register
from ternmq.spark.pipeline.served_tables import table
from ternmq.spark.session import close, is_running, session

DEFINITIONS = """
DEFINE QLOCAL(ORDERS.COPY) RETAIN(CURSORS)
DEFINE QLOCAL(ORDERS) STREAMQ(ORDERS.COPY) DEFPSIST(YES)
"""
TOWNS = ("Bremen", "Kiel", "Emden")
ORDERS = 90


def command(data: str, *words: str) -> None:
    """A control command, as it would be typed."""
    subprocess.run(
        [sys.executable, "-m", "ternmq.cli", *words],
        env={**os.environ, "TERNMQ_DATA": data},
        check=True,
        stdout=subprocess.DEVNULL,
    )


def work(connection: ternmq.Connection) -> int:
    """Orders come, and a warehouse takes them; how many it forgets."""
    forgotten = 0
    with connection.queue("ORDERS") as orders:
        for number in range(ORDERS):
            town = TOWNS[number % 3]
            orders.put({"number": number, "town": town}, properties={"town": town})
        for order in orders:
            forgotten += order.json()["town"] == "Kiel"
        print(f"the warehouse has taken {ORDERS} orders and forgotten {forgotten}")
        print("on the queue now:", orders.depth)
    return forgotten


def bring_back(folder: str, way: dict[str, str]) -> int:
    """Find what is missing in the lake, and put it back on the queue; how many that were."""
    spark = session()
    register(spark)
    copies = spark.readStream.format("mq").options(**way, queue="*.COPY")
    stream = copies.option("startingOffsets", "earliest").load()
    keep(stream, f"{folder}/lake/messages", f"{folder}/checkpoint").awaitTermination()
    lake = table(spark, f"{folder}/lake", "messages")
    for day in days(lake).collect():
        print("in the lake:", day["queue"], day["messages"], "messages", day["bytes"], "bytes")
    lost = found(lake, Search(selector="town = 'Kiel'"))  # by a property: opens few files
    changes = {"text": "replace(text, '}', ', \"again\": true}')"}
    plan = make(lost, f"{folder}/replay", 20, changes, "orders from Kiel")
    for sent in replay(spark, plan, way, "ORDERS"):
        print(f"put back: {sent.messages} of {sent.total}")
    print("put by a second replay:", len(list(replay(spark, plan, way, "ORDERS"))))
    return plan.messages


def main() -> None:
    is_ours = not is_running()
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/data"
        command(data, "crtmqm", "SHOP")
        command(data, "strmqm", "SHOP")
        try:
            with ternmq.connect("SHOP", data=data) as connection:
                connection.mqsc(DEFINITIONS)
                forgotten = work(connection)
                put = bring_back(folder, {"queueManager": "SHOP", "path": data})
                with connection.queue("ORDERS") as orders:
                    back = [order.json() for order in orders]
        finally:
            command(data, "endmqm", "-i", "SHOP")
            if is_ours and is_running():
                close(session())
    right = [order["number"] for order in back] == list(range(1, ORDERS, 3))
    marked = all(order["again"] for order in back)
    print("each lost order is back once, in order:", put == forgotten and right and marked)


if __name__ == "__main__":
    main()
