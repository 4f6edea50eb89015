"""Goal: a start without enough file descriptors fails with an MQError that says so, leaves nothing
open, and works once there are some.

Method: the limit of this process is lowered so that exactly so many descriptors are free, from none
on until the start works; every place where the start opens something is met that way.
"""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import ternmq
from ternmq import constants as mq

FREE_MAX = 40


def open_now() -> set[int]:
    return {int(name) for name in os.listdir("/proc/self/fd")}


@contextmanager
def only_free(count: int) -> Iterator[None]:
    """Just `count` more descriptors can be opened."""
    taken = open_now()
    limit = 0
    free = 0
    while free < count or limit in taken:
        free += limit not in taken
        limit += 1
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def start_and_stop(folder: Path) -> None:
    with ternmq.embedded(folder, "QM1", create=True, log_file_pages=64):
        pass


def refusals(folder_of: Callable[[int], Path], begin: Callable[[Path], None]) -> int:
    """How many starts were refused before one worked; each as it must be."""
    for count in range(FREE_MAX):
        before = open_now()
        refused: ternmq.MQError | None = None
        try:
            with only_free(count):
                begin(folder_of(count))
        except ternmq.MQError as error:
            refused = error
        if refused is None:
            return count
        assert refused.reason == mq.MQRC_RESOURCE_PROBLEM, count
        cause = refused.__cause__
        assert isinstance(cause, OSError), count
        assert cause.errno == errno.EMFILE, count
        assert open_now() == before, count
    pytest.fail(f"no start with {FREE_MAX} descriptors")


@pytest.mark.parametrize("new", [True, False])
def test_embedded_when_descriptors_lack_then_a_reason_and_nothing_stays_open(
    tmp_path: Path, new: bool
) -> None:
    start_and_stop(tmp_path / "first")  # whatever is imported late is there now
    assert refusals(lambda count: tmp_path / (str(count) if new else "first"), start_and_stop) > 3
    for folder in tmp_path.iterdir():
        start_and_stop(folder)


FIRST_ERROR = """
import sys, ternmq
from tests.unit.runtime.test_few_descriptors import only_free
embedded = ternmq.embedded
try:
    with only_free(int(sys.argv[1])):
        embedded(sys.argv[2], "QM1", create=True)
except ternmq.MQError as error:
    print(error.reason)
"""


@pytest.mark.plain
@pytest.mark.parametrize("count", [0, 1, 2])
def test_embedded_when_the_texts_of_errors_cannot_be_read_then_the_reason_has_its_number(
    tmp_path: Path, count: int
) -> None:
    words = [sys.executable, "-c", FIRST_ERROR, str(count), str(tmp_path)]
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, timeout=20)
    assert done.stdout == f"{mq.MQRC_RESOURCE_PROBLEM}\n", done.stderr


def test_tasks_when_descriptors_lack_then_the_same_reason(tmp_path: Path) -> None:
    start_and_stop(tmp_path)

    async def begin() -> None:
        with only_free(2):
            async with ternmq.aio.embedded(tmp_path, "QM1"):
                pass

    with pytest.raises(ternmq.MQError) as caught:
        asyncio.run(begin())
    assert caught.value.reason == mq.MQRC_RESOURCE_PROBLEM


def test_embedded_when_its_folder_cannot_be_made_then_a_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ternmq.MQError, match="file") as caught:
        ternmq.embedded(tmp_path / "file", "QM1", create=True)
    assert caught.value.reason == mq.MQRC_Q_MGR_NOT_AVAILABLE
    assert isinstance(caught.value.__cause__, NotADirectoryError)
