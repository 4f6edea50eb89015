"""Goal: statistics and accounting messages stand on their queues as MQ's tools expect them; what a
queue does not take is counted and told at both ends.

Method: a memory queue manager, snapshots made by hand, messages got as an application gets them.
"""

from __future__ import annotations

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.codec.pcf.structures import unpack_pcf
from ternmq.outlets.pcf_destination import (
    ACCOUNTING_QUEUE,
    LOSES,
    RESUMED,
    STATISTICS_QUEUE,
    MessageDestination,
)
from ternmq.telemetry.snapshot import PCF, SMF
from tests.unit.telemetry.measured import interval, task_record

pytestmark = pytest.mark.core


def notices(qmgr: ternmq.QueueManager) -> list[tuple[object, ...]]:
    with qmgr.started.shell.lock:
        taken = qmgr.started.shell.engine.kernel.notices.take()
    found = [(one.message_id, *one.inserts) for one in taken]
    return [one for one in found if one[0] != "AMQ5806I"]  # queued publish/subscribe starts, soon


def test_destination_when_given_then_messages_are_on_both_queues() -> None:
    with ternmq.memory("QM1") as qmgr:
        destination = MessageDestination(qmgr.started.shell)
        assert destination.takes(PCF)
        assert not destination.takes(SMF)
        destination.statistics(interval(2, PCF))
        destination.task(task_record(1, PCF))
        with qmgr.queue(STATISTICS_QUEUE) as queue:
            messages = [queue.get() for _ in range(3)]
        commands = [unpack_pcf(one.data).command for one in messages]
        assert commands == [164, 165, 166]
        md = messages[0].descriptor
        assert md.format == mq.MQFMT_ADMIN
        assert md.put_appl_type == mq.MQAT_QMGR
        assert md.put_appl_name == "QM1"
        with qmgr.queue(ACCOUNTING_QUEUE) as queue:
            commands = [unpack_pcf(queue.get().data).command for _ in range(2)]
        assert commands == [167, 168]


def test_destination_when_the_queue_is_full_then_the_loss_is_reported_once_and_its_end() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.alter_queue(STATISTICS_QUEUE, max_depth=1)
        notices(qmgr)
        destination = MessageDestination(qmgr.started.shell)
        destination.statistics(interval(1, PCF))
        counted = destination.queues[STATISTICS_QUEUE]
        assert (counted.put, counted.lost) == (1, 2)
        ((message, queue_name, why),) = notices(qmgr)
        assert (message, queue_name) == (LOSES, STATISTICS_QUEUE)
        assert "MQRC_Q_FULL" in str(why)
        qmgr.alter_queue(STATISTICS_QUEUE, max_depth=100)
        notices(qmgr)
        destination.statistics(interval(1, PCF))
        assert notices(qmgr) == [(RESUMED, STATISTICS_QUEUE, 2)]
        assert (counted.put, counted.lost) == (4, 2)


def test_destination_when_there_is_no_queue_then_it_is_reported_and_nothing_fails() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.delete_queue(ACCOUNTING_QUEUE)
        notices(qmgr)
        destination = MessageDestination(qmgr.started.shell)
        destination.task(task_record(1, PCF))
        assert destination.queues[ACCOUNTING_QUEUE].lost == 2
        assert [one[0] for one in notices(qmgr)] == [LOSES]


def test_destination_when_the_queue_is_not_loaded_then_it_is_loaded(tmp_path: object) -> None:
    path = str(tmp_path)
    with ternmq.embedded(path, "QM1", create=True):
        pass
    with ternmq.embedded(path, "QM1") as qmgr:
        destination = MessageDestination(qmgr.started.shell)
        destination.statistics(interval(1, PCF))
        assert destination.queues[STATISTICS_QUEUE].put == 3
        with qmgr.queue(STATISTICS_QUEUE) as queue:
            assert unpack_pcf(queue.get().data).command == 164
