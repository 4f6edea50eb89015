"""Goal: what a report contains and where it goes is what IBM MQ's documentation says; a report is
never made twice, never for a copy, and never without what it reports.

Method: a queue manager in memory, through the API; the engine by hand where a verb is taken back.
The battery has the kinds, the options for data and identifiers, units of work and restarts.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import ternmq
from ternmq import XID
from ternmq import constants as mq
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.report_expiry import STEP_MESSAGES_MAX
from ternmq.values.entry import PERSISTENT, REPORTS, Entry
from tests.battery.places import Task, until, waiters
from tests.security.granting import connected, grant, secured

pytestmark = pytest.mark.core
BODY = bytes(range(200))


@pytest.fixture
def qmgr() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1") as started:
        for name in ("A", "REPLIES", "DEAD"):
            started.define_queue(name)
        started.mqsc("ALTER QMGR DEADQ(DEAD)")
        yield started


def kernel_of(qmgr: ternmq.QueueManager) -> Kernel:
    return qmgr.started.shell.engine.kernel


def asking(report: int, **fields: object) -> Descriptor:
    given: dict[str, object] = {"reply_to_queue": "REPLIES", **fields}
    return Descriptor(report=report, **given)  # type: ignore[arg-type]


def depths(qmgr: ternmq.QueueManager, *names: str) -> list[int]:
    found = []
    for name in names or ("A", "REPLIES", "DEAD"):
        with qmgr.queue(name) as queue:
            found.append(queue.depth)
    return found


def reports(qmgr: ternmq.QueueManager, name: str = "REPLIES") -> list[ternmq.Message]:
    with qmgr.queue(name) as queue:
        return list(queue)


def reason_of(qmgr: ternmq.QueueManager, md: Descriptor) -> int:
    try:
        qmgr.put("A", b"x", descriptor=md)
    except ternmq.MQError as error:
        return error.reason
    return 0


def entry_on(qmgr: ternmq.QueueManager, name: str) -> Entry:
    """The first message."""
    queue = kernel_of(qmgr).locals[name].queue
    found = next(lane.front.head for lane in reversed(queue.lanes) if lane.front.head is not None)
    assert found is not None
    return found


def expire_all(qmgr: ternmq.QueueManager, steps: int = 100) -> None:
    shell = qmgr.started.shell
    end = shell.engine.clock.now_ns() + 110_000_000
    while shell.engine.clock.now_ns() < end:
        pass
    with shell.lock:
        shell.engine.begin_expiry_scan()
        while shell.engine.scan_expired(steps):
            pass
        shell.flush()
    shell.run_effects()


# ---- options


@pytest.mark.parametrize(
    "report",
    [
        mq.MQRO_COA_WITH_DATA & ~mq.MQRO_COA,
        mq.MQRO_COD_WITH_FULL_DATA & ~mq.MQRO_COD_WITH_DATA,
        mq.MQRO_EXPIRATION_WITH_FULL_DATA & ~mq.MQRO_EXPIRATION,
        mq.MQRO_EXCEPTION | (mq.MQRO_EXCEPTION << 2),
        0x0004_0000,
    ],
)
def test_options_when_of_no_report_then_the_put_is_refused(
    qmgr: ternmq.QueueManager, report: int
) -> None:
    assert reason_of(qmgr, asking(report)) == mq.MQRC_REPORT_OPTIONS_ERROR
    assert depths(qmgr) == [0, 0, 0]


@pytest.mark.parametrize("report", [mq.MQRO_COA, mq.MQRO_COD, mq.MQRO_EXPIRATION])
def test_report_when_no_queue_for_it_is_named_then_the_put_is_refused(
    qmgr: ternmq.QueueManager, report: int
) -> None:
    md = asking(report, reply_to_queue="")
    assert reason_of(qmgr, md) == mq.MQRC_MISSING_REPLY_TO_Q


def test_flag_of_a_message_then_it_says_whether_a_report_may_have_to_be_made(
    qmgr: ternmq.QueueManager,
) -> None:
    for report, wanted in (
        (0, 0),
        (mq.MQRO_PAN | mq.MQRO_NAN | mq.MQRO_EXCEPTION_WITH_FULL_DATA | mq.MQRO_ACTIVITY, 0),
        (mq.MQRO_PASS_MSG_ID | mq.MQRO_PASS_CORREL_ID | mq.MQRO_DISCARD_MSG, 0),
        (mq.MQRO_PASS_DISCARD_AND_EXPIRY, 0),
        (mq.MQRO_COA, REPORTS),
        (mq.MQRO_COD, REPORTS),
        (mq.MQRO_EXPIRATION, REPORTS),
    ):
        qmgr.put("A", b"x", descriptor=asking(report), persistent=True)
        assert entry_on(qmgr, "A").flags == PERSISTENT | wanted
        with qmgr.queue("A") as queue:
            queue.get()


# ---- what a report contains


# ---- of which messages


@pytest.mark.parametrize("format", [mq.MQFMT_DEAD_LETTER_HEADER, mq.MQFMT_XMIT_Q_HEADER])
def test_message_with_such_a_format_then_neither_arrival_nor_delivery_is_reported(
    qmgr: ternmq.QueueManager, format: str
) -> None:
    qmgr.put("A", BODY, descriptor=asking(mq.MQRO_COA | mq.MQRO_COD, format=format))
    with qmgr.queue("A") as queue:
        queue.get()
    assert depths(qmgr) == [0, 0, 0]


def test_message_on_a_transmission_queue_then_neither_is_reported(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.define_queue("QM2", usage="XMITQ")
    with qmgr.queue("QM2") as away:
        away.put(BODY, descriptor=asking(mq.MQRO_COA | mq.MQRO_COD))
        away.get()
    assert depths(qmgr) == [0, 0, 0]


def test_message_when_it_expires_on_a_transmission_queue_then_that_is_reported(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.define_queue("QM2", usage="XMITQ")
    qmgr.mqsc("DEFINE QREMOTE(FAR) RNAME(THERE) RQMNAME(QM2)")
    md = asking(mq.MQRO_EXPIRATION_WITH_DATA, format="MQSTR", msg_flags=mq.MQMF_SEGMENT)
    md.group_id = b"g" * 24
    own_id = qmgr.put("FAR", BODY, descriptor=md, expiry=0.1, properties={"colour": "red"})
    expire_all(qmgr)
    assert depths(qmgr, "QM2", "REPLIES") == [0, 1]
    report = reports(qmgr)[0]
    assert (report.data, report.format) == (BODY[:100], "MQSTR")
    made = report.descriptor
    assert (made.correl_id, made.feedback) == (own_id, mq.MQFB_EXPIRATION)
    assert (made.group_id, made.original_length) == (b"g" * 24, len(BODY))
    assert dict(report.properties) == {"colour": "red"}


def test_report_when_its_queue_streams_then_there_is_a_copy_of_it(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.define_queue("COPY")
    qmgr.alter_queue("REPLIES", stream_queue="COPY")
    for persistent in (False, True):
        qmgr.put("A", BODY, descriptor=asking(mq.MQRO_COA), persistent=persistent)
        assert len(reports(qmgr)) == len(reports(qmgr, "COPY")) == 1


def test_message_when_moved_by_a_command_then_its_delivery_is_reported_where_it_is_got(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.define_queue("B")
    qmgr.put("A", BODY, descriptor=asking(mq.MQRO_COA | mq.MQRO_COD), persistent=True)
    assert len(reports(qmgr)) == 1
    qmgr.mqsc("MOVE QLOCAL(A) TOQLOCAL(B)")
    assert depths(qmgr, "A", "B", "REPLIES") == [0, 1, 0]
    with qmgr.queue("B") as queue:
        queue.get()
    assert [one.descriptor.feedback for one in reports(qmgr)] == [mq.MQFB_COD]


def test_report_message_when_it_asks_for_reports_itself_then_they_are_made(
    qmgr: ternmq.QueueManager,
) -> None:
    md = asking(mq.MQRO_COA, msg_type=mq.MQMT_REPORT, feedback=mq.MQFB_PAN)
    qmgr.put("A", b"", descriptor=md)
    assert [one.descriptor.feedback for one in reports(qmgr)] == [mq.MQFB_COA]


@pytest.mark.parametrize("persistent", [False, True])
def test_arrival_when_reported_on_the_messages_own_queue_then_the_message_comes_first(
    qmgr: ternmq.QueueManager, persistent: bool
) -> None:
    md = asking(mq.MQRO_COA, reply_to_queue="A")
    qmgr.put("A", BODY, descriptor=md, persistent=persistent)
    assert [one.descriptor.feedback for one in reports(qmgr, "A")] == [0, mq.MQFB_COA]


# ---- where it goes, and what may hinder it


def test_report_when_the_user_may_not_put_it_then_it_is_a_dead_letter() -> None:
    with secured() as qmgr:
        for name in ("A", "REPLIES", "DEAD"):
            qmgr.define_queue(name)
        qmgr.mqsc("ALTER QMGR DEADQ(DEAD)")
        fred = connected(qmgr, "fred")
        grant(qmgr, "queue", "A", "fred", "put get")
        for words, wanted in (("", 0), ("put", 0), ("passid", 0), ("put passid", 1)):
            grant(qmgr, "queue", "REPLIES", "fred", words)
            fred.put("A", BODY, descriptor=asking(mq.MQRO_COA))
            letters = reports(qmgr, "DEAD")
            assert (len(reports(qmgr)), len(letters)) == (wanted, 1 - wanted), words
            for letter in letters:
                assert DeadLetterHeader.unpack(letter.data).reason == mq.MQRC_NOT_AUTHORIZED
        # of a delivery, the user of the message counts, not that of the get
        grant(qmgr, "queue", "REPLIES", "fred", "")
        fred.put("A", BODY, descriptor=asking(mq.MQRO_COD))
        with qmgr.queue("A") as queue:
            assert len(list(queue)) == 5
        assert (len(reports(qmgr)), len(reports(qmgr, "DEAD"))) == (0, 1)


def test_report_when_persistent_and_its_queue_temporary_then_it_is_a_dead_letter(
    qmgr: ternmq.QueueManager,
) -> None:
    with qmgr.queue("SYSTEM.DEFAULT.MODEL.QUEUE") as dynamic:
        name = dynamic.name
        for persistent in (False, True):
            md = asking(mq.MQRO_COA, reply_to_queue=name)
            qmgr.put("A", BODY, descriptor=md, persistent=persistent)
        assert dynamic.depth == 1
    letter = reports(qmgr, "DEAD")[0]
    header_of = DeadLetterHeader.unpack(letter.data)
    assert header_of.reason == mq.MQRC_PERSISTENT_NOT_ALLOWED
    assert header_of.put_date == letter.descriptor.put_date


def test_report_when_a_model_queue_is_named_then_it_is_a_dead_letter(
    qmgr: ternmq.QueueManager,
) -> None:
    md = asking(mq.MQRO_COA, reply_to_queue="SYSTEM.DEFAULT.MODEL.QUEUE")
    qmgr.put("A", BODY, descriptor=md)
    letter = reports(qmgr, "DEAD")[0]
    assert DeadLetterHeader.unpack(letter.data).reason == mq.MQRC_Q_TYPE_ERROR


def test_report_when_the_dead_letter_queue_is_full_too_then_operators_get_one_message(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.mqsc("ALTER QLOCAL(DEAD) PUT(DISABLED)")
    qmgr.mqsc("ALTER QLOCAL(REPLIES) MAXDEPTH(1)")
    kernel_of(qmgr).notices.take()
    for _ in range(4):
        qmgr.put("A", BODY, descriptor=asking(mq.MQRO_COA))
    assert depths(qmgr) == [4, 1, 0]
    told = [one for one in kernel_of(qmgr).notices.take() if one.message_id == "AMQ7316E"]
    assert [one.inserts for one in told] == [
        ("REPLIES", "QM1", mq.MQRC_Q_FULL, "DEAD", mq.MQRC_PUT_INHIBITED)
    ]


def test_report_when_the_log_can_never_hold_it_then_it_is_discarded(
    qmgr: ternmq.QueueManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = kernel_of(qmgr)
    kernel.notices.take()
    monkeypatch.setattr(kernel.keeper, "checkpoint_reserve", 1 << 40)
    qmgr.put("A", BODY, descriptor=asking(mq.MQRO_COA), persistent=True)
    qmgr.put("A", BODY, descriptor=asking(mq.MQRO_COA), persistent=False)
    assert depths(qmgr) == [2, 1, 0]
    problem = mq.MQRC_RESOURCE_PROBLEM
    told = [one.inserts for one in kernel.notices.take() if one.message_id == "AMQ7316E"]
    assert told == [("REPLIES", "QM1", problem, "", problem)]


def test_delivery_in_a_prepared_unit_then_the_report_comes_with_its_commit(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.put("A", BODY, descriptor=asking(mq.MQRO_COD), persistent=True)
    xid = XID(1, b"global", b"branch")
    with qmgr.queue("A") as queue:
        queue.get(syncpoint=True)
        assert qmgr.prepare(xid)
        assert depths(qmgr, "REPLIES") == [1]  # uncommitted, but counted
        assert reports(qmgr) == []
        qmgr.commit_prepared(xid)
    assert [one.descriptor.feedback for one in reports(qmgr)] == [mq.MQFB_COD]


def test_delivery_when_a_get_waits_then_it_is_reported(qmgr: ternmq.QueueManager) -> None:
    other = qmgr.connect()
    with other.queue("A") as theirs:
        task = Task(lambda: theirs.get(wait=20).data)
        until(lambda: waiters(qmgr) == 1)
        qmgr.put("A", BODY, descriptor=asking(mq.MQRO_COD))
        assert task.outcome() == BODY
    assert [one.descriptor.feedback for one in reports(qmgr)] == [mq.MQFB_COD]


# ---- expiry


def test_expired_messages_when_many_ask_for_reports_then_a_step_removes_a_bounded_number(
    qmgr: ternmq.QueueManager,
) -> None:
    count = 3 * STEP_MESSAGES_MAX
    for _ in range(count):
        qmgr.put("A", b"x", descriptor=asking(mq.MQRO_EXPIRATION), expiry=0.1)
    shell = qmgr.started.shell
    engine = shell.engine
    end = engine.clock.now_ns() + 110_000_000
    while engine.clock.now_ns() < end:
        pass
    left = []
    with shell.lock:
        queue = engine.kernel.locals["A"].queue
        engine.begin_expiry_scan()
        while engine.scan_expired(1):
            pass
        while engine.outbox.effects:
            effect = engine.outbox.effects.pop(0)
            effect.run(shell.disk)
            engine.finish(effect, None)
            left.append(int(queue.depth))
    assert left[0] >= count - STEP_MESSAGES_MAX
    assert left[-1] == 0
    assert depths(qmgr) == [0, count, 0]


def test_expired_message_when_it_asks_for_other_reports_then_it_just_goes(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.put("A", b"x", descriptor=asking(mq.MQRO_COD), expiry=0.1, persistent=True)
    expire_all(qmgr)
    assert depths(qmgr) == [0, 0, 0]


def test_expired_message_when_it_only_says_that_it_has_a_header_then_it_just_goes(
    qmgr: ternmq.QueueManager,
) -> None:
    md = asking(mq.MQRO_EXPIRATION, format=mq.MQFMT_XMIT_Q_HEADER)
    qmgr.put("A", b"XQH junk", descriptor=md, expiry=0.1, persistent=True)
    expire_all(qmgr)
    assert depths(qmgr, "A", "REPLIES", "DEAD") == [0, 0, 0]


# ---- exceptions


@pytest.mark.parametrize("option", [mq.MQRO_EXCEPTION, mq.MQRO_EXCEPTION_WITH_FULL_DATA])
def test_exception_when_asked_for_then_the_report_has_the_reason(
    qmgr: ternmq.QueueManager, option: int
) -> None:
    qmgr.put("A", BODY, descriptor=asking(option))
    shell = qmgr.started.shell
    kernel = kernel_of(qmgr)
    with shell.lock:
        unit = kernel.coordinator.begin()
        link = shell.engine.connect("tester", "moving")
        entry = entry_on(qmgr, "A")
        assert kernel.reports.exception(link, unit, entry, mq.MQRC_Q_FULL)
        kernel.coordinator.get(unit, kernel.locals["A"].queue, entry)
        kernel.reports.commit(link, unit)
        shell.flush()
    report = reports(qmgr)[0]
    assert report.descriptor.feedback == mq.MQRC_Q_FULL
    assert report.data == (b"" if option == mq.MQRO_EXCEPTION else BODY)
    assert depths(qmgr) == [0, 0, 0]


def test_exception_when_not_asked_for_then_there_is_none(qmgr: ternmq.QueueManager) -> None:
    qmgr.put("A", BODY, descriptor=asking(mq.MQRO_COD))
    kernel = kernel_of(qmgr)
    with qmgr.started.shell.lock:
        unit = kernel.coordinator.begin()
        link = qmgr.started.shell.engine.connect("tester", "moving")
        assert kernel.reports.exception(link, unit, entry_on(qmgr, "A"), mq.MQRC_Q_FULL)
        assert unit.changes == []


def test_transmitted_report_then_its_header_names_the_place_of_the_reply(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.define_queue("QM2", usage="XMITQ")
    qmgr.mqsc("DEFINE QREMOTE(NEAR) RNAME(THERE) RQMNAME(QM2)")
    qmgr.put("A", BODY, descriptor=asking(mq.MQRO_COA, reply_to_queue="NEAR"))
    sent = reports(qmgr, "QM2")[0]
    found = TransmissionHeader.unpack(sent.data)
    assert (found.remote_queue, found.remote_qmgr) == ("THERE", "QM2")
    assert found.descriptor.feedback == mq.MQFB_COA


@pytest.mark.parametrize("inside", [False, True])
def test_complete_get_when_maxumsgs_is_the_number_of_segments_then_no_report_is_lost(
    qmgr: ternmq.QueueManager, inside: bool
) -> None:
    qmgr.mqsc("ALTER QLOCAL(A) MAXMSGL(64)")
    flags = mq.MQMF_SEGMENTATION_ALLOWED
    md = asking(mq.MQRO_COD, version=2, msg_flags=flags)
    qmgr.put("A", BODY, descriptor=md, persistent=True)
    qmgr.mqsc("ALTER QMGR MAXUMSGS(4)")
    options = mq.MQGMO_COMPLETE_MSG | (mq.MQGMO_SYNCPOINT if inside else mq.MQGMO_NO_SYNCPOINT)
    with qmgr.connect() as connection, connection.queue("A") as queue:
        if inside:
            with pytest.raises(ternmq.MQError) as caught:
                queue.get(options=options)
            assert caught.value.reason == 2024
            connection.backout()
            assert depths(qmgr, "A", "REPLIES") == [4, 0]
            qmgr.mqsc("ALTER QMGR MAXUMSGS(5)")
        assert queue.get(options=options).data == BODY
        connection.commit()
    assert depths(qmgr, "A", "REPLIES") == [0, 1]


def test_get_when_copies_are_in_the_unit_then_maxumsgs_does_not_count_them(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.define_queue("COPIES")
    qmgr.mqsc("ALTER QLOCAL(A) STREAMQ(COPIES) STRMQOS(MUSTDUP)")
    qmgr.mqsc("ALTER QMGR MAXUMSGS(4)")
    qmgr.put("REPLIES", b"x")
    with qmgr.connect() as connection, connection.unit_of_work():
        for _ in range(3):
            connection.put("A", b"y")
        with connection.queue("REPLIES") as queue:
            assert queue.get().data == b"x"
    assert depths(qmgr, "A", "COPIES", "REPLIES") == [3, 3, 0]
