"""Goal: trigger messages are made when IBM MQ makes them, and only then.

Method: a queue manager in memory, a monitor that is a handle on the initiation queue; the tick that
looks at opened initiation queues is called by hand.
"""

from collections.abc import Iterator

import pytest

import ternmq
from ternmq.api.queue import Queue
from ternmq.base import constants as mq
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.headers.mqtm import TriggerMessage

pytestmark = pytest.mark.core


class Bench:
    """A triggered queue APP, its initiation queue INIT and a monitor."""

    def __init__(self, qm: ternmq.QueueManager) -> None:
        self.qm = qm
        self.connection = qm.connect()
        for line in (
            "DEFINE QLOCAL(INIT)",
            "DEFINE PROCESS(P) APPLICID('/bin/serve') USERDATA('user') ENVRDATA('&')",
            "DEFINE QLOCAL(APP) TRIGGER TRIGTYPE(FIRST) INITQ(INIT) PROCESS(P) TRIGDATA('data')",
        ):
            qm.mqsc(line)
        self.monitor: Queue | None = None
        self.open_monitor()

    def open_monitor(self) -> None:
        self.monitor = self.connection.queue("INIT", options=mq.MQOO_INPUT_SHARED)

    def close_monitor(self) -> None:
        assert self.monitor is not None
        self.monitor.close()
        self.monitor = None

    def alter(self, text: str) -> None:
        self.qm.mqsc(f"ALTER QLOCAL(APP) {text}")

    def put(self, *, priority: int = 0, persistent: bool = False) -> None:
        with self.qm.queue("APP", options=mq.MQOO_OUTPUT) as queue:
            queue.put("work", priority=priority, persistent=persistent)

    def take(self) -> None:
        with self.qm.queue("APP") as queue:
            queue.get()

    def tick(self) -> None:
        shell = self.qm.started.shell
        with shell.lock:
            shell.engine.tick()
        shell.run_effects()
        with shell.lock:
            shell.engine.tick()

    def triggers(self) -> list[TriggerMessage]:
        """What has come to the monitor."""
        found: list[TriggerMessage] = []
        assert self.monitor is not None
        while (message := self.monitor.try_get(syncpoint=False)) is not None:
            assert message.format == "MQTRIG"
            found.append(TriggerMessage.unpack(message.data))
        return found

    def count(self) -> int:
        return len(self.triggers())


@pytest.fixture
def bench() -> Iterator[Bench]:
    with ternmq.memory("QM1") as qm:
        yield Bench(qm)


def test_the_trigger_message_reports_queue_and_process(bench: Bench) -> None:
    bench.put()
    (trigger,) = bench.triggers()
    assert trigger.queue_name == "APP"
    assert trigger.process_name == "P"
    assert trigger.trigger_data == "data"
    assert trigger.application_id == "/bin/serve"
    assert trigger.application_type == mq.MQAT_UNIX
    assert (trigger.user_data, trigger.environment_data) == ("user", "&")


def test_first_triggers_when_the_queue_was_empty(bench: Bench) -> None:
    bench.put()
    bench.put()
    assert bench.count() == 1
    with bench.qm.queue("APP") as queue:
        queue.get()
        queue.get()
    assert bench.count() == 0
    bench.put()
    assert bench.count() == 1


def test_every_triggers_each_time(bench: Bench) -> None:
    bench.alter("TRIGTYPE(EVERY)")
    with bench.qm.queue("APP", options=mq.MQOO_INPUT_SHARED):
        bench.put()
        bench.put()
    assert bench.count() == 2


def test_depth_triggers_once_and_switches_itself_off(bench: Bench) -> None:
    bench.alter("TRIGTYPE(DEPTH) TRIGDPTH(3)")
    bench.put()
    bench.put()
    assert bench.count() == 0
    bench.put()
    assert bench.count() == 1
    assert bench.qm.attributes("APP")["trigger"] == mq.MQTC_OFF
    bench.put()
    assert bench.count() == 0
    with bench.qm.queue("APP") as queue:
        queue.set({mq.MQIA_TRIGGER_CONTROL: mq.MQTC_ON})
    assert bench.count() == 1  # the depth is there already


def test_none_triggers_never(bench: Bench) -> None:
    bench.alter("TRIGTYPE(NONE)")
    bench.put()
    assert bench.count() == 0


def test_switched_off_it_triggers_never(bench: Bench) -> None:
    bench.alter("NOTRIGGER")
    bench.put()
    assert bench.count() == 0
    bench.alter("TRIGGER")
    assert bench.count() == 1


def test_messages_below_the_priority_do_not_count(bench: Bench) -> None:
    bench.alter("TRIGMPRI(5)")
    bench.put(priority=4)
    assert bench.count() == 0
    bench.put(priority=5)
    assert bench.count() == 1
    bench.put(priority=9)
    assert bench.count() == 0


@pytest.mark.parametrize("kind", ["FIRST", "DEPTH"])
def test_while_a_program_serves_the_queue_there_is_no_trigger(bench: Bench, kind: str) -> None:
    bench.alter(f"TRIGTYPE({kind}) TRIGDPTH(1)")
    served = bench.qm.queue("APP", options=mq.MQOO_INPUT_SHARED)
    bench.put()
    assert bench.count() == 0
    served.close()  # and leaves a message behind
    assert bench.count() == 1


def test_a_program_that_leaves_nothing_behind_triggers_nothing(bench: Bench) -> None:
    bench.put()
    assert bench.count() == 1
    bench.take()
    assert bench.count() == 0


def test_a_monitor_that_starts_finds_what_is_waiting(bench: Bench) -> None:
    bench.close_monitor()
    bench.put()
    bench.open_monitor()
    assert bench.count() == 0
    bench.tick()
    assert bench.count() == 1
    bench.tick()
    assert bench.count() == 0


def test_without_a_monitor_no_trigger_message_is_made(bench: Bench) -> None:
    bench.close_monitor()
    bench.put()
    with bench.qm.queue("INIT") as queue:
        assert queue.depth == 0


@pytest.mark.parametrize(
    "text",
    [
        "ALTER QLOCAL(INIT) GET(DISABLED)",
        "ALTER QLOCAL(INIT) PUT(DISABLED)",
        "DELETE PROCESS(P)",
        "ALTER QLOCAL(APP) PROCESS(NONE)",
        "ALTER QLOCAL(APP) PROCESS(' ')",
        "ALTER QLOCAL(APP) INITQ(NONE)",
        "ALTER QLOCAL(APP) INITQ(' ')",
        "ALTER QLOCAL(APP) GET(DISABLED)",
    ],
)
def test_what_must_be_as_it_must_be(bench: Bench, text: str) -> None:
    bench.qm.mqsc(text)
    bench.put()
    bench.qm.mqsc("ALTER QLOCAL(INIT) GET(ENABLED) PUT(ENABLED)")
    assert bench.count() == 0


def test_gets_that_are_allowed_again_trigger(bench: Bench) -> None:
    bench.alter("GET(DISABLED)")
    bench.put()
    assert bench.count() == 0
    bench.alter("GET(ENABLED)")
    assert bench.count() == 1


def test_trigger_data_that_is_corrected_triggers_with_the_new_data(bench: Bench) -> None:
    bench.put()
    assert bench.count() == 1
    bench.alter("TRIGDATA('A.TO.B')")  # the monitor could do nothing with what was there
    [found] = bench.triggers()
    assert found.trigger_data == "A.TO.B"


def test_an_attribute_that_does_not_matter_triggers_nothing(bench: Bench) -> None:
    bench.put()
    assert bench.count() == 1
    bench.alter("DESCR('changed')")
    assert bench.count() == 0


def test_a_tick_after_a_trigger_when_the_monitor_was_there_before_then_no_second_one(
    bench: Bench,
) -> None:
    bench.put()
    bench.tick()  # the first since the monitor opened its queue
    assert bench.count() == 1


@pytest.mark.parametrize("persistent", [True, False])
@pytest.mark.parametrize("commits", [True, False])
def test_a_trigger_waits_for_the_end_of_its_unit_of_work(
    bench: Bench, commits: bool, persistent: bool
) -> None:
    bench.tick()  # it has seen the monitor
    with bench.qm.connect() as connection:
        connection.begin()
        with connection.queue("APP", options=mq.MQOO_OUTPUT) as queue:
            queue.put("work", persistent=persistent)
            bench.tick()
            assert bench.count() == 0
            if commits:
                connection.commit()
            else:
                connection.backout()
    assert bench.count() == 1


def test_uncommitted_messages_count(bench: Bench) -> None:
    with bench.qm.connect() as connection:
        connection.begin()
        with connection.queue("APP", options=mq.MQOO_OUTPUT) as queue:
            queue.put("work")
            bench.put()
            assert bench.count() == 0  # it was not empty any more
            connection.commit()
    assert bench.count() == 1


def test_after_the_interval_first_triggers_again(bench: Bench) -> None:
    bench.put()
    assert bench.count() == 1
    bench.qm.mqsc("ALTER QMGR TRIGINT(0)")
    bench.put()
    assert bench.count() == 1


def test_what_the_initiation_queue_does_not_take_is_buried(bench: Bench) -> None:
    bench.qm.mqsc("DEFINE QLOCAL(DLQ)")
    bench.qm.mqsc("ALTER QMGR DEADQ(DLQ)")
    bench.qm.mqsc("ALTER QLOCAL(INIT) MAXMSGL(10)")
    with bench.qm.queue("DLQ"):  # so that it is in memory
        pass
    bench.put()
    assert bench.count() == 0
    with bench.qm.queue("DLQ") as queue:
        message = queue.get()
    header = DeadLetterHeader.unpack(message.data)
    assert (header.reason, header.destination_queue) == (2030, "INIT")
    assert TriggerMessage.unpack(message.data, header.size()).queue_name == "APP"


def test_without_a_dead_letter_queue_operators_are_notified(bench: Bench) -> None:
    bench.qm.mqsc("ALTER QLOCAL(INIT) MAXMSGL(10)")
    bench.qm.started.shell.engine.kernel.notices.take()
    bench.put()
    reported = bench.qm.started.shell.engine.kernel.notices.take()
    assert [notice.message_id for notice in reported] == ["AMQ7315E"]


def test_an_initiation_queue_that_triggers_itself_does_so_once(bench: Bench) -> None:
    bench.qm.mqsc("ALTER QLOCAL(INIT) TRIGGER TRIGTYPE(EVERY) INITQ(INIT) PROCESS(P)")
    bench.put()
    assert bench.count() == 1


def test_a_transmission_queue_needs_no_process(bench: Bench) -> None:
    bench.qm.mqsc("DEFINE QLOCAL(X) USAGE(XMITQ) TRIGGER INITQ(INIT) TRIGDATA(TO.QM2)")
    with bench.qm.queue("X", options=mq.MQOO_OUTPUT) as queue:
        queue.put("on its way")
    (trigger,) = bench.triggers()
    assert (trigger.queue_name, trigger.trigger_data) == ("X", "TO.QM2")
