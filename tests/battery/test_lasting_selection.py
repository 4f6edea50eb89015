"""Goal: selection finds the same messages after a restart, a crash, compaction, MOVE QLOCAL and the
end of a prepared unit of work, through every binding.
Method: the battery's queue managers; messages with properties, in memory and swept to segments.
"""

from __future__ import annotations

from typing import Any

import pytest

import ternmq
from ternmq import XID, QueueManager
from ternmq.base import constants as mq
from tests.battery.places import Place, sweep
from tests.battery.test_properties_and_selectors import HEADED, MD, PAYLOAD

pytestmark = pytest.mark.core

RED = "colour = 'red' AND number >= 0"


def put(connection: ternmq.Connection, numbers: range, size: int = 0) -> None:
    """Persistent messages on queue A; every third is red."""
    with connection.queue("A") as queue, connection.unit_of_work() as unit:
        for number in numbers:
            colour = "blue" if number % 3 else "red"
            properties: dict[str, Any] = {"colour": colour, "number": number, "filling": "f" * size}
            queue.put(b"%d" % number, persistent=True, properties=properties)
            if number % 200 == 199:
                unit.commit()


def selected(qmgr: QueueManager, name: str = "A", selector: str = RED) -> list[int]:
    with qmgr.queue(name, selector=selector) as queue:
        return [int(message.data) for message in queue.browse()]


@pytest.mark.parametrize("crashes", [False, True])
def test_selection_after_a_restart_then_as_before(place: Place, crashes: bool) -> None:
    """S24: strings of the alias and of the handle, properties of a header, too."""
    qmgr = place.qmgr
    qmgr.define_queue("A")
    assert qmgr.mqsc("DEFINE QALIAS(X) TARGET(A) SELECTOR('colour = ''red''')")[0].ok
    with qmgr.queue("A") as queue:
        put(qmgr, range(30))
        queue.put(HEADED, descriptor=MD, persistent=True)
    qmgr = place.crash() if crashes else place.restart()
    assert selected(qmgr) == list(range(0, 30, 3))
    assert selected(qmgr, "X", "number < 10") == [0, 3, 6, 9]
    with qmgr.queue("A", selector="a = '1'") as queue:
        assert queue.get().data == PAYLOAD
    with qmgr.queue("X") as queue:
        assert [int(queue.get().data) for _ in range(10)] == list(range(0, 30, 3))
        assert queue.try_get() is None


def test_selection_after_compaction_then_as_before(place: Place) -> None:
    """A handle that looked at the segment before it was compacted, others after, and a crash."""
    qmgr = place.qmgr
    qmgr.define_queue("A", persistent_buffer=65_536, nonpersistent_buffer=65_536, max_depth=100_000)
    with qmgr.queue("A") as queue, qmgr.queue("A", selector=RED) as early:
        put(qmgr, range(1_500), 100)
        assert sweep(qmgr, "A") > 1_000
        qmgr.checkpoint()
        assert [int(early.get().data) for _ in range(3)] == [0, 3, 6]
        for number, message in enumerate(list(queue.browse())):
            if number % 8:
                queue.get(msg_id=message.msg_id, syncpoint=True)
            if number % 200 == 199:
                qmgr.commit()
        qmgr.commit()
        for _ in range(3):
            qmgr.checkpoint()
            qmgr.started.shell.run_effects()
        left = [int(message.data) for message in queue.browse()]
        red = [number for number in left if number % 3 == 0]
        assert len(left) < 200
        assert len(red) > 50
        assert selected(qmgr) == red
        assert [int(early.get().data) for _ in range(5)] == red[:5]
    qmgr = place.crash()
    assert selected(qmgr) == red[5:]
    assert selected(qmgr, "A", "number > 1400 AND colour <> 'red'") == [
        number for number in left if number > 1400 and number % 3
    ]


@pytest.mark.parametrize("commit", [False, True])
@pytest.mark.parametrize("gets", [False, True])
def test_prepared_unit_when_it_ends_after_the_search_had_passed_it_then_the_handle_finds_it(
    qmgr: QueueManager, gets: bool, commit: bool
) -> None:
    """A message that a unit in doubt holds is there for a handle that looked, once that ends so
    that it is on the queue."""
    qmgr.define_queue("A")
    xid = XID(1, b"global", b"branch")
    with qmgr.connect() as other, other.queue("A") as theirs:
        if gets:
            put(other, range(1))
            theirs.get(syncpoint=True)
        else:
            red: dict[str, Any] = {"colour": "red", "number": 0}
            theirs.put(b"0", persistent=True, properties=red, syncpoint=True)
        with qmgr.queue("A", selector=RED) as queue:
            put(qmgr, range(1, 3))
            assert queue.try_get() is None
            assert other.prepare(xid)
            assert queue.try_get() is None
            if commit:
                qmgr.commit_prepared(xid)
            else:
                qmgr.backout_prepared(xid)
            found = queue.try_get()
            is_there = gets != commit
            assert (found is not None) == is_there
            if found is not None:
                assert (found.data, found.backout_count) == (b"0", 1 if gets else 0)


@pytest.mark.parametrize("swept", [False, True])
def test_move_when_messages_have_properties_then_selectors_find_them_there(
    qmgr: QueueManager, swept: bool
) -> None:
    qmgr.define_queue("A", persistent_buffer=65_536, max_depth=100_000)
    qmgr.define_queue("B", persistent_buffer=65_536, max_depth=100_000)
    with qmgr.queue("A") as queue:
        put(qmgr, range(1_200 if swept else 30), 500)
        queue.put(HEADED, descriptor=MD, persistent=True)
    if swept:
        assert sweep(qmgr, "A") > 500
    before = selected(qmgr)
    assert qmgr.mqsc("MOVE QLOCAL(A) TOQLOCAL(B)")[0].ok
    assert (selected(qmgr), selected(qmgr, "B")) == ([], before)
    with qmgr.queue("B", selector="a = '1'") as queue:
        moved = queue.get(options=mq.MQGMO_PROPERTIES_FORCE_MQRFH2)
        assert moved.data == HEADED
    with qmgr.queue("B", selector="number = 7") as queue:
        assert queue.get().properties["filling"] == "f" * 500
