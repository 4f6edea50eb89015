"""Goal: programs that were written for pymqi and ibmmq run here once their import line is changed.

Method: each program of `programs` is run with that change alone, its output compared with the text
beside it; once on the machine of the queue manager, once through a channel.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from ternmq.server.command_server import start_command_server
from tests.compat.running import PROGRAMS, run, with_our_import
from tests.unit.client.served import Served

pytestmark = pytest.mark.core

QUEUES = ("DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.DEAD.LETTER.QUEUE")
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.py"))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("data")) as one:
        asyncio.run(start_command_server(one.started))
        with one.connect() as connection:
            for name in QUEUES:
                connection.define_queue(name)
        yield one


@pytest.fixture
def data(served: Served, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("TERNMQ_DATA", str(served.data))
    yield served.data
    with served.connect() as connection:
        for name in QUEUES:
            connection.clear_queue(name)


def expected(name: str) -> str:
    return (PROGRAMS / f"{name}.txt").read_text(encoding="utf-8")


def test_there_are_enough_programs() -> None:
    assert len(NAMES) >= 15
    assert sorted(path.stem for path in PROGRAMS.glob("*.txt")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_only_the_import_is_changed(name: str) -> None:
    source = (PROGRAMS / f"{name}.py").read_text(encoding="utf-8")
    before, after = source.splitlines(), with_our_import(source).splitlines()
    changed = [line for line, new in zip(before, after, strict=True) if line != new]
    assert changed
    assert all(line.startswith(("import ", "from ")) for line in changed)


@pytest.mark.parametrize("name", NAMES)
def test_program_when_on_the_same_machine(name: str, data: Path) -> None:
    assert run(PROGRAMS / f"{name}.py", "QM1") == expected(name)
