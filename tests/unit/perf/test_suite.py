"""Goal: the suite is that of the report, and every point of it can be carried out.

Method: read the table of workloads: numbers of tasks and queues, sizes, names, queues that exist.
"""

import pytest

from ternmq.perf.crew import dealt, is_serving
from ternmq.perf.queues import FAMILIES, queue_name, script
from ternmq.perf.suite import BY_NAME, SIZES, WORKLOADS, chosen
from ternmq.perf.tasks import ROLES, body_of
from ternmq.perf.topics import ALIASES, FIRST, SECOND, SUBSCRIBER, TOPIC
from ternmq.perf.workload import (
    BYTES,
    KB,
    LOG_BYTES,
    MB,
    REQUESTER,
    SERVER,
    SINGLE,
    UNSHARED,
    Crew,
    Workload,
    size_text,
)
from tools.layers import ROOT


def tasks_of(workload: Workload) -> list[tuple[int, int]]:
    """Requesters and servers of each point."""
    return [
        (
            sum(crew.count for crew in point.crews if crew.role == REQUESTER),
            sum(crew.count for crew in point.crews if crew.role == SERVER),
        )
        for point in workload.points
    ]


def test_one_pair_of_queues_has_five_requesters_and_four_servers() -> None:
    for name, inside in (("single", False), ("single-syncpoint", True)):
        workload = BY_NAME[name]
        assert tasks_of(workload) == [(5, 4)] * 3
        assert [point.x for point in workload.points] == ["2 KB", "64 KB", "4 MB"]
        for point in workload.points:
            asks, serves = point.crews
            assert (asks.syncpoint, serves.syncpoint) == (False, inside)
            assert not asks.each_its_own


def test_scaling_goes_from_one_pair_to_fifteen() -> None:
    for name in ("scaling", "scaling-syncpoint-2k", "scaling-syncpoint-64k"):
        assert tasks_of(BY_NAME[name]) == [(n, n) for n in range(1, 16)]
    assert tasks_of(BY_NAME["scaling-syncpoint-4m"]) == [(n, n) for n in range(1, 7)]
    sizes = {crew.size for one in WORKLOADS for point in one.points for crew in point.crews}
    assert set(SIZES) == {2 * KB, 64 * KB, 4 * MB} <= sizes


def test_persistent_has_sixty_requesters_and_ten_servers_in_syncpoint() -> None:
    workload = BY_NAME["persistent"]
    assert set(tasks_of(workload)) == {(60, 10)}
    for point in workload.points:
        assert all(crew.persistent and crew.syncpoint for crew in point.crews)


def test_bound_of_the_log_has_one_small_and_two_larger_tasks() -> None:
    for point in BY_NAME["log-bound"].points:
        small, larger = point.crews
        assert (small.count, small.size, larger.count) == (1, KB, 2)
        assert point.counts == LOG_BYTES
        assert small.persistent
        assert larger.persistent


def test_clients_come_by_their_channels() -> None:
    for name, way in (("clients-sharecnv-0", UNSHARED), ("clients-sharecnv-1", SINGLE)):
        for point in BY_NAME[name].points:
            assert {crew.binding for crew in point.crews} == {way}
            assert point.counts == BYTES


def test_measurement_is_tried_in_every_mode() -> None:
    modes = {point.mode for point in BY_NAME["measurement"].points}
    assert modes == {"nothing", "statistics", "accounting", "usual", "trace"}


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda one: str(one.name))
def test_every_point_can_be_carried_out(workload: Workload) -> None:
    numbers = {family.name: family.numbers for family in FAMILIES} | ALIASES
    keys = [(point.series, point.x) for point in workload.points]
    assert len(set(keys)) == len(keys)
    assert workload.chosen(quick=True)
    for point in workload.points:
        assert any(crew.is_counted for crew in point.crews)
        for crew in point.crews:
            assert crew.role in ROLES
            for family in filter(None, (crew.queue, crew.reply, point.counted)):
                queues = crew.count if crew.each_its_own else 1
                assert numbers.get(family, point.channels) >= crew.after + queues


def test_two_copies_come_by_streaming_queue_or_by_two_subscribers() -> None:
    points = BY_NAME["streaming-or-topic"].points
    assert [int(point.x) for point in points] == 3 * list(range(1, 11))
    for point in points:
        asks, replies, gets = point.crews
        assert asks.count == replies.count == gets.count == int(point.x)
        assert asks.each_its_own
        assert asks.any_reply
    subscribed = [point for point in points if point.series == "two subscribers"]
    assert {tuple(crew.queue for crew in point.crews) for point in subscribed} == {
        (TOPIC, FIRST, SECOND)
    }


def test_streaming_to_a_topic_has_none_to_five_subscribers_and_topics_one_to_six() -> None:
    points = BY_NAME["streaming-to-topic"].points
    assert {crew.size for point in points for crew in point.crews} == {KB}
    for point in points:
        gets = [crew.count for crew in point.crews[2:]]
        assert 1 + sum(gets) == int(point.x)
    reported = script()
    for count in range(7):
        assert reported.count(f"DEFINE SUB(PERF.FAN{count}.01.") == count
    assert f"DEST({SUBSCRIBER}.06)" in reported
    assert "STREAMQ(PERF.FAN5.01)" in reported


def test_channels_go_from_one_to_five_each_way_and_compression_has_every_kind() -> None:
    points = BY_NAME["channels"].points
    assert [point.channels for point in points] == 3 * [1, 2, 3, 4, 5]
    assert [len(point.crews) for point in points] == 3 * [2, 4, 6, 8, 10]
    assert {crew.size for point in points for crew in point.crews} == {32 * KB}
    assert {point.key_reset_bytes for point in points} == {0, MB}
    series = {point.series for point in BY_NAME["channel-compression"].points}
    assert {"NONE", "RLE", "ZLIBFAST", "ZLIBHIGH", "LZ4FAST", "LZ4HIGH, TLS"} <= series
    half = Crew(REQUESTER, 1, "PERF.ASK", size=1000, is_random=True, compressible=50)
    assert body_of(half).endswith(bytes(500))
    assert not body_of(half).startswith(bytes(500))


def test_script_defines_every_queue() -> None:
    reported = script()
    for family in FAMILIES:
        assert f"({queue_name(family.name, 1)})" in reported
        assert f"({queue_name(family.name, family.numbers)})" in reported


def test_workloads_are_chosen_by_name_or_by_its_beginning() -> None:
    assert [one.name for one in chosen(["single"])] == ["single"]
    assert [one.name for one in chosen(["clients"])] == ["clients-sharecnv-0", "clients-sharecnv-1"]
    assert chosen([]) == list(WORKLOADS)
    with pytest.raises(ValueError, match="no workload 'dual'"):
        chosen(["single", "dual"])


def test_tasks_are_dealt_out_without_loss() -> None:
    crew = Crew(REQUESTER, 7, "PERF.REQUEST", "PERF.REPLY", each_its_own=True)
    shares = [dealt([crew], number, 3) for number in range(3)]
    numbers = [
        number
        for share in shares
        for one in share
        for number in range(one["first"], one["first"] + one["count"])
    ]
    assert numbers == list(range(7))
    assert dealt([Crew(SERVER, 1, "PERF.REQUEST")], 0, 2) == []  # the other process has it


def test_who_serves_works_until_stopped() -> None:
    assert is_serving(Crew(SERVER, 1, "PERF.REQUEST"))
    assert not is_serving(Crew(REQUESTER, 1, "PERF.REQUEST"))


def test_sizes_are_said_in_words() -> None:
    assert [size_text(size) for size in SIZES] == ["2 KB", "64 KB", "4 MB"]


def test_page_reports_every_workload() -> None:
    page = (ROOT / "docs" / "operations" / "perf.md").read_text(encoding="utf-8")
    for one in WORKLOADS:
        row = f"| `{one.name}` | {one.about} | {len(one.points)} | {len(one.chosen(True))} |"
        assert row in page
