"""Goal: every example runs as it is printed and shows what it says it shows.

Method: run each as a program of its own, on the build under test, in an empty folder. Those of
Spark run in this process and take its session: Java starts once.
"""

import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ternmq
from tools.layers import ROOT

pytestmark = pytest.mark.core

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
SPARK = [path for path in EXAMPLES if path.name.startswith("spark_")]
# A line that only a right outcome prints.
SHOWN = {
    "async_group_commit.py": "each producer's messages in order: True",
    "async_pipeline.py": "each arrived once: True",
    "authority.py": "the auditor may not put: user 'auditor' lacks put on queue ORDERS.NEW",
    "browse.py": "left: [7000]",
    "callbacks.py": "a task has called the function 4 times, in order: True",
    "confirm_on_delivery.py": "two puffins: arrived, got, done",
    "crash_and_restart.py": "in order: True",
    "ebcdic.py": "its item, in CCSID 1208: 7 Küstenseeschwalbe",
    "deferred_delivery.py": "taken back: [False, True, True] left: 0",
    "exactly_once_batches.py": "each part once, in order: True",
    "expiry_sawtooth.py": "five minutes' worth each time: True",
    "first_queue.py": "then:   MQRC_NO_MSG_AVAILABLE",
    "in_memory_test.py": "2 tests passed",
    "large_file_by_segments.py": "as it was sent: True",
    "look_into_a_folder.py": "saved 60 of 60 orders: the log still has",
    "media_recovery.py": "ORDERS, with what was in doubt: True",
    "mqsc.py": "AMQ8150E refused",
    "multicast_prices.py": "plums of all, in order: True",
    "network_client.py": "the callback says: puffin has 6 letters",
    "pcf_inquiry.py": "MQRCCF_ATTR_VALUE_ERROR parameter 15",
    "invoice_in_a_group.py": "['invoice 2026-1', 'pencils, 10', 'pens, 5']",
    "price_board.py": "the accountant was away, and has all 104: True",
    "poison_message.py": "'five' moved to WORK.FAILED",
    "served.py": "after its end: MQRC_Q_MGR_NOT_AVAILABLE",
    "simulated_crashes.py": "6 tests passed",
    "properties_and_selectors.py": "left, the urgent one first: vase, atlas",
    "putwmp_getwmp.py": "all as they were sent: True",
    "request_reply.py": "puffin -> PUFFIN",
    "story.py": "The other half of the story is left out. You asked for no Spark.",
    "stream_reader.py": "each order once, in order: True",
    "streaming_queues.py": "as in the report, logged once a handle: True",
    "smf_every_second.py": "intervals have all of them: True",
    "spark_lake_replay.py": "each lost order is back once, in order: True",
    "spark_pipeline.py": "the tables have all: True",
    "spark_sink_once.py": "three orders, three bills: True",
    "slow_queue.py": "the others by priority, in order: True",
    "tour.py": "What to try next:",
    "trigger.py": "three orders, programs started: 2",
    "two_queue_managers.py": "each once, in order: True",
    "two_phase_commit.py": "recovered:          NORTH 1   SOUTH 1",
    "unit_of_work.py": "unicorn was tried 1 time before",
    "workers.py": "as it should be: True",
}
# Words after its name, for one that takes long without them; `make run` shows all of it.
WORDS = {"story.py": ("--seconds", "1", "--no-spark"), "tour.py": ("--quick",)}


def run_program(path: Path, *arguments: str) -> str:
    """Run it with warnings as errors; its output, when it has ended well and said nothing on
    stderr."""
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        [sys.executable, str(path), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.slow
@pytest.mark.walk
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "path", [path for path in EXAMPLES if path not in SPARK], ids=lambda path: path.name
)
def test_example_when_run_then_it_shows_what_it_promises(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    output = run_program(path, *WORDS.get(path.name, ()))
    assert SHOWN.get(path.name, "") in output
    assert "\x1b" not in output  # no colours where nobody looks


@pytest.mark.spark
@pytest.mark.usefixtures("as_users")
@pytest.mark.parametrize("path", SPARK, ids=lambda path: path.name)
def test_example_of_spark_when_run_then_it_shows_what_it_promises(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(str(path), run_name="__main__")
    assert SHOWN[path.name] in capsys.readouterr().out


def test_first_queue_when_run_twice_then_it_finds_what_it_left(tmp_path: Path) -> None:
    path = ROOT / "examples" / "first_queue.py"
    run_program(path, str(tmp_path / "data"))
    assert "left by an earlier run: for the next run" in run_program(path, str(tmp_path / "data"))


def test_poison_message_when_it_has_properties_then_they_move_with_it() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "poison_message.py"))
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("FAILED")
        qmgr.define_queue("WORK", backout_threshold=1, backout_queue="FAILED")
        qmgr.put(
            "WORK",
            "five",
            correl_id=b"c" * 24,
            priority=7,
            properties={"customer": "Ada", "count": ternmq.Int16(2), "shop.key": b"\x00\x01"},
        )
        with qmgr.queue("WORK") as queue:
            (before,) = queue.browse()
        example["run"](qmgr, "WORK")
        with qmgr.queue("FAILED") as failed:
            moved = failed.get()
        assert (moved.text, moved.priority, moved.correl_id) == ("five", 7, b"c" * 24)
        assert len(moved.properties) == 3
        assert moved.property_area == before.property_area


@pytest.mark.parametrize("settings", [{}, {"backout_threshold": 1}])
def test_poison_message_when_the_queue_says_nothing_then_none_is_put_aside(
    settings: dict[str, Any],
) -> None:
    example = runpy.run_path(str(ROOT / "examples" / "poison_message.py"))
    tries: list[str] = []

    def work(text: str) -> int:
        """Fails three times."""
        tries.append(text)
        if len(tries) < 4:
            raise ValueError(text)
        return 1

    example["run"].__globals__["work"] = work
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("WORK", **settings)
        qmgr.put("WORK", "five")
        example["run"](qmgr, "WORK")
        assert (tries, qmgr.queue("WORK").depth) == (["five"] * 4, 0)


def test_examples_when_listed_then_each_says_what_it_is() -> None:
    for path in EXAMPLES:
        assert path.read_text(encoding="utf-8").startswith('"""'), path.name
