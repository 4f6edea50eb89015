"""Goal: applications that are killed in the middle of their units of work lose and double nothing.

Method: processes move numbered messages from queue to queue, one unit each; the test kills them
while they work and starts others, until all have arrived.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ternmq
from tests.battery.places import until
from tests.unit.api.served import in_folder

MESSAGES = 150
WORKERS = 3
KILLS = 4
WORKER = """
import sys, ternmq
connection = ternmq.connect("QM1", data=sys.argv[1])
source, target = connection.queue("FROM"), connection.queue("TO")
while True:
    with connection.unit_of_work():
        message = source.try_get(wait=0.5)
        if message is None:
            break
        target.put(message.data, persistent=True)
connection.disconnect()
"""


class Workers:
    """Processes that move messages; none outlives the test."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.all: list[subprocess.Popen[bytes]] = []

    def one(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, "-c", WORKER, str(self.data)])
        self.all.append(process)
        return process


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    crew = Workers(tmp_path)
    yield crew
    for process in crew.all:
        process.kill()
        process.wait()


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[ternmq.Connection]:
    with in_folder(tmp_path, "QM1", create=True) as served, served.connect() as one:
        yield one


@pytest.mark.promise("P2")
def test_move_when_movers_are_killed_then_each_arrives_once(
    connection: ternmq.Connection, workers: Workers
) -> None:
    connection.define_queue("FROM")
    connection.define_queue("TO")
    with connection.queue("FROM") as source:
        for number in range(MESSAGES):
            source.put(f"{number}", persistent=True)
    crew = [workers.one() for _ in range(WORKERS)]
    with connection.queue("TO") as target:
        for kill in range(KILLS):
            until(lambda kill=kill: target.depth >= MESSAGES * (kill + 1) // (KILLS + 2))  # type: ignore[misc]
            victim = crew.pop(0)
            victim.kill()
            victim.wait()
            crew.append(workers.one())
        assert [one.wait() for one in crew] == [0] * WORKERS  # they end when nothing is left
        arrived = [int(message.text) for message in target]
    assert sorted(arrived) == list(range(MESSAGES))
    with connection.queue("FROM") as source:
        assert source.try_get() is None
