"""Goal: MOVE QLOCAL moves messages as they are, in bounded steps, and lets nobody in meanwhile.

Method: queues in memory; the command is attempted step by step where others act in between.
"""

from __future__ import annotations

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.admin.commands import moving
from ternmq.admin.execute import mqsc_execution
from ternmq.admin.execution import Execution
from ternmq.codec.pcf import parameter as pcf
from tests.mqi import mqi
from tests.security.granting import connected, grant, secured
from tests.unit.admin.pcf_client import PCFClient

pytestmark = pytest.mark.core
TEXT = "MOVE QLOCAL(A) TOQLOCAL(B)"


def ids(manager: ternmq.Connection, text: str) -> list[str]:
    return [answer.message for answer in manager.mqsc(text)]


def depth(manager: ternmq.Connection, name: str) -> object:
    (answer,) = manager.mqsc(f"DISPLAY QLOCAL({name}) CURDEPTH")
    return answer.items[-1].value


def two_queues(manager: ternmq.QueueManager) -> None:
    manager.define_queue("A")
    manager.define_queue("B")


def begun(manager: ternmq.QueueManager) -> Execution:
    """A MOVE after its first step."""
    execution = mqsc_execution(TEXT)
    with manager.started.shell.lock:
        assert not execution.attempt(manager.started.shell.engine.kernel, mqi(manager).link)
    return execution


def finished(manager: ternmq.QueueManager, execution: Execution) -> list[str]:
    with manager.started.shell.lock:
        while not execution.attempt(manager.started.shell.engine.kernel, mqi(manager).link):
            pass
    return [answer.message for answer in execution.answers]


def test_move_then_groups_and_segments_are_whole() -> None:
    """Z24."""
    with ternmq.memory("QM1") as manager:
        for name in ("A", "B"):
            manager.define_queue(name, max_message_length=4096)
        data = bytes(range(250)) * 40
        md = ternmq.Descriptor(version=2, msg_flags=mq.MQMF_SEGMENTATION_ALLOWED)
        with manager.queue("A") as queue, queue.group() as group:
            group.put(data, descriptor=md, properties={"a": 1}, persistent=True)
            group.put(b"end", last=True)
        assert ids(manager, TEXT) == ["AMQ8990I"]
        options = mq.MQGMO_COMPLETE_MSG | mq.MQGMO_LOGICAL_ORDER | mq.MQGMO_ALL_MSGS_AVAILABLE
        with manager.queue("B") as queue:
            first, second = queue.get(options=options), queue.get(options=options)
            assert (first.data, dict(first.properties)) == (data, {"a": 1})
            assert (second.data, second.group_id) == (b"end", group.group_id)
            assert queue.depth == 0


def test_move_then_messages_are_as_they_were_and_in_their_order() -> None:
    with ternmq.memory("QM1") as manager:
        two_queues(manager)
        with manager.queue("A") as queue:
            for number in range(20):
                queue.put(
                    f"message {number}",
                    persistent=bool(number % 2),
                    priority=number % 3,
                    correl_id=bytes([number]) * 24,
                    expiry=600.0 if number == 5 else None,
                )
            before = list(queue.browse())
        assert ids(manager, TEXT) == ["AMQ8990I"]
        with manager.queue("B") as queue:
            after = list(queue.browse())
        assert [one.data for one in after] == [one.data for one in before]
        for one, other in zip(before, after, strict=True):
            assert one.descriptor.pack() == other.descriptor.pack()
        assert depth(manager, "A") == 0


def test_move_when_there_are_many_then_bounded_steps_and_nobody_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(moving, "STEP_MESSAGES", 10)
    with ternmq.memory("QM1") as manager:
        two_queues(manager)
        for number in range(25):
            manager.put("A", f"message {number}")
        execution = begun(manager)
        other = manager.connect()
        assert depth(other, "A") == 15
        for name in ("A", "B"):
            with pytest.raises(ternmq.ObjectInUse):
                other.queue(name, options=mq.MQOO_OUTPUT).put("no")
            with pytest.raises(ternmq.ObjectInUse):
                other.put(name, "no")
            assert ids(other, f"CLEAR QLOCAL({name})") == ["AMQ8148E"]
            assert ids(other, f"DELETE QLOCAL({name})") == ["AMQ8148E"]
        assert ids(other, TEXT) == ["AMQ8148E"]
        assert finished(manager, execution) == ["AMQ8990I"]
        other.put("A", "now")
        assert depth(other, "B") == 25


def test_move_when_who_asked_has_gone_then_the_queues_are_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(moving, "STEP_MESSAGES", 1)
    with ternmq.memory("QM1") as manager:
        two_queues(manager)
        for number in range(3):
            manager.put("A", f"message {number}")
        asking = manager.connect()
        execution = mqsc_execution(TEXT)
        with manager.started.shell.lock:
            assert not execution.attempt(manager.started.shell.engine.kernel, mqi(asking).link)
        asking.disconnect()
        assert ids(manager, f"{TEXT} TYPE(ADD)") == ["AMQ8990I"]
        with manager.queue("B") as queue:
            assert [one.text for one in queue] == ["message 0", "message 1", "message 2"]


def test_move_when_one_does_not_fit_then_those_before_it_are_moved() -> None:
    with ternmq.memory("QM1") as manager:
        two_queues(manager)
        manager.mqsc("ALTER QLOCAL(B) MAXMSGL(10)")
        for text in ("one", "two", "much too long for it", "four"):
            manager.put("A", text)
        (answer,) = manager.mqsc(TEXT)
        assert answer.reason == mq.MQRC_MSG_TOO_BIG_FOR_Q
        depths = [depth(manager, name) for name in ("A", "B")]
        assert depths == [2, 2]
        manager.put("A", "free again")


def test_move_when_inside_a_unit_of_work_then_that_is_not_touched() -> None:
    with ternmq.memory("QM1") as manager:
        two_queues(manager)
        manager.define_queue("C")
        manager.put("A", "one")
        manager.begin()
        manager.put("C", "mine")
        assert ids(manager, TEXT) == ["AMQ8990I"]
        manager.backout()
        depths = [depth(manager, name) for name in ("A", "B", "C")]
        assert depths == [0, 1, 0]


def test_move_when_a_queue_triggers_then_a_trigger_message_comes() -> None:
    with ternmq.memory("QM1") as manager:
        manager.define_queue("INIT")
        manager.mqsc("DEFINE PROCESS(P) APPLICID(x)")
        manager.define_queue("A")
        manager.mqsc("DEFINE QLOCAL(B) TRIGGER TRIGTYPE(FIRST) INITQ(INIT) PROCESS(P)")
        with manager.connect() as watcher, watcher.queue("INIT") as waiting:
            with pytest.raises(ternmq.NoMessage):
                waiting.get()
            manager.put("A", "one")
            assert ids(manager, TEXT) == ["AMQ8990I"]
            assert waiting.get(wait=10.0).data


def test_move_by_pcf() -> None:
    with ternmq.memory("QM1") as manager:
        two_queues(manager)
        manager.put("A", "one")
        manager.start_command_server()
        replies = PCFClient(manager).ask(
            mq.MQCMD_MOVE_Q,
            pcf.string(mq.MQCACF_FROM_Q_NAME, "A"),
            pcf.string(mq.MQCACF_TO_Q_NAME, "B"),
            pcf.integer(mq.MQIACF_MOVE_TYPE, mq.MQIACF_MOVE_TYPE_ADD),
        )
        assert [one.comp for one in replies] == [mq.MQCC_OK]
        assert depth(manager, "B") == 1


def test_move_when_the_user_may_change_one_of_the_two_then_refused() -> None:
    with secured() as manager:
        two_queues(manager)
        manager.put("A", "one")
        fred = connected(manager, "fred")
        grant(manager, "queue", "A", "fred", "chg")
        assert ids(fred, TEXT) == ["AMQ8135E"]
        grant(manager, "queue", "A", "fred", "none")
        grant(manager, "queue", "B", "fred", "chg")
        assert ids(fred, TEXT) == ["AMQ8135E"]
        grant(manager, "queue", "A", "fred", "chg")
        assert ids(fred, TEXT) == ["AMQ8990I"]
