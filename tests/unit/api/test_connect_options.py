"""Goal: MQCNO options choose who may use a connection, as MQ documents; what cannot be is refused.

Method: two threads (or tasks) on one connection, with each of the options, and tables of options.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

import ternmq
import ternmq.aio
from ternmq import constants as mq
from tests.mqi import mqi
from tests.unit.api.faces import in_loop

pytestmark = pytest.mark.core


def in_thread(verb: Callable[[], object]) -> int:
    """The reason that another thread gets; 0 if it may."""
    reasons: list[int] = []

    def call() -> None:
        try:
            verb()
            reasons.append(0)
        except ternmq.MQError as error:
            reasons.append(error.reason)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    return reasons[0]


GOOD = [
    mq.MQCNO_NONE,
    mq.MQCNO_STANDARD_BINDING,
    mq.MQCNO_FASTPATH_BINDING,
    mq.MQCNO_SHARED_BINDING | mq.MQCNO_HANDLE_SHARE_BLOCK,
    mq.MQCNO_ISOLATED_BINDING | mq.MQCNO_LOCAL_BINDING,
    mq.MQCNO_ACCOUNTING_MQI_ENABLED | mq.MQCNO_ACCOUNTING_Q_DISABLED,
    mq.MQCNO_RECONNECT_DISABLED | mq.MQCNO_HANDLE_SHARE_NO_BLOCK,
    mq.MQCNO_ACTIVITY_TRACE_DISABLED | mq.MQCNO_NO_CONV_SHARING,
]
BAD = {
    "two-bindings": mq.MQCNO_FASTPATH_BINDING | mq.MQCNO_SHARED_BINDING,
    "two-others": mq.MQCNO_SHARED_BINDING | mq.MQCNO_ISOLATED_BINDING,
    "two-shares": mq.MQCNO_HANDLE_SHARE_BLOCK | mq.MQCNO_HANDLE_SHARE_NO_BLOCK,
    "none-and-block": mq.MQCNO_HANDLE_SHARE_NONE | mq.MQCNO_HANDLE_SHARE_BLOCK,
    "accounting-mqi": mq.MQCNO_ACCOUNTING_MQI_ENABLED | mq.MQCNO_ACCOUNTING_MQI_DISABLED,
    "accounting-q": mq.MQCNO_ACCOUNTING_Q_ENABLED | mq.MQCNO_ACCOUNTING_Q_DISABLED,
    "trace": mq.MQCNO_ACTIVITY_TRACE_ENABLED | mq.MQCNO_ACTIVITY_TRACE_DISABLED,
    "conversations": mq.MQCNO_NO_CONV_SHARING | mq.MQCNO_ALL_CONVS_SHARE,
    "client": mq.MQCNO_CLIENT_BINDING,
    "tag": mq.MQCNO_SERIALIZE_CONN_TAG_Q_MGR,
    "tag-made": mq.MQCNO_GENERATE_CONN_TAG,
    "reconnect": mq.MQCNO_RECONNECT,
    "unknown": 0x00020000,
}


@pytest.mark.parametrize("options", GOOD)
def test_connect_when_options_go_together_then_connected(
    mq_qmgr: ternmq.QueueManager, options: int
) -> None:
    with mq_qmgr.connect(options=options) as connection, connection.queue("DEV.QUEUE.1") as queue:
        queue.put("x")
        assert queue.get().text == "x"


@pytest.mark.parametrize("name", BAD)
def test_connect_when_options_exclude_each_other_then_options_error(
    mq_qmgr: ternmq.QueueManager, name: str
) -> None:
    before = len(mq_qmgr.started.shell.engine.kernel.connections)
    with pytest.raises(ternmq.BadOptions) as refused:
        mq_qmgr.connect(options=BAD[name])
    assert refused.value.reason == mq.MQRC_OPTIONS_ERROR
    assert refused.value.verb == "MQCONNX"
    assert refused.value.detail
    assert len(mq_qmgr.started.shell.engine.kernel.connections) == before


@pytest.mark.parametrize("options", [mq.MQCNO_HANDLE_SHARE_NONE, mq.MQCNO_NONE])
def test_share_none_when_another_thread_calls_then_hconn_error(
    mq_qmgr: ternmq.QueueManager, options: int
) -> None:
    """Also between verbs, and without any unit of work: MQ's default."""
    with mq_qmgr.connect(options=options) as connection, connection.queue("DEV.QUEUE.1") as queue:
        for verb in (
            lambda: queue.put("theirs"),
            queue.try_get,
            connection.commit,
            connection.backout,
            connection.begin,
            lambda: connection.put("DEV.QUEUE.1", "x"),
            lambda: connection.queue("DEV.QUEUE.1"),
            lambda: connection.define_queue("X"),
            connection.disconnect,
        ):
            assert in_thread(verb) == mq.MQRC_HCONN_ERROR
        queue.put("mine")
        assert [message.text for message in queue] == ["mine"]


@pytest.mark.parametrize("options", [mq.MQCNO_HANDLE_SHARE_BLOCK, mq.MQCNO_HANDLE_SHARE_NO_BLOCK])
def test_shared_when_a_unit_is_open_then_it_belongs_to_the_connection(
    mq_qmgr: ternmq.QueueManager, options: int
) -> None:
    """As in MQ: the unit of work is the connection's, not a thread's."""
    with mq_qmgr.connect(options=options) as connection, connection.queue("DEV.QUEUE.1") as queue:
        connection.begin()
        queue.put("mine")
        assert in_thread(lambda: queue.put("theirs")) == 0
        assert in_thread(connection.backout) == 0
        assert not connection.in_unit
        assert queue.depth == 0


def test_no_block_when_a_get_waits_then_call_in_progress(mq_qmgr: ternmq.QueueManager) -> None:
    with mq_qmgr.connect(options=mq.MQCNO_HANDLE_SHARE_NO_BLOCK) as shared:
        waiting, got = waiting_get(shared)
        assert in_thread(lambda: shared.put("DEV.QUEUE.1", "x")) == mq.MQRC_CALL_IN_PROGRESS
        mq_qmgr.put("DEV.QUEUE.1", "for you")
        waiting.join()
        assert got == ["for you"]


def test_block_when_a_get_waits_then_the_other_thread_waits_for_its_end(
    mq_qmgr: ternmq.QueueManager,
) -> None:
    with mq_qmgr.connect(options=mq.MQCNO_HANDLE_SHARE_BLOCK) as shared:
        waiting, got = waiting_get(shared)
        order: list[str] = []

        def put_later() -> None:
            shared.put("DEV.QUEUE.2", "second")
            order.append("put")

        putting = threading.Thread(target=put_later)
        putting.start()
        assert order == []  # it cannot have happened: the get has not ended
        assert mq_qmgr.queue("DEV.QUEUE.2").depth == 0
        mq_qmgr.put("DEV.QUEUE.1", "first")
        waiting.join()
        putting.join()
        assert got == ["first"]
        assert mq_qmgr.queue("DEV.QUEUE.2").depth == 1


def waiting_get(shared: ternmq.Connection) -> tuple[threading.Thread, list[str]]:
    got: list[str] = []
    queue = shared.queue("DEV.QUEUE.1")
    thread = threading.Thread(target=lambda: got.append(queue.get(wait=-1).text))
    thread.start()
    while not mqi(shared).busy:
        pass
    return thread, got


def test_block_when_threads_compete_then_every_message_is_put_and_got_once(
    mq_qmgr: ternmq.QueueManager,
) -> None:
    with mq_qmgr.connect(options=mq.MQCNO_HANDLE_SHARE_BLOCK) as shared:
        queue = shared.queue("DEV.QUEUE.1")
        got: list[str] = []

        def work(number: int) -> None:
            for count in range(50):
                queue.put(f"{number}.{count}")
                message = queue.try_get()
                if message is not None:
                    got.append(message.text)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        got += [message.text for message in queue]
        assert sorted(got) == sorted(f"{n}.{c}" for n in range(4) for c in range(50))


def test_block_when_the_queue_manager_stops_then_nobody_waits_for_ever() -> None:
    reasons: list[int] = []

    def call(verb: Callable[[], object]) -> None:
        try:
            verb()
        except ternmq.MQError as error:
            reasons.append(error.reason)

    with ternmq.memory() as qmgr:
        qmgr.define_queue("A")
        shared = qmgr.connect(options=mq.MQCNO_HANDLE_SHARE_BLOCK)
        queue = shared.queue("A")
        getting = threading.Thread(target=call, args=(lambda: queue.get(wait=-1),))
        getting.start()
        while not mqi(shared).busy:
            pass
        putting = threading.Thread(target=call, args=(lambda: queue.put("x"),))
        putting.start()
    getting.join()
    putting.join()
    assert len(reasons) == 2
    assert set(reasons) <= {mq.MQRC_Q_MGR_STOPPING, mq.MQRC_HCONN_ERROR, mq.MQRC_CONNECTION_BROKEN}


def test_application_when_given_then_it_is_the_put_appl_name(mq_qmgr: ternmq.QueueManager) -> None:
    with (
        mq_qmgr.connect(application="payroll", user="alice") as connection,
        connection.queue("DEV.QUEUE.1") as queue,
    ):
        queue.put("x")
        descriptor = queue.get().descriptor
        assert descriptor.put_appl_name == "payroll"
        assert descriptor.user_id == "alice"
        queue.put("y")
        connection.put("DEV.QUEUE.1", "z")
        assert {message.descriptor.put_appl_name for message in queue} == {"payroll"}


def test_connection_id_when_two_are_connected_then_each_has_its_own(
    mq_qmgr: ternmq.QueueManager,
) -> None:
    with mq_qmgr.connect() as first, mq_qmgr.connect() as second:
        ids = {mq_qmgr.connection_id, first.connection_id, second.connection_id}
        assert len(ids) == 3
        assert {len(one) for one in ids} == {24}


# ---- tasks


@in_loop
async def test_tasks_when_share_none_then_the_maker_alone() -> None:
    async with ternmq.aio.memory() as qmgr:
        await qmgr.define_queue("A")
        async with (
            qmgr.connect(options=mq.MQCNO_HANDLE_SHARE_NONE, application="tasks") as connection,
            connection.queue("A") as queue,
        ):

            async def theirs() -> int:
                with pytest.raises(ternmq.MQError) as refused:
                    await queue.put("theirs")
                with pytest.raises(ternmq.MQError) as late:
                    await connection.disconnect()
                assert late.value.reason == refused.value.reason
                return refused.value.reason

            assert await asyncio.create_task(theirs()) == mq.MQRC_HCONN_ERROR
            await queue.put("mine")
            message = await queue.get()
            assert (message.text, message.descriptor.put_appl_name) == ("mine", "tasks")
            assert len(connection.connection_id) == 24


@in_loop
async def test_tasks_when_share_no_block_then_a_unit_is_the_connections() -> None:
    async with ternmq.aio.memory() as qmgr:
        await qmgr.define_queue("A")
        async with (
            qmgr.connect(options=mq.MQCNO_HANDLE_SHARE_NO_BLOCK) as connection,
            connection.queue("A") as queue,
        ):
            await connection.begin()
            await queue.put("mine")
            await asyncio.create_task(queue.put("theirs"))
            await asyncio.create_task(connection.backout())
            assert await queue.depth() == 0


@in_loop
async def test_tasks_when_share_block_then_refused() -> None:
    async with ternmq.aio.memory() as qmgr:
        with pytest.raises(ternmq.BadOptions) as refused:
            await qmgr.connect(options=mq.MQCNO_HANDLE_SHARE_BLOCK)
        assert refused.value.reason == mq.MQRC_OPTIONS_ERROR
        assert "task" in refused.value.detail
