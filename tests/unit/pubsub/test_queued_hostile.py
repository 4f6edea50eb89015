"""Goal: no message on a queue of queued publish/subscribe stops the queue manager or stays there.
Method: headers with any fields, lengths, character sets and bytes, put to each queue; then a
command that must be answered.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ternmq
from ternmq import constants as mq
from ternmq.codec.charset import UTF8
from ternmq.codec.headers.pubsub_command import fields_header
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.runtime.embedded import QueueManager

CONTROL = "SYSTEM.BROKER.CONTROL.QUEUE"
STREAM = "SYSTEM.BROKER.DEFAULT.STREAM"
NAMES = (
    *("Command", "Topic", "RegOpt", "PubOpt", "DelOpt", "QName", "QMgrName", "SubName", "Filter"),
    *("SubIdentity", "SubUserData", "SubPoint", "StreamName", "PubTime", "SeqNum", "StrData", "X"),
)
VALUES = st.one_of(
    st.sampled_from(
        (
            *("RegSub", "DeregSub", "Publish", "DeletePub", "ReqUpdate", "RegPub", "SQ", "QM1"),
            *("a/b", "a/#", "+", "a%", "*", "JoinShared", "DeregAll", "RetainPub", "FullResp"),
            *("CorrelAsId", "1409025", "a = 1", "((((", "", " ", "\0", '"', "\x1f", "x" * 11_000),
        )
    ),
    st.text(max_size=20),
)
FIELDS = st.lists(st.tuples(st.sampled_from(NAMES), VALUES), max_size=8)


@pytest.fixture(scope="module")
def qmgr() -> Iterator[QueueManager]:
    with ternmq.memory() as made:
        made.define_queue("SQ")
        made.define_queue("R")
        yield made


def put(qmgr: QueueManager, queue: str, version: int, data: bytes, ccsid: int = UTF8) -> None:
    descriptor = Descriptor(
        format=mq.MQFMT_RF_HEADER_1 if version == 1 else mq.MQFMT_RF_HEADER_2,
        reply_to_queue="R",
        msg_type=mq.MQMT_REQUEST,
        encoding=mq.MQENC_NATIVE,
        ccsid=ccsid,
    )
    qmgr.put(queue, data, descriptor=descriptor)


def check_alive(qmgr: QueueManager) -> None:
    """A command is answered, so those before it are worked off."""
    shell = qmgr.started.shell
    assert shell.engine.error_for("") is None
    for queue in (CONTROL, STREAM):
        marker = fields_header(2, [("Command", "Foo")], mq.MQENC_NATIVE, UTF8, "")
        descriptor = Descriptor(
            format=mq.MQFMT_RF_HEADER_2,
            encoding=mq.MQENC_NATIVE,
            ccsid=UTF8,
            msg_type=mq.MQMT_REQUEST,
            reply_to_queue="R",
        )
        msg_id = qmgr.put(queue, marker, descriptor=descriptor)
        with qmgr.queue("R") as replies:
            assert replies.try_get(wait=20.0, correl_id=msg_id) is not None
    for name in ("R", "SQ"):
        qmgr.mqsc(f"CLEAR QLOCAL({name})")


RUNS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@RUNS
@given(commands=st.lists(st.tuples(st.sampled_from((1, 2)), FIELDS), min_size=1, max_size=6))
def test_commands_when_of_any_fields_then_answered(
    qmgr: QueueManager, commands: list[tuple[int, list[tuple[str, str]]]]
) -> None:
    for version, fields in commands:
        data = fields_header(version, fields, mq.MQENC_NATIVE, UTF8, mq.MQFMT_STRING)
        put(qmgr, CONTROL, version, data + b"data")
        put(qmgr, STREAM, version, data + b"data")
    check_alive(qmgr)


@RUNS
@given(
    body=st.binary(max_size=60),
    version=st.sampled_from((1, 2)),
    length=st.integers(-1, 120),
    ccsid=st.sampled_from((-2, 0, 37, 819, 1200, 1208, 99_999)),
    folder=st.binary(max_size=40),
)
def test_headers_when_of_any_bytes_then_worked_off(
    qmgr: QueueManager, body: bytes, version: int, length: int, ccsid: int, folder: bytes
) -> None:
    head = struct.pack("<4siiii8si", b"RFH ", version, length, 546, ccsid, b"MQSTR   ", 0)
    if version == 2:
        head += struct.pack("<ii", ccsid, len(folder)) + folder
    for queue in (CONTROL, STREAM):
        put(qmgr, queue, version, head + body, ccsid=ccsid if ccsid > 0 else UTF8)
    check_alive(qmgr)
