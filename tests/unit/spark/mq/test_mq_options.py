"""Goal: options of the source `mq` are understood, and what is wrong with one is said.

Method: options as Spark hands them over; no Spark, no queue manager.
"""

import re
from pathlib import Path

import pytest

from ternmq.spark.mq.message_schema import COLUMNS, KAFKA_COLUMNS
from ternmq.spark.mq.mq_options import (
    BROWSE,
    DRAIN,
    STREAM,
    ConnectionOptions,
    SourceOptions,
    check_batch_of_topic,
    matches,
)
from ternmq.spark.mq.positions import Position
from ternmq.spark.mq.sink_options import SinkOptions
from ternmq.spark.mq.spark_connection import password
from ternmq.spark.smf.smf_options import SmfOptions


def options(is_stream: bool = True, /, **given: str) -> SourceOptions:
    return SourceOptions({"queue": "ORDERS", **given}, is_stream)


def test_options_when_nothing_is_given_then_defaults_are_those_of_the_table() -> None:
    stream, batch = options(), options(False)
    assert stream.mode == STREAM
    assert stream.position_of("ORDERS") == Position("latest")
    assert batch.mode == BROWSE
    assert batch.position_of("ORDERS") == Position("earliest")
    assert batch.position_of("ORDERS", at_end=True) == Position("latest")
    assert stream.columns == COLUMNS
    assert stream.fail_on_loss
    assert stream.has_properties


def test_batch_when_positions_are_given_then_it_reads_the_stream() -> None:
    assert options(False, startingOffsets="earliest").mode == STREAM
    assert options(False, endingOffsets="latest").mode == STREAM
    assert options(False, mode="DRAIN").mode == DRAIN


@pytest.mark.parametrize(
    ("reported", "wanted"),
    [
        ("Earliest", Position("earliest")),
        ('{"ORDERS": 17}', Position("number", 17)),
        ('{"ORDERS": "latest"}', Position("latest")),
        ('{"ORDERS": {"incarnation": 3, "next": 17}}', Position("number", 17, 3)),
        ("1970-01-01T00:00:01.5Z", Position("time", 1_500_000_000)),
        ("1970-01-01T02:00:01+02:00", Position("time", 1_000_000_000)),
        ("1970-01-01T00:00:01", Position("time", 1_000_000_000)),
        ("1500", Position("time", 1_500_000_000)),
    ],
)
def test_starting_offsets_when_given_in_any_way_then_they_are_understood(
    reported: str, wanted: Position
) -> None:
    assert options(startingOffsets=reported).position_of("ORDERS") == wanted


def test_columns_when_named_then_only_those_in_that_order() -> None:
    assert options(columns="body, SEQ").columns == (("body", "binary"), ("seq", "long"))
    assert options(compat="kafka").columns == KAFKA_COLUMNS


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"startingOffset": "latest"}, "is startingOffsets meant?"),
        ({"queue": ""}, "option queue says which queue"),
        ({"queue": "A B"}, "'A B' is neither a name nor a pattern"),
        ({"mode": "drain"}, "is for batches"),
        ({"endingOffsets": "latest"}, "is for batches"),
        ({"startingOffsets": "yesterday"}, "'yesterday'; it may be earliest"),
        ({"startingOffsets": '{"ORDERS": true}'}, "True is not a position"),
        ({"startingOffsets": '{"ORDERS": -1}'}, "-1 is not a stream number"),
        ({"startingOffsets": '{"ORDERS": {"next": true}}'}, "{'next': True} is not a position"),
        (
            {"startingOffsets": '{"ORDERS": {"incarnation": "x", "next": 1}}'},
            "{'incarnation': 'x', 'next': 1} is not a position",
        ),
        ({"startingOffsets": '{"ORDERS"'}, "is no JSON"),
        ({"startingOffsets": '{"OTHER": 1}'}, "OTHER, which option queue does not name"),
        ({"maxMessagesPerTrigger": "0"}, "a number from 1 on"),
        ({"cursor": "no name"}, "not a name of a cursor"),
        ({"columns": "nobody"}, "there is no column nobody"),
        ({"connName": "host(1414)"}, "connName and channel go together"),
        ({"password": "a", "passwordFile": "b"}, "only one of the options password"),
        ({"keyPassword": "a", "keyPasswordFile": "b"}, "only one of the options keyPassword"),
        (
            {"connName": "host(1414)", "channel": "C", "ccdtUrl": "table.json"},
            "only one of the options connName and ccdtUrl",
        ),
        ({"queueManager": "QM 1"}, "option queueManager is 'QM 1'"),
    ],
)
def test_option_when_wrong_then_the_error_names_it(given: dict[str, str], text: str) -> None:
    with pytest.raises(ValueError, match=r"option|offsets") as raised:
        options(True, **given)
    assert text in str(raised.value)


@pytest.mark.parametrize(
    ("name", "pattern", "fits"),
    [
        ("ORDERS", "ORDERS", True),
        ("ORDERS.EU", "ORDERS", False),
        ("ORDERS.EU", "ORDERS.*", True),
        ("ORDERS.EU.IN", "*.EU.*", True),
        ("ORDERS.EU.IN", "ORDERS.*.OUT", False),
        ("ABA", "AB*BA", False),
        ("ANY", "*", True),
    ],
)
def test_pattern_when_compared_with_a_name_then_stars_are_any_characters(
    name: str, pattern: str, fits: bool
) -> None:
    assert matches(name, pattern) is fits


def test_password_when_in_a_file_or_variable_then_it_is_read_where_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret").write_text("hidden\nnot this\n")
    assert password(ConnectionOptions({"passwordFile": str(tmp_path / "secret")})) == "hidden"
    given = ConnectionOptions({"passwordEnv": "MQ_PASSWORD_HERE"})
    with pytest.raises(ValueError, match="MQ_PASSWORD_HERE, which is not set"):
        password(given)
    monkeypatch.setenv("MQ_PASSWORD_HERE", "other")
    assert password(given) == "other"
    assert "hidden" not in repr(ConnectionOptions({"password": "hidden"}))
    with pytest.raises(ValueError, match="No such file"):
        password(ConnectionOptions({"passwordFile": str(tmp_path / "none")}))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("kafka.bootstrap.servers", "connName='host(1414)' and channel"),
        ("subscribe", "queue names the queues"),
        ("subscribePattern", "queue takes patterns"),
        ("maxOffsetsPerTrigger", "maxMessagesPerTrigger bounds a batch"),
        ("startingTimestamp", "startingOffsets takes a time too"),
        ("kafka.group.id", "cursor names"),
        ("kafka.security.protocol", "options of Kafka's client have no meaning here"),
        ("startingOffset", "is startingOffsets meant?"),
    ],
)
def test_option_when_it_is_another_sources_then_the_error_says_what_to_write(
    name: str, hint: str
) -> None:
    with pytest.raises(ValueError, match=f"there is no option {re.escape(name)}; ") as caught:
        SourceOptions({"queue": "ORDERS", name: "x"}, True)
    assert hint in str(caught.value)


def test_option_of_the_sink_when_it_is_kafkas_then_the_error_says_what_to_write() -> None:
    with pytest.raises(ValueError, match="where a topic is a queue: queue names the queue"):
        SinkOptions({"topic": "ORDERS", "compat": "kafka"}, True)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"topic": "sport/#", "queue": "ORDERS"}, "only one of the options queue and topic"),
        ({"queue": "ORDERS", "subscription": "S"}, "option subscription is for a stream"),
        ({"topic": "sport/#", "subscriptionAtStop": "no"}, "option subscriptionAtStop"),
        ({}, "or option topic which topic; both are missing"),
    ],
)
def test_option_of_a_topic_when_it_does_not_fit_then_the_error_names_it(
    given: dict[str, str], text: str
) -> None:
    with pytest.raises(ValueError, match="option") as raised:
        SourceOptions(given, True)
    assert text in str(raised.value)


@pytest.mark.parametrize("name", ["subscription", "mode", "startingOffsets"])
def test_option_of_a_batch_of_a_topic_when_it_is_for_streams_then_it_is_refused(name: str) -> None:
    check_batch_of_topic({"topic": "sport/#", "selector": "a = 1"})
    with pytest.raises(ValueError, match=f"option {name} is not for a batch of a topic"):
        check_batch_of_topic({"topic": "sport/#", name.upper(): "x"})


@pytest.mark.parametrize("given", [{"topic": "a", "queue": "A"}, {"queue": "A", "retain": "true"}])
def test_option_of_the_sink_when_queue_and_topic_are_mixed_then_it_is_refused(
    given: dict[str, str],
) -> None:
    with pytest.raises(ValueError, match="do not go with option queue"):
        SinkOptions(given, True)


def test_columns_when_a_topic_is_read_then_its_string_stands_beside_the_queue() -> None:
    names = [name for name, _ in SourceOptions({"topic": "sport/#"}, True).columns]
    assert names[:4] == ["queue_manager", "queue", "topic", "incarnation"]
    assert "topic" not in [name for name, _ in options(True).columns]


def test_option_of_dumps_when_there_is_none_then_it_is_refused() -> None:
    with pytest.raises(ValueError, match=r"there is no option sections; is section meant\?"):
        SmfOptions({"sections": "QQST", "section": "QQST"})
