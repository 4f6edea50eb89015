"""`make fire-cluster`: kills executors and workers of a real cluster of Spark, and counts messages.

python -m tests.fire.cluster [--keep FOLDER] [--record]

A master and two workers are started on this machine, each with an executor of one core. The queries
and their account are those of `make fire`; what is killed is on the side of the cluster: the Java
of an executor, a task's Python, and drivers between prepare and commit. Then Spark is told to begin
second attempts of slow tasks, and tasks are slow: both attempts read, put and prepare, and one of
them counts. At the end nothing is in doubt, and no queue has an open unit of work.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ternmq.spark.session import lighter_home
from tests.cluster.standalone import environment, standalone
from tests.fire.points import CLUSTER, SPECULATED, Order
from tests.fire.run import record, report
from tests.fire.world import ROOT, Fault, World

GOAL = "CLUSTER"
SETTINGS = {
    "spark.cores.max": "2",
    "spark.executor.cores": "1",
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",  # both executors, or no second attempts
    "spark.excludeOnFailure.enabled": "false",
}
# As soon as one of two tasks is done, the other is slow.
SPECULATION = {
    "spark.speculation": "true",
    "spark.speculation.interval": "200ms",
    "spark.speculation.quantile": "0.5",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.minTaskRuntime": "1s",
}
ATTEMPTS = 3


def walk(world: World, master: str) -> Iterator[int]:
    """All orders, then a round without; Fault if a message is not where it must be. Gives how many
    were carried out after each."""
    world.environment = environment()
    world.settings = dict(SETTINGS)
    done = 0
    for order in CLUSTER:
        attempted(world, order, master)
        done += 1
        yield done
    world.end_driver()
    world.settings = {**SETTINGS, **SPECULATION}
    for order in SPECULATED:
        attempted(world, order, master)
        done += 1
        yield done
    world.end_driver()  # a late attempt may have prepared after the commit: the next run sees to it
    world.settings = dict(SETTINGS)
    world.last_round(master)


def attempted(world: World, order: Order, master: str) -> None:
    """One order, again if there were fewer tasks than it waited for."""
    for _ in range(ATTEMPTS):
        begun = time.monotonic()
        if world.round(order, master):
            world.outcomes[f"in {order.point.partition('.')[0]}"] += 1
            world.outcomes[f"victim {order.victim}"] += 1
            report(f"{order}, {world.put} messages, {time.monotonic() - begun:.0f} s")
            return
        report(f"not reached: {order}")
    raise Fault(f"{order} was never reached")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, help="a new folder for everything, which stays")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    begun = time.monotonic()
    wanted = len(CLUSTER) + len(SPECULATED)
    paths = (*sys.path, str(ROOT))
    with tempfile.TemporaryDirectory(prefix="fire") as scratch:
        folder = arguments.keep or Path(scratch) / "world"
        try:
            with (
                lighter_home("local"),  # workers come up quicker, on this one machine
                World(folder) as world,
                standalone(folder / "cluster", paths=paths) as master,
            ):
                for done in walk(world, master):
                    if arguments.record:
                        record(world, done, wanted, time.monotonic() - begun, GOAL)
                if arguments.record:
                    record(world, wanted, wanted, time.monotonic() - begun, GOAL)
                world.end_driver()
        except Fault as fault:
            report(f"FAILED: {fault}")
            return 1
    outcomes = ", ".join(f"{name} {count}" for name, count in sorted(world.outcomes.items()))
    report(f"{wanted} orders, {world.put} messages, each once ({outcomes})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
