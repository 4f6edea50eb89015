"""MQGET: options and their combinations, what the handle was opened for, matching, truncation."""

from __future__ import annotations

import pytest

from ternmq import Descriptor
from ternmq import constants as mq
from ternmq.kernel.connection import Handle
from ternmq.kernel.requests import GetCall
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

GET = "MQGET - Get message"
NO = mq.MQGMO_NO_SYNCPOINT
SYNC = mq.MQGMO_SYNCPOINT
IF_PERSISTENT = mq.MQGMO_SYNCPOINT_IF_PERSISTENT
FIRST = mq.MQGMO_BROWSE_FIRST
NEXT = mq.MQGMO_BROWSE_NEXT
UNDER = mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
GET_UNDER = mq.MQGMO_MSG_UNDER_CURSOR
LOCK = mq.MQGMO_LOCK
UNLOCK = mq.MQGMO_UNLOCK
WAIT = mq.MQGMO_WAIT
CUT = mq.MQGMO_ACCEPT_TRUNCATED_MSG
BROWSES = {"first": FIRST, "next": NEXT, "under": UNDER}


def options(rule: str, bits: int, reason: int = mq.MQRC_OPTIONS_ERROR) -> Row:
    def act(bench: Bench) -> GetCall:
        bench.put1("Q")
        handle = bench.open("Q", IN | BROWSE | mq.MQOO_CO_OP)
        bench.get(handle, NO | FIRST)
        return bench.get(handle, bits)

    return row(f"get.options.{rule}", reason, act, VALIDATING)


def browse_with(name: str, bits: int) -> list[Row]:
    return [options(f"{name}.{kind}", bits | browse) for kind, browse in BROWSES.items()]


OPTION_ROWS = [
    options("none", 0, 0),
    options("no-syncpoint", NO, 0),
    options("syncpoint", SYNC, 0),
    options("if-persistent", IF_PERSISTENT, 0),
    options("two-syncpoints.no", SYNC | NO),
    options("two-syncpoints.if", SYNC | IF_PERSISTENT),
    options("two-syncpoints.no-if", NO | IF_PERSISTENT),
    options("two-browses.first-next", FIRST | NEXT),
    options("two-browses.first-under", FIRST | UNDER),
    options("two-browses.next-under", NEXT | UNDER),
    options("two-browses.first-get-under", FIRST | GET_UNDER),
    options("two-browses.next-get-under", NEXT | GET_UNDER),
    options("two-browses.under-get-under", UNDER | GET_UNDER),
    *browse_with("syncpoint", SYNC),
    *browse_with("if-persistent", IF_PERSISTENT),
    options("lock", LOCK),
    options("lock.get-under", LOCK | GET_UNDER),
    options("lock.syncpoint", LOCK | SYNC),
    options("lock.first", LOCK | FIRST, 0),
    options("lock.under", LOCK | UNDER, 0),
    options("unlock.syncpoint", UNLOCK | SYNC),
    options("unlock.if-persistent", UNLOCK | IF_PERSISTENT),
    options("unlock.first", UNLOCK | FIRST),
    options("unlock.wait", UNLOCK | WAIT),
    options("unlock.lock", UNLOCK | LOCK),
    options("unlock.nothing-locked", UNLOCK, mq.MQRC_NO_MSG_LOCKED),
    options("unlock.no-syncpoint", UNLOCK | NO, mq.MQRC_NO_MSG_LOCKED),
    options("mark.without-browse", mq.MQGMO_MARK_BROWSE_HANDLE),
    options("unmark.without-browse", mq.MQGMO_UNMARK_BROWSE_HANDLE),
    options("unmarked.without-browse", mq.MQGMO_UNMARKED_BROWSE_MSG),
    options("mark.browse", FIRST | mq.MQGMO_MARK_BROWSE_HANDLE, 0),
    options("two-properties", NO | mq.MQGMO_NO_PROPERTIES | mq.MQGMO_PROPERTIES_FORCE_MQRFH2),
    options("unknown-bit", NO | -0x8000_0000),
    options("get-under", GET_UNDER, 0),
    options("accept-truncated", NO | CUT, 0),
]


def co_op_without_open(bench: Bench) -> GetCall:
    bench.put1("Q")
    return bench.get("Q", FIRST | mq.MQGMO_MARK_BROWSE_CO_OP, open_options=BROWSE)


def under_after_get(bench: Bench) -> GetCall:
    bench.put1("Q")
    handle = bench.open("Q", IN | BROWSE)
    bench.get(handle, FIRST)
    bench.get(handle)
    return bench.get(handle, UNDER)


def wait_under_cursor(bits: int) -> Row:
    """A wait is ignored where there is nothing to wait for."""
    return row(
        f"get.wait.under-cursor.{bits}",
        mq.MQRC_NO_MSG_UNDER_CURSOR,
        lambda b: b.get("Q", bits | WAIT, wait_interval=mq.MQWI_UNLIMITED),
        "Options (MQLONG)",
    )


def get_after_disconnect(bench: Bench) -> None:
    handle = bench.open("Q", IN)
    bench.qmgr.disconnect()
    bench.get(handle)


def get_by_other_connection(bench: Bench) -> GetCall:
    with bench.qmgr.connect().queue("Q", options=IN) as queue:
        handle = queue._handles.base
        assert isinstance(handle, Handle)
        return bench.get(handle)


def too_many_uncommitted(bench: Bench) -> GetCall:
    bench.qmgr.alter_qmgr(max_uncommitted=1)
    bench.put1("Q")
    bench.put1("Q")
    bench.get("Q", SYNC)
    return bench.get("Q", SYNC)


HANDLE_ROWS = [
    row("get.empty", mq.MQRC_NO_MSG_AVAILABLE, lambda b: b.get()),
    row("get.not-open.output", mq.MQRC_NOT_OPEN_FOR_INPUT, lambda b: b.get(open_options=OUT)),
    row("get.not-open.inquire", mq.MQRC_NOT_OPEN_FOR_INPUT, lambda b: b.get(open_options=INQ)),
    row("get.not-open.browse", mq.MQRC_NOT_OPEN_FOR_INPUT, lambda b: b.get(open_options=BROWSE)),
    row("get.not-open.qmgr", mq.MQRC_NOT_OPEN_FOR_INPUT, lambda b: b.get(b.queue_manager())),
    *[
        row(
            f"browse.not-open.{name}",
            mq.MQRC_NOT_OPEN_FOR_BROWSE,
            lambda b, bits=bits: b.get("Q", bits, open_options=IN),  # type: ignore[misc]
        )
        for name, bits in BROWSES.items()
    ],
    row(
        "get-under.not-open-for-browse",
        mq.MQRC_NOT_OPEN_FOR_BROWSE,
        lambda b: b.get("Q", GET_UNDER, open_options=IN),
    ),
    row(
        "get-under.not-open-for-input",
        mq.MQRC_NOT_OPEN_FOR_INPUT,
        lambda b: b.get("Q", GET_UNDER, open_options=BROWSE),
    ),
    row("mark.co-op.not-open", mq.MQRC_OPTIONS_ERROR, co_op_without_open, "Options (MQLONG)"),
    row("under.before-first", mq.MQRC_NO_MSG_UNDER_CURSOR, lambda b: b.get("Q", UNDER)),
    row("get-under.before-first", mq.MQRC_NO_MSG_UNDER_CURSOR, lambda b: b.get("Q", GET_UNDER)),
    row("under.after-get", mq.MQRC_NO_MSG_UNDER_CURSOR, under_after_get),
    row("browse.empty", mq.MQRC_NO_MSG_AVAILABLE, lambda b: b.get("Q", FIRST)),
    row("get.inhibited", mq.MQRC_GET_INHIBITED, lambda b: b.get("SHUT")),
    row("browse.inhibited", mq.MQRC_GET_INHIBITED, lambda b: b.get("SHUT", FIRST)),
    row("get.closed", mq.MQRC_HOBJ_ERROR, lambda b: b.get(b.closed())),
    row("get.other-connection", mq.MQRC_HOBJ_ERROR, get_by_other_connection),
    row("get.deleted", mq.MQRC_Q_DELETED, lambda b: b.get(b.deleted())),
    row("browse.deleted", mq.MQRC_Q_DELETED, lambda b: b.get(b.deleted(), FIRST)),
    row("get.disconnected", mq.MQRC_HCONN_ERROR, get_after_disconnect),
    row("get.max-uncommitted", mq.MQRC_SYNCPOINT_LIMIT_REACHED, too_many_uncommitted),
]

ARGUMENT_ROWS = [
    row("get.length.negative", mq.MQRC_BUFFER_LENGTH_ERROR, lambda b: b.get(length=-1)),
    row("get.gmo.version-0", mq.MQRC_GMO_ERROR, lambda b: b.get(version=0)),
    row("get.gmo.version-5", mq.MQRC_GMO_ERROR, lambda b: b.get(version=5)),
    row("get.gmo.version-1", mq.MQRC_NO_MSG_AVAILABLE, lambda b: b.get(version=1), GET),
    row("get.gmo.version-4", mq.MQRC_NO_MSG_AVAILABLE, lambda b: b.get(version=4), GET),
    row("get.md.version-0", mq.MQRC_MD_ERROR, lambda b: b.get(md=Descriptor(version=0))),
    row("get.md.version-3", mq.MQRC_MD_ERROR, lambda b: b.get(md=Descriptor(version=3))),
    row(
        "get.wait.minus-2",
        mq.MQRC_WAIT_INTERVAL_ERROR,
        lambda b: b.get("Q", NO | WAIT, wait_interval=-2),
    ),
    row(
        "get.wait.0",
        mq.MQRC_NO_MSG_AVAILABLE,
        lambda b: b.get("Q", NO | WAIT, wait_interval=0),
        "WaitInterval (MQLONG)",
    ),
    row(
        "get.wait.negative-without-wait",
        mq.MQRC_NO_MSG_AVAILABLE,
        lambda b: b.get("Q", NO, wait_interval=-2),
        "WaitInterval (MQLONG)",
    ),
    wait_under_cursor(UNDER),
    wait_under_cursor(GET_UNDER),
    row(
        "get.match.unknown",
        mq.MQRC_MATCH_OPTIONS_ERROR,
        lambda b: b.get(version=2, match_options=0x1000),
    ),
    row(
        "get.match.ignored-in-version-1",
        mq.MQRC_NO_MSG_AVAILABLE,
        lambda b: b.get(version=1, match_options=0x1000),
        "MatchOptions (MQLONG)",
    ),
]


def matching(rule: str, found: bool, version: int, match: int, **fields: object) -> Row:
    """Whether the one message, whose ids are all b"m", is found."""

    def act(bench: Bench) -> GetCall:
        bench.put1(
            "Q",
            msg_id=b"m" * 24,
            correl_id=b"m" * 24,
            group_id=b"m" * 24,
            msg_flags=mq.MQMF_MSG_IN_GROUP,
            msg_seq_number=3,
        )
        md = Descriptor(version=2)
        for name, value in fields.items():
            setattr(md, name, value)
        return bench.get(version=version, match_options=match, md=md)

    reason = 0 if found else mq.MQRC_NO_MSG_AVAILABLE
    return row(f"get.match.{rule}", reason, act, "MatchOptions (MQLONG)")


OTHER = b"x" * 24
MINE = b"m" * 24

MATCH_ROWS = [
    matching("none-given", True, 2, mq.MQMO_NONE, msg_id=OTHER, correl_id=OTHER),
    matching("msg-id", True, 2, mq.MQMO_MATCH_MSG_ID, msg_id=MINE),
    matching("msg-id.other", False, 2, mq.MQMO_MATCH_MSG_ID, msg_id=OTHER),
    matching("msg-id.none-matches-any", True, 2, mq.MQMO_MATCH_MSG_ID, msg_id=bytes(24)),
    matching("correl-id", True, 2, mq.MQMO_MATCH_CORREL_ID, correl_id=MINE),
    matching("correl-id.other", False, 2, mq.MQMO_MATCH_CORREL_ID, correl_id=OTHER),
    matching("group-id", True, 2, mq.MQMO_MATCH_GROUP_ID, group_id=MINE),
    matching("group-id.other", False, 2, mq.MQMO_MATCH_GROUP_ID, group_id=OTHER),
    matching("sequence", True, 2, mq.MQMO_MATCH_MSG_SEQ_NUMBER, msg_seq_number=3),
    matching("sequence.other", False, 2, mq.MQMO_MATCH_MSG_SEQ_NUMBER, msg_seq_number=4),
    matching("offset", True, 2, mq.MQMO_MATCH_OFFSET, offset=0),
    matching("offset.other", False, 2, mq.MQMO_MATCH_OFFSET, offset=7),
    matching("version-1.msg-id", False, 1, 0, msg_id=OTHER),
    matching("version-1.correl-id", False, 1, 0, correl_id=OTHER),
    matching("version-1.both", True, 1, 0, msg_id=MINE, correl_id=MINE),
]


def truncated(rule: str, reason: int, bits: int, length: int) -> Row:
    def act(bench: Bench) -> GetCall:
        bench.put1("Q", data=b"0123456789")
        call = bench.get("Q", bits, length=length)
        assert call.entry is not None
        assert call.entry.length == 10
        with bench.qmgr.queue("Q") as queue:
            browsing = bits & (FIRST | NEXT)
            kept = browsing or reason == mq.MQRC_TRUNCATED_MSG_FAILED
            assert queue.depth == (1 if kept else 0)
        return call

    return row(f"get.truncated.{rule}", reason, act, GET if reason == 0 else None)


TRUNCATION_ROWS = [
    truncated("fits", 0, NO, 10),
    truncated("failed", mq.MQRC_TRUNCATED_MSG_FAILED, NO, 9),
    truncated("failed.empty", mq.MQRC_TRUNCATED_MSG_FAILED, NO, 0),
    truncated("failed.inside", mq.MQRC_TRUNCATED_MSG_FAILED, SYNC, 9),
    truncated("accepted", mq.MQRC_TRUNCATED_MSG_ACCEPTED, NO | CUT, 9),
    truncated("accepted.inside", mq.MQRC_TRUNCATED_MSG_ACCEPTED, SYNC | CUT, 9),
    truncated("accepted.fits", 0, NO | CUT, 10),
    truncated("browse.failed", mq.MQRC_TRUNCATED_MSG_FAILED, FIRST, 9),
    truncated("browse.accepted", mq.MQRC_TRUNCATED_MSG_ACCEPTED, FIRST | CUT, 9),
]


@pytest.mark.parametrize("one", OPTION_ROWS + HANDLE_ROWS, ids=lambda one: one.rule)
def test_get_checks_its_options_and_handle(one: Row) -> None:
    judge(one)


@pytest.mark.parametrize(
    "one", ARGUMENT_ROWS + MATCH_ROWS + TRUNCATION_ROWS, ids=lambda one: one.rule
)
def test_get_answers_as_documented(one: Row) -> None:
    judge(one)
