"""A driver that may be killed at any time: reads what to do from its input, a line each, and tells
when it is done.

python -m tests.fire.driver FOLDER MASTER WAY SETTINGS
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from ternmq.spark.session import close, session
from tests.fire.mq_under_fire import register
from tests.fire.queries import counted, run


def main(folder: Path, master: str, way: dict[str, str], more: dict[str, str]) -> None:
    (folder / "driver").write_text(str(os.getpgrp()))
    settings = {
        "spark.sql.shuffle.partitions": "2",
        "spark.local.dir": str(folder / "local"),
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.ui.enabled": "false",
        **more,
    }
    spark = session("fire", master=master, settings=settings, log=folder / "spark.log")
    register(spark)
    for line in sys.stdin:
        asked = json.loads(line)
        queries = asked["queries"]
        failures = run(spark, folder, way, queries, asked["per_trigger"])
        values = {"failures": failures, "counted": counted(spark, folder, queries)}
        sys.stdout.write(f"{json.dumps(values)}\n")
        sys.stdout.flush()
    close(spark)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]), json.loads(sys.argv[4]))
