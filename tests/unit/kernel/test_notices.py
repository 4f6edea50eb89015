"""Goal: the core tells what operators should know, once, and never without bound.

Method: a queue manager in memory whose parts are changed by hand, and one on a log that is too
small.
"""

import pytest

import ternmq
from ternmq.kernel.notices import NOTICES_MAX, Notices

pytestmark = pytest.mark.core


def reported(notices: Notices) -> list[str]:
    return [notice.message_id for notice in notices.take()]


def test_notices_are_taken_once() -> None:
    notices = Notices()
    notices.add("AMQ7463E", ("QM1",))
    notices.add("AMQ7463E", ("QM1",))  # the same again says nothing new
    notices.add("AMQ7463E", ("QM2",))
    assert [notice.inserts for notice in notices.take()] == [("QM1",), ("QM2",)]
    assert notices.take() == []


def test_without_a_taker_the_oldest_go() -> None:
    notices = Notices()
    for number in range(NOTICES_MAX + 3):
        notices.add("AMQ7469W", (number,))
    assert notices.dropped == 3
    taken = notices.take()
    assert len(taken) == NOTICES_MAX
    assert taken[0].inserts == (3,)
    assert notices.dropped == 0


def test_damage_is_reported_once_with_the_name_of_the_object() -> None:
    with ternmq.memory("QM1") as qm:
        qm.define_queue("A")
        kernel = qm.started.shell.engine.kernel
        kernel.catalog.damaged[kernel.catalog.definitions["A"].object_id] = "wrong checksum"
        kernel.notices.look(kernel)
        kernel.notices.look(kernel)
        (notice,) = kernel.notices.take()
        assert notice.message_id == "AMQ7472W"
        assert notice.inserts == ("A", "queue", "wrong checksum")


def test_backed_out_units_are_counted() -> None:
    with ternmq.memory("QM1") as qm:
        kernel = qm.started.shell.engine.kernel
        kernel.keeper.victims = 2
        kernel.notices.look(kernel)
        assert [notice.inserts for notice in kernel.notices.take()] == [(2,)]


def test_a_breakdown_says_why() -> None:
    qm = ternmq.memory("QM1")
    try:
        shell = qm.started.shell
        with shell.lock:
            shell.engine.break_down("a test wants it")
        assert reported(shell.engine.kernel.notices) == ["AMQ6118S"]
    finally:
        qm.close()
