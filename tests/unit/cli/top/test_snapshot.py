"""Goal: the figures of `ternmq top` are those of the queue manager, and rates are over the time
between two samples; what is not measured or not allowed is said, not shown as 0.

Method: samples of a queue manager in memory at times that the test chooses, and of made-up answers.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import ternmq
from ternmq.base.constants import MQOO_OUTPUT
from ternmq.cli.top.columns import BY_NAME, CONNECTIONS, QUEUE_MANAGER, QUEUES, VIEWS
from ternmq.cli.top.snapshot import Row, Sample, Snapshot, chosen, snapshot, take
from ternmq.cli.top.snapshot import Watched as Connection

STAFF = (
    "SET AUTHREC OBJTYPE(QMGR) GROUP('staff') AUTHADD(CONNECT)",
    "SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) GROUP('staff') AUTHADD(PUT,DSP)",
)


@pytest.fixture
def qmgr() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1", security={"clerk": ["staff"]}) as manager:
        manager.define_queue("ORDERS", max_depth=10)
        manager.define_queue("SECRET")
        for command in STAFF:
            assert manager.mqsc(command)[0].ok
        yield manager


def sampled(connection: Connection, at_s: float) -> Sample:
    return take(connection, at_s, "2026-11-18T12:00:00+00:00")


def row_of(shown: Snapshot, view: str, key: str, value: str) -> Row:
    (row,) = [row for row in shown.rows[view] if row[key] == value]
    return row


def test_rates_when_two_samples_then_messages_by_the_seconds_between(
    qmgr: ternmq.QueueManager,
) -> None:
    with qmgr.queue("ORDERS") as queue:
        queue.put("before")
        before = sampled(qmgr, 100.0)
        for _ in range(6):
            queue.put("x")
        queue.get()
        queue.get()
        row = row_of(snapshot(sampled(qmgr, 104.0), before), "queues", "queue", "ORDERS")
    assert (row["depth"], row["full"]) == (5, 0.5)
    assert (row["put_rate"], row["get_rate"]) == (1.5, 0.5)
    assert (row["input"], row["output"]) == (1, 1)


def test_rates_when_there_is_one_sample_then_none(qmgr: ternmq.QueueManager) -> None:
    shown = snapshot(sampled(qmgr, 1.0))
    row = row_of(shown, "queues", "queue", "ORDERS")
    assert (row["depth"], row["put_rate"], row["get_rate"]) == (0, None, None)
    assert shown.seconds is None
    assert shown.queue_manager["put_rate"] is None


def test_rates_when_a_queue_is_made_again_then_none(qmgr: ternmq.QueueManager) -> None:
    qmgr.put("ORDERS", "x")
    before = sampled(qmgr, 1.0)
    assert qmgr.mqsc("DELETE QLOCAL(ORDERS) PURGE")[0].ok
    qmgr.define_queue("ORDERS")
    row = row_of(snapshot(sampled(qmgr, 2.0), before), "queues", "queue", "ORDERS")
    assert row["put_rate"] is None


def test_oldest_when_a_queue_is_empty_then_none_and_else_seconds(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.put("ORDERS", "x")
    shown = snapshot(sampled(qmgr, 1.0))
    assert row_of(shown, "queues", "queue", "ORDERS")["oldest"] == 0
    assert row_of(shown, "queues", "queue", "SECRET")["oldest"] is None


def test_calls_when_accounting_is_off_then_none_and_on_then_counted(
    qmgr: ternmq.QueueManager,
) -> None:
    with qmgr.connect(user="clerk", application="till"):
        row = row_of(snapshot(sampled(qmgr, 1.0)), "connections", "application", "till")
    assert (row["user"], row["calls"], row["handles"]) == ("clerk", None, 0)
    qmgr.mqsc("ALTER QMGR ACCTMQI(ON)")
    with qmgr.connect(user="clerk", application="till") as clerk:
        with clerk.queue("ORDERS", options=MQOO_OUTPUT) as queue:
            before = sampled(qmgr, 1.0)
            for _ in range(10):
                queue.put("x")
            shown = snapshot(sampled(qmgr, 3.0), before)
        row = row_of(shown, "connections", "application", "till")
    assert (row["calls"], row["call_rate"], row["handles"]) == (11, 5.0, 1)  # with MQOPEN


def test_totals_then_sums_of_the_queues_and_figures_of_the_log(qmgr: ternmq.QueueManager) -> None:
    before = sampled(qmgr, 1.0)
    qmgr.put("ORDERS", "x", persistent=True)
    qmgr.put("SECRET", "x")
    shown = snapshot(sampled(qmgr, 2.0), before)
    totals = shown.queue_manager
    depths = [row["depth"] for row in shown.rows["queues"]]
    assert totals["messages"] == sum(one for one in depths if isinstance(one, int))
    assert totals["put_rate"] == 2.0
    assert (totals["name"], totals["status"], totals["log_type"]) == ("QM1", "RUNNING", "CIRCULAR")
    assert isinstance(totals["log_records"], float)
    assert totals["log_records"] > 0


def test_user_when_it_may_see_one_queue_then_the_rest_is_named_as_hidden(
    qmgr: ternmq.QueueManager,
) -> None:
    with qmgr.connect(user="clerk") as clerk:
        shown = snapshot(sampled(clerk, 1.0))
    assert [row["queue"] for row in shown.rows["queues"]] == ["ORDERS"]
    refusal = "user 'clerk' lacks dsp on qmgr QM1"
    assert shown.hidden == {"connections": refusal, "queue_manager": refusal}
    document = shown.to_json()
    assert document["queue_manager"] == {"name": "QM1"}
    assert document["hidden"] == shown.hidden


def test_display_all_when_asked_then_own_keywords_are_not_among_them(
    qmgr: ternmq.QueueManager,
) -> None:
    for command in ("DISPLAY QSTATUS(ORDERS) ALL", "DISPLAY CONN(*) ALL"):
        assert {"TOTALIN", "CALLS"}.isdisjoint(qmgr.mqsc(command)[0].keys())
    (shown,) = qmgr.mqsc("DISPLAY QSTATUS(ORDERS) TOTALIN WHERE(TOTALIN EQ 0)")
    assert shown["TOTALIN"] == 0


# ---- order and choice


def made_up(name: str, depth: int | None) -> Row:
    row: Row = {one.key: None for one in QUEUES.columns}
    row["queue"] = name
    row["depth"] = depth
    return row


ROWS = [
    made_up("B", 1),
    made_up("SYSTEM.X", 9),
    made_up("A", 1),
    made_up("c", 5),
    made_up("D", None),
]


@pytest.mark.parametrize(
    ("order", "descending", "text", "system", "wanted"),
    [
        ("depth", True, "", True, ["SYSTEM.X", "c", "A", "B", "D"]),
        ("depth", False, "", False, ["A", "B", "c", "D"]),
        ("queue", False, "", False, ["A", "B", "c", "D"]),
        ("queue", True, "", True, ["SYSTEM.X", "D", "c", "B", "A"]),
        ("depth", True, "C", False, ["c"]),
        ("depth", True, "stem", True, ["SYSTEM.X"]),
    ],
)
def test_chosen_then_rows_with_the_text_sorted_and_unknown_last(
    order: str, descending: bool, text: str, system: bool, wanted: list[str]
) -> None:
    found = chosen(QUEUES, ROWS, order, descending, text, system)
    assert [row["queue"] for row in found] == wanted


def test_table_then_every_view_has_its_order_identity_and_distinct_titles() -> None:
    for view in VIEWS:
        assert view.column(view.order)
        assert view.identity
        assert len({one.title for one in view.columns}) == len(view.columns)
        assert all(one.about for one in view.columns)
    assert BY_NAME["connections"] is CONNECTIONS
    assert QUEUE_MANAGER.command == "DISPLAY QMSTATUS ALL"
