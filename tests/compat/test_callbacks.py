"""Goal: `cb` and `ctl` of ibmmq do what MQCB and MQCTL do, as our own API does.
Method: programs on the machine and through a channel; functions record what they are called with.
pymqi has neither.
"""

from __future__ import annotations

import threading
from typing import Any

import pytest

from ternmq.base import constants_all as mq
from ternmq.base import reasons as rc
from ternmq.compat import ibmmq
from ternmq.compat.pymqi import CMQC
from tests.compat.conftest import Program
from tests.unit.api.networked import CHANNEL, Networked

pytestmark = pytest.mark.core

START, STOP = mq.MQOP_START, mq.MQOP_STOP
REGISTER, DEREGISTER = mq.MQOP_REGISTER, mq.MQOP_DEREGISTER
SUSPEND, RESUME = mq.MQOP_SUSPEND, mq.MQOP_RESUME
SHARED = CMQC.MQOO_INPUT_SHARED


@pytest.fixture
def consuming(program: Program) -> Program:
    if not hasattr(program.qmgr, "ctl"):
        pytest.skip("pymqi has no MQCB")
    return program


class Heard:
    """The calls of functions, in order."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, int, bytes | None]] = []  # CallType, Reason, message
        self.states: list[int] = []
        self._changed = threading.Condition()

    def __call__(self, **given: Any) -> None:
        cbc = given["cbc"]
        with self._changed:
            self.calls.append((cbc.CallType, cbc.Reason, given["msg"]))
            self.states.append(cbc.State)
            self._changed.notify_all()

    def until(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.calls) >= count, 10), self.calls

    @property
    def messages(self) -> list[bytes]:
        return [data for _, _, data in self.calls if data is not None]


def register(program: Program, queue: Any, function: Any, options: int = 0, **cbd: Any) -> None:
    library = program.library
    gmo = library.GMO(Options=CMQC.MQGMO_WAIT | CMQC.MQGMO_NO_SYNCPOINT)
    gmo.WaitInterval = CMQC.MQWI_UNLIMITED
    described = library.CBD(CallbackFunction=function, Options=options, **cbd)
    queue.cb(operation=REGISTER, cbd=described, md=library.MD(), gmo=gmo)


def put(program: Program, name: str, *data: bytes) -> None:
    other = Program(program.library, program.machine, ("QM1",))
    for one in data:
        other.qmgr.put1(name, one)
    other.qmgr.disconnect()


def test_functions_of_two_queues_then_both_are_called_and_the_connection_is_theirs(
    consuming: Program,
) -> None:
    consuming.mqsc("DEFINE QLOCAL(SECOND) REPLACE")
    heard = Heard()
    queues = [consuming.queue(name, options=SHARED) for name in ("A", "SECOND")]
    for queue in queues:
        register(consuming, queue, heard)
    ctlo = consuming.library.CTLO()
    consuming.qmgr.ctl(START, ctlo)
    put(consuming, "A", b"1", b"2")
    put(consuming, "SECOND", b"3")
    heard.until(3)
    assert sorted(heard.messages) == [b"1", b"2", b"3"]
    assert consuming.reason(consuming.qmgr.put1, "A", b"x") == rc.MQRC_HCONN_ASYNC_ACTIVE
    assert consuming.reason(consuming.qmgr.ctl, START, ctlo) == rc.MQRC_HCONN_ASYNC_ACTIVE
    assert consuming.reason(queues[0].close) == rc.MQRC_HCONN_ASYNC_ACTIVE
    consuming.qmgr.ctl(SUSPEND, ctlo)
    consuming.qmgr.put1("A", b"4")
    assert len(heard.calls) == 3
    consuming.qmgr.ctl(RESUME, ctlo)
    heard.until(4)
    consuming.qmgr.ctl(STOP, ctlo)
    assert consuming.reason(consuming.qmgr.ctl, RESUME, ctlo) == rc.MQRC_OPERATION_NOT_ALLOWED
    assert consuming.reason(consuming.qmgr.ctl, 99, ctlo) == rc.MQRC_OPERATION_ERROR


def test_control_calls_and_events_then_the_function_is_called_for_each(
    consuming: Program,
) -> None:
    heard = Heard()
    every = mq.MQCBDO_REGISTER_CALL | mq.MQCBDO_START_CALL
    every |= mq.MQCBDO_STOP_CALL | mq.MQCBDO_DEREGISTER_CALL
    queue = consuming.queue("A", options=SHARED)
    register(consuming, queue, heard, every)
    ctlo = consuming.library.CTLO()
    consuming.qmgr.ctl(START, ctlo)
    consuming.mqsc("ALTER QLOCAL(A) GET(DISABLED)")
    heard.until(3)
    consuming.mqsc("ALTER QLOCAL(A) GET(ENABLED)")
    heard.until(4)
    consuming.qmgr.ctl(STOP, ctlo)
    queue.close()
    assert [(kind, reason) for kind, reason, _ in heard.calls] == [
        (mq.MQCBCT_REGISTER_CALL, 0),
        (mq.MQCBCT_START_CALL, 0),
        (mq.MQCBCT_EVENT_CALL, rc.MQRC_GET_INHIBITED),
        (mq.MQCBCT_EVENT_CALL, rc.MQRC_GET_ENABLED),
        (mq.MQCBCT_STOP_CALL, 0),
        (mq.MQCBCT_DEREGISTER_CALL, 0),
    ]
    assert heard.states[2:4] == [mq.MQCS_SUSPENDED_TEMPORARY, mq.MQCS_NONE]


def test_message_that_is_too_long_then_not_removed_and_suspended_until_resumed(
    consuming: Program,
) -> None:
    heard = Heard()
    queue = consuming.queue("A", options=SHARED)
    put(consuming, "A", b"too long")
    register(consuming, queue, heard, MaxMsgLength=3)
    ctlo = consuming.library.CTLO()
    consuming.qmgr.ctl(START, ctlo)
    heard.until(1)
    consuming.qmgr.ctl(STOP, ctlo)
    not_removed = (mq.MQCBCT_MSG_NOT_REMOVED, rc.MQRC_TRUNCATED_MSG_FAILED, b"too")
    assert heard.calls == [not_removed]
    assert heard.states == [mq.MQCS_SUSPENDED_USER_ACTION]
    queue.cb(operation=RESUME)
    consuming.qmgr.ctl(START, ctlo)
    heard.until(2)
    consuming.qmgr.ctl(STOP, ctlo)
    assert heard.calls == [not_removed, not_removed]
    assert consuming.plain(queue) == b"too long"


def test_event_handler_when_the_connection_is_cut_then_it_is_called(machine: Networked) -> None:
    heard, events = Heard(), Heard()
    client = Program(ibmmq, machine, ("QM1", CHANNEL, machine.conn))
    register(client, client.queue("A", options=SHARED), heard)
    described = ibmmq.CBD(CallbackFunction=events, CallbackType=mq.MQCBT_EVENT_HANDLER)
    client.qmgr.cb(operation=REGISTER, cbd=described)
    client.qmgr.ctl(START, ibmmq.CTLO())
    machine.cut()
    events.until(1)
    client.qmgr.ctl(STOP, ibmmq.CTLO())
    assert events.calls == [(mq.MQCBCT_EVENT_CALL, rc.MQRC_CONNECTION_BROKEN, None)]
    assert events.states == [mq.MQCS_STOPPED]
    assert heard.calls == []


def test_function_that_raises_then_it_is_reported_and_suspended(
    consuming: Program, capsys: pytest.CaptureFixture[str]
) -> None:
    called = threading.Event()

    def fail(**given: Any) -> None:
        called.set()
        raise ZeroDivisionError("in a function")

    queue = consuming.queue("A", options=SHARED)
    register(consuming, queue, fail)
    put(consuming, "A", b"1", b"2")
    consuming.qmgr.ctl(START, consuming.library.CTLO())
    assert called.wait(10)
    consuming.qmgr.ctl(STOP, consuming.library.CTLO())
    assert "ZeroDivisionError: in a function" in capsys.readouterr().err
    assert consuming.plain(queue) == b"2"


def test_operations_without_a_function_then_2448_and_2486(consuming: Program) -> None:
    queue = consuming.queue("A", options=SHARED)
    for operation in (DEREGISTER, SUSPEND, RESUME):
        assert (
            consuming.reason(lambda operation=operation: queue.cb(operation=operation))
            == rc.MQRC_CALLBACK_NOT_REGISTERED
        )
    assert consuming.reason(register, consuming, queue, None) == rc.MQRC_CALLBACK_ROUTINE_ERROR
