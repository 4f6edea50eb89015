"""Streaming queues: which definitions are allowed, and what a put is told when its copy fails.

The definitions are those of IBM's topic "Streaming queue restrictions"; the reason codes of
commands are IBM's by name, and which of them belongs to which rule is not told there.
"""

from __future__ import annotations

from typing import Any

import pytest

from ternmq import constants as mq
from ternmq.base import command_reasons as ccf
from ternmq.base.object_types import MODEL, REMOTE
from tests.conformance.bench import Bench, Row, judge, row
from tests.mqi import mqi

pytestmark = pytest.mark.core

RESTRICTIONS = "Streaming queue restrictions"
REMOTE_AND_ALIAS = "Streaming to remote and alias queues"
CONFIGURATION = "Streaming queues configuration"
CAPEXPRY = "CAPEXPRY: Limit message expiry time"


def alter(rule: str, reason: int, name: str, prepare: str = "", **given: Any) -> Row:
    """ALTER of a queue, after MQSC commands have made what it needs."""

    def act(bench: Bench) -> None:
        for line in prepare.splitlines():
            assert all(one.comp == mq.MQCC_OK for one in bench.qmgr.mqsc(line)), line
        bench.qmgr.alter_queue(name, **given)

    return row(f"stream.define.{rule}", reason, act, RESTRICTIONS)


DEFINITION_ROWS = [
    alter("local", 0, "Q", stream_queue="OTHER"),
    alter("alias", 0, "Q", "DEFINE QALIAS(A) TARGET(OTHER)", stream_queue="A"),
    alter("remote", 0, "Q", "DEFINE QREMOTE(R) RNAME(X) RQMNAME(QM2)", stream_queue="R"),
    alter("not-there-yet", 0, "Q", stream_queue="NOWHERE"),
    alter("default-local-queue", 0, "Q", stream_queue="SYSTEM.DEFAULT.LOCAL.QUEUE"),
    alter("event-queue", 0, "SYSTEM.ADMIN.QMGR.EVENT", stream_queue="OTHER"),
    alter("itself", ccf.MQRCCF_STREAMQ_DEST_CONFLICT, "Q", stream_queue="Q"),
    alter(
        "chain-ahead",
        ccf.MQRCCF_STREAMQ_DEST_CONFLICT,
        "Q",
        "ALTER QLOCAL(OTHER) STREAMQ(FIT)",
        stream_queue="OTHER",
    ),
    alter(
        "chain-behind",
        ccf.MQRCCF_STREAMQ_CONFLICT,
        "OTHER",
        "ALTER QLOCAL(Q) STREAMQ(OTHER)",
        stream_queue="FIT",
    ),
    alter(
        "chain-by-alias",
        ccf.MQRCCF_STREAMQ_DEST_CONFLICT,
        "Q",
        "ALTER QLOCAL(OTHER) STREAMQ(FIT)\nDEFINE QALIAS(A) TARGET(OTHER)",
        stream_queue="A",
    ),
    alter(
        "loop",
        ccf.MQRCCF_STREAMQ_DEST_CONFLICT,
        "OTHER",
        "ALTER QLOCAL(Q) STREAMQ(OTHER)",
        stream_queue="Q",
        stream_onward="YES",
    ),
    alter("transmission", ccf.MQRCCF_STREAMQ_CONFLICT, "Q", usage="XMITQ", stream_queue="OTHER"),
    alter("to-system", ccf.MQRCCF_STREAMQ_DEST_NOT_SUPP, "Q", stream_queue="SYSTEM.ADMIN.X"),
    alter("to-model", ccf.MQRCCF_STREAMQ_DEST_NOT_SUPP, "Q", stream_queue="PERM"),
    alter(
        "of-system",
        ccf.MQRCCF_STREAMQ_NOT_SUPPORTED,
        "SYSTEM.ADMIN.COMMAND.QUEUE",
        stream_queue="OTHER",
    ),
    alter("of-alias", mq.MQRC_SELECTOR_ERROR, "ALIAS", stream_queue="OTHER"),
]


def put_with(rule: str, reason: int, target: str, source: str = CONFIGURATION, **md: Any) -> Row:
    """MQPUT to a queue that must have its copy on the target."""

    def act(bench: Bench) -> None:
        bench.qmgr.alter_queue("Q", stream_queue=target, stream_quality="MUSTDUP")
        try:
            bench.put("Q", data=b"more than ten", **md)
        finally:
            depth = bench.verbs.inquire(bench.open("Q", mq.MQOO_INQUIRE), [mq.MQIA_CURRENT_Q_DEPTH])
            assert depth == [0 if reason else 1]

    return row(f"stream.put.{rule}", reason, act, source if reason == 0 else None)


PUT_ROWS = [
    put_with("copied", 0, "OTHER"),
    put_with("too-long-for-the-copy", mq.MQRC_MSG_TOO_BIG_FOR_Q, "SMALL"),
    put_with("copy-inhibited", mq.MQRC_PUT_INHIBITED, "SHUT"),
    put_with("alias-leads-nowhere", mq.MQRC_UNKNOWN_ALIAS_BASE_Q, "LOST"),
    put_with("alias-of-an-alias", mq.MQRC_ALIAS_BASE_Q_TYPE_ERROR, "TWICE"),
    put_with("not-there", mq.MQRC_UNKNOWN_OBJECT_NAME, "NOWHERE"),
]


def _by_model(bench: Bench) -> None:
    mqi(bench.qmgr).define(MODEL, "STREAMING", {"stream_queue": "OTHER"}, False)
    handle = bench.open("STREAMING", mq.MQOO_OUTPUT, dynamic_queue_name="MADE")
    bench.put(handle)
    bench.get("OTHER")


def _custom_cap(bench: Bench) -> None:
    bench.qmgr.alter_queue("Q", custom="CAPEXPRY(12000)")
    bench.put("Q")
    entry = bench.get("Q").entry
    assert entry is not None
    assert entry.expiry_at - entry.put_ns == 1_200 * 10**9


OTHER_ROWS = [
    row("stream.put.by-model", 0, _by_model, CONFIGURATION),
    row("expiry.cap.custom", 0, _custom_cap, CAPEXPRY),
    row(
        "expiry.cap.custom-wrong",
        ccf.MQRCCF_CUSTOM_ERROR,
        lambda b: b.qmgr.alter_queue("Q", custom="CAPEXPRY(soon)"),
        CAPEXPRY,
    ),
    row(
        "expiry.cap.both",
        ccf.MQRCCF_PARM_CONFLICT,
        lambda b: b.qmgr.alter_queue("Q", custom="CAPEXPRY(10)", cap_expiry=10),
        CAPEXPRY,
    ),
    row(
        "expiry.cap.in-one-command",
        0,
        lambda b: b.qmgr.alter_queue("Q", custom="", cap_expiry=10),
        CAPEXPRY,
    ),
    row(
        "stream.define.remote-has-none",
        mq.MQRC_SELECTOR_ERROR,
        lambda b: mqi(b.qmgr).define(REMOTE, "R", {"stream_queue": "OTHER"}, False),
        REMOTE_AND_ALIAS,
    ),
]


@pytest.mark.parametrize("one", DEFINITION_ROWS, ids=lambda one: one.rule)
def test_definitions_are_allowed_or_refused_as_documented(one: Row) -> None:
    judge(one)


@pytest.mark.parametrize("one", PUT_ROWS + OTHER_ROWS, ids=lambda one: one.rule)
def test_puts_and_caps_answer_as_documented(one: Row) -> None:
    judge(one)
