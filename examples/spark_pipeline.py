"""From a queue manager's own measurements to tables: the pipeline, in a project of its own.

An application works, and the queue manager writes SMF records of every second. `ternmq pipeline`
makes tables of them, in a folder that lasts; run again, it would add only what is new. What the
tables hold is then asked in SQL.

    python examples/spark_pipeline.py

Needs `ternmq[spark]` and Java 17.
"""

import tempfile
import time
from pathlib import Path

import ternmq
from ternmq import SMFDestination
from ternmq.cli.tools.pipeline_command import main as pipeline
from ternmq.spark.pipeline.served_tables import table
from ternmq.spark.session import close, is_running, session

RUN_S = 1.2
COMMANDS = (
    "DEFINE QLOCAL(ORDERS) STATQ(ON) REPLACE",
    "SET SYSTEM STATIME(0.01)",
    "START TRACE(STAT) CLASS(5)",
)
QUESTION = """
    SELECT queue, sum(puts) AS puts, sum(gets) AS gets, count(DISTINCT interval_start) AS seconds,
           max(time_on_queue_us) > 0 AS waited
    FROM queues WHERE queue = 'ORDERS' GROUP BY queue
"""


def work(folder: str) -> int:
    """Put orders and get them for a while, with a statistics interval of a second; how many."""
    count = 0
    destination = SMFDestination("MAN", path=f"{folder}/smf")
    with ternmq.embedded(f"{folder}/data", "QM1", create=True, smf=[destination]) as qmgr:
        for command in COMMANDS:
            qmgr.mqsc(command)
        end = time.monotonic() + RUN_S
        with qmgr.queue("ORDERS") as orders:
            while time.monotonic() < end:
                orders.put(f"order {count}")
                time.sleep(0.002)
                orders.get()
                count += 1
    return count


def main() -> None:
    is_ours = not is_running()
    with tempfile.TemporaryDirectory() as folder:
        project = f"{folder}/watch"
        pipeline(["init", project, "--smf", f"{folder}/smf", "--sections", "QQST"])
        done = work(folder)
        spark = session()
        if pipeline(["run", project, "--quiet"]):
            raise SystemExit("the pipeline has said why it did not run")
        table(spark, Path(project, "warehouse"), "queues").createOrReplaceTempView("queues")
        (row,) = spark.sql(QUESTION).collect()
        print("the queue:", row.asDict())
        if is_ours:
            close(spark)
    print(f"the application put {done} orders, the tables have all: {row['puts'] == done}")


if __name__ == "__main__":
    main()
