"""Goal: the fixtures are there, are fresh for each test, and do what docs/applications/testing.md
shows.

Method: use them here, and run the page's examples as tests of a project that knows only pytest.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import ternmq
from tools.layers import ROOT

pytestmark = pytest.mark.core

PLUGIN = ("-p", "no:ternmq", "-p", "ternmq.runtime.pytest_plugin", "-p", "no:cacheprovider")
FENCE = "```python test-file\n"


def examples() -> list[str]:
    page = (ROOT / "docs" / "applications" / "testing.md").read_text(encoding="utf-8")
    return [part.partition("```")[0] for part in page.split(FENCE)[1:]]


@pytest.mark.parametrize("turn", [1, 2])
def test_mq_qmgr_when_used_twice_then_it_is_fresh(mq_qmgr: ternmq.QueueManager, turn: int) -> None:
    assert turn
    assert mq_qmgr.name == "QM1"
    for name in ("DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3", "DEV.DEAD.LETTER.QUEUE"):
        with mq_qmgr.queue(name) as queue:
            assert queue.depth == 0
            queue.put("left behind")


def test_mq_queue_when_asked_for_then_it_is_open(
    mq_queue: ternmq.Queue, mq_qmgr: ternmq.QueueManager
) -> None:
    mq_qmgr.put("DEV.QUEUE.1", "one")
    assert mq_queue.get().text == "one"


@pytest.mark.parametrize("turn", [1, 2])
def test_mq_qmgr_persistent_when_restarted_then_persistent_messages_are_there(
    mq_qmgr_persistent: ternmq.QueueManager,
    mq_restart: Callable[[], ternmq.QueueManager],
    tmp_path: Path,
    turn: int,
) -> None:
    assert turn
    with mq_qmgr_persistent.queue("DEV.QUEUE.2") as queue:
        assert queue.depth == 0
        queue.put("one", persistent=True)
    again = mq_restart()
    assert not mq_qmgr_persistent.connected
    with again.queue("DEV.QUEUE.2") as queue:
        assert queue.get().text == "one"
    assert (tmp_path / "ternmq").is_dir()


def test_page_when_its_examples_are_run_then_they_pass(pytester: pytest.Pytester) -> None:
    sources = examples()
    assert len(sources) == 2
    pytester.makepyfile(test_blocking=sources[0], test_tasks=sources[1])
    result = pytester.runpytest(*PLUGIN)
    result.assert_outcomes(passed=4)


def test_options_when_given_then_name_and_queues_are_theirs(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nternmq_qmgr_name = ORDERS.TEST\nternmq_queues = ORDERS 'A B' REPLY")
    pytester.makepyfile(
        """
        import pytest

        def test_name(mq_qmgr, mq_qmgr_persistent, mq_qmgr_name):
            assert mq_qmgr.name == mq_qmgr_persistent.name == mq_qmgr_name == "ORDERS.TEST"
        """
    )
    wrong = pytester.runpytest(*PLUGIN)
    wrong.assert_outcomes(errors=1)  # a queue cannot be named "A B"
    pytester.makeini("[pytest]\nternmq_qmgr_name = ORDERS.TEST\nternmq_queues = ORDERS REPLY")
    pytester.makepyfile(
        """
        def test_name(mq_qmgr, mq_qmgr_persistent, mq_qmgr_name, mq_queue):
            assert mq_qmgr.name == mq_qmgr_persistent.name == mq_qmgr_name == "ORDERS.TEST"
            assert {"ORDERS", "REPLY"} <= set(mq_qmgr_persistent.queue_names())
            assert mq_queue.name == "ORDERS"
        """
    )
    result = pytester.runpytest(*PLUGIN)
    result.assert_outcomes(passed=1)


@pytest.mark.compiled
def test_install_when_pytest_starts_then_it_finds_the_fixtures(tmp_path: Path) -> None:
    (tmp_path / "test_installed.py").write_text(examples()[0], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout
