"""The sink `mq`: DataFrames as messages on queues or topics, exactly once by two-phase commit.

    df.writeStream.format("mq").option("queue", "TARGET").option("checkpointLocation", ...).start()
    df.write.format("mq").mode("append").option("topic", "sport/results").save()

Each task puts inside units of work and prepares them, under XIDs that name the query, the batch,
the run, the partition and the attempt, and reports them to the driver. The driver commits all of
them and a row of the queue manager's ledger, (query, batch), by one call. A batch that is in the
ledger is not written again: a driver that died after its commit repeats the batch, and what the
repetition prepared is backed out. A prepared unit that no driver names any more is an orphan: of a
killed task, of a speculative attempt, of a driver that died. The owner's next commit backs it out;
those of an earlier run are backed out by the first task of the next one, before it puts, so that
they do not hold the log's space while the batch is repeated.

A batch write has no number of its own. With options owner and batchId it is in the ledger as a
stream's batch is, and is written once however often the job is repeated; without them it is all or
nothing, and a job that is repeated writes again. Its units are named by the job, and what a driver
that died left in doubt is for an operator (dspmqtrn, rsvmqtrn): no later job has its name.

Spark does not call `abort` or `stop` reliably (measured), so nothing depends on them.
"""

from __future__ import annotations

import hashlib
import os
import platform
import time
import uuid
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import (
    DataSourceArrowWriter,
    DataSourceStreamArrowWriter,
    WriterCommitMessage,
)
from pyspark.sql.types import StructType

from ternmq.base.errors import MQError, Unavailable
from ternmq.spark.mq.sink_columns import shape_of
from ternmq.spark.mq.sink_options import SinkOptions
from ternmq.spark.mq.sink_rows import Rows
from ternmq.spark.mq.sink_units import Units, back_out
from ternmq.spark.mq.spark_connection import connect
from ternmq.values.batch import OWNER_BYTES_MAX, batch_xid, owner_and_batch
from ternmq.values.xid import XID

QUERY_ID: Final = "sql.streaming.queryId"
BATCH_ID: Final = "streaming.sql.batchId"
RUN_ID: Final = "spark.jobGroup.id"  # of a streaming query it is the run's id
JOB_FORMAT: Final = 0x54515331  # "TQS1": format id of XIDs of batch jobs without owner
COMMIT_ATTEMPTS: Final = 3
_RUN_LETTERS: Final = 16
_MADE_UP: Final = 1 << 40  # the bit of an address that says it is of a group, as no machine's is

XIDParts = tuple[int, bytes, bytes]


class Written(WriterCommitMessage):
    """What a task reports to the driver."""

    def __init__(self, owner: str, partition: int, xids: list[XID], messages: int) -> None:
        self.owner: Final = owner
        self.partition: Final = partition
        self.xid_parts: Final[list[XIDParts]] = [
            (xid.format_id, xid.global_id, xid.branch_qualifier) for xid in xids
        ]
        self.messages: Final = messages

    @property
    def xids(self) -> list[XID]:
        """The units of work that the task prepared."""
        return [XID(*parts) for parts in self.xid_parts]


CommitMessages = list[WriterCommitMessage | None]


def written(messages: CommitMessages) -> list[Written]:
    """The messages of tasks, in the order of their partitions: so messages become visible."""
    found = [one for one in messages if isinstance(one, Written)]
    return sorted(found, key=lambda one: one.partition)


def xids_of(messages: CommitMessages) -> list[XID]:
    return [xid for one in written(messages) for xid in one.xids]


# ---- tasks


def rows_of(options: SinkOptions, schema: StructType) -> Rows:
    """What makes messages of rows; ValueError if their columns do not fit."""
    shape = shape_of(schema, options.is_kafka, options.has_context)
    if options.retains and not options.topic and not shape.topic:
        raise ValueError("option retain is for topics: neither option topic nor a column names one")
    return Rows(shape, options.queue, options.topic)


def write(
    options: SinkOptions, schema: StructType, batches: Iterator[pa.RecordBatch], identity: Identity
) -> Written:
    """One task: put all rows, and return under which XIDs."""
    rows = rows_of(options, schema)
    filled = (batch for batch in batches if batch.num_rows)
    first = next(filled, None)
    if first is None and not identity.sees_to_orphans:
        return Written(identity.owner, identity.partition, [], 0)
    with connect(options.connection) as connection:
        if identity.sees_to_orphans:
            back_out(connection, identity.orphans(connection.in_doubt()))
        units = Units(connection, options, identity.xid if options.is_exact else None)
        try:
            for batch in chain((first,) if first is not None else (), filled):
                for puts in rows.puts(batch):
                    units.put(puts)
            units.end()
        except BaseException:
            units.give_up()
            raise
        return Written(identity.owner, identity.partition, units.prepared, units.messages)


class Identity:
    """Who a task is: its owner and batch in the ledger, its run, partition and attempt."""

    def __init__(self, owner: str, batch: int, run: str, is_exact: bool) -> None:
        context = TaskContext.get()
        self.owner: Final = owner
        self.batch: Final = batch
        self.partition: Final = context.partitionId() if context is not None else 0
        # Without the run's name, units of this run's other tasks would look like orphans.
        self.sees_to_orphans: Final = is_exact and bool(owner and run) and self.partition == 0
        self._run: Final = run.replace("-", "")[:_RUN_LETTERS]
        # A driver that restarts counts attempts from the beginning; no two tasks have one name.
        attempt = context.taskAttemptId() if context is not None else 0
        self._task: Final = f"{self.partition}.{attempt}.{os.urandom(6).hex()}"

    def xid(self, number: int) -> XID:
        """The name of the n-th unit of work."""
        branch = f"{self._run}.{self._task}.{number}".encode()
        if self.owner:
            return batch_xid(self.owner, self.batch, branch)
        return XID(JOB_FORMAT, self._run.encode(), branch)

    def orphans(self, in_doubt: list[XID]) -> list[XID]:
        """Units that other runs of this query left in doubt."""
        mine = f"{self._run}.".encode()
        found: list[XID] = []
        for xid in in_doubt:
            named = owner_and_batch(xid)
            if named is None or named[0] != self.owner or named[1] > self.batch:
                continue
            if not xid.branch_qualifier.startswith(mine):
                found.append(xid)
        return found


def local_property(name: str) -> str:
    context = TaskContext.get()
    return (context.getLocalProperty(name) or "") if context is not None else ""


# ---- the driver


def commit(options: SinkOptions, owner: str, batch: int, xids: list[XID]) -> None:
    """Commit a batch. To ask again is safe, so a connection that breaks is made again."""
    for left in reversed(range(COMMIT_ATTEMPTS)):
        try:
            with connect(options.connection) as connection:
                connection.commit_batch(owner, batch, xids)
                return
        except Unavailable:
            if not left:
                raise


def commit_job(options: SinkOptions, xids: list[XID]) -> None:
    """Commit a job that has no owner: one row of the ledger has all of a user on a machine, by the
    time of their commits. It is asked once: what became of it is not known if that fails, but it is
    all or nothing."""
    with connect(options.connection) as connection:
        owner = job_owner(connection.transport.user)
        if not connection.commit_batch(owner, time.time_ns(), xids).committed:
            raise RuntimeError(
                f"the ledger has another job of {owner} at this time; nothing is put"
            )


def job_owner(user: str) -> str:
    """Under which name the ledger has a user's jobs; a digest stands for a long user name."""
    machine = machine_of(uuid.getnode(), platform.node())
    owner = f"spark-jobs-{user}-{machine}"
    if len(owner.encode()) <= OWNER_BYTES_MAX and owner.isprintable():
        return owner
    digest = hashlib.sha256(user.encode()).hexdigest()[:_RUN_LETTERS]
    return f"spark-jobs-{digest}-{machine}"


def machine_of(node: int, host: str) -> str:
    """Which machine this is, the same in every process: its network address, or what stands for its
    name where it has none. Then Python makes a number up, another one each time, and marks it."""
    if not node & _MADE_UP:
        return f"{node:x}"
    return hashlib.sha256(host.encode()).hexdigest()[:_RUN_LETTERS]


def abort(options: SinkOptions, xids: list[XID]) -> None:
    """Back out what tasks have prepared, if the queue manager can be asked."""
    try:
        with connect(options.connection) as connection:
            back_out(connection, xids)
    except MQError:
        pass  # they are orphans, and the owner's next commit backs them out


class MqStreamWriter(DataSourceStreamArrowWriter):
    """Writes the batches of a query."""

    def __init__(self, given: Mapping[str, str], schema: StructType) -> None:
        self.options: Final = SinkOptions(given, is_stream=True)
        self.schema: Final = schema
        rows_of(self.options, schema)  # so that what is wrong is reported here

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        return write(self.options, self.schema, iterator, self._identity())

    def _identity(self) -> Identity:
        if not self.options.is_exact:
            return Identity("", 0, "", False)
        query, batch = local_property(QUERY_ID), local_property(BATCH_ID)
        if not query or not batch:
            raise RuntimeError("Spark does not say which batch of which query this is")
        return Identity(f"spark-{query}", int(batch), local_property(RUN_ID), True)

    def commit(self, messages: CommitMessages, batchId: int) -> None:
        tasks = written(messages)
        if tasks and self.options.is_exact:
            commit(self.options, tasks[0].owner, batchId, xids_of(messages))

    def abort(self, messages: CommitMessages, batchId: int) -> None:
        abort(self.options, xids_of(messages))


class MqBatchWriter(DataSourceArrowWriter):
    """Writes one DataFrame."""

    def __init__(self, given: Mapping[str, str], schema: StructType, overwrite: bool) -> None:
        self.options: Final = SinkOptions(given, is_stream=False)
        if overwrite:
            raise ValueError("messages are added to a queue: mode('append'), not overwrite")
        self.schema: Final = schema
        self.job: Final = uuid.uuid4().hex  # the same in the driver and in all tasks
        rows_of(self.options, schema)  # so that what is wrong is reported here

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        options = self.options
        identity = Identity(options.owner, options.batch, self.job, options.is_exact)
        return write(options, self.schema, iterator, identity)

    def commit(self, messages: CommitMessages) -> None:
        options = self.options
        xids = xids_of(messages)
        if options.owner:
            commit(options, options.owner, options.batch, xids)
        elif xids:
            commit_job(options, xids)

    def abort(self, messages: CommitMessages) -> None:
        abort(self.options, xids_of(messages))
