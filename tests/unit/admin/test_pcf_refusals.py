"""Goal: the command server refuses what is wrong with its reason and parameter, answers where it
can and buries what it cannot answer, gives a request no more authority than its user has, and can
be started and stopped.

Method: an embedded queue manager with its command server; hand-made bytes and our own codec.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Iterator

import pytest

import ternmq
from ternmq import QueueManager
from ternmq.base import command_reasons as rccf
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from ternmq.outlets.command_queue import CommandServer
from tests.unit.admin.pcf_client import COMMAND_QUEUE, REPLY_QUEUE, PCFClient

pytestmark = pytest.mark.core

FAILED = [(mq.MQCC_FAILED, rccf.MQRCCF_COMMAND_FAILED)]


@pytest.fixture
def qmgr() -> Iterator[QueueManager]:
    with ternmq.memory("QM1") as made:
        made.define_queue("DEV.ONE", description="first", max_depth=70)
        made.define_queue("DEV.TWO")
        made.queue("DEV.ONE").put(b"a message")
        yield made


@pytest.fixture
def server(qmgr: QueueManager) -> CommandServer:
    return qmgr.start_command_server()


@pytest.fixture
def client(qmgr: QueueManager, server: CommandServer) -> PCFClient:
    assert server.is_running
    return PCFClient(qmgr)


def values(message: PCFMessage) -> dict[int, object]:
    return {one.parameter: one.value for one in message.parameters}


def outcomes(messages: list[PCFMessage]) -> list[tuple[int, int]]:
    return [(one.comp, one.reason) for one in messages]


def queue_name(name: str) -> Parameter:
    return pcf.string(mq.MQCA_Q_NAME, name)


def queue_type(number: int) -> Parameter:
    return pcf.integer(mq.MQIA_Q_TYPE, number)


# ---- what is wrong


@pytest.mark.parametrize(
    ("command", "parameters", "reason", "blamed"),
    [
        (mq.MQCMD_INQUIRE_Q, [], rccf.MQRCCF_PARM_COUNT_TOO_SMALL, mq.MQCA_Q_NAME),
        (mq.MQCMD_INQUIRE_Q, [pcf.integer(2016, 1)], rccf.MQRCCF_CFIN_PARM_ID_ERROR, 2016),
        (mq.MQCMD_INQUIRE_Q, [queue_name("A"), queue_type(99)], rccf.MQRCCF_Q_TYPE_ERROR, 20),
        (
            mq.MQCMD_INQUIRE_Q,
            [queue_name("A"), pcf.integer(4711, 1)],
            rccf.MQRCCF_CFIN_PARM_ID_ERROR,
            4711,
        ),
        (
            mq.MQCMD_INQUIRE_Q,
            [queue_name("A"), queue_name("B")],
            rccf.MQRCCF_CFST_DUPLICATE_PARM,
            mq.MQCA_Q_NAME,
        ),
        (
            mq.MQCMD_INQUIRE_Q,
            [queue_name("A"), pcf.integers(mq.MQIACF_Q_ATTRS, [3, 3])],
            rccf.MQRCCF_CFIL_DUPLICATE_VALUE,
            mq.MQIACF_Q_ATTRS,
        ),
        (
            mq.MQCMD_INQUIRE_Q,
            [queue_name("A"), pcf.integer_filter(mq.MQIA_CURRENT_Q_DEPTH, 99, 1)],
            rccf.MQRCCF_CFIF_OPERATOR_ERROR,
            mq.MQIA_CURRENT_Q_DEPTH,
        ),
        (
            mq.MQCMD_CHANGE_Q,
            [queue_name("DEV.ONE"), queue_type(1), pcf.integer(mq.MQIA_MAX_Q_DEPTH, -5)],
            rccf.MQRCCF_ATTR_VALUE_ERROR,
            mq.MQIA_MAX_Q_DEPTH,
        ),
        (
            mq.MQCMD_CHANGE_Q,
            [queue_name("DEV.ONE"), queue_type(1), pcf.string(mq.MQIA_MAX_Q_DEPTH, "7")],
            rccf.MQRCCF_CFST_PARM_ID_ERROR,
            mq.MQIA_MAX_Q_DEPTH,
        ),
        (
            mq.MQCMD_DELETE_Q,
            [queue_name("DEV.ONE"), pcf.integer(mq.MQIACF_PURGE, 9)],
            rccf.MQRCCF_PARM_VALUE_ERROR,
            mq.MQIACF_PURGE,
        ),
        (9999, [], rccf.MQRCCF_CFH_COMMAND_ERROR, 0),
    ],
)
def test_a_wrong_request_is_refused_with_its_reason_and_parameter(
    client: PCFClient, command: int, parameters: list[Parameter], reason: int, blamed: int
) -> None:
    replies = client.ask(command, *parameters)
    assert outcomes(replies) == [(2, reason), *FAILED]
    expected = {mq.MQIACF_PARAMETER_ID: blamed} if blamed else {}
    assert values(replies[0]) == expected


def test_an_attribute_that_does_not_exist_is_named_as_a_selector(client: PCFClient) -> None:
    wanted = pcf.integers(mq.MQIACF_Q_ATTRS, [mq.MQIACH_PORT])
    first, _ = client.ask(mq.MQCMD_INQUIRE_Q, queue_name("A"), wanted)
    assert first.reason == rc.MQRC_SELECTOR_ERROR
    assert values(first) == {mq.MQIACF_SELECTOR: mq.MQIACH_PORT}


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ((9, 36, 1, 13, 1, 1, 0, 0, 0), rccf.MQRCCF_CFH_TYPE_ERROR),
        ((1, 36, 1, 13, 2, 1, 0, 0, 0), rccf.MQRCCF_CFH_MSG_SEQ_NUMBER_ERR),
        ((1, 36, 1, 13, 1, 0, 0, 0, 0), rccf.MQRCCF_CFH_CONTROL_ERROR),
        ((1, 36, 9, 13, 1, 1, 0, 0, 0), rccf.MQRCCF_CFH_VERSION_ERROR),
        ((1, 36, 1, 13, 1, 1, 0, 0, 5), rccf.MQRCCF_CFH_PARM_COUNT_ERROR),
    ],
)
def test_a_wrong_header_is_refused(client: PCFClient, header: tuple[int, ...], reason: int) -> None:
    replies = [unpack_pcf(one.data) for one in client.send(struct.pack("<9i", *header))]
    assert outcomes(replies) == [(2, reason), *FAILED]


def test_a_message_of_another_format_is_refused(client: PCFClient) -> None:
    replies = [unpack_pcf(one.data) for one in client.send(b"hello", format="MQSTR")]
    assert outcomes(replies) == [(2, rccf.MQRCCF_MD_FORMAT_ERROR), *FAILED]


# ---- the server


def test_a_request_without_reply_queue_is_carried_out(
    qmgr: QueueManager, client: PCFClient
) -> None:
    data = PCFMessage(
        mq.MQCFT_COMMAND, mq.MQCMD_CREATE_Q, [queue_name("SILENT"), queue_type(1)]
    ).pack()
    qmgr.put(COMMAND_QUEUE, data, descriptor=ternmq.Descriptor(format=mq.MQFMT_ADMIN))
    client.ask(mq.MQCMD_PING_Q_MGR)
    assert "SILENT" in qmgr.queue_names()


def test_what_cannot_be_answered_goes_to_the_dead_letter_queue(
    qmgr: QueueManager, server: CommandServer, client: PCFClient
) -> None:
    qmgr.put(COMMAND_QUEUE, b"no command", descriptor=ternmq.Descriptor(format="MQSTR"))
    client.ask(mq.MQCMD_PING_Q_MGR)
    assert (server.dead, server.lost) == (0, 1)
    client.ask(
        mq.MQCMD_CHANGE_Q_MGR,
        pcf.string(mq.MQCA_DEAD_LETTER_Q_NAME, "SYSTEM.DEAD.LETTER.QUEUE"),
    )
    qmgr.put(COMMAND_QUEUE, b"no command", descriptor=ternmq.Descriptor(format="MQSTR"))
    ping = PCFMessage(mq.MQCFT_COMMAND, mq.MQCMD_PING_Q_MGR).pack()
    nowhere = ternmq.Descriptor(
        msg_type=mq.MQMT_REQUEST, format=mq.MQFMT_ADMIN, reply_to_queue="NOWHERE"
    )
    qmgr.put(COMMAND_QUEUE, ping, descriptor=nowhere)
    client.ask(mq.MQCMD_PING_Q_MGR)
    assert (server.dead, server.lost) == (2, 1)
    with qmgr.queue("SYSTEM.DEAD.LETTER.QUEUE") as dead:
        headers = [DeadLetterHeader.unpack(one.data) for one in dead]
    assert [(one.reason, one.destination_queue) for one in headers] == [
        (rccf.MQRCCF_MD_FORMAT_ERROR, COMMAND_QUEUE),
        (rc.MQRC_UNKNOWN_OBJECT_NAME, "NOWHERE"),
    ]


def test_a_request_has_the_authority_of_its_user_and_no_more() -> None:
    with ternmq.memory("QM1", security={"app": ["staff"]}) as qmgr:
        qmgr.define_queue("Q")
        qmgr.define_queue(REPLY_QUEUE)
        qmgr.mqsc("SET AUTHREC OBJTYPE(QMGR) GROUP('staff') AUTHADD(CONNECT,INQ,DSP)")
        for queue in (COMMAND_QUEUE, REPLY_QUEUE):  # who asks must be able to put to both
            profile = f"SET AUTHREC PROFILE({queue}) OBJTYPE(QUEUE)"
            assert qmgr.mqsc(f"{profile} GROUP('staff') AUTHADD(PUT)")[0].ok
        qmgr.mqsc("SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) GROUP('staff') AUTHADD(DSP)")
        qmgr.start_command_server()
        client = PCFClient(qmgr, user="app")
        (shown,) = client.ask(mq.MQCMD_INQUIRE_Q, queue_name("Q"))
        assert values(shown)[mq.MQCA_Q_NAME] == "Q"
        refused = client.ask(mq.MQCMD_CLEAR_Q, queue_name("Q"))
        assert outcomes(refused) == [(2, rc.MQRC_NOT_AUTHORIZED), *FAILED]
        assert outcomes(PCFClient(qmgr).ask(mq.MQCMD_CLEAR_Q, queue_name("Q"))) == [(0, 0)]


def test_a_command_by_message_is_reported_as_such(qmgr: QueueManager, client: PCFClient) -> None:
    qmgr.alter_qmgr(CMDEV="ENABLED", CONFIGEV="ENABLED")
    client.ask(mq.MQCMD_CREATE_Q, queue_name("NEW"), queue_type(1))
    with qmgr.queue("SYSTEM.ADMIN.COMMAND.EVENT") as events:
        found = [unpack_pcf(message.data) for message in events]  # ALTER QMGR is one, too
    event = found[-1]
    context, data = event.parameters
    assert event.reason == rc.MQRC_COMMAND_PCF
    reported = {one.parameter: one.value for one in context.members}
    assert reported[mq.MQIACF_EVENT_ORIGIN] == mq.MQEVO_MSG
    assert reported[mq.MQIACF_COMMAND] == mq.MQCMD_CREATE_Q
    assert reported[mq.MQIACF_EVENT_APPL_TYPE] == mq.MQAT_UNIX
    assert data.members == [queue_name("NEW"), queue_type(1)]


def test_replies_in_great_number_are_numbered(qmgr: QueueManager, client: PCFClient) -> None:
    for number in range(300):
        qmgr.define_queue(f"MANY.{number:03}")
    replies = client.ask(
        mq.MQCMD_INQUIRE_Q,
        queue_name("MANY.*"),
        pcf.integers(mq.MQIACF_Q_ATTRS, [mq.MQIA_CURRENT_Q_DEPTH]),
    )
    assert [one.sequence for one in replies] == list(range(1, 301))
    assert [one.control for one in replies] == [0] * 299 + [1]


def test_the_server_can_be_stopped_and_started_again(
    qmgr: QueueManager, server: CommandServer, client: PCFClient
) -> None:
    client.ask(mq.MQCMD_PING_Q_MGR)
    server.stop()
    assert not server.is_running
    ping = PCFMessage(mq.MQCFT_COMMAND, mq.MQCMD_PING_Q_MGR).pack()
    request = ternmq.Descriptor(
        msg_type=mq.MQMT_REQUEST, format=mq.MQFMT_ADMIN, reply_to_queue=REPLY_QUEUE
    )
    qmgr.put(COMMAND_QUEUE, ping, descriptor=request)
    assert qmgr.queue(REPLY_QUEUE).try_get() is None
    qmgr.start_command_server()
    assert qmgr.queue(REPLY_QUEUE).get(wait=20).format == mq.MQFMT_ADMIN


def test_the_server_serves_a_queue_manager_of_tasks() -> None:
    asyncio.run(_serve_tasks())


async def _serve_tasks() -> None:
    async with ternmq.aio.memory("QM1") as qmgr:
        server = qmgr.start_command_server()
        await qmgr.define_queue(REPLY_QUEUE)
        request = ternmq.Descriptor(
            msg_type=mq.MQMT_REQUEST, format=mq.MQFMT_ADMIN, reply_to_queue=REPLY_QUEUE
        )
        ping = PCFMessage(mq.MQCFT_COMMAND, mq.MQCMD_PING_Q_MGR).pack()
        await qmgr.put(COMMAND_QUEUE, ping, descriptor=request)
        async with qmgr.queue(REPLY_QUEUE) as replies:
            reply = await replies.get(wait=20)
        assert unpack_pcf(reply.data).comp == mq.MQCC_OK
    assert not server.is_running


def test_status_shows_whether_the_server_runs(qmgr: QueueManager) -> None:
    shown = "DISPLAY QMSTATUS CMDSERV"
    assert qmgr.mqsc(shown)[0]["CMDSERV"] == "STOPPED"
    server = qmgr.start_command_server()
    assert qmgr.mqsc(shown)[0]["CMDSERV"] == "RUNNING"
    server.stop()
    assert qmgr.mqsc(shown)[0]["CMDSERV"] == "STOPPED"


def test_a_server_whose_queue_is_inhibited_ends_and_says_why(
    qmgr: QueueManager, server: CommandServer, client: PCFClient
) -> None:
    client.ask(mq.MQCMD_PING_Q_MGR)
    qmgr.alter_queue(COMMAND_QUEUE, get="DISABLED")
    server.wait(20)
    assert "MQRC_GET_INHIBITED" in server.ended_by
    notices = qmgr.started.shell.engine.kernel.notices.take()
    assert ("AMQ8506E", (COMMAND_QUEUE, rc.MQRC_GET_INHIBITED)) in [
        (one.message_id, one.inserts) for one in notices
    ]
