"""Goal: kill -9 during a control command leaves the old state or the new one, never half of one.

Method: `command_kills` runs each command in children that die at their n-th call that changes the
disk. Here at points spread over all of them; KILL_POINTS=all takes every point.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tools.layers import ROOT

PARTS = 2
POINTS_A_PART = 5
POINTS_OF_PROCESSES = 3  # where each point starts a queue manager
EXPECTED = {
    "crtmqm": {"old", "new"},
    "dltmqm": {"old", "new"},
    "strmqm": {"Ended normally", "Ended unexpectedly", "Ended immediately"},
    "strmqm command": {"old", "new"},
    "endmqm command": {"old", "new"},
    "addmqinf": {"old", "new"},
    "rmvmqinf": {"old", "new"},
    "qtune": {"old", "new"},
    "passwd": {"old", "new"},
    "objects": {"old or new"},
}


def run(command: str, folder: Path, points: list[int]) -> list[dict[str, Any]]:
    arguments = [sys.executable, "-m", "tests.crash.command_kills", command, str(folder)]
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [*arguments, *(str(point) for point in points)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.core
@pytest.mark.walk
@pytest.mark.promise("P13")
@pytest.mark.timeout(1800 if os.environ.get("KILL_POINTS") == "all" else 60)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("command", EXPECTED)
def test_command_when_killed_then_old_or_new(command: str, part: int, tmp_path: Path) -> None:
    first = tmp_path / "first"
    first.mkdir()
    (whole,) = run(command, first, [0])
    assert (whole["killed"], whole["status"]) == (False, 0)
    calls = whole["calls"]
    assert calls > 2
    points = list(range(1 + part, calls + 1, PARTS))
    if os.environ.get("KILL_POINTS") != "all":
        count = POINTS_OF_PROCESSES if command.endswith("command") else POINTS_A_PART
        points = points[part :: max(1, len(points) // count)]
    then = tmp_path / "then"
    then.mkdir()
    reported = run(command, then, points)
    assert len(reported) == len(points)
    # The threads of a queue manager make some calls more or less, so the last point may be too far.
    assert sum(one["killed"] for one in reported) >= len(reported) - 1
    wrong = [one for one in reported if one["found"] not in EXPECTED[command]]
    assert wrong == []
