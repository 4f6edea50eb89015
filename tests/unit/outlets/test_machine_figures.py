"""Goal: figures of the operating system are parts of what there is, and never a failure.

Method: this machine, and folders that are not there.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ternmq.outlets import machine_figures
from ternmq.outlets.machine_figures import (
    FileSystem,
    MachineFigures,
    ProcessorTimes,
    fault_reports,
    part_of,
)


def test_machine_when_asked_then_parts_of_a_whole() -> None:
    before = ProcessorTimes()
    sum(range(200_000))
    figures = MachineFigures(before, ProcessorTimes())
    for percent in (
        figures.user_percent,
        figures.system_percent,
        figures.own_user_percent,
        figures.own_system_percent,
        figures.memory_free_percent,
    ):
        assert 0 <= percent <= 10_000
    assert figures.memory_megabytes > 0
    assert min(figures.load_1, figures.load_5, figures.load_15) >= 0


def test_machine_when_the_system_says_nothing_then_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_figures, "_first_line", lambda _path: "")
    monkeypatch.setattr(machine_figures, "_memory", lambda: (0, 0))
    times = ProcessorTimes()
    figures = MachineFigures(times, times)
    assert (figures.user_percent, figures.own_user_percent, figures.memory_megabytes) == (0, 0, 0)


def test_file_system_when_there_is_a_folder_then_its_room(tmp_path: Path) -> None:
    found = FileSystem(str(tmp_path))
    assert 0 < found.used_bytes < found.limit_bytes
    assert 0 <= found.free_percent <= 10_000
    for folder in ("", str(tmp_path / "none")):
        nothing = FileSystem(folder)
        assert (nothing.used_bytes, nothing.limit_bytes, nothing.free_percent) == (0, 0, 0)


def test_fault_reports_when_there_are_some_then_counted(tmp_path: Path) -> None:
    (tmp_path / "AMQ00001.0.FDC").touch()
    (tmp_path / "AMQERR01.LOG").touch()
    assert fault_reports(str(tmp_path)) == 1
    assert fault_reports("") == 0


def test_part_when_of_nothing_or_too_much_then_bounded() -> None:
    assert [part_of(1, 0), part_of(1, 3), part_of(5, 3), part_of(-1, 3)] == [0, 3333, 10_000, 0]
