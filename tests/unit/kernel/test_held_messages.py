"""Goal: a message that a connection holds is put when it ends, in any way, or when its application
says so, and not if it is withdrawn.
Method: the steps of SPI PUT and ACTIVATE on an embedded queue manager.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import ternmq
from ternmq import Connection, MQError
from ternmq import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.host.threads import ThreadTransport
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.requests import PutRequest
from ternmq.mqi.steps.held import PutHeld, SettleHeld
from ternmq.runtime.embedded import QueueManager
from ternmq.values.calls.messages import Put
from ternmq.values.calls.objects import Open


@pytest.fixture
def qmgr() -> Iterator[QueueManager]:
    with ternmq.memory() as made:
        made.define_queue("Q")
        yield made


def link_of(connection: Connection) -> Link:
    transport = connection.transport
    assert isinstance(transport, ThreadTransport)
    return transport.link


def hold(qmgr: QueueManager, connection: Connection, data: bytes, syncpoint: bool = False) -> bytes:
    """The MsgId of a message that is held."""
    od = ObjectDescriptor(object_name="Q")
    handle = connection.run(Open(od, mq.MQOO_OUTPUT)).opened()
    request = PutRequest(0, Descriptor(format=mq.MQFMT_STRING).pack(), syncpoint)
    call = Put(handle, request, data)
    qmgr.started.shell.run(link_of(connection), PutHeld(call, request))
    return call.msg_id


def texts(qmgr: QueueManager) -> list[bytes]:
    return [message.data for message in qmgr.queue("Q")]


@pytest.mark.parametrize("vanishes", [True, False])
def test_message_when_its_connection_ends_then_it_is_put(
    qmgr: QueueManager, vanishes: bool
) -> None:
    connection = qmgr.connect()
    first = hold(qmgr, connection, b"first")
    hold(qmgr, connection, b"second")
    assert texts(qmgr) == []
    if vanishes:
        connection.transport.end(True)
    else:
        connection.disconnect()
    with qmgr.queue("Q") as queue:
        message = queue.get()
        assert (message.data, message.msg_id) == (b"first", first)
        assert queue.get().data == b"second"


def test_message_when_withdrawn_then_it_is_not_put(qmgr: QueueManager) -> None:
    connection = qmgr.connect()
    msg_id = hold(qmgr, connection, b"first")
    shell = qmgr.started.shell
    shell.run(link_of(connection), SettleHeld(msg_id, False))
    with pytest.raises(MQError) as refused:
        shell.run(link_of(connection), SettleHeld(msg_id, False))
    assert refused.value.reason == 2033
    connection.disconnect()
    assert texts(qmgr) == []


def test_message_when_activated_then_it_is_put_once(qmgr: QueueManager) -> None:
    connection = qmgr.connect()
    msg_id = hold(qmgr, connection, b"first")
    qmgr.started.shell.run(link_of(connection), SettleHeld(msg_id, True))
    assert texts(qmgr) == [b"first"]
    connection.disconnect()
    assert texts(qmgr) == []


def test_message_when_in_syncpoint_then_refused(qmgr: QueueManager) -> None:
    with qmgr.connect() as connection, pytest.raises(MQError) as refused:
        hold(qmgr, connection, b"x", syncpoint=True)
    assert refused.value.reason == 2046


def test_message_when_its_queue_is_gone_then_lost_and_the_connection_ends(
    qmgr: QueueManager,
) -> None:
    connection = qmgr.connect()
    hold(qmgr, connection, b"x")
    qmgr.alter_queue("Q", put="DISABLED")
    connection.disconnect()
    qmgr.alter_queue("Q", put="ENABLED")
    assert texts(qmgr) == []
