"""Intervals under a simulated clock: when they end, what is told then and to whom; long tasks; new
lengths; the end of the queue manager. And a random application, whose tasks, queues and queue
manager must tell the same."""

from __future__ import annotations

import random

import pytest

from ternmq import Connection, MQError, Queue, QueueManager
from ternmq import constants as mq
from ternmq.base.counters import (
    ENDED_BY_QMGR,
    ENDED_IMPLICITLY,
    ENDED_NORMALLY,
    QueueFigures,
    Traffic,
)
from ternmq.telemetry.smf.counter_views import QueueView
from ternmq.telemetry.snapshot import (
    CLASS_TASKS,
    PCF,
    SMF,
    Destination,
    StatisticsInterval,
    TaskRecord,
)
from ternmq.testing.simulation import Simulation

pytestmark = pytest.mark.core
SECOND_NS = 1_000_000_000


class Kept(Destination):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.intervals: list[StatisticsInterval] = []
        self.records: list[TaskRecord] = []
        self.closed = 0

    def statistics(self, interval: StatisticsInterval) -> None:
        self.intervals.append(interval)

    def task(self, record: TaskRecord) -> None:
        self.records.append(record)

    def close(self) -> None:
        self.closed += 1

    def of(self, family: str) -> list[StatisticsInterval]:
        return [one for one in self.intervals if one.family == family]


def begin(sim: Simulation, *commands: str) -> tuple[QueueManager, Kept]:
    qmgr = sim.start()
    kept = Kept()
    qmgr.started.shell.engine.collector.destinations.append(kept)
    qmgr.define_queue("A")
    qmgr.mqsc("ALTER QMGR STRSTPEV(DISABLED)")  # its messages are nobody's
    for command in commands:
        (answer,) = qmgr.mqsc(command)
        assert answer.comp == 0, answer
    return qmgr, kept


def after(sim: Simulation, seconds: float) -> None:
    sim.clock.advance(seconds)
    sim.settle()


def test_time_on_queue_when_only_statistics_are_on_then_the_record_has_it() -> None:
    with Simulation() as sim:
        qmgr, kept = begin(sim, "ALTER QLOCAL(A) STATQ(ON)", "START TRACE(STAT) CLASS(5)")
        with qmgr.queue("A") as queue:
            queue.put(b"waits")
            after(sim, 3)
            queue.put(b"waits")
            after(sim, 1)
            assert [queue.get().data, queue.get().data] == [b"waits"] * 2
            after(sim, 1796)
        (sample,) = [one for one in kept.of(SMF)[0].queues if one.name == "A"]
        lay_ms = QueueView(sample).short_lay_ns // 1_000_000
        assert lay_ms == 2500  # one lay four seconds, the other one


def test_interval_when_it_ends_then_it_begins_where_the_last_ended() -> None:
    with Simulation() as sim:
        qmgr, kept = begin(sim, "START TRACE(STAT) CLASS(1)")
        with qmgr.queue("A") as queue:
            queue.put(b"one")
            after(sim, 1799)
            assert kept.intervals == []
            after(sim, 1)
            queue.put(b"two")
            queue.put(b"three")
            after(sim, 1800)
        first, second = kept.of(SMF)
        assert (first.figures.traffic.puts, second.figures.traffic.puts) == (1, 2)
        assert second.started_ns == first.ended_ns
        assert second.ended_ns - second.started_ns == pytest.approx(1800 * SECOND_NS, rel=0.01)
        assert [one.sequence for one in kept.intervals] == [0, 1]
        assert first.classes == {1}


def test_new_length_when_set_then_it_holds_from_the_next_interval() -> None:
    with Simulation() as sim:
        qmgr, kept = begin(sim, "START TRACE(STAT)", "SET SYSTEM STATIME(0.01)")
        shown = qmgr.mqsc("DISPLAY SYSTEM")
        assert [one["SYSTEM"] for one in shown] == ["INITIAL", "CURRENT", "SET"]
        assert [one["STATIME"] for one in shown] == ["30", "30", "0.01"]
        after(sim, 1)
        assert kept.intervals == []
        after(sim, 1799)
        assert len(kept.intervals) == 1
        for seconds in range(1, 6):
            after(sim, 1)
            assert len(kept.intervals) == 1 + seconds
        assert [one["STATIME"] for one in qmgr.mqsc("DISPLAY SYSTEM")] == ["30", "0.01"]


def test_accounting_interval_when_minus_1_then_it_is_that_of_statistics() -> None:
    with Simulation() as sim:
        qmgr, kept = begin(
            sim,
            "SET SYSTEM STATIME(0.10) ACCTIME(-1)",
            "START TRACE(STAT)",
            "START TRACE(A) CLASS(3)",
        )
        after(sim, 1800)
        kept.records.clear()
        long_task = qmgr.connect()
        after(sim, 10)  # the first end of an interval that it sees
        assert long_task.connection_id not in [one.identity.tag for one in kept.records]
        after(sim, 10)
        assert long_task.connection_id in [one.identity.tag for one in kept.records]
        assert all(not one.is_last for one in kept.records)


def test_short_task_when_it_ends_then_one_record_reports_it() -> None:
    with Simulation() as sim:
        qmgr, kept = begin(sim, "START TRACE(ACCTG) CLASS(3)")
        task = qmgr.connect()
        with task.queue("A") as queue:
            queue.put(b"x")
        tag = task.connection_id
        task.disconnect()
        after(sim, 1)
        (record,) = [one for one in kept.records if one.identity.tag == tag]
        assert (record.is_last, record.ended_how, record.sequence) == (True, ENDED_NORMALLY, 0)
        assert record.classes == {CLASS_TASKS}
        assert record.account.traffic_total().puts == 1


@pytest.mark.parametrize(
    ("on", "off"),
    [
        ("START TRACE(ACCTG) CLASS(1,3)", "STOP TRACE(ACCTG)"),
        ("START TRACE(ACCTG) CLASS(1,3)", "STOP TRACE(ACCTG) CLASS(3)"),
        ("ALTER QMGR ACCTMQI(ON)", "ALTER QMGR ACCTMQI(OFF)"),
    ],
)
def test_task_when_accounting_is_switched_off_right_after_it_then_it_is_reported(
    on: str, off: str
) -> None:
    with Simulation() as sim:
        qmgr, kept = begin(sim, on)
        after(sim, 1)
        task = qmgr.connect()
        with task.queue("A") as queue:
            queue.put(b"x")
        tag = task.connection_id
        task.disconnect()
        (answer,) = qmgr.mqsc(off)
        assert answer.comp == 0
        after(sim, 1)
        records = [one for one in kept.records if one.identity.tag == tag]
        puts = [one.account.traffic_total().puts for one in records]
        assert puts == ([1] if "QMGR" in on else [1, 1])
        assert all(one.is_last for one in records)


def test_long_task_when_intervals_end_then_its_records_add_up() -> None:
    with Simulation() as sim:
        qmgr, kept = begin(sim, "SET SYSTEM ACCTIME(0.05)", "START TRACE(ACCTG) CLASS(1,3)")
        after(sim, 1800)
        task = qmgr.connect()
        tag = task.connection_id
        kept.records.clear()
        with task.queue("A") as queue:
            for _ in range(4):
                queue.put(b"12345")
                after(sim, 5)
        task.disconnect()
        after(sim, 1)
        records = [one for one in kept.records if one.identity.tag == tag]
        stretches = [one for one in records if CLASS_TASKS in one.classes]
        assert [one.account.traffic_total().puts for one in stretches] == [2, 1, 1, 0]
        assert [one.is_last for one in stretches] == [False, False, False, True]
        assert [one.sequence for one in stretches] == [0, 1, 2, 3]
        starts = [int(one.account.since_ns) for one in stretches]
        assert starts[1:] == [one.ended_ns for one in stretches[:-1]]
        assert {int(one.account.started_ns) for one in stretches} == {starts[0]}
        (handle,) = stretches[1].account.queues.values()
        assert (handle.handles, handle.open.calls) == (1, 0)
        (whole,) = [one for one in records if CLASS_TASKS not in one.classes]
        assert whole.account.traffic_total().puts == 4


def test_families_when_both_are_on_then_each_has_its_interval_over_the_same_counters() -> None:
    with Simulation() as sim:
        qmgr, kept = begin(
            sim,
            "SET SYSTEM STATIME(1)",
            "ALTER QMGR STATINT(45) STATMQI(ON) STATQ(ON)",
            "START TRACE(S) CLASS(1,5)",
        )
        after(sim, 1800)
        kept.intervals.clear()
        with qmgr.queue("A") as queue:
            for _ in range(18):
                queue.put(b"x")
                after(sim, 10)
        smf = [puts_to_a(one) for one in kept.of(SMF)]
        pcf = [puts_to_a(one) for one in kept.of(PCF)]
        assert (sum(smf), len(smf)) == (18, 3)
        assert (sum(pcf), len(pcf)) == (18, 4)
        assert all(one.mqi_reported for one in kept.of(PCF))
        reported = [one.name for one in kept.of(PCF)[0].queues if one.reported]
        assert "A" in reported


def test_trace_when_started_while_others_count_then_it_reports_nothing_from_before() -> None:
    with Simulation() as sim:
        qmgr, kept = begin(sim, "ALTER QMGR STATMQI(ON) STATQ(ON)")
        with qmgr.queue("A") as queue:
            queue.put(b"before", persistent=True)
            records = qmgr.log_status().records
            qmgr.mqsc("START TRACE(STAT) CLASS(1,5)")
            queue.put(b"after", persistent=True)
            after(sim, 1800)
        (smf,) = kept.of(SMF)
        (pcf,) = kept.of(PCF)
        assert (puts_to_a(smf), puts_to_a(pcf)) == (1, 2)
        assert smf.log.records < records
        assert smf.figures.traffic.puts == 1


def puts_to_a(interval: StatisticsInterval) -> int:
    return sum(one.figures.traffic.puts for one in interval.queues if one.name == "A")


def test_log_when_it_goes_on_in_other_extents_then_those_are_counted() -> None:
    with Simulation() as sim:
        qmgr, kept = begin(sim, "START TRACE(STAT) CLASS(1)", "SET SYSTEM STATIME(1)")
        shell = qmgr.started.shell
        size = int(shell.engine.keeper.extent_bytes)
        first = int(shell.engine.log.end_lsn) // size
        with qmgr.queue("A") as queue:
            for _ in range(4):
                queue.put(b"x" * size, persistent=True)
            for _ in range(4):
                queue.get()
        after(sim, 1800)
        last = int(shell.engine.log.end_lsn - 1) // size
        reported = [int(one.log.extents_begun) for one in kept.of(SMF)]
        assert last - first >= 3
        assert sum(reported) == last - first


def test_statistics_when_reset_then_they_are_reported_at_once() -> None:
    with Simulation() as sim:
        qmgr, kept = begin(sim, "ALTER QMGR STATMQI(ON)")
        with qmgr.queue("A") as queue:
            queue.put(b"x")
        (answer,) = qmgr.mqsc("RESET QMGR TYPE(STATISTICS)")
        assert answer.comp == 0
        sim.settle()
        (interval,) = kept.of(PCF)
        assert interval.figures.traffic.puts == 1


def test_end_of_queue_manager_when_intervals_run_then_they_are_reported_and_closed() -> None:
    sim = Simulation()
    qmgr, kept = begin(sim, "START TRACE(STAT)", "START TRACE(ACCTG) CLASS(3)")
    task = qmgr.connect()
    with task.queue("A") as queue:
        queue.put(b"x")
    vanished = qmgr.connect()
    vanished.queue("A").put(b"y")
    sim.stop()
    (interval,) = kept.of(SMF)
    assert interval.is_last
    assert interval.figures.traffic.puts == 2
    assert kept.closed == 1
    assert {one.ended_how for one in kept.records} <= {ENDED_BY_QMGR, ENDED_NORMALLY}
    assert ENDED_BY_QMGR in {one.ended_how for one in kept.records}
    assert interval.figures.disconnects[ENDED_IMPLICITLY] == 0


def test_attributes_when_restarted_then_they_are_there_and_traces_are_not() -> None:
    with Simulation() as sim:
        qmgr, _ = begin(
            sim, "ALTER QMGR STATMQI(ON) ACCTMQI(ON)", "START TRACE(STAT)", "SET SYSTEM STATIME(2)"
        )
        sim.stop()
        qmgr = sim.start()
        assert qmgr.mqsc("DISPLAY TRACE(*)")[0].message == "AMQ8974E"
        assert [one["STATIME"] for one in qmgr.mqsc("DISPLAY SYSTEM")] == ["30", "30"]
        kernel = qmgr.started.shell.engine.kernel
        assert kernel.meter.mqi_accounting
        assert kernel.measured == 3


@pytest.mark.parametrize(
    ("queue_manager", "queue", "expected"),
    [
        ("OFF", "QMGR", False),
        ("OFF", "ON", True),
        ("ON", "QMGR", True),
        ("ON", "OFF", False),
        ("NONE", "ON", False),
    ],
)
def test_statq_and_acctq_when_inherited(queue_manager: str, queue: str, expected: bool) -> None:
    with Simulation() as sim:
        qmgr, _ = begin(
            sim,
            f"ALTER QMGR STATQ({queue_manager}) ACCTQ({queue_manager})",
            f"ALTER QLOCAL(A) STATQ({queue}) ACCTQ({queue})",
        )
        with qmgr.queue("A"):
            kernel = qmgr.started.shell.engine.kernel
            local = kernel.locals["A"]
            assert local.reported is expected
            assert kernel.is_accounted(local.definition) is expected
            assert bool(kernel.measured & 1) is (expected or queue_manager == "ON")


def test_override_when_application_asks_then_acctcono_decides() -> None:
    with Simulation() as sim:
        qmgr, kept = begin(sim, "ALTER QMGR ACCTMQI(OFF) ACCTCONO(ENABLED)")
        wants = qmgr.connect(options=mq.MQCNO_ACCOUNTING_MQI_ENABLED)
        plain = qmgr.connect()
        tags = (wants.connection_id, plain.connection_id)
        wants.disconnect()
        plain.disconnect()
        after(sim, 1)
        reported = [one.identity.tag for one in kept.records if one.mqi_reported]
        assert tags[0] in reported
        assert tags[1] not in reported


def figures_of(interval: StatisticsInterval, name: str) -> QueueFigures:
    (found,) = [one.figures for one in interval.queues if one.name == name]
    return found


def test_copies_purges_and_expiry_when_they_happen_then_their_queues_count_them() -> None:
    with Simulation() as sim:
        qmgr, kept = begin(
            sim,
            "DEFINE QLOCAL(COPY)",
            "DEFINE QLOCAL(B) STREAMQ(COPY)",
            "START TRACE(STAT) CLASS(1,5)",
        )
        with qmgr.connect() as task, task.queue("B") as queue:
            queue.put(b"12345", persistent=False)
            queue.put(b"1234567", persistent=True)
        with qmgr.queue("A") as queue:
            queue.put(b"x", expiry=1)
            queue.put(b"y")
        after(sim, 5)
        qmgr.clear_queue("B")
        qmgr.delete_queue("A", purge=True)
        after(sim, 1800)
        (interval,) = kept.of(SMF)
        original, copy, gone = (figures_of(interval, name) for name in ("B", "COPY", "A"))
        assert (original.streamed, original.traffic.puts, original.purged) == (2, 2, 2)
        assert (copy.traffic.puts, copy.depth_high, copy.purged) == (2, 2, 0)
        assert (copy.traffic.plain_puts.total, copy.traffic.persistent_puts.total) == (5, 7)
        assert (gone.expired, gone.purged, gone.depth_high) == (1, 1, 2)
        total = interval.figures
        assert (total.streamed, total.purged, total.expired) == (2, 3, 1)
        assert total.traffic.puts == 6
        assert total.objects_deleted == 1


def test_accounting_when_one_queue_has_acctq_then_only_that_queue_is_reported() -> None:
    with Simulation() as sim:
        qmgr, kept = begin(sim, "DEFINE QLOCAL(B) ACCTQ(ON)")
        with qmgr.connect() as task:
            for name in "AB":
                with task.queue(name) as queue:
                    queue.put(b"x")
            tag = task.connection_id
        after(sim, 1)
        (record,) = [one for one in kept.records if one.identity.tag == tag]
        assert (record.family, record.queues_reported, record.mqi_reported) == (PCF, True, False)
        reported = {one.base_name: one.reported for one in record.account.queues.values()}
        assert reported == {"A": False, "B": True}


def test_selectors_when_they_look_through_a_queue_then_queue_and_task_count_it() -> None:
    selector = "colour = 'red'"
    with Simulation() as sim:
        trace = ("START TRACE(STAT) CLASS(1,5)", "START TRACE(ACCTG) CLASS(3)")
        qmgr, kept = begin(sim, "ALTER QLOCAL(A) STATQ(ON)", *trace)
        with qmgr.queue("A") as queue:
            for n in range(50):
                queue.put(b"x", properties={"colour": "red" if n in (20, 40) else "blue"})
        with qmgr.connect() as task:
            with task.queue("A", selector=selector) as red:
                assert [red.try_get() is None for _ in range(3)] == [False, False, True]
            with task.queue("A") as queue:
                queue.get()
            tag = task.connection_id
            (shown,) = qmgr.mqsc("DISPLAY QSTATUS(A) SELLOOK SELMATCH")
            assert (int(shown["SELLOOK"]), int(shown["SELMATCH"])) == (50, 2)
        after(sim, 1800)
        figures = figures_of(kept.of(SMF)[0], "A")
        assert (figures.selector_looked, figures.selector_matched) == (50, 2)
        (record,) = [one for one in kept.records if one.identity.tag == tag]
        (account,) = record.account.queues.values()
        assert (account.selector_looked, account.selector_matched) == (50, 2)
        assert (account.selectors, account.selector_bytes_max) == (3, len(selector))
        assert account.skipped == 48  # getsmsg says the same of what did not match


def same(one: Traffic, other: Traffic) -> None:
    for name in (
        "plain_puts",
        "persistent_puts",
        "plain_put1s",
        "persistent_put1s",
        "plain_gets",
        "persistent_gets",
        "plain_browses",
        "persistent_browses",
        "plain_lay",
        "persistent_lay",
    ):
        mine = getattr(one, name)
        theirs = getattr(other, name)
        assert (mine.count, mine.smallest, mine.largest, mine.total) == (
            theirs.count,
            theirs.smallest,
            theirs.largest,
            theirs.total,
        ), name
    for name in (
        "failed_puts",
        "failed_put1s",
        "failed_gets",
        "failed_browses",
        "handed_over_puts",
        "handed_over_put1s",
        "handed_over_bytes",
    ):
        assert getattr(one, name) == getattr(other, name), name


def call(task: Connection, queue: Queue, chance: random.Random) -> None:
    """One call, or a small unit of work."""
    what = chance.randrange(7)
    if what < 2:
        size = chance.choice((0, 10, 200, 5000))
        queue.put(b"x" * size, persistent=chance.random() < 0.5)
    elif what == 2:
        queue.get(max_length=chance.choice((None, 100)))
    elif what == 3:
        task.put(queue.name, b"y" * chance.randrange(50))
    elif what == 4:
        for _message in queue.browse():
            break
    elif what == 5:
        with task.unit_of_work() as unit:
            queue.put(b"z", persistent=True)
            queue.try_get()
            if chance.random() < 0.5:
                unit.backout()
    else:
        queue.get(correl_id=b"never there")


def act(qmgr: QueueManager, chance: random.Random, refusals: list[int]) -> None:
    """One short life of an application."""
    with qmgr.connect() as task:
        queues = [task.queue(chance.choice("AB")) for _ in range(2)]
        for _ in range(chance.randrange(1, 12)):
            try:
                call(task, chance.choice(queues), chance)
            except MQError as error:
                refusals.append(error.reason)
        for queue in queues:
            queue.close()


@pytest.mark.parametrize("seed", range(6))
def test_random_applications_when_added_up_then_tasks_queues_and_queue_manager_agree(
    seed: int,
) -> None:
    chance = random.Random(seed)
    sim = Simulation()
    qmgr, kept = begin(
        sim,
        "DEFINE QLOCAL(B) MAXMSGL(1000)",
        "START TRACE(S) CLASS(1,5)",
        "START TRACE(A) CLASS(1,3)",
        "SET SYSTEM STATIME(0.07) ACCTIME(0.03)",
    )
    after(sim, 1800)
    refusals: list[int] = []
    for _ in range(40):
        act(qmgr, chance, refusals)
        if chance.random() < 0.3:
            after(sim, chance.randrange(1, 9))
    sim.stop()
    whole = Traffic()
    queues = Traffic()
    for interval in kept.of(SMF):
        whole.merge(interval.figures.traffic)
        for sample in interval.queues:
            queues.merge(sample.figures.traffic)
    tasks = {False: Traffic(), True: Traffic()}
    for record in kept.records:
        tasks[CLASS_TASKS in record.classes].merge(record.account.traffic_total())
    same(whole, queues)
    same(tasks[True], queues)
    same(tasks[False], queues)
    assert whole.puts > 20
    assert {mq.MQRC_NO_MSG_AVAILABLE, mq.MQRC_MSG_TOO_BIG_FOR_Q} <= set(refusals)
