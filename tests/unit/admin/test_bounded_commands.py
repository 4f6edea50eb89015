"""Goal: a long DISPLAY is many short steps, between which others have their turn.

Method: count the objects that each step shows; change objects between the steps.
"""

import pytest

import ternmq
from ternmq.admin.execute import mqsc_execution
from ternmq.admin.execution import STEP_OBJECTS, Execution

pytestmark = pytest.mark.core
COUNT = 600


@pytest.fixture(scope="module")
def many() -> ternmq.QueueManager:
    manager = ternmq.memory("QM1")
    manager.mqsc("\n".join(f"DEFINE QLOCAL(Q.{number:04})" for number in range(COUNT)))
    return manager


@pytest.fixture(autouse=True, scope="module")
def closed(many: ternmq.QueueManager) -> object:
    yield
    many.close()


def inner(execution: Execution) -> Execution:
    found = getattr(execution, "_inner", execution)
    assert isinstance(found, Execution)
    return found


@pytest.mark.parametrize("text", ["DIS QL(Q.*) ALL", "DIS QS(Q.*)", "DIS QUEUE(Q.*) CURDEPTH"])
def test_display_when_long_then_bounded_steps(many: ternmq.QueueManager, text: str) -> None:
    kernel, link = many._shell.engine.kernel, many.verbs.link
    execution = mqsc_execution(text)
    shown = 0
    steps = 0
    done = False
    with many._shell.lock:
        while not done:
            done = execution.attempt(kernel, link)
            steps += 1
            now = len(inner(execution).answers)
            assert now - shown <= STEP_OBJECTS
            assert done or link.again
            shown = now
    assert len(execution.answers) == COUNT
    assert steps == -(-COUNT // STEP_OBJECTS)


def test_display_when_objects_go_between_steps_then_they_are_not_shown(
    many: ternmq.QueueManager,
) -> None:
    kernel, link = many._shell.engine.kernel, many.verbs.link
    execution = mqsc_execution("DIS QL(Q.*)")
    with many._shell.lock:
        assert not execution.attempt(kernel, link)
    many.mqsc(f"DELETE QLOCAL(Q.{COUNT - 1:04})")
    try:
        with many._shell.lock:
            while not execution.attempt(kernel, link):
                pass
        assert len(execution.answers) == COUNT - 1
    finally:
        many.mqsc(f"DEFINE QLOCAL(Q.{COUNT - 1:04})")
