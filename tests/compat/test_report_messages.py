"""Goal: programs of pymqi and ibmmq get the same report messages as all others.
Method: COA, COD and expiration with each option for data, on the machine and through a channel.
"""

from __future__ import annotations

from typing import Any

import pytest

from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE
from tests.compat.conftest import Program

pytestmark = pytest.mark.core
BODY = b"0123456789" * 20
WAIT = mq.MQGMO_WAIT | mq.MQGMO_NO_SYNCPOINT
ONE = b"1".ljust(24)


def opened(program: Program) -> tuple[Any, Any]:
    program.mqsc("DEFINE QLOCAL(REPLIES) REPLACE")
    program.mqsc("CLEAR QLOCAL(REPLIES)")
    return program.queue("A"), program.queue("REPLIES")


def put(program: Program, queue: Any, report: int, expiry: int = -1) -> Any:
    md = program.md(
        Report=report,
        ReplyToQ=b"REPLIES",
        Format=b"MQSTR",
        MsgId=ONE,
        Expiry=expiry,
    )
    queue.put(BODY, md, program.library.PMO(Options=mq.MQPMO_NO_SYNCPOINT))
    return md


def got(program: Program, queue: Any, wait: int = 5000) -> tuple[bytes, Any]:
    md = program.md()
    return queue.get(None, md, program.gmo(Options=WAIT, WaitInterval=wait)), md


@pytest.mark.parametrize("option", [mq.MQRO_COA, mq.MQRO_COD, mq.MQRO_EXPIRATION])
def test_report_when_asked_for_then_it_has_the_data_and_identifiers_asked_for(
    program: Program, option: int
) -> None:
    queue, replies = opened(program)
    feedback = {
        mq.MQRO_COA: mq.MQFB_COA,
        mq.MQRO_COD: mq.MQFB_COD,
        mq.MQRO_EXPIRATION: mq.MQFB_EXPIRATION,
    }[option]
    for report, wanted in ((option, b""), (option * 3, BODY[:100]), (option * 7, BODY)):
        put(program, queue, report, 1 if option == mq.MQRO_EXPIRATION else -1)
        if option == mq.MQRO_EXPIRATION:
            # It expires while a get waits on a queue that has none.
            assert program.reason(got, program, replies, 150) == MQRC_NO_MSG_AVAILABLE
            assert program.reason(got, program, queue, 1) == MQRC_NO_MSG_AVAILABLE
        else:
            assert got(program, queue)[0] == BODY
        data, md = got(program, replies)
        assert (data, md.MsgType, md.Feedback) == (wanted, mq.MQMT_REPORT, feedback)
        assert (md.CorrelId, md.Format.strip()) == (ONE, b"MQSTR")
        assert md.PutApplType == mq.MQAT_QMGR
    assert program.reason(got, program, replies, 1) == MQRC_NO_MSG_AVAILABLE


def test_report_in_a_unit_when_backed_out_then_it_is_gone(program: Program) -> None:
    queue, replies = opened(program)
    library = program.library
    put(program, queue, mq.MQRO_COD)
    for end in (program.qmgr.backout, program.qmgr.commit):
        gmo = library.GMO(Options=mq.MQGMO_SYNCPOINT)
        assert queue.get(None, library.MD(), gmo) == BODY
        assert program.reason(got, program, replies, 1) == MQRC_NO_MSG_AVAILABLE
        end()
    assert got(program, replies)[1].Feedback == mq.MQFB_COD
