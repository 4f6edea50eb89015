"""Goal: the tools as a program: output for eyes or as JSON, and an exit status that can be used.

Method: `main` with arguments, and once as a process.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import ternmq
from ternmq.inspect.__main__ import main
from tests.unit.inspect.folders import root_of, small, two_queues

pytestmark = pytest.mark.core


@pytest.fixture
def data(tmp_path: Path) -> Path:
    two_queues(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = main([str(one) for one in arguments])
    output = capsys.readouterr()
    return status, output.out, output.err


def test_dump_when_run_then_records(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text, complaint = run(capsys, "dump", data, "-b", "--brief")
    assert (status, complaint) == (0, "")
    assert "CHECKPOINT" in text
    status, text, _ = run(capsys, "dump", data, "--json", "-c", "--data", 0)
    rows = [json.loads(line) for line in text.splitlines()]
    assert rows[1]["kind"] == "CHECKPOINT"
    start = rows[1]["lsn"]
    status, text, _ = run(capsys, "dump", data, "--json", "-s", start, "--count", 1, "-m", "QM1")
    assert json.loads(text.splitlines()[1])["lsn"] == start
    status, _, complaint = run(capsys, "dump", data, "--copy", 2)
    assert status == 2
    assert "one copy" in complaint


def test_verify_when_run_then_the_status_reports(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, text, _ = run(capsys, "verify", data)
    assert status == 0
    assert text.rstrip().endswith("Sound.")
    control = root_of(data) / "log" / "control.1"
    control.write_bytes(bytes(512))
    status, text, _ = run(capsys, "verify", data, "--json")
    assert status == 10
    assert json.loads(text)["exit_status"] == 10
    (root_of(data) / "log" / "control.2").write_bytes(bytes(512))
    status, text, _ = run(capsys, "verify", data)
    assert status == 20
    assert "It would not start" in text


def test_dump_when_damaged_then_the_status_reports(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    last = json.loads(run(capsys, "dump", data, "--json")[1].splitlines()[-2])
    path = root_of(data) / last["file"]
    content = bytearray(path.read_bytes())
    content[last["offset"] + 45] ^= 1
    path.write_bytes(content)
    status, text, _ = run(capsys, "dump", data)
    assert status == 10
    assert "DAMAGED" in text.splitlines()[-1]


def test_buffers_when_run_then_shown_and_set(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, text, _ = run(capsys, "buffers", data, "--queue", "A", "--persistent", "2M", "--json")
    assert status == 0
    assert json.loads(text)[0]["persistent_buffer"] == 2 << 20
    status, text, _ = run(capsys, "buffers", data, "--queue", "A")
    assert "2,097,152" in text
    status, _, complaint = run(capsys, "buffers", data, "--nonpersistent", "1")
    assert status == 20
    assert "65536" in complaint


def test_salvage_when_run_then_a_file(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "a.jsonl"
    status, text, _ = run(capsys, "salvage", data, "--queue", "A", "--output", output)
    assert status == 0
    assert "alive" in text
    assert len(output.read_text().splitlines()) == 61
    status, text, _ = run(capsys, "salvage", data, "--queue", "A", "--output", output, "--json")
    assert json.loads(text)["messages"]["alive"] == 61


def test_program_when_it_cannot_then_one_line_and_a_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, text, complaint = run(capsys, "verify", tmp_path)
    assert (status, text) == (20, "")
    assert complaint.startswith("MQRC_Q_MGR_NAME_ERROR")
    with small(tmp_path):
        status, _, complaint = run(capsys, "dump", tmp_path)
        assert status == 20
        assert "it is running" in complaint
    with pytest.raises(SystemExit) as refused:
        main(["dump", str(tmp_path), "-b", "-c"])
    assert refused.value.code == 2


def test_program_when_run_as_a_module_then_it_works(data: Path) -> None:
    command = [sys.executable, "-W", "error", "-m", "ternmq.inspect", "verify", str(data)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Sound." in done.stdout
    pipe = subprocess.Popen(
        [sys.executable, "-m", "ternmq.inspect", "dump", "-b", str(data)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert pipe.stdout is not None
    pipe.stdout.readline()
    pipe.stdout.close()  # whoever reads has seen enough
    assert pipe.stderr is not None
    assert pipe.stderr.read() == b""
    assert pipe.wait() == 0
    pipe.stderr.close()
    assert ternmq.build_info()
