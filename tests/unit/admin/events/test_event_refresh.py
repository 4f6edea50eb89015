"""Goal: REFRESH QMGR tells what it was asked for, in bounded steps; what cannot be put is counted.

Method: a simulated clock, many objects, character sets and logs without room.
"""

from __future__ import annotations

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.codec.pcf.structures import unpack_pcf
from ternmq.testing.simulation import Simulation

pytestmark = pytest.mark.core


def names(qmgr: ternmq.QueueManager) -> list[object]:
    """Of the objects that configuration events tell."""
    with qmgr.queue("SYSTEM.ADMIN.CONFIG.EVENT") as queue:
        events = [unpack_pcf(message.data) for message in queue]
    found = [event.find(mq.MQCA_Q_NAME) for event in events]
    return [one.value for one in found if one is not None]


def test_refresh_of_what_was_altered_lately() -> None:
    with Simulation() as sim:
        qmgr = sim.start()
        qmgr.define_queue("OLD")
        sim.clock.advance(3600)
        qmgr.alter_qmgr(CONFIGEV="ENABLED")
        qmgr.define_queue("NEW")
        names(qmgr)
        assert qmgr.mqsc("REFRESH QMGR TYPE(CONFIGEV) OBJECT(QUEUE) INCLINT(5)")[0].ok
        assert names(qmgr) == ["NEW"]


def test_refresh_of_another_kind_is_refused() -> None:
    with ternmq.memory("QM1") as qmgr:
        (refused,) = qmgr.mqsc("REFRESH QMGR TYPE(EARLY)")
        assert (refused.ok, refused.reason) == (False, rc.MQRC_FUNCTION_NOT_SUPPORTED)


def test_refresh_of_many_objects_is_many_steps() -> None:
    with ternmq.memory("QM1") as qmgr:
        for number in range(300):
            qmgr.define_queue(f"MANY.{number:03}")
        qmgr.alter_queue("SYSTEM.ADMIN.CONFIG.EVENT", max_depth=1000)
        qmgr.alter_qmgr(CONFIGEV="ENABLED")
        names(qmgr)
        assert qmgr.mqsc("REFRESH QMGR TYPE(CONFIGEV) NAME(MANY.*)")[0].ok
        assert names(qmgr) == [f"MANY.{number:03}" for number in range(300)]


def test_an_event_that_the_character_set_cannot_hold_is_lost() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.alter_qmgr(ccsid=819, CONFIGEV="ENABLED")
        events = qmgr.started.shell.engine.events.queues
        lost = events.lost
        qmgr.define_queue("Q", description="日本")
        assert events.lost == lost + 1
        assert "U+65E5" in events.last_loss
        assert "Q" in qmgr.queue_names()


def test_a_persistent_event_without_room_in_the_log_is_lost() -> None:
    with Simulation(log_file_pages=64) as sim:
        qmgr = sim.start()
        qmgr.alter_qmgr(INHIBTEV="ENABLED")
        qmgr.alter_queue("SYSTEM.ADMIN.QMGR.EVENT", default_persistence="YES")
        qmgr.define_queue("Q", put="DISABLED")
        kernel = qmgr.started.shell.engine.kernel
        space = kernel.coordinator.space
        events = qmgr.started.shell.engine.events.queues
        taken = space.left_bytes - space.reserved
        space.reserve(taken)  # as units of work do that may have to be backed out
        try:
            with pytest.raises(ternmq.Inhibited):
                qmgr.put("Q", b"x")
        finally:
            space.release(taken)
        assert events.lost == 1
        assert "SYSTEM.ADMIN.QMGR.EVENT" in events.last_loss
