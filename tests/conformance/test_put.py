"""MQPUT and MQPUT1: options, descriptor fields, context, limits of queue and queue manager."""

from __future__ import annotations

from typing import Any

import pytest

from ternmq import constants as mq
from ternmq.kernel.connection import Handle
from tests.conformance.bench import (
    BROWSE,
    IN,
    INQ,
    OUT,
    VALIDATING,
    Bench,
    Row,
    judge,
    row,
)

pytestmark = pytest.mark.core

PUT = "MQPUT - Put message"
PUT1 = "MQPUT1 - Put one message"
NO = mq.MQPMO_NO_SYNCPOINT
SAVE = mq.MQOO_SAVE_ALL_CONTEXT


def options(rule: str, bits: int, reason: int = mq.MQRC_OPTIONS_ERROR) -> Row:
    source = VALIDATING if reason in (0, mq.MQRC_OPTIONS_ERROR) else None
    return row(f"put.options.{rule}", reason, lambda b: b.put("Q", bits), source)


def field(rule: str, reason: int, **fields: Any) -> Row:
    source = "MQMD - Message descriptor" if reason == 0 else None
    return row(f"put.md.{rule}", reason, lambda b: b.put(**fields), source)


def two_contexts() -> list[Row]:
    """Any two context options at once."""
    contexts = {
        "default": mq.MQPMO_DEFAULT_CONTEXT,
        "none": mq.MQPMO_NO_CONTEXT,
        "pass-identity": mq.MQPMO_PASS_IDENTITY_CONTEXT,
        "pass-all": mq.MQPMO_PASS_ALL_CONTEXT,
        "set-identity": mq.MQPMO_SET_IDENTITY_CONTEXT,
        "set-all": mq.MQPMO_SET_ALL_CONTEXT,
    }
    named = list(contexts.items())
    return [
        options(f"{one}.{two}", NO | first | second)
        for at, (one, first) in enumerate(named)
        for two, second in named[at + 1 :]
    ]


OPTION_ROWS = [
    options("none", 0, 0),
    options("no-syncpoint", NO, 0),
    options("syncpoint", mq.MQPMO_SYNCPOINT, 0),
    options("both-syncpoints", NO | mq.MQPMO_SYNCPOINT),
    options("two-responses", NO | mq.MQPMO_ASYNC_RESPONSE | mq.MQPMO_SYNC_RESPONSE),
    options("alternate-user", NO | mq.MQPMO_ALTERNATE_USER_AUTHORITY),
    options("unknown-bit", NO | 0x4000_0000),
    options("new-ids", NO | mq.MQPMO_NEW_MSG_ID | mq.MQPMO_NEW_CORREL_ID, 0),
    *two_contexts(),
    options("set-identity", NO | mq.MQPMO_SET_IDENTITY_CONTEXT, mq.MQRC_NOT_OPEN_FOR_SET_IDENT),
    options("set-all", NO | mq.MQPMO_SET_ALL_CONTEXT, mq.MQRC_NOT_OPEN_FOR_SET_ALL),
    row("put.pmo.version-0", mq.MQRC_PMO_ERROR, lambda b: b.put(version=0)),
    row("put.pmo.version-4", mq.MQRC_PMO_ERROR, lambda b: b.put(version=4)),
    row("put.pmo.version-1", 0, lambda b: b.put(version=1), PUT),
    row("put.pmo.version-3", 0, lambda b: b.put(version=3), PUT),
]

FIELD_ROWS = [
    field("version-0", mq.MQRC_MD_ERROR, md_version=0),
    field("version-3", mq.MQRC_MD_ERROR, md_version=3),
    field("version-1", 0, md_version=1),
    field("report.unknown", mq.MQRC_REPORT_OPTIONS_ERROR, report=0x0004_0000),
    field("msg-type.0", mq.MQRC_MSG_TYPE_ERROR, msg_type=0),
    field("msg-type.negative", mq.MQRC_MSG_TYPE_ERROR, msg_type=-1),
    field("msg-type.too-high", mq.MQRC_MSG_TYPE_ERROR, msg_type=mq.MQMT_APPL_LAST + 1),
    field("msg-type.application", 0, msg_type=mq.MQMT_APPL_FIRST),
    field("expiry.0", mq.MQRC_EXPIRY_ERROR, expiry=0),
    field("expiry.minus-2", mq.MQRC_EXPIRY_ERROR, expiry=-2),
    field("expiry.1", 0, expiry=1),
    field("feedback.negative", mq.MQRC_FEEDBACK_ERROR, feedback=-1),
    field("feedback.too-high", mq.MQRC_FEEDBACK_ERROR, feedback=mq.MQFB_APPL_LAST + 1),
    field("feedback.application", 0, feedback=mq.MQFB_APPL_FIRST),
    field("priority.minus-2", mq.MQRC_PRIORITY_ERROR, priority=-2),
    field("priority.9", 0, priority=9),
    field("persistence.3", mq.MQRC_PERSISTENCE_ERROR, persistence=3),
    field("persistence.negative", mq.MQRC_PERSISTENCE_ERROR, persistence=-1),
    field("request.without-reply-queue", mq.MQRC_MISSING_REPLY_TO_Q, msg_type=mq.MQMT_REQUEST),
    field("request", 0, msg_type=mq.MQMT_REQUEST, reply_to_queue="R"),
    field("report.without-reply-queue", mq.MQRC_MISSING_REPLY_TO_Q, report=mq.MQRO_EXCEPTION),
    field("flags.unknown", mq.MQRC_MSG_FLAGS_ERROR, md_version=2, msg_flags=0x0000_0800),
    field(
        "sequence.0",
        mq.MQRC_MSG_SEQ_NUMBER_ERROR,
        md_version=2,
        msg_flags=mq.MQMF_MSG_IN_GROUP,
        msg_seq_number=0,
    ),
    field(
        "sequence.too-high",
        mq.MQRC_MSG_SEQ_NUMBER_ERROR,
        md_version=2,
        msg_flags=mq.MQMF_LAST_MSG_IN_GROUP,
        msg_seq_number=1_000_000_000,
    ),
    field("sequence.1", 0, md_version=2, msg_flags=mq.MQMF_MSG_IN_GROUP, msg_seq_number=1),
    field("sequence.version-1", 0, md_version=1, msg_flags=mq.MQMF_MSG_IN_GROUP, msg_seq_number=0),
]


def warned_priority(bench: Bench) -> None:
    """Accepted with a warning; the queue places it as priority 9, the descriptor says 12."""
    handle = bench.open("Q", OUT | IN)
    bench.put(handle, priority=9, data=b"nine")
    bench.put(handle, priority=12, data=b"twelve")
    assert bench.verbs.link.warning == mq.MQRC_PRIORITY_EXCEEDS_MAXIMUM
    bench.put(handle, priority=8, data=b"eight")
    with bench.qmgr.queue("Q") as queue:
        got = [(message.data, message.descriptor.priority) for message in queue]
    assert got == [(b"nine", 9), (b"twelve", 12), (b"eight", 8)]


def persistent_to_temporary(bench: Bench) -> None:
    bench.put(bench.open("TEMP", OUT), persistence=1)


def put_twice_to_small(bench: Bench) -> None:
    bench.put("SMALL")
    bench.put("SMALL")


def too_big_for_queue_manager(bench: Bench) -> None:
    bench.qmgr.alter_qmgr(max_message_length=32_768)
    bench.put("Q", data=bytes(32_769))


def too_many_uncommitted(bench: Bench) -> None:
    bench.qmgr.alter_qmgr(max_uncommitted=1)
    bench.put("Q", mq.MQPMO_SYNCPOINT)
    bench.put("Q", mq.MQPMO_SYNCPOINT)


def after_disconnect(bench: Bench) -> None:
    handle = bench.open("Q", OUT)
    bench.qmgr.disconnect()
    bench.put(handle)


def by_other_connection(bench: Bench) -> None:
    other = bench.qmgr.connect()
    with other.queue("Q", options=OUT) as queue:
        handle = queue._handles.base
        assert isinstance(handle, Handle)
        bench.put(handle)


QUEUE_ROWS = [
    row("put.ok", 0, lambda b: b.put(), PUT),
    row("put.priority.12", 0, warned_priority, "Priority (MQLONG)"),
    row("put.alias", 0, lambda b: b.put("ALIAS"), PUT),
    row(
        "put.not-open.input",
        mq.MQRC_NOT_OPEN_FOR_OUTPUT,
        lambda b: b.put("Q", open_options=IN),
    ),
    row(
        "put.not-open.browse",
        mq.MQRC_NOT_OPEN_FOR_OUTPUT,
        lambda b: b.put("Q", open_options=BROWSE),
    ),
    row("put.not-open.qmgr", mq.MQRC_NOT_OPEN_FOR_OUTPUT, lambda b: b.put(b.queue_manager())),
    row("put.closed", mq.MQRC_HOBJ_ERROR, lambda b: b.put(b.closed())),
    row("put.other-connection", mq.MQRC_HOBJ_ERROR, by_other_connection),
    row("put.disconnected", mq.MQRC_HCONN_ERROR, after_disconnect),
    row("put.deleted", mq.MQRC_Q_DELETED, lambda b: b.put(b.deleted())),
    row("put.inhibited", mq.MQRC_PUT_INHIBITED, lambda b: b.put("SHUT")),
    row("put.full", mq.MQRC_Q_FULL, put_twice_to_small),
    row("put.too-big.queue", mq.MQRC_MSG_TOO_BIG_FOR_Q, lambda b: b.put("SMALL", data=bytes(11))),
    row("put.too-big.qmgr", mq.MQRC_MSG_TOO_BIG_FOR_Q_MGR, too_big_for_queue_manager),
    row("put.persistent-temporary", mq.MQRC_PERSISTENT_NOT_ALLOWED, persistent_to_temporary),
    row("put.max-uncommitted", mq.MQRC_SYNCPOINT_LIMIT_REACHED, too_many_uncommitted),
]


def passing(rule: str, reason: int, prepare: Any) -> Row:
    """MQPMO_PASS_ALL_CONTEXT with the context handle that `prepare` gives."""

    def act(bench: Bench) -> None:
        bench.put1("OTHER", data=b"source")
        bench.put1("OTHER", data=b"source")
        context = prepare(bench)
        bits = NO | mq.MQPMO_PASS_ALL_CONTEXT
        open_options = OUT | mq.MQOO_PASS_ALL_CONTEXT
        bench.put("Q", bits, context=context, open_options=open_options)

    return row(f"put.context.{rule}", reason, act, PUT if reason == 0 else None)


def saved(bench: Bench) -> int:
    handle = bench.open("OTHER", IN | SAVE | BROWSE)
    bench.get(handle)
    return handle.handle_id


def browsed(bench: Bench) -> int:
    handle = bench.open("OTHER", IN | SAVE | BROWSE)
    bench.get(handle)
    bench.get(handle, mq.MQGMO_NO_SYNCPOINT | mq.MQGMO_BROWSE_FIRST)
    return handle.handle_id


def got_without_saving(bench: Bench) -> int:
    handle = bench.open("OTHER", IN)
    bench.get(handle)
    return handle.handle_id


def not_open_for(rule: str, bits: int, reason: int) -> Row:
    def act(bench: Bench) -> None:
        bench.put1("OTHER")
        bench.put("Q", NO | bits, context=saved(bench))

    return row(f"put.context.not-open.{rule}", reason, act)


CONTEXT_ROWS = [
    not_open_for("identity", mq.MQPMO_PASS_IDENTITY_CONTEXT, mq.MQRC_NOT_OPEN_FOR_PASS_IDENT),
    not_open_for("all", mq.MQPMO_PASS_ALL_CONTEXT, mq.MQRC_NOT_OPEN_FOR_PASS_ALL),
    passing("saved", 0, saved),
    passing("no-handle", mq.MQRC_CONTEXT_HANDLE_ERROR, lambda b: 0),
    passing("unknown-handle", mq.MQRC_CONTEXT_HANDLE_ERROR, lambda b: 4711),
    passing("not-saved", mq.MQRC_CONTEXT_HANDLE_ERROR, got_without_saving),
    passing(
        "nothing-got",
        mq.MQRC_CONTEXT_NOT_AVAILABLE,
        lambda b: b.open("OTHER", IN | SAVE).handle_id,
    ),
    passing("browsed-last", mq.MQRC_CONTEXT_NOT_AVAILABLE, browsed),
]


def one_option(rule: str, bits: int, reason: int = mq.MQRC_OPTIONS_ERROR) -> Row:
    return row(f"put1.options.{rule}", reason, lambda b: b.put1("Q", bits), VALIDATING)


PUT1_ROWS = [
    row("put1.ok", 0, lambda b: b.put1(), PUT1),
    row("put1.alias", 0, lambda b: b.put1("ALIAS"), PUT1),
    row("put1.unknown", mq.MQRC_UNKNOWN_OBJECT_NAME, lambda b: b.put1("NONE")),
    row("put1.model", mq.MQRC_Q_TYPE_ERROR, lambda b: b.put1("TEMP")),
    row(
        "put1.qmgr",
        mq.MQRC_OBJECT_TYPE_ERROR,
        lambda b: b.put1("", od={"object_type": mq.MQOT_Q_MGR}),
    ),
    row("put1.type", mq.MQRC_OBJECT_TYPE_ERROR, lambda b: b.put1("Q", od={"object_type": 77})),
    row("put1.od.version", mq.MQRC_OD_ERROR, lambda b: b.put1("Q", od={"version": 9})),
    row("put1.pmo.version", mq.MQRC_PMO_ERROR, lambda b: b.put1("Q", version=9)),
    row(
        "put1.qmgr-name",
        mq.MQRC_UNKNOWN_REMOTE_Q_MGR,
        lambda b: b.put1("Q", od={"object_qmgr_name": "FAR"}),
    ),
    row("put1.alias.lost", mq.MQRC_UNKNOWN_ALIAS_BASE_Q, lambda b: b.put1("LOST")),
    row("put1.alias.twice", mq.MQRC_ALIAS_BASE_Q_TYPE_ERROR, lambda b: b.put1("TWICE")),
    row("put1.inhibited", mq.MQRC_PUT_INHIBITED, lambda b: b.put1("SHUT")),
    row("put1.too-big", mq.MQRC_MSG_TOO_BIG_FOR_Q, lambda b: b.put1("SMALL", data=bytes(11))),
    row("put1.expiry", mq.MQRC_EXPIRY_ERROR, lambda b: b.put1(expiry=0)),
    row("put1.md.version", mq.MQRC_MD_ERROR, lambda b: b.put1(md_version=3)),
    one_option("both-syncpoints", NO | mq.MQPMO_SYNCPOINT),
    one_option("logical-order", NO | mq.MQPMO_LOGICAL_ORDER),
    one_option("alternate-user", NO | mq.MQPMO_ALTERNATE_USER_AUTHORITY, 0),
    one_option("two-contexts", NO | mq.MQPMO_NO_CONTEXT | mq.MQPMO_DEFAULT_CONTEXT),
    row(
        "put1.leaves-nothing-open",
        mq.MQRC_PUT_INHIBITED,
        lambda b: _put1_and_count(b),
        PUT1,
    ),
]


def _put1_and_count(bench: Bench) -> None:
    handle = bench.open("SHUT", INQ)
    try:
        bench.put1("SHUT")
    finally:
        assert bench.verbs.inquire(handle, [mq.MQIA_OPEN_OUTPUT_COUNT]) == [0]


@pytest.mark.parametrize("one", OPTION_ROWS + FIELD_ROWS, ids=lambda one: one.rule)
def test_put_checks_its_options_and_descriptor(one: Row) -> None:
    judge(one)


@pytest.mark.parametrize("one", QUEUE_ROWS + CONTEXT_ROWS, ids=lambda one: one.rule)
def test_put_answers_as_documented(one: Row) -> None:
    judge(one)


@pytest.mark.parametrize("one", PUT1_ROWS, ids=lambda one: one.rule)
def test_put1_answers_as_documented(one: Row) -> None:
    judge(one)
