"""Goal: an alert is raised by everything that may give a get another answer, once, and then no put
pays for it. Method: calls `await_messages` on a queue manager that the test drives.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.base.errors import MQError
from ternmq.kernel.alerts import RAISED_AT_ONCE
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.resolve import close, open_queue
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.mqi.steps.awaiting import AwaitMessages
from ternmq.ports.effect import Wakeable
from ternmq.values.calls import awaiting as calls
from tests.model.rig import Rig

pytestmark = pytest.mark.core


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig(LogParameters(CIRCULAR, 3, 2, 256, False))
    for name in ("Q", "R"):
        rig.qmgr.define_queue(name)
    yield rig
    rig.stop()


class Counted(Wakeable):
    """How often a caller was woken."""

    def __init__(self) -> None:
        self.count = 0

    def wake(self) -> None:
        self.count += 1


class Asking:
    """A connection that asks which of its queues may have a message."""

    def __init__(self, rig: Rig, *names: str, options: int = mq.MQOO_INPUT_SHARED) -> None:
        self.kernel = rig.engine.kernel
        self.link: Connection = rig.engine.connect("tester", "consumer")
        self.handles: list[Handle] = []
        for name in names:
            handle = open_queue(self.kernel, self.link, name, "", "AMQ.*", options)
            assert handle is not None
            self.handles.append(handle)

    def step(self, connection: str = "") -> AwaitMessages:
        name = connection or self.link.tag.hex()
        return AwaitMessages(calls.AwaitMessages(list(self.handles), name, 0))

    def ask(self) -> list[str]:
        step = self.step()
        assert step.attempt(self.kernel, self.link)
        names = {handle.handle_id: handle.resolved_name for handle in self.handles}
        return [names[one] for one in step.call.ready]


def put(rig: Rig, name: str = "Q") -> None:
    with rig.qmgr.queue(name) as queue:
        queue.put(b"x", persistent=False)


def test_first_ask_then_every_queue_and_after_that_only_where_something_came(rig: Rig) -> None:
    asking = Asking(rig, "Q", "R")
    assert asking.ask() == ["Q", "R"]
    assert asking.ask() == []
    put(rig, "R")
    put(rig, "R")
    assert asking.ask() == ["R"]
    assert asking.ask() == []  # although the messages are still there


def test_commit_backout_and_inhibit_then_each_raises_it(rig: Rig) -> None:
    asking = Asking(rig, "Q")
    asking.ask()
    with rig.qmgr.unit_of_work(), rig.qmgr.queue("Q") as queue:
        queue.put(b"x")
        assert asking.ask() == []
    assert asking.ask() == ["Q"]
    unit = rig.qmgr.unit_of_work()
    with unit, rig.qmgr.queue("Q") as queue:
        queue.get()
        unit.backout()
    assert asking.ask() == ["Q"]
    with rig.qmgr.queue("Q") as queue:
        queue.set({mq.MQIA_INHIBIT_GET: mq.MQQA_GET_INHIBITED})
        assert asking.ask() == ["Q"]
        queue.set({mq.MQIA_INHIBIT_GET: mq.MQQA_GET_ALLOWED})
    assert asking.ask() == ["Q"]


def test_caller_that_waits_for_two_queues_when_both_get_a_message_then_it_is_woken_once(
    rig: Rig,
) -> None:
    asking = Asking(rig, "Q", "R")
    asking.ask()
    step = asking.step()
    assert step.attempt(asking.kernel, asking.link)
    assert step.call.lacks()
    waker = Counted()
    assert step.await_more(asking.kernel, asking.link, waker)
    put(rig, "Q")
    put(rig, "R")
    assert waker.count == 1
    step.stop_awaiting(asking.kernel, asking.link, waker)
    assert step.attempt(asking.kernel, asking.link)
    assert len(step.call.ready) == 2


def test_message_between_the_ask_and_the_wait_then_it_does_not_wait(rig: Rig) -> None:
    asking = Asking(rig, "Q", "R")
    asking.ask()
    step = asking.step()
    step.attempt(asking.kernel, asking.link)
    put(rig)
    assert not step.await_more(asking.kernel, asking.link, Counted())


def test_handle_that_is_closed_then_nothing_is_left_of_its_alert(rig: Rig) -> None:
    asking = Asking(rig, "Q", "R")
    asking.ask()
    local = asking.handles[0].local
    assert local is not None
    kernel = asking.kernel
    before = int(kernel.waits)
    assert (len(local.waiters.alerts), local.waiters.count) == (1, 1)
    assert close(kernel, asking.handles[0], 0)
    assert (len(local.waiters.alerts), local.waiters.count) == (0, 0)
    assert kernel.waits == before - 1
    assert asking.ask() == ["Q"]  # the get by it says that it is closed


def test_handle_that_may_not_get_then_it_does_not_hear_of_messages(rig: Rig) -> None:
    asking = Asking(rig, "Q", options=mq.MQOO_OUTPUT)
    assert asking.ask() == ["Q"]
    assert asking.handles[0].alert is None


def test_connection_of_another_name_then_the_call_is_stale(rig: Rig) -> None:
    asking = Asking(rig, "Q")
    step = asking.step("00" * 24)
    assert step.attempt(asking.kernel, asking.link)
    assert (step.call.is_stale, step.call.ready, step.call.lacks()) == (True, [], False)


def test_queue_manager_that_quiesces_then_the_call_is_refused(rig: Rig) -> None:
    asking = Asking(rig, "Q")
    asking.ask()
    rig.engine.quiesce()
    with pytest.raises(MQError) as caught:
        asking.ask()
    assert caught.value.reason == rc.MQRC_Q_MGR_QUIESCING


def test_more_alerts_than_a_step_raises_then_later_steps_raise_the_rest(rig: Rig) -> None:
    count = RAISED_AT_ONCE + 10
    all_asking = [Asking(rig, "Q") for _ in range(count)]
    for asking in all_asking:
        asking.ask()
    local = all_asking[0].handles[0].local
    assert local is not None
    put(rig)
    assert len(local.waiters.alerts) == 10
    rig.settle()
    assert [len(asking.ask()) for asking in all_asking] == [1] * count
