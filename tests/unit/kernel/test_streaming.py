"""Goal: copies by STREAMQ are what IBM MQ's documentation says, on every way by which a message can
be put; STRMQOS decides what a refused copy means, and operators are told once.

Method: a queue manager in memory, puts and gets through the API and the verbs; engines on simulated
disks where log records and restarts matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.base.object_types import NAMELIST, PROCESS, REMOTE
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.copies import COPY_FAILED
from ternmq.kernel.get import get
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.requests import GetCall
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.ports.memory_disk import MemoryDisk
from ternmq.runtime.starting import start
from ternmq.values.get_request import GetRequest
from tests.mqi import mqi

pytestmark = pytest.mark.core


@pytest.fixture
def qmgr() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1") as started:
        started.define_queue("ORIGINAL", stream_queue="COPY")
        started.define_queue("COPY")
        yield started


def kernel_of(qmgr: ternmq.QueueManager) -> Kernel:
    return qmgr.started.shell.engine.kernel


def reported(qmgr: ternmq.QueueManager) -> list[tuple[object, ...]]:
    taken = kernel_of(qmgr).notices.take()
    return [one.inserts for one in taken if one.message_id == COPY_FAILED]


def depths(qmgr: ternmq.QueueManager, *names: str) -> list[int]:
    found = []
    for name in names or ("ORIGINAL", "COPY"):
        with qmgr.queue(name) as queue:
            found.append(queue.depth)
    return found


def define(qmgr: ternmq.QueueManager, object_type: int, name: str, **given: object) -> None:
    mqi(qmgr).define(object_type, name, given, True)


def put(qmgr: ternmq.QueueManager, md: Descriptor, name: str = "ORIGINAL") -> None:
    handle = mqi(qmgr).open(ObjectDescriptor(object_name=name), mq.MQOO_OUTPUT)
    mqi(qmgr).put(handle, mqi(qmgr).request_put(md, PutOptions()), b"data")
    mqi(qmgr).close(handle, 0)


# ---- what a copy is


@pytest.mark.parametrize("persistent", [False, True])
def test_copy_then_identifiers_context_and_data_are_those_of_the_message(
    qmgr: ternmq.QueueManager, persistent: bool
) -> None:
    with qmgr.queue("ORIGINAL") as original, qmgr.queue("COPY") as copies:
        original.put(
            b"bytes",
            persistent=persistent,
            correl_id=b"correlation",
            priority=7,
            format="MQSTR",
            reply_to="ANSWERS",
        )
        message, copy = original.get(), copies.get()
    assert copy.data is message.data
    first, second = message.descriptor, copy.descriptor
    assert first.pack() == second.pack()
    assert second.persistence == persistent
    assert (second.priority, second.correl_id[:11]) == (7, b"correlation")


def test_copy_when_reports_were_asked_for_then_none_that_makes_messages_is_left(
    qmgr: ternmq.QueueManager,
) -> None:
    kept = mq.MQRO_PAN | mq.MQRO_PASS_CORREL_ID | mq.MQRO_DISCARD_MSG
    asked = kept | mq.MQRO_EXCEPTION_WITH_FULL_DATA | mq.MQRO_ACTIVITY
    put(qmgr, Descriptor(report=asked, reply_to_queue="ANSWERS"))
    with qmgr.queue("ORIGINAL") as original, qmgr.queue("COPY") as copies:
        assert original.get().descriptor.report == asked
        assert copies.get().descriptor.report == kept


def test_copy_when_the_message_expires_then_the_copy_does_not_unless_its_queue_says_so(
    qmgr: ternmq.QueueManager,
) -> None:
    with qmgr.queue("ORIGINAL") as original, qmgr.queue("COPY") as copies:
        original.put("soon gone", expiry=30)
        assert copies.get().descriptor.expiry == mq.MQEI_UNLIMITED
        qmgr.alter_queue("COPY", cap_expiry=50)
        original.put("one", expiry=30)
        original.put("two")
        assert 40 < copies.get().descriptor.expiry <= 50
        assert 40 < copies.get().descriptor.expiry <= 50
        assert original.get().descriptor.expiry > 250


def test_messages_that_were_there_then_they_are_not_copied(qmgr: ternmq.QueueManager) -> None:
    qmgr.define_queue("LATER")
    with qmgr.queue("LATER") as later:
        later.put("before")
        qmgr.alter_queue("LATER", stream_queue="COPY")
        later.put("after")
    assert depths(qmgr, "LATER", "COPY") == [2, 1]
    qmgr.alter_queue("LATER", stream_queue="")
    qmgr.put("LATER", "no more")
    assert depths(qmgr, "LATER", "COPY") == [3, 1]


# ---- every way to put


def test_put_in_a_unit_then_both_come_with_its_commit_or_go_with_its_backout(
    qmgr: ternmq.QueueManager,
) -> None:
    with qmgr.queue("ORIGINAL") as original, qmgr.queue("COPY") as copies:
        qmgr.begin()
        original.put("a", persistent=True)
        original.put("b")
        with pytest.raises(ternmq.NoMessage):
            copies.get(syncpoint=False)
        assert depths(qmgr) == [2, 2]
        qmgr.backout()
        assert depths(qmgr) == [0, 0]
        with qmgr.unit_of_work():
            original.put("a", persistent=True)
            original.put("b")
        assert [one.text for one in copies] == ["a", "b"]
        assert [one.text for one in original] == ["a", "b"]


def test_put_in_a_unit_then_copies_do_not_count_in_maxumsgs(qmgr: ternmq.QueueManager) -> None:
    qmgr.alter_qmgr(max_uncommitted=3)
    with qmgr.queue("ORIGINAL") as original:
        qmgr.begin()
        for _ in range(3):
            original.put("x", persistent=True)
        with pytest.raises(ternmq.MQError) as refused:
            original.put("x")
        assert refused.value.reason == mq.MQRC_SYNCPOINT_LIMIT_REACHED
        qmgr.commit()
    assert depths(qmgr) == [3, 3]


def test_put1_then_it_is_copied(qmgr: ternmq.QueueManager) -> None:
    qmgr.put("ORIGINAL", "once")
    assert depths(qmgr) == [1, 1]


def test_put_by_an_alias_then_it_is_copied(qmgr: ternmq.QueueManager) -> None:
    qmgr.define_alias("NICK", "ORIGINAL")
    qmgr.put("NICK", "x")
    assert depths(qmgr) == [1, 1]


def test_dynamic_queues_then_they_stream_as_their_model_says(qmgr: ternmq.QueueManager) -> None:
    qmgr.define_model("MODEL", stream_queue="COPY", definition_type="TEMPDYN")
    with qmgr.queue("MODEL", dynamic_name="REPLIES.*") as replies:
        replies.put("x")
        qmgr.alter_queue(replies.name, stream_queue="")
        replies.put("y")
        assert replies.depth == 2
    assert depths(qmgr, "COPY") == [1]


def test_event_messages_then_they_are_copied(qmgr: ternmq.QueueManager) -> None:
    qmgr.alter_queue("SYSTEM.ADMIN.QMGR.EVENT", stream_queue="COPY")
    qmgr.alter_qmgr(inhibit_event="ENABLED")
    qmgr.define_queue("SHUT", put="DISABLED")
    with qmgr.queue("SHUT") as shut, pytest.raises(ternmq.MQError):
        shut.put("x")
    assert depths(qmgr, "COPY") == [1]


def test_target_by_an_alias_then_copies_are_on_its_queue_and_its_inhibits_count(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.define_alias("TO.COPY", "COPY")
    qmgr.alter_queue("ORIGINAL", stream_queue="TO.COPY")
    qmgr.put("ORIGINAL", "x")
    assert depths(qmgr) == [1, 1]
    qmgr.alter_queue("TO.COPY", put="DISABLED")
    qmgr.put("ORIGINAL", "x")
    assert depths(qmgr) == [2, 1]
    assert reported(qmgr) == [("TO.COPY", "ORIGINAL", 2051, "MQRC_PUT_INHIBITED")]


@pytest.mark.parametrize("persistent", [False, True])
def test_target_elsewhere_then_the_copy_is_on_its_way(
    qmgr: ternmq.QueueManager, persistent: bool
) -> None:
    qmgr.define_queue("QM2", usage="XMITQ")
    define(qmgr, REMOTE, "AWAY", rname="THERE", rqmname="QM2")
    qmgr.alter_queue("ORIGINAL", stream_queue="AWAY")
    with qmgr.queue("ORIGINAL") as original, qmgr.queue("QM2") as sent:
        own_id = original.put(b"data", persistent=persistent, expiry=100)
        with qmgr.unit_of_work():
            original.put(b"more", persistent=persistent)
            assert sent.depth == 2
        copy = sent.get()
        header = TransmissionHeader.unpack(copy.data[: mq.MQXQH_CURRENT_LENGTH])
        assert (header.remote_queue, header.remote_qmgr) == ("THERE", "QM2")
        assert header.descriptor.msg_id == own_id
        assert header.descriptor.expiry == mq.MQEI_UNLIMITED
        assert copy.data[mq.MQXQH_CURRENT_LENGTH :] == b"data"
        assert (original.depth, sent.depth) == (2, 1)


# What goes away has its properties in an MQRFH2, which may be longer than they are here.
ESCAPED = {"text": "<" * 10_000}


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("must", [False, True])
def test_copy_to_another_queue_manager_when_its_mqrfh2_is_too_long_then_it_is_refused(
    qmgr: ternmq.QueueManager, persistent: bool, must: bool
) -> None:
    qmgr.define_queue("QM2", usage="XMITQ", max_message_length=40_000)
    define(qmgr, REMOTE, "AWAY", rname="THERE", rqmname="QM2")
    qmgr.alter_queue(
        "ORIGINAL", stream_queue="AWAY", stream_quality="MUSTDUP" if must else "BESTEF"
    )
    with qmgr.queue("ORIGINAL") as original, qmgr.queue("QM2") as sent:
        if must:
            with pytest.raises(ternmq.MQError) as caught:
                original.put(b"data", persistent=persistent, properties=ESCAPED)
            assert caught.value.reason == 2030
        else:
            original.put(b"data", persistent=persistent, properties=ESCAPED)
        assert (original.depth, sent.depth) == (0 if must else 1, 0)
        qmgr.alter_queue("QM2", max_message_length=41_000)
        original.put(b"data", persistent=persistent, properties=ESCAPED)
        copy = sent.get()
        assert 40_000 < copy.length <= 41_000
        assert copy.data.endswith(b"data")


def test_copy_to_another_queue_manager_when_the_log_has_no_room_for_its_mqrfh2_then_2102() -> None:
    small = LogParameters(CIRCULAR, 3, 2, 64, False)
    started = start(MemoryDisk(), "QM1", True, small, "mqm", "test")
    with ternmq.QueueManager(started) as qmgr:
        qmgr.define_queue("QM2", usage="XMITQ", max_message_length=100_000_000)
        define(qmgr, REMOTE, "AWAY", rname="THERE", rqmname="QM2")
        qmgr.define_queue("ORIGINAL", stream_queue="AWAY", stream_quality="MUSTDUP")

        def fill() -> None:
            for size in range(10_000, 300_000, 10_000):
                qmgr.put("ORIGINAL", b"", persistent=True, properties={"text": "<" * size})

        with pytest.raises(ternmq.MQError) as caught:
            fill()
        assert caught.value.reason == mq.MQRC_RESOURCE_PROBLEM
        originals, copies = depths(qmgr, "ORIGINAL", "QM2")
        assert originals == copies > 0


# ---- those who wait


def test_getters_that_wait_then_each_has_its_message(qmgr: ternmq.QueueManager) -> None:
    kernel = kernel_of(qmgr)
    with qmgr.connect() as first, qmgr.connect() as second:
        calls = []
        for connection, name in ((first, "ORIGINAL"), (second, "COPY")):
            handle = mqi(connection).open(ObjectDescriptor(object_name=name), mq.MQOO_INPUT_SHARED)
            calls.append(waiting_get(kernel, mqi(connection).link, handle))
        with qmgr.queue("ORIGINAL", options=mq.MQOO_OUTPUT) as original:
            original.put(b"both", persistent=True)
        assert [None if one.entry is None else one.entry.data for one in calls] == [b"both"] * 2
    assert depths(qmgr) == [0, 0]


def waiting_get(kernel: Kernel, link: Connection, handle: Handle) -> GetCall:
    request = GetRequest(mq.MQGMO_WAIT)
    request.wait_ms = -1
    call = get(kernel, link, handle, request)
    assert call.waiting
    return call


def test_trigger_of_the_target_then_it_is_made(qmgr: ternmq.QueueManager) -> None:
    qmgr.define_queue("STARTS")
    define(qmgr, PROCESS, "WORK")
    qmgr.alter_queue(
        "COPY", trigger="TRIGGER", trigger_type="EVERY", initiation_queue="STARTS", process="WORK"
    )
    with qmgr.queue("STARTS", options=mq.MQOO_INPUT_SHARED | mq.MQOO_INQUIRE) as starts:
        qmgr.put("ORIGINAL", "x")
        assert starts.depth == 1


# ---- copies that are refused


@pytest.mark.parametrize("in_unit", [False, True])
@pytest.mark.parametrize("persistent", [False, True])
def test_full_target_then_bestef_puts_and_mustdup_refuses_with_the_copys_reason(
    qmgr: ternmq.QueueManager, persistent: bool, in_unit: bool
) -> None:
    qmgr.alter_queue("COPY", max_depth=2)
    with qmgr.queue("ORIGINAL") as original:
        if in_unit:
            qmgr.begin()
        for _ in range(4):
            original.put("x", persistent=persistent)
        assert reported(qmgr) == [("COPY", "ORIGINAL", 2053, "MQRC_Q_FULL")]
        qmgr.alter_queue("ORIGINAL", stream_quality="MUSTDUP")
        for _ in range(2):
            with pytest.raises(ternmq.MQError) as refused:
                original.put("x", persistent=persistent)
            assert (refused.value.reason, refused.value.object) == (mq.MQRC_Q_FULL, "COPY")
        if in_unit:
            qmgr.commit()
    assert depths(qmgr) == [4, 2]
    assert reported(qmgr) == []  # the same reason on the same handle


def test_refusals_then_reported_once_a_handle_until_the_reason_changes(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.alter_queue("COPY", max_depth=0)
    with qmgr.queue("ORIGINAL") as one:
        one.put("x")
        one.put("x")
        assert len(reported(qmgr)) == 1
        qmgr.alter_queue("COPY", put="DISABLED")
        one.put("x")
        one.put("x")
        assert reported(qmgr) == [("COPY", "ORIGINAL", 2051, "MQRC_PUT_INHIBITED")]
        qmgr.alter_queue("COPY", put="ENABLED")
        one.put("x")
        assert reported(qmgr) == [("COPY", "ORIGINAL", 2053, "MQRC_Q_FULL")]
        with qmgr.queue("ORIGINAL") as two:
            two.put("x")
        assert len(reported(qmgr)) == 1


REFUSALS: list[tuple[int, dict[str, object]]] = [
    (mq.MQRC_Q_FULL, {"max_depth": 0}),
    (mq.MQRC_PUT_INHIBITED, {"put": "DISABLED"}),
    (mq.MQRC_MSG_TOO_BIG_FOR_Q, {"max_message_length": 3}),
    (mq.MQRC_Q_SPACE_NOT_AVAILABLE, {"max_file_megabytes": 20}),
]


@pytest.mark.parametrize(("reason", "limits"), REFUSALS)
def test_target_that_takes_nothing_then_its_reason_is_the_applications(
    qmgr: ternmq.QueueManager, reason: int, limits: Any
) -> None:
    qmgr.alter_queue("ORIGINAL", stream_quality="MUSTDUP", max_message_length=30_000_000)
    qmgr.alter_qmgr(max_message_length=30_000_000)
    qmgr.alter_queue("COPY", max_message_length=30_000_000)
    qmgr.alter_queue("COPY", **limits)
    with qmgr.queue("ORIGINAL") as original:
        with pytest.raises(ternmq.MQError) as refused:
            original.put(bytes(22_000_000))
        assert refused.value.reason == reason
        assert original.depth == 0


@pytest.mark.parametrize("quality", ["BESTEF", "MUSTDUP"])
def test_target_that_is_missing_then_open_succeeds_and_puts_report(
    qmgr: ternmq.QueueManager, quality: str
) -> None:
    qmgr.alter_queue("ORIGINAL", stream_queue="NOWHERE", stream_quality=quality)
    with qmgr.queue("ORIGINAL") as original:
        if quality == "MUSTDUP":
            with pytest.raises(ternmq.ObjectUnknown) as refused:
                original.put("x")
            assert refused.value.object == "NOWHERE"
        else:
            original.put("x")
        assert reported(qmgr) == [("NOWHERE", "ORIGINAL", 2085, "MQRC_UNKNOWN_OBJECT_NAME")]
        qmgr.define_queue("NOWHERE")
        original.put("y")
        assert depths(qmgr, "NOWHERE") == [1]
        qmgr.delete_queue("NOWHERE", purge=True)
        if quality == "BESTEF":
            original.put("z")
            assert original.depth == 3


def test_persistent_message_when_the_target_is_temporary_then_it_is_refused(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.define_model("MODEL", definition_type="TEMPDYN")
    with qmgr.queue("MODEL", dynamic_name="TEMPORARY") as temporary:
        qmgr.alter_queue("ORIGINAL", stream_queue="TEMPORARY", stream_quality="MUSTDUP")
        with qmgr.queue("ORIGINAL") as original:
            original.put("x")
            with pytest.raises(ternmq.MQError) as refused:
                original.put("x", persistent=True)
        assert refused.value.reason == mq.MQRC_PERSISTENT_NOT_ALLOWED
        assert temporary.depth == 1


# ---- beyond IBM MQ


def test_namelist_then_each_of_its_queues_has_a_copy_in_one_record(
    qmgr: ternmq.QueueManager,
) -> None:
    for name in ("ONE", "TWO"):
        qmgr.define_queue(name)
    define(qmgr, NAMELIST, "ALL", names=["ONE", "TWO", "COPY", "ONE"])
    qmgr.alter_queue("ORIGINAL", stream_queue="ALL")
    with qmgr.queue("ORIGINAL") as original:
        original.put("x", persistent=True)
    assert depths(qmgr, "ORIGINAL", "ONE", "TWO", "COPY") == [1, 1, 1, 1]
    qmgr.alter_queue("TWO", put="DISABLED")
    qmgr.put("ORIGINAL", "y")
    assert depths(qmgr, "ORIGINAL", "ONE", "TWO", "COPY") == [2, 2, 1, 2]
    qmgr.alter_queue("ORIGINAL", stream_quality="MUSTDUP")
    with qmgr.queue("ORIGINAL") as original, pytest.raises(ternmq.MQError):
        original.put("z")
    assert depths(qmgr, "ORIGINAL", "ONE", "TWO", "COPY") == [2, 2, 1, 2]


def test_chain_then_copies_go_on_where_strmchn_says_so(qmgr: ternmq.QueueManager) -> None:
    qmgr.define_queue("THIRD")
    qmgr.define_queue("SECOND", stream_queue="THIRD", stream_onward="YES", cap_expiry=100)
    qmgr.alter_queue("ORIGINAL", stream_queue="SECOND")
    with qmgr.queue("ORIGINAL") as original:
        original.put("x", persistent=True)
        assert depths(qmgr, "ORIGINAL", "SECOND", "THIRD") == [1, 1, 1]
        with qmgr.queue("THIRD") as third:
            assert third.get().descriptor.expiry == mq.MQEI_UNLIMITED
        # SECOND takes a copy only with its own; ORIGINAL does not mind
        qmgr.alter_queue("SECOND", stream_quality="MUSTDUP")
        qmgr.alter_queue("THIRD", max_depth=0)
        original.put("y")
        assert depths(qmgr, "ORIGINAL", "SECOND", "THIRD") == [2, 1, 0]
        assert {one[:2] for one in reported(qmgr)} == {("THIRD", "SECOND"), ("SECOND", "ORIGINAL")}
        qmgr.alter_queue("ORIGINAL", stream_quality="MUSTDUP")
        with pytest.raises(ternmq.MQError) as refused:
            original.put("z")
        assert refused.value.object == "THIRD"


def test_loop_that_came_by_an_alias_then_the_put_finds_it(qmgr: ternmq.QueueManager) -> None:
    qmgr.define_alias("ROUND", "COPY")
    qmgr.define_queue("SECOND", stream_queue="ROUND", stream_onward="YES")
    qmgr.alter_queue("ORIGINAL", stream_queue="SECOND")
    qmgr.define_alias("ROUND", "ORIGINAL", replace=True)
    qmgr.put("ORIGINAL", "x")
    assert depths(qmgr, "ORIGINAL", "SECOND") == [1, 1]
    assert reported(qmgr) == [("ROUND", "SECOND", 2057, "MQRC_Q_TYPE_ERROR")]


# ---- CAPEXPRY


def test_cap_then_the_lowest_on_the_way_counts_and_nobody_is_warned(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.define_queue("CAPPED", cap_expiry=600)
    qmgr.define_alias("LOWER", "CAPPED", cap_expiry=300)
    qmgr.define_alias("HIGHER", "CAPPED", CUSTOM="CAPEXPRY(900)")
    with qmgr.queue("CAPPED") as capped:
        for name, expiry, lowest in (
            ("CAPPED", None, 600),
            ("LOWER", None, 300),
            ("HIGHER", 100, 600),
            ("LOWER", 10, 100),
        ):
            with qmgr.queue(name, options=mq.MQOO_OUTPUT) as queue:
                queue.put("x", expiry=expiry)
            left = capped.get().descriptor.expiry
            assert lowest - 10 < left <= lowest, name
        capped.put("before")
        qmgr.alter_queue("CAPPED", cap_expiry="NOLIMIT")
        capped.put("after")
        assert capped.get().descriptor.expiry > 0
        assert capped.get().descriptor.expiry == mq.MQEI_UNLIMITED
