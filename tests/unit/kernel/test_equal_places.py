"""Goal: a complete get ends, whatever shares the place of a segment in its group.

Method: a segment, and a message that is none, with the same GroupId and MsgSeqNumber.
"""

from __future__ import annotations

import pytest

import ternmq
from ternmq import constants as mq

pytestmark = pytest.mark.core

GROUP = b"g" * 24


@pytest.mark.timeout(20)
@pytest.mark.parametrize("priorities", [(0, 9), (9, 0), (4, 4)])
@pytest.mark.parametrize("segment_first", [True, False])
def test_complete_get_when_a_message_has_the_place_of_a_segment_then_both_come_or_none(
    priorities: tuple[int, int], segment_first: bool
) -> None:
    flags = [mq.MQMF_MSG_IN_GROUP, mq.MQMF_LAST_SEGMENT]
    if segment_first:
        flags.reverse()
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("A")
        with qmgr.queue("A") as queue:
            for number, flag in enumerate(flags):
                md = ternmq.Descriptor(version=2, group_id=GROUP, msg_seq_number=1, msg_flags=flag)
                queue.put(bytes(15 + number), descriptor=md, priority=priorities[number])
            shown = [len(one.data) for one in queue.browse(options=mq.MQGMO_COMPLETE_MSG)]
            assert set(shown) <= {15, 16}
            taken = []
            while (one := queue.try_get(options=mq.MQGMO_COMPLETE_MSG)) is not None:
                taken.append(len(one.data))
            assert sorted(taken) == [15, 16]
            assert queue.depth == 0
