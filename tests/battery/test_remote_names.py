"""Queues of other queue managers through every binding: the names that an open resolves to, a queue
manager that is named beside the queue, and what is then on the transmission queue."""

from __future__ import annotations

import pytest

import ternmq
from ternmq import QueueManager
from ternmq import constants as mq
from ternmq.codec.headers.mqxqh import TransmissionHeader

pytestmark = pytest.mark.core
LOCAL_Q = mq.MQOO_RESOLVE_LOCAL_Q


@pytest.fixture
def routes(qmgr: QueueManager) -> QueueManager:
    qmgr.define_queue("QMB", usage="XMITQ")
    qmgr.define_queue("XQ", usage="XMITQ")
    qmgr.define_queue("HERE")
    qmgr.define_alias("ALIAS", "REMOTE")
    for text in (
        "DEFINE QREMOTE(REMOTE) RNAME(FAR) RQMNAME(QMB) XMITQ(XQ)",
        f"DEFINE QREMOTE(OURSELVES) RQMNAME({qmgr.name}) XMITQ(XQ)",
        "DEFINE QREMOTE(DETOUR) RQMNAME(QMC) XMITQ(XQ)",
    ):
        assert all(answer.ok for answer in qmgr.mqsc(text)), text
    return qmgr


def destination(qmgr: QueueManager, transmission: str) -> tuple[str, str, bytes]:
    """Where the next message on a transmission queue goes, and its data."""
    with qmgr.queue(transmission) as outgoing:
        message = outgoing.get()
    header = TransmissionHeader.unpack(message.data)
    return header.remote_queue, header.remote_qmgr, message.data[mq.MQXQH_CURRENT_LENGTH :]


@pytest.mark.parametrize("name", ["REMOTE", "ALIAS"])
def test_open_of_a_remote_queue_then_its_names_or_those_of_the_local_queue(
    routes: QueueManager, name: str
) -> None:
    with routes.queue(name, options=mq.MQOO_OUTPUT) as queue:
        assert (queue.resolved_name, queue.resolved_qmgr) == ("FAR", "QMB")
    with routes.queue(name, options=mq.MQOO_OUTPUT | LOCAL_Q) as queue:
        assert (queue.resolved_name, queue.resolved_qmgr) == ("XQ", routes.name)
        queue.put(b"data")
    assert destination(routes, "XQ") == ("FAR", "QMB", b"data")
    with routes.queue(name, options=mq.MQOO_INQUIRE) as queue:
        assert (queue.resolved_name, queue.resolved_qmgr) == ("", "")


def test_open_of_a_local_queue_then_its_names(routes: QueueManager) -> None:
    for options in (mq.MQOO_OUTPUT, mq.MQOO_INPUT_SHARED, mq.MQOO_BROWSE | LOCAL_Q):
        with routes.queue("HERE", options=options) as queue:
            assert (queue.resolved_name, queue.resolved_qmgr) == ("HERE", routes.name)


def test_queue_with_a_queue_manager_when_that_is_another_then_puts_go_there(
    routes: QueueManager,
) -> None:
    with routes.queue("QA", qmgr="QMB") as queue:
        assert (queue.name, queue.resolved_name, queue.resolved_qmgr) == ("QA", "QA", "QMB")
        queue.put(b"one")
        queue.put(b"two", descriptor=None, options=mq.MQPMO_SET_IDENTITY_CONTEXT)
        with pytest.raises(ternmq.MQError) as refused:
            queue.get()
        assert refused.value.reason == mq.MQRC_OPTION_NOT_VALID_FOR_TYPE
    assert destination(routes, "QMB") == ("QA", "QMB", b"one")
    assert destination(routes, "QMB") == ("QA", "QMB", b"two")
    with routes.queue("QA", qmgr="DETOUR") as queue:
        assert (queue.resolved_name, queue.resolved_qmgr) == ("QA", "QMC")
        queue.put(b"three")
    assert destination(routes, "XQ") == ("QA", "QMC", b"three")


def test_queue_with_a_queue_manager_when_that_is_ourselves_then_the_local_queue(
    routes: QueueManager,
) -> None:
    for manager in (routes.name, "OURSELVES"):
        with routes.queue("HERE", qmgr=manager) as queue:
            queue.put(b"local")
            assert [message.data for message in queue.browse()] == [b"local"]
            assert queue.get().data == b"local"
            assert queue.depth == 0
    with routes.queue("XQ") as outgoing:
        assert outgoing.depth == 0


def test_queue_with_a_queue_manager_when_it_is_unknown_then_its_reason(
    routes: QueueManager,
) -> None:
    for manager, reason in (
        ("QMZ", mq.MQRC_UNKNOWN_REMOTE_Q_MGR),
        ("REMOTE", mq.MQRC_UNKNOWN_REMOTE_Q_MGR),
        ("SYSTEM.DEFAULT.MODEL.QUEUE", mq.MQRC_UNKNOWN_REMOTE_Q_MGR),
        ("HERE", mq.MQRC_XMIT_Q_USAGE_ERROR),
    ):
        with pytest.raises(ternmq.MQError) as refused:
            routes.queue("QA", qmgr=manager)
        assert refused.value.reason == reason, manager


def test_junk_as_mqxmit_on_a_transmission_queue_then_xqh_error(routes: QueueManager) -> None:
    with routes.queue("XQ") as queue, pytest.raises(ternmq.MQError) as refused:
        queue.put(b"junk", format="MQXMIT")
    assert refused.value.reason == mq.MQRC_XQH_ERROR
