"""Goal: MQCB and MQCTL do what MQ says, alike through every binding.
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
from tests.battery.places import Task
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


# ---- messages


def test_messages_of_one_queue_then_the_function_gets_each_in_order(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    put_all(qmgr, "A", numbered(3))
    with connection.queue("A") as queue:
        queue.on_message(seen.take)
        connection.start()
        seen.until(3)
        put_all(qmgr, "A", [b"3", b"4"])  # it waits now
        seen.until(5)
        connection.stop()
        assert queue.depth == 0
    assert seen.data == numbered(5)


def test_messages_of_several_queues_then_all_are_served_in_turn(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    for name in "ABC":
        put_all(qmgr, name, numbered(40, name))
    queues = [connection.queue(name) for name in "ABC"]
    for queue in queues:
        queue.on_message(seen.take)
    with connection.consuming():
        seen.until(120)
        put_all(qmgr, "C", [b"last"])  # it waits for all three now
        seen.until(121)
    for name in "ABC":
        mine = [one for one in seen.data if one.startswith(name.encode())]
        assert mine == numbered(40, name)
    firsts = {one[:1] for one in seen.data[:6]}
    assert firsts == {b"A", b"B", b"C"}
    assert seen.data[-1] == b"last"


def test_queue_that_had_none_when_another_is_busy_then_it_is_served_before_that_is_empty(
    qmgr: QueueManager, connection: ternmq.Connection
) -> None:
    put_all(qmgr, "A", numbered(300))
    order: list[str] = []
    with connection.queue("A") as busy, connection.queue("B") as quiet:

        def take_busy(message: ternmq.Message) -> None:
            order.append("A")
            if len(order) == 10:
                busy.put(b"one more")
                connection.put("B", b"now")
            if len(order) >= 302:
                connection.stop()

        def take_quiet(message: ternmq.Message) -> None:
            order.append("B")

        busy.on_message(take_busy)
        quiet.on_message(take_quiet)
        connection.start(wait=True)
    assert order.count("B") == 1
    assert order.index("B") < 100


def test_selector_and_ids_then_only_what_matches_comes(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    for number in range(4):
        qmgr.put("A", b"%d" % number, format="RED" if number % 2 else "BLUE")
        qmgr.put("B", b"b%d" % number, correl_id=b"%d" % (number % 2) * 24)
    red = connection.queue("A", selector="Root.MQMD.Format = 'RED'")
    red.on_message(seen.take)
    mine = connection.queue("B")
    mine.on_message(seen.take, correl_id=b"1" * 24)
    with connection.consuming():
        seen.until(4)
        qmgr.put("A", b"blue", format="BLUE")
        qmgr.put("A", b"red", format="RED")
        seen.until(5)
    assert sorted(seen.data) == [b"1", b"3", b"b1", b"b3", b"red"]
    with qmgr.queue("A") as queue:
        assert [one.data for one in queue] == [b"0", b"2", b"blue"]


def test_browse_then_each_message_is_shown_once_and_stays(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    put_all(qmgr, "A", numbered(2))
    with connection.queue("A") as queue:
        queue.on_message(seen.take, browse=True)
        connection.start()
        seen.until(2)
        put_all(qmgr, "A", [b"2"])
        seen.until(3)
        connection.stop()
        assert queue.depth == 3
    assert seen.data == numbered(3)


def test_message_that_is_committed_or_backed_out_while_several_wait_then_it_comes(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    for name in "AB":
        connection.queue(name).on_message(seen.take)
    qmgr.put("C", b"back")
    with connection.consuming():
        with qmgr.unit_of_work():
            qmgr.put("A", b"committed")
        seen.until(1)
    with connection.queue("C") as queue:
        queue.on_message(seen.take)
        unit = qmgr.unit_of_work()
        with unit, qmgr.queue("C") as other:
            assert other.get().data == b"back"
            connection.start()
            unit.backout()
        seen.until(2)
        connection.stop()
    assert seen.data == [b"committed", b"back"]


def test_read_ahead_on_two_queues_then_every_message_comes_once(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    options = mq.MQOO_INPUT_SHARED | mq.MQOO_READ_AHEAD
    queues = [connection.queue(name, options=options) for name in "AB"]
    for queue in queues:
        queue.on_message(seen.take)
    with connection.consuming():
        for round_ in range(3):
            put_all(qmgr, "A", numbered(5, f"a{round_}"))
            put_all(qmgr, "B", numbered(5, f"b{round_}"))
            seen.until(10 * (round_ + 1))
    expected = [one for r in range(3) for q in "ab" for one in numbered(5, f"{q}{r}")]
    assert sorted(seen.data) == sorted(expected)


# ---- units of work


def test_commit_inside_the_callback_then_its_puts_and_the_message_are_one_unit(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    put_all(qmgr, "A", numbered(3))

    def take(message: ternmq.Message) -> None:
        connection.put("B", message.data, syncpoint=True)
        connection.commit()
        seen.take(message)

    with connection.queue("A") as queue:
        queue.on_message(take, syncpoint=True)
        with connection.consuming():
            seen.until(3)
    with qmgr.queue("B") as answers:
        assert [one.data for one in answers] == numbered(3)


def test_backout_inside_the_callback_then_the_message_comes_again(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    qmgr.put("A", b"x")
    counts: list[int] = []

    def take(message: ternmq.Message) -> None:
        counts.append(message.backout_count)
        if message.backout_count < 2:
            connection.backout()
            return
        connection.commit()
        seen.take(message)

    with connection.queue("A") as queue:
        queue.on_message(take, syncpoint=True)
        with connection.consuming():
            seen.until(1)
    assert counts == [0, 1, 2]


def test_unit_that_callbacks_leave_open_when_stopped_then_the_next_caller_ends_it(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    put_all(qmgr, "A", numbered(2))
    with connection.queue("A") as queue:
        queue.on_message(seen.take, syncpoint=True)
        with connection.consuming():
            seen.until(2)
        connection.backout()
        assert [one.data for one in queue] == numbered(2)


# ---- MQCTL


def test_verb_from_outside_while_started_then_2500_and_after_stop_it_works(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    queue = connection.queue("A")
    consumer = queue.on_message(seen.take)
    connection.start()
    for work in (
        lambda: connection.put("B", b"x"),
        lambda: queue.get(),
        lambda: queue.depth,
        lambda: connection.queue("B"),
        connection.commit,
        connection.backout,
        connection.queue_names,
        connection.log_status,
        lambda: queue.on_message(seen.take),
        consumer.suspend,
        consumer.resume,
        consumer.close,
        queue.close,
        connection.start,
        connection.resume,
        lambda: connection.on_event(seen.event),
    ):
        with pytest.raises(MQError) as caught:
            work()
        assert reason_of(caught) == rc.MQRC_HCONN_ASYNC_ACTIVE
    connection.suspend()
    connection.put("B", b"while it is suspended")
    connection.resume()
    connection.stop()
    connection.stop()
    connection.put("B", b"after it")
    with qmgr.queue("B") as other:
        assert other.depth == 2


def test_suspend_and_resume_of_the_connection_then_messages_wait_meanwhile(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    with connection.queue("A") as queue:
        queue.on_message(seen.take, on_event=seen.event, callback_options=mq.MQCBDO_STOP_CALL)
        with pytest.raises(MQError) as caught:
            connection.suspend()
        assert reason_of(caught) == rc.MQRC_OPERATION_NOT_ALLOWED
        with pytest.raises(MQError) as caught:
            connection.resume()
        assert reason_of(caught) == rc.MQRC_OPERATION_NOT_ALLOWED
        connection.start()
        connection.suspend()
        put_all(qmgr, "A", numbered(2))
        with pytest.raises(MQError) as caught:
            connection.start()
        assert reason_of(caught) == rc.MQRC_OPERATION_NOT_ALLOWED
        assert seen.data == []
        connection.resume()
        seen.until(2)
        connection.suspend()
        assert seen.calls == []
        connection.stop()
        assert seen.calls == [("STOP_CALL", 0, 0)]


def test_control_calls_then_each_that_was_asked_for_comes_in_order(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    every = mq.MQCBDO_REGISTER_CALL | mq.MQCBDO_START_CALL
    every |= mq.MQCBDO_STOP_CALL | mq.MQCBDO_DEREGISTER_CALL
    queue = connection.queue("A")
    queue.on_message(seen.take, on_event=seen.event, callback_options=every)
    assert [kind for kind, _, _ in seen.calls] == ["REGISTER_CALL"]
    connection.start()
    assert [kind for kind, _, _ in seen.calls][1:] == ["START_CALL"]
    connection.stop()
    connection.start()
    connection.stop()
    queue.close()
    kinds = [kind for kind, _, _ in seen.calls]
    assert kinds[2:] == ["STOP_CALL", "START_CALL", "STOP_CALL", "DEREGISTER_CALL"]
    assert all(context.consumer.queue is queue for context in seen.contexts)


def test_start_that_waits_then_stop_inside_the_callback_ends_it_after_its_return(
    qmgr: QueueManager, connection: ternmq.Connection
) -> None:
    put_all(qmgr, "A", numbered(5))
    got: list[bytes] = []
    with connection.queue("A") as queue:

        def take(message: ternmq.Message) -> None:
            got.append(message.data)
            if len(got) == 1:
                connection.stop()
                connection.start()  # takes the stop back
            if len(got) == 3:
                connection.stop()
                got.append(b"still in it")

        queue.on_message(take)
        connection.start(wait=True)
        assert got == [b"0", b"1", b"2", b"still in it"]
        assert queue.depth == 2


def test_start_that_waits_when_no_consumer_is_active_then_2446(
    qmgr: QueueManager, connection: ternmq.Connection
) -> None:
    with pytest.raises(MQError) as caught:
        connection.start(wait=True)
    assert reason_of(caught) == rc.MQRC_NO_CALLBACKS_ACTIVE
    qmgr.put("A", b"x")
    with connection.queue("A") as queue:
        consumer = queue.on_message(lambda message: consumer.suspend())
        with pytest.raises(MQError) as caught:
            connection.start(wait=True)
        assert reason_of(caught) == rc.MQRC_NO_CALLBACKS_ACTIVE


def test_start_that_waits_inside_a_callback_then_2012_and_stop_in_a_start_call_then_2528(
    qmgr: QueueManager, connection: ternmq.Connection
) -> None:
    reasons: list[int] = []

    def event(context: ternmq.CallContext) -> None:
        with pytest.raises(MQError) as caught:
            connection.start(wait=True)
        reasons.append(reason_of(caught))
        connection.stop()

    with connection.queue("A") as queue:
        queue.on_message(print, on_event=event, callback_options=mq.MQCBDO_START_CALL)
        with pytest.raises(MQError) as stopped:
            connection.start()
        assert reason_of(stopped) == rc.MQRC_CONNECTION_STOPPED
    assert reasons == [rc.MQRC_ENVIRONMENT_ERROR]


def test_stop_when_a_callback_is_under_way_then_it_waits_for_its_end(
    qmgr: QueueManager, connection: ternmq.Connection
) -> None:
    inside, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def take(message: ternmq.Message) -> None:
        inside.set()
        go_on.wait(10)
        connection.put("B", message.data)

    with connection.queue("A") as queue:
        queue.on_message(take)
        connection.start()
        qmgr.put("A", b"x")
        assert inside.wait(10)

        def stop() -> None:
            connection.stop()
            ended.set()

        stopper = threading.Thread(target=stop)
        stopper.start()
        assert not ended.wait(0.05)
        go_on.set()
        stopper.join()
        with qmgr.queue("B") as other:
            assert other.depth == 1


def test_stop_from_outside_when_the_callback_starts_again_then_it_stops_all_the_same(
    qmgr: QueueManager, connection: ternmq.Connection
) -> None:
    inside, stopping = threading.Event(), threading.Event()

    def take(message: ternmq.Message) -> None:
        inside.set()
        stopping.wait(10)
        connection.start()  # takes back its own stop alone

    with connection.queue("A") as queue:
        queue.on_message(take)
        connection.start()
        qmgr.put("A", b"x")
        assert inside.wait(10)
        stopper = threading.Thread(target=connection.stop)
        stopper.start()
        stopper.join(0.05)
        stopping.set()
        stopper.join(10)
        assert not stopper.is_alive()


def test_several_threads_that_start_at_once_then_one_does_and_the_others_get_2500(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    connection.queue("A").on_message(seen.take)
    tasks = [Task(connection.start) for _ in range(4)]
    for task in tasks:
        task.join()
    refused = [task.error for task in tasks if task.error is not None]
    assert [one.reason for one in refused if isinstance(one, MQError)] == [2500] * 3
    put_all(qmgr, "A", numbered(3))
    seen.until(3)
    connection.stop()


def test_disconnect_while_started_then_it_stops_first(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    queue = connection.queue("A")
    options = mq.MQCBDO_STOP_CALL | mq.MQCBDO_DEREGISTER_CALL
    queue.on_message(seen.take, on_event=seen.event, callback_options=options)
    connection.start()
    put_all(qmgr, "A", [b"x"])
    seen.until(1)
    connection.disconnect()
    assert [kind for kind, _, _ in seen.calls] == ["STOP_CALL", "DEREGISTER_CALL"]
    assert not connection.connected


# ---- MQCB


def test_consumer_that_is_suspended_resumed_and_closed_by_callbacks_then_so_it_is(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    first = connection.queue("A").on_message(seen.take)

    def control(message: ternmq.Message) -> None:
        {b"suspend": first.suspend, b"resume": first.resume, b"close": first.close}[message.data]()
        seen.take(message)

    connection.queue("B").on_message(control)
    with connection.consuming():
        qmgr.put("B", b"suspend")
        seen.until(1)
        qmgr.put("A", b"waits")
        qmgr.put("B", b"resume")
        seen.until(3)
        assert seen.data == [b"suspend", b"resume", b"waits"]
        qmgr.put("B", b"close")
        seen.until(4)
        qmgr.put("A", b"stays")
    with qmgr.queue("A") as queue:
        assert [one.data for one in queue] == [b"stays"]


def test_queue_closed_and_another_registered_inside_a_callback_then_it_goes_on_with_that(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    options = mq.MQCBDO_START_CALL | mq.MQCBDO_STOP_CALL | mq.MQCBDO_DEREGISTER_CALL
    queue = connection.queue("A")

    def take(message: ternmq.Message) -> None:
        queue.close()
        assert seen.calls == [("START_CALL", 0, 0)]
        other = connection.queue("B")
        other.on_message(seen.take, on_event=seen.event, callback_options=mq.MQCBDO_START_CALL)

    queue.on_message(take, on_event=seen.event, callback_options=options)
    put_all(qmgr, "A", numbered(2))
    put_all(qmgr, "B", [b"of B"])
    with connection.consuming():
        seen.until(1)
    assert seen.data == [b"of B"]
    kinds = [kind for kind, _, _ in seen.calls]
    assert kinds == ["START_CALL", "STOP_CALL", "DEREGISTER_CALL", "START_CALL"]
    with qmgr.queue("A") as left:
        assert left.depth == 1


def test_connection_ended_inside_a_callback_then_no_more_calls(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    queue = connection.queue("A")

    def take(message: ternmq.Message) -> None:
        seen.take(message)
        connection.disconnect()

    queue.on_message(take, on_event=seen.event, callback_options=mq.MQCBDO_DEREGISTER_CALL)
    put_all(qmgr, "A", numbered(2))
    connection.start()
    seen.until(1, 1)
    connection.stop()
    assert not connection.connected
    assert (seen.data, seen.calls) == ([b"0"], [("DEREGISTER_CALL", 0, 0)])
    with qmgr.queue("A") as left:
        assert left.depth == 1


def test_second_consumer_of_a_queue_then_it_takes_the_place_of_the_first(
    qmgr: QueueManager, connection: ternmq.Connection, seen: Recorded
) -> None:
    other = Recorded()
    with connection.queue("A") as queue:
        queue.on_message(other.take)
        queue.on_message(seen.take)
        with connection.consuming():
            put_all(qmgr, "A", [b"x"])
            seen.until(1)
    assert other.data == []


def test_arguments_that_cannot_be_then_their_reasons(
    connection: ternmq.Connection, seen: Recorded
) -> None:
    async def coroutine(message: ternmq.Message) -> None:
        raise NotImplementedError

    with connection.queue("A") as queue:
        for reason, function, given in (
            (rc.MQRC_CALLBACK_ROUTINE_ERROR, None, {}),
            (rc.MQRC_CALLBACK_ROUTINE_ERROR, coroutine, {}),
            (rc.MQRC_CALLBACK_ROUTINE_ERROR, print, {"wait": 1.0}),
            (rc.MQRC_CALLBACK_ROUTINE_ERROR, print, {"callback_options": mq.MQCBDO_START_CALL}),
            (rc.MQRC_CBD_OPTIONS_ERROR, print, {"callback_options": 1 << 20}),
            (rc.MQRC_WAIT_INTERVAL_ERROR, print, {"wait": 0, "on_event": print}),
            (rc.MQRC_OPTIONS_ERROR, print, {"options": mq.MQGMO_UNLOCK}),
            (rc.MQRC_OPTIONS_ERROR, print, {"options": mq.MQGMO_MSG_UNDER_CURSOR}),
        ):
            with pytest.raises(MQError) as caught:
                queue.on_message(function, **given)  # type: ignore[arg-type]
            assert reason_of(caught) == reason, given
        with pytest.raises(MQError) as caught:
            connection.on_event(5)  # type: ignore[arg-type]
        assert reason_of(caught) == rc.MQRC_CALLBACK_ROUTINE_ERROR
