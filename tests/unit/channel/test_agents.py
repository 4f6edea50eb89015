"""Goal: a sender and a receiver carry messages in batches, once each and in order.

Method: two agents joined in memory with model engines; see `model`.
"""

from __future__ import annotations

import pytest

from ternmq.base import constants as mq
from tests.unit.channel.model import message, sender_and_receiver

pytestmark = pytest.mark.core


def test_three_messages_then_they_arrive_in_order_and_both_ends_run() -> None:
    pair = sender_and_receiver()
    sent = [message(b"%d" % n) for n in range(3)]
    pair.put(*sent)
    pair.start()
    assert pair.engines[1].queue == sent
    assert pair.engines[0].queue == []
    assert [agent.status for agent in pair.agents] == [mq.MQCHS_RUNNING] * 2
    assert pair.sender.partner_qmgr == "QMB"
    assert pair.receiver.partner_qmgr == "QMA"
    assert pair.engines[0].state.last_sequence == 3
    assert pair.engines[1].state.last_sequence == 3
    assert pair.engines[0].state.last_luwid == pair.engines[1].state.last_luwid
    assert (pair.sender.batches, pair.receiver.batches) == (1, 1)
    assert pair.sender.watches
