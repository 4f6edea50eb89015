"""Goal: a client that reconnects goes on, and says what it cannot know.

Method: a queue manager with a listener in this process; its sockets are cut while verbs are under
way, between them, and after a call has happened whose answer is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.ports.memory_disk import MemoryDisk
from ternmq.runtime.starting import Started, start
from ternmq.wire.fap.vocabulary import XA_COMMIT, XA_PREPARE
from tests.battery.places import Task, until, waiters
from tests.unit.api.networked import Networked, in_memory


@pytest.fixture
def served() -> Iterator[Networked]:
    """A queue manager with a queue A."""
    served = in_memory()
    with served:
        with served.connect() as connection:
            connection.define_queue("A")
        yield served


def waiting(served: Networked) -> int:
    """Gets that wait, beside the command server's."""
    return waiters(served)  # type: ignore[arg-type]


class Events(list[int]):
    """What the application is told."""


def reconnecting(served: Networked, **arguments: Any) -> tuple[ternmq.Connection, Events]:
    events = Events()
    made = served.connect(**{"reconnect": True, "on_event": events.append, **arguments})
    return made, events


def test_reconnection_restores_handles_and_asks_again(served: Networked) -> None:
    connection, events = reconnecting(served)
    queue = connection.queue("A")
    queue.put(b"before")
    reply = connection.queue("SYSTEM.DEFAULT.MODEL.QUEUE", dynamic_name="R.*")
    name = reply.name
    before = connection.connection_id
    assert queue.get().data == b"before"
    browser = connection.queue("A", options=mq.MQOO_BROWSE)
    task = Task(lambda: browser.get(wait=30, options=mq.MQGMO_BROWSE_FIRST).data)
    until(lambda: waiting(served) == 1)
    served.cut()
    until(lambda: rc.MQRC_RECONNECTED in events)
    with served.connect() as other:
        other.put("A", b"after")
    assert task.outcome() == b"after"
    assert queue.get().data == b"after"
    assert events == [rc.MQRC_RECONNECTING, rc.MQRC_RECONNECTED]
    assert connection.connection_id != before
    assert connection.put(name, b"reply")
    assert reply.get(wait=5).data == b"reply"
    connection.disconnect()


def test_a_unit_of_work_is_lost_with_the_connection_and_reported(served: Networked) -> None:
    connection, events = reconnecting(served)
    queue = connection.queue("A")
    connection.begin()
    queue.put(b"lost", syncpoint=True)
    cut(served)
    with pytest.raises(ternmq.BackedOut) as error:
        queue.put(b"also", syncpoint=True)
    assert error.value.reason == rc.MQRC_BACKED_OUT
    with pytest.raises(ternmq.BackedOut):
        queue.get()
    connection.backout()
    assert events == [rc.MQRC_RECONNECTING, rc.MQRC_RECONNECTED]
    assert queue.try_get() is None
    with connection.unit_of_work():
        queue.put(b"new")
    assert queue.get().data == b"new"
    connection.disconnect()


def cut(served: Networked) -> None:
    """Cut, and wait until the server has noticed."""
    served.cut()
    until(lambda: served.host is not None and not served.host.sockets)


def test_a_put_or_a_commit_under_way_is_interrupted(served: Networked) -> None:
    connection, _events = reconnecting(served)
    queue = connection.queue("A")
    queue.put(b"first")
    cut(served)
    with pytest.raises(ternmq.MQError) as put:
        queue.put(b"x")
    assert put.value.reason == rc.MQRC_CALL_INTERRUPTED
    connection.begin()
    queue.put(b"y", syncpoint=True)
    cut(served)
    with pytest.raises(ternmq.MQError) as commit:
        connection.commit()
    assert commit.value.reason == rc.MQRC_CALL_INTERRUPTED
    assert queue.get(wait=5).data == b"first"
    connection.disconnect()


def test_a_get_outside_a_unit_under_way_is_interrupted(served: Networked) -> None:
    """Its message may have been on its way, and be gone."""
    connection, events = reconnecting(served)
    queue = connection.queue("A")
    for options in (0, mq.MQGMO_SYNCPOINT_IF_PERSISTENT):
        events.clear()
        task = Task(partial(queue.get, wait=30, options=options))
        until(lambda: waiting(served) == 1)
        served.cut()
        with pytest.raises(ternmq.MQError) as get:
            task.outcome()
        assert get.value.reason == rc.MQRC_CALL_INTERRUPTED
        assert events == [rc.MQRC_RECONNECTING, rc.MQRC_RECONNECTED]
    with served.connect() as other:
        other.put("A", b"after")
    assert queue.get(wait=5).data == b"after"
    connection.disconnect()


def test_the_first_get_of_a_unit_under_way_is_asked_again(served: Networked) -> None:
    connection, events = reconnecting(served)
    queue = connection.queue("A")
    task = Task(lambda: in_unit(connection, queue))
    until(lambda: waiting(served) == 1)
    served.cut()
    until(lambda: rc.MQRC_RECONNECTED in events)
    with served.connect() as other:
        other.put("A", b"after")
    assert task.outcome() == b"after"
    connection.disconnect()


def in_unit(connection: ternmq.Connection, queue: ternmq.Queue) -> bytes:
    data: bytes = queue.get(wait=30, syncpoint=True).data
    connection.commit()
    return data


def test_a_get_that_reads_ahead_under_way_is_interrupted(served: Networked) -> None:
    connection, _events = reconnecting(served)
    options = mq.MQOO_INPUT_SHARED | mq.MQOO_READ_AHEAD
    queue = connection.queue("A", options=options)
    task = Task(lambda: queue.get(wait=30).data)
    until(lambda: waiting(served) == 1)
    served.cut()
    with pytest.raises(ternmq.MQError) as get:
        task.outcome()
    assert get.value.reason == rc.MQRC_CALL_INTERRUPTED
    with served.connect() as other:
        other.put("A", b"after")
    assert queue.get(wait=5).data == b"after"
    until(lambda: waiting(served) == 1)  # it reads ahead, and another verb finds it broken
    cut(served)
    assert connection.queue("A").depth == 0
    with pytest.raises(ternmq.MQError) as next_get:
        queue.get(wait=5)
    assert next_get.value.reason == rc.MQRC_CALL_INTERRUPTED
    connection.disconnect()


def test_puts_without_an_answer_under_way_are_reported_by_mqstat(served: Networked) -> None:
    connection, _events = reconnecting(served)
    queue = connection.queue("A")
    queue.put(b"1", options=mq.MQPMO_ASYNC_RESPONSE)
    assert connection.status().put_success_count == 1
    queue.put(b"2", options=mq.MQPMO_ASYNC_RESPONSE)
    cut(served)
    with pytest.raises(ternmq.MQError) as status:
        connection.status()
    assert status.value.reason == rc.MQRC_CALL_INTERRUPTED
    assert connection.status().put_success_count == 0
    connection.disconnect()


def test_two_phases_under_way_are_interrupted_and_not_said_to_be_backed_out(
    served: Networked,
) -> None:
    connection, _events = reconnecting(served)
    queue = connection.queue("A")
    line = connection.transport.line  # type: ignore[attr-defined]
    exchanged = type(line).exchanged
    xid = ternmq.XID(1, b"global", b"branch")
    queue.put(b"one", syncpoint=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(line), "exchanged", losing(XA_PREPARE, exchanged))
        with pytest.raises(ternmq.MQError) as prepare:
            connection.prepare(xid)
        patch.setattr(type(line), "exchanged", losing(XA_COMMIT, exchanged))
        with pytest.raises(ternmq.MQError) as commit:
            connection.commit_prepared(xid)
    assert prepare.value.reason == rc.MQRC_CALL_INTERRUPTED
    assert commit.value.reason == rc.MQRC_CALL_INTERRUPTED
    assert connection.in_doubt() == []
    assert queue.get().data == b"one"
    connection.disconnect()


def losing(type: int, exchanged: Any) -> Any:
    """The connection is lost after a call of this type has happened, and before its answer."""

    def lost(line: Any, request: Any) -> Any:
        reply = exchanged(line, request)
        if request.type == type:
            request.is_sent = True
            raise EOFError("lost")
        return reply

    return lost


def test_reconnection_that_fails_says_so(served: Networked, tmp_path: Any) -> None:
    ini = tmp_path / "mqclient.ini"
    ini.write_text("CHANNELS:\n   ReconDelay=(20)\n   MQReconnectTimeout=0\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MQCLNTCF", str(ini))
        connection, events = reconnecting(served)
    queue = connection.queue("A")
    served.close()
    with pytest.raises(ternmq.MQError) as error:
        queue.get(wait=1)
    assert error.value.reason == rc.MQRC_RECONNECT_FAILED
    assert events == [rc.MQRC_RECONNECTING, rc.MQRC_RECONNECT_FAILED]
    with pytest.raises(ternmq.MQError) as again:
        queue.get()
    assert again.value.reason == rc.MQRC_CONNECTION_BROKEN


@pytest.fixture
def soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reconnection tries again after 20 ms."""
    ini = tmp_path / "mqclient.ini"
    ini.write_text("CHANNELS:\n   ReconDelay=(20)\n   MQReconnectTimeout=30\n")
    monkeypatch.setenv("MQCLNTCF", str(ini))


@pytest.mark.parametrize("same", [True, False])
def test_reconnection_outlives_a_restart_of_the_queue_manager(
    served: Networked, soon: None, tmp_path: Path, same: bool
) -> None:
    disk = MemoryDisk()
    first = Networked(tmp_path / "1", "QMR", started_on(disk))
    with first.connect() as setup:
        setup.define_queue("A")
    events: list[int] = []
    reconnect = "queueManager" if same else True
    connection = first.connect(reconnect=reconnect, on_event=events.append)
    queue = connection.queue("A")
    task = Task(lambda: queue.get(wait=-1).data)
    until(lambda: waiting(first) == 1)
    first.close()
    until(lambda: rc.MQRC_RECONNECTING in events)
    second = Networked(tmp_path / "2", "QMR", started_on(disk), first.port)
    with second:
        until(lambda: waiting(second) == 1)
        with second.connect() as other:
            other.put("A", b"after")
        assert task.outcome() == b"after"
        connection.disconnect()
    assert events == [rc.MQRC_RECONNECTING, rc.MQRC_RECONNECTED]


def started_on(disk: MemoryDisk) -> Started:
    return start(disk, "QMR", True, LogParameters(CIRCULAR, 3, 2, 64, False), "tester", "test")


def test_another_queue_manager_is_not_the_same_one(
    served: Networked, soon: None, tmp_path: Path
) -> None:
    (tmp_path / "mqclient.ini").write_text(
        "CHANNELS:\n   ReconDelay=(20)\n   MQReconnectTimeout=0\n"
    )
    events: list[int] = []
    connection = ternmq.connect("*", **served.way, reconnect="queueManager", on_event=events.append)
    queue = connection.queue("A")
    port = served.port
    served.close()
    with (
        Networked(tmp_path / "other", "QM2", None, port),
        pytest.raises(ternmq.MQError) as error,
    ):
        queue.get(wait=-1)
    assert error.value.reason == rc.MQRC_RECONNECT_FAILED
    assert "QMID_MISMATCH" in error.value.detail
    assert events == [rc.MQRC_RECONNECTING, rc.MQRC_RECONNECT_FAILED]


def test_queue_used_for_more_while_the_connection_is_cut_then_its_own_handle_is_widened(
    served: Networked,
) -> None:
    with served.connect() as other:
        other.define_queue("B")
    connection, _ = reconnecting(served)
    first, second = connection.queue("B"), connection.queue("B")
    queue = connection.queue("A")
    first.close()  # so that handles have other numbers after the reconnection
    cut(served)
    queue.put(b"one")
    assert queue.get().data == b"one"
    with served.connect() as other:
        shown = other.mqsc("DISPLAY CONN(*) TYPE(HANDLE) WHERE(OBJTYPE EQ QUEUE) ALL")
        opened = {str(one["OBJNAME"]): str(one["OPENOPTS"]) for one in shown if "OBJNAME" in one}
        assert opened["B"] == "MQOO_INQUIRE"
        assert "MQOO_OUTPUT" in opened["A"]
        assert "MQOO_INPUT_AS_Q_DEF" in opened["A"]
        assert [str(one["OBJNAME"]) for one in shown].count("A") == 1
    # What it was widened to is opened again as well.
    cut(served)
    assert queue.depth == 0
    queue.put(b"two")
    assert queue.get().data == b"two"
    assert second.depth == 0
    connection.disconnect()


def test_queue_at_another_queue_manager_then_each_use_has_a_handle(served: Networked) -> None:
    with served.connect() as connection:
        connection.transport.verbs.takes_back = False  # type: ignore[attr-defined]
        with connection.queue("A") as queue:
            queue.put(b"one")
            assert queue.get().data == b"one"
            assert queue.depth == 0
            with served.connect() as other:
                shown = other.mqsc("DISPLAY QSTATUS(A) TYPE(HANDLE) ALL")
            assert len(shown) == 3
        with served.connect() as other:
            other.delete_queue("A")


def test_subscriptions_when_reconnected_then_they_go_on(served: Networked) -> None:
    connection, _ = reconnecting(served)
    durable = connection.subscribe("a/#", durable="d", selector="n > 1")
    passing = connection.subscribe("a/#")
    provided = connection.subscribe("a/b", queue="A")
    topic = connection.topic("a/b")
    topic.put("first", properties={"n": 2})
    served.cut()
    assert durable.depth == 1  # it is asked again
    topic.put("second", properties={"n": 3})
    assert [one.text for one in durable.consume(wait=None)] == ["first", "second"]
    assert [one.text for one in passing.consume(wait=None)] == ["second"]  # its queue was new
    assert [one.text for one in provided.consume(wait=None)] == ["first", "second"]
    durable.close(remove=True)
    passing.close()
    provided.close()
    connection.disconnect()
