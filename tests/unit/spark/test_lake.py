"""Goal: each message is in the lake once and found by what people know of it; a replay puts each
back once, whatever is killed.

Method: a queue manager beside Spark; messages go through source, lake and sink. A crash is an
iterator that nobody goes on with, and a note that is taken away.
"""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import ternmq
from tests.unit.api.networked import CHANNEL, Networked, in_memory
from tests.unit.spark.message_rows import BEGIN, at, finished, messages, msg_id

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


class World:
    """A queue manager, a warehouse, and what was put."""

    def __init__(self, spark: "SparkSession", served: Networked, folder: Path) -> None:
        self.spark = spark
        self.warehouse = folder
        self.connection = served.connect()
        self.way = {"queueManager": "QM1", "connName": served.conn, "channel": CHANNEL}
        self.arguments = ["-m", "QM1", "--conn-name", served.conn, "--channel", CHANNEL]

    def put(self, first: int, count: int) -> None:
        """Orders with numbers as text, identifier and property."""
        from pyspark.sql import functions as f

        rows = self.spark.range(first, first + count, 1, 1).select(
            f.format_string("order %d", "id").alias("body"),
            f.unhex(f.lpad(f.hex("id"), 48, "0")).alias("msg_id"),
            f.create_map(f.lit("number"), f.col("id").cast("string")).alias("properties"),
        )
        rows.write.format("mq").options(**self.way, queue="007").mode("append").save()

    def keep(self) -> None:
        from ternmq.spark.lake.lake_table import keep

        given = {**self.way, "queue": "007", "startingOffsets": "earliest", "cursor": "LAKE"}
        stream = self.spark.readStream.format("mq").options(**given).load()
        folder = self.warehouse
        finished(lambda: keep(stream, f"{folder}/messages", f"{folder}/_checkpoint"))

    def lake(self) -> "DataFrame":
        from ternmq.spark.pipeline.served_tables import table

        return table(self.spark, self.warehouse, "messages")

    def taken(self, queue: str) -> list[str]:
        return [text_of(message) for message in self.messages(queue)]

    def messages(self, queue: str) -> list[ternmq.Message]:
        with self.connection.queue(queue) as opened:
            return list(opened)


def text_of(message: ternmq.Message) -> str:
    """What stands behind the properties."""
    return message.data.decode("utf-8", "replace").rpartition("</usr>")[2].lstrip()


@pytest.fixture(scope="module")
def world(spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    from ternmq.spark.mq.mq_source import register

    register(spark)
    served = in_memory()
    found = World(spark, served, tmp_path_factory.mktemp("warehouse"))
    for name in ("007", "TARGET", "OTHER"):
        found.connection.define_queue(name)
    found.put(0, 30)
    found.keep()
    found.put(30, 10)
    found.keep()
    yield found
    found.connection.disconnect()
    served.close()


def test_lake_when_kept_in_two_runs_then_each_message_is_there_once_by_day_and_queue(
    world: World,
) -> None:
    rows = world.lake().select("queue", "text", "put_date", "put_timestamp").collect()
    assert sorted(row["text"] for row in rows) == sorted(f"order {n}" for n in range(40))
    assert {row["queue"] for row in rows} == {"007"}  # a name, also where folders make it a number
    for row in rows:
        assert row["put_date"] == row["put_timestamp"].date()
        assert (world.warehouse / "messages" / f"put_date={row['put_date']}" / "queue=007").is_dir()


def test_day_when_the_session_has_another_zone_then_it_is_that_of_utc(
    spark: "SparkSession",
) -> None:
    from ternmq.spark.lake.lake_table import lake

    frame = messages(spark, [{"put_timestamp": at(0)}, {"put_timestamp": at(10)}, {}])
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        days = [row["put_date"] for row in lake(frame).orderBy("seq").collect()]
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert days == [date(2026, 11, 1), date(2026, 11, 2), None]


def test_search_when_by_any_of_its_ways_then_it_finds_these_and_no_others(
    spark: "SparkSession",
) -> None:
    from pyspark.sql import functions as f

    from ternmq.spark.lake.lake_search import Search, conditions, identifier
    from ternmq.spark.lake.lake_table import lake

    rows = [
        {
            "queue": f"Q{n % 2}",
            "msg_id": msg_id(n),
            "correl_id": msg_id(n + 1),
            "put_timestamp": at(n),
            "properties": {"colour": "red" if n < 3 else "blue"} if n else None,
            "text": f"text {n}",
            "priority": n,
        }
        for n in range(6)
    ]
    cases = [
        (Search(queue="Q1"), [1, 3, 5]),
        (Search(queue="Q*"), [0, 1, 2, 3, 4, 5]),
        (Search(queue_manager="QM2"), []),
        (Search(msg_id=identifier("ID:" + msg_id(4).hex())), [4]),
        (Search(msg_id=identifier("0000")), [0, 1, 2, 3, 4, 5]),
        (Search(correl_id=msg_id(4)), [3]),
        (Search(properties=(("colour", "red"),)), [1, 2]),
        (Search(properties=(("colour", None),)), [1, 2, 3, 4, 5]),
        (Search(since=at(2), until=at(4)), [2, 3]),
        (Search(since=at(2).astimezone(UTC), queue="Q0"), [2, 4]),
        (Search(text="ext 5"), [5]),
        (Search(where="priority > 3 OR text = 'text 0'"), [0, 4, 5]),
        (Search(queue="Q1", where="priority > 3 OR text = 'text 0'"), [5]),
    ]
    # One pass for all: a column for each case.
    frame = lake(messages(spark, rows))
    every = [f.lit(True)]
    reported = frame.select(
        "seq",
        *(
            f.reduce(f.array(*every, *conditions(search)), f.lit(True), lambda a, b: a & b)
            for search, _ in cases
        ),
    ).collect()
    found = [sorted(row["seq"] for row in reported if row[n + 1]) for n in range(len(cases))]
    assert found == [wanted for _, wanted in cases]


@pytest.mark.parametrize("reported", ["4x", "414", "00" * 25, "ID:"])
def test_identifier_when_it_is_none_then_refused(reported: str) -> None:
    from ternmq.spark.lake.lake_search import identifier

    with pytest.raises(ValueError, match="up to 48 hexadecimal digits"):
        identifier(reported)


# ---- replay


def test_replay_when_killed_between_commit_and_note_then_each_message_is_put_once_in_order(
    world: World, tmp_path: Path
) -> None:
    from ternmq.spark.lake import replay_plan
    from ternmq.spark.lake.lake_search import Search, found
    from ternmq.spark.lake.replaying import replay

    chosen = found(world.lake(), Search(where="cast(properties['number'] as int) < 25"))
    changes = {"text": "upper(text)", "priority": "3", "msg_id": "null"}
    plan = replay_plan.make(chosen, str(tmp_path / "plan"), 10, changes, "a test")
    assert (plan.messages, plan.batches) == (25, 3)
    first = replay(world.spark, plan, world.way, "TARGET")
    assert next(first) == (1, 10, 25)
    (tmp_path / "plan" / "done").unlink()  # the ledger alone knows
    world.put(1000, 1)
    world.keep()  # the lake has grown: the plan has not
    again = replay_plan.read(str(tmp_path / "plan"))
    assert again == plan
    assert [sent.messages for sent in replay(world.spark, plan, world.way, "TARGET")] == [
        10,
        20,
        25,
    ]
    assert list(replay(world.spark, plan, world.way, "TARGET")) == []
    assert world.connection.in_doubt() == []
    put = world.messages("TARGET")
    assert [text_of(message) for message in put] == [f"ORDER {n}" for n in range(25)]
    assert {message.priority for message in put} == {3}
    assert dict(put[24].properties) == {"number": "24"}  # properties are what they were
    assert not {message.msg_id for message in put} & {msg_id(n) for n in range(25)}
    (row,) = world.connection.mqsc(f"DISPLAY LEDGER('{plan.owner}') BATCHES")
    assert int(row["BATCHES"]) == 3


def test_replay_when_a_property_cannot_be_put_then_reported_before_or_left_out(
    spark: "SparkSession", tmp_path: Path
) -> None:
    from ternmq.spark.lake import replay_plan

    maps = [({"a": "1", "b": "x"}, {"a": "i4", "b": "money"}), ({"a": "1"}, {}), ({}, None)]
    chosen = messages(
        spark, [{"properties": held, "property_types": types} for held, types in maps]
    )
    folder = str(tmp_path / "plan")
    with pytest.raises(ValueError, match=r"1 messages have .* \(property b is of type 'money'"):
        replay_plan.make(chosen, folder, 10, {}, "a test")
    plan = replay_plan.make(chosen, folder, 10, {}, "a test", "skip")
    assert (plan.messages, plan.without) == (3, 1)
    rows = replay_plan.batch_of(spark, plan, 0).orderBy("seq").collect()
    assert [row["properties"] for row in rows] == [{"a": "1"}, {"a": "1"}, {}]
    assert [row["property_types"] for row in rows] == [{"a": "i4"}, {}, None]
    assert replay_plan.read(folder) == plan


def test_commands_when_asked_then_they_find_and_replay_once(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    from ternmq.cli.tools.lake_command import main as lake
    from ternmq.cli.tools.replay_command import main as replay

    folder = str(world.warehouse)
    choice = [folder, "--quiet", "--property", "number=7", "--since", "1d"]
    assert lake(["find", *choice, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["text"], row["msg_id"]) == ("order 7", msg_id(7).hex().upper())
    assert row["properties"] == {"number": "7"}
    assert lake(["find", *choice, "--id", "41"]) == 10  # there is none
    selecting = ["find", folder, "--quiet", "--selector"]
    assert lake([*selecting, "number IN ('7', '8') AND number <> '8'", "--json"]) == 0
    assert [row["text"] for row in json.loads(capsys.readouterr().out)] == ["order 7"]
    assert lake([*selecting, "number = "]) != 0
    assert "found the end, expected a name" in capsys.readouterr().err
    assert lake(["days", folder, "--quiet"]) == 0
    assert " QM1  007  4" in capsys.readouterr().out
    sending = [*choice, "--to", "OTHER", "--rate", "100", *world.arguments]
    assert replay([*sending, "--dry-run"]) == 0
    assert capsys.readouterr().out == "1 message would be put\n"
    assert replay(sending) == 0
    assert "1 of 1 message put" in capsys.readouterr().out
    assert replay([*sending, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["put"] == 0
    assert world.taken("OTHER") == ["order 7"]
    assert replay([*choice, "--to", "NOWHERE", *world.arguments]) == 71
    assert "MQRC_UNKNOWN_OBJECT_NAME" in capsys.readouterr().err


def test_replay_when_its_arguments_are_wrong_then_it_says_which(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from ternmq.cli.tools.replay_command import main as replay

    for wrong, reported in (
        (["--to", "Q", "--set", "colour=9"], "a message has no column colour"),
        (["--to", "Q", "--set", "text=''", "--set", "body=''"], "one of the two can be changed"),
        (["--to", "Q", "--id", "xyz"], "hexadecimal digits"),
        (["--to", "Q", "--name", "../up"], "is not a name for a replay"),
    ):
        assert replay([str(world.warehouse), "--quiet", *wrong]) == 71
        assert reported in capsys.readouterr().err
    for wrong, reported in (
        ([], "where to?"),
        (["--to", "Q", "--rate", "-1"], "--rate is -1.0"),
        (["--to", "Q", "--since", "yesterday"], "yesterday is not a time"),
        (["--to", "Q", "--set", "priority"], "is not a change"),
    ):
        with pytest.raises(SystemExit):
            replay([str(tmp_path), *wrong])
        assert reported in capsys.readouterr().err


def test_batches_when_runs_have_any_lengths_then_each_but_the_last_is_full() -> None:
    from ternmq.spark.lake.replay_plan import ends_of

    for runs, size, wanted in (
        ([], 3, []),
        ([(0, 3)], 3, [2]),
        ([(0, 7)], 3, [2, 5, 6]),
        ([(0, 2), (100, 2), (200, 5)], 3, [100, 201, 204]),
        ([(0, 1), (100, 1)], 5, [100]),
    ):
        assert ends_of(runs, size) == wanted


def test_pace_when_batches_are_slow_then_it_does_not_catch_up_in_a_burst() -> None:
    from ternmq.spark.lake.replaying import Pace

    clock = [0.0]
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        clock[0] += seconds

    pace = Pace(10.0, lambda: clock[0], sleep)
    pace.wait(20)  # at once
    pace.wait(10)  # 2 s after it
    clock[0] += 5.0  # this batch took long: its successor is due
    pace.wait(10)
    pace.wait(10)
    assert slept == [2.0, 1.0]


def test_moment_when_given_as_ago_then_it_is_before_now() -> None:
    from ternmq.cli.tools.lake_arguments import moment

    assert moment("2026-11-01T23:59:50").at == BEGIN
    assert moment("2026-11-02T00:59:50+01:00").at == BEGIN
    before = datetime.now(UTC)
    two_hours_ago = moment("2h").at
    assert before - timedelta(hours=2) <= two_hours_ago <= datetime.now(UTC) - timedelta(hours=2)
