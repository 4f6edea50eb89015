"""Goal: selection strings choose the same messages through every binding.
Method: the battery's queue managers; handles with selectors beside plain ones, on local queues and
through alias queues with SELECTOR.
"""

from __future__ import annotations

import threading

import pytest

import ternmq
from ternmq import QueueManager
from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.codec.mqi.charv import CharV
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.values.calls.messages import Put1
from ternmq.values.calls.objects import Open

pytestmark = pytest.mark.core


@pytest.fixture
def filled(qmgr: QueueManager) -> QueueManager:
    """Queue A with six messages: priorities 0 to 2, formats RED and BLUE."""
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        for number in range(6):
            form = "RED" if number % 2 else "BLUE"
            queue.put(b"%d" % number, priority=number % 3, format=form)
    return qmgr


def read(queue: ternmq.Queue) -> list[bytes]:
    found: list[bytes] = []
    while True:
        message = queue.try_get()
        if message is None:
            return found
        found.append(message.data)


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("Root.MQMD.Format = 'RED'", [b"5", b"1", b"3"]),
        ("JMSPriority >= 1 AND Root.MQMD.Format <> 'RED'", [b"2", b"4"]),
        ("JMSPriority BETWEEN 1 AND 1", [b"1", b"4"]),
        ("JMSDeliveryMode = 'PERSISTENT'", []),
        ("Root.MQMD.Format LIKE 'B%'", [b"2", b"4", b"0"]),
        ("unknown IS NULL", [b"2", b"5", b"1", b"4", b"0", b"3"]),
        ("unknown = 1", []),
    ],
)
def test_get_with_a_selector_then_what_matches_in_the_order_of_gets(
    filled: QueueManager, selector: str, expected: list[bytes]
) -> None:
    with filled.queue("A", selector=selector) as queue:
        assert [message.data for message in queue.browse()] == expected
        assert read(queue) == expected
    with filled.queue("A") as queue:
        assert len(read(queue)) == 6 - len(expected)


def test_get_with_a_selector_that_waits_then_a_put_that_matches_ends_it(
    filled: QueueManager,
) -> None:
    with filled.queue("A", selector="Root.MQMD.Format = 'GREEN'") as queue:
        with pytest.raises(ternmq.NoMessage):
            queue.get(wait=0.01)
        queue.put(b"green", format="GREEN")
        queue.put(b"red", format="RED")
        assert queue.get(wait=5).data == b"green"
        assert queue.try_get() is None


def test_message_that_was_backed_out_then_the_same_handle_gets_it_again(
    filled: QueueManager,
) -> None:
    with filled.queue("A", selector="Root.MQMD.Format = 'RED'") as queue:
        unit = filled.unit_of_work()
        with unit:
            assert queue.get().data == b"5"
            assert queue.get().data == b"1"
            unit.backout()
        again = queue.get()
        assert (again.data, again.backout_count) == (b"5", 1)
        assert read(queue) == [b"1", b"3"]


@pytest.mark.parametrize(
    ("selector", "reason"),
    [("colour = ", 2459), ("colour == 'red'", 2459), ("FALSE", 2504), ("a=1 or " * 1700, 2519)],
)
def test_selector_that_is_wrong_then_its_reason(
    filled: QueueManager, selector: str, reason: int
) -> None:
    with pytest.raises(MQError) as caught:
        filled.queue("A", selector=selector)
    assert caught.value.reason == reason


def test_selector_on_a_handle_that_cannot_read_then_2516(filled: QueueManager) -> None:
    with filled.queue("A", selector="a = 1", options=mq.MQOO_BROWSE):
        pass
    with pytest.raises(MQError) as caught:
        filled.run(Open(ObjectDescriptor(object_name="A"), mq.MQOO_OUTPUT, selector="a = 1"))
    assert caught.value.reason == 2516


def test_descriptor_that_describes_a_text_when_there_is_none_then_2519(
    filled: QueueManager,
) -> None:
    od = ObjectDescriptor(object_name="A", selection_string=CharV(offset=400, length=4))
    with pytest.raises(MQError) as caught:
        filled.run(Open(od, mq.MQOO_INPUT_SHARED))
    assert caught.value.reason == 2519


def test_put1_with_a_selection_string_then_2516_and_nothing_is_put(filled: QueueManager) -> None:
    od = ObjectDescriptor(object_name="A", selection_string=CharV(offset=400, length=4))
    form = filled.transport.put_form(ternmq.Descriptor(), 0, "MQPUT1")
    with pytest.raises(MQError) as caught:
        filled.run(Put1(od, form, b"x"))
    assert caught.value.reason == 2516
    with filled.queue("A") as queue:
        assert queue.depth == 6


# ---- alias queues


def test_alias_with_a_selector_then_gets_and_browses_by_it_are_filtered_and_puts_are_not(
    filled: QueueManager,
) -> None:
    filled.mqsc("DEFINE QALIAS(X) TARGET(A) SELECTOR('Root.MQMD.Format = ''RED''')")
    with filled.queue("X") as alias:
        assert [message.data for message in alias.browse()] == [b"5", b"1", b"3"]
        alias.put(b"blue", format="BLUE", priority=9)
        alias.put(b"red", format="RED", priority=9)
        assert read(alias) == [b"red", b"5", b"1", b"3"]
    with filled.queue("A") as queue:
        assert read(queue) == [b"blue", b"2", b"4", b"0"]


def test_alias_with_a_selector_and_a_selector_of_the_handle_then_both_must_hold(
    filled: QueueManager,
) -> None:
    filled.mqsc("DEFINE QALIAS(X) TARGET(A) SELECTOR('Root.MQMD.Format = ''RED''')")
    with filled.queue("X", selector="JMSPriority = 1 OR JMSPriority = 0") as alias:
        assert read(alias) == [b"1", b"3"]


def test_alias_whose_selector_is_altered_then_open_handles_keep_theirs(
    filled: QueueManager,
) -> None:
    filled.mqsc("DEFINE QALIAS(X) TARGET(A) SELECTOR('JMSPriority = 2')")
    with filled.queue("X") as before:
        assert before.get().data == b"2"
        filled.mqsc("ALTER QALIAS(X) SELECTOR('JMSPriority = 1')")
        assert before.get().data == b"5"
        with filled.queue("X") as after:
            assert read(after) == [b"1", b"4"]
        assert before.try_get() is None


# ---- many messages


def test_read_ahead_with_a_selector_then_what_matches_comes_and_the_rest_stays(
    qmgr: QueueManager,
) -> None:
    """S20: more than a window, with messages that come while it waits."""
    qmgr.mqsc("DEFINE QLOCAL(AHEAD) DEFREADA(YES)")
    with qmgr.queue("AHEAD") as plain:
        for number in range(300):
            plain.put(f"{number}", properties={"odd": number % 2 == 1, "filling": "f" * 500})
        with qmgr.queue("AHEAD", selector="odd") as queue:
            found = [int(queue.get().text) for _ in range(100)]
            assert found == list(range(1, 200, 2))
            plain.put("even", properties={"odd": False})
            plain.put("late", properties={"odd": True})
            found += [int(queue.get(wait=5).text) for _ in range(50)]
            assert queue.get(wait=5).text == "late"
            assert queue.try_get() is None
        assert found == list(range(1, 300, 2))
        assert plain.depth == 151


def test_read_ahead_with_a_selector_when_it_is_closed_then_what_was_not_taken_stays(
    qmgr: QueueManager,
) -> None:
    """S20."""
    qmgr.mqsc("DEFINE QLOCAL(AHEAD) DEFREADA(YES)")
    with qmgr.queue("AHEAD") as plain:
        for number in range(6):
            plain.put(f"{number}", properties={"odd": number % 2 == 1})
        with qmgr.queue("AHEAD", selector="odd") as queue:
            assert queue.get().text == "1"
        assert [message.text for message in plain.browse()] == ["0", "2", "3", "4", "5"]


def test_consume_with_a_selector_then_what_matches_in_order(filled: QueueManager) -> None:
    """S20."""
    with filled.queue("A", selector="Root.MQMD.Format = 'RED'") as queue:
        assert [message.data for message in queue.consume(wait=0)] == [b"5", b"1", b"3"]
        assert queue.depth == 3


def test_listener_on_an_alias_with_a_selector_then_it_hears_what_matches(
    filled: QueueManager,
) -> None:
    """S20: MQCB and MQCTL in Python."""
    filled.mqsc("DEFINE QALIAS(X) TARGET(A) SELECTOR('Root.MQMD.Format = ''RED''')")
    heard: list[bytes] = []
    done = threading.Event()

    def hear(message: ternmq.Message) -> None:
        heard.append(message.data)
        if message.data == b"last":
            done.set()

    with filled.connect() as connection, ternmq.listen(connection, "X", hear):
        filled.put("A", b"blue", format="BLUE")
        filled.put("A", b"last", format="RED", priority=0)
        assert done.wait(20)
    assert heard == [b"5", b"1", b"3", b"last"]


@pytest.mark.parametrize("given", [5, None, b"a = 1"])
def test_queue_when_the_selector_is_not_text_then_a_type_error_with_its_value(
    filled: QueueManager, given: object
) -> None:
    with pytest.raises(TypeError, match=r"a selector is text|str object expected"):
        filled.queue("A", selector=given)  # type: ignore[arg-type]
    with filled.queue("A") as queue:
        assert queue.depth == 6
