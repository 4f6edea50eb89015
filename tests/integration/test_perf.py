"""Goal: every kind of task of the suite does its work on a queue manager of its own process.

Method: a queue manager and processes of applications as `ternmq perf run` starts them; small crews
of each role for a fraction of a second; the counters of the queue manager tell what was done.
"""

from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from ternmq.codec.smf.reader import Reader
from ternmq.perf.crew import ApplicationFailed, Applications
from ternmq.perf.queue_manager import QueueManager
from ternmq.perf.queues import (
    AHEAD,
    COPY,
    DATA,
    LOGGED,
    MUST_DUPLICATE,
    PLAIN,
    REPLY,
    STREAMED,
    TASK,
)
from ternmq.perf.record import load
from ternmq.perf.run import Wish, footprint, measured, run
from ternmq.perf.suite import BY_NAME, pair
from ternmq.perf.topic_suite import copies, two_copies
from ternmq.perf.topics import FIRST, SECOND, TOPIC
from ternmq.perf.workload import (
    BYTES,
    GETTER,
    IDLE,
    KB,
    LOOPER,
    NOTHING,
    PUTTER,
    SHARED,
    SHORT,
    SINGLE,
    TRACE,
    UNSHARED,
    Crew,
    Point,
)

# Four processes start for the first test, which on a busy machine takes a while.
pytestmark = pytest.mark.timeout(180)

SECONDS = 0.1
WORKLOAD = BY_NAME["single"]
Stage = tuple[QueueManager, Applications]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with (
        QueueManager(tmp_path_factory.mktemp("perf"), log_pages=256, queues_most=2) as qmgr,
        closing(Applications(qmgr.place, 1)) as applications,
    ):
        yield qmgr, applications


class Kept:
    """Applications that a run does not end."""

    def __init__(self, applications: Applications) -> None:
        self.open = applications.open
        self.go = applications.go
        self.stop = applications.stop

    def close(self) -> None:
        """They go on."""


def clients(way: str, queue: str) -> tuple[Crew, ...]:
    return (
        Crew(PUTTER, 2, queue, each_its_own=True, binding=way),
        Crew(GETTER, 2, queue, each_its_own=True, binding=way, ahead=queue == AHEAD),
    )


POINTS = {
    "requests": Point("1", pair(requesters=2, servers=2), REPLY),
    "own queues": Point("2", pair(requesters=2, servers=2, each=True, inside=True), REPLY),
    "persistent": Point("3", pair(requesters=2, servers=1, inside=True, persistent=True), REPLY),
    "logged": Point("4", (Crew(LOOPER, 2, LOGGED, size=4 * KB, persistent=True),), LOGGED),
    "short": Point("5", (Crew(SHORT, 2, TASK),), TASK),
    "puts": Point("6", (Crew(PUTTER, 1, PLAIN), Crew(GETTER, 1, PLAIN, is_counted=False)), PLAIN),
    "copies": Point(
        "7",
        (
            Crew(PUTTER, 1, STREAMED),
            Crew(GETTER, 1, STREAMED, is_counted=False),
            Crew(GETTER, 1, COPY, is_counted=False),
        ),
        STREAMED,
    ),
    "streamed": Point("8", pair(requesters=1, servers=1, queue=MUST_DUPLICATE), REPLY),
    "two subscribers": two_copies(2, "", TOPIC, FIRST, SECOND),
    "STREAMQ to a topic alias": copies(3, True),
    "topic alias": copies(2, False),
    "SHARECNV(0)": Point("9", clients(UNSHARED, DATA), DATA, BYTES),
    "SHARECNV(1)": Point("10", clients(SINGLE, AHEAD), AHEAD, BYTES),
}


@pytest.mark.parametrize("name", POINTS)
def test_tasks_do_their_work(stage: Stage, name: str) -> None:
    # Without records, for whose interval's end each of them would wait.
    point = replace(POINTS[name], mode=NOTHING)
    reported = measured(*stage, WORKLOAD, point, SECONDS)
    assert reported.seen_rate
    assert reported.application_cost
    assert reported.resident_kb > 0
    assert reported.end_s >= reported.begin_s
    assert reported.tasks == point.tasks
    assert reported.done > 0


def test_trace_is_written_while_it_is_measured(stage: Stage) -> None:
    point = Point("1", pair(requesters=1, servers=1), REPLY, mode=TRACE)
    puts = []
    for _ in range(2):
        assert measured(*stage, WORKLOAD, point, SECONDS).seen_rate
        (file,) = (stage[0].data / "trace").glob("*.TRC")
        puts.append(file.read_text(encoding="utf-8").count("MQPUT"))
    assert 0 < puts[0] < puts[1]


def test_footprint_is_memory_of_the_queue_manager(stage: Stage) -> None:
    point = Point("1", (Crew(IDLE, 3, TASK, binding=SHARED),), TASK)
    reported = footprint(*stage, BY_NAME["footprint"], point)
    assert reported.seen_rate is not None
    assert reported.seen_cost is None


def test_queue_that_is_missing_ends_with_its_reason(stage: Stage) -> None:
    _, applications = stage
    with pytest.raises(ApplicationFailed, match="MQRC_UNKNOWN_OBJECT_NAME"):
        applications.open(Point("1", (Crew(LOOPER, 1, "PERF.MISSING"),), "PERF.MISSING"))
    applications.stop()


def test_run_leaves_its_record(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    qmgr, applications = stage
    # Those that are there: starting others costs more than all else here.
    monkeypatch.setattr("ternmq.perf.run.QueueManager", lambda *_: nullcontext(qmgr))
    monkeypatch.setattr("ternmq.perf.run.Applications", lambda *_: Kept(applications))
    said: list[str] = []
    wish = Wish([WORKLOAD], tmp_path / "run", SECONDS, quick=True)
    done = run(wish, said.append)
    assert said == ["starting the queue manager", "single: 2 KB"]
    assert wish.steps == len(said)
    assert load(wish.folder) == done
    assert done.points[0].rate
    reported = done.points[0]
    assert reported.counted == REPLY  # so that its SMF records can be read
    assert gets_by_smf(qmgr.smf, REPLY) == reported.done > 0


@pytest.mark.slow
def test_channels_when_run_then_requests_go_to_another_queue_manager_and_back(
    tmp_path: Path,
) -> None:
    workload = BY_NAME["channels"]
    points = tuple(point for point in workload.points if point.x == "1")
    wish = Wish([replace(workload, points=points)], tmp_path / "run", SECONDS)
    done = run(wish, lambda _: None)
    assert [(one.series, one.done > 0) for one in done.points] == [
        ("TCP", True),
        ("TLS", True),
        ("TLS, new keys each MB", True),
    ]
    assert all(one.source == "seen" and one.rate and one.cost for one in done.points)
    assert not (wish.folder / "pair").exists()


def gets_by_smf(folder: Path, family: str) -> int:
    """What statistics say of the queues of a family."""
    total = 0
    for path in folder.glob("*.dat"):
        with path.open("rb") as file:
            for record in Reader(file.read, kinds={(115, 216)}):
                for queue in record.values_of("QQST"):
                    if str(queue["qqstqnam"]).startswith(f"{family}."):
                        total += int(str(queue["qqstgets"]))
    return total
