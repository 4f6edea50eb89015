"""The pytest plug-in: queue managers as fixtures. docs/applications/testing.md shows how to use
them.

    mq_qmgr             in memory, fresh for each test
    mq_queue            its first queue, open
    mq_qmgr_persistent  in a folder, fresh for each test
    mq_restart          stops that one and starts it again

Each has the queues of the ini option `ternmq_queues` and a dead-letter queue. pytest loads this
file by its entry point; nothing of the package imports it.
"""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from ternmq.api.queue import Queue
from ternmq.base.errors import InertAttribute
from ternmq.runtime.embedded import QueueManager, embedded, memory

NAME: Final = "QM1"
QUEUES: Final = ["DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"]
DEAD_LETTER_QUEUE: Final = "DEV.DEAD.LETTER.QUEUE"
# The smallest log there is: quick to make, and large enough for a test.
LOG_FILE_PAGES: Final = 64

__all__ = [
    "mq_qmgr",
    "mq_qmgr_name",
    "mq_qmgr_persistent",
    "mq_queue",
    "mq_restart",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """The ini options."""
    parser.addini("ternmq_qmgr_name", "name of the queue managers of fixtures", default=NAME)
    parser.addini("ternmq_queues", "queues that they have", type="args", default=QUEUES)


def _define_queues(qmgr: QueueManager, names: list[str]) -> None:
    for name in names:
        qmgr.define_queue(name)
    qmgr.define_queue(DEAD_LETTER_QUEUE)
    with warnings.catch_warnings():  # set as in IBM's developer configuration, for later
        warnings.simplefilter("ignore", InertAttribute)
        qmgr.alter_qmgr(dead_letter_queue=DEAD_LETTER_QUEUE)


def _queues(config: pytest.Config) -> list[str]:
    return [str(name) for name in config.getini("ternmq_queues")]


@pytest.fixture(scope="session")
def mq_qmgr_name(pytestconfig: pytest.Config) -> str:
    """The name of the queue managers of fixtures."""
    return str(pytestconfig.getini("ternmq_qmgr_name"))


@pytest.fixture
def mq_qmgr(pytestconfig: pytest.Config, mq_qmgr_name: str) -> Iterator[QueueManager]:
    """A queue manager in memory, gone after the test."""
    with memory(mq_qmgr_name) as qmgr:
        _define_queues(qmgr, _queues(pytestconfig))
        yield qmgr


@pytest.fixture
def mq_queue(pytestconfig: pytest.Config, mq_qmgr: QueueManager) -> Iterator[Queue]:
    """The first queue of `mq_qmgr`, open."""
    with mq_qmgr.queue(_queues(pytestconfig)[0]) as queue:
        yield queue


@pytest.fixture(scope="session")
def _mq_folder(
    pytestconfig: pytest.Config, mq_qmgr_name: str, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A data folder to copy: that is quicker than to make one for each test."""
    folder = tmp_path_factory.mktemp("ternmq")
    with embedded(folder, mq_qmgr_name, create=True, log_file_pages=LOG_FILE_PAGES) as qmgr:
        _define_queues(qmgr, _queues(pytestconfig))
    return folder


class _Persistent:
    """The queue manager of one test, in a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self.qmgr = embedded(folder, name)

    def restart(self) -> QueueManager:
        self.qmgr.close()
        self.qmgr = embedded(self._folder, self._name)
        return self.qmgr


@pytest.fixture
def _mq_persistent(_mq_folder: Path, mq_qmgr_name: str, tmp_path: Path) -> Iterator[_Persistent]:
    folder = tmp_path / "ternmq"
    shutil.copytree(_mq_folder, folder)
    persistent = _Persistent(folder, mq_qmgr_name)
    yield persistent
    persistent.qmgr.close()


@pytest.fixture
def mq_qmgr_persistent(_mq_persistent: _Persistent) -> QueueManager:
    """A queue manager in a folder below `tmp_path`, stopped after the test."""
    return _mq_persistent.qmgr


@pytest.fixture
def mq_restart(_mq_persistent: _Persistent) -> Callable[[], QueueManager]:
    """Stop `mq_qmgr_persistent` and start it again; gives the new one."""
    return _mq_persistent.restart
