"""Goal: the queue manager's own messages are found and got wherever they are, also after the unit
of work that had got them was backed out. Method: a queue whose messages are swept.
"""

from __future__ import annotations

import pytest

from ternmq.kernel.ending import back_out_some
from ternmq.pubsub.own_messages import find_message, is_parked, take_message
from ternmq.pubsub.subscription_message import SUBSCRIBER_QUEUE
from ternmq.values.entry import Entry
from tests.unit.pubsub.store_rig import StoreRig

pytestmark = pytest.mark.core


def found(rig: StoreRig, name: str) -> Entry:
    kernel = rig.machine.kernel
    queue = kernel.locals[SUBSCRIBER_QUEUE].queue
    stored = rig.pubsub.by_name[name].stored
    assert stored is not None
    msg_id = stored.msg_id
    entry = find_message(kernel, rig.machine.link, queue, msg_id)
    if entry is None:
        assert is_parked(rig.machine.link)
        rig.machine.settle()
        entry = find_message(kernel, rig.machine.link, queue, msg_id)
    assert entry is not None
    return entry


def test_take_when_it_was_got_and_backed_out_before_then_it_is_got() -> None:
    rig = StoreRig()
    rig.create("S0")
    rig.shrink(2_000)
    for number in range(1, 40):
        rig.create(f"S{number}")
    kernel = rig.machine.kernel
    queue = kernel.locals[SUBSCRIBER_QUEUE].queue
    assert queue.swept_alive > 20
    unit = kernel.coordinator.begin()
    take_message(kernel, unit, queue, found(rig, "S20"))
    assert back_out_some(kernel, unit)
    depth = queue.depth
    take_message(kernel, None, queue, found(rig, "S20"))
    assert queue.depth == depth - 1
