"""MQINQ, MQSET, MQBEGIN, MQCMIT, MQBACK and MQDISC."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest

from ternmq import constants as mq
from ternmq.base.attributes import Value
from tests.conformance.bench import ALL, INQ, OUT, SET, Bench, Row, judge, row, topic

pytestmark = pytest.mark.core

INQUIRE = "MQINQ - Inquire object attributes"
SETTING = "MQSET - Set object attributes"


def inquire(rule: str, reason: int, selectors: list[int], name: str = "Q") -> Row:
    def act(bench: Bench) -> None:
        handle = bench.queue_manager() if name == "" else bench.open(name, INQ)
        values = bench.verbs.inquire(handle, selectors)
        assert len(values) == len(selectors)

    return row(f"inq.{rule}", reason, act, INQUIRE if reason == 0 else None)


def changing(rule: str, reason: int, values: dict[int, Value], name: str = "Q") -> Row:
    def act(bench: Bench) -> None:
        handle = bench.open(name, SET | INQ)
        before = bench.verbs.inquire(handle, [mq.MQIA_INHIBIT_GET])
        try:
            bench.verbs.set(handle, values)
        finally:
            if reason:  # all or nothing
                assert bench.verbs.inquire(handle, [mq.MQIA_INHIBIT_GET]) == before

    return row(f"set.{rule}", reason, act, SETTING if reason == 0 else None)


def late(verb: Callable[[Bench, object], object]) -> Callable[[Bench], object]:
    """The verb on a handle of a connection that has ended."""

    def act(bench: Bench) -> object:
        handle = bench.open("Q", ALL)
        bench.qmgr.disconnect()
        return verb(bench, handle)

    return act


DEPTH = [mq.MQIA_CURRENT_Q_DEPTH]

INQUIRE_ROWS = [
    inquire("nothing", 0, []),
    inquire("queue", 0, [mq.MQIA_CURRENT_Q_DEPTH, mq.MQCA_Q_NAME, mq.MQCA_CREATION_DATE]),
    inquire("alias", 0, [mq.MQCA_BASE_Q_NAME, mq.MQIA_Q_TYPE], "ALIAS"),
    inquire("queue-manager", 0, [mq.MQCA_Q_MGR_NAME, mq.MQIA_MAX_HANDLES], ""),
    inquire("selector.0", mq.MQRC_SELECTOR_ERROR, [0]),
    inquire("selector.negative", mq.MQRC_SELECTOR_ERROR, [-5]),
    inquire("selector.too-high", mq.MQRC_SELECTOR_ERROR, [mq.MQCA_LAST + 1]),
    inquire("selector.second-wrong", mq.MQRC_SELECTOR_ERROR, [*DEPTH, 0]),
    inquire("not-for-type.queue", mq.MQRC_SELECTOR_NOT_FOR_TYPE, [mq.MQIA_MAX_HANDLES]),
    inquire("not-for-type.base", mq.MQRC_SELECTOR_NOT_FOR_TYPE, [mq.MQCA_BASE_Q_NAME]),
    inquire("not-for-type.alias", mq.MQRC_SELECTOR_NOT_FOR_TYPE, DEPTH, "ALIAS"),
    inquire("not-for-type.qmgr", mq.MQRC_SELECTOR_NOT_FOR_TYPE, DEPTH, ""),
    inquire("selectors.256", 0, DEPTH * 256),
    inquire("selectors.257", mq.MQRC_SELECTOR_LIMIT_EXCEEDED, DEPTH * 257),
    row(
        "inq.not-open",
        mq.MQRC_NOT_OPEN_FOR_INQUIRE,
        lambda b: b.verbs.inquire(b.open("Q", OUT), DEPTH),
    ),
    row("inq.closed", mq.MQRC_HOBJ_ERROR, lambda b: b.verbs.inquire(b.closed(), DEPTH)),
    row("inq.deleted", mq.MQRC_Q_DELETED, lambda b: b.verbs.inquire(b.deleted(), DEPTH)),
    row(
        "inq.disconnected",
        mq.MQRC_HCONN_ERROR,
        late(lambda b, handle: b.verbs.inquire(handle, DEPTH)),  # type: ignore[arg-type]
    ),
]


def set_trigger(bench: Bench) -> None:
    """Done, and in force at once."""
    values: dict[int, Value] = {mq.MQIA_TRIGGER_CONTROL: mq.MQTC_ON, mq.MQCA_TRIGGER_DATA: "data"}
    handle = bench.open("Q", SET | INQ)
    bench.verbs.set(handle, values)
    assert bench.verbs.inquire(handle, [mq.MQIA_TRIGGER_CONTROL]) == [mq.MQTC_ON]


def set_distribution_lists(bench: Bench) -> None:
    """Done, as the channel of a transmission queue does it, and without a warning."""
    handle = bench.open("Q", SET | INQ)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bench.verbs.set(handle, {mq.MQIA_DIST_LISTS: mq.MQDL_SUPPORTED})
    assert bench.verbs.inquire(handle, [mq.MQIA_DIST_LISTS]) == [mq.MQDL_SUPPORTED]


NO_GETS: dict[int, Value] = {mq.MQIA_INHIBIT_GET: mq.MQQA_GET_INHIBITED}

SET_ROWS = [
    changing("inhibit-get", 0, NO_GETS),
    changing("inhibit-put", 0, {mq.MQIA_INHIBIT_PUT: mq.MQQA_PUT_INHIBITED}),
    changing("alias", 0, NO_GETS, "ALIAS"),
    row("set.trigger", 0, set_trigger, SETTING),
    row("set.distribution-lists", 0, set_distribution_lists, SETTING),
    changing("inhibit.2", mq.MQRC_INHIBIT_VALUE_ERROR, {mq.MQIA_INHIBIT_GET: 2}),
    changing("inhibit.negative", mq.MQRC_INHIBIT_VALUE_ERROR, {mq.MQIA_INHIBIT_PUT: -1}),
    changing(
        "all-or-nothing",
        mq.MQRC_INHIBIT_VALUE_ERROR,
        {mq.MQIA_INHIBIT_GET: 1, mq.MQIA_INHIBIT_PUT: 9},
    ),
    changing("trigger-control", mq.MQRC_TRIGGER_CONTROL_ERROR, {mq.MQIA_TRIGGER_CONTROL: 7}),
    changing("trigger-type", mq.MQRC_TRIGGER_TYPE_ERROR, {mq.MQIA_TRIGGER_TYPE: 9}),
    changing("trigger-depth", mq.MQRC_TRIGGER_DEPTH_ERROR, {mq.MQIA_TRIGGER_DEPTH: 0}),
    changing(
        "trigger-priority",
        mq.MQRC_TRIGGER_MSG_PRIORITY_ERR,
        {mq.MQIA_TRIGGER_MSG_PRIORITY: 10},
    ),
    changing("not-settable", mq.MQRC_SELECTOR_ERROR, {mq.MQIA_MAX_Q_DEPTH: 5}),
    changing("unknown", mq.MQRC_SELECTOR_ERROR, {0: 5}),
    row("set.not-open", mq.MQRC_NOT_OPEN_FOR_SET, lambda b: b.verbs.set(b.open("Q", INQ), NO_GETS)),
    row("set.closed", mq.MQRC_HOBJ_ERROR, lambda b: b.verbs.set(b.closed(), NO_GETS)),
    row("set.deleted", mq.MQRC_Q_DELETED, lambda b: b.verbs.set(b.deleted(), NO_GETS)),
    row(
        "set.disconnected",
        mq.MQRC_HCONN_ERROR,
        late(lambda b, handle: b.verbs.set(handle, NO_GETS)),  # type: ignore[arg-type]
    ),
]


def begin_in_unit(bench: Bench) -> None:
    bench.put("Q", mq.MQPMO_SYNCPOINT)
    bench.verbs.start_unit()


def commit_then_begin(bench: Bench) -> None:
    bench.put("Q", mq.MQPMO_SYNCPOINT)
    bench.verbs.commit()
    bench.verbs.start_unit()


def backed_out_by_the_queue_manager(bench: Bench) -> None:
    """The oldest unit goes when the log is full; its owner is told at the next verb."""
    bench.qmgr.define_queue("BIG", max_depth=100_000)
    bench.put("BIG", mq.MQPMO_SYNCPOINT, persistence=1)
    with bench.qmgr.connect() as other, other.queue("BIG") as queue:
        while bench.verbs.link.unit is not None and not bench.verbs.link.unit.backed_out_by:
            queue.put(bytes(1_000_000), persistent=True)
            queue.get()
    bench.verbs.commit()


UNIT_ROWS = [
    row("cmit.nothing", 0, lambda b: b.verbs.commit(), "MQCMIT - Commit changes"),
    row("back.nothing", 0, lambda b: b.verbs.back_out(), "MQBACK - Back out changes"),
    row("begin", 0, lambda b: b.verbs.start_unit(), "MQBEGIN - Begin unit of work"),
    row("begin.after-commit", 0, commit_then_begin, "MQBEGIN - Begin unit of work"),
    row("begin.in-unit", mq.MQRC_UOW_IN_PROGRESS, begin_in_unit),
    Row(
        "cmit.backed-out",
        topic(mq.MQRC_BACKED_OUT),
        mq.MQRC_BACKED_OUT,
        backed_out_by_the_queue_manager,
        mq.MQCC_WARNING,
    ),
    row("cmit.disconnected", mq.MQRC_HCONN_ERROR, late(lambda b, handle: b.verbs.commit())),
    row("begin.disconnected", mq.MQRC_HCONN_ERROR, late(lambda b, handle: b.verbs.start_unit())),
]


@pytest.mark.parametrize("one", INQUIRE_ROWS + SET_ROWS, ids=lambda one: one.rule)
def test_inquire_and_set_answer_as_documented(one: Row) -> None:
    judge(one)


@pytest.mark.parametrize("one", UNIT_ROWS, ids=lambda one: one.rule)
def test_units_of_work_answer_as_documented(one: Row) -> None:
    judge(one)
