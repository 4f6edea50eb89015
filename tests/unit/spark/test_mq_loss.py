"""Goal: a query whose cursor, queue or queue manager is not what it was is told so in a sentence,
or goes on at once with what is there; nothing that it made is left behind.

Method: the planner without Spark, on a queue manager that a thread of this process serves.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ternmq.base.errors import MQError
from ternmq.spark.mq.planner import Offset
from ternmq.spark.mq.queue_streams import DataLoss
from tests.unit.spark.mq.test_planner import Site


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = Site(tmp_path)
    yield found
    found.close()


def cursors(site: Site) -> list[str]:
    answers = site.connection.mqsc("DISPLAY CURSOR(*)")
    return [str(answer["CURSOR"]) for answer in answers if answer.ok]


def later(offset: Offset) -> Offset:
    """As if the query had read on, and its queue manager then been restored from a backup."""
    return {queue: {**place, "next": place["next"] + 500} for queue, place in offset.items()}


# ---- a queue manager in an earlier state


@pytest.mark.parametrize("cursor", ["", "QUERY"])
def test_restored_when_the_user_goes_on_then_at_once_with_what_the_cursor_has_not_passed(
    site: Site, cursor: str
) -> None:
    site.connection.cursor("OTHER", "ORDERS")
    site.put("passed")
    planner = site.planner(cursor=cursor, failOnDataLoss="false")
    zero = planner.initial()
    site.put("one", "two", "three")
    far = later(planner.latest(zero, 0, 0))
    again = site.planner(cursor=cursor, failOnDataLoss="false")
    some = again.latest(far, 2, 0)
    assert site.read(again, far, some) == ["one", "two"]
    repeated = site.planner(cursor=cursor, failOnDataLoss="false")  # its driver died
    assert site.read(repeated, far, some) == ["one", "two"]
    assert site.read(repeated, some, repeated.latest(some, 0, 0)) == ["three"]


def test_restored_when_there_is_no_cursor_then_from_the_earliest(site: Site) -> None:
    site.connection.alter_queue("ORDERS", RETAIN="SIZE", RETSIZE=1)
    planner = site.planner(cursor="none", failOnDataLoss="false")
    zero = planner.initial()
    site.put("one", "two")
    far = later(planner.latest(zero, 0, 0))
    assert site.read(planner, far, planner.latest(far, 0, 0)) == ["one", "two"]


def test_restored_when_loss_counts_then_a_sentence(site: Site) -> None:
    planner = site.planner(cursor="QUERY")
    far = later(planner.initial())
    with pytest.raises(DataLoss, match="an earlier one, restored from a backup"):
        planner.latest(far, 0, 0)
    planner.advance(far)  # as Spark's commit does: nobody is told of a reason without words
    assert site.position("QUERY") < far["ORDERS"]["next"]


def test_other_queue_when_nothing_may_be_defined_then_it_is_waited_for(site: Site) -> None:
    site.connection.alter_queue("ORDERS", RETAIN="SIZE", RETSIZE=1)
    planner = site.planner(cursor="none", failOnDataLoss="false")
    zero = planner.initial()
    planner.close()  # a queue that is open cannot be deleted
    site.connection.delete_queue("ORDERS", purge=True)
    site.connection.define_queue("ORDERS")
    assert planner.latest(zero, 0, 0) == zero
    site.connection.alter_queue("ORDERS", RETAIN="SIZE", RETSIZE=1)
    site.put("new")
    assert site.read(planner, zero, planner.latest(zero, 0, 0)) == ["new"]


# ---- cursors


@pytest.mark.parametrize("is_new_driver", [False, True])
def test_cursor_when_it_is_on_another_queue_by_now_then_a_sentence(
    site: Site, is_new_driver: bool
) -> None:
    planner = site.planner(cursor="QUERY")
    zero = planner.initial()
    site.put("one")
    one = planner.latest(zero, 0, 0)
    site.connection.cursor("OTHER", "ORDERS")
    site.connection.define_queue("ELSEWHERE")
    site.connection.cursor("QUERY").delete()
    site.connection.cursor("QUERY", "ELSEWHERE")
    if is_new_driver:
        planner = site.planner(cursor="QUERY")
    with pytest.raises(DataLoss, match="QUERY was deleted and defined again on ELSEWHERE"):
        planner.latest(one, 0, 0)
    with pytest.raises(ValueError, match="option cursor: cursor QUERY is on queue ELSEWHERE, not"):
        site.planner(cursor="QUERY").initial()
    lenient = site.planner(cursor="QUERY", failOnDataLoss="false")
    site.put("two")
    assert site.read(lenient, one, lenient.latest(one, 0, 0)) == ["two"]


def test_cursor_when_defined_again_further_on_then_what_is_gone_is_reported(site: Site) -> None:
    planner = site.planner(cursor="QUERY")
    zero = planner.initial()
    site.put("one")
    one = planner.latest(zero, 0, 0)
    site.connection.cursor("QUERY").delete()  # the stream ends with it
    site.put("never seen")
    site.connection.cursor("QUERY", "ORDERS")
    with pytest.raises(DataLoss, match="were purged before they were read"):
        planner.latest(one, 0, 0)


def test_own_cursor_when_the_query_has_none_any_more_then_it_is_deleted(site: Site) -> None:
    site.connection.alter_queue("ORDERS", RETAIN="SIZE", RETSIZE=1)
    planner = site.planner()
    zero = planner.initial()
    site.put("one")
    one = planner.latest(zero, 0, 0)
    assert len(cursors(site)) == 1
    again = site.planner(cursor="none")
    two = again.latest(one, 0, 0)
    assert cursors(site) == []
    assert "cursor" not in two["ORDERS"]
    site.put("two")
    assert site.read(again, two, again.latest(two, 0, 0)) == ["two"]


def test_own_cursor_when_the_stream_would_end_with_it_then_refused_and_kept(site: Site) -> None:
    planner = site.planner()
    zero = planner.initial()
    site.put("one")
    one = planner.latest(zero, 0, 0)
    with pytest.raises(ValueError, match="the stream of ORDERS would end with SPARK"):
        site.planner(cursor="none").latest(one, 0, 0)
    assert cursors(site) == [one["ORDERS"]["cursor"]]
    site.connection.cursor("OTHER", "ORDERS")
    assert site.planner(cursor="none").latest(one, 0, 0)["ORDERS"]["next"] == one["ORDERS"]["next"]
    assert cursors(site) == ["OTHER"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"startingOffsets": '{"ORDERS": 5000}'}, "beyond the stream"),
        ({"queue": "ORDERS,NOWHERE"}, "MQRC_UNKNOWN_OBJECT_NAME"),
        ({"startingOffsets": '{"ORDERS": {"incarnation": 5, "next": 1}}'}, "another queue"),
    ],
)
def test_own_cursor_when_the_query_cannot_begin_then_none_is_left(
    site: Site, given: dict[str, str], said: str
) -> None:
    with pytest.raises((ValueError, MQError, DataLoss), match=said):
        site.planner(**given).initial()
    assert cursors(site) == []


# ---- times, and turns


def test_time_when_a_unit_of_work_took_long_then_no_message_is_passed_by(site: Site) -> None:
    site.connection.cursor("OTHER", "ORDERS")
    site.put("before")
    with site.served.connect() as slow, slow.queue("ORDERS") as queue:
        slow.begin()
        for number in range(8):
            queue.put(f"late {number}")
        moment = datetime.now(UTC).isoformat()
        site.put("one", "two")
        slow.commit()
    site.put("three")
    planner = site.planner(startingOffsets=moment)
    zero = planner.initial()
    found = site.read(planner, zero, planner.latest(zero, 0, 0))
    assert found == ["one", "two", *(f"late {number}" for number in range(8)), "three"]


def test_limit_when_below_the_number_of_queues_then_short_ones_are_read_too(site: Site) -> None:
    names = ["ORDERS", "SHORT", "SMALL"]
    for name in names[1:]:
        site.connection.define_queue(name)
    planner = site.planner(queue=",".join(names))
    zero = planner.initial()
    site.put(*(f"long {number}" for number in range(20)))
    site.put("short", queue="SHORT")
    site.put("small", queue="SMALL")
    offset, found = zero, list[str]()
    for _ in range(4):
        end = planner.latest(offset, 1, 0)
        found += site.read(planner, offset, end)
        offset = end
    assert {"short", "small", "long 0"} <= set(found)
    assert len(found) == 4
