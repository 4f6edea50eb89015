"""Goal: event functions hear of what happens, alike through every binding.
Method: the battery's queue managers; a connection with callbacks, which record what they are called
with, beside the one that puts.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

import ternmq
from ternmq import QueueManager
from ternmq.base import constants_all as mq
from ternmq.base import reasons as rc
from ternmq.base.errors import MQError
from tests.battery.places import Place
from tests.battery.recorded import Recorded, numbered, put_all

pytestmark = pytest.mark.core

TEMPORARY = mq.MQCS_SUSPENDED_TEMPORARY
USER_ACTION = mq.MQCS_SUSPENDED_USER_ACTION


@pytest.fixture
def connection(qmgr: QueueManager) -> Iterator[ternmq.Connection]:
    """A connection for callbacks; the queue manager has queues A, B and C."""
    for name in "ABC":
        qmgr.define_queue(name)
    made = qmgr.connect()
    yield made
    try:
        made.disconnect()
    except MQError:
        pass


@pytest.fixture
def seen() -> Recorded:
    return Recorded()


def reason_of(error: pytest.ExceptionInfo[MQError]) -> int:
    return error.value.reason


def quiesce(qmgr: QueueManager) -> None:
    shell = qmgr.started.shell
    with shell.lock:
        shell.engine.quiesce()
        shell.flush()


def test_no_message_within_the_wait_then_the_consumer_is_called_each_time(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    with connection.queue("A") as queue:
        queue.on_message(seen.take, on_event=seen.event, wait=0.05)
        with connection.consuming():
            seen.until(0, 2)
    with connection.queue("A") as one, connection.queue("B") as two:
        one.on_message(seen.take, on_event=seen.event, wait=0.05)
        two.on_message(seen.take)
        with connection.consuming():
            seen.until(0, 4)
    assert set(seen.calls) == {("EVENT_CALL", rc.MQRC_NO_MSG_AVAILABLE, 0)}


@pytest.mark.parametrize("others", [0, 1])
def test_queue_that_is_inhibited_and_enabled_then_the_consumer_hears_both_and_goes_on(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded, others: int
) -> None:
    queue = connection.queue("A")
    queue.on_message(seen.take, on_event=seen.event)
    if others:
        connection.queue("B").on_message(seen.take)
    with connection.consuming(), qmgr.queue("A") as other:
        other.set({mq.MQIA_INHIBIT_GET: mq.MQQA_GET_INHIBITED})
        seen.until(0, 1)
        put_all(qmgr, "A", [b"x"])
        other.set({mq.MQIA_INHIBIT_GET: mq.MQQA_GET_ALLOWED})
        seen.until(1, 2)
    assert seen.calls == [
        ("EVENT_CALL", rc.MQRC_GET_INHIBITED, TEMPORARY),
        ("EVENT_CALL", rc.MQRC_GET_ENABLED, 0),
    ]


def test_message_that_is_too_long_then_the_consumer_is_suspended_until_it_acts(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    put_all(qmgr, "A", [b"short", b"a long one", b"short"])
    with connection.queue("A") as queue:

        def event(context: ternmq.CallContext) -> None:
            message = context.message
            assert message is not None
            assert (message.data, message.length) == (b"a lon", 10)
            assert context.completion == mq.MQCC_WARNING
            whole = queue.get(msg_id=message.msg_id)
            seen.event(context)
            seen.take(whole)
            context.consumer.resume()

        queue.on_message(seen.take, on_event=event, max_length=5)
        with connection.consuming():
            seen.until(3)
        assert seen.data == [b"short", b"a long one", b"short"]
        assert seen.calls == [("MSG_NOT_REMOVED", rc.MQRC_TRUNCATED_MSG_FAILED, USER_ACTION)]
        put_all(qmgr, "A", [b"a long one"])
        queue.on_message(seen.take, max_length=5, options=mq.MQGMO_ACCEPT_TRUNCATED_MSG)
        with connection.consuming():
            seen.until(4)
        assert seen.data[3] == b"a lon"


def test_queue_that_is_deleted_then_the_consumer_is_suspended_and_others_go_on(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    owner = qmgr.connect()
    made = owner.queue("SYSTEM.DEFAULT.MODEL.QUEUE", dynamic_name="D.*", options=mq.MQOO_OUTPUT)
    connection.queue(made.name).on_message(seen.take, on_event=seen.event)
    connection.queue("A").on_message(seen.take)
    with connection.consuming():
        made.close()
        seen.until(0, 1)
        put_all(qmgr, "A", [b"x"])
        seen.until(1)
    assert seen.calls == [("EVENT_CALL", rc.MQRC_Q_DELETED, mq.MQCS_SUSPENDED)]
    owner.disconnect()


def test_callback_that_raises_then_its_unit_is_backed_out_and_stop_raises_it(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    put_all(qmgr, "A", numbered(2))

    def fail(message: ternmq.Message) -> None:
        connection.put("C", b"undone", syncpoint=True)
        seen.take(message)
        raise ZeroDivisionError("in the callback")

    bad = connection.queue("A").on_message(fail, syncpoint=True)
    connection.queue("B").on_message(seen.take)
    connection.start()
    seen.until(1)
    put_all(qmgr, "B", [b"goes on"])
    seen.until(2)
    with pytest.raises(ZeroDivisionError):
        connection.stop()
    connection.stop()
    assert bad.state == USER_ACTION
    assert seen.data == [b"0", b"goes on"]
    with qmgr.queue("A") as left, qmgr.queue("C") as puts:
        assert [(one.data, one.backout_count) for one in left] == [(b"0", 1), (b"1", 0)]
        assert puts.depth == 0


def test_callback_that_raises_when_the_event_handler_resumes_it_then_it_goes_on(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    put_all(qmgr, "A", numbered(3))

    def fail_once(message: ternmq.Message) -> None:
        seen.take(message)
        if len(seen.data) == 1:
            raise ZeroDivisionError

    def event(context: ternmq.CallContext) -> None:
        seen.event(context)
        context.consumer.resume()

    connection.on_event(event)
    connection.queue("A").on_message(fail_once)
    with connection.consuming():
        seen.until(3, 1)
    assert seen.data == numbered(3)  # got outside syncpoint: delivered once
    assert seen.calls == [("EVENT_CALL", rc.MQRC_CALLBACK_ROUTINE_ERROR, USER_ACTION)]
    assert isinstance(seen.contexts[0].error, ZeroDivisionError)


def test_queue_manager_that_ends_then_the_event_handler_hears_of_it(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    consumed = Recorded()
    connection.on_event(seen.event)
    for name in "AB":
        connection.queue(name).on_message(
            print, on_event=consumed.event, callback_options=mq.MQCBDO_STOP_CALL
        )
    connection.start()
    quiesce(qmgr)
    seen.until(0, 1)
    connection.stop()
    assert seen.calls == [("EVENT_CALL", rc.MQRC_Q_MGR_QUIESCING, mq.MQCS_STOPPED)]
    stops = ("STOP_CALL", rc.MQRC_Q_MGR_QUIESCING, mq.MQCS_STOPPED)
    assert consumed.calls == [stops, stops]


def test_queue_manager_that_ends_without_an_event_handler_then_stop_raises_the_reason(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    connection.queue("A").on_message(
        seen.take, on_event=seen.event, callback_options=mq.MQCBDO_STOP_CALL
    )
    connection.start()
    quiesce(qmgr)
    seen.until(0, 1)
    with pytest.raises(MQError) as caught:
        connection.stop()
    assert reason_of(caught) == rc.MQRC_Q_MGR_QUIESCING
    connection.stop()


def test_registration_while_the_queue_manager_quiesces_then_2161_if_it_is_asked_for(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    queue = connection.queue("A", options=mq.MQOO_INPUT_SHARED)
    option = mq.MQCBDO_FAIL_IF_QUIESCING
    queue.on_message(seen.take, callback_options=option)
    quiesce(qmgr)
    with pytest.raises(MQError) as caught:
        queue.on_message(seen.take, callback_options=option)
    assert reason_of(caught) == rc.MQRC_Q_MGR_QUIESCING
    queue.on_message(seen.take)


def test_stop_when_a_callback_waits_in_a_get_of_its_own_then_that_is_not_cut_short(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    inside = threading.Event()

    def take(message: ternmq.Message) -> None:
        with connection.queue("B") as other:
            inside.set()
            seen.take(other.get(wait=10))

    connection.queue("A").on_message(take)
    connection.start()
    qmgr.put("A", b"x")
    assert inside.wait(10)
    stopper = threading.Thread(target=connection.stop)
    stopper.start()
    stopper.join(0.2)
    assert stopper.is_alive()
    qmgr.put("B", b"for the callback")
    stopper.join()
    assert seen.data == [b"for the callback"]


def test_queue_manager_that_is_closed_under_callbacks_then_they_end(
    place: Place, seen: Recorded
) -> None:
    qmgr = place.qmgr
    qmgr.define_queue("A")
    connection = qmgr.connect()
    connection.on_event(seen.event)
    connection.queue("A").on_message(seen.take)
    connection.start()
    qmgr.close()
    seen.until(0, 1)
    connection.stop()
    assert seen.calls[0][2] == mq.MQCS_STOPPED
    assert seen.reasons[0] in (
        rc.MQRC_Q_MGR_STOPPING,
        rc.MQRC_CONNECTION_BROKEN,
        rc.MQRC_CONNECTION_STOPPING,
        rc.MQRC_Q_MGR_QUIESCING,
        rc.MQRC_HCONN_ERROR,
    )
