"""Goal: every message is in a table once, in the lake once and on another queue once, though
workers, planners and drivers are killed. Method: some of the kills of `make fire`: processes beside
the session of the tests, and one driver, of its own, at the worst moment there is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import ternmq
from tests.fire.points import (
    ATTEMPT,
    BOTH,
    CLUSTER,
    EXECUTOR,
    ITSELF,
    LAKE,
    QUERIES,
    SINK_POINTS,
    SOURCE_POINTS,
    SPECULATED,
    TABLE,
    TARGET,
    VICTIMS,
    Order,
    executor_of,
    give,
    has_fired,
    orders,
)
from tests.fire.world import NO_RETRIES, PER_TRIGGER, ROOT, Fault, World

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.promise("P1"), pytest.mark.promise("P2")]

KILLS = (
    Order(TABLE, "read.middle", ITSELF),
    Order(LAKE, "partitions.after", ITSELF, 2),
    Order(TARGET, "write.prepared", ITSELF),
    Order(TARGET, "commit.after", ITSELF, 2),
)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path / "world") as made:
        yield made


@pytest.fixture
def under_fire(spark: SparkSession) -> Iterator[SparkSession]:
    from ternmq.spark.mq.mq_source import register
    from tests.fire import mq_under_fire

    mq_under_fire.register(spark)
    yield spark
    register(spark)


@pytest.mark.spark
def test_queries_when_their_processes_are_killed_then_every_message_is_there_once(
    under_fire: SparkSession, world: World
) -> None:
    from tests.fire.queries import counted, run

    for order in KILLS:
        give(world.folder, order)
        world.work()
        failures = run(under_fire, world.folder, world.way, [order.query], PER_TRIGGER)
        assert has_fired(world.folder), order
        assert failures, order
        world.check([order.query], counted(under_fire, world.folder, [order.query]), str(order))
    assert world.in_doubt() == []


@pytest.mark.spark
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("spark")  # skipped where there is no Java
def test_driver_when_killed_between_its_commit_and_its_note_of_it_then_every_message_is_there_once(
    world: World,
) -> None:
    assert world.round(Order(TARGET, "commit.after", BOTH), NO_RETRIES)
    assert world.outcomes["drivers that died"] == 1
    assert world.in_doubt() == []


def test_orders_when_fifty_then_every_point_and_every_victim_among_them() -> None:
    given = list(orders(50, 1))
    assert len(given) == 50
    assert given == list(orders(50, 1))
    pairs = {(order.point, order.victim) for order in given}
    assert len(pairs) == len(SOURCE_POINTS + SINK_POINTS) * len(VICTIMS)
    assert all(order.query == TARGET for order in given if order.point in SINK_POINTS)


def test_orders_of_a_cluster_then_executors_and_workers_are_hit_while_they_read_and_write() -> None:
    hit = {(order.point.partition(".")[0], order.victim) for order in CLUSTER}
    assert {("read", EXECUTOR), ("write", EXECUTOR), ("read", ITSELF), ("write", ITSELF)} <= hit
    assert {order.query for order in CLUSTER} == set(QUERIES)
    assert {order.victim for order in SPECULATED} == {ATTEMPT}


def test_executor_when_a_process_of_a_task_asks_then_the_java_above_it() -> None:
    inner = "import os; from tests.fire.points import executor_of; print(executor_of(os.getpid()))"
    outer = (
        "import os, subprocess, sys; print(os.getpid(), flush=True); "
        f"subprocess.run([sys.executable, '-c', {inner!r}])"
    )
    output = subprocess.run(
        [sys.executable, "-c", outer, "CoarseGrainedExecutorBackend"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    asked, found = output.stdout.split()
    assert asked == found
    with pytest.raises(LookupError, match="belongs to no executor"):
        executor_of(os.getpid())


def test_account_when_a_message_is_missing_or_doubled_then_reported(world: World) -> None:
    world.work(3)
    with pytest.raises(Fault, match=r"table has \[2, 2, 1\], not \[3, 3, 3\]"):
        world.check([TABLE], {TABLE: [2, 2, 1]}, "a round")
    with pytest.raises(Fault, match=r"the target queue has \[\], not \[0, 1, 2\]"):
        world.check([TARGET], {}, "a round")


def test_account_when_a_unit_of_work_is_under_way_then_reported(world: World) -> None:
    assert world.uncommitted() == []
    way = world.way
    with ternmq.connect("QMFIRE", channel=way["channel"], conn=way["connName"]) as other:
        other.begin()
        other.put("TARGET", b"x")
        assert world.uncommitted() == ["TARGET YES"]
        other.backout()
    assert world.uncommitted() == []
