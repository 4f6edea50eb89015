"""Goal: a query on a topic reads every publication once, by a durable subscription that it makes,
keeps while it rests, finds again, and leaves behind only if it is asked to.

Method: the planner without Spark, called as Spark calls it, on a queue manager that a thread of
this process serves. A driver that dies is a planner that is not closed.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ternmq.spark.mq import topic_subscription
from ternmq.spark.mq.mq_options import SourceOptions
from ternmq.spark.mq.planner import Offset
from ternmq.spark.mq.queue_streams import DataLoss, Range
from ternmq.spark.mq.range_tasks import read_ranges
from ternmq.spark.mq.retained_read import retained
from ternmq.spark.mq.topic_planner import TopicPlanner
from tests.unit.api.served import Served


class Board:
    """A queue manager on which prices are published, and queries on them."""

    def __init__(self, folder: Path) -> None:
        self.served = Served(folder)
        self.connection = self.served.connect()
        self.planners: list[TopicPlanner] = []

    def options(self, is_stream: bool = True, **given: str) -> SourceOptions:
        where = {"path": str(self.served.data), "queueManager": "QM1", "topic": "price/#"}
        return SourceOptions({**where, **given}, is_stream)

    def planner(self, **given: str) -> TopicPlanner:
        planner = TopicPlanner(self.options(True, **given))
        self.planners.append(planner)
        return planner

    def publish(self, *texts: str, topic: str = "price/pen", retain: bool = False) -> None:
        for text in texts:
            self.connection.publish(topic, text, persistent=True, retain=retain)

    def rows(self, parts: list[list[Range]], names: str = "text") -> list[str]:
        options = self.options(True, columns=names)
        return [
            " ".join(str(value) for value in row.values())
            for part in parts
            for batch in read_ranges(options, part)
            for row in batch.to_pylist()
        ]

    def read(self, planner: TopicPlanner, start: Offset, end: Offset) -> list[str]:
        return self.rows(planner.partitions(start, end))

    def subscriptions(self) -> list[str]:
        shown = self.connection.mqsc("DISPLAY SUB(*) DURABLE")
        names = [str(answer["SUB"]) for answer in shown if answer.ok]
        return [name for name in names if not name.startswith("SYSTEM.")]

    def depth(self, queue: str) -> int:
        (shown,) = self.connection.mqsc(f"DISPLAY QLOCAL({queue}) CURDEPTH")
        return int(str(shown["CURDEPTH"]))

    def close(self) -> None:
        for planner in self.planners:
            planner.close()
        self.connection.disconnect()
        self.served.close()


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    found = Board(tmp_path)
    yield found
    found.close()


def test_query_when_it_reads_a_topic_then_its_queue_forgets_what_is_done(board: Board) -> None:
    planner = board.planner(subscription="BOARD")
    zero = planner.initial()
    board.publish("1.10", "1.20")
    board.publish("2.00", topic="price/ink/red")
    board.publish("9.99", topic="cost/pen")
    one = planner.latest(zero, 0, 0)
    assert board.read(planner, zero, one) == ["1.10", "1.20", "2.00"]
    (queue,) = one
    assert board.depth(queue) == 3  # nobody has said yet that the batch is done
    assert planner.latest(one, 0, 0) == one
    assert board.depth(queue) == 0
    assert board.subscriptions() == ["BOARD"]


def test_row_when_published_then_it_has_its_topic(board: Board) -> None:
    planner = board.planner()
    zero = planner.initial()
    board.publish("2.00", topic="price/ink/red")
    one = planner.latest(zero, 0, 0)
    parts = planner.partitions(zero, one)
    assert board.rows(parts, "topic, text") == ["price/ink/red 2.00"]


def test_query_when_its_subscription_is_for_another_topic_then_it_is_refused(board: Board) -> None:
    first = board.planner(subscription="BOARD")
    first.initial()
    first.close()
    with pytest.raises(ValueError, match="'price/#', and option topic says 'cost/#'"):
        board.planner(subscription="BOARD", topic="cost/#").initial()


@pytest.mark.parametrize("name", ["", "BOARD"])
def test_query_when_it_rests_then_it_goes_on_where_it_was(board: Board, name: str) -> None:
    first = board.planner(subscription=name)
    zero = first.initial()
    board.publish("one")
    one = first.latest(zero, 0, 0)
    assert board.read(first, zero, one) == ["one"]
    first.close()
    board.publish("two")
    again = board.planner(subscription=name)
    two = again.latest(one, 0, 0)
    assert board.read(again, one, two) == ["two"]
    assert len(board.subscriptions()) == 1


@pytest.mark.parametrize("name", ["", "BOARD"])
def test_first_batch_when_repeated_by_another_driver_then_it_is_the_same(
    board: Board, name: str
) -> None:
    first = board.planner(subscription=name)
    zero = first.initial()
    board.publish("one", "two")
    one = first.latest(zero, 0, 0)
    first.close()  # as a connection that breaks: the batch was planned and not finished
    again = board.planner(subscription=name)
    begin = again.initial()
    assert board.read(again, begin, one) == ["one", "two"]
    board.publish("three")
    two = again.latest(one, 0, 0)
    assert board.read(again, one, two) == ["three"]
    assert len(board.subscriptions()) == 1  # what was made for the second beginning is gone


def test_two_queries_when_they_name_one_subscription_then_the_second_is_refused(
    board: Board,
) -> None:
    board.planner(subscription="BOARD").initial()
    with pytest.raises(Exception, match="MQRC_SUBSCRIPTION_IN_USE"):
        board.planner(subscription="BOARD").initial()


def test_subscription_when_removed_meanwhile_then_the_query_says_so(board: Board) -> None:
    first = board.planner(subscription="BOARD")
    one = first.latest(first.initial(), 0, 0)
    first.close()
    assert all(answer.ok for answer in board.connection.mqsc("DELETE SUB(BOARD)"))
    with pytest.raises(DataLoss, match="the subscription BOARD of this query is gone"):
        board.planner(subscription="BOARD").latest(one, 0, 0)
    assert board.subscriptions() == []
    lenient = board.planner(subscription="BOARD", failOnDataLoss="false")
    two = lenient.latest(one, 0, 0)
    board.publish("new")
    assert board.read(lenient, two, lenient.latest(two, 0, 0)) == ["new"]


def test_subscription_when_made_again_by_others_then_the_query_says_so(board: Board) -> None:
    first = board.planner(subscription="BOARD")
    one = first.latest(first.initial(), 0, 0)
    first.close()
    board.connection.mqsc("DELETE SUB(BOARD)")
    board.connection.subscribe("price/#", durable="BOARD").close(keep=True)
    with pytest.raises(DataLoss, match="was removed and made again"):
        board.planner(subscription="BOARD").latest(one, 0, 0)


def test_query_when_it_has_never_read_then_its_own_subscription_goes(board: Board) -> None:
    planner = board.planner()
    planner.initial()
    assert len(board.subscriptions()) == 1
    planner.close()
    assert board.subscriptions() == []


def test_query_when_told_to_remove_then_the_subscription_goes_with_it(board: Board) -> None:
    planner = board.planner(subscription="BOARD", subscriptionAtStop="remove")
    planner.latest(planner.initial(), 0, 0)
    planner.close()
    assert board.subscriptions() == []


def test_own_subscription_when_it_runs_long_then_its_expiry_begins_again(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topic_subscription, "RENEW_S", 0.0)
    planner = board.planner(cursorExpiryHours="1")
    zero = planner.initial()
    board.publish("one")
    one = planner.latest(zero, 0, 0)
    assert board.read(planner, zero, one) == ["one"]
    (name,) = board.subscriptions()
    (shown,) = board.connection.mqsc(f"DISPLAY SUB({name}) EXPIRY")
    assert 35_000 < int(str(shown["EXPIRY"])) <= 36_000


def test_subscription_when_its_option_is_left_out_later_then_it_goes_on_and_does_not_expire(
    board: Board,
) -> None:
    first = board.planner(subscription="BOARD")
    one = first.latest(first.initial(), 0, 0)
    first.close()
    board.publish("two")
    again = board.planner()
    assert board.read(again, one, again.latest(one, 0, 0)) == ["two"]
    (shown,) = board.connection.mqsc("DISPLAY SUB(BOARD) EXPIRY")
    assert shown["EXPIRY"] == "UNLIMITED"


def test_row_when_as_kafka_has_them_then_its_topic_is_the_string(board: Board) -> None:
    planner = board.planner()
    zero = planner.initial()
    board.publish("2.00", topic="price/ink/red")
    parts = planner.partitions(zero, planner.latest(zero, 0, 0))
    options = board.options(True, compat="kafka", columns="topic, value")
    (row,) = [
        row for part in parts for one in read_ranges(options, part) for row in one.to_pylist()
    ]
    assert row == {"topic": "price/ink/red", "value": b"2.00"}


def test_beginning_when_values_are_retained_then_they_come_first_unless_latest(
    board: Board,
) -> None:
    board.publish("1.00", "1.10", retain=True)
    planner = board.planner()
    zero = planner.initial()
    assert board.read(planner, zero, planner.latest(zero, 0, 0)) == ["1.10"]
    late = board.planner(startingOffsets="latest")
    begin = late.initial()
    board.publish("1.20", retain=True)
    assert board.read(late, begin, late.latest(begin, 0, 0)) == ["1.20"]


def test_batch_when_of_a_topic_then_it_is_what_is_retained(board: Board) -> None:
    board.publish("1.00", "1.10", retain=True)
    board.publish("2.00", topic="price/ink", retain=True)
    board.publish("3.00", topic="price/paper")
    options = board.options(False, columns="topic, text")
    rows = [row for batch in retained(options) for row in batch.to_pylist()]
    found = {row["topic"]: row["text"] for row in rows}
    assert found == {"price/pen": "1.10", "price/ink": "2.00"}
    assert board.subscriptions() == []
