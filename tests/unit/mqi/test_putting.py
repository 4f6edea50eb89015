"""Goal: a checked put request may be used for any number of messages. Method: one request, several
puts, what is on the queue."""

from __future__ import annotations

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.kernel.put import put
from ternmq.kernel.resolve import open_queue
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.mqi.putting import put_request
from tests.model.rig import Rig

pytestmark = pytest.mark.core


def test_group_id_that_the_queue_manager_makes_then_each_message_has_its_own() -> None:
    rig = Rig(LogParameters(CIRCULAR, 3, 2, 256, False))
    rig.qmgr.define_queue("Q")
    kernel = rig.engine.kernel
    link = rig.engine.connect("tester", "putter")
    handle = open_queue(kernel, link, "Q", "", "AMQ.*", mq.MQOO_OUTPUT)
    assert handle is not None
    md = Descriptor(msg_flags=mq.MQMF_MSG_IN_GROUP | mq.MQMF_LAST_MSG_IN_GROUP)
    request = put_request(kernel, link, md, PutOptions(), "MQPUT")
    with_ids = request.with_ids(b"M" * 24, bytes(24))
    entries = [put(kernel, link, handle, one, b"x") for one in (request, request, with_ids)]
    made = {entry.group_id for entry in entries if entry is not None}
    assert len(made) == 3
    assert bytes(24) not in made
    given = put_request(
        kernel, link, Descriptor(group_id=b"G" * 24, msg_flags=md.msg_flags), PutOptions(), "MQPUT"
    )
    kept = [put(kernel, link, handle, given, b"x") for _ in range(2)]
    assert {entry.group_id for entry in kept if entry is not None} == {b"G" * 24}
    rig.stop()


def test_group_id_in_an_application_then_each_message_has_its_own() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("Q")
        with qmgr.queue("Q") as queue:
            for _ in range(3):
                md = ternmq.Descriptor(msg_flags=mq.MQMF_MSG_IN_GROUP)
                queue.put(b"x", descriptor=md)
            assert len({queue.get().group_id for _ in range(3)}) == 3
