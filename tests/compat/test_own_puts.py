"""Goal: programs of pymqi and ibmmq get what their own unit of work has put, as with IBM MQ.
Method: both libraries, on the machine and through a channel, with another connection that looks.
"""

from __future__ import annotations

import pytest

from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE
from tests.compat.conftest import Program
from tests.unit.api.served import Served

pytestmark = pytest.mark.core


def test_put_inside_when_its_own_unit_looks_then_it_is_browsed_and_got(program: Program) -> None:
    queue = program.queue("A")
    inside = program.library.PMO(Options=mq.MQPMO_SYNCPOINT)
    for text in (b"first", b"second", b"third"):
        queue.put(text, program.md(), inside)
    assert program.plain(queue, mq.MQGMO_BROWSE_FIRST) == b"first"
    assert program.plain(queue, mq.MQGMO_BROWSE_NEXT) == b"second"
    under = mq.MQGMO_MSG_UNDER_CURSOR | mq.MQGMO_SYNCPOINT
    assert program.plain(queue, under) == b"second"
    assert program.plain(queue, mq.MQGMO_SYNCPOINT) == b"first"
    outside = mq.MQGMO_NO_SYNCPOINT
    assert program.reason(program.plain, queue, outside) == MQRC_NO_MSG_AVAILABLE
    with Served.connect(program.machine) as other, other.queue("A") as theirs:
        assert (theirs.depth, theirs.try_get()) == (1, None)
        program.qmgr.commit()
        assert [message.data for message in theirs.browse()] == [b"third"]
    assert program.plain(queue, outside) == b"third"


def test_put_inside_when_it_is_got_and_backed_out_then_nothing_is_left(program: Program) -> None:
    queue = program.queue("A")
    queue.put(b"x", program.md(), program.library.PMO(Options=mq.MQPMO_SYNCPOINT))
    assert program.plain(queue, mq.MQGMO_SYNCPOINT) == b"x"
    program.qmgr.backout()
    reason = program.reason(program.plain, queue, mq.MQGMO_SYNCPOINT)
    assert reason == MQRC_NO_MSG_AVAILABLE
