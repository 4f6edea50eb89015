"""Goal: delayed delivery at the times that a clock says, whatever becomes of the queues meanwhile:
never early, each message once, by due time and arrival, in bounded steps, from memory or from disk.

Method: a queue manager on a simulated disk, whose time passes second by second.
"""

from __future__ import annotations

import errno

import pytest

import ternmq
from ternmq import QueueManager
from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import (
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
    MQRC_Q_TYPE_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.codec.headers.delay_header import FORMAT, DelayHeader
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.kernel.deferred import STEP_MESSAGES
from ternmq.testing import Simulation
from ternmq.values.xid import XID

pytestmark = pytest.mark.core

DELAY_QUEUE = "SYSTEM.DDELAY.LOCAL.QUEUE"
DEAD = "SYSTEM.DEAD.LETTER.QUEUE"
DLH_BYTES = 172


def depth(qmgr: QueueManager, name: str) -> int:
    with qmgr.queue(name) as queue:
        return queue.depth


def messages(qmgr: QueueManager, name: str) -> list[bytes]:
    with qmgr.queue(name) as queue:
        return [message.data for message in queue]


def notices(qmgr: QueueManager) -> list[str]:
    return [one.message_id for one in qmgr.started.shell.engine.kernel.notices.waiting]


def with_queue(simulation: Simulation) -> QueueManager:
    qmgr = simulation.start()
    qmgr.define_queue("A")
    return qmgr


def in_memory(qmgr: QueueManager, name: str) -> bool:
    catalog = qmgr.started.shell.engine.kernel.catalog
    return catalog.definitions[name].object_id in catalog.queues


def test_delay_when_a_second_is_missing_then_the_message_is_not_there() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        qmgr.put("A", b"x", delay=10)
        simulation.pass_time(9)
        assert (depth(qmgr, "A"), depth(qmgr, DELAY_QUEUE)) == (0, 1)
        simulation.pass_time(1)
        assert (depth(qmgr, "A"), depth(qmgr, DELAY_QUEUE)) == (1, 0)


def test_timer_when_nothing_is_due_then_it_does_not_wake() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        engine = qmgr.started.shell.engine
        simulation.settle()
        assert engine.delayed.due_in_s(1000.0) == 1000.0
        qmgr.put("A", b"x", delay=60)
        assert engine.delayed.due_in_s(1000.0) == pytest.approx(60.0, abs=0.01)
        qmgr.put("A", b"x", delay=5.5)
        assert engine.delayed.due_in_s(1000.0) == pytest.approx(5.5, abs=0.01)
        assert engine.delayed.due_in_s(1.0) == 1.0
        simulation.pass_time(60)
        assert engine.delayed.due_in_s(1000.0) == 1000.0


def test_order_when_many_are_due_then_it_is_by_due_time_and_arrival() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        with qmgr.queue("A") as queue:
            for number in range(3 * STEP_MESSAGES):
                queue.put(f"{number % 3} {number:04}", delay=10 + number % 3)
        simulation.pass_time(20)
        found = messages(qmgr, "A")
        assert len(found) == 3 * STEP_MESSAGES
        assert found == sorted(found)


def test_step_when_many_are_due_then_it_delivers_a_bounded_number() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        with qmgr.queue("A") as queue:
            for _ in range(STEP_MESSAGES + 1):
                queue.put(b"x", delay=1)
        simulation.settle()
        simulation.clock.advance(2)
        shell = qmgr.started.shell
        with shell.lock:
            assert shell.engine.delayed.step()
        assert depth(qmgr, "A") == STEP_MESSAGES
        with shell.lock:
            assert not shell.engine.delayed.step()
        assert depth(qmgr, "A") == STEP_MESSAGES + 1


def test_descriptor_when_delivered_then_it_is_that_of_the_put() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        md = ternmq.Descriptor(
            format="MQSTR",
            ccsid=819,
            encoding=mq.MQENC_NATIVE,
            expiry=1000,
            feedback=7,
            msg_type=mq.MQMT_REPLY,
            reply_to_queue="R",
            reply_to_qmgr="Q",
            appl_identity_data="id",
        )
        options = mq.MQPMO_SET_IDENTITY_CONTEXT
        with qmgr.queue("A") as queue:
            for delay in (None, 3):
                queue.put(b"x", descriptor=md, options=options, persistent=True, delay=delay)
            put = queue.get()
            simulation.pass_time(3)
            later = queue.get()
        assert later.descriptor.put_date == put.descriptor.put_date
        assert later.descriptor.put_time == put.descriptor.put_time
        assert (put.descriptor.expiry, later.descriptor.expiry) == (999, 969)
        for one in (put, later):
            one.descriptor.msg_id = b""
        later.descriptor.expiry = put.descriptor.expiry
        assert later.descriptor.pack() == put.descriptor.pack()


def test_expiry_when_it_comes_before_the_delivery_then_the_message_goes() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        with qmgr.queue("A") as queue:
            md = ternmq.Descriptor(report=mq.MQRO_EXPIRATION, reply_to_queue="ANSWERS")
            queue.put(b"x", descriptor=md, persistent=True, delay=5, expiry=10)
        qmgr.define_queue("ANSWERS")
        simulation.stop()
        simulation.clock.advance(60)
        qmgr = simulation.start()
        simulation.pass_time(2)
        assert (depth(qmgr, "A"), depth(qmgr, DELAY_QUEUE)) == (0, 0)
        assert qmgr.started.shell.engine.kernel.expired_total == 1
        with qmgr.queue("ANSWERS") as answers:
            (report,) = answers
        assert report.descriptor.feedback == mq.MQFB_EXPIRATION


# ---- units of work


def test_prepared_unit_when_committed_after_a_restart_then_its_message_comes() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        xid = XID(1, b"g", b"b")
        with qmgr.queue("A") as queue:
            queue.put(b"x", persistent=True, delay=5, syncpoint=True)
        qmgr.prepare(xid)
        simulation.kill()
        qmgr = simulation.start()
        simulation.pass_time(10)
        assert depth(qmgr, "A") == 0
        qmgr.commit_prepared(xid)
        simulation.pass_time(2)
        assert messages(qmgr, "A") == [b"x"]


def test_unit_when_it_is_backed_out_then_the_index_forgets_what_it_put() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        delays = qmgr.started.shell.engine.kernel.delays
        with qmgr.queue("A") as queue:
            queue.put(b"x", delay=1000, syncpoint=True)
            qmgr.backout()
            simulation.pass_time(1)
            assert not delays.in_units
            queue.put(b"x", delay=1000)
        assert delays.indexed == 1


@pytest.mark.parametrize("persistent", [True, False])
def test_unit_when_it_is_open_for_long_then_its_message_comes_with_the_commit(
    persistent: bool,
) -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        with qmgr.queue("A") as queue:
            queue.put(b"x", persistent=persistent, delay=5, syncpoint=True)
            simulation.pass_time(10)
            qmgr.commit()
            with qmgr.started.shell.lock:
                qmgr.started.shell.engine.delayed.step()
            assert queue.get().data == b"x"


def test_batch_when_its_units_are_committed_then_their_messages_come() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        xid = XID(1, b"g", b"b")
        with qmgr.queue("A") as queue:
            queue.put(b"x", persistent=True, delay=5, syncpoint=True)
        qmgr.prepare(xid)
        assert qmgr.commit_batch("job", 1, [xid]).committed
        assert qmgr.started.shell.engine.kernel.delays.indexed == 1
        simulation.pass_time(5)
        assert messages(qmgr, "A") == [b"x"]


def test_message_when_an_operator_has_it_in_a_unit_then_it_comes_after_the_backout() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        qmgr.put("A", b"x", delay=5)
        with qmgr.queue(DELAY_QUEUE) as staged:
            staged.get(syncpoint=True)
        simulation.pass_time(20)
        assert depth(qmgr, "A") == 0
        qmgr.backout()
        simulation.pass_time(20)
        assert messages(qmgr, "A") == [b"x"]


# ---- the index


def test_queue_when_it_was_unloaded_then_its_messages_come_when_due() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        with qmgr.queue("A") as queue:
            queue.put(b"x", persistent=True, delay=500)
        for _ in range(4):
            qmgr.checkpoint()
        assert not in_memory(qmgr, DELAY_QUEUE)
        simulation.pass_time(501)
        assert messages(qmgr, "A") == [b"x"]


@pytest.mark.parametrize("stops", [True, False])
def test_restart_when_messages_were_swept_then_all_come_in_order(stops: bool) -> None:
    count = 700
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        with qmgr.queue("A") as queue:
            for number in range(count):
                queue.put(
                    f"{number:04}".encode() + bytes(5000), persistent=True, delay=1000 - number
                )
        simulation.settle()
        local = qmgr.started.shell.engine.kernel.locals[DELAY_QUEUE]
        assert local.queue.swept_alive > 100
        if stops:
            simulation.stop()
        else:
            simulation.kill()
        qmgr = simulation.start()
        simulation.pass_time(1000)
        found = [data[:4] for data in messages(qmgr, "A")]
        assert found == [f"{number:04}".encode() for number in reversed(range(count))]


def test_queue_when_a_staged_message_is_put_back_then_it_comes_when_due() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        qmgr.put("A", b"x", delay=30)
        with qmgr.queue(DELAY_QUEUE) as staged:
            saved = staged.get()
            simulation.pass_time(40)
        put_back(qmgr, saved.descriptor, saved.data)
        simulation.pass_time(2)
        assert messages(qmgr, "A") == [b"x"]


def test_queue_when_a_foreign_message_has_gone_then_one_put_back_comes() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        qmgr.put("A", b"x", delay=30)
        qmgr.put(DELAY_QUEUE, b"not staged")
        with qmgr.queue(DELAY_QUEUE) as staged:
            saved = staged.get()
            simulation.pass_time(40)
            assert staged.get().data == b"not staged"
            simulation.pass_time(2)
        put_back(qmgr, saved.descriptor, saved.data)
        simulation.pass_time(2)
        assert messages(qmgr, "A") == [b"x"]


def put_back(qmgr: QueueManager, descriptor: ternmq.Descriptor, data: bytes) -> None:
    """As dmpmqmsg does it: with all context."""
    options = mq.MQPMO_NEW_MSG_ID | mq.MQPMO_SET_ALL_CONTEXT
    qmgr.put(DELAY_QUEUE, data, descriptor=descriptor, options=options)


def test_queue_when_a_program_makes_up_a_header_then_nothing_is_delivered() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        made_up = DelayHeader("A", "", "", 1)
        made_up.descriptor = ternmq.Descriptor(version=2, priority=3).pack()
        qmgr.put(DELAY_QUEUE, made_up.pack() + b"x", descriptor=ternmq.Descriptor(format=FORMAT))
        simulation.pass_time(5)
        assert depth(qmgr, "A") == 0
        assert depth(qmgr, DELAY_QUEUE) == 1
        assert notices(qmgr) == ["AMQ7589W"]


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (12, b"\xff\xff\xff\xff"),  # flags
        (16, b"\xff" * 8),  # due before 1970
        (24, b"\xff" * 7 + b"\x7f"),  # put after all clocks
        (32, b"\xff" * 7 + b"\x7f"),  # lives longer than Expiry can say
        (184, b"xx"),  # no MQMD
        (184 + 40, b"\xfb\xff\xff\xff"),  # Priority -5
        (184 + 44, b"\x09"),  # Persistence
        (184 + 356, b"\x02"),  # MQMF_SEGMENT
    ],
)
def test_queue_when_a_delay_header_is_damaged_then_the_others_are_delivered(
    at: int, value: bytes
) -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        qmgr.put("A", b"x", delay=30)
        with qmgr.queue(DELAY_QUEUE) as staged:
            saved = staged.get()
        data = saved.data[:at] + value + saved.data[at + len(value) :]
        put_back(qmgr, saved.descriptor, data)
        qmgr.put("A", b"y", delay=30)
        simulation.pass_time(40)
        assert messages(qmgr, "A") == [b"y"]
        assert depth(qmgr, DELAY_QUEUE) == 1
        assert "AMQ7589W" in notices(qmgr)


def test_queue_when_a_message_was_put_by_hand_then_it_stays_and_operators_know() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        qmgr.put(DELAY_QUEUE, b"not staged")
        qmgr.put("A", b"x", delay=2)
        simulation.pass_time(5)
        assert messages(qmgr, "A") == [b"x"]
        assert depth(qmgr, DELAY_QUEUE) == 1
        assert notices(qmgr) == ["AMQ7589W"]


def test_gets_when_they_are_inhibited_then_delivery_waits_until_they_are_not() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        qmgr.put("A", b"x", delay=2)
        assert qmgr.mqsc(f"ALTER QLOCAL({DELAY_QUEUE}) GET(DISABLED)")[0].ok
        simulation.pass_time(30)
        assert depth(qmgr, "A") == 0
        assert qmgr.mqsc(f"ALTER QLOCAL({DELAY_QUEUE}) GET(ENABLED)")[0].ok
        simulation.pass_time(11)
        assert messages(qmgr, "A") == [b"x"]


def test_queue_when_it_cannot_be_read_at_the_start_then_it_is_tried_again() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        with qmgr.queue("A") as queue:
            queue.put(b"x", persistent=True, delay=2)
        simulation.stop()
        qmgr = simulation.start()
        assert not in_memory(qmgr, DELAY_QUEUE)

        def fails(name: str, path: str, number: int) -> None:
            if path.startswith("queues/") and name == "pread":
                raise OSError(errno.EMFILE, "not now")

        simulation.disk.faults = fails
        simulation.pass_time(5)
        assert not in_memory(qmgr, DELAY_QUEUE)
        simulation.disk.faults = None
        simulation.pass_time(15)
        assert messages(qmgr, "A") == [b"x"]


def test_queue_when_it_is_cleared_then_nothing_comes() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        qmgr.put("A", b"x", delay=2)
        assert qmgr.mqsc(f"CLEAR QLOCAL({DELAY_QUEUE})")[0].ok
        simulation.pass_time(30)
        assert depth(qmgr, "A") == 0


# ---- what cannot be delivered


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("ALTER QLOCAL(A) PUT(DISABLED)", MQRC_PUT_INHIBITED),
        ("ALTER QLOCAL(A) MAXDEPTH(0)", MQRC_Q_FULL),
        ("DELETE QLOCAL(A)", MQRC_UNKNOWN_OBJECT_NAME),
    ],
)
def test_queue_when_it_does_not_take_the_message_then_that_is_a_dead_letter(
    change: str, reason: int
) -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        qmgr.alter_qmgr(dead_letter_queue=DEAD)
        with qmgr.queue("A") as queue:
            msg_id = queue.put("x", persistent=True, delay=5, properties={"n": "1"})
        assert qmgr.mqsc(change)[0].ok
        simulation.pass_time(6)
        assert depth(qmgr, DELAY_QUEUE) == 0
        with qmgr.queue(DEAD) as dead:
            message = dead.get()
        header = DeadLetterHeader.unpack(message.data)
        assert (header.reason, header.destination_queue) == (reason, "A")
        assert (header.format, header.destination_qmgr) == ("MQSTR", "QM1")
        assert (message.format, message.data[DLH_BYTES:]) == ("MQDEAD", b"x")
        assert (message.msg_id, message.persistent) == (msg_id, True)
        assert message.properties == {"n": "1"}
        assert notices(qmgr) == ["AMQ7588W"]


def test_message_when_it_may_be_discarded_then_it_is_not_a_dead_letter() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        qmgr.alter_qmgr(dead_letter_queue=DEAD)
        md = ternmq.Descriptor(report=mq.MQRO_DISCARD_MSG)
        with qmgr.queue("A") as queue:
            queue.put(b"x", descriptor=md, delay=5)
        assert qmgr.mqsc("DELETE QLOCAL(A)")[0].ok
        simulation.pass_time(6)
        assert (depth(qmgr, DELAY_QUEUE), depth(qmgr, DEAD)) == (0, 0)


def test_report_when_asked_for_then_an_exception_and_the_dead_letter_come_together() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        qmgr.define_queue("ANSWERS")
        qmgr.alter_qmgr(dead_letter_queue=DEAD, max_uncommitted=1)
        md = ternmq.Descriptor(
            report=mq.MQRO_EXCEPTION_WITH_FULL_DATA | mq.MQRO_COA, reply_to_queue="ANSWERS"
        )
        with qmgr.queue("A") as queue:
            msg_id = queue.put(b"x", descriptor=md, delay=5)
        assert depth(qmgr, "ANSWERS") == 0
        assert qmgr.mqsc("ALTER QLOCAL(A) PUT(DISABLED)")[0].ok
        simulation.pass_time(6)
        assert depth(qmgr, DEAD) == 1
        with qmgr.queue("ANSWERS") as answers:
            (report,) = answers
        assert (report.descriptor.feedback, report.correl_id) == (MQRC_PUT_INHIBITED, msg_id)
        assert report.data == b"x"


def test_report_of_arrival_when_asked_for_then_it_is_made_at_the_delivery() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        qmgr.define_queue("ANSWERS")
        qmgr.alter_qmgr(max_uncommitted=1)
        md = ternmq.Descriptor(report=mq.MQRO_COA, reply_to_queue="ANSWERS")
        with qmgr.queue("A") as queue:
            msg_id = queue.put(b"x", descriptor=md, delay=5)
        simulation.pass_time(4)
        assert depth(qmgr, "ANSWERS") == 0
        simulation.pass_time(1)
        with qmgr.queue("ANSWERS") as answers:
            (report,) = answers
        assert (report.descriptor.feedback, report.correl_id) == (mq.MQFB_COA, msg_id)
        assert messages(qmgr, "A") == [b"x"]


def test_dead_letters_when_there_is_no_queue_for_them_then_it_is_tried_again() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        qmgr.alter_qmgr(dead_letter_queue="")
        with qmgr.queue("A") as queue:
            queue.put(b"x", delay=5)
        assert qmgr.mqsc("ALTER QLOCAL(A) PUT(DISABLED)")[0].ok
        simulation.pass_time(30)
        assert depth(qmgr, DELAY_QUEUE) == 1
        assert "AMQ7315E" in notices(qmgr)
        assert qmgr.mqsc("ALTER QLOCAL(A) PUT(ENABLED)")[0].ok
        simulation.pass_time(11)
        assert messages(qmgr, "A") == [b"x"]


def test_maxumsgs_when_it_is_one_then_the_message_is_delivered() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        qmgr.alter_qmgr(max_uncommitted=1)
        qmgr.put("A", b"x", delay=5)
        simulation.pass_time(6)
        assert messages(qmgr, "A") == [b"x"]


# ---- other queue managers


@pytest.mark.parametrize("by_name", [False, True])
def test_remote_queue_when_put_with_a_delay_then_it_waits_here(by_name: bool) -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        assert qmgr.mqsc("DEFINE QLOCAL(QM2) USAGE(XMITQ)")[0].ok
        assert qmgr.mqsc("DEFINE QREMOTE(R) RNAME(THERE) RQMNAME(QM2) XMITQ(QM2)")[0].ok
        if by_name:
            qmgr.put("THERE", b"x", qmgr_name="QM2", delay=5)
        else:
            qmgr.put("R", b"x", delay=5)
        simulation.pass_time(4)
        assert depth(qmgr, "QM2") == 0
        simulation.pass_time(1)
        (data,) = messages(qmgr, "QM2")
        header = TransmissionHeader.unpack(data)
        assert (header.remote_queue, header.remote_qmgr) == ("THERE", "QM2")
        assert data.endswith(b"x")


# ---- the delay queue itself


def test_delay_queue_when_it_is_missing_then_the_put_is_refused() -> None:
    with Simulation() as simulation:
        qmgr = with_queue(simulation)
        assert qmgr.mqsc(f"DELETE QLOCAL({DELAY_QUEUE})")[0].ok
        with pytest.raises(MQError) as raised:
            qmgr.put("A", b"x", delay=5)
        assert (raised.value.reason, raised.value.object) == (
            MQRC_UNKNOWN_OBJECT_NAME,
            DELAY_QUEUE,
        )
        qmgr.define_alias(DELAY_QUEUE, target="A")
        with pytest.raises(MQError) as raised:
            qmgr.put("A", b"x", delay=5)
        assert raised.value.reason == MQRC_Q_TYPE_ERROR
        simulation.pass_time(5)
