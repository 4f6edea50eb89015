"""MQOPEN and MQCLOSE: every wrong name, type, option and combination has MQ's reason."""

from __future__ import annotations

import pytest

from ternmq import constants as mq
from ternmq.codec.mqi.mqod import ObjectDescriptor
from tests.conformance.bench import (
    ALL,
    BROWSE,
    IN,
    INQ,
    OUT,
    SET,
    VALIDATING,
    Bench,
    Row,
    judge,
    row,
)
from tests.mqi import mqi

pytestmark = pytest.mark.core

OPEN = "MQOPEN - Open object"
CLOSE = "MQCLOSE - Close object"
EXCL = mq.MQOO_INPUT_EXCLUSIVE
AS_DEF = mq.MQOO_INPUT_AS_Q_DEF


def fill_handles(bench: Bench) -> None:
    bench.qmgr.alter_qmgr(max_handles=3)
    for _ in range(4):
        bench.open("Q", INQ)


def two_opens(first: int, second: int) -> Row:
    def act(bench: Bench) -> None:
        bench.open("Q", first)
        bench.open("Q", second)

    return row(f"open.in-use.{first}.{second}", mq.MQRC_OBJECT_IN_USE, act)


def with_options(rule: str, options: int, reason: int = mq.MQRC_OPTIONS_ERROR) -> Row:
    return row(f"open.options.{rule}", reason, lambda b: b.open("Q", options), VALIDATING)


OPEN_ROWS = [
    row("open.ok", 0, lambda b: b.open("Q", ALL), OPEN),
    row("open.alias", 0, lambda b: b.open("ALIAS", ALL), OPEN),
    row("open.local-qmgr", 0, lambda b: b.open("Q", OUT, object_qmgr_name="QM1"), OPEN),
    row("open.qmgr", 0, lambda b: b.queue_manager(), OPEN),
    row("open.name.unknown", mq.MQRC_UNKNOWN_OBJECT_NAME, lambda b: b.open("NONE", OUT)),
    row("open.name.case", mq.MQRC_UNKNOWN_OBJECT_NAME, lambda b: b.open("q", OUT)),
    row("open.name.characters", mq.MQRC_UNKNOWN_OBJECT_NAME, lambda b: b.open("A B!", OUT)),
    row("open.name.blank", mq.MQRC_UNKNOWN_OBJECT_NAME, lambda b: b.open("", OUT)),
    row(
        "open.qmgr-name.unknown",
        mq.MQRC_UNKNOWN_REMOTE_Q_MGR,
        lambda b: b.open("Q", OUT, object_qmgr_name="FAR"),
    ),
    row(
        "open.qmgr-name.characters",
        mq.MQRC_UNKNOWN_OBJECT_Q_MGR,
        lambda b: b.open("Q", OUT, object_qmgr_name="FAR AWAY!"),
    ),
    row(
        "open.qmgr-name.without-queue",
        mq.MQRC_REMOTE_Q_NAME_ERROR,
        lambda b: b.open("", OUT, object_qmgr_name="FAR"),
    ),
    row(
        "open.qmgr.other-name",
        mq.MQRC_UNKNOWN_OBJECT_Q_MGR,
        lambda b: b.queue_manager(object_qmgr_name="FAR"),
    ),
    row("open.alias.lost", mq.MQRC_UNKNOWN_ALIAS_BASE_Q, lambda b: b.open("LOST", OUT)),
    row("open.alias.twice", mq.MQRC_ALIAS_BASE_Q_TYPE_ERROR, lambda b: b.open("TWICE", OUT)),
    row(
        "open.type.unknown",
        mq.MQRC_OBJECT_TYPE_ERROR,
        lambda b: b.open("Q", OUT, object_type=99),
    ),
    row("open.type.zero", mq.MQRC_OBJECT_TYPE_ERROR, lambda b: b.open("Q", OUT, object_type=0)),
    row("open.od.version-0", mq.MQRC_OD_ERROR, lambda b: b.open("Q", OUT, version=0)),
    row("open.od.version-5", mq.MQRC_OD_ERROR, lambda b: b.open("Q", OUT, version=5)),
    row("open.od.version-4", 0, lambda b: b.open("Q", OUT, version=4), OPEN),
    row("open.qmgr.output", mq.MQRC_OPTION_NOT_VALID_FOR_TYPE, lambda b: b.queue_manager(OUT)),
    row("open.qmgr.input", mq.MQRC_OPTION_NOT_VALID_FOR_TYPE, lambda b: b.queue_manager(IN)),
    row("open.qmgr.browse", mq.MQRC_OPTION_NOT_VALID_FOR_TYPE, lambda b: b.queue_manager(BROWSE)),
    row("open.qmgr.set", mq.MQRC_OPTION_NOT_VALID_FOR_TYPE, lambda b: b.queue_manager(SET)),
    row("open.qmgr.nothing", mq.MQRC_OPTIONS_ERROR, lambda b: b.queue_manager(0), VALIDATING),
    with_options("nothing", 0),
    with_options("only-quiescing", mq.MQOO_FAIL_IF_QUIESCING),
    with_options("two-inputs.shared-exclusive", IN | EXCL),
    with_options("two-inputs.default-shared", AS_DEF | IN),
    with_options("two-inputs.default-exclusive", AS_DEF | EXCL),
    with_options("two-binds", OUT | mq.MQOO_BIND_ON_OPEN | mq.MQOO_BIND_NOT_FIXED),
    with_options("two-binds.group", OUT | mq.MQOO_BIND_ON_GROUP | mq.MQOO_BIND_NOT_FIXED),
    with_options("two-read-aheads", IN | mq.MQOO_READ_AHEAD | mq.MQOO_NO_READ_AHEAD),
    with_options("save-context.output", OUT | mq.MQOO_SAVE_ALL_CONTEXT),
    with_options("save-context.browse", BROWSE | mq.MQOO_SAVE_ALL_CONTEXT),
    with_options("pass-identity.input", IN | mq.MQOO_PASS_IDENTITY_CONTEXT),
    with_options("pass-all.input", IN | mq.MQOO_PASS_ALL_CONTEXT),
    with_options("set-identity.input", IN | mq.MQOO_SET_IDENTITY_CONTEXT),
    with_options("set-all.input", IN | mq.MQOO_SET_ALL_CONTEXT),
    with_options("co-op.input", IN | mq.MQOO_CO_OP),
    with_options("unknown-bit", OUT | 0x4000_0000),
    with_options("save-context.input", IN | mq.MQOO_SAVE_ALL_CONTEXT, 0),
    with_options("co-op.browse", BROWSE | mq.MQOO_CO_OP, 0),
    with_options("bind", OUT | mq.MQOO_BIND_NOT_FIXED, 0),
    two_opens(IN, EXCL),
    two_opens(EXCL, IN),
    two_opens(EXCL, EXCL),
    two_opens(EXCL, AS_DEF),
    row("open.handles", mq.MQRC_HANDLE_NOT_AVAILABLE, fill_handles),
    row("open.disconnected", mq.MQRC_HCONN_ERROR, lambda b: gone(b).open("Q", OUT)),
]


def gone(bench: Bench) -> Bench:
    bench.qmgr.disconnect()
    return bench


def dynamic(rule: str, name: str, reason: int = mq.MQRC_DYNAMIC_Q_NAME_ERROR) -> Row:
    return row(
        f"open.dynamic.{rule}", reason, lambda b: b.open("TEMP", IN, dynamic_queue_name=name)
    )


def open_twice(bench: Bench) -> None:
    bench.open("TEMP", IN, dynamic_queue_name="MINE")
    bench.open("TEMP", IN, dynamic_queue_name="MINE")


DYNAMIC_ROWS = [
    dynamic("blank", ""),
    dynamic("blanks", "   "),
    dynamic("characters", "A B*"),
    dynamic("star-inside", "A*B"),
    dynamic("star-at-34", "A" * 33 + "*"),
    dynamic("too-long", "A" * 49),
    dynamic("of-existing", "Q", mq.MQRC_OBJECT_ALREADY_EXISTS),
    row("open.dynamic.twice", mq.MQRC_OBJECT_ALREADY_EXISTS, open_twice),
    row(
        "open.dynamic.star-at-33",
        0,
        lambda b: b.open("TEMP", IN, dynamic_queue_name="A" * 32 + "*"),
        "DynamicQName (MQCHAR48)",
    ),
]


def close_dynamic(
    rule: str, model: str, options: int, reason: int, *, messages: int = 0, inside: int = 0
) -> Row:
    def act(bench: Bench) -> None:
        handle = bench.open(model, ALL, dynamic_queue_name="MADE")
        for _ in range(messages):
            bench.put(handle)
        for _ in range(inside):
            bench.put(handle, mq.MQPMO_SYNCPOINT)
        bench.close(handle, options)

    source = CLOSE if reason == 0 else None
    return row(f"close.dynamic.{rule}", reason, act, source)


def close_as_other(model: str, options: int) -> object:
    def act(bench: Bench) -> None:
        bench.open(model, INQ, dynamic_queue_name="MADE")
        bench.close(bench.open("MADE", INQ), options)

    return act


DELETE = mq.MQCO_DELETE
PURGE = mq.MQCO_DELETE_PURGE

CLOSE_ROWS = [
    row("close.ok", 0, lambda b: b.close(b.open("Q", INQ)), CLOSE),
    row("close.twice", mq.MQRC_HOBJ_ERROR, lambda b: b.close(b.closed())),
    row("close.disconnected", mq.MQRC_HCONN_ERROR, lambda b: close_late(b)),
    row("close.other-connection", mq.MQRC_HOBJ_ERROR, lambda b: close_theirs(b)),
    row("close.deleted", 0, lambda b: b.close(b.deleted()), CLOSE),
    row(
        "close.options.both",
        mq.MQRC_OPTIONS_ERROR,
        lambda b: b.close(b.open("PERM", INQ, dynamic_queue_name="X"), DELETE | PURGE),
        VALIDATING,
    ),
    row(
        "close.options.unknown",
        mq.MQRC_OPTIONS_ERROR,
        lambda b: b.close(b.open("Q", INQ), 0x1000),
        VALIDATING,
    ),
    row(
        "close.delete.predefined",
        mq.MQRC_OPTION_NOT_VALID_FOR_TYPE,
        lambda b: b.close(b.open("Q", INQ), DELETE),
    ),
    row(
        "close.purge.predefined",
        mq.MQRC_OPTION_NOT_VALID_FOR_TYPE,
        lambda b: b.close(b.open("Q", INQ), PURGE),
    ),
    row(
        "close.delete.alias",
        mq.MQRC_OPTION_NOT_VALID_FOR_TYPE,
        lambda b: b.close(b.open("ALIAS", INQ), DELETE),
    ),
    row(
        "close.delete.qmgr",
        mq.MQRC_OPTION_NOT_VALID_FOR_TYPE,
        lambda b: b.close(b.queue_manager(), DELETE),
    ),
    row(
        "close.delete.temporary.not-creator",
        mq.MQRC_OPTION_NOT_VALID_FOR_TYPE,
        close_as_other("TEMP", DELETE),  # type: ignore[arg-type]
    ),
    row(
        "close.purge.temporary.not-creator",
        mq.MQRC_OPTION_NOT_VALID_FOR_TYPE,
        close_as_other("TEMP", PURGE),  # type: ignore[arg-type]
    ),
    row(
        "close.delete.permanent.not-creator",
        0,
        close_as_other("PERM", DELETE),  # type: ignore[arg-type]
        CLOSE,
    ),
    close_dynamic("permanent.empty", "PERM", DELETE, 0),
    close_dynamic("permanent.full", "PERM", DELETE, mq.MQRC_Q_NOT_EMPTY, messages=1),
    close_dynamic("permanent.full.purge", "PERM", PURGE, 0, messages=1),
    close_dynamic("permanent.uncommitted", "PERM", DELETE, mq.MQRC_Q_NOT_EMPTY, inside=1),
    close_dynamic("permanent.uncommitted.purge", "PERM", PURGE, mq.MQRC_Q_NOT_EMPTY, inside=1),
    close_dynamic("temporary.full", "TEMP", DELETE, 0, messages=1),
    close_dynamic("temporary.full.plain", "TEMP", 0, 0, messages=1),
    close_dynamic("temporary.full.purge", "TEMP", PURGE, 0, messages=1),
    close_dynamic("temporary.uncommitted", "TEMP", DELETE, 0, inside=1),
]


def close_late(bench: Bench) -> None:
    handle = bench.open("Q", INQ)
    gone(bench).close(handle)


def close_theirs(bench: Bench) -> None:
    with bench.qmgr.connect() as other:
        handle = mqi(other).open(od_of("Q"), INQ)
        bench.close(handle)


def od_of(name: str) -> ObjectDescriptor:
    return ObjectDescriptor(object_name=name)


@pytest.mark.parametrize("one", OPEN_ROWS + DYNAMIC_ROWS, ids=lambda one: one.rule)
def test_open_answers_as_documented(one: Row) -> None:
    judge(one)


@pytest.mark.parametrize("one", CLOSE_ROWS, ids=lambda one: one.rule)
def test_close_answers_as_documented(one: Row) -> None:
    judge(one)
