"""Goal: an anomaly in messages that are followed is a row of the table and an event on a queue,
once, also when following ends and begins again; a queue that cannot have events is refused.

Method: a queue manager beside Spark; messages whose times, set by the one who puts them, are those
of the last hour, with a burst. Following without Spark where only its decisions are asked for.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from tests.unit.api.networked import CHANNEL, Networked, in_memory

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ternmq.spark.pipeline.project import Project

# Spark cannot list its tables where nothing is compiled.
pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("as_users")]
USUAL = 3  # messages a minute
EVENTS = "SYSTEM.ADMIN.ANOMALY.EVENT"


@pytest.fixture
def there() -> Iterator[Networked]:
    served = in_memory()
    yield served
    served.close()


def project_of(folder: Path, there: Networked, **settings: str) -> "Project":
    from ternmq.spark.pipeline.project import create, find

    sink_settings = {"mq.queueManager": "QM1", "mq.connName": there.conn, "mq.channel": CHANNEL}
    given = {key.replace("_", "."): value for key, value in settings.items()}
    spec = create(folder, "tests", {**sink_settings, "mq.queue": "ORDERS", **given})
    text = spec.read_text(encoding="utf-8").replace('partitions: "8"', 'partitions: "1"')
    spec.write_text(text, encoding="utf-8")
    return find(folder)


def put_minute(connection: ternmq.Connection, minute: datetime, count: int) -> None:
    for number in range(count):
        moment = minute + timedelta(seconds=number * 60 / count)
        reported = Descriptor(
            put_date=f"{moment:%Y%m%d}", put_time=f"{moment:%H%M%S}{moment.microsecond // 10000:02}"
        )
        options = mq.MQPMO_SET_ALL_CONTEXT
        connection.put("ORDERS", f"order {number}", descriptor=reported, options=options)


def events_on(connection: ternmq.Connection, queue: str) -> list[dict[str, Any]]:
    """As amqsevt shows them."""
    from ternmq.admin.events.event_text import event_json

    with connection.queue(queue) as opened:
        found = [event_json(queue, "QM1", one.descriptor, one.data) for one in opened.browse()]
    reported: list[Any] = [each["eventData"] for each in found]
    return reported


def rows_of(project: "Project") -> list[dict[str, Any]]:
    import pyarrow.parquet as pq

    rows: list[dict[str, Any]] = []
    for path in sorted((project.folder / "warehouse" / "anomalies").glob("*.parquet")):
        rows += pq.read_table(path).to_pylist()
    return rows


def test_bursts_when_followed_then_each_is_a_row_and_an_event_also_over_a_restart(
    spark: "SparkSession", there: Networked, tmp_path: Path
) -> None:
    from ternmq.spark.pipeline.following import follow

    connection = there.connect()
    connection.define_queue("ORDERS")
    project = project_of(tmp_path / "project", there, exchanges_within="none")
    begin = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=50)
    bursts = [begin + timedelta(minutes=minute) for minute in (16, 22)]

    def until(events: int) -> None:
        """Follow until there are so many of both; what is there too many is seen afterwards."""

        def is_over() -> bool:
            has_events = EVENTS in connection.queue_names()
            there = len(events_on(connection, EVENTS)) if has_events else 0
            return there >= events and len(rows_of(project)) >= events

        follow(spark, project, every_s=0.5, is_over=is_over)

    # A clock that was wrong once: time is not that far because of it.
    put_minute(connection, begin.replace(year=begin.year + 50, day=1), 1)
    for minute in range(19):
        moment = begin + timedelta(minutes=minute)
        put_minute(connection, moment, 60 if moment in bursts else USUAL)
    until(1)
    first = events_on(connection, EVENTS)
    for minute in range(19, 25):
        moment = begin + timedelta(minutes=minute)
        put_minute(connection, moment, 60 if moment in bursts else USUAL)
    until(2)
    reported = events_on(connection, EVENTS)
    rows = rows_of(project)
    connection.disconnect()
    assert reported[:1] == first
    assert [one["anomalySince"] for one in reported] == [
        f"{each:%Y-%m-%dT%H:%M:%SZ}" for each in bursts
    ]
    assert {(one["baseObjectName"], one["anomalyRule"]) for one in reported} == {
        ("ORDERS", "unusual rate")
    }
    assert [one["anomalyValue"] for one in reported] == [1000, 1000]  # one a second, in thousandths
    assert sorted((row["queue"], row["window_start"]) for row in rows) == [
        ("ORDERS", each.replace(tzinfo=None)) for each in bursts
    ]
    assert {row["words"] for row in rows} == {one["anomalyText"] for one in reported}
    assert reported[0]["anomalyText"].startswith(
        "ORDERS: 60.0 puts a minute; 3.0 are usual (score 3"
    )


def test_queue_of_events_when_it_is_ours_then_it_is_made_and_any_other_must_be_there(
    there: Networked, tmp_path: Path
) -> None:
    from ternmq.spark.errors import SparkError
    from ternmq.spark.pipeline.anomaly_queries import look

    with there.connect() as connection:
        look(project_of(tmp_path / "ours", there).settings)
        assert connection.attributes(EVENTS)["max_depth"] == 3000
        look(project_of(tmp_path / "again", there).settings)
        other = project_of(tmp_path / "other", there, events_queue="ALARMS").settings
        with pytest.raises(SparkError, match=r"on queue ALARMS: .*2085.*--events none raises no"):
            look(other)
        connection.define_queue("ALARMS")
        look(other)
    wrong = project_of(tmp_path / "wrong", there, events_quue="ALARMS")
    with pytest.raises(SparkError, match=r"events\.quue: .* is events\.queue meant\?"):
        look(wrong.settings)


def test_events_when_settings_say_where_then_they_go_there(
    there: Networked, tmp_path: Path
) -> None:
    from ternmq.spark.errors import SparkError
    from ternmq.spark.pipeline.anomaly_queries import sink_settings
    from ternmq.spark.pipeline.settings import Settings

    def reported(**settings: str) -> Settings:
        named = {f"spark.ternmq.{key.replace('_', '.')}": settings[key] for key in settings}
        return Settings(named, tmp_path)

    assert reported(smf_path="x").events_queue == ""
    assert reported(smf_path="x", events_queue="ALARMS").events_queue == "ALARMS"
    assert reported(mq_queue="ORDERS").events_queue == EVENTS
    assert reported(mq_queue="ORDERS", events_queue="none").events_queue == ""
    with pytest.raises(SparkError, match="'A B', which is not a queue name"):
        reported(mq_queue="ORDERS", events_queue="A B")
    same = reported(mq_queue="ORDERS", mq_ConnName="a(1)", mq_cursor="LAKE", events_user="bob")
    assert sink_settings(same) == {"ConnName": "a(1)", "user": "bob"}
    other = reported(mq_queue="ORDERS", mq_connName="a(1)", mq_user="ann", events_connName="b(1)")
    assert sink_settings(other) == {"connName": "b(1)"}


def test_command_when_it_names_a_queue_then_events_go_there_and_one_that_is_none_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from ternmq.cli.tools.pipeline_command import main
    from ternmq.spark.pipeline.project import find

    folder = str(tmp_path / "project")
    assert main(["init", folder, "--queue", "ORDERS", "--events", "ALARMS"]) == 0
    assert find(Path(folder)).settings.events_queue == "ALARMS"
    assert main(["follow", folder, "--events", "A B"]) == 71
    assert "events.queue is 'A B', which is not a queue name" in capsys.readouterr().err
