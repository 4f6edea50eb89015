"""Goal: restart says what it does while it does it, and how far a long replay is.

Method: an engine on a copy of a data folder, taken while the queue manager ran, so that its log has
records to replay; what was said is compared with what the engine reports in the end.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import ternmq
from ternmq.engine.engine import Engine
from ternmq.ports.os_clock import OsClock
from ternmq.ports.os_disk import OsDisk
from ternmq.ports.progress import Progress
from ternmq.server.start_progress import StartProgress
from ternmq.txn.restart import PROGRESS_RECORDS


class Noted(Progress):
    """Remembers, in order."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    def replayed(self, records: int) -> None:
        self.steps.append(f"so far {records}")

    def said(self, line: str) -> None:
        self.steps.append(line)


def test_restart_when_it_replays_much_then_it_reports_how_far_it_is(tmp_path: Path) -> None:
    with ternmq.embedded(tmp_path / "here", "QM1", create=True, log_file_pages=4096) as qmgr:
        qmgr.define_queue("A", max_depth=100_000)
        with qmgr.queue("A") as queue:
            for _ in range(5):
                with qmgr.unit_of_work():
                    for _ in range(PROGRESS_RECORDS // 4):
                        queue.put(b"x", persistent=True)
        shutil.copytree(tmp_path / "here", tmp_path / "there")  # as a crash would leave it
    noted = Noted()
    disk = OsDisk(str(tmp_path / "there" / "qmgrs" / "QM1"))
    try:
        engine = Engine(disk, OsClock(), progress=noted)
        assert f"so far {PROGRESS_RECORDS}" in noted.steps
        said = [line for line in noted.steps if not line.startswith("so far")]
        assert said == engine.report[:-1]
        assert noted.steps.index(f"so far {PROGRESS_RECORDS}") < noted.steps.index(said[0])
        engine.opened.close()
        engine.files.close()
    finally:
        disk.close()


def test_progress_when_it_comes_often_then_said_now_and_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr("ternmq.server.start_progress.time.monotonic", lambda: now[0])
    said: list[str] = []
    progress = StartProgress("QM1", said.append)
    for second in range(6):
        now[0] = 100.0 + second
        progress.replayed(1000 * second)
    assert [line.split()[0] for line in said] == ["2000", "4000"]
    progress.said("Log replay complete.")
    assert said[-1] == "Log replay complete."
