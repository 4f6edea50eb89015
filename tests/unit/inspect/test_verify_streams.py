"""Goal: verify knows stream files: whole ones are sound, damaged and missing ones are named, what a
crash left behind is a leftover. Method: a real folder; the queue manager then starts, and its
queue is well.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import ternmq
from ternmq.inspect.dump import LogDump, Range, json_lines
from ternmq.inspect.folder import Folder
from ternmq.inspect.report import DAMAGED, LEFTOVER, MISSING, SOUND, Report
from ternmq.inspect.verify import verify
from ternmq.kernel.cursors import EARLIEST, define_cursor
from tests.unit.inspect.folders import root_of, small

pytestmark = [pytest.mark.core, pytest.mark.promise("P6"), pytest.mark.timeout(60)]


def streamed(data: Path) -> Path:
    """A queue manager with a stream of two files, stopped; the folder of its queue."""
    for start in (0, 5):
        with small(data) as qmgr:
            if start == 0:
                qmgr.define_queue("Q")
                shell = qmgr.started.shell
                with shell.lock:
                    link = shell.engine.connect("tester", "test")
                    assert define_cursor(shell.engine.kernel, link, "C", "Q", EARLIEST) is not None
                    shell.engine.after_step()
            with qmgr.queue("Q") as queue:
                for number in range(start, start + 5):
                    queue.put(f"message {number}", persistent=True)
    (folder,) = (root_of(data) / "queues").glob("Q~*")
    return folder


def looked_at(data: Path) -> Report:
    return verify(data)


def test_stream_files_when_whole_then_sound(tmp_path: Path) -> None:
    folder = streamed(tmp_path)
    (folder / "0000000009.stream").write_bytes(b"left behind")
    values = {Path(one.path).name: one for one in looked_at(tmp_path).files}
    assert values["0000000001.stream"].verdict == SOUND
    assert values["0000000001.stream"].detail == "1 blocks, numbers 1 to 5"
    assert values["0000000002.stream"].detail == "1 blocks, numbers 6 to 10"
    assert values["0000000009.stream"].verdict == LEFTOVER


def test_stream_files_when_damaged_or_missing_then_named_and_queue_is_well(tmp_path: Path) -> None:
    folder = streamed(tmp_path)
    content = bytearray((folder / "0000000001.stream").read_bytes())
    content[600] ^= 1
    (folder / "0000000001.stream").write_bytes(content)
    (folder / "0000000002.stream").unlink()
    values = {Path(one.path).name: one for one in looked_at(tmp_path).files}
    assert values["0000000001.stream"].verdict == DAMAGED
    assert "numbers 1 to 5 fails its checksum" in values["0000000001.stream"].detail
    assert values["0000000002.stream"].verdict == MISSING
    with ternmq.embedded(tmp_path) as qmgr, qmgr.queue("Q") as queue:
        assert queue.depth == 10


def test_log_when_dumped_then_cursors_and_numbers_are_reported(tmp_path: Path) -> None:
    streamed(tmp_path)
    with Folder(tmp_path) as folder:
        text = "\n".join(json_lines(LogDump(folder, 0), Range(base=True), 64))
    assert '"action":"define","cursor":"C","queue":"Q"' in text
    assert '"reserved_below":16386' in text
    assert "not_understood" not in text
