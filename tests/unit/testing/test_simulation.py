"""Goal: a test of an application can crash, kill, stop and restart its queue manager, fill its disk
and turn its clock, and finds with `crash_everywhere` what goes wrong only at some moments.
Method: small applications, right ones and wrong ones.
"""

import asyncio
import errno
import threading

import pytest

import ternmq
from ternmq.base.reasons import MQRC_CONNECTION_BROKEN
from ternmq.testing import (
    KEEPS,
    LOSES,
    SOME,
    Crash,
    Failing,
    HeldCalls,
    Simulation,
    crash_everywhere,
)

pytestmark = pytest.mark.core


def begun(sim: Simulation) -> ternmq.QueueManager:
    qmgr = sim.start()
    qmgr.define_queue("Q", default_persistence="YES")
    return qmgr


def texts(qmgr: ternmq.QueueManager) -> list[str]:
    with qmgr.queue("Q") as queue:
        return [message.text for message in queue.browse()]


@pytest.mark.parametrize("fate", [LOSES, KEEPS, SOME])
def test_crash_then_what_was_acknowledged_is_there(fate: str) -> None:
    with Simulation() as sim:
        qmgr = begun(sim)
        with qmgr.queue("Q") as queue:
            queue.put("kept")
            queue.put("plain", persistent=False)
            qmgr.begin()
            queue.put("uncommitted")
            sim.crash(fate)
        assert texts(sim.start()) == ["kept"]


def test_kill_and_stop_then_as_named() -> None:
    with Simulation() as sim:
        qmgr = begun(sim)
        qmgr.put("Q", "one")
        sim.kill()
        qmgr = sim.start()
        assert texts(qmgr) == ["one"]
        sim.stop()
        qmgr = sim.start()
        assert "1 log records accessed" in qmgr.report()[0]
        qmgr = sim.start()  # still runs: killed first
        assert texts(qmgr) == ["one"]
        assert sim.lives == 4


def test_old_queue_manager_when_crashed_then_connection_broken() -> None:
    with Simulation() as sim:
        qmgr = begun(sim)
        other = qmgr.connect()
        sim.crash()
        for verb in (lambda: qmgr.put("Q", "x"), lambda: other.queue("Q"), qmgr.connect):
            with pytest.raises(ternmq.Unavailable) as caught:
                verb()
            assert caught.value.reason == MQRC_CONNECTION_BROKEN
        qmgr.close()
        with pytest.raises(ValueError, match="not started"):
            sim.settle()


def test_crash_inside_a_verb_then_raised() -> None:
    with Simulation() as sim:
        qmgr = begun(sim)
        sim.disk.stop_at = sim.disk.calls + 2
        with pytest.raises(Crash):
            qmgr.put("Q", "in the middle")
        sim.crash(KEEPS)
        assert texts(sim.start()) in ([], ["in the middle"])


def test_failed_force_then_reported_and_recovered() -> None:
    with Simulation() as sim:
        qmgr = begun(sim)
        qmgr.put("Q", "kept")
        sim.disk.faults = Failing(errno.EIO, calls=("datasync",))
        with pytest.raises(ternmq.Unavailable):
            qmgr.put("Q", "lost")
        sim.disk.faults = None
        sim.crash()
        assert texts(sim.start()) == ["kept"]


def test_settle_then_background_work_is_done() -> None:
    with Simulation() as sim:
        qmgr = sim.start()
        qmgr.define_queue(
            "Q", max_depth=10_000, persistent_buffer=65_536, nonpersistent_buffer=65_536
        )
        with qmgr.queue("Q") as queue:
            for number in range(150):
                queue.put(bytes(1000), persistent=True, expiry=5 if number % 2 else None)
            sim.settle()
            assert any(path.endswith(".seg") for path in sim.disk.names)
            sim.clock.advance(10)
            sim.settle()
            sim.settle()
            assert queue.depth == 75


def test_linear_log_and_another_seed_then_it_works_as_well() -> None:
    with Simulation("OTHER", log_type="linear", log_file_pages=16, seed=9) as sim:
        qmgr = begun(sim)
        assert qmgr.name == "OTHER"
        qmgr.put("Q", "x")
        sim.crash(SOME)
        assert texts(sim.start()) == ["x"]


def test_asyncio_then_it_works_on_a_simulated_disk() -> None:
    async def work(qmgr: ternmq.QueueManager) -> str:
        async with ternmq.aio.connect(qmgr) as connection, connection.queue("Q") as queue:
            await queue.put("from a task")
            return (await queue.get()).text

    with Simulation() as sim:
        assert asyncio.run(work(begun(sim))) == "from a task"


def test_held_calls_then_a_force_waits_until_it_is_let_go() -> None:
    with Simulation() as sim:
        qmgr = begun(sim)
        held = HeldCalls()
        sim.disk.faults = held
        held.hold()
        putter = threading.Thread(target=lambda: qmgr.connect().put("Q", "slow"), daemon=True)
        putter.start()
        assert held.wait_for_call()
        assert putter.is_alive()
        held.release()
        putter.join(10)
        assert texts(qmgr) == ["slow"]


# ---- crash_everywhere


def define(qmgr: ternmq.QueueManager) -> None:
    qmgr.define_queue("IN", default_persistence="YES")
    qmgr.define_queue("OUT", default_persistence="YES")
    for number in range(3):
        qmgr.put("IN", f"{number}")


def move_in_units(qmgr: ternmq.QueueManager) -> None:
    with qmgr.queue("IN") as source, qmgr.queue("OUT") as target:
        while True:
            with qmgr.unit_of_work():
                message = source.try_get()
                if message is None:
                    return
                target.put(message.text)


def move_put_first(qmgr: ternmq.QueueManager) -> None:
    """At least once: never lost, but twice if it stops in between."""
    with qmgr.queue("IN") as source, qmgr.queue("OUT") as target:
        for message in source.browse():
            target.put(message.text)
            source.get(msg_id=message.msg_id)


def moved_once(qmgr: ternmq.QueueManager) -> None:
    move_in_units(qmgr)
    with qmgr.queue("OUT") as target:
        assert [message.text for message in target] == ["0", "1", "2"]


def moved_at_least_once(qmgr: ternmq.QueueManager) -> None:
    move_put_first(qmgr)
    with qmgr.queue("OUT") as target:
        assert {message.text for message in target} == {"0", "1", "2"}


def test_crash_everywhere_when_the_application_is_right_then_every_restart_is_looked_at() -> None:
    looked = crash_everywhere(move_in_units, moved_once, prepare=define)
    assert looked > 20
    assert crash_everywhere(move_in_units, moved_once, prepare=define, every=5) < looked / 3


def test_crash_everywhere_when_the_application_is_wrong_then_it_says_where() -> None:
    with pytest.raises(AssertionError) as caught:
        crash_everywhere(move_put_first, moved_once, prepare=define)
    (note,) = caught.value.__notes__
    assert "the machine stopped at call" in note
    assert crash_everywhere(move_put_first, moved_at_least_once, prepare=define) > 20


def test_crash_everywhere_when_the_application_cleans_up_then_that_is_no_error() -> None:
    def careful(qmgr: ternmq.QueueManager) -> None:
        try:
            move_in_units(qmgr)
        finally:
            qmgr.put("OUT", "done")

    def look(qmgr: ternmq.QueueManager) -> None:
        assert qmgr.queue("OUT").depth <= 4

    assert crash_everywhere(careful, look, prepare=define, every=3) > 5


def test_start_then_no_thread_runs_beside_the_test() -> None:
    """A housekeeper that runs for an instant may begin work that the test does not expect yet."""
    begun: list[str] = []
    usual = threading.Thread.start

    def start(thread: threading.Thread) -> None:
        begun.append(thread.name)
        usual(thread)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(threading.Thread, "start", start)
        with Simulation() as simulation:
            simulation.start()
    assert begun == []
