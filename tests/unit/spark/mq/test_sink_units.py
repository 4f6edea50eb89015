"""Goal: a task's messages are in units of work that a queue manager takes, prepared or committed;
one that is refused leaves nothing; who is whose orphan. Method: the sink's tasks without Spark,
beside a queue manager in a thread."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql.pandas.types import from_arrow_schema

import ternmq
from ternmq import constants as mq
from ternmq.spark.mq import sink_units as mq_sink_units
from ternmq.spark.mq.sink import (
    Identity,
    MqStreamWriter,
    Written,
    commit,
    commit_job,
    machine_of,
    write,
    xids_of,
)
from ternmq.spark.mq.sink_options import SinkOptions
from ternmq.values.xid import XID
from tests.unit.api.networked import CHANNEL, Networked


@pytest.fixture
def networked(tmp_path: Path) -> Iterator[Networked]:
    made = Networked(tmp_path)
    with made:
        with made.connect() as connection:
            for name in ("Q", "A", "B", "C"):
                connection.define_queue(name)
            connection.define_queue("SMALL", max_depth=5)
        yield made


def options_of(networked: Networked, **given: str) -> SinkOptions:
    way = {"queueManager": "QM1", "connName": networked.conn, "channel": CHANNEL}
    return SinkOptions({**way, **given}, is_stream=False)


def batch_of(bodies: list[str], queues: list[str] | None = None) -> pa.RecordBatch:
    arrays, names = [pa.array(bodies, pa.string())], ["body"]
    if queues is not None:
        arrays, names = [*arrays, pa.array(queues)], ["body", "queue"]
    return pa.RecordBatch.from_arrays(arrays, names=names)


def written(options: SinkOptions, *batches: pa.RecordBatch, owner: str = "me") -> Written:
    identity = Identity(owner, 1, "0123-4567", options.is_exact)
    return write(options, from_arrow_schema(batches[0].schema), iter(batches), identity)


def texts(networked: Networked, queue: str) -> list[str]:
    with networked.connect() as connection, connection.queue(queue) as opened:
        return [message.text for message in opened]


def test_task_when_its_rows_fill_units_then_each_is_prepared_and_one_call_commits_all(
    networked: Networked,
) -> None:
    options = options_of(networked, queue="Q", maxMessagesPerUnit="4")
    bodies = [str(n) for n in range(10)]
    done = written(options, batch_of(bodies[:7]), batch_of([]), batch_of(bodies[7:]))
    assert (done.messages, len(done.xids)) == (10, 3)
    assert texts(networked, "Q") == []
    with networked.connect() as connection:
        assert sorted(xid.key for xid in connection.in_doubt()) == sorted(
            xid.key for xid in done.xids
        )
    commit(options, "me", 1, xids_of([None, done]))
    assert texts(networked, "Q") == bodies
    again = written(options, batch_of(bodies))
    commit(options, "me", 1, again.xids)
    assert texts(networked, "Q") == []


def test_task_when_rows_are_long_then_units_end_by_bytes(networked: Networked) -> None:
    options = options_of(networked, queue="Q", maxBytesPerUnit=str(1 << 16))
    bodies = ["a" * 40_000, "b" * 40_000, "c" * 100_000, "d"]
    done = written(options, batch_of(bodies))
    assert len(done.xids) == 4
    commit(options, "me", 1, done.xids)
    assert texts(networked, "Q") == bodies


def test_task_when_a_put_is_refused_then_nothing_of_it_is_left(networked: Networked) -> None:
    options = options_of(networked, queue="SMALL", maxMessagesPerUnit="2")
    with pytest.raises(ternmq.MQError) as refused:
        written(options, batch_of([str(n) for n in range(9)]))
    assert refused.value.reason == mq.MQRC_Q_FULL
    assert "SMALL" in str(refused.value)
    with networked.connect() as connection:
        assert connection.in_doubt() == []
    assert texts(networked, "SMALL") == []


def test_task_when_at_least_once_then_it_commits_by_itself(networked: Networked) -> None:
    options = options_of(networked, queue="Q", delivery="at-least-once", maxMessagesPerUnit="2")
    done = written(options, batch_of(["1", "2", "3"]))
    assert (done.messages, done.xids) == (3, [])
    assert texts(networked, "Q") == ["1", "2", "3"]


def test_task_when_there_are_more_queues_than_handles_then_they_take_turns(
    networked: Networked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mq_sink_units, "HANDLES_MAX", 2)
    options = options_of(networked, delivery="at-least-once")
    written(options, batch_of(["1", "2", "3", "4"], ["A", "B", "C", "A"]))
    assert [texts(networked, name) for name in "ABC"] == [["1", "4"], ["2"], ["3"]]


def test_task_when_it_has_no_rows_then_only_the_first_partition_connects() -> None:
    options = SinkOptions({"queueManager": "NOT.THERE", "queue": "Q"}, is_stream=False)
    assert written(options, batch_of([]), owner="").messages == 0
    with pytest.raises(ternmq.MQError):
        written(options, batch_of([]))


def test_job_when_it_has_no_owner_then_committed_as_a_whole_each_time(networked: Networked) -> None:
    options = options_of(networked, queue="Q", maxMessagesPerUnit="1")
    for _ in range(2):
        done = written(options, batch_of(["1", "2"]), owner="")
        assert {xid.format_id for xid in done.xids} == {0x54515331}
        commit_job(options, done.xids)
    assert texts(networked, "Q") == ["1", "2", "1", "2"]
    with networked.connect() as connection:
        (row,) = connection.mqsc("DISPLAY LEDGER('spark-jobs-*') BATCHES")
        assert row["BATCHES"] == 2


def test_stream_when_spark_gives_no_batch_then_refused_unless_it_does_not_matter() -> None:
    schema = from_arrow_schema(batch_of(["x"]).schema)
    writer = MqStreamWriter({"queue": "Q"}, schema)
    with pytest.raises(RuntimeError, match="which batch of which query"):
        writer.write(iter(()))
    loose = MqStreamWriter({"queue": "Q", "delivery": "at-least-once"}, schema)
    assert isinstance(loose.write(iter(())), Written)


def test_orphans_when_units_are_in_doubt_then_those_of_earlier_runs_alone() -> None:
    run, other = Identity("me", 5, "aaaa", True), Identity("me", 5, "bbbb", True)
    later, earlier = Identity("me", 6, "bbbb", True), Identity("me", 4, "bbbb", True)
    stranger = Identity("you", 5, "bbbb", True)
    mine, theirs = run.xid(0), XID(1, b"somebody", b"1")
    in_doubt = [one.xid(0) for one in (other, later, earlier, stranger)]
    assert run.orphans([mine, theirs, *in_doubt]) == [in_doubt[0], in_doubt[2]]
    assert not Identity("me", 5, "", True).sees_to_orphans  # it could not tell them from its own
    assert run.xid(0).key != Identity("me", 5, "aaaa", True).xid(0).key


def test_machine_when_it_has_no_address_then_it_is_the_same_all_the_same() -> None:
    assert machine_of(0x0242AC110002, "here") == "242ac110002"
    made_up = [0x0B0000000000 | 1 << 40 | number for number in (1, 2)]
    assert machine_of(made_up[0], "here") == machine_of(made_up[1], "here")
    assert machine_of(made_up[0], "here") != machine_of(made_up[0], "there")
