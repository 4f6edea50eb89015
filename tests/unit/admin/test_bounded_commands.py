"""Goal: a long DISPLAY is many short steps, between which others have their turn.

Method: count the objects that each step shows; change objects between the steps.
"""

import pytest

import ternmq
from ternmq.admin.execute import mqsc_execution
from ternmq.admin.execution import STEP_OBJECTS, Execution
from ternmq.admin.pcf.exchange import STEP_COMMANDS, Exchange, acting_link
from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.structures import PCFMessage
from tests.mqi import mqi

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
    kernel, link = many.started.shell.engine.kernel, mqi(many).link
    execution = mqsc_execution(text)
    shown = 0
    steps = 0
    done = False
    with many.started.shell.lock:
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
    kernel, link = many.started.shell.engine.kernel, mqi(many).link
    execution = mqsc_execution("DIS QL(Q.*)")
    with many.started.shell.lock:
        assert not execution.attempt(kernel, link)
    many.mqsc(f"DELETE QLOCAL(Q.{COUNT - 1:04})")
    try:
        with many.started.shell.lock:
            while not execution.attempt(kernel, link):
                pass
        assert len(execution.answers) == COUNT - 1
    finally:
        many.mqsc(f"DEFINE QLOCAL(Q.{COUNT - 1:04})")


def steps_of(manager: ternmq.QueueManager, text: str) -> tuple[int, Execution]:
    """How many steps a command takes, none of which shows too much."""
    kernel, link = manager.started.shell.engine.kernel, mqi(manager).link
    execution = mqsc_execution(text)
    steps = 1
    shown = 0
    with manager.started.shell.lock:
        while not execution.attempt(kernel, link):
            assert link.again
            steps += 1
            now = len(inner(execution).answers)
            assert now - shown <= STEP_OBJECTS
            shown = now
    return steps, execution


def test_authority_records_when_many_then_bounded_steps() -> None:
    with ternmq.memory("QM2") as manager:
        manager.mqsc(
            "\n".join(
                f"SET AUTHREC PROFILE(Q.{number}) OBJTYPE(QUEUE) PRINCIPAL('fred') AUTHADD(GET)"
                for number in range(COUNT)
            )
        )
        steps, execution = steps_of(manager, "DISPLAY AUTHREC OBJTYPE(QUEUE)")
        assert len(execution.answers) == COUNT
        assert steps == -(-COUNT // STEP_OBJECTS)
        steps, execution = steps_of(manager, "DISPLAY AUTHREC OBJTYPE(TOPIC)")
        assert [one.message for one in execution.answers] == ["AMQ8919I"]


def test_channel_rules_when_many_then_shown_and_removed_in_bounded_steps() -> None:
    rule = "SET CHLAUTH(A.CHANNEL) TYPE(ADDRESSMAP)"
    with ternmq.memory("QM2") as manager:
        manager.mqsc(
            "\n".join(
                f"{rule} ADDRESS('10.1.{number // 250}.{number % 250}') USERSRC(CHANNEL)"
                for number in range(COUNT)
            )
        )
        wanted = -(-COUNT // STEP_OBJECTS)
        steps, execution = steps_of(manager, "DISPLAY CHLAUTH(A.CHANNEL) TYPE(ADDRESSMAP)")
        assert (steps, len(execution.answers)) == (wanted, COUNT)
        steps, execution = steps_of(manager, f"{rule} ACTION(REMOVEALL)")
        assert (steps, [one.message for one in execution.answers]) == (wanted, ["AMQ8877I"])
        assert not manager.mqsc(f"{rule} ACTION(REMOVEALL)")[0].ok


def test_request_for_many_users_then_bounded_steps() -> None:
    with ternmq.memory("QM2") as manager:
        kernel = manager.started.shell.engine.kernel
        users = [f"user{number}" for number in range(100)]
        request = PCFMessage(
            mq.MQCFT_COMMAND,
            mq.MQCMD_SET_AUTH_REC,
            [
                pcf.string(mq.MQCACF_AUTH_PROFILE_NAME, "Q"),
                pcf.integer(mq.MQIACF_OBJECT_TYPE, mq.MQOT_Q),
                pcf.integers(mq.MQIACF_AUTH_ADD_AUTHS, [mq.MQAUTH_BROWSE]),
                pcf.strings(mq.MQCACF_PRINCIPAL_ENTITY_NAMES, users),
            ],
        )
        md = Descriptor(format=mq.MQFMT_ADMIN, user_id="mqm")
        exchange = Exchange(md, request.pack())
        link = acting_link(kernel, md)
        done = 0
        steps = 1
        with manager.started.shell.lock:
            while not exchange.attempt(kernel, link):
                assert link.again
                steps += 1
                assert len(exchange.answers) - done <= STEP_COMMANDS
                done = len(exchange.answers)
        assert steps == -(-len(users) // STEP_COMMANDS)
        assert len(kernel.authority.records.by_key) == len(users)
        assert exchange.replies.message(0).reason == 0
