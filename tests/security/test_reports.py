"""Goal: a report goes where the user of the message may put it, and else to the dead-letter queue,
whatever binding asked for it. Method: a user with some authority on the queue for replies.
"""

from __future__ import annotations

import pytest

import ternmq
from ternmq import Descriptor
from ternmq import constants as mq
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from tests.bindings.bound import BINDINGS
from tests.security.granting import Place, grant

pytestmark = pytest.mark.core

BY_OTHERS = {
    "test_arrival_when_the_user_may_not_put_its_report_then_it_is_a_dead_letter": BINDINGS,
    "test_delivery_when_the_user_of_the_message_may_not_then_it_is_a_dead_letter": BINDINGS,
}


def prepared(qm: ternmq.QueueManager) -> None:
    for name in ("A", "REPLIES", "DEAD"):
        qm.define_queue(name)
    assert qm.mqsc("ALTER QMGR DEADQ(DEAD)")[0].ok
    grant(qm, "queue", "A", "fred", "put get")


def asking(report: int) -> Descriptor:
    return Descriptor(report=report, reply_to_queue="REPLIES")


def taken(qm: ternmq.QueueManager) -> tuple[int, list[int]]:
    """How many reports there are, and the reasons of dead letters."""
    with qm.queue("REPLIES") as replies, qm.queue("DEAD") as dead:
        letters = [DeadLetterHeader.unpack(one.data).reason for one in dead]
        return len(list(replies)), letters


def test_arrival_when_the_user_may_not_put_its_report_then_it_is_a_dead_letter(
    place: Place,
) -> None:
    qm, connect = place
    prepared(qm)
    with connect("fred") as fred:
        for words in ("", "put", "passid"):
            grant(qm, "queue", "REPLIES", "fred", words)
            fred.put("A", b"x", descriptor=asking(mq.MQRO_COA))
            assert taken(qm) == (0, [mq.MQRC_NOT_AUTHORIZED]), words
        grant(qm, "queue", "REPLIES", "fred", "put passid")
        fred.put("A", b"x", descriptor=asking(mq.MQRO_COA))
        assert taken(qm) == (1, [])


def test_delivery_when_the_user_of_the_message_may_not_then_it_is_a_dead_letter(
    place: Place,
) -> None:
    """That of the get does not count."""
    qm, connect = place
    prepared(qm)
    grant(qm, "queue", "A", "ann", "get inq browse")
    with connect("fred") as fred:
        fred.put("A", b"x", descriptor=asking(mq.MQRO_COD))
    with connect("ann") as ann, ann.queue("A") as queue:
        assert queue.get().data == b"x"
        assert taken(qm) == (0, [mq.MQRC_NOT_AUTHORIZED])
    grant(qm, "queue", "REPLIES", "fred", "put passid")
    with connect("fred") as fred:
        fred.put("A", b"y", descriptor=asking(mq.MQRO_COD))
    with connect("ann") as ann, ann.queue("A") as queue:
        assert queue.get().data == b"y"
        assert taken(qm) == (1, [])
