"""Goal: functions of ibmmq are stopped, started and have units of work as with MQ; the rows are
those of docs/reference/conformance-messages.md.
Method: programs on the machine and through a channel, whose functions make calls of their own.
"""

from __future__ import annotations

import threading
from typing import Any

import pytest

from ternmq.base import constants_all as mq
from ternmq.base import reasons as rc
from ternmq.compat.pymqi import CMQC
from tests.compat.conftest import Program
from tests.compat.test_callbacks import REGISTER, SHARED, START, STOP, Heard, put, register
from tests.compat.test_callbacks import consuming as consuming

pytestmark = pytest.mark.core

WAIT = mq.MQOP_START_WAIT


def listen(program: Program, queue: Any, function: Any, options: int, **md: Any) -> None:
    """Register a function with these MQGMO options and identifiers."""
    library = program.library
    gmo = program.gmo(Options=options | CMQC.MQGMO_WAIT, WaitInterval=CMQC.MQWI_UNLIMITED)
    described = library.CBD(CallbackFunction=function)
    queue.cb(operation=REGISTER, cbd=described, md=program.md(**md), gmo=gmo)


def test_identifiers_and_browse_then_as_for_gets(consuming: Program) -> None:
    """K2."""
    wanted = b"c" * 24
    queue = consuming.queue("A")
    for data, correl_id in ((b"1", wanted), (b"2", bytes(24)), (b"3", wanted)):
        queue.put(data, consuming.md(CorrelId=correl_id))
    ctlo = consuming.library.CTLO()
    for options, found in (
        (CMQC.MQGMO_BROWSE_NEXT | CMQC.MQGMO_NO_SYNCPOINT, [b"1", b"3"]),
        (CMQC.MQGMO_NO_SYNCPOINT, [b"1", b"3"]),
    ):
        heard = Heard()
        listen(consuming, queue, heard, options, CorrelId=wanted)
        consuming.qmgr.ctl(START, ctlo)
        heard.until(2)
        consuming.qmgr.ctl(STOP, ctlo)
        assert heard.messages == found
        queue.cb(operation=mq.MQOP_DEREGISTER)
    assert consuming.plain(queue) == b"2"


def test_stop_when_a_function_is_under_way_then_it_waits_for_its_end(consuming: Program) -> None:
    """K4."""
    begun, may_end = threading.Event(), threading.Event()
    ended: list[str] = []

    def work(**given: Any) -> None:
        begun.set()
        assert may_end.wait(10)
        ended.append("function")

    register(consuming, consuming.queue("A", options=SHARED), work)
    ctlo = consuming.library.CTLO()
    consuming.qmgr.ctl(START, ctlo)
    put(consuming, "A", b"1")
    assert begun.wait(10)

    def stop() -> None:
        consuming.qmgr.ctl(STOP, ctlo)
        ended.append("stop")

    stopping = threading.Thread(target=stop)
    stopping.start()
    assert ended == []
    may_end.set()
    stopping.join(10)
    assert ended == ["function", "stop"]


def test_stop_inside_a_function_then_the_start_that_waits_ends(consuming: Program) -> None:
    """K4: MQOP_START takes a stop of the same call back."""
    messages: list[bytes] = []
    ctlo = consuming.library.CTLO()

    def work(**given: Any) -> None:
        messages.append(given["msg"])
        consuming.qmgr.ctl(STOP, ctlo)
        if given["msg"] == b"1":
            consuming.qmgr.ctl(START, ctlo)

    queue = consuming.queue("A", options=SHARED)
    register(consuming, queue, work)
    put(consuming, "A", b"1", b"2", b"3")
    consuming.qmgr.ctl(WAIT, ctlo)
    assert messages == [b"1", b"2"]
    assert consuming.plain(queue) == b"3"


def test_start_that_waits_then_its_reasons(consuming: Program) -> None:
    """K5."""
    ctlo = consuming.library.CTLO()
    ctl = consuming.qmgr.ctl
    assert consuming.reason(ctl, WAIT, ctlo) == rc.MQRC_NO_CALLBACKS_ACTIVE
    reasons: list[int] = []

    def work(**given: Any) -> None:
        reasons.append(consuming.reason(ctl, WAIT, ctlo))
        ctl(STOP, ctlo)

    queue = consuming.queue("A", options=SHARED)
    register(consuming, queue, work, mq.MQCBDO_START_CALL)
    assert consuming.reason(ctl, START, ctlo) == rc.MQRC_CONNECTION_STOPPED
    assert reasons == [rc.MQRC_ENVIRONMENT_ERROR]


@pytest.mark.parametrize("commits", [True, False], ids=["commit", "backout"])
def test_unit_of_a_function_then_its_message_and_puts_are_one(
    consuming: Program, commits: bool
) -> None:
    """K13."""
    consuming.mqsc("DEFINE QLOCAL(SECOND) REPLACE")
    consuming.mqsc("CLEAR QLOCAL(SECOND)")
    counts: list[int] = []
    target = consuming.queue("SECOND")
    ctlo = consuming.library.CTLO()

    def work(**given: Any) -> None:
        counts.append(given["md"].BackoutCount)
        pmo = consuming.library.PMO(Options=CMQC.MQPMO_SYNCPOINT)
        target.put(b"done", consuming.md(), pmo)
        if commits or counts == [0, 1]:
            consuming.qmgr.commit()
            consuming.qmgr.ctl(STOP, ctlo)
        else:
            consuming.qmgr.backout()

    queue = consuming.queue("A", options=SHARED)
    listen(consuming, queue, work, CMQC.MQGMO_SYNCPOINT)
    put(consuming, "A", b"1")
    consuming.qmgr.ctl(WAIT, ctlo)
    assert counts == ([0] if commits else [0, 1])
    assert consuming.reason(consuming.plain, queue) == rc.MQRC_NO_MSG_AVAILABLE
    assert consuming.plain(target) == b"done"
    assert consuming.reason(consuming.plain, target) == rc.MQRC_NO_MSG_AVAILABLE


def test_no_message_within_the_wait_then_the_function_is_called_each_time(
    consuming: Program,
) -> None:
    """K9."""
    consuming.mqsc("DEFINE QLOCAL(SECOND) REPLACE")
    heard = Heard()
    queue = consuming.queue("SECOND", options=SHARED)
    gmo = consuming.gmo(Options=CMQC.MQGMO_WAIT | CMQC.MQGMO_NO_SYNCPOINT, WaitInterval=1)
    described = consuming.library.CBD(CallbackFunction=heard)
    queue.cb(operation=REGISTER, cbd=described, md=consuming.md(), gmo=gmo)
    ctlo = consuming.library.CTLO()
    consuming.qmgr.ctl(START, ctlo)
    heard.until(2)
    consuming.qmgr.ctl(STOP, ctlo)
    event = (mq.MQCBCT_EVENT_CALL, rc.MQRC_NO_MSG_AVAILABLE, None)
    assert heard.calls[:2] == [event, event]
