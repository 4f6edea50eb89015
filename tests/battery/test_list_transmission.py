"""Distribution lists whose destinations are at other queue managers: messages with an MQDH, and
messages of their own."""

from __future__ import annotations

from typing import Any

import pytest

from ternmq import PutRecord, QueueManager
from ternmq import constants as mq
from ternmq.api.list_arguments import Target
from ternmq.codec.headers.mqdh import DistributionHeader
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.list_records import Destination
from tests.battery.test_distribution_lists import DONE, counts, define, failed, results

pytestmark = pytest.mark.core

XQH = mq.MQXQH_CURRENT_LENGTH


def define_route(qmgr: QueueManager, name: str, **attributes: Any) -> None:
    qmgr.define_queue(name, usage="XMITQ", **attributes)


def transmitted(qmgr: QueueManager, name: str) -> list[tuple[TransmissionHeader, bytes]]:
    with qmgr.queue(name) as queue:
        found = []
        while (message := queue.try_get()) is not None:
            header = TransmissionHeader.unpack(message.data)
            found.append((header, message.data[XQH:]))
        return found


def queues(data: bytes) -> list[str]:
    """The destinations of an MQDH."""
    return [one.queue for one in DistributionHeader.unpack(data).destinations]


@pytest.mark.parametrize("persistent", [False, True])
def test_put_to_others_when_distl_is_no_then_one_message_each(
    qmgr: QueueManager, persistent: bool
) -> None:
    define_route(qmgr, "QM2")
    define(qmgr, "A")
    with qmgr.open_list([("X", "QM2"), "A", ("Y", "QM2")]) as opened:
        assert counts(opened.opened) == (1, 2, 0)
        found = opened.put(b"x", persistent=persistent)
    assert counts(found) == (1, 2, 0)
    sent = transmitted(qmgr, "QM2")
    assert [(head.remote_queue, head.remote_qmgr, data) for head, data in sent] == [
        ("X", "QM2", b"x"),
        ("Y", "QM2", b"x"),
    ]
    ids = [head.descriptor.msg_id for head, _ in sent]
    assert ids == [found.destinations[0].msg_id, found.destinations[2].msg_id]


@pytest.mark.parametrize("persistent", [False, True])
def test_put_to_others_when_distl_is_yes_then_one_message_for_all(
    qmgr: QueueManager, inside: bool, persistent: bool
) -> None:
    define_route(qmgr, "QM2", distribution_lists="YES")
    qmgr.mqsc("DEFINE QREMOTE(ALSO) RNAME(Z) RQMNAME(QM3) XMITQ(QM2)")
    define(qmgr, "A")
    targets: list[Target] = [("X", "QM2"), "A", "ALSO", ("Y", "QM2")]
    if inside:
        qmgr.begin()
    records = [PutRecord(correl_id=b"one".ljust(24)), PutRecord(), PutRecord(msg_id=b"3".ljust(24))]
    found = qmgr.put_to(targets, "text", persistent=persistent, records=records)
    if inside:
        qmgr.commit()
    assert (found.reason, counts(found)) == (0, (1, 3, 0))
    ((head, data),) = transmitted(qmgr, "QM2")
    assert (head.remote_queue, head.remote_qmgr) == ("", "")
    assert head.descriptor.format == mq.MQFMT_DIST_HEADER
    assert (head.descriptor.persistence, head.descriptor.put_appl_type != 0) == (persistent, True)
    header = DistributionHeader.unpack(data)
    assert header.destinations == [
        Destination("X", "QM2"),
        Destination("Z", "QM3"),
        Destination("Y", "QM2"),
    ]
    assert (header.format, header.ccsid) == ("MQSTR", 1208)
    assert header.flags == mq.MQDHF_NONE
    ids = [found.destinations[at].msg_id for at in (0, 2, 3)]
    assert [one.msg_id for one in header.put_records] == ids
    assert ids[1] == b"3".ljust(24)
    assert header.put_records[0].correl_id == b"one".ljust(24)
    assert data[header.size() :] == b"text"


def test_put_to_others_when_priorities_differ_then_a_message_for_each(qmgr: QueueManager) -> None:
    define_route(qmgr, "QM2", distribution_lists="YES", default_priority=2)
    qmgr.mqsc("DEFINE QREMOTE(HIGH) RNAME(H) RQMNAME(QM2) DEFPRTY(8)")
    targets: list[Target] = [("X", "QM2"), "HIGH", ("Y", "QM2"), "HIGH"]
    assert qmgr.put_to(targets, b"x").unknown == 4
    names = [(head.descriptor.priority, queues(data)) for head, data in transmitted(qmgr, "QM2")]
    assert names == [(8, ["H", "H"]), (2, ["X", "Y"])]


def test_put_to_others_when_the_queue_is_short_then_lists_are_split(qmgr: QueueManager) -> None:
    record = 96 + 24
    room = XQH + mq.MQMDE_LENGTH_2 + 48 + 10
    define_route(qmgr, "QM2", distribution_lists="YES", max_message_length=room + 2 * record)
    targets = [(f"Q{number}", "QM2") for number in range(5)]
    assert qmgr.put_to(targets, b"0123456789").unknown == 5
    sent = transmitted(qmgr, "QM2")
    assert [len(DistributionHeader.unpack(data).destinations) for _, data in sent[:2]] == [2, 2]
    assert [head.remote_queue for head, _ in sent] == ["", "", "Q4"]
    qmgr.alter_queue("QM2", max_message_length=room + record)
    assert qmgr.put_to(targets, b"0123456789").unknown == 5
    heads = [head.remote_queue for head, _ in transmitted(qmgr, "QM2")]
    assert heads == [f"Q{number}" for number in range(5)]


def test_put_to_others_when_their_queue_is_full_then_all_have_the_reason(
    qmgr: QueueManager,
) -> None:
    define_route(qmgr, "QM2", distribution_lists="YES", max_depth=1)
    define(qmgr, "A")
    qmgr.put("X", b"first", qmgr_name="QM2")
    found = qmgr.put_to([("X", "QM2"), "A", ("Y", "QM2")], b"x")
    full = failed(mq.MQRC_Q_FULL)
    assert results(found) == [full, DONE, full]
    assert counts(found) == (1, 0, 2)


def test_put_to_others_when_one_definition_is_inhibited_then_the_rest_goes(
    qmgr: QueueManager,
) -> None:
    define_route(qmgr, "QM2", distribution_lists="YES")
    qmgr.mqsc("DEFINE QREMOTE(OFF) RNAME(O) RQMNAME(QM2) PUT(DISABLED)")
    found = qmgr.put_to([("X", "QM2"), "OFF", ("Y", "QM2")], b"x")
    assert results(found) == [DONE, failed(mq.MQRC_PUT_INHIBITED), DONE]
    ((_, data),) = transmitted(qmgr, "QM2")
    assert queues(data) == ["X", "Y"]
