"""Goal: commands by message have the authority of the user who sent them, and so have the replies.

Method: requests of a user on the command queue of a queue manager that checks, and where the
replies are.
"""

from collections.abc import Iterator

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from ternmq.outlets.command_queue import COMMAND_QUEUE
from tests.security.granting import connected, grant, secured

pytestmark = pytest.mark.core


@pytest.fixture
def qm() -> Iterator[ternmq.QueueManager]:
    with secured() as manager:
        for name in ("REPLY", "SECRET", "DEAD"):
            manager.define_queue(name)
        manager.mqsc("ALTER QMGR DEADQ(DEAD)")
        server = manager.start_command_server()
        yield manager
        server.stop()


def ping(connection: ternmq.Connection, reply_to: str) -> None:
    descriptor = Descriptor(
        format=mq.MQFMT_ADMIN, msg_type=mq.MQMT_REQUEST, reply_to_queue=reply_to
    )
    data = PCFMessage(mq.MQCFT_COMMAND, mq.MQCMD_PING_Q_MGR, []).pack()
    connection.put(COMMAND_QUEUE, data, descriptor=descriptor)


def reason_on(qm: ternmq.QueueManager, queue: str) -> int:
    """That of the first reply; those that follow come with it."""
    with qm.queue(queue) as replies:
        reason = unpack_pcf(replies.get(wait=10).data).reason
        while replies.depth:
            replies.get()
        return reason


def test_a_command_has_the_authority_of_its_sender(qm: ternmq.QueueManager) -> None:
    fred = connected(qm, "fred")
    grant(qm, "queue", COMMAND_QUEUE, "fred", "put")
    grant(qm, "queue", "REPLY", "fred", "put")
    ping(fred, "REPLY")
    assert reason_on(qm, "REPLY") == MQRC_NOT_AUTHORIZED
    grant(qm, "qmgr", "self", "fred", "connect dsp")
    ping(fred, "REPLY")
    assert reason_on(qm, "REPLY") == 0
    ping(qm, "REPLY")
    assert reason_on(qm, "REPLY") == 0


def test_a_reply_goes_only_where_its_sender_may_put(qm: ternmq.QueueManager) -> None:
    fred = connected(qm, "fred")
    grant(qm, "queue", COMMAND_QUEUE, "fred", "put")
    grant(qm, "qmgr", "self", "fred", "connect dsp")
    ping(fred, "SECRET")
    with qm.queue("DEAD") as dead:
        assert dead.get(wait=10).descriptor.format == mq.MQFMT_DEAD_LETTER_HEADER
    with qm.queue("SECRET") as secret:
        assert secret.depth == 0


def test_a_reply_queue_of_the_senders_own_is_his(qm: ternmq.QueueManager) -> None:
    fred = connected(qm, "fred")
    model = "SYSTEM.DEFAULT.MODEL.QUEUE"
    grant(qm, "queue", COMMAND_QUEUE, "fred", "put")
    grant(qm, "queue", model, "fred", "get dsp")
    grant(qm, "qmgr", "self", "fred", "connect dsp")
    options = mq.MQOO_INPUT_EXCLUSIVE
    with fred.queue(model, options=options, dynamic_name="MINE.*") as mine:
        ping(fred, mine.name)
        assert unpack_pcf(mine.get(wait=10).data).reason == 0


def test_a_name_that_is_cut_in_the_message_is_not_another_user() -> None:
    users = {"administrato": ["mqm"], "administrator-of-nothing": ["staff"]}
    with ternmq.memory("QM1", security=users) as qm:
        qm.define_queue("REPLY")
        server = qm.start_command_server()
        nobody = connected(qm, "administrator-of-nothing")
        grant(qm, "queue", COMMAND_QUEUE, "administrator-of-nothing", "put")
        grant(qm, "queue", "REPLY", "administrator-of-nothing", "put")
        ping(nobody, "REPLY")
        assert reason_on(qm, "REPLY") == MQRC_NOT_AUTHORIZED
        with qm.connect(user="administrato") as boss:
            ping(boss, "REPLY")
            assert reason_on(qm, "REPLY") == 0
        nobody.disconnect()
        server.stop()
