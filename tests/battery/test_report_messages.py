"""Report messages that the queue manager makes: each kind with each option for data and
identifiers, in units of work and outside, where its queue takes it and where not, by every way in
which a message expires, and after a crash."""

from __future__ import annotations

import pytest

import ternmq
from ternmq import QueueManager
from ternmq import constants as mq
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.mqmd import Descriptor
from tests.battery.places import Place, Task, sweep, until, waiters

pytestmark = pytest.mark.core

BODY = bytes(range(256))
MSG_ID = b"m" * 24
CORREL_ID = b"c" * 24
FEEDBACK = {
    mq.MQRO_COA: mq.MQFB_COA,
    mq.MQRO_COD: mq.MQFB_COD,
    mq.MQRO_EXPIRATION: mq.MQFB_EXPIRATION,
}
KINDS = pytest.mark.parametrize("kind", FEEDBACK, ids=["coa", "cod", "expiration"])
DLH = mq.MQDLH_LENGTH_1


def define(qmgr: QueueManager) -> None:
    for name in ("A", "REPLIES", "DEAD"):
        qmgr.define_queue(name)


def asking(report: int, **fields: object) -> Descriptor:
    """The descriptor of a message that asks for reports."""
    given: dict[str, object] = {"reply_to_queue": "REPLIES", **fields}
    return Descriptor(report=report, **given)  # type: ignore[arg-type]


def wait_for_expiry(qmgr: QueueManager) -> None:
    clock = qmgr.started.shell.engine.clock
    end = clock.now_ns() + 110_000_000
    until(lambda: clock.now_ns() > end)


def scan(qmgr: QueueManager) -> None:
    """What the queue manager does every few minutes."""
    shell = qmgr.started.shell
    with shell.lock:
        shell.engine.begin_expiry_scan()
        while shell.engine.scan_expired(100):
            pass
        shell.flush()
    shell.run_effects()


def settle(qmgr: QueueManager, queue: ternmq.Queue, kind: int) -> None:
    """Make what causes the report: the message is there, is got, or expires."""
    if kind == mq.MQRO_COD:
        assert queue.get().data == BODY
    elif kind == mq.MQRO_EXPIRATION:
        wait_for_expiry(qmgr)
        assert queue.try_get() is None
        until(lambda: queue.depth == 0)


def expiry_of(kind: int) -> float | None:
    return 0.1 if kind == mq.MQRO_EXPIRATION else None


@KINDS
@pytest.mark.parametrize("persistent", [False, True])
def test_report_when_asked_for_with_data_then_it_has_as_much_as_asked(
    qmgr: QueueManager, kind: int, persistent: bool
) -> None:
    define(qmgr)
    with qmgr.queue("A") as queue, qmgr.queue("REPLIES") as replies:
        for option, wanted in ((kind, b""), (kind * 3, BODY[:100]), (kind * 7, BODY)):
            expiry = expiry_of(kind)
            md = asking(option, format="MQSTR")
            queue.put(BODY, descriptor=md, persistent=persistent, expiry=expiry)
            settle(qmgr, queue, kind)
            report = replies.get(wait=5)
            assert report.data == wanted
            made = report.descriptor
            assert (made.msg_type, made.feedback) == (mq.MQMT_REPORT, FEEDBACK[kind])
            assert (made.format, report.persistent) == ("MQSTR", persistent)
            queue.try_get()
        assert replies.depth == 0


@KINDS
def test_report_when_asked_for_then_identifiers_are_new_copied_or_passed(
    qmgr: QueueManager, kind: int
) -> None:
    define(qmgr)
    passed = mq.MQRO_PASS_MSG_ID | mq.MQRO_PASS_CORREL_ID
    with qmgr.queue("A") as queue, qmgr.queue("REPLIES") as replies:
        for options in (0, mq.MQRO_PASS_MSG_ID, mq.MQRO_PASS_CORREL_ID, passed):
            md = asking(kind | options, msg_id=MSG_ID, correl_id=CORREL_ID)
            queue.put(
                BODY, descriptor=md, msg_id=MSG_ID, correl_id=CORREL_ID, expiry=expiry_of(kind)
            )
            settle(qmgr, queue, kind)
            report = replies.get(wait=5)
            has_msg_id = report.msg_id == MSG_ID
            assert has_msg_id == (options & mq.MQRO_PASS_MSG_ID != 0)
            assert report.msg_id.strip(b"\0")
            wanted = CORREL_ID if options & mq.MQRO_PASS_CORREL_ID else MSG_ID
            assert report.correl_id == wanted
            queue.try_get()


@KINDS
def test_report_then_its_descriptor_is_of_the_queue_manager_with_the_users_identity(
    place: Place, qmgr: QueueManager, kind: int
) -> None:
    define(qmgr)
    with qmgr.queue("A") as queue, qmgr.queue("REPLIES") as replies:
        queue.put(BODY, descriptor=asking(kind), priority=7, expiry=expiry_of(kind))
        with qmgr.queue("A") as looking:
            original = next(iter(looking.browse())).descriptor
        settle(qmgr, queue, kind)
        report = replies.get(wait=5).descriptor
        assert (report.priority, report.report, report.expiry) == (7, mq.MQRO_NONE, -1)
        assert (report.put_appl_type, report.put_appl_name) == (mq.MQAT_QMGR, "QM1")
        assert report.user_id == original.user_id == place.user
        assert report.accounting_token == original.accounting_token
        assert (report.reply_to_queue, report.reply_to_qmgr) == ("", "QM1")
        assert (report.msg_flags, report.original_length) == (0, mq.MQOL_UNDEFINED)


def test_reports_of_both_kinds_when_asked_for_then_arrival_comes_before_delivery(
    qmgr: QueueManager,
) -> None:
    define(qmgr)
    with qmgr.queue("A") as queue, qmgr.queue("REPLIES") as replies:
        msg_id = queue.put(BODY, descriptor=asking(mq.MQRO_COA | mq.MQRO_COD))
        assert [one.descriptor.feedback for one in replies.browse()] == [mq.MQFB_COA]
        queue.get()
        assert [one.descriptor.feedback for one in replies.browse()] == [mq.MQFB_COA, mq.MQFB_COD]
        assert [one.correl_id for one in replies] == [msg_id] * 2


def test_report_when_no_option_asks_for_it_then_there_is_none(qmgr: QueueManager) -> None:
    define(qmgr)
    with qmgr.queue("A") as queue, qmgr.queue("REPLIES") as replies:
        for option in (mq.MQRO_PAN, mq.MQRO_NAN, mq.MQRO_EXCEPTION, mq.MQRO_ACTIVITY, 0):
            queue.put(BODY, descriptor=asking(option))
            queue.get()
        queue.put(BODY, descriptor=asking(mq.MQRO_EXPIRATION))
        list(queue.browse())
        queue.get()
        assert replies.depth == 0


def test_delivery_when_only_browsed_then_it_is_not_reported(qmgr: QueueManager) -> None:
    define(qmgr)
    with qmgr.queue("A") as queue, qmgr.queue("REPLIES") as replies:
        queue.put(BODY, descriptor=asking(mq.MQRO_COD))
        assert [one.data for one in queue.browse()] == [BODY]
        assert replies.depth == 0
        queue.get()
        assert replies.depth == 1


def test_report_of_an_application_then_it_is_as_the_message_asks(qmgr: QueueManager) -> None:
    define(qmgr)
    options = mq.MQRO_PAN | mq.MQRO_PASS_CORREL_ID | mq.MQRO_PASS_DISCARD_AND_EXPIRY
    md = asking(options | mq.MQRO_DISCARD_MSG, correl_id=CORREL_ID, format="MQSTR")
    with qmgr.queue("A") as queue, qmgr.queue("REPLIES") as replies:
        queue.put(BODY, descriptor=md, priority=6, persistent=True, expiry=100.0)
        message = queue.get()
        report = message.report_descriptor(mq.MQFB_PAN)
        qmgr.put(message.descriptor.reply_to_queue, b"well done", descriptor=report)
        found = replies.get()
        made = found.descriptor
        assert (made.msg_type, made.feedback) == (mq.MQMT_REPORT, mq.MQFB_PAN)
        assert (found.correl_id, made.format, found.priority) == (CORREL_ID, "MQSTR", 6)
        assert (made.report, found.persistent) == (mq.MQRO_DISCARD_MSG, True)
        assert 900 < made.expiry <= 1000
        assert found.msg_id != message.msg_id
        assert (found.data, made.put_appl_name) == (b"well done", "battery")


# ---- units of work


@pytest.mark.parametrize("persistent", [False, True])
def test_arrival_when_put_in_a_unit_then_its_report_is_seen_after_commit(
    qmgr: QueueManager, persistent: bool
) -> None:
    define(qmgr)
    with qmgr.queue("A") as queue, qmgr.queue("REPLIES") as replies:
        for committed in (False, True):
            with qmgr.unit_of_work() as unit:
                queue.put(BODY, descriptor=asking(mq.MQRO_COA), persistent=persistent)
                assert replies.try_get(syncpoint=False) is None
                if not committed:
                    unit.backout()
            assert (queue.depth, replies.depth) == (int(committed), int(committed))
        assert replies.get().descriptor.feedback == mq.MQFB_COA


@pytest.mark.parametrize("persistent", [False, True])
def test_delivery_when_got_in_a_unit_then_backout_takes_the_report_away(
    qmgr: QueueManager, persistent: bool
) -> None:
    define(qmgr)
    with qmgr.queue("A") as queue, qmgr.queue("REPLIES") as replies:
        queue.put(BODY, descriptor=asking(mq.MQRO_COD), persistent=persistent)
        with qmgr.unit_of_work() as unit:
            queue.get()
            assert replies.try_get(syncpoint=False) is None
            unit.backout()
        assert (queue.depth, replies.depth) == (1, 0)
        with qmgr.unit_of_work():
            assert queue.get().backout_count == 1
        report = replies.get()
        assert (report.descriptor.feedback, report.persistent) == (mq.MQFB_COD, persistent)
        assert replies.depth == 0


def test_delivery_when_a_get_waits_then_it_is_reported(qmgr: QueueManager) -> None:
    define(qmgr)
    other = qmgr.connect()
    with qmgr.queue("A") as queue, other.queue("A") as theirs, qmgr.queue("REPLIES") as replies:
        task = Task(lambda: theirs.get(wait=20).data)
        until(lambda: waiters(qmgr) == 1)
        queue.put(BODY, descriptor=asking(mq.MQRO_COA | mq.MQRO_COD), persistent=True)
        assert task.outcome() == BODY
        assert [replies.get(wait=5).descriptor.feedback for _ in range(2)] == [
            mq.MQFB_COA,
            mq.MQFB_COD,
        ]


def test_report_when_a_get_waits_for_it_then_it_is_served(qmgr: QueueManager) -> None:
    define(qmgr)
    other = qmgr.connect()
    with qmgr.queue("A") as queue, other.queue("REPLIES") as theirs:
        task = Task(lambda: theirs.get(wait=20).descriptor.feedback)
        until(lambda: waiters(qmgr) == 1)
        queue.put(BODY, descriptor=asking(mq.MQRO_COD))
        queue.get()
        assert task.outcome() == mq.MQFB_COD


def test_report_when_its_queue_is_the_messages_own_then_both_are_there(qmgr: QueueManager) -> None:
    define(qmgr)
    other = qmgr.connect()
    with qmgr.queue("A") as queue, other.queue("A") as theirs:
        tasks = [Task(lambda: theirs.get(wait=20).descriptor.feedback)]
        until(lambda: waiters(qmgr) == 1)
        queue.put(BODY, descriptor=asking(mq.MQRO_COD, reply_to_queue="A"))
        got = [task.outcome() for task in tasks] + [queue.get(wait=5).descriptor.feedback]
        assert got == [mq.MQFB_NONE, mq.MQFB_COD]
        assert queue.depth == 0


# ---- where a report goes


def test_report_when_the_reply_queue_is_an_alias_then_it_goes_to_its_target(
    qmgr: QueueManager,
) -> None:
    define(qmgr)
    qmgr.mqsc("DEFINE QALIAS(BY.ALIAS) TARGET(REPLIES)")
    with qmgr.queue("A") as queue, qmgr.queue("REPLIES") as replies:
        queue.put(BODY, descriptor=asking(mq.MQRO_COA, reply_to_queue="BY.ALIAS"))
        assert replies.get().descriptor.feedback == mq.MQFB_COA


def test_report_when_replies_go_to_another_queue_manager_then_it_is_on_the_transmission_queue(
    qmgr: QueueManager,
) -> None:
    define(qmgr)
    qmgr.mqsc("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
    md = asking(mq.MQRO_COD_WITH_FULL_DATA, reply_to_queue="THERE", reply_to_qmgr="QM2")
    with qmgr.queue("A") as queue, qmgr.queue("QM2") as away:
        msg_id = queue.put(BODY, descriptor=md)
        queue.get()
        sent = away.get()
        assert sent.format == mq.MQFMT_XMIT_Q_HEADER
        header = TransmissionHeader.unpack(sent.data)
        assert (header.remote_queue, header.remote_qmgr) == ("THERE", "QM2")
        inner = header.descriptor
        assert (inner.msg_type, inner.feedback) == (mq.MQMT_REPORT, mq.MQFB_COD)
        assert inner.correl_id == msg_id
        assert sent.data.endswith(BODY)


def test_message_when_put_for_another_queue_manager_then_no_arrival_is_reported_here(
    qmgr: QueueManager,
) -> None:
    define(qmgr)
    qmgr.mqsc("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
    qmgr.mqsc("DEFINE QREMOTE(FAR) RNAME(A) RQMNAME(QM2)")
    with qmgr.queue("FAR") as far, qmgr.queue("QM2") as away:
        far.put(BODY, descriptor=asking(mq.MQRO_COA | mq.MQRO_COD))
        inner = TransmissionHeader.unpack(away.get().data).descriptor
        assert inner.report == mq.MQRO_COA | mq.MQRO_COD  # they are made where it arrives
    with qmgr.queue("REPLIES") as replies:
        assert replies.depth == 0


TROUBLES = {
    "missing": ("DELETE QLOCAL(REPLIES)", mq.MQRC_UNKNOWN_OBJECT_NAME),
    "inhibited": ("ALTER QLOCAL(REPLIES) PUT(DISABLED)", mq.MQRC_PUT_INHIBITED),
    "full": ("ALTER QLOCAL(REPLIES) MAXDEPTH(0)", mq.MQRC_Q_FULL),
    "short": ("ALTER QLOCAL(REPLIES) MAXMSGL(50)", mq.MQRC_MSG_TOO_BIG_FOR_Q),
}


@KINDS
@pytest.mark.parametrize("trouble", TROUBLES)
def test_report_when_its_queue_does_not_take_it_then_it_is_a_dead_letter(
    qmgr: QueueManager, kind: int, trouble: str
) -> None:
    define(qmgr)
    command, reason = TROUBLES[trouble]
    qmgr.mqsc("ALTER QMGR DEADQ(DEAD)")
    qmgr.mqsc(command)
    with qmgr.queue("A") as queue, qmgr.queue("DEAD") as dead:
        md = asking(kind * 3, format="MQSTR")
        msg_id = queue.put(BODY, descriptor=md, persistent=True, expiry=expiry_of(kind))
        settle(qmgr, queue, kind)
        letter = dead.get(wait=5)
        header = DeadLetterHeader.unpack(letter.data)
        assert (header.reason, header.destination_queue) == (reason, "REPLIES")
        assert (header.destination_qmgr, header.format) == ("QM1", "MQSTR")
        assert letter.data[DLH:] == BODY[:100]
        made = letter.descriptor
        assert (made.format, made.feedback) == (mq.MQFMT_DEAD_LETTER_HEADER, FEEDBACK[kind])
        assert (made.msg_type, made.correl_id) == (mq.MQMT_REPORT, msg_id)
        assert dead.depth == 0


@KINDS
def test_report_when_there_is_no_dead_letter_queue_then_it_is_discarded_and_the_verb_goes_on(
    qmgr: QueueManager, kind: int
) -> None:
    define(qmgr)
    qmgr.mqsc("ALTER QLOCAL(REPLIES) PUT(DISABLED)")
    kernel = qmgr.started.shell.engine.kernel
    with qmgr.queue("A") as queue:
        for _ in range(3):
            queue.put(BODY, descriptor=asking(kind), persistent=True, expiry=expiry_of(kind))
        for _ in range(3):
            settle(qmgr, queue, kind)
        if kind == mq.MQRO_COA:
            assert [one.data for one in queue] == [BODY] * 3
    told = [one for one in kernel.notices.take() if one.message_id == "AMQ7316E"]
    wanted = ("REPLIES", "QM1", mq.MQRC_PUT_INHIBITED, "", mq.MQRC_UNKNOWN_OBJECT_NAME)
    # an error log may have taken it before
    assert [one.inserts for one in told] in ([wanted], [])


def test_report_when_discard_is_passed_on_then_it_is_no_dead_letter(qmgr: QueueManager) -> None:
    define(qmgr)
    qmgr.mqsc("ALTER QMGR DEADQ(DEAD)")
    qmgr.mqsc("ALTER QLOCAL(REPLIES) PUT(DISABLED)")
    options = mq.MQRO_COA | mq.MQRO_DISCARD_MSG | mq.MQRO_PASS_DISCARD_AND_EXPIRY
    with qmgr.queue("A") as queue, qmgr.queue("DEAD") as dead:
        queue.put(BODY, descriptor=asking(options))
        assert (queue.depth, dead.depth) == (1, 0)
        qmgr.mqsc("ALTER QLOCAL(REPLIES) PUT(ENABLED)")
        queue.put(BODY, descriptor=asking(options), expiry=100.0)
    with qmgr.queue("REPLIES") as replies:
        report = replies.get().descriptor
        assert report.report == mq.MQRO_DISCARD_MSG
        assert 900 < report.expiry <= 1000


def test_expiration_when_discard_and_expiry_are_passed_on_then_the_report_lives_a_minute(
    qmgr: QueueManager,
) -> None:
    define(qmgr)
    options = mq.MQRO_EXPIRATION | mq.MQRO_PASS_DISCARD_AND_EXPIRY
    with qmgr.queue("A") as queue, qmgr.queue("REPLIES") as replies:
        queue.put(BODY, descriptor=asking(options), expiry=0.1)
        settle(qmgr, queue, mq.MQRO_EXPIRATION)
        report = replies.get(wait=5).descriptor
        assert report.report == mq.MQRO_NONE
        assert 500 < report.expiry <= 600


# ---- expiry


@pytest.mark.parametrize("persistent", [False, True])
def test_expiration_when_the_scan_finds_the_messages_then_each_is_reported_once(
    qmgr: QueueManager, persistent: bool
) -> None:
    define(qmgr)
    full = mq.MQRO_EXPIRATION_WITH_FULL_DATA
    with qmgr.queue("A") as queue, qmgr.queue("REPLIES") as replies:
        for number in range(300):
            md = asking(full) if number % 3 else None
            queue.put(b"%d" % number, descriptor=md, persistent=persistent, expiry=0.1)
        queue.put(b"kept", persistent=persistent)
        wait_for_expiry(qmgr)
        assert [one.data for one in queue.browse()] == [b"kept"]
        scan(qmgr)
        scan(qmgr)
        until(lambda: (queue.depth, replies.depth) == (1, 200))
        assert sorted(int(one.data) for one in replies) == [n for n in range(300) if n % 3]


def test_expiration_when_messages_are_swept_then_their_data_is_read_for_the_reports(
    place: Place,
) -> None:
    qmgr = place.qmgr
    define(qmgr)
    qmgr.define_queue("DEEP", nonpersistent_buffer=64 << 10, persistent_buffer=64 << 10)
    data = mq.MQRO_EXPIRATION_WITH_DATA
    with qmgr.queue("DEEP") as queue:
        for number in range(300):
            md = asking(data) if number % 2 else None
            body = (b"%d" % number).ljust(2_000)
            queue.put(body, descriptor=md, persistent=number % 3 == 0, expiry=0.1)
        for _ in range(5):
            queue.put(b"kept", persistent=True)
        assert sweep(qmgr, "DEEP") > 100
        wait_for_expiry(qmgr)
        with qmgr.queue("REPLIES") as replies:
            scan(qmgr)
            until(lambda: (queue.depth, replies.depth) == (5, 150))
            found = [one.data for one in replies.browse()]
            assert sorted(int(one) for one in found) == list(range(1, 300, 2))
            assert {len(one) for one in found} == {100}
    qmgr = place.crash()
    with qmgr.queue("DEEP") as queue, qmgr.queue("REPLIES") as replies:
        assert [one.data for one in queue] == [b"kept"] * 5
        assert sorted(int(one.data) for one in replies) == list(range(3, 300, 6))


def test_expiration_when_the_reply_queue_is_not_in_memory_then_it_is_loaded_first(
    place: Place,
) -> None:
    define(place.qmgr)
    with place.qmgr.queue("A") as queue:
        for _ in range(3):
            queue.put(BODY, descriptor=asking(mq.MQRO_EXPIRATION), persistent=True, expiry=0.1)
    qmgr = place.restart()
    wait_for_expiry(qmgr)
    with qmgr.queue("A") as queue:
        scan(qmgr)  # which loads the other queue
        while queue.depth:
            scan(qmgr)
    with qmgr.queue("REPLIES") as replies:
        assert [one.descriptor.feedback for one in replies] == [mq.MQFB_EXPIRATION] * 3


# ---- crash and restart


def test_crash_after_reports_then_messages_and_reports_agree(place: Place) -> None:
    qmgr = place.qmgr
    define(qmgr)
    with qmgr.queue("A") as queue:
        for number in range(6):
            md = asking(mq.MQRO_COD_WITH_DATA)
            queue.put(b"%d" % number, descriptor=md, persistent=True)
        for _ in range(2):
            queue.get()
        with qmgr.unit_of_work():
            queue.get()
    qmgr = place.crash()
    with qmgr.queue("A") as queue, qmgr.queue("REPLIES") as replies:
        assert [one.data for one in replies] == [b"0", b"1", b"2"]
        queue.get()  # the option is known after a restart, too
        assert replies.get().data == b"3"
        assert [one.data for one in queue] == [b"4", b"5"]
        assert [one.data for one in replies] == [b"4", b"5"]


@pytest.mark.parametrize("persistent", [False, True])
def test_delivery_when_the_message_is_swept_then_it_is_reported(
    qmgr: QueueManager, persistent: bool
) -> None:
    define(qmgr)
    qmgr.define_queue("DEEP", nonpersistent_buffer=64 << 10, persistent_buffer=64 << 10)
    with qmgr.queue("DEEP") as queue, qmgr.queue("REPLIES") as replies:
        ids = []
        for number in range(200):
            md = asking(mq.MQRO_COD)
            body = (b"%d" % number).ljust(2_000)
            ids.append(queue.put(body, descriptor=md, persistent=persistent))
        assert sweep(qmgr, "DEEP") > 100
        assert queue.get(msg_id=ids[150]).data.startswith(b"150")
        assert replies.get().correl_id == ids[150]
        del ids[150]
        assert len(list(queue)) == 199
        assert [one.correl_id for one in replies] == ids
