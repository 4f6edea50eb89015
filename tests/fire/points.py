"""Where a process is killed, and which: the table that the runs under fire walk through.

A point is reached by the source or the sink of one of three queries; at its n-th time, counted over
all processes, somebody is killed with SIGKILL. Points are reached in processes of different kinds:

    latest, partitions, acknowledge    the planner's process, beside the driver
    read, write                        a worker
    commit                             the process that commits for the driver

and the victim is that process itself, the driver (Java and Python together; the process that
reached the point goes on as long as it can), or both. On a cluster it may also be the executor, the
Java that a task runs in; or nobody: then the task waits until Spark, which takes it for slow, has
begun a second attempt of it that comes as far, and both go on.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

SOURCE_POINTS = (
    "latest.before",
    "latest.after",
    "partitions.before",
    "partitions.after",
    "read.before",
    "read.middle",
    "read.after",
    "acknowledge.before",
    "acknowledge.after",
)
SINK_POINTS = (
    "write.before",
    "write.middle",  # some units of work are prepared, one is open
    "write.put",  # all is put, the last unit is not prepared
    "write.prepared",  # the driver does not know of it
    "commit.before",
    "commit.after",  # the queue manager has committed, Spark has not noted it
)
ITSELF, DRIVER, BOTH = "itself", "driver", "both"
VICTIMS = (ITSELF, DRIVER, BOTH)
EXECUTOR, ATTEMPT = "executor", "attempt"
TABLE, LAKE, TARGET = "table", "lake", "target"
QUERIES = (TABLE, LAKE, TARGET)


SECOND_ATTEMPT_S = 90.0
_EXECUTOR = b"CoarseGrainedExecutorBackend"


class Order(NamedTuple):
    """Whom to kill, and where."""

    query: str
    point: str
    victim: str
    nth: int = 1

    def __str__(self) -> str:
        return f"{self.query} {self.point}.{self.nth} {self.victim}"


CLUSTER = (
    Order(TABLE, "read.middle", EXECUTOR),
    Order(LAKE, "read.after", EXECUTOR, 2),
    Order(TARGET, "read.before", EXECUTOR),
    Order(TARGET, "write.middle", EXECUTOR),
    Order(TARGET, "write.put", EXECUTOR, 2),
    Order(TARGET, "write.prepared", EXECUTOR),
    Order(LAKE, "read.middle", ITSELF),
    Order(TARGET, "write.prepared", ITSELF, 2),
    Order(TARGET, "commit.before", DRIVER),
    Order(TARGET, "commit.after", BOTH),
)
SPECULATED = (
    Order(TABLE, "read.middle", ATTEMPT),
    Order(TARGET, "write.middle", ATTEMPT),
    Order(TARGET, "write.prepared", ATTEMPT),
)


def orders(count: int, seed: int) -> Iterator[Order]:
    """So many orders: every point of source and sink with every victim, as far as the count goes,
    in an order by chance; which query and which time as well. Those that leave the driver alive
    come first: they are quick."""
    chance = random.Random(seed)
    pairs = [(point, victim) for point in (*SINK_POINTS, *SOURCE_POINTS) for victim in VICTIMS]
    given = 0
    while given < count:
        chance.shuffle(pairs)
        pairs.sort(key=lambda pair: pair[1] != ITSELF)
        for point, victim in pairs[: count - given]:
            query = TARGET if point in SINK_POINTS else chance.choice(QUERIES)
            yield Order(query, point, victim, chance.randint(1, 2))
            given += 1


class Fire:
    """What one query's source and sink ask at every point. Travels to workers with its folder's
    path; what was reached is counted in files there."""

    def __init__(self, folder: str, query: str) -> None:
        self.folder = folder
        self.query = query

    def at(self, point: str) -> None:
        """Nothing, unless it is the time and the place."""
        order = reported(Path(self.folder) / "order")
        if order is None or (order["query"], order["point"]) != (self.query, point):
            return
        if order["victim"] == ATTEMPT:
            self._wait_for_another()
            return
        times = Path(self.folder) / "times"
        number = os.open(times, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(number, b".")
        os.close(number)
        if times.stat().st_size < order["nth"]:
            return
        try:
            os.close(os.open(Path(self.folder) / "fired", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        if order["victim"] == EXECUTOR:
            os.kill(executor_of(os.getpid()), signal.SIGKILL)
            return
        if order["victim"] != ITSELF:
            os.killpg(int((Path(self.folder) / "driver").read_text()), signal.SIGKILL)
        if order["victim"] != DRIVER:
            os.kill(os.getpid(), signal.SIGKILL)

    def _wait_for_another(self) -> None:
        """The first task that comes here waits for another attempt of itself."""
        from pyspark import TaskContext

        context = TaskContext.get()
        pipe = Path(self.folder) / f"held.{context.partitionId() if context is not None else 0}"
        try:
            os.close(os.open(Path(self.folder) / "times", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            if pipe.exists():
                (Path(self.folder) / "fired").touch()
                number = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
                os.write(number, b".")
                os.close(number)
            return
        os.mkfifo(pipe)
        number = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        select.select([number], [], [], SECOND_ATTEMPT_S)
        os.close(number)
        pipe.unlink(missing_ok=True)


def executor_of(pid: int) -> int:
    """The Java that a process of a task belongs to."""
    while pid > 1:
        if _EXECUTOR in Path(f"/proc/{pid}/cmdline").read_bytes():
            return pid
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    raise LookupError("this process belongs to no executor of a cluster")


def reported(path: Path) -> dict[str, Any] | None:
    """The order, if there is one."""
    try:
        found: dict[str, Any] = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    return found


def give(folder: Path, order: Order | None) -> None:
    """A new order; None: nobody is killed."""
    for path in (folder / "times", folder / "fired", folder / "order", *folder.glob("held.*")):
        path.unlink(missing_ok=True)
    if order is not None:
        whole = folder / "order.new"
        whole.write_text(json.dumps(order._asdict()))
        whole.rename(folder / "order")


def has_fired(folder: Path) -> bool:
    """Whether the order was carried out."""
    return (folder / "fired").exists()
