"""What statistics and accounting count of a scripted application: the same in the process, over the
local socket and over TCP, to the last call and byte."""

from __future__ import annotations

import pytest

import ternmq
from ternmq import QueueManager
from ternmq import constants as mq
from ternmq.base.accounts import TaskAccount, TaskQueueAccount
from ternmq.base.counters import QueueFigures, Traffic
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.kernel.meter import ACCTG, STAT
from ternmq.telemetry.snapshot import (
    CLASS_TASK_TOTALS,
    CLASS_TASKS,
    ChannelInterval,
    Destination,
    StatisticsInterval,
    TaskRecord,
)
from tests.battery.places import Place, Task, until, waiters

pytestmark = pytest.mark.core


class Kept(Destination):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.intervals: list[StatisticsInterval] = []
        self.records: list[TaskRecord] = []
        self.channel_intervals: list[ChannelInterval] = []

    def takes(self, family: str) -> bool:
        return family == "SMF"

    def statistics(self, interval: StatisticsInterval) -> None:
        self.intervals.append(interval)

    def task(self, record: TaskRecord) -> None:
        self.records.append(record)

    def channels(self, interval: ChannelInterval) -> None:
        self.channel_intervals.append(interval)

    def queue(self, name: str) -> QueueFigures:
        """What one queue has counted, over all intervals."""
        total = QueueFigures(0, 0, 0)
        for interval in self.intervals:
            for sample in interval.queues:
                if sample.name == name:
                    total.merge(sample.figures)
        return total

    def account(self, connection_id: bytes, trace_class: int = CLASS_TASKS) -> TaskAccount:
        """What one task has done, over all records."""
        total = TaskAccount(0, 0)
        for record in self.records:
            if record.identity.tag == connection_id and trace_class in record.classes:
                total.merge(record.account)
        return total


def measure(qmgr: QueueManager) -> Kept:
    """Statistics and accounting are on."""
    shell = qmgr.started.shell
    kernel = shell.engine.kernel
    kept = Kept()
    with shell.lock:
        shell.engine.collector.destinations.append(kept)
        kernel.meter.system.start(STAT, (1, 4, 5))
        kernel.meter.system.start(ACCTG, (1, 3, 4))
        kernel.measure()
    return kept


def finish(qmgr: QueueManager) -> None:
    """All intervals end."""
    shell = qmgr.started.shell
    with shell.lock:
        shell.engine.collector.finish()
    shell.deliver()


def gone(qmgr: QueueManager, connection_id: bytes) -> bool:
    shell = qmgr.started.shell
    with shell.lock:
        return all(one.tag != connection_id for one in shell.engine.kernel.connections.values())


def on_queue(account: TaskAccount, name: str) -> TaskQueueAccount:
    found = [one for one in account.queues.values() if one.base_name == name]
    assert len(found) == 1
    return found[0]


def sizes(traffic: Traffic) -> dict[str, tuple[int, int, int, int]]:
    """Count, smallest, largest and sum of each kind of message."""
    return {
        name: (int(one.count), int(one.smallest), int(one.largest), int(one.total))
        for name, one in (
            ("plain puts", traffic.plain_puts),
            ("persistent puts", traffic.persistent_puts),
            ("plain put1s", traffic.plain_put1s),
            ("persistent put1s", traffic.persistent_put1s),
            ("plain gets", traffic.plain_gets),
            ("persistent gets", traffic.persistent_gets),
            ("plain browses", traffic.plain_browses),
            ("persistent browses", traffic.persistent_browses),
        )
        if one.count
    }


def script(qmgr: QueueManager) -> bytes:
    """An application; its ConnectionId."""
    application = qmgr.connect()
    tag = application.connection_id
    with application.queue("A") as queue:
        assert queue.depth == 0
        wanted = queue.put(b"x" * 10, persistent=False)
        queue.put(b"x" * 30, persistent=False)
        queue.put(b"x" * 100, persistent=True)
        application.put("A", b"x" * 1000, descriptor=Descriptor(persistence=mq.MQPER_PERSISTENT))
        with pytest.raises(ternmq.MQError) as refused:
            queue.put(b"x" * 20_001)
        assert refused.value.reason == mq.MQRC_MSG_TOO_BIG_FOR_Q
        assert [len(message.data) for message in queue.browse()] == [10, 30, 100, 1000]
        assert len(queue.get(msg_id=wanted).data) == 10
        with application.unit_of_work() as unit:
            assert len(queue.get().data) == 30
            queue.put(b"x" * 50, persistent=True)
            unit.backout()
        with application.unit_of_work():
            assert len(queue.get().data) == 30
        assert len(queue.get().data) == 100
        assert len(queue.get().data) == 1000
        assert queue.try_get() is None
        assert queue.try_get(correl_id=b"none") is None
    application.disconnect()
    until(lambda: gone(qmgr, tag))
    return tag


EXPECTED = {
    "plain puts": (2, 10, 30, 40),
    "persistent puts": (2, 50, 100, 150),
    "persistent put1s": (1, 1000, 1000, 1000),
    "plain gets": (3, 10, 30, 70),
    "persistent gets": (2, 100, 1000, 1100),
    "plain browses": (2, 10, 30, 40),
    "persistent browses": (2, 100, 1000, 1100),
}


def test_queue_statistics_when_script_is_over_then_every_call_is_in_them(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A", max_message_length=20_000)
    kept = measure(qmgr)
    script(qmgr)
    finish(qmgr)
    figures = kept.queue("A")
    traffic = figures.traffic
    assert sizes(traffic) == EXPECTED
    assert (traffic.failed_puts, traffic.failed_put1s) == (1, 0)
    assert (traffic.failed_gets, figures.gets_without_message) == (2, 2)
    assert (traffic.failed_browses, figures.browses_without_message) == (1, 1)
    assert (figures.backed_out_puts, figures.backed_out_gets) == (1, 1)
    assert (figures.depth_low, figures.depth_high) == (0, 4)
    assert figures.opens == figures.closes
    assert (figures.input_high, figures.output_high) == (1, 2)  # MQPUT1 opens it too


def test_account_when_script_is_over_then_it_equals_the_queue(qmgr: QueueManager) -> None:
    qmgr.define_queue("A", max_message_length=20_000)
    kept = measure(qmgr)
    tag = script(qmgr)
    finish(qmgr)
    account = kept.account(tag)
    queue = on_queue(account, "A")
    assert sizes(queue.traffic) == EXPECTED
    assert (queue.put.calls, queue.put.failed, queue.put1.calls) == (5, 1, 1)
    assert (queue.gets_any, queue.gets_specific) == (5, 2)
    assert (queue.browses_any, queue.browses_specific) == (5, 0)
    assert (queue.get.calls, queue.get.failed) == (12, 3)
    assert (queue.open.calls, queue.close.calls) == (queue.handles_opened, queue.open.calls)
    assert queue.inquire.calls >= 1
    assert (account.commit.calls, account.back_out.calls) == (1, 1)
    assert queue.depth_high == 4
    assert account.put_sizes.to_99 == 3
    assert (account.put_sizes.to_999, account.put_sizes.to_9999) == (1, 1)
    assert (account.get_sizes.to_99, account.get_sizes.to_999, account.get_sizes.to_9999) == (
        5,
        2,
        2,
    )
    for verb in (queue.put, queue.get, queue.put1, queue.open, account.commit):
        assert verb.elapsed_ns > 0
        assert verb.force_wait_ns <= verb.elapsed_ns


def test_whole_task_when_it_ends_then_class_1_reports_it_once(qmgr: QueueManager) -> None:
    qmgr.define_queue("A", max_message_length=20_000)
    kept = measure(qmgr)
    tag = script(qmgr)
    finish(qmgr)
    whole = [
        one for one in kept.records if one.identity.tag == tag and CLASS_TASK_TOTALS in one.classes
    ]
    assert [one.is_last for one in whole] == [True]
    assert sizes(whole[0].account.traffic_total()) == EXPECTED


def test_queue_manager_when_all_is_over_then_it_is_the_sum_of_its_queues(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A", max_message_length=20_000)
    qmgr.define_queue("B")
    kept = measure(qmgr)
    script(qmgr)
    with qmgr.queue("B") as queue:
        queue.put(b"one more")
    finish(qmgr)
    total = Traffic()
    figures = Traffic()
    for interval in kept.intervals:
        figures.merge(interval.figures.traffic)
        for sample in interval.queues:
            total.merge(sample.figures.traffic)
    assert sizes(figures) == sizes(total)
    assert figures.puts == total.puts >= 5


def test_put1_when_refused_then_its_queue_and_task_have_it(qmgr: QueueManager) -> None:
    qmgr.define_queue("A", put="disabled")
    qmgr.define_alias("ALIAS", target="A")
    other = qmgr.connect()
    tag = other.connection_id
    kept = measure(qmgr)
    for name in ("A", "ALIAS"):
        with pytest.raises(ternmq.MQError):
            other.put(name, b"x")
    other.disconnect()
    until(lambda: gone(qmgr, tag))
    finish(qmgr)
    assert kept.queue("A").traffic.failed_put1s == 2
    used = kept.account(tag).queues.values()
    found = [(one.open_name, one.base_name, one.put1.calls, one.put1.failed) for one in used]
    assert sorted(found) == [("A", "A", 1, 1), ("ALIAS", "A", 1, 1)]


def test_put_for_waiting_getter_is_handed_over(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    other = qmgr.connect()
    kept = measure(qmgr)
    with qmgr.queue("A") as queue, other.queue("A") as theirs:
        getter = Task(lambda: theirs.get(wait=-1).data)
        until(lambda: waiters(qmgr) == 1)
        queue.put(b"hello", persistent=False)
        assert getter.outcome() == b"hello"
    finish(qmgr)
    figures = kept.queue("A")
    assert figures.traffic.handed_over_puts + figures.traffic.plain_gets.count >= 1
    assert figures.traffic.handed_over_puts == (1 if figures.depth_high == 0 else 0)
    assert sizes(figures.traffic) == {"plain puts": (1, 5, 5, 5), "plain gets": (1, 5, 5, 5)}


def test_nothing_when_nothing_is_on(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(b"x")
    kernel = qmgr.started.shell.engine.kernel
    assert kernel.measured == 0
    assert kernel.locals["A"].figures is None
    assert all(one.account is None for one in kernel.connections.values())


def test_puts_without_answer_and_read_ahead_are_counted_like_others(qmgr: QueueManager) -> None:
    qmgr.define_queue("A", default_response="ASYNC", default_read_ahead="YES")
    other = qmgr.connect()
    tag = other.connection_id
    kept = measure(qmgr)
    with other.queue("A") as queue:
        for _ in range(50):
            queue.put(b"12345", persistent=False)
        got = [message.data for message in queue.consume(wait=0)]
    assert got == [b"12345"] * 50
    other.disconnect()
    until(lambda: gone(qmgr, tag))
    finish(qmgr)
    expected = {"plain puts": (50, 5, 5, 250), "plain gets": (50, 5, 5, 250)}
    assert sizes(kept.queue("A").traffic) == expected
    queue_account = on_queue(kept.account(tag), "A")
    assert sizes(queue_account.traffic) == expected
    assert queue_account.put.calls == 50
    assert queue_account.get.calls - queue_account.get.failed == 50
    assert queue_account.put.elapsed_ns > 0
    assert queue_account.get.elapsed_ns > 0


def test_browse_locks_when_given_up_then_each_release_is_counted(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    other = qmgr.connect()
    with qmgr.queue("A") as queue:
        for _ in range(3):
            queue.put(b"x")
    kept = measure(qmgr)
    first, after, lock = mq.MQGMO_BROWSE_FIRST, mq.MQGMO_BROWSE_NEXT, mq.MQGMO_LOCK
    with other.queue("A", options=mq.MQOO_INPUT_SHARED | mq.MQOO_BROWSE) as queue:
        queue.try_get(options=first | lock)
        queue.try_get(options=after | lock)  # gives up the first
        queue.try_get(options=mq.MQGMO_UNLOCK)  # and this one
        queue.try_get(options=first | lock)
        queue.try_get(options=mq.MQGMO_MSG_UNDER_CURSOR)  # takes what was locked
        queue.try_get(options=first | lock)  # given up with the handle
    other.disconnect()
    finish(qmgr)
    assert sum(one.figures.browse_locks for one in kept.intervals) == 4
    assert sum(one.figures.locks_released for one in kept.intervals) == 4


def test_trigger_messages_when_puts_make_them_then_their_task_has_them(qmgr: QueueManager) -> None:
    qmgr.define_queue("INIT")
    qmgr.mqsc("DEFINE PROCESS(P) APPLICID('/bin/serve')")
    qmgr.define_queue("A")
    qmgr.mqsc("ALTER QLOCAL(A) TRIGGER TRIGTYPE(EVERY) INITQ(INIT) PROCESS(P)")
    monitor = qmgr.queue("INIT", options=mq.MQOO_INPUT_SHARED | mq.MQOO_INQUIRE)
    other = qmgr.connect()
    tag = other.connection_id
    kept = measure(qmgr)
    with other.queue("A") as queue:
        queue.put(b"x")
        with other.unit_of_work():
            queue.put(b"x")
            queue.put(b"x")
    assert monitor.depth == 3
    monitor.close()
    other.disconnect()
    until(lambda: gone(qmgr, tag))
    finish(qmgr)
    assert on_queue(kept.account(tag), "A").generated == 3


def test_channels_when_statchl_is_on_then_running_and_ended_ones_are_reported(place: Place) -> None:
    if place.kind != "network":
        pytest.skip("there are no channels")
    qmgr = place.qmgr
    qmgr.define_queue("A")
    kept = measure(qmgr)
    qmgr.alter_qmgr(statistics_channels="MEDIUM")
    task = qmgr.connect(user="another")  # one of the same user may share the socket
    tag = task.connection_id
    with task.queue("A") as queue:
        for _ in range(10):
            queue.put(b"x")
    task.disconnect()
    instances = qmgr.started.shell.engine.kernel.parts.instances
    until(lambda: gone(qmgr, tag) and len(instances) == 1)
    finish(qmgr)
    (interval,) = kept.channel_intervals
    assert sorted(one.stopped_ns > 0 for one in interval.channels) == [False, True]
    assert interval.channels
    assert all(one.statistics == mq.MQMON_MEDIUM for one in interval.channels)
    assert sum(one.messages for one in interval.channels) >= 10
    assert all(one.bytes_received > 0 for one in interval.channels)
    (whole,) = kept.intervals
    assert whole.initiator.channels_high >= 1
    assert whole.initiator.requests > 0
    assert {one.name for one in whole.channels} == {one.name for one in interval.channels}


def test_accounting_when_it_begins_in_the_middle_of_a_verb_then_no_time_is_made_up(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A")
    other = qmgr.connect()
    tag = other.connection_id
    with qmgr.queue("A") as queue, other.queue("A") as theirs:
        getter = Task(lambda: theirs.get(wait=-1).data)
        until(lambda: waiters(qmgr) == 1)
        kept = measure(qmgr)
        queue.put(b"hello")
        assert getter.outcome() == b"hello"
    other.disconnect()
    until(lambda: gone(qmgr, tag))
    finish(qmgr)
    get = on_queue(kept.account(tag), "A").get
    assert (get.calls, get.elapsed_ns, get.cpu_ns) == (1, 0, 0)
