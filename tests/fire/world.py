"""What stands around the queries under fire: a queue manager, an application that puts and another
that takes away, the driver's process, and the account of what must be where."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from ternmq.values.xid import XID
from tests.fire.points import QUERIES, TARGET, Order, give, has_fired
from tests.fire.queries import SOURCE_QUEUE, TARGET_QUEUE, cursor_of
from tests.unit.api.networked import CHANNEL, Networked
from tests.unit.api.served import started_in_folder

MESSAGES = 80  # of a round
PER_TRIGGER = 40  # two batches of them
RETRIES = "local[2,3]"  # a task whose worker dies is begun again
NO_RETRIES = "local[2]"  # the query fails
DEATHS_MAX = 5
END_S = 60.0
ROOT = Path(__file__).resolve().parent.parent.parent


class Fault(AssertionError):
    """A message is missing, doubled or out of order, or something does not end."""


class World:
    """One queue manager and one folder of checkpoints through all kills."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.put = 0
        self.outcomes: Counter[str] = Counter()
        self.settings: dict[str, str] = {}  # of Spark, for drivers that are begun from now on
        self.environment: dict[str, str] = {}
        self._expected = 0  # the next number on the target queue
        self._driver: subprocess.Popen[str] | None = None
        (folder / "data").mkdir(parents=True)
        started = started_in_folder(folder / "data", "QMFIRE", True, log_file_pages=1024)
        self._networked = Networked(folder / "data", "QMFIRE", started)
        self._connection = self._networked.connect()
        for name in (SOURCE_QUEUE, TARGET_QUEUE):
            self._connection.define_queue(name, max_depth=999_999)
        for query in QUERIES:
            self._connection.cursor(cursor_of(query), SOURCE_QUEUE)

    @property
    def way(self) -> dict[str, str]:
        """Options that lead to the queue manager."""
        return {
            "queueManager": "QMFIRE",
            "connName": self._networked.conn,
            "channel": CHANNEL,
        }

    def __enter__(self) -> World:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end_driver()
        self._connection.disconnect()
        self._networked.close()

    # ---- applications

    def work(self, count: int = MESSAGES) -> None:
        """Put numbered messages, in units of work and alone; take some away again."""
        with self._connection.queue(SOURCE_QUEUE) as queue:
            for number in range(self.put, self.put + count):
                queue.put(f"{number}", persistent=number % 3 != 0)
            self.put += count
            for _ in range(count // 2):
                queue.get()

    # ---- rounds

    def round(self, order: Order, master: str) -> bool:
        """New messages, one query under fire, and its account; whether somebody was killed."""
        give(self.folder, order)
        self.work()
        self._run([order.query], PER_TRIGGER, master, str(order))
        fired = has_fired(self.folder)
        give(self.folder, None)
        return fired

    def last_round(self, master: str) -> None:
        """New messages, and all queries without fire: their commits back out what died."""
        self.work()
        self._run(QUERIES, self.put, master, "the last round")
        left = [repr(xid) for xid in self.in_doubt()] + self.uncommitted()
        if left:
            raise Fault(f"in doubt or under way at the end: {', '.join(left)}")

    def uncommitted(self) -> list[str]:
        """Queues with puts or gets that nobody has committed or backed out."""
        names = (SOURCE_QUEUE, TARGET_QUEUE)
        answers = [self._connection.mqsc(f"DISPLAY QSTATUS({name}) UNCOM")[0] for name in names]
        return [
            f"{answer['QUEUE']} {answer['UNCOM']}" for answer in answers if answer["UNCOM"] != "NO"
        ]

    def in_doubt(self) -> list[XID]:
        """Units of work that nobody has decided."""
        return self._connection.in_doubt()

    def _run(self, queries: Sequence[str], per_trigger: int, master: str, about: str) -> None:
        for _ in range(DEATHS_MAX):
            reported = self._reported(
                {"queries": list(queries), "per_trigger": per_trigger}, master
            )
            if reported is not None:
                self.outcomes["queries that failed and went on"] += len(reported["failures"])
                self.check(queries, reported["counted"], about)
                return
            self.outcomes["drivers that died"] += 1
        raise Fault(f"{about}: the driver dies again and again; see {self.folder / 'spark.log'}")

    def check(self, queries: Sequence[str], counted: dict[str, list[int]], about: str) -> None:
        """Every message once: in table and lake, and on the target queue, there in order."""
        expected = [self.put, self.put, self.put * (self.put - 1) // 2]
        for name, found in counted.items():
            if found != expected:
                raise Fault(f"{about}: {name} has {found}, not {expected}")
        if TARGET not in queries:
            return
        with self._connection.queue(TARGET_QUEUE) as queue:
            numbers = [int(message.text) for message in queue]
        wanted = list(range(self._expected, self.put))
        if numbers != wanted:
            raise Fault(f"{about}: the target queue has {numbers}, not {wanted}")
        self._expected = self.put

    # ---- the driver

    def _reported(self, asked: dict[str, Any], master: str) -> dict[str, Any] | None:
        """Tell the driver to do a round; None if it died."""
        driver = self._driver
        if driver is None or driver.poll() is not None:
            driver = self._driver = self._begun(master)
        if driver.stdin is None or driver.stdout is None:
            raise Fault("a driver without pipes")
        try:
            driver.stdin.write(f"{json.dumps(asked)}\n")
            driver.stdin.flush()
            line = driver.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            values: dict[str, Any] = json.loads(line)
            return values
        self.end_driver()
        return None

    def _begun(self, master: str) -> subprocess.Popen[str]:
        paths = os.pathsep.join([*sys.path, str(ROOT)])
        environment = {**os.environ, **self.environment, "PYTHONPATH": paths}
        arguments = [str(self.folder), master, json.dumps(self.way), json.dumps(self.settings)]
        with (self.folder / "driver.log").open("a") as said:
            return subprocess.Popen(
                [sys.executable, "-m", "tests.fire.driver", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
                env=environment,
                cwd=ROOT,
                start_new_session=True,
            )

    def end_driver(self) -> None:
        """Let the driver end by itself; one that was killed has."""
        driver, self._driver = self._driver, None
        if driver is None:
            return
        for pipe in (driver.stdin, driver.stdout):
            if pipe is not None:
                pipe.close()
        try:
            driver.wait(END_S)
        except subprocess.TimeoutExpired:
            os.killpg(driver.pid, signal.SIGKILL)
            driver.wait()
