"""Goal: a query's offsets name the same messages whenever they are read, and its cursor passes only
what is done.

Method: the planner without Spark, called as Spark calls it, on a queue manager that a thread of
this process serves.
"""

import getpass
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import ternmq
from ternmq.runtime.starting import start_in_memory
from ternmq.spark.mq import query_cursors as mq_cursors
from ternmq.spark.mq.batch_read import MqReader, RangePartition
from ternmq.spark.mq.limits import divided, shares
from ternmq.spark.mq.mq_options import SourceOptions
from ternmq.spark.mq.planner import Offset, Planner
from ternmq.spark.mq.query_cursors import joined
from ternmq.spark.mq.queue_streams import DataLoss, Range
from ternmq.spark.mq.range_tasks import read_ranges
from tests.unit.api.networked import CHANNEL, Networked
from tests.unit.api.served import Served


class Site:
    """A queue manager with a queue that has a stream, and queries on it."""

    def __init__(self, folder: Path) -> None:
        self.served = Served(folder)
        self.connection = self.served.connect()
        self.connection.define_queue("ORDERS")
        self.planners: list[Planner] = []

    def options(self, is_stream: bool = True, **given: str) -> SourceOptions:
        where = {"path": str(self.served.data), "queueManager": "QM1", "queue": "ORDERS"}
        return SourceOptions({**where, **given}, is_stream)

    def planner(self, **given: str) -> Planner:
        planner = Planner(self.options(True, **given))
        self.planners.append(planner)
        return planner

    def put(self, *texts: str, queue: str = "ORDERS") -> None:
        for text in texts:
            self.connection.put(queue, text)

    def read(self, planner: Planner, start: Offset, end: Offset) -> list[str]:
        return self.read_parts(planner.partitions(start, end))

    def read_parts(self, parts: list[list[Range]], **given: str) -> list[str]:
        options = self.options(True, columns="text", **given)
        return [
            row["text"]
            for part in parts
            for batch in read_ranges(options, part)
            for row in batch.to_pylist()
        ]

    def position(self, name: str) -> int:
        return self.connection.cursor(name).position

    def close(self) -> None:
        for planner in self.planners:
            planner.close()
        self.connection.disconnect()
        self.served.close()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = Site(tmp_path)
    yield found
    found.close()


def test_query_when_it_runs_then_the_cursor_follows_what_is_done(site: Site) -> None:
    planner = site.planner(cursor="QUERY")
    zero = planner.initial()
    site.put("one", "two")
    one = planner.latest(zero, 0, 0)
    assert site.read(planner, zero, one) == ["one", "two"]
    begin = zero["ORDERS"]["next"]
    assert site.position("QUERY") == begin  # nobody has said yet that the batch is done
    assert planner.latest(one, 0, 0) == one
    assert site.position("QUERY") == begin + 2 == one["ORDERS"]["next"]
    site.put("three")
    two = planner.latest(one, 0, 0)
    planner.advance(one)
    assert site.read(planner, one, two) == ["three"]
    assert planner.reported() == {"ORDERS": two["ORDERS"]}


def test_range_when_read_again_after_gets_and_a_restart_then_it_is_the_same(site: Site) -> None:
    planner = site.planner(startingOffsets="earliest")
    zero = planner.initial()
    site.put("one", "two", "three")
    one = planner.latest(zero, 2, 0)
    with site.connection.queue("ORDERS") as orders:
        assert len(list(orders)) == 3  # an application takes all
    again = site.planner(startingOffsets="earliest")  # the driver has died
    assert site.read(again, zero, one) == ["one", "two"]
    two = again.latest(one, 0, 0)
    assert site.read(again, one, two) == ["three"]
    names = [answer["CURSOR"] for answer in site.connection.mqsc("DISPLAY CURSOR(*)")]
    assert names == [zero["ORDERS"]["cursor"]]  # it went on with the same


def test_limits_when_given_then_batches_have_no_more(site: Site) -> None:
    planner = site.planner()
    zero = planner.initial()
    site.put(*(f"{n:01000d}" for n in range(100)))
    one = planner.latest(zero, 7, 0)
    assert len(site.read(planner, zero, one)) == 7
    two = planner.latest(one, 0, 20_000)
    assert len(site.read(planner, one, two)) == 20
    three = planner.latest(two, 50, 10_000)
    assert len(site.read(planner, two, three)) == 10
    assert len(site.read(planner, three, planner.latest(three, 0, 0))) == 63


def test_available_now_when_messages_come_later_then_they_are_left(site: Site) -> None:
    planner = site.planner()
    planner.stop_at_what_is_there()
    zero = planner.initial()
    site.put("one", "two")
    one = planner.latest(zero, 1, 0)
    site.put("three")
    two = planner.latest(one, 1, 0)
    assert site.read(planner, zero, two) == ["one", "two"]
    assert planner.latest(two, 1, 0) == two


@pytest.mark.parametrize("reported", ["earliest", "latest", "number", "time", "json"])
def test_start_when_given_in_any_way_then_reading_begins_there(site: Site, reported: str) -> None:
    first = site.connection.cursor("EARLIER", "ORDERS").position
    site.put("one", "two")
    moment = datetime.now(UTC).isoformat()
    site.put("three", "four")
    words = {
        "earliest": "earliest",
        "latest": "latest",
        "number": f'{{"ORDERS": {first + 1}}}',
        "time": moment,
        "json": '{"ORDERS": "earliest"}',
    }
    planner = site.planner(startingOffsets=words[reported])
    zero = planner.initial()
    site.put("five")
    found = site.read(planner, zero, planner.latest(zero, 0, 0))
    skipped = {"earliest": 0, "latest": 4, "number": 1, "time": 2, "json": 0}[reported]
    assert found == ["one", "two", "three", "four", "five"][skipped:]


def test_named_cursor_when_it_is_there_then_the_query_goes_on_from_it(site: Site) -> None:
    cursor = site.connection.cursor("QUERY", "ORDERS")
    site.put("one", "two", "three")
    cursor.advance(cursor.position + 1)
    planner = site.planner(cursor="QUERY")
    zero = planner.initial()
    assert site.read(planner, zero, planner.latest(zero, 0, 0)) == ["two", "three"]
    again = site.planner(cursor="QUERY", startingOffsets="earliest")
    zero = again.initial()
    assert site.read(again, zero, again.latest(zero, 0, 0)) == ["one", "two", "three"]


def test_patterns_when_queues_appear_then_they_are_read_from_their_first_message(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ternmq.spark.mq.planner.LOOK_S", 0.0)
    planner = site.planner(queue="ORD*", cursor="QUERY")
    zero = planner.initial()
    site.put("one")
    one = planner.latest(zero, 0, 0)
    assert site.read(planner, zero, one) == ["one"]
    site.connection.define_queue("ORDINARY")
    site.connection.define_queue("OTHER")
    site.connection.cursor("QUERY.ORDINARY", "ORDINARY")
    site.put("two", queue="ORDINARY")
    two = planner.latest(one, 0, 0)
    assert sorted(two) == ["ORDERS", "ORDINARY"]
    assert site.read(planner, one, two) == ["two"]
    again = site.planner(queue="ORD*", cursor="QUERY")
    assert site.read(again, one, two) == ["two"]
    site.put("three", queue="ORDINARY")
    three = planner.latest(two, 0, 0)
    assert site.read(planner, two, three) == ["three"]
    assert site.position("QUERY.ORDINARY") == two["ORDINARY"]["next"]


def test_loss_when_the_queue_is_another_then_an_error_or_on_with_the_new_one(site: Site) -> None:
    strict, lenient = site.planner(cursor="A"), site.planner(cursor="B", failOnDataLoss="false")
    zero, nought = strict.initial(), lenient.initial()
    site.put("one")
    one, two = strict.latest(zero, 0, 0), lenient.latest(nought, 0, 0)
    strict.close()  # a queue that is open cannot be deleted
    lenient.close()
    site.connection.delete_queue("ORDERS", purge=True)
    site.connection.define_queue("ORDERS")
    with pytest.raises(DataLoss, match="has no stream any more; option failOnDataLoss=false"):
        strict.latest(one, 0, 0)
    with pytest.raises(DataLoss, match="is not the queue any more that was read before"):
        site.read(strict, zero, one)
    three = lenient.latest(two, 0, 0)
    assert three["ORDERS"]["incarnation"] != two["ORDERS"]["incarnation"]
    site.put("new")
    four = lenient.latest(three, 0, 0)
    assert site.read(lenient, three, four) == ["new"]
    with pytest.raises(DataLoss, match="deleted and defined again since it was read up to"):
        strict.latest(one, 0, 0)


def test_loss_when_messages_are_gone_then_an_error_or_on_with_the_rest(site: Site) -> None:
    site.put("one", "two")
    site.connection.cursor("OTHER", "ORDERS")  # the stream begins with the next message
    planner = site.planner(cursor="none", startingOffsets="earliest")
    lenient = site.planner(cursor="none", failOnDataLoss="false")
    zero = planner.initial()
    site.put("three")
    one = planner.latest(zero, 0, 0)
    first = zero["ORDERS"]["next"]
    before = {"ORDERS": {**zero["ORDERS"], "next": first - 2}}  # as if it had had them once
    text = f"messages of ORDERS from {first - 2} to {first - 1} were purged"
    with pytest.raises(DataLoss, match=text):
        planner.latest(before, 0, 0)
    with pytest.raises(DataLoss, match=f"from number {first - 2} on were purged"):
        site.read(planner, before, one)
    assert lenient.latest(before, 0, 0) == one
    parts = lenient.partitions(before, one)
    assert site.read_parts(parts, failOnDataLoss="false") == ["three"]


def test_cursor_when_somebody_deletes_it_then_it_is_there_again(site: Site) -> None:
    planner = site.planner(cursor="QUERY")
    zero = planner.initial()
    site.connection.cursor("OTHER", "ORDERS")
    site.put("one", "two")
    one = planner.latest(zero, 0, 0)
    site.connection.cursor("QUERY").delete()
    assert planner.latest(one, 0, 0) == one
    assert site.position("QUERY") == one["ORDERS"]["next"]


def test_cursor_when_deleted_and_the_stream_filled_again_then_an_error(site: Site) -> None:
    planner = site.planner(cursor="QUERY", startingOffsets="earliest")
    zero = planner.initial()
    other = site.connection.cursor("OTHER", "ORDERS", start="earliest")
    site.put("one")
    site.connection.queue("ORDERS").put("two", correl_id=b"two")
    site.put("l" * (1 << 20))  # a block of its own
    site.connection.cursor("QUERY").delete()
    assert site.connection.queue("ORDERS").get(correl_id=b"two").text == "two"
    assert len(list(other)) == 3
    other.advance()  # the stream lets go of the first two
    site.connection.cursor("THIRD", "ORDERS", start="earliest")  # and has what is left again
    with pytest.raises(DataLoss, match="cursor QUERY of ORDERS was deleted, and of the messages"):
        planner.latest(zero, 0, 0)
    lenient = site.planner(cursor="QUERY", failOnDataLoss="false")
    assert [text[:3] for text in site.read(lenient, zero, lenient.latest(zero, 0, 0))] == [
        "one",
        "lll",
    ]


def test_cursor_when_the_query_never_read_then_it_is_gone_with_it(site: Site) -> None:
    planner = site.planner()
    zero = planner.initial()
    assert planner.latest(zero, 0, 0) == zero
    assert len(site.connection.mqsc("DISPLAY CURSOR(SPARK.*)")) == 1
    planner.close()
    assert not site.connection.mqsc("DISPLAY CURSOR(SPARK.*)")[0].ok


def test_no_cursor_when_given_then_the_stream_must_be_there(site: Site) -> None:
    planner = site.planner(cursor="none", startingOffsets="earliest")
    with pytest.raises(ValueError, match="ORDERS has no stream"):
        planner.initial()
    site.connection.alter_queue("ORDERS", RETAIN="SIZE", RETSIZE=1)
    site.put("one")
    zero = planner.initial()
    assert site.read(planner, zero, planner.latest(zero, 0, 0)) == ["one"]
    assert "cursor" not in zero["ORDERS"]


def test_start_when_beyond_the_stream_then_an_error(site: Site) -> None:
    planner = site.planner(startingOffsets='{"ORDERS": 5000}')
    with pytest.raises(ValueError, match="5000 is beyond the stream of ORDERS"):
        planner.initial()


# ---- batches of a stream


def test_batch_when_positions_are_given_then_that_range(site: Site) -> None:
    first = site.connection.cursor("ANY", "ORDERS").position
    site.put("one", "two", "three", "four")
    given = {
        "startingOffsets": f'{{"ORDERS": {first + 1}}}',
        "endingOffsets": f'{{"ORDERS": {first + 3}}}',
    }
    reader = MqReader(site.options(False, minPartitions="2", **given))
    parts = [part.ranges for part in reader.partitions() if isinstance(part, RangePartition)]
    assert len(parts) == 2
    assert site.read_parts(parts) == ["two", "three"]
    beyond = MqReader(site.options(False, endingOffsets=f'{{"ORDERS": {first + 9}}}'))
    with pytest.raises(ValueError, match="beyond the stream of ORDERS"):
        beyond.partitions()


def test_batch_when_the_queue_has_no_stream_then_the_error_says_what_to_do(site: Site) -> None:
    with pytest.raises(ValueError, match="mode=browse reads what is on it"):
        MqReader(site.options(False, startingOffsets='{"ORDERS": 3}')).partitions()


# ---- dividing


def test_shares_when_there_is_more_than_the_limit_then_all_get_some_of_it() -> None:
    assert shares({"A": 10, "B": 20}, 100) == {"A": 10, "B": 20}
    assert shares({"A": 900, "B": 100}, 100) == {"A": 90, "B": 10}
    assert shares({"A": 1000, "B": 1, "C": 0}, 10) == {"A": 9, "B": 1, "C": 0}
    assert shares({"A": 100, "B": 1, "C": 1, "D": 1}, 5) == {"A": 2, "B": 1, "C": 1, "D": 1}
    assert shares({"A": 7, "B": 7, "C": 7}, 10) == {"A": 4, "B": 3, "C": 3}


def test_shares_when_there_are_more_queues_than_the_limit_then_each_has_its_turn() -> None:
    backlogs = {f"Q{n}": 1000 if n < 3 else 1 for n in range(20)}
    served: Counter[str] = Counter()
    for turn in range(40, 40 + 7 * 20, 7):
        found = shares(backlogs, 7, turn)
        assert sum(found.values()) == 7
        served.update({queue: share for queue, share in found.items() if share})
    assert set(served.values()) == {7}
    assert len(served) == 20


def test_ranges_when_divided_then_every_number_is_in_one_task() -> None:
    whole = [Range("A", 1, 0, 10), Range("B", 2, 100, 105)]
    for tasks in (1, 2, 3, 7, 100):
        parts = divided(whole, tasks, True)
        assert len(parts) == min(tasks, 15) or tasks == 7
        numbers = [
            (part.queue, number)
            for ranges in parts
            for part in ranges
            for number in range(part.first, part.end)
        ]
        assert numbers == [("A", n) for n in range(10)] + [("B", n) for n in range(100, 105)]
    assert len(divided(whole, 8, False)) == 1  # so few are not worth more
    assert divided([], 8, True) == []


def test_cursor_name_when_long_then_it_is_still_a_name_and_its_own() -> None:
    queues = ["A" * 44 + ".ONE", "A" * 44 + ".TWO"]
    names = {joined("SPARK.00000000", queue) for queue in queues}
    assert len(names) == 2
    assert all(len(name) == 48 for name in names)
    assert joined("AUDIT", "ORDERS") == "AUDIT.ORDERS"


def test_connection_when_the_queue_manager_is_not_there_then_its_reason(tmp_path: Path) -> None:
    options = SourceOptions({"path": str(tmp_path), "queueManager": "QM9", "queue": "A"}, True)
    with pytest.raises(ternmq.MQError, match="MQRC_Q_MGR_NAME_ERROR"):
        Planner(options).initial()


def rows_of(site: Site, **given: str) -> list[tuple[str, int | None]]:
    """What a batch reads: texts with their incarnations, by number."""
    reader = MqReader(site.options(False, columns="text,seq,incarnation", **given))
    rows = [
        row
        for part in reader.partitions()
        for batch in reader.read(part)
        for row in batch.to_pylist()
    ]
    return [(row["text"], row["incarnation"]) for row in sorted(rows, key=lambda row: row["seq"])]


def test_batch_from_the_earliest_when_the_stream_began_later_then_it_has_what_a_stream_has(
    site: Site,
) -> None:
    site.put("a", "b", "c")
    other = site.connection.cursor("OTHER", "ORDERS")  # the stream begins behind them
    site.put("d", "e")
    with site.connection.queue("ORDERS") as queue:
        assert [queue.get().text, queue.get().text] == ["a", "b"]
    found = rows_of(site, mode="stream", startingOffsets="earliest")
    assert found == [(text, other.incarnation) for text in "cde"]
    planner = site.planner(startingOffsets="earliest")
    start = planner.initial()
    assert site.read(planner, start, planner.latest(start, 0, 0)) == ["c", "d", "e"]
    end = f'{{"ORDERS": {other.position - 1}}}'
    assert rows_of(site, startingOffsets="earliest", endingOffsets=end) == []
    assert [text for text, _ in rows_of(site, startingOffsets="latest")] == []


def test_batch_from_the_earliest_when_all_cursors_have_passed_then_what_lies_there_is_read(
    site: Site,
) -> None:
    cursor = site.connection.cursor("ONE", "ORDERS")
    site.put("a", "b", "c")
    for _ in cursor:
        pass
    cursor.advance()
    assert [text for text, _ in rows_of(site, mode="stream")] == ["a", "b", "c"]


def test_batch_from_the_earliest_when_there_is_no_stream_then_what_lies_there_is_read(
    site: Site,
) -> None:
    site.put("a", "b")
    assert rows_of(site, startingOffsets="earliest") == [("a", None), ("b", None)]
    with pytest.raises(ValueError, match="ORDERS has no stream"):
        rows_of(site, startingOffsets="latest")


def test_batch_from_the_earliest_when_the_stream_has_all_then_nothing_is_browsed(
    site: Site,
) -> None:
    site.connection.cursor("ONE", "ORDERS")
    site.put("a", "b")
    parts = MqReader(site.options(False, mode="stream")).partitions()
    assert [type(part) for part in parts] == [RangePartition] * len(parts)


def test_patterns_when_the_user_may_browse_and_nothing_else_then_those_queues_are_read(
    tmp_path: Path,
) -> None:
    users = {"ann": ("staff",), getpass.getuser(): ("mqm",)}
    started = start_in_memory("QM1", None, None, security=users)
    with Networked(tmp_path, "QM1", started) as served, served.connect() as boss:
        for name in ("ORDERS.A", "ORDERS.B", "PAID"):
            boss.define_queue(name)
            boss.cursor(name, name)
            boss.put(name, name)
        boss.define_alias("ORDERS.C", target="PAID")
        for command in (
            "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('ann') AUTHADD(CONNECT)",
            "SET AUTHREC PROFILE('ORDERS.A') OBJTYPE(QUEUE) PRINCIPAL('ann') AUTHADD(BROWSE)",
            "SET AUTHREC PROFILE('ORDERS.C') OBJTYPE(QUEUE) PRINCIPAL('ann') AUTHADD(BROWSE)",
        ):
            assert [one.ok for one in boss.mqsc(command)] == [True], command
        way = {"queueManager": "QM1", "connName": served.conn, "channel": CHANNEL, "user": "ann"}
        for mode in ("browse", "stream"):
            options = SourceOptions({**way, "queue": "ORDERS.*", "mode": mode}, False)
            reader = MqReader(options)
            batches = [batch for part in reader.partitions() for batch in reader.read(part)]
            assert [row["text"] for one in batches for row in one.to_pylist()] == ["ORDERS.A"]
        boss.mqsc("SET AUTHREC PROFILE(PAID) OBJTYPE(QUEUE) PRINCIPAL('ann') AUTHADD(GET)")
        reader = MqReader(SourceOptions({**way, "queue": "PAID", "mode": "drain"}, False))
        assert sum(len(one) for part in reader.partitions() for one in reader.read(part)) == 1


def expiry_of(site: Site, pattern: str) -> list[int]:
    return [
        int(str(one["EXPIRY"]))
        for one in site.connection.mqsc(f"DISPLAY CURSOR({pattern}) EXPIRY")
        if one.ok
    ]


def test_cursors_when_a_query_makes_them_then_its_own_expire_and_named_ones_do_not(
    site: Site,
) -> None:
    site.planner(startingOffsets="earliest").initial()
    assert expiry_of(site, "SPARK.*") == [7 * 24 * 60]
    site.planner(cursor="AUDIT").initial()
    assert expiry_of(site, "AUDIT") == [0]
    site.planner(cursor="DAY", cursorExpiryHours="24").initial()
    assert expiry_of(site, "DAY") == [24 * 60]
    with pytest.raises(ValueError, match="cursorExpiryHours is 999999; it is at most"):
        site.options(cursorExpiryHours="999999")


def test_cursor_when_a_query_runs_and_nothing_comes_then_it_is_used_all_the_same(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mq_cursors, "USE_S", 0.0)
    planner = site.planner(startingOffsets="earliest")
    start = planner.initial()
    (cursor,) = site.served.started.shell.engine.kernel.catalog.cursors.by_name.values()
    cursor.idle_since_ns = 0
    planner.latest(start, 0, 0)
    assert cursor.idle_since_ns > 0
