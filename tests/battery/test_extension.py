"""Goal: an MQMDE before the data of a put stands for the fields that version 1 of the MQMD lacks,
through every binding, and selectors see them.
Method: the battery's queue managers; MQMDEs that are honoured, are data, and are refused.
"""

from __future__ import annotations

from typing import Any

import pytest

import ternmq
from ternmq import QueueManager
from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.codec.headers.mqmde import DescriptorExtension
from tests.battery.test_properties_and_selectors import HEADED, PAYLOAD, texts

pytestmark = pytest.mark.core

GROUP = b"g" * 24
FLAGS = mq.MQMF_MSG_IN_GROUP | mq.MQMF_LAST_MSG_IN_GROUP


def extension(**fields: Any) -> bytes:
    given = {"group_id": GROUP, "msg_seq_number": 3, "msg_flags": FLAGS, "format": "MQSTR"}
    return DescriptorExtension(**{**given, "ccsid": 1208, **fields}).pack()


def described(**fields: Any) -> ternmq.Descriptor:
    return ternmq.Descriptor(**{"format": "MQHMDE", "ccsid": 1208, "version": 1, **fields})


@pytest.fixture
def queue(qmgr: QueueManager) -> ternmq.Queue:
    qmgr.define_queue("A")
    return qmgr.queue("A")


@pytest.mark.parametrize("version", [1, 2])
def test_extension_when_the_descriptor_says_none_of_it_then_its_fields_are_the_messages(
    qmgr: QueueManager, queue: ternmq.Queue, version: int
) -> None:
    """S15."""
    queue.put(extension() + PAYLOAD, descriptor=described(version=version))
    qmgr.put("A", extension() + PAYLOAD, descriptor=described(version=version))
    queue.put("other")
    for selector in (
        f'Root.MQMD.GroupId = "0x{GROUP.hex()}"',
        "Root.MQMD.MsgSeqNumber = 3",
        f"Root.MQMD.MsgFlags = {FLAGS}",
        "JMSXGroupSeq = 3",
        f"JMSXGroupID = 'ID:{GROUP.hex()}'",
    ):
        with qmgr.queue("A", selector=selector) as chosen:
            assert texts(chosen) == [PAYLOAD.decode()] * 2, selector
    for _ in range(2):
        message = queue.get(group_id=GROUP)
        md = message.descriptor
        assert (message.data, message.format, message.length) == (PAYLOAD, "MQSTR", len(PAYLOAD))
        assert (md.group_id, md.msg_seq_number, md.msg_flags) == (GROUP, 3, FLAGS)


def test_extension_when_an_mqrfh2_follows_then_that_is_properties(
    qmgr: QueueManager, queue: ternmq.Queue
) -> None:
    """S15, R5."""
    queue.put(extension(format="MQHRF2") + HEADED, descriptor=described(), persistent=True)
    with qmgr.queue("A", selector="a = '1' AND JMSXGroupSeq = 3") as chosen:
        message = chosen.get()
    assert (message.data, dict(message.properties)) == (PAYLOAD, {"a": "1"})
    assert message.descriptor.group_id == GROUP


def test_extension_when_a_group_without_an_id_begins_then_one_is_made(queue: ternmq.Queue) -> None:
    queue.put(extension(group_id=bytes(24)) + PAYLOAD, descriptor=described())
    assert queue.get().group_id != bytes(24)


@pytest.mark.parametrize(
    ("fields", "data"),
    [
        ({"version": 2, "msg_flags": 8, "group_id": b"h" * 24}, extension()),
        ({"encoding": mq.MQENC_INTEGER_NORMAL}, extension()),
        ({"ccsid": 500}, extension()),
        ({}, b"MDE \1\0\0\0" + extension()[8:]),
    ],
    ids=["fields of its own", "encoding", "character set", "version"],
)
def test_extension_when_it_does_not_count_then_it_is_data(
    qmgr: QueueManager, queue: ternmq.Queue, fields: dict[str, Any], data: bytes
) -> None:
    queue.put(data + PAYLOAD, descriptor=described(**fields))
    with qmgr.queue("A", selector="Root.MQMD.MsgSeqNumber = 3") as chosen:
        assert chosen.try_get() is None
    message = queue.get()
    assert (message.data, message.format) == (data + PAYLOAD, "MQHMDE")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"short", 2248),
        (b"XXX " + extension()[4:], 2248),
        (extension(structure_length=70), 2248),
        (extension(msg_flags=0x40000), 2249),
        (extension(msg_seq_number=0), 2250),
        (extension(msg_flags=mq.MQMF_SEGMENT, offset=-1), 2251),
    ],
)
def test_extension_when_wrong_then_its_reason_and_nothing_is_put(
    queue: ternmq.Queue, data: bytes, reason: int
) -> None:
    with pytest.raises(MQError) as caught:
        queue.put(data, descriptor=described())
    assert caught.value.reason == reason
    assert queue.depth == 0
