"""Goal: an internal fault where nobody waits for the outcome is told and contained: in a command of
the command server it costs that command alone, in the housekeeper it stops the queue manager with
its reason instead of leaving it without one.

Method: faults are put into the code by replacing a function; what callers see is compared.
"""

from __future__ import annotations

import threading

import pytest

import ternmq
from ternmq.admin.execution import Execution
from ternmq.admin.pcf import exchange as pcf_exchange
from ternmq.base import command_reasons as rccf
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from ternmq.engine.engine import Engine
from ternmq.outlets.command_queue import CommandServer
from ternmq.values.command import Command
from tests.unit.admin.pcf_client import PCFClient

UNEXPECTED = [
    (mq.MQCC_FAILED, rc.MQRC_UNEXPECTED_ERROR),
    (mq.MQCC_FAILED, rccf.MQRCCF_COMMAND_FAILED),
]
# What is replaced here cannot be replaced in compiled code.
pytestmark = pytest.mark.skipif(
    not pcf_exchange.__file__.endswith(".py"), reason="functions are replaced"
)


def _faulty(command: Command) -> Execution:
    raise LookupError(f"nobody has foreseen {command.noun}")


def test_fault_in_a_command_then_it_is_answered_and_reported_and_the_next_is_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reported: list[str] = []
    with ternmq.memory("QM1") as qmgr:
        server = CommandServer(
            qmgr.started.shell, "mqm", lambda error, doing: reported.append(repr(error))
        )
        client = PCFClient(qmgr)
        with monkeypatch.context() as patch:
            patch.setattr(pcf_exchange, "execution_of", _faulty)
            replies = client.ask(mq.MQCMD_INQUIRE_Q, pcf.string(mq.MQCA_Q_NAME, "*"))
        assert [(one.comp, one.reason) for one in replies] == UNEXPECTED
        assert client.ask(mq.MQCMD_PING_Q_MGR)[0].comp == mq.MQCC_OK
        assert server.faults == 1
        assert reported == ["LookupError('nobody has foreseen QUEUE')"]
        notices = qmgr.started.shell.engine.kernel.notices.take()
        answer = [one.inserts[0] for one in notices if one.message_id == "AMQ6118S"]
        assert answer == ["LookupError: nobody has foreseen QUEUE"]


def test_fault_in_a_reply_then_it_is_answered_and_the_next_is_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ternmq.memory("QM1") as qmgr:
        server = CommandServer(qmgr.started.shell, "mqm")
        client = PCFClient(qmgr)
        with monkeypatch.context() as patch:
            patch.setattr("ternmq.admin.pcf.reply._parameters", None)
            replies = client.ask(mq.MQCMD_INQUIRE_Q_MGR)
        assert [(one.comp, one.reason) for one in replies] == UNEXPECTED
        assert client.ask(mq.MQCMD_PING_Q_MGR)[0].comp == mq.MQCC_OK
        assert server.faults == 1


def test_request_that_was_backed_out_again_and_again_then_it_is_not_carried_out() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("REPLIES")
        packed = PCFMessage(mq.MQCFT_COMMAND, mq.MQCMD_PING_Q_MGR).pack()
        descriptor = ternmq.Descriptor(
            msg_type=mq.MQMT_REQUEST, format=mq.MQFMT_ADMIN, reply_to_queue="REPLIES"
        )
        qmgr.put("SYSTEM.ADMIN.COMMAND.QUEUE", packed, descriptor=descriptor)
        with qmgr.queue("SYSTEM.ADMIN.COMMAND.QUEUE") as commands:
            for _ in range(3):
                commands.get(syncpoint=True)
                qmgr.backout()
        CommandServer(qmgr.started.shell, "mqm")
        with qmgr.queue("REPLIES") as replies:
            first = unpack_pcf(replies.get(wait=10).data)
        assert (first.comp, first.reason) == UNEXPECTED[0]


def test_fault_in_the_housekeeper_then_the_queue_manager_breaks_down_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda fault: seen.append(repr(fault.exc_value)))

    def ticks_wrong(engine: Engine) -> None:
        raise ZeroDivisionError("time has stopped")

    qmgr = ternmq.memory("QM1")
    qmgr.define_queue("Q")
    try:
        with qmgr.queue("Q") as queue:
            monkeypatch.setattr(Engine, "tick", ticks_wrong)
            with pytest.raises(ternmq.MQError) as raised:
                queue.get(wait=60)
        assert raised.value.reason == rc.MQRC_CONNECTION_BROKEN
        assert "the housekeeper has failed: ZeroDivisionError: time has stopped" in str(
            raised.value
        )
    finally:
        qmgr.close()
    assert seen == ["ZeroDivisionError('time has stopped')"]


def test_fault_in_the_reading_of_a_request_then_the_next_is_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ternmq.memory("QM1") as qmgr:
        server = CommandServer(qmgr.started.shell, "mqm")
        client = PCFClient(qmgr)
        with monkeypatch.context() as patch:
            patch.setattr(pcf_exchange, "unpack_header", None)
            replies = client.ask(mq.MQCMD_PING_Q_MGR)
        assert [(one.comp, one.reason) for one in replies] == UNEXPECTED
        assert client.ask(mq.MQCMD_PING_Q_MGR)[0].comp == mq.MQCC_OK
        assert server.faults == 1
