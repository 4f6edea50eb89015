"""Replay: messages of the lake put back on a queue, at a given rate, none twice.

Batches of the plan go one after the other through the sink `mq`, each under its number in the queue
manager's ledger. A batch is there whole or not at all; one that is there is not put again, so a
replay may be killed at any moment and begun again: it goes on with the batch that was not noted as
done, and the ledger knows whether that one is.

The rate is kept batch by batch: each begins when the messages before it were due. A replay that is
slower than its rate goes as fast as it can and does not catch up in a burst.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple, final

from pyspark.sql import SparkSession

from ternmq.spark.lake.replay_plan import MESSAGES, Plan, batch_of, read_text
from ternmq.spark.mq.mq_source import register
from ternmq.spark.pipeline.served_tables import file_system

BATCH_MESSAGES: Final = 5000
DONE: Final = "done"


class Sent(NamedTuple):
    """How far a replay is."""

    batch: int  # batches that are done
    messages: int  # in them
    total: int


def batch_messages(rate: float) -> int:
    """How many messages make a batch: about a second's, so that a rate is one."""
    return min(BATCH_MESSAGES, max(1, round(rate))) if rate else BATCH_MESSAGES


def replay(
    spark: SparkSession,
    plan: Plan,
    connection: Mapping[str, str],
    queue: str = "",
    *,
    rate: float = 0.0,
    keep_context: bool = False,
    pace: Pace | None = None,
) -> Iterator[Sent]:
    """Put what is not yet put of a plan, batch by batch, and yield the progress after each.
    `connection` has options of the sink; without a queue a message goes to that of its column."""
    register(spark)
    options = {**connection, "owner": plan.owner}
    if queue:
        options["queue"] = queue
    if keep_context:
        options["context"] = "all"
    pace = pace or Pace(rate)
    begun = done(plan)
    messages = min(begun * plan.batch_messages, plan.messages)
    for batch in range(begun, plan.batches):
        size = plan.size_of(batch)
        messages += size
        pace.wait(size)
        frame = batch_of(spark, plan, batch)
        if queue:
            frame = frame.drop("queue")
        frame.write.format("mq").mode("append").options(**options).option("batchId", batch).save()
        note(plan, batch + 1)
        yield Sent(batch + 1, messages, plan.messages)


def done(plan: Plan) -> int:
    """How many batches are noted as done."""
    return int(read_text(plan.folder, DONE) or 0)


def note(plan: Plan, batches: int) -> None:
    """So many are done. It saves work, no more: the ledger decides."""
    system, inside = file_system(plan.folder)
    with system.open_output_stream(f"{inside}/.{DONE}") as file:
        file.write(str(batches).encode())
    system.move(f"{inside}/.{DONE}", f"{inside}/{DONE}")


def forget_messages(plan: Plan) -> None:
    """Remove what a replay that is done does not need any more; plan and note stay."""
    from pyarrow import fs

    system, inside = file_system(plan.folder)
    path = f"{inside}/{MESSAGES}"
    if system.get_file_info(path).type == fs.FileType.Directory:
        system.delete_dir(path)


@final
class Pace:
    """Says when a batch is due."""

    def __init__(
        self,
        rate: float,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._rate: Final = rate
        self._now: Final = now
        self._sleep: Final = sleep
        self._due = -1.0

    def wait(self, messages: int) -> None:
        """Until the next batch, of so many messages, may begin."""
        if not self._rate:
            return
        now = self._now()
        if self._due > now:
            self._sleep(self._due - now)
            now = self._due
        # From when it begins, not from when it was due: what was missed is not made up for.
        self._due = now + messages / self._rate
