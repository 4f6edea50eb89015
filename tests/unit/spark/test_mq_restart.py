"""Goal: a query that is begun again reads what it would have read, also after its very first batch
and with other options.

Method: the planner without Spark, called as Spark calls it. Of a first batch that was planned and
not finished Spark knows the end alone: it asks for the beginning again, in a new process.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ternmq.base import constants as mq
from ternmq.spark.mq.queue_streams import DataLoss
from tests.unit.spark.mq.test_planner import Site


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Site]:
    found = Site(tmp_path)
    yield found
    found.close()


def cursors(place: Site) -> list[str]:
    return [str(answer["CURSOR"]) for answer in place.connection.mqsc("DISPLAY CURSOR(*)")]


@pytest.mark.parametrize("start", ["", "latest", "earliest"])
@pytest.mark.parametrize("cursor", ["", "QUERY"])
def test_first_batch_when_repeated_by_another_driver_then_it_is_the_same(
    place: Site, start: str, cursor: str
) -> None:
    given = {"startingOffsets": start, "cursor": cursor}
    first = place.planner(**given)
    zero = first.initial()
    place.put("one", "two")
    one = first.latest(zero, 0, 0)
    place.put("three")
    again = place.planner(**given)
    assert place.read(again, again.initial(), one) == ["one", "two"]
    two = again.latest(one, 0, 0)
    assert place.read(again, one, two) == ["three"]
    assert cursors(place) == [cursor or zero["ORDERS"]["cursor"]]  # none is left behind


def test_beginning_when_asked_for_twice_then_it_is_the_same(place: Site) -> None:
    planner = place.planner(startingOffsets="latest")
    zero = planner.initial()
    place.put("one")
    assert planner.initial() == zero


def test_first_batch_when_nothing_reports_where_it_began_then_an_error(place: Site) -> None:
    place.connection.alter_queue("ORDERS", RETAIN="SIZE", RETSIZE=1)
    given = {"startingOffsets": "latest", "cursor": "none"}
    first = place.planner(**given)
    zero = first.initial()
    place.put("one")
    one = first.latest(zero, 0, 0)
    again = place.planner(**given)
    with pytest.raises(DataLoss, match="where the first batch of ORDERS began"):
        again.partitions(again.initial(), one)
    lenient = place.planner(failOnDataLoss="false", **given)
    assert lenient.partitions(lenient.initial(), one) == []


def test_cursor_when_the_option_is_left_out_later_then_there_is_one_and_its_name_is_kept(
    place: Site,
) -> None:
    first = place.planner(cursor="QUERY")
    zero = first.initial()
    one = first.latest(zero, 0, 0)
    for _ in range(3):  # driver after driver
        one = place.planner().latest(one, 0, 0)
    assert cursors(place) == ["QUERY", one["ORDERS"]["cursor"]]


def test_cursor_when_it_is_named_later_then_the_query_has_no_other(place: Site) -> None:
    first = place.planner()
    zero = first.initial()
    place.put("one")
    one = first.latest(zero, 0, 0)
    again = place.planner(cursor="QUERY")
    assert place.read(again, zero, one) == ["one"]
    two = again.latest(one, 0, 0)
    assert cursors(place) == ["QUERY"]
    place.put("two")
    assert place.read(again, two, again.latest(two, 0, 0)) == ["two"]


def test_queues_when_others_are_named_later_then_those_are_read(place: Site) -> None:
    place.connection.define_queue("BILLS")
    first = place.planner()
    one = first.latest(first.initial(), 0, 0)
    place.put("bill", queue="BILLS")
    place.put("order")
    both = place.planner(queue="ORDERS,BILLS")
    two = both.latest(one, 0, 0)
    assert place.read(both, one, two) == ["bill", "order"]
    place.put("order 2")
    place.put("bill 2", queue="BILLS")
    bills = place.planner(queue="BILLS")
    three = bills.latest(two, 0, 0)
    assert place.read(bills, two, three) == ["bill 2"]
    four = both.latest(three, 0, 0)  # what was left out for a while has not been lost
    assert place.read(both, three, four) == ["order 2"]


def test_pattern_when_it_fits_what_is_no_local_queue_then_that_is_left_out(place: Site) -> None:
    for command in (
        "DEFINE QALIAS(ORDERS.ALIAS) TARGET(ORDERS)",
        "DEFINE QREMOTE(ORDERS.FAR) RNAME(X) RQMNAME(QM2) XMITQ(ORDERS)",
        "DEFINE QMODEL(ORDERS.MODEL) DEFTYPE(TEMPDYN)",
    ):
        assert all(answer.ok for answer in place.connection.mqsc(command)), command
    options = mq.MQOO_INPUT_AS_Q_DEF
    with place.connection.queue("ORDERS.MODEL", dynamic_name="ORDERS.T*", options=options):
        planner = place.planner(queue="ORD*")
        assert list(planner.initial()) == ["ORDERS"]  # an alias would bring messages twice


def test_stream_when_it_has_not_come_as_far_as_the_offset_then_an_error(place: Site) -> None:
    place.connection.alter_queue("ORDERS", RETAIN="SIZE", RETSIZE=1)
    planner = place.planner(cursor="none")
    zero = planner.initial()
    ahead = {"ORDERS": {**zero["ORDERS"], "next": zero["ORDERS"]["next"] + 5}}
    with pytest.raises(DataLoss, match="restored from a backup"):
        planner.latest(ahead, 0, 0)  # else it would wait, and pass over what comes
